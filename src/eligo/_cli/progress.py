"""What is being done: on a terminal once it takes longer than a moment, elsewhere only where it takes very long."""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

__all__ = ["Shares", "clock", "counting", "working"]

_PATIENCE_S = 1.0
_CLEAR = "\r\x1b[K"
_LINE_EVERY_S = 30.0
_BAR = 20


@contextmanager
def working(text: str, patience_s: float = _PATIENCE_S) -> Iterator[Callable[[str], None]]:
    """Show `text` and the seconds since on standard error, if that is a terminal, until the work is done.

    What the work is at can be told by calling what comes back.

    Examples
    --------
    >>> with working("ordering 3 jobs") as tell:
    ...     tell("the last of them")
    """
    step = [""]
    begin = time.monotonic()
    with _shown(lambda: f"{text}{step[-1]} ... {time.monotonic() - begin:.0f} s", patience_s):
        yield lambda now: step.append(f": {now}")


@contextmanager
def _shown(line: Callable[[], str], patience_s: float) -> Iterator[None]:
    """Keep a line on standard error up to date, if that is a terminal."""
    if not sys.stderr.isatty():
        yield
        return
    from threading import Event, Thread

    done = Event()

    def show() -> None:
        wait = patience_s
        while not done.wait(wait):
            most = shutil.get_terminal_size((80, 24)).columns - 1  # a line that wraps cannot be cleared
            print(f"{_CLEAR}{line()[:most]}", end="", file=sys.stderr, flush=True)
            wait = 0.5
        if wait != patience_s:
            print(_CLEAR, end="", file=sys.stderr, flush=True)

    shower = Thread(target=show, daemon=True)
    shower.start()
    try:
        yield
    finally:
        done.set()
        shower.join()


class Shares:
    """How much of some work is done, and how long the rest will take at the pace so far.

    Attributes
    ----------
    share
        What is done, from 0 to 1. What was there at the beginning is no pace.
    note
        What else to say, such as a number of points.
    """

    def __init__(self, text: str, now: Callable[[], float] = time.monotonic) -> None:
        self.text = text
        self.note = ""
        self.share = 0.0
        self._first: float | None = None
        self._now = now
        self._begin = now()

    def tell(self, share: float) -> None:
        """Take note of the share that is done; the first that is told was done before."""
        if self._first is None:
            self._first, self._begin = share, self._now()
        self.share = share

    @property
    def elapsed_s(self) -> float:
        """Seconds since the work began."""
        return self._now() - self._begin

    @property
    def left_s(self) -> float | None:
        """Seconds that are left, about; ``None`` while nobody can tell."""
        done = self.share - (self._first or 0.0)
        if done <= 0 or (done < 0.01 and self.elapsed_s < 10):
            return None
        return self.elapsed_s * (1 - self.share) / done

    def line(self, bar: bool = False) -> str:
        """Return all that in a line, with a bar or without."""
        full = int(_BAR * self.share)
        drawn = f" [{'#' * full}{'.' * (_BAR - full)}]" if bar else ""
        left = "" if self.left_s is None else f", about {clock(self.left_s)} left"
        note = f", {self.note}" if self.note else ""
        return f"{self.text}{drawn} {100 * self.share:.0f} %{note}, {clock(self.elapsed_s)} elapsed{left}"


@contextmanager
def counting(text: str, every_s: float = _LINE_EVERY_S) -> Iterator[Shares]:
    """Show how much of some work is done: a bar on a terminal, elsewhere a line now and then.

    Examples
    --------
    >>> with counting("simulating") as shares:
    ...     shares.tell(0.0)
    ...     shares.tell(0.5)
    """
    shares = Shares(text) if sys.stderr.isatty() else _Lines(text, every_s)
    with _shown(lambda: shares.line(bar=True), _PATIENCE_S):
        yield shares


class _Lines(Shares):
    """Shares that print a line of their own, but not often: whoever reads a log wants to know that it goes on."""

    def __init__(self, text: str, every_s: float) -> None:
        super().__init__(text)
        self._every_s = every_s
        self._due = self._now() + every_s

    def tell(self, share: float) -> None:
        super().tell(share)
        if self._now() >= self._due:
            self._due = self._now() + self._every_s
            print(self.line(), file=sys.stderr, flush=True)


def clock(seconds: float) -> str:
    """Return a time as clocks show it.

    Examples
    --------
    >>> clock(7), clock(125), clock(3_725), clock(200_000)
    ('0:07', '2:05', '1:02:05', '2 d 7 h')
    """
    whole = round(min(seconds, 1e12))
    if whole >= 100_000:
        return f"{whole // 86_400:,} d {whole % 86_400 // 3_600} h"
    minutes, rest = divmod(whole, 60)
    return f"{minutes // 60}:{minutes % 60:02}:{rest:02}" if minutes >= 60 else f"{minutes}:{rest:02}"
