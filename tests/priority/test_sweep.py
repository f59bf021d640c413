"""IC-Sweep against the tables of the paper, the algorithm as printed, and brute force over executed sets of sums."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eligo import Dag, EligoError, InfeasibleError, graph
from eligo.generate import paper001
from eligo.priority import _sweep as sweeping
from eligo.priority._priority_relation import has_priority, is_chain, max_convolution, yields_of
from eligo.priority._sweep import interleave, sweep, two_sweep
from eligo.schedule import Schedule
from tests.reference import ideals
from tests.reference import sweep_twin as plain
from tests.strategies import dags

YIELDS = st.lists(st.integers(0, 2), max_size=7).map(lambda gains: np.cumsum([0, *gains]).tolist())
EASY = st.one_of(YIELDS, YIELDS.map(lambda e: np.cumsum([0, *sorted(np.diff(e))[::-1]]).tolist()))


def best_schedule(dag: Dag) -> Schedule:
    order = plain.optimum(dag).order
    assert order is not None
    return Schedule.of(dag, order)


def part(dag: Dag, names: str) -> Dag:
    return graph.induced_subdag(dag, [dag.index(name) for name in names.split()])


# The tables of Cordasco, Malewicz and Rosenberg 2010.


def test_table_2_a_sum_that_must_be_interleaved():
    """Two blocks W[5, 2] and W[4, 2]: neither has priority over the other, and two paths exist."""
    parts = [best_schedule(paper001(figure)) for figure in ("fig4-b1", "fig4-b2")]
    found = two_sweep(*map(yields_of, parts))
    assert found.table_e().tolist() == [[0, 3, 5], [4, 7, 9], [6, 9, 11]]
    assert not found.l_shaped
    assert not found.seven_shaped
    assert found.admits
    assert found.count() == 2
    assert found.steps.tolist() == [0, 1, 0, 1]
    assert {path[:2] for path in plain.all_paths(found.e1, found.e2)} == {(0, 1)}
    whole = interleave(parts, found.steps)
    assert whole.names[:2] == ["b1.1", "b2.1"]
    assert whole.profile.tolist() == ideals.best_profile(whole.dag, sources=True)
    assert sweep([found.e1, found.e2]).chain is None


def test_table_3_no_schedule_of_g3():
    """After its source, G_3 is an arc beside K_{2,2}: step 1 wants the arc first, step 2 the other."""
    g3 = paper001("fig5-g3")
    left, right = part(g3, "1 4"), part(g3, "2 3 5 6")
    found = two_sweep(yields_of(best_schedule(left)), yields_of(best_schedule(right)))
    assert found.table_e().tolist() == [[0, 0, 2], [1, 1, 3]]
    assert not found.admits
    assert (found.diagonal, found.count()) == (2, 0)
    assert not ideals.has_ic_optimal_schedule(g3, sources=True)


def _eligible_nonsources(schedule: Schedule) -> list[int]:
    """What Table 4 prints: non-sources that wait to be executed, after each number of non-sinks."""
    nonsources = np.diff(schedule.dag.pred_ptr) > 0
    e = yields_of(schedule)
    return (e - np.cumsum([0, *nonsources[schedule.order[: len(e) - 1]]])).tolist()


def test_table_4_no_schedule_of_g4():
    """The parts of G_4 are not bipartite; the printed table and the one of yields lead to the same answer."""
    g4 = paper001("fig5-g4")
    parts = [best_schedule(part(g4, "1 2 6 8 9")), best_schedule(part(g4, "3 4 5 7 10 11 12"))]
    printed = two_sweep(*map(_eligible_nonsources, parts))
    assert printed.table_e().tolist() == [[0, 0, 0, 1, 3], [0, 0, 0, 1, 3], [1, 1, 1, 2, 4], [2, 2, 2, 3, 5]]
    assert not printed.admits
    found = two_sweep(*map(yields_of, parts))
    assert (found.e1.tolist(), found.e2.tolist()) == ([0, 0, 1, 3], [0, 0, 0, 1, 4])
    assert not found.admits
    assert not ideals.has_ic_optimal_schedule(g4, sources=True)


def test_table_5_a_chain_whose_first_link_is_a_sum():
    """The blocks of the left dag of Fig. 3, and (B1 + B2) over B3, B4, B6, B5, B7."""
    dag = paper001("fig3-left")
    blocks = {}
    for name in ("b3", "b4", "b5", "b6", "b7"):
        parents = [dag.names[job] for job in dag.parents(dag.index(name))]
        blocks[name] = yields_of(best_schedule(part(dag, " ".join([*parents, name]))))
    b1, b2 = (yields_of(best_schedule(paper001(figure))) for figure in ("fig4-b1", "fig4-b2"))
    b3, b4, b5, b6, b7 = blocks.values()
    assert two_sweep(b1, b3).table_e().tolist() == [[0, 0, 1], [4, 4, 5], [6, 6, 7]]
    assert two_sweep(b2, b3).table_e().tolist() == [[0, 0, 1], [3, 3, 4], [5, 5, 6]]
    assert two_sweep(b4, b6).table_e().tolist() == [[0, 0, 0, 1], [0, 0, 0, 1], [1, 1, 1, 2]]
    assert two_sweep(b6, b5).table_e().tolist() == [[0, 0, 0, 0, 1]] * 3 + [[1, 1, 1, 1, 2]]
    assert np.array_equal(b3, b4)
    assert np.array_equal(b5, b7)
    for over, under in ((b1, b3), (b2, b3), (b4, b6), (b6, b5)):
        found = two_sweep(over, under)
        assert found.l_shaped
        assert not found.seven_shaped
    both = sweep([b1, b2])
    assert not both.is_chain
    assert is_chain([both.e, b3, b4, b6, b5, b7])
    assert sweep([b7, b5, b6, b4, b3]).chain == (3, 4, 2, 0, 1)
    swept = sweep([b1, b2, b3, b4, b5, b6, b7])
    assert swept.admits
    assert swept.chain is None


def test_table_6_the_fmri_sum():
    left, right = (best_schedule(paper001(figure)) for figure in ("fig8-left", "fig8-right"))
    assert left.names[:1] == ["C"]
    assert right.names[:1] == ["F"]
    found = two_sweep(yields_of(left), yields_of(right))
    assert found.table_e().tolist() == [[0, 3, 4, 5], [3, 6, 7, 8], [4, 7, 8, 9], [5, 8, 9, 10]]
    assert found.count() == 12
    assert not found.l_shaped
    assert not found.seven_shaped
    whole = interleave([left, right], found.steps)
    assert whole.profile.tolist() == plain.optimum(whole.dag).profile


# Two functions, against the algorithm as printed.


@given(EASY, EASY)
@settings(max_examples=300)
def test_two_sweep_is_the_printed_algorithm(e1, e2):
    found, expected = two_sweep(e1, e2), plain.two_sweep(e1, e2)
    assert found.table_e().tolist() == expected.table_e
    assert found.table_v().tolist() == expected.table_v
    assert found.diagonal == expected.diagonal
    assert found.admits == (expected.diagonal is None)
    assert found.count() == expected.count
    assert found.e.tolist() == plain.max_convolution(e1, e2)
    assert found.l_shaped == plain.has_priority(e1, e2)
    assert found.seven_shaped == plain.has_priority(e2, e1)
    if found.admits:  # the first dag as early as can be: 0 before 1 from the first step on
        assert tuple(found.steps.tolist()) == min(plain.all_paths(e1, e2))


def _functions(seed: int, count: int, longest: int) -> Iterator[np.ndarray]:
    rng = np.random.default_rng(seed)
    for _ in range(count):
        period = rng.integers(0, 3, int(rng.integers(1, 5)))
        yield np.cumsum([0, *np.resize(period, int(rng.integers(1, longest)))])


@pytest.mark.parametrize("seed", range(12))
def test_rows_longer_than_a_word(seed):
    """Repeating functions have many optimal paths, some of them across several words of 64 cells."""
    for e1, e2 in zip(_functions(seed, 5, 40), _functions(seed + 100, 5, 300), strict=True):
        found, expected = two_sweep(e1, e2), plain.two_sweep(e1.tolist(), e2.tolist())
        assert found.table_v().tolist() == expected.table_v
        assert (found.diagonal, found.count()) == (expected.diagonal, expected.count)
        if found.admits:
            first = np.cumsum([0, *(found.steps == 0)])
            together = e1[first] + e2[np.arange(len(found.e)) - first]
            assert np.array_equal(together, found.e)


def test_paths_without_number_are_counted():
    found = two_sweep(np.arange(151), np.arange(131))
    assert found.count() == _binomial(280, 130)
    assert found.table_v().all()


def _binomial(n: int, k: int) -> int:
    value = 1
    for i in range(k):
        value = value * (n - i) // (i + 1)
    return value


# Sums of functions.


@given(st.lists(EASY, min_size=1, max_size=4).filter(lambda es: np.prod([len(e) for e in es]) < 600))
@settings(max_examples=250)
def test_sweep_is_the_table_of_many_dimensions(functions):
    found = sweep(functions)
    assert found.admits == plain.admits(functions)
    best = [0]
    for e in functions:
        best = plain.max_convolution(best, e)
    assert found.e.tolist() == best
    steps = [e for e in functions if len(e) > 1]
    assert found.is_chain == all(plain.has_priority(a, b) for a, b in pairwise(steps))
    if found.admits:
        _check_steps(functions, found.steps, best)
    else:
        assert plain.admits(functions[: found.stage])
        before = sweep(functions[: found.stage]).e
        assert plain.two_sweep(before.tolist(), functions[found.stage]).diagonal == found.diagonal
    if found.chain is not None:
        assert sorted(found.chain) == [i for i, e in enumerate(functions) if len(e) > 1]
        assert is_chain([functions[i] for i in found.chain])
        assert found.admits


def _check_steps(functions, steps, best):
    done = [0] * len(functions)
    together = [0]
    for i in steps.tolist():
        done[i] += 1
        together.append(sum(e[x] for e, x in zip(functions, done, strict=True)))
    assert together == best
    assert done == [len(e) - 1 for e in functions]


def test_a_sum_over_a_dag_has_priority_if_its_parts_have():
    """Theorem 4.1, for all sums of two short functions that admit a schedule."""
    rng = np.random.default_rng(3)
    tried = 0
    while tried < 150:
        a, b, c = (np.cumsum([0, *rng.integers(low, 3, rng.integers(1, 4))]) for low in (1, 1, 0))
        both = two_sweep(a, b)
        if both.admits and has_priority(a, c) and has_priority(b, c):
            tried += 1
            assert has_priority(both.e, c)


def test_degenerate_sums():
    assert sweep([]).steps.tolist() == []
    assert sweep([]).e.tolist() == [0]
    assert sweep([[0], [0]]).steps.tolist() == []
    isolated = sweep([[0], [0, 0, 1], [0], [0, 1]])
    assert isolated.steps.tolist() == [3, 1, 1]
    assert isolated.chain == (3, 1)
    assert not isolated.is_chain
    settled = sweep([[0, 1], None, [0, 2]])
    assert not settled.admits
    assert (settled.stage, settled.diagonal, settled.e, settled.chain) == (1, None, None, None)
    assert two_sweep([0], [0]).count() == 1
    assert two_sweep([0], [0, 3]).steps.tolist() == [1]


def test_chains_and_concave_sums_need_no_table():
    joins = [np.array([0] * width + [1]) for width in (30_000, 20_000, 10_000)]
    assert sweep(joins).chain == (2, 1, 0)
    forks = [np.cumsum([0, *np.sort(np.random.default_rng(i).integers(0, 9, 50_000))[::-1]]) for i in range(3)]
    found = sweep(forks)
    assert found.admits
    best = max_convolution(max_convolution(forks[0], forks[1]), forks[2])
    assert np.array_equal(found.e, best)


def test_tables_beyond_memory_are_refused(monkeypatch):
    monkeypatch.setattr(sweeping, "_MOST_WORDS", 10)
    with pytest.raises(InfeasibleError, match="15 by 15 steps would take more than 1 GB"):
        two_sweep(np.cumsum([0, *[1, 0, 1] * 5]), np.cumsum([0, *[1, 0, 1, 1, 0] * 3]))


def test_bad_input_is_refused():
    with pytest.raises(EligoError, match="start with 0"):
        two_sweep([1, 1], [0, 1])
    with pytest.raises(EligoError, match="never fall"):
        sweep([[0, 1], [0, 1, 0]])
    wide = two_sweep(np.arange(4001), np.arange(4001))
    for table in (wide.table_e, wide.table_v):
        with pytest.raises(InfeasibleError, match="4,001 by 4,001 cells is too large"):
            table()
    fork = Schedule.of(Dag.from_edges(3, [0, 0], [1, 2]), [0, 1, 2])
    for steps in ([0], [0, 0, 1], [0, 2], [0, -1]):
        with pytest.raises(EligoError, match="do not fit"):
            interleave([fork, fork], steps)


# Sums of dags, against brute force.


def check_sum(summands: list[Dag]) -> bool:
    """Compare with every executed set of the sum; tell whether the sum admits an IC-optimal schedule."""
    total = graph.sum_of(summands)
    expected = plain.optimum(total)
    parts = [(dag, plain.optimum(dag).order) for dag in summands]
    schedules = [None if order is None else Schedule.of(dag, order) for dag, order in parts]
    found = sweep([None if schedule is None else yields_of(schedule) for schedule in schedules])
    assert found.admits == (expected.order is not None)
    if found.e is not None:
        assert found.e.tolist() == expected.yields(total)
    if found.admits:
        whole = interleave(schedules, found.steps)
        assert whole.dag == total
        assert whole.profile.tolist() == expected.profile
    return found.admits


@given(st.lists(dags(5, known=False), min_size=1, max_size=3).filter(lambda several: sum(d.n for d in several) <= 10))
@settings(max_examples=120)
def test_sweep_of_dags_is_brute_force(summands):
    check_sum(summands)


@given(dags(7, known=False))
@settings(max_examples=60)
def test_the_two_brute_forces_agree(dag):
    found = plain.optimum(dag)
    assert found.profile == ideals.best_profile(dag, sources=True)
    assert (found.order is not None) == ideals.has_ic_optimal_schedule(dag, sources=True)


def random_part(rng: np.random.Generator, most: int) -> Dag:
    """A dag of 2 to `most` jobs, often of two levels and dense: such sums often admit no IC-optimal schedule."""
    n = int(rng.integers(2, most + 1))
    above = int(rng.integers(1, n)) if rng.random() < 0.6 else n
    pairs = [(u, v) for u in range(n) for v in range(u + 1, n) if above == n or u < above <= v]
    chosen = [pair for pair in pairs if rng.random() < rng.choice([0.4, 0.8, 1.0])]
    return Dag.from_edges(n, [u for u, _ in chosen], [v for _, v in chosen])


def compare_random_sums(seed: int, count: int, most: int) -> int:
    rng = np.random.default_rng(seed)
    admitted = [check_sum([random_part(rng, most) for _ in range(int(rng.integers(2, 4)))]) for _ in range(count)]
    return admitted.count(False)


def test_sweep_of_many_random_dags_is_brute_force():
    assert compare_random_sums(1, 1000, 4) > 30


def test_a_summand_without_schedule_settles_the_question():
    """(a -> b) + K_{2,2}, the smallest dag without, beside others."""
    without = Dag.from_edges(6, [0, 2, 2, 3, 3], [1, 4, 5, 4, 5])
    rng = np.random.default_rng(4)
    for _ in range(60):
        assert not check_sum([without, random_part(rng, 5)])


@pytest.mark.long
@pytest.mark.parametrize("seed", range(2, 8))
def test_sweep_of_larger_random_dags_is_brute_force(seed):
    assert compare_random_sums(seed, 2000, 5) > 60
