"""Tables of sweeps: read back exactly, by us and by others; errors say where."""

from __future__ import annotations

import csv
import math
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eligo.errors import EligoError, MissingExtraError, ParseError
from eligo.simulation._ratios import Summary
from eligo.simulation._sweep_results import TABLE, About, Point, Results, read_results, write_results

FLOATS = st.floats()
SUMMARIES = st.builds(Summary, FLOATS, FLOATS, FLOATS, FLOATS, FLOATS)
NAMES = st.text(
    st.characters(codec="utf-8", categories=("L", "N", "P", "Zs"), exclude_characters="/"), min_size=1
).filter(str.strip)
METRICS = ("execution_time", "stalling")
ABOUT = About("a.dag", "{}", "", 300, 50, 0, False, "fifo", "0.1.0")


@st.composite
def results(draw):
    names = draw(st.lists(NAMES, min_size=1, max_size=3, unique=True))
    ats = draw(st.lists(st.tuples(*[st.floats(1e-9, 1e9)] * 2), min_size=1, max_size=4, unique=True))
    points = [
        Point(
            *at,
            {name: {metric: draw(SUMMARIES) for metric in METRICS} for name in names},
            {f"{name}/{names[0]}": {metric: draw(st.none() | SUMMARIES) for metric in METRICS} for name in names[1:]},
        )
        for at in ats
    ]
    about = About(
        draw(st.text(st.characters(codec="utf-8", exclude_characters="\0"))),
        draw(st.sampled_from(["{}", '{"stay": true, "sd": 0.2}'])),
        draw(st.sampled_from(["", "files disk"])),
        draw(st.integers(1, 1000)),
        draw(st.integers(1, 1000)),
        draw(st.integers(0, 2**62)),
        draw(st.booleans()),
        names[0],
        "0.1.0",
    )
    return Results(about, tuple(points))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("tables")


@settings(deadline=None, max_examples=40)
@given(results(), st.sampled_from(["csv", "csv.gz", "parquet"]))
def test_what_is_written_is_read_back_exactly(folder, found, suffix):
    path = folder / f"table.{suffix}"
    write_results(found, path)
    assert repr(read_results(path)) == repr(found)


def one_point(**about):
    summary = Summary(0.1 + 0.2, 1.0, 0.0, 1e-300, math.inf)
    return Results(
        About(**{**dict(zip(TABLE[9:], (getattr(ABOUT, name) for name in TABLE[9:]), strict=True)), **about}),
        (Point(1.0, 16.0, {"prio": {"stalling": summary}}, {"prio/fifo": {"stalling": None}}),),
    )


@pytest.mark.parametrize("name", ["=cmd|' /C calc'!A0.dag", "+1.dag", "-1.dag", "@a.dag", "\t=1.dag"])
def test_no_workflow_is_a_formula(tmp_path, name):
    """Spreadsheets compute cells that begin so, quoted or not."""
    write_results(one_point(workflow=name), tmp_path / "a.csv")
    _, *rows = csv.reader((tmp_path / "a.csv").read_text().splitlines())
    assert {row[TABLE.index("workflow")] for row in rows} == {f"./{name}"}
    assert read_results(tmp_path / "a.csv") == one_point(workflow=f"./{name}")


def test_a_table_of_text_is_plain(tmp_path):
    write_results(one_point(), tmp_path / "a.csv")
    assert (tmp_path / "a.csv").read_text().splitlines() == [
        "interarrival,batch,of,metric,mean,median,sd,low,high,"
        "workflow,grid,memory,samples,runs,seed,common,against,version",
        "1,16,prio,stalling,0.30000000000000004,1,0,1e-300,inf,a.dag,{},,300,50,0,false,fifo,0.1.0",
        "1,16,prio/fifo,stalling,,,,,,a.dag,{},,300,50,0,false,fifo,0.1.0",
    ]


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_pandas_reads_it_without_being_told_anything(tmp_path, suffix):
    pandas = pytest.importorskip("pandas")
    path = tmp_path / f"a.{suffix}"
    write_results(one_point(), path)
    table = pandas.read_csv(path) if suffix == "csv" else pandas.read_parquet(path)
    assert list(table.columns) == list(TABLE)
    assert table["median"][0] == 1
    assert table["high"][0] == math.inf
    assert math.isnan(table["mean"][1])
    assert table["seed"].tolist() == [0, 0]
    assert not table["common"].any()


def test_parquet_has_the_facts_in_its_schema(tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    write_results(one_point(), tmp_path / "a.parquet")
    assert b'"samples": 300' in parquet.read_schema(tmp_path / "a.parquet").metadata[b"eligo"]


def test_numbers_are_found_by_ratio():
    found = one_point()
    assert found.ratio("prio/fifo", "stalling") == [(1.0, 16.0, None)]
    with pytest.raises(EligoError, match="there is no ratio utilization of prio/fifo"):
        found.ratio("prio/fifo", "utilization")


def test_notes_and_facts():
    summary = Summary(math.inf, 1.0, math.nan, 1.0, math.inf)
    found = Results(
        About("a", "{}", "", 30, 5, 0, False, "fifo", "0"),
        (Point(1.0, 1.0, {"fifo": {"execution_time": summary}}, {}),),
    )
    assert "30 samples" in found.notes[0]
    assert "at 1 of 1 points some runs never ended" in found.notes[1]
    ended = {"execution_time": Summary(1.0, 1.0, 0.0, 1.0, 1.0), "ended": Summary(0.9, 1.0, 0.1, 0.8, 1.0)}
    lost = Results(
        About("a", '{"lost": 0.1}', "", 300, 5, 0, False, "fifo", "0"), (Point(1.0, 1.0, {"fifo": ended}, {}),)
    )
    assert lost.notes == (
        "at 1 of 1 points some runs never ended: give a deadline, so that jobs of lost workers are given to others, "
        "or copies",
    )
    facts = found.facts()
    assert facts["points"][0]["strategies"]["fifo"]["execution_time"]["sd"] is None
    assert facts["samples"] == 30


LINES = {
    "no column metric": lambda lines: [lines[0].replace("metric", "matric"), *lines[1:]],
    ":2: mean must be a number, not 'much'": lambda lines: [lines[0], lines[1].replace("0.30000000000000004", "much")],
    ":2: median must be a number, not ''": lambda lines: [lines[0], lines[1].replace(",1,0,1e-300", ",,0,1e-300")],
    ":3: the line has 2 fields, the header 18": lambda lines: [*lines[:2], "1,2"],
    ":3: seed is 1, but 0 before": lambda lines: [*lines[:2], lines[2].replace("50,0,", "50,1,")],
    ":3: samples must be a whole number, not 'x'": lambda lines: [*lines[:2], lines[2].replace("300", "x")],
    ":3: common must be true or false, not 'perhaps'": lambda lines: [*lines[:2], lines[2].replace("false", "perhaps")],
    ":4: stalling of prio/fifo stands twice": lambda lines: [*lines, lines[2]],
    ":2: interarrival and batch must be above 0": lambda lines: [lines[0], lines[1].replace("1,16", "-1,16", 1)],
    ":2: stalling of prio has no numbers": lambda lines: [lines[0], lines[2].replace("prio/fifo", "prio")],
    "the table has no rows": lambda lines: lines[:1],
}


@pytest.mark.parametrize("message", LINES)
def test_errors_say_where(tmp_path, message):
    path = tmp_path / "a.csv"
    write_results(one_point(), path)
    path.write_text("\n".join(LINES[message](path.read_text().splitlines())) + "\n")
    with pytest.raises(ParseError, match=message):
        read_results(path)


def test_damaged_parquet(tmp_path):
    path = tmp_path / "a.parquet"
    write_results(one_point(), path)
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(ParseError, match=r"a\.parquet: is damaged Parquet"):
        read_results(path)
    import pyarrow
    import pyarrow.parquet

    pyarrow.parquet.write_table(pyarrow.table({"a": [1]}), path)
    with pytest.raises(ParseError, match=r"a\.parquet: there is no column interarrival"):
        read_results(path)


def test_without_pyarrow(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    with pytest.raises(MissingExtraError, match=r"eligo\[parquet\]"):
        write_results(one_point(), tmp_path / "a.parquet")
    assert not list(tmp_path.iterdir())


def test_a_name_that_tells_nothing(tmp_path):
    with pytest.raises(EligoError, match="does not tell what kind of table"):
        write_results(one_point(), tmp_path / "a.txt")
