"""What the script of a page gets: every array unpacks to what it should be, and names are made harmless."""

from __future__ import annotations

import base64
import json
import math
import struct
from collections import Counter
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eligo import generate
from eligo.dag import OUTSIDE, Dag
from eligo.memory._limit import limit
from eligo.memory._models import footprint
from eligo.report._page import page_content as module
from eligo.report._page.findings import Findings, Recorded, Wish, find
from eligo.report._page.page_content import content, packed, shown
from eligo.simulation._ratios import Summary
from eligo.simulation._sweep_results import About, Point, Results
from eligo.trace import Trace
from tests.memory.footprints import random_footprint
from tests.reference import folding_twin
from tests.reference.graphs import levels, shortcuts
from tests.reference.ideals import eligible
from tests.reference.memory_states import occupied
from tests.strategies import dags

ANY_TEXT = st.text(st.characters(), max_size=300)  # surrogates, control characters and all
LONG_TEXT = st.builds(lambda text, times: text * times, st.text(st.characters(), min_size=1), st.integers(1, 500))
BIDI = "\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u061c"
SEEDS = st.integers(0, 2**32 - 1)
FORMATS = {"i4": "<i", "u1": "<B", "f4": "<f", "f8": "<d"}


def unpacked(field: dict[str, str], kind: str) -> list[Any]:
    """Decode an array as a browser would; it must be of this kind and nothing else."""
    assert list(field) == [kind]
    data = base64.b64decode(field[kind].encode("ascii"), validate=True)
    return [value for (value,) in struct.iter_unpack(FORMATS[kind], data)]


def single(values: list[float]) -> list[float]:
    """Round numbers to what four bytes hold."""
    return [value for number in values for value in struct.unpack("<f", struct.pack("<f", number))]


def strict(value: object) -> Any:
    """Go through JSON that every browser reads."""
    return json.loads(json.dumps(value, allow_nan=False), parse_constant=lambda _: pytest.fail("no number"))


def edges_of(dag: Dag) -> list[tuple[int, int]]:
    return list(zip(dag.tails.tolist(), dag.heads.tolist(), strict=True))


def edges_in(field: dict[str, Any]) -> list[tuple[int, int]]:
    """The children of all jobs, one after the other, and where those of each job begin."""
    first, heads = unpacked(field["first"], "i4"), unpacked(field["head"], "i4")
    assert (first[0], first[-1]) == (0, len(heads))
    return [(tail, head) for tail, (begin, end) in enumerate(pairwise(first)) for head in heads[begin:end]]


def of_dag(dag: Dag, *names: str, **more: Any) -> tuple[Findings, dict[str, Any]]:
    found = find(dag, Wish(names or ("best", "fifo"), curve=1), **more)
    return found, strict(content(found))


def of_seed(seed: int, share: float | None = None) -> tuple[Findings, dict[str, Any]]:
    """A random workflow with sizes, perhaps within a limit."""
    print_ = random_footprint(seed)
    if share is None:
        return of_dag(print_.dag, footprint=print_)
    free = find(print_.dag, Wish(curve=0), footprint=print_).memory
    assert free is not None
    lowest, worst = free.analysis.lowest.peak, free.analysis.worst.bound
    limited = limit(print_, lowest + int(share * (worst - lowest)))
    return of_dag(limited.dag, footprint=print_, limited=limited, plain=print_.dag)


def profile(dag: Dag, order: list[int]) -> list[int]:
    ideal, counts = 0, [eligible(dag, 0, sources=True)]
    for job in order:
        ideal |= 1 << job
        counts.append(eligible(dag, ideal, sources=True))
    return counts


@given(st.lists(st.integers(-(2**31), 2**31 - 1)), st.lists(st.integers(0, 255)), st.lists(st.floats(width=32)))
@settings(max_examples=50)
def test_arrays_come_back(whole: list[int], small: list[int], real: list[float]) -> None:
    assert unpacked(packed(whole, "i4"), "i4") == whole
    assert unpacked(packed(small, "u1"), "u1") == small
    for kind in ("f4", "f8"):
        again = unpacked(packed(real, kind), kind)
        assert [None if math.isnan(x) else x for x in again] == [None if math.isnan(x) else x for x in real]


@settings(max_examples=50)
@given(dags(8))
def test_jobs_edges_and_orders(dag: Dag) -> None:
    found, page = of_dag(dag, "best", "fifo", "random")
    jobs, edges = page["jobs"], page["edges"]
    assert jobs["name"] == list(dag.names)
    assert unpacked(jobs["level"], "i4") == levels(dag.n, set(edges_of(dag)))
    assert edges_in(edges) == edges_of(dag)
    assert unpacked(edges["added"], "i4") == []
    assert (page["live"], page["memory"], page["recorded"], page["simulation"]) == (False, None, None, None)
    assert page["workers"] == found.workers
    times = [] if dag.time_s is None else [time for time in dag.time_s.tolist() if not math.isnan(time)]
    assert (page["in_seconds"], page["path_in_seconds"]) == (sum(times) > 0, bool(times))
    assert jobs["need"] is None
    assert "peak" not in jobs
    if dag.time_s is None:
        assert jobs["time_s"] is None
    else:
        got, known = unpacked(jobs["time_s"], "f8"), dag.time_s.tolist()
        assert [None if math.isnan(x) else x for x in got] == [None if math.isnan(x) else x for x in known]
    for given_, strategy in zip(page["strategies"], found.strategies, strict=True):
        order = unpacked(given_["order"], "i4")
        assert given_["label"] == strategy.label
        assert order == strategy.schedule.order.tolist()
        assert unpacked(given_["profile"], "i4") == profile(dag, order)
        assert given_["memory"] is None
        assert set(given_["trace"]) == {"start", "end", "lane", "lanes"}
    bound = unpacked(page["bound"], "i4")
    assert len(bound) == dag.n + 1
    best = unpacked(page["strategies"][0]["profile"], "i4")
    assert all(most >= here for most, here in zip(bound, best, strict=True))


@settings(max_examples=50)
@given(dags(8, known=False))
def test_groups_are_those_of_the_definition(dag: Dag) -> None:
    _, page = of_dag(dag)
    groups = folding_twin.partition(dag, 150)
    of = unpacked(page["jobs"]["group"], "i4")
    assert [[job for job in range(dag.n) if of[job] == group] for group in range(len(groups))] == groups
    ends = [unpacked(page["groups"][name], "i4") for name in ("tail", "head", "edges")]
    assert len(page["groups"]["name"]) == len(groups)
    across: dict[tuple[int, int], int] = Counter(
        (of[tail], of[head]) for tail, head in edges_of(dag) if of[tail] != of[head]
    )
    between = len(across)
    drawn = {(tail, head): times for tail, head, times in zip(*ends, strict=True)}
    if len(across) > 2 * len(groups):  # then those that a longer way implies are left out
        across = {edge: times for edge, times in across.items() if edge not in shortcuts(len(groups), set(across))}
    assert drawn == across
    assert len(drawn) + page["groups"]["left_out"] == between
    assert_is_layout(page["groups"], len(groups), list(zip(*ends[:2], strict=True)))


def assert_is_layout(layout: dict[str, Any], count: int, edges: list[tuple[int, int]]) -> None:
    """Every node has a place of its own, edges point down, and an edge bends in the rows that it passes, or nowhere."""
    x, row = unpacked(layout["x"], "f4"), unpacked(layout["row"], "i4")
    bends, bend_x = unpacked(layout["bends"], "i4"), unpacked(layout["bend_x"], "f4")
    assert (len(x), len(row), len(bends), len(bend_x)) == (count, count, len(edges), sum(bends))
    assert all(math.isfinite(place) and place >= 0 for place in x + bend_x)
    assert len(set(zip(x, row, strict=True))) == count
    for (tail, head), bent in zip(edges, bends, strict=True):
        assert row[tail] < row[head]
        assert bent in (0, row[head] - row[tail] - 1)


@settings(max_examples=50)
@given(dags(9, known=False))
def test_the_layout(dag: Dag) -> None:
    _, page = of_dag(dag)
    assert_is_layout(page["layout"], dag.n, edges_of(dag))


def test_bends_stand_in_the_order_of_edges() -> None:
    r"""One long edge beside a chain bends in two rows::

    0 > 1 > 2 > 3
     \_________/
    """
    _, page = of_dag(Dag.from_edges(4, [0, 1, 2, 0], [1, 2, 3, 3]))
    assert unpacked(page["edges"]["head"], "i4") == [1, 3, 2, 3]
    assert unpacked(page["layout"]["bends"], "i4") == [0, 2, 0, 0]


def test_what_is_too_large_is_not_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Groups always are."""
    dag = generate.mesh(4)
    for name, most in (("_DRAWN_JOBS", dag.n - 1), ("_DRAWN_EDGES", dag.m - 1)):
        with monkeypatch.context() as patch:
            patch.setattr(module, name, most + 1)
            assert of_dag(dag)[1]["layout"] is not None
            patch.setattr(module, name, most)
            _, page = of_dag(dag)
            assert page["layout"] is None
            assert len(unpacked(page["groups"]["x"], "f4")) == len(page["groups"]["name"])


@settings(max_examples=50)
@given(dags(8), st.integers(1, 4))
def test_executions(dag: Dag, workers: int) -> None:
    found = find(dag, Wish(workers=workers))
    for given_, strategy in zip(strict(content(found))["strategies"], found.strategies, strict=True):
        trace = given_["trace"]
        start, end = unpacked(trace["start"], "f4"), unpacked(trace["end"], "f4")
        assert start == single(strategy.trace.start_s.tolist())
        assert end == single(strategy.trace.end_s.tolist())
        assert_lanes(trace, strategy.trace)


def assert_lanes(packed_trace: dict[str, Any], trace: Trace) -> None:
    """No two jobs of a lane run at the same time."""
    lane, busy = unpacked(packed_trace["lane"], "i4"), set()
    assert all(-1 <= place < packed_trace["lanes"] for place in lane)
    assert [job for job in range(trace.dag.n) if lane[job] >= 0] == sorted(trace.order.tolist())
    for event in trace.events.tolist():
        if event >= 0:
            assert lane[event] not in busy
            busy.add(lane[event])
        else:
            busy.remove(lane[~event])


@settings(max_examples=60)
@given(SEEDS, st.none() | st.floats(0, 1))
def test_memory(seed: int, share: float | None) -> None:
    found, page = of_seed(seed, share)
    assert found.memory is not None
    print_, memory = found.memory.footprint, page["memory"]
    for given_, strategy in zip(page["strategies"], found.strategies, strict=True):
        done: frozenset[int] = frozenset()
        along = []
        for job in strategy.schedule.order.tolist():
            along.append(occupied(print_, done | {job}, done))
            done |= {job}
        assert unpacked(given_["memory"], "f4") == single([*along, occupied(print_, done, done)])
        assert strategy.use is not None
        assert unpacked(given_["trace"]["memory"], "f4") == single(strategy.use.size_bytes.tolist())
        assert unpacked(given_["trace"]["memory_time"], "f4") == single(strategy.use.time_s.tolist())
    assert (memory["resource"], memory["unit"]) == (print_.rules.resource, print_.rules.unit)
    assert memory["worst"] <= memory["before"]
    assert [point["limit"] for point in memory["curve"]] == sorted({point["limit"] for point in memory["curve"]})
    assert (memory["limit"] is None) == (memory["limited_path"] is None) == (share is None)
    if share is not None:
        assert memory["worst"] <= memory["limit"] <= memory["before"]
    added = [
        edge for number, edge in enumerate(edges_of(found.dag)) if number in unpacked(page["edges"]["added"], "i4")
    ]
    assert set(added) == set(edges_of(found.dag)) - set(edges_of(found.plain))
    assert unpacked(page["jobs"]["level"], "i4") == levels(found.dag.n, set(edges_of(found.plain)))


@settings(max_examples=60)
@given(SEEDS)
def test_what_jobs_need_and_do_at_the_worst_peak(seed: int) -> None:
    found, page = of_seed(seed)
    assert found.memory is not None
    print_, worst = found.memory.footprint, found.memory.analysis.worst
    made, read, running = [0] * print_.dag.n, [0] * print_.dag.n, print_.running.tolist()
    started = {job for job in range(print_.dag.n) if worst.started[job]}
    ended = {job for job in range(print_.dag.n) if worst.ended[job]}
    assert occupied(print_, frozenset(started), frozenset(ended)) == worst.attained
    marks = [0] * print_.dag.n
    for datum in range(print_.k):
        size, producer, readers = (
            int(print_.size[datum]),
            int(print_.producer[datum]),
            print_.readers_of(datum).tolist(),
        )
        for reader in readers:
            read[reader] += size
        if producer != OUTSIDE:
            made[producer] += size
            gone = bool(readers) and set(readers) <= (started if print_.rules.one_event else ended)
            if producer in started and not gone:
                marks[producer] = 2
    for job in started - ended:
        marks[job] = 1
    one = print_.rules.one_event
    needs = [max(made[v], read[v]) if one else made[v] + read[v] + running[v] for v in range(print_.dag.n)]
    assert unpacked(page["jobs"]["need"], "f8") == needs
    assert unpacked(page["jobs"]["peak"], "u1") == marks


@settings(max_examples=50)
@given(dags(9, known=False))
def test_blocks(dag: Dag) -> None:
    found, page = of_dag(dag)
    blocks = page["blocks"]
    of, count = unpacked(blocks["of"], "i4"), blocks["count"]
    sinks = {job for job in range(dag.n) if not len(dag.children(job))}
    assert {job for job in range(dag.n) if of[job] == -1} == sinks
    edges = set(edges_of(dag)) - shortcuts(dag.n, set(edges_of(dag)))
    for job in range(dag.n):
        assert len({of[tail] for tail, head in edges if head == job}) <= 1  # all parents of a job are in one block
    members = [[job for job in range(dag.n) if of[job] == block] for block in range(count)]
    order = found.strategies[0].schedule.order.tolist()
    assert unpacked(blocks["nonsinks"], "i4") == [len(block) for block in members]
    assert unpacked(blocks["first"], "i4") == [min(map(order.index, block)) for block in members]
    assert unpacked(blocks["last"], "i4") == [max(map(order.index, block)) for block in members]
    heads = [{head for tail, head in edges if tail in block} for block in members]
    assert unpacked(blocks["heads"], "i4") == [len(block) for block in heads]
    class_of = unpacked(blocks["class_of"], "i4")
    for number, row in enumerate(blocks["classes"]):
        inside = [members[block] for block in range(count) if class_of[block] == number]
        places = [order.index(job) for block in inside for job in block]
        assert (row["blocks"], {row["nonsinks"]}) == (len(inside), {len(block) for block in inside})
        assert (row["high"], row["low"]) == (dag.n - min(places), dag.n - max(places))
        assert row["optimal"] in (True, False, None)
    assert len(blocks["r"]) == min(len(blocks["classes"]), 12)
    assert all(0 < value <= 1 for row in blocks["r"] for value in row)


def test_many_blocks_are_counted_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_MOST_BLOCKS", 1)
    blocks = of_dag(generate.mesh(4))[1]["blocks"]
    assert blocks["count"] == 3
    assert [unpacked(blocks[name], "i4") for name in ("class_of", "first", "last", "nonsinks", "heads")] == [[]] * 5
    assert sum(row["blocks"] for row in blocks["classes"]) == 3


@given(st.lists(st.sampled_from([0, 1, 2, 3]), min_size=6, max_size=6), st.floats(0, 1e6))
@settings(max_examples=50)
def test_a_run_that_took_place(status: list[int], begin: float) -> None:
    """Times count from the first event; what did not start or end has none."""
    dag = generate.mesh(2)
    start = [float("nan") if state == 0 else begin + job for job, state in enumerate(status[: dag.n])]
    end = [time + 2 if state > 1 else float("nan") for time, state in zip(start, status, strict=False)]
    recorded = Recorded(Trace.of(dag, start, end, measured=True), status[: dag.n], "dask:tcp://10.0.0.1:8786")
    page = of_dag(dag, recorded=recorded)[1]["recorded"]
    assert unpacked(page["status"], "u1") == status[: dag.n]
    assert page["engine"] == "dask:tcp://10.0.0.1:8786"
    first = min((time for time in start if not math.isnan(time)), default=0.0)
    for name, times in (("start", start), ("end", end)):
        for got, time in zip(unpacked(page["trace"][name], "f4"), times, strict=True):
            assert math.isnan(got) if math.isnan(time) else got == pytest.approx(time - first, abs=1e-3)
    assert_lanes(page["trace"], recorded.trace)


def test_the_points_of_a_sweep() -> None:
    """Ratios without numbers, or with infinite ones, are left out; the rest is as it was read."""
    nan, inf = float("nan"), float("inf")
    whole = {"execution_time": Summary(1, 0.5, 0.1, 0.25, 0.75), "stalling": Summary(inf, nan, inf, 0, inf)}
    points = (
        Point(1.0, 16.0, {}, {"prio/fifo": whole, "<b>/fifo": {"execution_time": None}}),
        Point(0.5, 16.0, {}, {"prio/fifo": {"execution_time": Summary(1, 2.0, 0, 1.5, 2.5)}}),
    )
    results = Results(About("x.dag", "{}", "", 40, 2, 7, False, "fifo", "1"), points)
    page = of_dag(generate.mesh(2), simulation=results)[1]["simulation"]
    assert page["interarrivals"] == [0.5, 1.0]
    assert page["batches"] == [16.0]
    assert page["pairs"] == ["prio/fifo", "<b>/fifo"]
    assert list(page["metrics"]) == ["execution_time"]
    assert page["rows"] == [
        [1.0, 16.0, "prio/fifo", "execution_time", 0.5, 0.25, 0.75],
        [0.5, 16.0, "prio/fifo", "execution_time", 2.0, 1.5, 2.5],
    ]


@given(ANY_TEXT | LONG_TEXT | st.text(BIDI + "a<&\n\x00\ud800"))
@settings(max_examples=300)
def test_names_are_made_harmless(text: str) -> None:
    again = shown(text)
    assert again.isprintable()
    assert len(again) <= 120
    assert not set(BIDI) & set(again)
    again.encode("utf-8")  # which surrogates could not
    assert again.strip()
    if text.isprintable() and len(text) <= 118:
        assert again == (text if text.strip() else f'"{text}"')
    if len(text) > 1000 and text.strip():
        assert again[0] in (text[0], "\\")


@given(st.text("abc", min_size=121, max_size=3000))
def test_the_ends_of_long_names_are_shown(text: str) -> None:
    before, after = shown(text).split("…")
    assert len(shown(text)) == 120
    assert text.startswith(before)
    assert text.endswith(after)
    assert abs(len(before) - len(after)) <= 1


@settings(max_examples=50)
@given(dags(5, names=st.text(st.characters(), min_size=1, max_size=12) | st.text(BIDI, min_size=1), known=False))
def test_any_names(dag: Dag) -> None:
    page = of_dag(dag)[1]
    for name in page["jobs"]["name"] + page["groups"]["name"]:
        assert name.isprintable()
        assert len(name) <= 120
    assert page["jobs"]["name"] == [shown(name) for name in dag.names]
    assert all(text.isprintable() for text in page["captions"].values())


def test_numbers_that_are_no_numbers_stay_out() -> None:
    """Unknown times are ``nan`` inside the array, where JSON cannot trip over them."""
    dag = Dag.from_edges(3, [0], [1], time_s=[1, float("nan"), 2])
    _, page = of_dag(dag, footprint=footprint(dag, "pebble"))
    got = unpacked(page["jobs"]["time_s"], "f8")
    assert (got[0], math.isnan(got[1]), got[2]) == (1, True, 2)
    assert page["in_seconds"]


@pytest.mark.parametrize("jobs", [0, 1])
def test_hardly_any_jobs(jobs: int) -> None:
    dag = Dag.from_edges(jobs)
    _, page = of_dag(dag, footprint=footprint(dag, "pebble"))
    assert [unpacked(each["order"], "i4") for each in page["strategies"]] == [list(range(jobs))] * 2
    assert [unpacked(each["memory"], "f4") for each in page["strategies"]] == [
        [1.0] * (jobs + 1) if jobs else [0.0]
    ] * 2
    assert unpacked(page["layout"]["x"], "f4") == [0.0] * jobs
    assert page["blocks"]["count"] == 0
