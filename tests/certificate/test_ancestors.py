"""Who comes before whom, as the checkers find out, against plain search."""

from __future__ import annotations

import numpy as np
import pytest

from eligo.certificate._methods import check_memory as module
from eligo.certificate._methods.check_memory import Ancestors
from eligo.certificate._subdag import Budget
from eligo.errors import InfeasibleError


def random_arcs(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
    tails, heads = np.nonzero(np.triu(rng.random((n, n)) < rng.choice([0.05, 0.15, 0.4]), 1))
    return tails, heads


def closure(n: int, tails: np.ndarray, heads: np.ndarray) -> np.ndarray:
    reach = np.zeros((n, n), np.bool_)
    reach[tails, heads] = True
    for middle in range(n):
        reach |= np.outer(reach[:, middle], reach[middle])
    return reach


@pytest.mark.parametrize("at_once", [2**28, 0])
def test_pairs(at_once, monkeypatch):
    monkeypatch.setattr(module, "_BITS_AT_ONCE", at_once)  # with 0, sweeps of 64 bits each
    rng = np.random.default_rng(1)
    for _ in range(200):
        n = int(rng.integers(1, 120))
        tails, heads = random_arcs(rng, n)
        reach = closure(n, tails, heads)
        known = Ancestors(n, tails, heads, Budget(10**9))
        before, after = rng.integers(0, n, (2, int(rng.integers(0, 40))))
        found = known.unrelated(before, after)
        wrong = {pair for pair in zip(before.tolist(), after.tolist(), strict=True) if not reach[pair]}
        assert found in wrong if wrong else found is None
        assert known.unrelated(*np.nonzero(reach)) is None


@pytest.mark.parametrize("chunk", [2**22, 3])
def test_sets(chunk, monkeypatch):
    monkeypatch.setattr(module, "_CHUNK", chunk)
    rng = np.random.default_rng(2)
    outcomes = set()
    for _ in range(300):
        n = int(rng.integers(2, 20))
        tails, heads = random_arcs(rng, n)
        reach = closure(n, tails, heads)
        rows = [rng.choice(n, int(rng.integers(1, 3)), replace=False) for _ in range(4)]
        ptr = np.concatenate(([0], np.cumsum([len(row) for row in rows])))
        sets, after = rng.integers(0, 4, 2), rng.integers(0, n, 2)
        if rng.random() < 0.5:
            good = [(s, v) for s in range(4) for v in range(n) if reach[rows[s], v].all()]
            sets, after = np.array(good, np.int64).reshape(-1, 2).T
        known = Ancestors(n, tails, heads, Budget(10**9))
        found = known.unrelated_to_all(sets, ptr, np.concatenate(rows), after)
        wrong = {(int(r), int(v)) for s, v in zip(sets, after, strict=True) for r in rows[s] if not reach[r, v]}
        assert found in wrong if wrong else found is None
        outcomes.add(found is None)
    assert outcomes == {True, False}


def test_arcs_cost_nothing():
    known = Ancestors(3, np.array([0, 1]), np.array([1, 2]), Budget(0))
    assert known.unrelated(np.array([0, 1]), np.array([1, 2])) is None
    with pytest.raises(InfeasibleError, match="looking for ancestors would take more"):
        known.unrelated(np.array([0]), np.array([2]))
