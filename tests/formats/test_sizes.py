from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eligo.dag import MAX_BYTES, MAX_SECONDS
from eligo.errors import EligoError
from eligo.formats._numbers import format_size, parse_count, parse_seconds, parse_size


@given(st.integers(0, MAX_BYTES - 1))
def test_whole_numbers_come_back_exactly(size: int) -> None:
    assert parse_size(str(size)) == size
    assert parse_size(f"{size}.0") == size
    assert parse_size(f" {size} B ") == size


@given(st.integers(0, 10**6), st.integers(0, 999), st.sampled_from(["k", "M", "G", "T"]), st.booleans())
def test_units_are_exact(whole: int, thousandths: int, prefix: str, binary: bool) -> None:
    scale = (1024 if binary else 1000) ** ("kMGT".index(prefix) + 1)
    text = f"{whole}.{thousandths:03}{prefix}{'i' * binary}B"
    wanted = (whole * 1000 + thousandths) * scale // 1000
    assert parse_size(text) == parse_size(text.lower()) == wanted


@pytest.mark.parametrize(
    ("text", "wanted"),
    [("64GB", 64 * 10**9), ("512MiB", 2**29), ("1.5e9", 1_500_000_000), ("1e-3kB", 1), (".5K", 500), ("1E", 10**18),
     ("0", 0), ("-0", 0), ("0e-999999", 0), ("+7", 7), ("3 bytes", 3), ("1.3GiB", 1_395_864_371), ("1e3", 1000)],
)  # fmt: skip
def test_forms_people_write(text: str, wanted: int) -> None:
    assert parse_size(text) == wanted


@pytest.mark.parametrize(
    "text",
    ["", " ", "GB", "1.5", "1e-400", "1e-999999999", "-1", "-1GB", "nan", "inf", "1e400", "1e999999999", "9" * 5000,
     "1" + "0" * 19, str(MAX_BYTES), "5E1E", "1_000", "١", "0x10", "1,5", "8,5", "5EiB", "1..2", "1 2", "12XB", "\0"],
)  # fmt: skip
def test_refuses(text: str) -> None:
    with pytest.raises(EligoError) as caught:
        parse_size(text)
    assert caught.value.hint
    assert len(caught.value.text) < 200


@given(st.text(max_size=30))
def test_any_text_is_a_size_or_an_error(text: str) -> None:
    for parse in (parse_size, parse_seconds, parse_count):
        try:
            assert parse(text) >= 0
        except EligoError as error:
            assert error.hint


@given(st.floats(0, MAX_SECONDS, exclude_max=True))
def test_seconds_come_back_exactly(seconds: float) -> None:
    assert parse_seconds(repr(seconds)) == seconds


@pytest.mark.parametrize("text", ["", "nan", "inf", "-1", "1e400", "1_0", "x", "5s", "9" * 5000])
def test_seconds_refuses(text: str) -> None:
    with pytest.raises(EligoError):
        parse_seconds(text)


@pytest.mark.parametrize("text", ["", "1.5", "-1", "1k", "x", "9" * 5000])
def test_count_refuses(text: str) -> None:
    with pytest.raises(EligoError, match="count"):
        parse_count(text)


@given(st.integers(0, MAX_BYTES - 1))
def test_formatted_sizes_are_within_half_a_percent(size: int) -> None:
    text = format_size(size)
    if "." not in text.split()[0] or not text.endswith(" B"):
        assert abs(Fraction(parse_size(text)) - size) * 200 <= size
    assert len(text) <= 7 or size >= 10**18


def test_negative_sizes_are_shown_as_such() -> None:
    assert format_size(-1500) == "-1.5 kB"
