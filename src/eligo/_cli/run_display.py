"""How a run is shown while it goes on: one line kept up to date on a terminal, elsewhere a line now and then.

Whoever started the run may be gone, and the terminal with them: what cannot be shown is not worth an error.

Where a run stands, kept up to date: how many jobs are done, running, eligible, failed, and how long it will take.

Problem: a run of a million jobs tells of each as it goes on, and counting all anew each time would take hours.

Idea: what changes with one job are its own status, the number of parents its children still wait for, and, where it
failed, which of those behind it can never run. So each job costs its degree, and each edge is followed at most twice in
a whole run.

Invariant: a waiting job is *eligible* if all its parents are done, *hopeless* if one before it failed for good.
Resuming lets failed jobs wait again before it is counted, so none is hopeless from an earlier run.

How long it will take follows from the pace: the work that was done since we looked first (seconds where job times are
known, else jobs), against the work that is left and not hopeless.

What happens in a run, told line by line: to a log file for people, as JSON to programs.

Names and texts come from workflows and jobs: in the log no character of theirs can end a line or steer a terminal.
Neither a full disk nor a reader who has gone away stops the run: what cannot be told is told no more, and that is said
once. The keys of JSON lines are stable: ``event``, ``job``, ``index``, ``time_s``, ``worker``, ``attempt``,
``exit_code``, ``text``; what is unknown is null.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Any, TextIO

import numpy as np

from eligo._cli.messages import say
from eligo._cli.progress import clock
from eligo._humanize import printable
from eligo.dag import Dag
from eligo.engines._engine import Event, Happening
from eligo.engines._state import JobStatus
from eligo.errors import EligoError
from eligo.trace import ANYWHERE

__all__ = [
    "JsonLines",
    "Log",
    "Output",
    "Tally",
    "View",
    "event_facts",
    "event_text",
    "progress_line",
]

_WAITING, _RUNNING, _DONE, _FAILED = JobStatus.WAITING, JobStatus.RUNNING, JobStatus.DONE, JobStatus.FAILED


class Tally:
    """Counts of the jobs of a run.

    Attributes
    ----------
    eligible
        How many wait for nothing but a place to run.
    hopeless
        How many can never run, since one before them failed.
    work_left, work_done
        What is to do, and what was done since this tally began.

    Examples
    --------
    >>> tally = Tally(Dag.from_names([("a", "b"), ("a", "c"), ("c", "d")]), [0, 0, 0, 0])
    >>> tally.look(0, JobStatus.DONE)
    >>> tally.done, tally.eligible
    (1, 2)
    >>> tally.look(2, JobStatus.RUNNING)
    >>> tally.look(2, JobStatus.FAILED)
    >>> tally.failed, tally.hopeless, tally.eligible, tally.left_s(6.0)
    (1, 1, 1, 3.0)
    """

    def __init__(self, dag: Dag, status: Sequence[int]) -> None:
        self.dag = dag
        self.n = dag.n
        self._status = list(status)
        now = np.asarray(status, np.int8).reshape(dag.n)
        waited_for = np.bincount(dag.heads[now[dag.tails] != _DONE], minlength=dag.n)
        self._left: list[int] = waited_for.tolist()
        self._counts: list[int] = np.bincount(now, minlength=len(JobStatus)).tolist()
        self.eligible = int(np.count_nonzero((now == _WAITING) & (waited_for == 0)))
        self._weight = _weights(dag)
        open_jobs = np.flatnonzero((now == _WAITING) | (now == _RUNNING))
        self.work_left = float(sum(self._weight[job] for job in open_jobs.tolist()))
        self.work_done = 0.0
        self.hopeless = 0
        self._is_hopeless = bytearray(dag.n)
        for job in np.flatnonzero(now == _FAILED).tolist():
            self._give_up_behind(job)

    @property
    def done(self) -> int:
        """How many have succeeded."""
        return self._counts[_DONE]

    @property
    def running(self) -> int:
        """How many run."""
        return self._counts[_RUNNING]

    @property
    def failed(self) -> int:
        """How many have failed for good."""
        return self._counts[_FAILED]

    @property
    def waiting(self) -> int:
        """How many have yet to start, eligible and hopeless ones too."""
        return self._counts[_WAITING]

    def look(self, job: int, status: int) -> None:
        """Take note of what a job's status is now; the same once more changes nothing."""
        old = self._status[job]
        if old == status:
            return
        self._status[job] = status
        self._counts[old] -= 1
        self._counts[status] += 1
        if not self._left[job]:
            self.eligible += (status == _WAITING) - (old == _WAITING)
        if (status == _DONE) != (old == _DONE):
            self._tell_children(job, -1 if status == _DONE else 1)
        if (status >= _DONE) != (old >= _DONE) and not self._is_hopeless[job]:
            work = self._weight[job] if status >= _DONE else -self._weight[job]
            self.work_left -= work
            self.work_done += work
        if status == _FAILED:
            self._give_up_behind(job)

    def left_s(self, elapsed_s: float) -> float | None:
        """Return how long the rest will take at the pace of the seconds so far; ``None`` while nobody can tell."""
        if self.work_done <= 0 or elapsed_s <= 0:
            return None
        return elapsed_s * max(self.work_left, 0.0) / self.work_done

    def _tell_children(self, job: int, change: int) -> None:
        left, status = self._left, self._status
        for child in self.dag.children(job).tolist():
            was = left[child] == 0
            left[child] += change
            if status[child] == _WAITING:
                self.eligible += (left[child] == 0) - was

    def _give_up_behind(self, job: int) -> None:
        stack = [job]
        while stack:
            for child in self.dag.children(stack.pop()).tolist():
                if not self._is_hopeless[child]:
                    self._is_hopeless[child] = 1
                    stack.append(child)
                    if self._status[child] == _WAITING:
                        self.hopeless += 1
                        self.work_left -= self._weight[child]


def _weights(dag: Dag) -> list[float]:
    """Return how much work each job is: its time, a middling one where it is unknown, or 1 where all are."""
    known = None if dag.time_s is None else dag.time_s[~np.isnan(dag.time_s)]
    if dag.time_s is None or known is None or not known.sum() > 0:
        return [1.0] * dag.n
    weights: list[float] = np.where(np.isnan(dag.time_s), known.mean(), dag.time_s).tolist()
    return weights


_CLEAR = "\r\x1b[K"
_REDRAWN_EVERY_S = 0.2
_LINE_EVERY_S = 30.0
_BAR = 20
_BAR_STEP = 5
_SOON_S = 1.0


def progress_line(
    tally: Tally,
    elapsed_s: float,
    *,
    running: int | None = None,
    room: int | None = None,
    memory: str = "",
    stopping: bool = False,
) -> str:
    """Return where a run stands; where there is little room, in few words, with a bar if one fits.

    Parameters
    ----------
    running
        How many jobs run, if that is known better than by the tally.
    stopping
        Whether no new jobs are started: then there is no telling when all would be done.

    Examples
    --------
    >>> from eligo.dag import Dag
    >>> print(progress_line(Tally(Dag.from_names([("a", "b")]), [1, 0]), 65.0, memory="1 MB of 2 MB"))
    0 of 2 jobs done, 1 running, 0 eligible, 1:05 elapsed, 1 MB of 2 MB in use
    >>> print(progress_line(Tally(Dag.from_names([("a", "b")]), [2, 1]), 65.0, room=50))
    [#####.....] 1/2 done, 1 running, 0 eligible, 1:05
    """
    plain = room is None
    parts = [f"{tally.done:,} of {tally.n:,} jobs done" if plain else f"{tally.done:,}/{tally.n:,} done"]
    parts += [f"{tally.running if running is None else running:,} running", f"{tally.eligible:,} eligible"]
    if tally.failed:
        parts.append(f"{tally.failed:,} failed")
    parts.append(f"{clock(elapsed_s)} elapsed" if plain else clock(elapsed_s))
    left = tally.left_s(elapsed_s) if elapsed_s >= _SOON_S and not stopping else None
    if stopping:
        parts.append("stopping")
    if left is not None:
        parts.append(f"about {clock(left)} left" if plain else f"{clock(left)} left")
    if memory:
        parts.append(f"{memory} in use" if plain else memory)
    text = ", ".join(parts)
    return text if room is None else _with_bar(tally, text, room)


def _with_bar(tally: Tally, text: str, room: int) -> str:
    long = min(room - len(text) - len("[] "), _BAR) // _BAR_STEP * _BAR_STEP  # or it would grow and shrink all the time
    if long <= 0:
        return text[:room]
    full = long * (tally.done + tally.failed + tally.hopeless) // max(tally.n, 1)
    return f"[{'#' * full}{'.' * (long - full)}] {text}"


class View:
    """Shows a run on standard error.

    Parameters
    ----------
    line
        Returns the line to show, in so many columns or, if none is given, for a file.
    """

    def __init__(
        self, line: Callable[[int | None], str], stream: TextIO | None = None, now: Callable[[], float] = time.monotonic
    ) -> None:
        self._line = line
        self._stream = sys.stderr if stream is None else stream
        self._now = now
        self._live = self._stream.isatty()
        self._shown = False
        self._due = now() + (_REDRAWN_EVERY_S if self._live else _LINE_EVERY_S)

    def refresh(self) -> None:
        """Show the line, unless that was done just before."""
        if self._now() < self._due:
            return
        self._due = self._now() + (_REDRAWN_EVERY_S if self._live else _LINE_EVERY_S)
        if not self._live:
            self._print(f"{self._line(None)}\n")
            return
        most = shutil.get_terminal_size((80, 24)).columns - 1  # a line that wraps cannot be cleared
        self._print(f"{_CLEAR}{self._line(most)[:most]}")
        self._shown = True

    def say(self, text: str) -> None:
        """Print a message, above the line."""
        self.clear()
        self._print(printable(text, kept="\n\t") + "\n")

    def clear(self) -> None:
        """Take the line away."""
        if self._shown:
            self._shown = False
            self._print(_CLEAR)

    def _print(self, text: str) -> None:
        with suppress(OSError, ValueError):
            self._stream.write(text)
            self._stream.flush()


_NAMES = {what: what.name.lower() for what in Happening}
_WITHOUT_JOB = "-"


def event_facts(event: Event, names: Sequence[str]) -> dict[str, Any]:
    """Return an event as plain values.

    Examples
    --------
    >>> event_facts(Event(Happening.FAILED, 0, 1.5, exit_code=3), ["a"])["event"]
    'failed'
    """
    about = event.job >= 0
    return {
        "event": _NAMES[event.what],
        "job": names[event.job] if about else None,
        "index": event.job if about else None,
        "time_s": round(event.time_s, 6),
        "worker": event.worker if event.worker != ANYWHERE else None,
        "attempt": event.attempt if about else None,
        "exit_code": event.exit_code,
        "text": event.text,
    }


def event_text(event: Event, names: Sequence[str], final: str = "") -> str:
    r"""Return an event as a line without its time.

    Examples
    --------
    >>> event_text(Event(Happening.AGAIN, 0, 1.5, worker=2, attempt=1, exit_code=3, text="ended"), ["a\nb"])
    'again      a\\nb: ended (attempt 1, worker 2, status 3)'
    >>> event_text(Event(Happening.STARTED, -1, 1.5, worker=0, text="fin: started"), ["a"], final="fin")
    'started    FINAL fin (worker 0)'
    """
    name, said = names[event.job] if event.job >= 0 else _WITHOUT_JOB, event.text
    if final and event.job < 0 and said.startswith(f"{final}: ") and event.what is not Happening.NOTE:
        name, said = f"FINAL {final}", said.removeprefix(f"{final}: ")
        said = "" if said == _NAMES[event.what] else said
    more = [f"attempt {event.attempt}"] if event.attempt > 1 or event.what is Happening.AGAIN else []
    more += [f"worker {event.worker}"] if event.worker != ANYWHERE else []
    more += [f"status {event.exit_code}"] if event.exit_code is not None else []
    text = f": {said}" if said else ""
    told = f" ({', '.join(more)})" if more else ""
    return printable(f"{_NAMES[event.what]:<10} {name}{text}{told}")


class Log:
    r"""A log file: each line has a calendar time, what happened, and to which job.

    Lines are added to what is there, so that a run that was resumed has one log.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     log = Log(Path(folder, "run.log"))
    ...     log.tell([Event(Happening.STARTED, 0, 1.5)], ["a"], now_s=2.0)
    ...     log.close()
    ...     Path(folder, "run.log").read_text().split(maxsplit=1)[1]
    'started    a\n'
    """

    def __init__(self, path: Path, final: str = "") -> None:
        self.path = path
        self._final = final
        self._stream: IO[str] | None = None
        try:
            number = os.open(path, os.O_CREAT | os.O_WRONLY | os.O_APPEND, 0o600)
        except OSError as error:
            raise EligoError(f"{path}: {error.strerror or error}", hint="--log FILE names another log") from error
        self._stream = open(number, "w", encoding="utf-8", errors="backslashreplace")  # noqa: PTH123, SIM115

    def tell(self, events: Sequence[Event], names: Sequence[str], now_s: float) -> None:
        """Write some events; `now_s` is the time of the run, since the calendar's may have jumped."""
        since = time.time() - now_s
        self._write(
            [f"{_calendar(since + event.time_s)} {event_text(event, names, self._final)}\n" for event in events]
        )

    def note(self, text: str) -> None:
        """Write what is no event."""
        self._write([f"{_calendar(time.time())} {_NAMES[Happening.NOTE]:<10} {printable(text)}\n"])

    def _write(self, lines: list[str]) -> None:
        if self._stream is None or not lines:
            return
        try:
            self._stream.writelines(lines)
            self._stream.flush()
        except OSError as error:
            _warn(f"{self.path}: {error.strerror or error}: the log ends here, the run goes on")
            self.close()

    def close(self) -> None:
        """Let go of the file."""
        stream, self._stream = self._stream, None
        if stream is not None:
            with suppress(OSError):  # what is still in its buffer was complained of before
                stream.close()


class Output:
    """Standard output that may be lost without harm: the run goes on, and its exit status stays what it is."""

    def __init__(self) -> None:
        self._lost = False

    def write(self, text: str) -> None:
        """Write a text, at once."""
        if self._lost or not text:
            return
        try:
            sys.stdout.write(text)
            sys.stdout.flush()
        except OSError as error:
            self._lost = True
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # or Python would complain again at exit
            _warn(f"standard output: {error.strerror or error}: nothing more is printed there, the run goes on")


class JsonLines:
    """Events as lines of JSON on standard output, each there as soon as it is told."""

    def __init__(self, output: Output) -> None:
        self._output = output

    def tell(self, events: Sequence[Event], names: Sequence[str]) -> None:
        """Write some events."""
        self.write([event_facts(event, names) for event in events])

    def write(self, facts: Sequence[dict[str, Any]]) -> None:
        """Write some objects, one a line."""
        self._output.write("".join(f"{json.dumps(one)}\n" for one in facts))


def _warn(text: str) -> None:
    with suppress(OSError, ValueError):  # whoever would be warned has gone as well
        say(f"warning: {text}")


def _calendar(seconds: float) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%S%z", time.localtime(seconds))
