"""What is being done, on a terminal, once it takes longer than a moment; nothing anywhere else."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

__all__ = ["working"]

_PATIENCE_S = 1.0
_CLEAR = "\r\x1b[K"


@contextmanager
def working(text: str, patience_s: float = _PATIENCE_S) -> Iterator[Callable[[str], None]]:
    """Show `text` and the seconds since on standard error, if that is a terminal, until the work is done.

    What the work is at can be told by calling what comes back.

    Examples
    --------
    >>> with working("ordering 3 jobs") as tell:
    ...     tell("the last of them")
    """
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    from threading import Event, Thread

    done, step = Event(), [""]
    begin = time.monotonic()

    def show() -> None:
        wait = patience_s
        while not done.wait(wait):
            line = f"{text}{step[-1]} ... {time.monotonic() - begin:.0f} s"
            print(f"{_CLEAR}{line}", end="", file=sys.stderr, flush=True)
            wait = 0.5
        if wait != patience_s:
            print(_CLEAR, end="", file=sys.stderr, flush=True)

    shower = Thread(target=show, daemon=True)
    shower.start()
    try:
        yield lambda now: step.append(f": {now}")
    finally:
        done.set()
        shower.join()
