"""Equality of dags up to the order of their data, which formats with files do not keep."""

from __future__ import annotations

import numpy as np

from eligo.dag import OUTSIDE, Dag


def same(one: Dag, other: Dag) -> bool:
    """Tell whether two dags say the same: jobs, edges, times, memory, and the same data in any order."""
    return one.with_known(data=None) == other.with_known(data=None) and _data(one) == _data(other)


def _data(dag: Dag) -> tuple[bool, list[tuple[object, ...]]]:
    data = dag.data
    if data is None:
        return True, []
    rows = [
        (int(data.producer[d]), data.names[d] if data.names else "", int(data.size_bytes[d]), tuple(data.readers_of(d)))
        for d in range(data.k)
    ]
    used = [row for row in rows if row[0] != OUTSIDE or row[3]]
    return data.names is not None or not used, sorted(used, key=repr)


def shape(dag: Dag) -> dict[str, int]:
    """The columns of STATS.tsv that describe the graph, from the arrays alone."""
    level = np.zeros(dag.n, int)
    root = list(range(dag.n))

    def find(job: int) -> int:
        while root[job] != job:
            root[job] = root[root[job]]
            job = root[job]
        return job

    for job in dag.order:
        for child in dag.children(job):
            level[child] = max(level[child], level[job] + 1)
            root[find(int(job))] = find(int(child))
    return {
        "nodes": dag.n,
        "sources": sum(len(dag.parents(job)) == 0 for job in range(dag.n)),
        "sinks": sum(len(dag.children(job)) == 0 for job in range(dag.n)),
        "levels": int(level.max()) + 1,
        "widest_level": int(np.bincount(level).max()),
        "components": len({find(job) for job in range(dag.n)}),
    }
