"""Meshes: theorems 3.1 and 3.2 of 000 by brute force, the formulas of 3.4, recognition of what is and is not one."""

from __future__ import annotations

from math import comb, floor, sqrt

import numpy as np
import pytest

from eligo import graph
from eligo.dag import Dag
from eligo.errors import EligoError
from eligo.generate import grid, mesh
from eligo.priority._families import Mesh, mesh_eligible, recognise_mesh
from eligo.schedule import Schedule
from tests.priority.families.brute import Ideals, near_miss, same_shape, shuffled

SMALL = [(levels, 2) for levels in range(1, 8)] + [(levels, 3) for levels in range(1, 5)] + [(3, 4), (3, 5), (4, 1)]


def known(dag: Dag) -> Mesh:
    found = recognise_mesh(dag)
    assert found is not None
    return found


@pytest.mark.parametrize("expansion", [False, True])
@pytest.mark.parametrize(("levels", "dim"), SMALL)
def test_across_levels_is_ic_optimal(levels: int, dim: int, expansion: bool) -> None:
    """In two dimensions by theorem; in more no exception was found, also where the papers prove nothing."""
    found = known(shuffled(mesh(levels, dim, expansion), seed=levels))
    best = Ideals(found.dag).best_profile
    assert Schedule.of(found.dag, found.best_order()).profile.tolist() == best
    assert found.best_profile().tolist() == best


@pytest.mark.parametrize("levels", range(1, 8))
def test_theorem_3_1_counts_and_theorem_3_2_costs(levels: int) -> None:
    found = known(mesh(levels))
    ideals = Ideals(found.dag)
    assert found.count_optimal() == ideals.count_optimal() == 2 ** (levels * (levels - 1) // 2)
    assert ideals.least_memory(optimal=False) == ideals.least_memory(optimal=True) == (levels if levels > 1 else 0)


def test_three_dimensions_cost_what_the_errata_say() -> None:
    """3-D, 4 levels: 8 registers, IC-optimal 10. The across-level order is the cheapest IC-optimal one."""
    found = known(mesh(4, 3))
    ideals = Ideals(found.dag)
    assert ideals.least_memory(optimal=False) == 8 == Schedule.of(found.dag, found.eager_order()).memory_cost
    assert ideals.least_memory(optimal=True) == 10 == Schedule.of(found.dag, found.best_order()).memory_cost


@pytest.mark.long
def test_three_dimensions_five_levels() -> None:
    found = known(mesh(5, 3))
    ideals = Ideals(found.dag)
    assert Schedule.of(found.dag, found.best_order()).profile.tolist() == ideals.best_profile
    assert ideals.least_memory(optimal=False) == 11
    assert ideals.least_memory(optimal=True) == 15 == Schedule.of(found.dag, found.best_order()).memory_cost


@pytest.mark.parametrize("levels", [*range(1, 16), 40])
def test_formulas_and_costs_in_two_dimensions(levels: int) -> None:
    for expansion in (False, True):
        found = known(shuffled(mesh(levels, 2, expansion), seed=3))
        good, eager = (Schedule.of(found.dag, order) for order in (found.best_order(), found.eager_order()))
        formula = [mesh_eligible(levels, step, expansion=expansion) for step in range(found.dag.n + 1)]
        assert found.best_profile().tolist() == good.profile.tolist() == formula
        cost = max(levels - expansion, 0) if levels > 1 else 0
        assert good.memory_cost == eager.memory_cost == cost
        assert good.compare(eager).nowhere_behind


@pytest.mark.parametrize("levels", [1, 2, 3, 6, 12])
def test_eager_formulas_of_section_3_4(levels: int) -> None:
    """After the first k - 1 diagonals and q jobs of the k-th: E = l - k + 1, and l - k when it is complete."""
    found = known(mesh(levels))
    eager = Schedule.of(found.dag, found.eager_order()).profile
    jobs = comb(levels + 1, 2)
    for k in range(1, levels + 1):
        for q in range(1, k + 1):
            step = comb(k, 2) + q
            assert eager[step] == levels - k + (q < k)
            # E_(b) = floor((sqrt(8U + 1) - 1) / 2), which the paper rounds to sqrt(2U).
            unexecuted = jobs - step
            assert mesh_eligible(levels, step) == floor((sqrt(8 * unexecuted + 1) - 1) / 2)
            assert abs(mesh_eligible(levels, step) - sqrt(2 * unexecuted)) < 1.5
    diagonal = found.place[found.eager_order(), 0]
    assert np.all(np.diff(diagonal) <= 0)


def test_the_formula_is_exact_where_floats_are_not() -> None:
    """E(0) is the number of levels, and one step later one less, however large the mesh."""
    for levels in (10**8, 10**9 + 7, 10**18):
        assert mesh_eligible(levels, 0) == levels
        assert mesh_eligible(levels, 1) == levels - 1
        assert mesh_eligible(levels, comb(levels + 1, 2) - 1) == 1


@pytest.mark.parametrize("dim", range(1, 8))
@pytest.mark.parametrize("expansion", [False, True])
def test_recognised_whatever_the_numbering(dim: int, expansion: bool) -> None:
    levels = 1
    while comb(levels - 1 + dim, dim) <= 400:
        found = known(shuffled(mesh(levels, dim, expansion), seed=levels))
        single, chain = levels == 1, dim == 1 or levels == 1
        assert found.parameters == {
            "levels": levels,
            "dim": 2 if single else dim,
            "expansion": expansion and not chain,
        }
        assert found.place.sum(axis=1).max() == levels - 1
        assert len(np.unique(found.place, axis=0)) == found.dag.n
        Schedule.of(found.dag, found.best_order())
        Schedule.of(found.dag, found.eager_order())
        levels += 1


def test_near_misses_are_refused_unless_isomorphic() -> None:
    rng = np.random.default_rng(5)
    compared = 0
    for _ in range(1500):
        levels, dim = [(3, 2), (4, 2), (5, 2), (6, 2), (3, 3), (4, 3), (3, 4), (2, 5)][rng.integers(8)]
        whole = shuffled(mesh(levels, dim, bool(rng.integers(2))), seed=int(rng.integers(1000)))
        dag = near_miss(whole, rng)
        if dag is None:
            continue
        compared += 1
        found = recognise_mesh(dag)
        assert (found is not None) == same_shape(dag, whole)
    assert compared > 1000


def test_random_dags_with_the_numbers_of_a_mesh() -> None:
    """Sparse layered dags with as many jobs and edges on each level as a mesh has."""
    rng = np.random.default_rng(8)
    accepted = 0
    for _ in range(600):
        levels = int(rng.integers(3, 5))
        whole = mesh(levels, 2)
        depth = graph.levels(whole)
        tails, heads = whole.tails.copy(), whole.heads.copy()
        for level in range(levels - 1):
            here = depth[tails] == level
            heads[here] = rng.permutation(heads[here])
        dag = Dag.from_edges(whole.n, tails, heads)
        found = recognise_mesh(dag)
        accepted += found is not None
        assert (found is not None) == same_shape(dag, whole)
    assert accepted > 10


def test_what_is_no_mesh() -> None:
    assert recognise_mesh(Dag.from_edges(0)) is None
    assert recognise_mesh(Dag.from_edges(2)) is None
    assert recognise_mesh(grid(3, 3)) is None
    assert recognise_mesh(mesh(2, 64)) is not None
    assert recognise_mesh(Dag.from_edges(66, range(65), [65] * 65)) is None


def test_witness_follows_the_order() -> None:
    found = known(shuffled(mesh(4), seed=9))
    order = found.best_order()
    witness = found.witness(order)
    assert {key: witness[key] for key in ("by", "family", "levels", "expansion")} == {
        "by": "family",
        "family": "mesh",
        "levels": 4,
        "expansion": False,
    }
    assert [sum(point) for point in witness["place"]] == [3, 3, 3, 3, 2, 2, 2, 1, 1, 0]
    tail, head = (np.asarray(witness["place"])[np.argsort(order)[ends]] for ends in (found.dag.tails, found.dag.heads))
    assert np.all((tail - head).sum(axis=1) == 1)
    assert np.all(tail >= head)


def test_refusals() -> None:
    deep = recognise_mesh(mesh(3, 3))
    assert deep is not None
    assert not deep.certifiable
    with pytest.raises(EligoError, match="reduction-mesh of 3 levels and dimension 3"):
        deep.witness(deep.best_order())
    chain = recognise_mesh(mesh(3, 1))
    assert chain is not None
    with pytest.raises(EligoError, match="dimension 1"):
        chain.witness(chain.best_order())
    with pytest.raises(EligoError, match="two-dimensional"):
        deep.count_optimal()
    flat = recognise_mesh(mesh(3))
    assert flat is not None
    with pytest.raises(EligoError, match="every job once"):
        flat.witness([0, 0, 1, 2, 3, 4])
    with pytest.raises(EligoError, match="steps 0 to 6, not 7"):
        mesh_eligible(3, 7)
