"""How a run is shown while it goes on: one line kept up to date on a terminal, elsewhere a line now and then.

Whoever started the run may be gone, and the terminal with them: what cannot be shown is not worth an error.
"""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from typing import TextIO

from eligo.cli.messages import printable
from eligo.cli.progress import clock
from eligo.cli.run_tally import Tally

__all__ = ["View", "progress_line"]

_CLEAR = "\r\x1b[K"
_REDRAWN_EVERY_S = 0.2
_LINE_EVERY_S = 30.0
_BAR = 20
_SOON_S = 1.0


def progress_line(tally: Tally, elapsed_s: float, *, bar: bool = False, memory: str = "") -> str:
    """Return where a run stands.

    Examples
    --------
    >>> from eligo.dag import Dag
    >>> print(progress_line(Tally(Dag.from_names([("a", "b")]), [1, 0]), 65.0, memory="1 MB of 2 MB"))
    0 of 2 jobs done, 1 running, 0 eligible, 1:05 elapsed, 1 MB of 2 MB in use
    """
    over = tally.done + tally.failed + tally.hopeless
    full = _BAR * over // max(tally.n, 1)
    parts = [f"{tally.done:,} of {tally.n:,} jobs done", f"{tally.running:,} running", f"{tally.eligible:,} eligible"]
    if tally.failed:
        parts.append(f"{tally.failed:,} failed")
    parts.append(f"{clock(elapsed_s)} elapsed")
    left = tally.left_s(elapsed_s) if elapsed_s >= _SOON_S else None
    if left is not None:
        parts.append(f"about {clock(left)} left")
    if memory:
        parts.append(f"{memory} in use")
    return (f"[{'#' * full}{'.' * (_BAR - full)}] " if bar else "") + ", ".join(parts)


class View:
    """Shows a run on standard error.

    Parameters
    ----------
    line
        Returns the line to show, with a bar or without.
    """

    def __init__(
        self, line: Callable[[bool], str], stream: TextIO | None = None, now: Callable[[], float] = time.monotonic
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
            self._print(f"{self._line(False)}\n")
            return
        most = shutil.get_terminal_size((80, 24)).columns - 1  # a line that wraps cannot be cleared
        self._print(f"{_CLEAR}{self._line(True)[:most]}")
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
