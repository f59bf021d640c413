"""What a client asks for, and how answers begin: as much of HTTP/1.1 as ``live`` needs.

A request is read as far as its empty line, within bounds on its length and on the time it takes. What is malformed is
refused, never mended. Every answer forbids to keep it, to frame it, to guess its kind, and to tell others where it
came from.
"""

from __future__ import annotations

import re
import socket
import time
from dataclasses import dataclass
from email.utils import formatdate
from http import HTTPStatus
from urllib.parse import parse_qs

__all__ = ["PIECE_BYTES", "RefusedError", "Request", "heading", "parse", "read_head"]

PIECE_BYTES = 65_536
"""What is read or written at a time."""

_HEAD_BYTES = 65_536  # browsers add the cookies of whatever else runs on this machine
_HEAD_S = 10.0  # to ask in
_EVERYWHERE = {
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Connection": "close",
}
_NOTHING = "default-src 'none'"
_REQUEST = re.compile(r"([A-Z]+) (\S+) HTTP/1\.[0-9]")
_FIELD = re.compile(r"([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([^\r\n\0]*)")
_ONCE = {"host", "origin", "sec-fetch-site", "sec-fetch-mode", "last-event-id"}


@dataclass(frozen=True, slots=True)
class Request:
    """What a client asks for; names of header fields are in lower case."""

    method: str
    path: str
    token: str
    fields: dict[str, str]


class RefusedError(Exception):
    """A request is answered by a status and a sentence."""

    def __init__(self, status: HTTPStatus, text: str) -> None:
        super().__init__(text)
        self.status = status
        self.text = text


def read_head(connection: socket.socket) -> bytes | None:
    """Return a request as far as the empty line, or what is too much of one; ``None`` if the client says no more."""
    end = time.monotonic() + _HEAD_S
    head = bytearray()
    while len(head) <= _HEAD_BYTES:
        connection.settimeout(max(end - time.monotonic(), 0.001))
        piece = connection.recv(PIECE_BYTES)
        if not piece or time.monotonic() > end:
            return None
        searched = max(len(head) - 3, 0)
        head += piece
        length = head.find(b"\r\n\r\n", searched)
        if 0 <= length <= _HEAD_BYTES:
            return bytes(head[:length])
    return bytes(head)


def parse(head: bytes) -> Request:
    r"""Return what a client asks for.

    Raises
    ------
    RefusedError
        It is no request, or too long a one.

    Examples
    --------
    >>> parse(b"GET /events?token=T HTTP/1.1\r\nHost: localhost:1234")
    Request(method='GET', path='/events', token='T', fields={'host': 'localhost:1234'})
    """
    if len(head) > _HEAD_BYTES:
        raise RefusedError(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, "that is too long")
    first, *lines = head.decode("latin-1").split("\r\n")
    request = _REQUEST.fullmatch(first)
    if request is None:
        raise RefusedError(HTTPStatus.BAD_REQUEST, "that is no request")
    fields: dict[str, str] = {}
    for line in lines:
        field = _FIELD.fullmatch(line)
        name = "" if field is None else field[1].lower()
        if field is None or (name in fields and name in _ONCE):
            raise RefusedError(HTTPStatus.BAD_REQUEST, "a header field is malformed, or there twice")
        fields[name] = field[2].rstrip(" \t")
    path, _, query = request[2].partition("?")
    try:
        tokens = parse_qs(query, max_num_fields=8).get("token", [])
    except ValueError:
        tokens = []
    return Request(request[1], path, tokens[0] if len(tokens) == 1 else "", fields)


def heading(status: HTTPStatus, kind: str = "", length: int | None = None, *, policy: str = _NOTHING) -> bytes:
    """Return the first lines of an answer."""
    fields = {"Date": formatdate(usegmt=True), **_EVERYWHERE, "Content-Security-Policy": policy}
    if kind:
        fields["Content-Type"] = kind
    if length is not None:
        fields["Content-Length"] = str(length)
    if status is HTTPStatus.METHOD_NOT_ALLOWED:
        fields["Allow"] = "GET, HEAD"
    lines = [f"HTTP/1.1 {status.value} {status.phrase}", *(f"{name}: {value}" for name, value in fields.items())]
    return "\r\n".join([*lines, "", ""]).encode("ascii")
