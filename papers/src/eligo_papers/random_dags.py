"""Small random dags, blocks and compositions for statements that are printed of all dags; all from explicit seeds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from eligo import generate, graph
from eligo.dag import Dag
from eligo_papers.enumeration import Ideals

__all__ = ["Composed", "compose_blocks", "has_isolated", "optimal_block", "random_block", "random_dag"]


def random_dag(random: Random, most: int) -> Dag:
    """Return a dag of 2, ..., `most` jobs, any pair of which is joined with one probability.

    Examples
    --------
    >>> random_dag(Random(3), 5).n <= 5
    True
    """
    n, dense = random.randint(2, most), random.uniform(0.15, 0.7)
    edges = [(i, j) for j in range(n) for i in range(j) if random.random() < dense]
    return Dag.from_edges(n, [i for i, _ in edges], [j for _, j in edges])


def has_isolated(dag: Dag) -> bool:
    """Tell whether a job is source and sink at once.

    Examples
    --------
    >>> has_isolated(Dag.from_edges(3, [0], [1]))
    True
    """
    return any(not len(dag.parents(job)) and not len(dag.children(job)) for job in range(dag.n))


def random_block(random: Random, sources: int, sinks: int) -> Dag:
    """Return a connected bipartite dag with at most so many sources and sinks; sources are numbered first.

    Examples
    --------
    >>> set(graph.components(random_block(Random(1), 3, 3)).tolist())
    {0}
    """
    while True:
        s, t = random.randint(1, sources), random.randint(1, sinks)
        dense = random.uniform(0.3, 1.0)
        edges = [(i, s + j) for i in range(s) for j in range(t) if random.random() < dense]
        dag = Dag.from_edges(s + t, [i for i, _ in edges], [j for _, j in edges])
        if not graph.components(dag).any():
            return dag


def optimal_block(random: Random, sources: int, sinks: int) -> tuple[Dag, list[int], list[int]]:
    """Return a random block that admits an IC-optimal schedule, with such an order of its sources and its yields.

    Examples
    --------
    >>> block, order, yields = optimal_block(Random(5), 3, 3)
    >>> len(order) + 1 == len(yields)
    True
    """
    while True:
        dag = random_block(random, sources, sinks)
        ideals = Ideals(dag)
        order = next(ideals.orders(ideals.optimal), None)
        if order is not None:
            s = len(graph.sources(dag))
            return dag, order[:s], [ideals.best[x] - (s - x) for x in range(s + 1)]


@dataclass(frozen=True, slots=True)
class Composed:
    """A composition of blocks, and for each block the jobs that its sources have become, in order of execution."""

    dag: Dag
    orders: list[list[int]]

    def schedule(self) -> list[int]:
        """Return the schedule of Theorem 2.1: the sources of each block in turn, then the sinks of the dag."""
        return [*(job for order in self.orders for job in order), *graph.sinks(self.dag).tolist()]


def compose_blocks(random: Random, blocks: Sequence[tuple[Dag, Sequence[int]]]) -> Composed:
    """Compose blocks one after the other, each merged at random with what there is, by a node at least if it can be.

    Examples
    --------
    >>> fork, join = Dag.from_edges(3, [0, 0], [1, 2]), Dag.from_edges(3, [0, 1], [2, 2])
    >>> composed = compose_blocks(Random(1), [(fork, [0]), (join, [0, 1])])
    >>> len(composed.schedule()) == composed.dag.n
    True
    """
    dag, order = blocks[0]
    orders = [list(order)]
    for block, order in blocks[1:]:
        sinks, sources = graph.sinks(dag).tolist(), graph.sources(block).tolist()
        merged = random.randint(min(1, len(sinks)), min(len(sinks), len(sources)))
        pairs = list(zip(random.sample(sinks, merged), random.sample(sources, merged), strict=True))
        number = {source: sink for sink, source in pairs}
        rest = [job for job in range(block.n) if job not in number]
        number |= {job: dag.n + place for place, job in enumerate(rest)}
        dag = generate.compose(dag, block, pairs)
        orders.append([number[source] for source in order])
    return Composed(dag, orders)
