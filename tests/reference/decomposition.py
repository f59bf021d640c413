"""The decomposition of 002, section 3.1, step 2, in plain Python; bipartite blocks first, as its section 3.5 does.

Expects a dag without shortcuts. `repaired` adds the closure of ERRATA (h): a job with one child in C(s) has all its
children in it, so that no arc is lost.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from eligo.dag import Dag


@dataclass(frozen=True)
class Component:
    """A component: its jobs, those of them with a child inside, and whether it is bipartite."""

    jobs: frozenset[int]
    nonsinks: frozenset[int]
    bipartite: bool


def decompose(dag: Dag, *, repaired: bool) -> list[Component]:
    return _Remnant(dag, repaired).decompose()


class _Remnant:
    def __init__(self, dag: Dag, repaired: bool) -> None:
        self.children = [dag.children(job).tolist() for job in range(dag.n)]
        self.parents = [dag.parents(job).tolist() for job in range(dag.n)]
        self.alive = [True] * dag.n
        self.missing = [len(parents) for parents in self.parents]  # living parents
        self.repaired = repaired

    def decompose(self) -> list[Component]:
        found = []
        queue = deque(job for job, count in enumerate(self.missing) if count == 0)
        waiting: dict[int, list[int]] = {}  # by the job that kept a source's block from being bipartite
        idle: set[int] = set(queue)
        while idle:
            while queue:
                source = queue.popleft()
                if not self.alive[source] or self.missing[source]:
                    continue
                block = self._bipartite(source)
                if isinstance(block, int):
                    waiting.setdefault(block, []).append(source)
                    continue
                found.append(block)
                self._detach(block, queue, waiting, idle)
            idle = {job for job in idle if self.alive[job]}
            if idle:
                block = self._general(min(idle))
                found.append(block)
                self._detach(block, queue, waiting, idle)
        return found

    def _bipartite(self, source: int) -> Component | int:
        """Return the bipartite component of a source, or a nonsource parent that shows there is none."""
        sources, sinks, todo = {source}, set(), [source]
        while todo:
            for sink in self.children[todo.pop()]:
                if sink in sinks:
                    continue
                sinks.add(sink)
                for parent in self.parents[sink]:
                    if not self.alive[parent] or parent in sources:
                        continue
                    if self.missing[parent]:
                        return parent
                    sources.add(parent)
                    todo.append(parent)
        return Component(frozenset(sources | sinks), frozenset(sources if sinks else ()), True)

    def _closure(self, source: int) -> set[int]:
        """Return the jobs of C(source)."""
        jobs, todo = {source}, [source]
        while todo:
            job = todo.pop()
            near = [parent for parent in self.parents[job] if self.alive[parent]]
            if self.missing[job] == 0 or (self.repaired and any(child in jobs for child in self.children[job])):
                near += self.children[job]
            fresh = set(near) - jobs
            jobs |= fresh
            todo += fresh
            if self.repaired:  # parents already inside now have a child inside
                todo += [p for p in near if p in jobs and p not in fresh and not set(self.children[p]) <= jobs]
        return jobs

    def _general(self, source: int) -> Component:
        jobs = self._closure(source)
        while True:  # walk down to a minimal one
            smaller = None
            for other in (job for job in jobs if self.missing[job] == 0):
                inner = self._closure(other)
                if len(inner) < len(jobs):
                    smaller = inner
                    break
            if smaller is None:
                break
            jobs = smaller
        nonsinks = {job for job in jobs if any(child in jobs for child in self.children[job])}
        return Component(frozenset(jobs), frozenset(nonsinks), all(self.missing[job] == 0 for job in nonsinks))

    def _detach(self, block: Component, queue: deque[int], waiting: dict[int, list[int]], idle: set[int]) -> None:
        gone = block.nonsinks | {job for job in block.jobs if not self.children[job]}
        for job in gone:
            self.alive[job] = False
        for job in gone:
            for child in self.children[job]:
                self.missing[child] -= 1
                if self.missing[child] == 0 and self.alive[child]:
                    queue.append(child)
                    idle.add(child)
                    queue.extend(waiting.pop(child, ()))
