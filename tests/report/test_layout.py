"""Layouts: arrows point down, jobs keep apart, few crossings, and familiar dags look familiar."""

from __future__ import annotations

from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eligo import generate
from eligo.dag import Dag
from eligo.graph import components, levels, relabel, sum_of
from eligo.report._layers import Ladder, _ascending, count_crossings, order_rungs, place_rungs
from eligo.report._layout import Layout, place_jobs
from tests.guards import no_hang
from tests.strategies import dags

BARE = dags(max_jobs=12, known=False)


def chain_of(dag: Dag, layout: Layout, edge: int) -> np.ndarray:
    ends = [[layout.x[v], layout.y[v]] for v in (dag.tails[edge], dag.heads[edge])]
    return np.array([ends[0], *layout.bends.get(edge, []), ends[1]])


def crossings_seen(dag: Dag, layout: Layout) -> int:
    """Count pairs of arrows between the same two rows whose ends are in opposite order."""
    by_row: dict[float, list[tuple[float, float]]] = {}
    for edge in range(dag.m):
        for (x, y), (to, _) in pairwise(chain_of(dag, layout, edge).tolist()):
            by_row.setdefault(y, []).append((x, to))
    return sum((a[0] - b[0]) * (a[1] - b[1]) < 0 for row in by_row.values() for a, b in combinations(row, 2))


@given(BARE)
@settings(max_examples=100)
def test_any_dag_is_drawn_legibly(dag: Dag) -> None:
    """Arrows point down row by row, jobs keep apart, and the crossings are those that are seen."""
    layout = place_jobs(dag)
    for edge in range(dag.m):
        assert (np.diff(chain_of(dag, layout, edge)[:, 1]) == 1).all()
    assert (layout.y >= levels(dag)).all()
    for a, b in combinations(range(dag.n), 2):
        if layout.y[a] == layout.y[b]:
            assert abs(layout.x[a] - layout.x[b]) >= 1 - 2e-4
    assert layout.x.min(initial=0.0) >= 0
    assert layout.x.max(initial=0.0) <= layout.width
    assert layout.crossings == crossings_seen(dag, layout)


@st.composite
def ladders(draw: st.DrawFn) -> Ladder:
    """Rungs of a few nodes, and any arrows from a rung to the next."""
    sizes = draw(st.lists(st.integers(1, 5), min_size=1, max_size=5))
    start = np.concatenate([[0], np.cumsum(sizes)])
    arrows = []
    for r in range(len(sizes) - 1):
        pairs = [(u, v) for u in range(start[r], start[r + 1]) for v in range(start[r + 1], start[r + 2])]
        arrows += draw(st.lists(st.sampled_from(pairs), unique=True))
    width = draw(st.lists(st.sampled_from([1.0, 0.4]), min_size=int(start[-1]), max_size=int(start[-1])))
    return Ladder.of(start, width, [u for u, _ in arrows], [v for _, v in arrows])


def crossings_by_pairs(ladder: Ladder, place: np.ndarray) -> int:
    arrows = list(zip(ladder.out.end.tolist(), ladder.out.other.tolist(), strict=True))
    rung = np.searchsorted(ladder.start, np.arange(len(ladder.width)), side="right")
    return sum(
        rung[a] == rung[c] and (place[a] - place[c]) * (place[b] - place[d]) < 0
        for (a, b), (c, d) in combinations(arrows, 2)
    )


@given(ladders(), st.randoms(use_true_random=False))
@settings(max_examples=100)
def test_crossings_are_counted_rightly(ladder: Ladder, random) -> None:
    place = np.arange(len(ladder.width)) - ladder.first
    for a, b in pairwise(ladder.start.tolist()):
        shuffled = list(range(b - a))
        random.shuffle(shuffled)
        place[a:b] = shuffled
    assert count_crossings(ladder, place) == crossings_by_pairs(ladder, place)


@given(ladders())
@settings(max_examples=100)
def test_sweeps_never_add_crossings(ladder: Ladder) -> None:
    natural = np.arange(len(ladder.width)) - ladder.first
    order = order_rungs(ladder)
    for a, b in pairwise(ladder.start.tolist()):
        assert sorted(order[a:b].tolist()) == list(range(b - a))
    assert crossings_by_pairs(ladder, order) <= crossings_by_pairs(ladder, natural)


@given(ladders())
@settings(max_examples=100)
def test_nodes_keep_their_turn_and_their_room(ladder: Ladder) -> None:
    order = order_rungs(ladder)
    x = place_rungs(ladder, order)
    for a, b in pairwise(ladder.start.tolist()):
        row = a + np.argsort(order[a:b])
        for left, right in pairwise(row.tolist()):
            assert x[right] - x[left] >= (ladder.width[left] + ladder.width[right]) / 2 - 1e-9


@given(st.lists(st.tuples(st.integers(-9, 9), st.integers(1, 4)), min_size=1, max_size=9))
@settings(max_examples=100)
def test_ascending_is_isotonic_regression(values: list[tuple[int, int]]) -> None:
    """The solution is known in closed form: the largest, over starts before, of the smallest mean up to ends after."""
    wish, weight = np.array(values, float).T
    n = len(wish)

    def mean(a: int, b: int) -> float:
        return float(np.average(wish[a : b + 1], weights=weight[a : b + 1]))

    expected = [max(min(mean(a, b) for b in range(i, n)) for a in range(i + 1)) for i in range(n)]
    assert _ascending(wish, weight) == pytest.approx(expected)


@given(st.integers(1, 40), st.integers(0, 99), st.booleans())
@settings(max_examples=80)
def test_trees_have_no_crossings_however_numbered(jobs: int, seed: int, expansion: bool) -> None:
    tree = generate.random_tree(jobs, expansion=expansion, seed=seed)
    mixed = relabel(tree, np.random.default_rng(seed).permutation(jobs))
    assert place_jobs(mixed).crossings == 0


@pytest.mark.parametrize("seed", range(5))
def test_zigzags_are_unrolled_however_numbered(seed: int) -> None:
    rng = np.random.default_rng(seed)
    for dag in (generate.n_dag(20), generate.w_dag(8, 3), generate.m_dag(8, 3), generate.mesh(6)):
        assert place_jobs(relabel(dag, rng.permutation(dag.n))).crossings == 0


def mirror(layout: Layout) -> bool:
    """Whether every row is its own mirror image, all about one line."""
    middles = []
    for y in np.unique(layout.y):
        row = np.sort(layout.x[layout.y == y])
        middles.append((row + row[::-1]) / 2)
    return bool(np.ptp(np.concatenate(middles)) < 1e-3)


SYMMETRIC = {
    "mesh": generate.mesh(6),
    "expansion-mesh": generate.mesh(6, expansion=True),
    "tree": generate.tree(4),
    "ternary tree": generate.tree(3, 3, expansion=True),
    "fft": generate.fft(3),
    "cycle": generate.cycle_dag(5),
    "clique": generate.clique_dag(4),
    "fork-join": generate.fork_join(),
    "W": generate.w_dag(4, 3),
    "M": generate.m_dag(4, 3),
}


@pytest.mark.parametrize("name", SYMMETRIC)
def test_symmetric_dags_are_drawn_symmetrically(name: str) -> None:
    assert mirror(place_jobs(SYMMETRIC[name]))


@pytest.mark.parametrize("expansion", [False, True])
def test_a_mesh_is_a_triangle(expansion: bool) -> None:
    r"""Rows one apart::

    0   1   2
     \ / \ /
      3   4
       \ /
        5
    """
    dag = generate.mesh(7, expansion=expansion)
    layout = place_jobs(dag)
    assert np.abs(np.abs(layout.x[dag.tails] - layout.x[dag.heads]) - 0.5).max() < 1e-3


@pytest.mark.parametrize("arity", [2, 3])
@pytest.mark.parametrize("expansion", [False, True])
def test_the_root_of_each_branch_stands_in_its_middle(arity: int, expansion: bool) -> None:
    dag = generate.tree(3, arity, expansion=expansion)
    layout = place_jobs(dag)
    for job in range(dag.n):
        branches = dag.children(job) if expansion else dag.parents(job)
        if len(branches):
            assert layout.x[job] == pytest.approx(layout.x[branches].mean(), abs=1e-3)


def test_chains_are_straight() -> None:
    assert np.ptp(place_jobs(generate.chain(30)).x) == 0
    airsn = generate.airsn(5)
    handle = [airsn.index(f"handle_{i}") for i in range(21)]
    assert np.ptp(place_jobs(airsn).x[handle]) < 0.01


def test_sources_stand_beside_what_they_are_needed_with() -> None:
    dag = generate.airsn(4)
    layout = place_jobs(dag)
    assert layout.y[dag.index("fringe_0")] == layout.y[dag.index("handle_20")] == 20
    assert not layout.bends


def test_regular_numbering_stands() -> None:
    """An FFT is drawn with its butterflies in line, though another order has fewer crossings."""
    dag = generate.fft(3)
    layout = place_jobs(dag)
    assert layout.x.reshape(4, 8).tolist() == [list(range(8))] * 4


def test_components_stand_side_by_side() -> None:
    dag = sum_of([generate.tree(2), generate.mesh(3), generate.chain(1), generate.fft(2)])
    layout, part = place_jobs(dag), components(dag)
    ends = [(layout.x[part == k].min(), layout.x[part == k].max()) for k in range(part.max() + 1)]
    assert all(right + 1 < left for (_, right), (left, _) in pairwise(ends))


@pytest.mark.parametrize(("jobs", "width"), [(0, 0.0), (1, 0.0), (3, 3.0)])
def test_dags_without_edges(jobs: int, width: float) -> None:
    layout = place_jobs(Dag.from_edges(jobs))
    assert (layout.x.size, layout.width, layout.height, layout.crossings) == (jobs, width, 0.0, 0)


def test_long_edges_do_not_take_quadratic_room() -> None:
    """A chain in which every job also feeds every later one would need 4,455,100 bends."""
    n = 300
    tails, heads = np.triu_indices(n, 1)
    with no_hang():
        layout = place_jobs(Dag.from_edges(n, tails, heads))
    assert sum(len(points) for points in layout.bends.values()) <= 20 * n
    assert (layout.y == np.arange(n)).all()


def test_large_dags_do_not_hang() -> None:
    with no_hang():
        place_jobs(generate.sdss(5_000))
        place_jobs(generate.airsn(1_500))


@given(BARE)
@settings(max_examples=50)
def test_the_same_dag_has_the_same_layout(dag: Dag) -> None:
    one, two = place_jobs(dag), place_jobs(dag)
    assert one.x.tobytes() == two.x.tobytes()
    assert one.y.tobytes() == two.y.tobytes()
