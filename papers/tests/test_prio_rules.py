"""Section 3.1 of paper 002 to the letter, on dags that can be followed by hand, and the components of workflows."""

from __future__ import annotations

import json
from fractions import Fraction
from random import Random

import pytest

import eligo
from eligo import graph
from eligo.priority._strategies.prio import parts_2006
from eligo_papers.chapter import AGREES, ERRATUM, UNEXPLAINED, Settings
from eligo_papers.enumeration import Ideals
from eligo_papers.prio import rules
from eligo_papers.prio.as_printed import cut, linear_order
from eligo_papers.prio.blocks import component_facts
from eligo_papers.prio.rules import LINEAR, OUTDEGREE, VALID, read_dag, rules_section, rules_steps, try_rules
from eligo_papers.random_dags import random_dag
from papers.tests.doing import do


@pytest.fixture(scope="module")
def found():
    return do(rules_steps(Settings("tiny")))


def test_components_in_priority_order_do_not_make_a_dag_optimal():
    dag = read_dag(LINEAR)
    told = cut(dag)
    assert [one.jobs for one in told.components] == [[0, 1, 2, 3, 5, 6, 7], [4]]
    assert told.lost == [(3, 4)]
    assert linear_order(told) is not None
    assert [one.ideals.count(one.ideals.optimal) for one in told.components] == [12, 1]
    assert not Ideals(dag).admits


def test_a_job_is_executed_before_its_parent():
    told = cut(read_dag(VALID))
    assert [one.jobs for one in told.components] == [[0, 1, 2, 3, 5], [4, 6, 7]]
    assert (told.arcs, told.lost) == (set(), [(2, 4)])
    assert told.kept(1, 0) == 1 > told.kept(0, 1) == Fraction(3, 4)  # so that no tie decides
    assert told.schedule() == [4, 0, 1, 2, 3, 5, 6, 7]


def test_the_order_of_outdegree_is_none_of_the_dag():
    told = cut(read_dag(OUTDEGREE))
    assert [one.jobs for one in told.components] == [[0, 1, 2, 3, 4, 5, 6]]
    assert not told.components[0].outdegree_is_an_order
    assert told.schedule()[:4] == [2, 0, 1, 3]  # among ELIGIBLE jobs
    assert cut(read_dag("0→2,3; 1→3,4; 2→4,5")).components[0].outdegree_is_an_order


def test_merged_nodes_make_the_superdag():
    told = cut(read_dag("0→1,2; 1,2→3; 3→4"))
    assert [one.jobs for one in told.components] == [[0, 1, 2], [1, 2, 3], [3, 4]]
    assert (told.arcs, told.lost) == ({(0, 1), (1, 2)}, [])
    assert told.schedule() == [0, 1, 2, 3, 4]


def test_what_succeeds_by_theory():
    assert cut(read_dag("0→1,2; 1,2→3")).theory_succeeds
    assert not cut(read_dag("0,1→2; 2→3,4")).theory_succeeds  # the join has no priority over the fork behind it
    assert linear_order(cut(read_dag("0,1→2; 2→3,4"))) is None
    assert not cut(read_dag(LINEAR)).theory_succeeds  # not bipartite


def test_parts_are_those_of_the_fast_implementation():
    random = Random(5)
    lost = 0
    for _ in range(300):
        dag = graph.remove_shortcuts(random_dag(random, 12))
        of, into, count = parts_2006(dag)
        told = cut(dag)
        parts = {frozenset(one.jobs) for one in told.components if one.nonsinks}
        assert parts == {
            frozenset(job for job in range(dag.n) if part in (of[job], into[job])) for part in range(count)
        }
        edges = zip(dag.tails.tolist(), dag.heads.tolist(), strict=True)
        assert told.lost == [(u, v) for u, v in edges if of[u] != into[v]]
        lost += len(told.lost)
    assert lost > 5


def test_three_statements_are_false_and_two_are_not(found):
    _, checks = rules_section(found)
    assert [one.verdict for one in checks] == [AGREES, AGREES, ERRATUM, ERRATUM, ERRATUM]
    linear, valid, outdegree = (one.why for one in checks[2:])
    assert "{0, 1, 2, 3, 5, 6, 7} and {4}" in linear
    assert "12 IC-optimal schedules" in linear
    assert "4 is executed before its parent 2" in valid
    assert "Job 3, of outdegree 2, precedes its parent 1" in outdegree


def test_a_statement_that_fails_is_not_said_to_hold(found):
    counts = found["rules, random dags"]
    worse = {name: [good - 1, total] for name, (good, total) in counts.items()}
    _, checks = rules_section(found | {"rules, random dags": worse})
    assert [one.verdict for one in checks] == [UNEXPLAINED, UNEXPLAINED, ERRATUM, ERRATUM, ERRATUM]


def test_random_dags_fail_too():
    counts = try_rules(3_000, rules._SEED, 12)
    assert json.loads(json.dumps(counts)) == counts
    fails = {name: total - good for name, (good, total) in counts.items()}
    assert fails["disjoint"] == fails["graceful"] == fails["linear, none lost"] == 0
    assert min(fails["valid"], fails["outdegree"], fails["linear, edges lost"]) > 0
    assert counts["graceful"][1] > 1_000


def test_a_block_that_is_not_bipartite_counts_each_job_once():
    r"""
    0     1
    | \  / \
    2   3   |
    | \     |
    4   '-- 5
    """
    dag = eligo.Dag.from_edges(6, [0, 0, 1, 1, 2, 2], [2, 3, 3, 5, 4, 5])
    assert component_facts(dag) == {"bipartite": [0, 0, 0], "other": 6, "within": 0, "count": [0, 1]}
    behind = eligo.Dag.from_edges(8, [0, 0, 1, 1, 2, 2, 4, 6], [2, 3, 3, 5, 4, 5, 6, 7])
    assert component_facts(behind) == {"bipartite": [0, 0, 0], "other": 6, "within": 2, "count": [2, 3]}


def test_forks_and_joins_are_not_the_largest_component():
    fork, join, both = [(0, 1), (0, 2), (0, 3)], [(4, 7), (5, 7), (6, 7)], [(8, 10), (9, 10), (9, 11)]
    edges = [*fork, *join, *both]
    dag = eligo.Dag.from_edges(12, [u for u, _ in edges], [v for _, v in edges])
    assert component_facts(dag)["bipartite"] == [4, 1, 2]
    assert component_facts(eligo.Dag.from_edges(4, [0, 0, 0], [1, 2, 3]))["bipartite"] == [0, 0, 0]
