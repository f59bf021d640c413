"""Brute force for memory: every state that any execution can reach, for dags of a few jobs.

A state is the set of jobs that have started and the set of those that have ended. A job may start when all its parents
have ended; it may end at any time after. Nothing here knows of cuts, flows or events.
"""

from __future__ import annotations

from functools import cache
from itertools import permutations

from eligo.dag import OUTSIDE
from eligo.memory._footprint import Footprint


def occupied(print_: Footprint, started: frozenset[int], ended: frozenset[int]) -> int:
    """Return what is occupied in a state, straight from the definition."""
    gone = started if print_.rules.one_event else ended
    total = sum(int(print_.running[job]) for job in started - ended) if not print_.rules.one_event else 0
    for datum in range(print_.k):
        producer = int(print_.producer[datum])
        readers = set(print_.readers_of(datum).tolist())
        made = producer == OUTSIDE or producer in started
        if made and (not readers or not readers <= gone):
            total += int(print_.size[datum])
    return total


def all_states(print_: Footprint) -> set[tuple[frozenset[int], frozenset[int]]]:
    """Return every state that an execution with any number of workers can reach."""
    dag = print_.dag
    parents = [set(dag.parents(job).tolist()) for job in range(dag.n)]
    first = (frozenset[int](), frozenset[int]())
    seen, todo = {first}, [first]
    while todo:
        started, ended = todo.pop()
        following = [(started | {job}, ended) for job in range(dag.n) if job not in started and parents[job] <= ended]
        following += [(started, ended | {job}) for job in started - ended]
        for state in following:
            if state not in seen:
                seen.add(state)
                todo.append(state)
    return seen


def true_worst_peak(print_: Footprint) -> int:
    """Return the most that any execution occupies at any time."""
    return max(occupied(print_, *state) for state in all_states(print_))


def sequential_peak(print_: Footprint, order: list[int]) -> int:
    """Return the peak when jobs run one after the other in a given order."""
    done: frozenset[int] = frozenset()
    peak = occupied(print_, done, done)
    for job in order:
        peak = max(peak, occupied(print_, done | {job}, done))
        done |= {job}
        peak = max(peak, occupied(print_, done, done))
    return peak


def least_peak(print_: Footprint) -> int:
    """Return the smallest peak of any sequential order, by trying all ideals."""
    dag = print_.dag
    parents = [set(dag.parents(job).tolist()) for job in range(dag.n)]
    everything = frozenset(range(dag.n))

    @cache
    def rest(done: frozenset[int]) -> int:
        here = occupied(print_, done, done)
        if done == everything:
            return here
        ways = [job for job in everything - done if parents[job] <= done]
        return max(here, min(max(occupied(print_, done | {job}, done), rest(done | {job})) for job in ways))

    return rest(frozenset())


def all_orders(print_: Footprint) -> list[tuple[int, ...]]:
    """Return every topological order, for dags of very few jobs."""
    dag = print_.dag
    edges = list(zip(dag.tails.tolist(), dag.heads.tolist(), strict=True))
    return [order for order in permutations(range(dag.n)) if all(order.index(a) < order.index(b) for a, b in edges)]
