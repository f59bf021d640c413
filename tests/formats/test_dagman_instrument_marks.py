"""Our marks in files that people go on editing: what is ours is found again, what is theirs is never lost."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eligo.errors import ParseError
from eligo.formats._dagman import parse
from eligo.formats._dagman.marked_block import append, apply_edits, block, commented, take_out
from eligo.formats._dagman.priorities import instrument, uninstrument, without_priorities
from eligo.formats._editing import Wish
from eligo.formats._source import Source

USER = b"JOB a a.sub\nJOB b b.sub\nPARENT a CHILD b\n"
TEXTS = st.lists(st.sampled_from([b"JOB a a.sub", b"# x", b"", b"  \\", b"y \\", b"\xff\r", b"z"]), max_size=5)


def marked(text: bytes = USER, wish: Wish | None = None) -> bytes:
    document = parse(Source("x.dag", text))
    return instrument(document, np.arange(document.dag.n, 0, -1, dtype=np.int32), wish or Wish()).data


@settings(deadline=None, max_examples=300)
@given(TEXTS, st.sampled_from([b"\n", b"\r\n"]), st.booleans(), st.booleans())
def test_appending_and_taking_out(lines: list[bytes], end: bytes, closed: bool, beyond: bool) -> None:
    text = end.join(lines) + (end if closed else b"")
    try:
        data = append(Source("x.dag", text), b"PRIORITY a 1" + end, beyond=beyond)
    except ParseError:
        assert not text.endswith(b"\n")
        return
    taken = take_out(Source("x.dag", data))
    assert (taken.data, taken.found, taken.beyond, taken.changed) == (text, True, beyond, None)


@settings(deadline=None, max_examples=300)
@given(st.binary(max_size=60), st.data())
def test_commenting_and_taking_out(data: bytes, draw: st.DataObject) -> None:
    """Whole lines of any bytes, some of them made comments."""
    starts = [0, *(match.end() for match in re.finditer(b"\n", data)), len(data)]
    begin = draw.draw(st.sampled_from(starts))
    end = draw.draw(st.sampled_from([at for at in starts if at >= begin]))
    if begin < end:
        changed = apply_edits(data, [commented(data, begin, end)])
        assert changed != data
        assert take_out(Source("x.dag", changed)).data == data


def is_ours(line: bytes) -> bool:
    return line.startswith((b"# >>> eligo", b"# <<< eligo", b"PRIORITY "))


@st.composite
def edited(draw: st.DrawFn) -> tuple[bytes, Counter[bytes]]:
    """A file after one or two edits by hand, and the lines in it that are the user's by then."""
    lines = marked().splitlines(keepends=True)
    users = Counter(line for line in lines if not is_ours(line))
    for number in range(draw(st.integers(1, 2))):
        at = draw(st.integers(0, len(lines) - 1))
        how = draw(st.sampled_from(["insert", "delete", "change", "repeat", "cut"]))
        mine = b"JOB new%d n.sub\n" % number
        if how == "insert":
            lines.insert(at, mine)
            users[mine] += 1
        elif how == "change":
            users[lines[at]] -= not is_ours(lines[at])
            lines[at] = mine
            users[mine] += 1
        elif how == "repeat":
            users[lines[at]] += not is_ours(lines[at])
            lines.insert(at, lines[at])
        elif how == "delete":
            users[lines[at]] -= not is_ours(lines[at])
            del lines[at]
        else:
            for line in lines[at + 1 :]:
                users[line] -= not is_ours(line)
            del lines[at + 1 :]
    return b"".join(lines), +users


@settings(deadline=None, max_examples=500)
@given(edited())
def test_no_line_of_the_user_is_lost(case: tuple[bytes, Counter[bytes]]) -> None:
    """An error that says where, or exactly the user's lines are left."""
    data, users = case
    try:
        left = without_priorities(Source("x.dag", data)).data
    except ParseError as error:
        assert error.line is not None
        assert error.hint
        return
    kept = Counter(left.splitlines(keepends=True))
    assert users - kept == Counter()
    assert all(is_ours(line) for line in kept - users)  # without marks, PRIORITY lines are the user's


@pytest.mark.parametrize(
    ("old", "new", "line", "text"),
    [
        (rb"# >>> .*\n", b"", 6, "no first mark stands before it"),
        (rb"# <<< .*\n", b"", 4, "no last mark follows"),
        (rb"# <<< (.*)\n", b"# >>> eligo priorities >>>\n", 4, "no last mark follows"),
        (rb"(# <<< .*\n)", rb"\1\1", 8, "no first mark stands before it"),
        (rb" <<<\n", b"\n", 7, "it was changed"),
        (rb"PRIORITY b 1\n", b"RETRY b 1\n", 6, "eligo did not write it"),
        (rb"PRIORITY b 1\n", b"PRIORITY b 1\n\n", 7, "eligo did not write it"),
        (rb"PRIORITY b 1\n", b" PRIORITY b 1\n", 6, "eligo did not write it"),
    ],
)
def test_damage_is_told_with_its_line(old: bytes, new: bytes, line: int, text: str) -> None:
    data = re.sub(old, new, marked())
    assert data != marked()
    with pytest.raises(ParseError, match=text) as error:
        without_priorities(Source("x.dag", data))
    assert error.value.line == line
    assert error.value.hint


@pytest.mark.parametrize(("old", "new"), [(b"PRIORITY b 1", b"PRIORITY b 9"), (b"PRIORITY b 1\n", b"")])
def test_changed_numbers_are_not_overwritten_unasked(old: bytes, new: bytes) -> None:
    document = parse(Source("x.dag", marked().replace(old, new)))
    numbers = np.array([2, 1], np.int32)
    with pytest.raises(ParseError, match=r"x\.dag:4: the lines between eligo's marks were changed by hand") as error:
        instrument(document, numbers, Wish())
    assert "--replace" in error.value.hint
    result = instrument(document, numbers, Wish(replace=True))
    assert result.data == marked()
    assert "changed by hand" in result.warnings[0]
    gone = uninstrument(document)
    assert gone.data == USER
    assert "changed by hand" in gone.warnings[0]


def test_files_put_together_are_freed_of_every_block() -> None:
    other = b"JOB c c.sub"
    assert without_priorities(Source("x.dag", marked() + marked(other))).data == USER + other
    assert without_priorities(Source("x.dag", marked(other) + marked())).data == other + b"\n" + USER


def test_words_like_ours_are_no_marks() -> None:
    text = b"# see eligo priorities\nJOB a a.sub\n# eligo keeps nothing\n"
    assert without_priorities(Source("x.dag", text)).data == text
    assert without_priorities(Source("x.dag", marked(text))).data == text


def test_marks_may_be_indented_or_lack_the_last_newline() -> None:
    data = marked()
    assert without_priorities(Source("x.dag", data[:-1])).data == USER
    taken = take_out(Source("x.dag", data.replace(b"# <<<", b"  # <<<")))
    assert taken.data == USER


def test_a_block_is_the_same_whatever_the_line_ends() -> None:
    unix, dos = block(b"PRIORITY a 1\n", b"\n"), block(b"PRIORITY a 1\r\n", b"\r\n")
    assert unix.replace(b"\n", b"\r\n") == dos


def test_no_dates_and_no_paths(tmp_path: Path) -> None:
    text = marked().decode()
    assert str(tmp_path) not in text
    assert re.search(r"\b(19|20)\d\d\b", text) is None
    assert text.isascii()
