from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eligo.dag import Dag
from eligo.errors import EligoError, ParseError
from eligo.formats._base import Document
from eligo.formats._job_data import attach
from eligo.formats._source import Source

HEADER = (
    "task_id\thash\tnative_id\tname\tstatus\texit\tsubmit\tduration\trealtime\t%cpu\tpeak_rss\tpeak_vmem\trchar\twchar"
)


def row(task: int, name: str, realtime: str, rss: str = "-", *, status: str = "COMPLETED", code: str = "0") -> str:
    when = "2026-01-31 10:00:00.123"
    return "\t".join(
        [f"{task}\tab/cdef01\t99\t{name}", status, code, when, "9d", realtime, "99%", rss, "-", "1 KB", "2 KB"]
    )


def trace(dag: Dag, *rows: str, header: str = HEADER) -> Document:
    text = "\n".join([header, *rows]) + "\n"
    return attach(Document(dag, "dot", Source("x.dot", b"")), Source("trace.txt", text.encode()))


DAG = Dag.from_names([("NF:ALIGN", "NF:REPORT")])


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("345ms", 0.345), ("1.2s", 1.2), ("1m 23s", 83), ("2h 3m 4s", 7384), ("1d 1h", 90000), ("0ms", 0), ("83000", 83)],
)
def test_times(text: str, seconds: float) -> None:
    known = trace(DAG, row(1, "NF:ALIGN (x)", text)).dag
    assert known.time_s is not None
    assert known.time_s[0] == pytest.approx(seconds)
    assert math.isnan(known.time_s[1])


@pytest.mark.parametrize(
    ("text", "size"), [("3.5 MB", 3670016), ("1 GB", 2**30), ("512 B", 512), ("1073741824", 2**30), ("2 KB", 2048)]
)
def test_sizes_are_powers_of_1024(text: str, size: int) -> None:
    known = trace(DAG, row(1, "NF:ALIGN", "1s", text)).dag
    assert known.memory_bytes is not None
    assert known.memory_bytes[0] == size


def test_a_process_stands_for_its_tasks() -> None:
    document = trace(
        DAG,
        row(1, "NF:ALIGN (a)", "1s", "1 MB"),
        row(2, "NF:ALIGN (b)", "4s", "3 MB"),
        row(3, "NF:ALIGN (c)", "-", "-", status="CACHED", code="-"),
        row(4, "NF:ALIGN (d)", "90s", "9 GB", status="FAILED", code="137"),
        row(5, "NF:REPORT", "2s", "0"),
        row(6, "NF:OTHER (a)", "2s"),
    )
    dag = document.dag
    assert dag == DAG.with_known(time_s=[2.5, 2], memory_bytes=[3 * 2**20, -1], count=[3, 1])
    assert sorted(document.warnings) == [
        "trace.txt: 3 tasks of the trace belong to 1 jobs, which stand for processes: read are the mean time, "
        "the most memory and the number of the tasks of each",
        "trace.txt:5: a task of the trace did not succeed: not read",
        "trace.txt:7: job 'NF:OTHER (a)' of the log is not in the workflow: passed over",
    ]


def test_jobs_that_are_tasks() -> None:
    dag = Dag.from_names([("NF.ALIGN_1", "NF.REPORT_3"), ("NF.ALIGN_2", "NF.REPORT_3")])
    document = trace(dag, row(2, "NF:ALIGN (b)", "4s"), row(1, "NF:ALIGN (a)", "1s"), row(3, "NF:REPORT", "2s"))
    assert document.dag == dag.with_known(time_s=[1, 2, 4])
    assert document.warnings == ()


def test_jobs_called_like_tasks_or_by_the_last_part() -> None:
    dag = Dag.from_names([("ALIGN (a)", "REPORT")])
    assert trace(dag, row(1, "ALIGN (a)", "1s"), row(2, "X:REPORT", "2s")).dag == dag.with_known(time_s=[1, 2])
    document = trace(dag, row(1, "ALIGN (a)", "1s"), row(2, "X:REPORT", "2s"), row(3, "Y:REPORT", "2s"))
    assert document.dag == dag.with_known(time_s=[1, math.nan])  # which of them is meant is not known


def test_other_columns_and_separators() -> None:
    known = trace(DAG, 'x\tNF:ALIGN\tt("1\t2000\n', header="tag\tprocess\thash\trealtime").dag
    assert known == DAG.with_known(time_s=[2, math.nan])
    assert trace(DAG, "NF:ALIGN,COMPLETED,2s", header="name,status,realtime").dag == known


def test_appended_and_cut_short() -> None:
    known = trace(DAG, row(1, "NF:ALIGN", "1s"), HEADER, row(2, "NF:REPORT", "2s"), "3\tab").dag
    assert known == DAG.with_known(time_s=[1, 2])


@pytest.mark.parametrize(
    ("rows", "line", "part"),
    [
        ([row(1, "X", "1s")], 2, "says nothing of this workflow: it has no job 'X'"),
        ([row(1, "NF:ALIGN", "1s", status="ABORTED")], None, "no job in it succeeded"),
        ([row(1, "NF:ALIGN", "1 parsec")], 2, "neither a time nor a size"),
        ([row(1, "NF:ALIGN", "1s", "1 XB")], 2, "neither a time nor a size"),
        ([row(1, "NF:ALIGN", "1s") + "\tmore", row(2, "NF:ALIGN", "1s")], 2, "15 fields"),
    ],
)
def test_refused(rows: list[str], line: int | None, part: str) -> None:
    with pytest.raises(ParseError) as caught:
        trace(DAG, *rows)
    assert part in caught.value.text
    assert caught.value.line == line
    assert caught.value.hint


@settings(max_examples=200, deadline=None)
@given(st.text("NF:ALIGN\t\n 1smhBM-.", max_size=80))
def test_any_text_gives_a_document_or_an_error(text: str) -> None:
    try:
        trace(DAG, text, header="name\tstatus\trealtime\tpeak_rss")
    except EligoError as error:
        assert error.hint
