"""Each method of proof: the bound it gives is the truth by brute force, and what it does not fit is refused."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eligo import generate, graph
from eligo.certificate import verify
from eligo.certificate._checker import Checker
from eligo.certificate._methods import check_charging, check_exact, check_family
from eligo.certificate._subdag import Budget, Piece
from eligo.dag import Dag
from eligo.errors import CertificateError, InfeasibleError
from eligo.schedule import Schedule
from tests.certificate.makers import (
    BUDGET,
    admits,
    any_order,
    best_order,
    certified,
    e_of,
    exact_witness,
    is_ic_optimal,
    random_dag,
    shuffled,
)
from tests.reference.ideals import best_profile
from tests.strategies import dags

SEEDS = st.integers(0, 2**32).map(random.Random)


def piece_of(dag: Dag, order: list[int]) -> Piece:
    place = np.argsort(order)
    return Piece.of(dag.n, place[dag.tails], place[dag.heads])


@given(dags(known=False), SEEDS)
def test_the_numbers_of_an_order(dag, rng):
    order = any_order(dag, rng)
    schedule, piece = Schedule.of(dag, order), piece_of(dag, order)
    assert piece.profile.tolist() == schedule.profile.tolist()
    assert piece.memory_cost == schedule.memory_cost
    assert piece.limit(np.array(e_of(dag))).tolist() == best_profile(dag, sources=True)


class TestConcave:
    @given(SEEDS)
    def test_only_ic_optimal_orders_pass(self, rng):
        dag = random_dag(rng)
        for order in (any_order(dag, rng), best_order(dag, rng) or any_order(dag, rng)):
            try:
                verify(certified(dag, order, "ic-optimal", {"by": "concave"}), dag)
            except CertificateError:
                continue
            assert is_ic_optimal(dag, order)

    def test_a_sink_too_early(self):
        r"""0 -> 1, 2 and 3 -> 4: all gains fall, but a sink is executed where a non-sink would have given a job."""
        dag = Dag.from_edges(5, [0, 0, 3], [1, 2, 4])
        assert check_charging.concave_order_bound(piece_of(dag, [0, 1, 3, 2, 4]), {"by": "concave"}).tolist() == [
            0,
            2,
            3,
        ]
        with pytest.raises(CertificateError, match="after 2 jobs the order has 2 ELIGIBLE jobs, where 3 can be"):
            verify(certified(dag, [0, 1, 3, 2, 4], "ic-optimal", {"by": "concave"}), dag)


class TestDualConcave:
    @given(SEEDS)
    def test_the_bound_is_the_truth_whatever_the_order(self, rng):
        dag = random_dag(rng) if rng.random() < 0.5 else random_forest(rng)
        try:
            bound = check_charging.dual_concave_bound(piece_of(dag, any_order(dag, rng)), {"by": "dual-concave"})
        except CertificateError:
            return
        assert bound.tolist() == e_of(dag)

    @pytest.mark.parametrize("dag", [generate.m_dag(1, 4), generate.tree(1, 3), generate.strand("M", [4, 2, 3])])
    def test_strands(self, dag):
        order = best_order(dag, random.Random(0))
        verdict = verify(certified(dag, order, "ic-optimal", {"by": "dual-concave"}), dag)
        assert "dual-concave" in verdict.checks[-1]

    def test_the_dual_of_a_clique_is_not_concave(self):
        dag = generate.clique_dag(3)
        with pytest.raises(CertificateError, match="the dual order is not concave"):
            verify(certified(dag, list(range(6)), "ic-optimal", {"by": "dual-concave"}), dag)


def mesh_places(levels: int, expansion: bool) -> list[list[int]]:
    """Places of the jobs of ``generate.mesh`` in their numbering."""
    down = [[x, total - x] for total in range(levels - 1, -1, -1) for x in range(total + 1)]
    return down[::-1] if expansion else down


def fft_places(dim: int) -> list[list[int]]:
    return [[dim - row, x] for row in range(dim + 1) for x in range(1 << dim)]


FAMILIES = [
    *((generate.clique_dag(s), {"family": "complete"}, None) for s in (1, 2, 3)),
    (generate.m_dag(1, 4), {"family": "complete"}, None),
    (generate.w_dag(1, 4), {"family": "complete"}, None),
    *((generate.cycle_dag(s), {"family": "cycle"}, None) for s in (2, 3, 5)),
    *(
        (generate.tree(h, k, expansion=up), {"family": "tree", "arity": k, "expansion": up}, None)
        for h, k in ((0, 2), (1, 2), (2, 2), (2, 3), (4, 1))
        for up in (False, True)
    ),
    *(
        (generate.mesh(k, 2, expansion=up), {"family": "mesh", "levels": k, "expansion": up}, mesh_places(k, up))
        for k in (1, 2, 3, 4)
        for up in (False, True)
    ),
    *((generate.fft(d), {"family": "fft", "dim": d}, fft_places(d)) for d in (0, 1, 2)),
]


class TestFamily:
    @pytest.mark.parametrize(("dag", "witness", "places"), FAMILIES, ids=lambda value: str(value)[:50])
    def test_the_formula_is_the_truth(self, dag, witness, places):
        rng = random.Random(5)
        for last in (False, True):
            order = best_order(dag, rng, sinks_last=last)
            full = {"by": "family", **witness} | ({} if places is None else {"place": [places[job] for job in order]})
            assert check_family.family_bound(piece_of(dag, order), full).tolist() == e_of(dag)
            verify(certified(dag, order, "ic-optimal", full), dag)

    @pytest.mark.parametrize(("dag", "witness", "places"), FAMILIES, ids=lambda value: str(value)[:50])
    def test_another_dag_is_not_of_the_family(self, dag, witness, places):
        """One arc less, or turned elsewhere: if that is accepted, the formula must still bound the truth."""
        rng = random.Random(6)
        for _ in range(30 if dag.m else 0):
            arcs = list(zip(dag.tails.tolist(), dag.heads.tolist(), strict=True))
            arcs.pop(rng.randrange(len(arcs)))
            if rng.random() < 0.7:
                arcs.append(tuple(sorted(rng.sample(range(dag.n), 2), key=dag.order.tolist().index)))
            other = Dag.from_edges(dag.n, [u for u, _ in arcs], [v for _, v in arcs])
            order = any_order(other, rng)
            full = {"by": "family", **witness} | ({} if places is None else {"place": [places[job] for job in order]})
            try:
                bound = check_family.family_bound(piece_of(other, order), full)
            except CertificateError:
                continue
            assert np.all(bound >= e_of(other))

    @given(SEEDS, st.integers(1, 3), st.booleans())
    def test_trees_of_any_shape(self, rng, arity, expansion):
        leaves, toward = [0], [-1]
        while len(toward) + arity <= 10 and rng.random() < 0.9:
            inner = leaves.pop(rng.randrange(len(leaves)))
            leaves += range(len(toward), len(toward) + arity)
            toward += [inner] * arity
        dag = shuffled(generate.tree_from_parents(toward, expansion), rng)
        order = best_order(dag, rng)
        witness = {"by": "family", "family": "tree", "arity": arity, "expansion": expansion}
        verify(certified(dag, order, "ic-optimal", witness), dag)
        assert check_family.family_bound(piece_of(dag, order), witness).tolist() == e_of(dag)

    def test_two_cycles_are_not_one(self):
        dag = graph.sum_of([generate.cycle_dag(2), generate.cycle_dag(3)])
        with pytest.raises(CertificateError, match="more than one cycle"):
            check_family.family_bound(piece_of(dag, dag.order.tolist()), {"by": "family", "family": "cycle"})

    @pytest.mark.parametrize(
        "witness",
        [
            {"family": "fft", "dim": 10**9, "place": []},
            {"family": "fft", "dim": 1, "place": [[0, 0]] * 4},
            {"family": "fft", "dim": 1, "place": [[0, 0], [0, 1], [1, 0], [1, 1.0]]},
            {"family": "fft", "dim": 1, "place": [[0, 0], [0, 1], [1, 0], [2, 1]]},
            {"family": "fft", "dim": True, "place": []},
            {"family": "mesh", "levels": 10**20, "expansion": False, "place": []},
            {"family": "mesh", "levels": 2, "expansion": False, "place": [[0, 0], [0, 1], [1, 0]]},
            {"family": "tree", "arity": 0, "expansion": False},
            {"family": "tree", "arity": 2, "expansion": 0},
            {"family": "tree", "arity": 2},
            {"family": "complete", "more": 1},
            {"family": ["complete"]},
            {"family": "grid"},
            {},
        ],
    )
    def test_bad_witnesses(self, witness):
        piece = piece_of(generate.fft(1), [0, 1, 2, 3])
        with pytest.raises(CertificateError):
            check_family.family_bound(piece, {"by": "family", **witness})


def random_forest(rng: random.Random, most: int = 10) -> Dag:
    """A bipartite forest: every job after the first few hangs on one before it, of the other kind."""
    n = rng.randint(1, most)
    is_source = [rng.random() < 0.5 for _ in range(n)]
    arcs = []
    for job in range(1, n):
        others = [one for one in range(job) if is_source[one] != is_source[job]]
        if others and rng.random() < 0.85:
            one = rng.choice(others)
            arcs.append((job, one) if is_source[job] else (one, job))
    return Dag.from_edges(n, [u for u, _ in arcs], [v for _, v in arcs])


class TestBipartiteTree:
    @given(SEEDS)
    def test_the_tables_are_the_truth(self, rng):
        dag = random_forest(rng)
        bound = check_family.bipartite_tree_bound(
            piece_of(dag, any_order(dag, rng)), {"by": "bipartite-tree"}, Checker(Budget(BUDGET))
        )
        assert bound.tolist() == e_of(dag)

    def test_long_strands_need_no_recursion(self):
        dag = generate.n_dag(2000)
        piece = piece_of(dag, dag.order.tolist())
        bound = check_family.bipartite_tree_bound(piece, {"by": "bipartite-tree"}, Checker(Budget(BUDGET)))
        assert bound.tolist() == list(range(2001))

    def test_budget(self):
        dag = generate.n_dag(2000)
        with pytest.raises(InfeasibleError, match="the tables of a tree"):
            check_family.bipartite_tree_bound(
                piece_of(dag, dag.order.tolist()), {"by": "bipartite-tree"}, Checker(Budget(100_000))
            )

    @pytest.mark.parametrize(
        ("dag", "reason"),
        [(generate.cycle_dag(3), "no forest"), (generate.clique_dag(2), "no forest"), (generate.chain(3), "bipartite")],
    )
    def test_what_is_no_tree(self, dag, reason):
        with pytest.raises(CertificateError, match=reason):
            check_family.bipartite_tree_bound(
                piece_of(dag, dag.order.tolist()), {"by": "bipartite-tree"}, Checker(Budget(BUDGET))
            )


class TestExact:
    @given(SEEDS)
    def test_the_best_profile_and_whether_an_order_has_it(self, rng):
        dag = random_dag(rng, 9)
        witness = exact_witness(dag)
        piece = piece_of(dag, any_order(dag, rng))
        assert check_exact.exact_bound(piece, witness, Checker(Budget(BUDGET))).tolist() == e_of(dag)
        try:
            check_exact.check_exact(piece, witness, Checker(Budget(BUDGET)))
        except CertificateError:
            assert admits(dag)
        else:
            assert not admits(dag)

    @pytest.mark.parametrize("change", [-1, 1])
    def test_the_number_of_ideals_must_be_right(self, change):
        dag = generate.mesh(3)
        witness = exact_witness(dag)
        with pytest.raises(CertificateError, match="ideals"):
            check_exact.exact_bound(
                piece_of(dag, dag.order.tolist()),
                {**witness, "ideals": witness["ideals"] + change},
                Checker(Budget(10**9)),
            )

    def test_more_than_64_non_sinks(self):
        """A chain of 70 beside a fork: the ideals are pairs."""
        dag = graph.sum_of([generate.chain(70), generate.w_dag(1, 2)])
        order = [70, *range(70), 71, 72]
        verify(certified(dag, order, "ic-optimal", {"by": "exact", "ideals": 140}), dag)

    def test_no_order_is_best_beyond_64_non_sinks(self):
        """The smallest dag without an IC-optimal order, beside it a chain."""
        dag = graph.sum_of([generate.chain(70), generate.chain(2), generate.clique_dag(2)])
        witness = {"by": "exact", "ideals": 70 * 2 * 4}
        assert (
            "by enumeration: no order"
            in verify(certified(dag, dag.order.tolist(), "no-ic-optimal", witness), dag).checks[-1]
        )

    @pytest.mark.parametrize("ideals", [0, 1, -5, True, 4.0, "4", None, 10**40, [4]])
    def test_bad_numbers(self, ideals):
        dag = generate.w_dag(3, 2)
        with pytest.raises(CertificateError):
            check_exact.exact_bound(
                piece_of(dag, dag.order.tolist()), {"by": "exact", "ideals": ideals}, Checker(Budget(BUDGET))
            )

    def test_budget_is_asked_before_memory_is_taken(self):
        dag = generate.w_dag(5000, 2)
        piece = piece_of(dag, dag.order.tolist())
        with pytest.raises(InfeasibleError, match="ideals"):
            check_exact.exact_bound(piece, {"by": "exact", "ideals": 2**62}, Checker(Budget(10**10)))
