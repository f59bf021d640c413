"""Sweeps: a diagonal without YES means that no order is the best at every step."""

from __future__ import annotations

import random
from itertools import product

import numpy as np
import pytest

from eligo import generate, graph
from eligo.certificate import verify
from eligo.certificate._methods.check_sweep import _diagonal_without_yes
from eligo.certificate._subdag import Budget
from eligo.dag import Dag
from eligo.errors import CertificateError, InfeasibleError
from tests.certificate.makers import (
    admits,
    any_order,
    certified,
    exact_witness,
    random_dag,
    small_blocks,
    sweep_witness,
)

# The smallest dag without an IC-optimal order: one arc beside two jobs that both feed two others.
#     0    2 3
#     |    |X|
#     1    4 5
SMALLEST = Dag.from_edges(6, [0, 2, 2, 3, 3], [1, 4, 5, 4, 5])
ARC = {"jobs": [0], "witness": {"by": "concave"}}
CROSS = {"jobs": [2, 3], "witness": {"by": "family", "family": "complete"}}


def smallest(**changes) -> dict:
    return {"by": "sweep", "prefix": [], "parts": [ARC, CROSS], **changes}


def check(dag: Dag, witness: dict, order=None, budget: int = 10**9):
    return verify(certified(dag, dag.order.tolist() if order is None else order, "no-ic-optimal", witness), dag, budget)


def test_the_smallest():
    assert not admits(SMALLEST)
    verdict = check(SMALLEST, smallest(), order=range(6))
    assert verdict.checks[-1].endswith("parts 0 to 1: the diagonal of 2 non-sinks has no YES")
    assert verdict.summary == "no-ic-optimal: no order has the most ELIGIBLE jobs possible at every step"


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"parts": [ARC]}, "every diagonal of the sweep has a YES"),
        ({"parts": []}, "every diagonal of the sweep has a YES"),
        ({"parts": [ARC, {**CROSS, "jobs": [2]}]}, "not whole components: job 4"),
        ({"parts": [ARC, {**CROSS, "jobs": [2, 0]}]}, "twice"),
        ({"parts": [ARC, {**CROSS, "jobs": [2, 1]}]}, "components|no children"),
        ({"parts": [ARC, {**CROSS, "witness": {"by": "concave"}}]}, "part 1: not concave"),
        ({"parts": [{"jobs": [0, 2, 3], "witness": {"by": "exact", "ideals": 8}}]}, "part 0: after 2 non-sinks"),
        ({"prefix": [0]}, "not the only ELIGIBLE one"),
        ({"prefix": [1]}, "must be the first jobs"),
        ({"prefix": [-1]}, "prefix must be"),
        ({"prefix": None}, "must be a list"),
        ({"parts": None}, "must be a list"),
        ({"by": "composition"}, "unknown kind"),
        ({"by": "concave"}, "unknown kind"),
    ],
)
def test_what_is_wrong_is_said(changes, reason):
    with pytest.raises(CertificateError, match=reason):
        check(SMALLEST, smallest(**changes), order=range(6))


def test_prefix():
    """A chain of two, then one job that feeds all sources of the smallest, and is their only parent."""
    dag = Dag.from_edges(8, [6, 7, 7, 7, 0, 2, 2, 3, 3], [7, 0, 2, 3, 1, 4, 5, 4, 5])
    order = [6, 7, 0, 1, 2, 3, 4, 5]
    parts = [{**part, "jobs": [2 + job for job in part["jobs"]]} for part in (ARC, CROSS)]
    assert not admits(dag)
    check(dag, smallest(prefix=[0, 1], parts=parts), order)
    with pytest.raises(CertificateError, match="no children there"):
        check(dag, smallest(prefix=[0, 1], parts=[{**parts[0], "jobs": [1, 2]}, parts[1]]), order)
    with pytest.raises(CertificateError, match="components"):
        check(dag, smallest(prefix=[0], parts=parts), order)


def test_components_that_are_not_named():
    dag = graph.sum_of([SMALLEST, generate.mesh(4), Dag.from_edges(2)])
    assert "diagonal" in check(dag, smallest(), order=range(dag.n)).checks[-1]


def test_one_part_that_has_no_best_order():
    """Connected, with no IC-optimal order of its own; beside it what an enumeration could not pass."""
    bad = Dag.from_edges(7, [0, 0, 1, 2, 2, 3, 3], [3, 4, 4, 5, 6, 5, 6])
    dag = graph.sum_of([bad, *[generate.n_dag(20)] * 20])
    inner = [0, 1, 2, 3]
    witness = {"by": "part", "prefix": [], "jobs": inner, "witness": exact_witness(bad)}
    assert not admits(bad)
    verdict = check(dag, witness, order=range(dag.n))
    assert "a part of 7 jobs: enumeration: no order that is the best before non-sink" in verdict.checks[-1]
    with pytest.raises(CertificateError, match="components"):
        check(dag, {**witness, "jobs": [0, 1, 3]}, order=range(dag.n))
    with pytest.raises(InfeasibleError):
        check(dag, witness, order=range(dag.n), budget=100)
    for _ in range(40):
        witness = {"by": "part", "prefix": [], "jobs": inner, "witness": witness}
    with pytest.raises(CertificateError, match="nested more than"):
        check(bad, witness, order=range(bad.n))


def paths(a: list[int], b: list[int]) -> int | None:
    """The first diagonal that no path of largest sums reaches, by trying all paths."""
    largest: dict[int, int] = {}
    for x, y in product(range(len(a)), range(len(b))):
        largest[x + y] = max(largest.get(x + y, 0), a[x] + b[y])
    reached = {(0, 0)}
    for total in range(1, len(a) + len(b) - 1):
        steps = {(x + 1, y) for x, y in reached} | {(x, y + 1) for x, y in reached}
        reached = {(x, y) for x, y in steps if x < len(a) and y < len(b) and a[x] + b[y] == largest[total]}
        if not reached:
            return total
    return None


def test_diagonals():
    rng = random.Random(4)
    for _ in range(2000):
        a, b = (np.cumsum([0, *(rng.choice([0, 0, 1, 2, 3]) for _ in range(rng.randint(0, 6)))]) for _ in range(2))
        assert _diagonal_without_yes(a, b, Budget(10**7)) == paths(a.tolist(), b.tolist())


def test_random_sums():
    """The sweep over all components decides, wherever each component has a best order of its own."""
    rng, outcomes = random.Random(5), []
    for _ in range(300):
        parts = [rng.choice([*small_blocks(), random_dag(rng, 5)]) for _ in range(rng.randint(1, 3))]
        dag = graph.sum_of([part for part in parts if part.n <= 6])
        if not 0 < dag.n <= 13:
            continue
        if rng.random() < 0.3:
            top = Dag.from_edges(1 + dag.n, [0] * len(graph.sources(dag)), 1 + graph.sources(dag))
            dag = Dag.from_edges(
                dag.n + 1, [*top.tails.tolist(), *(1 + dag.tails)], [*top.heads.tolist(), *(1 + dag.heads)]
            )
        order = any_order(dag, rng)
        witness = sweep_witness(dag, order, rng)
        if witness is None:
            continue
        try:
            check(dag, witness, order)
            outcomes.append(False)
        except CertificateError as error:
            assert "every diagonal" in error.text
            outcomes.append(True)
        assert outcomes[-1] == admits(dag)
    assert outcomes.count(False) > 20
    assert outcomes.count(True) > 100
