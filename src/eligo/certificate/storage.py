"""Certificates as files: JSON from strangers in, a file that is replaced whole or not at all out.

What comes in is bounded before it is trusted: bytes, packed or not; the number of lists and mappings, each of which
costs far more memory than text; nesting; digits. Floats have no place in a certificate, and a key that stands twice
could mean two things.
"""

from __future__ import annotations

import gzip
import json
import os
import zlib
from abc import ABC, abstractmethod
from pathlib import Path
from typing import Any, NoReturn, Self

from eligo.errors import CertificateError, EligoError, ParseError
from eligo.replacing import replace_whole

__all__ = ["MAX_BYTES", "Saved", "load_json", "save_json"]

MAX_BYTES = 512 * 2**20
"""What a certificate may unpack to; one of a million jobs takes a tenth of it."""

_MAX_CONTAINERS = 10_000_000


def load_json(path: str) -> Any:
    """Return the value a file holds, packed with gzip or not."""
    data = _unpacked(path)
    if data.count(b"[") + data.count(b"{") > _MAX_CONTAINERS:
        raise ParseError(path, None, f"holds more than {_MAX_CONTAINERS:,} lists and mappings")

    def refuse(literal: str) -> NoReturn:
        raise ParseError(path, None, f"{literal[:40]} is no whole number", hint="a certificate has no other numbers")

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        made = dict(pairs)
        if len(made) < len(pairs):
            raise ParseError(path, None, "a key stands twice in one mapping")
        return made

    try:
        return json.loads(data.decode("utf-8"), object_pairs_hook=once, parse_float=refuse, parse_constant=refuse)
    except UnicodeDecodeError:
        raise ParseError(path, None, "is not UTF-8") from None
    except json.JSONDecodeError as error:
        hint = "the certificate is named first, then the workflow; or the file is cut short"
        raise ParseError(path, error.lineno, f"not JSON: {error.msg}", hint=hint) from None
    except RecursionError:
        raise ParseError(path, None, "nested too deeply") from None
    except ValueError:  # more digits than Python converts
        raise ParseError(path, None, "a number has thousands of digits") from None


def _unpacked(path: str) -> bytes:
    try:
        with Path(path).open("rb") as stream:
            packed = stream.read(2) == b"\x1f\x8b"
            stream.seek(0)
            data = (gzip.GzipFile(fileobj=stream) if packed else stream).read(MAX_BYTES + 1)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise ParseError(path, None, f"is damaged gzip: {error}") from None
    except FileNotFoundError:
        raise ParseError(
            path, None, "no such file", hint="check the name; paths are relative to the current directory"
        ) from None
    except (OSError, ValueError) as error:
        raise ParseError(path, None, f"cannot be read: {getattr(error, 'strerror', None) or error}") from None
    if len(data) > MAX_BYTES:
        raise ParseError(path, None, f"is larger than {MAX_BYTES >> 20} MiB", hint="this is not a certificate")
    return data


def save_json(path: str, value: object) -> None:
    """Write a value so that at every moment the old file or the new one is there, whole; packed if called ``.gz``."""
    data = (json.dumps(value, separators=(",", ":")) + "\n").encode("ascii")
    if path.endswith(".gz"):
        data = gzip.compress(data, 6, mtime=0)
    try:
        replace_whole(Path(os.path.realpath(path)), [data])
    except OSError as error:
        raise EligoError(
            f"{path}: cannot be written: {error.strerror}",
            hint="check the directory, its permissions and free space; nothing was changed",
        ) from None


class Saved(ABC):
    """What certificates of all kinds have in common as files; each tells how it becomes plain values and back."""

    __slots__ = ()

    @abstractmethod
    def to_json(self) -> dict[str, Any]:
        """Return the certificate as plain values for ``json.dumps``."""

    @classmethod
    @abstractmethod
    def from_json(cls, value: object) -> Self:
        """Make a certificate from plain values, of which nothing is known."""

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the certificate as JSON, whole or not at all; packed if the name ends in ``.gz``."""
        save_json(os.fspath(path), self.to_json())

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read a certificate of this kind, packed with gzip or not, which may come from anyone.

        ``eligo.certificate.load`` reads any kind.

        Raises
        ------
        ParseError
            ``file: what is wrong``.
        """
        name = os.fspath(path)
        try:
            return cls.from_json(load_json(name))
        except CertificateError as error:
            raise ParseError(name, None, error.text, hint=error.hint) from None
