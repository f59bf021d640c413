"""The plain-Python decomposition that judges the workflow-like dags is itself held to what ERRATA says of it."""

from hypothesis import given, settings
from hypothesis import strategies as st

from eligo import graph
from eligo.dag import Dag
from eligo.generate import uniform
from tests.reference.decomposition import decompose


def arcs(dag):
    return set(zip(dag.tails.tolist(), dag.heads.tolist(), strict=True))


def test_components_of_errata_c():
    """0->3,6; 1,2->5,6,7; 3->4,7 has components {0,1,2,3,5,6,7} and {4}: the arc 3->4 is lost."""
    dag = Dag.from_edges(8, [0, 0, 1, 1, 1, 2, 2, 2, 3, 3], [3, 6, 5, 6, 7, 5, 6, 7, 4, 7])
    assert [set(part.jobs) for part in decompose(dag, repaired=False)] == [{0, 1, 2, 3, 5, 6, 7}, {4}]
    assert [set(part.jobs) for part in decompose(dag, repaired=True)] == [set(range(8))]


@settings(deadline=None)
@given(jobs=st.integers(1, 14), probability=st.floats(0.05, 0.6), seed=st.integers(0, 10**6))
def test_the_repaired_closure_loses_no_arc(jobs, probability, seed):
    dag = graph.remove_shortcuts(uniform(jobs, probability, seed))
    parts = decompose(dag, repaired=True)
    for tail, head in arcs(dag):
        assert sum(tail in part.nonsinks and head in part.jobs for part in parts) == 1
    assert set().union(*(part.jobs for part in parts)) == set(range(jobs))


@settings(deadline=None)
@given(jobs=st.integers(1, 14), probability=st.floats(0.05, 0.6), seed=st.integers(0, 10**6))
def test_bipartite_components_are_bipartite(jobs, probability, seed):
    dag = graph.remove_shortcuts(uniform(jobs, probability, seed))
    for part in decompose(dag, repaired=False):
        if part.bipartite:
            inner = graph.induced_subdag(dag, sorted(part.jobs))
            assert graph.levels(inner).max() <= 1
