"""The table of blocks, against brute force on small dags; on large ones, that it comes in time and adds up."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import eligo
from eligo import Dag, generate, graph, prioritize
from eligo.priority._strategies.area import area
from eligo.priority._strategies.prio import prio
from eligo.report._page import block_table as module
from eligo.report._page.block_table import BlockTable, block_table
from eligo.schedule import Schedule
from tests.guards import no_hang
from tests.priority.test_prio import best_of, executed_orders, topological_order
from tests.reference import prio_twin as twin
from tests.reference.sweep_twin import r_priority
from tests.strategies import dags

EXAMPLES = Path(__file__).parents[3] / "examples"
ORDERS = st.randoms(use_true_random=False)
# Three sources of which the first two, or the last alone, are best at the start, and a sink that waits for all.
ODD = Dag.from_edges(7, [0, 0, 0, 1, 1, 1, 2, 2], [3, 4, 6, 3, 4, 6, 5, 6])


def as_defined(dag: Dag) -> BlockTable:
    return block_table(Schedule.of(dag, dag.order))


def side_by_side(*parts: Dag) -> Dag:
    shifts = np.cumsum([0, *(part.n for part in parts)])
    tails = [part.tails + shift for part, shift in zip(parts, shifts, strict=False)]
    heads = [part.heads + shift for part, shift in zip(parts, shifts, strict=False)]
    return Dag.from_edges(int(shifts[-1]), np.concatenate(tails), np.concatenate(heads))


def profiles_by_brute_force(dag: Dag) -> list[tuple[int, ...]]:
    """What each block keeps ELIGIBLE, counted job by job as it is executed in the order of prio."""
    orders = executed_orders(prio(dag, guide=area(dag).order))
    return [tuple(block.profile(orders[block.nonsinks[0]])) for block in twin.blocks_of(dag)]


def check_sums(table: BlockTable, schedule: Schedule) -> None:
    """Every non-sink is in one block and one class, and classes come in order."""
    n, blocks = schedule.dag.n, table.blocks
    assert np.sort(blocks.nonsinks).tolist() == np.flatnonzero(np.diff(schedule.dag.succ_ptr)).tolist()
    assert np.bincount(table.class_of, minlength=len(table.classes)).tolist() == [row.blocks for row in table.classes]
    assert [table.classes[number].nonsinks for number in table.class_of] == np.diff(blocks.nonsink_ptr).tolist()
    assert [row.first for row in table.classes] == sorted({row.first for row in table.classes})
    for row in table.classes:
        assert len(row.yields) == row.nonsinks + 1
        assert (row.priority_high, row.priority_low) == (n + 1 - row.first, n + 1 - row.last)
    shown = min(len(table.classes), 12)
    assert [len(row) for row in table.r] == [shown] * shown


@given(dags(12, known=False))
@settings(max_examples=200)
def test_classes_are_blocks_of_equal_profiles(dag):
    schedule = Schedule.of(dag, dag.order)
    table = block_table(schedule)
    check_sums(table, schedule)
    profiles = profiles_by_brute_force(graph.remove_shortcuts(dag))
    assert [tuple(table.classes[number].eligible.tolist()) for number in table.class_of] == profiles
    assert len(table.classes) == len(set(profiles))


@pytest.mark.parametrize("seed", range(3))
def test_blocks_that_no_search_settles_have_the_yields_of_prio(seed):
    """The order of area is better for the largest block than any rule, so it must be asked as prioritize does."""
    n = 250
    tails, heads = np.random.default_rng(seed).integers(0, n, (2, 3 * n))
    dag = graph.remove_shortcuts(Dag.from_edges(n, tails[tails < heads], heads[tails < heads]))
    table = as_defined(dag)
    assert [tuple(table.classes[number].eligible.tolist()) for number in table.class_of] == profiles_by_brute_force(dag)


@given(dags(9, known=False))
@settings(max_examples=100)
def test_there_are_as_many_classes_as_prioritize_says(dag):
    found = prioritize(dag)
    table = block_table(found.schedule)
    assert (table.blocks.count, len(table.classes)) == (found.blocks, found.classes)


@given(dags(10, known=False), ORDERS)
@settings(max_examples=150)
def test_places_are_those_of_the_schedule_whatever_it_is(dag, rng):
    schedule = Schedule.of(dag, topological_order(dag, rng))
    table, place = block_table(schedule), {job: i for i, job in enumerate(schedule.order.tolist())}
    check_sums(table, schedule)
    spans: dict[int, list[int]] = {}
    for number, block in enumerate(twin.blocks_of(graph.remove_shortcuts(dag))):
        mine = [place[job] for job in block.nonsinks]
        assert (table.first[number], table.last[number]) == (min(mine), max(mine))
        spans.setdefault(int(table.class_of[number]), []).extend(mine)
    for number, row in enumerate(table.classes):
        assert (row.first, row.last) == (min(spans[number]) + 1, max(spans[number]) + 1)
        assert row.priority_high == max(schedule.priorities[schedule.order[i]] for i in spans[number])
        assert row.priority_low == min(schedule.priorities[schedule.order[i]] for i in spans[number])


@given(dags(9, known=False))
@settings(max_examples=150)
def test_optimal_is_best_at_every_step_for_every_block(dag):
    """Small dags leave nothing open. Where no order is best throughout, the answer is no."""
    table = as_defined(dag)
    answers: dict[int, list[bool]] = {}
    for number, block in enumerate(twin.blocks_of(graph.remove_shortcuts(dag))):
        mine = int(table.class_of[number])
        answers.setdefault(mine, []).append(best_of(block) == table.classes[mine].eligible.tolist())
    assert {number: row.optimal for number, row in enumerate(table.classes)} == {
        number: all(known) for number, known in answers.items()
    }


@given(dags(12, known=False))
@settings(max_examples=150)
def test_r_priorities_are_the_definition(dag):
    table = as_defined(dag)
    profiles = [row.eligible.tolist() for row in table.classes[:12]]
    assert table.r == tuple(tuple(r_priority(one, other) for other in profiles) for one in profiles)


@given(dags(10, known=False))
@settings(max_examples=100)
def test_what_is_not_looked_at_is_not_claimed(dag):
    """With no work allowed, kinds are sizes, and only yields that prove themselves are called optimal."""
    full = as_defined(dag)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_MOST_STRUCTURES", 0)
        patch.setattr(module, "_COMPARING_BUDGET", 0)
        bare = as_defined(dag)
    assert {entry for row in bare.r for entry in row} <= {None}
    for known, unknown in zip(full.classes, bare.classes, strict=True):
        assert unknown.optimal in (known.optimal, None)
        assert unknown.kind.startswith(("block of", "not bipartite"))
        assert unknown.yields.tolist() == known.yields.tolist()


def test_what_is_proved_without_a_look(monkeypatch):
    """What prio has proved of all blocks is known of each; else only what gains show, here or in the dual."""
    monkeypatch.setattr(module, "_MOST_STRUCTURES", 0)
    clique, join, fork = generate.clique_dag(3), generate.m_dag(1, 3), generate.w_dag(1, 3)
    assert [row.optimal for row in as_defined(side_by_side(clique, join, fork)).classes] == [True, True, True]
    rows = as_defined(side_by_side(ODD, clique, join, fork)).classes
    assert [row.optimal for row in rows] == [None, None, True, True]


def test_the_cheapest_comparisons_are_made_first(monkeypatch):
    """Yields that are bent both ways take all pairs of steps, others hardly more than they are long."""
    dag = side_by_side(generate.m_dag(2, 3), generate.m_dag(2, 4), generate.w_dag(1, 2))
    known = as_defined(dag).r
    monkeypatch.setattr(module, "_COMPARING_BUDGET", 75)  # 40 for all pairs with W, and 36 for the next
    few = as_defined(dag).r
    assert [[entry is not None for entry in row] for row in few] == [
        [False, False, True],
        [False, False, True],
        [True, True, True],
    ]
    assert all(entry in (None, known[i][j]) for i, row in enumerate(few) for j, entry in enumerate(row))


@pytest.mark.parametrize(
    ("dag", "kind", "yields"),
    [
        (generate.w_dag(2, 3), "(2,3)-W", [0, 2, 5]),
        (generate.w_dag(1, 4), "(1,4)-W", [0, 4]),
        (generate.m_dag(2, 3), "(2,3)-M", [0, 0, 0, 1, 1, 2]),
        (generate.n_dag(3), "3-N", [0, 1, 2, 3]),
        (generate.cycle_dag(4), "4-cycle", [0, 0, 1, 2, 4]),
        (generate.clique_dag(3), "3-clique", [0, 0, 0, 3]),
        (generate.strand("T", [3, 3, 2, 3]), "T[3, 3, 2, 3]", [0, 2, 2, 3, 3, 4]),
        (generate.strand("W", [5, 2]), "W[5, 2]", [0, 4, 6]),
    ],
)
def test_the_blocks_of_the_papers(dag, kind, yields):
    table = as_defined(dag)
    (row,) = table.classes
    assert (row.kind, row.blocks, row.yields.tolist(), row.optimal) == (kind, 1, yields, True)
    assert row.nonsinks == row.sources == len(yields) - 1
    assert table.r[0][0] == r_priority(row.eligible.tolist(), row.eligible.tolist())


def test_w_before_m():
    """W has priority over M, and not the other way round."""
    table = as_defined(side_by_side(generate.w_dag(2, 3), generate.m_dag(2, 3)))
    assert [row.kind for row in table.classes] == ["(2,3)-W", "(2,3)-M"]
    assert table.r[0][1] == 1
    assert table.r[1][0] < 1


def test_an_edge_and_a_clique():
    """Whichever goes first, a third of what could be ELIGIBLE is lost at some step."""
    table = as_defined(Dag.from_edges(6, [0, 2, 2, 3, 3], [1, 4, 5, 4, 5]))
    assert (table.r[0][1], table.r[1][0]) == (Fraction(2, 3), Fraction(2, 3))


def test_other_kinds_of_one_class():
    r"""A join of three jobs of which two have another child, and two 3-Ns: all yield a job a step.

    0   1   2      0   1   2
    |\  |  /|      |\  |\  |
    | \ | / |      | \ | \ |
    3   4   5      3   4   5
    """
    comb = Dag.from_edges(6, [0, 0, 1, 2, 2], [3, 4, 4, 4, 5])
    table = as_defined(side_by_side(comb, generate.n_dag(3), generate.n_dag(3)))
    (row,) = table.classes
    assert (row.kind, row.blocks, row.yields_shown, row.optimal) == ("3-N and others", 3, "0, 1, 2, 3", True)


def test_a_block_that_is_not_bipartite():
    r"""Jobs 0, 1 and 2 are one block: 0 and 1 share child 3, 1 and 2 share child 5, and 2 waits for 0.

    0   1
    |\ / \
    | 3  |
    2    |
    |\  /
    4  5
    |
    6
    """
    table = as_defined(Dag.from_edges(7, [0, 0, 1, 1, 2, 2, 4], [2, 3, 3, 5, 4, 5, 6]))
    row = table.classes[0]
    assert (row.kind, row.nonsinks, row.sources, row.optimal) == ("not bipartite", 3, 2, True)
    assert row.eligible.tolist() == [2, 2, 2, 3]


def test_no_order_is_best_throughout():
    """Search finds that out; where a block is too wide for it nothing is known."""
    (row,) = as_defined(ODD).classes
    assert row.optimal is False
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_WIDEST_SEARCH", 0)
        (row,) = as_defined(ODD).classes
    assert row.optimal is None


def test_shortcuts_do_not_count():
    table = as_defined(Dag.from_edges(3, [0, 1, 0], [1, 2, 2]))
    assert [(row.kind, row.blocks) for row in table.classes] == [("1-N", 2)]
    assert table.blocks.dag.m == 2


def test_long_yields_and_long_names_are_cut():
    rng = np.random.default_rng(5)
    (join,) = as_defined(generate.m_dag(1, 250)).classes
    assert join.yields_shown == "0, 0, 0, 0, 0, 0, 0, 0, 0, …, 0, 1"
    (twelve,) = as_defined(generate.n_dag(11)).classes
    assert twelve.yields_shown == "0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11"
    (thirteen,) = as_defined(generate.n_dag(12)).classes
    assert thirteen.yields_shown == "0, 1, 2, 3, 4, 5, 6, 7, 8, …, 11, 12"
    (long,) = as_defined(generate.strand("T", rng.integers(2, 4, 3000).tolist())).classes
    assert long.kind.startswith("T[")
    assert long.kind.endswith(", …]")
    assert len(long.kind) < 50


@pytest.mark.parametrize("n", [0, 1, 3])
def test_no_edges_no_blocks(n):
    table = as_defined(Dag.from_edges(n))
    assert (table.blocks.count, table.classes, table.r) == (0, (), ())
    assert len(table.class_of) == len(table.first) == len(table.last) == 0


def test_airsn():
    """A handle of 20 jobs leads to the one that 250 wait for; the covers are joined twice."""
    found = prioritize(generate.airsn(250))
    table = block_table(found.schedule)
    check_sums(table, found.schedule)
    assert (table.blocks.count, len(table.classes)) == (found.blocks, found.classes) == (24, 4)
    assert {row.kind: row.blocks for row in table.classes} == {
        "1-N": 20,
        "tree of 251 sources and 250 sinks": 1,
        "(1,250)-M": 2,
        "(1,250)-W": 1,
    }
    assert all(row.optimal for row in table.classes)
    handle = table.classes[0]
    assert (handle.kind, handle.first, handle.priority_high) == ("1-N", 1, 773)


def test_fmri():
    found = prioritize(eligo.read(EXAMPLES / "fmri.dag"))
    table = block_table(found.schedule)
    check_sums(table, found.schedule)
    assert (table.blocks.count, len(table.classes)) == (found.blocks, found.classes) == (24, 4)


@pytest.mark.parametrize("make", [lambda: generate.sdss(jobs=48_013), lambda: generate.montage(jobs=7_881)])
def test_workflows_of_2006(make):
    dag = make()
    schedule = Schedule.of(dag, dag.order)
    table, again = block_table(schedule), prio(graph.remove_shortcuts(dag))
    check_sums(table, schedule)
    assert len(table.classes) == again.classes
    assert all(entry is not None for row in table.r for entry in row)


@no_hang(60)
@pytest.mark.parametrize("kind", ["one", "sparse", "different"])
def test_large_dags_take_no_quadratic_time(kind):
    rng = np.random.default_rng(3)
    n = 20_000 if kind == "one" else 50_000
    if kind == "different":  # more than a thousand blocks, all different, that no rule settles
        group = np.repeat(np.arange(n // 40), 100)
        tails, heads = (40 * group + rng.integers(low, low + 20, len(group)) for low in (0, 20))
    else:
        tails, heads = rng.integers(0, n, (2, 4 * n if kind == "one" else 7 * n // 10))
    up = tails < heads
    dag = Dag.from_edges(n, tails[up], heads[up])
    schedule = Schedule.of(dag, dag.order)
    table = block_table(schedule)
    check_sums(table, schedule)
    if kind == "one":
        assert ("not bipartite", None) in {(row.kind, row.optimal) for row in table.classes}
    if kind == "sparse":
        assert table.blocks.count > 10_000
