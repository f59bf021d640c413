"""Bundling ideals gives the same best as looking at each, in whatever sequence the non-sinks are decided."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eligo import Dag
from eligo.certificate import Certificate, verify
from eligo.certificate._methods.check_exact import largest_yields
from eligo.certificate._subdag import Budget, Piece
from eligo.errors import CertificateError, InfeasibleError
from eligo.generate import mesh, strand
from eligo.schedule import Schedule
from tests.guards import no_hang
from tests.reference.ideals import best_profile, has_ic_optimal_schedule
from tests.strategies import dags


@st.composite
def pieces(draw: st.DrawFn) -> tuple[Dag, Piece, list[int]]:
    """A dag whose numbers are an order of execution, and a sequence of its non-sinks, parents first."""
    dag = draw(dags(9, known=False))
    place = np.argsort(dag.order)
    dag = Dag.from_edges(dag.n, place[dag.tails], place[dag.heads])
    left = [job for job in range(dag.n) if len(dag.children(job))]
    sequence: list[int] = []
    while left:
        ready = [job for job in left if not set(dag.parents(job).tolist()) & set(left)]
        sequence.append(draw(st.sampled_from(ready)))
        left.remove(sequence[-1])
    return dag, Piece.of(dag.n, dag.tails.astype(np.int64), dag.heads.astype(np.int64)), sequence


@given(pieces())
@settings(max_examples=300)
def test_the_best_is_that_of_all_ideals(case):
    dag, piece, sequence = case
    best = largest_yields(piece, np.array(sequence, np.int64), Budget(10**9))
    assert piece.limit(best).tolist() == best_profile(dag, sources=True)


@given(pieces())
@settings(max_examples=200)
def test_claims_are_accepted_exactly_if_true(case):
    dag, _, sequence = case
    schedule = Schedule.of(dag, np.arange(dag.n))
    witness = {"by": "frontier", "sequence": sequence}
    for claim, holds in (
        ("ic-optimal", schedule.profile.tolist() == best_profile(dag, sources=True)),
        ("no-ic-optimal", not has_ic_optimal_schedule(dag, sources=True)),
    ):
        certificate = Certificate.of(schedule, claim, witness)
        if holds:
            verify(certificate, dag)
        else:
            with pytest.raises(CertificateError):
                verify(certificate, dag)


@pytest.mark.parametrize("sequence", [[0], [0, 0], [0, 1, 2], [1, 0], [0, True], "01", None, [0, 5]])
def test_bad_sequences_are_refused(sequence):
    chain = Dag.from_edges(3, [0, 1], [1, 2])
    certificate = Certificate.of(Schedule.of(chain, [0, 1, 2]), "ic-optimal", {"by": "frontier", "sequence": [0, 1]})
    verify(certificate, chain)
    wrong = {"by": "frontier", "sequence": sequence}
    with pytest.raises(CertificateError):
        verify(Certificate.of(Schedule.of(chain, [0, 1, 2]), "ic-optimal", wrong), chain)


def test_the_budget_bounds_what_is_kept_before_the_first_state():
    dag = strand("M", [2] * 100_000)
    jobs = np.flatnonzero(np.diff(dag.succ_ptr)).tolist()
    certificate = Certificate.of(Schedule.of(dag, dag.order), "ic-optimal", {"by": "frontier", "sequence": jobs})
    with no_hang(), pytest.raises(InfeasibleError, match="would take more"):
        verify(certificate, dag)


def test_the_budget_bounds_the_states():
    dag = mesh(30)
    across = list(range(dag.n - 1))
    certificate = Certificate.of(Schedule.of(dag, dag.order), "ic-optimal", {"by": "frontier", "sequence": across})
    with pytest.raises(InfeasibleError):
        verify(certificate, dag, budget=10**7)


def test_the_budget_bounds_the_best_ideals_that_are_followed():
    """Of 30 arcs side by side every ideal is the best: e_max takes few states, following all ideals would take 2^30."""
    arcs = Dag.from_edges(60, np.arange(30), np.arange(30, 60))
    witness = {"by": "frontier", "sequence": list(range(30))}
    certificate = Certificate.of(Schedule.of(arcs, range(60)), "no-ic-optimal", witness)
    with no_hang(20), pytest.raises(InfeasibleError, match="following the best ideals"):
        verify(certificate, arcs, 10**9)
