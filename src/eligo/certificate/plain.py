"""What all certificates have in common as values: the header, the keys, and nothing that JSON has no place for."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from eligo.certificate.reading import shown
from eligo.errors import CertificateError

__all__ = ["HEADER", "all_of", "check_header", "check_keys", "check_numbers", "plain"]

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
