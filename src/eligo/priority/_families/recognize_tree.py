"""Reduction- and expansion-trees in which every inner node has the same number k of branches, whatever their shape.

**Reduction-trees.** E_max(t) = S - t + floor(t / k) with S leaves, and a schedule attains it if and only if it executes
siblings (the parents of one job) in consecutive steps (000, theorem 4.1; any k: a job counts once its k parents are
executed, and t jobs hold at most floor(t / k) such groups). So a schedule is an order of groups. Four of them:

* *level by level*: the deepest level first; costs 2^h registers on the complete binary tree of height h;
* *Postorder-Execute* (section 4.3): a group as soon as all its members are ELIGIBLE, subtree after subtree. Each group
  that waits for its siblings' groups holds k registers, so with the costliest subtree first a tree costs k times the
  number r(root), where r of a node is max(1, max_j (j + r_j)) over its inner branches in descending order of r, j from
  0. That is 2h on the complete binary tree and k + (h - 1) k (k - 1) on the complete k-ary one. No IC-optimal
  schedule does with less: it is the pebble game on the tree of groups, in which depth-first is best;
* *pure postorder*: h + 1, or (k - 1) h + 1, the least of all schedules, but not IC-optimal;
* *eager*: pure postorder that takes branches as they are numbered.

**Expansion-trees.** Each step on a non-sink makes k jobs ELIGIBLE, so any order with all non-sinks first is IC-optimal.
While siblings are executed in a row the number of open jobs never falls before the sinks' turn, so level by level
costs as many registers as there are jobs with a sink below them, which every IC-optimal schedule needs.

A chain is a tree with k = 1 and counts as a reduction-tree, as does a single job. Cost: O(n log k).

Trees whose nodes have different numbers of branches, where a simple order happens to be IC-optimal.

Executing a node of an expansion-tree makes its branches ELIGIBLE, all of them and nothing else. If the nodes can be
executed in non-increasing order of their number of branches, no other schedule can be ahead at any step. They can if
and only if no inner node has more branches than the node it hangs on: then sorting by branches, ties from the root on,
puts each node behind the one it hangs on. A reduction-tree is the dual, and packets reversed (siblings are a packet)
make the order IC-optimal for it (ERRATA, part 1, 5). Other trees of mixed arity are not recognised: they may
have IC-optimal schedules of another form or none (the smallest without has 9 jobs). Cost: O(n log n).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from eligo import graph
from eligo.dag import Dag, Int32, Int64
from eligo.errors import EligoError
from eligo.priority._families.recognized import Recognised, with_sinks_last
from eligo.schedule import sinks_last

__all__ = [
    "MixedTree",
    "Tree",
    "recognise_mixed_tree",
    "recognise_tree",
    "tree_eligible",
]


@dataclass(frozen=True, repr=False, eq=False)
class Tree(Recognised):
    """A tree of any shape in which every inner node has `arity` branches.

    Examples
    --------
    >>> tree = recognise_tree(Dag.from_edges(7, [0, 1, 2, 3, 4, 5], [4, 4, 5, 5, 6, 6]))
    >>> tree
    Tree(complete reduction-tree of height 2)
    >>> tree.best_order().tolist(), tree.cheapest_order().tolist()
    ([0, 1, 2, 3, 4, 5, 6], [0, 1, 4, 2, 3, 5, 6])
    """

    family: ClassVar[str] = "tree"
    dag: Dag
    arity: int
    expansion: bool

    @property
    def parameters(self) -> dict[str, int | bool]:
        """Arity, height, number of leaves and direction."""
        return {"arity": self.arity, "height": self.height, "leaves": self.leaves, "expansion": self.expansion}

    @cached_property
    def depths(self) -> Int32:
        """The number of edges between each job and the root."""
        return graph.levels(self.dag) if self.expansion else graph.heights(self.dag)

    @property
    def height(self) -> int:
        """The number of edges between the root and the leaf furthest from it."""
        return int(self.depths.max())

    @property
    def leaves(self) -> int:
        """The number of nodes without branches."""
        return self.dag.n - self.dag.m // self.arity

    @property
    def complete(self) -> bool:
        """Whether all leaves are equally far from the root."""
        leaf = np.diff(self.dag.succ_ptr if self.expansion else self.dag.pred_ptr) == 0
        return bool(np.all(self.depths[leaf] == self.height))

    def describe(self) -> str:
        """Name it in a few words."""
        if self.arity == 1:
            return "single job" if self.dag.n == 1 else f"chain of {self.dag.n} jobs"
        sort = "expansion-tree" if self.expansion else "reduction-tree"
        arity = "" if self.arity == 2 else f"{self.arity}-ary "
        if self.complete:
            return f"complete {arity}{sort} of height {self.height}"
        return f"{arity}{sort} with {self.leaves} leaves"

    def best_order(self) -> Int32:
        """Return the cheapest IC-optimal order: Postorder-Execute, or, expanding, level by level with sinks last."""
        if self.expansion:
            return sinks_last(self.dag, self.dag.order)
        # Leaves, of rank 0, come last and hold nothing while they wait.
        rank = self._registers(lambda branches: max((j + r for j, r in enumerate(branches) if r), default=1), leaf=0)
        order: list[int] = []
        for node in self._postorder(rank):
            # Inner members first: each frees the registers of its own group.
            order += sorted(self._branches[node], key=lambda branch: rank[branch] == 0)
        return np.array([*order, self._root], np.int32)

    def best_profile(self) -> Int64:
        """Return the largest possible E(0), ..., E(n), by formula."""
        step: Int64 = np.arange(self.dag.n + 1)
        growing: Int64 = 1 + step * (self.arity - 1) if self.expansion else self.leaves - step + step // self.arity
        return np.minimum(growing, self.dag.n - step)

    def level_order(self) -> Int32:
        """Return the order level by level, siblings in a row: IC-optimal for a reduction-tree."""
        if self.expansion:
            return self.dag.order.copy()
        # In the dual's first-in-first-out order siblings stand in a row and levels ascend.
        return graph.dual(self.dag).order[::-1].copy()

    def cheapest_order(self) -> Int32:
        """Return pure postorder, the cheapest schedule of a reduction-tree but not IC-optimal.

        For an expansion-tree: depth-first, the costliest branch last.
        """
        if self.expansion:
            rank = self._registers(lambda branches: max(branches[0], 1, *(1 + r for r in branches[1:])), leaf=0)
            return np.array(list(self._preorder(lambda node: rank[node] * self.dag.n + node)), np.int32)
        rank = self._registers(lambda branches: max(j + r for j, r in enumerate(branches)), leaf=1)
        return np.array(list(self._postorder(rank)), np.int32)

    def eager_order(self) -> Int32:
        """Return the order that always executes the newest ELIGIBLE job (000, section 4.4), branches by number."""
        if self.expansion:
            return np.array(list(self._preorder(lambda node: node)), np.int32)
        return np.array(list(self._preorder(lambda node: -node))[::-1], np.int32)

    @cached_property
    def _branches(self) -> list[list[int]]:
        ptr, branch = (self.dag.succ_ptr, self.dag.succ) if self.expansion else (self.dag.pred_ptr, self.dag.pred)
        ends, flat = ptr.tolist(), branch.tolist()
        return [flat[ends[node] : ends[node + 1]] for node in range(self.dag.n)]

    @property
    def _root(self) -> int:
        return int((graph.sources if self.expansion else graph.sinks)(self.dag)[0])

    def _registers(self, combine: Callable[[list[int]], int], leaf: int) -> list[int]:
        """Return for each node a number made of its branches' numbers, largest first; `leaf` for leaves."""
        rank = [leaf] * self.dag.n
        from_leaves = self.dag.order[::-1] if self.expansion else self.dag.order
        for node in from_leaves.tolist():
            branches = [rank[branch] for branch in self._branches[node]]
            if branches:
                branches.sort(reverse=True)
                rank[node] = combine(branches)
        return rank

    def _preorder(self, key: Callable[[int], int]) -> Iterator[int]:
        """Yield the nodes from the root on, a node's branches by ascending key, each with all that hangs on it."""
        stack = [self._root]
        while stack:
            node = stack.pop()
            yield node
            stack += sorted(self._branches[node], key=key, reverse=True)

    def _postorder(self, rank: list[int]) -> Iterator[int]:
        """Yield the nodes of positive rank, branches before the node, high ranks first, ties by number."""
        n = self.dag.n
        backwards = list(self._preorder(lambda node: rank[node] * n - node))
        return (node for node in reversed(backwards) if rank[node] > 0)

    def _witness(self, jobs: Int32) -> dict[str, Any]:
        return {"by": "family", "family": "tree", "arity": self.arity, "expansion": self.expansion}


def tree_eligible(leaves: int, arity: int, step: int, *, expansion: bool = False) -> int:
    """Return the largest E after so many steps on a tree with these leaves and this arity.

    Examples
    --------
    >>> [tree_eligible(4, 2, step) for step in range(8)]
    [4, 3, 3, 2, 2, 1, 1, 0]
    >>> [tree_eligible(4, 2, step, expansion=True) for step in range(8)]
    [1, 2, 3, 4, 3, 2, 1, 0]
    """
    if arity < 2 or leaves < 1 or (leaves - 1) % (arity - 1):
        raise EligoError(
            f"there is no tree with {leaves} leaves in which every inner node has {arity} branches",
            hint="arity must be at least 2, and leaves one more than a multiple of arity - 1",
        )
    jobs = leaves + (leaves - 1) // (arity - 1)
    if not 0 <= step <= jobs:
        raise EligoError(f"a tree of {jobs} jobs has steps 0 to {jobs}, not {step}")
    if expansion:
        return min(1 + step * (arity - 1), jobs - step)
    return leaves - step + step // arity


def recognise_tree(dag: Dag) -> Tree | None:
    """Tell whether a dag is a tree in which every inner node has the same number of branches.

    Examples
    --------
    >>> recognise_tree(Dag.from_edges(4, [0, 0, 0], [1, 2, 3]))
    Tree(complete 3-ary expansion-tree of height 1)
    >>> recognise_tree(Dag.from_edges(4, [0, 0, 1], [1, 2, 3])) is None
    True
    """
    if dag.n == 0 or dag.m != dag.n - 1:
        return None
    indegree, outdegree = np.diff(dag.pred_ptr), np.diff(dag.succ_ptr)
    # As many edges as jobs but one, and at most one towards the root from each job: one root, hence connected.
    for expansion, toward, away in ((False, outdegree, indegree), (True, indegree, outdegree)):
        arity = max(int(away.max()), 1)
        if toward.max() <= 1 and np.isin(away, (0, arity)).all():
            return Tree(dag, arity, expansion)
    return None


@dataclass(frozen=True, repr=False, eq=False)
class MixedTree(Recognised):
    """A tree in which no inner node has more branches than the node it hangs on.

    Attributes
    ----------
    heads
        The inner nodes in non-increasing order of branches, each behind the node it hangs on.

    Examples
    --------
    >>> tree = recognise_mixed_tree(Dag.from_edges(6, [0, 0, 0, 2, 2], [1, 2, 3, 4, 5]))
    >>> tree, tree.best_order().tolist(), tree.best_profile().tolist()
    (MixedTree(expansion-tree of mixed arity, 4 leaves), [0, 2, 1, 3, 4, 5], [1, 3, 4, 3, 2, 1, 0])
    """

    family: ClassVar[str] = "mixed-tree"
    dag: Dag
    expansion: bool
    heads: Int32

    @property
    def parameters(self) -> dict[str, int | bool]:
        """Number of leaves and direction."""
        return {"leaves": self.dag.n - len(self.heads), "expansion": self.expansion}

    def describe(self) -> str:
        """Name it in a few words."""
        sort = "expansion-tree" if self.expansion else "reduction-tree"
        return f"{sort} of mixed arity, {self.dag.n - len(self.heads)} leaves"

    def best_order(self) -> Int32:
        """Return an IC-optimal order: many branches first, or siblings in a row, many last."""
        if self.expansion:
            return np.concatenate((self.heads, graph.sinks(self.dag)))
        packets = [self.dag.parents(head) for head in self.heads[::-1]]
        return np.concatenate((*packets, self.heads[:1]))

    def best_profile(self) -> Int64:
        """Return the largest possible E(0), ..., E(n), by formula."""
        n = self.dag.n
        branches = np.diff(self.dag.succ_ptr if self.expansion else self.dag.pred_ptr)[self.heads]
        expanding = with_sinks_last(np.concatenate(([1], 1 + np.cumsum(branches - 1))), n)
        if self.expansion:
            return expanding
        unexecuted = np.arange(n, -1, -1)
        return unexecuted - np.searchsorted(np.arange(n + 1) + expanding, unexecuted)

    def _witness(self, jobs: Int32) -> dict[str, Any]:
        return {"by": "concave" if self.expansion else "dual-concave"}


def recognise_mixed_tree(dag: Dag) -> MixedTree | None:
    """Tell whether a dag is a tree in which no inner node has more branches than the node it hangs on.

    Examples
    --------
    >>> recognise_mixed_tree(Dag.from_edges(6, [0, 0, 2, 2, 2], [1, 2, 3, 4, 5])) is None
    True
    """
    if dag.n < 2 or dag.m != dag.n - 1:
        return None
    indegree, outdegree = np.diff(dag.pred_ptr), np.diff(dag.succ_ptr)
    if outdegree.max() == 1:
        expansion, branches, near, far, depth = False, indegree, dag.heads, dag.tails, graph.heights(dag)
    elif indegree.max() == 1:
        expansion, branches, near, far, depth = True, outdegree, dag.tails, dag.heads, graph.levels(dag)
    else:
        return None
    if np.any(branches[far] > branches[near]):
        return None
    order = np.lexsort((depth, -branches))
    return MixedTree(dag, expansion, order[: np.count_nonzero(branches)].astype(np.int32))
