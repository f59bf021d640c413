"""Ratios: as paper 002 states them, to the letter; what must hold for any samples; where there is none."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eligo.errors import EligoError
from eligo.simulation import _ratios as ratios
from eligo.simulation._ratios import Summary, ratio, summarize

samples = st.lists(st.floats(1e-3, 1e3), min_size=1, max_size=60)


def by_the_letter(values: list[float]) -> Summary:
    """Sort, remove 2.5 % at either end, look at what is left."""
    ascending = sorted(values)
    removed = len(values) * 25 // 1000
    left = ascending[removed : len(values) - removed]
    mean = math.fsum(values) / len(values)
    sd = math.hypot(*(value - mean for value in values)) / math.sqrt(len(values))
    middle = ascending[(len(values) - 1) // 2], ascending[len(values) // 2]
    return Summary(mean, sum(middle) / 2, sd, left[0], left[-1])


def same(found: Summary | None, wanted: Summary, largest: float = 0.0) -> None:
    """Compare up to rounding: of values up to `largest`, of which some may cancel out, or of the very smallest."""
    slack = max(1e-12 * largest, 1e-300)
    assert found is not None
    assert found[3:] == wanted[3:], "the ends are values, not means of them"
    assert found.median == pytest.approx(wanted.median, rel=1e-15, abs=1e-300)
    assert found.mean == pytest.approx(wanted.mean, rel=1e-12, abs=slack)
    assert found.sd == pytest.approx(wanted.sd, rel=1e-9, abs=max(slack, 1e-12 * abs(wanted.mean)))


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=200))
def test_summary_by_the_letter(values):
    same(summarize(values), by_the_letter(values), max(map(abs, values)))


@given(samples, samples)
def test_ratio_by_the_letter(x, y):
    same(ratio(x, y), by_the_letter([above / below for above in x for below in y]))


@given(st.lists(st.tuples(st.floats(0, 1e3), st.floats(1e-3, 1e3)), min_size=1, max_size=200))
def test_paired_by_the_letter(pairs):
    x, y = zip(*pairs, strict=True)
    same(ratio(x, y, paired=True), by_the_letter([above / below for above, below in pairs]))


@given(st.lists(st.floats(0, 1e3), min_size=1, max_size=60), samples)
def test_bisection_finds_the_same_ends(x, y):
    above, below = np.array(x), np.array(y)
    same(ratios._ratio_of_many(above, below), by_the_letter([a / b for a in x for b in y]))


def test_more_pairs_than_fit(monkeypatch):
    """The bounded way is really taken, for as many samples as anyone can wait for, and agrees with the other."""
    rng = np.random.default_rng(1)
    x, y = rng.gamma(20, 1, 1100), rng.gamma(30, 1, 1000)
    bounded = ratio(x, y)
    monkeypatch.setattr(ratios, "_MOST_PAIRS", 2_000_000)
    monkeypatch.setattr(ratios, "_ratio_of_many", None)
    same(ratio(x, y), bounded)
    monkeypatch.undo()
    assert ratio(rng.gamma(20, 1, 5000), rng.gamma(20, 1, 5000)) is not None


def test_how_many_are_removed():
    """Of 300 samples 90,000 quotients, of which 2,250 at either end; of fewer than 40 values none."""
    x = np.arange(1.0, 301)
    quotients = sorted((x[:, None] / x).ravel())
    assert ratio(x, x)[3:] == (quotients[2250], quotients[90_000 - 1 - 2250])
    assert summarize(np.arange(39))[3:] == (0, 38)
    assert summarize(np.arange(40))[3:] == (1, 38)
    assert summarize(np.arange(300))[3:] == (7, 292)


@given(samples, samples, st.integers(-20, 20))
def test_scaling(x, y, power):
    """Another unit of time changes nothing but the unit; powers of two do not even round."""
    unit = 2.0**power
    plain = ratio(x, y)
    assert ratio([unit * value for value in x], [unit * value for value in y]) == plain
    assert ratio([unit * value for value in x], y) == tuple(unit * value for value in plain)


@given(samples, samples)
def test_reciprocal(x, y):
    """Turned round, the interval is turned round."""
    there, back = ratio(x, y), ratio(y, x)
    assert back.low == pytest.approx(1 / there.high, rel=1e-12)
    assert back.high == pytest.approx(1 / there.low, rel=1e-12)


@given(samples, samples, st.randoms())
def test_the_order_of_samples_does_not_matter(x, y, random):
    mixed = list(x)
    random.shuffle(mixed)
    assert ratio(mixed, y)[3:] == ratio(x, y)[3:]
    pairs = list(zip(x, y, strict=False))
    random.shuffle(pairs)
    count = len(pairs)
    again = ratio(*zip(*pairs, strict=True), paired=True)
    assert again[3:] == ratio(x[:count], y[:count], paired=True)[3:]


@given(st.floats(1e-6, 1e6), st.floats(1e-6, 1e6), st.integers(1, 300))
def test_constant_samples(x, y, count):
    for paired in (False, True):
        assert ratio([x] * count, [y] * count, paired=paired) == (x / y, x / y, 0, x / y, x / y)
    assert summarize([x] * count) == (x, x, 0, x, x)


@given(samples)
def test_pairs_that_agree(x):
    """With the same samples on both sides every pair says 1, though not all pairs do."""
    assert ratio(x, x, paired=True) == (1, 1, 0, 1, 1)
    every = ratio(x, x)
    assert every.low <= 1 <= every.high


def test_common_random_numbers_narrow_the_interval():
    rng = np.random.default_rng(2)
    grid = rng.normal(100, 5, 300)
    x, y = 0.8 * grid + rng.normal(0, 0.1, 300), grid + rng.normal(0, 0.1, 300)
    alone, paired = ratio(x, y), ratio(x, y, paired=True)
    assert paired.high - paired.low < (alone.high - alone.low) / 10
    assert paired.median == pytest.approx(0.8, abs=0.001)


def test_no_interval():
    assert ratio([1, 2], [0, 1]) is None
    assert ratio([0, 0], [0, 0]) is None
    assert ratio([0, 0], [0, 0], paired=True) is None
    assert ratio([1, math.inf], [1, 1]) is None
    assert ratio([1, 1], [1, math.inf]) is None
    assert ratio([1, math.inf], [1, 1], paired=True) is None
    assert ratio([1e300, 1], [1e-300, 1]) is None, "the quotient is infinite"
    assert ratio([1, 1e300], [1e-300, 1], paired=True).high == pytest.approx(1e300)
    assert ratio([0, 0], [1, 2]) == (0, 0, 0, 0, 0)


def test_large_and_small_values_stay_finite():
    for paired in (False, True):
        assert ratio([1e300] * 3, [1.0] * 3, paired=paired) == (1e300, 1e300, 0, 1e300, 1e300)
    tiny = np.full(1200, 5e-324)
    assert ratio(tiny, tiny) == (1, 1, 0, 1, 1)
    assert ratio(np.full(1200, 1e308), np.ones(1200)) == (1e308, 1e308, 0, 1e308, 1e308)
    assert summarize([1.7e308, 1.7e308, 1.7e308, 1.7e308]) == (1.7e308, 1.7e308, 0, 1.7e308, 1.7e308)


def test_runs_that_never_end():
    some = summarize([1.0, math.inf, 2.0])
    assert some.mean == math.inf
    assert some.median == 2
    assert math.isnan(some.sd)
    assert summarize([math.inf] * 2)[:2] == (math.inf, math.inf)


@pytest.mark.parametrize("wrong", [[], [math.nan], [[1.0, 2.0]], ["x"], 3.0])
def test_no_samples(wrong):
    with pytest.raises(EligoError, match="samples must be"):
        summarize(wrong)
    for pair in ((wrong, [1]), ([1], wrong)):
        with pytest.raises(EligoError, match="samples must be"):
            ratio(*pair)


def test_samples_without_a_ratio():
    with pytest.raises(EligoError, match="3 samples cannot be paired with 2"):
        ratio([1, 2, 3], [1, 2], paired=True)
    for x, y in (([-1.0], [1.0]), ([1.0], [-1.0]), ([1.0], [-math.inf])):
        with pytest.raises(EligoError, match="0 or above"):
            ratio(x, y)


@pytest.mark.parametrize("paired", [False, True])
@pytest.mark.parametrize("noise", [0.02, 0.15])
def test_the_standard_error_is_how_much_estimates_vary(paired, noise):
    """The same experiment 600 times; with matched samples most of the noise is common."""
    rng = np.random.default_rng(5)
    estimates = []
    for _ in range(600):
        grid = rng.gamma(1 / noise**2, noise**2, 60)
        other = grid * rng.gamma(2500, 1 / 2500, 60) if paired else rng.gamma(1 / noise**2, noise**2, 60)
        x, y = 0.9 * grid, other
        estimates.append(ratios.estimate(summarize(x), summarize(y), ratio(x, y, paired=paired), 60))
    found = np.array([each.ratio for each in estimates])
    assert found.mean() == pytest.approx(0.9, rel=0.004)
    assert np.mean([each.error for each in estimates]) == pytest.approx(found.std(), rel=0.15)


@pytest.mark.parametrize("noise", [0.02, 0.5])
def test_a_strategy_is_hardly_ever_clearly_faster_than_itself(noise):
    rng = np.random.default_rng(6)
    wrong = 0
    for _ in range(1000):
        x, y = rng.gamma(1 / noise**2, noise**2, (2, 30))
        found = ratios.estimate(summarize(x), summarize(y), ratio(x, y), 30)
        wrong += found.is_below or found.is_above
    assert wrong <= 5


def test_what_is_clear():
    def clear(value, error, samples):
        found = ratios.Estimate(value, error, samples)
        return found.is_below, found.is_above

    assert clear(0.95, 0.01, 300) == (True, False)
    assert clear(1.05, 0.01, 300) == (False, True)
    assert clear(0.96, 0.01, 300) == (False, False)
    assert clear(0.95, 0.01, 10) == (False, False), "few samples know less of their own error"
    assert clear(0.5, 0.0, 9) == (False, False), "and very few do not know it"
    assert clear(0.5, 0.0, 10) == (True, False)
    assert clear(1 - 1e-15, 0.0, 300) == (False, False), "rounding"
    nothing = summarize([0.0, 0.0])
    assert ratios.estimate(nothing, nothing, ratio([0, 0], [0, 0]), 2) is None
