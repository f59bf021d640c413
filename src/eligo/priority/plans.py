"""How each block of a dag is executed: an order of its non-sinks, what it yields, and whether that is proved optimal.

Real workflows repeat the same few blocks thousands of times, so the work is done once for each structure, and plans of
single blocks are made when they are asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, overload

import numpy as np

from eligo import _core
from eligo.dag import Dag, Int32, Int64
from eligo.priority.bipartite import Bipartite
from eligo.priority.blocks import BlockSchedule
from eligo.priority.decompose import Blocks

__all__ = ["Plan", "Plans", "plan_blocks"]


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
