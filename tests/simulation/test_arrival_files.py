"""Arrivals from a table."""

from __future__ import annotations

import gzip

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eligo.errors import ParseError
from eligo.formats._source import Source
from eligo.simulation._grid_inputs import parse_arrivals, read_arrivals


def parse(text, **more):
    return parse_arrivals(Source("a.csv", text.encode()), **more)


def test_comments_blank_lines_other_columns_and_packed_files(tmp_path):
    text = "# seen in May\n\nplace, Workers, TIME\nhere, 4, 0\n\n# noon\nthere, 2.0, 1.5\nhere, 0, 2\n"
    (tmp_path / "a.csv.gz").write_bytes(gzip.compress(text.encode()))
    found = read_arrivals(tmp_path / "a.csv.gz", repeat_every=3)
    assert found.time.tolist() == [0, 1.5]
    assert found.workers.tolist() == [4, 2]
    assert found.repeat_every == 3


@given(st.lists(st.tuples(st.floats(0, 1e12), st.integers(1, 10**12)), min_size=1))
def test_numbers_are_read_exactly(batches):
    batches.sort()
    found = parse("time,workers\n" + "".join(f"{time!r},{workers}\n" for time, workers in batches))
    assert list(zip(found.time.tolist(), found.workers.tolist(), strict=True)) == batches


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "a.csv:1: there is no column time"),
        ("0,1\n1,2\n", "a.csv:1: there is no column time"),
        ("time,worker\n0,1\n", "a.csv:1: there is no column workers"),
        ("time,workers,time\n0,1,2\n", "a.csv:1: there are two columns time"),
        ("time,workers\n", "a.csv: there are no arrivals"),
        ("time,workers\n\n0,1\n# x\n1\n", "a.csv:5: the line has 1 fields, the header 2"),
        ("time,workers\n0,1\nx,2\n", "a.csv:3: time must be a number from 0 to 1e12, not 'x'"),
        ("time,workers\nnan,1\n", "a.csv:2: time must be a number"),
        ("time,workers\n1e13,1\n", "a.csv:2: time must be a number"),
        ("time,workers\n1_0,1\n", "a.csv:2: time must be a number"),
        ("time,workers\n0,1.5\n", "a.csv:2: workers must be a whole number from 0 to 1e12, not '1.5'"),
        ("time,workers\n0,-1\n", "a.csv:2: workers must be"),
        ("time,workers\n0,9999999999999\n", "a.csv:2: workers must be"),
        ("time,workers\n1,1\n2,1\n1.5,1\n", "a.csv:4: time 1.5 comes after 2"),
        ("time,workers\n1,0\n", "a.csv: nobody ever arrives"),
    ],
)
def test_errors_say_where(text, message):
    with pytest.raises(ParseError) as caught:
        parse(text)
    assert str(caught.value).startswith(message)


def test_beginning_again_too_early():
    with pytest.raises(ParseError, match=r"a\.csv: arrivals can begin again only after the last"):
        parse("time,workers\n0,1\n5,1\n", repeat_every=5)


def test_no_such_file():
    with pytest.raises(ParseError, match="no such file"):
        read_arrivals("/no/such/file.csv")
