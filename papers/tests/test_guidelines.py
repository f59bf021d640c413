"""Chapter 000, the enumeration that its errata rest on, and the pictures of states."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial
from itertools import pairwise, permutations
from math import comb
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eligo import generate
from eligo.dag import Dag
from eligo.errors import EligoError
from eligo.priority import _exact as exact
from eligo.priority import _families as families
from eligo.schedule import Schedule
from eligo_papers import guidelines
from eligo_papers.chapter import AGREES, DIFFERS, ERRATUM, UNEXPLAINED, Chapter, Picture, Settings, Table
from eligo_papers.claims import Tally, holds, many
from eligo_papers.enumeration import Costs, Ideals, both_rules, jobs_in, parent_oriented
from eligo_papers.guidelines.eager import backwards, forwards, play, play_eagerly
from eligo_papers.guidelines.fft_orders import fours_order, from_the_right, paired_order
from eligo_papers.guidelines.small_trees import rooted_trees
from eligo_papers.guidelines.trees import postorder_execute
from eligo_papers.plots.states import draw_states
from papers.tests.doing import do
from tests.reference import ideals as brute
from tests.strategies import dags

TINY = Settings("tiny")
ERRATA = {
    "2.3": "parent orientation is necessary",
    "Lemma 3.2": "M_1",
    "3.3, title": "largest cost of one for M_4",
    "3.4": "square root of 2U",
    "3.4, (3.2)": "falls short",
    "Lemma 4.2": "T_0",
    "4.3": "no schedule is best in IC quality and in memory",
    "4.4, last sentence": "m - 1",
    "Theorem 5.1, if": "partners in a row",
    "Theorem 5.2": "memory cost",
    "5.4": "E_(a) = 2^d - 2^(k+1) + 1",
}


def results() -> dict[str, Any]:
    """What the steps return, after the journey through JSON that a runner sends it on."""
    return do(guidelines.steps(TINY))


@pytest.fixture(scope="module")
def found() -> dict[str, Any]:
    return results()


@pytest.fixture(scope="module")
def chapter(found: dict[str, Any]) -> Chapter:
    return guidelines.chapter(found, TINY)


def parts(chapter: Chapter, kind: type) -> Iterator[Any]:
    return (part for section in chapter.sections for part in section.parts if isinstance(part, kind))


# The chapter


def test_nothing_is_unexplained(chapter: Chapter) -> None:
    assert [one for one in chapter.checks if one.verdict == UNEXPLAINED] == []
    assert chapter.count(AGREES) >= 50
    assert all(one.why for one in chapter.checks if one.verdict in (ERRATUM, DIFFERS))


def test_errata_are_those_known(chapter: Chapter) -> None:
    errata = [one for one in chapter.checks if one.verdict == ERRATUM]
    assert {one.where for one in errata} == set(ERRATA)
    for where, words in ERRATA.items():
        assert any(words in one.what for one in errata if one.where == where), where


def test_one_error_is_one_row_with_its_numbers(chapter: Chapter) -> None:
    errata = [one for one in chapter.checks if one.verdict == ERRATUM]
    values = {one.where: (one.printed, one.here) for one in errata}
    assert len({one.why for one in errata}) >= len(errata) - 1  # M_1 and T_0, of two lemmas, share one
    assert values["2.3"] == ("all 8, all 64, all 1,024", "4 of 8, 8 of 64, 16 of 1,024")
    assert values["Theorem 5.1, if"][0].startswith("all 4, all 2,560, all ")
    assert values["Theorem 5.1, if"][1].startswith("all 4, 1,536 of 2,560, ")
    assert values["Theorem 5.2"] == ("3, 5, 9", "2, 6, 10 to 12")


def test_what_section_6_hopes_for_is_no_erratum(chapter: Chapter) -> None:
    rows = {one.where: one.verdict for one in chapter.checks if one.where[0] == "6"}
    assert rows == {"6": AGREES, "6, Theorem 3.1": DIFFERS, "6, Theorem 3.2": DIFFERS, "6, Theorem 4.1": AGREES}


def test_what_the_paper_does_not_print_is_text(chapter: Chapter, found: dict[str, Any]) -> None:
    section = chapter.sections[-1]
    words = " ".join(part for part in section.parts if isinstance(part, str))
    assert "on 3 of 3 ternary trees" in words
    assert "trees of up to 9 nodes 1 admits none" in words
    assert "trees without unary nodes of up to 12 nodes 1 admits none" in words
    (arities,) = [part for part in section.parts if isinstance(part, Table) and part.name == "arities"]
    shown = [dict(zip(arities.header, row, strict=True)) for row in arities.rows]
    assert all(row["E_max is S - t + t/k rounded down"] == "yes" for row in shown)
    assert all(row["least memory"] == row["(k-1)h + 1"] for row in shown)
    assert all(one["optimal"] == 2 ** comb(one["levels"], 2) for one in found["mesh enumeration"])


def test_roughly_is_not_printed_as_a_number(chapter: Chapter) -> None:
    (one,) = [one for one in chapter.checks if "roughly" in one.what]
    assert (one.printed, one.verdict) == ("about 1", AGREES)
    assert 0.7 <= float(one.here) < 1


def test_rows_stand_alone(chapter: Chapter) -> None:
    """What does not agree and what agrees stand in two tables, so that no row may lean on the one before."""
    for one in chapter.checks:
        assert not one.what.startswith(("then ", "and ", "which ", "so ", "the same")), one.what
        assert not {"above", "below", "these"} & set(one.what.split()), one.what


@pytest.mark.parametrize(
    ("step", "spoil"),
    [
        ("mesh enumeration", lambda result: result[2].update(across=7)),
        ("mesh formulas", lambda result: result["counts"].update(eager=[1, 2])),
        ("tree enumeration", lambda result: result[2].update({"optimal cost": 5})),
        ("fft enumeration", lambda result: result[1]["counts"].update({"5.1.2": [0, 1]})),
        ("arities", lambda result: result[0].update(theorem=False)),
    ],
)
def test_a_wrong_result_would_be_unexplained(found: dict[str, Any], step: str, spoil: Any) -> None:
    wrong = json.loads(json.dumps(found))
    spoil(wrong[step])
    assert guidelines.chapter(wrong, TINY).count(UNEXPLAINED) >= 1


def test_tables_are_whole(chapter: Chapter) -> None:
    tables = list(parts(chapter, Table))
    assert len({table.name for table in tables}) == len(tables) >= 8
    for table in tables:
        assert table.rows
        assert {len(row) for row in table.rows} == {len(table.header)}, table.name
        assert all(isinstance(cell, str) for row in table.rows for cell in row), table.name


def test_pictures_can_be_drawn(chapter: Chapter) -> None:
    pictures = list(parts(chapter, Picture))
    assert len({picture.name for picture in pictures}) == len(pictures) >= 8
    assert all(picture.draw().axes for picture in pictures)


def test_steps_can_run_in_other_processes() -> None:
    for scale in ("tiny", "quick", "full"):
        steps = guidelines.steps(Settings(scale))
        assert len({step.name for step in steps}) == len(steps)
        for step in steps:
            assert "<" not in step.run.__qualname__
            assert json.loads(json.dumps(step.arguments)) == step.arguments


# Enumeration


@settings(max_examples=60)
@given(dags(max_jobs=6, known=False), st.booleans())
def test_ideals_and_profiles_are_those_of_brute_force(dag: Dag, sources: bool) -> None:
    if dag.n == 0:
        return
    ideals = Ideals(dag, sources=sources)
    assert [set(layer) for layer in ideals.layers] == brute.ideals(dag)
    assert ideals.best == brute.best_profile(dag, sources=sources)
    assert ideals.admits == brute.has_ic_optimal_schedule(dag, sources=sources)


@settings(max_examples=40)
@given(dags(max_jobs=5, known=False))
def test_schedules_and_costs_are_those_of_all_permutations(dag: Dag) -> None:
    if dag.n == 0:
        return
    ideals = Ideals(dag)
    parents = [set(dag.parents(job).tolist()) for job in range(dag.n)]
    orders = [
        list(order)
        for order in permutations(range(dag.n))
        if all(parents[job] <= set(order[:place]) for place, job in enumerate(order))
    ]
    played = [Schedule.of(dag, order) for order in orders]
    best = [one for one in played if one.profile.tolist() == ideals.best]
    rule = parent_oriented(dag)
    in_rows = [
        order
        for order in orders
        if all(max(at) - min(at) == len(at) - 1 for at in ([order.index(p) for p in some] for some in parents if some))
    ]
    assert list(ideals.orders()) == orders
    assert ideals.count() == len(orders)
    assert ideals.count(ideals.optimal) == len(best)
    assert list(ideals.orders(rule)) == in_rows
    assert ideals.count(both_rules(rule, ideals.optimal)) == sum(one.order.tolist() in in_rows for one in best)
    costs = [one.memory_cost for one in played]
    assert ideals.costs() == Costs(min(costs), max(costs))
    if best:
        assert ideals.costs(ideals.optimal) == Costs(
            min(one.memory_cost for one in best), max(one.memory_cost for one in best)
        )
    else:
        assert ideals.costs(ideals.optimal) is None
        assert ideals.stuck_at(ideals.optimal) == exact.search(dag).dies_at
    assert all(ideals.profile(order) == one.profile.tolist() for order, one in zip(orders, played, strict=True))


@pytest.mark.parametrize("dag", [generate.mesh(6), generate.tree(3), generate.fft(2), generate.mesh(4, 3)])
def test_enumeration_and_exact_search_agree(dag: Dag) -> None:
    ideals, answer = Ideals(dag), exact.search(dag)
    costs, best = ideals.costs(), ideals.costs(ideals.optimal)
    assert ideals.best == answer.profile.tolist()
    assert ideals.count(ideals.optimal) == answer.count
    assert costs is not None
    assert best is not None
    assert costs.least == exact.least_memory(dag).memory_cost
    assert best.least == exact.least_memory(dag, ic_optimal=True).memory_cost


def test_no_schedule_by_a_rule_that_allows_nothing() -> None:
    ideals = Ideals(generate.mesh(3))
    assert ideals.count(lambda executed, job: False) == 0
    assert ideals.costs(lambda executed, job: False) is None
    assert list(ideals.orders(lambda executed, job: False)) == []
    assert ideals.stuck_at(lambda executed, job: executed == 0) == 2
    assert list(jobs_in(0)) == []


# The eager play, the orders, the trees


@pytest.mark.parametrize("levels", [1, 2, 5, 9])
def test_eager_play_of_meshes(levels: int) -> None:
    dag = generate.mesh(levels)
    mesh = families.recognise_mesh(dag)
    assert mesh is not None
    eager = play_eagerly(dag, backwards)
    assert eager.profile.tolist() == Schedule.of(dag, mesh.eager_order()).profile.tolist()
    assert sorted(eager.order) == list(range(dag.n))


@pytest.mark.parametrize("height", [0, 1, 4])
def test_eager_play_of_trees_is_postorder(height: int) -> None:
    tree = families.recognise_tree(generate.tree(height))
    assert tree is not None
    assert play_eagerly(tree.dag, forwards).order == tree.eager_order().tolist()


@pytest.mark.parametrize("dim", [1, 2, 3, 4])
def test_orders_of_ffts(dim: int) -> None:
    dag = generate.fft(dim)
    fft = families.recognise_fft(dag)
    assert fft is not None
    eager = play_eagerly(dag, partial(from_the_right, dim))
    assert eager.profile.tolist().index(1) == (dim - 1) * 2**dim + 1  # as the caption says
    assert eager.profile.tolist() == Schedule.of(dag, fft.eager_order()).profile.tolist()
    for order in (paired_order(dim), fours_order(dim)):
        assert play(dag, order).profile.tolist() == fft.best_profile().tolist()
    assert play(dag, fours_order(dim)).memory_cost == Schedule.of(dag, fft.best_order()).memory_cost


@pytest.mark.parametrize("height", range(6))
def test_postorder_execute_takes_pairs(height: int) -> None:
    dag = generate.tree(height)
    game = play(dag, postorder_execute(dag))
    assert game.memory_cost == 2 * height
    pairs = zip(game.order[:-1:2], game.order[1::2], strict=True)
    assert all(dag.children(one).tolist() == dag.children(two).tolist() for one, two in pairs)


def test_rooted_trees_are_different_and_all_there() -> None:
    """Numbers of rooted trees and of those without unary nodes: OEIS A000081 and A001678."""
    assert [len(rooted_trees(nodes, range(1, nodes + 1))) for nodes in range(1, 9)] == [1, 1, 2, 4, 9, 20, 48, 115]
    assert [len(rooted_trees(nodes, range(2, nodes + 1))) for nodes in range(1, 10)] == [1, 0, 1, 1, 2, 3, 6, 10, 19]

    def shape(parents: list[int], node: int) -> tuple[Any, ...]:
        return tuple(sorted(shape(parents, child) for child, parent in enumerate(parents) if parent == node))

    assert len({shape(parents, 0) for parents in rooted_trees(8, range(1, 8))}) == 115


# Small things


def test_tallies_and_claims() -> None:
    tally = Tally()
    tally.note("x", True)
    tally.add({"x": [0, 2]})
    assert tally.counts == {"x": [1, 3]}
    assert holds("1", "x", [3, 3]).verdict == AGREES
    assert holds("1", "x", [1, 3]).verdict == UNEXPLAINED
    assert holds("1", "x", [1, 3], because="y").verdict == DIFFERS
    assert many(10**12) == "1.00e12"


def test_states_side_by_side() -> None:
    dag = generate.mesh(3)
    figure = draw_states(dag, {"one": [0, 1], "two": []}, labels=False, title="both")
    texts = [text.get_text() for text in figure.axes[0].texts]
    assert "one: t = 2,  E = 2" in texts
    assert "two: t = 0,  E = 3" in texts
    with pytest.raises(EligoError, match="EXECUTED before a parent"):
        draw_states(dag, {"wrong": [5]})
    with pytest.raises(EligoError, match="show nothing"):
        draw_states(generate.chain(3_000), {"long": []})
    with pytest.raises(ValueError, match="no states"):
        draw_states(dag, {})


def test_unexecuted_nodes_bound_what_is_eligible_on_meshes() -> None:
    """E(E+1)/2 unexecuted nodes are needed for E ELIGIBLE ones: the formula that section 3.4 is off from."""
    from eligo_papers.guidelines.meshes import best_eligible, diagonal_order

    values = [best_eligible(unexecuted) for unexecuted in range(200)]
    assert all(0 <= b - a <= 1 for a, b in pairwise(values))
    assert all(values[e * (e + 1) // 2] == e and values[e * (e + 1) // 2 - 1] == e - 1 for e in range(1, 19))
    assert np.array_equal(np.sort(diagonal_order(7)), np.arange(28))
