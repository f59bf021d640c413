"""Whether the programs of a task are there, asked before anything starts."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from eligo.engines.hooks import is_marked
from eligo.engines.plan import Task

__all__ = ["missing_program"]


def missing_program(task: Task) -> str:
    """Say which program of a task is missing or cannot be run; nothing where all are there.

    Examples
    --------
    >>> from eligo.engines.plan import Process
    >>> missing_program(Task("a", (Process(("/no/such/program",), "/"),)))
    'the executable /no/such/program is not there'
    >>> missing_program(Task("a", (Process(("sh",), "/"),)))
    ''
    """
    for process in task.processes:
        if trouble := _trouble(process.argv[0]):
            return f"the executable {trouble}"
        if not is_marked(process.directory) and not Path(process.directory).is_dir():
            return f"the directory {process.directory} is not there"
    for hook in (task.before, task.after):
        if hook is not None and (trouble := _trouble(hook.argv[0])):
            return f"the script {trouble}"
    return ""


def _trouble(program: str) -> str:
    if is_marked(program):
        return ""
    if "/" not in program:
        return "" if shutil.which(program) else f"{program} is not in PATH"
    try:
        if Path(program).is_dir():
            return f"{program} is a directory"
        if not Path(program).exists():
            return f"{program} is not there"
    except (OSError, ValueError) as error:
        return f"{program} cannot be looked at ({getattr(error, 'strerror', None) or error})"
    return "" if os.access(program, os.X_OK) else f"{program} is not executable; chmod +x makes it so"
