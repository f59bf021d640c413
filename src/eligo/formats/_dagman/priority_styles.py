"""The two ways to put priorities into a DAG: PRIORITY lines, or VARS to which the submit descriptions refer.

The lines that give jobs their priorities, a million of them in a tenth of a second.

A kernel writes them; names that are no UTF-8, which it does not take, are joined here, stray bytes as they were.

What makes DAGMan hold jobs back, which defeats priorities that only the queue knows.

VARS reach a job when it is submitted. A throttle keeps jobs in DAGMan until others have left the queue, and DAGMan
picks the next one by its own order: that of PRIORITY lines, or of the file where there are none.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import compress
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from eligo import _core
from eligo.dag import Int32
from eligo.errors import ParseError
from eligo.formats._dagman.details import Details
from eligo.formats._dagman.marked_block import append, apply_edits, commented, line_end
from eligo.formats._dagman.parsed_dag import MarkRun, directory_of, join_directory
from eligo.formats._dagman.tokens import Keyword
from eligo.formats._dagman.user_priorities import DIRECT, VARIABLE, Given, given_priorities, given_variables
from eligo.formats._editing import Instrumented
from eligo.formats._source import Source
from eligo.formats._submit.submit_edits import Found, refer_to_variable, take_precedence
from eligo.formats._submit.submit_file import Submits

__all__ = [
    "DEFAULT_MAX_IDLE",
    "Request",
    "priority_lines",
    "throttles",
    "vars_lines",
    "with_priority_lines",
    "with_variables",
]


def priority_lines(names: Sequence[str], numbers: Int32, end: bytes) -> bytes:
    r"""Return a PRIORITY line for each job.

    Examples
    --------
    >>> import numpy as np
    >>> priority_lines(["a", "b"], np.array([2, 1], np.int32), b"\n")
    b'PRIORITY a 2\nPRIORITY b 1\n'
    """
    return _lines("PRIORITY ", names, " ", numbers, end.decode())


def vars_lines(names: Sequence[str], numbers: Int32, end: bytes) -> bytes:
    r"""Return a VARS line for each job.

    Examples
    --------
    >>> import numpy as np
    >>> vars_lines(["a", "b"], np.array([2, 1], np.int32), b"\n")
    b'VARS a jobpriority="2"\nVARS b jobpriority="1"\n'
    """
    return _lines("VARS ", names, ' jobpriority="', numbers, '"' + end.decode())


def _lines(before: str, names: Sequence[str], between: str, numbers: Int32, after: str) -> bytes:
    if len(names) != len(numbers):
        raise ValueError(f"{len(names)} names for {len(numbers)} numbers")
    made = _core.named_lines(before, tuple(names), between, numbers, after)
    if made is not None:
        return made
    lines = (f"{before}{name}{between}{number}{after}" for name, number in zip(names, numbers.tolist(), strict=True))
    return "".join(lines).encode("utf-8", "surrogateescape")


DEFAULT_MAX_IDLE = 1000
"""How many idle jobs DAGMan allows in the queue unless it is told otherwise."""

_LIMIT = re.compile(r"[ \t]*(DAGMAN_MAX_JOBS_(?:IDLE|SUBMITTED))[ \t]*=[ \t]*([0-9]+)", re.IGNORECASE)
_REMEDY = "which VARS do not order; PRIORITY lines do (--style priority)"


def throttles(details: Details) -> list[str]:
    r"""Return a sentence for each throttle that a DAG has, or that its size meets.

    Examples
    --------
    >>> from eligo.formats._dagman import parse
    >>> from eligo.formats._source import Source
    >>> throttles(parse(Source("x.dag", b"JOB a a.sub\nCATEGORY a few\nMAXJOBS few 2\n")).details)
    ['MAXJOBS makes DAGMan hold jobs back, which VARS do not order; PRIORITY lines do (--style priority)']
    """
    said = []
    if details.maxjobs and _has_categories(details):
        said.append(f"MAXJOBS makes DAGMan hold jobs back, {_REMEDY}")
    said += [
        f"{path}:{line}: {name} = {most:,} makes DAGMan hold jobs back, {_REMEDY}"
        for path, line, name, most in _configured(details)
        if most > 0
    ]
    if details.root.count > DEFAULT_MAX_IDLE:  # whatever the file says: condor_submit_dag of 23.9 passes this limit on
        said.append(
            f"{details.root.count:,} jobs, but DAGMan by itself lets no more than {DEFAULT_MAX_IDLE:,} be idle in the "
            f"queue and holds the others back, {_REMEDY}"
        )
    return said


def _has_categories(details: Details) -> bool:
    unit = details.root
    for mark in unit.marks:
        if isinstance(mark, MarkRun):
            kinds = unit.files[mark.file].scan.mark_kind[mark.first : mark.first + len(mark.nodes)]
            if np.any(kinds == Keyword.CATEGORY):
                return True
        elif mark.kind is Keyword.CATEGORY:
            return True
    return False


def _configured(details: Details) -> list[tuple[str, int, str, int]]:
    """Return file, line, name and value of the limits in the DAG's configuration file; the last of each name counts."""
    if not details.config:
        return []
    name = details.config.strip()
    base = directory_of(details.sources[0].path)
    for path in dict.fromkeys((join_directory(base, name), name)):
        try:
            text = Path(path).read_bytes().decode("utf-8", "surrogateescape")
        except (OSError, ValueError):
            continue
        found = ((number, _LIMIT.match(line)) for number, line in enumerate(text.split("\n"), 1))
        limits = {match[1].upper(): (path, number, match[1], int(match[2])) for number, match in found if match}
        return list(limits.values())
    return []


_Bools = NDArray[np.bool_]


@dataclass(slots=True)
class Request:
    """A DAG that is to get priorities, and what is known so far of how.

    Attributes
    ----------
    details
        What the user's file says, without anything of ours.
    replace
        Whether ours take the place of the user's priorities.
    restoring
        Whether submit files carry lines of ours from before.
    origin
        What the user's files say, where this one was flattened from them: its own lines nobody has seen.
    edits
        What changes in the user's lines: begin, end, new bytes.
    """

    details: Details
    names: Sequence[str]
    priorities: Int32
    replace: bool
    restoring: bool
    origin: Details | None = None
    warnings: list[str] = field(default_factory=list)
    edits: list[tuple[int, int, bytes]] = field(default_factory=list)

    @property
    def source(self) -> Source:
        """The user's file."""
        return self.details.sources[0]

    def first(self, given: Given) -> tuple[str, int]:
        """Return where the first of some lines stands, in a file that the user has."""
        if self.origin is None:
            return given.first
        return self.origin.mark_line(given.first_job, given.kind, given.names)

    def settle(self, given: Given) -> _Bools:
        """Tell which jobs keep what the user gave; where ours replace it, none do and the lines become comments."""
        count = int(np.count_nonzero(given.jobs))
        if count == 0:
            return given.jobs
        what = "PRIORITY" if given.kind is Keyword.PRIORITY else VARIABLE
        path, line = self.first(given)
        if not self.replace:
            jobs = "1 job has" if count == 1 else f"{count:,} jobs have"
            self.warnings.append(f"{path}:{line}: {jobs} a {what} of your own, which stays; --replace puts ours there")
            return given.jobs
        data = self.source.data
        self.edits += [commented(data, begin, end) for begin, end in given.places()]
        if given.included:
            self.warnings.append(
                f"{path}:{line}: included files are not changed: ours come after the {what} there and win, but DAGMan "
                "warns of it, and refuses the DAG where DAGMAN_USE_STRICT is 2 or more"
            )
        return np.zeros_like(given.jobs)

    def settle_direct(self, *, must: bool) -> None:
        """See to VARS that set the priority themselves: told of, made comments, or refused where they `must` go."""
        given = given_variables(self.details.root, *DIRECT)
        if not given.total:
            return
        places = given.places() if self.replace else []
        self.edits += [commented(self.source.data, begin, end) for begin, end in places]
        if len(places) == given.total:
            return
        path, line = self.first(given)
        count = int(np.count_nonzero(given.jobs))
        text = f"VARS set the priority of {count:,} job{'s' * (count != 1)} themselves"
        if must:
            hint = "take that out of the lines which say more" if self.replace else "--replace, or --style priority"
            raise ParseError(path, line, f"{text}, and style vars cannot keep it", hint=hint)
        self.warnings.append(f"{path}:{line}: {text}, which overrides ours in the queue")

    def lines(self, make: Callable[[Sequence[str], Int32, bytes], bytes], jobs: _Bools) -> bytes:
        """Return lines of one form for some of the jobs."""
        end = line_end(self.source.data)
        if jobs.all():
            return make(self.names, self.priorities, end)
        return make(list(compress(self.names, jobs.tolist())), self.priorities[jobs], end)

    def finish(self, lines: bytes, found: Found, ours: _Bools, kept: _Bools) -> Instrumented:
        """Put all together; `ours` are the jobs that have a priority of ours, `kept` those that keep one."""
        data = apply_edits(self.source.data, [*self.edits, *found.edits])
        if lines or found.beyond:
            data = append(Source(self.source.path, data), lines, beyond=found.beyond)
        return Instrumented(
            data,
            tuple(found.others),
            int(np.count_nonzero(ours)),
            int(np.count_nonzero(kept)),
            (*self.warnings, *found.warnings),
            others_first=not found.beyond,
        )


def with_priority_lines(request: Request) -> Instrumented:
    """Return a DAG with a PRIORITY line for each job."""
    kept = request.settle(given_priorities(request.details.root))
    request.settle_direct(must=False)
    found = take_precedence(
        request.details,
        Submits(request.details.root),
        replace=request.replace,
        restoring=request.restoring,
        origin=request.origin,
    )
    return request.finish(request.lines(priority_lines, ~kept), found, ~kept, kept)


def with_variables(request: Request) -> Instrumented:
    """Return a DAG with a VARS line for each job to which its submit description refers."""
    unit = request.details.root
    submits = Submits(unit)
    is_subdag = submits.of < 0
    priorities, variables = given_priorities(unit), given_variables(unit, VARIABLE)
    variables.jobs &= ~is_subdag  # DAGMan writes a SUBDAG's submit file: it refers to nothing
    numbered, named = request.settle(priorities), request.settle(variables)
    request.settle_direct(must=True)
    found = refer_to_variable(request.details, submits, replace=request.replace, origin=request.origin)
    found.warnings += throttles(request.details)
    own = submits.jobs_among(found.kept)
    variable, plain = ~(is_subdag | named | own), is_subdag & ~numbered
    if numbered.any():  # its submit file now overrides the user's PRIORITY, so the number is handed on
        request.priorities = np.where(numbered, priorities.numbers(), request.priorities).astype(np.int32)
    lines = request.lines(priority_lines, plain) + request.lines(vars_lines, variable)
    return request.finish(lines, found, plain | (variable & ~numbered), numbered | named | own)
