"""Closed sets of the largest weight by plain augmenting paths, on events as memory certificates number them.

Nothing here is fast, nothing is shared with ``eligo``: sets, dictionaries, Python's integers.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from eligo.dag import OUTSIDE
from eligo.memory._footprint import Footprint

Arc = tuple[int, int]


def ancestors(print_: Footprint) -> list[set[int]]:
    """Return for each job the jobs that it waits for, directly or not."""
    found: list[set[int]] = [set() for _ in range(print_.dag.n)]
    for job in print_.dag.order.tolist():
        for parent in print_.dag.parents(job).tolist():
            found[job] |= found[parent] | {parent}
    return found


def last_readers(print_: Footprint) -> dict[int, int]:
    """Return for data with several readers the one that comes after all others, where there is one."""
    before, found = ancestors(print_), {}
    for datum in range(print_.k):
        readers = set(print_.readers_of(datum).tolist())
        for reader in readers if len(readers) > 1 else ():
            if readers <= before[reader] | {reader}:
                found[datum] = reader
    return found


@dataclass
class EventGraph:
    """Weights of events, and pairs of events of which the first comes after the second."""

    weights: list[int]
    after: set[Arc]


def event_graph(print_: Footprint, order: list[int], last: dict[int, int]) -> EventGraph:
    """Return the events of a footprint; jobs are places in the order, `last` says which reader frees some data."""
    n, place = print_.dag.n, {job: number for number, job in enumerate(order)}
    before = [{place[one] for one in ancestors(print_)[job]} for job in order]
    arcs = [(place[u], place[v]) for u, v in zip(print_.dag.tails.tolist(), print_.dag.heads.tolist(), strict=True)]
    if print_.rules.one_event:
        graph = EventGraph([0] * n, {(v, u) for u, v in arcs})
    else:
        graph = EventGraph([0] * (2 * n + print_.k), {(n + p, p) for p in range(n)} | {(v, n + u) for u, v in arcs})
        for p, job in enumerate(order):
            graph.weights[p] += int(print_.running[job])
            graph.weights[n + p] -= int(print_.running[job])
    for datum in range(print_.k):
        readers = {place[job] for job in print_.readers_of(datum).tolist()}
        if print_.producer[datum] != OUTSIDE:
            graph.weights[place[int(print_.producer[datum])]] += int(print_.size[datum])
        if not readers:
            continue
        end = 0 if print_.rules.one_event else n
        if len(readers) == 1 or datum in last:
            by = place[last[datum]] if datum in last else next(iter(readers))
            graph.weights[end + by] -= int(print_.size[datum])
        else:
            graph.weights[2 * n + datum] -= int(print_.size[datum])
            graph.after |= {(2 * n + datum, n + reader) for reader in readers}
            graph.after |= {(v, 2 * n + datum) for v in range(n) if readers <= before[v]}
    return graph


def largest_closure(weights: dict[int, int], after: set[Arc]) -> tuple[int, dict[Arc, int]]:
    """Return the largest weight of a set that has y whenever it has x, for (x, y) in `after`, and a flow to show it.

    The flow goes from events of positive weight along `after` to events of negative weight.
    """
    supply = {x: max(weight, 0) for x, weight in weights.items()}
    demand = {x: max(-weight, 0) for x, weight in weights.items()}
    flow = {(x, y): 0 for x, y in sorted(after) if x in weights and y in weights}
    onward: dict[int, list[int]] = {x: [] for x in weights}
    back: dict[int, list[int]] = {x: [] for x in weights}
    for x, y in flow:
        onward[x].append(y)
        back[y].append(x)
    while True:
        came: dict[int, tuple[int, bool] | None] = {x: None for x in sorted(weights) if supply[x]}
        todo, end = deque(came), None
        while todo and end is None:
            x = todo.popleft()
            if demand[x]:
                end = x
                break
            ways = [(y, True) for y in onward[x]] + [(y, False) for y in back[x] if flow[y, x]]
            for y, forward in ways:
                if y not in came:
                    came[y] = (x, forward)
                    todo.append(y)
        if end is None:
            return sum(supply.values()), {arc: amount for arc, amount in flow.items() if amount}
        steps, at = [], end
        while (step := came[at]) is not None:
            steps.append((step[0], at) if step[1] else (at, step[0], "back"))
            at = step[0]
        amount = min([supply[at], demand[end]] + [flow[s[0], s[1]] for s in steps if len(s) == 3])
        supply[at] -= amount
        demand[end] -= amount
        for step in steps:
            flow[step[0], step[1]] += amount if len(step) == 2 else -amount
