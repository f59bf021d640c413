"""What a node runs for a job: a file of shell functions for its task, and the launcher that calls them.

``launcher.sh`` is the same for all jobs and is what ``sbatch`` gets: it holds the rules for scripts and retries, those
of ``engines/_attempts.py``, and records on disk how the job ended. What differs between jobs is in a file of its own
that only its owner may read, since it may hold secrets: Slurm never sees it, so no line of it can be taken for a
directive to ``sbatch``, and no argument can be too odd for it.

Every word of the workflow stands in single quotes, in which the shell changes nothing. Variables are set by ``export``,
not on the command line of ``env``, where all users of the node could read them; only names that the shell would not
take go that way.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable
from pathlib import Path

from eligo.engines._attempts import DAG_STATUS_MARK, FAILED_COUNT_MARK, RETRY_MARK, is_marked
from eligo.engines._plan import Hook, Process, Task
from eligo.errors import ParseError

__all__ = ["LAUNCHER", "REVOKED", "UNSHARED", "job_script", "quote"]

LAUNCHER = Path(__file__).with_name("launcher.sh")
UNSHARED, REVOKED = 74, 75
"""Exit statuses of the launcher: it does not see the run's folder; the job was taken back, or it is not its turn."""

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_TAKEN = frozenset(
    [
        *("_", "BASHOPTS", "BASH_VERSINFO", "EUID", "LINENO", "OLDPWD", "OPTIND", "PPID", "PWD", "RANDOM", "SECONDS"),
        *("SHELLOPTS", "SHLVL", "UID"),
    ]
)
"""Variables that a shell has for itself."""


def quote(word: str) -> str:
    r"""Return a word as the shell must see it to take it as it is, with what is known only when a try starts put in.

    Examples
    --------
    >>> print(quote("it's $HOME"))
    'it'\''s $HOME'
    """
    text = "'" + word.replace("'", "'\\''") + "'"
    if not is_marked(text):
        return text
    text = text.replace(RETRY_MARK, "'\"$eligo_retry\"'")
    return text.replace(DAG_STATUS_MARK, "'\"$eligo_status\"'").replace(FAILED_COUNT_MARK, "'\"$eligo_failed\"'")


def job_script(
    task: Task,
    *,
    log: str,
    needs: Iterable[str] = (),
    tries: int = 0,
    words: Callable[[Hook], list[str]] | None = None,
    counts: tuple[int, int] = (0, 0),
) -> bytes:
    """Return the file that tells the launcher what a job does.

    Parameters
    ----------
    log
        Where output goes that has no other place.
    needs
        Keys of the submissions that must have succeeded before.
    tries
        How often it was tried before.
    words
        Returns the program and arguments of a script, as the shell shall see them.
    counts
        How the run stands, in DAGMan's numbers, and how many jobs have failed.
    """
    lines = [
        f"eligo_log={quote(log)}",
        f"eligo_needs={quote(' '.join(needs))}",
        f"eligo_last={max(1, len(task.processes)) - 1}",
        f"eligo_numbers={quote(' '.join(map(str, range(len(task.processes)))))}",
        f"eligo_status={counts[0]} eligo_failed={counts[1]}",
        f"eligo_try={tries} eligo_retries={task.retries} eligo_unless={_number(task.unless_exit)}",
        f"eligo_skip={_number(task.skip_code)} eligo_abort={_number(task.abort and task.abort.exit_code)}",
    ]
    for word, hook in (("before", task.before), ("after", task.after)):
        lines += _hook(word, hook, words or _plain)
    lines.append("eligo_process() {\ncase $1 in")
    for number, process in enumerate(task.processes):
        lines += [f"{number})", *_process(task, process), ";;"]
    lines.append("esac\nexit 0\n}\n")
    text = "\n".join(lines)
    if "\0" in text:
        raise ParseError(task.path, task.line, f"job {task.name!r}: a NUL cannot stand in an argument or a path")
    return os.fsencode(text)


def _number(value: int | None) -> str:
    return "" if value is None else str(value)


def _plain(hook: Hook) -> list[str]:
    return [quote(word) for word in hook.argv]


def _hook(word: str, hook: Hook | None, words: Callable[[Hook], list[str]]) -> list[str]:
    if hook is None:
        return [f"eligo_has_{word}="]
    argv = " ".join(words(hook))
    return [
        f"eligo_has_{word}=1 eligo_{word}_defer={_number(hook.defer_status)} eligo_{word}_wait={hook.defer_s}",
        f"eligo_{word}() {{\n{_go_to(hook.directory)}\nexec {argv}\n}}",
    ]


def _go_to(directory: str) -> str:
    return f"cd {quote(directory)} || exit 126"


def _process(task: Task, process: Process) -> list[str]:
    if not process.argv:
        raise ParseError(task.path, task.line, f"job {task.name!r} has no program to run")
    lines = []
    if not process.inherit:
        again = '/bin/sh "$eligo_here/launch.sh" "$eligo_here" "$eligo_key" process "$1"'
        lines = [f'[ -n "$eligo_clean" ] || exec env -i {again}']
    lines += [_go_to(process.directory), *(_redirect(process))]
    odd = []
    for name, value in process.environment.items():
        if not name or "=" in name:
            raise ParseError(task.path, task.line, f"job {task.name!r}: {name!r} cannot be the name of a variable")
        if _NAME.fullmatch(name) and name not in _TAKEN:
            lines.append(f"export {name}={quote(value)}")
        else:
            odd.append(quote(f"{name}={value}"))
    if not process.inherit:
        lines.append("unset PWD OLDPWD SHLVL")
    words = [quote(word) for word in process.argv]
    if odd:
        if "=" in process.argv[0]:
            raise ParseError(
                task.path,
                task.line,
                f"job {task.name!r}: a program with '=' in its path cannot have the variable {odd[0]}",
            )
        words = ["env", *odd, *words]
    lines.append(f"exec {' '.join(words)}")
    return lines


def _redirect(process: Process) -> list[str]:
    lines = [f"exec <{quote(process.stdin or '/dev/null')} || exit 126"]
    if process.stdout is not None:
        lines.append(f"exec >{quote(process.stdout)} || exit 126")
    if process.stderr is not None:
        lines.append("exec 2>&1" if process.stderr == process.stdout else f"exec 2>{quote(process.stderr)} || exit 126")
    return lines
