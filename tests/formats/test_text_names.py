from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eligo.errors import EligoError
from eligo.formats._text_edits import decode_name, encode_name

ANYTHING = st.text(st.characters(exclude_categories=()), max_size=20)  # surrogates too


@given(ANYTHING, st.booleans())
def test_names_come_back(name: str, in_list: bool) -> None:
    encoded = encode_name(name, in_list=in_list)
    assert decode_name(encoded) == name
    encoded.encode()
    assert encoded.isprintable() or not name.isprintable()
    if in_list:
        assert len(encoded.split()) == bool(name)
        assert not set(encoded) & set(' =:"\\\n')


@given(ANYTHING, ANYTHING)
def test_different_names_stay_different(one: str, other: str) -> None:
    assert (encode_name(one) == encode_name(other)) == (one == other)


def test_bad_text() -> None:
    with pytest.raises(EligoError):
        decode_name("%FF")
    assert decode_name("100%") == "100%"
