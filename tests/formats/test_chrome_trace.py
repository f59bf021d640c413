"""Chrome trace JSON: valid whatever jobs are called, and such that viewers show every job."""

from __future__ import annotations

import gzip
import json
import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eligo import generate
from eligo.dag import Dag
from eligo.errors import EligoError
from eligo.formats._chrome_trace import generate_trace, write_trace
from eligo.memory._models import footprint
from eligo.simulation import list_schedule, memory_over_time
from eligo.trace import ANYWHERE, Trace, lanes_of

NAN = math.nan
ANY_TEXT = st.text(st.characters(exclude_categories=()), min_size=1)
"""Control characters and lone surrogates too."""


def document(trace: Trace, **options: Any) -> dict[str, Any]:
    """Read the JSON as strictly as viewers do."""

    def refuse(constant: str) -> None:
        raise AssertionError(f"{constant} is no JSON")

    text = "".join(generate_trace(trace, **options)).encode().decode()
    assert "\\ud" not in text.lower().replace("\\\\", "")  # Perfetto refuses escaped surrogates, even pairs
    assert not re.search(r'(?<!\\)(?:\\\\)+"', text)  # nor does it know the end of a text after a backslash
    read: dict[str, Any] = json.loads(text, parse_constant=refuse)
    return read


def events(trace: Trace, phase: str, **options: Any) -> list[dict[str, Any]]:
    return [event for event in document(trace, **options)["traceEvents"] if event["ph"] == phase]


def three() -> Trace:
    """a, then b and c, where c does not end."""
    dag = Dag.from_names([("a", "b"), ("a", "c")])
    return Trace.of(dag, [0.5, 2, 2], [2, 4.25, NAN], [0, 0, 1])


def test_each_job_is_a_complete_event_in_the_thread_of_its_worker() -> None:
    shown = events(three(), "X", priority=[3, 1, 2])
    keys = ("name", "pid", "tid", "ts", "dur", "cat")
    assert [tuple(event[key] for key in keys) for event in shown] == [
        ("a", 1, 1, 500_000, 1_500_000, "job"),
        ("b", 1, 1, 2_000_000, 2_250_000, "job"),
        ("c", 1, 2, 2_000_000, 2_250_000, "job,unfinished"),
    ]
    assert [event["args"] for event in shown] == [
        {"job": "a", "priority": 3, "worker": 0},
        {"job": "b", "priority": 1, "worker": 0},
        {"job": "c", "priority": 2, "worker": 1},
    ]
    assert [event["args"]["priority"] for event in events(three(), "X", priority=[0.5, 1e300, -1])] == [0.5, 1e300, -1]


def test_threads_are_named_after_workers() -> None:
    names = [(event["name"], event.get("tid"), event["args"]) for event in events(three(), "M", name="two <jobs>")]
    assert names == [
        ("process_name", None, {"name": "two <jobs>"}),
        ("thread_name", 1, {"name": "worker 0"}),
        ("thread_sort_index", 1, {"sort_index": 0}),
        ("thread_name", 2, {"name": "worker 1"}),
        ("thread_sort_index", 2, {"sort_index": 1}),
    ]
    unknown = Trace.of(three().dag, [0, 1, 1], [1, 2, 2])
    assert [e["args"]["name"] for e in events(unknown, "M") if e["name"] == "thread_name"] == ["slot 0", "slot 1"]
    assert [(e["tid"], e["args"]) for e in events(unknown, "X")] == [
        (1, {"job": "a"}),
        (1, {"job": "b"}),
        (2, {"job": "c"}),
    ]


def test_counters_show_what_runs_and_waits() -> None:
    assert [(e["name"], e["ts"], e["args"]) for e in events(three(), "C")] == [
        ("jobs", 0, {"running": 0, "ELIGIBLE": 1}),
        ("jobs", 500_000, {"running": 1, "ELIGIBLE": 0}),
        ("jobs", 2_000_000, {"running": 2, "ELIGIBLE": 0}),
        ("jobs", 4_250_000, {"running": 1, "ELIGIBLE": 0}),
    ]


def test_memory_keeps_its_last_value_and_its_peak_at_each_microsecond() -> None:
    memory = ([0, 0, 0, 1, 2, 2 + 1e-8], [0, 9, 4, 4, 1, 7])
    shown = [(e["ts"], e["args"]["bytes"]) for e in events(three(), "C", memory=memory) if e["name"] == "memory"]
    assert shown == [(0, 9), (0, 4), (1_000_000, 4), (2_000_000, 7)]
    mesh = generate.mesh(5)
    trace = list_schedule(mesh, 3)
    use = memory_over_time(footprint(mesh, "pebble"), trace)
    sizes = [e["args"]["bytes"] for e in events(trace, "C", memory=use) if e["name"] == "memory"]
    assert max(sizes) == use.peak
    assert not [e for e in events(trace, "C", memory=([], [])) if e["name"] == "memory"]


def test_a_unit_of_time_is_shown_as_so_many_seconds() -> None:
    assert [e["ts"] for e in events(three(), "X", unit_s=60)] == [30_000_000, 120_000_000, 120_000_000]
    assert [e["dur"] for e in events(three(), "X", unit_s=1e-6)] == [2, 2, 2]  # from 0 to 2, from 2 to 4


def test_clocks_begin_with_the_first_job_and_no_time_is_negative() -> None:
    pair = Dag.from_names([("a", "b")])
    measured = Trace.of(pair, [1.7e9, 1.7e9 + 2], [1.7e9 + 1, 1.7e9 + 3], [0, 0], measured=True)
    assert [(e["ts"], e["dur"]) for e in events(measured, "X")] == [(0, 1_000_000), (2_000_000, 1_000_000)]
    early = Trace.of(pair, [-2, 1], [0, 2])
    assert [(e["ts"], e["dur"]) for e in events(early, "X")] == [(0, 2_000_000), (3_000_000, 1_000_000)]


@given(st.lists(st.tuples(st.floats(0, 5), st.floats(0, 5), st.integers(-1, 3)), min_size=1, max_size=20))
def test_no_two_events_of_a_thread_overlap(jobs: list[tuple[float, float, int]]) -> None:
    """Not even by rounding, and not where the clocks say that a worker did two things at once."""
    start, length, worker = map(np.array, zip(*jobs, strict=True))
    trace = Trace.of(Dag.from_edges(len(jobs)), start, start + length, worker, measured=True)
    free: dict[int, int] = {}
    shown = events(trace, "X", unit_s=1e-6)
    for event in shown:  # viewers take them in this order where they start at once
        assert isinstance(event["ts"], int)
        assert event["ts"] >= free.get(event["tid"], 0)
        free[event["tid"]] = event["ts"] + event["dur"]
    assert len(shown) == len(jobs)
    assert [e["ts"] for e in shown] == sorted(e["ts"] for e in shown)


@given(st.lists(ANY_TEXT, min_size=1, max_size=5, unique=True), ANY_TEXT)
def test_any_name_is_text(names: list[str], process: str) -> None:
    trace = Trace.of(Dag.from_edges(names), np.zeros(len(names)), np.ones(len(names)))
    shown = [event["name"] for event in events(trace, "X", name=process)]
    for name, plain in zip(names, shown, strict=True):
        assert len(name) == len(plain)
        assert all(a == b or (0xD800 <= ord(a) < 0xE000 and b == "\ufffd") for a, b in zip(name, plain, strict=True))


def test_names_that_would_break_out() -> None:
    names = ['"},{"ph":"X"', "\\", "a\\\\", '\\"', "</script>", "\x00\x1f\x7f", "🤔", "\udcff", "a\nb", "\u2028"]
    shown = events(Trace.of(Dag.from_edges(names), np.zeros(10), np.ones(10)), "X")
    assert [event["name"] for event in shown] == [name.replace("\udcff", "\ufffd") for name in names]
    assert [event["args"]["job"] for event in shown] == [event["name"] for event in shown]


def test_assumptions_are_told() -> None:
    trace = Trace.of(Dag.from_edges(1), [0], [1], assumptions=('a "b"', "c"))
    assert document(trace)["otherData"] == {"jobs": 1, "assumption 1": 'a "b"', "assumption 2": "c"}


@pytest.mark.parametrize("n", [0, 2])
def test_traces_in_which_nothing_ran(n: int) -> None:
    trace = Trace.of(Dag.from_edges(n), [NAN] * n, [NAN] * n)
    assert [event["ph"] for event in document(trace)["traceEvents"]] == ["M", "C"]


def test_visitors_share_slots_and_keep_their_number() -> None:
    """In the grid model each worker comes for one job; a thread for each would be unreadable."""
    chain = Dag.from_edges(4, [0, 1, 2], [1, 2, 3])
    trace = Trace.of(chain, [0, 1, 2, 3], [1, 2, 3, 4], [5, 70, 800, 900])
    assert {event["tid"] for event in events(trace, "X")} == {1}
    assert [event["args"]["worker"] for event in events(trace, "X")] == [5, 70, 800, 900]
    assert set(lanes_of(trace).worker.tolist()) == {ANYWHERE}


def test_files_are_the_same_for_the_same_trace_and_packed_by_name(tmp_path: Path) -> None:
    trace = list_schedule(generate.airsn(100), 7)
    for name in ("a.json", "b.json", "c.json.gz"):
        write_trace(trace, tmp_path / name, name="airsn", priority=np.arange(trace.dag.n))
    assert (tmp_path / "a.json").read_bytes() == (tmp_path / "b.json").read_bytes()
    assert gzip.decompress((tmp_path / "c.json.gz").read_bytes()) == (tmp_path / "a.json").read_bytes()
    assert len(list(tmp_path.iterdir())) == 3


def test_what_fails_leaves_the_old_file(tmp_path: Path) -> None:
    file = tmp_path / "trace.json"
    file.write_text("old")
    with pytest.raises(EligoError, match="285 years"):
        write_trace(three(), file, unit_s=1e12)
    assert file.read_text() == "old"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"unit_s": 0}, "above 0"),
        ({"unit_s": math.inf}, "above 0"),
        ({"unit_s": NAN}, "above 0"),
        ({"unit_s": 1e300}, "285 years"),
        ({"priority": [1]}, "one number for each of the 3 jobs"),
        ({"priority": [1, 2, NAN]}, "one number for each"),
        ({"memory": ([0], [1, 2])}, "one size for each time"),
        ({"memory": ([0], [NAN])}, "one size for each time"),
        ({"memory": ([1, 0], [1, 2])}, "in order"),
        ({"memory": ([NAN], [1])}, "in order"),
    ],
)
def test_what_cannot_be_written_is_refused_at_once(options: dict[str, Any], message: str) -> None:
    with pytest.raises(EligoError, match=message):
        generate_trace(three(), **options)


def test_lines_come_one_by_one() -> None:
    lines = generate_trace(list_schedule(generate.airsn(1000), 50))
    assert max(map(len, lines)) < 300
