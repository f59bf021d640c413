from __future__ import annotations

import contextlib
import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eligo.dag import MAX_BYTES, OUTSIDE, UNKNOWN, Dag, Data
from eligo.errors import EligoError, ParseError
from eligo.formats import open_document
from eligo.formats._base import Document
from eligo.formats._editing import add_dependencies
from eligo.formats._job_data import attach
from eligo.formats._source import Source
from tests.formats.random_dags import dags

#     a -> b, a -> c, b -> d, c -> d
DIAMOND = Dag.from_names([("a", "b"), ("a", "c"), ("b", "d"), ("c", "d")])


def table(text: str | bytes, dag: Dag = DIAMOND) -> Document:
    document = Document(dag, "dot", Source("x.dot", b""), ("x.dot:1: odd",))
    return attach(document, Source("t.csv", text if isinstance(text, bytes) else text.encode()))


FORMS = [
    "job,time_s,output_bytes,temp_bytes,memory_bytes,count\na,1.5,2kB,3,1 MiB,4\nd,2,,,,\n",
    "count\tJOB\ttime_s\tmemory_bytes\ttemp_bytes\toutput_bytes\n4\ta\t1.5\t1MiB\t3\t2000\n\td\t2\n",
    json.dumps(
        [
            {"job": "a", "time_s": 1.5, "output_bytes": "2kB", "temp_bytes": 3, "memory_bytes": 2**20, "count": 4},
            {"job": "d", "time_s": "2", "temp_bytes": None},
        ]
    ),
    json.dumps(
        {
            "d": {"time_s": 2},
            "a": {"time_s": 1.5, "output_bytes": 2e3, "temp_bytes": 3, "memory_bytes": "1 MiB", "count": 4},
        }
    ),
]


@pytest.mark.parametrize("text", FORMS)
def test_forms(text: str) -> None:
    document = table(text)
    dag = document.dag
    assert document.warnings == ("x.dot:1: odd",)
    wanted = DIAMOND.with_known(
        time_s=[1.5, np.nan, np.nan, 2],
        temp_bytes=[3, UNKNOWN, UNKNOWN, UNKNOWN],
        memory_bytes=[2**20, UNKNOWN, UNKNOWN, UNKNOWN],
        count=[4, 1, 1, 1],
        data=Data.build([2000, UNKNOWN, UNKNOWN], [0, 1, 2], [[1, 2], [3], [3]]),
    )
    assert dag == wanted


def test_what_the_table_does_not_say_stays() -> None:
    known = DIAMOND.with_known(
        time_s=[1, 2, 3, 4],
        data=Data.build([5, 6, 7, 8], [0, OUTSIDE, 1, 0], [[1], [0], [3], []], ["w", "x", "y", "z"]),
    )
    dag = table("job,time_s,output_bytes\nb,9,\na,,50\nd,,60\n", known).dag
    assert dag.time_s is not None
    assert dag.time_s.tolist() == [1, 9, 3, 4]
    assert dag.data is not None
    assert dag.data.names == ("x", "y", "output of a", "output of d")
    assert dag.data.size_bytes.tolist() == [6, 7, 50, 60]
    assert dag.data.producer.tolist() == [OUTSIDE, 1, 0, 3]
    assert [dag.data.readers_of(datum).tolist() for datum in range(4)] == [[0], [3], [1, 2], []]


@pytest.mark.parametrize(
    "text",
    [
        "job,time_s,,\na,1,,\nb,NA,,\n,,,\n",  # as exported from a spreadsheet with empty cells around
        'sep=;\r\n"job";"time_s"\r\n"a";"1"\r\n"b";"n/a"\r\n',
        "job,time_s\ra,1\rb,\r",
    ],
)
def test_tables_of_spreadsheets(text: str) -> None:
    document = table(text)
    assert document.dag == DIAMOND.with_known(time_s=[1, np.nan, np.nan, np.nan])
    assert document.warnings == ("x.dot:1: odd",)


def test_other_columns_are_noted() -> None:
    document = table("job,colour,time_s\na,red,1\nb,blue,2\n")
    assert document.warnings[1:] == ("t.csv: column 'colour' is not known and not read (and 1 more)",)
    assert "column ''" in table(",job,time_s\n0,a,1\n").warnings[1]


def test_an_empty_table_is_noted() -> None:
    for text in ("job,time_s\n", "[]", "{}"):
        assert "names no job" in table(text).warnings[1]


@given(dags(names=st.text("ab,\" '\n1", min_size=1, max_size=4)), st.data())
@settings(deadline=None)
def test_json_round_trip(dag: Dag, data: st.DataObject) -> None:
    jobs = data.draw(st.lists(st.sampled_from(dag.names), unique=True, min_size=1))
    sizes = {job: data.draw(st.integers(0, MAX_BYTES - 1)) for job in jobs}
    text = json.dumps({job: {"memory_bytes": size} for job, size in sizes.items()})
    known = table(text, dag).dag
    assert known.memory_bytes is not None
    for job, size in sizes.items():
        assert known.memory_bytes[dag.index(job)] == size
    assert known.with_known(memory_bytes=dag.memory_bytes) == dag


@pytest.mark.parametrize(
    ("text", "line", "part"),
    [
        ("", 1, "no column job"),
        ("time_s\n1\n", 1, "no column job"),
        ("job,time_s,time_s\n", 1, "twice"),
        ("job,time_s\na,1\nx,2\n", 3, "no job 'x'"),
        ("job,time_s\na,1\n,2\n", 3, "no job ''"),
        ("job,time_s\na,1\na,2\n", 3, "twice"),
        ("job,time_s\na,1,5\n", 2, "3 fields"),
        ("job,time_s\na,-1\n", 2, "negative"),
        ("job,time_s\na,nan\n", 2, "not a number"),
        ('job,time_s\na,"1,000"\n', 2, "not a number"),
        ("job;time_s\na;1,5\n", 2, "not a number"),
        ("job,time_s\na,5 min\n", 2, "not a number"),
        ("job,temp_bytes\na,1.5\n", 2, "whole number"),
        ("job,temp_bytes\na,1e400\n", 2, "2^62"),
        ("job,output_bytes\na,12 parsecs\n", 2, "not a number"),
        ("job,count\na,-3\n", 2, "count"),
        ('job,count\n"a,3\n', 2, "quoted"),
        ("job,count\na,3\0\n", 2, "NUL"),
        ('[\n{"job": "a"},\n{"job": "x"}]', 3, "no job 'x'"),
        ('[{"time_s": 1}]', 1, "does not name its job"),
        ("[5]", 1, "does not name its job"),
        ('[{"job": [1]}]', 1, "does not name its job"),
        ('{"a": {},\n"b": 5}', 2, "needs an object"),
        ('{"a": {\n"time_s": [1]}}', 1, "not a number"),
        ('{"a": {"time_s": true}}', 1, "not a number"),
        ('{"a": {"time_s": NaN}}', 1, "NaN"),
        ('{"a": {"temp_bytes": 1e400}}', 1, "not a number"),
        ('{"a": {"temp_bytes": -5}}', 1, "negative"),
        ('{"a": {},\n"a": {}}', 1, "twice"),
        ('{"a": {"time_s": 1', 1, "JSON"),
        ("[" * 100_000, 1, "nested"),
        ('{"a": {"count": ' + "9" * 5000 + "}}", 1, "digits"),
    ],
)
def test_malformed(text: str, line: int, part: str) -> None:
    with pytest.raises(ParseError) as caught:
        table(text)
    assert part in caught.value.text
    assert caught.value.line == line
    assert caught.value.path == "t.csv"
    assert caught.value.hint


def test_a_near_miss_is_suggested() -> None:
    with pytest.raises(ParseError) as caught:
        table("job\nprepar\n", Dag.from_names([("prepare", "join")]))
    assert caught.value.hint == "did you mean 'prepare'?"


@given(
    st.text('job,time_s\n"ab1{}[]: \t', max_size=60) | st.sampled_from(FORMS).map(lambda text: text[: len(text) // 2])
)
@settings(max_examples=300, deadline=None)
def test_any_text_gives_a_document_or_an_error(text: str) -> None:
    for content in (text, "job,count\n" + text, '{"a":' + text):
        with contextlib.suppress(EligoError):
            table(content)


@given(st.binary(max_size=40))
def test_any_bytes_give_a_document_or_an_error(data: bytes) -> None:
    with contextlib.suppress(EligoError):
        table(data)


@pytest.mark.parametrize(("name", "text"), [("x.dag", "JOB a a.sub\nJOB b b.sub\nJOB c c.sub\nPARENT a CHILD b\n")])
def test_who_only_waits_because_of_a_limit_reads_nothing(tmp_path, name: str, text: str) -> None:
    """a -> b by the user, a -> c by us."""
    file, sizes = tmp_path / name, tmp_path / "sizes.csv"
    file.write_text(text)
    sizes.write_text("job,output_bytes\na,7\n")
    before = open_document(file, job_data=sizes)
    file.write_bytes(add_dependencies(before, np.array([0], np.int32), np.array([2], np.int32)).data)
    after = open_document(file, job_data=sizes)
    assert after.dag.m == 2
    assert after.dag.data == before.dag.data


FILES = DIAMOND.with_known(
    data=Data.build([5, 6, 7, 8], [0, OUTSIDE, 1, 0], [[1], [0], [3], [2]], ["w", "x", "y", "z"]),
)


@pytest.mark.parametrize(
    "text",
    [
        "job,file,time_s,output_bytes,size_bytes\na,,9,50,\nb,,,60,\n,w,,,1kB\n,z,,,0\n,other,,,4\n,y,,,NA\n",
        json.dumps(
            [
                {"job": "a", "time_s": 9, "output_bytes": 50},
                {"job": "b", "output_bytes": 60},
                {"file": "w", "size_bytes": "1kB"},
                {"file": "z", "size_bytes": 0},
                {"file": "other", "size_bytes": 4},
                {"file": "y", "size_bytes": None},
            ]
        ),
    ],
)
def test_files_keep_their_readers(text: str) -> None:
    """All files of a are stated, so its output_bytes is passed over; those of b are not."""
    document = table(text, FILES)
    data = document.dag.data
    assert data is not None
    assert data.names == ("w", "x", "z", "output of b")
    assert data.size_bytes.tolist() == [1000, 6, 0, 60]
    assert [data.readers_of(datum).tolist() for datum in range(4)] == [[1], [0], [2], [3]]
    assert document.warnings[1:] == ("t.csv: 1 files of the table are not in the workflow: passed over",)


def test_a_table_of_files_alone() -> None:
    document = table("file,size_bytes\ny,3\n", FILES)
    assert document.dag.data is not None
    assert document.dag.data.size_bytes.tolist() == [5, 6, 3, 8]
    assert document.warnings[1:] == ()
    assert "not in the workflow" in table("file,size_bytes\ny,3\n").warnings[1]


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("job,file,size_bytes\na,w,3\n", "a job and a file"),
        ("file,size_bytes\nw,3\nw,3\n", "file 'w' stands in the table twice"),
        ("file,size_bytes\nw,-3\n", "size_bytes of file 'w'"),
        ("file,time_s,size_bytes\nw,3,3\n", "has a time_s"),
    ],
)
def test_malformed_files(text: str, part: str) -> None:
    with pytest.raises(ParseError, match=part) as caught:
        table(text, FILES)
    assert caught.value.line == text.count("\n")
    assert caught.value.hint


def test_the_folder_of_a_run(tmp_path) -> None:
    (tmp_path / "x.csv").write_text("parent,child\na,b\n")
    folder = tmp_path / "x.csv.eligo"
    folder.mkdir()
    with pytest.raises(ParseError, match=r"the folder has no job-data.csv"):
        open_document(tmp_path / "x.csv", job_data=folder)
    (folder / "job-data.csv").write_text("job,time_s\na,2\n")
    dag = open_document(tmp_path / "x.csv", job_data=folder).dag
    assert dag.time_s is not None
    assert dag.time_s[0] == 2
