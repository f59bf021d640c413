"""Section 3.1 of paper 002 to the letter, on small dags: nothing is mended, so that its statements can be tried.

Step 2 takes from what is left of a dag, again and again, a closed set C(s) that contains no other, and *detaches* it:
its non-sinks go, and so do its sinks that have no children left. A sink of one component that is a source of another is
a *merged* node; these make the super-dag. Step 6 executes the components one by one.

Sets of jobs are bits. Nothing here is compiled, and nothing is clever; ``eligo.priority`` has the fast one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations

from eligo.dag import Dag
from eligo_papers.definitions import priority
from eligo_papers.enumeration import Ideals, jobs_in

__all__ = ["Component", "Cut", "cut", "linear_order", "share_kept"]


@dataclass(frozen=True)
class Component:
    """A component with the edges among its jobs.

    Attributes
    ----------
    jobs
        Ascending.
    dag
        The component on its own; its job i is ``jobs[i]``.
    """

    jobs: list[int]
    dag: Dag

    @cached_property
    def ideals(self) -> Ideals:
        """Everything there is to know of it."""
        return Ideals(self.dag)

    @cached_property
    def nonsinks(self) -> list[int]:
        """Its own non-sinks, by their numbers in it."""
        return [job for job in range(self.dag.n) if len(self.dag.children(job))]

    @property
    def bipartite(self) -> bool:
        """Whether no edge leads to a non-sink."""
        return not any(len(self.dag.parents(job)) for job in self.nonsinks)

    @property
    def yields(self) -> list[int]:
        """The largest E after 0, 1, ... non-sinks; those of an IC-optimal schedule, if there is one."""
        return self.ideals.best[: len(self.nonsinks) + 1]

    @property
    def outdegree_is_an_order(self) -> bool:
        """Whether no job has more children than one of its parents, so that step 3 can go by outdegree."""
        children = [len(self.dag.children(job)) for job in range(self.dag.n)]
        return all(children[parent] >= children[job] for job in self.nonsinks for parent in self.dag.parents(job))

    @cached_property
    def order(self) -> list[int]:
        """The non-sinks as step 3 orders them: IC-optimally if bipartite and possible, else by outdegree.

        By outdegree only among ELIGIBLE jobs: what fails later is then not the fault of this step.
        """
        ideals = self.ideals
        found = next(ideals.orders(ideals.optimal), None) if self.bipartite else None
        if found is not None:
            return [job for job in found if job in self.nonsinks]
        order: list[int] = []
        executed = 0
        while len(order) < len(self.nonsinks):
            ready = jobs_in(ideals.layers[len(order)][executed])
            order.append(max(ready, key=lambda job: (len(self.dag.children(job)), -job)))
            executed |= 1 << order[-1]
        return order

    @cached_property
    def profile(self) -> list[int]:
        """E after 0, 1, ... non-sinks in that order."""
        return self.ideals.profile(self.order)


@dataclass(frozen=True)
class Cut:
    """A dag without shortcuts, cut by step 2.

    Attributes
    ----------
    components
        In the order in which they were detached.
    arcs
        Of the super-dag: for each merged node the component it is a sink of, and the one it is a source of.
    lost
        Edges of the dag that are in no component.
    pairs
        How many pairs of smallest sets C(s) were equal or disjoint, and how many there were.
    """

    dag: Dag
    components: list[Component]
    arcs: set[tuple[int, int]]
    lost: list[tuple[int, int]]
    pairs: list[int]

    def ready(self, left: Iterable[int]) -> list[int]:
        """Return the components that wait for no other that is left."""
        rest = set(left)
        waiting = {after for before, after in self.arcs if before in rest}
        return sorted(rest - waiting)

    @property
    def theory_succeeds(self) -> bool:
        """Whether the theoretical algorithm (section 2.2) finds its way through this dag, whatever blocks it knows."""
        if not all(one.bipartite and one.ideals.admits for one in self.components):
            return False
        yields = [one.yields for one in self.components]
        either = (priority(a, b) or priority(b, a) for a, b in combinations(yields, 2))
        return all(either) and all(priority(yields[i], yields[j]) for i, j in self.arcs)

    def schedule(self) -> list[int]:
        """Return what step 6 executes: the ready component that keeps most, of equals the first; sinks at the end."""
        rest = set(range(len(self.components)))
        order: list[int] = []
        while rest:
            ready = self.ready(rest)
            kept = {i: min((self.kept(i, j) for j in ready if j != i), default=Fraction(1)) for i in ready}
            chosen = max(ready, key=lambda i: (kept[i], -i))
            component = self.components[chosen]
            order += [component.jobs[job] for job in component.order]
            rest.remove(chosen)
        return order + [job for job in range(self.dag.n) if job not in order]

    def kept(self, one: int, other: int) -> Fraction:
        """Return the priority of a component over another."""
        return share_kept(self.components[one].profile, self.components[other].profile)


def share_kept(first: Sequence[int], second: Sequence[int]) -> Fraction:
    """Return the largest r such that a component has r-priority over another, from E after 0, 1, ... non-sinks.

    Examples
    --------
    >>> share_kept([1, 1], [1, 2]), share_kept([1, 2], [1, 1])
    (Fraction(2, 3), Fraction(1, 1))
    """
    last = len(first) - 1
    return min(
        Fraction(first[min(last, x + y)] + second[max(0, x + y - last)], first[x] + second[y])
        for x in range(len(first))
        for y in range(len(second))
    )


def cut(dag: Dag) -> Cut:
    """Cut a dag without shortcuts by step 2.

    Examples
    --------
    The edge 2 -> 4 is lost:

    >>> found = cut(Dag.from_edges(6, [0, 0, 1, 1, 2, 2], [2, 3, 3, 5, 4, 5]))
    >>> [one.jobs for one in found.components], found.arcs, found.lost
    ([[0, 1, 2, 3, 5], [4]], set(), [(2, 4)])
    """
    parents = [_bits(dag.parents(job).tolist()) for job in range(dag.n)]
    children = [_bits(dag.children(job).tolist()) for job in range(dag.n)]
    left = (1 << dag.n) - 1
    sets: list[int] = []
    pairs = [0, 0]
    while left:
        closed = [_closed(job, left, parents, children) for job in jobs_in(left) if not parents[job] & left]
        smallest = [one for one in closed if not any(other != one and not other & ~one for other in closed)]
        for a, b in combinations(smallest, 2):
            pairs[0] += a == b or not a & b
            pairs[1] += 1
        sets.append(smallest[0])
        left &= ~_bits(job for job in jobs_in(sets[-1]) if children[job] & sets[-1] or not children[job] & left)
    components = [_component(dag, one, children) for one in sets]
    merged = [
        (i, j, sets[i] & sets[j])
        for i, j in combinations(range(len(sets)), 2)  # one that was detached later has the job as its source
    ]
    arcs = {(i, j) for i, j, jobs in merged if jobs}
    edges = list(zip(dag.tails.tolist(), dag.heads.tolist(), strict=True))
    lost = [(u, v) for u, v in edges if not any(one >> u & 1 and one >> v & 1 for one in sets)]
    return Cut(dag, components, arcs, lost, pairs)


def _closed(source: int, left: int, parents: Sequence[int], children: Sequence[int]) -> int:
    """Return C(s) in what is left: with a job its parents, with a job that has none its children."""
    closed, waiting = 1 << source, [source]
    while waiting:
        job = waiting.pop()
        more = (parents[job] & left or children[job] & left) & ~closed
        closed |= more
        waiting += jobs_in(more)
    return closed


def _component(dag: Dag, bits: int, children: Sequence[int]) -> Component:
    jobs = list(jobs_in(bits))
    number = {job: i for i, job in enumerate(jobs)}
    edges = [(number[job], number[child]) for job in jobs for child in jobs_in(children[job] & bits)]
    return Component(jobs, Dag.from_edges(len(jobs), [u for u, _ in edges], [v for _, v in edges]))


def _bits(jobs: Iterable[int]) -> int:
    return sum(1 << job for job in jobs)


def linear_order(found: Cut) -> list[int] | None:
    """Return the components so that each has priority over all later ones and waits for none; ``None`` if impossible.

    To take any component that has priority over all that are left is right: it may stand first in every such order.
    That each has an IC-optimal schedule is for the caller to see to.

    Examples
    --------
    >>> linear_order(cut(Dag.from_edges(5, [0, 2, 2], [1, 3, 4])))
    [1, 0]
    """
    yields = [one.yields for one in found.components]
    rest = list(range(len(yields)))
    order: list[int] = []
    while rest:
        first = next(
            (i for i in found.ready(rest) if all(priority(yields[i], yields[j]) for j in rest if j != i)), None
        )
        if first is None:
            return None
        order.append(first)
        rest.remove(first)
    return order
