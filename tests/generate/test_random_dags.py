import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eligo import graph
from eligo.errors import EligoError
from eligo.generate import layered, series_parallel, uniform

seeds = st.integers(0, 2**70)


def edges(dag):
    return list(zip(dag.tails.tolist(), dag.heads.tolist(), strict=True))


@settings(deadline=None)
@given(jobs=st.integers(1, 80), layers=st.integers(1, 80), probability=st.floats(0, 1), seed=seeds)
def test_layered(jobs, layers, probability, seed):
    layers = min(layers, jobs)
    dag = layered(jobs, layers, probability, seed)
    assert dag == layered(jobs, layers, probability, seed)
    wanted = [layer for layer in range(layers) for _ in range(layer * jobs // layers, (layer + 1) * jobs // layers)]
    assert graph.levels(dag).tolist() == wanted
    assert all(wanted[head] - wanted[tail] == 1 for tail, head in edges(dag))


@settings(deadline=None)
@given(jobs=st.integers(1, 80), probability=st.floats(0, 1), seed=seeds)
def test_uniform(jobs, probability, seed):
    dag = uniform(jobs, probability, seed)
    assert dag == uniform(jobs, probability, seed)
    assert (dag.tails < dag.heads).all()
    if probability == 1:
        assert dag.m == jobs * (jobs - 1) // 2


def test_every_pair_is_equally_likely():
    """Each of the 28 pairs of 8 jobs occurs in about p of 4,000 dags."""
    seen = np.zeros((8, 8))
    for seed in range(4000):
        dag = uniform(8, 0.3, seed)
        seen[dag.tails, dag.heads] += 1
    pairs = seen[np.triu_indices(8, 1)]
    assert abs(pairs - 1200).max() < 5 * (4000 * 0.3 * 0.7) ** 0.5
    assert seen.sum() == pairs.sum()


def test_pairs_between_layers_are_equally_likely():
    seen = np.zeros((6, 6))
    for seed in range(3000):
        dag = layered(6, 2, 0.7, seed)  # a child is without parent in 0.027 of the cases only
        seen[dag.tails, dag.heads] += 1
    cell = 0.7 + 0.3**3 / 3
    assert abs(seen[:3, 3:] - 3000 * cell).max() < 5 * (3000 * cell * (1 - cell)) ** 0.5


def test_large_positions_are_turned_into_jobs_exactly():
    """At a million jobs positions exceed 2^38, and square roots must not be off."""
    dag = uniform(1_000_000, 1e-7, seed=3)
    assert abs(dag.m - 50_000) < 5 * 50_000**0.5
    assert (dag.tails < dag.heads).all()
    # The higher end h has h possible partners, so its square is even: its quartiles tell.
    quartiles = np.quantile((dag.heads / 1e6) ** 2, [0.25, 0.5, 0.75])
    assert quartiles == pytest.approx([0.25, 0.5, 0.75], abs=0.02)
    assert np.quantile(dag.tails / dag.heads, [0.25, 0.5, 0.75]) == pytest.approx([0.25, 0.5, 0.75], abs=0.02)


@settings(deadline=None)
@given(jobs=st.integers(2, 60), parallel=st.floats(0, 1), seed=seeds)
def test_series_parallel(jobs, parallel, seed):
    """Undone by series and parallel reductions to one edge, which characterises these dags."""
    dag = series_parallel(jobs, parallel, seed)
    assert dag == series_parallel(jobs, parallel, seed)
    assert (graph.sources(dag).tolist(), graph.sinks(dag).tolist()) == ([0], [1])
    assert len(graph.shortcuts(dag)[0]) == 0
    left = set(edges(dag))
    while len(left) > 1:
        inner = {job for edge in left for job in edge} - {0, 1}
        plain = [job for job in inner if sum(e[1] == job for e in left) == 1 and sum(e[0] == job for e in left) == 1]
        assert plain, "no series reduction applies"
        job = plain[0]
        (into,) = (e for e in left if e[1] == job)
        (out,) = (e for e in left if e[0] == job)
        left = (left - {into, out}) | {(into[0], out[1])}  # a set: parallel edges merge
    assert left == {(0, 1)}


@pytest.mark.parametrize(
    ("make", "bad"),
    [
        (layered, {"jobs": 0}), (layered, {"jobs": 3, "layers": 4}), (layered, {"probability": 1.5}),
        (layered, {"probability": float("nan")}), (layered, {"jobs": 10**30}), (layered, {"seed": -1}),
        (layered, {"jobs": 10**6, "layers": 2, "probability": 1}), (uniform, {"jobs": 0}),
        (uniform, {"probability": -0.1}), (uniform, {"jobs": 10**6, "probability": 0.5}), (uniform, {"jobs": 10**30}),
        (series_parallel, {"jobs": 1}), (series_parallel, {"parallel": 2}), (series_parallel, {"jobs": 10**9}),
    ],
)  # fmt: skip
def test_refuses(make, bad):
    with pytest.raises(EligoError):
        make(**bad)
