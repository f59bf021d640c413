"""What is being done, on a terminal, once it takes longer than a moment; nothing anywhere else."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["working"]

_PATIENCE_S = 1.0
_CLEAR = "\r\x1b[K"


@contextmanager
def working(text: str, patience_s: float = _PATIENCE_S) -> Iterator[None]:
    """Show `text` and the seconds since on standard error, if that is a terminal, until the work is done.

    Examples
    --------
    >>> with working("ordering 3 jobs"):
    ...     pass
    """
    if not sys.stderr.isatty():
        yield
        return
    from threading import Event, Thread

    done = Event()
    begin = time.monotonic()

    def show() -> None:
        wait = patience_s
        while not done.wait(wait):
            print(f"{_CLEAR}{text} ... {time.monotonic() - begin:.0f} s", end="", file=sys.stderr, flush=True)
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
