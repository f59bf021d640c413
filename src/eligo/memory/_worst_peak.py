"""The worst peak: the most that any execution occupies, sequential or parallel, with the reason why.

Which data are there depends only on which events have happened: starts and ends of jobs, the freeing of shared data.
The worst peak is therefore the largest weight of a set of events that is closed under "comes before" (004: the maximum
topological cut), found by a flow (``native/core/closure.hpp``) whose amounts prove that nothing is worse.

*Shared data.* A datum with several readers is freed when the last of them ends, and which is last depends on the
execution. The exact worst peak is then NP-complete (004, Theorem 7), and the flow gives an upper bound. It is 004's,
made tighter in two ways (``ends.py``): a reader that follows all others frees the datum at its end, and a job that
follows all readers starts after it is free. Without the second, nothing ever waits for a shared datum to be freed, and
004's bound is the sum of all of them.

*The true worst peak* lies below such a bound where the bound keeps data that are gone in truth. Take one of them. Where
it is there, some reader has not ended: try each of its latest readers as the one that frees it. Each trial is the same
question with one shared datum less, and the largest answer is the true one. Branch and bound over these trials, the
largest bound first, mostly ends after a few flows; the states that it meets are real, so the best of them is attained
whenever it stops. Its budget counts flows.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from typing import final

import numpy as np

from eligo.dag import OUTSIDE, Int32, Int64
from eligo.memory._footprint import Bools, Ends, Footprint, compiled, data_ends, occupied, present

__all__ = ["TRIALS", "WorstPeak", "worst_peak"]

TRIALS = 2_000_000
"""What the search for the true worst peak may cost: flows times jobs, edges and data."""


@final
@dataclass(frozen=True, slots=True, eq=False)
class WorstPeak:
    """What no execution exceeds, and a state that comes as close as was found.

    Attributes
    ----------
    footprint
        What it is about.
    bound
        No execution occupies more, at any time; the flow proves it.
    attained
        What is occupied in the state below, which executions can reach.
    is_true
        Whether search has shown that no execution exceeds what is attained.
    started, ended
        The jobs that have started, and those that have ended, when that much is occupied.
    senders, receivers, amounts
        The flow that proves the bound; events are numbered as ``event_network.hpp`` says.
    ends
        When shared data are free.
    """

    footprint: Footprint
    bound: int
    attained: int
    is_true: bool
    started: Bools
    ended: Bools
    senders: Int32
    receivers: Int32
    amounts: Int64
    ends: Ends

    @property
    def exact(self) -> bool:
        """Whether an execution really occupies as much as the bound says."""
        return self.attained == self.bound

    @property
    def present(self) -> Int32:
        """The footprint's data that are there in the worst state, the largest first."""
        there = np.flatnonzero(present(self.footprint, self.started, self.ended))
        return there[np.argsort(-self.footprint.size[there], kind="stable")].astype(np.int32)


def worst_peak(footprint: Footprint, *, trials: int = TRIALS, ends: Ends | None = None) -> WorstPeak:
    """Return the most that any execution can occupy.

    Parameters
    ----------
    trials
        What the search for the true worst peak may cost where shared data leave a gap; 0 for no search.
    ends
        When shared data are free, where that is known already.

    Examples
    --------
    >>> from eligo.dag import Dag, Data
    >>> from eligo.memory._models import footprint
    >>> dag = Dag.from_names([("a", "b"), ("a", "c"), ("b", "d"), ("c", "d")])
    >>> data = Data.per_edge(dag.tails, dag.heads, [1, 2, 10, 20])
    >>> worst = worst_peak(footprint(dag.with_known(data=data)))
    >>> worst.bound, worst.exact, np.flatnonzero(worst.started)
    (30, True, array([0, 1, 2]))
    """
    ends = data_ends(footprint) if ends is None else ends
    leftover, senders, receivers, amounts, *states = compiled(footprint, ends).worst_state()
    bound = footprint.base + leftover
    search = _Search(footprint, ends, trials)
    search.meet(states)
    if search.attained < bound:
        search.meet_orders()
        search.run(bound, states[0])
    return WorstPeak(
        footprint,
        bound,
        search.attained,
        search.is_done or search.attained == bound,
        *search.state,
        senders,
        receivers,
        amounts,
        ends,
    )


class _Search:
    """The best state met so far, and the trials that may lead to better ones."""

    def __init__(self, footprint: Footprint, ends: Ends, budget: int) -> None:
        self.footprint = footprint
        self.ends = ends
        self.budget = budget
        self.attained = -1
        self.is_done = False
        nothing = np.zeros(footprint.dag.n, np.bool_)
        self.state = nothing, nothing

    def meet(self, states: list[np.ndarray]) -> None:
        """Look at the states of a flow, in which jobs end as late as they can."""
        for events in states:
            started = events[: self.footprint.dag.n].astype(np.bool_)
            self._look_at(started)

    def meet_orders(self) -> None:
        """Look along the first-in-first-out order: each prefix of starts is a state."""
        dag = self.footprint.dag
        steps = range(1, dag.n + 1) if dag.n <= 500 else np.linspace(1, dag.n, 100).astype(int)
        for step in steps:
            started = np.zeros(dag.n, np.bool_)
            started[dag.order[:step]] = True
            self._look_at(started)

    def _look_at(self, started: Bools) -> None:
        footprint, dag = self.footprint, self.footprint.dag
        ended = started
        if not footprint.rules.one_event:
            ended = np.zeros(dag.n, np.bool_)
            ended[dag.tails[started[dag.heads]]] = True  # only jobs with a child that has started must have ended
        here = occupied(footprint, started, ended)
        if here > self.attained:
            self.attained, self.state = here, (started, ended)

    def run(self, bound: int, events: np.ndarray) -> None:
        """Try readers for data that only the bound keeps, the largest bound first."""
        todo = [(-bound, 0, self.ends, events)]
        cost = self.footprint.dag.n + self.footprint.dag.m + self.footprint.k + self.ends.arcs
        made = 0
        while todo and -todo[0][0] > self.attained:
            _, _, ends, events = heapq.heappop(todo)
            datum = self._kept_in_vain(ends, events)
            if datum is None:
                continue
            for reader in ends.latest_of(datum).tolist():
                self.budget -= cost
                if self.budget < 0:
                    return
                trial = ends.freed_by(datum, reader)
                leftover, _, _, _, *states = compiled(self.footprint, trial).worst_state()
                self.meet(states)
                made += 1
                heapq.heappush(todo, (-(self.footprint.base + leftover), made, trial, states[0]))
        self.is_done = True

    def _kept_in_vain(self, ends: Ends, events: np.ndarray) -> int | None:
        """Return the largest datum that the flow's state keeps though all its readers have ended."""
        print_, n = self.footprint, self.footprint.dag.n
        started, ended = events[:n].astype(np.bool_), events[n : 2 * n].astype(np.bool_)
        made = print_.producer == OUTSIDE
        made[~made] = started[print_.producer[~made]]
        own_event = (ends.last < 0) & (np.diff(print_.reader_ptr) > 0)
        kept = own_event & made & (events[2 * n :] == 0)
        vain = np.flatnonzero(kept & ~present(print_, started, ended))
        return int(vain[np.argmax(print_.size[vain])]) if vain.size else None
