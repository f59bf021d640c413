"""Who comes before whom: pairs of jobs of which the first must be an ancestor of the second.

Pairs that an arc joins are settled by looking for the arc. For the others bits are swept forward along the order: each
of some hundreds of first jobs has a bit, and every job gets the bits of its parents and their own. A sweep goes from
the first job asked about to the last; its steps are taken off the budget beforehand.
"""

from __future__ import annotations

from typing import final

import numpy as np
from numpy.typing import NDArray

from eligo.certificate.budget import Budget
from eligo.dag import Int64

__all__ = ["Ancestors"]

_BITS_AT_ONCE = 2**28  # of all jobs together in one sweep
_PAIR_STEPS = 1000  # a pair that is left for a sweep: its memory, and looking it up
_JOB_STEPS = 50
_CHUNK = 2**22


@final
class Ancestors:
    """The arcs of a dag whose jobs are places in an order.

    Examples
    --------
    >>> chain = Ancestors(4, np.array([0, 1]), np.array([1, 2]), Budget(10**6))
    >>> chain.unrelated(np.array([0, 0]), np.array([1, 2]))
    >>> chain.unrelated(np.array([0, 0, 1]), np.array([1, 3, 2]))
    (0, 3)
    """

    def __init__(self, n: int, tails: Int64, heads: Int64, budget: Budget) -> None:
        self._n, self._tails, self._heads, self._budget = n, tails, heads, budget
        self._arcs = np.sort(tails * n + heads)

    def joined(self, tails: Int64, heads: Int64) -> NDArray[np.bool_]:
        """Tell for each pair whether there is such an arc."""
        return is_among(tails * self._n + heads, self._arcs)

    def unrelated(self, before: Int64, after: Int64) -> tuple[int, int] | None:
        """Return a pair of which the first is no ancestor of the second, if there is any."""
        return self._swept([self._not_joined(before, after)])

    def unrelated_to_all(self, sets: Int64, members_ptr: Int64, members: Int64, after: Int64) -> tuple[int, int] | None:
        """Return a member of ``sets[i]`` and ``after[i]`` that are unrelated, for any i, if there are any.

        Set s has the members ``members[members_ptr[s]:members_ptr[s + 1]]``.
        """
        counts = members_ptr[sets + 1] - members_ptr[sets]
        total = np.concatenate(([0], np.cumsum(counts)))
        left: list[Int64] = []
        low = 0
        while low < len(sets):
            high = max(low + 1, int(np.searchsorted(total, total[low] + _CHUNK, "right")) - 1)
            self._budget.spend(8 * int(total[high] - total[low]), "looking at the readers of shared data")
            starts = np.repeat(members_ptr[sets[low:high]] - total[low:high], counts[low:high])
            before = members[np.arange(total[low], total[high]) + starts]
            left.append(self._not_joined(before, np.repeat(after[low:high], counts[low:high])))
            low = high
        return self._swept(left)

    def _not_joined(self, before: Int64, after: Int64) -> Int64:
        """Return the pairs without an arc, each once, as rows."""
        key = np.unique((before * self._n + after)[~self.joined(before, after)])
        self._budget.spend(len(key) * _PAIR_STEPS, "looking for ancestors")
        return np.stack(np.divmod(key, max(self._n, 1)), axis=1)

    def _swept(self, chunks: list[Int64]) -> tuple[int, int] | None:
        pairs = np.unique(np.concatenate([np.empty((0, 2), np.int64), *chunks]), axis=0)
        if np.any(wrong := pairs[:, 0] >= pairs[:, 1]):  # every arc leads forward
            before, after = pairs[int(np.argmax(wrong))].tolist()
            return before, after
        at_once = min(max(_BITS_AT_ONCE // max(self._n, 1), 64), 4096)
        firsts, which = np.unique(pairs[:, 0], return_inverse=True)
        for low in range(0, len(firsts), at_once):
            mine = (which >= low) & (which < low + at_once)
            found = self._sweep(firsts[low : low + at_once], pairs[mine])
            if found is not None:
                return found
        return None

    def _sweep(self, firsts: Int64, pairs: Int64) -> tuple[int, int] | None:
        start, stop = int(firsts[0]), int(pairs[:, 1].max()) + 1
        inside = np.flatnonzero((self._tails >= start) & (self._heads < stop))
        self._budget.spend((stop - start + len(inside)) * (_JOB_STEPS + len(firsts) // 32), "sweeping for ancestors")
        bit = {job: 1 << number for number, job in enumerate(firsts.tolist())}
        needed: dict[int, int] = {}
        for before, after in pairs.tolist():
            needed[after] = needed.get(after, 0) | bit[before]
        inside = inside[np.argsort(self._heads[inside], kind="stable")]
        parents = (self._tails[inside] - start).tolist()
        ends = np.searchsorted(self._heads[inside], np.arange(start, stop + 1)).tolist()
        masks: list[int] = []
        for job in range(start, stop):
            mask = 0
            for parent in parents[ends[job - start] : ends[job - start + 1]]:
                mask |= masks[parent]
            if missing := needed.get(job, 0) & ~mask:
                return int(firsts[missing.bit_length() - 1]), job
            masks.append(mask | bit.get(job, 0))
        return None


def is_among(values: Int64, ascending: Int64) -> NDArray[np.bool_]:
    """Tell which values are among others that ascend.

    Examples
    --------
    >>> is_among(np.array([5, 1, 9]), np.array([1, 5]))
    array([ True,  True, False])
    """
    at = np.searchsorted(ascending, values)
    found: NDArray[np.bool_] = np.append(ascending, -1)[at] == values
    return found
