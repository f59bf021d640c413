from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eligo import _core, generate, graph
from eligo.dag import Dag
from eligo.errors import EligoError
from eligo.priority._blocks.bipartite import Bipartite, best_of_forest
from eligo.priority._blocks.strands import find_strands, schedule_pbt, schedule_strands, strand_kind, strand_name
from tests.reference import blocks as brute
from tests.reference import strands as twin

FIGURE_3 = {
    "W[4]": ("T", [4]),
    "M[4]": ("T", [1, 4]),
    "T[1, 4, 4, 3, 3, 2, 2, 4, 3, 2]": ("T", [1, 4, 4, 3, 3, 2, 2, 4, 3, 2]),
    "W[4, 2, 4, 3]": ("W", [4, 2, 4, 3]),
    "M[4, 2, 4, 3]": ("M", [4, 2, 4, 3]),
}
FIGURE_9 = ["1/4", "3", "1/3", "3", "1/2", "2", "1/4", "3", "1/2", "4"]


def block_of(dag: Dag) -> Bipartite:
    return Bipartite.from_dag(dag)[0]


def rows_of(block: Bipartite) -> list[list[int]]:
    found = find_strands(block)
    assert found is not None
    return [found.row(strand).tolist() for strand in range(found.count)]


def degree_lists(longest: int, largest: int) -> st.SearchStrategy[list[int]]:
    others = st.lists(st.integers(2, largest), max_size=longest)
    return st.tuples(st.integers(1, largest), others).map(lambda parts: [parts[0], *parts[1]])


@st.composite
def sums(draw: st.DrawFn, most_sources: int = 11) -> Bipartite:
    """A sum of one to four T-strands, its jobs renumbered at random."""
    lists = draw(st.lists(degree_lists(6, 4), min_size=1, max_size=4))
    kept: list[Dag] = []
    left = most_sources
    for degrees in lists:
        dag = generate.strand("T", degrees)
        if (sources := len(graph.sources(dag))) <= left:
            kept.append(dag)
            left -= sources
    total = block_of(graph.sum_of(kept or [generate.strand("T", [1])]))
    return brute.relabelled(total, np.random.default_rng(draw(st.integers(0, 2**32))))[0]


@pytest.mark.parametrize("name", FIGURE_3)
def test_strands_of_figure_3(name: str) -> None:
    block = block_of(generate.strand(*FIGURE_3[name]))
    found = find_strands(block)
    assert found is not None
    assert found.names == [name]
    assert found.row(0).tolist() == list(range(block.sources))
    for order in (schedule_strands(block), schedule_pbt(block)):
        assert block.eligible_sinks(order).tolist() == brute.best_e(block)


def test_planar_bipartite_tree_of_figure_9() -> None:
    block = block_of(generate.planar_bipartite_tree(FIGURE_9))
    assert find_strands(block).names == ["T[1, 4, 3, 3, 3, 2, 2, 4, 3, 2, 4]"]
    best = brute.best_e(block)
    assert block.eligible_sinks(schedule_strands(block)).tolist() == best
    assert block.eligible_sinks(schedule_pbt(block)).tolist() == best


@settings(max_examples=300, deadline=None)
@given(sums())
def test_every_sum_of_strands_is_scheduled_optimally(block: Bipartite) -> None:
    best = brute.best_e(block)
    order = schedule_strands(block)
    assert sorted(order.tolist()) == list(range(block.sources))
    assert block.eligible_sinks(order).tolist() == best
    assert block.eligible_sinks(schedule_pbt(block)).tolist() == best


def random_sum(rng: np.random.Generator, most_sources: int) -> Bipartite:
    left, kept = most_sources, [generate.strand("T", [1])]
    for _ in range(rng.integers(1, 5)):
        degrees = rng.integers(2, rng.integers(3, 6), rng.integers(1, 9)).tolist()
        dag = generate.strand("T", [1, *degrees] if rng.random() < 0.5 else degrees)
        if (sources := len(graph.sources(dag))) < left:
            kept.append(dag)
            left -= sources
    return brute.relabelled(block_of(graph.sum_of(kept[1:] or kept)), rng)[0]


@pytest.mark.parametrize("cases", [500, pytest.param(60_000, marks=pytest.mark.long)])
def test_random_sums_of_strands(cases: int) -> None:
    rng = np.random.default_rng(cases)
    for _ in range(cases):
        block = random_sum(rng, 13)
        assert block.eligible_sinks(schedule_strands(block)).tolist() == brute.best_e(block)


@settings(max_examples=150, deadline=None)
@given(sums(most_sources=9))
def test_kernel_takes_the_source_that_the_text_says(block: Bipartite) -> None:
    assert schedule_strands(block).tolist() == brute.lexicographic_greedy(block, rows_of(block))


def test_all_small_strands() -> None:
    """Every strand of up to 6 sources with up to two private sinks for each backbone source, ends of both kinds."""
    count = 0
    for length in range(1, 7):
        for degrees in product((1, 2, 3, 4), *[(2, 3, 4)] * (length - 1)):
            block = block_of(generate.strand("T", degrees))
            if block.sources > 6:
                continue
            count += 1
            assert block.eligible_sinks(schedule_strands(block)).tolist() == brute.best_e(block)
    assert count > 500


class TestErrata:
    """Where rules that look like the paper's fail, and ours does not."""

    def test_vectors_are_computed_anew(self) -> None:
        r"""T[1, 2, 2, 3, 2].

        0   1   2   3
         \ / \  |  / \
          4    \| /   6
                5
        """
        block = block_of(generate.strand("T", [1, 2, 2, 3, 2]))
        best = brute.best_e(block)
        once = brute.lexicographic_greedy(block, rows_of(block), recompute=False)
        assert block.eligible_sinks(once).tolist() != best
        assert block.eligible_sinks(schedule_strands(block)).tolist() == best

    def test_more_than_the_next_step_counts(self) -> None:
        """M[2, 3]: every source yields nothing at first, but only the left end leads on well."""
        block = block_of(generate.strand("M", [2, 3]))
        best = brute.best_e(block)
        assert block.eligible_sinks([3, 2, 1, 0]).tolist() != best
        assert block.eligible_sinks(schedule_strands(block)).tolist() == best

    @pytest.mark.parametrize("sources", range(1, 7))
    def test_single_edges_are_strands(self, sources: int) -> None:
        block = block_of(graph.sum_of([generate.strand("T", [1])] * sources))
        assert find_strands(block).names == ["T[1]"] * sources
        assert schedule_strands(block).tolist() == list(range(sources))


class TestLarge:
    """Repetitive rows, where vectors agree for long: against e_max of trees, and against the plain twin."""

    @pytest.mark.parametrize(
        ("kind", "degrees"),
        [
            ("W", [2] * 900),
            ("M", [2] * 900),
            ("T", [2] * 1500),
            ("T", [3, 2] * 700),
            ("T", [2, 3] * 500),
            ("T", [1, *[2, 3, 2, 2] * 200, 4]),
            ("W", [2] * 400 + [3] + [2] * 400),
            ("W", [2, 3, 2, 2, 3, 2, 3] * 100),
            ("M", [3, 3, 2] * 150),
        ],
    )
    def test_uniform_and_periodic(self, kind: str, degrees: list[int]) -> None:
        block = block_of(generate.strand(kind, degrees))
        order = schedule_strands(block)
        assert np.array_equal(block.eligible_sinks(order), best_of_forest(block))
        assert order.tolist() == self.by_twin(block)

    @pytest.mark.parametrize("seed", range(60))
    def test_nearly_periodic_sums(self, seed: int) -> None:
        rng = np.random.default_rng(seed)
        dags = []
        for _ in range(rng.integers(1, 4)):
            pattern = rng.integers(2, 4, rng.integers(1, 6)).tolist()
            degrees = (pattern * 60)[: rng.integers(2, 150)]
            for _ in range(rng.integers(0, 3)):
                degrees[rng.integers(0, len(degrees))] = int(rng.integers(2, 5))
            dags.append(generate.strand("T", [1, *degrees] if rng.random() < 0.5 else degrees))
        block, _ = brute.relabelled(block_of(graph.sum_of(dags)), rng)
        order = schedule_strands(block)
        assert np.array_equal(block.eligible_sinks(order), best_of_forest(block))
        assert order.tolist() == self.by_twin(block)
        assert np.array_equal(block.eligible_sinks(order), block.eligible_sinks(schedule_pbt(block)))

    def test_many_small_strands(self) -> None:
        rng = np.random.default_rng(7)
        dags = [generate.strand("T", rng.integers(2, 5, rng.integers(1, 5)).tolist()) for _ in range(400)]
        block, _ = brute.relabelled(block_of(graph.sum_of(dags)), rng)
        order = schedule_strands(block)
        assert np.array_equal(block.eligible_sinks(order), best_of_forest(block))
        assert order.tolist() == self.by_twin(block)

    @staticmethod
    def by_twin(block: Bipartite) -> list[int]:
        found = find_strands(block)
        place = {u: i for i, u in enumerate(found.sources.tolist())}
        completed = [0] * block.sources
        parents: list[list[int]] = [[] for _ in range(block.sinks)]
        for u, row in enumerate(brute.children_of(block)):
            for sink in row:
                parents[sink].append(place[u])
        for places in parents:
            completed[max(places)] += 1
        return twin.strand_order(completed, found.sources.tolist(), found.starts.tolist())


class TestRecognition:
    @settings(max_examples=300, deadline=None)
    @given(degree_lists(8, 5), st.integers(0, 2**32))
    def test_renumbering_changes_at_most_the_end_one_reads_from(self, degrees: list[int], seed: int) -> None:
        block = block_of(generate.strand("T", degrees))
        other, number = brute.relabelled(block, np.random.default_rng(seed))
        found = find_strands(other)
        assert found is not None
        backbone = degrees[1:] if degrees[0] == 1 else list(degrees)
        ends_in_sink = (degrees[0] == 1) == (len(backbone) % 2 == 1)
        mirrored = [1, *backbone[::-1]] if ends_in_sink else backbone[::-1]
        assert list(found.degrees(0)) in (list(degrees), mirrored)
        leaf = np.diff(other.ptr) == 1
        inner = [u for u in found.row(0).tolist() if not leaf[u]]
        expected = [number[u] for u in range(block.sources) if not leaf[number[u]]]
        assert inner in (expected, expected[::-1])

    @settings(max_examples=500, deadline=None)
    @given(st.data())
    def test_strands_are_the_caterpillars(self, data: st.DataObject) -> None:
        s, sinks = data.draw(st.integers(1, 6)), data.draw(st.integers(1, 6))
        row = st.lists(st.integers(0, sinks - 1), min_size=1, max_size=3)
        block = brute.block_of(data.draw(st.lists(row, min_size=s, max_size=s)))
        assert (find_strands(block) is not None) == brute.is_caterpillar_forest(block)

    @pytest.mark.parametrize(
        "children",
        [
            [[0, 1], [0, 1]],
            [[0, 1], [1, 2], [2, 0]],
            [[0, 1, 2], [0, 3], [1, 4], [2, 5]],  # three legs from a source
            [[0, 1], [0, 2], [0, 3]],  # three legs from a sink
            [[0, 1, 2], [0], [1], [2]],
            [[0], [1], [2, 3, 4], [2], [3], [4]],  # strands and one that is none
        ],
    )
    def test_near_misses(self, children: list[list[int]]) -> None:
        block = brute.block_of(children)
        assert find_strands(block) is None
        for schedule in (schedule_strands, schedule_pbt):
            with pytest.raises(EligoError, match="no sum of strands"):
                schedule(block)

    def test_names_of_the_papers(self) -> None:
        kinds = {
            "(3,2)-W": generate.w_dag(3, 2),
            "(1,4)-W": generate.w_dag(1, 4),
            "(4,3)-M": generate.m_dag(4, 3),
            "(1,5)-M": generate.m_dag(1, 5),
            "5-N": generate.n_dag(5),
            "2-N": generate.n_dag(2),
            "1-N": generate.n_dag(1),
        }
        for kind, dag in kinds.items():
            assert find_strands(block_of(dag)).kind == kind
        both = graph.sum_of([generate.w_dag(1, 2), generate.n_dag(3), generate.w_dag(1, 2)])
        assert find_strands(block_of(both)).kind == "2 x (1,2)-W + 3-N"
        various = graph.sum_of([generate.strand("W", [2, d]) for d in range(3, 8)])
        assert find_strands(block_of(various)).kind == "sum of 5 strands"
        assert strand_name([2, 2, 2, 2]) == "T[2, 2, 2, 2]"
        assert strand_kind([1, 2, 2]) == "2-N"
        assert strand_kind([1, 2, 2, 2]) == "(2,2)-M"

    def test_cycle_row(self) -> None:
        for s in range(3, 8):
            block, number = brute.relabelled(block_of(generate.cycle_dag(s)), np.random.default_rng(s))
            row = _core.cycle_row(block.ptr, block.idx, block.sinks).tolist()
            at = number.index(row[0])
            around = number[at:] + number[:at]
            assert row in (around, [around[0], *around[:0:-1]])
        two = block_of(graph.sum_of([generate.cycle_dag(3), generate.cycle_dag(4)]))
        assert len(_core.cycle_row(two.ptr, two.idx, two.sinks)) == 0
