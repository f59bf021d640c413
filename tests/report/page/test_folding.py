"""Folding: groups are those of the definition, they form a dag with all edges accounted for, and have fit names."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eligo import generate
from eligo.dag import Dag
from eligo.graph import levels, relabel, rename, sum_of
from eligo.report._page import folding as module
from eligo.report._page.folding import Folding, fold
from tests.guards import no_hang
from tests.reference import folding_twin as twin
from tests.strategies import NAMES, dags

# Few letters, so that stems, beginnings and whole names of groups meet.
PLAIN = st.text("ab12_# ()", min_size=1, max_size=6)
BARE = dags(max_jobs=12, known=False)
NAMED = dags(max_jobs=12, names=PLAIN | NAMES, known=False)
MOST = st.integers(1, 14)


def parts(folding: Folding) -> list[list[int]]:
    return [folding.members(group).tolist() for group in range(folding.count)]


def copies(dag: Dag, times: int) -> Dag:
    return sum_of([dag] * times)


@given(NAMED, MOST)
@settings(max_examples=200)
def test_groups_part_the_jobs_and_keep_to_rows(dag: Dag, most: int) -> None:
    folding = fold(dag, most)
    assert sorted(job for group in parts(folding) for job in group) == list(range(dag.n))
    assert folding.count <= most
    assert folding.count == len(folding.names) == folding.dag.n
    assert folding.size.tolist() == [len(group) for group in parts(folding)]
    level = levels(dag)
    for number, group in enumerate(parts(folding)):
        assert group == sorted(group)
        assert (folding.of[group] == number).all()
    for one, other in pairwise(range(folding.count)):
        assert (folding.row[one], folding.members(one)[0]) < (folding.row[other], folding.members(other)[0])
        if folding.row[one] < folding.row[other]:
            assert level[folding.members(one)].min() < level[folding.members(other)].min()


@given(NAMED, MOST)
@settings(max_examples=200)
def test_every_edge_is_counted_once(dag: Dag, most: int) -> None:
    folding = fold(dag, most)
    across: dict[tuple[int, int], int] = {}
    inner = [0] * folding.count
    for tail, head in zip(folding.of[dag.tails].tolist(), folding.of[dag.heads].tolist(), strict=True):
        if tail == head:
            inner[tail] += 1
        else:
            across[tail, head] = across.get((tail, head), 0) + 1
    pairs = list(zip(folding.dag.tails.tolist(), folding.dag.heads.tolist(), strict=True))
    assert dict(zip(pairs, folding.edges.tolist(), strict=True)) == across
    assert folding.inner.tolist() == inner
    assert folding.edges.sum() + folding.inner.sum() == dag.m
    assert (folding.row[folding.dag.tails] < folding.row[folding.dag.heads]).all()


@given(BARE)
@settings(max_examples=200)
def test_without_a_limit_groups_are_the_coarsest_stable_ones(dag: Dag) -> None:
    """Jobs named by number have one stem, which tells nothing."""
    assert parts(fold(dag, max(dag.n, 1))) == twin.stable(dag)


@given(NAMED, MOST, st.integers(0, 6))
@settings(max_examples=200)
def test_groups_are_those_of_the_definition(dag: Dag, most: int, most_stems: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_MOST_STEMS", most_stems)
        assert parts(fold(dag, most)) == twin.partition(dag, most, most_stems)


@given(NAMED, MOST, st.integers(0, 8))
@settings(max_examples=100)
def test_tables_and_sorting_agree(dag: Dag, most: int, room: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_ROOM", room)
        assert parts(fold(dag, most)) == twin.partition(dag, most)


@given(NAMED, MOST, st.randoms(use_true_random=False))
@settings(max_examples=100)
def test_groups_do_not_depend_on_numbers(dag: Dag, most: int, random) -> None:
    order = list(range(dag.n))
    random.shuffle(order)
    moved = parts(fold(relabel(dag, order), most))
    assert sorted(sorted(order[job] for job in group) for group in moved) == sorted(parts(fold(dag, most)))


@given(dags(max_jobs=6, known=False), st.integers(2, 4))
@settings(max_examples=50)
def test_copies_fold_onto_each_other(dag: Dag, times: int) -> None:
    once, often = fold(dag), fold(copies(dag, times))
    assert often.of.tolist() == once.of.tolist() * times
    assert often.edges.tolist() == (once.edges * times).tolist()


@given(NAMED, MOST)
@settings(max_examples=300)
def test_names_are_unique_and_say_what_members_share(dag: Dag, most: int) -> None:
    folding = fold(dag, most)
    assert len(set(folding.names)) == folding.count
    assert folding.dag.names == folding.names
    taken = {dag.names[group[0]] for group in parts(folding) if len(group) == 1}
    for name, title, size in zip(folding.names, twin.titles(dag, parts(folding)), folding.size.tolist(), strict=True):
        if size == 1 or title not in taken:
            assert name == title
        else:
            number = next(k for k in range(2, 99) if f"{title} ({k})" not in taken)
            assert name == f"{title} ({number})"
        taken.add(name)


@given(NAMED, MOST)
@settings(max_examples=50)
def test_the_same_dag_has_the_same_folding(dag: Dag, most: int) -> None:
    one, two = fold(dag, most), fold(dag, most)
    assert one.names == two.names
    assert one.of.tobytes() == two.of.tobytes()
    assert one.dag == two.dag


def test_a_fork_join_becomes_three() -> None:
    r"""Ten jobs between two::

        0
      / | \
     1 ... 10
      \ | /
        11
    """
    middle = np.arange(1, 11)
    dag = Dag.from_edges(12, np.append(np.zeros(10, int), middle), np.append(middle, np.full(10, 11)))
    folding = fold(dag)
    assert folding.size.tolist() == [1, 10, 1]
    assert folding.edges.tolist() == [10, 10]
    assert folding.names == ("0", "level 2", "11")


def test_sets_count_not_how_often() -> None:
    r"""Joins of two and of three look the same; a join of two kinds of jobs does not::

    a1 a2   a3 a4 a5   a6 b
     \ /      \ | /     \ /
      j1       j2        j3
    """
    edges = [("a1", "j1"), ("a2", "j1"), ("a3", "j2"), ("a4", "j2"), ("a5", "j2"), ("a6", "j3"), ("b", "j3")]
    folding = fold(Dag.from_names(edges))
    assert dict(zip(folding.names, folding.size.tolist(), strict=True)) == {"a": 5, "a6": 1, "b": 1, "j": 2, "j3": 1}


def test_what_is_far_away_counts_too() -> None:
    """One of two chains goes on: all its jobs differ, and each difference takes a round to be seen."""
    dag = sum_of([generate.chain(40), generate.chain(41)])
    assert fold(dag).count == 81
    assert fold(dag, 80).count < 81


def test_rounds_end_when_the_work_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    dag = sum_of([generate.chain(40), generate.chain(41)])
    monkeypatch.setattr(module, "_WORK", 10 * (dag.n + dag.m + 1))
    assert fold(dag).count == 41 + 10


def test_montage_becomes_its_kinds_of_jobs() -> None:
    folding = fold(generate.montage(1000))
    assert folding.count <= 12
    assert {"mProject", "mDiffFit", "mBackground"} <= set(folding.names)


def test_a_long_chain_becomes_bands() -> None:
    folding = fold(generate.chain(1000), 150)
    assert folding.count == 143
    assert folding.size.tolist() == [7] * 142 + [6]
    assert folding.inner.tolist() == [6] * 142 + [5]
    assert folding.edges.tolist() == [1] * 142
    assert folding.names[:2] == ("levels 1-7", "levels 8-14")
    assert folding.names[-1] == "levels 995-1000"


def test_a_chain_of_equal_names_becomes_one() -> None:
    r"""The steps say nothing by themselves; `end` has another name, and `b1 > b2` is as short as one node::

    step_1 > step_2 > step_3 > step_4 > end        b1 > b2
    """
    steps = [f"step_{i}" for i in range(1, 5)]
    folding = fold(Dag.from_names([*pairwise([*steps, "end"]), ("b1", "b2")]))
    assert dict(zip(folding.names, folding.size.tolist(), strict=True)) == {"step": 4, "end": 1, "b1": 1, "b2": 1}
    assert folding.inner.tolist() == [3 if name == "step" else 0 for name in folding.names]


def test_a_chain_begins_where_nothing_else_enters() -> None:
    edges = [*pairwise([f"step_{i}" for i in range(5)]), ("other", "step_2")]
    folding = fold(Dag.from_names(edges))
    assert dict(zip(folding.names, folding.size.tolist(), strict=True)) == {
        "step_0": 1,
        "other": 1,
        "step_1": 1,
        "step": 3,
    }


def test_one_group_for_all() -> None:
    folding = fold(generate.mesh(5), 1)
    assert (folding.count, folding.dag.m, folding.inner.tolist()) == (1, 0, [20])


@pytest.mark.parametrize("jobs", [0, 1])
def test_hardly_any_jobs(jobs: int) -> None:
    folding = fold(Dag.from_edges(jobs))
    assert (folding.count, folding.dag.m, folding.edges.size) == (jobs, 0, 0)
    assert (folding.of.tolist(), folding.size.tolist()) == ([0] * jobs, [1] * jobs)
    assert (folding.inner.tolist(), folding.row.tolist()) == ([0] * jobs, [0] * jobs)


def test_no_groups_cannot_be_had() -> None:
    with pytest.raises(ValueError, match="into 0 groups"):
        fold(Dag.from_edges(3), 0)


def test_stems_count_where_they_are_few() -> None:
    few = fold(Dag.from_edges(["a1", "b1", "a2", "b2"]))
    assert (few.names, few.of.tolist()) == (("a", "b"), [0, 1, 0, 1])
    many = fold(Dag.from_edges([f"{'x' * i}{'y' * j}" for i in range(8) for j in range(8)]))
    assert many.names == ("level 1",)
    assert fold(Dag.from_edges(["a1", "b1", "c1"]), 2).names == ("level 1",)


@pytest.mark.parametrize(
    ("jobs", "title"),
    [
        (["mProject_1", "mProject_22"], "mProject"),
        (["7_x_1", "8_x_2"], "x"),
        (["a1b2", "a3b4"], "a#b"),
        (["1", "2"], "level 1"),
        (["__1", "__2"], "level 1"),
        (["<b>1", "<b>2"], "<b>"),
        (["x_1.", "x_2."], "x"),
        (["-x 1", "-x 2"], "x"),
    ],
)
def test_groups_are_called_by_their_stem(jobs: list[str], title: str) -> None:
    assert fold(Dag.from_edges(jobs)).names == (title,)


@pytest.mark.parametrize(
    ("jobs", "title"),
    [
        (["sift_left", "sift_right"], "sift"),
        (["ab", "abc"], "ab"),
        (["a_b", "a_c"], "level 1"),
        (["left", "right"], "level 1"),
    ],
)
def test_groups_of_several_stems_are_called_by_their_beginning(jobs: list[str], title: str) -> None:
    assert fold(Dag.from_edges(jobs), 1).names == (title,)


def test_names_of_groups_give_way_to_names_of_jobs() -> None:
    """Levels of x_#, a single job called x, and one called x (2)."""
    names = ["x_1", "x_2", "x_3", "x_4", "x", "x (2)"]
    dag = Dag.from_edges(names, [0, 1, 2, 3, 4], [2, 3, 4, 4, 5])
    assert fold(dag).names == ("x (3)", "x (4)", "x", "x (2)")


def test_other_names_of_the_same_stem_change_nothing_but_names() -> None:
    dag = generate.montage(200)
    other = fold(rename(dag, [f"{name}7" for name in dag.names]))
    assert other.of.tolist() == fold(dag).of.tolist()


def random_dag(jobs: int, edges: int) -> Dag:
    ends = np.random.default_rng(0).integers(0, jobs, (edges, 2))
    ends.sort(axis=1)
    ends = ends[ends[:, 0] < ends[:, 1]]
    return Dag.from_edges(jobs, ends[:, 0], ends[:, 1])


LARGE = {
    "sdss": lambda: generate.sdss(48_013),
    "random": lambda: random_dag(50_000, 150_000),
    "chain": lambda: generate.chain(50_000),
    "chains": lambda: sum_of([generate.chain(75), copies(generate.chain(74), 666)]),
    "star": lambda: Dag.from_edges(50_000, np.zeros(49_999, int), np.arange(1, 50_000)),
}


@pytest.mark.parametrize("name", LARGE)
def test_large_dags_do_not_hang(name: str) -> None:
    dag = LARGE[name]()
    with no_hang():
        folding = fold(dag)
    assert folding.count <= 150
    assert folding.edges.sum() + folding.inner.sum() == dag.m


def test_long_names_do_not_hang() -> None:
    start = "x" * 10_000
    with no_hang():
        folding = fold(Dag.from_edges([f"{start}{i}{'ab'[i % 2]}" for i in range(5_000)]), 1)
    assert folding.names == (start,)
