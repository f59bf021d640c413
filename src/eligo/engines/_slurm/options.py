"""The user's own words for ``sbatch``, from after ``--``: which pass, and which are Eligo's.

Eligo gives dependencies, names, priorities and places of output itself; the same options from outside would break the
run, so they are refused, also when abbreviated or hidden in a group of letters. A value that stands as a word of its
own is joined to its option: otherwise the first word that is no option would be taken for the script.

The arguments of scripts before and after a job, as the shell on the node shall see them.

Words such as ``$RETURN`` stand for what is known only when the script runs, and that is on a node: they become
variables of the launcher. All others mean what ``_attempts.py`` says, with what is known when the job is submitted.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import final

from eligo.engines._attempts import HookFacts, words
from eligo.engines._plan import Hook
from eligo.engines._slurm.job_script import quote
from eligo.errors import EngineError

__all__ = [
    "UserOptions",
    "check_options",
    "hook_words",
]

_OURS = {
    "dependency": "dependencies are those of the workflow",
    "array": "every job of the workflow is a job of its own",
    "wrap": "the programs are those of the workflow",
    "parsable": "Eligo reads what sbatch prints",
    "quiet": "Eligo reads what sbatch prints",
    "verbose": "Eligo reads what sbatch prints",
    "help": "sbatch shall submit",
    "usage": "sbatch shall submit",
    "version": "sbatch shall submit",
    "test-only": "sbatch shall submit",
    "wait": "Eligo waits for the jobs itself",
    "nice": "the order of the jobs is given by it",
    "comment": "Eligo finds its jobs again by it",
    "job-name": "jobs have the names of the workflow",
    "kill-on-invalid-dep": "what depends on a job that failed must not run",
    "output": "the workflow and Eligo say where output goes",
    "error": "the workflow and Eligo say where output goes",
    "input": "the workflow says where input comes from",
    "open-mode": "the workflow and Eligo say where output goes",
    "chdir": "the workflow says where jobs run",
    "clusters": "a run is on one cluster",
    "uid": "jobs run as the user who runs Eligo",
    "gid": "jobs run as the user who runs Eligo",
    "hold": "jobs that are held never start; --begin=TIME starts them later",
}
_SHORT = {
    "d": "dependency", "a": "array", "Q": "quiet", "v": "verbose", "h": "help", "V": "version", "W": "wait",
    "J": "job-name", "o": "output", "e": "error", "i": "input", "D": "chdir", "M": "clusters", "H": "hold",
}  # fmt: skip
_FLAGS = frozenset("hHIOQsvVW")
_MEMORY = ("--mem", "--mem-per-cpu", "--mem-per-gpu")


@final
@dataclass(frozen=True, slots=True)
class UserOptions:
    """The words that pass, and what they mean for ours.

    Attributes
    ----------
    words
        For ``sbatch``, each option one word.
    priority
        Of the first job, where an operator gives one; each later job has one less.
    says_memory, says_requeue, says_export
        Whether they settle what Eligo would say otherwise.
    """

    words: tuple[str, ...] = ()
    priority: int | None = None
    says_memory: bool = False
    says_requeue: bool = False
    says_export: bool = False


def check_options(options: Sequence[str]) -> UserOptions:
    """Sort the user's words.

    Raises
    ------
    EngineError
        A word is no option, or one that Eligo gives itself.

    Examples
    --------
    >>> check_options(["-p", "short", "--time=10", "--account", "me"]).words
    ('-pshort', '--time=10', '--account=me')
    """
    joined = _join(options)
    for word in joined:
        _refuse_ours(word)
    priority = [word for word in joined if word.startswith("--priority")]
    names = [word.partition("=")[0] for word in joined]
    return UserOptions(
        tuple(word for word in joined if word not in priority),
        _priority(priority[-1]) if priority else None,
        any(name in _MEMORY for name in names),
        any(name in ("--requeue", "--no-requeue") for name in names),
        "--export" in names,
    )


def _join(options: Sequence[str]) -> list[str]:
    joined: list[str] = []
    open_end = False
    for word in options:
        if word.startswith("-") and word not in ("-", "--"):
            joined.append(word)
            open_end = len(word) == 2 or (word.startswith("--") and "=" not in word)
        elif open_end:
            joined[-1] += f"={word}" if joined[-1].startswith("--") else word
            open_end = False
        else:
            raise EngineError(f"{word!r} is no option of sbatch", hint="after -- stand options such as -p PARTITION")
    return joined


def _refuse_ours(word: str) -> None:
    if word.startswith("--"):
        name = word[2:].partition("=")[0]
        found = name if name in _OURS else next((ours for ours in _OURS if name and ours.startswith(name)), None)
        if found == "export" or name in ("no-requeue", "requeue"):
            found = None
    else:
        found = None
        for letter in word[1:]:
            found = _SHORT.get(letter)
            if found is not None or letter not in _FLAGS:
                break
    if found is not None:
        raise EngineError(f"the option {word!r} of sbatch is Eligo's own: {_OURS[found]}", hint="leave it out")


def _priority(word: str) -> int:
    value = word.partition("=")[2]
    if not value.isdecimal() or int(value) < 1:
        raise EngineError(f"{word!r}: a priority is a number above 0", hint="--priority=N is that of the first job")
    return int(value)


_LATER = {
    "$RETRY": '"$eligo_retry"',
    "$RETURN": '"$eligo_return"',
    "$PRE_SCRIPT_RETURN": '"$eligo_before_code"',
    "$EXIT_CODES": '"$(eligo_exit_codes)"',
    "$EXIT_CODE_COUNTS": '"$(eligo_exit_code_counts)"',
    "$CLUSTERID": '"${SLURM_JOB_ID:-0}"',
    "$JOBID": '"${SLURM_JOB_ID:-0}.$eligo_last"',
    "$JOB_COUNT": '"$((eligo_last + 1))"',
}


def hook_words(facts: HookFacts) -> Callable[[Hook], list[str]]:
    """Return what turns a script of a task into words for the shell.

    Examples
    --------
    >>> print(*hook_words(HookFacts("a b"))(Hook(("check", "$JOB", "$return", "x$JOB"), "/")))
    'check' 'a b' "$eligo_return" 'x$JOB'
    """

    def convert(hook: Hook) -> list[str]:
        known = words(hook, facts)
        return [_later(word) or quote(now) for word, now in zip(hook.argv, known, strict=True)]

    return convert


def _later(word: str) -> str | None:
    return _LATER.get(word.upper()) if word.isascii() else None
