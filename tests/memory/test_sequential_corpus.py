"""Sequential orders of the memory papers' own graphs."""

from __future__ import annotations

import pytest

import eligo
from eligo.memory._models import footprint
from eligo.memory._sequential import peak_of, sequential
from eligo.memory._sequential.sequential_peak import floor_of
from tests.corpus import DATA, needs_shared, statistics
from tests.memory.test_sequential_optimal import assert_is_order

FILES = sorted(file for file in statistics() if file.startswith(("sdfm-dot/", "daggen-dot/", "trees-dot/")))


@needs_shared
@pytest.mark.parametrize("file", FILES)
def test_orders_of_real_graphs_are_orders_and_no_worse_than_traversals(file: str) -> None:
    print_ = footprint(eligo.read(DATA / file))
    found = sequential(print_, budget=100_000)
    assert_is_order(print_.dag, found.order)
    assert found.peak == peak_of(print_, found.order)
    assert floor_of(print_) <= found.peak <= min(found.candidates["bfs"], found.candidates["dfs"])
