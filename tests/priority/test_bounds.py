"""Bounds for every dag: never below the truth, and every one with a certificate that holds for any order."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eligo import Certificate, CertificateError, Schedule, generate, graph, verify
from eligo.dag import Dag
from eligo.priority._bounds import bound_of
from eligo.schedule import sinks_last
from tests.reference.ideals import best_profile
from tests.strategies import dags

BUDGETS = st.sampled_from([0, 3, 1000])


@given(dags(max_jobs=9, known=False), BUDGETS)
def test_no_execution_exceeds_the_bound_and_its_certificate_says_so(dag, budget):
    bound = bound_of(dag, budget)
    best = best_profile(dag, sources=True)
    assert (bound.profile >= best).all()
    for order in (dag.order, sinks_last(dag, dag.order)):
        schedule = Schedule.of(dag, order)
        stated = Certificate.of(schedule, "bound", bound.witness(schedule.order), area_bound=bound.area)
        assert verify(Certificate.from_json(stated.to_json()), dag).claim == "bound"
        if bound.area:
            lower = Certificate.of(schedule, "bound", bound.witness(schedule.order), area_bound=bound.area - 1)
            with pytest.raises(CertificateError, match=r"is claimed, the witness shows"):
                verify(lower, dag)


@given(dags(max_jobs=9, known=False))
def test_search_makes_it_the_truth(dag):
    assert bound_of(dag, 100_000).profile.tolist() == best_profile(dag, sources=True)


def test_parts_in_series_are_bounded_one_by_one():
    """A chain of 20, a fork of 40 and its join: loads alone would spread the fork's yield over the chain."""
    chain = [(f"c{i}", f"c{i + 1}") for i in range(19)]
    dag = Dag.from_names([*chain, *(("c19", f"f{i}") for i in range(40)), *((f"f{i}", "end") for i in range(40))])
    assert bound_of(dag, 0).profile.tolist() == [1] * 20 + [*range(40, 0, -1), 1, 0]


def test_components_are_bounded_one_by_one():
    r"""Cliques of 5 yield nothing before the fifth step; loads alone allow one a step."""
    cliques = graph.sum_of([generate.clique_dag(5)] * 3)
    by_parts = bound_of(cliques, 40).profile - np.arange(15, -16, -1)[:31]
    assert by_parts[:6].tolist() == [0, 0, 0, 0, 0, 5]


def test_jobs_without_edges_and_none_at_all():
    assert bound_of(Dag.from_edges(3), 0).profile.tolist() == [3, 2, 1, 0]
    assert bound_of(Dag.from_edges(0), 0).profile.tolist() == [0]


@pytest.mark.parametrize("jobs", [60, 600])
def test_certificates_of_larger_dags_hold(jobs):
    dag = graph.remove_shortcuts(generate.daggen(jobs, seed=2))
    bound = bound_of(dag, 1000)
    schedule = Schedule.of(dag, sinks_last(dag, dag.order))
    certificate = Certificate.of(schedule, "bound", bound.witness(schedule.order), area_bound=bound.area)
    assert str(bound.area)[:-3] in verify(certificate, dag).checks[-1].replace(",", "")


def test_parts_within_parts_within_parts_stay_within_what_a_checker_takes():
    """A hard core under forty levels of "a source above the rest beside four jobs"."""
    core = generate.uniform(40, probability=0.1, seed=1)
    edges = [(f"x{u}", f"x{v}") for u, v in zip(core.tails.tolist(), core.heads.tolist(), strict=True)]
    tops = [f"x{job}" for job in graph.sources(core)]
    for level in range(40):
        names = [f"{level}{letter}" for letter in "abcd"]
        edges += [(names[0], names[2]), (names[1], names[2]), (names[1], names[3])]
        edges += [(f"top{level}", job) for job in (*tops, names[0], names[1])]
        tops = [f"top{level}"]
    dag = Dag.from_names(edges)
    bound = bound_of(dag, 10)
    schedule = Schedule.of(dag, sinks_last(dag, dag.order))
    verify(Certificate.of(schedule, "bound", bound.witness(schedule.order), area_bound=bound.area), dag)


def test_many_jobs_without_edges_cost_no_more_than_few():
    dag = Dag.from_edges(500_000, range(0, 1000, 2), range(1, 1000, 2))
    assert bound_of(dag, 0).profile[0] == 500_000 - 500
