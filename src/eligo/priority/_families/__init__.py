"""Families of dags with IC-optimal schedules in closed form, recognised however their jobs are numbered.

Reduction-meshes, reduction-trees, FFT dags and their duals are those of Rosenberg and Yurkewych (2005); trees of mixed
arity join them where a simple order is IC-optimal. Each family is a module: its recogniser, its orders, its formulas.
Some small dags belong to several families, and :func:`recognise` names the first of

1. *trees* of one arity, which take the single job (also M_1, T_0, F_0), chains (also the single arc) and stars (also
   the meshes of two levels); of these, single jobs and chains count as reduction-trees of arity 1;
2. *meshes*, of three levels or more then;
3. *FFT dags*; F_1 is also the complete bipartite dag of two sources and two sinks;
4. *trees of mixed arity*.

:func:`find_parts` finds members of the first three inside a larger dag.
"""

from __future__ import annotations

from eligo.dag import Dag
from eligo.priority._families.embedded_families import Part, find_parts
from eligo.priority._families.recognize_fft import Fft, fft_eligible, recognise_fft
from eligo.priority._families.recognize_mesh import Mesh, mesh_eligible, recognise_mesh
from eligo.priority._families.recognize_tree import MixedTree, Tree, recognise_mixed_tree, recognise_tree, tree_eligible
from eligo.priority._families.recognized import Recognised

__all__ = [
    "Fft",
    "Mesh",
    "MixedTree",
    "Part",
    "Recognised",
    "Tree",
    "fft_eligible",
    "find_parts",
    "mesh_eligible",
    "recognise",
    "recognise_fft",
    "recognise_mesh",
    "recognise_mixed_tree",
    "recognise_tree",
    "tree_eligible",
]

_RECOGNISERS = (recognise_tree, recognise_mesh, recognise_fft, recognise_mixed_tree)


def recognise(dag: Dag) -> Recognised | None:
    """Name the family that a dag without shortcuts belongs to, if any.

    Examples
    --------
    >>> recognise(Dag.from_edges(3, [0, 1], [1, 2]))
    Tree(chain of 3 jobs)
    >>> recognise(Dag.from_edges(4, [0, 0, 1, 1], [2, 3, 2, 3]))
    Fft(FFT dag of 2 inputs)
    """
    return next((found for recognise_one in _RECOGNISERS if (found := recognise_one(dag)) is not None), None)
