"""Algorithm 1 of paper 004, as printed: the worst peak from a flow that is first too large, then made least.

Problem: the heaviest topological cut of the event network (``network.py``). Its dual is a flow that carries at least
the weight of every arc, of least value. Idea: take a flow f that carries at least f_max = 1 + (sum of all weights) on
*every* arc, and take away as much as possible, which is a maximum flow f+ with capacities f - m. What can still be
reached from the first event in the residual network is the cut.

Invariant: f - f+ carries at least m everywhere. That f is at least f_max everywhere, and not only m, is essential:
then f+ is positive on every arc, so no arc of the dag can lead into the reachable set. With a smaller start flow the
"cut" may be none of an execution (ERRATA (g); shown in the tests).

The set is the smallest of all worst cuts. Everything is Python's integers: nothing is rounded and nothing overflows.
This is the reference for faster solvers: Dinic's algorithm, O(V^2 E) at worst, good for a few thousand jobs.

The event network of a footprint: the plain graph on which paper 004 computes its cuts.

Nodes are *events*: in the simple model the start of each job, otherwise its start and its end; a first event and a
last one of nobody. An arc says that its tail comes before its head; its weight is what is occupied between the two. So
what is occupied, when the events of a set S have happened and no others, is the weight of the arcs that leave S, and
the worst peak is the heaviest *topological cut*: one that no arc enters (004, section 4).

A datum is an arc from the start of its producer to the end of its reader. Of several readers, one that follows all
others decides; where there is none, freeing is an event of its own after the ends of all readers (004, Fig. 3). In 004
nothing follows that event, so in a worst cut it never happens, however long ago the readers have ended. Here every job
that follows all readers starts after it. That changes no execution, since data are freed as soon as they can be, and
makes the bound smaller: 004 has 3 for a chain of four jobs with shared outputs of size 1, and 3 for three forks and
joins in a row, where 2 and 1 are right.

This is the plain construction that the checks build on; it shares nothing with the compiled solver. Cost: O(n + m) for
data with one reader each; bit sets of all descendants, n^2 bits, where there are others. Weights are Python's
integers.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from eligo.dag import OUTSIDE, Dag
from eligo.memory._footprint import Footprint

__all__ = [
    "EventNetwork",
    "State",
    "descendants",
    "event_network",
    "last_reader",
    "maximum_cut",
    "start_flow",
    "worst_peak_by_algorithm1",
]


class State(NamedTuple):
    """Which jobs have started and which have ended at some moment of an execution."""

    started: NDArray[np.bool_]
    ended: NDArray[np.bool_]


@dataclass(slots=True)
class EventNetwork:
    """Events and the arcs between them; every event lies between ``first`` and ``last``.

    Attributes
    ----------
    starts, ends
        The events of each job; the same in the simple model.
    first, last
        The events before and after all others.
    count
        How many events there are.
    tails, heads, weights
        The arcs.
    """

    starts: list[int]
    ends: list[int]
    first: int
    last: int
    count: int
    tails: list[int] = field(default_factory=list)
    heads: list[int] = field(default_factory=list)
    weights: list[int] = field(default_factory=list)

    def add_event(self) -> int:
        """Return a new event."""
        self.count += 1
        return self.count - 1

    def add_arc(self, tail: int, head: int, weight: int = 0) -> None:
        """Put one event before another, with what is occupied in between."""
        self.tails.append(tail)
        self.heads.append(head)
        self.weights.append(weight)

    def cut(self, happened: list[bool]) -> int:
        """Return the weight of a topological cut, in exact integers.

        Raises
        ------
        ValueError
            An event has happened before one that it follows: this is no state of an execution.
        """
        total = 0
        for tail, head, weight in zip(self.tails, self.heads, self.weights, strict=True):
            if happened[head] and not happened[tail]:
                raise ValueError("an arc enters the cut")
            total += weight if happened[tail] and not happened[head] else 0
        return total

    def state(self, happened: list[bool]) -> State:
        """Return the jobs that have started and ended when some events have happened."""
        flags = np.array(happened, np.bool_)
        return State(flags[self.starts], flags[self.ends])


def event_network(footprint: Footprint) -> EventNetwork:
    """Return the event network of a footprint.

    Examples
    --------
    >>> from eligo.memory._models import footprint as what_jobs_occupy
    >>> network = event_network(what_jobs_occupy(Dag.from_edges(3, [0, 1], [1, 2]), "pebble"))
    >>> network.count, sum(network.weights)
    (8, 3)
    """
    n = footprint.dag.n
    starts = list(range(n))
    ends = starts if footprint.rules.one_event else list(range(n, 2 * n))
    jobs_end = n if footprint.rules.one_event else 2 * n
    network = EventNetwork(starts, ends, jobs_end, jobs_end + 1, jobs_end + 2)
    if not footprint.rules.one_event:
        for job, held in enumerate(footprint.running.tolist()):
            network.add_arc(starts[job], ends[job], held)
    for tail, head in zip(footprint.dag.tails.tolist(), footprint.dag.heads.tolist(), strict=True):
        network.add_arc(ends[tail], starts[head])
    _add_data(network, footprint)
    _enclose(network)
    return network


def descendants(dag: Dag) -> list[int]:
    """Return for each job the set of jobs that follow it, as the bits of an integer.

    Examples
    --------
    >>> [bin(after) for after in descendants(Dag.from_edges(3, [0, 1], [1, 2]))]
    ['0b110', '0b100', '0b0']
    """
    after = [0] * dag.n
    for job in reversed(dag.order.tolist()):
        for child in dag.children(job).tolist():
            after[job] |= after[child] | 1 << child
    return after


def last_reader(readers: list[int], after: list[int]) -> int | None:
    """Return the one of several readers that follows all others, or None."""
    for reader in readers:
        if all(other == reader or after[other] >> reader & 1 for other in readers):
            return reader
    return None


def _add_data(network: EventNetwork, footprint: Footprint) -> None:
    shared = bool(np.any(np.diff(footprint.reader_ptr) > 1))
    after = descendants(footprint.dag) if shared else []
    for datum, (size, producer) in enumerate(zip(footprint.size.tolist(), footprint.producer.tolist(), strict=True)):
        readers = footprint.readers_of(datum).tolist()
        made = network.first if producer == OUTSIDE else network.starts[producer]
        if not readers:
            freed = network.last
        elif (reader := last_reader(readers, after)) is not None:
            freed = network.ends[reader]
        else:
            freed = _freeing(network, footprint.dag, readers, after)
        network.add_arc(made, freed, size)


def _freeing(network: EventNetwork, dag: Dag, readers: list[int], after: list[int]) -> int:
    """Return a new event after the ends of all readers and before the start of every job that follows them all."""
    event = network.add_event()
    behind = -1
    for reader in readers:
        network.add_arc(network.ends[reader], event)
        behind &= after[reader]
    for job in range(dag.n):
        # A job one of whose parents follows them too starts later still.
        if behind >> job & 1 and not any(behind >> parent & 1 for parent in dag.parents(job).tolist()):
            network.add_arc(event, network.starts[job])
    return event


def _enclose(network: EventNetwork) -> None:
    """Put the first event before all others and the last one behind."""
    has_tail, has_head = set(network.heads), set(network.tails)
    for event in range(network.count):
        if event not in (network.first, network.last):
            if event not in has_tail:
                network.add_arc(network.first, event)
            if event not in has_head:
                network.add_arc(event, network.last)
    if network.first not in network.tails:
        network.add_arc(network.first, network.last)


def worst_peak_by_algorithm1(footprint: Footprint) -> tuple[int, State]:
    """Return the most that any execution can occupy and the smallest state in which it does.

    With shared data it is an upper bound on what any execution occupies, and the state is the one of the bound.

    Examples
    --------
    >>> from eligo.dag import Dag
    >>> from eligo.memory._models import footprint as what_jobs_occupy
    >>> peak, state = worst_peak_by_algorithm1(what_jobs_occupy(Dag.from_edges(4, [0, 1, 2], [1, 2, 3]), "pebble"))
    >>> peak, state.started.tolist()
    (2, [True, True, False, False])
    """
    network = event_network(footprint)
    happened = maximum_cut(network, start_flow(network))
    return network.cut(happened), network.state(happened)


def maximum_cut(network: EventNetwork, flow: list[int]) -> list[bool]:
    """Return which events have happened in the smallest worst cut, given the start flow f of step 1."""
    capacity = [carried - weight for carried, weight in zip(flow, network.weights, strict=True)]
    return _Residual(network, capacity).reachable_after_maximum_flow()


def start_flow(network: EventNetwork, amounts: list[int] | None = None) -> list[int]:
    """Return a flow of at least the given amount on every arc; of at least f_max where none are given.

    As in the paper: for every arc, that amount along one path from the first event to the last that contains it. The
    paths take the same way from and to an event each time, so one pass back and one forth adds them all up.
    """
    if amounts is None:
        amounts = [1 + sum(network.weights)] * len(network.weights)
    order = _topological(network)
    into: dict[int, int] = {}
    out_of: dict[int, int] = {}
    back, forth = [0] * network.count, [0] * network.count
    for arc, (tail, head) in enumerate(zip(network.tails, network.heads, strict=True)):
        into.setdefault(head, arc)
        out_of.setdefault(tail, arc)
        back[tail] += amounts[arc]
        forth[head] += amounts[arc]
    flow = list(amounts)
    for event in reversed(order):
        if event != network.first:
            flow[into[event]] += back[event]
            back[network.tails[into[event]]] += back[event]
    for event in order:
        if event != network.last:
            flow[out_of[event]] += forth[event]
            forth[network.heads[out_of[event]]] += forth[event]
    return flow


def _topological(network: EventNetwork) -> list[int]:
    missing = [0] * network.count
    following: list[list[int]] = [[] for _ in range(network.count)]
    for tail, head in zip(network.tails, network.heads, strict=True):
        missing[head] += 1
        following[tail].append(head)
    order = [event for event in range(network.count) if missing[event] == 0]
    for event in order:
        for head in following[event]:
            missing[head] -= 1
            if missing[head] == 0:
                order.append(head)
    return order


class _Residual:
    """A network with capacities; arc 2i is the i-th arc and arc 2i + 1 its way back."""

    def __init__(self, network: EventNetwork, capacity: list[int]) -> None:
        self.first, self.last, self.count = network.first, network.last, network.count
        self.head = [event for pair in zip(network.heads, network.tails, strict=True) for event in pair]
        self.left = [amount for free in capacity for amount in (free, 0)]
        self.arcs: list[list[int]] = [[] for _ in range(network.count)]
        for arc in range(len(self.head)):
            self.arcs[self.head[arc ^ 1]].append(arc)

    def reachable_after_maximum_flow(self) -> list[bool]:
        """Send as much as possible from first to last (Dinic), and return what first still reaches."""
        while (distance := self._distances())[self.last] >= 0:
            self._block(distance)
        return [far >= 0 for far in distance]

    def _distances(self) -> list[int]:
        distance = [-1] * self.count
        distance[self.first] = 0
        todo = deque([self.first])
        while todo:
            event = todo.popleft()
            for arc in self.arcs[event]:
                if self.left[arc] > 0 and distance[self.head[arc]] < 0:
                    distance[self.head[arc]] = distance[event] + 1
                    todo.append(self.head[arc])
        return distance

    def _block(self, distance: list[int]) -> None:
        """Send flow along shortest paths until none is left; `turn` is the next arc to try at each event."""
        turn = [0] * self.count
        path: list[int] = []
        event = self.first
        while True:
            if event == self.last:
                sent = min(self.left[arc] for arc in path)
                for arc in path:
                    self.left[arc] -= sent
                    self.left[arc ^ 1] += sent
                full = next(place for place, arc in enumerate(path) if self.left[arc] == 0)
                event = self.head[path[full] ^ 1]
                del path[full:]
            elif turn[event] < len(self.arcs[event]):
                arc = self.arcs[event][turn[event]]
                if self.left[arc] > 0 and distance[self.head[arc]] == distance[event] + 1:
                    path.append(arc)
                    event = self.head[arc]
                else:
                    turn[event] += 1
            elif path:
                event = self.head[path.pop() ^ 1]
                turn[event] += 1
            else:
                return
