"""What limits cost: every point of a curve is a limit that is kept, and larger limits are never worse."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eligo.errors import InfeasibleError
from eligo.memory import _analyze as module
from eligo.memory._analyze import CurvePoint, advised, analyse, limit_curve, round_up
from eligo.memory._limit import limit
from tests.memory.footprints import random_footprint
from tests.memory.toy import toy


@given(st.integers(0, 2**62))
def test_round_up(amount):
    """Three digits and zeros, not below, and no such number in between."""
    rounded = round_up(amount)
    assert rounded >= amount
    assert len(str(rounded).rstrip("0")) <= 3 or amount < 1000
    scale = 10 ** max(0, len(str(amount)) - 3)
    assert rounded - amount < scale


@settings(max_examples=60)
@given(seed=st.integers(0, 2**32), points=st.integers(0, 5))
def test_every_point_is_kept(seed, points):
    print_ = random_footprint(seed, 8)
    found = analyse(print_)
    curve = limit_curve(print_, found, points)
    assert (curve == ()) == (points == 0)
    assert [point.limit for point in curve] == sorted({point.limit for point in curve})
    assert [point.critical_path for point in curve] == sorted((p.critical_path for p in curve), reverse=True)
    for point in curve:
        assert found.lowest.peak <= point.limit <= found.worst.bound
        assert point.worst_peak <= point.limit
    if curve:
        assert (curve[-1].limit, curve[-1].method, curve[-1].edges) == (found.worst.bound, "none", 0)


def test_the_toy():
    """004, Fig. 1: 11 at worst; with one edge added 9."""
    print_ = toy()
    told: list[str] = []
    curve = limit_curve(print_, analyse(print_), 2, told.append)
    assert [point.limit for point in curve] == [9, 10, 11]
    assert [point.critical_path for point in curve] == [6.0, 6.0, 4.0]
    assert told == ["limit 1 of 3", "limit 2 of 3", "limit 3 of 3"]


def test_a_limit_that_fails_is_left_out(monkeypatch):
    def failing(footprint, most, **more):
        if most == 9:
            raise InfeasibleError("no")
        return limit(footprint, most, **more)

    monkeypatch.setattr(module, "limit", failing)
    print_ = toy()
    assert [point.limit for point in limit_curve(print_, analyse(print_), 2)] == [10, 11]


def test_a_larger_limit_is_never_worse(monkeypatch):
    """Where a method does worse with more room, what keeps the smaller limit serves."""
    real = limit

    def odd(footprint, most, **more):
        return real(footprint, 9 if most == 10 else most, **more)

    monkeypatch.setattr(module, "limit", odd)
    print_ = toy()
    low, middle, _ = limit_curve(print_, analyse(print_), 2)
    assert (middle.limit, middle.critical_path) == (10, low.critical_path)


@pytest.mark.parametrize(("tolerated", "wanted"), [(0.0, 9), (0.05, 7), (10.0, 5)])
def test_advice(tolerated, wanted):
    points = [CurvePoint(5, 9.0, "a", 3, 5), CurvePoint(7, 4.1, "a", 1, 7), CurvePoint(9, 4.0, "none", 0, 9)]
    best = advised(points, tolerated)
    assert best is not None
    assert best.limit == wanted
    assert advised(()) is None
