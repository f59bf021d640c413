"""Captions: what a figure shows stands below it in words, with the numbers that counting gives."""

from __future__ import annotations

import re
from math import isnan

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import eligo
from eligo import generate
from eligo.dag import Dag, Data
from eligo.memory._limit import limit
from eligo.memory._models import footprint
from eligo.priority._prioritize import STRATEGIES
from eligo.report._page.findings import Findings, Wish, find
from eligo.report._page.page_text import captions
from eligo.simulation._ratios import Summary
from eligo.simulation._sweep_results import About, Point, Results
from tests.memory.footprints import random_footprint
from tests.reference.graphs import longest_path
from tests.reference.ideals import eligible
from tests.reference.memory_states import occupied, sequential_peak, true_worst_peak
from tests.strategies import dags

SEEDS = st.integers(0, 2**32 - 1)
FORK = Dag.from_names([("a", "b"), ("a", "c")])


def profile(dag: Dag, order: list[int]) -> list[int]:
    ideal, counts = 0, [eligible(dag, 0, sources=True)]
    for job in order:
        ideal |= 1 << job
        counts.append(eligible(dag, ideal, sources=True))
    return counts


def jobs(count: int) -> str:
    return f"{count} job{'s' * (count != 1)}"


def pebbles(count: int) -> str:
    return f"{count} pebble{'s' * (count != 1)}"


def edges_of(dag: Dag) -> set[tuple[int, int]]:
    return set(zip(dag.tails.tolist(), dag.heads.tolist(), strict=True))


@settings(max_examples=60)
@given(dags(8, known=False), st.sampled_from(STRATEGIES), st.sampled_from(STRATEGIES))
def test_profiles(dag: Dag, one: str, other: str) -> None:
    """How much the first is ahead of the others or behind, where at most, and at how many steps."""
    found = find(dag, Wish([one, other]))
    text = captions(found)["profile"]
    first, *others = (profile(dag, strategy.schedule.order.tolist()) for strategy in found.strategies)
    assert text.startswith(f"{found.strategies[0].label} has at most {jobs(max(first))} ELIGIBLE at once")
    assert text.endswith(". No order exceeds the bound.")
    if not others:
        assert ";" not in text
        return
    label, second = found.strategies[1].label, others[0]
    if first == second:
        assert f"; with {label} it is the same at every step." in text
        return
    assert f"; against {label} ({max(second)} at most) it is " in text
    for word, ahead in (
        ("ahead", [a - b for a, b in zip(first, second, strict=True)]),
        ("behind", [b - a for a, b in zip(first, second, strict=True)]),
    ):
        steps = [step for step, by in enumerate(ahead) if by > 0]
        most = f"by up to {jobs(max(ahead))} (after {ahead.index(max(ahead))})"
        expected = f"{word} at {len(steps)} of {dag.n + 1} steps, {most}"
        assert (expected in text) == bool(steps) == (word in text)


def test_three_strategies_are_two_comparisons() -> None:
    text = captions(find(FORK, Wish(["best", "fifo", "lifo"])))["profile"]
    assert text == (
        "best (prio) has at most 2 jobs ELIGIBLE at once; with fifo it is the same at every step; with lifo it is the "
        "same at every step. No order exceeds the bound."
    )


@settings(max_examples=60)
@given(dags(7), st.integers(1, 4))
def test_workers(dag: Dag, workers: int) -> None:
    """How long each strategy takes, and which part of all workers' time is spent on jobs."""
    found = find(dag, Wish(workers=workers))
    text = captions(found)["workers"]
    if not dag.n:
        assert text == ""
        return
    times = [] if dag.time_s is None else [time for time in dag.time_s.tolist() if not isnan(time)]
    assert text.startswith(f"On {workers} worker{'s' * (workers != 1)}, where ")
    assert ("jobs take the times that are known" in text) == (sum(times) > 0)
    assert ("no times are known and each job takes 1" in text) == (not sum(times))
    unknown = dag.n - len(times) if sum(times) else 0
    assert (f" ({jobs(unknown)} without a time: the mean of the others): " in text) == (unknown > 0)
    for strategy in found.strategies:
        trace = strategy.trace
        said = re.search(
            rf"{re.escape(strategy.label)} takes ([\d,.e+-]+) (s|job times?)(?: \([\d.,]+ [hd]\))?, with workers "
            r"busy for (under )?([\d.]+) % of it",
            text,
        )
        assert said is not None
        takes = max(trace.end_s.tolist())
        spent = sum(end - start for start, end in zip(trace.start_s.tolist(), trace.end_s.tolist(), strict=True))
        assert float(said[1].replace(",", "")) == pytest.approx(takes, rel=1e-5, abs=0.5 if takes >= 7200 else 1e-9)
        assert (said[2] == "s") == (sum(times) > 0)
        if not said[3]:
            assert float(said[4]) == pytest.approx(100 * spent / (takes * workers), abs=0.06)


def test_times_that_are_all_nothing() -> None:
    dag = FORK.with_known(time_s=[0, 0, 0])
    text = captions(find(dag, Wish(workers=2)))["workers"]
    assert text.startswith(
        "On 2 workers, where no times are known and each job takes 1: best (prio) takes 2 job times, "
    )


def test_one_job_time() -> None:
    text = captions(find(Dag.from_edges(1), Wish(["fifo"], workers=1)))["workers"]
    assert text == (
        "On 1 worker, where no times are known and each job takes 1: fifo takes 1 job time, with workers busy for "
        "100.0 % of it."
    )


@settings(max_examples=60)
@given(dags(6, known=False))
def test_the_worst_peak_is_named(dag: Dag) -> None:
    """Who runs when most is occupied; the first three by name."""
    print_ = footprint(dag, "pebble")
    found = find(dag, Wish(curve=0), footprint=print_)
    text = captions(found)["dag"]
    assert text.startswith("The jobs in rows, each below those it waits for.")
    assert found.memory is not None
    worst = found.memory.analysis.worst
    running = [job for job in range(dag.n) if worst.started[job] and not worst.ended[job]]
    if not running:
        assert "run at once" not in text
        return
    started = frozenset(job for job in range(dag.n) if worst.started[job])
    peak = occupied(print_, started, started - set(running))
    assert peak <= true_worst_peak(print_)
    run = "runs" if len(running) == 1 else "run"
    more = f" and {len(running) - 3} more" if len(running) > 3 else ""
    names = ", ".join(dag.names[job] for job in running[:3])
    assert f" At the worst peak of {pebbles(peak)} {jobs(len(running))} {run} at once ({names}{more}): " in text


@settings(max_examples=60)
@given(SEEDS, st.sampled_from([("best", "fifo"), ("random",), ("best", "lifo", "critical-path")]))
def test_peaks_along_orders(seed: int, names: tuple[str, ...]) -> None:
    print_ = footprint(random_footprint(seed).dag, "pebble")
    found = find(print_.dag, Wish(names, curve=0), footprint=print_)
    peaks = [
        f"{strategy.label} {pebbles(sequential_peak(print_, strategy.schedule.order.tolist()))}"
        for strategy in found.strategies
    ]
    worst = pebbles(eligo.worst_peak(print_).bound)
    expected = f"One job at a time, the peaks are: {', '.join(peaks)}. No execution exceeds {worst}."
    assert captions(found)["memory"] == expected


def limited(most: int) -> Findings:
    print_ = footprint(generate.mesh(3), "pebble")
    kept = limit(print_, most)
    return find(kept.dag, Wish(), plain=print_.dag, footprint=print_, limited=kept)


@pytest.mark.parametrize("most", [4, 5, 6, 100])
def test_what_a_limit_added(most: int) -> None:
    found = limited(most)
    added = len(edges_of(found.dag) - edges_of(found.plain))
    texts = captions(found)
    words = f" {added} dependenc{'y' if added == 1 else 'ies'} of a limit: dashed and green."
    assert (words in texts["dag"]) == (added > 0) == ("dashed" in texts["dag"])
    worst = eligo.worst_peak(limit(footprint(found.plain, "pebble"), most).footprint).bound
    assert texts["memory"].endswith(f"No execution exceeds {pebbles(worst)}; the limit is {pebbles(most)}.")


def test_what_limits_cost() -> None:
    """The smallest limit that was tried, and the worst peak, with the longest chain that each leads to."""
    dag = Dag.from_names([("a", "b"), ("c", "d"), ("e", "f")])
    print_ = footprint(dag.with_known(data=Data.per_edge(dag.tails, dag.heads, [5, 6, 7])))
    found = find(print_.dag, Wish(curve=2), footprint=print_)
    longest = [int(longest_path(6, edges_of(one), [1.0] * 6)) for one in (limit(print_, 7).dag, limit(print_, 18).dag)]
    assert longest == [6, 2]
    assert captions(found)["limits"] == (
        "A limit of 7 B makes the longest chain 6 jobs (+200.0 %); with the worst peak of 18 B as the limit it stays "
        "2 jobs."
    )
    seconds = print_.dag.with_known(time_s=[2] * 6)
    text = captions(find(seconds, Wish(curve=2), footprint=footprint(seconds)))["limits"]
    assert "makes the longest chain 12 s (+200.0 %); " in text
    assert text.endswith("it stays 4 s.")


def test_the_worst_peak_while_nothing_runs() -> None:
    """In the simple model jobs take no time: there is only what is held between them."""
    dag = Dag.from_names([("a", "b"), ("c", "d")])
    print_ = footprint(dag.with_known(data=Data.per_edge(dag.tails, dag.heads, [5, 7])), "simple")
    text = captions(find(print_.dag, Wish(curve=0), footprint=print_))["dag"]
    assert text.endswith(" A dot marks the jobs that made what is held when the worst peak of 12 B is reached.")


def test_a_curve_of_one_point_is_no_figure() -> None:
    dag = Dag.from_edges(1)
    texts = captions(find(dag, Wish(), footprint=footprint(dag, "pebble")))
    assert set(texts) == {"dag", "profile", "workers", "memory"}


def test_figures_are_those_there_are() -> None:
    assert set(captions(find(FORK, Wish()))) == {"dag", "profile", "workers"}
    point = Point(1.0, 16.0, {}, {"prio/fifo": {"execution_time": Summary(0.5, 0.5, 0.1, 0.25, 0.75)}})
    for samples, words in ((40, "in which 95 % of the ratios lie"), (39, "from least to largest")):
        results = Results(About("x.dag", "{}", "", samples, 2, 7, False, "fifo", "1"), (point,))
        texts = captions(find(FORK, Wish(), simulation=results))
        assert set(texts) == {"dag", "profile", "workers", "simulation"}
        assert f"the interval {words}." in texts["simulation"]
    assert "limits" in captions(limited(4))


def test_names_are_made_harmless() -> None:
    dag = Dag.from_edges(["a\u202eb\n", "x" * 100, "<b>"])
    text = captions(find(dag, Wish(curve=0), footprint=footprint(dag, "pebble")))["dag"]
    assert text.isprintable()
    assert r"a\u202eb\n, xxx" in text
    assert len(text) < 300
