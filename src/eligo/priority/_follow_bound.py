"""Follow the bound: execute blocks in turns so that no step falls below what all blocks together could yield at best.

Let U(t) be the most that t non-sinks can yield if the blocks did not depend on each other: the best of their sum. Any
order that yields U(t) at every t is IC-optimal, in whatever turns it executes the blocks (ERRATA, part 1, section 3).
So beyond the linearization of the papers, which takes whole blocks or sums of all that are available, it is enough to
look for such an order: at each step the blocks whose next job is ELIGIBLE and yields U(t + 1) - U(t) may go on.

The search prefers the block that can go on along U for longest, and goes back where none can go on, within a budget of
steps and of work. Where the blocks can be put in a chain of priorities U is known at once, whatever order their
dependencies force; else it takes a (max,+) convolution. Cost: O(1 + kinds of blocks that may go on) a step
without going back.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from dataclasses import dataclass

import numpy as np

from eligo.dag import Dag, Int32, Int64
from eligo.priority._block_schedules import Plans, YieldClasses, rows
from eligo.priority._priority_relation import max_convolution, sort_by_priority
from eligo.priority._proof import Failure

__all__ = ["Allowance", "best_of_all", "follow"]

_LARGEST = 20_000  # non-sinks beyond which the convolution of arbitrary yields takes too long
_STEPS_EACH = 3  # steps of one search for each non-sink: the way there, and as much again for ways back
_MOST_WORK = 20_000_000  # looks at stages and children in all: seconds

_Stage = tuple[int, int]


@dataclass(slots=True)
class _Choices:
    """What may still be tried at a step: stages, the best last, and the last block tried of these."""

    stages: list[list[_Stage]]
    tried: int = -1


def best_of_all(plans: Plans) -> tuple[Int64, list[list[int]]] | Failure:
    """Return U, and groups of blocks that prove it: a chain of single blocks, or all of them as one sum."""
    yields = [plans.schedules[structure].e for structure in plans.structure.tolist()]
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


@dataclass(slots=True)
class Allowance:
    """How many steps all searches for the parts of one dag may take together; some 25 microseconds each."""

    steps: int = 100_000


def follow(dag: Dag, plans: Plans, best: Int64, allowance: Allowance) -> Int32 | Failure:
    """Return the non-sinks in an order that yields `best`, or tell that none was found."""
    if len(best) > allowance.steps:
        return Failure("linearization", "too many steps were spent on finding turns of the blocks")
    search = _Search(dag, plans, best)
    found = search.run(allowance)
    if found is None:
        return Failure(
            "linearization",
            f"no turns of the {len(plans)} blocks were found that yield what their sum allows;"
            f" the furthest come to step {search.furthest} of {len(best) - 1}",
        )
    return found


class _Search:
    """Blocks in turns, one step at a time, forward and back.

    Blocks with equal yields that are equally far are alike: they form one *stage*, a class of yields and how much of it
    is done. The stages with a block whose next job is ELIGIBLE are kept by what that job yields, so that a step looks
    at the few stages that fit and not at every block.
    """

    def __init__(self, dag: Dag, plans: Plans, best: Int64) -> None:
        self.dag = dag
        self.jobs = rows(plans.ptr, plans.jobs)
        self.classes = YieldClasses(plans)
        self.gains = [np.diff(e).tolist() for e in self.classes.e]
        self.goal = np.diff(best).tolist()
        self.done = [0] * len(plans)
        self.missing = np.diff(dag.pred_ptr).tolist()
        self.block_of = {job: block for block, jobs in enumerate(self.jobs) for job in jobs}
        self.ready: dict[_Stage, list[int]] = {}  # blocks, ascending
        self.by_gain: dict[int, set[_Stage]] = {}
        self.stage_of: list[_Stage | None] = [None] * len(plans)
        self.runs: dict[tuple[int, int], tuple[int, int]] = {}
        self.work = 0
        self.furthest = 0
        for block in range(len(plans)):
            self._refresh(block)

    def run(self, allowance: Allowance) -> Int32 | None:
        """Go forward while some block may go on, back where none may."""
        turns: list[int] = []
        choices = [self._choices(0)]
        budget = _STEPS_EACH * len(self.goal) + 1_000
        while len(turns) < len(self.goal):
            budget -= 1
            allowance.steps -= 1
            if min(budget, allowance.steps) < 0 or self.work > _MOST_WORK:
                return None
            block = self._next_of(choices[-1])
            if block is not None:
                turns.append(block)
                self._execute(block)
                self.furthest = max(self.furthest, len(turns))
                choices.append(self._choices(len(turns)) if len(turns) < len(self.goal) else _Choices([]))
            else:
                choices.pop()
                if not turns:
                    return None
                self._take_back(turns.pop())
        rest = [iter(jobs) for jobs in self.jobs]
        return np.array([next(rest[block]) for block in turns], np.int32)

    def _choices(self, step: int) -> _Choices:
        """Return the stages that may go on, those that can for longest last; equally good ones together."""
        fits: dict[tuple[bool, int], list[_Stage]] = {}
        stages = self.by_gain.get(self.goal[step], ())
        self.work += len(stages)
        for stage in stages:
            run = self._run_of(stage, step)
            fits.setdefault((stage[1] + run == len(self.gains[stage[0]]), run), []).append(stage)
        return _Choices([fits[key] for key in sorted(fits)])

    def _run_of(self, stage: _Stage, step: int) -> int:
        """Return for how many steps a block can go on along the goal; it is found once for all steps of such a run."""
        cls, at = stage
        gains, goal = self.gains[cls], self.goal
        start, stop = self.runs.get((cls, step - at), (0, 0))
        if not start <= step < stop:
            stop = step
            while at + stop - step < len(gains) and stop < len(goal) and gains[at + stop - step] == goal[stop]:
                stop += 1
            self.work += stop - step
            self.runs[cls, step - at] = step, stop
        return stop - step

    def _next_of(self, choices: _Choices) -> int | None:
        """Return the best block not yet tried; what is ready is the same whenever a step is come back to."""
        while choices.stages:
            self.work += len(choices.stages[-1])
            lists = [self.ready[stage] for stage in choices.stages[-1]]
            later = [blocks[i] for blocks in lists if (i := bisect_right(blocks, choices.tried)) < len(blocks)]
            if later:
                choices.tried = min(later)
                return choices.tried
            choices.stages.pop()
            choices.tried = -1
        return None

    def _execute(self, block: int) -> None:
        job = self.jobs[block][self.done[block]]
        self.done[block] += 1
        self._change(block, self.dag.children(job).tolist(), -1)

    def _take_back(self, block: int) -> None:
        self.done[block] -= 1
        job = self.jobs[block][self.done[block]]
        self._change(block, self.dag.children(job).tolist(), 1)

    def _change(self, block: int, children: list[int], change: int) -> None:
        self.work += len(children)
        for child in children:
            self.missing[child] += change
            if self.missing[child] <= 1 and child in self.block_of:
                self._refresh(self.block_of[child])
        self._refresh(block)

    def _refresh(self, block: int) -> None:
        """Note whether the next job of a block is ELIGIBLE, and in which stage the block is."""
        at, jobs = self.done[block], self.jobs[block]
        ready = at < len(jobs) and self.missing[jobs[at]] == 0
        stage = (self.classes.of[block], at) if ready else None
        before = self.stage_of[block]
        if stage == before:
            return
        self.stage_of[block] = stage
        if before is not None:
            blocks = self.ready[before]
            del blocks[bisect_left(blocks, block)]
            if not blocks:
                self.by_gain[self.gains[before[0]][before[1]]].discard(before)
        if stage is not None:
            blocks = self.ready.setdefault(stage, [])
            if not blocks:
                self.by_gain.setdefault(self.gains[stage[0]][stage[1]], set()).add(stage)
            insort(blocks, block)
