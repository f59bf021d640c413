import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eligo import graph
from eligo.errors import CycleError, EligoError
from eligo.generate import random_tree, reverse, tree, tree_from_parents
from tests.reference import shapes


def edges(dag):
    return set(zip(dag.tails.tolist(), dag.heads.tolist(), strict=True))


@pytest.mark.parametrize(("height", "arity"), [(h, k) for h in range(5) for k in range(1, 5)])
def test_equals_the_definition(height, arity):
    dag = tree(height, arity)
    assert (dag.n, edges(dag)) == shapes.tree(height, arity)
    assert tree(height, arity, expansion=True) == reverse(dag)


@settings(deadline=None)
@given(height=st.integers(0, 6), arity=st.integers(2, 4))
def test_shape(height, arity):
    dag = tree(height, arity)
    assert dag.n == sum(arity**level for level in range(height + 1))
    assert dag.m == dag.n - 1
    assert len(graph.sources(dag)) == arity**height
    assert graph.sinks(dag).tolist() == [dag.n - 1]
    assert set(np.diff(dag.pred_ptr)) <= {0, arity}


@settings(deadline=None)
@given(st.integers(1, 40).flatmap(lambda n: st.tuples(*(st.integers(-1, node - 1) for node in range(n)))))
def test_from_parents(parents):
    reduction = tree_from_parents(parents)
    assert edges(reduction) == {(node, parent) for node, parent in enumerate(parents) if parent >= 0}
    assert tree_from_parents(parents, expansion=True) == graph.dual(reduction)


def test_from_parents_refuses():
    with pytest.raises(CycleError):
        tree_from_parents([1, 0])
    for parents in ([], [3], [-2], [[0]], ["a"], [0.5]):
        with pytest.raises(EligoError):
            tree_from_parents(parents)


@settings(deadline=None)
@given(jobs=st.integers(1, 200), shape=st.sampled_from(["recursive", "uniform"]), seed=st.integers(0, 99))
def test_random_trees_are_trees(jobs, shape, seed):
    dag = random_tree(jobs, shape, seed=seed)
    assert dag.m == jobs - 1
    assert graph.sinks(dag).tolist() == [jobs - 1]
    assert dag == random_tree(jobs, shape, seed=seed)
    assert reverse(dag) == random_tree(jobs, shape, expansion=True, seed=seed)


def test_uniform_trees_are_uniform():
    """Among the 3 labelled trees of 3 nodes rooted at each node, 6 of 9 are paths from their root.

    Rooted at an end: a path (3 trees, 2 ends each); rooted in the middle: a star (3 trees).
    """
    paths = sum(graph.levels(random_tree(3, "uniform", seed=seed)).max() == 2 for seed in range(3000))
    assert abs(paths - 2000) < 4 * (3000 * 2 / 9) ** 0.5


def test_uniform_trees_are_deeper():
    deep = [graph.levels(random_tree(2000, "uniform", seed=seed)).max() for seed in range(5)]
    shallow = [graph.levels(random_tree(2000, "recursive", seed=seed)).max() for seed in range(5)]
    assert min(deep) > max(shallow)


@pytest.mark.parametrize(("height", "arity"), [(-1, 2), (3, 0), (60, 2), (2, 10**6), (10**9, 1), (64, 10**400)])
def test_refuses(height, arity):
    with pytest.raises(EligoError):
        tree(height, arity)


def test_random_tree_refuses():
    for bad in ({"jobs": 0}, {"jobs": 10**8}, {"seed": -1}, {"shape": "round"}):
        with pytest.raises(EligoError):
            random_tree(**bad)
