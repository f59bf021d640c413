"""JSON: equal to the standard parser on what is sane, a ParseError with a line on what is not."""

from __future__ import annotations

import json
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eligo.errors import ParseError
from eligo.formats._json_text import load_json
from eligo.formats._source import Source
from tests.guards import no_hang

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


def load(text: str):
    return load_json(Source("w.json", text.encode("utf-8", "surrogatepass")))


@given(VALUES)
def test_values_come_back(value):
    assert load(json.dumps(value)) == (value, {})


@given(st.text(st.sampled_from('[]{}",:\\ \n1.e-NaIfu'), max_size=30))
def test_only_parse_errors_escape(text):
    with suppress(ParseError):
        load(text)


def test_repeated_keys_are_counted():
    assert load('[{"a": 1, "a": 2, "a": 3}, {"a": 1, "b": 2}]') == ([{"a": 3}, {"a": 1, "b": 2}], {"a": 2})


@pytest.mark.parametrize(
    ("text", "line", "what"),
    [
        ("\n" + "[" * 100_000, 2, "nested too deeply"),
        ('\n{"[[[[": "\\"[[[", "b":\n' + '[{"a":' * 50_000, 3, "nested too deeply"),
        ('{"a":\n' + "9" * 5000 + "}", 2, "thousands of digits"),
        ('{"a":\n-Infinity}', 2, "-Infinity is not a JSON number"),
        ('{"a": 1,\n"b"', 2, "not JSON: Expecting ':'"),
        ('{"a": 1}\n{}', 2, "not JSON: Extra data"),
    ],
)
def test_bad_json_has_a_line(text, line, what):
    with no_hang():
        with pytest.raises(ParseError) as caught:
            load(text)
        assert what in caught.value.text
        assert caught.value.line == line
