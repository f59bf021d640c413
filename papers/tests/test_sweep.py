"""Chapter 001: its tables, dags and theorems, and the algorithms for planar bipartite trees."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eligo import generate, graph
from eligo.dag import Dag
from eligo.priority import _sweep as compiled
from eligo.priority._blocks.bipartite import Bipartite
from eligo.priority._blocks.block_orders import schedule_block
from eligo.priority._blocks.strands import schedule_strands
from eligo_papers import sweep
from eligo_papers.chapter import AGREES, DIFFERS, ERRATUM, UNEXPLAINED, Chapter, Picture, Settings, Table
from eligo_papers.definitions import (
    all_yields,
    dual_priority,
    executions_needed,
    plain_sweep,
    priority,
    yields_of_sum,
)
from eligo_papers.enumeration import Ideals
from eligo_papers.planar_trees import (
    PlanarTree,
    best_yields,
    maximal_sources,
    random_planar_tree,
    schedule_by_sweeps,
    schedule_naively,
    small_strands,
)
from eligo_papers.plots.growth import plot_growth
from eligo_papers.random_dags import compose_blocks, optimal_block, random_dag
from eligo_papers.sweep.planar_trees_timing import exponent, solve_recurrence
from eligo_papers.sweep.procedure import follow_procedure, linearize, sweep_all
from eligo_papers.sweep.tables import PRINTED, parts_of, profiles_of
from eligo_papers.sweep.theorems import _orders_of, _takes_parts_well
from papers.tests.doing import do
from tests.reference import sweep_twin

TINY = Settings("tiny")
ERRATA = {
    ("Theorem 2.1", "random chains of blocks, nonsources counted"),
    ("Theorem 2.1", "a → b, then b, c → d"),
    ("Lemma 2.1", "with a node alone"),
    ("2.2", "past a node alone"),
    ("Theorem 3.2", "beside node 5 alone"),
    ("Theorem 3.2, claim in the proof", "G1 over G2 over G3"),
    ("5.2", "all sources are equally likely"),
    ("5.2", "parts that A leaves"),
}
YIELDS = st.lists(st.integers(0, 3), min_size=1, max_size=5).map(
    lambda gains: [sum(gains[:x]) for x in range(len(gains))] + [sum(gains) + (not gains[-1])]
)


@pytest.fixture(scope="module")
def found() -> dict[str, Any]:
    return do(sweep.steps(TINY))


@pytest.fixture(scope="module")
def chapter(found: dict[str, Any]) -> Chapter:
    return sweep.chapter(found, TINY)


# The chapter


def test_nothing_is_unexplained(chapter: Chapter) -> None:
    assert [one for one in chapter.checks if one.verdict == UNEXPLAINED] == []
    assert chapter.count(AGREES) >= 62
    assert all(one.why for one in chapter.checks if one.verdict in (ERRATUM, DIFFERS))


def test_errata_are_those_known(chapter: Chapter) -> None:
    errata = [(one.where, one.what) for one in chapter.checks if one.verdict == ERRATUM]
    assert len(errata) == len(ERRATA)
    for where, words in ERRATA:
        assert any(there == where and words in what for there, what in errata), words


@pytest.mark.parametrize("printed", PRINTED, ids=lambda printed: printed.name)
def test_every_field_of_every_table_is_as_printed(chapter: Chapter, printed: Any) -> None:
    (one,) = [one for one in chapter.checks if one.where == printed.name and "fields" in one.what]
    assert one.verdict == AGREES
    name = printed.name.lower().replace(", ", "-").replace(" ", "-")
    (table,) = [part for part in chapter.sections[0].parts if isinstance(part, Table) and part.name == name]
    shown = [cell.split() for row in table.rows for cell in row[1:]]
    assert len(shown) == len(printed.fields) * len(printed.fields[0])
    assert all(theirs == ours and sign == "=" for theirs, sign, ours in shown)


@pytest.mark.parametrize("printed", [one for one in PRINTED if one.name != "Table 4"], ids=lambda printed: printed.name)
def test_tables_of_bipartite_parts_by_the_compiled_sweep(printed: Any) -> None:
    parts = parts_of()
    e1, e2 = (schedule_block(Bipartite.from_dag(parts[name])[0]).e for name in (printed.rows, printed.columns))
    assert compiled.two_sweep(e1, e2).table_e().tolist() == [list(row) for row in printed.fields]


def test_table_4_is_right_in_one_way_of_counting_only(found: dict[str, Any]) -> None:
    (printed,) = [one for one in PRINTED if one.name == "Table 4"]
    tables = found["tables"]["tables"]["Table 4"]
    assert tables["nonsources"] == [list(row) for row in printed.fields]
    assert tables["yields"] != tables["nonsources"] != tables["all"]


@pytest.mark.parametrize(
    ("step", "spoil"),
    [
        ("tables", lambda result: result["tables"]["Table 4"]["nonsources"][3].reverse()),
        ("dags", lambda result: result["fig3-left"].update(optimal=0)),
        ("dags", lambda result: result["fig3-left"]["order"].reverse()),
        ("dags", lambda result: result["fig3-fmri"].update(verified=False)),
        ("dags", lambda result: result["fig5-g3"].update(optimal=1)),
        ("dags", lambda result: result["fig8"].update({"not interleaved": 3})),
        ("reasons", lambda result: result["orders"].update(CBA=False)),
        ("compositions", lambda result: result.update(all=[1, 2])),
        ("orders", lambda result: result.update(nonsources=[1, 2])),
        ("priorities", lambda result: result.update({"4.1": [1, 2]})),
        ("trees, all small", lambda result: result.update(A=[1, 2])),
    ],
)
def test_a_wrong_result_would_be_unexplained(found: dict[str, Any], step: str, spoil: Any) -> None:
    wrong = json.loads(json.dumps(found))
    spoil(wrong[step])
    assert sweep.chapter(wrong, TINY).count(UNEXPLAINED) >= 1


def test_tables_and_pictures(chapter: Chapter) -> None:
    every = [part for section in chapter.sections for part in section.parts]
    tables = [part for part in every if isinstance(part, Table)]
    pictures = [part for part in every if isinstance(part, Picture)]
    assert len({table.name for table in tables}) == len(tables) >= 13
    assert len({picture.name for picture in pictures}) == len(pictures) >= 18
    for table in tables:
        assert {len(row) for row in table.rows} == {len(table.header)}, table.name
    assert all(picture.draw().axes for picture in pictures)


def test_what_eligo_does_is_in_tables_and_text(chapter: Chapter, found: dict[str, Any]) -> None:
    rows = [one for one in chapter.checks if "Eligo" in one.what or "ertificate" in one.what]
    assert [one.what for one in rows] == [
        "Fig. 3 bottom admits an IC-optimal schedule, by a certificate that was verified"
    ]
    tables = [part for section in chapter.sections for part in section.parts if isinstance(part, Table)]
    (turns,) = [table for table in tables if table.name == "interleaved"]
    assert [tuple(row[-3:-1]) for row in turns.rows] == [("verified", "yes")] * 3 + [("verified", "not compared")]
    (none,) = [table for table in tables if table.name == "none-exists"]
    assert [row[-1] for row in none.rows] == ["verified"] * 2
    words = " ".join(part for part in chapter.sections[-1].parts if isinstance(part, str))
    assert f"the best on all {found['trees, all small']['Eligo'][1]} small trees" in words


def test_rows_stand_alone(chapter: Chapter) -> None:
    assert not [one for one in chapter.checks if "the same by" in one.what or one.what.startswith(("and ", "the same"))]


def test_algorithm_a_is_held_to_its_expectation_only(chapter: Chapter) -> None:
    work = [one.what for one in chapter.checks if one.what.startswith("Algorithm A,") and "by work" in one.what]
    assert work == ["Algorithm A, random trees: power of s, by work"]


def test_derived_numbers_say_so(chapter: Chapter) -> None:
    rows = [one for one in chapter.checks if one.where.startswith("5.2") and "erived" in one.what]
    assert len(rows) == 3
    assert all("derived: " in one.what or "Derived: " in one.what for one in rows)


def test_the_clock_is_explained_by_its_doublings(found: dict[str, Any]) -> None:
    """Times are put in by hand: quadratic ones must be explained, cubic ones agree."""
    spoilt = json.loads(json.dumps(found))
    sizes = spoilt["trees, time"]["sizes"]
    spoilt["trees, time"]["times"]["naive"] = [1e-6 * s**2 for s in sizes]
    (one,) = [
        one for one in sweep.chapter(spoilt, TINY).checks if "naive, random trees: power of s, by the c" in one.what
    ]
    assert (one.here, one.verdict) == ("2", DIFFERS)
    assert "the powers are 2.0, 2.0, those of the work 2.8, 2.9" in one.why
    spoilt["trees, time"]["times"]["naive"] = [1e-6 * s**3 for s in sizes]
    (one,) = [
        one for one in sweep.chapter(spoilt, TINY).checks if "naive, random trees: power of s, by the c" in one.what
    ]
    assert one.verdict == AGREES


def test_lemma_3_1_can_fail() -> None:
    """Without the steps that are best, a sum may take a part in an order that none of its own has."""
    part = Dag.from_edges(5, [0, 1, 1], [2, 3, 4])
    ideals = Ideals(graph.sum_of([part, part]))
    assert _takes_parts_well(ideals, [part, part], sources=True)
    assert _orders_of(Ideals(part), [0, 1]) == {(1, 0)}
    ideals.optimal = lambda executed, job: True  # type: ignore[method-assign]
    assert not _takes_parts_well(ideals, [part, part], sources=True)


def test_only_what_takes_time_is_alone() -> None:
    for scale in ("tiny", "quick", "full"):
        steps = sweep.steps(Settings(scale))
        assert len({step.name for step in steps}) == len(steps)
        assert [step.name for step in steps if step.alone] == ["trees, time"]
        assert all("<" not in step.run.__qualname__ for step in steps)
        assert all(json.loads(json.dumps(step.arguments)) == step.arguments for step in steps)


def test_nonsources_of_a_block_are_its_yields() -> None:
    """For bipartite dags both ways of counting are the same up to s - x; for others they are not."""
    for name, dag in parts_of().items():
        profiles = profiles_of(dag)
        assert (profiles["nonsources"] == profiles["yields"]) == (not name.startswith("G4")), name


# Definitions, read aloud


@settings(max_examples=80)
@given(YIELDS, YIELDS)
def test_definitions_agree_with_the_twins(first: list[int], second: list[int]) -> None:
    twin, ours = sweep_twin.two_sweep(first, second), plain_sweep(first, second)
    assert priority(first, second) == sweep_twin.has_priority(first, second)
    assert dual_priority(first, second) == sweep_twin.has_dual_priority(first, second)
    assert executions_needed(first) == sweep_twin.executions_needed(first)
    assert yields_of_sum(first, second) == sweep_twin.max_convolution(first, second)
    assert ours.table == twin.table_e
    assert ours.diagonal == twin.diagonal
    assert [[bool(field) for field in row] for row in ours.paths] == twin.table_v
    if twin.diagonal is None:
        assert ours.paths[-1][-1] == twin.count
        assert tuple(ours.steps() or ()) in sweep_twin.all_paths(first, second)
        assert ours.l_shaped == priority(first, second)
        assert ours.seven_shaped == priority(second, first)
    else:
        assert ours.steps() is None


@settings(max_examples=40)
@given(st.lists(YIELDS, min_size=1, max_size=3))
def test_sweeping_several(functions: list[list[int]]) -> None:
    turns = sweep_all(functions)
    assert (turns is not None) == sweep_twin.admits(functions)
    if turns is not None:
        assert [turns.count(number) for number in range(len(functions))] == [len(e) - 1 for e in functions]


def test_all_yields_are_listed_once() -> None:
    listed = [tuple(e) for e in all_yields(3, 2)]
    assert len(set(listed)) == len(listed) == 2 + 2 * 3 + 2 * 9


def test_the_procedure_on_the_dags_of_the_figures() -> None:
    for figure in ("fig3-left", "fig3-right", "fig8"):
        dag = generate.paper001(figure)  # type: ignore[arg-type]
        ideals = Ideals(dag)
        schedule = follow_procedure(dag)
        assert schedule is not None
        assert ideals.profile(schedule) == ideals.best
    assert follow_procedure(generate.paper001("fig5-g3")) is None
    assert linearize(Dag.from_edges(2), [[0, 1], [0, 0, 2]]) is None


def test_compositions_are_valid_schedules() -> None:
    random = Random(4)
    for _ in range(20):
        blocks = [optimal_block(random, 3, 3) for _ in range(3)]
        composed = compose_blocks(random, [(dag, order) for dag, order, _ in blocks])
        schedule = composed.schedule()
        assert sorted(schedule) == list(range(composed.dag.n))
        place = {job: step for step, job in enumerate(schedule)}
        assert all(place[a] < place[b] for a, b in zip(composed.dag.tails, composed.dag.heads, strict=True))
        assert random_dag(random, 6).n <= 6


# Planar bipartite trees


def test_all_three_algorithms_on_all_small_trees() -> None:
    number = 0
    for tree in small_strands(5, 1):
        number += 1
        dag = tree.to_dag()
        best = best_yields(tree)
        assert best == Ideals(dag, sources=False).best[: tree.sources + 1]
        block = Bipartite.from_dag(dag)[0]
        for order in (schedule_naively(tree)[0], schedule_by_sweeps(tree)[0], schedule_strands(block).tolist()):
            assert sorted(order) == list(range(tree.sources))
            assert tree.yields(order) == best
    assert number == 1 + 4 + 12 + 36 + 108


@settings(max_examples=30)
@given(st.integers(1, 40), st.integers(0, 10**6))
def test_larger_trees_have_one_profile(sources: int, seed: int) -> None:
    tree = random_planar_tree(sources, (2, 3, 4), Random(seed))
    assert tree.sources == sources
    assert PlanarTree.from_dag(tree.to_dag()).yields(range(sources)) == tree.yields(range(sources))
    naive, work = schedule_naively(tree)
    swept, less = schedule_by_sweeps(tree)
    assert tree.yields(naive) == tree.yields(swept)
    assert naive[0] in maximal_sources(tree)
    assert set(maximal_sources(tree)) <= tree.backbone
    # r vectors of r entries with r sources left, whatever the tree
    assert work.entries == sources * (sources + 1) * (2 * sources + 1) // 6
    assert less.entries <= work.entries
    assert len(less.best) == sources


def test_algorithm_a_gains_nothing_where_nothing_is_split() -> None:
    zigzag = PlanarTree(30, [(i, i + 1) for i in range(29)])
    one_sink = PlanarTree(30, [(0, 29)])
    for tree in (zigzag, one_sink):
        assert schedule_by_sweeps(tree)[1].entries == schedule_naively(tree)[1].entries
        assert all(place == 0 for _, place in schedule_by_sweeps(tree)[1].best)


def test_powers_and_the_recurrence() -> None:
    assert exponent([1, 2, 4, 8], [5, 20, 80, 320]) == 2.0
    assert 2.9 < solve_recurrence(1000) < 3.0


def test_plots_of_growth() -> None:
    figure = plot_growth({"a": ([1, 10], [2, 200]), "b": ([1, 10], [1, 10])}, powers=[1, 2], title="growth")
    axes = figure.axes[0]
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["a", "b", "power 1", "power 2"]
    assert axes.get_lines()[-1].get_ydata().tolist() == pytest.approx([2, 200])
    for wrong in ({}, {"a": ([1], [0])}, {"a": ([1, 2], [1])}, {"a": ([], [])}):
        with pytest.raises(ValueError, match="positive"):
            plot_growth(wrong)


def test_parts_are_cut_out_of_the_figures() -> None:
    parts = parts_of()
    assert [len(graph.sources(parts[f"B{number}"])) for number in range(3, 8)] == [2, 2, 4, 3, 4]
    assert parts["G4 left"].names == ("1", "2", "6", "8", "9")
