"""Reduction-trees, whose edges lead to the root, and expansion-trees, whose edges lead away from it.

Rosenberg and Yurkewych 2005, section 2.1.2, has the binary ones; here a node may have any number of children. Cost:
O(n), in arrays.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from eligo.dag import Dag, Int64
from eligo.errors import EligoError
from eligo.generate.family import Family, register
from eligo.generate.limits import at_least, fits, within

__all__ = ["random_tree", "tree", "tree_from_parents"]


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
