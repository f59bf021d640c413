"""Meshes of any dimension: how to know one by its shape, and how to execute it.

**Recognising.** Seen from its root (the sink of a reduction-mesh, the source of an expansion-mesh), a job at distance
k is a point x of d coordinates with sum k. Its neighbours on the root's side are the points one less in a coordinate,
so a job with two or more of them is their coordinate-wise maximum; a job with one lies on an axis, one step beyond it.
The root's neighbours are the unit points, in any order. Level by level this leaves no choice, and in the end it is
checked: points differ, every edge joins points one step apart, and there are as many jobs and edges as a mesh has.
Cost: O(d (n log n + m)), with d at most 64.

**Executing.** Of a reduction-mesh, the unexecuted jobs are a down-set U of points, and the ELIGIBLE ones are its
maximal points. Level by level, each level in descending order of (x_d, ..., x_2): in two dimensions this goes across
each level, which is IC-optimal (000, theorem 3.1) and costs as many registers as there are levels, the least possible
(theorem 3.2). E is then the largest k with k (k + 1) / 2 <= |U|. The reverse order is IC-optimal for the
expansion-mesh: a step makes one job ELIGIBLE or none, so packets reversed are the order reversed.

In d dimensions the same order keeps every level of U an initial segment of the order by (x_d, ..., x_2), whose shadow
is the least possible (Macaulay), and E = the points of U with x_1 = 0. Moving the end of U's highest level into its
lowest gap never lowers that number, since within a level the first s points have the fewest points with x_1 = 0 among
any s in a row, and the last s the most. That would make the order IC-optimal in every dimension. We found no
exception, but the papers prove two dimensions only: from three on ``certifiable`` is false, and only exact search may
certify it.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from math import comb, isqrt
from typing import Any, ClassVar

import numpy as np

from eligo import graph
from eligo.dag import Dag, Int32, Int64
from eligo.errors import EligoError
from eligo.priority._families.recognized import Recognised, with_sinks_last

__all__ = ["Mesh", "mesh_eligible", "recognise_mesh"]

_MAX_DIM = 64


@dataclass(frozen=True, repr=False, eq=False)
class Mesh(Recognised):
    """A reduction- or expansion-mesh.

    Attributes
    ----------
    levels, dim, expansion
        Its size and direction. A single job is taken as one level of dimension 2.
    place
        The coordinates of each job, one row a job; they sum to its level, which is 0 at the root.

    Examples
    --------
    >>> mesh = recognise_mesh(Dag.from_edges(6, [5, 4, 4, 3, 1, 0], [1, 1, 0, 0, 2, 2]))
    >>> mesh
    Mesh(reduction-mesh of 3 levels)
    >>> mesh.best_order().tolist(), mesh.best_profile().tolist()
    ([5, 4, 3, 1, 0, 2], [3, 2, 2, 2, 1, 1, 0])
    """

    family: ClassVar[str] = "mesh"
    dag: Dag
    levels: int
    dim: int
    expansion: bool
    place: Int32

    @property
    def parameters(self) -> dict[str, int | bool]:
        """Levels, dimension and direction."""
        return {"levels": self.levels, "dim": self.dim, "expansion": self.expansion}

    @property
    def certifiable(self) -> bool:
        """Whether it has two dimensions; one of dimension 1 is certified as the chain it is."""
        return self.dim == 2

    def describe(self) -> str:
        """Name it in a few words."""
        sort = "expansion" if self.expansion else "reduction"
        size = f"{self.levels} level{'s' * (self.levels != 1)}"
        return f"{sort}-mesh of {size}" + (f" and dimension {self.dim}" if self.dim != 2 else "")

    def best_order(self) -> Int32:
        """Return the across-level order: IC-optimal and cheapest in memory in two dimensions."""
        order = self._by_level()
        return order if self.expansion else order[::-1].copy()

    def best_profile(self) -> Int64:
        """Return E(0), ..., E(n) of the across-level order: the largest possible in two dimensions."""
        points = self.place[self._by_level()]
        if not self.expansion:
            return np.concatenate(([0], np.cumsum(points[:, 0] == 0)))[::-1].copy()
        # Executing x makes ELIGIBLE the points x + e_i with i up to x's first coordinate that is not 0.
        first = np.where(points.any(axis=1), (points > 0).argmax(axis=1), self.dim - 1)
        inner = points.sum(axis=1) < self.levels - 1
        return with_sinks_last(np.concatenate(([1], 1 + np.cumsum(first[inner]))), self.dag.n)

    def eager_order(self) -> Int32:
        """Return the order that always executes the newest ELIGIBLE job (000, section 3.4): diagonal by diagonal."""
        order = np.lexsort(self.place.T[::-1]).astype(np.int32)
        return order if self.expansion else order[::-1].copy()

    def count_optimal(self) -> int:
        """Return the number of IC-optimal schedules of a two-dimensional reduction-mesh: 2^(l (l - 1) / 2).

        Examples
        --------
        >>> recognise_mesh(Dag.from_edges(3, [0, 1], [2, 2])).count_optimal()
        2
        """
        if self.expansion or self.dim != 2:
            raise EligoError("the number of IC-optimal schedules is known of two-dimensional reduction-meshes only")
        return 1 << (self.levels * (self.levels - 1) // 2)

    def _by_level(self) -> Int32:
        """Return the jobs from the root on, each level by (x_d, ..., x_2)."""
        return np.lexsort((*self.place.T[1:], self.place.sum(axis=1))).astype(np.int32)

    def _witness(self, jobs: Int32) -> dict[str, Any]:
        return {
            "by": "family",
            "family": "mesh",
            "levels": self.levels,
            "expansion": self.expansion,
            "place": self.place[jobs].tolist(),
        }


def mesh_eligible(levels: int, step: int, *, expansion: bool = False) -> int:
    """Return the largest E after so many steps on a two-dimensional mesh, in exact integers.

    Examples
    --------
    >>> [mesh_eligible(3, step) for step in range(7)]
    [3, 2, 2, 2, 1, 1, 0]
    >>> [mesh_eligible(3, step, expansion=True) for step in range(7)]
    [1, 2, 2, 3, 2, 1, 0]
    """
    jobs = comb(levels + 1, 2)
    if not 0 <= step <= jobs:
        raise EligoError(f"a mesh of {levels} levels has steps 0 to {jobs}, not {step}")
    if expansion:
        return min(1 + _triangular_root(step), jobs - step)
    return _triangular_root(jobs - step)


def _triangular_root(size: int) -> int:
    """Return the largest k with k (k + 1) / 2 <= size."""
    return (isqrt(8 * size + 1) - 1) // 2


def recognise_mesh(dag: Dag) -> Mesh | None:
    """Tell whether a dag is a mesh of any dimension up to 64, and give its jobs coordinates.

    Examples
    --------
    >>> recognise_mesh(Dag.from_edges(4, [0, 0, 1, 2], [1, 2, 3, 3])) is None
    True
    """
    sources, sinks = graph.sources(dag), graph.sinks(dag)
    if len(sinks) == 1:
        root, level, expansion = sinks[0], graph.heights(dag), False
    elif len(sources) == 1:
        root, level, expansion = sources[0], graph.levels(dag), True
    else:
        return None
    levels = int(level.max()) + 1
    dim = int(np.diff(dag.succ_ptr if expansion else dag.pred_ptr)[root]) if levels > 1 else 2
    if dim > _MAX_DIM or dag.n != comb(levels - 1 + dim, dim) or dag.m != dim * comb(levels - 2 + dim, dim):
        return None
    near_ptr, near = (dag.pred_ptr, dag.pred) if expansion else (dag.succ_ptr, dag.succ)
    place = _coordinates(near_ptr, near, level, dim)
    return Mesh(dag, levels, dim, expansion, place) if _is_mesh(near_ptr, near, level, place) else None


def _coordinates(near_ptr: Int64, near: Int32, level: Int32, dim: int) -> Int32:
    """Return the coordinates that the jobs must have if the dag is a mesh; `near` leads towards the root."""
    if dim == 1:
        return level[:, None].copy()  # a chain has too many levels to go through them one by one
    place = np.zeros((len(level), dim), np.int32)
    degree = np.diff(near_ptr)
    by_level = np.argsort(level, kind="stable")
    starts = np.searchsorted(level[by_level], np.arange(level.max() + 2))
    for begin, end in pairwise(starts[1:]):
        here = by_level[begin:end]
        if level[here[0]] == 1:
            if len(here) != dim:
                break
            place[here, np.arange(dim)] = 1
            continue
        rows = np.repeat(near_ptr[here] - np.cumsum(degree[here]) + degree[here], degree[here])
        toward = place[near[rows + np.arange(len(rows))]]
        place[here] = np.maximum.reduceat(toward, np.cumsum(degree[here]) - degree[here])
        lone = here[degree[here] == 1]
        place[lone, place[lone].argmax(axis=1)] += 1
    return place


def _is_mesh(near_ptr: Int64, near: Int32, level: Int32, place: Int32) -> bool:
    if not np.array_equal(place.sum(axis=1), level):
        return False
    far = np.repeat(np.arange(len(level)), np.diff(near_ptr))
    # Levels differ by one along every edge, so one step apart means nowhere less.
    if np.any(level[far] != level[near] + 1) or np.any(place[far] < place[near]):
        return False
    order = np.lexsort(place.T)
    return not np.any(np.all(place[order[1:]] == place[order[:-1]], axis=1))
