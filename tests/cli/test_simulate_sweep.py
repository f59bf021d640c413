"""Sweeps as a user meets them: tables, plots, interruptions of every kind, progress."""

from __future__ import annotations

import json
import os
import pty
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from eligo import write
from eligo._cli import main
from eligo._cli.messages import terminable
from eligo._cli.progress import Shares, clock, counting
from eligo.simulation import _grid_sweep as grid_sweep
from eligo.simulation._sweep_results import Point, read_results
from tests.cli.simulating import QUICK, airsn, facts, fork, run

AXES = ("--interarrival", "0.1,1", "--batch", "1..8")


@pytest.fixture
def small(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write(fork(), "fork.dag")
    return "fork.dag"


def test_a_sweep(small, tmp_path, capsys):
    run("simulate", small, *AXES, "-o", "out.csv", "--plot", "out.svg", *QUICK)
    shown = capsys.readouterr()
    assert shown.err == "out.csv: 8 points\nout.svg: ratios of execution time, stalling, utilization\n"
    lines = shown.out.splitlines()
    assert lines[0] == "fork.dag: 17 jobs, 8 edges"
    assert "8   40 samples of 2 runs each, seed 0" in lines[1]
    assert "best/fifo: execution time, medians" in shown.out
    assert [line.split()[0] for line in lines if line.startswith("              ")][-4:] == ["1", "2", "4", "8"]
    assert "best is clearly faster than fifo at " in shown.out
    assert " of 8 points" in shown.out
    assert {(point.interarrival, point.batch) for point in read_results("out.csv").points} == {
        (between, batch) for between in (0.1, 1.0) for batch in (1.0, 2.0, 4.0, 8.0)
    }
    assert "</svg>" in (tmp_path / "out.svg").read_text()
    assert not Path("out.csv.partial").exists()


def test_the_facts_of_a_sweep(small, capsys):
    found = facts(capsys, "simulate", small, *AXES, "--strategies", "prio,fifo,lifo", *QUICK)
    assert len(found["points"]) == 8
    assert set(found["points"][0]["ratios"]) == {"prio/fifo", "lifo/fifo"}
    assert (found["file"], found["jobs"], found["grid"], found["memory"]) == (small, 17, {}, None)
    one = facts(capsys, "simulate", small, "--strategies", "prio,fifo,lifo", "--batch", 4, *QUICK)
    same = next(point for point in found["points"] if (point["interarrival"], point["batch"]) == (1.0, 4.0))
    assert same["ratios"] == one["ratios"]


def test_all_of_paper_002(small, capsys):
    """119 points; axes that are given take the place of the paper's."""
    words = ("simulate", small, "--sweep", "--samples", 2, "--runs", 1)
    points = facts(capsys, *words)["points"]
    assert len(points) == 119
    assert {point["interarrival"] for point in points} == set(grid_sweep.INTERARRIVALS)
    points = facts(capsys, *words, "--batch", 16)["points"]
    assert {point["batch"] for point in points} == {16.0}
    assert len(points) == 7


def test_ranges_have_the_numbers_of_the_paper(small, capsys):
    words = ("simulate", small, "--samples", 2, "--runs", 1)
    whole = facts(capsys, *words, "--sweep")
    spelled = facts(capsys, *words, "--interarrival", "0.001..1000", "--batch", "1..65536")
    assert whole["points"] == spelled["points"]


def test_in_seconds(file, capsys):
    """Where jobs have their own times, those of the paper are multiplied by the mean."""
    words = ("simulate", file, "--own-times", "--samples", 2, "--runs", 1)
    points = facts(capsys, *words, "--sweep")["points"]
    assert {point["interarrival"] for point in points} == {1.5 * value for value in grid_sweep.INTERARRIVALS}
    run(*words, "--batch", "2,4")
    shown = capsys.readouterr().out
    assert "batch \\ interarrival  1.5 s" in shown
    assert "with 1.5 s between batches of" in shown
    run(*words, "--interarrival", "0.00500268,7200,1000000", "--batch", "2,4")
    assert re.search(r"interarrival +0\.005 s +2 h +11\.6 days", capsys.readouterr().out)
    run(*words, "--interarrival", "7200,7201", "--batch", "2,4")
    assert re.search(r"interarrival +7,200 s +7,201 s", capsys.readouterr().out), "rounding would make them alike"


def test_wide_sweeps_are_turned_or_left_out(small, capsys):
    words = ("simulate", small, "--samples", 2, "--runs", 1)
    run(*words, "--interarrival", "1..2x1.05", "--batch", "2,4")
    assert "interarrival \\ batch" in capsys.readouterr().out
    run(*words, "--interarrival", "1..2x1.05", "--batch", "2..4x1.05")
    shown = capsys.readouterr().out
    assert "\\" not in shown
    assert "largest gain with " in shown


def test_stars_and_counts_agree(small, capsys):
    """A star is where all runs together tell: as many as are counted, more than 002's intervals would give."""
    words = ("simulate", small, *AXES, "--samples", 100, "--runs", 3)
    points = facts(capsys, *words)["points"]
    run(*words)
    shown = capsys.readouterr().out
    faster, slower = map(
        int, re.findall(r"clearly faster than fifo at (\d+) of 8 points, clearly slower at (\d+)", shown)[0]
    )
    rows = [line for line in shown.splitlines() if re.match(r" +\d+  ", line)]
    assert sum(row.count("*") for row in rows) == faster + slower
    ratios = [point["ratios"]["best/fifo"]["execution_time"] for point in points]
    assert faster > sum(ratio["high"] < 1 for ratio in ratios)
    means = [[point["strategies"][name]["execution_time"]["mean"] for name in ("best", "fifo")] for point in points]
    margins = [ratio["sd"] / 10 * (4 + 24 / 99) for ratio in ratios]
    assert faster == sum(1 - mine / theirs > far for (mine, theirs), far in zip(means, margins, strict=True))


def test_memory_in_a_sweep(file, capsys):
    found = facts(capsys, "simulate", file, *AXES, "--track-memory", "--model", "pebble", *QUICK)
    assert 0 < found["memory"]["largest_peak"] <= found["memory"]["worst_peak"]
    run("simulate", file, *AXES, "--track-memory", "--model", "pebble", *QUICK)
    assert "largest peak of memory in all runs: " in capsys.readouterr().out


class Interrupt:
    """Interrupts a sweep after so many points."""

    def __init__(self, monkeypatch, points: int, error: BaseException) -> None:
        add = grid_sweep.Journal.add

        def once(journal: grid_sweep.Journal, point: Point) -> None:
            add(journal, point)
            if len(journal.finished) == points:
                raise error

        monkeypatch.setattr(grid_sweep.Journal, "add", once)


@pytest.mark.parametrize(("error", "status"), [(KeyboardInterrupt(), 130), (MemoryError(), 1)])
def test_what_is_finished_is_kept(small, capsys, error, status):
    words = ["simulate", small, *AXES, "-o", "out.csv", *map(str, QUICK)]
    with pytest.MonkeyPatch.context() as patch:
        Interrupt(patch, 3, error)
        assert main(words) == status
    said = capsys.readouterr().err
    assert "3 of 8 points are kept in out.csv.partial: the same command goes on from there" in said
    assert not Path("out.csv").exists()
    kept = Path("out.csv.partial").read_bytes()
    assert main(words) == 0
    assert main([*words[:-2], "--on", "here", "-o", "whole.csv"]) == 0
    assert kept
    assert Path("out.csv").read_bytes() == Path("whole.csv").read_bytes()


def test_what_was_done_before_counts(small, capsys, monkeypatch):
    """Progress goes on where it was, and only what is left is computed."""
    words = ["simulate", small, *AXES, "-o", "out.csv", *map(str, QUICK)]
    with pytest.MonkeyPatch.context() as patch:
        Interrupt(patch, 5, KeyboardInterrupt())
        main(words)
    told: list[tuple[float, str]] = []
    tell = Shares.tell

    def note(shares: Shares, share: float) -> None:
        told.append((share, shares.note))
        tell(shares, share)

    monkeypatch.setattr(Shares, "tell", note)
    assert main(words) == 0
    assert told[0][1] == "5 of 8 points"
    assert 0 < told[0][0] < 1
    assert told[-1][0] == pytest.approx(1.0)


def test_without_a_table_nothing_is_kept(small, capsys, monkeypatch):
    def stopped(*_: object, on_progress, **__: object) -> None:
        on_progress(0.0)
        raise KeyboardInterrupt

    monkeypatch.setattr(grid_sweep, "sweep", stopped)
    assert main(["simulate", small, "--sweep"]) == 130
    assert "finished points are not kept: -o OUT.csv would do that\ninterrupted\n" in capsys.readouterr().err


def test_another_sweep_is_refused(small, capsys):
    words = ["simulate", small, *AXES, "-o", "out.csv", *map(str, QUICK)]
    with pytest.MonkeyPatch.context() as patch:
        Interrupt(patch, 3, KeyboardInterrupt())
        main(words)
    capsys.readouterr()
    kept = Path("out.csv.partial").read_bytes()
    assert main([*words, "--seed", "1"]) == 1
    said = capsys.readouterr().err
    assert said.startswith("out.csv.partial: finished points of another sweep are kept there: seed was 0, not 1")
    assert "goes on from there" not in said
    assert Path("out.csv.partial").read_bytes() == kept


def test_a_sweep_that_is_killed(tmp_path, monkeypatch):
    """With SIGKILL, in the middle; then it goes on, with other numbers of processes, to the same table."""
    monkeypatch.chdir(tmp_path)
    airsn(tmp_path, 60)
    command = [sys.executable, "-m", "eligo", "simulate", "airsn.dag", "--interarrival", "0.1..10", "--batch", "1..64"]
    command += ["--samples", "40", "--runs", "15", "-o"]
    process = subprocess.Popen([*command, "out.csv"], stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    journal = Path("out.csv.partial")
    for _ in range(600):
        if journal.exists() and journal.read_bytes().count(b"\n") > 4:
            break
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert 4 < journal.read_bytes().count(b"\n") < 22
    assert not Path("out.csv").exists()
    for name, on in (("out.csv", "here"), ("whole.csv", "processes:2")):
        subprocess.run([*command, name, "--on", on], check=True, capture_output=True, timeout=120)
    assert Path("out.csv").read_bytes() == Path("whole.csv").read_bytes()
    assert not journal.exists()


def test_a_sweep_that_is_terminated(tmp_path, monkeypatch):
    """By SIGTERM, as batch systems do: as by Ctrl-C."""
    monkeypatch.chdir(tmp_path)
    airsn(tmp_path, 60)
    command = [sys.executable, "-m", "eligo", "simulate", "airsn.dag", "--interarrival", "0.1..10", "--batch", "1..64"]
    command += ["--samples", "40", "--runs", "60", "-o", "out.csv"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
    journal = Path("out.csv.partial")
    for _ in range(600):
        if journal.exists() and journal.read_bytes().count(b"\n") > 4:
            break
        time.sleep(0.02)
    process.send_signal(signal.SIGTERM)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 143
    kept = journal.read_bytes().count(b"\n") - 1
    assert f"{kept} of 21 points are kept in out.csv.partial: the same command goes on from there\nterminated\n" in said
    assert sorted(path.name for path in Path().iterdir()) == ["airsn.dag", "out.csv.partial"]


def test_someone_elses_use_of_sigterm_is_kept():
    before = signal.signal(signal.SIGTERM, signal.SIG_IGN)
    try:
        with terminable():
            assert signal.getsignal(signal.SIGTERM) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGTERM, before)
    with terminable():
        assert callable(signal.getsignal(signal.SIGTERM)) == (before is signal.SIG_DFL)
    assert signal.getsignal(signal.SIGTERM) is before


def test_parquet(small, capsys):
    pytest.importorskip("pyarrow")
    run("simulate", small, "--batch", "2,4", "-o", "out.parquet", *QUICK)
    assert len(read_results("out.parquet").points) == 2


def test_a_cluster_that_is_not_there(small, capsys, monkeypatch):
    pytest.importorskip("distributed")
    from eligo.simulation import _dask_executor as dask_executor

    monkeypatch.setattr(dask_executor, "CONNECT_S", 0.5)
    status = main(["simulate", small, "--batch", "2,4", "-o", "out.csv", "--on", "dask:tcp://127.0.0.1:9"])
    said = capsys.readouterr().err
    assert status == 1
    assert "127.0.0.1:9" in said
    assert "internal error" not in said


def test_progress_off_a_terminal(capsys):
    with counting("simulating", every_s=0.0) as shares:
        shares.note = "1 of 4 points"
        shares.tell(0.0)
        shares.tell(0.25)
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "simulating 0 %, 1 of 4 points, 0:00 elapsed"
    assert lines[1].startswith("simulating 25 %, 1 of 4 points, 0:00 elapsed")
    with counting("simulating") as shares:
        shares.tell(0.5)
    assert capsys.readouterr().err == ""


def test_time_left_goes_by_what_is_done_now():
    now = [0.0]
    shares = Shares("simulating", lambda: now[0])
    now[0] = 50.0  # ordering the jobs, say
    shares.tell(0.5)
    assert shares.left_s is None
    now[0] = 60.0
    shares.tell(0.6)
    assert (shares.elapsed_s, shares.left_s) == (10.0, pytest.approx(40.0))
    assert shares.line(bar=True) == "simulating [############........] 60 %, 0:10 elapsed, about 0:40 left"
    assert clock(59.6) == "1:00"


def test_the_bar_on_a_terminal():
    """A bar comes after a second, stays on its line, and is cleared at the end."""
    code = (
        "import time; from eligo._cli.progress import counting\n"
        "with counting('simulating 9 jobs') as shares:\n"
        "    shares.note = '2 of 4 points'; shares.tell(0.0); shares.tell(0.5); time.sleep(1.7)\n"
    )
    ours, theirs = pty.openpty()
    process = subprocess.Popen([sys.executable, "-c", code], stderr=theirs, env={**os.environ, "COLUMNS": "60"})
    os.close(theirs)
    shown = b""
    try:
        while piece := os.read(ours, 1024):
            shown += piece
    except OSError:  # the other side is closed
        pass
    os.close(ours)
    assert process.wait() == 0
    lines = shown.decode().split("\r\x1b[K")
    assert lines[1] == "simulating 9 jobs [##########..........] 50 %, 2 of 4 points"[:59]
    assert lines[-1] == ""


def test_json_goes_to_standard_output_alone(small):
    command = [sys.executable, "-m", "eligo", "simulate", small, *AXES, "--json", "-o", "x.csv", *map(str, QUICK)]
    found = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    assert len(json.loads(found.stdout)["points"]) == 8
    assert found.stderr == "x.csv: 8 points\n"
