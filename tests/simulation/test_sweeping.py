"""Sweeps: each point is a comparison, and no interruption loses or changes a finished one."""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
import textwrap
import zlib
from contextlib import nullcontext
from itertools import islice

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import eligo
from eligo import generate
from eligo.dag import Dag
from eligo.errors import EligoError, ParseError
from eligo.simulation import _executors as executors
from eligo.simulation import _grid_sweep as grid_sweep
from eligo.simulation import _sweep_journal as journals
from eligo.simulation._executors import Here
from eligo.simulation._grid import Grid, Throttle
from eligo.simulation._grid_sweep import BATCHES, INTERARRIVALS, sweep
from eligo.simulation._ratios import Summary
from eligo.simulation._simulate import simulate
from eligo.simulation._sweep_journal import Journal
from eligo.simulation._sweep_results import Point, read_results

AIRSN = generate.airsn(8)
ASKED = {"interarrivals": [0.1, 1], "batches": [1, 4, 16], "samples": 40, "runs": 2, "seed": 5, "on": "here"}
PAIRS = [(0.1, 1.0), (0.1, 4.0), (0.1, 16.0), (1.0, 1.0), (1.0, 4.0), (1.0, 16.0)]


class StoppedError(Exception):
    pass


def stop_after(count):
    """Return a callback that raises once so many points are finished."""
    left = [count]

    def on_point(point):
        left[0] -= 1
        if left[0] < 0:
            raise StoppedError

    return on_point


def test_each_point_is_a_comparison():
    found = sweep(AIRSN, "prio,fifo,lifo", **ASKED)
    assert [(point.interarrival, point.batch) for point in found.points] == PAIRS
    for point in found.points:
        grid = Grid(interarrival=point.interarrival, batch=point.batch)
        alone = simulate(AIRSN, "prio,fifo,lifo", grid=grid, samples=40, runs=2, seed=5, on="here")
        assert repr((point.strategies, point.ratios)) == repr((alone.strategies, alone.ratios))


def test_the_plane_of_paper_002(monkeypatch):
    found = sweep(Dag.from_edges(2, [0], [1]), "fifo", samples=1, runs=1, on="here")
    assert len(found.points) == 119 == len(INTERARRIVALS) * len(BATCHES)
    corners = [(point.interarrival, point.batch) for point in (found.points[0], found.points[-1])]
    assert corners == [(0.001, 1), (1000, 65536)]


def test_times_of_their_own_stretch_the_plane():
    dag = Dag.from_edges(3, [0], [1], time_s=[10, 20, 60])
    found = sweep(dag, "fifo", grid=Grid(own_times=True), batches=[2], samples=1, runs=1, on="here")
    assert [point.interarrival for point in found.points] == [30 * value for value in INTERARRIVALS]


def test_here_and_in_processes_the_same(tmp_path):
    dag = generate.airsn(100)
    asked = {"interarrivals": [0.1, 1], "batches": [4, 32], "samples": 40, "runs": 50, "common": True}
    tables = []
    for on in ("here", "processes:2"):
        sweep(dag, "prio,fifo", save_to=tmp_path / f"{on[:4]}.csv", workflow="airsn", on=on, **asked)
        tables.append((tmp_path / f"{on[:4]}.csv").read_bytes())
    assert tables[0] == tables[1]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["here.csv", "proc.csv"]


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_the_table_is_the_result(tmp_path, suffix):
    path = tmp_path / f"out.{suffix}"
    found = sweep(AIRSN, "prio,fifo", save_to=path, workflow="a\udc80.dag", grid=Grid(stay=True), **ASKED)
    assert repr(read_results(path)) == repr(found)
    assert (found.about.seed, found.about.workflow, found.about.grid) == (5, "a?.dag", '{"stay": true}')
    assert found.about.version == eligo.__version__


@pytest.mark.parametrize("finished", range(6))
def test_an_interruption_loses_nothing_and_changes_nothing(tmp_path, finished):
    path = tmp_path / "out.csv"
    sweep(AIRSN, "prio,fifo", save_to=path, **ASKED)
    whole = path.read_bytes()
    path.unlink()
    with pytest.raises(StoppedError):
        sweep(AIRSN, "prio,fifo", save_to=path, on_point=stop_after(finished), **ASKED)
    assert not path.exists()
    assert len((tmp_path / "out.csv.partial").read_text().splitlines()) == 1 + finished + 1  # the last was journaled
    now, shares = [], []
    sweep(AIRSN, "prio,fifo", save_to=path, on_point=now.append, on_progress=shares.append, **ASKED)
    assert len(now) == 5 - finished
    assert path.read_bytes() == whole
    assert not (tmp_path / "out.csv.partial").exists()
    assert 0 < shares[0] <= 1
    assert shares == sorted(shares)
    assert shares[-1] == pytest.approx(1)


def test_an_error_where_the_work_is_done_keeps_finished_points(tmp_path, monkeypatch):
    path = tmp_path / "out.csv"

    class Failing:
        def work(self, setups, blocks):
            yield from islice(Here().work(setups, blocks), 5)
            raise eligo.EngineError("the cluster is gone")

    with monkeypatch.context() as patch:
        patch.setattr(grid_sweep, "open_place", lambda on: nullcontext(Failing()))
        with pytest.raises(eligo.EngineError, match="the cluster is gone"):
            sweep(AIRSN, "prio,fifo", save_to=path, **ASKED)
    now = []
    sweep(AIRSN, "prio,fifo", save_to=path, on_point=now.append, **ASKED)
    assert len(now) == 4  # five blocks are two points of two strategies and a half


@pytest.fixture(scope="module")
def journal(tmp_path_factory):
    """The table of a whole sweep, and its journal just before the end."""
    folder = tmp_path_factory.mktemp("journal")
    sweep(AIRSN, "prio,fifo", save_to=folder / "whole.csv", **ASKED)
    with pytest.raises(StoppedError):
        sweep(AIRSN, "prio,fifo", save_to=folder / "part.csv", on_point=stop_after(3), **ASKED)
    return folder, (folder / "whole.csv").read_bytes(), (folder / "part.csv.partial").read_bytes()


@settings(deadline=None, max_examples=25)
@given(st.data())
def test_a_journal_cut_anywhere_is_taken_up(journal, data):
    folder, whole, text = journal
    cut = data.draw(st.integers(0, len(text)))
    (folder / "cut.csv.partial").write_bytes(text[:cut] + data.draw(st.sampled_from([b"", b"\0\0\0"])) * (cut > 800))
    now = []
    sweep(AIRSN, "prio,fifo", save_to=folder / "cut.csv", on_point=now.append, **ASKED)
    assert (folder / "cut.csv").read_bytes() == whole
    assert len(now) == 6 - max(text[:cut].count(b"\n") - 1, 0)


CHILD = """
import sys, time
from eligo import generate
from eligo.simulation._grid_sweep import sweep
def slowly(point):
    print("point", flush=True)
    time.sleep(float(sys.argv[2]))
sweep(generate.airsn(8), "prio,fifo", save_to=sys.argv[1], on_point=slowly, on=sys.argv[3],
      interarrivals=[0.1, 1], batches=[1, 4, 16], samples=40, runs=2, seed=5)
"""


@pytest.mark.parametrize("on", ["here", "processes:2"])
def test_killed_in_the_middle(journal, tmp_path, on):
    path = tmp_path / "out.csv"
    child = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(CHILD), str(path), "30", on], stdout=subprocess.PIPE, text=True
    )
    try:
        assert child.stdout.readline() == "point\n"
        with pytest.raises(EligoError, match="another process is at work on this sweep"):
            sweep(AIRSN, "prio,fifo", save_to=path, **ASKED)
    finally:
        os.kill(child.pid, signal.SIGKILL)
        child.wait()
        child.stdout.close()
    assert not path.exists()
    now = []
    sweep(AIRSN, "prio,fifo", save_to=path, on_point=now.append, **ASKED)
    assert len(now) == 5
    assert path.read_bytes() == journal[1]


CHANGES = {
    "seed was 5, not 6": {"seed": 6},
    "samples was 40, not 41": {"samples": 41},
    "runs was 2, not 3": {"runs": 3},
    "common was false, not true": {"common": True},
    r"batch was \[1.0, 4.0, 16.0\], not \[1.0, 4.0\]": {"batches": [1, 4]},
    r"interarrival was \[0.1, 1.0\], not \[0.1\]": {"interarrivals": [0.1]},
    r"grid was {}, not {\"sd\": 0.2}": {"grid": Grid(sd=0.2)},
    r"grid was {}, not {\"throttle\"": {"grid": Grid(throttle=Throttle(max_jobs=3))},
    'strategies was \\["prio: order': {"strategies": "area,fifo"},
    'strategies was \\["prio: order .*not \\["fifo: fifo': {"strategies": "fifo,prio"},
    'against was "fifo", not "prio"': {"against": "prio"},
    'memory was "", not "pebble': {"footprint": eligo.footprint(AIRSN, "pebble")},
    "its workflow was another one": {"dag": generate.airsn(9)},
    "its workflow was another one ": {"dag": AIRSN.with_known(time_s=[1] * AIRSN.n)},
}


@pytest.mark.parametrize("message", CHANGES)
def test_the_journal_of_another_sweep_is_refused_with_what_differs(journal, message):
    folder, _, text = journal
    asked = {"dag": AIRSN, "strategies": "prio,fifo", **ASKED, **CHANGES[message]}
    with pytest.raises(EligoError, match=message.strip()):
        sweep(asked.pop("dag"), asked.pop("strategies"), save_to=folder / "part.csv", **asked)
    assert (folder / "part.csv.partial").read_bytes() == text


def test_an_order_that_differs_in_one_place_is_another_sweep(tmp_path):
    order = AIRSN.order.copy()
    with pytest.raises(StoppedError):
        sweep(AIRSN, {"mine": order}, save_to=tmp_path / "a.csv", on_point=stop_after(1), **ASKED)
    order[-2:] = order[:-3:-1]
    with pytest.raises(EligoError, match="strategies was"):
        sweep(AIRSN, {"mine": order}, save_to=tmp_path / "a.csv", **ASKED)


@pytest.mark.parametrize("text", ["my notes", "my notes\n", "[1]\n", '{"a": 1}\n'])
def test_a_file_that_is_no_journal_is_left_alone(tmp_path, text):
    (tmp_path / "a.csv.partial").write_text(text)
    with pytest.raises(ParseError, match=r"a\.csv\.partial:1: this is no journal of a sweep"):
        sweep(AIRSN, "fifo", save_to=tmp_path / "a.csv", **ASKED)
    assert (tmp_path / "a.csv.partial").read_text() == text


def test_a_damaged_line_in_the_middle_is_named(journal, tmp_path):
    lines = journal[2].splitlines(keepends=True)
    lines[2] = b'{"interarrival": 1}\n'
    (tmp_path / "a.csv.partial").write_bytes(b"".join(lines))
    with pytest.raises(ParseError, match=r"a\.csv\.partial:3: is damaged"):
        sweep(AIRSN, "prio,fifo", save_to=tmp_path / "a.csv", **ASKED)
    del lines[2]
    (tmp_path / "a.csv.partial").write_bytes(b"".join(lines))
    sweep(AIRSN, "prio,fifo", save_to=tmp_path / "a.csv", **ASKED)
    assert (tmp_path / "a.csv").read_bytes() == journal[1]


def test_a_journal_of_another_form(tmp_path):
    (tmp_path / "a.partial").write_text('{"eligo_sweep":1,"seed":1}\n{"interarrival":1.0}\n')
    with pytest.raises(EligoError, match="another version"):
        Journal(tmp_path / "a.partial", {"seed": 1})


def test_a_journal_of_another_model(tmp_path, monkeypatch):
    with pytest.raises(StoppedError):
        sweep(AIRSN, "fifo", save_to=tmp_path / "a.csv", on_point=stop_after(1), **ASKED)
    monkeypatch.setattr(journals, "MODEL", journals.MODEL + 1)
    with pytest.raises(EligoError, match="the same seed gives other numbers"):
        sweep(AIRSN, "fifo", save_to=tmp_path / "a.csv", **ASKED)


POINTS = [
    Point(0.1 * at, 16.0, {"fifo": {"execution_time": Summary(*(1 / (at + part) for part in range(5)))}}, {})
    for at in range(1, 5)
]


@pytest.fixture(scope="module")
def sound(tmp_path_factory):
    """A journal of made-up points, and where to put damaged ones."""
    path = tmp_path_factory.mktemp("sound") / "a.partial"
    with Journal(path, {"seed": 1}) as journal:
        for point in POINTS:
            journal.add(point)
    return path, path.read_bytes()


@settings(deadline=None, max_examples=300)
@given(st.data())
def test_no_damage_becomes_a_number(sound, data):
    path, text = sound
    first = data.draw(st.integers(0, len(text)))
    last = min(first + data.draw(st.sampled_from([0, 1, 1, 1, 2, 8, 300])), len(text))
    other = data.draw(st.integers(0, len(text)))
    new = data.draw(
        st.one_of(st.sampled_from(b"0123456789\n-e,").map(lambda byte: bytes([byte])), st.binary(max_size=4))
        | st.just(text[other : other + last - first])
    )
    path.write_bytes(text[:first] + new + text[last:])
    try:
        with Journal(path, {"seed": 1}) as journal:
            found = list(journal.finished.values())
    except EligoError as error:  # with the line, or that it is no such journal
        assert error.hint
        return
    assert all(point in POINTS for point in found)


def resealed(text):
    """Return a line that has its checksum, but holds what no journal does."""
    return text + b',"crc":"%08x"}\n' % zlib.crc32(text)


@pytest.mark.parametrize(
    "text",
    [
        b'{"a":' + b"[" * 100_000,
        b'{"a":' + b"[" * 100_000 + b"]" * 100_000,
        b'{"interarrival":%s,"batch":1,"strategies":{},"ratios":{}' % (b"9" * 400),
        b'{"interarrival":1,"batch":1,"strategies":{"a":{"b":[1,2,3,4,%s]}},"ratios":{}' % (b"9" * 400),
        b'{"interarrival":%s,"batch":1,"strategies":{},"ratios":{}' % (b"9" * 9000),
        b'{"interarrival":1',
    ],
)
def test_lines_that_are_hard_to_read(sound, text):
    path, whole = sound
    head, *lines = whole.splitlines(keepends=True)
    path.write_bytes(head + resealed(text) + b"".join(lines))
    with pytest.raises(ParseError, match=r"a\.partial:2: is damaged"):
        Journal(path, {"seed": 1})
    path.write_bytes(whole + resealed(text))
    with Journal(path, {"seed": 1}) as journal:
        assert list(journal.finished.values()) == POINTS
    assert path.read_bytes() == whole


def test_a_damaged_first_line(sound):
    path, text = sound
    path.write_bytes(text.replace(b'"seed":1', b'"seed":2'))
    with pytest.raises(ParseError, match=r"a\.partial:1: is damaged"):
        Journal(path, {"seed": 2})
    path.write_bytes(b'{"eligo_sweep":' + b"[" * 100_000 + b"\n" + text)
    with pytest.raises(EligoError, match="another version"):
        Journal(path, {"seed": 1})


def test_a_full_disk_is_told_as_such_and_keeps_what_was_finished(tmp_path):
    """A limit on the size of files stands for the disk. Closing the journal tries again: it must not say otherwise."""
    path, limits = tmp_path / "t.csv.partial", resource.getrlimit(resource.RLIMIT_FSIZE)
    full = Journal(path, {"seed": 1})
    full.add(Point(1.0, 1.0, {}, {}))
    resource.setrlimit(resource.RLIMIT_FSIZE, (path.stat().st_size + 9, limits[1]))
    try:
        with pytest.raises(EligoError, match="cannot be written"), full:
            full.add(Point(1.0, 2.0, {}, {}))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    with Journal(path, {"seed": 1}) as journal:
        assert list(journal.finished) == [(1.0, 1.0)]


def test_runs_that_never_end_survive_the_journal(tmp_path):
    asked = {**ASKED, "grid": Grid(lost=0.05), "save_to": tmp_path / "a.csv"}
    found = sweep(AIRSN, "prio,fifo", **asked)
    with pytest.raises(StoppedError):
        sweep(AIRSN, "prio,fifo", on_point=stop_after(3), **asked)
    assert repr(sweep(AIRSN, "prio,fifo", **asked)) == repr(found)
    assert "never ended" in found.notes[0]
    json.dumps(found.facts(), allow_nan=False)


def test_cheap_points_first(monkeypatch):
    monkeypatch.setattr(grid_sweep, "seconds_per_run", lambda setup: setup.grid.batch)
    order = []
    sweep(AIRSN, "fifo", on_point=order.append, **ASKED)
    assert [point.batch for point in order] == [1, 1, 4, 4, 16, 16]


def test_rows_are_let_go_with_their_point(monkeypatch):
    """While a sweep runs only unfinished points have rows."""
    monkeypatch.setattr(executors, "_PARTS", 4)
    monkeypatch.setattr(executors, "_SHORTEST_S", 0.0)
    sizes = []

    def watch(point):
        frame = sys._getframe()
        while frame is not None and frame.f_code.co_name != "sweep":
            frame = frame.f_back
        sizes.append(sum(len(rows) for rows in frame.f_locals["missing"].gi_frame.f_locals["rows"].values()))

    sweep(AIRSN, "prio,fifo", on_point=watch, **ASKED)
    assert sizes == [0] * 6


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"interarrivals": []}, "a sweep over no interarrivals"),
        ({"batches": [1, 2, 1]}, "1 stands twice among the batches"),
        ({"batches": [0]}, "batch must be above 0"),
        ({"grid": Grid(processors=3)}, "a sweep varies when workers come"),
        ({"samples": 0}, "samples must be 1 or more"),
        ({"save_to": "out.txt"}, "does not tell what kind of table"),
        ({"save_to": "/no/such/folder/out.csv"}, "there is no directory /no/such/folder"),
        ({"grid": Grid(own_times=True), "interarrivals": None}, "no job's time is known"),
    ],
)
def test_bad_input_is_refused_before_any_work(monkeypatch, change, message):
    monkeypatch.setattr(grid_sweep, "open_place", None)
    with pytest.raises(EligoError, match=message):
        sweep(AIRSN, "prio,fifo", **{**ASKED, **change})
