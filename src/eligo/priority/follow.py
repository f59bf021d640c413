"""Follow the bound: execute blocks in turns so that no step falls below what all blocks together could yield at best.

Let U(t) be the most that t non-sinks can yield if the blocks did not depend on each other: the best of their sum. Any
order that yields U(t) at every t is IC-optimal, in whatever turns it executes the blocks (ERRATA, part 1, section 3).
So beyond the linearization of the papers, which takes whole blocks or sums of all that are available, it is enough to
look for such an order: at each step the blocks whose next job is ELIGIBLE and yields U(t + 1) - U(t) may go on.

The search prefers the block that can go on along U for longest, and goes back where none can go on, within a budget of
steps. Where the blocks can be put in a chain of priorities U is known at once, whatever order their dependencies force;
else it takes a (max,+) convolution. Cost: O(1 + blocks that may go on) a step without going back.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from eligo.dag import Dag, Int32, Int64
from eligo.priority.plans import Plan
from eligo.priority.proof import Failure
from eligo.priority.relation import max_convolution, sort_by_priority

__all__ = ["best_of_all", "follow"]

_LARGEST = 20_000  # non-sinks beyond which the convolution of arbitrary yields takes too long
_STEPS_EACH = 50  # steps of search for each non-sink


def best_of_all(plans: Sequence[Plan]) -> tuple[Int64, list[list[int]]] | Failure:
    """Return U, and groups of blocks that prove it: a chain of single blocks, or all of them as one sum."""
    yields = [plan.e for plan in plans]
    chain = sort_by_priority(yields)
    if chain is not None:
        gains = np.concatenate([np.zeros(0, np.int64), *(np.diff(yields[block]) for block in chain)])
        return np.concatenate(([0], np.cumsum(gains))), [[block] for block in chain]
    if sum(map(len, yields)) > _LARGEST:
        return Failure("linearization", "the blocks are no chain of priorities, and too many for a table of their sum")
    total = yields[0]
    for e in yields[1:]:
        total = max_convolution(total, e)
    return total, [list(range(len(plans)))]


def follow(dag: Dag, plans: Sequence[Plan], best: Int64) -> Int32 | Failure:
    """Return the non-sinks in an order that yields `best`, or tell that none was found."""
    search = _Search(dag, plans, best)
    found = search.run()
    if found is None:
        return Failure(
            "linearization",
            f"no turns of the {len(plans)} blocks were found that yield what their sum allows;"
            f" the furthest come to step {search.furthest} of {len(best) - 1}",
        )
    return found


class _Search:
    def __init__(self, dag: Dag, plans: Sequence[Plan], best: Int64) -> None:
        self.dag = dag
        self.jobs = [plan.jobs.tolist() for plan in plans]
        self.gains = [np.diff(plan.e).tolist() for plan in plans]
        self.goal = np.diff(best).tolist()
        self.done = [0] * len(plans)
        self.missing = np.diff(dag.pred_ptr).tolist()
        self.block_of = {job: block for block, jobs in enumerate(self.jobs) for job in jobs}
        self.ready = {block for block, jobs in enumerate(self.jobs) if self.missing[jobs[0]] == 0}
        self.furthest = 0

    def run(self) -> Int32 | None:
        """Go forward while some block may go on, back where none may."""
        turns: list[int] = []
        choices = [self._choices(0)]
        budget = _STEPS_EACH * len(self.goal)
        while len(turns) < len(self.goal):
            budget -= 1
            if budget < 0:
                return None
            if choices[-1]:
                turns.append(choices[-1].pop())
                self._execute(turns[-1])
                self.furthest = max(self.furthest, len(turns))
                choices.append(self._choices(len(turns)) if len(turns) < len(self.goal) else [])
            else:
                choices.pop()
                if not turns:
                    return None
                self._take_back(turns.pop())
        rest = [iter(jobs) for jobs in self.jobs]
        return np.array([next(rest[block]) for block in turns], np.int32)

    def _choices(self, step: int) -> list[int]:
        """Return the blocks that may go on, the one that can for longest last."""
        goal = self.goal
        fits = []
        for block in self.ready:
            gains, at = self.gains[block], self.done[block]
            run = 0
            while at + run < len(gains) and step + run < len(goal) and gains[at + run] == goal[step + run]:
                run += 1
            if run:
                fits.append((at + run == len(gains), run, -block))
        return [-block for _, _, block in sorted(fits)]

    def _execute(self, block: int) -> None:
        job = self.jobs[block][self.done[block]]
        self.done[block] += 1
        for child in self.dag.children(job).tolist():
            self.missing[child] -= 1
            if self.missing[child] == 0 and child in self.block_of:
                self._refresh(self.block_of[child])
        self._refresh(block)

    def _take_back(self, block: int) -> None:
        self.done[block] -= 1
        job = self.jobs[block][self.done[block]]
        for child in self.dag.children(job).tolist():
            self.missing[child] += 1
            if child in self.block_of:
                self._refresh(self.block_of[child])
        self._refresh(block)

    def _refresh(self, block: int) -> None:
        """Note whether the next job of a block is ELIGIBLE."""
        at, jobs = self.done[block], self.jobs[block]
        if at < len(jobs) and self.missing[jobs[at]] == 0:
            self.ready.add(block)
        else:
            self.ready.discard(block)
