"""The state on a disk that is full: the run stops and says so, ends of jobs are not lost, and it goes on with space.

Needs a file system of its own, which only root can mount.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import time
from itertools import pairwise
from pathlib import Path

import pytest

from benchmarks.engines.crashing import PATIENCE_S, Drivers, Trial, random_jobs
from eligo.engines._local.launcher import Keeper, Key
from eligo.engines._plan import Process

SMALL, LARGE = "size=400k", "size=32m"


def mount(*words):
    return subprocess.run(["mount", *words], capture_output=True, text=True, check=False, timeout=PATIENCE_S)


@pytest.fixture
def disk(tmp_path):
    """A small disk in memory."""
    place = tmp_path / "disk"
    place.mkdir()
    done = mount("-t", "tmpfs", "-o", SMALL, "tmpfs", str(place))
    if done.returncode != 0:
        pytest.skip(f"no file system can be mounted here: {done.stderr.strip() or done.returncode}")
    yield place
    for _ in range(50):  # a keeper may be about to end
        if subprocess.run(["umount", str(place)], capture_output=True, check=False, timeout=PATIENCE_S).returncode == 0:
            return
        time.sleep(0.2)
    pytest.fail("the disk is still in use")


def grow(disk):
    assert mount("-o", f"remount,{LARGE}", str(disk)).returncode == 0


def test_a_run_on_a_disk_that_fills_up(disk, tmp_path):
    """The log of the state grows until there is no space."""
    with Drivers() as drivers:
        jobs = random_jobs(random.Random(1), jobs=60, slow=0.0)
        for before, job in pairwise(jobs):  # one after the other: at least a commit each
            job["parents"] = [before["name"]]
        trial = Trial(drivers, tmp_path, jobs, home=disk / "state")
        trial.start()
        assert drivers.wait(PATIENCE_S) == 3
        told = (tmp_path / "errors").read_text()
        assert "state.sqlite" in told
        assert "full" in told
        assert "free some space" in told
        trial.look()
        grow(disk)
        trial.finish()
        trial.check()


def test_jobs_that_end_while_the_disk_is_full(disk, tmp_path):
    """Their keeper waits for space to record their ends: so none of them runs again."""
    jobs = random_jobs(random.Random(1), jobs=3)
    for job in jobs:
        job.update(parents=[], seconds=1.0)
    with Drivers() as drivers:
        trial = Trial(drivers, tmp_path, jobs, home=disk / "state")
        assert not trial.run_and_kill_when(lambda: len(trial.story()) == 3)
        fill(disk / "filler")
        deadline = time.monotonic() + PATIENCE_S
        while len(trial.story()) < 6:
            assert time.monotonic() < deadline
            time.sleep(0.02)
        time.sleep(0.3)
        trial.start()  # which cannot write, but does no harm
        assert drivers.wait(PATIENCE_S) == 3
        (disk / "filler").unlink()
        trial.finish()
        trial.check()
    assert len(trial.story()) == 6
    assert not [event for event in trial.events() if event["what"] == "AGAIN"]


def test_a_job_that_is_killed_while_its_start_waits_for_space(disk):
    """It leaves a part of a line; the record of its end begins another, else it would be lost and waited for."""
    keeper = Keeper(disk / "journal")
    try:
        os.write(keeper.journal.fd, b"x" * (os.sysconf("SC_PAGESIZE") - 10) + b"\n")  # the page has room for a part
        fill(disk / "filler")
        keeper.start(Key(0, 1, 0), Process(("true",), "/"), disk / "log")
        deadline = time.monotonic() + PATIENCE_S
        while not (children := children_of(keeper.pid)):
            assert time.monotonic() < deadline
            time.sleep(0.02)
        while os.fstat(keeper.journal.fd).st_size % os.sysconf("SC_PAGESIZE"):
            assert time.monotonic() < deadline
            time.sleep(0.02)
        os.kill(children[0], signal.SIGKILL)
        (disk / "filler").unlink()
        records = []
        while not records:
            assert time.monotonic() < deadline
            keeper.wait(0.1)
            records = keeper.read()
    finally:
        keeper.wait_for_end()
    assert [(record.kind, record.signal) for record in records] == [("E", signal.SIGKILL)]


def children_of(pid):
    text = "".join(path.read_text() for path in Path(f"/proc/{pid}/task").glob("*/children"))
    return [int(word) for word in text.split()]


def fill(path):
    """Write until there is no byte left."""
    with path.open("wb", buffering=0) as stream:
        for size in (65536, 4096, 1):
            try:
                while True:
                    stream.write(b"x" * size)
            except OSError:
                continue
    assert os.statvfs(path).f_bavail == 0
