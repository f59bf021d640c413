"""A bound on hangs. Speed is measured in benchmarks/; a test only shows that an input does not take for ever."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def no_hang(seconds: int = 60) -> Iterator[None]:
    """Fail if the block takes longer than noise explains, as exponential or quadratic work would."""

    def give_up(*_: object) -> None:
        raise AssertionError(f"not done after {seconds} s")

    previous = signal.signal(signal.SIGALRM, give_up)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, previous)
