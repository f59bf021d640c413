"""What the command line says to people: errors, hints, warnings. Text from files never reaches the terminal raw."""

from __future__ import annotations

import io
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

from eligo._humanize import printable
from eligo.errors import EligoError

__all__ = ["guarded", "output_lost", "say", "terminable", "usage_error", "warn"]

DONE, FAILED, USAGE, INTERRUPTED, TERMINATED = 0, 1, 2, 130, 143


class Terminated(KeyboardInterrupt):
    """SIGTERM: to be taken as Ctrl-C is, by whoever cleans up."""


def say(text: str) -> None:
    """Print a message on standard error."""
    print(printable(text, kept="\n\t"), file=sys.stderr)


def warn(texts: Iterable[str]) -> None:
    """Print warnings on standard error."""
    for text in texts:
        say(f"warning: {text}")


def usage_error(text: str, choices: Iterable[str] = (), given: str = "", *, hint: str = "") -> int:
    """Say what is wrong with the words of a command line, and the hint, or else what may have been meant."""
    import difflib

    near = difflib.get_close_matches(given, list(choices), 1)
    say(f"eligo: {text}")
    say(f"hint: {hint or (f'did you mean {near[0]}?' if near else 'eligo --help lists the commands')}")
    return USAGE


def guarded(action: Callable[[], int], *, debug: bool) -> int:
    """Run a command; report what it raises as a message and an exit status."""
    _mend_output()
    try:
        try:
            return action()
        finally:
            sys.stdout.flush()  # here and not at exit, also where argparse leaves after printing its help
    except (EligoError, KeyboardInterrupt, MemoryError, OSError) as error:
        if debug and not isinstance(error, BrokenPipeError):
            raise
        return _expected(error)
    except Exception as error:
        if debug:
            raise
        say(f"internal error: {type(error).__name__}: {error}\nhint: this is a bug in eligo; --debug shows where")
        return FAILED


@contextmanager
def terminable() -> Iterator[None]:
    """Let SIGTERM, by which batch systems end jobs, be an exception meanwhile, unless someone else has a use for it."""
    ours = threading.current_thread() is threading.main_thread() and signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
    if not ours:
        yield
        return

    def end(*_: object) -> None:
        raise Terminated

    signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _expected(error: BaseException) -> int:
    if isinstance(error, OSError):
        return output_lost(error)
    if isinstance(error, KeyboardInterrupt):
        ended = isinstance(error, Terminated)
        say("terminated" if ended else "interrupted")
        return TERMINATED if ended else INTERRUPTED
    if isinstance(error, MemoryError):
        say("not enough memory for this workflow\nhint: use a machine with more memory")
    else:
        say(str(error))
    return FAILED


def _mend_output() -> None:
    """Let standard output take any text: names of jobs need not fit the encoding of the terminal."""
    if sys.stdout is None:  # closed by `>&-`; its number must not go to a file that is opened later
        sys.stdout = open(os.devnull, "w")  # noqa: PTH123, SIM115
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")  # noqa: PTH123, SIM115
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")


def output_lost(error: OSError) -> int:
    """Say that standard output cannot be written; trouble with files has become an EligoError before."""
    # What is still in the buffer goes nowhere, or Python would complain once more when it flushes at exit.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    if isinstance(error, BrokenPipeError):
        return DONE  # the reader has gone (`eligo ... | head`): nothing is wrong
    say(f"cannot write the output: {error.strerror or error}\nhint: check the disk that standard output leads to")
    return FAILED
