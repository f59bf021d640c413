"""All that is said of a workflow's memory: how much at worst, how little at best, and the certificate of both."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np

from eligo.certificate.memory_noun import MemoryCertificate
from eligo.dag import Int32
from eligo.errors import EligoError
from eligo.memory.ends import Ends
from eligo.memory.footprint import Footprint
from eligo.memory.lower_bound import LowerBound, lower_bound
from eligo.memory.sequential import Sequential, memory_along, sequential
from eligo.memory.worst_peak import WorstPeak, worst_peak

__all__ = ["Analysis", "analyse", "certify"]


@final
@dataclass(frozen=True, slots=True, eq=False)
class Analysis:
    """How much memory executions occupy: at worst, at best, and what none stays below.

    Attributes
    ----------
    worst
        What no execution exceeds.
    lowest
        The sequential order of the smallest peak that was found.
    least
        A peak that every execution reaches.
    """

    worst: WorstPeak
    lowest: Sequential
    least: LowerBound

    @property
    def certificate(self) -> MemoryCertificate:
        """The proof of all three, for anyone to check."""
        return certify(self.worst, self.lowest.order, self.lowest.peak, self.least)


def analyse(footprint: Footprint) -> Analysis:
    """Find the worst peak, an order of small peak, and a lower bound.

    Examples
    --------
    >>> from eligo.dag import Dag, Data
    >>> from eligo.memory.models import footprint
    >>> dag = Dag.from_names([("a", "b"), ("c", "d")])
    >>> found = analyse(footprint(dag.with_known(data=Data.per_edge(dag.tails, dag.heads, [5, 7]))))
    >>> found.worst.bound, found.lowest.peak, found.least.value
    (12, 7, 7)
    """
    worst = worst_peak(footprint)
    lowest = sequential(footprint)
    return Analysis(worst, lowest, lower_bound(footprint, worst.ends, _at_peak(footprint, lowest)))


def _at_peak(footprint: Footprint, lowest: Sequential) -> list[int]:
    """Return the job that runs when the order's peak is reached."""
    if footprint.dag.n == 0:
        return []
    step = int(np.argmax(memory_along(footprint, lowest.order)))
    return [int(lowest.order[min(max(step - 1, 0) // 2, footprint.dag.n - 1)])]


def certify(worst: WorstPeak, order: Int32, peak: int, least: LowerBound) -> MemoryCertificate:
    """Return the certificate of a worst peak, of an order's peak and of a lower bound.

    Raises
    ------
    EligoError
        The dag has dependencies that a limit added, and the model is the pebble game: there every dependency stands for
        a reader, so a checker could not tell the added ones.
    """
    print_ = worst.footprint
    if print_.rules.model == "pebble" and print_.k and len(print_.readers) != print_.dag.m:
        raise EligoError(
            "there is no certificate of a limit in the pebble game",
            hint="a checker would take the added dependencies for readers; use another model",
        )
    place = np.empty(print_.dag.n, np.int64)
    place[order] = np.arange(print_.dag.n)
    witness: dict[str, Any] = {
        "worst": _flow(worst.senders, worst.receivers, worst.amounts, place, print_),
        "attained": _attained(worst, place),
        "last_reader": _last_readers(worst.ends, place),
        "least": _least(least, place, print_),
    }
    rules = print_.rules
    return MemoryCertificate.of(
        print_.dag,
        {"model": rules.model, "resource": rules.resource, "unread": rules.unread, "inputs": rules.inputs},
        order,
        worst_peak=worst.bound,
        attained_peak=worst.attained,
        sequential_peak=peak,
        lower_bound=least.value,
        witness=witness,
        assumptions=print_.assumptions,
    )


def _events(events: Int32, place: np.ndarray, footprint: Footprint) -> list[int]:
    """Return events with jobs named by their places: starts, ends and freeings keep their ranges."""
    n = footprint.dag.n
    number = np.concatenate([place, place + n, 2 * n + np.arange(footprint.k)])
    placed: list[int] = number[events].tolist()
    return placed


def _flow(senders: Int32, receivers: Int32, amounts: Any, place: np.ndarray, footprint: Footprint) -> dict[str, Any]:
    return {
        "by": "flow",
        "senders": _events(senders, place, footprint),
        "receivers": _events(receivers, place, footprint),
        "amounts": amounts.tolist(),
    }


def _attained(worst: WorstPeak, place: np.ndarray) -> dict[str, Any]:
    state = {"started": np.sort(place[worst.started]).tolist(), "ended": np.sort(place[worst.ended]).tolist()}
    if worst.footprint.rules.one_event:
        del state["ended"]
    return state


def _last_readers(ends: Ends, place: np.ndarray) -> list[list[int]]:
    data = np.flatnonzero(ends.last >= 0)
    return [[datum, at] for datum, at in zip(data.tolist(), place[ends.last[data]].tolist(), strict=True)]


def _least(least: LowerBound, place: np.ndarray, footprint: Footprint) -> dict[str, Any] | None:
    if least.job is None:
        return None
    job = {"job": int(place[least.job])}
    if least.senders is None or least.receivers is None:
        return {"by": "need", **job}
    return {**_flow(least.senders, least.receivers, least.amounts, place, footprint), **job}
