"""Plain twins of the kernels behind strategy ``area``: promises by their definition, and loads by theirs."""

from __future__ import annotations

from eligo.dag import Dag

_ONE, _FAR = 1 << 20, 16


def _share(lacks: int, base: int) -> int:
    """base^-(lacks - 1) in 2^22, rounded down at each division as the kernel does."""
    if lacks > _FAR:
        return 0
    share = 1 << 22
    for _ in range(lacks - 1):
        share //= base
    return share


def greedy(dag: Dag, depth: int, base: int, classes: list[int] | None = None) -> list[int]:
    """At each step look at every ELIGIBLE non-sink and take the one that promises most."""
    parents = [set(dag.parents(job).tolist()) for job in range(dag.n)]
    children = [dag.children(job).tolist() for job in range(dag.n)]
    worth = [0] * dag.n

    def promise(job: int, done: set[int]) -> int:
        return sum(worth[c] * _share(len(parents[c] - done), base) >> 22 for c in children[job])

    for job in reversed(dag.order.tolist()):
        worth[job] = min(1 << 40, _ONE + promise(job, set()) // 256 * depth)
    done: set[int] = set()
    order: list[int] = []
    while True:
        ready = [j for j in range(dag.n) if children[j] and j not in done and parents[j] <= done]
        if not ready:
            return order
        rank = [0] * dag.n if classes is None else classes
        best = max(ready, key=lambda j: (rank[j], promise(j, done), -j))
        done.add(best)
        order.append(best)


def load_bound(dag: Dag, load: list[int], scale: int, *, windows: bool) -> list[int]:
    """For each step: the best sum of loads that a set of so many jobs could have, looked for plainly."""
    n = dag.n
    before = [reached(dag, job, up=True) for job in range(n)]
    behind = [reached(dag, job, up=False) for job in range(n)]
    sources = sum(len(dag.parents(job)) == 0 for job in range(n))
    most = []
    for t in range(n + 1):
        if windows:
            must = [j for j in range(n) if behind[j] > n - t - 1]
            may = [j for j in range(n) if before[j] < t and j not in must]
            window = sum(before[j] <= t and behind[j] <= n - t - 1 for j in range(n))
        else:
            must, may, window = [], list(range(n)), n
        best = sorted((load[j] for j in may), reverse=True)[: t - len(must)]
        rendered = (sum(load[j] for j in must) + sum(best)) // scale
        most.append(min(sources + rendered - t, n - t, window))
    return [min(most[s] + s - t for s in range(t, n + 1)) for t in range(n + 1)]


def reached(dag: Dag, job: int, *, up: bool) -> int:
    seen: set[int] = set()
    stack = [job]
    while stack:
        near = dag.parents(stack.pop()) if up else dag.children(stack.pop())
        fresh = set(near.tolist()) - seen
        seen |= fresh
        stack += fresh
    return len(seen)
