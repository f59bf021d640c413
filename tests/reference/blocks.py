"""Bipartite blocks by brute force over sets of sources, and 003's greedy straight from its text."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eligo.priority._blocks.bipartite import Bipartite

Children = Sequence[Sequence[int]]
Counts = NDArray[np.int64]


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


def gains_by_set(block: Bipartite) -> Counts:
    """Return for each set of sources, as bits, how many sinks have all their parents in it."""
    parents = np.zeros(block.sinks, np.int64)
    for source, row in enumerate(children_of(block)):
        parents[row] |= 1 << source
    counts = np.bincount(parents, minlength=1 << block.sources)
    for bit in range(block.sources):  # sums over subsets
        pairs = counts.reshape(-1, 2, 1 << bit)
        pairs[:, 1] += pairs[:, 0]
    return counts


@cache
def sets_by_size(s: int) -> list[Counts]:
    """Return the sets of 0, 1, ..., s sources."""
    sizes = np.array([mask.bit_count() for mask in range(1 << s)])
    return [np.flatnonzero(sizes == size) for size in range(s + 1)]


def best_e(block: Bipartite) -> list[int]:
    """Return e_max(0), ..., e_max(s)."""
    counts = gains_by_set(block)
    return [int(counts[sets].max()) for sets in sets_by_size(block.sources)]


def admits_optimal_order(block: Bipartite) -> bool:
    """Tell whether one order of the sources reaches e_max at every step."""
    counts, best = gains_by_set(block), best_e(block)
    reached = np.zeros(len(counts), np.bool_)
    reached[0] = True
    for size, sets in enumerate(sets_by_size(block.sources)):
        if size:
            optimal = sets[counts[sets] == best[size]]
            reached[optimal] = _from_below(block.sources, optimal, reached, np.logical_or, False)
    return bool(reached[-1])


def largest_area(block: Bipartite) -> int:
    """Return the largest sum of e(0), ..., e(s) over all orders."""
    area = gains_by_set(block)
    for size, sets in enumerate(sets_by_size(block.sources)):
        if size:
            area[sets] += _from_below(block.sources, sets, area, np.maximum, -1)
    return int(area[-1])


def _from_below(s: int, sets: Counts, values: Any, combine: Any, start: Any) -> Any:
    """Combine for each set the values of the sets with one source less."""
    found = np.full(len(sets), start, values.dtype)
    for bit in range(s):
        has = sets >> bit & 1 == 1
        found[has] = combine(found[has], values[sets[has] ^ 1 << bit])
    return found


def eligibility_vector(rows: Sequence[Sequence[int]], parents: Sequence[set[int]], source: int) -> list[int]:
    """003's V_u: the sinks whose remaining parents are all among u and the k - 1 sources to its right, k = 1, 2, ..."""
    row = next(row for row in rows if source in row)
    run = list(row)[list(row).index(source) :]
    length = sum(map(len, rows))
    return [sum(sink <= set(run[: k + 1]) for sink in parents) for k in range(length)]


def lexicographic_greedy(block: Bipartite, rows: Sequence[Sequence[int]], *, recompute: bool = True) -> list[int]:
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
