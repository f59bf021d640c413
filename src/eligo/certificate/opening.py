"""Certificates of any kind from files: which noun it is depends on the claim."""

from __future__ import annotations

import os

from eligo.certificate.memory_noun import MemoryCertificate
from eligo.certificate.noun import Certificate
from eligo.certificate.plain import check_header
from eligo.certificate.storage import load_json
from eligo.errors import CertificateError, ParseError

__all__ = ["from_json", "load"]


def from_json(value: object) -> Certificate | MemoryCertificate:
    """Make a certificate of any kind from plain values, of which nothing is known.

    Examples
    --------
    >>> from_json({"eligo": "certificate", "version": 1, "claim": "memory"})
    Traceback (most recent call last):
        ...
    eligo.errors.CertificateError: the certificate has no 'digest'
    """
    claim = check_header(value).get("claim")
    return MemoryCertificate.from_json(value) if claim == MemoryCertificate.claim else Certificate.from_json(value)


def load(path: str | os.PathLike[str]) -> Certificate | MemoryCertificate:
    """Read a certificate of any kind, packed with gzip or not, which may come from anyone.

    Raises
    ------
    ParseError
        ``file: what is wrong``.

    Examples
    --------
    >>> load("missing.cert")
    Traceback (most recent call last):
        ...
    eligo.errors.ParseError: missing.cert: no such file
    hint: check the name; paths are relative to the current directory
    """
    name = os.fspath(path)
    try:
        return from_json(load_json(name))
    except CertificateError as error:
        raise ParseError(name, None, error.text, hint=error.hint) from None
