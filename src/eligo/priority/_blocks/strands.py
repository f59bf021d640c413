"""Strands: bipartite blocks that hang together in a row, and the order that is best for any sum of them.

*Problem.* A T-strand has backbone sources and sinks in turn, each sharing an edge with the next, and further sinks and
sources that hang on one of them: its underlying graph is a caterpillar. W-strands (all backbone sinks have 2 parents),
M-strands (all inner backbone sources have 2 children), s-N and single edges are strands; so are the planar bipartite
trees of Cordasco, Malewicz and Rosenberg 2010. Which order of the sources of several strands makes the most sinks
ELIGIBLE at every step?

*Idea.* Cordasco, Malewicz and Rosenberg 2007, section 4: write down for each source how many sinks are ELIGIBLE once it
and the next 0, 1, 2, ... sources to its right are executed, and execute the source with the lexicographically largest
such vector. What is left is again a sum of strands (single edges included), so do that again, *with new vectors*:
sorting once by the first ones is wrong, and so is looking at the next step only. Every such order is IC-optimal.

*Cost.* Strands are recognised in O(s + S). The order takes O(s log^2 s) comparisons of vectors at worst, far fewer as a
rule; vectors compare as suffixes of one text do (``native/core/strands.hpp``). Ties go to the lower number.

*A second way.* :func:`schedule_pbt` is the algorithm of Cordasco et al. 2010, section 5.2: execute the best source,
order what is left of it and what is right of it on their own, and merge the two by IC-Sweep; quadratic on average.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np

from eligo import _core
from eligo.dag import Int32, Int64
from eligo.errors import EligoError
from eligo.priority._blocks.bipartite import Bipartite
from eligo.priority._sweep import sweep, take_turns, two_sweep

__all__ = ["Strands", "find_strands", "schedule_pbt", "schedule_strands", "strand_kind", "strand_name"]

_MOST_NAMES = 4


@dataclass(frozen=True, slots=True, eq=False)
class Strands:
    """The strands that a block consists of, in the order of their lowest sources.

    Attributes
    ----------
    sources
        The sources of all strands, one strand after another, each from left to right. The end with the
        lower-numbered source counts as the left one.
    starts
        Strand i has ``sources[starts[i]:starts[i + 1]]``.

    Examples
    --------
    >>> block = Bipartite(5, np.array([0, 2, 4, 5]), np.array([0, 1, 2, 3, 3], np.int32))
    >>> found = find_strands(block)
    >>> found.names, found.kind
    (['W[2]', 'T[2, 2]'], '(1,2)-W + 2-N')
    >>> found.row(1)
    array([1, 2], dtype=int32)
    """

    sources: Int32
    starts: Int64
    _degrees: Int32
    _degree_starts: Int64

    @property
    def count(self) -> int:
        """The number of strands."""
        return len(self.starts) - 1

    def row(self, strand: int) -> Int32:
        """Return the sources of one strand from left to right."""
        return self.sources[self.starts[strand] : self.starts[strand + 1]]

    def degrees(self, strand: int) -> tuple[int, ...]:
        """Return d1, d2, ... of one strand read as T[d1, d2, ...]."""
        return tuple(self._degrees[self._degree_starts[strand] : self._degree_starts[strand + 1]].tolist())

    @property
    def names(self) -> list[str]:
        """The strands in the papers' notation."""
        return [strand_name(self.degrees(strand)) for strand in range(self.count)]

    @property
    def kind(self) -> str:
        """What the block is, for people."""
        if self.count < 2:
            return strand_kind(self.degrees(0)) if self.count else "empty block"
        if self.count > 1000:
            return f"sum of {self.count:,} strands"
        runs = [
            (kind, len(list(run)))
            for kind, run in groupby(sorted(map(strand_kind, map(self.degrees, range(self.count)))))
        ]
        if len(runs) > _MOST_NAMES:
            return f"sum of {self.count:,} strands"
        return " + ".join(kind if times == 1 else f"{times} x {kind}" for kind, times in runs)


def strand_name(degrees: Sequence[int]) -> str:
    """Return the name of T[d1, d2, ...] in the papers' notation, as W- or M-strand where it is one.

    Examples
    --------
    >>> strand_name([4, 2, 3]), strand_name([1, 4, 2, 3]), strand_name([1, 4, 4, 3])
    ('W[4, 3]', 'M[4, 3]', 'T[1, 4, 4, 3]')
    """
    letter, numbers = _family(degrees)
    return f"{letter}[{', '.join(map(str, numbers))}]"


def strand_kind(degrees: Sequence[int]) -> str:
    """Return the name of T[d1, d2, ...] for people: (s,d)-W, (s,d)-M and s-N where it is one of them.

    Examples
    --------
    >>> strand_kind([3, 2, 3]), strand_kind([1, 4]), strand_kind([2, 2, 2, 2]), strand_kind([1])
    ('(2,3)-W', '(1,4)-M', '3-N', '1-N')
    """
    letter, numbers = _family(degrees)
    if letter != "T" and len(set(numbers)) == 1:
        return f"({len(numbers)},{numbers[0]})-{letter}"
    backbone = list(degrees[1:] if degrees[0] == 1 else degrees)
    if letter == "T" and set(backbone) <= {2}:
        return f"{len(backbone) // 2 + 1}-N"
    return strand_name(degrees)


def _family(degrees: Sequence[int]) -> tuple[str, list[int]]:
    # Outer nodes of a W-strand's backbone are sources, of an M-strand's sinks; the nodes between them have degree 2.
    reductive = degrees[0] == 1
    backbone = list(degrees[1:] if reductive else degrees)
    if len(backbone) % 2 == 1 and set(backbone[1::2]) <= {2}:
        return "M" if reductive else "W", backbone[::2]
    return "T", list(degrees)


def find_strands(block: Bipartite) -> Strands | None:
    """Return the strands a block consists of; ``None`` where some component of it is none.

    Examples
    --------
    >>> find_strands(Bipartite(2, np.array([0, 2, 4]), np.array([0, 1, 0, 1], np.int32))) is None
    True
    """
    sources, starts, degrees, degree_starts = _core.strand_rows(block.ptr, block.idx, block.sinks)
    return Strands(sources, starts, degrees, degree_starts) if len(starts) else None


def schedule_strands(block: Bipartite, strands: Strands | None = None) -> Int32:
    """Return an IC-optimal order of the sources of a sum of strands.

    Parameters
    ----------
    strands
        What :func:`find_strands` found, where it is known.

    Raises
    ------
    EligoError
        A component of the block is no strand.

    Examples
    --------
    W[2, 3]: the second source first, which has two sinks of its own.

    >>> schedule_strands(Bipartite(4, np.array([0, 2, 5]), np.array([0, 1, 1, 2, 3], np.int32)))
    array([1, 0], dtype=int32)
    """
    found = strands or _demand(block)
    return _core.strand_order(block.ptr, block.idx, block.sinks, found.sources, found.starts)


def _demand(block: Bipartite) -> Strands:
    found = find_strands(block)
    if found is None:
        raise EligoError(
            f"a block of {block.sources:,} sources and {block.sinks:,} sinks is no sum of strands",
            hint="in a strand the jobs with more than one neighbour form a line",
        )
    return found


def schedule_pbt(block: Bipartite) -> Int32:
    """Return an IC-optimal order of the sources of a sum of planar bipartite trees, by divide and conquer.

    The same profile as :func:`schedule_strands`, by an independent way: quadratic on average, so for up to some
    thousands of sources.

    Raises
    ------
    EligoError
        A component of the block is no planar bipartite tree, that is, no strand.

    Examples
    --------
    >>> schedule_pbt(Bipartite(4, np.array([0, 2, 5]), np.array([0, 1, 1, 2, 3], np.int32)))
    array([1, 0], dtype=int32)
    """
    found = _demand(block)
    completed = block.gains(found.sources).tolist()
    parts = [
        _Tree(completed[a:b]).schedule()
        for a, b in zip(found.starts[:-1].tolist(), found.starts[1:].tolist(), strict=True)
    ]
    steps = sweep([e for _, e in parts]).steps
    if steps is None:  # Theorem 4.1 of 2007: a sum of strands admits an IC-optimal schedule
        raise AssertionError("a sum of strands without an IC-optimal schedule")
    return take_turns([found.row(i)[order] for i, (order, _) in enumerate(parts)], steps)


class _Tree:
    """One planar bipartite tree, as the number of sinks whose rightmost parent each source is.

    The first source counts one more, and so do the neighbours of an executed one: then the eligibility vectors of
    what is left compare as the suffixes of these numbers do (``native/core/strands.hpp`` has the reason).
    """

    def __init__(self, completed: list[int]) -> None:
        self.letters = completed
        self.letters[0] += 1

    def schedule(self) -> tuple[Int64, Int64]:
        """Return the order of the places and its e."""
        done: dict[tuple[int, int], tuple[Int64, Int64]] = {}
        nothing = np.zeros(0, np.int64), np.zeros(1, np.int64)
        for first, best, last, gain in reversed(self._splits()):
            left, e_left = done.pop((first, best - 1), nothing)
            right, e_right = done.pop((best + 1, last), nothing)
            merged = two_sweep(e_left, e_right)
            if merged.steps is None:  # what is left of a strand is a sum of strands
                raise AssertionError("two parts of a strand without an IC-optimal schedule")
            order = np.concatenate(([best], take_turns([left, right], merged.steps)))
            done[first, last] = order, np.concatenate(([0], gain + merged.e))
        return done[0, len(self.letters) - 1]

    def _splits(self) -> list[tuple[int, int, int, int]]:
        """Cut the row at its best source, then the parts at theirs: first, best, last place and what the best gains."""
        splits = []
        waiting = [(0, len(self.letters) - 1)]
        while waiting:
            first, last = waiting.pop()
            if first > last:
                continue
            best = self._best(first, last)
            splits.append((first, best, last, self.letters[best] - 1))
            for side in (best - 1, best + 1):
                if first <= side <= last:
                    self.letters[side] += 1
            waiting += [(first, best - 1), (best + 1, last)]
        return splits

    def _best(self, first: int, last: int) -> int:
        """Return where the largest suffix begins, in linear time: Duval's two pointers."""
        letters, best, rival, equal, period = self.letters, first, first + 1, 0, 1
        while rival + equal <= last:
            one, two = letters[best + equal], letters[rival + equal]
            if one == two:
                equal += 1
                if equal == period:
                    rival, equal = rival + period, 0
            elif one > two:
                rival, equal = rival + equal + 1, 0
                period = rival - best
            else:
                best, rival, equal, period = rival, rival + 1, 0, 1
        return best
