"""Real Dask clusters on loopback: a scheduler and workers, each a process that can be killed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).parents[2]
WAIT_S = 60


class Cluster:
    """A scheduler on a port of its own; workers are started as wanted. All files go to `directory`."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self._processes: list[subprocess.Popen[bytes]] = []  # the scheduler first
        card = directory / "scheduler.json"
        self.scheduler = self._start("distributed.cli.dask_scheduler", "--port", "0", "--scheduler-file", str(card))
        eventually(lambda: card.exists() and bool(card.read_text().rstrip().endswith("}")), self._logs)
        self.address: str = json.loads(card.read_text())["address"]

    def add_worker(self, *, path: Path = ROOT) -> subprocess.Popen[bytes]:
        """Start a worker, with `path` in front of what it can import, and wait until it has joined."""
        name = f"worker-{len(self._processes)}"
        options = ("--no-nanny", "--nthreads", "1", "--memory-limit", "0", "--name", name)
        worker = self._start(
            "distributed.cli.dask_worker", self.address, *options, "--local-directory", str(self.directory), path=path
        )
        eventually(lambda: b"Registered to:" in self._log(worker), self._logs)
        return worker

    @property
    def workers(self) -> list[subprocess.Popen[bytes]]:
        """Those who are alive."""
        return [process for process in self._processes[1:] if process.poll() is None]

    def kill(self, process: subprocess.Popen[bytes]) -> None:
        process.kill()
        process.wait()

    def pause(self, process: subprocess.Popen[bytes]) -> None:
        process.send_signal(signal.SIGSTOP)

    def close(self) -> None:
        for process in reversed(self._processes):
            self.kill(process)

    def _start(self, module: str, *options: str, path: Path = ROOT) -> subprocess.Popen[bytes]:
        with (self.directory / f"{len(self._processes)}.log").open("wb") as log:
            process = subprocess.Popen(
                [sys.executable, "-m", module, *options, "--host", "127.0.0.1", "--no-dashboard"],
                env={**os.environ, "PYTHONPATH": str(path)},
                cwd=self.directory,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        self._processes.append(process)
        return process

    def _log(self, process: subprocess.Popen[bytes]) -> bytes:
        return (self.directory / f"{self._processes.index(process)}.log").read_bytes()

    def _logs(self) -> str:
        return "\n".join(self._log(process).decode(errors="replace") for process in self._processes)


def eventually(condition: Callable[[], bool], why_not: Callable[[], str]) -> None:
    for _ in range(WAIT_S * 20):
        if condition():
            return
        time.sleep(0.05)
    raise AssertionError(f"not within {WAIT_S} s:\n{why_not()}")


def other_eligo(directory, module):
    """Have Python import this as eligo, whatever is installed."""
    directory.mkdir()
    text = f"import sys, types\nsys.modules['eligo'] = module = {module}\nif module: module.__version__ = '0.0.1'\n"
    (directory / "sitecustomize.py").write_text(text)
    return directory
