"""Checking what is said of memory: that it is about this dag and its data, and that every number is right.

Four numbers, each with a reason of its own. The worst peak: a flow (``memory_events.py``). That so much can really be
occupied: a state that an execution reaches, in which all that is there is added up. The peak of the order: all that is
there at each step of it. The lower bound: ``memory_least.py``. What occupies memory is built anew from the dag and the
rules (``occupancy.py``).

A state is reachable if and only if every job that has ended has started, and all parents of every job that has started
have ended: execute those that have ended in the order of the certificate, then start the others.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from eligo.certificate.ancestors import Ancestors
from eligo.certificate.budget import Budget
from eligo.certificate.memory_events import Events
from eligo.certificate.memory_least import least
from eligo.certificate.memory_noun import MemoryCertificate, numbered
from eligo.certificate.occupancy import Occupancy, assumed_sizes
from eligo.certificate.placing import check_identity, placed
from eligo.certificate.reading import distinct, fields, shown
from eligo.certificate.verdict import Verdict
from eligo.dag import Dag, Int64
from eligo.errors import CertificateError

__all__ = ["verify_memory"]


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
    >>> from eligo.certificate.occupancy import occupancy
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
