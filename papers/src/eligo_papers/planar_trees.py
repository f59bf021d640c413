"""IC-optimal schedules of planar bipartite trees by two plain algorithms, with their work counted.

*Problem.* A planar bipartite tree (001, section 5.2) is a T-strand (003): its sources stand in a row, and the parents
of each sink are neighbours in that row. Here it is the list of its sinks, each as its first and its last parent.

*Naive* (:func:`schedule_naively`), the algorithm of 003, section 4: write down the eligibility vector of each remaining
source, execute a source with the lexicographically largest one, begin anew. With r sources left this takes r vectors of
r entries, so the whole takes about s^3 / 3, whatever the tree.

*Algorithm A* (:func:`schedule_by_sweeps`) of 001, section 5.2: find the largest vector once; the source splits the tree
in two; schedule both parts the same way, and merge their schedules by Algorithm 2-IC-Sweep.

*Work* is counted, so that it can be compared without a clock: entries of vectors written, entries compared, and fields
of sweep tables filled in. ``eligo.priority._blocks.strands`` has the fast way, for which see there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise, product
from random import Random

from eligo.dag import Dag
from eligo.graph import sinks, sources
from eligo_papers.definitions import plain_sweep

__all__ = ["PlanarTree", "Work", "best_yields", "maximal_sources", "random_planar_tree", "schedule_by_sweeps"]
__all__ += ["schedule_naively", "small_strands"]


@dataclass(frozen=True, slots=True)
class PlanarTree:
    """A planar bipartite tree: the number of its sources, and the first and last parent of each sink.

    Examples
    --------
    W[2, 3]:

    >>> tree = PlanarTree(2, [(0, 0), (0, 1), (1, 1), (1, 1)])
    >>> tree.yields([1, 0])
    [0, 2, 4]
    """

    sources: int
    sinks: Sequence[tuple[int, int]]

    @classmethod
    def from_dag(cls, dag: Dag) -> PlanarTree:
        """Take a strand whose sources are numbered from left to right, as ``eligo.generate.strand`` does."""
        parents = [dag.parents(sink).tolist() for sink in sinks(dag)]
        return cls(len(sources(dag)), [(row[0], row[-1]) for row in parents])

    def to_dag(self) -> Dag:
        """Return it as a dag: sources from left to right, then sinks."""
        edges = [(source, self.sources + sink) for sink, (a, b) in enumerate(self.sinks) for source in range(a, b + 1)]
        return Dag.from_edges(self.sources + len(self.sinks), *zip(*edges, strict=True))

    @property
    def backbone(self) -> set[int]:
        """The backbone sources: the two at the ends, and those with two children or more (003, section 4.1)."""
        children = [0] * self.sources
        for first, last in self.sinks:
            for source in range(first, last + 1):
                children[source] += 1
        return {0, self.sources - 1} | {source for source, number in enumerate(children) if number > 1}

    def yields(self, order: Sequence[int]) -> list[int]:
        """Return e(0), ..., e(s) of an order of the sources."""
        place = {source: step for step, source in enumerate(order)}
        gains = [0] * self.sources
        for first, last in self.sinks:
            gains[max(place[source] for source in range(first, last + 1))] += 1
        return [sum(gains[:step]) for step in range(self.sources + 1)]


@dataclass(slots=True)
class Work:
    """What an algorithm did.

    Attributes
    ----------
    entries, comparisons, fields
        Entries of vectors written, pairs of entries compared, fields of sweep tables filled in.
    best
        For each search for a maximal source, how many sources there were and where it was found, counted from 0.
    """

    entries: int = 0
    comparisons: int = 0
    fields: int = 0
    best: list[tuple[int, int]] = field(default_factory=list)

    @property
    def total(self) -> int:
        """All of it."""
        return self.entries + self.comparisons + self.fields


class _Row:
    """What is left of a tree between two sources, both included; its parents outside are executed."""

    def __init__(self, tree: PlanarTree, first: int, last: int) -> None:
        self.first, self.last = first, last
        self.firsts: list[list[int]] = [[] for _ in range(last - first + 1)]
        for a, b in tree.sinks:
            if a <= last and b >= first:
                self.firsts[min(b, last) - first].append(max(a, first))

    def vector(self, source: int, length: int) -> list[int]:
        """Return e_1, ..., e_length of a source: sinks ELIGIBLE after it and the next 0, 1, ... to its right."""
        count, vector = 0, []
        for last in range(source - self.first, source - self.first + length):
            if last < len(self.firsts):
                for first in self.firsts[last]:
                    count += first >= source
            vector.append(count)
        return vector


def maximal_sources(tree: PlanarTree) -> list[int]:
    """Return all sources with the lexicographically largest eligibility vector.

    Examples
    --------
    >>> maximal_sources(PlanarTree(3, [(0, 1), (1, 2)])), maximal_sources(PlanarTree(2, [(0, 1), (1, 1)]))
    ([0], [1])
    """
    row = _Row(tree, 0, tree.sources - 1)
    vectors = [row.vector(source, tree.sources) for source in range(tree.sources)]
    return [source for source, vector in enumerate(vectors) if vector == max(vectors)]


def _find_maximal(rows: Sequence[_Row], length: int, work: Work) -> tuple[_Row, int]:
    """Return the row and the source with the largest vector; ties go to the left."""
    best: tuple[list[int], _Row, int] | None = None
    for row in rows:
        for source in range(row.first, row.last + 1):
            vector = row.vector(source, length)
            work.entries += length
            if best is None or _larger(vector, best[0], work):
                best = vector, row, source
    if best is None:
        raise ValueError("no source is left")
    return best[1], best[2]


def _larger(one: Sequence[int], other: Sequence[int], work: Work) -> bool:
    for a, b in zip(one, other, strict=True):
        work.comparisons += 1
        if a != b:
            return a > b
    return False


def schedule_naively(tree: PlanarTree) -> tuple[list[int], Work]:
    """Return an IC-optimal order of the sources by the algorithm of 003, and the work it took.

    Examples
    --------
    >>> order, work = schedule_naively(PlanarTree(3, [(0, 1), (1, 2), (2, 2)]))
    >>> order, work.entries
    ([2, 1, 0], 14)
    """
    work = Work()
    rows = [_Row(tree, 0, tree.sources - 1)]
    order = []
    for left in range(tree.sources, 0, -1):
        row, source = _find_maximal(rows, left, work)
        order.append(source)
        rows.remove(row)
        rows += [_Row(tree, *part) for part in ((row.first, source - 1), (source + 1, row.last)) if part[0] <= part[1]]
    return order, work


def schedule_by_sweeps(tree: PlanarTree) -> tuple[list[int], Work]:
    """Return an IC-optimal order of the sources by Algorithm A of 001, and the work it took.

    Examples
    --------
    >>> order, work = schedule_by_sweeps(PlanarTree(3, [(0, 1), (1, 2), (2, 2)]))
    >>> order, work.best
    ([2, 1, 0], [(3, 2), (2, 1), (1, 0)])
    """
    work = Work()
    splits = []
    waiting = [(0, tree.sources - 1)]
    while waiting:
        first, last = waiting.pop()
        if first > last:
            continue
        row = _Row(tree, first, last)
        _, source = _find_maximal([row], last - first + 1, work)
        work.best.append((last - first + 1, source - first))
        splits.append((first, source, last, row.vector(source, 1)[0]))
        waiting += [(first, source - 1), (source + 1, last)]
    done: dict[tuple[int, int], tuple[list[int], list[int]]] = {}
    for first, source, last, gain in reversed(splits):
        left, e_left = done.pop((first, source - 1), ([], [0]))
        right, e_right = done.pop((source + 1, last), ([], [0]))
        merged, e = _merge(left, e_left, right, e_right, work)
        done[first, last] = [source, *merged], [0, *(gain + value for value in e)]
    return done[0, tree.sources - 1][0], work


def _merge(
    left: list[int], e_left: list[int], right: list[int], e_right: list[int], work: Work
) -> tuple[list[int], list[int]]:
    """Interleave two schedules by 2-IC-Sweep."""
    sweep = plain_sweep(e_left, e_right)
    work.fields += len(e_left) * len(e_right)
    steps = sweep.steps()
    if steps is None:
        raise ValueError("two parts of a planar bipartite tree without an IC-optimal schedule of their sum")
    order, e, i, j = [], [0], 0, 0
    for step in steps:
        order.append(right[j] if step else left[i])
        i, j = i + (not step), j + step
        e.append(e_left[i] + e_right[j])
    return order, e


def random_planar_tree(sources: int, degrees: Sequence[int], random: Random) -> PlanarTree:
    """Return a planar bipartite tree whose backbone has such degrees, each drawn evenly; the last may be smaller.

    It is T[d1, d2, ...] read from the left until there are enough sources; d1 may also be 1.

    Examples
    --------
    >>> random_planar_tree(4, [2, 3], Random(1)).sources
    4
    """
    tree = [(0, 0)] * random.choice([0, *(degree - 1 for degree in degrees)])
    source = 0
    while source < sources - 1:
        last = min(sources - 1, source + random.choice(degrees) - 1)
        tree.append((source, last))
        source = last
        # A backbone source shares a sink with the run before and with the one after; the last one need not go on.
        own = random.choice(degrees) - (2 if source < sources - 1 else 1)
        tree += [(source, source)] * own
    return PlanarTree(sources, tree or [(0, 0)])


def small_strands(sources: int, own: int) -> Iterator[PlanarTree]:
    """Yield all planar bipartite trees of up to so many sources, none with more than `own` sinks of its own.

    Sinks with several parents cover the row of sources, each beginning where the one before ends. Where they meet, and
    at both ends, stand the backbone sources, which may have sinks of their own. Mirror images count twice.

    Examples
    --------
    >>> len(list(small_strands(2, 1))), len(list(small_strands(3, 1)))
    (5, 17)
    """
    for s in range(1, sources + 1):
        for inner in product((False, True), repeat=max(0, s - 2)):
            backbone = [0, *(place for place, meets in enumerate(inner, 1) if meets), *([s - 1] if s > 1 else [])]
            shared = list(pairwise(backbone))
            for numbers in product(range(own + 1), repeat=len(backbone)):
                sinks = [(a, a) for a, number in zip(backbone, numbers, strict=True) for _ in range(number)]
                if shared or sinks:
                    yield PlanarTree(s, shared + sinks)


def best_yields(tree: PlanarTree) -> list[int]:
    """Return the most sinks that 0, 1, ... sources can render ELIGIBLE, by looking at all sets of sources.

    Examples
    --------
    >>> best_yields(PlanarTree(2, [(0, 0), (0, 1), (1, 1), (1, 1)]))
    [0, 2, 4]
    """
    needed = [(2 << last) - (1 << first) for first, last in tree.sinks]
    best = [0] * (tree.sources + 1)
    for chosen in range(1 << tree.sources):
        done = sum(parents & ~chosen == 0 for parents in needed)
        best[chosen.bit_count()] = max(best[chosen.bit_count()], done)
    return best
