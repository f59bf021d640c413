"""What the command line says to people: errors, hints, warnings. Text from files never reaches the terminal raw."""

from __future__ import annotations

import difflib
import os
import sys
from collections.abc import Callable, Iterable

from eligo.errors import EligoError

__all__ = ["guarded", "printable", "say", "usage_error", "warn"]

DONE, FAILED, USAGE, INTERRUPTED = 0, 1, 2, 130


def printable(text: str) -> str:
    r"""Show control characters, which could steer a terminal, as escapes.

    Examples
    --------
    >>> print(printable("a\x1b[31mb"))
    a\x1b[31mb
    """
    if text.isprintable():
        return text
    return "".join(
        c if c.isprintable() or c in "\n\t" else c.encode("unicode_escape", "surrogatepass").decode() for c in text
    )


def say(text: str) -> None:
    """Print a message on standard error."""
    print(printable(text), file=sys.stderr)


def warn(texts: Iterable[str]) -> None:
    """Print warnings on standard error."""
    for text in texts:
        say(f"warning: {text}")


def usage_error(text: str, choices: Iterable[str], given: str) -> int:
    """Say what is wrong with the words of a command line, and what may have been meant."""
    near = difflib.get_close_matches(given, list(choices), 1)
    say(f"eligo: {text}")
    say(f"hint: did you mean {near[0]}?" if near else "hint: eligo --help lists the commands")
    return USAGE


def guarded(action: Callable[[], int], *, debug: bool) -> int:
    """Run a command; report what it raises as a message and an exit status."""
    try:
        status = action()
        sys.stdout.flush()
    except EligoError as error:
        if debug:
            raise
        say(str(error))
        return FAILED
    except BrokenPipeError:
        # The reader of our output has gone (`eligo ... | head`): nothing is wrong. Python would complain once more
        # when it flushes at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return DONE
    except KeyboardInterrupt:
        if debug:
            raise
        say("interrupted")
        return INTERRUPTED
    except MemoryError:
        if debug:
            raise
        say("not enough memory for this workflow\nhint: use a machine with more memory")
        return FAILED
    except Exception as error:
        if debug:
            raise
        say(f"internal error: {type(error).__name__}: {error}\nhint: this is a bug in eligo; --debug shows where")
        return FAILED
    return status
