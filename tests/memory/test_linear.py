"""The linear program of 004 Theorem 5: against brute force and Algorithm 1, and what it refuses."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from eligo.dag import Dag, Data
from eligo.errors import EligoError, MissingExtraError
from eligo.memory._algorithm1 import worst_peak_by_algorithm1
from eligo.memory._linear_program import EXACT_IN_DOUBLES, worst_peak_by_lp
from eligo.memory._models import footprint
from tests.memory.footprints import random_dag, random_data, random_footprint
from tests.memory.toy import A, B, D, S, toy
from tests.reference.memory_states import occupied, true_worst_peak


@pytest.mark.parametrize("block", range(5))
def test_it_is_the_worst_peak_and_with_shared_data_never_below(block: int) -> None:
    for seed in range(block * 200, block * 200 + 200):
        print_ = random_footprint(seed)
        peak, state = worst_peak_by_lp(print_)
        worst = true_worst_peak(print_)
        assert peak >= worst
        if print_.rules.model in ("simple", "classical"):
            started, ended = (frozenset(np.flatnonzero(flags).tolist()) for flags in state)
            assert occupied(print_, started, ended) == peak == worst


@pytest.mark.parametrize(("n", "largest"), [(30, 9), (100, 10**6), (300, 10**10), (1000, 10**12)])
def test_it_agrees_with_algorithm_1_on_larger_dags(n: int, largest: int) -> None:
    rng = np.random.default_rng(n)
    dag = random_dag(rng, n, 3 / n)
    dag = dag.with_known(data=random_data(rng, dag, largest))
    for model in ("simple", "classical", "shared"):
        print_ = footprint(dag, model)
        assert worst_peak_by_lp(print_)[0] == worst_peak_by_algorithm1(print_)[0]


def test_the_toy_of_figure_1() -> None:
    peak, state = worst_peak_by_lp(toy())
    assert (peak, np.flatnonzero(state.started).tolist()) == (11, [S, A, B])
    peak, state = worst_peak_by_lp(toy((D, A)))
    assert (peak, np.flatnonzero(state.started).tolist()) == (9, [S, A, B, D])


@pytest.mark.parametrize("sizes", [(EXACT_IN_DOUBLES - 1, 1), (EXACT_IN_DOUBLES - 8, 5)])
def test_what_doubles_hold_is_exact(sizes: tuple[int, int]) -> None:
    dag = Dag.from_edges(3, [0, 0], [1, 2], data=Data.build(sizes, [0, 0], [[1], [2]]))
    assert worst_peak_by_lp(footprint(dag, "simple"))[0] == sum(sizes)


def test_what_doubles_do_not_hold_is_refused() -> None:
    dag = Dag.from_edges(2, [0], [1], data=Data.build([EXACT_IN_DOUBLES + 1], [0], [[1]]))
    with pytest.raises(EligoError, match=r"2\^53"):
        worst_peak_by_lp(footprint(dag, "simple"))


def test_without_highspy_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "highspy", None)
    with pytest.raises(MissingExtraError, match="highspy") as caught:
        worst_peak_by_lp(toy())
    assert "eligo[solver]" in str(caught.value)


def test_the_modules_import_without_highspy() -> None:
    modules = "eligo.memory._linear_program, eligo.memory._linear_program, eligo.memory._algorithm1, eligo.memory._ilp"
    code = f"import sys; sys.modules['highspy'] = None; import {modules}"
    subprocess.run([sys.executable, "-c", code], check=True)
