"""The Plan: what an engine is asked to do, whatever file it was read from.

A workflow file says which jobs there are, what each runs, and what to do when one fails. Formats differ in how; engines
differ in where and when. Between them stands the plan: the dag with its priorities, and for each job a *task*.

A task is what DAGMan calls a node: a script before, the processes, a script after, and how often to try. Formats that
know nothing of scripts have tasks with one process. Tasks are made when they are asked for, since a million of them
would not fit; asking twice gives equal ones.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import final

import numpy as np

from eligo.dag import Dag, Int32, Int64
from eligo.formats._base import Document
from eligo.memory._footprint import Footprint

__all__ = ["Abort", "Categories", "Hook", "Plan", "Process", "Sandbox", "Task"]


@final
@dataclass(frozen=True, slots=True)
class Sandbox:
    """A directory of its own for a process, as HTCondor's file transfer makes one.

    Attributes
    ----------
    inputs
        Name in the sandbox and absolute path of each file or directory that is put there before.
    outputs
        Name in the sandbox and absolute path of each file that is taken out after; ``None`` for every file at the top
        that is new or changed, into the directory of the process.
    remaps
        Where new files go that do not go there under their own name: name and absolute path.
    """

    inputs: tuple[tuple[str, str], ...] = ()
    outputs: tuple[tuple[str, str], ...] | None = None
    remaps: tuple[tuple[str, str], ...] = ()


@final
@dataclass(frozen=True, slots=True)
class Process:
    """One program to run. There is no shell: a workflow that wants one names it as the program.

    Attributes
    ----------
    argv
        The program, as an absolute path or as a name to look for in ``PATH``, and its arguments.
    directory
        Where it runs: an absolute path.
    environment
        What the workflow sets, beside what the place where it runs has (`inherit`) or instead of it.
    stdin, stdout, stderr
        Absolute paths; no input where there is none, the engine's own log where there is no output.
    """

    argv: tuple[str, ...]
    directory: str
    environment: Mapping[str, str] = field(default_factory=dict)
    inherit: bool = True
    stdin: str | None = None
    stdout: str | None = None
    stderr: str | None = None
    sandbox: Sandbox | None = None


@final
@dataclass(frozen=True, slots=True)
class Hook:
    """A script that runs where the engine is, before or after a job.

    Attributes
    ----------
    argv
        The program and its arguments, in which words such as ``$JOB`` and ``$RETURN`` stand for what is known then.
    directory
        Where it runs: an absolute path.
    defer_status, defer_s
        The exit status with which it asks to be tried again after so many seconds, where it may.
    """

    argv: tuple[str, ...]
    directory: str
    defer_status: int | None = None
    defer_s: int = 0


@final
@dataclass(frozen=True, slots=True)
class Abort:
    """The exit status of a job at which the whole run ends, and with which status the run ends then."""

    exit_code: int
    returns: int | None = None


@final
@dataclass(frozen=True, slots=True)
class Task:
    """What one job does.

    Attributes
    ----------
    name
        The job's.
    processes
        Run at the same time, and all must succeed; none for a job that does nothing.
    before, after
        Scripts: where `before` fails, the job does; where there is `after`, its exit status is the job's.
    retries, unless_exit
        How often to try again, and the exit status after which that is useless.
    skip_code
        The exit status of `before` at which all the rest is left out and the job has succeeded.
    done
        Whether the file says that it was done before.
    cpus, memory_bytes, disk_bytes
        What it asks for.
    path, line
        Where it is described, for messages.
    """

    name: str
    processes: tuple[Process, ...] = ()
    before: Hook | None = None
    after: Hook | None = None
    retries: int = 0
    unless_exit: int | None = None
    skip_code: int | None = None
    abort: Abort | None = None
    done: bool = False
    cpus: int = 1
    memory_bytes: int | None = None
    disk_bytes: int | None = None
    path: str = ""
    line: int | None = None


@final
@dataclass(frozen=True, slots=True, eq=False)
class Categories:
    """How many jobs of a kind may run at once: the category of each job (-1: none), and the most of each."""

    of: Int32
    most: Int32


@final
@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """What an engine is asked to do.

    Attributes
    ----------
    document
        The workflow as it was read, for engines that know its format.
    dag
        Its jobs, with the dependencies that a limit added.
    priorities
        Of each job; among jobs that could start, the largest starts first, and of equals the lower index.
    task
        Returns what a job does, by its index. Raises ``ParseError`` where no engine could do it.
    home
        The directory of the workflow, absolute.
    final
        What runs when all else is over, whether it succeeded or not.
    footprint, limit
        What jobs occupy, and how much all together may; both or neither.
    delete_intermediate
        Whether files that only feed other jobs go away after their last reader.
    warnings
        What the workflow asks for and nobody will do, as sentences.
    command
        What all jobs run instead of what the file says, where the user gave that.
    """

    document: Document
    dag: Dag
    priorities: Int32
    task: Callable[[int], Task]
    home: Path
    final: Task | None = None
    categories: Categories | None = None
    footprint: Footprint | None = None
    limit: int | None = None
    delete_intermediate: bool = False
    warnings: tuple[str, ...] = ()
    command: str | None = None

    def task_of(self, job: int) -> Task:
        """Return what a job does; the one after the last is the final task."""
        if job < self.dag.n:
            return self.task(job)
        assert self.final is not None, job
        return self.final

    def ranks(self) -> Int64:
        """Return the place of each job by priority, of equals the lower index first; the first has 0.

        Examples
        --------
        >>> from eligo.formats._source import Source
        >>> document = Document(Dag.from_edges(3), "dot", Source("x.dot", b""))
        >>> Plan(document, document.dag, np.array([1, 5, 5], np.int32), Task, Path("/")).ranks().tolist()
        [2, 0, 1]
        """
        places = np.empty(self.dag.n, np.int64)
        places[np.argsort(-self.priorities.astype(np.int64), kind="stable")] = np.arange(self.dag.n)
        return places
