"""What pages show, run: commands, sessions of Python, scripts. And written anew where what is printed has changed:

    python -m tests.sessions README.md docs/memory.md

All blocks of a page run one after the other, in one directory that begins with a copy of ``examples``. In a block of
the kind ``console``, ``$ command`` is followed by what the command prints; a line that begins with ``> `` goes on with
the command above. Where what is printed differs from run to run, ``...`` stands for any part of a line, and on a line
of its own for any lines.
"""

from __future__ import annotations

import difflib
import doctest
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import chdir
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.pages import ROOT, Block, blocks_of, place

TIMEOUT_S = 120
_OPTIONS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


@dataclass(frozen=True)
class Step:
    """Something a page shows that was run: a command, a session of Python, a script."""

    block: Block
    line: int
    command: str
    shown: str | None
    """What the page says that it prints; ``None`` where it says nothing, and only success counts."""
    printed: str
    status: int

    @property
    def fault(self) -> str:
        """What is not as the page says, with the page, the line and the command; empty where all is."""
        title = f"{place(self.block.page, self.line)}: {self.command}"
        if self.shown is None:
            return f"{title}\nended with {self.status}:\n{self.printed}" if self.status else ""
        if matches(self.shown, self.printed):
            return ""
        sides = [text.strip().splitlines() for text in (self.shown, self.printed)]
        return "\n".join([title, *difflib.unified_diff(*sides, "on the page", "printed", lineterm="")])


def matches(shown: str, printed: str) -> bool:
    """Tell whether what a page shows is what was printed."""
    lines = shown.strip().splitlines()
    parts = [r"(?:.*\n)*" if line.strip() == "..." else f"{_loosely(line)}\n" for line in lines]
    return re.fullmatch("".join(parts) or "\n", f"{printed.strip()}\n") is not None


def _loosely(line: str) -> str:
    return ".*".join(re.escape(part) for part in line.split("..."))


def play(page: Path, folder: Path, engine: str = "", **environment: str) -> Iterator[Step]:
    """Run the blocks of a page in a folder; or, for an engine, those up to the last that needs it."""
    shutil.copytree(ROOT / "examples", folder / "examples")
    names: dict[str, Any] = {}
    blocks = blocks_of(page)
    if engine:
        blocks = blocks[: 1 + max(at for at, block in enumerate(blocks) if block.remarks.get("needs") == engine)]
    for block in blocks:
        if name := block.remarks.get("file"):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(block.text, encoding="utf-8")
        if "not run" in block.remarks or block.remarks.get("needs", engine) != engine:
            continue
        if block.language == "console":
            yield from _commands(block, folder, environment)
        elif block.language == "python":
            yield _session(block, folder, names) if ">>> " in block.text else _script(block, folder, environment)


def faults(page: Path, folder: Path, engine: str = "", **environment: str) -> list[str]:
    """Return all that does not happen as a page shows it."""
    return [step.fault for step in play(page, folder, engine, **environment) if step.fault]


def steps(block: Block) -> Iterator[tuple[int, str, str]]:
    """Yield the commands of a block, each with its line and what it is said to print."""
    parts = re.split(r"(?m)^\$ ", block.text)
    line = block.line + parts[0].count("\n")
    for part in parts[1:]:
        command, *rest = part.splitlines()
        more = next((at for at, text in enumerate(rest) if not text.startswith("> ")), len(rest))
        yield line, "\n".join([command, *(text[2:] for text in rest[:more])]), "\n".join(rest[more:])
        line += part.count("\n")


def _commands(block: Block, folder: Path, environment: Mapping[str, str]) -> Iterator[Step]:
    found = list(steps(block))
    shows = any(shown.strip() for _, _, shown in found)
    for line, command, shown in found:
        done = _run(["bash", "-c", _told(command)], folder, environment)
        yield Step(block, line, f"$ {command}", shown if shows else None, done.stdout, done.returncode)


def _told(command: str) -> str:
    """Let a command print its messages too; of several in a pipe, only the last does."""
    first, *rest = command.split("\n")
    return "\n".join([f"{first} 2>&1", *rest]) if not first.endswith("\\") else f"{command} 2>&1"


def _session(block: Block, folder: Path, names: dict[str, Any]) -> Step:
    """Run a session of Python; it knows the names of those before it on the page."""
    examples = doctest.DocTestParser().get_examples(block.text)
    told: list[str] = []
    where = place(block.page, block.line).rpartition(":")[0]
    test = doctest.DocTest(examples, names, where, where, block.line - 1, block.text)
    test.globs = names  # not a copy
    with chdir(folder):
        failed, _ = doctest.DocTestRunner(optionflags=_OPTIONS).run(test, out=told.append, clear_globs=False)
    return Step(block, block.line, "a session of Python", None, "".join(told), failed)


def _script(block: Block, folder: Path, environment: Mapping[str, str]) -> Step:
    """Run a script on its own; in what Python says of errors, lines are those of the page."""
    code = "\n" * (block.line - 1) + block.text
    done = _run([sys.executable, "-c", code], folder, environment)
    return Step(block, block.line, "a script in Python", None, done.stdout + done.stderr, done.returncode)


def _run(words: list[str], folder: Path, environment: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    path = f"{Path(sys.executable).parent}{os.pathsep}{environment.get('PATH', os.environ['PATH'])}"
    env = os.environ | dict(environment) | {"PATH": path, "COLUMNS": "100"}
    options = {"stdin": subprocess.DEVNULL, "timeout": TIMEOUT_S, "capture_output": True, "text": True}
    return subprocess.run(words, cwd=folder, env=env, check=False, **options)


def rewritten(page: Path) -> str:
    """Return a page with what its commands print now."""
    lines = page.read_text(encoding="utf-8").splitlines(keepends=True)
    with tempfile.TemporaryDirectory() as folder:
        played = [step for step in play(page, Path(folder)) if step.shown is not None]
    for block in reversed(blocks_of(page)):
        if new := [_written(step) for step in played if step.block == block]:
            indent = re.match(r" *", lines[block.line - 2])[0]
            text = "\n".join(new).rstrip("\n") + "\n"
            end = block.line - 1 + block.text.count("\n")
            lines[block.line - 1 : end] = [f"{indent}{line}".rstrip(" ") for line in text.splitlines(keepends=True)]
    return "".join(lines)


def _written(step: Step) -> str:
    shown = step.printed if step.fault else step.shown
    command = step.command.replace("\n", "\n> ")
    return "\n".join([command, *(shown or "").strip("\n").splitlines(), ""])


if __name__ == "__main__":
    for name in sys.argv[1:]:
        Path(name).write_text(rewritten(Path(name).resolve()), encoding="utf-8")
