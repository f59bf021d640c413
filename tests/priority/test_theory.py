"""What the theory claims is true by brute force over ideals, its certificates hold, the papers' examples succeed."""

from __future__ import annotations

import random
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eligo import Dag, graph
from eligo.certificate import verify
from eligo.generate import airsn, clique_dag, compose, cycle_dag, fft, mesh, n_dag, paper001, strand, tree
from eligo.priority._decompose import decompose
from eligo.priority._priority_relation import has_priority, yields_of
from eligo.priority._settle import Settled, settle
from eligo.schedule import Schedule
from tests.guards import no_hang
from tests.priority.test_series import in_series
from tests.reference.ideals import best_profile, has_ic_optimal_schedule
from tests.strategies import dags


def check(dag: Dag, budget: int = 100_000) -> Settled:
    """Settle a small dag and hold the answer against brute force and against the checker."""
    settled = settle(dag, budget)
    exists = has_ic_optimal_schedule(dag, sources=True)
    if settled.claim == "ic-optimal":
        assert exists
        assert settled.schedule is not None
        assert settled.schedule.profile.tolist() == best_profile(dag, sources=True)
    elif settled.claim == "none-exists":
        assert not exists
    if settled.certificate is not None:
        verify(settled.certificate, dag)
    return settled


@given(dags(9, known=False))
@settings(max_examples=300)
def test_with_search_every_small_dag_is_settled_rightly(dag):
    assert check(dag).claim != "unknown"


@given(dags(10, known=False))
@settings(max_examples=300)
def test_without_search_no_claim_is_wrong(dag):
    check(dag, budget=0)


@given(st.lists(dags(4, known=False), min_size=1, max_size=3).map(graph.sum_of))
@settings(max_examples=150)
def test_sums_are_settled_rightly(dag):
    assert check(dag).claim != "unknown"


@given(st.lists(dags(4, known=False).filter(lambda dag: dag.n > 0), min_size=1, max_size=3).map(in_series))
@settings(max_examples=120)
def test_series_are_settled_rightly(dag):
    assert check(dag).claim != "unknown"


@pytest.mark.parametrize("seed", range(300))
def test_parts_that_are_not_settled_do_not_mislead(seed):
    """With next to no search some parts stay open, in sums, in series and in both, however the jobs are numbered."""
    rng = random.Random(seed)

    def random_dag() -> Dag:
        n, p = rng.randint(1, 7), rng.random()
        pairs = [(u, v) for u in range(n) for v in range(u + 1, n) if rng.random() < p]
        return Dag.from_edges(n, [u for u, _ in pairs], [v for _, v in pairs])

    none_admitted = Dag.from_edges(6, [0, 2, 2, 3, 3], [1, 4, 5, 4, 5])
    parts = [random_dag(), rng.choice([none_admitted, random_dag()])]
    rng.shuffle(parts)
    whole = rng.choice([in_series, graph.sum_of])(parts)
    order = list(range(whole.n))
    rng.shuffle(order)
    check(graph.relabel(whole, order), budget=rng.choice([0, 1, 5, 20]))


above_one = st.lists(st.integers(2, 4), min_size=1, max_size=3)
t_strands = st.tuples(st.integers(1, 4), st.lists(st.integers(2, 4), max_size=4)).map(
    lambda parts: strand("T", [parts[0], *parts[1]])
)
blocks = st.one_of(
    t_strands,
    above_one.map(lambda degrees: strand("W", degrees)),
    above_one.map(lambda degrees: strand("M", degrees)),
    st.integers(1, 4).map(n_dag),
    st.integers(2, 4).map(cycle_dag),
    st.integers(1, 3).map(clique_dag),
)


def optimal_yields(dag: Dag) -> list[int]:
    """E_max of a bipartite block over its sources, as yields, by brute force."""
    sources = len(graph.sources(dag))
    return [value - (sources - x) for x, value in enumerate(best_profile(dag, sources=True)[: sources + 1])]


def merge_at_random(parts: list[Dag], rng: random.Random) -> Dag:
    """Compose parts one below the other, merging some sinks of what there is with some sources of the next."""
    whole = parts[0]
    for part in parts[1:]:
        sinks, sources = graph.sinks(whole).tolist(), graph.sources(part).tolist()
        size = rng.randint(0, min(len(sinks), len(sources)))
        whole = compose(whole, part, zip(rng.sample(sinks, size), rng.sample(sources, size), strict=True))
    return whole


@given(st.lists(blocks, min_size=1, max_size=3), st.randoms(use_true_random=False))
@settings(max_examples=150)
def test_compositions_in_falling_priority_are_proved_by_composition(parts, rng):
    """001, Theorem 2.1: whatever is merged, and however the jobs are numbered."""
    if sum(part.n for part in parts) > 16:
        parts = parts[:1]
    e = [np.array(optimal_yields(part)) for part in parts]
    chain = all(has_priority(e[i], e[i + 1]) for i in range(len(parts) - 1))
    whole = merge_at_random(parts, rng)
    order = list(range(whole.n))
    rng.shuffle(order)
    whole = graph.relabel(whole, order)
    settled = check(whole, budget=10_000)
    if chain:
        assert settled.method in ("family", "composition")


@pytest.mark.parametrize("kind", ["W", "M", "WM"])
@pytest.mark.parametrize("seed", range(8))
def test_the_three_composite_classes_of_003(kind, seed):
    """003, section 6.1: sums of W-strands in falling priority, of M-strands, and the former above the latter."""
    rng = random.Random(seed)

    def sums(letter: str, count: int) -> list[Dag]:
        made = [
            graph.sum_of([strand(letter, [rng.randint(2, 5) for _ in range(rng.randint(1, 4))])
                          for _ in range(rng.randint(1, 3))])
            for _ in range(count)
        ]  # fmt: skip
        e = {id(dag): np.array(yields_of(sum_schedule(dag))) for dag in made}
        chain: list[Dag] = []
        for dag in sorted(made, key=lambda dag: -e[id(dag)][-1] / len(e[id(dag)])):
            if not chain or has_priority(e[id(chain[-1])], e[id(dag)]):
                chain.append(dag)
        return chain

    parts = [dag for letter in kind for dag in sums(letter, 4)]
    whole = merge_at_random(parts, rng)
    settled = settle(whole, budget=0)
    assert settled.claim == "ic-optimal"
    assert settled.method in ("family", "composition")
    assert settled.certificate is not None
    verify(settled.certificate, whole)


def sum_schedule(dag: Dag) -> Schedule:
    settled = settle(dag, budget=0)
    assert settled.schedule is not None
    return settled.schedule


@pytest.mark.parametrize("figure", ["fig3-left", "fig3-right", "fig3-fmri", "fig8", "fig4-b1", "fig4-b2"])
def test_dags_of_001_that_yield_to_the_sweep(figure):
    dag = paper001(figure)
    settled = settle(dag, budget=0)
    assert settled.claim == "ic-optimal"
    verify(settled.certificate, dag)
    if dag.n <= 20:
        assert settled.schedule.profile.tolist() == best_profile(dag, sources=True)


@pytest.mark.parametrize("figure", ["fig5-g3", "fig5-g4"])
def test_dags_of_001_that_admit_none(figure):
    dag = paper001(figure)
    settled = settle(dag, budget=0)
    assert settled.claim == "none-exists"
    assert settled.method == "series"
    verify(settled.certificate, dag)


@pytest.mark.parametrize(
    "dag",
    [mesh(12), mesh(9, expansion=True), tree(6), tree(4, 3, expansion=True), fft(5), airsn(20), strand("T", [1, 4, 4])],
    ids=["mesh", "wavefront", "tree", "expansion-tree", "fft", "airsn", "strand"],
)
def test_large_dags_of_known_shape_are_settled_without_search(dag):
    settled = settle(dag, budget=0)
    assert settled.claim == "ic-optimal"
    verify(settled.certificate, dag)


def test_interleaving_is_found_where_no_block_has_priority():
    settled = settle(graph.sum_of([paper001("fig4-b1"), paper001("fig4-b2")]), budget=0)
    assert [name.split(".")[0] for name in settled.schedule.names[:2]] == ["b1", "b2"]


def test_failures_say_which_step_failed():
    """B2 alone has no priority over what waits for it, and no sum does."""
    dag = Dag.from_edges(7, [0, 0, 1, 1, 2, 2, 3, 3], [4, 5, 4, 6, 5, 6, 4, 6])
    settled = settle(dag, budget=0)
    if settled.claim == "unknown":
        assert {failure.step for failure in settled.failures} >= {"family", "series", "sum", "exact"}
    lin = settle(Dag.from_names([("a", "x"), ("b", "y"), ("x", "p"), ("x", "q"), ("x", "r"), ("y", "r")]), budget=0)
    steps = [failure.step for failure in lin.failures]
    assert "linearization" in steps or lin.claim != "unknown"


def test_blocks_that_are_not_bipartite_are_searched():
    """ERRATA (c): a |>-linear composition as printed in 002, which admits none; its arcs are not lost here."""
    dag = Dag.from_edges(8, [0, 0, 1, 1, 1, 2, 2, 2, 3, 3], [3, 6, 5, 6, 7, 5, 6, 7, 4, 7])
    assert not decompose(dag).bipartite.all()
    assert check(dag).claim == "none-exists"
    admits = Dag.from_names([("e", "a"), ("e", "b"), ("a", "d"), ("a", "f"), ("c", "b"), ("c", "d"), ("g", "d")])
    assert check(admits).claim == "ic-optimal"


def nested(core: Dag, times: int) -> Dag:
    """A part beside a chain, in series after two jobs, again and again: neither blocks nor families settle it."""
    for _ in range(times):
        core = in_series([Dag.from_edges(1), Dag.from_edges(1), graph.sum_of([core, SPLIT_CHAIN])])
    return core


SPLIT_CHAIN = Dag.from_edges(4, [0, 1, 1], [1, 2, 3])
NONE_ADMITTED = Dag.from_edges(6, [0, 2, 2, 3, 3], [1, 4, 5, 4, 5])


@pytest.mark.parametrize("times", [2, 5, 8, 30])
def test_a_part_that_comes_up_again_deep_down_is_not_nested_deeper_than_a_checker_goes(times):
    part = nested(SPLIT_CHAIN, 9)
    dag = in_series([part, graph.sum_of([nested(part, times), NONE_ADMITTED])])
    settled = settle(dag, budget=1000)
    assert settled.claim != "ic-optimal"
    if settled.certificate is not None:
        verify(settled.certificate, dag)


@no_hang(40)
@pytest.mark.parametrize("kind", ["series", pytest.param("sum", marks=pytest.mark.long)])
def test_many_parts_take_no_quadratic_time(kind):
    """20,000 parts in series; 20,000 forks beside a chain that the blocks do not settle."""
    if kind == "sum":
        dag = graph.sum_of([Dag.from_edges(4, [0, 0, 0], [1, 2, 3])] * 20_000 + [SPLIT_CHAIN])
    else:
        start = np.cumsum([0, *[1, 2, 1, 3] * 5_000])
        layers = [np.arange(a, b) for a, b in pairwise(start.tolist())]
        arcs = [np.array(np.meshgrid(one, other)).reshape(2, -1) for one, other in pairwise(layers)]
        dag = Dag.from_edges(int(start[-1]), *np.concatenate(arcs, axis=1))
    settled = settle(dag, budget=0)
    assert (settled.claim, settled.method) == ("ic-optimal", kind)
    verify(settled.certificate, dag)


def test_a_table_that_is_too_large_is_a_failure_and_no_crash(monkeypatch):
    monkeypatch.setattr("eligo.priority._sweep._MOST_WORDS", 0)
    dag = graph.sum_of([NONE_ADMITTED, SPLIT_CHAIN])
    settled = settle(dag, budget=0)
    assert settled.claim == "unknown"
    assert "would take more than 1 GB" in " ".join(failure.text for failure in settled.failures)
    assert check(dag).claim == "none-exists"  # by search


@pytest.mark.long
@no_hang(40)
def test_a_sum_of_many_that_admits_none_takes_no_quadratic_time():
    parts = [Dag.from_edges(4, [0, 1, 0, 1], [2, 2, 3, 3]), Dag.from_edges(2, [0], [1])]
    assert settle(graph.sum_of(parts * 20_000), budget=0).claim == "none-exists"
