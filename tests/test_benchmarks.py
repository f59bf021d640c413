"""Benchmarks of memory and of the simulator run, at sizes that take a moment: that they do, and what they check holds.

Those that use OR-Tools get a process of their own: it brings a HiGHS with which highspy cannot be imported any more.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.engines import local_many, reliability
from benchmarks.quality import limits, sequential
from benchmarks.speed import grid, serialize, worst_peak
from eligo import generate, write

ROOT = Path(__file__).resolve().parents[1]


@pytest.mark.parametrize(("module", "sizes"), [("worst_peak", "60"), ("serialize", "15")])
def test_beside_or_tools(module, sizes):
    pytest.importorskip("ortools")  # the package alone loads nothing
    command = [sys.executable, "-m", f"benchmarks.speed.{module}", *[sizes] * 3]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=100, check=False)
    assert done.returncode == 0, done.stderr
    assert "geometric mean" in done.stdout


@pytest.mark.parametrize("module", [worst_peak, serialize])
def test_they_say_so_where_or_tools_is_absent(module, monkeypatch, capsys):
    monkeypatch.setattr(module, "has_peer", lambda: False)
    module.main(12, 12, 12)
    assert "OR-Tools is not installed" in capsys.readouterr().out


def test_quality_of_limits_with_certificates(tmp_path, capsys):
    pytest.importorskip("highspy")
    limits.main(tmp_path, (10,), 8)
    told = capsys.readouterr().out
    assert "every one checked by its certificate" in told
    assert "| ilp" in told


def test_the_simulator_beside_plain_python(monkeypatch, capsys):
    monkeypatch.setattr(grid, "_SECONDS", 0.01)
    grid.main(773)
    told = capsys.readouterr().out
    assert "| AIRSN, 773 jobs, prio |" in told
    assert "Two processes against one" in told
    assert "Largest resident memory" in told


def test_sequential_orders(tmp_path, capsys):
    (tmp_path / "some").mkdir()
    write(generate.daggen(20, seed=1), tmp_path / "some" / "small.dot")
    (tmp_path / "some" / "note.txt").write_text("not a workflow")
    sequential.main(tmp_path)
    assert "| all " in capsys.readouterr().out


def test_many_jobs_on_the_local_engine(monkeypatch, capsys):
    monkeypatch.setattr(local_many, "_ALONE", 5)
    local_many.main(60, slots=2)
    assert "Eligo's own" in capsys.readouterr().out


def test_runs_that_are_killed(monkeypatch, capsys):
    monkeypatch.setattr(reliability, "VARIANTS", reliability.VARIANTS[:1])
    reliability.main(2)
    assert "| twice at once |" in capsys.readouterr().out
