"""Execute groups of blocks one after the other, and prove that nothing does better.

Given a dag, its blocks with an optimal order of each, and groups of blocks in an order that the super-dag allows: the
blocks of a group are interleaved by a sweep, and groups follow each other. If every group's sum admits an IC-optimal
schedule and each group has priority over the next, the result is IC-optimal (Cordasco et al. 2010, Theorem 2.1 and 4.1;
true when all ELIGIBLE jobs are counted, and for blocks of any kind: ERRATA, part 1, section 3). The proof is a
*composition* witness: the blocks with their own proofs, and the groups.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from eligo.dag import Dag, Int32, Int64
from eligo.graph import sinks
from eligo.priority.linearize import YieldClasses, rows
from eligo.priority.plans import Plans
from eligo.priority.proof import Failure, Proof
from eligo.priority.relation import has_priority
from eligo.priority.sweep import take_turns
from eligo.schedule import places

__all__ = ["compose", "compose_groups"]


def compose_groups(dag: Dag, plans: Plans, groups: Sequence[Sequence[int]], classes: YieldClasses) -> Proof | Failure:
    """Execute groups of blocks one after the other, or tell why that is not proved IC-optimal."""
    parts: list[Int32] = []
    before: Int64 | None = None
    last: int | None = None  # the class of the group before, where it is a single block
    for number, group in enumerate(groups):
        single = classes.of[group[0]] if len(group) == 1 else None
        jobs, e = _run_group(plans, group, classes)
        if jobs is None:
            return Failure("linearization", f"the sum of group {number + 1} of {len(groups)} admits no optimal order")
        if single is not None and last is not None:
            falls = classes.over(last, single)
        else:
            falls = before is None or has_priority(before, e)
        if not falls:
            return Failure("linearization", f"group {number} of {len(groups)} has no priority over the next one")
        parts.append(jobs)
        before, last = e, single
    return compose(dag, np.concatenate([np.zeros(0, np.int32), *parts]), plans, groups)


def compose(dag: Dag, nonsinks: Int32, plans: Plans, groups: Sequence[Sequence[int]]) -> Proof:
    """Return the proof that an order of non-sinks is IC-optimal which yields what the groups allow at best."""
    order = np.concatenate([nonsinks, sinks(dag)])
    place = places(order)
    witnesses = [schedule.witness for schedule in plans.schedules]
    blocks = [
        {"jobs": jobs, "witness": witnesses[structure]}
        for jobs, structure in zip(rows(plans.ptr, place[plans.jobs]), plans.structure.tolist(), strict=True)
    ]
    witness = {"by": "composition", "dropped": [], "blocks": blocks, "groups": [list(group) for group in groups]}
    return Proof(order, len(nonsinks), witness)


def _run_group(plans: Plans, group: Sequence[int], classes: YieldClasses) -> tuple[Int32 | None, Int64]:
    """Return the jobs of a group's blocks in an optimal order, if there is one, and what they yield."""
    first = plans[group[0]]
    if len(group) == 1:
        return first.jobs, first.e
    swept = classes.swept(group)
    if swept.steps is None or swept.e is None:
        return None, first.e
    return take_turns([plans[block].jobs for block in group], swept.steps), swept.e
