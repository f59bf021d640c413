"""What all certificates have in common as values: the header, the keys, and nothing that JSON has no place for.

Reading values of which nothing is known: each function returns what it names, or says what is wrong.

Numbers are Python integers of any size until they have been compared with their limits; ``True`` is not 1 here, and a
float is never a whole number.

Certificates as files: JSON from strangers in, a file that is replaced whole or not at all out.

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
from collections.abc import Iterable, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, NoReturn, Self

import numpy as np

from eligo._atomic_files import replace_whole
from eligo.dag import Int64
from eligo.errors import CertificateError, EligoError, ParseError

__all__ = [
    "HEADER",
    "MAX_BYTES",
    "Saved",
    "all_of",
    "check_header",
    "check_keys",
    "check_numbers",
    "distinct",
    "fields",
    "flag",
    "integers",
    "load_json",
    "pairs",
    "plain",
    "save_json",
    "shown",
    "whole",
]

_SHOWN = 40


def shown(value: object) -> str:
    """Return a value for a message, cut where it is long.

    Examples
    --------
    >>> shown("x" * 100)
    "'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx..."
    """
    if type(value) is int and value.bit_length() > 64:
        return f"a number of {value.bit_length()} bits"
    if isinstance(value, (str, list, tuple)):
        value = value[: _SHOWN + 1]
    if type(value) in (list, tuple, dict):
        return f"a {'list' if type(value) is not dict else 'mapping'}"
    text = repr(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."


def fields(value: object, what: str, *names: str, **optional: Any) -> list[Any]:
    """Return the values under exactly these keys of a mapping; the last ones may be left out, and have a value then.

    Examples
    --------
    >>> fields({"jobs": [1], "witness": {}}, "block 3", "witness", "jobs")
    [{}, [1]]
    >>> fields({"jobs": [1]}, "block 3", "jobs", "witness")
    Traceback (most recent call last):
        ...
    eligo.errors.CertificateError: block 3 has no 'witness'
    """
    if type(value) is not dict:
        raise CertificateError(f"{what} must be a mapping, not {shown(value)}")
    for name in names:
        if name not in value:
            raise CertificateError(f"{what} has no {name!r}")
    for key in value:
        if key not in names and key not in optional:
            raise CertificateError(f"{what} has an unknown key {shown(key)}")
    return [value[name] for name in names] + [value.get(name, absent) for name, absent in optional.items()]


def whole(value: object, what: str, least: int, most: int) -> int:
    """Return a whole number within limits.

    Examples
    --------
    >>> whole(True, "dim", 0, 9)
    Traceback (most recent call last):
        ...
    eligo.errors.CertificateError: dim must be a whole number from 0 to 9, not True
    """
    if type(value) is not int or not least <= value <= most:
        raise CertificateError(f"{what} must be a whole number from {least} to {most}, not {shown(value)}")
    return value


def flag(value: object, what: str) -> bool:
    """Return a value that must be true or false."""
    if type(value) is not bool:
        raise CertificateError(f"{what} must be true or false, not {shown(value)}")
    return value


def integers(value: object, what: str, least: int, most: int) -> Int64:
    """Return a list of whole numbers within limits as an array.

    Examples
    --------
    >>> integers([0, 10**30], "positions", 0, 5)
    Traceback (most recent call last):
        ...
    eligo.errors.CertificateError: positions must be whole numbers from 0 to 5, not a number of 100 bits
    """
    if type(value) is not list:
        raise CertificateError(f"{what} must be a list, not {shown(value)}")
    if not set(map(type, value)) <= {int}:
        wrong = next(one for one in value if type(one) is not int)
        raise CertificateError(f"{what} must be whole numbers, not {shown(wrong)}")
    if value and not (least <= min(value) and max(value) <= most):
        wrong = next(one for one in value if not least <= one <= most)
        raise CertificateError(f"{what} must be whole numbers from {least} to {most}, not {shown(wrong)}")
    return np.array(value, np.int64)


def distinct(value: object, what: str, below: int) -> Int64:
    """Return a list of different whole numbers from 0 to below a limit.

    Examples
    --------
    >>> distinct([2, 0], "jobs", 3)
    array([2, 0])
    >>> distinct([2, 0, 2], "jobs", 3)
    Traceback (most recent call last):
        ...
    eligo.errors.CertificateError: jobs name 2 twice
    """
    numbers = integers(value, what, 0, below - 1)
    counts = np.bincount(numbers, minlength=1)
    if counts.max() > 1:
        raise CertificateError(f"{what} name {int(np.argmax(counts > 1))} twice")
    return numbers


def pairs(value: object, what: str, below: int) -> Int64:
    """Return a list of pairs of whole numbers from 0 to below a limit, one a row.

    Examples
    --------
    >>> pairs([[0, 1]], "dropped arcs", 2)
    array([[0, 1]])
    """
    if type(value) is not list:
        raise CertificateError(f"{what} must be a list, not {shown(value)}")
    if not set(map(type, value)) <= {list} or not set(map(len, value)) <= {2}:
        raise CertificateError(f"{what} must be a list of pairs")
    return integers(list(chain.from_iterable(value)), what, 0, below - 1).reshape(-1, 2)


HEADER = {"eligo": "certificate", "version": 1}
"""What every certificate begins with."""

_DEEPEST = 150
_MOST = 2**63


def check_header(value: object) -> dict[str, Any]:
    """Return a value that says it is a certificate of a version known here.

    Examples
    --------
    >>> check_header({"eligo": "certificate", "version": 1, "claim": "profile"})["claim"]
    'profile'
    """
    if type(value) is not dict or value.get("eligo") != HEADER["eligo"]:
        raise CertificateError("this is no certificate", hint='it must be a mapping with "eligo": "certificate"')
    version = value.get("version")
    if type(version) is not int or version != HEADER["version"]:
        raise CertificateError(
            f"certificates of version {shown(version)} are unknown here", hint="this program knows version 1"
        )
    return value


def check_keys(value: dict[str, Any], required: Sequence[str], optional: Sequence[str] = ()) -> None:
    """Refuse a certificate without a key that it needs, or with one that nobody knows.

    Examples
    --------
    >>> check_keys({"eligo": "certificate", "version": 1}, ["claim"])
    Traceback (most recent call last):
        ...
    eligo.errors.CertificateError: the certificate has no 'claim'
    """
    for name in required:
        if name not in value:
            raise CertificateError(f"the certificate has no {name!r}")
    for name in value:
        if name not in (*HEADER, *required, *optional):
            raise CertificateError(f"the certificate has an unknown key {shown(name)}")


def all_of(kind: type, values: Iterable[Any], otherwise: str) -> None:
    """Refuse values of any other type; ``True`` is not an int here.

    Examples
    --------
    >>> all_of(str, ["a", 1], "names must be text")
    Traceback (most recent call last):
        ...
    eligo.errors.CertificateError: names must be text
    """
    if not set(map(type, values)) <= {kind}:
        raise CertificateError(otherwise)


def check_numbers(values: Sequence[Any], otherwise: str) -> None:
    """Refuse what is not whole numbers of 64 bits.

    Examples
    --------
    >>> check_numbers([2**63], "sizes must be whole numbers")
    Traceback (most recent call last):
        ...
    eligo.errors.CertificateError: a number does not fit 64 bits
    """
    all_of(int, values, otherwise)
    if values and not -_MOST < min(values) <= max(values) < _MOST:
        raise CertificateError("a number does not fit 64 bits")


def plain(value: Any, depth: int = 0) -> Any:
    """Copy a value into what JSON has: mappings, lists, text, true, false, null, and whole numbers of 64 bits.

    Examples
    --------
    >>> plain({"jobs": np.arange(2), "pair": (1, True)})
    {'jobs': [0, 1], 'pair': [1, True]}
    """
    if depth > _DEEPEST:
        raise CertificateError("the witness is nested too deeply")
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if type(value) in (list, tuple):
        if set(map(type, value)) <= {int}:  # most of a large witness
            check_numbers(value, "")
            return list(value)
        return [plain(one, depth + 1) for one in value]
    if type(value) is dict:
        all_of(str, value, "keys of the witness must be text")
        return {key: plain(one, depth + 1) for key, one in value.items()}
    if isinstance(value, (np.integer, np.bool_)):
        value = value.item()
    if type(value) is int:
        check_numbers([value], "")
    if value is None or type(value) in (str, int, bool):
        return value
    raise CertificateError(f"a witness has no place for {shown(value)}")


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
