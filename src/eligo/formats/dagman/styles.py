"""The two ways to put priorities into a DAG: PRIORITY lines, or VARS to which the submit descriptions refer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import compress

import numpy as np
from numpy.typing import NDArray

from eligo.dag import Int32
from eligo.errors import ParseError
from eligo.formats.dagman.details import Details
from eligo.formats.dagman.given import DIRECT, VARIABLE, Given, given_priorities, given_variables
from eligo.formats.dagman.keywords import Keyword
from eligo.formats.dagman.marked import append, apply_edits, commented, line_end
from eligo.formats.dagman.priority_lines import priority_lines, vars_lines
from eligo.formats.dagman.submit_priorities import Found, refer_to_variable, take_precedence
from eligo.formats.dagman.submits import Submits
from eligo.formats.dagman.throttles import throttles
from eligo.formats.instrumenting import Instrumented
from eligo.formats.storage import Source

__all__ = ["Request", "with_priority_lines", "with_variables"]

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
