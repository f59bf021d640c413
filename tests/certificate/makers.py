"""Certificates made without the producers: orders by brute force, blocks put together at random."""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np

from eligo import generate, graph
from eligo.certificate import Certificate
from eligo.dag import Dag
from eligo.schedule import Schedule
from tests.reference.ideals import best_profile, eligible, has_ic_optimal_schedule, ideals

BUDGET = 200_000_000


def is_ic_optimal(dag: Dag, order: Sequence[int]) -> bool:
    """The judge: all ideals, no theory."""
    profile, executed = [], 0
    for job in [None, *order]:
        executed |= 0 if job is None else 1 << job
        profile.append(eligible(dag, executed, sources=True))
    return profile == best_profile(dag, sources=True)


def admits(dag: Dag) -> bool:
    return has_ic_optimal_schedule(dag, sources=True)


def best_order(dag: Dag, rng: random.Random, *, sinks_last: bool = False) -> list[int] | None:
    """Return an IC-optimal order, one of many, or None."""
    best = best_profile(dag, sources=True)
    parents = [sum(1 << int(parent) for parent in dag.parents(job)) for job in range(dag.n)]
    is_sink = [len(dag.children(job)) == 0 for job in range(dag.n)]
    last = sum(not sink for sink in is_sink) if sinks_last else 0

    def steps(executed: int, size: int) -> list[int]:
        free = [job for job in range(dag.n) if not executed >> job & 1 and parents[job] & ~executed == 0]
        return [
            job
            for job in free
            if not (size < last and is_sink[job]) and eligible(dag, executed | 1 << job, sources=True) == best[size + 1]
        ]

    dead: set[int] = set()
    order: list[int] = []
    executed = 0
    while len(order) < dag.n:
        choices = [job for job in steps(executed, len(order)) if executed | 1 << job not in dead]
        if choices:
            order.append(rng.choice(choices))
            executed |= 1 << order[-1]
        elif order:
            dead.add(executed)
            executed ^= 1 << order.pop()
        else:
            return None
    return order


def any_order(dag: Dag, rng: random.Random) -> list[int]:
    """Return some order in which the jobs can be executed."""
    waiting = [len(dag.parents(job)) for job in range(dag.n)]
    free = [job for job in range(dag.n) if not waiting[job]]
    order = []
    while free:
        order.append(free.pop(rng.randrange(len(free))))
        for child in dag.children(order[-1]).tolist():
            waiting[child] -= 1
            if not waiting[child]:
                free.append(child)
    return order


def random_dag(rng: random.Random, most: int = 8) -> Dag:
    n = rng.randint(1, most)
    density = rng.choice([0.15, 0.3, 0.5])
    arcs = [(u, v) for v in range(n) for u in range(v) if rng.random() < density]
    names = rng.sample(range(100), n)
    return Dag.from_edges([str(name) for name in names], [u for u, _ in arcs], [v for _, v in arcs])


def shuffled(dag: Dag, rng: random.Random) -> Dag:
    return graph.relabel(dag, rng.sample(range(dag.n), dag.n))


def certified(dag: Dag, order: Sequence[int], claim: str, witness: dict | None) -> Certificate:
    return Certificate.of(Schedule.of(dag, order), claim, witness)


def exact_witness(dag: Dag) -> dict:
    """Count the ideals of the non-sinks."""
    inner = [job for job in range(dag.n) if len(dag.children(job))]
    return {"by": "exact", "ideals": sum(map(len, ideals(graph.induced_subdag(dag, inner))))}


def small_blocks() -> list[Dag]:
    return [
        generate.w_dag(1, 2),
        generate.w_dag(1, 3),
        generate.w_dag(2, 2),
        generate.m_dag(1, 2),
        generate.m_dag(1, 3),
        generate.m_dag(2, 2),
        generate.n_dag(2),
        generate.n_dag(3),
        generate.cycle_dag(2),
        generate.cycle_dag(3),
        generate.clique_dag(1),
        generate.clique_dag(2),
        generate.strand("T", [1, 3, 2]),
        generate.chain(3),
        Dag.from_edges(5, [0, 0, 1, 2, 1], [1, 2, 3, 3, 4]),
    ]


def random_composition(rng: random.Random, most: int = 11) -> tuple[Dag, list[list[int]]]:
    """Merge sinks with sources of random blocks; return the dag and the non-sinks of each block."""
    whole = Dag.from_edges(0)
    blocks: list[list[int]] = []
    for _ in range(rng.randint(1, 4)):
        block = rng.choice(small_blocks())
        sinks, sources = graph.sinks(whole).tolist(), graph.sources(block).tolist()
        merged = rng.randint(0, min(len(sinks), len(sources)))
        pairs = list(zip(rng.sample(sinks, merged), rng.sample(sources, merged), strict=True))
        if whole.n + block.n - merged > most:
            continue
        number = {lower: upper for upper, lower in pairs}
        for job in range(block.n):
            number.setdefault(job, whole.n + job - sum(source < job for _, source in pairs))
        whole = generate.compose(whole, block, pairs)
        blocks.append([number[job] for job in range(block.n) if len(block.children(job))])
    return whole, blocks


def block_dag(dag: Dag, nonsinks: list[int]) -> Dag:
    """Return a block as a dag of its own: its non-sinks as listed, then what else they feed."""
    fed = sorted({int(child) for job in nonsinks for child in dag.children(job)} - set(nonsinks))
    number = {job: i for i, job in enumerate([*nonsinks, *fed])}
    arcs = [(number[job], number[int(child)]) for job in nonsinks for child in dag.children(job)]
    return Dag.from_edges(len(number), [u for u, _ in arcs], [v for _, v in arcs])


def e_of(dag: Dag) -> list[int]:
    """e_max(0..N) by brute force."""
    best = best_profile(dag, sources=True)
    inner = len([job for job in range(dag.n) if len(dag.children(job))])
    first = len(graph.sources(dag))
    return [best[x] - first + x for x in range(inner + 1)]


def precedes(a: list[int], b: list[int]) -> bool:
    """The priority relation, word for word."""
    for x in range(len(a)):
        for y in range(len(b)):
            first = min(len(a) - 1, x + y)
            if a[x] + b[y] > a[first] + b[x + y - first]:
                return False
    return True


def best_sum(a: list[int], b: list[int]) -> list[int]:
    """The (max,+) convolution, word for word."""
    best = [0] * (len(a) + len(b) - 1)
    for x, gain in enumerate(a):
        for y, other in enumerate(b):
            best[x + y] = max(best[x + y], gain + other)
    return best


def chained(functions: list[list[int]], rng: random.Random) -> list[list[int]]:
    """Sort functions into groups that precede each other; groups that do not are joined."""
    left = rng.sample(range(len(functions)), len(functions))
    groups: list[tuple[list[int], list[int]]] = []
    while left:
        first = next((b for b in left if all(precedes(functions[b], functions[c]) for c in left)), left[0])
        left.remove(first)
        groups.append(([first], functions[first]))
        while len(groups) > 1 and not precedes(groups[-2][1], groups[-1][1]):
            (one, a), (other, b) = groups.pop(-2), groups.pop()
            groups.append((one + other, best_sum(a, b)))
    return [members for members, _ in groups]


def composition_witness(dag: Dag, order: Sequence[int], blocks: list[list[int]], rng: random.Random) -> dict | None:
    """Write out the composition witness of an order, block by block; None where a block has no IC-optimal order."""
    place = {job: position for position, job in enumerate(order)}
    written, functions = [], []
    for nonsinks in blocks:
        alone = block_dag(dag, nonsinks)
        best = best_order(alone, rng, sinks_last=True)
        if best is None:
            return None
        listed = [place[nonsinks[job]] for job in best if job < len(nonsinks)]
        ordered = block_dag(dag, [order[position] for position in listed])
        written.append({"jobs": listed, "witness": some_witness(ordered, rng)})
        functions.append(e_of(alone))
    return {"by": "composition", "dropped": [], "blocks": written, "groups": chained(functions, rng)}


def some_witness(dag: Dag, rng: random.Random) -> dict:
    """Return a witness of a dag whose jobs are numbered in an IC-optimal order: exact always works."""
    jobs = [job for job in range(dag.n) if len(dag.children(job))]
    choices = [exact_witness(dag), {"by": "frontier", "sequence": jobs}]
    inner = sum(len(dag.children(job)) > 0 for job in range(dag.n))
    made = Schedule.of(dag, range(dag.n)).profile + np.arange(dag.n + 1)
    if np.all(np.diff(made[: inner + 1], n=2) <= 0):
        choices.append({"by": "concave"})
    two_levels = not any(len(dag.parents(job)) and len(dag.children(job)) for job in range(dag.n))
    if two_levels and dag.m == dag.n - int(graph.components(dag).max()) - 1:
        choices.append({"by": "bipartite-tree"})
    return rng.choice(choices)


def sweep_witness(dag: Dag, order: Sequence[int], rng: random.Random) -> dict | None:
    """Write out the sweep of a dag's components after its prefix; None where one has no IC-optimal order."""
    profile = Schedule.of(dag, order).profile.tolist()
    prefix = next(t for t, one in enumerate(profile) if one != 1)
    place = {job: position for position, job in enumerate(order)}
    rest = graph.induced_subdag(dag, order[prefix:])
    component = graph.components(rest)
    parts = []
    for number in rng.sample(range(int(component.max(initial=-1)) + 1), int(component.max(initial=-1)) + 1):
        jobs = [order[prefix + job] for job in np.flatnonzero(component == number).tolist()]
        nonsinks = [job for job in jobs if len(dag.children(job))]
        if not nonsinks:
            continue
        best = best_order(block_dag(dag, nonsinks), rng, sinks_last=True)
        if best is None:
            return None
        listed = [nonsinks[job] for job in best if job < len(nonsinks)]
        parts.append({"jobs": [place[job] for job in listed], "witness": some_witness(block_dag(dag, listed), rng)})
    return {"by": "sweep", "prefix": list(range(prefix)), "parts": parts}


def finest_blocks(dag: Dag) -> list[list[int]]:
    """Share out the non-sinks so that all parents of a job are together, as finely as can be."""
    of = list(range(dag.n))
    for job in range(dag.n):
        parents = {of[int(parent)] for parent in dag.parents(job)}
        of = [min(parents) if one in parents else one for one in of]
    inner = [job for job in range(dag.n) if len(dag.children(job))]
    return [[job for job in inner if of[job] == block] for block in sorted({of[job] for job in inner})]
