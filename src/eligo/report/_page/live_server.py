"""A page on this machine that shows a run while it goes on: ``eligo run --watch PORT``.

Problem: a browser wants to see what changes, as it changes. The run must not notice: not a browser that hangs, not one
that asks for nonsense, not twenty of them. And a port on the loopback is open to every program and every user of this
machine, and, by way of a browser, to every web page that its owner looks at.

Idea: the smallest server that will do. It answers two questions, for the page and for its events, and knows neither
paths nor files. Each connection has a thread of its own, a daemon, one request, and bounds on everything: how long it
may take to ask, how much it may say, how long it may take to listen. Events are server-sent events: first a snapshot,
then changes; what they are is told in ``live_state``. Nothing is queued for a client. One that is slow is told more at
once; one that does not listen for a while is dropped, comes back by itself, names the last event it has seen, and goes
on from there.

Who may ask: who knows the token, which is new in each run and is in the address that is printed. Beside that, requests
must name this very host (else a foreign name that resolves to 127.0.0.1 would make a foreign page one of ours), and
none may come from pages of other origins, other ports of this machine included; they may only link here.

Promised: a change to the state never waits for a client; :meth:`LivePage.close` comes back within some seconds whatever
clients do, and those that listen are told the last news before; nothing is ever printed. Not promised: secrecy from
whoever may read the memory or the arguments of this user's processes, encryption, or an answer to programs of this
machine that open all connections there are: the page then cannot be reached, and the run goes on.

What a client asks for, and how answers begin: as much of HTTP/1.1 as ``live`` needs.

A request is read as far as its empty line, within bounds on its length and on the time it takes. What is malformed is
refused, never mended. Every answer forbids to keep it, to frame it, to guess its kind, and to tell others where it
came from.
"""

from __future__ import annotations

import hmac
import re
import secrets
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from email.utils import formatdate
from http import HTTPStatus
from typing import Any
from urllib.parse import parse_qs

from eligo.errors import EligoError
from eligo.report._page.live_state import LiveState, json_pieces

__all__ = [
    "PIECE_BYTES",
    "LivePage",
    "LiveState",
    "RefusedError",
    "Request",
    "heading",
    "parse",
    "read_head",
]

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


_HOST = "127.0.0.1"
_CONNECTIONS = 64
_STREAMS = 16
_SEND_S = 20.0  # for a client to take a piece
_PAUSE_S = 0.125  # between two messages to a client
_LOOK_S = 0.5  # after which a stream looks whether its client has gone
_BEAT_S = 10.0
_PATIENCE_S = 1.0  # for a stream to become free, for a client to hang up, for all to leave

_NO_FRAME = "frame-ancestors 'none'"  # the page itself says the rest of its policy
_TEXT = "text/plain; charset=utf-8"


class LivePage:
    """A server for one page and its events, on 127.0.0.1, from when it is made until it is closed.

    Parameters
    ----------
    state
        What the events tell of.
    make_page
        Given the address of the events, ``/events?token=...``, returns the page, as HTML in UTF-8. It is called in a
        thread of the server's, when the page is first asked for, and again only if it raised.
    port
        Where; 0 for any that is free.

    Attributes
    ----------
    url
        What to open in a browser. Whoever knows it may look.
    port
        The one in use.
    trouble
        What went wrong here the last time, such as what `make_page` raised; a client is told only that it did.

    Raises
    ------
    EligoError
        The port cannot be used.

    Examples
    --------
    >>> from urllib.request import urlopen
    >>> state = LiveState(1, status=[1], start_s=[0.0], end_s=[None], worker=[-1])
    >>> with LivePage(state, lambda events: b"<title>a run</title>") as page:
    ...     with urlopen(page.url) as answer:
    ...         answer.status, answer.read()
    (200, b'<title>a run</title>')
    """

    def __init__(self, state: LiveState, make_page: Callable[[str], bytes], port: int = 0) -> None:
        self._state = state
        self._make_page = make_page
        self._page: bytes | None = None
        self._making = threading.Lock()
        self.trouble: Exception | None = None
        self._stop = threading.Event()
        self._open: dict[socket.socket, bool] = {}  # whether it is being answered, rather than waited for
        self._changed = threading.Condition()
        self._streams = threading.BoundedSemaphore(_STREAMS)
        self._nonce = secrets.token_hex(8)
        self._token = secrets.token_urlsafe(32)
        self._listener = _listen(port)
        self.port: int = self._listener.getsockname()[1]
        self.url = f"http://{_HOST}:{self.port}/?token={self._token}"
        suffixes = (f":{self.port}", "") if self.port == 80 else (f":{self.port}",)
        self._hosts = {name + suffix for name in (_HOST, "localhost") for suffix in suffixes}
        self._thread = threading.Thread(target=self._accept, name="eligo-live", daemon=True)
        try:
            self._thread.start()
        except RuntimeError as error:
            self._listener.close()
            raise EligoError(f"the page cannot be served: {error}", hint="this user has too many processes") from None

    def close(self) -> None:
        """Let clients have the last news, hang up, give the port back, within some seconds; again is harmless."""
        self._stop.set()
        self._state.wake()
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)  # which wakes who accepts, where it can
        with self._changed:
            for busy_too in (False, True):
                for connection, busy in self._open.items():
                    if busy_too or not busy:
                        _hang_up(connection)
                self._changed.wait_for(lambda: not self._open, _PATIENCE_S)
        self._thread.join(2 * _LOOK_S)

    def __enter__(self) -> LivePage:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _accept(self) -> None:
        with self._listener:
            while not self._stop.is_set():
                try:
                    connection, _ = self._listener.accept()
                except TimeoutError:
                    continue
                except OSError:  # too many open files, or one that went away before it was there
                    self._stop.wait(_PAUSE_S)
                    continue
                self._admit(connection)

    def _admit(self, connection: socket.socket) -> None:
        """Give a connection a thread, or none if there are too many."""
        with self._changed:
            if self._stop.is_set() or len(self._open) >= _CONNECTIONS:
                connection.close()
                return
            self._open[connection] = False
        try:
            threading.Thread(target=self._serve, args=(connection,), name="eligo-live-client", daemon=True).start()
        except RuntimeError:  # the machine has no threads left
            self._dismiss(connection)

    def _dismiss(self, connection: socket.socket) -> None:
        with self._changed:
            del self._open[connection]
            connection.close()  # under the lock: its number may be another file's at once, and `close` uses it
            self._changed.notify_all()

    def _serve(self, connection: socket.socket) -> None:
        try:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            head = read_head(connection)
            if head is not None:
                with self._answering(connection):
                    self._answer(connection, head)
                self._see_off(connection)
        except OSError:  # the client has gone, or does not listen
            pass
        except Exception as error:  # a thread that dies would print it over what the run has to say
            self.trouble = error
        finally:
            self._dismiss(connection)

    @contextmanager
    def _answering(self, connection: socket.socket) -> Iterator[None]:
        with self._changed:
            self._open[connection] = True
        try:
            yield
        finally:
            with self._changed:
                self._open[connection] = False

    def _see_off(self, connection: socket.socket) -> None:
        """Wait a little until the client hangs up: a reset, for what it sent unasked, would take the answer from it."""
        connection.shutdown(socket.SHUT_WR)
        end = time.monotonic() + _PATIENCE_S
        while not self._stop.is_set() and (left := end - time.monotonic()) > 0:
            connection.settimeout(left)
            if not connection.recv(PIECE_BYTES):
                return

    def _answer(self, connection: socket.socket, head: bytes) -> None:
        bodiless = head.startswith(b"HEAD ")
        try:
            request = parse(head)
            self._check(request)
            if request.path == "/favicon.ico":
                _send(connection, heading(HTTPStatus.NO_CONTENT))
            elif request.path == "/":
                page = self._whole_page()
                _send(connection, heading(HTTPStatus.OK, "text/html; charset=utf-8", len(page), policy=_NO_FRAME))
                _send(connection, b"" if bodiless else page)
            elif bodiless:
                _send(connection, heading(HTTPStatus.OK, "text/event-stream"))
            else:
                self._stream(connection, request.fields.get("last-event-id", ""))
        except RefusedError as refused:
            body = f"{refused.status.phrase}: {refused.text}\n".encode()
            _send(connection, heading(refused.status, _TEXT, len(body)) + (b"" if bodiless else body))

    def _check(self, request: Request) -> None:
        """Refuse what does not come from the page itself, or from somebody who was given its address."""
        fields = request.fields
        host = fields.get("host", "").lower()
        if host not in self._hosts:
            raise RefusedError(HTTPStatus.FORBIDDEN, "this is not the host that was asked for")
        if fields.get("origin", f"http://{host}").lower() != f"http://{host}":
            raise RefusedError(HTTPStatus.FORBIDDEN, "pages from elsewhere may not ask")
        linked = fields.get("sec-fetch-mode") == "navigate" and request.path != "/events"
        if fields.get("sec-fetch-site", "none") not in ("none", "same-origin") and not linked:
            raise RefusedError(HTTPStatus.FORBIDDEN, "pages from elsewhere may not ask")
        if request.method not in ("GET", "HEAD"):
            raise RefusedError(HTTPStatus.METHOD_NOT_ALLOWED, "there is nothing to do here but to look")
        if request.path not in ("/", "/events", "/favicon.ico"):
            raise RefusedError(HTTPStatus.NOT_FOUND, "there is one page here")
        given = request.token.encode("utf-8", "surrogatepass")
        if request.path != "/favicon.ico" and not hmac.compare_digest(given, self._token.encode()):
            raise RefusedError(HTTPStatus.FORBIDDEN, "use the whole address that eligo printed, with its token")

    def _whole_page(self) -> bytes:
        with self._making:
            if self._page is None:
                try:
                    self._page = self._make_page(f"/events?token={self._token}")
                except Exception as error:
                    self.trouble = error
                    text = "the page could not be made; the run goes on"
                    raise RefusedError(HTTPStatus.INTERNAL_SERVER_ERROR, text) from None
                self.trouble = None
            return self._page

    def _stream(self, connection: socket.socket, last_id: str) -> None:
        if not self._streams.acquire(timeout=_PATIENCE_S):  # one whose client has gone is free before that
            raise RefusedError(HTTPStatus.SERVICE_UNAVAILABLE, "too many are looking already")
        try:
            _send(connection, heading(HTTPStatus.OK, "text/event-stream") + b"retry: 1000\n\n")
            self._feed(connection, self._seen(last_id))
        finally:
            self._streams.release()

    def _seen(self, last_id: str) -> int:
        """Return the number of the last event that a client has seen, or -1, which is always too long ago."""
        nonce, _, number = last_id.partition("-")
        ours = nonce == self._nonce and re.fullmatch("[0-9]{1,18}", number) is not None
        return int(number) if ours else -1

    def _feed(self, connection: socket.socket, seen: int) -> None:
        """Send what happens until the client or we leave; what was there when we began to leave is sent before."""
        said_s = time.monotonic()
        leaving = False
        while not leaving and not _has_gone(connection):
            leaving = self._stop.is_set()
            news = self._state.since(seen, 0.0 if leaving else _LOOK_S, self._stop.is_set)
            if news is not None:
                seen = self._tell(connection, news)
            elif time.monotonic() - said_s >= _BEAT_S:
                _send(connection, b":\n\n")
            else:
                continue
            said_s = time.monotonic()
            self._stop.wait(_PAUSE_S)

    def _tell(self, connection: socket.socket, news: dict[str, Any]) -> int:
        """Send an event; return its number."""
        kind = "snapshot" if news.pop("stale") else "change"
        message = self._state.snapshot() if kind == "snapshot" else news
        ready = bytearray(f"event: {kind}\nid: {self._nonce}-{message['seq']}\ndata: ".encode())
        for piece in json_pieces(message):
            ready += piece
            if len(ready) >= PIECE_BYTES:
                _send(connection, ready)
                ready.clear()
        _send(connection, ready + b"\n\n")
        return int(message["seq"])


def _listen(port: int) -> socket.socket:
    """Return a socket that others can connect to; it is not handed on to programs that we start."""
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((_HOST, port))
        listener.listen(_CONNECTIONS)
        listener.settimeout(_LOOK_S)
    except (OSError, OverflowError) as error:
        listener.close()
        reason = "ports are 0 to 65535" if isinstance(error, OverflowError) else error.strerror
        raise EligoError(
            f"port {port} on {_HOST} cannot be used: {reason}", hint="choose another, or 0 for any that is free"
        ) from None
    return listener


def _send(connection: socket.socket, data: bytes | bytearray) -> None:
    """Send all, with a bound on the time for each piece."""
    connection.settimeout(_SEND_S)
    for begin in range(0, len(data), PIECE_BYTES):
        connection.sendall(data[begin : begin + PIECE_BYTES])


def _has_gone(connection: socket.socket) -> bool:
    """Tell whether a client has hung up; whatever it says is passed over."""
    connection.settimeout(0.0)
    try:
        return not connection.recv(PIECE_BYTES)
    except BlockingIOError:
        return False


def _hang_up(connection: socket.socket) -> None:
    """End a connection that another thread uses, and wake that if it waits."""
    with suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)
