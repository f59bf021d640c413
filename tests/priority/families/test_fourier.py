"""FFT dags: section 5 of 000 with the errata's corrections, by brute force up to 8 inputs, and recognition."""

from __future__ import annotations

import numpy as np
import pytest

from eligo.dag import Dag
from eligo.errors import EligoError
from eligo.generate import fft
from eligo.graph import dual
from eligo.priority._families import Fft, fft_eligible, recognise, recognise_fft
from eligo.schedule import Schedule
from tests.priority.families.brute import Ideals, near_miss, same_shape, shuffled, takes_the_newest


def known(dag: Dag) -> Fft:
    found = recognise_fft(dag)
    assert found is not None
    return found


@pytest.mark.parametrize("dim", range(4))
def test_brute_force_up_to_eight_inputs(dim: int) -> None:
    """E_max, and the errata's least costs: 2, 5, 9 of any schedule and 2, 6, 10 of an IC-optimal one."""
    found = known(shuffled(fft(dim), seed=dim))
    ideals = Ideals(found.dag)
    best = Schedule.of(found.dag, found.best_order())
    formula = [fft_eligible(dim, step) for step in range(found.dag.n + 1)]
    assert best.profile.tolist() == found.best_profile().tolist() == ideals.best_profile == formula
    assert ideals.least_memory(optimal=False) == (0, 2, 5, 9)[dim]
    assert ideals.least_memory(optimal=True) == (0, 2, 6, 10)[dim] == best.memory_cost


def test_which_schedules_are_ic_optimal() -> None:
    """Of F_2's schedules that pair jobs with the same children, 1536 of 2560: those that leave the sinks for last."""
    found = known(fft(2))
    level, x = found.place.T
    assert Ideals(found.dag).count_optimal() == 1536
    pairs: dict[tuple[int, int], list[int]] = {}
    for job in range(found.dag.n):
        symbol = max(int(level[job]) - 1, 0)
        pairs.setdefault((int(level[job]), int(x[job]) & ~(1 << symbol)), []).append(job)
    assert sorted(map(len, pairs.values())) == [2] * 6
    for job, (a, b) in enumerate(pairs.values()):
        assert found.dag.children(a).tolist() == found.dag.children(b).tolist(), job


@pytest.mark.parametrize("dim", range(9))
def test_costs(dim: int) -> None:
    """2^d + 2 for the IC-optimal order, 2^d + 1 for jobs with the same parents in a row, which is not IC-optimal."""
    found = known(shuffled(fft(dim), seed=dim))
    best, cheap = (Schedule.of(found.dag, order) for order in (found.best_order(), found.same_parents_order()))
    assert best.profile.tolist() == found.best_profile().tolist()
    if dim >= 2:
        assert (best.memory_cost, cheap.memory_cost) == (2**dim + 2, 2**dim + 1)
        assert cheap.compare(best).behind > 0
    else:
        assert (best.memory_cost, cheap.memory_cost) == (2 * dim, 2 * dim)


@pytest.mark.parametrize("dim", range(1, 9))
def test_orders_keep_partners_together(dim: int) -> None:
    found = known(shuffled(fft(dim), seed=dim))
    inner = dim << dim
    order = found.best_order().tolist()
    assert all(
        found.dag.children(a).tolist() == found.dag.children(b).tolist()
        for a, b in zip(order[:inner:2], order[1:inner:2], strict=True)
    )
    order = found.same_parents_order().tolist()
    assert all(
        found.dag.parents(a).tolist() == found.dag.parents(b).tolist()
        for a, b in zip(order[2**dim :: 2], order[2**dim + 1 :: 2], strict=True)
    )


@pytest.mark.parametrize("dim", range(1, 9))
def test_eager_formula_of_section_5_4(dim: int) -> None:
    """E_(a) = 2^d - 2^k + 1 (the errata), when one i-level sub-FFT is executed for each i = 1, ..., k."""
    found = known(shuffled(fft(dim), seed=1))
    order = found.eager_order()
    eager = Schedule.of(found.dag, order).profile
    for k in range(1, dim + 1):
        step = (k - 1) * 2**k + 1
        assert eager[step] == 2**dim - 2**k + 1
        assert fft_eligible(dim, step) >= 2**dim - 1
        levels = dim - found.place[order[:step], 0]
        assert np.bincount(levels).tolist() == [2**k - 1 - (2**level - 1) for level in range(k)]


@pytest.mark.parametrize("dim", range(1, 5))
def test_newest_first_is_what_eager_means(dim: int) -> None:
    found = known(shuffled(fft(dim), seed=3))
    assert takes_the_newest(found.dag, found.eager_order().tolist())


@pytest.mark.parametrize("dim", range(8))
def test_recognised_whatever_the_numbering_and_self_dual(dim: int) -> None:
    for seed in range(5):
        dag = shuffled(fft(dim), seed)
        for one in (dag, dual(dag)):
            found = known(one)
            assert found.dim == dim
            level, x = found.place.T.astype(np.int64)
            assert len(np.unique(level << dim | x)) == dag.n
            # Every edge by the definition of 2.1.3, and there are as many as it has.
            tails, heads = one.tails, one.heads
            assert np.array_equal(level[tails], level[heads] + 1)
            symbol = dim - level[tails]
            assert np.all((x[tails] ^ x[heads]) & ~(1 << (dim - 1 - symbol)) == 0)
            assert one.m == dim << (dim + 1)


def test_near_misses_are_refused_unless_isomorphic() -> None:
    rng = np.random.default_rng(11)
    compared = 0
    for _ in range(1000):
        whole = shuffled(fft(int(rng.integers(1, 4))), seed=int(rng.integers(1000)))
        dag = near_miss(whole, rng)
        if dag is None:
            continue
        compared += 1
        assert (recognise_fft(dag) is not None) == same_shape(dag, whole)
    assert compared > 700


def test_butterflies_wired_otherwise() -> None:
    """All ways to wire the butterflies of F_2's two levels at random: only some give F_2."""
    rng = np.random.default_rng(4)
    accepted = 0
    for _ in range(300):
        middle = rng.permutation(4)
        tails = [0, 0, 1, 1, 2, 2, 3, 3]
        heads = [4, 5, 4, 5, 6, 7, 6, 7]
        for a, b, c, d in ((middle[0], middle[1], 8, 9), (middle[2], middle[3], 10, 11)):
            tails += [4 + a, 4 + a, 4 + b, 4 + b]
            heads += [c, d, c, d]
        dag = shuffled(Dag.from_edges(12, tails, heads), seed=1)
        accepted += recognise_fft(dag) is not None
        assert (recognise_fft(dag) is not None) == same_shape(dag, fft(2))
    assert 100 < accepted < 300


def test_three_levels_of_butterflies_wired_at_random() -> None:
    """Two copies of F_2, whose sinks are joined by butterflies in any way: F_3 only if the copies agree."""
    rng = np.random.default_rng(6)
    accepted = 0
    for _ in range(200):
        tails, heads = [], []
        across = np.stack((rng.permutation(4), 4 + rng.permutation(4)), axis=1).ravel()
        for level in range(3):
            wires = (rng.permutation(8), [0, 2, 1, 3, 4, 6, 5, 7], across if rng.integers(2) else rng.permutation(8))[
                level
            ]
            for pair in range(4):
                sources = [8 * level + int(wires[2 * pair + i]) for i in (0, 1)]
                for source in sources:
                    tails += [source, source]
                    heads += [8 * level + 8 + 2 * pair, 8 * level + 9 + 2 * pair]
        dag = Dag.from_edges(32, tails, heads)
        accepted += recognise_fft(dag) is not None
        assert (recognise_fft(dag) is not None) == same_shape(dag, fft(3))
    assert 10 < accepted < 100


def test_degenerate_cases_and_witness() -> None:
    assert recognise_fft(Dag.from_edges(0)) is None
    assert recognise_fft(Dag.from_edges(2)) is None
    single = known(Dag.from_edges(1))
    assert (single.dim, single.best_profile().tolist(), single.describe()) == (0, [1, 0], "FFT dag of 1 input")
    butterfly = recognise(fft(1))
    assert isinstance(butterfly, Fft)
    assert butterfly.describe() == "FFT dag of 2 inputs"
    found = known(fft(2))
    witness = found.witness(found.best_order())
    assert (witness["by"], witness["family"], witness["dim"]) == ("family", "fft", 2)
    assert [place[0] for place in witness["place"]] == [2] * 4 + [1] * 4 + [0] * 4
    with pytest.raises(EligoError, match="steps 0 to 12, not 13"):
        fft_eligible(2, 13)
