"""The YAML tree: equal to PyYAML's own but for types, and bounded where that one is not."""

from __future__ import annotations

from contextlib import suppress

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from eligo.errors import ParseError
from eligo.formats._source import Source
from eligo.formats._yaml_text import load_yaml
from tests.guards import no_hang

TEXTS = st.text(st.characters(codec="utf-8", categories=("L", "N", "P", "Zs")), max_size=6)
TREES = st.recursive(
    st.none() | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=8,
)


def load(text: str):
    return load_yaml(Source("w.yml", text.encode()))


@given(TREES, st.booleans())
def test_text_lists_and_mappings_come_back(tree, flow):
    text = yaml.safe_dump(tree, default_flow_style=flow, allow_unicode=True)
    assert load(text)[0] == tree


@given(
    st.lists(
        st.sampled_from(
            ["- ", "a: ", "b", "\n", "  ", "[", "]", "{", "}", ", ", "&x ", "*x", "? ", "'", '"', "|", "#", "<<: "]
        ),
        max_size=12,
    )
)
def test_what_it_accepts_pyyaml_accepts(pieces):
    text = "".join(pieces)
    with suppress(ParseError):
        load(text)
        assert len(list(yaml.compose_all(text, Loader=yaml.CSafeLoader))) == 1


def test_merges_yield_to_what_is_stated():
    tree = load("a: &a {x: 1, y: 2}\nb: &b {x: 3, z: 4}\nc: {y: 5, <<: [*a, *b]}")[0]
    assert tree["c"] == {"y": "5", "x": "1", "z": "4"}


def test_only_plain_nulls_are_none():
    assert load("[~, null, '', '~', \"null\", ]")[0] == [None, None, "", "~", "null"]


@pytest.mark.parametrize(
    ("text", "line", "what"),
    [
        ("[" * 100_000, 1, "nested too deeply"),
        ("\n" + "- " * 100_000, 2, "nested too deeply"),
        ("\n" + "? " * 100_000, 2, "where a key should"),
        ("{a: " * 100_000, 1, "nested too deeply"),
        ("&a [" * 100_000, 1, "nested too deeply"),
        ("".join(f"%TAG !a{i}! x\n" for i in range(200_000)) + "--- a", 2, "too many directives"),
        (
            "a: &l0 [x]\n" + "".join(f"b{i}: &l{i + 1} [{f'*l{i}, ' * 10}]\n" for i in range(30)),
            8,
            "aliases stand for over",
        ),
        ("a: &a [" + "x, " * 10_000 + "]\nb: [" + "*a, " * 10_000 + "]", 2, "aliases stand for over"),
    ],
)
def test_bombs_fail_fast(text, line, what):
    with no_hang():
        with pytest.raises(ParseError) as caught:
            load(text)
        assert what in caught.value.text
        assert caught.value.line == line


def test_long_lines_are_read():
    assert len(load("a: " + "x" * 10_000_000)[0]["a"]) == 10_000_000
