"""Strategy ``prio`` in plain Python, from 002, section 3.1, and the errata: every number from its definition.

The orders of single blocks come from outside, since several are equally right; all else is done here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import pairwise

from eligo.dag import Dag
from tests.reference.decomposition import decompose
from tests.reference.sweep_twin import has_priority, r_priority


@dataclass
class PlainBlock:
    """A block: its non-sinks, ascending, and the children of each."""

    nonsinks: list[int]
    children: dict[int, list[int]]

    @property
    def heads(self) -> set[int]:
        return {child for row in self.children.values() for child in row}

    @property
    def bipartite(self) -> bool:
        return not self.heads & set(self.nonsinks)

    def eligible(self, executed: set[int]) -> int:
        """How many jobs of the block are ELIGIBLE after some of it are executed; sources count."""
        jobs = set(self.nonsinks) | self.heads
        waiting = {child for job in self.nonsinks if job not in executed for child in self.children[job]}
        return len(jobs - executed - waiting)

    def profile(self, order: list[int]) -> list[int]:
        return [self.eligible(set(order[:steps])) for steps in range(len(order) + 1)]

    def area(self, order: list[int]) -> int:
        return sum(self.profile(order))


@dataclass
class PlainPrio:
    order: list[int]
    sequence: list[int]
    loss: Fraction
    falls: bool
    classes: int


def blocks_of(dag: Dag) -> list[PlainBlock]:
    """Step 2, no arc lost: the blocks by their lowest non-sink."""
    parts = [sorted(part.nonsinks) for part in decompose(dag, repaired=True) if part.nonsinks]
    return [PlainBlock(part, {job: dag.children(job).tolist() for job in part}) for part in sorted(parts)]


def before(blocks: list[PlainBlock]) -> list[set[int]]:
    """The super-dag: for each block the blocks that lead to a job of it."""
    return [
        {a for a, one in enumerate(blocks) if a != b and one.heads & set(other.nonsinks)}
        for b, other in enumerate(blocks)
    ]


def prio(dag: Dag, order_of: Callable[[PlainBlock], list[int]]) -> PlainPrio:
    blocks = blocks_of(dag)
    orders = [order_of(block) for block in blocks]
    profiles = [block.profile(order) for block, order in zip(blocks, orders, strict=True)]
    sequence, loss = sequence_of(profiles, before(blocks))
    return PlainPrio(
        finished(dag, [orders[b] for b in sequence]),
        sequence,
        loss,
        all(has_priority(profiles[a], profiles[b]) for a, b in pairwise(sequence)),
        len(set(map(tuple, profiles))),
    )


def sequence_of(profiles: Sequence[Sequence[int]], waits_for: Sequence[set[int]]) -> tuple[list[int], Fraction]:
    """Step 6: the blocks as they are executed, and the smallest of their smallest priorities."""
    sequence, left, loss = list[int](), set(range(len(profiles))), Fraction(1)
    priority = cache(r_priority)
    while left:
        sources = [b for b in sorted(left) if not waits_for[b] & left]
        kept = {
            b: min((priority(tuple(profiles[b]), tuple(profiles[c])) for c in sources if c != b), default=Fraction(1))
            for b in sources
        }
        best = max(sources, key=lambda b: (kept[b], -b))
        loss = min(loss, kept[best])
        sequence.append(best)
        left.remove(best)
    return sequence, loss


def by_steepest_start(dag: Dag, order_of: Callable[[PlainBlock], list[int]]) -> list[int]:
    """The order where no priority is worked out: the most jobs made ELIGIBLE for each of the first non-sinks."""
    blocks, sequence = blocks_of(dag), list[int]()
    waits_for, left = before(blocks), set(range(len(blocks)))
    orders = [order_of(block) for block in blocks]

    def start(b: int) -> Fraction:
        profile = blocks[b].profile(orders[b])
        return max(Fraction(profile[x] - profile[0] + x, x) for x in range(1, len(profile)))

    while left:
        best = max((b for b in left if not waits_for[b] & left), key=lambda b: (start(b), -b))
        sequence.append(best)
        left.remove(best)
    return finished(dag, [orders[b] for b in sequence])


def finished(dag: Dag, orders: list[list[int]]) -> list[int]:
    """Non-sinks block by block, then the sinks."""
    return [job for order in orders for job in order] + [job for job in range(dag.n) if not len(dag.children(job))]


def theory_succeeds(dag: Dag, best_of: Callable[[PlainBlock], list[int] | None]) -> bool:
    """Steps 3 to 5 of the theoretical algorithm (002, section 2.2).

    Every block has an IC-optimal schedule, whose profile `best_of` gives; any two have priority one way or the other;
    each has it over those that wait for it.
    """
    blocks = blocks_of(dag)
    best = [best_of(block) for block in blocks]
    profiles = [profile for profile in best if profile is not None]
    if len(profiles) < len(blocks):
        return False
    comparable = all(has_priority(a, b) or has_priority(b, a) for a in profiles for b in profiles)
    return comparable and all(
        has_priority(profiles[a], profiles[b]) for b, parents in enumerate(before(blocks)) for a in parents
    )
