"""The arguments of scripts before and after a job, as the shell on the node shall see them.

Words such as ``$RETURN`` stand for what is known only when the script runs, and that is on a node: they become
variables of the launcher. All others mean what ``engines/hooks.py`` says, with what is known when the job is submitted.
"""

from __future__ import annotations

from collections.abc import Callable

from eligo.engines.hooks import HookFacts, words
from eligo.engines.plan import Hook
from eligo.engines.slurm.script import quote

__all__ = ["hook_words"]

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
