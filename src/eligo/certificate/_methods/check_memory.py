"""Events and flows: why no execution occupies more than a flow allows.

**States.** What an execution occupies at a moment depends on which jobs have started and which have ended. Take these
as *events*, numbered by the job's place p in the order of the certificate, of n jobs:

* start p is event p, and weighs the outputs and the running space of the job: so much is allocated;
* end p is event n + p, and weighs minus its running space, and minus the size of each datum that *it* frees;
* a datum d that several jobs read may be freed by an event of its own, 2n + d, which weighs minus its size.

A datum with one reader is freed by that reader's end. One with several is freed by its own event, or by the end of a
*last reader* that the witness names, of which all its other readers must be ancestors. One without readers is never
freed. In the *simple* model a job is one event, p, which weighs its outputs minus its inputs.

A state is then the set I of the events that have happened, the freeing of a datum having happened once all its readers
have ended; with a last reader that is when that one has ended, since it starts only after its ancestors have. The
memory occupied is base + b(I), where b is the sum of the weights and the base is what comes from outside. This is no
estimate.

**Order.** Event x comes *after* y if no such set has x without y:

1. end p after start p;
2. the start of a job after the ends of its parents (simple: a job after its parents);
3. the freeing of d after the ends of all its readers;
4. the start of a job v after the freeing of d, if *all* readers of d are ancestors of v: they have ended before v
   starts.

**Flow.** Amounts are sent from events to events that they come after. Let kept(x) = b(x) + received(x) - sent(x). In a
state I each sender's receiver is in I too, so nothing is sent out of I, and what I receives from outside only adds:
b(I) <= kept(I) <= the sum of all kept(x) that are positive. So base + that sum bounds every state of every execution.
With a largest flow it is the maximum of b over all sets closed under the order (a cut as large as the flow), which is
the worst peak itself where no datum has an event of its own. With such events it may be more: a closed set may have the
ends of all readers of a datum and not its freeing, and no state is like that.

Any flow proves its bound; it need not be a largest one, nor do senders need to have what they send.

Cost: O(n + m + data + flow log), but for 4 and last readers that no arc joins, which ``ancestors.py`` looks for. Whole
numbers of any size: where 64 bits might not hold a sum, Python's integers add up.

Who comes before whom: pairs of jobs of which the first must be an ancestor of the second.

Pairs that an arc joins are settled by looking for the arc. For the others bits are swept forward along the order: each
of some hundreds of first jobs has a bit, and every job gets the bits of its parents and their own. A sweep goes from
the first job asked about to the last; its steps are taken off the budget beforehand.

What every execution occupies at some time, at least.

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

from typing import final

import numpy as np
from numpy.typing import NDArray

from eligo.certificate._methods.occupancy import Occupancy
from eligo.certificate._schema import fields, integers, pairs, shown, whole
from eligo.certificate._subdag import Budget
from eligo.dag import Int64
from eligo.errors import CertificateError

__all__ = [
    "Ancestors",
    "Events",
    "Flow",
    "least",
]

_BITS_AT_ONCE = 2**28  # of all jobs together in one sweep
_PAIR_STEPS = 1000  # a pair that is left for a sweep: its memory, and looking it up
_JOB_STEPS = 50
_CHUNK = 2**22


@final
class Ancestors:
    """The arcs of a dag whose jobs are places in an order.

    Examples
    --------
    >>> chain = Ancestors(4, np.array([0, 1]), np.array([1, 2]), Budget(10**6))
    >>> chain.unrelated(np.array([0, 0]), np.array([1, 2]))
    >>> chain.unrelated(np.array([0, 0, 1]), np.array([1, 3, 2]))
    (0, 3)
    """

    def __init__(self, n: int, tails: Int64, heads: Int64, budget: Budget) -> None:
        self._n, self._tails, self._heads, self._budget = n, tails, heads, budget
        self._arcs = np.sort(tails * n + heads)

    def joined(self, tails: Int64, heads: Int64) -> NDArray[np.bool_]:
        """Tell for each pair whether there is such an arc."""
        return is_among(tails * self._n + heads, self._arcs)

    def unrelated(self, before: Int64, after: Int64) -> tuple[int, int] | None:
        """Return a pair of which the first is no ancestor of the second, if there is any."""
        return self._swept([self._not_joined(before, after)])

    def unrelated_to_all(self, sets: Int64, members_ptr: Int64, members: Int64, after: Int64) -> tuple[int, int] | None:
        """Return a member of ``sets[i]`` and ``after[i]`` that are unrelated, for any i, if there are any.

        Set s has the members ``members[members_ptr[s]:members_ptr[s + 1]]``.
        """
        counts = members_ptr[sets + 1] - members_ptr[sets]
        total = np.concatenate(([0], np.cumsum(counts)))
        left: list[Int64] = []
        low = 0
        while low < len(sets):
            high = max(low + 1, int(np.searchsorted(total, total[low] + _CHUNK, "right")) - 1)
            self._budget.spend(8 * int(total[high] - total[low]), "looking at the readers of shared data")
            starts = np.repeat(members_ptr[sets[low:high]] - total[low:high], counts[low:high])
            before = members[np.arange(total[low], total[high]) + starts]
            left.append(self._not_joined(before, np.repeat(after[low:high], counts[low:high])))
            low = high
        return self._swept(left)

    def _not_joined(self, before: Int64, after: Int64) -> Int64:
        """Return the pairs without an arc, each once, as rows."""
        key = np.unique((before * self._n + after)[~self.joined(before, after)])
        self._budget.spend(len(key) * _PAIR_STEPS, "looking for ancestors")
        return np.stack(np.divmod(key, max(self._n, 1)), axis=1)

    def _swept(self, chunks: list[Int64]) -> tuple[int, int] | None:
        pairs = np.unique(np.concatenate([np.empty((0, 2), np.int64), *chunks]), axis=0)
        if np.any(wrong := pairs[:, 0] >= pairs[:, 1]):  # every arc leads forward
            before, after = pairs[int(np.argmax(wrong))].tolist()
            return before, after
        at_once = min(max(_BITS_AT_ONCE // max(self._n, 1), 64), 4096)
        firsts, which = np.unique(pairs[:, 0], return_inverse=True)
        for low in range(0, len(firsts), at_once):
            mine = (which >= low) & (which < low + at_once)
            found = self._sweep(firsts[low : low + at_once], pairs[mine])
            if found is not None:
                return found
        return None

    def _sweep(self, firsts: Int64, pairs: Int64) -> tuple[int, int] | None:
        start, stop = int(firsts[0]), int(pairs[:, 1].max()) + 1
        inside = np.flatnonzero((self._tails >= start) & (self._heads < stop))
        self._budget.spend((stop - start + len(inside)) * (_JOB_STEPS + len(firsts) // 32), "sweeping for ancestors")
        bit = {job: 1 << number for number, job in enumerate(firsts.tolist())}
        needed: dict[int, int] = {}
        for before, after in pairs.tolist():
            needed[after] = needed.get(after, 0) | bit[before]
        inside = inside[np.argsort(self._heads[inside], kind="stable")]
        parents = (self._tails[inside] - start).tolist()
        ends = np.searchsorted(self._heads[inside], np.arange(start, stop + 1)).tolist()
        masks: list[int] = []
        for job in range(start, stop):
            mask = 0
            for parent in parents[ends[job - start] : ends[job - start + 1]]:
                mask |= masks[parent]
            if missing := needed.get(job, 0) & ~mask:
                return int(firsts[missing.bit_length() - 1]), job
            masks.append(mask | bit.get(job, 0))
        return None


def is_among(values: Int64, ascending: Int64) -> NDArray[np.bool_]:
    """Tell which values are among others that ascend.

    Examples
    --------
    >>> is_among(np.array([5, 1, 9]), np.array([1, 5]))
    array([ True,  True, False])
    """
    at = np.searchsorted(ascending, values)
    found: NDArray[np.bool_] = np.append(ascending, -1)[at] == values
    return found


_MOST_AMOUNT = 2**62
_MOST_IN_ALL = 2**61  # with weights below 2^62 no sum of 64 bits overflows
_OWN, _NEVER = -1, -2


@final
class Flow:
    """Amounts from events to events that they come after, as a witness states them.

    Attributes
    ----------
    senders, receivers, amounts
        One entry for each amount.
    """

    def __init__(self, events: Events, senders: object, receivers: object, amounts: object) -> None:
        self.senders = integers(senders, "senders", 0, events.count - 1)
        self.receivers = integers(receivers, "receivers", 0, events.count - 1)
        self.amounts = integers(amounts, "amounts", 1, _MOST_AMOUNT)
        if not len(self.senders) == len(self.receivers) == len(self.amounts):
            raise CertificateError("there are not as many senders as receivers and amounts")
        events.check_after(self.senders, self.receivers)

    def kept(self, weights: Int64) -> list[int]:
        """Return what each event keeps: its weight and what it receives, without what it sends."""
        if sum(self.amounts.tolist()) < _MOST_IN_ALL:
            kept = weights.copy()
            np.add.at(kept, self.receivers, self.amounts)
            np.subtract.at(kept, self.senders, self.amounts)
            return kept.tolist()  # type: ignore[no-any-return]
        exact: list[int] = weights.tolist()
        rows = zip(self.senders.tolist(), self.receivers.tolist(), self.amounts.tolist(), strict=True)
        for sender, receiver, amount in rows:
            exact[sender] -= amount
            exact[receiver] += amount
        return exact


@final
class Events:
    """The events of a dag's jobs and data, with their weights and their order.

    Attributes
    ----------
    found
        What the jobs occupy; jobs are places.
    count
        How many events there are.
    weights
        What each allocates, less what it frees.
    own
        Which data are freed by an event of their own.
    """

    def __init__(self, found: Occupancy, ancestors: Ancestors, last_reader: object) -> None:
        self.found = found
        self._ancestors = ancestors
        freed_by = self._freed_by(last_reader)
        self.own = freed_by == _OWN
        n, k = found.n, found.k
        self.count = n if found.one_event else 2 * n + k
        self.weights = np.zeros(self.count, np.int64)
        made, freed = ~found.outside, freed_by >= 0
        ends = 0 if found.one_event else n
        np.add.at(self.weights, found.producer[made], found.size[made])
        np.subtract.at(self.weights, ends + freed_by[freed], found.size[freed])
        if not found.one_event:
            self.weights[:n] += found.running
            self.weights[n : 2 * n] -= found.running
            self.weights[2 * n :][self.own] -= found.size[self.own]

    def most(self, witness: object) -> int:
        """Return what no execution exceeds, by the flow of a witness."""
        (by, *flow) = fields(witness, "the witness of the worst peak", "by", "senders", "receivers", "amounts")
        if by != "flow":
            raise CertificateError("the worst peak is shown by a flow and by nothing else")
        return self.found.base + sum(one for one in Flow(self, *flow).kept(self.weights) if one > 0)

    def check_after(self, senders: Int64, receivers: Int64) -> None:
        """Refuse any pair of which the first event does not come after the second, by one of the four relations."""
        if self.found.one_event:
            self._need(self._ancestors.joined(receivers, senders), senders, receivers)
            return
        n = self.found.n
        at_start, at_end, frees = senders < n, (senders >= n) & (senders < 2 * n), senders >= 2 * n
        to_end, to_freeing = (receivers >= n) & (receivers < 2 * n), receivers >= 2 * n
        right = at_end & (receivers == senders - n)
        parents = np.flatnonzero(at_start & to_end)
        right[parents] = self._ancestors.joined(receivers[parents] - n, senders[parents])
        reading = np.flatnonzero(frees & to_end)
        right[reading] = self._read_and_own(senders[reading] - 2 * n, receivers[reading] - n)
        implied = np.flatnonzero(at_start & to_freeing)
        right[implied] = self.own[receivers[implied] - 2 * n]
        self._need(right, senders, receivers)
        self._check_implied(receivers[implied] - 2 * n, senders[implied])

    def _need(self, right: NDArray[np.bool_], senders: Int64, receivers: Int64) -> None:
        if not right.all():
            wrong = int(np.argmin(right))
            raise CertificateError(
                f"event {senders[wrong]} sends to event {receivers[wrong]}, which need not have come before it"
            )

    def _read_and_own(self, data: Int64, readers: Int64) -> NDArray[np.bool_]:
        """Tell of which data the job is a reader, if they have an event of their own."""
        known = self.found.owner * self.found.n + self.found.readers  # ascends: data by number, readers in each
        found: NDArray[np.bool_] = is_among(data * self.found.n + readers, known) & self.own[data]
        return found

    def _check_implied(self, data: Int64, jobs: Int64) -> None:
        """All readers of each of the data must be ancestors of the job."""
        data, jobs = np.divmod(np.unique(data * max(self.found.n, 1) + jobs), max(self.found.n, 1))
        found = self._ancestors.unrelated_to_all(data, self.found.reader_ptr, self.found.readers, jobs)
        if found is not None:
            raise CertificateError(
                f"job {found[1]} sends to the freeing of a datum, but a reader of it, job {found[0]}, is no ancestor"
            )

    def _freed_by(self, value: object) -> Int64:
        """Return for each datum the job whose end frees it, or that it has an event of its own, or is never freed."""
        found = self.found
        counts = found.reader_counts
        freed_by = np.where(counts > 1, _OWN, _NEVER)
        freed_by[counts == 1] = found.readers[found.reader_ptr[:-1][counts == 1]]
        data, jobs = pairs(value, "last_reader", max(found.n, found.k, 1)).T
        if data.size == 0:
            return freed_by
        if data.max() >= found.k or jobs.max() >= found.n:
            raise CertificateError("last_reader names a datum or a job that does not exist")
        if np.bincount(data).max() > 1:
            raise CertificateError(f"last_reader names datum {int(np.argmax(np.bincount(data) > 1))} twice")
        known = found.owner * found.n + found.readers
        if np.any(wrong := ~is_among(data * found.n + jobs, known)):
            raise CertificateError(f"last_reader names a job for datum {data[np.argmax(wrong)]} that does not read it")
        freed_by[data] = jobs
        self._check_last(freed_by)
        return freed_by

    def _check_last(self, freed_by: Int64) -> None:
        """All other readers of a datum must be ancestors of its last one."""
        found = self.found
        last = freed_by[found.owner]
        others = (last >= 0) & (last != found.readers)
        unrelated = self._ancestors.unrelated(found.readers[others], last[others])
        if unrelated is not None:
            raise CertificateError(
                f"job {unrelated[1]} is not the last reader of a datum: "
                f"another reader of it, job {unrelated[0]}, is no ancestor"
            )


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
