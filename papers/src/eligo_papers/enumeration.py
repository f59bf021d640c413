"""All there is to know of a small dag, by looking at every set of jobs that can be executed first.

*Problem.* The pages hold printed statements against the truth, so the truth must not come from the theory in question.

*Idea.* A set of jobs that can be executed first holds with a job all its parents: an *ideal*. Ideals are kept as bit
sets, layer by layer, each with the set of jobs that are ELIGIBLE after it. E_max(t) is the largest number of ELIGIBLE
jobs after an ideal of t jobs. A schedule is a way through the layers. Many questions are about ways whose every step is
allowed by some rule (``rule(executed, job)``): how many there are, what they cost in memory, which they are.

*Cost.* A few microseconds for each ideal and each job that is ELIGIBLE after it; dags of half a million ideals take
seconds. Nothing of ``eligo.priority`` is used here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from eligo.dag import Dag

__all__ = ["Costs", "Ideals", "Rule", "both_rules", "jobs_in", "parent_oriented"]

Rule = Callable[[int, int], bool]
"""Tells of a set of executed jobs, as bits, and of an ELIGIBLE job whether that job may be executed next."""


class Costs(NamedTuple):
    """The least and the largest memory cost of some schedules."""

    least: int
    largest: int


class Ideals:
    """All ideals of a dag.

    Parameters
    ----------
    dag
        A small one: a mesh of 10 levels has 58,786 ideals, a binary tree of height 4 has 458,330.
    sources
        Whether sources of the dag count as ELIGIBLE: they do in 000 and 002, they do not in 001 and 003.

    Attributes
    ----------
    layers
        For each number of executed jobs the ideals of that size, each with its ELIGIBLE jobs, all as bit sets.
    best
        E_max(0), ..., E_max(n).

    Examples
    --------
    >>> butterfly = Ideals(Dag.from_edges(4, [0, 0, 1, 1], [2, 3, 2, 3]))
    >>> butterfly.best, butterfly.number
    ([2, 1, 2, 1, 0], 7)
    >>> butterfly.count(), butterfly.count(butterfly.optimal), butterfly.costs()
    (4, 4, Costs(least=2, largest=2))
    """

    def __init__(self, dag: Dag, *, sources: bool = True) -> None:
        self.dag = dag
        self.parents = [_bits(dag.parents(job).tolist()) for job in range(dag.n)]
        self.children = [_bits(dag.children(job).tolist()) for job in range(dag.n)]
        self.counted = _bits(job for job in range(dag.n) if sources or self.parents[job])
        first = _bits(job for job in range(dag.n) if not self.parents[job])
        self.layers = [{0: first}]
        for _ in range(dag.n):
            self.layers.append(self._grown(self.layers[-1]))
        self.best = [max(map(self.value, layer.values())) for layer in self.layers]

    def _grown(self, layer: dict[int, int]) -> dict[int, int]:
        grown: dict[int, int] = {}
        for executed, eligible in layer.items():
            for job in jobs_in(eligible):
                now = executed | 1 << job
                if now not in grown:
                    fresh = (child for child in jobs_in(self.children[job]) if not self.parents[child] & ~now)
                    grown[now] = eligible & ~(1 << job) | _bits(fresh)
        return grown

    @property
    def number(self) -> int:
        """How many ideals there are."""
        return sum(map(len, self.layers))

    def value(self, eligible: int) -> int:
        """Return how many of these ELIGIBLE jobs count."""
        return (eligible & self.counted).bit_count()

    def eligible(self, executed: int) -> int:
        """Return E after an ideal."""
        return self.value(self.layers[executed.bit_count()][executed])

    def open_jobs(self, executed: int) -> int:
        """Return how many executed jobs have a child that is not."""
        return sum(self.children[job] & ~executed != 0 for job in jobs_in(executed))

    def optimal(self, executed: int, job: int) -> bool:
        """Tell whether E is as large as can be after a step; the schedules of such steps are the IC-optimal ones."""
        return self.eligible(executed | 1 << job) == self.best[executed.bit_count() + 1]

    def optimal_at(self, step: int) -> list[int]:
        """Return the ideals of a size with the largest E."""
        return [ideal for ideal, ready in self.layers[step].items() if self.value(ready) == self.best[step]]

    def count(self, rule: Rule | None = None) -> int:
        """Return how many schedules there are, or how many with allowed steps only."""
        ways = {0: 1}
        for layer in self.layers[:-1]:
            grown: dict[int, int] = {}
            for executed, number in ways.items():
                for job in jobs_in(layer[executed]):
                    if rule is None or rule(executed, job):
                        now = executed | 1 << job
                        grown[now] = grown.get(now, 0) + number
            ways = grown
        return sum(ways.values())

    def costs(self, rule: Rule | None = None) -> Costs | None:
        """Return what schedules of allowed steps cost in memory; ``None`` where there is none.

        The cost is the largest number of open jobs at any step (000, section 2.2.3).
        """
        reached = {0: Costs(0, 0)}
        for layer in self.layers[:-1]:
            grown: dict[int, Costs] = {}
            for executed, (least, largest) in reached.items():
                for job in jobs_in(layer[executed]):
                    if rule is None or rule(executed, job):
                        now = executed | 1 << job
                        old = grown.get(now)
                        grown[now] = Costs(least, largest) if old is None else _wider(old, least, largest)
            reached = {now: _at_least(cost, self.open_jobs(now)) for now, cost in grown.items()}
        return next(iter(reached.values()), None)

    def orders(self, rule: Rule | None = None) -> Iterator[list[int]]:
        """Yield the schedules, or those of allowed steps, in lexicographic order."""
        order: list[int] = []
        executed = 0
        untried = [jobs_in(self.layers[0][0])]
        while untried:
            if len(order) == self.dag.n:
                yield list(order)
            step = next((job for job in untried[-1] if rule is None or rule(executed, job)), None)
            if step is None:
                untried.pop()
                if order:
                    executed ^= 1 << order.pop()
                continue
            order.append(step)
            executed |= 1 << step
            untried.append(jobs_in(self.layers[len(order)][executed]))

    def stuck_at(self, rule: Rule | None = None) -> int | None:
        """Return the first step that no schedule reaches by allowed steps; ``None`` where one goes to the end."""
        reached = {0}
        for step, layer in enumerate(self.layers[:-1], 1):
            reached = {
                executed | 1 << job
                for executed in reached
                for job in jobs_in(layer[executed])
                if rule is None or rule(executed, job)
            }
            if not reached:
                return step
        return None

    @property
    def admits(self) -> bool:
        """Whether an IC-optimal schedule exists."""
        return self.stuck_at(self.optimal) is None

    def profile(self, order: list[int]) -> list[int]:
        """Return E(0), ..., E(n) of a schedule, by playing it."""
        executed, values = 0, [self.eligible(0)]
        for job in order:
            executed |= 1 << job
            values.append(self.eligible(executed))
        return values


def parent_oriented(dag: Dag) -> Rule:
    """Return the rule of 000, section 2.3: all parents of each job are executed in consecutive steps.

    So as long as some but not all parents of a job are executed, the next step must execute another one of them.

    Examples
    --------
    >>> mesh = Dag.from_edges(6, [0, 1, 1, 2, 3, 4], [3, 3, 4, 4, 5, 5])
    >>> ideals = Ideals(mesh)
    >>> ideals.count(), ideals.count(ideals.optimal), ideals.count(parent_oriented(mesh))
    (16, 8, 4)
    """
    groups = {bits for job in range(dag.n) if (bits := _bits(dag.parents(job).tolist())).bit_count() > 1}

    def rule(executed: int, job: int) -> bool:
        return all(group >> job & 1 for group in groups if group & executed and group & ~executed)

    return rule


def both_rules(one: Rule, other: Rule) -> Rule:
    """Return the rule that allows what both rules allow.

    Examples
    --------
    >>> both_rules(lambda executed, job: job > 1, lambda executed, job: job < 3)(0, 2)
    True
    """
    return lambda executed, job: one(executed, job) and other(executed, job)


def jobs_in(bits: int) -> Iterator[int]:
    """Yield the jobs of a bit set, ascending.

    Examples
    --------
    >>> list(jobs_in(0b10110))
    [1, 2, 4]
    """
    while bits:
        lowest = bits & -bits
        yield lowest.bit_length() - 1
        bits ^= lowest


def _bits(jobs: Iterator[int] | list[int]) -> int:
    return sum(1 << job for job in jobs)


def _wider(cost: Costs, least: int, largest: int) -> Costs:
    return Costs(min(cost.least, least), max(cost.largest, largest))


def _at_least(cost: Costs, open_now: int) -> Costs:
    return Costs(max(cost.least, open_now), max(cost.largest, open_now))
