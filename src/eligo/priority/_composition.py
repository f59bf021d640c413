"""Execute groups of blocks one after the other, and prove that nothing does better.

Given a dag, its blocks with an optimal order of each, and groups of blocks in an order that the super-dag allows: the
blocks of a group are interleaved by a sweep, and groups follow each other. If every group's sum admits an IC-optimal
schedule and each group has priority over the next, the result is IC-optimal (Cordasco et al. 2010, Theorem 2.1 and 4.1;
true when all ELIGIBLE jobs are counted, and for blocks of any kind: ERRATA, part 1, section 3). The proof is a
*composition* witness: the blocks with their own proofs, and the groups.

What was found out about parts of a dag, put together: parts in series, and the components of a sum.

Both ways of falling apart decide the whole. In series every execution runs through one part after the other, so the
whole admits an IC-optimal schedule exactly if every part does. In a sum the parts are independent: each must admit one,
and the sweep must find an interleaving.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from eligo.dag import Dag, Int32, Int64
from eligo.graph import sinks
from eligo.priority._block_schedules import Plans, YieldClasses, rows
from eligo.priority._priority_relation import has_priority, yields_of
from eligo.priority._proof import Failure, Proof, Refutation, nonsinks_of
from eligo.priority._sweep import SumSweep, sweep, take_turns
from eligo.schedule import Schedule, places, sinks_last

__all__ = [
    "as_sum",
    "compose",
    "compose_groups",
    "in_series",
]


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


Found = Proof | Refutation | None


def in_series(dag: Dag, parts: Sequence[Int32], found: Sequence[Found]) -> Proof | Refutation | Failure:
    """Put the answers for parts that follow each other together; each part is its jobs, ascending."""
    in_turn = places(dag.order)
    orders = [
        part[np.argsort(in_turn[part])] if one is None else part[one.order]
        for part, one in zip(parts, found, strict=True)
    ]
    order = sinks_last(dag, np.concatenate(orders).astype(np.int32))
    inside: list[dict[str, Any]] = []
    for part, one in zip(parts, found, strict=True):
        if isinstance(one, Refutation):
            before = sum(map(len, parts[: len(inside)]))
            witness = {"by": "series", "before": before, "jobs": len(part), "witness": one.witness}
            return Refutation(order, nonsinks_of(dag), witness)
        inside.append({"jobs": len(part), "witness": None if one is None else one.witness})
    unsettled = [part["jobs"] for part in inside if part["witness"] is None]
    if unsettled:
        start = _unsettled("parts in series", len(parts), len(unsettled))
        return Failure("series", f"{start}, the first of {unsettled[0]} job{'s' * (unsettled[0] != 1)}")
    return Proof(order, nonsinks_of(dag), {"by": "series", "parts": inside})


def as_sum(
    dag: Dag, parts: Sequence[Int32], dags: Sequence[Dag], found: Sequence[Found]
) -> Proof | Refutation | Failure:
    """Put the answers for the components of a dag together; each part is its jobs, ascending."""
    nonsinks = [
        part[sinks_last(its, its.order if one is None else one.order)[: nonsinks_of(its)]]
        for part, its, one in zip(parts, dags, found, strict=True)
    ]
    in_turn = _order(dag, nonsinks, np.repeat(np.arange(len(parts)), [len(jobs) for jobs in nonsinks]))
    yields, witnesses = [], []
    known: dict[int, Int64] = {}  # parts of equal structure have one answer
    for part, its, one in zip(nonsinks, dags, found, strict=True):
        if isinstance(one, Refutation):
            witness = {"by": "part", "jobs": places(in_turn)[part].tolist(), "witness": one.witness}
            return Refutation(in_turn, nonsinks_of(dag), witness)
        if one is not None:
            if id(one) not in known:
                known[id(one)] = yields_of(Schedule.of(its, one.order))
            yields.append(known[id(one)])
            witnesses.append(one.witness)
    if len(yields) < len(parts):
        return Failure("sum", _unsettled("components", len(parts), len(parts) - len(yields)))
    swept = sweep(yields)
    if swept.steps is None:
        return _refuted(dag, in_turn, nonsinks, witnesses, swept)
    order = _order(dag, nonsinks, swept.steps)
    # A chain is checked in no time, a sum of many takes tables.
    groups = [list(range(len(parts)))] if swept.chain is None else [[number] for number in swept.chain]
    witness = {"by": "composition", "dropped": [], "blocks": _named(order, nonsinks, witnesses), "groups": groups}
    return Proof(order, nonsinks_of(dag), witness)


def _unsettled(what: str, count: int, open_ones: int) -> str:
    if count == 1:  # isolated jobs are left out
        return "the only component with edges is not settled"
    return f"of {count} {what} {open_ones} {'is' if open_ones == 1 else 'are'} not settled"


def _refuted(
    dag: Dag, order: Int32, nonsinks: Sequence[Int32], witnesses: Sequence[Any], swept: SumSweep
) -> Refutation:
    """Name the components up to the one at which the sweep failed."""
    last = len(nonsinks) if swept.stage is None else swept.stage + 1
    parts = _named(order, nonsinks[:last], witnesses[:last])
    return Refutation(order, nonsinks_of(dag), {"by": "sweep", "parts": parts})


def _order(dag: Dag, nonsinks: Sequence[Int32], turns: Int32 | Int64) -> Int32:
    """Return the order that takes the next non-sink of one part after the other, as told, and then the sinks."""
    return np.concatenate([take_turns(nonsinks, turns), sinks(dag)])


def _named(order: Int32, nonsinks: Sequence[Int32], witnesses: Sequence[Any]) -> list[dict[str, Any]]:
    place = places(order)
    return [
        {"jobs": place[jobs].tolist(), "witness": witness} for jobs, witness in zip(nonsinks, witnesses, strict=True)
    ]
