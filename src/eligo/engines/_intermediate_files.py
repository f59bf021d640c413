"""Which files the data of a dag are: how large they turned out, and when those that only feed other jobs may go.

Problem: after a job the sizes of its outputs are worth keeping, and under ``--delete-intermediate`` a file goes away
once nobody will read it again, so that a disk bound holds. A file deleted too early, or one that is the user's, is a
disaster; one kept too long only costs space.

Idea: data whose names lead to the same path are one file. A file may go when every job that makes or reads any copy of
it has succeeded, also those that read it without waiting for it; each job is counted once per file, so that a job's end
costs as much as the files it uses. Never to go are files

* that exist before the run (some copy comes from outside), that nobody reads, or that the workflow wants kept (Pegasus:
  ``stageOut: true``, in a DAX ``transfer="true"``): see :attr:`FilesSeen.wanted`;
* whose name has ``..`` in it, whose path leaves the directory of the workflow through a symbolic link, or that are no
  plain files (directories, links);
* that were there, unchanged, since before the run began, as far as `since` tells. The time of the last change of the
  inode counts, which copying and unpacking cannot set back.

The counters come from the jobs that are done, so a resumed run goes on where it stopped; files of which only the
deletion was missing then are :meth:`FilesSeen.left_over`.

Every reading that a workflow file lists, also those that its dag leaves out, and the files it wants to have kept.

The dag knows who reads a file only where the reader depends on who makes it. A file may list more readings (a job reads
what some job makes that it does not wait for); they are no reason to wait, but one not to delete the file before. And
Pegasus says of an output whether it is a result that is to be staged out, though other jobs read it as well.

After a success: sizes of files are taken down, and files that only feed other jobs go away where that is wanted.

The local engine does it before it starts the next job, so that a disk bound holds at every moment. For the others it is
done as soon as their successes are heard of; they may have started the next job by then.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from eligo.dag import OUTSIDE
from eligo.engines._plan import Plan
from eligo.engines._state import JobStatus, State
from eligo.formats._base import Document

__all__ = [
    "Cleaning",
    "FilesSeen",
    "listed_readings",
    "wanted_files",
]


def listed_readings(document: Document) -> Iterator[tuple[int, str]]:
    """Yield each job and file that it is said to read.

    Examples
    --------
    >>> from eligo.formats._source import Source
    >>> from eligo.formats._wfformat.reader import parse
    >>> text = b'{"workflow": {"jobs": [{"name": "a", "files": [{"name": "f", "link": "input"}]}]}}'
    >>> list(listed_readings(parse(Source("x.json", text), None)))
    [(0, 'f')]
    """
    if document.format == "wfformat":
        yield from _wfformat_readings(document.details.tree["workflow"])
    for job, use in _uses(document):
        if use.get("type") in ("input", "inout"):
            yield job, str(use.get("lfn"))


def wanted_files(document: Document) -> set[str]:
    """Return the names of files that the workflow wants to have at the end."""
    return {
        str(use.get("lfn"))
        for _, use in _uses(document)
        if use.get("type") in ("output", "inout") and str(use.get("stageOut")).lower() == "true"
    }


def _uses(document: Document) -> Iterator[tuple[int, Any]]:
    """Yield the uses of files of a Pegasus workflow, in whichever form."""
    if document.format == "pegasus":
        tree = document.details.tree
    elif document.format == "dax":
        from eligo.engines._tasks.dax_tasks import tree_of

        tree = tree_of(document.source)
    else:
        return
    for number, job in enumerate(tree.get("jobs") or ()):
        for use in job.get("uses") or ():
            yield number, use


def _wfformat_readings(workflow: dict[str, Any]) -> Iterator[tuple[int, str]]:
    if "specification" in workflow:
        for number, task in enumerate(workflow["specification"]["tasks"]):
            for name in task.get("inputFiles") or ():
                yield number, str(name)
        return
    for number, task in enumerate(workflow["tasks" if "tasks" in workflow else "jobs"]):
        for file in task.get("files") or ():
            if file.get("link") in ("input", "inout"):
                name = str(file.get("name", file.get("id")))
                yield number, f"{file['path']}/{name}" if file.get("path") and not name.startswith("/") else name


_CLOCK_SLACK_S = 2.0  # between the clock of this machine and that of a file server


class FilesSeen:
    """The files of a plan while it runs.

    Parameters
    ----------
    plan
        Its data name the files, relative to its home directory.
    done
        The jobs that have succeeded already.
    since
        When the run began, by the calendar: older files are never deletable.

    Attributes
    ----------
    passing
        How many files only feed other jobs, by the workflow; the disk may know better.
    wanted
        How many files other jobs read and the workflow wants kept nevertheless.

    Examples
    --------
    >>> import tempfile
    >>> from eligo.dag import Dag, Data
    >>> from eligo.engines._plan import Task
    >>> from eligo.formats._base import Document
    >>> from eligo.formats._source import Source
    >>> dag = Dag.from_edges(2, [0], [1], data=Data.build([9], [0], [[1]], ["middle"]))
    >>> with tempfile.TemporaryDirectory() as home:
    ...     document = Document(dag, "dot", Source(f"{home}/x.dot", b""))
    ...     seen = FilesSeen(Plan(document, dag, dag.heads, Task, Path(home)))
    ...     _ = Path(home, "middle").write_bytes(b"12345")
    ...     seen.after(0), seen.deletable(0), [path.name for path in seen.deletable(1)]
    ([('middle', 5)], [], ['middle'])
    """

    def __init__(self, plan: Plan, done: Iterable[int] = (), *, since: float | None = None) -> None:
        self._home = plan.home
        self._real_home = os.path.realpath(plan.home)
        self._since = since
        self._done: set[int] = set()
        self._outputs: dict[int, list[tuple[str, str]]] = {}  # of each job: name and path
        self._files: dict[int, list[str]] = {}  # of each job: the paths it makes or reads that may go some day
        self._pending: dict[str, int] = {}  # of each such path: how many jobs it waits for
        self._from_name: set[str] = set()  # paths that stand in the workflow as relative names
        self.wanted = 0
        self._read(plan)
        self.passing = len(self._pending)
        self._left_over: list[str] = []
        for job in done:
            self._left_over += self._let_go(job)

    def _read(self, plan: Plan) -> None:
        data = plan.dag.data
        if data is None or data.names is None:
            return
        users: dict[str, set[int]] = {}
        is_read: set[str] = set()
        wanted = set(map(self._path, wanted_files(plan.document)))
        barred = {os.path.abspath(plan.document.source.path)}  # noqa: PTH100
        readers, ends = data.readers.tolist(), data.reader_ptr.tolist()
        for datum, (name, producer) in enumerate(zip(data.names, data.producer.tolist(), strict=True)):
            path = self._path(name)
            reading = readers[ends[datum] : ends[datum + 1]]
            if producer == OUTSIDE:
                barred.add(path)
            else:
                self._outputs.setdefault(producer, []).append((name, path))
                users.setdefault(path, set()).add(producer)
            users.setdefault(path, set()).update(reading)
            if reading:
                is_read.add(path)
            if ".." in name.split("/"):
                barred.add(path)
            if not name.startswith("/"):
                self._from_name.add(path)
        for job, name in listed_readings(plan.document):
            if (path := self._path(name)) in users:
                users[path].add(job)
        self.wanted = len((is_read & wanted) - barred)
        for path, jobs in users.items():
            if path in is_read and path not in barred and path not in wanted:
                self._pending[path] = len(jobs)
                for job in jobs:
                    self._files.setdefault(job, []).append(path)

    def _path(self, name: str) -> str:
        return os.path.normpath(os.path.join(self._home, name))  # noqa: PTH118 - an absolute name stays

    def after(self, job: int) -> list[tuple[str, int]]:
        """Return name and size of each output that a job, which has just succeeded, left behind as a plain file."""
        found = []
        for name, path in self._outputs.get(job, ()):
            try:
                status = os.stat(path)  # noqa: PTH116 - the size of what a link points to
            except (OSError, ValueError):
                continue
            if stat.S_ISREG(status.st_mode):
                found.append((name, status.st_size))
        return found

    def deletable(self, job: int) -> list[Path]:
        """Take note that a job has succeeded, and return the files that may go now; nothing when told again."""
        return self._existing(self._let_go(job))

    def left_over(self) -> list[Path]:
        """Return the files that could have gone before: after the jobs that were done from the start."""
        return self._existing(self._left_over)

    def _let_go(self, job: int) -> list[str]:
        if job in self._done:
            return []
        self._done.add(job)
        free = []
        for path in self._files.pop(job, ()):
            self._pending[path] -= 1
            if self._pending[path] == 0:
                free.append(path)
        return free

    def _existing(self, paths: Iterable[str]) -> list[Path]:
        return [Path(path) for path in paths if self._may_go(path)]

    def _may_go(self, path: str) -> bool:
        try:
            status = os.lstat(path)
            if not stat.S_ISREG(status.st_mode):
                return False
            if path in self._from_name:
                folder = os.path.realpath(os.path.dirname(path))  # noqa: PTH120
                if os.path.commonpath([folder, self._real_home]) != self._real_home:
                    return False
        except (OSError, ValueError):
            return False
        return self._since is None or status.st_ctime >= self._since - _CLOCK_SLACK_S


class Cleaning:
    """Looks at the files of jobs that have succeeded.

    Attributes
    ----------
    troubles
        Files that could not be deleted, and why, as sentences; whoever tells of them empties the list.
    """

    def __init__(self, plan: Plan, state: State) -> None:
        done = [job for job, status in enumerate(state.status) if status == JobStatus.DONE]
        self.troubles: list[str] = []
        self._state = state
        self._deletes = plan.delete_intermediate
        self._files = FilesSeen(plan, done, since=state.get("began"))
        self._delete(self._files.left_over())

    def succeeded(self, job: int) -> None:
        """Take note of a success that is on the disk; what is found is in the state's next commit."""
        for name, size in self._files.after(job):
            self._state.saw_file(name, size)
        self._delete(self._files.deletable(job))

    def _delete(self, paths: Iterable[Path]) -> None:
        for path in paths if self._deletes else ():
            try:
                path.unlink()
            except OSError as error:
                self.troubles.append(f"{path} cannot be deleted: {error.strerror}")
