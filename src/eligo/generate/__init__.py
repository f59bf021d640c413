"""Families of dags, each a function that returns a :class:`~eligo.dag.Dag`.

>>> from eligo import generate
>>> generate.airsn(width=250)
Dag(773 jobs, 1,270 edges)

``FAMILIES`` has a record of each that the command line offers. Adding a family means one module, with a function and
its record, and one line below. Everything random is a function of an explicit seed.
"""

from __future__ import annotations

from eligo.generate._bipartite_dags import clique_dag, cycle_dag, m_dag, n_dag, planar_bipartite_tree, strand, w_dag
from eligo.generate._classic_dags import (
    chain,
    compose,
    divide_and_conquer,
    fft,
    fork_join,
    laplace_transform,
    matrix_multiplication,
    parallel_prefix,
    reverse,
)
from eligo.generate._family import REGISTERED, Family, Parameter
from eligo.generate._meshes_and_trees import grid, mesh, random_tree, tree, tree_from_parents, wavefront
from eligo.generate._random_dags import daggen, daggen_draw, layered, series_parallel, uniform
from eligo.generate._scientific_workflows import airsn, cybershake, epigenomics, inspiral
from eligo.generate._sky_workflows import montage, sdss
from eligo.generate._sweep_figures import paper001

__all__ = [
    "FAMILIES",
    "Family",
    "Parameter",
    "airsn",
    "chain",
    "clique_dag",
    "compose",
    "cybershake",
    "cycle_dag",
    "daggen",
    "daggen_draw",
    "divide_and_conquer",
    "epigenomics",
    "fft",
    "fork_join",
    "grid",
    "inspiral",
    "laplace_transform",
    "layered",
    "m_dag",
    "matrix_multiplication",
    "mesh",
    "montage",
    "n_dag",
    "paper001",
    "parallel_prefix",
    "planar_bipartite_tree",
    "random_tree",
    "reverse",
    "sdss",
    "series_parallel",
    "strand",
    "tree",
    "tree_from_parents",
    "uniform",
    "w_dag",
    "wavefront",
]

FAMILIES: dict[str, Family] = dict(sorted(REGISTERED.items()))
"""All families by name."""
