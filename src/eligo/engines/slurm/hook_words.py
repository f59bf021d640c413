"""The arguments of scripts before and after a job, as the shell on the node shall see them.

Words such as ``$RETURN`` stand for what is known only when the script runs, and that is on a node: so they become
variables of the launcher. Those that are known before are put in at once.
"""

from __future__ import annotations

from collections.abc import Callable

from eligo.engines.plan import Hook, Task
from eligo.engines.slurm.script import quote

__all__ = ["hook_words"]


def hook_words(task: Task, failed: int = 0, status: int = 0) -> Callable[[Hook], list[str]]:
    """Return what turns a script of a task into words for the shell.

    Examples
    --------
    >>> print(*hook_words(Task("a b"))(Hook(("check", "$JOB", "$RETURN"), "/")))
    'check' 'a b' "$eligo_return"
    """
    known = {
        "$JOB": quote(task.name),
        "$NODE": quote(task.name),
        "$RETRY": '"$eligo_retry"',
        "$MAX_RETRIES": quote(str(task.retries)),
        "$RETURN": '"$eligo_return"',
        "$PRE_SCRIPT_RETURN": '"$eligo_before_code"',
        "$FAILED_COUNT": quote(str(failed)),
        "$DAG_STATUS": quote(str(status)),
    }
    return lambda hook: [known.get(word.upper(), quote(word)) for word in hook.argv]
