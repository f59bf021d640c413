"""The journal of a sweep: what is finished is on the disk, and is never computed again.

A file beside the table to be, ``OUT.partial``, of JSON lines. The first says which sweep it is: workflow, strategies,
grid, seed, all that results depend on, large things by their digests. Each other line is a finished point with its
summaries; floats are written so that they are read back exactly. A line is on the disk before the next point counts.
Each line ends in a checksum of what stands before, so that no damage to the file can become a number in a table.

Whatever kills the process, at most the last line is half written: it is dropped, and its point computed again. Damage
anywhere else is refused, with its line. A journal of another sweep is refused, with what differs; so is a file that is
no journal at all. Only one process at a time may hold a journal.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import zlib
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np

import eligo
from eligo.dag import Dag
from eligo.errors import EligoError, ParseError
from eligo.formats._source import writing
from eligo.memory._footprint import Footprint
from eligo.simulation._experiment import Contest
from eligo.simulation._grid import Grid
from eligo.simulation._ratios import Summary
from eligo.simulation._sweep_results import Point

__all__ = ["MODEL", "Identity", "Journal", "identity", "plain_grid"]

MODEL = 1
"""Of the numbers: raise it whenever the same seed gives other ones, so that no sweep goes on from those of before."""

Identity = dict[str, Any]
"""What the results of a sweep depend on, as plain values."""

_MARK = "eligo_sweep"
_FORM = 2  # of the journal; another number means that its lines look different
_SHOWN = 60
_START = f'{{"{_MARK}":'.encode()


def identity(contest: Contest, grid: Grid, interarrivals: tuple[float, ...], batches: tuple[float, ...]) -> Identity:
    """Return all that the results of a sweep depend on, as plain values."""
    return {
        "version": eligo.__version__,
        "model": MODEL,
        "workflow": _dag_digest(contest.dag),
        "strategies": [f"{each.name}: {each.kind} {_digest(each.order)}" for each in contest.contenders],
        "against": contest.against,
        "interarrival": list(interarrivals),
        "batch": list(batches),
        "grid": plain_grid(grid),
        "memory": _footprint_digest(contest.footprint),
        "samples": contest.samples,
        "runs": contest.runs,
        "seed": contest.seed,
        "common": contest.common,
    }


def plain_grid(grid: Grid) -> dict[str, Any]:
    """Return what a grid has beyond paper 002 as plain values, arrays by their digests.

    Examples
    --------
    >>> plain_grid(Grid(stay=True, fail=0.1))
    {'stay': True, 'fail': 0.1}
    """
    plain = grid.extensions
    if grid.throttle is not None:
        held = grid.throttle
        plain["throttle"] = [held.max_jobs, held.max_idle, _digest(held.category, held.category_max)]
    if grid.arrivals is not None:
        seen = grid.arrivals
        plain["arrivals"] = [len(seen.time), seen.repeat_every, _digest(seen.time, seen.workers)]
    return plain


def _digest(*parts: np.ndarray | bytes | None) -> str:
    """Return a digest of arrays and bytes, each with its length before it."""
    found = hashlib.sha256()
    for part in parts:
        data = b"" if part is None else part if isinstance(part, bytes) else np.ascontiguousarray(part).tobytes()
        found.update(b"-" if part is None else str(len(data)).encode())
        found.update(b":")
        found.update(data)
    return found.hexdigest()[:32]


def _dag_digest(dag: Dag) -> str:
    """Return a digest of names, edges and times in the order of the file, on which ``fifo`` depends."""
    names = json.dumps(dag.names).encode("ascii")
    return _digest(names, dag.succ_ptr, dag.succ, dag.time_s)


def _footprint_digest(footprint: Footprint | None) -> str:
    if footprint is None:
        return ""
    rules = footprint.rules
    parts = (footprint.running, footprint.size, footprint.producer, footprint.reader_ptr, footprint.readers)
    return f"{rules.model} {rules.resource} {rules.unread} {rules.inputs} {_digest(*parts)}"


class Journal:
    """The finished points of one sweep, on the disk; use it in a ``with``.

    Attributes
    ----------
    finished
        By interarrival and batch.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with Journal(f"{folder}/a.csv.partial", {"seed": 1}) as journal:
    ...         journal.add(Point(1.0, 16.0, {}, {}))
    ...     with Journal(f"{folder}/a.csv.partial", {"seed": 1}) as journal:
    ...         list(journal.finished)
    [(1.0, 16.0)]
    """

    def __init__(self, path: str | os.PathLike[str], what: Identity) -> None:
        self.path = os.fspath(path)
        self.finished: dict[tuple[float, float], Point] = {}
        with writing(self.path):
            self._stream = Path(self.path).open("a+b")  # noqa: SIM115 - it stays open as long as the journal
        try:
            self._lock()
            keep = self._read(what)
            with writing(self.path):
                self._stream.truncate(keep)
            if not keep:
                self._append({_MARK: _FORM, **what})
        except BaseException:
            self._stream.close()
            raise

    def _lock(self) -> None:
        try:
            fcntl.flock(self._stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
            mine = os.path.samestat(Path(self.path).stat(), os.fstat(self._stream.fileno()))
        except (BlockingIOError, FileNotFoundError):  # or the other process has just ended, and removed it
            mine = False
        except OSError:  # a file system without locks
            return
        if not mine:
            raise EligoError(
                f"{self.path}: another process is at work on this sweep", hint="wait for it, or write to another file"
            )

    def _read(self, what: Identity) -> int:
        """Take over finished points, and return how many bytes of the file are whole lines."""
        self._stream.seek(0)
        data = self._stream.read()
        if not data.startswith(_START[: len(data)]):
            raise self._no_journal()
        *lines, rest = data.split(b"\n")  # without a line end the rest may be cut within a number
        if not lines:
            return 0
        self._check_head(lines[0], what)
        if not rest and len(lines) > 1 and _point(lines[-1]) is None:
            del lines[-1]
        for number, line in enumerate(lines[1:], 2):
            point = _point(line)
            if point is None:
                raise self._damaged(number, "delete this line: its point is then computed again")
            self.finished[point.interarrival, point.batch] = point
        return sum(len(line) + 1 for line in lines)

    def _check_head(self, line: bytes, what: Identity) -> None:
        if not line.startswith(b"%b%d," % (_START, _FORM)):
            raise self._other_sweep("it was written by another version of eligo")
        then, now = _content(line), json.loads(json.dumps(what))
        if then is None:
            raise self._damaged(1, "move the file away: the sweep then begins anew")
        for name in now:
            if then.get(name) != now[name]:
                raise self._other_sweep(_difference(name, then.get(name), now[name]))

    def _damaged(self, line: int, hint: str) -> ParseError:
        return ParseError(self.path, line, "is damaged", hint=hint)

    def _no_journal(self) -> ParseError:
        return ParseError(
            self.path, 1, "this is no journal of a sweep", hint="move it away: a sweep keeps what is finished there"
        )

    def _other_sweep(self, why: str) -> EligoError:
        return EligoError(
            f"{self.path}: finished points of another sweep are kept there: {why}",
            hint="repeat that sweep to its end, write to another file, or delete this one",
        )

    def add(self, point: Point) -> None:
        """Keep a finished point; when this returns it is on the disk."""
        self._append(
            {
                "interarrival": point.interarrival,
                "batch": point.batch,
                "strategies": point.strategies,
                "ratios": point.ratios,
            }
        )
        self.finished[point.interarrival, point.batch] = point

    def _append(self, value: dict[str, Any]) -> None:
        with writing(self.path):
            self._stream.write(_line(value))
            self._stream.flush()
            os.fsync(self._stream.fileno())

    def remove(self) -> None:
        """Delete the file: the table is written, and nothing is left to keep."""
        with suppress(FileNotFoundError):
            Path(self.path).unlink()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        with suppress(OSError):  # a full disk: it was told when the line was added, and closing tries it once more
            self._stream.close()


def _difference(name: str, then: Any, now: Any) -> str:
    if name == "workflow":
        return "its workflow was another one"
    if name == "model":
        return "eligo has changed since, and the same seed gives other numbers"
    return f"{name} was {_shown(then)}, not {_shown(now)}"


def _shown(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."


def _line(value: dict[str, Any]) -> bytes:
    r"""Return a value as a line of JSON with its checksum.

    Examples
    --------
    >>> _line({"a": 1})
    b'{"a":1,"crc":"a702fc6e"}\n'
    """
    text = json.dumps(value, separators=(",", ":")).encode("ascii").removesuffix(b"}")
    return text + _sealed(text) + b"\n"


def _sealed(text: bytes) -> bytes:
    return b',"crc":"%08x"}' % zlib.crc32(text)


def _content(line: bytes) -> dict[str, Any] | None:
    """Return what a line holds, or ``None`` where it is damaged."""
    size = len(_sealed(b""))
    if line[-size:] != _sealed(line[:-size]):
        return None
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _point(line: bytes) -> Point | None:
    """Return the point that a line holds, or ``None`` where the line is damaged."""
    value = _content(line)
    if value is None:
        return None
    try:
        summaries = {
            part: {
                of: {metric: None if five is None else Summary(*map(float, five)) for metric, five in by_metric.items()}
                for of, by_metric in value[part].items()
            }
            for part in ("strategies", "ratios")
        }
        return Point(float(value["interarrival"]), float(value["batch"]), summaries["strategies"], summaries["ratios"])  # type: ignore[arg-type]
    except (ValueError, TypeError, KeyError, AttributeError, OverflowError):
        return None
