"""Chapter 003: strands, their greedy schedules, their dualities."""

from __future__ import annotations

import json
from itertools import permutations
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eligo import generate, graph
from eligo.dag import Dag
from eligo.priority import duality
from eligo.priority.bipartite import Bipartite
from eligo.priority.strands import schedule_strands
from eligo.reproduce import strands
from eligo.reproduce.chapter import AGREES, DIFFERS, ERRATUM, UNEXPLAINED, Chapter, Picture, Settings, Table
from eligo.reproduce.enumeration import Ideals
from eligo.reproduce.planar_trees import PlanarTree, best_yields, small_strands
from eligo.reproduce.strands.duality import _dual_profile, _optimal_sets, _packets_reversed, _subsets
from eligo.reproduce.strands.greedy import FIGURE_3, trees_of
from eligo.reproduce.strands.sums import StrandSum
from tests.reproduce.doing import do
from tests.strategies import dags

TINY = Settings("tiny")


@pytest.fixture(scope="module")
def found() -> dict[str, Any]:
    return do(strands.steps(TINY))


@pytest.fixture(scope="module")
def chapter(found: dict[str, Any]) -> Chapter:
    return strands.chapter(found, TINY)


# The chapter


def test_nothing_is_unexplained(chapter: Chapter) -> None:
    assert [one for one in chapter.checks if one.verdict == UNEXPLAINED] == []
    assert chapter.count(AGREES) >= 30
    assert all(one.why for one in chapter.checks if one.verdict in (ERRATUM, DIFFERS))


def test_single_arcs_are_an_erratum(chapter: Chapter) -> None:
    (one,) = [one for one in chapter.checks if one.verdict == ERRATUM]
    assert "T-strands again" in one.what


def test_unsaid_conditions_are_shown(chapter: Chapter) -> None:
    whys = " ".join(one.why for one in chapter.checks if one.verdict == DIFFERS)
    assert "order 4, 1, 3, 2, and e is 0, 1, 1, 1, 3 instead of 0, 1, 1, 2, 3" in whys
    assert "M[2, 3] from its right end has e = 0, 0, 0, 1, 2 instead of 0, 0, 1, 1, 2" in whys


@pytest.mark.parametrize("theorem", ["Theorem 4.1", "Theorem 4.2", "Theorem 5.1", "Theorem 5.2", "Theorem 5.3"])
def test_theorems_hold(chapter: Chapter, theorem: str) -> None:
    mine = [one for one in chapter.checks if one.where == theorem]
    assert mine
    assert {one.verdict for one in mine} == {AGREES}


@pytest.mark.parametrize(
    ("step", "spoil"),
    [
        ("figure 3", lambda result: result[2]["yields"].reverse()),
        ("greedy, sums", lambda result: result.update({"4.2": [1, 2]})),
        ("duality, schedules", lambda result: result.update({"5.2": [1, 2]})),
        ("duality, priorities", lambda result: result.update({"5.3": [1, 2]})),
        ("familiar dags", lambda result: result.update({"expansive tree": "8 x W[2]"})),
        ("class 3", lambda result: result["counts"].update({"IC-optimal": [1, 2]})),
    ],
)
def test_a_wrong_result_would_be_unexplained(found: dict[str, Any], step: str, spoil: Any) -> None:
    wrong = json.loads(json.dumps(found))
    spoil(wrong[step])
    assert strands.chapter(wrong, TINY).count(UNEXPLAINED) >= 1


def test_tables_and_pictures(chapter: Chapter) -> None:
    every = [part for section in chapter.sections for part in section.parts]
    tables = [part for part in every if isinstance(part, Table)]
    pictures = [part for part in every if isinstance(part, Picture)]
    assert len({table.name for table in tables}) == len(tables) >= 5
    assert len({picture.name for picture in pictures}) == len(pictures) >= 7
    for table in tables:
        assert {len(row) for row in table.rows} == {len(table.header)}, table.name
    assert all(picture.draw().axes for picture in pictures)


def test_steps_can_run_in_other_processes() -> None:
    for scale in ("tiny", "quick", "full"):
        steps = strands.steps(Settings(scale))
        assert len({step.name for step in steps}) == len(steps)
        assert all("<" not in step.run.__qualname__ for step in steps)
        assert all(json.loads(json.dumps(step.arguments)) == step.arguments for step in steps)


# Sums of strands


SMALL = list(small_strands(4, 2))
SUMS = st.lists(st.sampled_from(SMALL), min_size=1, max_size=2)


@settings(max_examples=60)
@given(SUMS)
def test_greedy_and_the_compiled_order_have_the_best_profile(trees: list[PlanarTree]) -> None:
    total = StrandSum(trees)
    dag = graph.sum_of([tree.to_dag() for tree in trees])
    block, sources, _ = Bipartite.from_dag(dag)
    ours = block.eligible_sinks(schedule_strands(block)).tolist()
    assert total.yields(total.order(total.maximal)) == total.best == ours
    assert total.sources == len(sources)


@settings(max_examples=40)
@given(st.sampled_from(SMALL))
def test_tables_of_a_strand_are_those_of_its_dag(tree: PlanarTree) -> None:
    one, ideals = StrandSum([tree]), Ideals(tree.to_dag(), sources=False)
    assert one.best == ideals.best[: one.sources + 1] == best_yields(tree)
    for order in permutations(range(one.sources)):
        assert one.yields(order) == tree.yields(order)


@settings(max_examples=60)
@given(SUMS, st.data())
def test_vectors_are_as_the_paper_defines_them(trees: list[PlanarTree], data: st.DataObject) -> None:
    """e_k of a source: sinks that become ELIGIBLE when it and the next k - 1 sources of its strand are executed."""
    total = StrandSum(trees)
    start = 0
    source = data.draw(st.integers(0, total.sources - 1))
    for tree in trees:
        if start <= source < start + tree.sources:
            run = [
                set(range(source - start, min(source - start + k, tree.sources))) for k in range(1, total.sources + 1)
            ]
            expected = [sum(set(range(a, b + 1)) <= chosen for a, b in tree.sinks) for chosen in run]
        start += tree.sources
    assert total.vector(source, 0) == expected


def test_strands_of_figure_3_by_name() -> None:
    assert [trees_of(kind, degrees).sources for kind, degrees in FIGURE_3] == [1, 4, 11, 4, 10]
    assert generate.strand("W", [4, 2, 4, 3]) == generate.strand("T", [4, 2, 2, 2, 4, 2, 3])
    assert generate.strand("M", [4, 2, 4, 3]) == generate.strand("T", [1, 4, 2, 2, 2, 4, 2, 3])


def test_as_many_strands_as_the_errata_looked_at() -> None:
    """The numbers of strands of 1 to 4 sources with up to 3 own sinks, by the formula k^b over compositions."""
    by_formula = [4**1 - 1, 4**2, 4**2 + 4**3, 4**2 + 2 * 4**3 + 4**4]
    listed = [tree.sources for tree in small_strands(4, 3)]
    assert [listed.count(sources) for sources in (1, 2, 3, 4)] == by_formula


def test_pieces_arcs_and_backbone() -> None:
    one = StrandSum([trees_of("T", [1, 2, 2, 3, 2])])
    assert one.pieces(0) == [[0, 1, 2, 3]]
    assert one.pieces(0b0010) == [[0], [2, 3]]
    assert one.is_arc([0], 0b0010)
    assert not one.is_arc([2, 3], 0b0010)
    assert one.backbone(0) == {0, 1, 3}


# Duality


@settings(max_examples=60)
@given(dags(max_jobs=6, known=False))
def test_packets_reversed_on_any_dag(dag: Dag) -> None:
    if dag.n == 0:
        return
    ideals, dual = Ideals(dag), Ideals(graph.dual(dag))
    assert _dual_profile(ideals.best) == dual.best == duality.dual_profile(ideals.best).tolist()
    assert ideals.admits == dual.admits
    if ideals.admits:
        assert _packets_reversed(ideals, dual)


def test_the_check_of_packets_can_fail() -> None:
    fork = generate.tree(1, expansion=True)
    ideals, dual = Ideals(fork), Ideals(graph.dual(fork))
    assert _packets_reversed(ideals, dual)
    dual.best[1] += 1
    assert not _packets_reversed(ideals, dual)


def test_optimal_sets_lead_to_the_end() -> None:
    one = StrandSum([trees_of("M", [2, 3])])
    layers = _optimal_sets(one)
    assert layers[0] == {0}
    assert layers[-1] == {one.full}
    assert layers[1] == {0b0001, 0b0010}
    assert sorted(_subsets(0b101)) == [0, 1, 4, 5]
