"""A real HTCondor for the tests: its start, commands in it, and whole DAGs run to their end.

Starting is safe from several processes at once (``pool up`` holds a lock), and the pool stays up for the next test.
Where it cannot be built or started, because there is no tool, no root or no way to its packages, tests skip with the
reason; once it runs, whatever goes wrong is a failure.
"""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
import time
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import pytest

from tests.corpus import SHARED

POOL = SHARED / "htcondor" / "pool"
_END = re.compile(r"^005 .*\n\t\((?:1\) Normal termination \(return value (\d+)|0\) Abnormal)", re.MULTILINE)


@cache
def _why_absent() -> str:
    if not POOL.is_file():
        return "the HTCondor pool tool is not beside the project"
    if os.geteuid() != 0:
        return "the HTCondor pool needs root"
    try:
        _call("up", timeout_s=400)  # the first time it is built
    except (AssertionError, subprocess.TimeoutExpired) as error:
        return f"the HTCondor pool does not start here: {error}"
    _call("bind", tempfile.gettempdir(), timeout_s=20)
    return ""


def need_pool() -> None:
    """Start the pool, or skip the calling test where there can be none."""
    if reason := _why_absent():
        pytest.skip(reason)


def _call(*words: str | Path, timeout_s: float, cwd: Path | None = None) -> str:
    # The tool looks up where to install from whenever it is called; only a first start needs that.
    env = os.environ if words[0] == "up" else os.environ | {"POOL_MIRROR": "none"}
    done = subprocess.run(
        [POOL, *words], capture_output=True, text=True, timeout=timeout_s, check=False, cwd=cwd, env=env
    )
    assert done.returncode == 0, f"pool {' '.join(map(str, words))}: {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout


def run_in_pool(command: Sequence[str | Path], cwd: Path, timeout_s: float = 60) -> str:
    """Run a command inside the pool and return its standard output; it must succeed."""
    return _call("run", *command, timeout_s=timeout_s, cwd=cwd)


def run_dag(dag: Path, *options: str, timeout_s: float = 150, forced: bool = True) -> str:
    """Submit a DAG, wait until DAGMan ends well, and return what DAGMan printed on its way.

    Unless it is `forced`, it goes on from a rescue DAG.
    """
    begin = 0 if forced else _size(Path(f"{dag}.dagman.log"))
    submitted = run_in_pool(["condor_submit_dag", *["-force"] * forced, *options, dag.name], dag.parent)
    cluster = re.search(r"submitted to cluster (\d+)", submitted)
    assert cluster is not None, submitted
    life, messages = (Path(f"{dag}.dagman.{ending}") for ending in ("log", "out"))
    deadline = time.monotonic() + timeout_s
    while (end := _END.search(life.read_text()[begin:])) is None:
        if time.monotonic() > deadline:
            run_in_pool(["condor_rm", cluster[1]], dag.parent)  # DAGMan would be restarted for ever
            raise AssertionError(f"{dag.name} did not end within {timeout_s} s\n{_tail(messages)}")
        time.sleep(0.1)
    assert end[1] == "0", f"{dag.name} failed\n{_tail(messages)}"
    return messages.read_text(errors="replace")


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def _tail(path: Path) -> str:
    return path.read_text(errors="replace")[-3000:] if path.exists() else ""


@cache
def pool_path() -> str:
    """Return a PATH in which HTCondor's commands are those of the pool."""
    found = re.search(r"^export PATH=(.*):\$PATH$", _call("env", timeout_s=20), re.MULTILINE)
    assert found is not None
    return f"{found[1]}:{os.environ['PATH']}"
