"""A Dask cluster of this machine for one run: a process of its own, gone when whoever started it is.

That is so since ``LocalCluster`` starts its workers by importing the caller's script again, which a script
need not survive; and since its scheduler would share our interpreter's lock. It listens on loopback only, without a
dashboard. It writes its address as a line, and ends when its standard input does, which the operating system sees to.
"""

from __future__ import annotations

import json
import logging
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from eligo.errors import EngineError

__all__ = ["LocalDask"]

_MAIN = "from eligo.engines.dask.local_cluster import serve; serve()"
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
