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
"""

from __future__ import annotations

from collections import deque

from eligo.memory.footprint import Footprint
from eligo.memory.network import EventNetwork, State, event_network

__all__ = ["maximum_cut", "start_flow", "worst_peak_by_algorithm1"]


def worst_peak_by_algorithm1(footprint: Footprint) -> tuple[int, State]:
    """Return the most that any execution can occupy and the smallest state in which it does.

    With shared data it is an upper bound on what any execution occupies, and the state is the one of the bound.

    Examples
    --------
    >>> from eligo.dag import Dag
    >>> from eligo.memory.models import footprint as what_jobs_occupy
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
