"""Ctrl-C and its like, taken note of and heeded at a moment that suits the engine.

A signal may come in the middle of anything, so its handler only counts; whoever watches the run asks :meth:`heed` in
between. Ctrl-C once: no new jobs. Twice: what runs is ended. Once more: leave at once, as by an exception; what is on
disk is whole at any time. SIGTERM, by which batch systems and service managers end programs, and SIGHUP, by which a
terminal that goes away does, end what runs at once: nobody would be there to say so a second time, and after --resume
nothing is lost. Whoever wants a run to outlive its terminal says so as for any other program: by nohup, tmux or
screen; a signal that is ignored when we start stays ignored.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from types import FrameType, TracebackType
from typing import Any

__all__ = ["Signals"]

_LAST = 3


class Signals:
    """While it is entered, signals are counted instead of ending the program.

    Examples
    --------
    >>> with Signals() as signals:
    ...     signal.raise_signal(signal.SIGINT)
    ...     signals.interrupts, signals.status
    (1, 130)
    """

    def __init__(self) -> None:
        self.interrupts = 0
        self.ended_by: int | None = None
        self._heeded = 0
        self._before: dict[int, Any] = {}

    @property
    def status(self) -> int | None:
        """The exit status that tells of the signal; ``None`` where there was none."""
        number = self.ended_by or (signal.SIGINT if self.interrupts else None)
        return None if number is None else 128 + int(number)

    def heed(self, stop: Callable[[], None], terminate: Callable[[], None]) -> int:
        """Do what signals since the last call ask for; return 0 for nothing, 1 after `stop`, 2 after `terminate`."""
        wanted = 2 if self.ended_by is not None else min(self.interrupts, 2)
        if wanted <= self._heeded:
            return 0
        self._heeded = wanted
        (stop if wanted == 1 else terminate)()
        return wanted

    def _count(self, number: int, _frame: FrameType | None) -> None:
        if number != signal.SIGINT:
            self.ended_by = number
            return
        self.interrupts += 1
        if self.interrupts >= _LAST or self.ended_by is not None:
            raise KeyboardInterrupt

    def __enter__(self) -> Signals:
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
                if signal.getsignal(number) is not signal.SIG_IGN:
                    self._before[number] = signal.signal(number, self._count)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)
        self._before.clear()
