"""Cuts are exactly the sets that every job outside depends on."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from eligo import Dag, graph
from eligo.priority._bounds import cuts
from tests.reference.ideals import best_profile, has_ic_optimal_schedule, ideals
from tests.strategies import dags


def in_series(parts: list[Dag]) -> Dag:
    """Each part waits for all of the part before."""
    total = graph.sum_of(parts)
    start = np.cumsum([0, *(part.n for part in parts)])
    tails, heads = total.tails.tolist(), total.heads.tolist()
    for i in range(len(parts) - 1):
        for u in graph.sinks(parts[i]).tolist():
            for v in graph.sources(parts[i + 1]).tolist():
                tails.append(start[i] + u)
                heads.append(start[i + 1] + v)
    return Dag.from_edges(total.n, tails, heads)


some = st.lists(dags(4, known=False).filter(lambda dag: dag.n > 0), min_size=1, max_size=4).map(in_series)


@given(some | dags(9, known=False))
@settings(max_examples=300)
def test_cuts_equal_the_definition(dag):
    below = [set(np.flatnonzero(graph.reachable(dag, v, range(dag.n))).tolist()) - {v} for v in range(dag.n)]
    expected = [
        size
        for size in range(1, dag.n)
        for chosen in [set(dag.order[:size].tolist())]
        if all(set(range(dag.n)) - chosen <= below[u] for u in chosen)
    ]
    assert cuts(dag).tolist() == expected


@given(some)
@settings(max_examples=120)
def test_profiles_and_existence_split_at_cuts(dag):
    sizes = cuts(dag).tolist()
    bounds = [0, *sizes, dag.n]
    parts = [graph.induced_subdag(dag, dag.order[a:b]) for a, b in pairwise(bounds)]
    joined = [value for part in parts for value in best_profile(part, sources=True)[:-1]] + [0]
    assert best_profile(dag, sources=True) == joined
    assert has_ic_optimal_schedule(dag, sources=True) == all(
        has_ic_optimal_schedule(part, sources=True) for part in parts
    )
    layers = ideals(dag)
    assert all(len(layers[size]) == 1 for size in sizes)


def test_small_cases():
    assert cuts(Dag.from_edges(0)).tolist() == []
    assert cuts(Dag.from_edges(1)).tolist() == []
    assert cuts(Dag.from_edges(2)).tolist() == []
    assert cuts(Dag.from_edges(5, [0, 1, 2, 3], [1, 2, 3, 4])).tolist() == [1, 2, 3, 4]
