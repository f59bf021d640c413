"""The Certificate: a claim about a dag with a witness, and checkers that share no code with those who make claims.

>>> from eligo.certificate import verify
>>> from eligo.dag import Dag
>>> from eligo.schedule import Schedule
>>> fork = Dag.from_names([("a", "b"), ("a", "c")])
>>> certificate = Certificate.of(Schedule.of(fork, [0, 1, 2]), "ic-optimal", {"by": "concave"})
>>> print(verify(certificate, fork).summary)
ic-optimal: no execution has more ELIGIBLE jobs than this order, at any step

Each method of proof has a module of its own that says why its check proves the claim; docs/certificates.md tells it
all in one place. None of them trusts what it reads: every number in a witness is checked before it is used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from eligo.certificate._certificate import Certificate
from eligo.certificate._identity import digest

if TYPE_CHECKING:
    from eligo.certificate._memory_certificate import MemoryCertificate
    from eligo.certificate._verify import DEFAULT_BUDGET, Verdict, load, verify

__all__ = ["DEFAULT_BUDGET", "Certificate", "MemoryCertificate", "Verdict", "digest", "load", "verify"]

_HOME = {
    "DEFAULT_BUDGET": "_verify",
    "MemoryCertificate": "_memory_certificate",
    "Verdict": "_verify",
    "load": "_verify",
    "verify": "_verify",
}


def __getattr__(name: str) -> Any:
    """Load what is asked for when it is: whoever makes a certificate does not need the checkers."""
    if name not in _HOME:
        raise AttributeError(f"module 'eligo.certificate' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"eligo.certificate.{_HOME[name]}"), name)
