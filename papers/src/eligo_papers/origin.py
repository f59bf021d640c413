"""Where results come from: the version and commit of Eligo, the machine, the day."""

from __future__ import annotations

import platform
import re
import subprocess
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import numpy as np

import eligo
from eligo._humanize import plural
from eligo.simulation._executors import cores

__all__ = ["Origin", "find_origin"]


class Origin(NamedTuple):
    """What one has to know to repeat a measurement."""

    version: str
    commit: str
    machine: str
    software: str
    date: str


def find_origin() -> Origin:
    """Return what made and what measured the results.

    Examples
    --------
    >>> find_origin().version == eligo.__version__
    True
    """
    return Origin(
        version=eligo.__version__,
        commit=_commit(Path(eligo.__file__).resolve().parent, Path(__file__).resolve().parent),
        machine=_machine(),
        software=f"{platform.system()}, Python {platform.python_version()}, numpy {np.__version__}",
        date=datetime.now(UTC).strftime("%Y-%m-%d"),
    )


def _commit(*folders: Path) -> str:
    """Return the commit of the clone that all packages run from; nothing where one was installed otherwise."""

    def git(*words: str) -> str:
        done = subprocess.run(
            ["git", "-C", str(folders[0]), *words], capture_output=True, text=True, check=True, timeout=30
        )
        return done.stdout.strip()

    with suppress(OSError, subprocess.SubprocessError):
        # Fails where a package is outside the clone, or the clone is one of something else around us.
        if git("ls-files", "--error-unmatch", *(f"{folder}/__init__.py" for folder in folders)):
            changes = git("status", "--porcelain", "--untracked-files=no", *map(str, folders))
            changed = " with changes" if changes else ""
            return f"{git('rev-parse', '--short=12', 'HEAD')}{changed}"
    return ""


def _machine() -> str:
    model, memory = platform.machine(), ""
    with suppress(OSError):
        if found := re.search(r"(?m)^model name\s*: (.+)$", Path("/proc/cpuinfo").read_text()):
            model = found[1]
    with suppress(OSError):
        if found := re.search(r"(?m)^MemTotal:\s*(\d+) kB", Path("/proc/meminfo").read_text()):
            memory = f", {int(found[1]) / 2**20:.0f} GiB of memory"
    return f"{plural(cores(), 'core')} of {model}{memory}"
