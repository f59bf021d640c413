"""What happens in a run, told line by line: to a log file for people, as JSON to programs.

Names and texts come from workflows and jobs: in the log no character of theirs can end a line or steer a terminal.
Neither a full disk nor a reader who has gone away stops the run: what cannot be told is told no more, and that is said
once. The keys of JSON lines are stable: ``event``, ``job``, ``index``, ``time_s``, ``worker``, ``attempt``,
``exit_code``, ``text``; what is unknown is null.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

from eligo.cli.messages import say
from eligo.engines.base import Event, Happening
from eligo.errors import EligoError
from eligo.trace import ANYWHERE
from eligo.words import printable

__all__ = ["JsonLines", "Log", "Output", "event_facts", "event_text"]

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
