"""What 001 and 003 define, read aloud: priority, dual priority, and Algorithm 2-IC-Sweep.

Functions on yields: e(0), ..., e(s), the number of nonsources that are ELIGIBLE or executed after so many nonsinks. The
compiled versions are in ``eligo.priority``; these are as plain as can be, so that statements about priorities can be
held against something that nobody was clever about.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

__all__ = ["PlainSweep", "all_yields", "dual_priority", "executions_needed", "plain_sweep", "priority", "yields_of_sum"]


def priority(first: Sequence[int], second: Sequence[int]) -> bool:
    """Tell whether the first dag has priority over the second, by (2.1) of both papers.

    Examples
    --------
    >>> priority([0, 4, 6], [0, 0, 1]), priority([0, 4, 6], [0, 3, 5])
    (True, False)
    """
    last = len(first) - 1
    return all(
        first[x] + second[y] <= first[min(last, x + y)] + second[max(0, x + y - last)]
        for x, y in product(range(len(first)), range(len(second)))
    )


def executions_needed(e: Sequence[int]) -> list[int]:
    """Return X(0), X(1), ...: how many sources must be executed for so many ELIGIBLE sinks (003, section 5.2).

    Examples
    --------
    >>> executions_needed([0, 0, 2, 3])
    [0, 2, 2, 3]
    """
    return [next(x for x in range(len(e)) if e[x] >= wanted) for wanted in range(e[-1] + 1)]


def dual_priority(first: Sequence[int], second: Sequence[int]) -> bool:
    """Tell whether the first dag has dual priority over the second, by (5.5) of 003.

    Examples
    --------
    >>> dual_priority([0, 4, 6], [0, 0, 1]), dual_priority([0, 4, 6], [0, 3, 5])
    (True, False)
    """
    one, two = executions_needed(first), executions_needed(second)
    last = len(one) - 1
    return all(
        one[e] + two[f] >= one[min(e + f, last)] + two[max(0, e + f - last)]
        for e, f in product(range(len(one)), range(len(two)))
    )


def yields_of_sum(first: Sequence[int], second: Sequence[int]) -> list[int]:
    """Return the best yields of two dags side by side at each number of steps.

    Examples
    --------
    >>> yields_of_sum([0, 4, 6], [0, 3, 5])
    [0, 4, 7, 9, 11]
    """
    best = [0] * (len(first) + len(second) - 1)
    for i, j in product(range(len(first)), range(len(second))):
        best[i + j] = max(best[i + j], first[i] + second[j])
    return best


@dataclass(frozen=True, slots=True)
class PlainSweep:
    """What Algorithm 2-IC-Sweep fills in.

    Attributes
    ----------
    table
        Table E of 001, section 3.2.1.
    paths
        For each field the number of optimal paths that lead to it; YES in table V wherever it is not 0.
    diagonal
        The first diagonal without a YES; ``None`` where a path goes to the end.
    """

    table: list[list[int]]
    paths: list[list[int]]
    diagonal: int | None

    @property
    def l_shaped(self) -> bool:
        """Whether an optimal path goes down, then right."""
        return all(row[0] for row in self.paths) and all(self.paths[-1])

    @property
    def seven_shaped(self) -> bool:
        """Whether an optimal path goes right, then down."""
        return all(self.paths[0]) and all(row[-1] for row in self.paths)

    def steps(self) -> list[int] | None:
        """Return one optimal path, 0 for a step down and 1 for one to the right; ``None`` where there is none.

        Examples
        --------
        >>> plain_sweep([0, 4, 6], [0, 3, 5]).steps()
        [0, 1, 0, 1]
        """
        if self.diagonal is not None:
            return None
        i, j = len(self.table) - 1, len(self.table[0]) - 1
        steps = []
        while i or j:
            right = j > 0 and self.paths[i][j - 1] > 0
            i, j = (i, j - 1) if right else (i - 1, j)
            steps.append(int(right))
        return steps[::-1]


def plain_sweep(first: Sequence[int], second: Sequence[int]) -> PlainSweep:
    """Perform Algorithm 2-IC-Sweep as printed, diagonal by diagonal.

    Examples
    --------
    >>> plain_sweep([0, 1], [0, 0, 2]).diagonal
    2
    >>> plain_sweep([0, 4, 6], [0, 3, 5]).paths
    [[1, 0, 0], [1, 1, 1], [0, 1, 2]]
    """
    n1, n2 = len(first) - 1, len(second) - 1
    table = [[a + b for b in second] for a in first]
    paths = [[0] * (n2 + 1) for _ in range(n1 + 1)]
    paths[0][0] = 1
    for t in range(1, n1 + n2 + 1):
        fields = [(i, t - i) for i in range(max(0, t - n2), min(n1, t) + 1)]
        best = max(table[i][j] for i, j in fields)
        for i, j in fields:
            if table[i][j] == best:
                paths[i][j] = (paths[i - 1][j] if i else 0) + (paths[i][j - 1] if j else 0)
        if not any(paths[i][j] for i, j in fields):
            return PlainSweep(table, paths, t)
    return PlainSweep(table, paths, None)


def all_yields(most_steps: int, most_gain: int) -> Iterator[list[int]]:
    """Yield all yields of 1, ..., `most_steps` nonsinks, none of which gains more than `most_gain`.

    Each belongs to a dag: give every sink the first x sources as parents. The last gain is not 0, since the last
    nonsink has a child.

    Examples
    --------
    >>> list(all_yields(2, 1))
    [[0, 1], [0, 0, 1], [0, 1, 2]]
    """
    for steps in range(1, most_steps + 1):
        for gains in product(range(most_gain + 1), repeat=steps):
            if gains[-1]:
                yield [sum(gains[:x]) for x in range(steps + 1)]
