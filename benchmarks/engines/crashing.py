"""Kills runs of the local engine and checks, by what the jobs themselves wrote, that nothing was lost or repeated.

What must hold, however often the run, its keeper or both were killed:

* at the end every job has succeeded;
* nothing that the state on disk called done at a kill was started after it;
* no two processes of a job ran at the same time;
* a job starts after the last end of each of its parents;
* what ran again although it had not failed is listed.
"""

from __future__ import annotations

import json
import os
import random
import select
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.engines.driving import SCRIPT
from eligo.engines._state import FILE_NAME, JobStatus

__all__ = ["Drivers", "Line", "Tally", "Trial", "keepers_of", "random_jobs"]

ROOT = Path(__file__).resolve().parents[2]
PATIENCE_S = 60.0


class Drivers:
    """The process that becomes a run for each order; see ``driving.py``.

    Attributes
    ----------
    running
        The run that goes on, if any; there is one at a time.
    """

    def __init__(self) -> None:
        command = [sys.executable, "-m", "benchmarks.engines.driving"]
        self._process = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self._rest = b""
        self.running: int | None = None

    def start(self, folder: Path, **order: Any) -> int:
        """Start a run, or resume one, and return its process number."""
        defaults = {"slots": 3, "state": None, "presume_dead": False, "jump_s": 0.0}
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps({"folder": str(folder), **defaults, **order}).encode() + b"\n")
        self._process.stdin.flush()
        number = self._line(PATIENCE_S)
        assert number is not None, "no run was started"
        self.running = int(number)
        return self.running

    def wait(self, timeout_s: float) -> int | None:
        """Return the exit status of the run, or ``None`` while it goes on."""
        line = self._line(timeout_s)
        if line is None:
            return None
        self.running = None
        return int(line)

    def _line(self, timeout_s: float) -> bytes | None:
        assert self._process.stdout is not None
        deadline = time.monotonic() + timeout_s
        while b"\n" not in self._rest:
            ready, _, _ = select.select([self._process.stdout], [], [], max(0.0, deadline - time.monotonic()))
            if not ready:
                return None
            data = os.read(self._process.stdout.fileno(), 4096)
            assert data, "the process that makes runs is gone"
            self._rest += data
        line, _, self._rest = self._rest.partition(b"\n")
        return line

    def close(self) -> None:
        """End it, and the run that it may have."""
        if self.running is not None:
            with _gone_is_fine():
                os.kill(self.running, signal.SIGKILL)
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait(PATIENCE_S)
        self._process.stdout.close()

    def __enter__(self) -> Drivers:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


@dataclass(frozen=True, slots=True)
class Line:
    """What a job wrote: ``S`` or ``E``, which step, its name, its process, and at its end the exit status."""

    kind: str
    step: str
    name: str
    process: int
    code: int = 0


@dataclass(slots=True)
class Tally:
    """What was counted over all trials."""

    trials: int = 0
    jobs: int = 0
    kills: int = 0
    repeated: int = 0
    lost: int = 0
    at_once: int = 0


def random_jobs(
    rng: random.Random, *, jobs: int, fail: int = 0, hooks: bool = False, box: bool = False, slow: float = 0.04
) -> list[Any]:
    """Return the description of a random dag, its jobs perhaps each in a sandbox.

    Most take up to `slow` seconds, a quarter up to twelve times that: they outlive whoever started them.
    """
    described = []
    for i in range(jobs):
        parents = {f"j{rng.randrange(i)}" for _ in range(rng.choice([0, 1, 1, 2]))} if i else set()
        described.append(
            {
                "name": f"j{i}",
                "parents": sorted(parents),
                "seconds": round(rng.uniform(0, slow if rng.random() < 0.75 else 12 * slow), 3),
                "fail": fail,
                "retries": 60 if fail else 0,
                "before": hooks and rng.random() < 0.5,
                "after": hooks and rng.random() < 0.7,
                "box": box,
            }
        )
    return described


class Trial:
    """One workflow in a folder, run until it is done however often it is killed."""

    def __init__(self, drivers: Drivers, folder: Path, jobs: Sequence[Any], *, home: Path | None = None) -> None:
        self.drivers = drivers
        self.folder = folder
        self.jobs = list(jobs)
        self.home = folder / "flow.dot.eligo" if home is None else home
        self.kills = 0
        self._order: dict[str, Any] = {} if home is None else {"state": str(home)}
        self._done_at: list[tuple[int, set[str], set[str]]] = []
        (folder / "plan.json").write_text(json.dumps(self.jobs))
        (folder / "flow.dot").write_text("digraph {}\n")
        (folder / "job.sh").write_text(SCRIPT)
        (folder / "job.sh").chmod(0o755)

    def start(self, **order: Any) -> int:
        """Start or resume it."""
        return self.drivers.start(self.folder, **self._order, **order)

    def run_and_kill(self, after_s: float, what: str = "driver", **order: Any) -> bool:
        """Run for a moment, then kill the run, its keeper, or both; tell whether it was over before."""
        process = self.start(**order)
        if (status := self.drivers.wait(after_s)) is not None:
            self._demand_success(status)
            return True
        while not (keepers := keepers_of(self.home)) and what == "keeper":
            if (status := self.drivers.wait(0.02)) is not None:
                self._demand_success(status)
                return True
        victims = {
            "driver": [process],
            "keeper": keepers,
            "both": [process, *keepers],
            "keeper first": [*keepers, process],
        }
        for victim in victims[what]:
            with _gone_is_fine():
                os.kill(victim, signal.SIGKILL)
                self.kills += 1
        if what == "keeper":
            if (status := self.drivers.wait(PATIENCE_S)) is not None:
                self._demand_success(status)
            return status is not None
        assert self.drivers.wait(PATIENCE_S) is not None
        self.look()
        return False

    def run_and_kill_when(self, wanted: Callable[[], object], **order: Any) -> bool:
        """Run until something is so, then kill the run; tell whether it was over before."""
        process = self.start(**order)
        deadline = time.monotonic() + PATIENCE_S
        while not wanted():
            assert time.monotonic() < deadline, "it never came to that"
            if (status := self.drivers.wait(0.005)) is not None:
                self._demand_success(status)
                return True
        os.kill(process, signal.SIGKILL)
        self.kills += 1
        assert self.drivers.wait(PATIENCE_S) is not None
        self.look()
        return False

    def finish(self, **order: Any) -> None:
        """Resume, and let it come to its end."""
        self.start(**order)
        status = self.drivers.wait(PATIENCE_S)
        assert status is not None, "the run does not come to its end"
        self._demand_success(status)

    def _demand_success(self, status: int) -> None:
        if status != 0:
            errors = self.folder / "errors"
            raise AssertionError(f"exit status {status}\n{errors.read_text() if errors.exists() else ''}")

    def look(self) -> None:
        """Take note of what the state says is done, without touching it, and how far the story is."""
        position = len(self.story())
        with copied_state(self.home) as connection:
            if connection is None:
                return
            done = connection.execute("SELECT name FROM jobs WHERE status = ?", (JobStatus.DONE,))
            names = {name for (name,) in done}
            ended: set[str] = set()
            if connection.execute("SELECT count(*) FROM sqlite_master WHERE name = 'steps'").fetchone()[0]:
                query = "SELECT name FROM steps JOIN jobs USING (job) WHERE step >= 0 AND code = 0"
                ended = {name for (name,) in connection.execute(query)}
        self._done_at.append((position, names, ended))

    def story(self) -> list[Line]:
        """Return what the jobs wrote so far."""
        path = self.folder / "story"
        lines = path.read_text().split("\n")[:-1] if path.exists() else []
        return [_line(line) for line in lines]

    def events(self) -> list[dict[str, Any]]:
        """Return what the runs told."""
        path = self.folder / "events"
        lines = path.read_text().split("\n")[:-1] if path.exists() else []
        return [json.loads(line) for line in lines]

    def check(self, tally: Tally | None = None) -> None:
        """Check all that must hold at the end."""
        story = self.story()
        at_once = overlaps(story)
        again = {event["job"] for event in self.events() if event["what"] == "AGAIN"} | self._listed()
        repeated = self._repeated(story)
        lost = [job["name"] for job in self.jobs if not _succeeded(story, job["name"])]
        if tally is not None:
            tally.trials += 1
            tally.jobs += len(self.jobs)
            tally.kills += self.kills
            tally.repeated += len(repeated)
            tally.lost += len(lost)
            tally.at_once += len(at_once)
        assert not at_once, f"at the same time: {at_once}"
        assert not lost, f"never succeeded: {lost}"
        assert set(repeated) <= again, f"ran again and nobody was told: {set(repeated) - again}"
        self._check_done(story)
        self._check_order(story)
        missing = [
            job["name"] for job in self.jobs if job["box"] and not (self.folder / f"made-{job['name']}").exists()
        ]
        assert not missing, f"what was made is not in its place: {missing}"
        assert not list(self.home.glob("sandboxes/*")), "a sandbox was left behind"
        assert not keepers_of(self.home), "a keeper was left behind"
        assert not list(self.home.glob("journal.*")), "a journal was left behind"

    def _listed(self) -> set[str]:
        """Return the jobs that the state lists as run again: a run may be killed before it can tell of them."""
        with copied_state(self.home) as connection:
            assert connection is not None
            found = connection.execute("SELECT value FROM run WHERE key = 'repeated'").fetchone()
            return {self.jobs[job]["name"] for job in json.loads(found[0])} if found else set()

    def _repeated(self, story: Sequence[Line]) -> list[str]:
        """Return the jobs of which a step ran more often than failures explain."""
        starts = Counter((line.name, line.step) for line in story if line.kind == "S")
        failures = Counter(line.name for line in story if line.kind == "E" and line.code != 0)
        return sorted({name for (name, _), times in starts.items() if times > 1 + failures[name]})

    def _check_done(self, story: Sequence[Line]) -> None:
        for position, done, ended in self._done_at:
            later = {(line.name, line.step) for line in story[position:] if line.kind == "S"}
            assert not done & {name for name, _ in later}, "what was recorded as done ran again"
            mains = {name for name, step in later if step == "main"}
            assert not ended & mains, "a recorded success of the job itself was repeated"

    def _check_order(self, story: Sequence[Line]) -> None:
        first: dict[str, int] = {}
        last: dict[str, int] = {}
        for i, line in enumerate(story):
            if line.kind == "S":
                first.setdefault(line.name, i)
            else:
                last[line.name] = i
        for job in self.jobs:
            for parent in job["parents"]:
                assert last[parent] < first[job["name"]], f"{job['name']} started before the end of {parent}"


def _succeeded(story: Sequence[Line], name: str) -> bool:
    return any(line.kind == "E" and line.step == "main" and line.name == name and line.code == 0 for line in story)


def overlaps(story: Sequence[Line]) -> list[str]:
    """Return the jobs of which two processes ran at the same time.

    Examples
    --------
    >>> overlaps([Line("S", "main", "a", 1), Line("S", "main", "a", 2)]), overlaps([Line("S", "main", "a", 1)])
    (['a'], [])
    """
    running: dict[str, int] = {}
    found = []
    for line in story:
        if line.kind == "S":
            if line.name in running:
                found.append(line.name)
            running[line.name] = line.process
        elif running.get(line.name) == line.process:
            del running[line.name]
    return found


def keepers_of(home: Path) -> list[int]:
    """Return the keepers that have a journal of this run open."""
    wanted = f"{home.resolve()}/journal."
    parent: dict[int, int] = {}
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        with _gone_is_fine():
            is_keeper = b"eligo-job\0keep" in (entry / "cmdline").read_bytes()
            if is_keeper and any(name.startswith(wanted) for name in _open_files(entry)):
                parent[int(entry.name)] = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
    return [number for number in parent if parent[number] not in parent]  # others are about to become jobs


def _open_files(process: Path) -> Iterator[str]:
    """Yield what a process has open; it may close files meanwhile."""
    for link in (process / "fd").iterdir():
        with _gone_is_fine():
            yield str(link.readlink())


@contextmanager
def copied_state(home: Path) -> Iterator[sqlite3.Connection | None]:
    """Open a copy of the state; the state itself is not touched."""
    if not (home / FILE_NAME).exists():
        yield None
        return
    with tempfile.TemporaryDirectory() as folder:
        for path in home.glob(f"{FILE_NAME}*"):
            if not path.name.endswith("-shm"):
                shutil.copy(path, folder)
        with closing(sqlite3.connect(Path(folder, FILE_NAME))) as connection:
            if not connection.execute("SELECT count(*) FROM sqlite_master WHERE name = 'jobs'").fetchone()[0]:
                yield None
                return
            yield connection


@contextmanager
def _gone_is_fine() -> Iterator[None]:
    with suppress(ProcessLookupError, FileNotFoundError, PermissionError):
        yield


def _line(text: str) -> Line:
    kind, step, name, process, *code = text.split(" ")
    return Line(kind, step, name, int(process), int(code[0]) if code else 0)
