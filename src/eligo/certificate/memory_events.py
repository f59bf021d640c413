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
"""

from __future__ import annotations

from typing import final

import numpy as np
from numpy.typing import NDArray

from eligo.certificate.ancestors import Ancestors, is_among
from eligo.certificate.occupancy import Occupancy
from eligo.certificate.reading import fields, integers, pairs
from eligo.dag import Int64
from eligo.errors import CertificateError

__all__ = ["Events", "Flow"]

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
