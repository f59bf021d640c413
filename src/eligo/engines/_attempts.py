r"""One try of a task: what runs next, and what its end means; the one home of DAGMan's rules for scripts and retries.

::

    before --0--> processes --all ended--> after --> the exit status that counts
       |                                     ^
       +-- skip_code: succeeded              +-- also where a process failed: it may make good what went wrong
       +-- other: failed; no `after`

The exit status that counts is that of `after` where there is one, else 0 if all processes ended with 0, else the first
other one in the order of the processes. With the status of ``abort`` the whole run ends, whatever retries are left.

What is known only when something starts: the macros of scripts, and ``$(RETRY)`` and its like in jobs.

Scripts
-------
DAGMan cuts the command of a SCRIPT at blanks and tabs, quotes or not, and replaces words such as ``$JOB``: whole words
only, in any case, so ``x$JOB`` stays. Asked case by case, the real one also told what each word becomes:

* ``$RETURN`` is the exit status of the job, and ``$PRE_SCRIPT_RETURN`` that of the script before it, -1 without one;
* ``$SUCCESS`` is ``True`` for every POST script, whatever the job did: the node is not over yet;
* words about the job that has run are for POST scripts only; with the default configuration DAGMan stops at one
  elsewhere, and at a word it does not know. So they are refused when the file is read (:func:`misplaced`).

Jobs
----
``$(RETRY)``, ``$(DAG_STATUS)`` and ``$(FAILED_COUNT)`` in a submit description differ from one try to the next, but a
task is made once. They stand in it as marks with a zero byte, which no file can bring in and no program can be started
with: whoever forgets :func:`for_attempt` fails at once rather than running the wrong thing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from enum import IntEnum
from typing import Final, final

from eligo.engines._plan import Hook, Process, Sandbox, Task

__all__ = [
    "AFTER",
    "BEFORE",
    "DAG_STATUS_MARK",
    "FAILED_COUNT_MARK",
    "RETRY_MARK",
    "Attempt",
    "HookFacts",
    "Verdict",
    "VerdictKind",
    "for_attempt",
    "is_marked",
    "misplaced",
    "words",
]

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
    >>> from eligo.engines._plan import Hook, Process
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


RETRY_MARK: Final = "\0RETRY\0"
DAG_STATUS_MARK: Final = "\0DAG_STATUS\0"
FAILED_COUNT_MARK: Final = "\0FAILED_COUNT\0"


@final
@dataclass(frozen=True, slots=True)
class HookFacts:
    """What is known when a script starts.

    Attributes
    ----------
    job
        The job's name.
    attempt, max_retries
        Which try it is, from 1, and how often it may be tried again.
    exit_code
        Of the job, for the script after it: the first that is not 0; minus the signal that ended it, as DAGMan has it.
    exit_codes
        Of its processes, where there are several, in the same way.
    before_code
        Of the script before it; ``None`` where there is none.
    dag_status
        0 while all is well, 2 once a job has failed, 3 when the run was aborted, 4 when it was stopped, as in DAGMan.
    failed_count, done_count, queued_count, futile_count, node_count
        How many jobs have failed, are done, are running, cannot run any more, and are there.
    job_id, run_id
        Numbers that stand for the job and for the run where DAGMan has its cluster ids.
    """

    job: str
    attempt: int = 1
    max_retries: int = 0
    exit_code: int = 0
    exit_codes: tuple[int, ...] = ()
    before_code: int | None = None
    dag_status: int = 0
    failed_count: int = 0
    done_count: int = 0
    queued_count: int = 0
    futile_count: int = 0
    node_count: int = 0
    job_id: int = 0
    run_id: int = 0


def _codes(facts: HookFacts) -> tuple[int, ...]:
    """Return the statuses that DAGMan counts: whatever the signal, -1 for a process that one has ended."""
    return tuple([max(code, -1) for code in facts.exit_codes or (facts.exit_code,)])


_ALWAYS: dict[str, Callable[[HookFacts], object]] = {
    "$JOB": lambda facts: facts.job,
    "$NODE": lambda facts: facts.job,
    "$RETRY": lambda facts: facts.attempt - 1,
    "$MAX_RETRIES": lambda facts: facts.max_retries,
    "$DAGID": lambda facts: facts.run_id,
    "$DAG_STATUS": lambda facts: facts.dag_status,
    "$FAILED_COUNT": lambda facts: facts.failed_count,
    "$DONE_COUNT": lambda facts: facts.done_count,
    "$QUEUED_COUNT": lambda facts: facts.queued_count,
    "$FUTILE_COUNT": lambda facts: facts.futile_count,
    "$NODE_COUNT": lambda facts: facts.node_count,
}
_AFTER: dict[str, Callable[[HookFacts], object]] = {
    "$RETURN": lambda facts: facts.exit_code,
    "$PRE_SCRIPT_RETURN": lambda facts: -1 if facts.before_code is None else facts.before_code,
    "$SUCCESS": lambda _: True,
    "$CLUSTERID": lambda facts: facts.job_id,
    "$JOBID": lambda facts: f"{facts.job_id}.{len(_codes(facts)) - 1}",
    "$JOB_COUNT": lambda facts: len(_codes(facts)),
    "$JOB_ABORT_COUNT": lambda _: 0,
    "$EXIT_CODES": lambda facts: ",".join(map(str, sorted(set(_codes(facts))))),
    "$EXIT_CODE_COUNTS": lambda facts: ",".join(f"{code}:{n}" for code, n in sorted(Counter(_codes(facts)).items())),
}
_ANY = _ALWAYS | _AFTER


def words(hook: Hook, facts: HookFacts) -> tuple[str, ...]:
    """Return the program and arguments of a script with what is known now.

    Examples
    --------
    >>> hook = Hook(("/bin/check", "$job", "x$JOB", "$RETURN", "$RETRY"), "/")
    >>> words(hook, HookFacts("a", attempt=2, exit_code=3))
    ('/bin/check', 'a', 'x$JOB', '3', '1')
    """
    return tuple(_word(word, facts) if word.startswith("$") else word for word in hook.argv)


def _word(word: str, facts: HookFacts) -> str:
    known = _ANY.get(_folded(word))
    return word if known is None else str(known(facts))


def _folded(word: str) -> str:
    return word.upper() if word.isascii() else word


def misplaced(argv: Iterable[str], after: bool) -> str:
    """Return the first word at which DAGMan would stop: an unknown macro, or one that only a script `after` may have.

    Examples
    --------
    >>> misplaced(["x", "$JOB", "$return"], after=False), misplaced(["$RETURN"], after=True)
    ('$return', '')
    """
    known = _ANY if after else _ALWAYS
    return next((word for word in argv if word.startswith("$") and _folded(word) not in known), "")


def is_marked(text: str) -> bool:
    """Tell whether a text holds what is known only when a try starts."""
    return "\0" in text


def for_attempt(process: Process, attempt: int, *, dag_status: int = 0, failed_count: int = 0) -> Process:
    """Return a process as it is on its `attempt`-th try, from 1.

    Examples
    --------
    >>> for_attempt(Process(("echo", f"try {RETRY_MARK}"), "/"), 3).argv
    ('echo', 'try 2')
    """
    if not _has_marks(process):
        return process
    known = {RETRY_MARK: attempt - 1, DAG_STATUS_MARK: dag_status, FAILED_COUNT_MARK: failed_count}

    def fill(text: str) -> str:
        for mark, value in known.items():
            text = text.replace(mark, str(value))
        return text

    def fill_path(path: str | None) -> str | None:
        return None if path is None else fill(path)

    def fill_pairs(pairs: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
        return tuple((fill(name), fill(path)) for name, path in pairs)

    box = process.sandbox
    if box is not None:
        outputs = None if box.outputs is None else fill_pairs(box.outputs)
        box = Sandbox(fill_pairs(box.inputs), outputs, fill_pairs(box.remaps))
    return replace(
        process,
        argv=tuple(map(fill, process.argv)),
        directory=fill(process.directory),
        environment=dict(fill_pairs(process.environment.items())),
        stdin=fill_path(process.stdin),
        stdout=fill_path(process.stdout),
        stderr=fill_path(process.stderr),
        sandbox=box,
    )


def _has_marks(process: Process) -> bool:
    texts = [*process.argv, process.directory, *process.environment, *process.environment.values()]
    texts += [path for path in (process.stdin, process.stdout, process.stderr) if path is not None]
    if process.sandbox is not None:
        box = process.sandbox
        texts += [text for pair in (*box.inputs, *(box.outputs or ()), *box.remaps) for text in pair]
    return any("\0" in text for text in texts)
