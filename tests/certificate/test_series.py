"""Parts in series: every job of a part waits for all of the part before."""

from __future__ import annotations

import random

import numpy as np
import pytest

from eligo import generate, graph
from eligo.certificate import verify
from eligo.dag import Dag
from eligo.errors import CertificateError
from tests.certificate.makers import certified, exact_witness, is_ic_optimal
from tests.certificate.test_mutations import SMALLEST, in_series, serial

# a -> b -> c, d, then a job that waits for both: no blocks in a row, yet there is no choice before c and d.
#     0 - 1 < 2 > 4
#             3
NARROW = Dag.from_edges(5, [0, 1, 1, 2, 3], [1, 2, 3, 4, 4])
CONCAVE = {"by": "concave"}


def parts(*sizes: int, by: dict = CONCAVE) -> dict:
    return {"by": "series", "parts": [{"jobs": size, "witness": by} for size in sizes]}


def check(witness: dict, dag: Dag = NARROW, claim: str = "ic-optimal"):
    return verify(certified(dag, range(dag.n), claim, witness), dag)


@pytest.mark.parametrize("sizes", [(1, 1, 2, 1), (5,), (2, 3), (4, 1), (1, 4)])
def test_cuts_of_one_dag(sizes):
    ends = np.cumsum(sizes).tolist()
    own = [graph.induced_subdag(NARROW, range(end - size, end)) for size, end in zip(sizes, ends, strict=True)]
    check({"by": "series", "parts": [{"jobs": part.n, "witness": exact_witness(part)} for part in own]})


def test_jobs_alone_need_no_enumeration():
    check(parts(1, 1, 2, 1))


@pytest.mark.parametrize(
    ("witness", "reason"),
    [
        (parts(3, 2), "not every job of part 1 waits for all of part 0"),
        (parts(1, 1, 1, 2), "waits for all"),
        (parts(1, 1, 2), "the parts have 4 jobs, the dag has 5"),
        (parts(1, 1, 2, 1, 0), "jobs of part 4"),
        (parts(1, 1, 2, 10**17), "jobs of part 3"),
        (parts(1, 1, 2, True), "jobs of part 3"),
        (parts(), "must be a list of parts"),
        ({"by": "series", "parts": None}, "must be a list of parts"),
        ({"by": "series"}, "has no 'parts'"),
        ({"by": "series", "before": 0, "jobs": 5, "witness": CONCAVE}, "has no 'parts'"),
        (parts(1, 1, 2, 1, by={"by": "family", "family": "cycle"}), "part 0: "),
    ],
)
def test_what_is_wrong_is_said(witness, reason):
    with pytest.raises(CertificateError, match=reason):
        check(witness)


def test_a_part_that_has_no_best_order():
    dag = serial([generate.chain(2), serial([SMALLEST, generate.chain(2)])])
    witness = {"by": "series", "before": 2, "jobs": 6, "witness": {"by": "exact", "ideals": 8}}
    assert "jobs 2 to 7" in check(witness, dag, "no-ic-optimal").checks[-1]
    for wrong in ({"before": 1}, {"before": -1}, {"before": 10}, {"jobs": 7}, {"jobs": 0}, {"witness": CONCAVE}):
        with pytest.raises(CertificateError):
            check({**witness, **wrong}, dag, "no-ic-optimal")


def test_random_parts():
    rng, claims = random.Random(8), []
    for _ in range(300):
        dag, order, claim, witness = in_series(rng)
        verify(certified(dag, order, claim, witness), dag)
        assert is_ic_optimal(dag, order) == (claim == "ic-optimal")
        claims.append(claim)
    assert set(claims) == {"ic-optimal", "no-ic-optimal"}
