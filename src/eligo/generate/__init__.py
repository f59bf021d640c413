"""Families of dags, each a function that returns a :class:`~eligo.dag.Dag`.

>>> from eligo import generate
>>> generate.airsn(width=250)
Dag(773 jobs, 1,270 edges)

``FAMILIES`` has a record of each that the command line offers. Adding a family means one module, with a function and
its record, and one line below. Everything random is a function of an explicit seed.
"""

from __future__ import annotations

from eligo.generate.blocks import clique_dag, cycle_dag, m_dag, n_dag, w_dag
from eligo.generate.classic import chain, fork_join
from eligo.generate.compose import compose, reverse
from eligo.generate.daggen_tool import daggen, daggen_draw
from eligo.generate.familiar import divide_and_conquer, laplace_transform, matrix_multiplication, parallel_prefix
from eligo.generate.family import REGISTERED, Family, Parameter
from eligo.generate.fmri import airsn
from eligo.generate.fourier import fft
from eligo.generate.genomics import epigenomics
from eligo.generate.ligo import inspiral
from eligo.generate.meshes import grid, mesh, wavefront
from eligo.generate.mosaic import montage
from eligo.generate.random_dags import layered, series_parallel, uniform
from eligo.generate.seismology import cybershake
from eligo.generate.sky_survey import sdss
from eligo.generate.strands import planar_bipartite_tree, strand
from eligo.generate.sweep_figures import paper001
from eligo.generate.trees import random_tree, tree, tree_from_parents

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
