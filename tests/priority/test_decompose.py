"""The blocks are the finest that the theory admits, and those of the repaired decomposition of paper 002."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings

from eligo import Dag, graph
from eligo.generate import fft, mesh, paper001
from eligo.priority._decompose import decompose
from tests.reference.decomposition import decompose as plain_decompose
from tests.strategies import dags


@given(dags(12, known=False))
@settings(max_examples=500)
def test_blocks_are_those_of_the_repaired_decomposition(dag):
    dag = graph.remove_shortcuts(dag)
    blocks = decompose(dag)
    ours = {(frozenset(blocks.nonsinks_of(b).tolist()), bool(blocks.bipartite[b])) for b in range(blocks.count)}
    theirs = {(part.nonsinks, part.bipartite) for part in plain_decompose(dag, repaired=True) if part.nonsinks}
    assert ours == theirs


@given(dags(10, known=False))
@settings(max_examples=250)
def test_every_edge_lies_in_one_block_and_the_parts_fit(dag):
    blocks = decompose(dag)
    assert (blocks.of >= 0).tolist() == (np.diff(dag.succ_ptr) > 0).tolist()
    assert blocks.of[dag.tails].tolist() == blocks.into[dag.heads].tolist()
    assert np.sort(blocks.nonsinks).tolist() == np.flatnonzero(blocks.of >= 0).tolist()
    assert int(blocks.edges.sum()) == dag.m
    lowest = [int(blocks.nonsinks_of(b)[0]) for b in range(blocks.count)]
    assert lowest == sorted(lowest)
    names = set(dag.names)
    for b in range(blocks.count):
        part, jobs = blocks.dag_of(b)
        assert part.m == blocks.edges[b]
        assert set(part.names) <= names
        expected = {(u, v) for u, v in zip(dag.tails.tolist(), dag.heads.tolist(), strict=True) if blocks.of[u] == b}
        assert set(zip(jobs[part.tails].tolist(), jobs[part.heads].tolist(), strict=True)) == expected
        if blocks.bipartite[b]:
            block = blocks.bipartite_of(b)
            sources, heads = blocks.nonsinks_of(b), blocks.heads_of(b)
            tails = np.repeat(np.arange(block.sources), np.diff(block.ptr))
            assert set(zip(sources[tails].tolist(), heads[block.idx].tolist(), strict=True)) == expected
            assert blocks.complete[b] == (len(expected) == len(sources) * len(heads))
        else:
            assert set(blocks.nonsinks_of(b).tolist()) & set(blocks.heads_of(b).tolist())


def test_known_decompositions():
    assert decompose(mesh(5)).count == 4
    butterflies = decompose(fft(3))
    assert butterflies.count == 12
    assert butterflies.complete.all()
    assert decompose(paper001("fig3-left")).count == 7
    assert decompose(Dag.from_edges(3)).count == 0
    assert decompose(Dag.from_edges(0)).count == 0


def test_a_block_that_is_not_bipartite_stays_whole():
    r"""1 feeds 2 and, through 3, its sibling in the block.

        0   1
         \ / \
          2   3
           \ /|
            4 5      and 0 -> 3 makes {0, 1} one class; 2, 3 another
    """
    dag = Dag.from_edges(6, [0, 1, 1, 2, 3, 3], [2, 2, 3, 4, 4, 5])
    assert decompose(dag).bipartite.all()
    errata = Dag.from_edges(6, [0, 0, 1, 1, 2, 2], [2, 3, 3, 5, 4, 5])  # loses an arc as printed
    blocks = decompose(errata)
    assert blocks.count == 1
    assert not blocks.bipartite[0]
