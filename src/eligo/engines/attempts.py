"""One try of a task: what runs next, and what its end means; the one home of DAGMan's rules for scripts and retries.

::

    before --0--> processes --all ended--> after --> the exit status that counts
       |                                     ^
       +-- skip_code: succeeded              +-- also where a process failed: it may make good what went wrong
       +-- other: failed; no `after`

The exit status that counts is that of `after` where there is one, else 0 if all processes ended with 0, else the first
other one in the order of the processes. With the status of ``abort`` the whole run ends, whatever retries are left.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum
from typing import final

from eligo.engines.plan import Task

__all__ = ["AFTER", "BEFORE", "Attempt", "Verdict", "VerdictKind"]

BEFORE, AFTER = -1, -2
"""Steps that are scripts; the processes are the steps 0, 1, ..."""


class VerdictKind(IntEnum):
    """What an attempt came to."""

    SUCCEEDED = 0
    FAILED = 1
    AGAIN = 2
    ABORT = 3


@final
@dataclass(frozen=True, slots=True)
class Verdict:
    """What an attempt came to, with the exit status that counts, and why in words."""

    kind: VerdictKind
    exit_code: int
    text: str = ""


@final
@dataclass(slots=True)
class Attempt:
    """The course of one try.

    Attributes
    ----------
    number
        Which try it is, from 1.
    codes
        The exit status of each step that has ended.

    Examples
    --------
    >>> from eligo.engines.plan import Hook, Process
    >>> task = Task("a", (Process(("false",), "/"),), after=Hook(("check", "$RETURN"), "/"), retries=1)
    >>> attempt = Attempt(task)
    >>> attempt.next_steps(), attempt.verdict()
    ((0,), None)
    >>> attempt.codes[0] = 1
    >>> attempt.next_steps() == (AFTER,)
    True
    >>> attempt.codes[AFTER] = 3
    >>> attempt.verdict()
    Verdict(kind=<VerdictKind.AGAIN: 2>, exit_code=3, text='the script after it ended with status 3')
    """

    task: Task
    number: int = 1
    codes: dict[int, int] = field(default_factory=dict)

    def next_steps(self) -> tuple[int, ...]:
        """Return the steps that may run now and have not ended; none if the attempt is over."""
        task, codes = self.task, self.codes
        if task.before is not None and BEFORE not in codes:
            return (BEFORE,)
        if codes.get(BEFORE, 0) != 0:
            return ()
        left = tuple(step for step in range(len(task.processes)) if step not in codes)
        if left:
            return left
        return (AFTER,) if task.after is not None and AFTER not in codes else ()

    @property
    def doomed(self) -> bool:
        """Whether a process has failed, so that the others may be ended."""
        return any(code != 0 for step, code in self.codes.items() if step >= 0)

    @property
    def process_code(self) -> int:
        """The exit status of the processes: 0 if all have it, else the first other one."""
        return next((code for step, code in sorted(self.codes.items()) if step >= 0 and code != 0), 0)

    def verdict(self) -> Verdict | None:
        """Return what the attempt came to, or ``None`` while it goes on."""
        if self.next_steps():
            return None
        before = self.codes.get(BEFORE, 0)
        if before != 0 and before == self.task.skip_code:
            return Verdict(VerdictKind.SUCCEEDED, 0, f"skipped: the script before it ended with status {before}")
        code, text = self._what_counts(before)
        abort = self.task.abort
        if abort is not None and code == abort.exit_code:
            return Verdict(VerdictKind.ABORT, code, f"{text or 'it succeeded'}: the whole run ends at this status")
        if code == 0:
            return Verdict(VerdictKind.SUCCEEDED, 0)
        if self.number <= self.task.retries and code != self.task.unless_exit:
            return Verdict(VerdictKind.AGAIN, code, text)
        return Verdict(VerdictKind.FAILED, code, text)

    def _what_counts(self, before: int) -> tuple[int, str]:
        if before != 0:
            return before, f"the script before it {ended_with(before)}"
        if self.task.after is not None:
            code = self.codes[AFTER]
            return code, f"the script after it {ended_with(code)}" if code else ""
        code = self.process_code
        return code, ended_with(code) if code else ""


def ended_with(code: int) -> str:
    """Say how something ended.

    Examples
    --------
    >>> ended_with(3), ended_with(137)
    ('ended with status 3', 'was ended by signal 9 (KILL), or ended with status 137')
    """
    from signal import Signals

    number = code - 128
    if 0 < number < 65 and number in {signal.value for signal in Signals}:
        return f"was ended by signal {number} ({Signals(number).name[3:]}), or ended with status {code}"
    return f"ended with status {code}"
