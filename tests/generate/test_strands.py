from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eligo import graph
from eligo.errors import EligoError
from eligo.generate import planar_bipartite_tree, strand
from tests.reference import shapes

heavy = st.lists(st.integers(2, 5), max_size=6).flatmap(
    lambda rest: st.integers(1, 5).map(lambda first: [first, *rest])
)
above_one = st.lists(st.integers(2, 5), min_size=1, max_size=6)


def edges(dag):
    return set(zip(dag.tails.tolist(), dag.heads.tolist(), strict=True))


@settings(deadline=None)
@given(heavy)
def test_t_strands_equal_the_inductive_definition(degrees):
    dag = strand("T", degrees)
    assert (dag.n, edges(dag)) == shapes.t_strand(degrees)


@settings(deadline=None)
@given(above_one)
def test_w_strands_equal_their_definition(degrees):
    dag = strand("W", degrees)
    assert (dag.n, edges(dag)) == shapes.w_strand(degrees)
    assert np.diff(dag.succ_ptr)[: len(degrees)].tolist() == degrees


@settings(deadline=None)
@given(above_one)
def test_m_is_the_dual_of_w(degrees):
    """Sources and sinks change places, each still numbered from left to right."""
    w, m = strand("W", degrees), strand("M", degrees)
    sources = len(degrees)
    turned = {((head - sources), (w.n - sources) + tail) for tail, head in edges(w)}
    assert edges(m) == turned


@settings(deadline=None)
@given(heavy)
def test_strands_are_connected_bipartite_trees(degrees):
    dag = strand("T", degrees)
    assert dag.m == dag.n - 1
    assert graph.components(dag).max() == 0
    assert graph.levels(dag).max() == 1
    sources = len(graph.sources(dag))
    assert graph.sources(dag).tolist() == list(range(sources))


def test_identities_of_the_paper():
    """003 section 3: Fig. 3 and the equations below it."""
    assert strand("W", [4, 2, 4, 3]) == strand("T", [4, 2, 2, 2, 4, 2, 3])
    assert strand("M", [4, 2, 4, 3]) == strand("T", [1, 4, 2, 2, 2, 4, 2, 3])
    assert strand("T", [4]) == strand("W", [4])
    assert strand("T", [1, 4]) == strand("M", [4])


@settings(deadline=None)
@given(heavy)
def test_planar_bipartite_trees_are_t_strands(degrees):
    """ERRATA (e)."""
    reciprocal = degrees[0] == 1
    tail = degrees[1:] if reciprocal else degrees
    parts = [Fraction(1, d) if (place % 2 == 0) == reciprocal else d for place, d in enumerate(tail)]
    if parts:
        assert planar_bipartite_tree([str(part) for part in parts]) == strand("T", degrees)
        assert planar_bipartite_tree(parts) == strand("T", degrees)


@pytest.mark.parametrize(
    "parts",
    [
        [], ["1"], ["0"], ["2/3"], ["x"], ["2", "3"], ["1/2", "1/3"], ["-2"], ["1/0"], ["2.0"], ["1e99999999"],
        ["9" * 18], ["9" * 5000], ["1/" + "9" * 30],
    ],
)  # fmt: skip
def test_refuses_parts(parts):
    with pytest.raises(EligoError):
        planar_bipartite_tree(parts)


@pytest.mark.parametrize(
    ("kind", "degrees"),
    [("X", [2]), ("T", []), ("W", [1]), ("M", [2, 1]), ("T", [1, 1]), ("T", [0]), ("W", [10**9]), ("T", [2.5])],
)
def test_refuses(kind, degrees):
    with pytest.raises(EligoError):
        strand(kind, degrees)
