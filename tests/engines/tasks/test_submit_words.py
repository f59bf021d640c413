"""Arguments and environments come back as they were quoted, by a quoter that shares no code with the reader."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eligo.engines._tasks.submit_commands import Unreadable, read_arguments, read_environment
from eligo.engines._tasks.submit_description import Expander

WORDS = st.lists(st.text("ab '\"\\;=\t$%é,#", max_size=8), max_size=8)
NAMES = st.text("ABZ_09", min_size=1, max_size=5)


@given(words=WORDS)
def test_words_quoted_whole_come_back(words):
    inside = " ".join("'" + word.replace("'", "''") + "'" for word in words)
    assert read_arguments('"' + inside.replace('"', '""') + '"') == tuple(words)


@given(words=WORDS, data=st.data())
def test_words_quoted_in_parts_come_back(words, data):
    """A quoted part next to another one is one quote with a doubled quote inside; so bare text goes between."""
    words = [word.replace("'", "") for word in words]
    parts = []
    for word in words:
        at = data.draw(st.integers(0, len(word)))
        bare, rest = word[:at], word[at:]
        if set(bare) & set(" \t"):
            bare, rest = "", word
        parts.append(f"{bare}'{rest}'" if rest or not bare else bare)
    text = data.draw(st.sampled_from([" ", "  ", "\t", " \t "])).join(parts)
    assert read_arguments('"' + text.replace('"', '""') + '"') == tuple(words)


@given(words=st.lists(st.text("ab'\\;=$%é,#\"", min_size=1, max_size=8), max_size=8))
def test_old_syntax_comes_back(words):
    text = "  ".join(word.replace("\\", "/").replace('"', '\\"') for word in words)
    assert read_arguments(text) == tuple(word.replace("\\", "/") for word in words) or text.startswith('"')


@given(variables=st.dictionaries(NAMES, st.text("ab '\"\\;=\t$", max_size=6), max_size=6))
def test_environments_come_back(variables):
    inside = " ".join("'" + f"{name}={value}".replace("'", "''") + "'" for name, value in variables.items())
    assert read_environment('"' + inside.replace('"', '""') + '"') == variables


@given(variables=st.dictionaries(NAMES, st.text("ab '\"\\=|", max_size=6).map(str.rstrip), max_size=6))
def test_old_environments_come_back(variables):
    assert read_environment("; ".join(f"{name}={value}" for name, value in variables.items())) == variables


@pytest.mark.parametrize("text", ['"a', '"a" b', '"a"b"', '"\'a"', 'a "b"', '"a"" b'])
def test_wrong_quotes_are_refused(text):
    with pytest.raises(Unreadable):
        read_arguments(text)


@pytest.mark.parametrize("text", ["A", "=1", '"A"', '"A=1', "A=1;B"])
def test_wrong_environments_are_refused(text):
    with pytest.raises(Unreadable):
        read_environment(text)


@given(text=st.text("$()ab:F\"' ", max_size=30), value=st.text("$()ab:", max_size=12))
def test_macros_end_well_or_are_refused(text, value):
    """Whatever is written: no endless loop, no other exception."""
    with suppress(Unreadable):
        Expander({"a": value, "b": "$(a)"}, {}).expand(text)


@pytest.mark.parametrize(
    "text", ["$(a)", "$(c)", "$$(Memory)", "$RANDOM_CHOICE(1,2)", "$(YEAR)", "$(big)", "$INT(x)", "$CHOICE(9,a,b)"]
)
def test_macros_that_cannot_be_expanded(text):
    values = {"a": "$(b)", "b": "$(a)", "c": "$(d)$(d)", "d": "$(c)$(c)", "x": "1 + y", "big": "$(b0)", "b9": "0" * 99}
    values |= {f"b{i}": f"$(b{i + 1})" * 9 for i in range(9)}
    with pytest.raises(Unreadable):
        Expander(values, {}).expand(text)
