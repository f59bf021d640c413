"""Bipartite blocks by brute force over sets of sources, and 003's greedy straight from its text."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from eligo.priority.bipartite import Bipartite

Children = Sequence[Sequence[int]]


def children_of(block: Bipartite) -> list[list[int]]:
    return [block.idx[a:b].tolist() for a, b in zip(block.ptr[:-1], block.ptr[1:], strict=True)]


def block_of(children: Children) -> Bipartite:
    """Return the block with these children of its sources; sinks are renumbered so that none is missing."""
    number = {sink: i for i, sink in enumerate(sorted({sink for row in children for sink in row}))}
    rows = [sorted({number[sink] for sink in row}) for row in children]
    ptr = np.cumsum([0, *map(len, rows)]).astype(np.int64)
    return Bipartite(len(number), ptr, np.array([sink for row in rows for sink in row], np.int32))


def relabelled(block: Bipartite, rng: np.random.Generator) -> tuple[Bipartite, list[int]]:
    """Return the block with its sources and sinks renumbered at random, and the new numbers of the sources."""
    sources, sinks = rng.permutation(block.sources), rng.permutation(block.sinks)
    children: list[list[int]] = [[] for _ in range(block.sources)]
    for source, row in enumerate(children_of(block)):
        children[sources[source]] = sorted(sinks[row].tolist())
    return block_of(children), sources.tolist()


def gains_by_set(block: Bipartite) -> list[int]:
    """Return for each set of sources, as bits, how many sinks have all their parents in it."""
    s = block.sources
    exactly = [0] * (1 << s)
    parents = [0] * block.sinks
    for source, row in enumerate(children_of(block)):
        for sink in row:
            parents[sink] |= 1 << source
    for mask in parents:
        exactly[mask] += 1
    for bit in range(s):  # sums over subsets
        for mask in range(1 << s):
            if mask >> bit & 1:
                exactly[mask] += exactly[mask ^ 1 << bit]
    return exactly


def best_e(block: Bipartite) -> list[int]:
    """Return e_max(0), ..., e_max(s)."""
    best = [0] * (block.sources + 1)
    for mask, count in enumerate(gains_by_set(block)):
        size = mask.bit_count()
        best[size] = max(best[size], count)
    return best


def admits_optimal_order(block: Bipartite) -> bool:
    """Tell whether one order of the sources reaches e_max at every step."""
    counts, best, s = gains_by_set(block), best_e(block), block.sources
    reached = {0}
    for size in range(1, s + 1):
        grown = {mask | 1 << bit for mask in reached for bit in range(s) if not mask >> bit & 1}
        reached = {mask for mask in grown if counts[mask] == best[size]}
    return bool(reached)


def largest_area(block: Bipartite) -> int:
    """Return the largest sum of e(0), ..., e(s) over all orders."""
    counts = gains_by_set(block)
    value = [0] * len(counts)
    for mask in range(1, len(counts)):
        value[mask] = counts[mask] + max(value[mask ^ 1 << bit] for bit in range(block.sources) if mask >> bit & 1)
    return value[-1]


def eligibility_vector(rows: Sequence[Sequence[int]], parents: Sequence[set[int]], source: int) -> list[int]:
    """003's V_u: the sinks whose remaining parents are all among u and the k - 1 sources to its right, k = 1, 2, ..."""
    row = next(row for row in rows if source in row)
    run = list(row)[list(row).index(source) :]
    length = sum(map(len, rows))
    return [sum(sink <= set(run[: k + 1]) for sink in parents) for k in range(length)]


def greedy_orders(block: Bipartite, rows: Sequence[Sequence[int]], *, recompute: bool = True) -> list[int]:
    """003's lexicographic greedy: ties to the lower number; with `recompute` off, by the first vectors only."""
    parents = [{u for u, row in enumerate(children_of(block)) if sink in row} for sink in range(block.sinks)]
    left = [list(row) for row in rows]
    vectors = {u: eligibility_vector(left, parents, u) for row in left for u in row}
    order: list[int] = []
    while vectors:
        best = min(vectors, key=lambda u: ([-x for x in vectors[u]], u))
        order.append(best)
        del vectors[best]
        parents = [sink - {best} for sink in parents if sink != {best}]
        left = [part for row in left for part in _split(row, best) if part]
        if recompute:
            vectors = {u: eligibility_vector(left, parents, u) for row in left for u in row}
    return order


def _split(row: list[int], source: int) -> list[list[int]]:
    if source not in row:
        return [row]
    at = row.index(source)
    return [row[:at], row[at + 1 :]]


def is_caterpillar_forest(block: Bipartite) -> bool:
    """No cycle, and no node with three neighbours that have two neighbours each."""
    edges = [(u, block.sources + sink) for u, row in enumerate(children_of(block)) for sink in row]
    n = block.sources + block.sinks
    group = list(range(n))
    neighbours: list[set[int]] = [set() for _ in range(n)]
    for u, v in edges:
        if group[u] == group[v]:
            return False
        group = [group[u] if g == group[v] else g for g in group]
        neighbours[u].add(v)
        neighbours[v].add(u)
    return all(
        not all(len(neighbours[w]) > 1 for w in three) for v in range(n) for three in combinations(neighbours[v], 3)
    )
