import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eligo import graph
from eligo.errors import EligoError
from eligo.generate import clique_dag, cycle_dag, m_dag, n_dag, w_dag


@settings(deadline=None)
@given(sources=st.integers(1, 6), degree=st.integers(2, 5))
def test_w_and_m(sources, degree):
    w, m = w_dag(sources, degree), m_dag(sources, degree)
    assert w.n == m.n == sources + sources * (degree - 1) + 1
    assert np.diff(w.succ_ptr)[:sources].tolist() == [degree] * sources
    assert np.diff(m.pred_ptr)[-sources:].tolist() == [degree] * sources
    for left in range(sources - 1):
        assert len(set(w.children(left)) & set(w.children(left + 1))) == 1


@settings(deadline=None)
@given(st.integers(2, 12))
def test_n_cycle_and_clique(size):
    n, cycle, clique = n_dag(size), cycle_dag(size), clique_dag(size)
    for source in range(size):
        wanted = {size + source, size + source + 1} & set(range(size, 2 * size))
        assert set(n.children(source)) == wanted
        assert set(clique.children(source)) == set(range(size, 2 * size))
    # "replacing nothing": the cycle is the N plus one edge
    added = set(zip(cycle.tails.tolist(), cycle.heads.tolist(), strict=True)) - set(
        zip(n.tails.tolist(), n.heads.tolist(), strict=True)
    )
    assert added == {(size - 1, size)}
    assert all(graph.components(dag).max() == 0 for dag in (n, cycle, clique))


def test_refuses():
    for make, size in ((n_dag, 0), (cycle_dag, 1), (clique_dag, 0), (clique_dag, 10**6), (w_dag, 0), (m_dag, 10**12)):
        with pytest.raises(EligoError):
            make(size)
    with pytest.raises(EligoError):
        w_dag(2, 1)
