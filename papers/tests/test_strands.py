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
from eligo.priority import _duality as duality
from eligo.priority._blocks.bipartite import Bipartite
from eligo.priority._blocks.strands import schedule_strands
from eligo_papers import strands
from eligo_papers.chapter import AGREES, DIFFERS, ERRATUM, UNEXPLAINED, Chapter, Picture, Settings, Table
from eligo_papers.enumeration import Ideals
from eligo_papers.planar_trees import PlanarTree, best_yields, small_strands
from eligo_papers.strands.duality import (
    _dual_profile,
    _optimal_sets,
    _packets_reversed,
    _reversed,
    _strand,
    _subsets,
    _which,
)
from eligo_papers.strands.greedy import FIGURE_3, trees_of
from eligo_papers.strands.sums import StrandSum
from papers.tests.doing import do
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
    assert chapter.count(AGREES) >= 25
    assert all(one.why for one in chapter.checks if one.verdict in (ERRATUM, DIFFERS))


def test_errata_are_those_known(chapter: Chapter, found: dict[str, Any]) -> None:
    errata = {one.where: one for one in chapter.checks if one.verdict == ERRATUM}
    assert set(errata) == {"3, base cases", "3, on Fig. 3", "Theorem 2.1, 6.1", "Theorem 2.1, 6.1 (2)"}
    total = sum(counts["no arcs"][1] for name, counts in found.items() if "sources" in name or "sums" in name)
    assert errata["3, base cases"].here == f"8 of {total}"
    assert f"with it all {total} hold" in errata["3, base cases"].why
    for degrees in ([4], [4, 2, 4, 3]):  # what that on Fig. 3 says of the rows
        assert _reversed(_strand("W", degrees)) == sorted(_strand("M", degrees).sinks)


def test_theorem_2_1_as_the_paper_counts(chapter: Chapter, found: dict[str, Any]) -> None:
    joins = found["two joins"]
    assert joins["chain"]
    assert joins["blocks"] == "2 x M[2]"
    assert joins["nonsources"]["other"] == joins["nonsources"]["best"] == [0, 0, 1, 1, 1, 0]
    assert joins["nonsources"]["prescribed"] == [0, 0, 1, 0, 1, 0]
    assert joins["all"]["prescribed"] == joins["all"]["best"]
    (row,) = [one for one in chapter.checks if one.where == "Theorem 2.1, 6.1"]
    good, total = (sum(found[f"class {n}"]["counts"]["nonsources"][k] for n in (1, 2, 3)) for k in (0, 1))
    assert 0 < good < total
    assert row.here == f"{good} of {total}"


def test_rules_that_the_paper_does_not_follow_are_shown(chapter: Chapter) -> None:
    (ahead,) = [one for one in chapter.checks if "look ahead" in one.what]
    assert ahead.verdict == AGREES
    assert "M[2, 3] begun at its right end has e = 0, 0, 0, 1, 2 instead of 0, 0, 1, 1, 2" in ahead.what
    (once,) = [table for table in tables_of(chapter) if table.name == "sorted-once"]
    assert "the order is 4, 1, 3, 2 with e = 0, 1, 1, 1, 3; the best is 0, 1, 1, 2, 3" in once.note
    (greedy,) = [table for table in tables_of(chapter) if table.name == "greedy"]
    assert all(number == good and int(once) <= int(good) for _, number, good, once, _ in greedy.rows)
    assert any(once != good for _, _, good, once, _ in greedy.rows)


def test_what_the_paper_does_not_print_is_in_tables(chapter: Chapter) -> None:
    assert not [one for one in chapter.checks if "ertificate" in one.what or one.where in ("Fig. 3", "6.1 (3), unsaid")]
    (figure,) = [table for table in tables_of(chapter) if table.name == "figure-3"]
    assert {tuple(row[-2:]) for row in figure.rows} == {("yes", "yes")}
    (duality_table,) = [table for table in tables_of(chapter) if table.name == "duality"]
    (silent,) = [row for row in duality_table.rows if "used silently" in row[0]]
    assert silent[1] == silent[2]


def test_rows_stand_alone(chapter: Chapter) -> None:
    assert not [one for one in chapter.checks if one.what.startswith(("then ", "and ", "such ", "the same"))]


def test_words_on_a_dag_and_its_dual(chapter: Chapter) -> None:
    words = " ".join(part for section in chapter.sections for part in section.parts if isinstance(part, str))
    assert "then exists for the dual only; with all counted it exists for both." in words
    assert [_which(one) for one in ([True, False], [False, False])] == ["the dag only", "neither"]


@pytest.mark.parametrize("theorem", ["Theorem 4.1", "Theorem 4.2", "Theorem 5.1", "Theorem 5.2", "Theorem 5.3"])
def test_theorems_hold(chapter: Chapter, theorem: str) -> None:
    mine = [one for one in chapter.checks if one.where == theorem]
    assert mine
    assert {one.verdict for one in mine} == {AGREES}


@pytest.mark.parametrize(
    ("step", "spoil"),
    [
        ("figure 3", lambda result: result[2].update({"every greedy": False})),
        ("greedy, conditions", lambda result: result["one step"].update(yields=result["one step"]["best"])),
        ("greedy, sums", lambda result: result.update({"4.2": [1, 2]})),
        ("duality, schedules", lambda result: result.update({"5.2": [1, 2]})),
        ("duality, priorities", lambda result: result.update({"5.3": [1, 2]})),
        ("familiar dags", lambda result: result.update({"expansive tree": "8 x W[2]"})),
        ("class 3", lambda result: result["counts"].update({"all": [1, 2]})),
    ],
)
def test_a_wrong_result_would_be_unexplained(found: dict[str, Any], step: str, spoil: Any) -> None:
    wrong = json.loads(json.dumps(found))
    spoil(wrong[step])
    assert strands.chapter(wrong, TINY).count(UNEXPLAINED) >= 1


def tables_of(chapter: Chapter) -> list[Table]:
    return [part for section in chapter.sections for part in section.parts if isinstance(part, Table)]


def test_tables_and_pictures(chapter: Chapter) -> None:
    every = [part for section in chapter.sections for part in section.parts]
    tables = tables_of(chapter)
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


def test_strands_are_told_from_what_is_none() -> None:
    one = StrandSum([trees_of("T", [1, 2, 2, 3, 2])])
    assert all(one.is_strand(piece, executed) for executed in range(15) for piece in one.pieces(executed))
    assert StrandSum([PlanarTree(1, [(0, 0)])]).is_strand([0], 0)
    nested = [PlanarTree(3, [(0, 2), (0, 1)]), PlanarTree(3, [(0, 2), (1, 1)])]
    assert not any(StrandSum([tree]).is_strand([0, 1, 2], 0) for tree in nested)
    fork = PlanarTree(1, [(0, 0), (0, 0)])
    assert not StrandSum([fork, fork]).is_strand([0, 1], 0)  # two of them


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
