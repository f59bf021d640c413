"""How each block of a dag is executed: an order of its non-sinks, what it yields, and whether that is proved optimal.

Real workflows repeat the same few blocks thousands of times, so the work is done once for each structure: complete
bipartite blocks are told by two numbers, the others by their edges in the block's own numbering.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from eligo.dag import Dag, Int32, Int64
from eligo.priority.blocks import BlockSchedule, schedule_block
from eligo.priority.decompose import Blocks

__all__ = ["Plan", "plan_blocks"]


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


def plan_blocks(blocks: Blocks, budget: int, general: Callable[[Dag], BlockSchedule]) -> list[Plan]:
    """Plan every block of a dag.

    Parameters
    ----------
    budget
        The number of states that exact search may look at for one block.
    general
        Schedules a block that is not bipartite.
    """
    known: dict[tuple[object, ...], BlockSchedule] = {}

    def once(key: tuple[object, ...], schedule: Callable[[], BlockSchedule]) -> BlockSchedule:
        found = known.get(key)
        if found is None:
            found = known[key] = schedule()
        return found

    def plan(block: int) -> Plan:
        jobs = blocks.nonsinks_of(block)
        if complete[block]:
            found = once((len(jobs), heads[block]), lambda: schedule_block(blocks.bipartite_of(block), budget))
        elif bipartite[block]:
            shape = blocks.bipartite_of(block)
            found = once((shape.ptr.tobytes(), shape.idx.tobytes()), lambda: schedule_block(shape, budget))
        else:
            dag, jobs = blocks.dag_of(block)
            found = once(("", dag.succ_ptr.tobytes(), dag.succ.tobytes()), lambda: general(dag))
        return Plan(jobs[found.order], found.e, found.kind, found.optimal, found.witness)

    complete, bipartite = blocks.complete.tolist(), blocks.bipartite.tolist()
    heads = np.diff(blocks.head_ptr).tolist()
    return [plan(block) for block in range(blocks.count)]
