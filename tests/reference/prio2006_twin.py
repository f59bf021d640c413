"""The heuristic of 002, section 3.1, in plain Python, line by line after the text, on a dag without shortcuts.

Where the text leaves a choice open the lower number is taken. It says that non-bipartite components are admitted "at
each step when no bipartite component exists"; `choose` may take any other minimal component instead, to show that the
result does not depend on it. `mended` adds a superdag arc for each lost arc (ERRATA, part h), which the text lacks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from eligo.dag import Dag

Arcs = set[tuple[int, int]]


@dataclass(frozen=True)
class Component:
    jobs: frozenset[int]
    arcs: frozenset[tuple[int, int]]

    @property
    def nonsinks(self) -> set[int]:
        return {tail for tail, _ in self.arcs}

    @property
    def nonsources(self) -> set[int]:
        return {head for _, head in self.arcs}

    @property
    def bipartite(self) -> bool:
        return not self.nonsinks & self.nonsources

    def children(self, job: int) -> set[int]:
        return {head for tail, head in self.arcs if tail == job}

    def parents(self, job: int) -> set[int]:
        return {tail for tail, head in self.arcs if head == job}


Choose = Callable[[list[Component]], Component]


def prio_2006(dag: Dag, choose: Choose | None = None, *, mended: bool = True) -> list[int]:
    arcs = set(zip(dag.tails.tolist(), dag.heads.tolist(), strict=True))
    components = [part for part in decompose(dag.n, arcs, choose) if part.arcs]
    components.sort(key=lambda part: min(part.nonsinks))
    inside = [schedule(part) for part in components]
    order = [job for i in combine(components, inside, arcs, mended) for job in inside[i]]
    return order + [job for job in range(dag.n) if job not in order]


# Step 2


def decompose(n: int, arcs: Arcs, choose: Choose | None = None) -> list[Component]:
    left, found = set(range(n)), []
    while left:
        rest = {(u, v) for u, v in arcs if u in left and v in left}
        sources = [job for job in sorted(left) if all(v != job for _, v in rest)]
        closures = [closure(s, sources, rest) for s in sources]
        minimal = [c for c in closures if not any(other.jobs < c.jobs for other in closures)]
        part = (choose or bipartite_first)(minimal)
        found.append(part)
        sinks = {job for job in left if all(u != job for u, _ in rest)}
        left -= part.nonsinks | (part.jobs & sinks)
    return found


def bipartite_first(minimal: list[Component]) -> Component:
    return next((part for part in minimal if part.bipartite), minimal[0])


def closure(s: int, sources: Sequence[int], arcs: Arcs) -> Component:
    """Return C(s), by the iteration with S and T."""
    S, T = {s}, set[int]()
    while True:
        before = len(S), len(T)
        T |= {v for u, v in arcs if u in S}
        T |= {u for u, v in arcs if v in T}
        S |= T & set(sources)
        if before == (len(S), len(T)):
            jobs = S | T
            return Component(frozenset(jobs), frozenset((u, v) for u, v in arcs if u in jobs and v in jobs))


# Step 3


def schedule(part: Component) -> list[int]:
    """Return the non-sinks in order: from left to right if the component is one of Fig. 2, else by outdegree."""
    arranged = min((row for family in FAMILIES for row in family(part)), default=None) if part.bipartite else None
    return by_outdegree(part) if arranged is None else arranged


def by_outdegree(part: Component) -> list[int]:
    order: list[int] = []
    while len(order) < len(part.nonsinks):
        ready = [job for job in part.nonsinks if job not in order and part.parents(job) <= set(order)]
        order.append(min(ready, key=lambda job: (-len(part.children(job)), job)))
    return order


def paths(near: dict[int, set[int]], begun: list[int]) -> Iterator[list[int]]:
    """Yield the orders of all nodes in which each stands beside one that is near."""
    if len(begun) == len(near):
        yield begun
    for node in near[begun[-1]] - set(begun) if begun else near:
        yield from paths(near, [*begun, node])


def sharing(part: Component) -> dict[int, set[int]]:
    """Return for each source those that it shares a sink with."""
    feeds = {u: part.children(u) for u in part.nonsinks}
    return {u: {v for v in feeds if v != u and feeds[u] & feeds[v]} for u in feeds}


def w(part: Component) -> Iterator[list[int]]:
    """(s,d)-W: each source has d sinks, the last of which is the first of the next."""
    feeds = [part.children(u) for u in part.nonsinks]
    d, s = len(feeds[0]), len(feeds)
    fits = {len(sinks) for sinks in feeds} == {d} and len(part.nonsources) == s * (d - 1) + 1
    if fits and all(len(part.parents(sink)) <= 2 for sink in part.nonsources):
        near = sharing(part)
        if all(len(others) <= 2 for others in near.values()):
            yield from paths(near, [])


def m(part: Component) -> Iterator[list[int]]:
    """(s,d)-M: the dual."""
    dual = Component(part.jobs, frozenset((v, u) for u, v in part.arcs))
    for sinks in w(dual):
        row: list[int] = []
        for sink, following in pairwise([*sinks, -1]):
            shared = part.parents(sink) & part.parents(following)
            row += sorted(part.parents(sink) - set(row) - shared) + sorted(shared)
        yield row


def n(part: Component) -> Iterator[list[int]]:
    """s-N: source i feeds sinks i and i + 1, the last only the last."""
    s = len(part.nonsinks)
    if len(part.nonsources) == s and len(part.arcs) == 2 * s - 1 and largest_degree(part) <= 2:
        for row in paths(sharing(part), []):
            if len(part.children(row[-1])) == 1:
                yield row


def cycle(part: Component) -> Iterator[list[int]]:
    """s-Cycle: an N with an arc from the last source to the first sink."""
    s = len(part.nonsinks)
    if len(part.nonsources) == s and len(part.arcs) == 2 * s and largest_degree(part) <= 2:
        yield from paths(sharing(part), [])


def clique(part: Component) -> Iterator[list[int]]:
    if len(part.nonsinks) == len(part.nonsources) and len(part.arcs) == len(part.nonsinks) ** 2:
        yield sorted(part.nonsinks)


def largest_degree(part: Component) -> int:
    return max(max(len(part.children(job)), len(part.parents(job))) for job in part.jobs)


FAMILIES = (w, m, n, cycle, clique)


# Steps 4 and 5


def eligible(part: Component, order: Sequence[int]) -> list[int]:
    """Return E(0), ..., E(s): how many jobs of the component are ELIGIBLE, sources too."""
    return [
        sum(job not in order[:x] and part.parents(job) <= set(order[:x]) for job in part.jobs)
        for x in range(len(order) + 1)
    ]


def priority(one: Sequence[int], two: Sequence[int]) -> Fraction:
    s1, s2 = len(one) - 1, len(two) - 1
    return min(
        Fraction(one[min(s1, x + y)] + two[x + y - min(s1, x + y)], one[x] + two[y])
        for x in range(s1 + 1)
        for y in range(s2 + 1)
    )


# Step 6


def combine(components: list[Component], inside: list[list[int]], arcs: Arcs, mended: bool) -> list[int]:
    profiles = [eligible(part, order) for part, order in zip(components, inside, strict=True)]
    superdag = superdag_arcs(components, arcs if mended else set())
    left, order = set(range(len(components))), []
    while left:
        sources = [i for i in sorted(left) if not any(v == i and u in left for u, v in superdag)]
        least = {
            i: min((priority(profiles[i], profiles[j]) for j in sources if j != i), default=Fraction(1))
            for i in sources
        }
        best = max(sources, key=lambda i: (least[i], -i))
        order.append(best)
        left.remove(best)
    return order


def superdag_arcs(components: list[Component], arcs: Arcs) -> set[tuple[int, int]]:
    """Return an arc where a sink of one is a source of another, and for each arc of the dag that lies in none."""
    where = {job: i for i, part in enumerate(components) for job in part.nonsinks}
    merged = {
        (i, j)
        for i, one in enumerate(components)
        for j, two in enumerate(components)
        if i != j and (one.nonsources - one.nonsinks) & (two.nonsinks - two.nonsources)
    }
    lost = arcs - {arc for part in components for arc in part.arcs}
    return merged | {(where[u], where[v]) for u, v in lost if v in where}
