"""Compositions: those that hold are accepted, and each condition of the theorem is needed."""

from __future__ import annotations

import random

import numpy as np
import pytest

from eligo import generate, graph
from eligo.certificate import Certificate, verify
from eligo.certificate._checker import MOST_NESTED
from eligo.dag import Dag
from eligo.errors import CertificateError, InfeasibleError
from eligo.schedule import Schedule
from tests.certificate.makers import (
    best_order,
    best_sum,
    block_dag,
    certified,
    composition_witness,
    e_of,
    exact_witness,
    finest_blocks,
    is_ic_optimal,
    random_composition,
    random_dag,
)
from tests.reference.ideals import best_profile


def test_compositions_of_random_blocks():
    """Accepted where, and only where, the bound of the blocks is the truth."""
    rng, accepted = random.Random(2), 0
    for _ in range(200):
        dag, blocks = random_composition(rng)
        order = best_order(dag, rng)
        witness = None if order is None else composition_witness(dag, order, blocks, rng)
        if witness is None:
            continue
        try:
            verify(certified(dag, order, "ic-optimal", witness), dag)
            accepted += 1
        except CertificateError as error:
            assert "allows" in error.text
            assert bound_of(dag, blocks) != best_profile(dag, sources=True)
    assert accepted > 100


def bound_of(dag: Dag, blocks: list[list[int]]) -> list[int]:
    total = [0]
    for block in blocks:
        total = best_sum(total, e_of(block_dag(dag, block)))
    first = len(graph.sources(dag))
    return [first - t + total[min(t, len(total) - 1)] for t in range(dag.n + 1)]


def test_finest_blocks_of_random_dags():
    rng, accepted = random.Random(3), 0
    for _ in range(200):
        dag = random_dag(rng)
        order = best_order(dag, rng)
        witness = None if order is None else composition_witness(dag, order, finest_blocks(dag), rng)
        if witness is None:
            continue
        try:
            verify(certified(dag, order, "ic-optimal", witness), dag)
            accepted += 1
        except CertificateError:
            assert bound_of(dag, finest_blocks(dag)) != best_profile(dag, sources=True)
    assert accepted > 100


#       0
#      / \      a fork over a join: 0 | 1, 2
#     1   2
#      \ /
#       3
DIAMOND = Dag.from_edges(4, [0, 0, 1, 2], [1, 2, 3, 3])
FORK = {"jobs": [0], "witness": {"by": "concave"}}
JOIN = {"jobs": [1, 2], "witness": {"by": "family", "family": "complete"}}


def diamond(**changes) -> dict:
    return {"by": "composition", "dropped": [], "blocks": [FORK, JOIN], "groups": [[0], [1]], **changes}


def check(dag: Dag, witness: dict, order=None, budget: int = 10**9):
    return verify(certified(dag, list(range(dag.n)) if order is None else order, "ic-optimal", witness), dag, budget)


def test_a_diamond():
    assert check(DIAMOND, diamond()).checks[-1] == (
        "the order is the best at every step, by composition of different parts: 1 x concave, 1 x family"
    )


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"groups": [[1], [0]]}, "group 0 has no priority over group 1"),
        ({"groups": [[0]]}, "a block is in no group"),
        ({"groups": [[0], [1], []]}, "a group has no blocks"),
        ({"groups": [[0], [1, 0]]}, "twice"),
        ({"groups": [[0], [2]]}, "from 0 to 1, not 2"),
        ({"groups": [[0], [True]]}, "whole numbers"),
        ({"groups": [0, 1]}, "list of lists"),
        ({"blocks": [FORK]}, "job 1 has children but is in no block"),
        ({"blocks": [FORK, {**JOIN, "jobs": []}]}, "block 1 must list some jobs"),
        ({"blocks": [FORK, {**JOIN, "jobs": [1, 2, 3]}]}, "lists job 3, which has no children"),
        ({"blocks": [FORK, {**JOIN, "jobs": [1, 1]}]}, "twice"),
        ({"blocks": [FORK, {**JOIN, "jobs": [1, -1]}]}, "from 0 to 3"),
        ({"blocks": [FORK, {**JOIN, "jobs": [1, 2.0]}]}, "no place for 2.0"),
        ({"blocks": [FORK, {**JOIN, "jobs": {"1": 2}}]}, "must list some jobs"),
        ({"blocks": [FORK, {"jobs": [1, 2]}]}, "block 1 has no 'witness'"),
        ({"blocks": [FORK, {**JOIN, "more": 1}]}, "unknown key"),
        ({"blocks": [FORK, {**JOIN, "witness": {"by": "sweep"}}]}, "block 1: unknown kind of witness 'sweep'"),
        ({"blocks": [FORK, {**JOIN, "witness": None}]}, "block 1: unknown kind of witness None"),
        ({"blocks": [FORK, {"jobs": [1], "witness": {"by": "concave"}}, {"jobs": [2], "witness": {"by": "concave"}}],
          "groups": [[0], [1], [2]]}, "job 3 has parents in two blocks"),
        ({"blocks": {}}, "must be a list"),
        ({"dropped": [[0, 3]]}, "does not exist"),
        ({"dropped": [[0, 1], [0, 1]]}, "twice"),
        ({"dropped": [0, 1]}, "list of pairs"),
        ({"dropped": [[0, 1, 2]]}, "list of pairs"),
        ({"dropped": None}, "must be a list"),
        ({"dropped": [[10**30, 1]]}, "64 bits"),
        ({"dropped": [[10**18, 1]]}, "from 0 to 3"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said(changes, reason):
    with pytest.raises(CertificateError, match=reason):
        check(DIAMOND, diamond(**changes))


def test_a_shortcut_may_be_dropped():
    dag = Dag.from_edges(4, [0, 0, 1, 2, 0], [1, 2, 3, 3, 3])
    with pytest.raises(CertificateError, match="job 3 has parents in two blocks"):
        check(dag, diamond())
    check(dag, diamond(dropped=[[0, 3]]))


def test_a_job_within_a_block():
    """One block that is not bipartite: 0 -> 1 -> 3, 0 -> 2, 4 -> 3."""
    dag = Dag.from_edges(5, [0, 0, 1, 4], [1, 2, 3, 3])
    order = best_order(dag, random.Random(0), sinks_last=True)
    place = np.argsort(order).tolist()
    rows = sorted(place[job] for job in (0, 1, 4))
    whole = {"jobs": rows, "witness": exact_witness(dag)}
    check(dag, diamond(blocks=[whole], groups=[[0]]), order)
    swapped = [place[1], place[0], place[4]]
    with pytest.raises(CertificateError, match="cannot be executed"):
        check(dag, diamond(blocks=[{**whole, "jobs": swapped}], groups=[[0]]), order)


def test_isolated_jobs_need_no_block():
    dag = graph.sum_of([Dag.from_edges(2), DIAMOND])
    order = [2, 3, 4, 0, 5, 1]
    blocks = [{"jobs": [0], "witness": {"by": "concave"}}, {"jobs": [1, 2], "witness": {"by": "bipartite-tree"}}]
    assert is_ic_optimal(dag, order)
    check(dag, diamond(blocks=blocks), order)


def test_a_dag_without_arcs():
    check(Dag.from_edges(3), diamond(blocks=[], groups=[]))
    check(Dag.from_edges(0), diamond(blocks=[], groups=[]))


def test_blocks_that_are_compositions():
    """Two diamonds in a row: each a block with blocks of its own."""
    dag = generate.compose(DIAMOND, DIAMOND, [(3, 0)])
    assert is_ic_optimal(dag, range(7))
    second = diamond()
    blocks = [{"jobs": [0, 1, 2], "witness": diamond()}, {"jobs": [3, 4, 5], "witness": second}]
    with pytest.raises(CertificateError, match="group 0 has no priority over group 1"):
        check(dag, diamond(blocks=blocks))
    # In one group their best is 0 2 4 4 5 5 6, which no order attains: the second cannot begin before the first ends.
    with pytest.raises(CertificateError, match="allows"):
        check(dag, diamond(blocks=blocks, groups=[[0, 1]]))
    tower = generate.compose(generate.tree(2, 2, expansion=True), Dag.from_edges(3, [0, 0], [1, 2]), [(3, 0)])
    halves = [{"jobs": [0, 1, 2], "witness": diamond(blocks=[FORK, *({"jobs": [j], "witness": {"by": "concave"}}
              for j in (1, 2))], groups=[[0], [1], [2]])}, {"jobs": [3], "witness": {"by": "concave"}}]  # fmt: skip
    check(tower, diamond(blocks=halves))


def nested(depth: int) -> dict:
    witness: dict = {"by": "concave"}
    for _ in range(depth):
        witness = {"by": "composition", "dropped": [], "blocks": [{"jobs": [0], "witness": witness}], "groups": [[0]]}
    return witness


def test_nesting_is_bounded():
    fork = Dag.from_edges(3, [0, 0], [1, 2])
    check(fork, nested(MOST_NESTED))
    with pytest.raises(CertificateError, match="nested more than"):
        check(fork, nested(MOST_NESTED + 1))
    with pytest.raises(CertificateError, match="nested too deeply"):
        check(fork, nested(5000))


def test_budget():
    dag = generate.strand("T", [3, 4, 3, 2, 5, 3, 2, 2])
    order = best_order(dag, random.Random(1), sinks_last=True)
    inner = sum(len(dag.children(job)) > 0 for job in range(dag.n))
    block = {"jobs": list(range(inner)), "witness": {"by": "bipartite-tree"}}
    check(dag, diamond(blocks=[block], groups=[[0]]), order, budget=10**4)
    with pytest.raises(InfeasibleError):
        check(dag, diamond(blocks=[block], groups=[[0]]), order, budget=50)


def test_arcs_dropped_inside_a_block_do_not_hide_what_they_rendered():
    """Without its arc the job at its head is a source of the block; the bound must still count it as rendered."""
    edge = Dag.from_edges(2, [0], [1])
    inner = {"by": "composition", "dropped": [[0, 1]], "blocks": [], "groups": []}
    witness = {"by": "composition", "dropped": [], "blocks": [{"jobs": [0], "witness": inner}], "groups": [[0]]}
    for area_bound, right in ((0, False), (1, False), (2, True)):
        certificate = Certificate.of(Schedule.of(edge, [0, 1]), "bound", witness, area_bound=area_bound)
        if right:
            verify(certificate, edge)
        else:
            with pytest.raises(CertificateError, match="the witness shows 2"):
                verify(certificate, edge)
