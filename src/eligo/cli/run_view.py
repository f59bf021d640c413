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

from eligo.cli.progress import clock
from eligo.cli.run_tally import Tally
from eligo.words import printable

__all__ = ["View", "progress_line"]

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
