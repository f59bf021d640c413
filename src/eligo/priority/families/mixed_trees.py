"""Trees whose nodes have different numbers of branches, where a simple order happens to be IC-optimal.

Executing a node of an expansion-tree makes its branches ELIGIBLE, all of them and nothing else. If the nodes can be
executed in non-increasing order of their number of branches, no other schedule can be ahead at any step. They can if
and only if no inner node has more branches than the node it hangs on: then sorting by branches, ties from the root on,
puts each node behind the one it hangs on. A reduction-tree is the dual, and packets reversed (siblings are a packet)
make the order IC-optimal for it (ERRATA, part 1, 5). Other trees of mixed arity are not recognised: they may
have IC-optimal schedules of another form or none (the smallest without has 9 jobs). Cost: O(n log n).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from eligo import graph
from eligo.dag import Dag, Int32, Int64
from eligo.priority.families.recognised import Recognised, with_sinks_last

__all__ = ["MixedTree", "recognise_mixed_tree"]


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
