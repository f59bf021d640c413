"""Runs that are killed at random moments, with real processes: nothing is lost, repeated, or twice at the same time.

What is checked, and how, stands in ``benchmarks/engines/crashing.py``.
"""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import time
from contextlib import closing

import pytest

from benchmarks.engines.crashing import PATIENCE_S, Drivers, Tally, Trial, keepers_of, overlaps, random_jobs
from benchmarks.engines.reliability import VARIANTS, trials
from eligo.engines._state import FILE_NAME


@pytest.fixture(scope="module")
def spare():
    """Where the drivers of the test before are, since they take a while to start."""
    kept = []
    yield kept
    for made in kept:
        made.close()


@pytest.fixture
def drivers(spare):
    made = spare.pop() if spare else Drivers()
    yield made
    if made.running is None:
        spare.append(made)
    else:  # a failure left its run behind
        made.close()


def described(name, *parents, seconds=0.0, **more):
    return {
        "name": name,
        "parents": list(parents),
        "seconds": seconds,
        "fail": 0,
        "retries": 0,
        "before": False,
        "after": False,
        "box": False,
        **more,
    }


@pytest.mark.parametrize("variant", VARIANTS, ids=[variant.name for variant in VARIANTS])
def test_killed_at_random(variant, drivers, tmp_path):
    tally = Tally()
    trials(variant, drivers, tmp_path, tally, kills=8, seed=7)
    assert tally.kills >= 8


@pytest.mark.long
@pytest.mark.parametrize("variant", VARIANTS, ids=[variant.name for variant in VARIANTS])
def test_killed_at_random_and_often(variant, drivers, tmp_path):
    tally = Tally()
    trials(variant, drivers, tmp_path, tally, kills=60, seed=time.time_ns())
    assert tally.kills >= 60


def test_killed_within_milliseconds_of_the_start(drivers, tmp_path):
    trial = Trial(drivers, tmp_path, random_jobs(random.Random(1), jobs=6))
    for milliseconds in range(0, 36, 2):
        if trial.run_and_kill(milliseconds / 1000):
            break
    trial.finish()
    trial.check()


def test_long_jobs_are_adopted_again_and_again(drivers, tmp_path):
    trial = Trial(drivers, tmp_path, [described("a", seconds=2.0), described("b", "a"), described("c", seconds=1.0)])
    for _ in range(6):
        assert not trial.run_and_kill(0.2)
    trial.finish()
    trial.check()
    adopted = [event["job"] for event in trial.events() if event["what"] == "ADOPTED"]
    assert "a" in adopted
    assert [line.name for line in trial.story() if line.kind == "S"].count("a") == 1


def test_to_resume_what_is_complete_starts_nothing(drivers, tmp_path):
    trial = Trial(drivers, tmp_path, random_jobs(random.Random(2), jobs=8))
    trial.finish()
    before = trial.story(), [event for event in trial.events() if event["what"] != "NOTE"]
    trial.finish()
    assert (trial.story(), [event for event in trial.events() if event["what"] != "NOTE"]) == before
    trial.check()


def test_stopped_for_a_while(drivers, tmp_path):
    """A run that is stopped (SIGSTOP) while its jobs end goes on when it is continued."""
    trial = Trial(drivers, tmp_path, random_jobs(random.Random(3), jobs=12))
    process = trial.start()
    assert drivers.wait(0.1) is None
    os.kill(process, signal.SIGSTOP)
    try:
        time.sleep(0.4)
        assert drivers.wait(0.0) is None
    finally:
        os.kill(process, signal.SIGCONT)
    assert drivers.wait(PATIENCE_S) == 0
    trial.check()


def test_a_stopped_keeper_that_is_killed_with_requests_unread(drivers, tmp_path):
    """What it was asked for and never read is started by the next keeper."""
    trial = Trial(drivers, tmp_path, [described(f"j{i}", seconds=0.05) for i in range(12)])
    trial.start()
    wait_for(lambda: keepers_of(trial.home))
    (keeper,) = keepers_of(trial.home)
    os.kill(keeper, signal.SIGSTOP)
    time.sleep(0.3)
    os.kill(keeper, signal.SIGKILL)
    assert drivers.wait(PATIENCE_S) == 0
    trial.check()


@pytest.mark.parametrize("elsewhere", [False, True], ids=["the same state", "another state"])
def test_a_second_run_is_refused(elsewhere, drivers, tmp_path):
    trial = Trial(drivers, tmp_path, [described("a", seconds=1.0)])
    with Drivers() as others:
        trial.start()
        wait_for(trial.story)
        others.start(tmp_path, state=str(tmp_path / "other") if elsewhere else None)
        assert others.wait(PATIENCE_S) == 3
    assert "goes on" in (tmp_path / "errors").read_text()
    assert drivers.wait(PATIENCE_S) == 0
    trial.check()


def test_a_run_of_another_machine_is_left_alone(drivers, tmp_path):
    trial = Trial(drivers, tmp_path, [described("a", seconds=0.5), described("b", "a")])
    assert not trial.run_and_kill_when(trial.story)
    change(trial.home, "UPDATE epochs SET host = 'far-away'")
    trial.start()
    assert drivers.wait(PATIENCE_S) == 3
    told = (tmp_path / "errors").read_text()
    assert "far-away" in told
    assert "--presume-dead" in told
    wait_for(lambda: not keepers_of(trial.home))
    trial.finish(presume_dead=True)
    assert not overlaps(trial.story())
    assert [line.name for line in trial.story() if line.kind == "E"].count("a") == 1  # its end was in the journal


def test_after_the_machine_started_anew_all_in_flight_runs_again(drivers, tmp_path):
    trial = Trial(drivers, tmp_path, [described("a", seconds=0.4), described("b", "a"), described("c")])
    assert not trial.run_and_kill_when(trial.story)
    for keeper in keepers_of(trial.home):
        os.kill(keeper, signal.SIGKILL)
    wait_for(lambda: any(line.kind == "E" and line.name == "a" for line in trial.story()))
    change(trial.home, "UPDATE epochs SET boot = 'an earlier one'")
    trial.finish()
    trial.check()
    assert "a" in {event["job"] for event in trial.events() if event["what"] == "AGAIN"}


@pytest.mark.parametrize("jump_s", [-40_000_000.0, -3600.0, 3600.0, 400_000_000.0])
def test_clocks_that_jump(jump_s, drivers, tmp_path):
    """The driver checks the trace: every job ends after it starts, and starts after its parents have ended."""
    trial = Trial(drivers, tmp_path, [described("a", seconds=1.0), described("b", "a"), described("c", "b")])
    assert not trial.run_and_kill_when(trial.story)
    time.sleep(0.7)
    trial.finish(jump_s=jump_s)
    trial.check()


def test_fewer_slots_than_before(drivers, tmp_path):
    trial = Trial(drivers, tmp_path, [described(f"j{i}", seconds=0.5) for i in range(8)])
    assert not trial.run_and_kill_when(lambda: len(trial.story()) >= 4, slots=6)
    trial.finish(slots=1)
    trial.check()


def test_a_script_after_is_all_that_is_left(drivers, tmp_path):
    """Killed while the script after a job runs: the job itself is not repeated."""
    trial = Trial(drivers, tmp_path, [described("a", after=True, slow_after=0.6), described("b", "a")])
    assert not trial.run_and_kill_when(lambda: any(line.step == "after" for line in trial.story()))
    for keeper in keepers_of(trial.home):
        os.kill(keeper, signal.SIGKILL)
    trial.finish()
    trial.check()
    steps = [line.step for line in trial.story() if line.kind == "S" and line.name == "a"]
    assert steps.count("main") == 1
    assert steps.count("after") == 2


def wait_for(wanted):
    deadline = time.monotonic() + PATIENCE_S
    while not wanted():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def change(home, statement):
    with closing(sqlite3.connect(home / FILE_NAME)) as connection, connection:
        connection.execute(statement)
