"""What a job costs on Dask: ``python -m benchmarks.engines.dask_many [JOBS]``.

Runs that many jobs ``true`` in layers on a cluster of two workers on this machine, and prints how fast they are
submitted, how fast they run, and how much processor time Eligo's own process spends on each. With ``--one-by-one`` it
only compares two ways to submit tasks that do nothing: a call for each, and graphs.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from eligo.dag import Dag
from eligo.engines._dask import Dask
from eligo.engines._dask.cluster import Cluster
from eligo.engines._dask.engine import make_task
from eligo.engines._plan import Plan, Process, Task
from eligo.engines._state import JobStatus, State
from eligo.formats._base import Document
from eligo.formats._source import Source

WIDTH = 100


def layered(n: int) -> Dag:
    """Return layers of a hundred jobs, each after one or two of the layer before."""
    tails = [job - WIDTH for job in range(WIDTH, n)] + [job - WIDTH + 1 for job in range(WIDTH, n, 3)]
    heads = [*range(WIDTH, n), *range(WIDTH, n, 3)]
    return Dag.from_edges(n, tails, heads)


def run_many(n: int) -> None:
    """Run `n` jobs that do nothing."""
    dag = layered(n)
    with tempfile.TemporaryDirectory() as home:
        document = Document(dag, "dot", Source(f"{home}/many.dot", b""))
        priorities = np.arange(n, 0, -1, dtype=np.int32)
        plan = Plan(document, dag, priorities, lambda job: Task(str(job), (Process(("true",), home),)), Path(home))
        folder = Path(home, "state")
        folder.mkdir(mode=0o700)
        with State.create(folder, dag, run_id=os.urandom(8).hex()) as state:
            engine = Dask(plan, state, slots=2)
            engine._cluster = Cluster(None, 2)
            begin, used = time.monotonic(), time.process_time()
            engine.submit()
            submitted = time.monotonic() - begin
            while not engine.over:
                engine.watch(1.0)
            took, used = time.monotonic() - begin, time.process_time() - used
            engine.close()
            done = state.counts()[JobStatus.DONE]
    print(f"{done:,} of {n:,} jobs done in {took:.1f} s: {n / took:.0f} a second on 2 workers")
    print(f"submitted at {n / submitted:.0f} a second; own processor time a job {1000 * used / n:.2f} ms")


def compare_submitting(n: int) -> None:
    """Submit `n` tasks that do nothing, in both ways."""
    cluster = Cluster(None, 1)

    def nothing(*_: object, **__: object) -> None:
        pass

    try:
        begin = time.monotonic()
        kept = [cluster.client.submit(nothing, b"x" * 500, key=f"one-{job}", priority=job) for job in range(n)]
        one_by_one = time.monotonic() - begin
        cluster.client.gather(kept)
        all_done = time.monotonic() - begin
        print(f"one by one: {n / one_by_one:.0f} a second, all done after {all_done:.1f} s")
        del kept
        begin = time.monotonic()
        futures: dict[str, Any] = {}
        for first in range(0, n, 2000):
            keys = [f"graph-{job}" for job in range(first, min(n, first + 2000))]
            graph = {key: make_task(key, nothing, b"x" * 500, []) for key in keys}
            futures |= cluster.send(graph, {key: place for place, key in enumerate(keys)})
        graphs = time.monotonic() - begin
        cluster.client.gather(list(futures.values()))
        print(f"in graphs: {n / graphs:.0f} a second, all done after {time.monotonic() - begin:.1f} s")
    finally:
        cluster.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("jobs", nargs="?", type=int, default=10_000)
    parser.add_argument("--one-by-one", action="store_true", help="compare ways to submit")
    arguments = parser.parse_args()
    (compare_submitting if arguments.one_by_one else run_many)(arguments.jobs)


if __name__ == "__main__":
    main()
