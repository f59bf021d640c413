"""Blocks cover every run once, and samples do not depend on who did which block when."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eligo.dag import Dag
from eligo.simulation import _executors as executors
from eligo.simulation._executors import Here, collect, cut
from eligo.simulation._grid import Grid
from eligo.simulation._runs import COLUMNS, make_setup, run_block
from eligo.simulation._simulated_orders import contender

DAG = Dag.from_edges(6, [0, 0, 1, 3], [2, 3, 4, 5])


class Shuffled(Here):
    """Does blocks in another order than they were asked for."""

    def __init__(self, seed):
        super().__init__()
        self.seed = seed

    def work(self, setups, blocks):
        for number in np.random.default_rng(self.seed).permutation(len(blocks)):
            setup, *block = blocks[number]
            yield int(number), run_block(setups[setup], *block)


def setups(*grids):
    return [make_setup(DAG, contender(DAG, name), grid) for grid in grids for name in ("prio", "fifo")]


@given(st.floats(1e-9, 100), st.integers(1, 60), st.integers(1, 60))
def test_blocks_cover_every_run_once_in_whole_groups(seconds, samples, runs):
    blocks = cut(3, seconds, samples, runs)
    assert [block.first for block in blocks] == [0, *np.cumsum([block.count for block in blocks])[:-1].tolist()]
    assert sum(block.count for block in blocks) == samples * runs
    assert len({block.group for block in blocks}) == 1
    for block in blocks:
        assert block.setup == 3
        assert block.group in (1, runs)
        assert block.count % block.group == 0
        assert block.count * seconds <= 1.001 or block.count == block.group


def test_little_work_is_one_block_and_much_work_is_many():
    assert len(cut(0, 1e-6, 300, 50)) == 1
    assert len(cut(0, 1e-4, 300, 50)) > 10
    assert 30 < len(cut(0, 1e-3, 300, 50)) < 40
    assert len(cut(0, 1e-2, 300, 50)) == 150 == 300 * 50 * 1e-2
    assert {block.count for block in cut(0, 5.0, 10, 2)} == {1}


@given(st.integers(0, 2**32), st.integers(1, 6), st.integers(1, 5))
def test_samples_are_the_same_in_whatever_order_blocks_are_done(seed, samples, runs):
    work = setups(Grid(), Grid(batch=2))
    plain = dict(collect(Here(), work, samples, runs))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(executors, "_SHORTEST_S", 0.0)
        patch.setattr(executors, "_PARTS", 3)
        other = dict(collect(Shuffled(seed), work, samples, runs))
    assert sorted(plain) == [0, 1, 2, 3]
    for number, rows in plain.items():
        assert rows.shape == (samples, len(COLUMNS))
        assert rows.tobytes() == other[number].tobytes()


def test_long_runs_come_back_one_by_one_and_are_averaged_here(monkeypatch):
    work = setups(Grid(fail=0.2))
    whole = dict(collect(Here(), work, 4, 5))
    seen = []
    monkeypatch.setattr(executors, "seconds_per_run", lambda setup: 0.3)
    monkeypatch.setattr(executors, "cut", lambda *a: seen.extend(cut(*a)) or cut(*a))
    single = dict(collect(Shuffled(1), work, 4, 5))
    assert {block.group for block in seen} == {1}
    for number, rows in single.items():
        np.testing.assert_allclose(rows, whole[number], rtol=1e-14)
        by_hand = np.array([run_block(work[number], run, 1, 1)[0] for run in range(20)]).reshape(4, 5, -1)
        np.testing.assert_allclose(rows[:, 0], by_hand[:, :, 0].mean(axis=1), rtol=1e-14)
        np.testing.assert_array_equal(rows[:, 5], by_hand[:, :, 5].max(axis=1))


def test_the_share_that_is_done_only_grows_and_ends_at_1(monkeypatch):
    monkeypatch.setattr(executors, "seconds_per_run", lambda setup: 0.05)
    shares = []
    list(collect(Here(), setups(Grid()), 20, 3, shares.append))
    assert len(shares) > 5
    assert shares == sorted(shares)
    assert shares[-1] == pytest.approx(1)


def test_whoever_stops_early_calls_off_the_rest(monkeypatch):
    monkeypatch.setattr(executors, "seconds_per_run", lambda setup: 0.05)
    done = []

    class Watched(Here):
        def work(self, setups, blocks):
            try:
                for number, (setup, *block) in enumerate(blocks):
                    done.append(number)
                    yield number, run_block(setups[setup], *block)
            finally:
                done.append("closed")

    work = collect(Watched(), setups(Grid(), Grid(batch=1)), 20, 3)
    next(work)
    work.close()
    assert done[-1] == "closed"
    assert len(done) <= 21  # of 80: those of the first setup
