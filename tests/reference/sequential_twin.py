"""Plain twins of the kernels for sequential orders: lists and sorting, nothing kept up to date."""

from __future__ import annotations

from eligo.dag import Dag
from eligo.memory._footprint import Footprint
from tests.reference.memory_states import occupied


def depth_first(dag: Dag) -> list[int]:
    """Newest ready job first; sources only when nothing is ready, for the join reached last."""
    done: list[int] = []
    ready: list[int] = []
    reached: list[int] = []

    def missing(job: int) -> list[int]:
        return [parent for parent in dag.parents(job).tolist() if parent not in done]

    def next_source() -> int:
        waiting = [job for job in reached if missing(job)]
        if not waiting:
            return next(job for job in range(dag.n) if job not in done and not len(dag.parents(job)))
        job = waiting[-1]
        while missing(job):
            job = missing(job)[0]
        return job

    while len(done) < dag.n:
        job = ready.pop() if ready else next_source()
        done.append(job)
        for child in dag.children(job).tolist()[::-1]:
            (reached if missing(child) else ready).append(child)
    return done


def greedy_least_net(print_: Footprint) -> list[int]:
    """What does not raise the memory, by hill and net; else what raises it least, by net and hill; ties by number."""
    dag = print_.dag
    order: list[int] = []
    while len(order) < dag.n:
        done = frozenset(order)
        here = occupied(print_, done, done)
        offers = []
        for job in set(range(dag.n)) - done:
            if set(dag.parents(job).tolist()) <= done:
                hill = max(0, occupied(print_, done | {job}, done) - here)
                net = occupied(print_, done | {job}, done | {job}) - here
                offers.append((False, hill, net, job) if net <= 0 else (True, net, hill, job))
        order.append(min(offers)[-1])
    return order
