"""Sums of strands, and the >_L-greedy schedules of Cordasco, Malewicz and Rosenberg 2007, section 4, all of them.

*Idea.* A sum of s sources has 2^s sets of executed sources. The number of ELIGIBLE sinks after each is tabulated once;
everything else is looked up: the best e(x), the eligibility vectors of what is left, and which sets a rule can reach
when ties are broken in every possible way. If every set that greedy steps can reach is best for its size, every greedy
schedule is IC-optimal.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

from eligo_papers.planar_trees import PlanarTree

__all__ = ["StrandSum"]


class StrandSum:
    """Strands side by side; sources are numbered from left to right, strand by strand.

    Attributes
    ----------
    e
        For each set of sources, as bits, how many sinks are ELIGIBLE once it is executed.
    best
        For each number of sources the most.

    Examples
    --------
    >>> zigzag = StrandSum([PlanarTree(3, [(0, 1), (1, 2)])])
    >>> zigzag.best, zigzag.maximal(0), zigzag.all_reached_are_best(zigzag.maximal)
    ([0, 0, 1, 2], [0], True)
    """

    def __init__(self, strands: Sequence[PlanarTree]) -> None:
        self.strands = list(strands)
        self.sinks: list[tuple[int, int]] = []
        self.firsts: list[int] = []
        start = 0
        for strand in strands:
            self.firsts.append(start)
            self.sinks += [(start + first, start + last) for first, last in strand.sinks]
            start += strand.sources
        self.sources = start
        self.full = (1 << start) - 1
        self.needed = [(2 << last) - (1 << first) for first, last in self.sinks]
        # The last source that shares a sink with each: strands end where the next source is beyond it.
        self.right = [max(b for a, b in self.sinks if a <= source <= b) for source in range(start)]
        self.e = self._tabulate()
        self.best = [0] * (start + 1)
        for chosen, number in enumerate(self.e):
            size = chosen.bit_count()
            self.best[size] = max(self.best[size], number)

    def _tabulate(self) -> list[int]:
        e = [0] * (1 << self.sources)
        for parents in self.needed:
            e[parents] += 1
        for source in range(self.sources):
            bit = 1 << source
            for chosen in range(1 << self.sources):
                if chosen & bit:
                    e[chosen] += e[chosen ^ bit]
        return e

    def left(self, executed: int) -> list[int]:
        """Return the sources that are not executed."""
        return [source for source in range(self.sources) if not executed >> source & 1]

    def vector(self, source: int, executed: int) -> list[int]:
        """Return the eligibility vector of a source on what is left, as long as there are sources left."""
        rest = [other for other in self.left(executed) if other >= source]
        chosen, vector = executed, []
        for place, other in enumerate(rest):
            if place and self.right[rest[place - 1]] < other:
                break
            chosen |= 1 << other
            vector.append(self.e[chosen] - self.e[executed])
        return vector + [vector[-1]] * (len(self.left(executed)) - len(vector))

    def maximal(self, executed: int) -> list[int]:
        """Return the sources with the largest vector on what is left."""
        return self._largest(executed, lambda source: self.vector(source, executed))

    def largest_yield(self, executed: int) -> list[int]:
        """Return the sources that render the most sinks ELIGIBLE at once, without looking further."""
        return self._largest(executed, lambda source: [self.e[executed | 1 << source]])

    def first_vectors(self, executed: int) -> list[int]:
        """Return the sources that are largest by the vectors of the beginning, never made anew."""
        return self._largest(executed, lambda source: self.vector(source, 0))

    def _largest(self, executed: int, key: Callable[[int], list[int]]) -> list[int]:
        keys = {source: key(source) for source in self.left(executed)}
        largest = max(keys.values())
        return [source for source, value in keys.items() if value == largest]

    def is_best(self, executed: int) -> bool:
        """Tell whether no set of the same size renders more sinks ELIGIBLE."""
        return self.e[executed] == self.best[executed.bit_count()]

    def reached(self, rule: Callable[[int], list[int]]) -> Iterator[tuple[int, list[int]]]:
        """Yield every set that steps of a rule can reach, however ties go, with the steps that the rule allows next."""
        layer = {0}
        for _ in range(self.sources):
            grown = set()
            for executed in sorted(layer):
                chosen = rule(executed)
                yield executed, chosen
                grown |= {executed | 1 << source for source in chosen}
            layer = grown

    def all_reached_are_best(self, rule: Callable[[int], list[int]]) -> bool:
        """Tell whether every schedule of a rule, however ties go, is IC-optimal."""
        return all(self.is_best(executed) for executed, _ in self.reached(rule))

    def order(self, rule: Callable[[int], list[int]]) -> list[int]:
        """Return one schedule of a rule; ties go to the left."""
        executed, order = 0, []
        while executed != self.full:
            order.append(rule(executed)[0])
            executed |= 1 << order[-1]
        return order

    def yields(self, order: Sequence[int]) -> list[int]:
        """Return e(0), ..., e(s) of an order of the sources."""
        executed, values = 0, [0]
        for source in order:
            executed |= 1 << source
            values.append(self.e[executed])
        return values

    def pieces(self, executed: int) -> list[list[int]]:
        """Return the strands that are left, as lists of sources."""
        pieces: list[list[int]] = []
        for source in self.left(executed):
            if pieces and self.right[pieces[-1][-1]] >= source:
                pieces[-1].append(source)
            else:
                pieces.append([source])
        return pieces

    def is_strand(self, piece: Sequence[int], executed: int) -> bool:
        """Tell whether a piece that is left is a T-strand, T[1] among them.

        Shared sinks take sources in a row, each from where the one before ends; other sinks hang where they meet.
        """
        waiting = [parents & ~executed for parents in self.needed if parents & ~executed]
        rows = [[place for place, s in enumerate(piece) if parents >> s & 1] for parents in waiting]
        shared = sorted((row[0], row[-1]) for row in rows if len(row) > 1)
        ends = [(0, 0), *shared, (len(piece) - 1, len(piece) - 1)]
        joints = {place for pair in ends for place in pair}
        return (
            any(rows)
            and all(row == list(range(row[0], row[-1] + 1)) for row in rows if row)
            and all(before[1] == after[0] for before, after in pairwise(ends))
            and all(row[0] in joints for row in rows if row)
        )

    def is_arc(self, piece: Sequence[int], executed: int) -> bool:
        """Tell whether a strand that is left is a single arc: one source with one sink."""
        return len(piece) == 1 and self.e[executed | 1 << piece[0]] - self.e[executed] == 1

    def backbone(self, executed: int) -> set[int]:
        """Return the backbone sources of what is left: ends of strands, and those with two children or more."""
        found = set()
        for piece in self.pieces(executed):
            found |= {piece[0], piece[-1]}
        waiting = [parents & ~executed for parents in self.needed if parents & ~executed]
        for source in self.left(executed):
            if sum(parents >> source & 1 for parents in waiting) > 1:
                found.add(source)
        return found
