"""Strands: the order of 10,000 sources beside the same greedy in plain Python, and rules for large irregular blocks."""

from __future__ import annotations

import sys

import numpy as np

from benchmarks.measure import best_times, print_table
from eligo import generate, graph
from eligo.dag import Dag
from eligo.priority._blocks.bipartite import Bipartite
from eligo.priority._blocks.block_orders import best_rule
from eligo.priority._blocks.strands import Strands, find_strands, schedule_strands
from tests.reference.strands import strand_order

# The plain greedy looks at a whole row after each step, which is quadratic where the best source is always at an end.
_MOST_FOR_PLAIN = 2_000


def strands(rng: np.random.Generator, s: int) -> dict[str, Dag]:
    """Strands of about s sources: random, as repetitive as can be, and many small ones."""
    few = [generate.strand("T", rng.integers(2, 5, 5).tolist()) for _ in range(s // 5)]
    return {
        "T, random degrees": generate.strand("T", rng.integers(2, 5, s).tolist()),
        "W[2, 2, ...]": generate.strand("W", [2] * s),
        "M[2, 2, ...]": generate.strand("M", [2] * s),
        "T[2, 2, ...]": generate.strand("T", [2] * (2 * s)),
        "T[3, 2, 3, 2, ...]": generate.strand("T", [3, 2] * s),
        "sum of many T-strands": graph.sum_of(few),
    }


def _completed(block: Bipartite, found: Strands) -> list[int]:
    """Return for each place of the row how many sinks have their rightmost parent there."""
    gains: list[int] = np.diff(block.eligible_sinks(found.sources)).tolist()
    return gains


def _row(name: str, dag: Dag, small: Dag) -> list[str]:
    block, short = Bipartite.from_dag(dag)[0], Bipartite.from_dag(small)[0]
    found, found_short = find_strands(block), find_strands(short)
    assert found is not None
    assert found_short is not None
    times = best_times(
        [
            lambda: find_strands(block),
            lambda: schedule_strands(block, found),
            lambda: schedule_strands(short, found_short),
            lambda: strand_order(
                _completed(short, found_short), found_short.sources.tolist(), found_short.starts.tolist()
            ),
        ]
    )
    recognise, order, order_short, plain = (1000 * time for time in times)
    return [
        f"{name}: {block.sources:,} sources",
        f"{recognise:.1f} ms",
        f"{order:.1f} ms",
        f"{plain:.0f} ms at {short.sources:,} ({plain / order_short:,.0f} times)",
    ]


def _irregular(rng: np.random.Generator, s: int) -> Bipartite:
    """A block with s sources, s sinks and about 3 s edges at random."""
    tails = np.concatenate([np.arange(s), np.arange(s), rng.integers(0, s, s)])
    heads = s + np.concatenate([np.arange(s), rng.permutation(s), rng.integers(0, s, s)])
    return Bipartite.from_dag(Dag.from_edges(2 * s, tails, heads))[0]


def main(s: int = 10_000) -> None:
    large = strands(np.random.default_rng(1), s)
    small = strands(np.random.default_rng(1), min(s, _MOST_FOR_PLAIN))
    print_table(
        "IC-optimal orders of strands (plain Python: the same greedy at a smaller size, and the ratio there)",
        ["strand", "recognise", "order", "plain Python"],
        [_row(name, large[name], small[name]) for name in large],
    )
    rows = []
    for size in (s // 100, s, 10 * s):
        block = _irregular(np.random.default_rng(size), size)
        (time,) = best_times([lambda block=block: best_rule(block)])  # type: ignore[misc]
        rows.append([f"{size:,} sources, {block.edges:,} edges", f"{1000 * time:.1f} ms"])
    print_table("Best rule for an irregular bipartite block", ["block", "order"], rows)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
