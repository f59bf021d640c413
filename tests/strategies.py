"""Hypothesis strategies: random edges, random dags, and dags with times and data."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from eligo.dag import OUTSIDE, UNKNOWN, Dag, Data
from eligo.graph import reachable

NAMES = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), min_size=1, max_size=8)
SIZES = st.one_of(st.just(UNKNOWN), st.just(0), st.integers(0, 2**62 - 1), st.integers(0, 1000))
TIMES = st.one_of(st.just(float("nan")), st.floats(0, 1e9), st.integers(0, 100).map(float))


@st.composite
def edge_sets(draw: st.DrawFn, max_jobs: int = 9, cyclic: bool = False) -> tuple[int, list[tuple[int, int]]]:
    """A number of jobs and a list of edges, perhaps repeated, in any direction; acyclic unless `cyclic`."""
    n = draw(st.integers(0, max_jobs))
    if n == 0:
        return 0, []
    # Bytes are drawn ten times as fast as lists of pairs, and most of these tests' time goes into drawing.
    m = draw(st.integers(0, 3 * n))
    ends = [byte % n for byte in draw(st.binary(min_size=2 * m, max_size=2 * m))]
    pairs = list(zip(ends[::2], ends[1::2], strict=True))
    if cyclic:
        return n, pairs
    keys = draw(st.binary(min_size=n, max_size=n))
    return n, [(u, v) if (keys[u], u) < (keys[v], v) else (v, u) for u, v in pairs if u != v]


@st.composite
def dags(draw: st.DrawFn, max_jobs: int = 9, names: st.SearchStrategy[str] | None = None, known: bool = True) -> Dag:
    """A dag; with `known`, perhaps with times, space and data, named or not, some of it unknown."""
    n, edges = draw(edge_sets(max_jobs))
    jobs = n if names is None else draw(st.lists(names, min_size=n, max_size=n, unique=True))
    bare = Dag.from_edges(jobs, [u for u, _ in edges], [v for _, v in edges])
    if not known:
        return bare
    column = st.lists(SIZES, min_size=n, max_size=n)
    return bare.with_known(
        time_s=draw(st.none() | st.lists(TIMES, min_size=n, max_size=n)),
        temp_bytes=draw(st.none() | column),
        memory_bytes=draw(st.none() | column),
        count=draw(st.none() | st.lists(st.integers(0, 5), min_size=n, max_size=n)),
        data=draw(st.none() | edge_data(bare) | shared_data(bare)),
    )


def edge_data(dag: Dag) -> st.SearchStrategy[Data]:
    """One size for each edge."""
    return st.lists(SIZES, min_size=dag.m, max_size=dag.m).map(lambda sizes: Data.per_edge(dag.tails, dag.heads, sizes))


@st.composite
def shared_data(draw: st.DrawFn, dag: Dag) -> Data:
    """Named data with any number of readers, from jobs or from outside."""
    k = draw(st.integers(0, 6)) if dag.n else 0
    producers = draw(st.lists(st.integers(OUTSIDE, dag.n - 1), min_size=k, max_size=k))
    readers = []
    for producer in producers:
        below = range(dag.n) if producer == OUTSIDE else np.flatnonzero(reachable(dag, producer, range(dag.n))).tolist()
        readers.append(draw(st.lists(st.sampled_from(below), unique=True)) if len(below) else [])
    names = draw(st.lists(NAMES, min_size=k, max_size=k, unique=True))
    return Data.build(draw(st.lists(SIZES, min_size=k, max_size=k)), producers, readers, names)
