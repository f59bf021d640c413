"""Whether DAGMan is running a workflow, as far as the files it leaves tell.

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
from pathlib import Path

from eligo.errors import EligoError

__all__ = ["refuse_if_running"]

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
