"""Quantities of any type: the same as what people write, or a reason."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eligo.dag import MAX_BYTES, MAX_SECONDS
from eligo.errors import EligoError
from eligo.formats._numbers import shown, stated_bytes, stated_seconds


@given(st.integers(1 - MAX_BYTES, MAX_BYTES - 1))
def test_whole_numbers_are_exact_as_number_and_as_text(size):
    assert stated_bytes(size) == stated_bytes(str(size)) == stated_bytes(f" {size} ") == size


@given(st.floats(-MAX_SECONDS, MAX_SECONDS, exclude_min=True, exclude_max=True))
def test_times_are_the_same_as_number_and_as_text(time_s):
    assert stated_seconds(time_s) == stated_seconds(repr(time_s)) == time_s


@given(st.floats(0, 2**30), st.sampled_from([1, 1024, 2**20]))
def test_rounding_up_never_understates(size, unit):
    rounded = stated_bytes(size, unit=unit, round_up=True)
    assert 0 <= rounded - Fraction(size) * unit < 1


@pytest.mark.parametrize(
    "value",
    [
        *(None, True, [], {}, "", "-", "--1", "x", "nan", "inf", float("nan"), float("inf"), 1.5, "1.5"),
        *(MAX_BYTES, -MAX_BYTES, 10**500, 1e300, "9" * 5000, "-" + "9" * 5000, "1e400"),
    ],
)
def test_what_is_no_size_is_refused(value):
    with pytest.raises(EligoError) as caught:
        stated_bytes(value)
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize("value", [None, False, [], {}, "", "x", "nan", float("nan"), float("-inf"), "1e400", 10**400])
def test_what_is_no_time_is_refused(value):
    with pytest.raises(EligoError):
        stated_seconds(value)


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.floats() | st.text(), st.lists))
def test_messages_stay_short(value):
    assert len(shown(value)) < 500
