"""The connection to a cluster: somebody's, or one of our own; what is asked of it, and how long we wait for answers.

A Dask cluster of this machine for one run: a process of its own, gone when whoever started it is.

That is so since ``LocalCluster`` starts its workers by importing the caller's script again, which a script
need not survive; and since its scheduler would share our interpreter's lock. It listens on loopback only, without a
dashboard. It writes its address as a line, and ends when its standard input does, which the operating system sees to.
"""

from __future__ import annotations

import json
import logging
import os
import queue
import subprocess
import sys
import threading
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

from eligo.errors import EngineError, MissingExtraError
from eligo.simulation._dask_executor import ask, ask_version, check_scheduler, connected, silence, unfit

__all__ = [
    "Cluster",
    "LocalDask",
    "find_address",
    "load",
]

_MAIN = "from eligo.engines._dask.cluster import serve; serve()"
_START_S = 60.0
_CLOSE_S = 10.0


class LocalDask:
    """A cluster with `slots` workers of one thread each."""

    def __init__(self, slots: int) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-c", _MAIN, str(slots)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,  # Ctrl-C is for us: jobs must not be lost by it
        )
        assert self._process.stdout is not None
        timer = threading.Timer(_START_S, self._process.kill)
        timer.start()
        line = self._process.stdout.readline()
        timer.cancel()
        try:
            self.address: str = json.loads(line)["address"]
        except ValueError:
            self.close()
            raise EngineError(
                "the local Dask cluster did not start", hint="what it wrote to standard error may tell why"
            ) from None

    def close(self) -> None:
        """End the cluster and all that runs in it."""
        for stream in (self._process.stdin, self._process.stdout):
            with suppress(OSError):
                assert stream is not None
                stream.close()
        try:
            self._process.wait(_CLOSE_S)
        except subprocess.TimeoutExpired:
            self._process.kill()  # its workers see that, and end
            self._process.wait()


def serve() -> None:
    """Be such a cluster, with as many workers as the command line says."""
    import dask
    import distributed

    start: Callable[..., Any] = distributed.LocalCluster
    dask.config.set({"distributed.scheduler.worker-saturation": 1.0})  # no job waits at a busy worker
    with start(
        n_workers=int(sys.argv[1]),
        threads_per_worker=1,
        processes=True,
        host="127.0.0.1",
        dashboard_address=None,
        scheduler_kwargs={"dashboard_address": "127.0.0.1:0"},  # or its HTTP server wants a port that others have
        worker_dashboard_address=None,
        memory_limit=0,
        silence_logs=logging.CRITICAL,
    ) as cluster:
        sys.stdout.write(json.dumps({"address": cluster.scheduler_address}) + "\n")
        sys.stdout.flush()
        with suppress(KeyboardInterrupt):
            sys.stdin.read()


CONNECT_S = 10.0
"""How long to try to reach the scheduler."""
ANSWER_S = 10.0
"""How long to wait for an answer of workers."""
PATIENCE_S = 60.0
"""How long to ask workers that do not answer."""


def load() -> Any:
    """Return the package, or say how to install it."""
    try:
        import distributed
    except ImportError:
        raise MissingExtraError("distributed", "dask") from None
    return distributed


def find_address(text: str) -> str:
    """Return the address of a scheduler from itself, or from the file that a scheduler writes.

    Examples
    --------
    >>> find_address("tcp://127.0.0.1:8786")
    'tcp://127.0.0.1:8786'
    """
    if "://" in text:
        return text
    hint = "give tcp://HOST:PORT, tls://HOST:PORT, or the file of `dask scheduler --scheduler-file FILE`"
    try:
        found = json.loads(Path(text).read_text(encoding="utf-8"))["address"]
    except OSError as error:
        raise EngineError(f"{text}: {error.strerror}", hint=hint) from None
    except (ValueError, KeyError, TypeError):
        raise EngineError(f"{text}: this is not the file of a Dask scheduler", hint=hint) from None
    return str(found)


class Cluster:
    """A cluster that we are connected to.

    Parameters
    ----------
    address
        Of a scheduler; ``None`` starts a cluster of this machine.
    slots
        How many workers that has.
    """

    def __init__(self, address: str | None, slots: int | None = None) -> None:
        distributed = load()
        self.events: queue.SimpleQueue[tuple[Any, ...]] = queue.SimpleQueue()
        self._fit: set[str] = set()
        self._silence = ExitStack()
        with ExitStack() as leave:
            leave.enter_context(self._silence)
            self._silence.enter_context(silence())
            if address is None:
                local = LocalDask(slots or len(os.sched_getaffinity(0)))
                leave.callback(local.close)
                address = local.address
            check_scheduler(distributed, address, CONNECT_S)
            self.address = address
            self.client = leave.enter_context(connected(distributed, address, CONNECT_S))
            self.threads = self.look() or {}
            self._leave = leave.pop_all()

    def listen(self, name: str, now: Callable[[], float]) -> None:
        """Put what is told under a name into `events`, with the moment at which it came."""
        put = self.events.put
        self.client.subscribe_topic(name, lambda event: put((now(), event[1])))

    def look(self) -> dict[str, int] | None:
        """Return the threads of each worker, after a look at new ones; ``None`` without an answer.

        Raises
        ------
        EngineError
            The scheduler is gone, or a worker cannot be used.
        """
        if self.client.status != "running":
            raise self.lost()
        try:
            self.threads = ask(self.client, self.client.nthreads, ANSWER_S)
        except TimeoutError:
            return None
        except Exception:
            raise self.lost() from None
        new = [worker for worker in self.threads if worker not in self._fit]
        versions = self.on_workers(ask_version(), workers=new) if new else {}
        import eligo

        for worker, version in sorted(versions.items()):
            if version is None or version != eligo.__version__:
                raise unfit(f"worker {worker}", version)
            self._fit.add(worker)
        return self.threads

    def on_workers(self, function: Callable[..., Any], *arguments: Any, workers: Sequence[str] | None = None) -> Any:
        """Call a function on all workers, and return the answers by their addresses; of those who do not, none."""
        if self.client.status != "running":
            raise self.lost()

        def question() -> Any:
            return self.client.run(function, *arguments, workers=workers, on_error="ignore")

        try:
            return ask(self.client, question, ANSWER_S)
        except TimeoutError:
            return {}
        except Exception:
            if self.client.status != "running":
                raise self.lost() from None
            return {}

    def ask_all(self, function: Callable[..., Any], *arguments: Any) -> dict[str, Any]:
        """Call a function on all workers until each that is there has answered.

        Raises
        ------
        EngineError
            Some do not, for too long.
        """
        answers: dict[str, Any] = {}
        end = time.monotonic() + PATIENCE_S
        while True:
            silent = [worker for worker in self.look() or self.threads if worker not in answers]
            if not silent:
                return answers
            if time.monotonic() > end:
                raise EngineError(
                    f"workers of the Dask cluster do not answer: {', '.join(silent[:3])}",
                    hint="they may still run jobs of this workflow: end them, or go on later with --resume",
                )
            answers |= self.on_workers(function, *arguments, workers=silent)

    def cancel(self, futures: Sequence[Any]) -> None:
        """Take tasks back, as far as that can be done soon."""
        with suppress(Exception):
            ask(self.client, lambda: self.client.cancel(list(futures)), ANSWER_S)

    def send(self, graph: Mapping[str, Any], priorities: Mapping[str, int]) -> dict[str, Any]:
        """Submit a graph of tasks, and return the futures by their keys."""
        import dask

        annotate: Callable[..., Any] = dask.annotate  # type: ignore[attr-defined]
        keys = list(graph)
        try:
            with warnings.catch_warnings(), annotate(priority=priorities.get, retries=0):
                warnings.simplefilter("ignore")  # of large graphs, which we keep within bounds
                futures = self.client.get(dict(graph), keys, sync=False)
        except OSError:
            raise self.lost() from None
        return dict(zip(keys, futures, strict=True))

    def lost(self) -> EngineError:
        """Say that the scheduler is gone."""
        return EngineError(
            f"the Dask cluster at {self.address} is gone",
            hint="the state of the run is safe: go on with --resume when a cluster is there again",
        )

    def close(self) -> None:
        """Let go of it; a cluster of our own ends."""
        if self.client.status != "running":
            self._silence.pop_all()  # it goes on trying until the very end, and would log that it is told to stop
        with suppress(Exception):
            self._leave.close()
