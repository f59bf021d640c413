from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eligo.dag import UNKNOWN, Dag
from eligo.errors import EligoError
from eligo.formats._data_files import (
    NOTHING,
    format_weight,
    is_edge_weights,
    merge_weights,
    parse_weight,
    weighted_edges,
)
from tests.formats.random_dags import SIZES, dags

ENDS = st.integers(0, 3)


@given(SIZES | st.just(NOTHING))
def test_weights_come_back(size: int) -> None:
    assert parse_weight(format_weight(size)) == size


@given(st.lists(st.tuples(ENDS, ENDS, st.sampled_from([NOTHING, UNKNOWN, 0, 1, 5, 2**61]))))
def test_merging_takes_the_largest_in_order_of_first_mention(edges: list[tuple[int, int, int]]) -> None:
    largest: dict[tuple[int, int], int] = {}
    for tail, head, size in edges:
        largest[tail, head] = max(size, largest.get((tail, head), NOTHING))
    columns = np.array(edges, np.int64).reshape(-1, 3).T
    data, overruled = merge_weights(4, columns[0].astype(np.int32), columns[1].astype(np.int32), columns[2])
    wanted = [(tail, head, size) for (tail, head), size in largest.items() if size != NOTHING]
    found = zip(data.producer.tolist(), data.readers.tolist(), data.size_bytes.tolist(), strict=True)
    assert list(found) == wanted
    assert overruled.tolist() == [
        place for place, (tail, head, size) in enumerate(edges) if 0 <= size < largest[tail, head]
    ]


@given(dags())
def test_weighted_edges_are_all_edges(dag: Dag) -> None:
    if not is_edge_weights(dag):
        return
    assert dag.data is not None
    tails, heads, sizes = weighted_edges(dag)
    assert sorted(zip(tails, heads, strict=True)) == list(zip(dag.tails.tolist(), dag.heads.tolist(), strict=True))
    assert sizes == [*dag.data.size_bytes.tolist(), *[NOTHING] * (dag.m - dag.data.k)]


@pytest.mark.parametrize("text", ["", "nothing", "-1", "1.5", "None5"])
def test_refuses(text: str) -> None:
    with pytest.raises(EligoError):
        parse_weight(text)
