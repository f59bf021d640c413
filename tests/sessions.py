"""Sessions with commands, as pages show them: run again, and written anew where what is printed has changed.

    python -m tests.sessions README.md docs/memory.md

A session is a block of the kind ``console``; in it ``$ command`` is followed by what the command prints. All sessions
of a page run in one directory, which begins with a copy of ``examples``.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
_BLOCK = re.compile(r"(?ms)^```console\n(.*?)^```$")


def blocks(page: str) -> list[str]:
    """Return the sessions of a page that show what is printed; others only name commands."""
    return [block for block in _BLOCK.findall(page) if re.search(r"(?m)^[^$\n]", block)]


def steps(block: str) -> Iterator[tuple[str, str]]:
    """Yield the commands of a session, each with what it is said to print."""
    for step in re.split(r"(?m)^\$ ", block)[1:]:
        command, _, shown = step.partition("\n")
        yield command, shown


def run(command: str, folder: Path) -> str:
    """Run a command as the page means it; return all that it prints."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-c", f"{command} 2>&1"],
        cwd=folder, env={**os.environ, "PATH": path}, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    return done.stdout


def rewritten(page: str) -> str:
    """Return a page with what its commands print now."""
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(ROOT / "examples", Path(folder) / "examples")
        for block in blocks(page):
            new = "\n".join(f"$ {command}\n{run(command, Path(folder))}" for command, _ in steps(block))
            page = page.replace(block, new)
    return page


if __name__ == "__main__":
    for name in sys.argv[1:]:
        Path(name).write_text(rewritten(Path(name).read_text(encoding="utf-8")), encoding="utf-8")
