"""What 004 proves, and where ERRATA (g) found a statement that needs a side condition: computed on small graphs.

Each function returns plain numbers; ``memory_checks.py`` holds them against the print.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, pairwise
from typing import Any

import numpy as np

from eligo import generate
from eligo.dag import Dag, Data, Int32
from eligo.memory._algorithm1 import event_network, maximum_cut, start_flow, worst_peak_by_algorithm1
from eligo.memory._footprint import Footprint
from eligo.memory._limit import limit
from eligo.memory._models import footprint
from eligo.memory._sequential import dfs, peak_of, sequential
from eligo.memory._worst_peak import worst_peak
from eligo_papers.memory.graphs import Reference, load
from eligo_papers.memory.runs import THEIRS, bound_of, peaks

__all__ = ["chain_of_four", "figure_1", "linear_programs", "prove", "same_instant", "set_covers", "small_start_flows"]
__all__ += ["who_follows_the_order", "without_work"]


def prove(flows: int, covers: int) -> dict[str, Any]:
    """Return all facts on small graphs.

    Parameters
    ----------
    flows, covers
        How many random graphs are tried for Algorithm 1's start flow, and how many set covers for Theorem 7.

    Examples
    --------
    >>> list(prove(2, 1))
    ['figure 1', 'start flows', 'covers', 'chain', 'instant', 'without work', 'follow the order']
    """
    return {
        "figure 1": figure_1(),
        "start flows": small_start_flows(flows),
        "covers": set_covers(covers),
        "chain": chain_of_four(),
        "instant": same_instant(),
        "without work": without_work(),
        "follow the order": who_follows_the_order(),
    }


def figure_1() -> dict[str, Any]:
    """Return what is said of Fig. 1: its heaviest cut, the edges that can be added, and the cut after adding (d, a).

    The figure is not in the text that we have; the sizes were chosen to fit all that the text says of it.

    Examples
    --------
    >>> figure_1()
    {'heaviest': 11, 'cut': ['s', 'a', 'b'], 'pairs': [['c', 'b'], ['d', 'a']], 'after': 9, 'orders': 1}
    """
    dag = Dag.from_names([("s", "a"), ("s", "b"), ("a", "c"), ("b", "d"), ("c", "t"), ("d", "t")])
    print_ = footprint(dag.with_known(data=Data.per_edge(dag.tails, dag.heads, [1, 2, 5, 6, 3, 4])), "simple")
    heaviest, state = worst_peak_by_algorithm1(print_)
    inside = [job for job in range(dag.n) if state.started[job]]
    pairs = [
        [dag.names[j], dag.names[i]] for j in range(dag.n) for i in inside if j not in inside and not _leads(dag, i, j)
    ]
    serial = print_.on(dag.with_edges(np.array([dag.index("d")], np.int32), np.array([dag.index("a")], np.int32)))
    widths = [len(front) for front in _fronts(serial.dag)]
    return {
        "heaviest": heaviest,
        "cut": [dag.names[job] for job in inside],
        "pairs": pairs,
        "after": worst_peak_by_algorithm1(serial)[0],
        "orders": max(widths),  # 1: at every step one job is ready, so there is one order
    }


def _leads(dag: Dag, first: int, last: int) -> bool:
    todo = [first]
    while todo:
        job = todo.pop()
        if job == last:
            return True
        todo += dag.children(job).tolist()
    return False


def _fronts(dag: Dag) -> list[list[int]]:
    """Return the jobs that are ready at each step of the first-in-first-out order."""
    done: set[int] = set()
    fronts = []
    for job in dag.order.tolist():
        fronts.append(
            [other for other in range(dag.n) if other not in done and done >= set(dag.parents(other).tolist())]
        )
        done.add(job)
    return fronts


def small_start_flows(trials: int) -> dict[str, int]:
    """Return on how many random graphs Algorithm 1 goes wrong with a start flow that only meets the demands.

    And on how many with one of at least f_max on every edge, as it is printed.

    Examples
    --------
    >>> small_start_flows(40)["as printed"]
    0
    """
    wrong = {"trials": trials, "as printed": 0, "demands only": 0}
    for seed in range(trials):
        rng = np.random.default_rng(seed)
        dag = generate.uniform(8, probability=0.35, seed=seed)
        sizes = rng.integers(0, 10, dag.m).tolist()
        network = event_network(footprint(dag.with_known(data=Data.per_edge(dag.tails, dag.heads, sizes)), "simple"))
        for way, flow in (("as printed", start_flow(network)), ("demands only", start_flow(network, network.weights))):
            happened = maximum_cut(network, flow)
            arcs = zip(network.tails, network.heads, strict=True)
            wrong[way] += any(happened[head] and not happened[tail] for tail, head in arcs)
    return wrong


def set_covers(trials: int) -> dict[str, Any]:
    """Return how often Lemma 1 holds on random set covers, by when shared data are freed.

    The lemma: a sequential schedule has a peak of n + m - k or more just if there is a cover of k sets. Data that stay
    until their last reader has *completed*, as section 4.3 has them, make one more.

    Examples
    --------
    >>> set_covers(5)["smallest"]
    [1, 2]
    """
    smallest = [1 + 1 - 1, _worst_sequential(_cover_graph([[0]], 1))]  # A1 -> B1 -> T
    printed = mended = 0
    for seed in range(trials):
        rng = np.random.default_rng(seed)
        sets, elements = int(rng.integers(2, 5)), int(rng.integers(4, 6))
        chosen = [sorted(rng.choice(elements, int(rng.integers(1, elements)), replace=False).tolist())]
        chosen += [
            sorted(rng.choice(elements, int(rng.integers(1, 4)), replace=False).tolist()) for _ in range(sets - 1)
        ]
        chosen[-1] = sorted({*chosen[-1], *(set(range(elements)) - {one for some in chosen for one in some})})
        cover = next(k for k in range(1, sets + 1) if any(_covers(some, elements) for some in combinations(chosen, k)))
        peak = _worst_sequential(_cover_graph(chosen, elements))
        printed += peak == elements + sets - cover
        mended += peak == elements + sets - cover + 1
    return {"smallest": smallest, "trials": trials, "printed": printed, "one more": mended}


def _covers(some: Sequence[Sequence[int]], elements: int) -> bool:
    return len({one for each in some for one in each}) == elements


def _cover_graph(sets: Sequence[Sequence[int]], elements: int) -> Footprint:
    """Return the graph of Theorem 7: jobs A (elements), B (sets) and T, each output of size 1 shared by all readers."""
    target = elements + len(sets)
    readers = [[elements + b for b, some in enumerate(sets) if a in some] for a in range(elements)]
    readers += [[target] for _ in sets]
    edges = [(tail, head) for tail, heads in enumerate(readers) for head in heads]
    tails, heads = zip(*edges, strict=True)
    return footprint(
        Dag.from_edges(target + 1, tails, heads, data=Data.build([1] * target, range(target), readers)), "shared"
    )


def _worst_sequential(print_: Footprint) -> int:
    """Return the largest peak of any sequential schedule, by looking at all sets of jobs that can have ended."""
    dag = print_.dag
    parents = [sum(1 << job for job in dag.parents(child).tolist()) for child in range(dag.n)]
    reads = [sum(1 << job for job in print_.readers_of(datum).tolist()) for datum in range(print_.k)]
    todo, seen, worst = [0], {0}, 0
    while todo:
        ended = todo.pop()
        for job in range(dag.n):
            if ended >> job & 1 or parents[job] & ~ended:
                continue
            started = ended | 1 << job
            there = sum(
                int(print_.size[datum])
                for datum in range(print_.k)
                if started >> int(print_.producer[datum]) & 1 and reads[datum] & ~ended
            )
            worst = max(worst, there)
            if started not in seen:
                seen.add(started)
                todo.append(started)
    return worst


def chain_of_four() -> list[int]:
    """Return the worst peak of a chain of four tasks with shared outputs of size 1: by the emulation, and the true one.

    Examples
    --------
    >>> chain_of_four()
    [3, 2]
    """
    tasks = ["t1", "t2", "t3", "t4"]
    edges = list(pairwise(tasks))
    freeing = [(tail, f"free {tail}") for tail, _ in edges] + [(head, f"free {tail}") for tail, head in edges]
    emulation = Dag.from_names([*edges, *freeing])
    data = Data.build(
        [1] * 3,
        [emulation.index(tail) for tail, _ in edges],
        [[emulation.index(f"free {tail}")] for tail, _ in edges],
    )
    chain = Dag.from_names(edges)
    shared = footprint(chain.with_known(data=Data.build([1] * 3, [0, 1, 2], [[1], [2], [3]])), "shared")
    return [
        worst_peak_by_algorithm1(footprint(emulation.with_known(data=data), "simple"))[0],
        worst_peak(shared).attained,
    ]


def same_instant() -> list[int]:
    """Return the peaks of two tasks that start at one instant, the one that frees first, and the other way round.

    s -> a and b -> t of size 3 each; s has run, and a and b start at the same time.

    Examples
    --------
    >>> same_instant()
    [3, 6]
    """
    dag = Dag.from_names([("s", "a"), ("b", "t")])
    print_ = footprint(dag.with_known(data=Data.per_edge(dag.tails, dag.heads, [3, 3])), "simple")
    orders = (["s", "a", "b", "t"], ["s", "b", "a", "t"])
    return [peak_of(print_, np.array([dag.index(name) for name in order], np.int32)) for order in orders]


def without_work() -> int:
    """Return the peak of the only sequential schedule of s -> i -> j -> t, where i and j share data of size 3.

    If i has no work, it may start together with j in parallel, and the data never lie in memory for any time.

    Examples
    --------
    >>> without_work()
    3
    """
    dag = Dag.from_edges(4, [0, 1, 2], [1, 2, 3])
    return peak_of(footprint(dag.with_known(data=Data.build([3], [1], [[2]])), "simple"), dag.order)


def who_follows_the_order() -> list[str]:
    """Return which of 004's heuristics do something else when they are given another sequential schedule.

    Examples
    --------
    >>> who_follows_the_order()
    ['respect-order']
    """
    print_ = footprint(load(["DAGGEN sparse", 17]))
    low, high = peaks(print_)
    orders = [dfs(print_.dag), sequential(print_).order]

    def edges(method: str, order: Int32) -> list[tuple[int, int]]:
        found = limit(print_, bound_of(low, high, 0.3), method=method, order=order)
        return list(zip(found.tails.tolist(), found.heads.tolist(), strict=True))

    return [method for method in THEIRS if edges(method, orders[0]) != edges(method, orders[1])]


def linear_programs(graphs: Sequence[Reference], solver: str) -> dict[str, int]:
    """Return on how many graphs the linear program of Theorem 5 has the value of Algorithm 1's cut.

    Parameters
    ----------
    solver
        The version of HiGHS; nothing where it is not installed, and nothing is done then.

    Examples
    --------
    >>> linear_programs([["DAGGEN dense", 2]], solver="")
    {'graphs': 0, 'equal': 0}
    """
    if not solver:
        return {"graphs": 0, "equal": 0}
    from eligo.memory._linear_program import worst_peak_by_lp

    prints = [footprint(load(reference)) for reference in graphs]
    equal = sum(worst_peak_by_lp(print_)[0] == worst_peak_by_algorithm1(print_)[0] for print_ in prints)
    return {"graphs": len(prints), "equal": equal}
