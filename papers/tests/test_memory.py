"""Paper 004 at the smallest scale: the chapter is complete, its numbers are right, and its checks can differ."""

from __future__ import annotations

import copy
import json
import math
import statistics

import numpy as np
import pytest

from eligo.dag import Dag, Data
from eligo.errors import EligoError, InfeasibleError
from eligo.memory._algorithm1 import worst_peak_by_algorithm1
from eligo.memory._limit import limit
from eligo.memory._models import footprint
from eligo.memory._worst_peak import worst_peak
from eligo_papers import memory
from eligo_papers.chapter import AGREES, DIFFERS, ERRATUM, UNEXPLAINED, Picture, Settings, Table
from eligo_papers.memory import pieces
from eligo_papers.memory.checks import table_1_checks, table_2_checks
from eligo_papers.memory.depth_first import ORDERS
from eligo_papers.memory.gallery import WORKFLOWS, workflow
from eligo_papers.memory.graphs import DAGGEN, SETS, daggen_dag, load, own_graphs
from eligo_papers.memory.literal import RULES, TIES, serialize
from eligo_papers.memory.pieces import records_of
from eligo_papers.memory.runs import METHODS, THEIRS, bound_of, check_limited, measure, peaks
from eligo_papers.memory.statistics import failures, live, measure_of, medians, quartiles, ratios
from papers.tests.doing import do
from tests.corpus import DATA, needs_shared

TINY = Settings("tiny")


@pytest.fixture(scope="module")
def found():
    return do(memory.steps(TINY))


@pytest.fixture(scope="module")
def chapter(found):
    return memory.chapter(found, TINY)


def tables(chapter):
    return {part.name: part for section in chapter.sections for part in section.parts if isinstance(part, Table)}


# ---- the chapter


def test_nothing_is_unexplained_and_the_errata_are_shown(chapter):
    assert chapter.count(UNEXPLAINED) == 0
    assert {one.where for one in chapter.checks if one.verdict == ERRATUM} == {
        "Theorem 1",
        "Theorem 1, proof",
        "Lemma 1",
        "Section 5.4",
    }
    assert {"Table 1", "Table 2", "Table 3", "Fig. 10", "Fig. 13", "Fig. 16"} <= {one.where for one in chapter.checks}
    assert chapter.count(AGREES) > 40


def test_steps_have_names_of_their_own_and_plain_arguments():
    for scale in ("tiny", "quick", "full"):
        steps = memory.steps(Settings(scale))
        assert len({step.name for step in steps}) == len(steps)
        assert all(json.loads(json.dumps(dict(step.arguments))) == dict(step.arguments) for step in steps)


def test_tables_have_their_rows(chapter):
    found = tables(chapter)
    for name in ("table-1", "table-2", "table-3"):
        assert [row[0] for row in found[name].rows] == list(SETS)
    assert len(found["critical-paths"].rows) == len(SETS) * len(THEIRS)
    assert len(found["ties"].rows) == len(DAGGEN) * len(RULES)
    assert len(found["orders"].rows) == len(DAGGEN) * (len(ORDERS) + 1)
    assert [row[0] for row in found["counting"].rows] == list(WORKFLOWS)
    for table in found.values():
        assert {len(row) for row in table.rows} == {len(table.header)}


def test_pictures_are_those_of_the_paper_and_can_be_drawn(chapter):
    pictures = [part for section in chapter.sections for part in section.parts if isinstance(part, Picture)]
    assert sorted(int(one.name.rsplit("-", 1)[1]) for one in pictures) == list(range(5, 19))
    for picture in (pictures[0], pictures[5], pictures[-1]):
        assert picture.draw().axes[0].get_title()


def test_checks_can_differ(found):
    records, _ = records_of(found, TINY)
    wrong = copy.deepcopy(records)
    for record in wrong["LIGO"]:
        record["high"] *= 2
    quick = Settings("quick")
    verdicts = {one.what: one.verdict for one in table_2_checks(wrong, quick)}
    assert verdicts["worst over depth-first peak of LIGO, median, up to 10 %"] == UNEXPLAINED
    for record in wrong["GENOME"]:
        record["bounds"][0]["methods"]["respect-order"] = None
    more = {one.what: one.verdict for one in table_1_checks(wrong, found, TINY)}
    assert more["failures of respect-order on GENOME"] == DIFFERS
    altered = copy.deepcopy(found)
    altered["limits on GENOME, part 1"]["graphs"][0]["algorithm1"] += 1
    assert any(one.verdict == UNEXPLAINED and one.where == "Theorem 6" for one in memory.chapter(altered, TINY).checks)


def test_without_a_solver_the_programs_are_left_out(found, monkeypatch):
    for module in (memory, pieces):
        monkeypatch.setattr(module, "solver_version", lambda: "")
    without = [step for step in memory.steps(TINY) if step.arguments.get("solver") == ""]
    assert {step.name.partition(" on ")[0] for step in without} == {"programs", "linear programs"}
    chapter = memory.chapter({**found, **do(without)}, TINY)
    assert any(
        part.startswith("Skipped") for section in chapter.sections for part in section.parts if isinstance(part, str)
    )
    assert not any(one.where in ("Table 1, ILP", "Section 5.2", "Theorem 5") for one in chapter.checks)
    assert "programs" not in tables(chapter)


# ---- the numbers


def test_what_is_measured_is_what_limit_does(found):
    record = found["limits on DAGGEN sparse, part 1"]["graphs"][-1]
    print_ = footprint(load(record["graph"]))
    low, high = peaks(print_)
    assert (record["low"], record["high"]) == (low, high)
    assert high == worst_peak_by_algorithm1(print_)[0]
    for bound in record["bounds"]:
        assert bound["limit"] == bound_of(low, high, bound["at"])
        for method in THEIRS:
            try:
                limited = limit(print_, bound["limit"], method=method)
            except InfeasibleError:
                assert bound["methods"][method] is None
            else:
                path, *_, edges = bound["methods"][method]
                assert (path, edges) == (pytest.approx(limited.critical_path_after), len(limited.tails))


def test_every_limited_dag_is_certified(found):
    some = [found[name] for name in found if name.startswith("limits on ")]
    done = [
        numbers
        for result in some
        for record in result["graphs"]
        for bound in record["bounds"]
        for numbers in bound["methods"].values()
        if numbers is not None
    ]
    assert sum(result["certified"] for result in some) == len(done) > 0


def test_a_dag_beyond_its_limit_is_not_certified():
    print_ = footprint(load(["DAGGEN sparse", 12]))
    worst = worst_peak(print_, trials=0)
    check_limited(worst, worst.bound)
    with pytest.raises(AssertionError, match="was taken for"):
        check_limited(worst, worst.bound - 1)


def test_statistics_against_a_plain_computation(found):
    records, _ = records_of(found, TINY)
    some = records["DAGGEN sparse"]
    path = measure_of(None)
    plain = {
        method: [
            record["bounds"][0]["methods"][method][0] / record["path"]
            if record["bounds"][0]["methods"][method]
            else math.inf
            for record in some
            if record["bounds"]
        ]
        for method in METHODS
    }
    for method in METHODS:
        assert ratios(some, method, 0.0, path) == plain[method]
        assert failures(some, method)[0.0] == sum(map(math.isinf, plain[method]))
        if not any(map(math.isinf, plain[method])):
            assert medians(some, method, path)[0.0] == pytest.approx(statistics.median(plain[method]))
    here = quartiles(record["high"] / record["low"] for record in live(some))
    assert here == pytest.approx(
        np.quantile([record["high"] / record["low"] for record in live(some)], (0.25, 0.5, 0.75))
    )


def test_graphs_whose_bounds_are_equal_are_left_out():
    alike = next(number for number in range(54) if len(set(peaks(footprint(daggen_dag(0.2, number))))) == 1)
    record = measure([["DAGGEN sparse", alike]], [0.0, 1.0])["graphs"][0]
    assert record["low"] == record["high"]
    assert not record["bounds"]
    assert not live([record])


@needs_shared
def test_with_data_the_chapter_has_them_too(found):
    settings = Settings("tiny", DATA)
    more = do(step for step in memory.steps(settings) if step.name not in found)
    chapter = memory.chapter({**found, **more}, settings)
    assert [row[0] for row in tables(chapter)["table-2"].rows][len(SETS) :] == list(own_graphs(DATA))
    assert chapter.count(UNEXPLAINED) == 0


# ---- Algorithm 2 to the letter


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("ties", TIES)
def test_algorithm_2_keeps_the_bound_or_is_stuck(rule, ties):
    for number in (2, 7, 12, 17):
        print_ = footprint(load(["DAGGEN sparse", number]))
        low, high = peaks(print_)
        for at in (0.0, 0.5, 1.0):
            most = bound_of(low, high, at)
            answer = serialize(print_, most, rule, ties)
            if answer.dag is None:
                assert at < 1
                continue
            assert worst_peak_by_algorithm1(print_.on(answer.dag))[0] <= most
            assert answer.edges == answer.dag.m - print_.dag.m
            assert (answer.edges == 0) == (at == 1)


def test_algorithm_2_takes_the_pair_that_its_rule_asks_for():
    """Two chains, s -> a -> c -> t and s -> b -> d -> t, the toy of Fig. 1: edges c -> b or d -> a are possible."""
    dag = Dag.from_names([("s", "a"), ("s", "b"), ("a", "c"), ("b", "d"), ("c", "t"), ("d", "t")])
    dag = dag.with_known(data=Data.per_edge(dag.tails, dag.heads, [1, 2, 5, 6, 3, 4]))

    def edges(of):
        return set(zip(of.tails.tolist(), of.heads.tolist(), strict=True))

    def added(rule, **times):
        print_ = footprint(dag.with_known(time_s=[times.get(name, 1) for name in dag.names]), "simple")
        (edge,) = edges(serialize(print_, 10, rule).dag) - edges(dag)
        return tuple(dag.names[job] for job in edge)

    assert added("min-levels", c=9) == ("c", "b")  # the path through c -> b leaves out c's own time
    assert added("min-levels", d=9) == ("d", "a")
    assert added("max-size") in {("c", "b"), ("d", "a")}


def test_algorithm_2_is_for_the_simple_model():
    shared = footprint(workflow("GENOME", 0), "files")
    with pytest.raises(EligoError, match="simple model"):
        serialize(shared, 10**12, "max-size")
    with pytest.raises(EligoError, match="no rule"):
        serialize(footprint(load(["DAGGEN dense", 2])), 10**12, "respect-order")
