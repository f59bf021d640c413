r"""Priorities into a DAG file, and out of it again, without touching a line of the user's.

Two styles:

* ``priority``: a PRIORITY line for each job, in a marked block at the end of the file. DAGMan hands the number to the
  queue and also orders by it what it holds back.
* ``vars``, as in paper 002, Fig. 3: ``VARS job jobpriority="n"`` in the block, and ``priority = $(jobpriority)`` in
  every submit description. A SUBDAG has none; it gets a PRIORITY line.

The block stands at the end, since jobs of an included file can be named only after its INCLUDE, and since DAGMan takes
the last word where there are several. Invariant: ``instrument`` first takes out what it finds of ours, so its result
depends on the user's file and the wish alone; and ``uninstrument`` of it is the user's file.

Which jobs keep a priority of the user's is settled on columns (``given.py``), and so is which submit descriptions
there are (``submits.py``). Cost: O(bytes) and a few array operations, plus what the submit files cost that are opened:
all where they may have to change, else the first thousand.

The DAG files that a DAG runs as SUBDAG EXTERNAL, and theirs in turn, each once.

Whether DAGMan is running a workflow, as far as the files it leaves tell.

DAGMan keeps ``x.dag.lock`` beside ``x.dag`` while it runs and removes it when it ends or is removed from the queue.
It stays when DAGMan is killed or its machine dies; then HTCondor starts DAGMan again, which reads the DAG anew. In it
are the number of DAGMan's process and the tick at which that process started. So

* where this machine has that process, started at that tick, the workflow runs;
* where the event log of DAGMan itself, ``x.dag.dagman.log``, ends with its termination or removal, it does not, and
  the lock is a left-over;
* else it cannot be told: DAGMan may run on another machine or in a container, may be held, or about to be started
  again. We do not touch the file then, and say how to find out.

The lock of several DAGs that were submitted together bears the name of the first; of the others nothing can be seen.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

from eligo import _core
from eligo.dag import Int32
from eligo.errors import EligoError
from eligo.formats._base import Document, Notes
from eligo.formats._dagman import parse
from eligo.formats._dagman.details import Details
from eligo.formats._dagman.marked_block import Taken, take_out, without_dependencies
from eligo.formats._dagman.marked_block import add as add_dependencies
from eligo.formats._dagman.parsed_dag import Unit, directory_of, join_directory, walk
from eligo.formats._dagman.priority_styles import Request, with_priority_lines, with_variables
from eligo.formats._dagman.tokens import Keyword
from eligo.formats._dagman.writer import flatten
from eligo.formats._editing import Instrumented, Wish
from eligo.formats._source import Source
from eligo.formats._submit.submit_edits import restore
from eligo.formats._submit.submit_file import Submits

__all__ = [
    "flattened",
    "follow_subdags",
    "instrument",
    "refuse_if_running",
    "subdags",
    "uninstrument",
    "without_priorities",
]


def subdags(document: Document, notes: Notes) -> list[str]:
    r"""Return the files of a DAG's SUBDAGs, those in splices too, each once; what is not there goes to `notes`.

    Examples
    --------
    >>> from eligo.formats._dagman import parse
    >>> from eligo.formats._source import Source
    >>> notes = Notes()
    >>> subdags(parse(Source("x.dag", b"SUBDAG EXTERNAL a no.dag\n")), notes), notes.texts()
    ([], ("x.dag:1: the DAG file of a SUBDAG is not there (yet), such as 'no.dag'",))
    """
    details = document.details
    assert isinstance(details, Details)
    base = directory_of(document.source.path)
    found: dict[str, str] = {}
    missing: list[tuple[str, int, str]] = []
    for unit, _, _, directory in walk(details.root):
        for run in unit.nodes:
            line = run.odd
            if line is None or line.kind is not Keyword.SUBDAG:
                continue
            inside = join_directory(directory, join_directory(line.directory, line.submit))
            path = next((p for p in (join_directory(base, inside), inside) if _is_file(p)), None)
            if path is not None:
                found.setdefault(os.path.realpath(path), path)
            else:
                file = unit.files[run.file]
                missing.append((file.source.path, file.line_of(run.at), inside))
    if missing:
        where, number, name = missing[0]
        notes.add(where, number, f"the DAG file of a SUBDAG is not there (yet), such as {name!r}", len(missing))
    return list(found.values())


def _is_file(path: str) -> bool:
    try:
        return Path(path).is_file()
    except (OSError, ValueError):
        return False


def follow_subdags(document: Document, read: Callable[[str], Document], notes: Notes) -> Iterator[Document]:
    """Yield the documents of a DAG's SUBDAGs, and of theirs, nearest first; each file once, circles or not.

    `read` opens a file; what it raises is not caught.
    """
    seen = {os.path.realpath(document.source.path)}
    waiting = [document]
    while waiting:
        nearer, waiting = waiting, []
        for outer in nearer:
            for path in subdags(outer, notes):
                real = os.path.realpath(path)
                if real not in seen:
                    seen.add(real)
                    inner = read(path)
                    if isinstance(inner.details, Details):
                        waiting.append(inner)
                    yield inner


_PID = re.compile(rb"^PID = ([0-9]+)", re.MULTILINE)
_BIRTH = re.compile(rb"^BDAY = ([0-9]+)", re.MULTILINE)
_PRECISION = re.compile(rb"^PRECISION = ([0-9]+)", re.MULTILINE)
_EVENT = re.compile(rb"^([0-9]{3}) \([0-9]+\.", re.MULTILINE)
_ENDED = (b"005", b"009")  # terminated, aborted
_LOG_TAIL_BYTES = 65_536


def refuse_if_running(path: str | os.PathLike[str]) -> None:
    """Raise an error where DAGMan runs the workflow of a DAG file, or where that cannot be excluded.

    Examples
    --------
    >>> refuse_if_running("/no/such/file.dag")
    """
    name = os.fspath(path)
    for dag in dict.fromkeys((name, os.path.realpath(name))):
        lock = f"{dag}.lock"
        try:
            data = Path(lock).read_bytes()
        except (FileNotFoundError, NotADirectoryError):
            continue
        except (OSError, ValueError) as error:
            raise EligoError(
                f"{lock}: cannot be read, so DAGMan may be running this workflow",
                hint=f"check its permissions ({error})",
            ) from None
        pid = _number(_PID, data)
        if pid is not None and _is_alive(pid, _number(_BIRTH, data), _number(_PRECISION, data) or 0):
            raise EligoError(
                f"{lock}: DAGMan is running this workflow (process {pid})",
                hint="wait for its end or remove it with condor_rm, or write elsewhere with -o",
            )
        if not _has_ended(f"{dag}.dagman.log"):
            raise EligoError(
                f"{lock}: DAGMan may be running this workflow, here or on another machine",
                hint=f"if condor_q -dag does not show it, remove {lock}; or write elsewhere with -o",
            )


def _number(pattern: re.Pattern[bytes], data: bytes) -> int | None:
    found = pattern.search(data)
    return int(found[1]) if found else None


def _is_alive(pid: int, birth: int | None, precision: int) -> bool:
    """Tell whether this machine has a process with this number, started at this tick after the machine itself."""
    try:
        status = Path(f"/proc/{pid}/stat").read_bytes()
    except OSError:
        return False
    started = int(status.rpartition(b")")[2].split()[19])  # field 22 of proc(5); the name before may hold anything
    return birth is None or abs(started - birth) <= precision


def _has_ended(log: str) -> bool:
    """Tell whether the last event of DAGMan's own job is that it has left the queue."""
    try:
        with Path(log).open("rb") as stream:
            stream.seek(0, os.SEEK_END)
            stream.seek(max(0, stream.tell() - _LOG_TAIL_BYTES))
            events = _EVENT.findall(stream.read())
    except OSError:
        return False
    return bool(events) and events[-1] in _ENDED


_CHANGED = "the lines between eligo's marks were changed by hand"
_CHANGED_HINT = "move those you want to keep out of there; --replace writes all anew, --remove takes them out"


def without_priorities(source: Source) -> Source:
    r"""Return a DAG file as it was before :func:`instrument`, for reading: our lines may name a job that is gone.

    Examples
    --------
    >>> import numpy as np
    >>> source = Source("x.dag", b"JOB a a.sub\n")
    >>> marked = instrument(parse(source), np.array([1], np.int32), Wish()).data
    >>> without_priorities(Source("x.dag", marked)) == source
    True
    """
    return Source(source.path, take_out(source).data)


def instrument(document: Document, priorities: Int32, wish: Wish) -> Instrumented:
    r"""Return a DAG with a priority for each job.

    Raises
    ------
    ParseError
        A job is inside a splice, which the file has no name for; or our marks are damaged.

    Examples
    --------
    >>> import numpy as np
    >>> document = parse(Source("x.dag", b"JOB a a.sub\nJOB b b.sub\nPARENT a CHILD b\n"))
    >>> marked = instrument(document, np.array([2, 1], np.int32), Wish()).data
    >>> marked.splitlines()[4:6]
    [b'PRIORITY a 2', b'PRIORITY b 1']
    >>> instrument(parse(Source("x.dag", marked)), np.array([2, 1], np.int32), Wish()).data == marked
    True
    """
    old = take_out(document.source)
    warnings = []
    if old.changed is not None:
        if not wish.replace:
            raise document.source.error(old.changed, _CHANGED, hint=_CHANGED_HINT)
        warnings.append(f"{document.source.path}:{old.changed}: {_CHANGED}; they are written anew")
    details = _details(document, old)
    _refuse_splices(details.root)
    origin = None if document.origin is None else document.origin.details
    request = Request(details, document.dag.names, priorities, wish.replace, old.beyond, origin, warnings)
    return with_variables(request) if wish.style == "vars" else with_priority_lines(request)


def uninstrument(document: Document) -> Instrumented:
    r"""Return a DAG and its submit files without what :func:`instrument` put there.

    Examples
    --------
    >>> import numpy as np
    >>> source = Source("x.dag", b"JOB a a.sub")
    >>> marked = instrument(parse(source), np.array([1], np.int32), Wish()).data
    >>> uninstrument(parse(Source("x.dag", marked))).data
    b'JOB a a.sub'
    """
    old = take_out(document.source)
    where = f"{document.source.path}:{old.changed}: "
    warnings = (f"{where}{_CHANGED}; they are taken out",) if old.changed is not None else ()
    details = document.details
    assert isinstance(details, Details)
    others = restore(details, Submits(details.root)) if old.beyond else ()
    return Instrumented(old.data, others, warnings=warnings, others_first=True)


def flattened(document: Document) -> Document:
    r"""Return a DAG as one file without splices and includes, and without our priorities; jobs keep their numbers.

    Dependencies that we added, where the document has them, are marked as ours again. Its lines are in no file of the
    user's: what is said of them later goes by its `origin`.

    Examples
    --------
    >>> flattened(parse(Source("x.dag", b"job a a.sub\n"))).source.data
    b'JOB a a.sub\n'
    """
    bare, _ = without_dependencies(Source(document.source.path, take_out(document.source).data))
    plain = document if document.details.sources[0].data == bare.data else parse(bare)
    flat = parse(Source(bare.path, flatten(plain).encode("utf-8", "surrogateescape")))
    had, dag = plain.dag, document.dag
    ours = ~_core.has_edge(had.succ_ptr, had.succ, dag.tails, dag.heads).view(np.bool_)
    if ours.any():
        flat = parse(Source(bare.path, add_dependencies(flat, dag.tails[ours], dag.heads[ours]).data))
    return replace(flat, origin=plain)


def _details(document: Document, old: Taken) -> Details:
    """Return what the file says without our lines; it is read again where the document has them."""
    details = document.details
    assert isinstance(details, Details)
    if details.sources[0].data == old.data:
        return details
    again = parse(Source(document.source.path, old.data)).details
    assert isinstance(again, Details)
    return again


def _refuse_splices(unit: Unit) -> None:
    for use in unit.instances:
        if use.unit.count:
            file = unit.files[use.file]
            raise file.source.error(
                file.line_of(use.at),
                f"the jobs of splice {use.name!r} cannot have priorities: a DAG file has no name for them",
                hint="write the DAG without splices: --flatten",
            )
