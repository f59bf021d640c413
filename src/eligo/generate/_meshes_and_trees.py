"""Meshes of any dimension, and grids.

The l-level reduction-mesh of dimension d has a job for every point of d nonnegative coordinates with sum below l, and
an edge from a point to each point that is one less in one coordinate (Rosenberg and Yurkewych 2005, section 2.1.1,
where d = 2). The sum of the coordinates is the level; level 0 is the only sink, level l - 1 holds the sources.

A point's number is computed, not looked up: within a level, points are ranked by counting those before them in
lexicographic order, which is a sum of d - 1 differences of binomial coefficients. Cost: O(n d) time and memory, all of
it in arrays.

Reduction-trees, whose edges lead to the root, and expansion-trees, whose edges lead away from it.

Rosenberg and Yurkewych 2005, section 2.1.2, has the binary ones; here a node may have any number of children. Cost:
O(n), in arrays.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import comb
from typing import Literal

import numpy as np

from eligo.dag import Dag, Int64
from eligo.errors import EligoError
from eligo.generate._family import Family, at_least, fits, register, within

__all__ = [
    "grid",
    "mesh",
    "random_tree",
    "tree",
    "tree_from_parents",
    "wavefront",
]

_MAX_DIM = 64


def mesh(levels: int = 5, dim: int = 2, expansion: bool = False) -> Dag:
    r"""Return the reduction-mesh of some levels and dimensions, or the expansion-mesh, its dual.

    A mesh of l levels and d dimensions has C(l - 1 + d, d) jobs and d * C(l - 2 + d, d) edges. Numbering: level by
    level from the sources to the sink, within a level by the first coordinate, then the second, and so on. In the
    expansion-mesh job v is the reduction-mesh's job n - 1 - v, so it too is numbered from its source on.

    Examples
    --------
    The reduction-mesh of three levels, sources on top::

        0   1   2
         \ / \ /
          3   4
           \ /
            5

    >>> small = mesh(3)
    >>> small.n, small.m, small.parents(3).tolist(), small.parents(5).tolist()
    (6, 6, [0, 1], [3, 4])
    >>> mesh(4, dim=3, expansion=True)
    Dag(20 jobs, 30 edges)
    """
    at_least(1, levels=levels, dim=dim)
    within(1, _MAX_DIM, dim=dim)
    if levels > 1:
        fits(comb(levels - 1 + dim, dim), dim * comb(levels - 2 + dim, dim))
    tails, heads, n = _mesh_edges(levels, dim)
    return Dag.from_edges(n, n - 1 - heads, n - 1 - tails) if expansion else Dag.from_edges(n, tails, heads)


def _mesh_edges(levels: int, dim: int) -> tuple[Int64, Int64, int]:
    below = _binomials(levels + 1, dim)
    points = _points(levels, dim)
    level = points.sum(axis=1)
    # Budgets: what the coordinates from each on sum to. The free coordinates behind each: dim - 1, ..., 0.
    budget = np.cumsum(points[:, ::-1], axis=1)[:, ::-1]
    free = np.arange(dim - 1, -1, -1)
    step = below[budget, free] - below[budget - points, free]
    size = np.array([comb(one + dim - 1, dim - 1) for one in range(levels)], np.int64)
    start = np.cumsum(size[::-1])[::-1] - size  # level l - 1 is numbered first
    number = start[level] + step.sum(axis=1)
    inner = level < levels - 1
    points, budget, level, step = points[inner], budget[inner], level[inner], step[inner]
    # The parent that is one more in coordinate i: budgets up to i grow by one, later terms of the rank stay.
    earlier = below[budget + 1, free] - below[budget + 1 - points, free]
    own = below[budget + 1, free] - below[budget - points, free]
    before = np.cumsum(earlier, axis=1) - earlier
    after = step.sum(axis=1, keepdims=True) - np.cumsum(step, axis=1)
    parents = start[level + 1][:, None] + before + own + after
    return parents.ravel(), np.repeat(number[inner], dim), len(number)


def _binomials(most: int, dim: int) -> Int64:
    """Return C(b + k, k) for b up to `most` and k below `dim`: the points of k + 1 coordinates with sum b."""
    table = np.ones((most + 1, dim), np.int64)
    for k in range(1, dim):
        np.cumsum(table[:, k - 1], out=table[:, k])
    return table


def _points(levels: int, dim: int) -> Int64:
    """Return all points of nonnegative coordinates with sum below `levels`, one a row."""
    left = np.array([levels - 1], np.int64)
    columns: list[Int64] = []
    for _ in range(dim):
        counts = left + 1
        ends = np.cumsum(counts)
        value = np.arange(ends[-1]) - np.repeat(ends - counts, counts)
        columns = [np.repeat(column, counts) for column in columns]
        columns.append(value)
        left = np.repeat(left, counts) - value
    return np.stack(columns, axis=1)


def wavefront(levels: int = 5) -> Dag:
    """Return the wavefront computation of Cordasco et al. 2010, Fig. 1: a two-dimensional expansion-mesh.

    The figure itself is not in the text; the expansion-mesh is the evolving mesh of the schedules it cites.
    Numbering: as :func:`mesh`.

    Examples
    --------
    >>> wavefront(4)
    Dag(10 jobs, 12 edges)
    """
    return mesh(levels, 2, expansion=True)


def grid(rows: int = 4, columns: int = 4) -> Dag:
    """Return a grid in which each job feeds the one to its right and the one below.

    A wavefront over a whole matrix: an expansion-mesh, then a reduction-mesh where the grid is square. Numbering: row
    by row.

    Examples
    --------
    >>> grid(2, 3).children(1).tolist()
    [2, 4]
    """
    at_least(1, rows=rows, columns=columns)
    fits(rows * columns, 2 * rows * columns)
    number = np.arange(rows * columns, dtype=np.int64).reshape(rows, columns)
    return Dag.from_edges(
        rows * columns,
        np.concatenate([number[:, :-1], number[:-1]], axis=None),
        np.concatenate([number[:, 1:], number[1:]], axis=None),
    )


register(
    Family(
        "mesh",
        mesh,
        "reduction- or expansion-mesh of any dimension",
        {
            "levels": "number of levels",
            "dim": "number of dimensions; 2 is the triangular mesh of the papers",
            "expansion": "the expansion-mesh, which grows from one source, instead of the reduction-mesh",
        },
        "mesh --levels 5 --dim 2",
    ),
    Family("wavefront", wavefront, "a wavefront computation", {"levels": "number of levels"}, "wavefront --levels 8"),
    Family(
        "grid",
        grid,
        "rows and columns, each job feeding the one to its right and the one below",
        {"rows": "number of rows", "columns": "number of columns"},
        "grid --rows 10 --columns 20",
    ),
)


def tree(height: int = 4, arity: int = 2, expansion: bool = False) -> Dag:
    """Return the complete reduction-tree of a height in which every inner job has `arity` children, or its dual.

    It has 1 + k + ... + k^h jobs. Numbering: level by level from the leaves to the root, so the root is the last and
    siblings stand together. In the expansion-tree job v is the reduction-tree's job n - 1 - v: the root is job 0.

    Examples
    --------
    >>> tree(height=2).parents(6).tolist()
    [4, 5]
    >>> tree(height=2, arity=3, expansion=True).children(1).tolist()
    [4, 5, 6]
    """
    at_least(0, height=height)
    at_least(1, arity=arity)
    if arity > 1:
        within(0, 64, height=height)
    n = height + 1 if arity == 1 else (arity ** (height + 1) - 1) // (arity - 1)
    fits(n)
    child = np.arange(1, n, dtype=np.int64)
    return _numbered_from_sources(n, (child - 1) // arity, child, expansion)


def tree_from_parents(parents: Sequence[int], expansion: bool = False) -> Dag:
    """Return the tree in which ``parents[v]`` is the node next to v on the way to the root, and -1 that of a root.

    Several roots make a forest. Numbering: as given.

    Raises
    ------
    CycleError
        Following the parents leads round in a circle.

    Examples
    --------
    >>> tree_from_parents([2, 2, -1]).parents(2).tolist()
    [0, 1]
    """
    toward = np.asarray(parents)
    if toward.ndim != 1 or toward.size == 0 or toward.dtype.kind not in "iu":
        raise EligoError("parents must be a list of one or more whole numbers", hint="write -1 for the root's parent")
    toward = toward.astype(np.int64)
    n = len(toward)
    if toward.min() < -1 or toward.max() >= n:
        raise EligoError(f"a parent is not between -1 and {n - 1}", hint="nodes are numbered from 0; -1 marks a root")
    return _tree(toward, expansion)


def _tree(toward: Int64, expansion: bool) -> Dag:
    node = np.flatnonzero(toward >= 0)
    ends = (toward[node], node) if expansion else (node, toward[node])
    return Dag.from_edges(len(toward), *ends)


def random_tree(
    jobs: int = 100, shape: Literal["recursive", "uniform"] = "recursive", expansion: bool = False, seed: int = 0
) -> Dag:
    """Return a random tree of either direction.

    Numbering: the expansion-tree's root is job 0 and parents come before children; in the reduction-tree job v is
    the expansion-tree's job n - 1 - v, so that the root is the last.

    Parameters
    ----------
    shape
        ``recursive``: each node in turn is hung below one drawn evenly from those before it (depth about e ln n).
        ``uniform``: as a uniformly random labelled rooted tree (depth about sqrt(n)), by Aldous' construction: the
        parent of node i is node ``min(u, i - 1)`` with u even over all n.

    Examples
    --------
    >>> dag = random_tree(50, seed=7)
    >>> dag.n, dag.m, len(dag.children(49))
    (50, 49, 0)
    """
    at_least(1, jobs=jobs)
    at_least(0, seed=seed)
    fits(jobs)
    rng = np.random.Generator(np.random.PCG64(seed))
    child = np.arange(1, jobs, dtype=np.int64)
    if shape == "recursive":
        parent = rng.integers(0, child)
    elif shape == "uniform":
        parent = np.minimum(rng.integers(0, jobs, jobs - 1), child - 1)
    else:
        raise EligoError(f"unknown shape {shape!r}", hint="one of: recursive, uniform")
    return _numbered_from_sources(jobs, parent, child, expansion)


def _numbered_from_sources(n: int, parent: Int64, child: Int64, expansion: bool) -> Dag:
    """Return the expansion-tree of edges from lower to higher numbers, or its dual with the numbers reversed."""
    return Dag.from_edges(n, parent, child) if expansion else Dag.from_edges(n, n - 1 - child, n - 1 - parent)


register(
    Family(
        "tree",
        tree,
        "complete reduction- or expansion-tree",
        {
            "height": "edges from a leaf to the root",
            "arity": "children of each inner node of the tree",
            "expansion": "edges lead away from the root instead of to it",
        },
        "tree --height 4 --arity 2",
    ),
    Family(
        "tree-from-parents",
        tree_from_parents,
        "any reduction- or expansion-tree, from the parent of each node",
        {
            "parents": "for each node the next one on the way to the root; -1 for the root",
            "expansion": "edges lead away from the root instead of to it",
        },
        "tree-from-parents -1 0 0 1 1 1",
        ("parents",),
    ),
    Family(
        "random-tree",
        random_tree,
        "random tree",
        {
            "jobs": "number of jobs",
            "shape": "recursive: shallow; uniform: as a random labelled tree, deeper",
            "expansion": "edges lead away from the root instead of to it",
            "seed": "the dag is a function of this number",
        },
        "random-tree --jobs 1000 --seed 3",
    ),
)
