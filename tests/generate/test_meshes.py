import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eligo import graph
from eligo.errors import EligoError
from eligo.generate import grid, mesh, reverse, wavefront
from tests.reference import shapes


def edges(dag):
    return set(zip(dag.tails.tolist(), dag.heads.tolist(), strict=True))


@pytest.mark.parametrize(("levels", "dim"), [(l, d) for l in range(1, 6) for d in range(1, 6)])  # noqa: E741
def test_equals_the_definition(levels, dim):
    dag = mesh(levels, dim)
    assert (dag.n, edges(dag)) == shapes.mesh(levels, dim)


@settings(deadline=None)
@given(levels=st.integers(1, 30), dim=st.integers(1, 4))
def test_shape(levels, dim):
    dag = mesh(levels, dim)
    assert len(graph.sinks(dag)) == 1
    assert graph.sinks(dag)[0] == dag.n - 1
    depth = graph.levels(dag)
    assert depth.max() == levels - 1
    assert (depth[1:] >= depth[:-1]).all()  # numbered level by level
    inner = [job for job in range(dag.n) if depth[job] > 0]
    assert all(len(dag.parents(job)) == dim for job in inner[:50])
    assert mesh(levels, dim, expansion=True) == reverse(dag)


def test_sources_of_the_plane_mesh_stand_in_a_row():
    """Neighbouring sources share a child, so that executing them in order is the parent-oriented schedule."""
    dag = mesh(6)
    for source in range(5):
        assert set(dag.children(source)) & set(dag.children(source + 1))


@pytest.mark.parametrize(("levels", "dim"), [(0, 2), (3, 0), (3, 65), (10**7, 2), (10**30, 1), (2.5, 2)])
def test_refuses(levels, dim):
    with pytest.raises(EligoError):
        mesh(levels, dim)


@settings(deadline=None)
@given(rows=st.integers(1, 8), columns=st.integers(1, 8))
def test_grid(rows, columns):
    dag = grid(rows, columns)
    row, column = divmod(dag.tails, columns)
    lower, right = divmod(dag.heads, columns)
    assert ((lower - row) + (right - column) == 1).all()
    assert ((lower >= row) & (right >= column)).all()
    assert (dag.n, dag.m) == (rows * columns, rows * (columns - 1) + columns * (rows - 1))


def test_wavefront_is_the_expansion_mesh():
    assert wavefront(5) == mesh(5, expansion=True)
