"""A real Slurm for the tests: small clusters on this machine, each test process with its own.

A cluster is known by its settings. Clusters of one process share a numbered place that no other process has while it
lives (a lock), so that tests of several processes never meet, and all of them end with it. Where there can be none,
because there is no tool, no root or no way to its packages, tests skip with the reason; once one runs, whatever goes
wrong is a failure.
"""

from __future__ import annotations

import atexit
import fcntl
import os
import subprocess
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import IO

import pytest

from tests.corpus import SHARED

TOOL = SHARED / "slurm" / "cluster"
_FIRST_PORT, _PORTS, _PLACES = 7400, 10, 50
_TEMPORARY = Path(tempfile.gettempdir())
_places: list[IO[str]] = []


@dataclass(frozen=True)
class Cluster:
    """A cluster that runs."""

    environment: tuple[tuple[str, str], ...]

    @property
    def conf(self) -> str:
        """What ``SLURM_CONF`` must be."""
        return f"{dict(self.environment)['CLUSTER_ROOT']}/slurm.conf"

    def tool(self, *words: str, timeout_s: float = 400) -> None:
        """Call the tool that made it; it must succeed."""
        _tool(self.environment, words, timeout_s)

    def run(self, *argv: str, timeout_s: float = 60) -> str:
        """Run a command of Slurm and return what it prints; it must succeed."""
        env = os.environ | {"SLURM_CONF": self.conf}
        done = subprocess.run(argv, capture_output=True, text=True, timeout=timeout_s, check=False, env=env)
        assert done.returncode == 0, f"{argv}: {done.returncode}\n{done.stdout}{done.stderr}"
        return done.stdout

    def until(self, what: Callable[[], bool], timeout_s: float = 60) -> None:
        """Wait for something."""
        deadline = time.monotonic() + timeout_s
        while not what():
            assert time.monotonic() < deadline, f"nothing within {timeout_s} s\n{self.run('squeue', '-t', 'all')}"
            time.sleep(0.05)

    def block(self, seconds: int, cpus: int = 1) -> str:
        """Occupy slots with a job of somebody else's; return its number, once it runs."""
        words = ["--parsable", "--output=/dev/null", f"--cpus-per-task={cpus}", f"--wrap=sleep {seconds}"]
        job = self.run("sbatch", *words).strip()
        self.until(lambda: self.run("squeue", "-h", "-j", job, "-o", "%T").strip() == "RUNNING")
        return job


def _tool(environment: tuple[tuple[str, str], ...], words: tuple[str, ...], timeout_s: float) -> None:
    done = subprocess.run(
        [TOOL, *words],
        capture_output=True,
        text=True,
        timeout=timeout_s,
        check=False,
        env=os.environ | dict(environment),
    )
    assert done.returncode == 0, f"cluster {' '.join(words)}: {done.returncode}\n{done.stdout}{done.stderr}"


@cache
def _place() -> int:
    """Return the number of a place that no other process has while we live."""
    for number in range(_PLACES):
        stream = (_TEMPORARY / f"eligo-slurm-{number}.place").open("a")
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            stream.close()
            continue
        _places.append(stream)
        return number
    raise AssertionError("too many test processes use Slurm at once")


@cache
def _start(settings: tuple[tuple[str, str], ...], number: int) -> Cluster | str:
    if not TOOL.is_file():
        return "the Slurm cluster tool is not beside the project"
    if os.geteuid() != 0:
        return "the Slurm cluster needs root"
    place = _place()
    root = _TEMPORARY / f"eligo-slurm-{place}-{number}"
    port = _FIRST_PORT + (place * _PORTS + number) * 10
    cluster = Cluster((("CLUSTER_ROOT", str(root)), ("CLUSTER_PORT", str(port)), *settings))
    with (_TEMPORARY / "eligo-slurm-start.lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # the first start installs packages
        try:
            cluster.tool("down")  # of a process that was killed, perhaps with other settings
            atexit.register(cluster.tool, "destroy")
            cluster.tool("up")
        except (AssertionError, subprocess.TimeoutExpired) as error:
            return f"the Slurm cluster does not start here: {error}"
    return cluster


_numbers: dict[tuple[tuple[str, str], ...], int] = {}


def need_cluster(**settings: object) -> Cluster:
    """Start a cluster with such settings, in small letters (``cpus=1``), or skip the test where there can be none."""
    key = tuple(sorted((f"CLUSTER_{name.upper()}", str(value)) for name, value in settings.items()))
    found = _start(key, _numbers.setdefault(key, len(_numbers)))
    if isinstance(found, str):
        pytest.skip(found)
    return found
