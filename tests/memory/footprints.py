"""Random small footprints of every model, for tests against brute force."""

from __future__ import annotations

import numpy as np

from eligo.dag import OUTSIDE, Dag, Data
from eligo.memory._footprint import Footprint
from eligo.memory._models import MODELS, footprint


def random_dag(rng: np.random.Generator, n: int, density: float) -> Dag:
    """A dag of n jobs in which each pair is joined with a chance of `density`; numbers do not tell the order."""
    tails, heads = np.nonzero(np.triu(rng.random((n, n)) < density, 1))
    names = rng.permutation(n)
    return Dag.from_edges(n, names[tails], names[heads], time_s=rng.integers(0, 5, n).astype(float))


def random_data(rng: np.random.Generator, dag: Dag, largest: int = 9) -> Data:
    """A few data: read by some children of their producer, by none, or brought from outside."""
    sizes, producers, readers = [], [], []
    for job in range(dag.n):
        children = dag.children(job).tolist()
        for _ in range(int(rng.integers(0, 3))):
            sizes.append(int(rng.integers(0, largest + 1)))
            producers.append(job)
            readers.append([child for child in children if rng.random() < 0.7])
    if dag.n and rng.random() < 0.3:
        sizes.append(int(rng.integers(1, largest + 1)))
        producers.append(OUTSIDE)
        readers.append(np.flatnonzero(rng.random(dag.n) < 0.3).tolist())
    names = [f"f{number}" for number in range(len(sizes))]
    return Data.build(np.array(sizes, np.int64), np.array(producers, np.int32), readers, names)


def random_footprint(seed: int, most_jobs: int = 6, model: str | None = None) -> Footprint:
    """A random dag with random data under a random model and random rules; a function of the seed."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, most_jobs + 1))
    dag = random_dag(rng, n, float(rng.choice([0.15, 0.3, 0.5])))
    dag = dag.with_known(data=random_data(rng, dag), temp_bytes=rng.integers(0, 6, n))
    if rng.random() < 0.2:
        dag = dag.with_known(count=rng.integers(0, 4, n))
    model = model or str(rng.choice(MODELS))
    if dag.data is None and model in ("simple", "shared"):
        model = "files"
    return footprint(
        dag, model, "disk", unread=str(rng.choice(["stay", "leave"])), inputs=str(rng.choice(["ignore", "count"]))
    )
