"""Checking a certificate: that it is about this dag, that its numbers are right, that its witness proves its claim.

Nothing here is shared with the code that makes certificates, but the Dag itself: the order, its profile, its memory
cost and every bound are computed anew, plainly, with numpy.
"""

from __future__ import annotations

from collections import Counter

import numpy as np

from eligo.certificate.budget import Budget
from eligo.certificate.checker import Checker
from eligo.certificate.memory_noun import MemoryCertificate
from eligo.certificate.noun import Certificate
from eligo.certificate.piece import Piece
from eligo.certificate.placing import check_identity, placed
from eligo.certificate.reading import shown
from eligo.certificate.verdict import Verdict
from eligo.dag import Dag, Int64
from eligo.errors import CertificateError

__all__ = ["DEFAULT_BUDGET", "verify"]

DEFAULT_BUDGET = 10_000_000_000
"""Steps for what takes more than linear time: half a minute or so."""


def verify(certificate: Certificate | MemoryCertificate, dag: Dag, budget: int = DEFAULT_BUDGET) -> Verdict:
    """Check a certificate of any kind against a dag.

    Parameters
    ----------
    budget
        How many elementary steps may be spent on what takes more than linear time: enumerating ideals, tables, sums.

    Raises
    ------
    CertificateError
        It is about another dag or other data, a number in it is wrong, or its witness does not prove its claim.
    InfeasibleError
        The budget does not suffice; nothing is known then.

    Examples
    --------
    >>> from eligo.schedule import Schedule
    >>> dag = Dag.from_names([("a", "b"), ("a", "c"), ("x", "y")])
    >>> good, bad = Schedule.of(dag, [0, 3, 1, 2, 4]), Schedule.of(dag, [3, 0, 1, 2, 4])
    >>> for check in verify(Certificate.of(good, "ic-optimal", {"by": "concave"}), dag).checks:
    ...     print(check)
    the workflow is the one certified: 5 jobs, 3 edges, same digest
    the order can be executed; its profile, AREA 11 and memory cost 2 are as stated
    the order is the best at every step, by concave
    >>> verify(Certificate.of(bad, "ic-optimal", {"by": "concave"}), dag)
    Traceback (most recent call last):
        ...
    eligo.errors.CertificateError: not concave: non-sink 1 of the order makes 1 jobs ELIGIBLE, the next one 2
    """
    if isinstance(certificate, MemoryCertificate):
        from eligo.certificate.memory_verification import verify_memory

        return verify_memory(certificate, dag, Budget(budget))
    check_identity(certificate, dag)
    _, tails, heads = placed(certificate, dag)
    piece = Piece.of(dag.n, tails, heads)
    _check_numbers(certificate, piece)
    checks = [
        f"the workflow is the one certified: {dag.n:,} jobs, {dag.m:,} edges, same digest",
        f"the order can be executed; its profile, AREA {certificate.area:,} and memory cost "
        f"{certificate.memory_cost:,} are as stated",
    ]
    checker = Checker(Budget(budget))
    if certificate.claim == "ic-optimal":
        _check_best(piece, checker.optimum(piece, certificate.witness))
        checks.append(f"the order is the best at every step, by {_methods(checker.used, certificate)}")
    elif certificate.claim == "no-ic-optimal":
        checks.append(f"no order is the best at every step, by {checker.impossible(piece, certificate.witness)}")
    elif certificate.claim == "bound":
        _check_bound(certificate, piece, checker.bound(piece, certificate.witness))
        methods = _methods(checker.used, certificate)
        checks.append(f"no order has an AREA above {certificate.area_bound:,}, by {methods}")
    elif certificate.witness is not None:
        raise CertificateError("a profile is claimed, which needs no witness, but there is one")
    return Verdict(certificate.claim, tuple(checks), certificate.assumptions)


def _check_numbers(certificate: Certificate, piece: Piece) -> None:
    profile = piece.profile.tolist()
    if list(certificate.profile) != profile:
        if len(certificate.profile) != len(profile):
            raise CertificateError(f"the profile has {len(certificate.profile):,} entries, not {len(profile):,}")
        step = next(t for t, true in enumerate(profile) if certificate.profile[t] != true)
        stated = shown(certificate.profile[step])
        raise CertificateError(f"the profile is wrong: E({step}) is stated as {stated}, and is {profile[step]}")
    for what, claimed, true in (
        ("AREA", certificate.area, sum(profile)),
        ("memory cost", certificate.memory_cost, piece.memory_cost),
    ):
        if claimed != true:
            raise CertificateError(f"the {what} is stated as {shown(claimed)}, and is {true}")


def _check_best(piece: Piece, best: Int64) -> None:
    """An order may attain the bound on e and yet execute a sink when a non-sink would have been better."""
    own, most = piece.profile, piece.limit(best)
    if np.any(differ := own != most):
        step = int(np.argmax(differ))
        raise CertificateError(f"after {step} jobs the order has {own[step]} ELIGIBLE jobs, where {most[step]} can be")


def _check_bound(certificate: Certificate, piece: Piece, bound: Int64) -> None:
    stated, proved = certificate.area_bound, int(piece.limit(bound).sum())
    if stated is None or stated < proved:
        raise CertificateError(f"an AREA of at most {shown(stated)} is claimed, the witness shows {proved:,}")


def _methods(used: Counter[str], certificate: Certificate) -> str:
    """Say which methods were used and how often."""
    whole = (certificate.witness or {})["by"]
    inside = Counter(used)
    inside[whole] -= 1
    parts = ", ".join(f"{count:,} x {by}" for by, count in sorted((+inside).items()))
    return f"{whole} of different parts: {parts}" if parts else whole
