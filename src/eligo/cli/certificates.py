"""Certificates that commands write: never over anything else, and never silently not."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from eligo.cli.messages import say
from eligo.cli.progress import working
from eligo.errors import EligoError, InfeasibleError

if TYPE_CHECKING:
    from eligo.certificate import Certificate, MemoryCertificate
    from eligo.priority.prioritizing import Prioritized

__all__ = ["bound_path", "check_target", "write_certificate", "write_certificates"]


def check_target(path: str, file: str) -> None:
    """Refuse to write a certificate over anything but a certificate, before any work is done."""
    from eligo.certificate import load

    if path == "-":
        raise EligoError("a certificate is written to a file", hint="give a name, such as --certificate proof.json")
    target = Path(path)
    if not target.exists():
        return
    hint = "choose another name for the certificate, or remove that file"
    if file != "-" and Path(file).exists() and target.samefile(file):
        raise EligoError(f"{path} is the workflow itself", hint=hint)
    try:
        load(path)
    except EligoError:
        raise EligoError(f"{path} exists and is no certificate", hint=hint) from None


def write_certificate(
    certificate: Certificate | MemoryCertificate | None, path: str, *, proved: str = "", reason: str = ""
) -> int:
    """Write a certificate and say what it proves, or for what reason there is none; return the exit status."""
    if certificate is None:
        say(f"{path}: not written, since nothing is proved: {reason}")
        return 1
    certificate.save(path)
    say(f"{path}: certificate of {proved or certificate.claim}")
    return 0


def bound_path(path: str) -> str:
    """Return where the proof of the bound goes, beside the proof of a claim.

    Examples
    --------
    >>> bound_path("d.x/proof.json"), bound_path("proof.json.gz"), bound_path("d.x/proof")
    ('d.x/proof.bound.json', 'proof.bound.json.gz', 'd.x/proof.bound')
    """
    packed = ".gz" if path.endswith(".gz") else ""
    plain = Path(path.removesuffix(".gz"))
    return f"{plain.with_name(f'{plain.stem}.bound{plain.suffix}')}{packed}"


def write_certificates(found: Prioritized, path: str) -> int:
    """Write what proves the claim about an order and, where that is not the best possible, the bound."""
    bound = f"the bound: no order has an AREA above {found.area_bound:,}"
    if found.claim == "none-exists":
        no_order = "no-ic-optimal: no order is the best at every step"
        return max(
            _write_made(lambda: found.certificate, path, no_order),
            _write_made(lambda: found.bound_certificate, bound_path(path), bound),
        )
    return _write_made(lambda: found.certificate, path, "ic-optimal" if found.claim == "ic-optimal" else bound)


def _write_made(make: Callable[[], Certificate | None], path: str, proved: str) -> int:
    try:
        with working("writing the certificate"):
            certificate = make()
    except InfeasibleError as error:
        say(f"{path}: not written: {error}")
        return 1
    return write_certificate(certificate, path, proved=proved)
