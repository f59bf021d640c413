import math
import re
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eligo import graph
from eligo.errors import EligoError
from eligo.generate import daggen, daggen_draw
from eligo.generate._random_dags import _free_parent
from tests.corpus import SHARED, needs_shared

unit = st.floats(0, 1)
shapes = st.fixed_dictionaries(
    {"jobs": st.integers(1, 120), "fat": unit, "regular": unit, "density": unit, "jump": st.integers(0, 5),
     "seed": st.integers(0, 10**6)}
)  # fmt: skip


@settings(deadline=None)
@given(shapes)
def test_levels_and_parents(shape):
    draw = daggen_draw(**shape)
    sizes, jobs = draw.level_sizes, shape["jobs"]
    width = int(math.exp(shape["fat"] * math.log(jobs)))
    assert sizes.sum() == jobs
    assert all(max(1, int(shape["regular"] * width) - 1) <= size <= (2 - shape["regular"]) * width + 1
               for size in sizes[:-1])  # fmt: skip
    level = np.repeat(np.arange(len(sizes)), sizes)
    assert (level[draw.heads] > level[draw.tails]).all()
    assert (level[draw.heads] - level[draw.tails] <= max(1, shape["jump"])).all()
    counts = np.bincount(draw.heads, minlength=jobs)
    assert (counts[sizes[0] :] >= 1).all()
    before = sizes[level - 1]
    assert (counts <= np.minimum(1 + shape["density"] * before, before)).all() or jobs == 1


@settings(deadline=None)
@given(shapes)
def test_dag_of_a_draw(shape):
    draw, dag = daggen_draw(**shape), daggen(**shape)
    assert dag == daggen(**shape)
    assert dag.names == tuple(str(task) for task in range(1, shape["jobs"] + 1))
    assert graph.sources(dag).tolist() == list(range(draw.level_sizes[0]))
    drawn = set(zip(draw.tails.tolist(), draw.heads.tolist(), strict=True))
    assert set(zip(dag.tails.tolist(), dag.heads.tolist(), strict=True)) == drawn
    assert dag.data is not None or dag.m == 0
    assert dag.data is None or (dag.data.size_bytes == 8 * draw.matrix_rows[dag.data.producer] ** 2).all()
    assert dag.time_s == pytest.approx(draw.cost_flop / 1e9)


@settings(deadline=None)
@given(shapes)
def test_shared_output_is_one_datum(shape):
    dag, apart = daggen(**shape, shared=True), daggen(**shape)
    assert dag.data.k == dag.n
    if apart.m == 0:
        return
    assert dag.data.reader_counts.tolist() == np.diff(dag.succ_ptr).tolist()
    assert (dag.data.size_bytes[apart.data.producer] == apart.data.size_bytes).all()


@pytest.mark.parametrize(("n", "width"), [(25, 4), (49, 6), (64, 7), (400, 19), (2500, 49), (100, 10), (36, 6)])
def test_perfect_width_keeps_the_rounding(n, width):
    """The widths that daggen.md lists for exact squares with fat 0.5, and two that are right."""
    assert daggen_draw(n, fat=0.5, regular=1).level_sizes[0] == int(math.exp(0.5 * math.log(n)))
    if n in (25, 49, 64, 400, 2500):
        assert daggen_draw(n, fat=0.5, regular=1).level_sizes[0] == width


def fits_a_law(rows, cost):
    """Tell which of the three laws give a cost at this data size (law 2 overlaps with law 1 only by chance)."""
    square = float(rows) ** 2
    return [
        64 <= cost / square < 512,
        64 <= cost / (2 * square * math.log2(rows)) < 512,
        math.isclose(cost, float(rows) ** 3, rel_tol=1e-9),
    ]


@pytest.mark.parametrize("ccr", [1, 2, 3])
def test_laws(ccr):
    draw = daggen_draw(300, ccr=ccr, seed=1)
    assert all(fits_a_law(d, c)[ccr - 1] for d, c in zip(draw.matrix_rows, draw.cost_flop, strict=True))


def test_default_draws():
    draw = daggen_draw(9000, seed=2)
    by_size = Counter((draw.matrix_rows // 1024).tolist())
    assert set(by_size) == set(range(2, 11))
    assert max(abs(count - 1000) for count in by_size.values()) < 5 * (9000 * 8 / 81) ** 0.5
    cubes = sum(math.isclose(c, float(d) ** 3) for d, c in zip(draw.matrix_rows, draw.cost_flop, strict=True))
    assert abs(cubes - 3000) < 5 * (9000 * 2 / 9) ** 0.5
    assert (draw.alpha >= 0).all()
    assert (draw.alpha < 0.2).all()


def test_odd_laws():
    assert (daggen_draw(50, ccr=7).cost_flop == 0).all()
    small = daggen_draw(200, mindata=1, maxdata=2000, ccr=2, seed=1)
    assert np.isnan(small.cost_flop[small.matrix_rows == 0]).all()
    assert daggen(200, mindata=1, maxdata=2000, ccr=2, seed=1).n == 200


def test_the_flaw_in_the_search_for_a_parent():
    """Tasks 0, 1, 2 of a level. The wanted child is a child of 0 and 1, each time the last in the list.

    Task 0 has three children, so the child stands at place 2. Task 1 has two children: equal to that place, so it is
    taken though it is a parent already. With one or three children it is looked at properly, and task 2 is taken.
    """
    assert _free_parent(0, 3, 0, {0, 1}, [3, 2, 0]) == 1
    assert _free_parent(0, 3, 0, {0, 1}, [3, 1, 0]) == 2
    assert _free_parent(0, 3, 0, {0, 1}, [3, 3, 0]) == 2
    assert _free_parent(0, 3, 1, {1, 2}, [0, 3, 3]) == 0  # goes round
    assert _free_parent(0, 2, 0, {0, 1}, [5, 5]) == -1


def corpus():
    for path in sorted((SHARED / "data" / "daggen-dot").glob("*.dot")) if SHARED.exists() else []:
        jobs, fat, regular, density, jump = path.stem.split("-")[1:]
        yield path, {"jobs": int(jobs), "fat": float(fat), "regular": float(regular), "density": float(density),
                     "jump": int(jump)}  # fmt: skip


def load(path):
    text = path.read_text()
    cost = {int(a): float(b) for a, b in re.findall(r'^ *(\d+) \[size="(\d+)"', text, re.M)}
    edges = [tuple(map(int, found)) for found in re.findall(r'(\d+) -> (\d+) \[size ="(\d+)"', text)]
    return cost, edges


@needs_shared
@pytest.mark.parametrize(("path", "shape"), list(corpus()), ids=lambda value: getattr(value, "stem", ""))
def test_daggens_own_files_lie_in_our_ranges(path, shape):
    """Level-0 sizes, costs, weights; the number of edges within the spread of ours (4 standard deviations)."""
    cost, edges = load(path)
    ours = [daggen_draw(**shape, seed=seed) for seed in range(60)]
    sources = len(set(cost) - {head for _, head, _ in edges})
    first = [draw.level_sizes[0] for draw in ours]
    width = int(math.exp(shape["fat"] * math.log(shape["jobs"])))
    assert max(1, int(shape["regular"] * width)) <= sources <= max(1, int((2 - shape["regular"]) * width))
    assert min(first) >= max(1, int(shape["regular"] * width))
    assert max(first) <= max(1, int((2 - shape["regular"]) * width))
    for tail, _, weight in edges:
        rows = math.isqrt(weight // 8)
        assert 8 * rows**2 == weight
        assert rows // 1024 in range(2, 11)
        assert any(fits_a_law(rows, cost[tail])) or fits_a_law(rows, cost[tail] + 1)[0]
    counts = [len(draw.tails) for draw in ours]
    assert abs(len(edges) - np.mean(counts)) <= 4 * np.std(counts) + 2


@needs_shared
def test_edges_and_duplicates_of_the_whole_corpus():
    """Summed over the twelve files, where the spread is smaller: 3 standard deviations, duplicates included."""
    edges = duplicates = 0
    ours = np.zeros((60, 2))
    for path, shape in corpus():
        pairs = [edge[:2] for edge in load(path)[1]]
        edges += len(pairs)
        duplicates += len(pairs) - len(set(pairs))
        for seed in range(60):
            draw = daggen_draw(**shape, seed=seed)
            distinct = len(set(zip(draw.tails.tolist(), draw.heads.tolist(), strict=True)))
            ours[seed] += len(draw.tails), len(draw.tails) - distinct
    mean, spread = ours.mean(axis=0), ours.std(axis=0)
    assert abs(edges - mean[0]) < 3 * spread[0]
    assert abs(duplicates - mean[1]) < 3 * spread[1]
    assert mean[1] > 0


@pytest.mark.parametrize(
    "bad",
    [
        {"jobs": 0}, {"fat": 1.1}, {"regular": -1}, {"density": 2}, {"jump": -1}, {"ccr": -1}, {"mindata": 0},
        {"mindata": 500, "maxdata": 400}, {"maxdata": 10**12}, {"minalpha": 0.5}, {"seed": -3}, {"flop_per_s": 0},
        {"jump": 10**19}, {"jump": 10**400}, {"flop_per_s": 1e-300}, {"flop_per_s": float("nan")},
        {"jobs": 10**9}, {"fat": float("nan")}, {"jobs": 10**6, "fat": 0.99, "density": 1, "regular": 1},
    ],
)  # fmt: skip
def test_refuses(bad):
    with pytest.raises(EligoError):
        daggen(**bad)
