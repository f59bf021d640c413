"""Certificates that commands write: never over anything else, and never silently not."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from eligo.cli.messages import say
from eligo.errors import EligoError

if TYPE_CHECKING:
    from eligo.certificate import Certificate

__all__ = ["check_target", "write_certificate"]


def check_target(path: str, file: str) -> None:
    """Refuse to write a certificate over anything but a certificate, before any work is done."""
    from eligo.certificate import Certificate

    if path == "-":
        raise EligoError("a certificate is written to a file", hint="give a name, such as --certificate proof.json")
    target = Path(path)
    if not target.exists():
        return
    hint = "choose another name for the certificate, or remove that file"
    if file != "-" and Path(file).exists() and target.samefile(file):
        raise EligoError(f"{path} is the workflow itself", hint=hint)
    try:
        Certificate.load(path)
    except EligoError:
        raise EligoError(f"{path} exists and is no certificate", hint=hint) from None


def write_certificate(certificate: Certificate | None, path: str, *, proved: str = "", reason: str = "") -> int:
    """Write a certificate and say what it proves, or for what reason there is none; return the exit status."""
    if certificate is None:
        say(f"{path}: not written, since nothing is proved: {reason}")
        return 1
    certificate.save(path)
    say(f"{path}: certificate of {proved or certificate.claim}")
    return 0
