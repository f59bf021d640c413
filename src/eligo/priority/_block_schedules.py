"""Order the blocks of a dag one after the other: step 3 of the algorithm of Cordasco et al. 2010, section 4.2.

If the blocks can be put in an order in which each has priority over the next (B1 |> B2 |> ...) and none comes before a
block it depends on, then executing them one after the other is IC-optimal. Where no available block has priority
over all others, the sum of the available ones may still have an IC-optimal schedule, interleaved by a sweep; the sum
then takes the place of a block. The result is a list of *groups*: single blocks, or sums.

    repeat: among the blocks that depend on no other, find one that has priority over the rest of them and over those
            that its removal makes available; take it. If there is none, take their sum if it has priority over the
            blocks that this makes available.

Every group taken has priority over every block left, by transitivity, so the groups form a chain.

The priority relation sees only what a block yields, so blocks are put into *classes* of equal yields, and relations are
tested once for a pair of classes. Where all classes form a chain, as they mostly do, the first of those available
leads. Cost: near-linear in the blocks then; else times the square of the number of classes that are available at once.

Section 5.1's *levelled sums* are a second way: where the blocks lie on levels, take the sum of every level.

How each block of a dag is executed: an order of its non-sinks, what it yields, and whether that is proved optimal.

Real workflows repeat the same few blocks thousands of times, so the work is done once for each structure, and plans of
single blocks are made when they are asked for.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import pairwise
from typing import Any, overload

import numpy as np

from eligo import _core
from eligo.dag import Dag, Int32, Int64
from eligo.priority._blocks.bipartite import Bipartite
from eligo.priority._blocks.block_orders import BlockSchedule
from eligo.priority._decompose import Blocks
from eligo.priority._priority_relation import has_priority, sort_by_priority
from eligo.priority._proof import Failure
from eligo.priority._sweep import SumSweep, sweep

__all__ = [
    "Plan",
    "Plans",
    "YieldClasses",
    "levelled_sums",
    "linearize",
    "plan_blocks",
]


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """How one block is executed.

    Attributes
    ----------
    jobs
        The block's non-sinks in order, by their numbers in the dag.
    e
        e(0), ..., e(N): how many of the block's non-sources have all their parents among the first so many.
    kind
        What the block is, for people.
    optimal
        Whether no order does better at any step; ``False`` where no such order exists, ``None`` where unknown.
    witness
        The proof, as a certificate holds it; ``None`` unless optimal.
    """

    jobs: Int32
    e: Int64
    kind: str
    optimal: bool | None
    witness: dict[str, Any] | None


@dataclass(frozen=True, slots=True, eq=False)
class Plans(Sequence[Plan]):
    """The plans of all blocks of a dag, by block.

    Attributes
    ----------
    structure
        The structure of each block.
    schedules
        How each structure is executed.
    ptr, jobs
        The non-sinks of each block in order, as compressed sparse rows.
    """

    structure: Int32
    schedules: Sequence[BlockSchedule]
    ptr: Int64
    jobs: Int32

    def __len__(self) -> int:
        return len(self.structure)

    @overload
    def __getitem__(self, block: int) -> Plan: ...
    @overload
    def __getitem__(self, block: slice) -> list[Plan]: ...
    def __getitem__(self, block: int | slice) -> Plan | list[Plan]:
        if isinstance(block, slice):
            return [self[one] for one in range(*block.indices(len(self)))]
        found = self.schedules[self.structure[block]]
        jobs = self.jobs[self.ptr[block] : self.ptr[block + 1]]
        return Plan(jobs, found.e, found.kind, found.optimal, found.witness)


def plan_blocks(
    blocks: Blocks, bipartite: Callable[[Bipartite], BlockSchedule], general: Callable[[Dag], BlockSchedule]
) -> Plans:
    """Plan every block of a dag.

    Parameters
    ----------
    bipartite, general
        These schedule a block that is bipartite, and one that is not.
    """
    structure, first = blocks.structures()
    schedules: list[BlockSchedule] = []
    orders = [np.zeros(0, np.int32)]  # of the non-sinks of each structure, numbered among themselves
    for block in first.tolist():
        if blocks.bipartite[block]:
            schedules.append(bipartite(blocks.bipartite_of(block)))
            orders.append(schedules[-1].order)
        else:
            dag, jobs = blocks.dag_of(block)
            schedules.append(general(dag))
            orders.append(np.searchsorted(blocks.nonsinks_of(block), jobs[schedules[-1].order]).astype(np.int32))
    ptr = np.cumsum(list(map(len, orders)))
    jobs = _core.jobs_of_sequence(
        np.arange(blocks.count, dtype=np.int32),
        blocks.nonsink_ptr,
        blocks.nonsinks,
        structure,
        ptr,
        np.concatenate(orders),
    )
    return Plans(structure, schedules, blocks.nonsink_ptr, jobs)


# Two sums of 30,000 jobs each are swept in seconds; what is larger is not worth the wait.
_LARGEST_SUM = 60_000


class YieldClasses:
    """Blocks grouped by what they yield, the priority relation between the groups, and sums of blocks."""

    def __init__(self, plans: Plans) -> None:
        self.e: list[Int64] = []
        number: dict[bytes, int] = {}
        for schedule in plans.schedules:  # structures come in the order of their first blocks, and so do classes
            if number.setdefault(schedule.e.tobytes(), len(self.e)) == len(self.e):
                self.e.append(schedule.e)
        by_structure = [number[schedule.e.tobytes()] for schedule in plans.schedules]
        self.of: list[int] = np.array(by_structure, np.int64)[plans.structure].tolist()
        self._over: dict[tuple[int, int], bool] = {}
        self._swept: dict[tuple[int, ...], SumSweep] = {}
        chain = sort_by_priority(self.e)
        self.rank = None if chain is None else dict(zip(chain, range(len(chain)), strict=True))
        """The place of each class in a chain of priorities, where all classes are one."""

    def over(self, one: int, other: int) -> bool:
        """Tell whether blocks of one class have priority over blocks of another."""
        if self.rank is not None and self.rank[one] < self.rank[other]:
            return True
        pair = one, other
        if pair not in self._over:
            self._over[pair] = has_priority(self.e[one], self.e[other])
        return self._over[pair]

    def swept(self, blocks: Sequence[int]) -> SumSweep:
        """Sweep the sum of some blocks, once."""
        key = tuple(blocks)
        if key not in self._swept:
            self._swept[key] = sweep([self.e[self.of[block]] for block in blocks])
        return self._swept[key]


def linearize(superdag: Dag, plans: Plans, classes: YieldClasses) -> list[list[int]] | Failure:
    """Return groups of blocks in an order in which each has priority over the next, or why none was found."""
    return _Linearizer(superdag, plans, classes).run()


class _Linearizer:
    def __init__(self, superdag: Dag, plans: Plans, classes: YieldClasses) -> None:
        self.plans = plans
        self.classes = classes
        self.children = rows(superdag.succ_ptr, superdag.succ)
        self.missing = np.diff(superdag.pred_ptr).tolist()
        self.available: dict[int, list[int]] = {}  # heaps of blocks, by class
        self.leaders: list[tuple[int, int]] = []  # a heap of classes by rank, some no longer available
        self.groups: list[list[int]] = []
        for block, missing in enumerate(self.missing):
            if missing == 0:
                self._offer(block)

    def run(self) -> list[list[int]] | Failure:
        while self.available:
            if not self._take_blocks():
                failure = self._take_sum()
                if failure is not None:
                    return failure
        return self.groups

    def _offer(self, block: int) -> None:
        cls = self.classes.of[block]
        if cls not in self.available and self.classes.rank is not None:
            heappush(self.leaders, (self.classes.rank[cls], cls))
        heappush(self.available.setdefault(cls, []), block)

    def _leads(self, leader: int) -> bool:
        over = self.classes.over
        rivals = (cls for cls, blocks in self.available.items() if cls != leader or len(blocks) > 1)
        return all(over(leader, rival) for rival in rivals)

    def _take_blocks(self) -> bool:
        """Take blocks of the first class that leads, as many as may be taken; tell whether there was one."""
        while self.leaders and self.leaders[0][1] not in self.available:
            heappop(self.leaders)
        if self.leaders:
            first = self.leaders[0][1]
            if self._leads_itself(first, len(self.available[first])) and self._take_from(first):
                return True
        for leader in sorted(self.available, key=lambda cls: self.available[cls][0]):
            if self._leads(leader) and self._take_from(leader):
                return True
        return False

    def _take_from(self, leader: int) -> bool:
        blocks, taken = self.available[leader], 0
        refused: list[int] = []
        while blocks and (not taken or self._leads_itself(leader, len(blocks) + len(refused))):
            block = heappop(blocks)
            fresh = self._released([block])
            if all(self.classes.over(leader, self.classes.of[child]) for child in fresh):
                self.groups.append([block])
                self._release([block], fresh)
                taken += 1
            else:
                refused.append(block)
        for block in refused:
            heappush(blocks, block)
        if not blocks:
            del self.available[leader]
        return taken > 0

    def _leads_itself(self, leader: int, count: int) -> bool:
        return count == 1 or self.classes.over(leader, leader)

    def _released(self, blocks: Sequence[int]) -> list[int]:
        """Return the blocks that become available when these are taken."""
        count: dict[int, int] = {}
        for block in blocks:
            for child in self.children[block]:
                count[child] = count.get(child, 0) + 1
        return [child for child, parents in count.items() if self.missing[child] == parents]

    def _release(self, blocks: Sequence[int], fresh: Sequence[int]) -> None:
        for block in blocks:
            for child in self.children[block]:
                self.missing[child] -= 1
        for child in fresh:
            self._offer(child)

    def _take_sum(self) -> Failure | None:
        blocks = sorted(block for heap in self.available.values() for block in heap)
        if len(blocks) == 1:
            return self._stuck(blocks, "it has no priority over a block that waits for it")
        if sum(len(self.classes.e[self.classes.of[block]]) for block in blocks) > _LARGEST_SUM:
            return self._stuck(blocks, "their sum is too large to be swept")
        total = self.classes.swept(blocks)
        if total.steps is None or total.e is None:
            return self._stuck(blocks, "their sum admits no IC-optimal schedule")
        fresh = self._released(blocks)
        best = total.e
        if not all(has_priority(best, self.classes.e[cls]) for cls in {self.classes.of[child] for child in fresh}):
            return self._stuck(blocks, "their sum has no priority over a block that waits for it")
        self.groups.append(blocks)
        self.available.clear()
        self._release(blocks, fresh)
        return None

    def _stuck(self, blocks: Sequence[int], why: str) -> Failure:
        done = sum(map(len, self.groups))
        kinds = list(dict.fromkeys(self.plans[block].kind for block in blocks))
        shown = ", ".join(kinds[:4]) + (", ..." if len(kinds) > 4 else "")
        start = f"after {done} of {len(self.plans)} blocks: "
        if len(blocks) == 1:
            return Failure("linearization", f"{start}the only available block is {shown}, and {why}")
        none = (
            f"none of the {len(blocks)} available blocks ({shown}) has priority over the others and what waits for it"
        )
        return Failure("linearization", f"{start}{none}, and {why}")


def levelled_sums(superdag: Dag) -> list[list[int]] | Failure:
    """Return the blocks by levels, where they lie on levels that only neighbours connect.

    Examples
    --------
    >>> levelled_sums(Dag.from_edges(3, [0, 1], [2, 2]))
    [[0, 1], [2]]
    >>> levelled_sums(Dag.from_edges(3, [0, 0, 1], [1, 2, 2])).step
    'levels'
    """
    children, parents = rows(superdag.succ_ptr, superdag.succ), rows(superdag.pred_ptr, superdag.pred)
    level: dict[int, int] = {}
    groups: dict[int, list[int]] = {}
    for root in range(superdag.n):
        if root in level:
            continue
        level[root] = 0
        part, queue = [root], deque([root])
        while queue:
            block = queue.popleft()
            for step, near in ((1, children[block]), (-1, parents[block])):
                for other in near:
                    if other not in level:
                        level[other] = level[block] + step
                        part.append(other)
                        queue.append(other)
                    elif level[other] != level[block] + step:
                        return Failure("levels", "the blocks do not lie on levels that only neighbours connect")
        lowest = min(level[block] for block in part)
        for block in part:
            groups.setdefault(level[block] - lowest, []).append(block)
    return [sorted(groups[number]) for number in sorted(groups)]


def rows(ptr: Int64, idx: Int32 | Int64) -> list[list[int]]:
    """Return compressed sparse rows as lists."""
    entries = idx.tolist()
    return [entries[start:stop] for start, stop in pairwise(ptr.tolist())]
