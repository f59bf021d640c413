"""Random dags with everything a dag can hold, for tests that write one and read it back."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st

from eligo.dag import MAX_BYTES, MAX_SECONDS, OUTSIDE, UNKNOWN, Dag, Data

WORDS = st.sampled_from(
    ["a", "b", "job", "1", "01", "1.0", "-1", "node", "Graph", "x y", "é", "名", "a,b", "#c", '"', "->"]
)
ANY_TEXT = st.text(max_size=8)  # with control characters, quotes and backslashes, without surrogates
SIZES = st.one_of(st.just(UNKNOWN), st.just(0), st.integers(0, 10**6), st.integers(0, MAX_BYTES - 1))


@st.composite
def dags(draw: st.DrawFn, *, names: st.SearchStrategy[str] = WORDS | ANY_TEXT, data: str = "any") -> Dag:
    """Make a dag of 1 to 8 jobs; `data` is ``any``, ``weights`` (of edges, or none) or ``none``."""
    jobs = draw(st.lists(names, min_size=1, max_size=8, unique=True))
    n = len(jobs)
    rank = draw(st.permutations(range(n)))
    pairs = [(tail, head) for tail in range(n) for head in range(n) if rank[tail] < rank[head]]
    edges = draw(st.lists(st.sampled_from(pairs), unique=True, max_size=16)) if pairs else []
    tails, heads = [tail for tail, _ in edges], [head for _, head in edges]
    known: dict[str, Any] = {}
    times = st.just(float("nan")) | st.floats(0, MAX_SECONDS, exclude_max=True)
    for key, values in (
        ("time_s", times), ("temp_bytes", SIZES), ("memory_bytes", SIZES), ("count", st.integers(0, 10**9))
    ):  # fmt: skip
        if draw(st.booleans()):
            known[key] = draw(st.lists(values, min_size=n, max_size=n))
    dag = Dag.from_edges(jobs, tails, heads, **known)
    kind = draw(
        st.sampled_from({"any": ["none", "weights", "shared"], "weights": ["none", "weights"]}.get(data, ["none"]))
    )
    if kind == "none":
        return dag
    return dag.with_known(data=draw(_weights(edges) if kind == "weights" else _shared(dag)))


@st.composite
def _weights(draw: st.DrawFn, edges: list[tuple[int, int]]) -> Data:
    carried = draw(st.lists(st.sampled_from(edges), unique=True)) if edges else []
    sizes = draw(st.lists(SIZES, min_size=len(carried), max_size=len(carried)))
    return Data.per_edge([tail for tail, _ in carried], [head for _, head in carried], sizes)


@st.composite
def _shared(draw: st.DrawFn, dag: Dag) -> Data:
    after = _descendants(dag)
    k = draw(st.integers(0, 6))
    producers = draw(st.lists(st.integers(OUTSIDE, dag.n - 1), min_size=k, max_size=k))
    readers = [
        draw(st.lists(st.sampled_from(may), unique=True)) if (may := sorted(after[maker])) else []
        for maker in producers
    ]
    sizes = draw(st.lists(SIZES, min_size=k, max_size=k))
    names = draw(st.none() | st.lists(ANY_TEXT, min_size=k, max_size=k))
    return Data.build(sizes, producers, readers, names)


def _descendants(dag: Dag) -> dict[int, set[int]]:
    after: dict[int, set[int]] = {OUTSIDE: set(range(dag.n))}
    for job in dag.order[::-1].tolist():
        after[job] = set(dag.children(job).tolist()).union(*(after[child] for child in dag.children(job).tolist()))
    return after


def edge_names(dag: Dag) -> set[tuple[str, str]]:
    """Return the edges by name."""
    return {(dag.names[tail], dag.names[head]) for tail, head in zip(dag.tails, dag.heads, strict=True)}


def shape(dag: Dag) -> dict[str, int]:
    """Count what STATS.tsv counts, from the edges alone and by plain loops."""
    parents: list[list[int]] = [[] for _ in range(dag.n)]
    root = list(range(dag.n))
    children = np.zeros(dag.n, int)

    def find(job: int) -> int:
        while root[job] != job:
            root[job] = root[root[job]]
            job = root[job]
        return job

    for tail, head in zip(dag.tails.tolist(), dag.heads.tolist(), strict=True):
        parents[head].append(tail)
        children[tail] += 1
        root[find(tail)] = find(head)
    level = [0] * dag.n
    for job in dag.order.tolist():
        level[job] = 1 + max((level[parent] for parent in parents[job]), default=-1)
    width = np.bincount(level)
    return {
        "nodes": dag.n,
        "declared_edges": dag.m,
        "sources": sum(not row for row in parents),
        "sinks": int((children == 0).sum()),
        "levels": len(width),
        "widest_level": int(width.max()),
        "components": len({find(job) for job in range(dag.n)}),
    }
