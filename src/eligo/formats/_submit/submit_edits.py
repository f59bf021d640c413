"""A submit description that takes its priority from the job's VARS, and what stands in the way of that.

The line ``priority = $(jobpriority)`` goes before the first ``queue``, outside any ``if``, so that it holds for every
job that is queued. Asked of HTCondor 23.9:

* ``priority`` goes before ``prio`` and ``jobprio``, and ``+JobPrio`` (``MY.JobPrio``) before all of them;
* PRIORITY of the DAG acts as a ``priority`` before the first line of a submit *file*, and VARS come there too, so that
  the file has the last word; they come after the last line of a description *inside* the DAG, where only ``+JobPrio``
  wins over PRIORITY;
* without the variable, ``$(jobpriority)`` is nothing, and the job's priority is 0.

What the submit descriptions of a DAG do to priorities, and what has to change in them.

Each file is opened once, by whatever names jobs refer to it. A description that sets a priority itself is left alone
and told of, unless the user wants ours in its place. Where files may change, what is ours in them comes out first, so
that the result does not depend on what was there before. Descriptions in included DAG files are never changed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from eligo.formats._dagman.details import Details
from eligo.formats._dagman.marked_block import append, apply_edits, block, commented, has_marks, line_end, take_out
from eligo.formats._dagman.user_priorities import VARIABLE
from eligo.formats._editing import Change
from eligo.formats._source import Source
from eligo.formats._submit.submit_file import Inside, Statement, SubmitFiles, Submits, statements

__all__ = [
    "MAX_LOOKED",
    "REFERENCE",
    "Found",
    "OwnPriority",
    "own_priority",
    "refer_to_variable",
    "restore",
    "take_precedence",
    "with_reference",
    "without_own",
]

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


MAX_LOOKED = 1000
"""How many submit descriptions are looked at where it is only for a warning."""

_MAX_ASKED = 1000
_WINS = "this priority overrides ours in the queue; ours still order what DAGMan holds back"
_LOSES = "our PRIORITY lines override this priority"
_FOREIGN = "this line, which eligo wrote for a DAG in style vars, overrides our PRIORITY lines in the queue"
_KEEPS = "this priority stays, and ours has no effect; --replace makes it a comment"
_INCLUDED = f"an included file is not changed: put the line '{REFERENCE}' into this description"
_ABSENT = f"whoever makes it must put the line '{REFERENCE}' into it, before queue"


@dataclass(slots=True)
class _Description:
    """A description that could be read.

    Attributes
    ----------
    numbers
        Those it goes by.
    source
        The file it is in, as it is.
    begin
        Where it begins there.
    data
        Its text, without what is ours where that was asked for.
    inside
        Whether it is in a DAG file.
    included
        Whether that is not the outermost one.
    stated
        How the DAG names the file, DIRs included.
    seen
        The file that the user has it in and where it begins there, if that is another.
    """

    source: Source
    begin: int
    data: bytes
    inside: bool = False
    included: bool = False
    stated: str = ""
    seen: tuple[Source, int] | None = None
    numbers: list[int] = field(default_factory=list)

    def where(self, statement: Statement | None = None) -> str:
        source, begin = self.seen or (self.source, self.begin)
        return f"{source.path}:{source.line_at(begin + (statement.begin if statement else 0))}"

    def referring(self) -> bytes:
        """Return the text with its priority from VARS, its own made comments."""
        end = line_end(self.source.data if self.inside else self.data)
        return with_reference(Source(self.source.path, self.data), end, own_priority(self.data, inside=self.inside))


@dataclass(slots=True)
class Found:
    """What the submit descriptions come to.

    Attributes
    ----------
    warnings
        What the user should know.
    edits
        Changes to descriptions inside the outermost DAG file: begin, end, new bytes.
    others
        Submit files that change.
    beyond
        Whether any submit file carries something of ours afterwards.
    kept
        The numbers of the descriptions that keep a priority of their own.
    """

    warnings: list[str] = field(default_factory=list)
    edits: list[tuple[int, int, bytes]] = field(default_factory=list)
    others: list[Change] = field(default_factory=list)
    beyond: bool = False
    kept: list[int] = field(default_factory=list)

    def _put(self, description: _Description, text: bytes) -> None:
        """Take note of a description's new text, which may be the old one."""
        if description.inside:
            if text != description.data:
                self.edits.append((description.begin, description.begin + len(description.data), text))
            return
        self.beyond = self.beyond or text != description.data
        if text != description.source.data:
            self.others.append(Change(description.source.path, text, description.stated, description.source.data))


class _Tally:
    """Findings of one kind, told in one sentence however many there are."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._first = ""
        self._numbers: list[int] = []
        self._descriptions = 0

    def add(self, where: str, numbers: Iterable[int]) -> None:
        self._first = self._first or where
        self._numbers += numbers
        self._descriptions += 1

    def told(self, submits: Submits) -> Iterator[str]:
        if self._descriptions:
            jobs = int(submits.counts()[self._numbers].sum())
            more = f"; so in {self._descriptions - 1:,} more submit descriptions" if self._descriptions > 1 else ""
            yield f"{self._first}: {self._text} ({jobs:,} job{'s' * (jobs != 1)}{more})"


def take_precedence(
    details: Details, submits: Submits, *, replace: bool, restoring: bool, origin: Details | None = None
) -> Found:
    """Find descriptions that override PRIORITY lines; what does so becomes a comment where ours are to `replace` it.

    `restoring` says that submit files carry lines of ours from before, which now have to go; `origin` has the user's
    files, where the DAG was flattened from them.
    """
    found = Found()
    wins, loses, foreign = _Tally(_WINS), _Tally(_LOSES), _Tally(_FOREIGN)
    most = None if replace or restoring else MAX_LOOKED
    for description in _descriptions(details, submits, most, without_ours=restoring, origin=origin)[0]:
        own = own_priority(description.data, inside=description.inside)
        text = description.data
        if own.overriding:
            if not restoring and not description.inside and has_marks(text):
                foreign.add(description.where(own.overriding[0]), description.numbers)
            elif replace and not description.included:
                text = without_own(text, own.overriding)
            else:
                wins.add(description.where(own.overriding[0]), description.numbers)
        elif own.overridden:
            loses.add(description.where(own.overridden[0]), description.numbers)
        found._put(description, text)
    for tally in (wins, foreign, loses):
        found.warnings += tally.told(submits)
    if most is not None and submits.total > most:
        looked = f"only the first {most:,} of {submits.total:,} submit descriptions"
        found.warnings.append(f"{looked} were looked at for priorities of their own")
    return found


def refer_to_variable(details: Details, submits: Submits, *, replace: bool, origin: Details | None = None) -> Found:
    """Make every description take its priority from the job's VARS, unless it has one of its own that stays."""
    found = Found()
    keeps, included = _Tally(_KEEPS), _Tally(_INCLUDED)
    descriptions, absent = _descriptions(details, submits, None, without_ours=True, origin=origin)
    for description in descriptions:
        own = own_priority(description.data, inside=description.inside)
        text = description.data
        if own.refers:
            pass
        elif own.lines and (description.included or not replace):
            keeps.add(description.where(own.lines[0]), description.numbers)
            found.kept += description.numbers
        elif description.included:
            included.add(description.where(), description.numbers)
        else:
            text = description.referring()
        found._put(description, text)
    for tally in (keeps, included, *_absent(details, submits, absent)):
        found.warnings += tally.told(submits)
    return found


def restore(details: Details, submits: Submits) -> tuple[Change, ...]:
    """Return the submit files in which something is ours as they were before."""
    found = Found()
    for description in _descriptions(details, submits, None, without_ours=True)[0]:
        found._put(description, description.data)
    return tuple(found.others)


_Absent = tuple[int, str, str]


def _descriptions(
    details: Details, submits: Submits, most: int | None, *, without_ours: bool, origin: Details | None = None
) -> tuple[list[_Description], list[_Absent]]:
    """Return the descriptions that can be read, each once, and number, path and reason of those that cannot."""
    known: dict[object, _Description] = {}
    absent: list[_Absent] = []
    files = SubmitFiles(many=submits.total > 256)
    for submit in submits.each(most):
        place = submit.place
        if isinstance(place, Inside):
            key: object = (place.file, place.begin)
            if key not in known:
                source = details.root.files[place.file].source
                text = source.data[place.begin : place.end]
                seen = None if origin is None else origin.description(int(submits.jobs_of(submit.number)[0]))
                known[key] = _Description(source, place.begin, text, True, place.file != 0, seen=seen)
        else:
            file = files.open(place)
            if isinstance(file, str):
                absent.append((submit.number, place[0], file))
                continue
            key = file.key
            if key not in known:
                source = Source(file.path, file.data)
                text = take_out(source).data if without_ours else file.data
                known[key] = _Description(source, 0, text, stated=place[-1])
        known[key].numbers.append(submit.number)
    return list(known.values()), absent


def _absent(details: Details, submits: Submits, absent: list[_Absent]) -> Iterable[_Tally]:
    """Tell of the submit files that could not be read and will be needed: those of some job that is submitted."""
    tallies: dict[str, _Tally] = {}
    asked = 0
    for number, path, why in absent:
        needed = asked >= _MAX_ASKED  # looking at a job costs; beyond some all are taken to be submitted
        for job in () if needed else submits.jobs_of(number)[:100].tolist():
            asked += 1
            node = details.job(job)
            if needed := not (node.noop or node.done):
                break
        if needed:
            tallies.setdefault(why, _Tally(f"{why}; {_ABSENT}")).add(path, [number])
    return tallies.values()
