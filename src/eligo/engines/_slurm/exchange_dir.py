"""The folder by which a run and its jobs on the nodes tell each other what is so.

Problem: Slurm forgets jobs minutes after they ended, may run a job of which ``sbatch`` said that it failed, and takes a
dependency on a job that it has forgotten as fulfilled. A watcher that was away, or died between asking and noting the
answer, must still neither miss an end nor run a job twice.

Idea: every submission has a key, ``JOB-NUMBER``, and a file that only one party can move::

    queued/KEY.sh --by the job: a claim--> running/KEY.sh
         |                                 running/KEY    lines of what happened so far
         |                                 running/KEY.stop    it is about to be ended by us
         +--by Eligo: taken back--> gone   ended/KEY.ok or .no, that file when the job is over
                                           done/KEY       the same after Eligo has noted it on disk

A rename happens or does not, also on a network file system; appending to one file from several machines would lose
lines there. So a job that was taken back cannot start, however late Slurm accepts it, and one that has claimed its file
is known to have started. The folder must be on a file system that Eligo and all nodes share.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple, final

from eligo.engines._slurm.job_script import LAUNCHER
from eligo.errors import EngineError

__all__ = ["Box", "End", "Record", "Start", "Try", "job_of", "parse_record"]

_PARTS = ("queued", "running", "ended", "done")
_CPU = re.compile(r"(\d+)m([\d.]+)s")


class Start(NamedTuple):
    """When and where a job began, by the clock of the node; again where it was requeued."""

    time: float
    node: str


class Try(NamedTuple):
    """A try that failed, and was not the last: which step's exit status counted."""

    number: int
    code: int
    step: str
    begin: float
    end: float


class End(NamedTuple):
    """How a job ended: ``succeeded``, ``skipped``, ``failed`` or ``abort``, and when its last try began and ended."""

    ok: bool
    kind: str
    code: int
    step: str
    number: int
    begin: float
    time: float


@final
@dataclass(slots=True)
class Record:
    """What a job told of itself."""

    starts: list[Start] = field(default_factory=list)
    tries: list[Try] = field(default_factory=list)
    end: End | None = None
    cpu_s: float | None = None


def parse_record(text: str) -> Record:
    r"""Read what a job told of itself; a last line that is not whole does not count.

    Examples
    --------
    >>> record = parse_record("start 10.5 n1\nend ok succeeded 0 process 1 10.5 12.0\n")
    >>> record.starts, record.end.kind
    ([Start(time=10.5, node='n1')], 'succeeded')
    """
    record = Record()
    cpu = []
    for line in text[: text.rfind("\n") + 1].splitlines():
        word, *rest = line.split(" ") or [""]
        with suppress(ValueError, TypeError):
            if word == "start":
                record.starts.append(Start(_time(rest[0]), rest[1] if len(rest) > 1 else ""))
            elif word == "try":
                number, code, step, begin, end = rest
                record.tries.append(Try(int(number), int(code), step, _time(begin), _time(end)))
            elif word == "end":
                ok, kind, code, step, number, begin, end = rest
                record.end = End(ok == "ok", kind, int(code), step, int(number), _time(begin), _time(end))
            else:
                cpu.append(sum(int(minutes) * 60 + float(seconds) for minutes, seconds in _CPU.findall(line)))
    record.cpu_s = cpu[-1] if len(cpu) > 1 else None
    return record


def _time(word: str) -> float:
    """Read seconds; a ``date`` without fractions leaves something else behind the point."""
    whole, _, fraction = word.partition(".")
    return float(f"{whole}.{fraction}") if fraction.isdecimal() else float(whole)


def job_of(key: str) -> int:
    """Return the job of a key.

    Examples
    --------
    >>> job_of("17-3")
    17
    """
    return int(key.partition("-")[0])


class Box:
    """The folder of one run.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as here:
    ...     box = Box(Path(here) / "box")
    ...     box.put("7-1", b"eligo_needs=")
    ...     box.take_back("7-1"), box.take_back("7-1")
    (True, False)
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            for folder in (path.parent, path, *(path / part for part in _PARTS)):
                folder.mkdir(mode=0o700, exist_ok=True)
            self.launcher = path / "launch.sh"
            _write(self.launcher, LAUNCHER.read_bytes())
        except OSError as error:
            raise EngineError(
                f"{path}: {error.strerror}", hint="a run on Slurm needs a folder that all nodes share: --state DIR"
            ) from error

    def put(self, key: str, script: bytes) -> None:
        """Lay the file of a submission out, before it is submitted."""
        try:
            _write(self.path / "queued" / f"{key}.sh", script)
        except OSError as error:
            raise EngineError(
                f"{self.path}: {error.strerror}", hint="free some space, then go on with --resume"
            ) from error

    def take_back(self, key: str) -> bool:
        """Make sure that a submission never starts; false if it has."""
        try:
            (self.path / "queued" / f"{key}.sh").unlink()
        except FileNotFoundError:
            return False
        return True

    def is_claimed(self, key: str) -> bool:
        """Whether a submission has started, and has not been put away."""
        return (self.path / "running" / f"{key}.sh").exists()

    def stop(self, key: str) -> None:
        """Tell a submission that it is about to be ended, so that it records no end that is due to that."""
        try:
            _write(self.path / "running" / f"{key}.stop", b"")
        except OSError as error:
            raise EngineError(f"{self.path}: {error.strerror}", hint="free some space") from error

    def exists(self, key: str) -> bool:
        """Whether a submission has not been taken back or put away; asked in the order in which its file moves."""
        names = (f"queued/{key}.sh", f"running/{key}.sh", f"ended/{key}.ok", f"ended/{key}.no")
        return any((self.path / name).exists() for name in names)

    def highest(self) -> int:
        """Return the highest number of a submission that has a file here."""
        names = [name for part in _PARTS for name in os.listdir(self.path / part)]  # noqa: PTH208
        return max((int(name.partition(".")[0].partition("-")[2] or 0) for name in names), default=0)

    def is_done(self, key: str) -> bool:
        """Whether a submission has succeeded."""
        return (self.path / "done" / key).exists() or (self.path / "ended" / f"{key}.ok").exists()

    def claimed(self) -> Iterator[str]:
        """Return the keys of submissions that have started, and have not been put away."""
        return (name[:-3] for name in os.listdir(self.path / "running") if name.endswith(".sh"))  # noqa: PTH208

    def queued(self) -> Iterator[str]:
        """Return the keys of submissions that have not started."""
        return (name[:-3] for name in os.listdir(self.path / "queued") if name.endswith(".sh"))  # noqa: PTH208

    def ended(self) -> Iterator[str]:
        """Return the keys of submissions that have ended, and have not been put away."""
        return (name[:-3] for name in os.listdir(self.path / "ended") if name.endswith((".ok", ".no")))  # noqa: PTH208

    def record(self, key: str) -> Record:
        """Return what a submission told of itself, whether it is over or not."""
        for name in (f"running/{key}", f"ended/{key}.ok", f"ended/{key}.no"):
            with suppress(FileNotFoundError):
                return parse_record((self.path / name).read_text(errors="replace"))
        return Record()

    def put_away(self, key: str) -> None:
        """Keep of a submission that is over only that it succeeded, if it did: what depends on it will ask."""
        with suppress(FileNotFoundError):
            (self.path / "ended" / f"{key}.ok").rename(self.path / "done" / key)
        for name in (f"ended/{key}.no", f"running/{key}.sh", f"running/{key}.stop", f"running/{key}"):
            (self.path / name).unlink(missing_ok=True)


def _write(path: Path, data: bytes) -> None:
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(handle, "wb") as stream:
        stream.write(data)
