"""The state on a disk that is full: the run stops and says so, ends of jobs are not lost, and it goes on with space.

Needs a file system of its own, which only root can mount.
"""

from __future__ import annotations

import os
import random
import subprocess
import time
from itertools import pairwise

import pytest

from benchmarks.engines.crashing import PATIENCE_S, Drivers, Trial, random_jobs

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
