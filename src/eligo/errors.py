"""What can go wrong, as one family.

::

    EligoError
    ├── ParseError          a file is malformed: path, line, text, hint
    ├── CycleError          the jobs depend on each other in a circle; carries it
    ├── CertificateError    a certificate is malformed, about another workflow, or does not prove its claim
    ├── InfeasibleError     no answer exists under the given limit
    ├── EngineError         an engine (HTCondor, Dask, Slurm, ...) failed
    └── MissingExtraError   an optional package is needed; names the extra

The command line turns each into ``file:line: what is wrong``, then ``hint: what to do``, and exit status 1.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence

__all__ = [
    "CertificateError",
    "CycleError",
    "EligoError",
    "EligoWarning",
    "EngineError",
    "InfeasibleError",
    "MissingExtraError",
    "ParseError",
    "warn_of",
]


class EligoWarning(UserWarning):
    """Something in the data was odd but could be read; the message says how it was taken."""


def warn_of(texts: Iterable[str]) -> None:
    """Warn whoever called the verb that calls this of something odd, as Python does.

    Examples
    --------
    >>> def verb():
    ...     warn_of(["x.dag:3: odd"])
    >>> with warnings.catch_warnings(record=True, action="always") as told:
    ...     verb()
    >>> [(str(one.message), one.category.__name__) for one in told]
    [('x.dag:3: odd', 'EligoWarning')]
    """
    for text in texts:
        warnings.warn(text, EligoWarning, stacklevel=3)


class EligoError(Exception):
    """Base of all errors that are the data's or the environment's fault rather than a bug.

    Examples
    --------
    >>> print(EligoError("no sizes known", hint="give --job-data TABLE"))
    no sizes known
    hint: give --job-data TABLE
    """

    def __init__(self, text: str, *, hint: str = "") -> None:
        super().__init__(text)
        self.text = text
        self.hint = hint

    @property
    def where(self) -> str:
        """The ``file:line:`` that introduces the message, with a blank, or nothing."""
        return ""

    def __str__(self) -> str:
        message = f"{self.where}{self.text}"
        return f"{message}\nhint: {self.hint}" if self.hint else message


class ParseError(EligoError):
    """A file is malformed or cannot be read.

    Parameters
    ----------
    path
        The file as the user named it.
    line
        Counted from 1; ``None`` where the trouble is with the file as a whole.
    text
        What is wrong, in one sentence without a final stop.
    hint
        What to do about it.

    Examples
    --------
    >>> print(ParseError("a.dag", 3, "unknown job 'x'", hint="declare it with JOB"))
    a.dag:3: unknown job 'x'
    hint: declare it with JOB
    """

    def __init__(self, path: str, line: int | None, text: str, *, hint: str = "") -> None:
        super().__init__(text, hint=hint)
        self.path = path
        self.line = line

    @property
    def where(self) -> str:
        """The ``file:line:`` that introduces the message, with a blank."""
        return f"{self.path}: " if self.line is None else f"{self.path}:{self.line}: "


class CycleError(EligoError):
    """The jobs depend on each other in a circle.

    Attributes
    ----------
    cycle
        Names of the jobs on the shortest cycle that could be found; each depends on the one before it, the first
        on the last.
    path, line
        The file and the line of an edge of the cycle, where known.

    Examples
    --------
    >>> print(CycleError(["a", "b"]).text)
    the jobs form a cycle: a -> b -> a
    """

    SHOWN = 20

    def __init__(self, cycle: Sequence[str], *, path: str = "", line: int | None = None) -> None:
        shown = list(cycle[: self.SHOWN])
        tail = [cycle[0]] if len(cycle) <= self.SHOWN else [f"... ({len(cycle)} jobs)", cycle[0]]
        super().__init__(
            "the jobs form a cycle: " + " -> ".join([*shown, *tail]),
            hint="remove one of these dependencies: jobs that wait for each other never run",
        )
        self.cycle = tuple(cycle)
        self.path = path
        self.line = line

    @property
    def where(self) -> str:
        """The ``file:line:`` that introduces the message, with a blank, where known."""
        if not self.path:
            return ""
        return f"{self.path}: " if self.line is None else f"{self.path}:{self.line}: "


class CertificateError(EligoError):
    """A certificate is malformed, about another workflow, or does not prove what it claims."""


class InfeasibleError(EligoError):
    """No answer exists under the given limit.

    Attributes
    ----------
    reachable
        The smallest limit known to be reachable, or ``None``.
    """

    def __init__(self, text: str, *, hint: str = "", reachable: int | None = None) -> None:
        super().__init__(text, hint=hint)
        self.reachable = reachable


class EngineError(EligoError):
    """An engine failed or refused."""


class MissingExtraError(EligoError):
    """An optional package is needed.

    Examples
    --------
    >>> print(MissingExtraError("networkx", "graphs"))
    this needs the package networkx, which is not installed
    hint: pip install 'eligo[graphs]'
    """

    def __init__(self, package: str, extra: str) -> None:
        super().__init__(
            f"this needs the package {package}, which is not installed", hint=f"pip install 'eligo[{extra}]'"
        )
        self.package = package
        self.extra = extra
