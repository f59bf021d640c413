"""A submit description that takes its priority from the job's VARS, and what stands in the way of that.

The line ``priority = $(jobpriority)`` goes before the first ``queue``, outside any ``if``, so that it holds for every
job that is queued. Asked of HTCondor 23.9:

* ``priority`` goes before ``prio`` and ``jobprio``, and ``+JobPrio`` (``MY.JobPrio``) before all of them;
* PRIORITY of the DAG acts as a ``priority`` before the first line of a submit *file*, and VARS come there too, so that
  the file has the last word; they come after the last line of a description *inside* the DAG, where only ``+JobPrio``
  wins over PRIORITY;
* without the variable, ``$(jobpriority)`` is nothing, and the job's priority is 0.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from eligo.formats.dagman.given import VARIABLE
from eligo.formats.dagman.marked import append, apply_edits, block, commented
from eligo.formats.dagman.submit import Statement, statements
from eligo.formats.storage import Source

__all__ = ["REFERENCE", "OwnPriority", "own_priority", "with_reference", "without_own"]

REFERENCE = f"priority = $({VARIABLE})"
"""The line that takes a job's priority from its VARS."""

_OWN = frozenset({"priority", "prio", "jobprio", "my.jobprio"})
_MENTIONS = re.compile(rb"prio", re.IGNORECASE)
_REFERS = re.compile(r"\$\(jobpriority(:[^()]*)?\)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class OwnPriority:
    """What a submit description says of the job's priority.

    Attributes
    ----------
    lines
        Its assignments.
    inside
        Whether it stands in the DAG.
    """

    lines: tuple[Statement, ...] = ()
    inside: bool = False

    @property
    def refers(self) -> bool:
        """Whether it takes the priority from the job's VARS already."""
        priority = [line.text for line in self.lines if line.name == "priority"]
        others = any(line.name in ("my.jobprio", VARIABLE) for line in self.lines)
        return bool(priority) and not others and all(_REFERS.fullmatch(text.strip()) for text in priority)

    @property
    def overriding(self) -> tuple[Statement, ...]:
        """Those that win over a PRIORITY line of the DAG."""
        names = ("my.jobprio",) if self.inside else ("my.jobprio", "priority")
        return tuple(line for line in self.lines if line.name in names)

    @property
    def overridden(self) -> tuple[Statement, ...]:
        """Those over which a PRIORITY line of the DAG wins."""
        names = ("prio", "jobprio", "priority") if self.inside else ("prio", "jobprio")
        return tuple(line for line in self.lines if line.name in names)


def own_priority(data: bytes, *, inside: bool = False) -> OwnPriority:
    r"""Return what a submit description says of the job's priority; nearly all say nothing.

    Examples
    --------
    >>> own = own_priority(b"executable = x\nPrio = 3\nqueue\n")
    >>> [line.name for line in own.lines], own.refers
    (['prio'], False)
    """
    if _MENTIONS.search(data) is None:
        return OwnPriority((), inside)
    names = _OWN if inside else _OWN | {VARIABLE}
    lines = tuple(line for line in statements(data) if line.kind == "set" and line.name in names)
    return OwnPriority(lines, inside)


def with_reference(source: Source, end: bytes, own: OwnPriority) -> bytes:
    r"""Return a description that takes its priority from VARS, its own made comments; `end` is how lines end.

    Examples
    --------
    >>> text = b"executable = x\nqueue\n"
    >>> with_reference(Source("x.sub", text), b"\n", own_priority(text)).splitlines()[2]
    b'priority = $(jobpriority)'
    """
    data = source.data
    edits = [commented(data, line.begin, line.end) for line in own.lines]
    line = REFERENCE.encode() + end
    place = 0 if own.inside else _before_queue(data)
    if place is None:
        return append(Source(source.path, apply_edits(data, edits)), line)
    return apply_edits(data, [*edits, (place, place, block(line, end))])


def without_own(data: bytes, lines: Sequence[Statement]) -> bytes:
    r"""Return a description with some of its lines made comments.

    Examples
    --------
    >>> text = b"priority = 3\nqueue\n"
    >>> without_own(text, own_priority(text).lines)
    b'# eligo keeps: priority = 3\nqueue\n'
    """
    return apply_edits(data, [commented(data, line.begin, line.end) for line in lines])


def _before_queue(data: bytes) -> int | None:
    """Return where the first queue statement begins, or the condition it is in; ``None`` where there is none."""
    depth, outermost = 0, 0
    for statement in statements(data):
        if statement.kind == "queue":
            return outermost if depth > 0 else statement.begin
        if statement.kind == "if" and statement.name == "if":
            outermost = outermost if depth > 0 else statement.begin
            depth += 1
        elif statement.kind == "if" and statement.name == "endif":
            depth -= 1
    return None
