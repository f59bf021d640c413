"""What an order occupies, against the definition of a state."""

from __future__ import annotations

import numpy as np
import pytest

from eligo.dag import Int32
from eligo.memory._footprint import Footprint
from eligo.memory._sequential import memory_along, peak_of
from tests.memory.footprints import random_footprint
from tests.reference.memory_states import occupied, sequential_peak


def random_order(print_: Footprint, seed: int) -> Int32:
    """A topological order: of the ready jobs any may be next."""
    rng = np.random.default_rng(seed)
    dag, order = print_.dag, list[int]()
    while len(order) < dag.n:
        ready = [v for v in range(dag.n) if v not in order and set(dag.parents(v).tolist()) <= set(order)]
        order.append(int(rng.choice(ready)))
    return np.array(order, np.int32)


@pytest.mark.parametrize("seed", range(400))
def test_memory_along_any_order_is_that_of_the_states_passed(seed: int) -> None:
    print_ = random_footprint(seed, 7)
    order = random_order(print_, seed)
    done = frozenset[int]()
    expected = [occupied(print_, done, done)]
    for job in order.tolist():
        expected.append(occupied(print_, done | {job}, done))
        done |= {job}
        expected.append(occupied(print_, done, done))
    assert memory_along(print_, order).tolist() == expected
    assert peak_of(print_, order) == sequential_peak(print_, order.tolist()) == max(expected)


@pytest.mark.parametrize("order", [[0], [0, 0, 1], [0, 1, 3], [-1, 0, 1]])
def test_an_order_must_name_each_job_once(order: list[int]) -> None:
    print_ = next(p for p in map(random_footprint, range(100)) if p.dag.n == 3)
    with pytest.raises(ValueError, match="each of the 3 jobs once"):
        peak_of(print_, order)
