"""Small workflows of shell scripts, and runs of them in processes that tests can signal."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from eligo._cli import main

LONGEST_S = 30.0
WAITS = "echo $$ > $0.pid; while [ ! -e go ]; do sleep 0.02; done"
"""A job that runs until there is a file ``go``; ``NAME.sh.pid`` tells that it does."""


def flow(folder: Path, jobs: dict[str, str], lines: str = "", name: str = "flow.dag") -> str:
    """Write a DAG whose jobs run shell scripts in its directory."""
    text = ""
    for job, script in jobs.items():
        (folder / f"{job}.sh").write_text(f"{script}\n")
        text += f"JOB {job} {{\n  executable = /bin/sh\n  arguments = {job}.sh\n  should_transfer_files = no\n}}\n"
    (folder / name).write_text(text + lines)
    return name


def diamond(folder: Path, **scripts: str) -> str:
    """Jobs that write their names into a file ``ran``::

    a -+-> b -+-> d
       '-> c -'
    """
    jobs = {job: scripts.get(job, f"echo {job} >> ran") for job in "abcd"}
    return flow(folder, jobs, "PARENT a CHILD b c\nPARENT b c CHILD d\n")


def ran(folder: Path) -> list[str]:
    file = folder / "ran"
    return file.read_text().split() if file.exists() else []


def run(*words: object, status: int = 0) -> None:
    assert main(["run", *map(str, words)]) == status


def events(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def wait_until(what: Callable[[], object], process: subprocess.Popen[str] | None = None) -> None:
    """Wait for something that a process, if it is given, will bring about."""
    end = time.monotonic() + LONGEST_S
    while not what():
        assert time.monotonic() < end, "this takes too long"
        assert process is None or process.poll() is None or what(), process.communicate()
        time.sleep(0.02)


@contextmanager
def started(folder: Path, *words: str, stderr: int = subprocess.PIPE) -> Iterator[subprocess.Popen[str]]:
    """Start ``eligo run`` in a process group of its own, as a shell would; it and its jobs are over afterwards."""
    process = subprocess.Popen(
        [sys.executable, "-m", "eligo", "run", *words],
        cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=stderr, text=True,
        process_group=0,
    )  # fmt: skip
    try:
        yield process
    finally:
        (folder / "go").touch()  # jobs that outlived it end by themselves
        if process.poll() is None:
            process.send_signal(signal.SIGKILL)
        process.communicate(timeout=LONGEST_S)
