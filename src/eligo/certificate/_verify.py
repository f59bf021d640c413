"""Checking a certificate: that it is about this dag, that its numbers are right, that its witness proves its claim.

Nothing here is shared with the code that makes certificates, but the Dag itself: the order, its profile, its memory
cost and every bound are computed anew, plainly, with numpy.

Checking what is said of memory: that it is about this dag and its data, and that every number is right.

Four numbers, each with a reason of its own. The worst peak: a flow (``memory_events.py``). That so much can really be
occupied: a state that an execution reaches, in which all that is there is added up. The peak of the order: all that is
there at each step of it. The lower bound: ``memory_least.py``. What occupies memory is built anew from the dag and the
rules (``occupancy.py``).

A state is reachable if and only if every job that has ended has started, and all parents of every job that has started
have ended: execute those that have ended in the order of the certificate, then start the others.

What a check came to, when it did not fail.

Certificates of any kind from files: which noun it is depends on the claim.
"""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from eligo.certificate._certificate import Certificate
from eligo.certificate._checker import Checker
from eligo.certificate._identity import check_identity, placed
from eligo.certificate._memory_certificate import MemoryCertificate, numbered
from eligo.certificate._methods.check_memory import Ancestors, Events, least
from eligo.certificate._methods.occupancy import Occupancy, assumed_sizes
from eligo.certificate._schema import check_header, distinct, fields, load_json, shown
from eligo.certificate._subdag import Budget, Piece
from eligo.dag import Dag, Int64
from eligo.errors import CertificateError, ParseError

__all__ = [
    "DEFAULT_BUDGET",
    "Verdict",
    "from_json",
    "load",
    "verify",
    "verify_memory",
]

_MEANING = {
    "ic-optimal": "no execution has more ELIGIBLE jobs than this order, at any step",
    "no-ic-optimal": "no order has the most ELIGIBLE jobs possible at every step",
    "bound": "no order has an AREA above the bound stated",
    "memory": "no execution occupies more than the worst peak stated, and none has a smaller peak than the lower bound",
    "profile": "the numbers are those of the order",
}


@dataclass(frozen=True, slots=True)
class Verdict:
    """A claim that was found true.

    Attributes
    ----------
    claim
        What was claimed.
    checks
        What was checked, in words, one sentence each.
    assumptions
        What the certificate takes for granted.
    """

    claim: str
    checks: tuple[str, ...]
    assumptions: tuple[str, ...] = ()

    @property
    def summary(self) -> str:
        """The claim and what it means, in one line."""
        return f"{self.claim}: {_MEANING[self.claim]}"


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


def verify_memory(certificate: MemoryCertificate, dag: Dag, budget: Budget) -> Verdict:
    """Check a memory certificate against a dag; ``verification.verify`` tells how it fails."""
    check_identity(certificate, dag)
    place, tails, heads = placed(certificate, dag)
    found = _counted(certificate, dag, place)
    names = ("worst", "attained", "last_reader", "least")
    worst, attained, last_reader, lower = fields(certificate.witness, "the witness", *names)
    events = Events(found, Ancestors(dag.n, tails, heads, budget), last_reader)
    _check_most(certificate.worst_peak, events.most(worst))
    _check_equal("what is occupied in the state", certificate.attained_peak, _attained(found, tails, heads, attained))
    _check_equal("the peak of the order", certificate.sequential_peak, sequential_peak(found))
    reason = _check_least(certificate.lower_bound, *least(events, tails, heads, lower))
    # What had to be assumed is found here too, so that it cannot be left out; the certificate may name more.
    assumed = dict.fromkeys([*assumed_sizes(dag, certificate.rules), *certificate.assumptions])
    return Verdict(certificate.claim, _checks(certificate, found, reason), tuple(assumed))


def _counted(certificate: MemoryCertificate, dag: Dag, place: Int64) -> Occupancy:
    """Return what counts by the certificate's rules, with the places of its order for jobs."""
    found, _ = numbered(dag, certificate.rules)
    if certificate.data_digest != (true := found.digest()):
        raise CertificateError(
            "the certificate is about other data: "
            f"their digest is {shown(certificate.data_digest)}, where this workflow has {true}",
            hint="has a size, a file or a reader changed since, or was a table of sizes (--job-data) given?",
        )
    by_name = np.array(sorted(range(dag.n), key=dag.names.__getitem__), np.int64)
    return found.renumbered(place[by_name])


def _check_most(stated: int, shown_by_flow: int) -> None:
    if stated < shown_by_flow:
        raise CertificateError(f"a worst peak of {stated:,} is claimed, the flow shows {shown_by_flow:,}")


def _check_least(stated: int, shown_by_witness: int, reason: str) -> str:
    if stated > shown_by_witness:
        raise CertificateError(f"a lower bound of {stated:,} is claimed, the witness shows {shown_by_witness:,}")
    return reason


def _check_equal(what: str, stated: int, true: int) -> None:
    if stated != true:
        raise CertificateError(f"{what} is stated as {stated:,}, and is {true:,}")


def _attained(found: Occupancy, tails: Int64, heads: Int64, witness: object) -> int:
    """Return what is occupied in the state of a witness, which an execution must be able to reach."""
    started_places, ended_places = fields(witness, "the witness of the attained peak", "started", ended=None)
    started = _marked(started_places, "started", found.n)
    ended = started if found.one_event and ended_places is None else _marked(ended_places, "ended", found.n)
    if found.one_event and np.any(started != ended):
        raise CertificateError("in the simple model a job that has started has ended")
    if np.any(early := ended & ~started):
        raise CertificateError(f"job {int(np.argmax(early))} has ended, but not started")
    if np.any(early := started[heads] & ~ended[tails]):
        arc = int(np.argmax(early))
        raise CertificateError(f"job {heads[arc]} has started, but job {tails[arc]}, which it waits for, has not ended")
    return _occupied(found, started, ended)


def _marked(value: object, what: str, n: int) -> NDArray[np.bool_]:
    marks = np.zeros(n, np.bool_)
    marks[distinct(value, what, n)] = True
    return marks


def _occupied(found: Occupancy, started: NDArray[np.bool_], ended: NDArray[np.bool_]) -> int:
    """Return what is occupied in a state: data that exist and are not yet read by all, and what runs."""
    made = found.outside.copy()
    made[~made] = started[found.producer[~made]]
    waiting = np.bincount(found.owner[~ended[found.readers]], minlength=found.k)
    there = made & ((waiting > 0) | (found.reader_counts == 0))
    return int(found.size[there].sum()) + int(found.running[started & ~ended].sum())


def sequential_peak(found: Occupancy) -> int:
    """Return what is occupied at most when the jobs are executed one by one, by their numbers.

    Examples
    --------
    >>> from eligo.certificate._methods.occupancy import occupancy
    >>> rules = {"model": "pebble", "resource": "memory", "unread": "stay", "inputs": "ignore"}
    >>> sequential_peak(occupancy(Dag.from_edges(3, [0, 1], [1, 2]), rules))
    2
    """
    read = found.reader_counts > 0
    last = found.readers[found.reader_ptr[1:][read] - 1]  # readers ascend
    change = np.zeros(found.n + 1, np.int64)
    np.add.at(change, np.maximum(found.producer, 0), found.size)
    np.subtract.at(change, last if found.one_event else last + 1, found.size[read])
    there = np.cumsum(change)[: found.n] + found.running
    return max(found.base, int(there.max(initial=0)))


def _checks(certificate: MemoryCertificate, found: Occupancy, reason: str) -> tuple[str, ...]:
    rules = certificate.rules
    unit = "pebbles" if rules["model"] == "pebble" else "bytes"
    exact = ": the worst peak is exact" if certificate.exact else ""
    return (
        f"the workflow is the one certified: {certificate.jobs:,} jobs, {certificate.edges:,} edges, same digest",
        f"what occupies {rules['resource']} is what was certified: {found.k:,} data, same digest "
        f"(model {rules['model']}, unread outputs {rules['unread']}, inputs {rules['inputs']})",
        f"no execution occupies more than {certificate.worst_peak:,} {unit}, by a flow",
        f"an execution occupies {certificate.attained_peak:,} {unit}{exact}",
        f"the order can be executed, and one job at a time occupies {certificate.sequential_peak:,} {unit} at most",
        f"every execution occupies {certificate.lower_bound:,} {unit} at some time, by {reason}",
    )


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
