"""Whether the programs of tasks are there, asked before anything starts; each is looked at once."""

from __future__ import annotations

import os
import shutil
from functools import cache
from pathlib import Path

from eligo.engines.hooks import is_marked
from eligo.engines.plan import Process, Task

__all__ = ["Programs"]


class Programs:
    """Looks at programs and directories.

    Examples
    --------
    >>> programs = Programs()
    >>> programs.missing(Task("a", (Process(("/no/such/program",), "/"),)))
    'the executable /no/such/program is not there'
    >>> programs.missing(Task("a", (Process(("sh",), "/"),)))
    ''
    """

    def __init__(self) -> None:
        self._program = cache(_trouble)
        self._is_directory = cache(_is_directory)

    def missing(self, task: Task) -> str:
        """Say which program of a task is missing or cannot be run; nothing where all are there."""
        for process in task.processes:
            if trouble := self._program(process.argv[0], _path(process)):
                return f"the executable {trouble}"
            if not self._is_directory(process.directory):
                return f"the directory {process.directory} is not there"
        for hook in (task.before, task.after):
            if hook is not None and (trouble := self._program(hook.argv[0], os.environ.get("PATH"))):
                return f"the script {trouble}"
        return ""


def _path(process: Process) -> str | None:
    return process.environment.get("PATH", os.environ.get("PATH") if process.inherit else None)


def _is_directory(path: str) -> bool:
    return is_marked(path) or Path(path).is_dir()


def _trouble(program: str, path: str | None) -> str:
    if is_marked(program):
        return ""
    if "/" not in program:
        return "" if shutil.which(program, path=path) else f"{program} is not in PATH"
    try:
        if Path(program).is_dir():
            return f"{program} is a directory"
        if not Path(program).exists():
            return f"{program} is not there"
    except (OSError, ValueError) as error:
        return f"{program} cannot be looked at ({getattr(error, 'strerror', None) or error})"
    return "" if os.access(program, os.X_OK) else f"{program} is not executable; chmod +x makes it so"
