"""The journal with lines that are torn, damaged, doubled or foreign: what is whole counts, and nothing else."""

from __future__ import annotations

import os
import zlib

from hypothesis import given
from hypothesis import strategies as st

from eligo.engines._local.launcher import Journal, Key, parse_record

keys = st.builds(Key, st.integers(0, 10**6), st.integers(1, 99), st.integers(-2, 5), st.integers(0, 9))
numbers = st.integers(0, 2**40)


def sealed(text):
    return b"%s %08x" % (text, zlib.crc32(text))


@st.composite
def lines(draw):
    """Return a line as the keeper writes it, and the kind and key in it."""
    kind, key = draw(st.sampled_from("SEX")), draw(keys)
    if kind == "S":
        rest = f"{draw(numbers)} {draw(numbers)}"
    elif kind == "E":
        rest = " ".join(str(draw(number)) for number in (st.integers(-64, 255), numbers, numbers, numbers, numbers))
    else:
        rest = f"{draw(st.sampled_from([126, 127]))} {draw(st.text(st.characters(exclude_categories=['Cc'])))}: why"
    name = ".".join(map(str, key))
    return sealed(f"{kind} {name} {rest}".encode("utf-8", "replace")), (kind, key)


@given(lines())
def test_whole_lines_are_read(drawn):
    line, (kind, key) = drawn
    record = parse_record(line)
    assert (record.kind, record.key) == (kind, key)
    assert record.code >= 0


@given(lines(), st.data())
def test_a_torn_or_damaged_line_is_no_record(drawn, data):
    line, _ = drawn
    cut = data.draw(st.integers(0, len(line) - 1))
    assert parse_record(line[:cut]) is None
    place, flip = data.draw(st.integers(0, len(line) - 1)), data.draw(st.integers(1, 255))
    damaged = bytearray(line)
    damaged[place] ^= flip
    assert parse_record(bytes(damaged)) is None


@given(st.binary(max_size=60))
def test_whatever_stands_there(line):
    parse_record(line)
    parse_record(sealed(b""))
    assert parse_record(b"\0" * 20) is None


@given(st.lists(lines(), max_size=8), st.data())
def test_read_in_pieces_while_others_write(tmp_path_factory, drawn, data):
    """Pieces end anywhere; torn lines, as a full disk leaves them, stand between; some lines come twice."""
    written, wanted = b"", []
    for line, told in drawn:
        if data.draw(st.booleans()):
            written += line[: data.draw(st.integers(0, len(line) - 1))] + b"\n"
        times = data.draw(st.sampled_from([1, 1, 2]))
        written += (line + b"\n") * times
        wanted += [told] * times
    path = tmp_path_factory.mktemp("journal") / "journal.1"
    journal = Journal(path, create=True)
    found, at = [], 0
    while at < len(written):
        size = data.draw(st.integers(1, 200))
        os.write(journal.fd, written[at : at + size])
        at += size
        found += [(record.kind, record.key) for record in journal.read()]
    assert journal.read() == []
    journal.close()
    assert found == wanted
