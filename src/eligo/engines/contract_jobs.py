"""Small workflows for the contract test: jobs that write down themselves when they start and end.

What an engine says of itself proves little. So each job appends ``S name process`` when it begins and ``E name
process`` when it ends to one file, and the test reads that.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple, final

import numpy as np

from eligo.dag import Dag
from eligo.engines.plan import Plan, Process, Task
from eligo.formats.base import Document
from eligo.formats.storage import Source

__all__ = ["Entry", "Job", "Story", "make_dag", "plan_of_tasks", "write_dagman"]

_STEP = """\
#!/bin/sh
# LOG NAME SECONDS FAILURES: sleeps, and fails so many times before it succeeds
echo "S $2 $$" >> "$1"
tries=$(grep -c "^S $2 " "$1")
if [ ! -e "$1.hurry" ]; then sleep "$3" || exit 143; fi
echo "E $2 $$" >> "$1"
[ "$tries" -gt "$4" ]
"""
_TELL = """\
import json, os, sys
with open(sys.argv[1] + ".part", "w", encoding="utf-8", errors="surrogateescape") as stream:
    json.dump({"argv": sys.argv[2:], "cwd": os.getcwd(), "env": os.environ.get("CONTRACT")}, stream)
os.replace(sys.argv[1] + ".part", sys.argv[1])
"""
NEVER_SUCCEEDS = 1000


@final
@dataclass(frozen=True, slots=True)
class Job:
    """A job of the contract: what it does by its story, or the program it runs instead."""

    name: str
    parents: tuple[str, ...] = ()
    seconds: float = 0.0
    failures: int = 0
    retries: int = 0
    priority: int = 0
    tells: tuple[str, ...] = field(default=())


class Entry(NamedTuple):
    """One line that a job wrote: ``S`` or ``E``, its name, its process."""

    kind: str
    name: str
    process: str


class Story:
    r"""The file that all jobs write to, and the scripts by which they do.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as here:
    ...     story = Story(Path(here))
    ...     _ = story.log.write_text("S a 7\nE a 7\nS b 8\n")
    ...     story.runs("a"), story.ends("b"), story.position("S", "b")
    (1, 0, 2)
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.log = folder / "story"
        self.step = folder / "step.sh"
        self.tell = folder / "tell.py"
        self.step.write_text(_STEP)
        self.step.chmod(0o755)
        self.tell.write_text(_TELL)

    def argv(self, job: Job) -> tuple[str, ...]:
        """Return what a job runs."""
        if job.tells:
            return (sys.executable, str(self.tell), str(self.told(job.name)), *job.tells)
        return (str(self.step), str(self.log), job.name, f"{job.seconds:g}", str(job.failures))

    def told(self, name: str) -> Path:
        """Return where a job says which arguments it got."""
        return self.folder / f"told-{name}.json"

    def hurry(self) -> None:
        """Let no job sleep from now on."""
        Path(f"{self.log}.hurry").touch()

    def entries(self) -> list[Entry]:
        """Return what was written so far, whole lines only."""
        if not self.log.exists():
            return []
        lines = self.log.read_text().split("\n")[:-1]
        return [Entry(*line.split(" ")) for line in lines]

    def runs(self, name: str) -> int:
        """Return how often a job began."""
        return sum(entry.kind == "S" and entry.name == name for entry in self.entries())

    def ends(self, name: str) -> int:
        """Return how often a job came to its end."""
        return sum(entry.kind == "E" and entry.name == name for entry in self.entries())

    def position(self, kind: str, name: str) -> int:
        """Return which line says so for the first time."""
        return next(i for i, entry in enumerate(self.entries()) if entry[:2] == (kind, name))


def make_dag(jobs: Sequence[Job]) -> Dag:
    """Return the dag of some jobs, in their order."""
    edges = [(parent, job.name) for job in jobs for parent in job.parents]
    return Dag.from_names(edges, jobs=[job.name for job in jobs])


def _priorities(jobs: Sequence[Job]) -> np.ndarray[tuple[int], np.dtype[np.int32]]:
    return np.array([job.priority for job in jobs], np.int32)


def plan_of_tasks(story: Story, jobs: Sequence[Job]) -> Plan:
    """Return a plan whose tasks are made here, for engines that run tasks whatever file they are from."""
    dag = make_dag(jobs)
    path = story.folder / "flow.dot"
    path.write_text("digraph {}\n")

    def task(index: int) -> Task:
        job = jobs[index]
        process = Process(story.argv(job), str(story.folder), {"CONTRACT": "a 'b' $(c)"})
        return Task(job.name, (process,), retries=job.retries, path=str(path))

    return Plan(Document(dag, "dot", Source(str(path), b"")), dag, _priorities(jobs), task, story.folder)


def write_dagman(story: Story, jobs: Sequence[Job]) -> Path:
    """Write a DAGMan file, for engines that need one; make the plan of it with ``make_plan``."""
    path = story.folder / "flow.dag"
    lines = []
    for job in jobs:
        program, *arguments = story.argv(job)
        lines += [f"JOB {job.name} {job.name}.sub", f"PRIORITY {job.name} {job.priority}"]
        lines += [f"RETRY {job.name} {job.retries}"] if job.retries else []
        lines += [f"PARENT {' '.join(job.parents)} CHILD {job.name}"] if job.parents else []
        (story.folder / f"{job.name}.sub").write_text(_submit_file(story, job.name, program, arguments))
    path.write_text("\n".join([*lines, ""]))
    return path


def _submit_file(story: Story, name: str, program: str, arguments: Sequence[str]) -> str:
    words = " ".join("'" + word.replace("'", "''") + "'" for word in arguments)
    quoted = words.replace('"', '""').replace("$", "$(DOLLAR)")
    return (
        f"executable = {program}\ntransfer_executable = false\nshould_transfer_files = no\n"
        f'arguments = "{quoted}"\ninitialdir = {story.folder}\n'
        f"output = {name}.out\nerror = {name}.err\nlog = {name}.log\n"
        "environment = \"CONTRACT='a ''b'' $(DOLLAR)(c)'\"\nqueue\n"
    )
