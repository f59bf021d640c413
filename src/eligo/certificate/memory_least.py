"""What every execution occupies at some time, at least.

Every execution begins with what is there from outside and ends with what nobody reads: nothing need be shown for these.

**By need.** While a job runs, its inputs, its running space and its outputs are there: its readers come later. In the
simple model its inputs are there just before it starts, its outputs just after.

**By flow.** Every execution passes a state in which job v has started and not ended (in the simple model: in which v
has been executed and nothing that depends on it). With events and their order as in ``memory_events.py``, the set I of
the events of such a state has all events before the start of v and this start, F; it has none of the end of v and what
comes after it; and among the rest, U, it may be any set that is closed within U: if it has x, it has every y in U that
x comes after. Amounts are sent between events of U, from x to y that x comes after, and with kept(x) = -b(x) +
received(x) - sent(x) nothing is sent out of I and U: -b(I and U) is at most the sum of all positive kept(x), x in U. So

    base + b(I)  >=  base + b(F) - (the sum of all positive kept(x), x in U).

F and what comes after the end of v are found by relations 1 to 3 of the order alone, by one search over arcs each. That
is sound: F is then perhaps smaller than it might be and U larger, and all that was used is that F is part of I and that
I has nothing outside F and U. It also loses nothing: relation 4 adds to F only freeings, events that come after nothing
but F, and these lower b(I) alike whether they are in F or free to be in I; and whatever comes after the end of v by way
of a freeing comes after the end of a reader too.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from eligo.certificate.memory_events import Events, Flow
from eligo.certificate.occupancy import Occupancy
from eligo.certificate.reading import fields, shown, whole
from eligo.dag import Int64
from eligo.errors import CertificateError

__all__ = ["least"]


def least(events: Events, tails: Int64, heads: Int64, witness: object) -> tuple[int, str]:
    """Return what every execution occupies at some time at least, and what shows it."""
    found = events.found
    plain = max(found.base, found.left)
    if witness is None:
        return plain, "what is there before the first job or after the last"
    by = witness.get("by") if isinstance(witness, dict) else None
    if by == "need":
        (_, job) = fields(witness, "the witness of the lower bound", "by", "job")
        place = whole(job, "job", 0, found.n - 1)
        return max(plain, _need(found, place)), f"what job {place} of the order needs"
    if by == "flow":
        names = ("by", "job", "senders", "receivers", "amounts")
        (_, job, *flow) = fields(witness, "the witness of the lower bound", *names)
        place = whole(job, "job", 0, found.n - 1)
        shown_by_flow = _around(events, tails, heads, place, Flow(events, *flow))
        return max(plain, shown_by_flow), f"a flow around job {place} of the order"
    raise CertificateError(f"unknown kind of lower bound {shown(by)}", hint="one of: need, flow; or null")


def _need(found: Occupancy, job: int) -> int:
    outputs = int(found.size[found.producer == job].sum())
    inputs = int(found.size[found.owner[found.readers == job]].sum())
    return max(inputs, outputs) if found.one_event else inputs + int(found.running[job]) + outputs


def _around(events: Events, tails: Int64, heads: Int64, job: int, flow: Flow) -> int:
    """Return what is occupied at least when a job has started and not ended."""
    forced, free = _forced_and_free(events, tails, heads, job)
    for who, these in (("sender", flow.senders), ("receiver", flow.receivers)):
        if not free[these].all():
            event = int(these[np.argmin(free[these])])
            raise CertificateError(
                f"event {event} is a {who}, but while job {job} runs it always or never has happened"
            )
    kept = flow.kept(-events.weights)
    most = sum(kept[event] for event in np.flatnonzero(free).tolist() if kept[event] > 0)
    always: int = sum(events.weights[forced].tolist())
    return events.found.base + always - most


def _forced_and_free(
    events: Events, tails: Int64, heads: Int64, job: int
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return which events have happened whenever the job runs, and which may have happened or not."""
    found, n = events.found, events.found.n
    before, behind = _reached(n, heads, tails, job), _reached(n, tails, heads, job)
    forced, never = np.zeros(events.count, np.bool_), np.zeros(events.count, np.bool_)
    forced[:n] = before
    never[:n] = behind
    forced[job], never[job] = True, False
    if not found.one_event:
        forced[n : 2 * n] = before
        never[n : 2 * n] = behind
        forced[n + job], never[n + job] = False, True
        never[2 * n + found.owner[never[n + found.readers]]] = True
    return forced, ~forced & ~never


def _reached(n: int, tails: Int64, heads: Int64, job: int) -> NDArray[np.bool_]:
    """Return which jobs can be reached from one, itself not among them."""
    ascending = np.argsort(tails, kind="stable")
    following = heads[ascending].tolist()
    ends = np.searchsorted(tails[ascending], np.arange(n + 1)).tolist()
    seen = bytearray(n)
    todo = [job]
    while todo:
        here = todo.pop()
        for other in following[ends[here] : ends[here + 1]]:
            if not seen[other]:
                seen[other] = 1
                todo.append(other)
    return np.frombuffer(seen, np.bool_)
