import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eligo import graph
from eligo.dag import Dag
from eligo.errors import EligoError
from eligo.generate import (
    chain,
    compose,
    divide_and_conquer,
    fork_join,
    laplace_transform,
    matrix_multiplication,
    mesh,
    parallel_prefix,
    reverse,
    strand,
    tree,
)


@settings(deadline=None)
@given(st.integers(1, 50))
def test_chain(length):
    dag = chain(length)
    assert graph.levels(dag).tolist() == list(range(length))
    assert dag.m == length - 1


@settings(deadline=None)
@given(width=st.integers(1, 6), stages=st.integers(1, 4))
def test_fork_join(width, stages):
    dag = fork_join(width, stages)
    assert (dag.n, dag.m) == (stages * (width + 1) + 1, 2 * stages * width)
    assert graph.levels(dag).max() == 2 * stages
    assert (len(graph.sources(dag)), len(graph.sinks(dag))) == (1, 1)


@settings(deadline=None)
@given(width=st.integers(1, 5), stages=st.integers(2, 4))
def test_fork_joins_are_compositions(width, stages):
    shorter = fork_join(width, stages - 1)
    assert compose(shorter, fork_join(width), [(shorter.n - 1, 0)]) == fork_join(width, stages)


def test_meshes_are_compositions_of_strands():
    """003 section 3: the reductive mesh of four levels is M[2,2,2] then M[2,2] then M[2]."""
    dag = strand("M", [2, 2, 2])
    for lower in (strand("M", [2, 2]), strand("M", [2])):
        dag = compose(dag, lower, zip(graph.sinks(dag).tolist(), graph.sources(lower).tolist(), strict=True))
    assert dag == mesh(4)


@pytest.mark.parametrize("pairs", [[(0, 0)], [(1, 2)], [(1, 0), (1, 1)], [(1, 0), (2, 0)], [(9, 0)], [(-1, 0)]])
def test_compose_refuses(pairs):
    fork, join = Dag.from_edges(3, [0, 0], [1, 2]), Dag.from_edges(3, [0, 1], [2, 2])
    with pytest.raises(EligoError):
        compose(fork, join, pairs)


@settings(deadline=None)
@given(st.integers(2, 40))
def test_prefix_computes_all_prefixes(inputs):
    """The last job of column i is reached by exactly the inputs up to i."""
    dag = parallel_prefix(inputs)
    seen = [{job} if job < inputs else set() for job in range(dag.n)]
    for job in dag.order:
        for parent in dag.parents(job):
            seen[job] |= seen[parent]
    assert seen[-inputs:] == [set(range(column + 1)) for column in range(inputs)]


@settings(deadline=None)
@given(st.integers(0, 5))
def test_laplace_transform(height):
    dag, width = laplace_transform(height), 2**height
    assert dag.n == (height + 1) * width + width - 1
    assert len(graph.sources(dag)) == width
    assert graph.sinks(dag).tolist() == [dag.n - 1]


@settings(deadline=None)
@given(height=st.integers(0, 4), arity=st.integers(1, 3))
def test_divide_and_conquer_is_its_own_reverse(height, arity):
    dag = divide_and_conquer(height, arity)
    assert dag.n == 2 * tree(height, arity).n - arity**height
    assert reverse(dag) == dag


def test_matrix_multiplication():
    """Two 4-cycles: every block feeds two products, every product two blocks; then four sums of two."""
    dag = matrix_multiplication()
    assert [len(dag.children(job)) for job in range(20)] == [2] * 8 + [1] * 8 + [0] * 4
    assert [len(dag.parents(job)) for job in range(20)] == [0] * 8 + [2] * 12
    upper = graph.induced_subdag(dag, range(16))
    assert graph.components(upper).max() == 1


def test_refuses():
    for make, size in ((chain, 0), (chain, 10**8), (fork_join, 0), (parallel_prefix, 0), (laplace_transform, 60)):
        with pytest.raises(EligoError):
            make(size)
