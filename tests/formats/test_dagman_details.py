"""What a DAGMan file says of each job, and what jobs ask for in their submit descriptions."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eligo.errors import ParseError
from eligo.formats import open_document
from eligo.formats._dagman import Details, logical_lines, parse
from eligo.formats._dagman.commands import AbortDagOn, Retry, Script
from eligo.formats._dagman.tokens import Var
from eligo.formats._source import Source
from eligo.formats._submit.submit_file import Queue, expand, read_size, read_submit

EVERYTHING = r"""
JOB a a.sub DIR work NOOP DONE
VARS a x="1" +Y="two words"
VARS a APPEND z="\"q\" \\"
VARS a x="3"
PRIORITY a 4
PRIORITY a -5
RETRY a 3 UNLESS-EXIT 2
SCRIPT DEFER 4 60 DEBUG log ALL PRE a pre.sh  $JOB
SCRIPT POST a post.sh
PRE_SKIP a 7
ABORT-DAG-ON a 9 RETURN 1
CATEGORY a heavy
MAXJOBS heavy 2
SAVE_POINT_FILE a here
SUBDAG EXTERNAL b inner.dag
RETRY ALL_NODES 1
JOB c {
  executable = /bin/true
}
RETRY c 2
SUBMIT-DESCRIPTION shared {
  executable = /bin/false
}
JOB d shared
FINAL end end.sub
VARS end y="2"
SERVICE watch w.sub
PROVISIONER get g.sub
RETRY get 4
CONFIG my.config
DOT x.dot UPDATE
"""


def details_of(text: str) -> Details:
    return parse(Source("x.dag", text.encode())).details


def test_everything_about_a_job() -> None:
    job = details_of(EVERYTHING).job(0)
    assert (job.name, job.kind, job.submit, job.inline, job.directory, job.noop, job.done) == (
        "a",
        "job",
        "a.sub",
        None,
        "work",
        True,
        True,
    )
    assert job.vars == (Var("x", "3"), Var("My.Y", "two words"), Var("z", '"q" \\', False))
    assert (job.priority, job.pre_skip, job.category) == (-5, 7, "heavy")
    assert job.retry == Retry(1)
    assert job.scripts == (Script("PRE", "pre.sh  $JOB", 4, 60, "log", "ALL"), Script("POST", "post.sh"))
    assert job.abort_dag_on == AbortDagOn(9, 1)
    assert (job.save_point_file, job.path, job.line) == ("here", "x.dag", 2)


def test_the_other_nodes_and_the_whole() -> None:
    details = details_of(EVERYTHING)
    assert [details.job(i).kind for i in range(4)] == ["job", "subdag", "job", "job"]
    assert [details.job(i).retry for i in range(1, 4)] == [Retry(1), Retry(2), Retry(1)]
    assert details.job(2).inline == "  executable = /bin/true\n"
    assert details.job(3).inline == "  executable = /bin/false\n"
    others = {node.kind: node for node in details.others()}
    assert (others["final"].name, others["final"].vars, others["service"].name) == ("end", (Var("y", "2"),), "watch")
    assert others["provisioner"].retry == Retry(4)
    assert (details.config, details.maxjobs) == ("my.config", {"heavy": 2})
    assert [(setting.kind.name, setting.text) for setting in details.settings] == [
        ("CONFIG", "my.config"),
        ("DOT", "x.dot UPDATE"),
    ]
    with pytest.raises(IndexError):
        details.job(4)


def test_jobs_of_splices(tmp_path: Path) -> None:
    (tmp_path / "x.dag").write_text(
        "JOB first f.sub\nSPLICE s s.dag DIR d\nMAXJOBS +both 3\nSPLICE e e.dag\nJOB last l.sub\nPRIORITY last 1\n"
    )
    (tmp_path / "d").mkdir()
    (tmp_path / "e.dag").write_text("# empty\n")
    (tmp_path / "d" / "s.dag").write_text(
        "\nJOB x x.sub DIR deep\nCATEGORY x mine\nJOB y y.sub\nCATEGORY y +both\nMAXJOBS mine 1\nMAXJOBS +both 9\n"
    )
    document = open_document(tmp_path / "x.dag")
    details = document.details
    jobs = [details.job(i) for i in range(4)]
    assert [job.name for job in jobs] == list(document.dag.names) == ["first", "s+x", "s+y", "last"]
    assert [job.directory for job in jobs] == ["", "d/deep", "d", ""]
    assert [job.category for job in jobs] == [None, "s+mine", "+both", None]
    assert details.maxjobs == {"+both": 3, "s+mine": 1}
    assert [Path(job.path).name for job in jobs] == ["x.dag", "s.dag", "s.dag", "x.dag"]
    assert [job.line for job in jobs] == [1, 2, 4, 5]
    assert {Path(source.path).name for source in details.sources} == {"x.dag", "s.dag", "e.dag"}


def test_logical_lines_tell_their_job() -> None:
    lines = [
        (line.kind.name, line.job) for line in logical_lines(Source("x", EVERYTHING.encode())) if line.kind is not None
    ]
    assert lines[:3] == [("JOB", "a"), ("VARS", "a"), ("VARS", "a")]
    assert ("SCRIPT", "a") in lines
    assert ("SUBDAG", "b") in lines
    assert ("CONFIG", "") in lines
    assert len(lines) == sum(not line.startswith(("  ", "}")) for line in EVERYTHING.strip().splitlines())


@pytest.mark.parametrize(
    ("text", "unit", "size"),
    [
        ("1", "M", 2**20),
        ("1024", "K", 2**20),
        ("2G", "M", 2**31),
        ("2 gb", "M", 2**31),
        ("1.5T", "K", 3 * 2**39),
        ("10KB", "M", 10240),
        ("64B", "M", 64),
        ("1GiB", "M", 2**30),
        ("0", "M", 0),
        ("-1", "M", None),
        ("2*3", "M", None),
        ("ifThenElse(x,1,2)", "M", None),
        ("", "M", None),
        ("1e3", "M", None),
        ("9999999P", "M", None),
        ("9" * 100, "M", None),
        ("\u0663", "M", None),
    ],
)
def test_sizes(text: str, unit: str, size: int | None) -> None:
    assert read_size(text, unit) == size


@pytest.mark.parametrize(
    ("text", "queues"),
    [
        ("queue", [Queue()]),
        ("Queue 5\nqueue", [Queue("5"), Queue()]),
        ("queue $(n)", [Queue("$(n)")]),
        ("x = 1", []),
        ("queue x in (a b, c)", [Queue("1", 3)]),
        ("queue 2 x in (a b)", [Queue("2", 2)]),
        ("queue in ()", [Queue("1", 0)]),
        ("queue x, y from (\n a b\n c d\n)", [Queue("1", 2)]),
        ("queue x from items.txt", [Queue("1", None, "items.txt")]),
        ("queue x matching files *.dat", [Queue("1", None)]),
        ("queue x in [1:] (a b c)", [Queue("1", None)]),
        ("queue x from ls |", [Queue("1", None)]),
        ("queue x from (\n open", [Queue("1", 1)]),
        ("queued = 3", []),
    ],
)
def test_queues(text: str, queues: list[Queue]) -> None:
    assert list(read_submit(text.encode()).queues) == queues


def test_submit_values() -> None:
    submit = read_submit(
        b'# c\nA = 1\na = \\\n 2\n+Attr = "x"\nlong @=end\n one\n queue 7\n@end\n'
        b"if $(x)\n b = 3\nendif\ninclude : other\njunk\n"
    )
    assert submit.values == {"a": "2", "my.attr": '"x"', "long": "one\nqueue 7", "b": "3"}
    assert not submit.queues
    assert len(submit.oddities) == 2


@given(
    st.dictionaries(
        st.sampled_from("abcd"),
        st.lists(st.sampled_from(["$(a)", "$(b)", "$(c)", "$(z:9)", "$(z)", "x"]), max_size=4).map("".join),
    )
)
def test_expansion_ends(values: dict[str, str]) -> None:
    result = expand("$(a)$(b)", values)
    assert result is None or "$(" not in result


def column(values) -> list | None:
    return None if values is None else values.tolist()


def test_requests(tmp_path: Path) -> None:
    """Shared files, macros from VARS, inline and named descriptions; files that are not there are no error."""
    (tmp_path / "shared.sub").write_text("request_memory = $(mem:100)\nrequest_disk = 2M\nqueue $(n)\nn = 3\n")
    (tmp_path / "plain.sub").write_text("request_memory = 1G\nqueue x in (a b)\n")
    (tmp_path / "items.sub").write_text("request_disk = RequestCpus * 5\nqueue x from items.txt\n")
    (tmp_path / "items.txt").write_text("one\n# not\ntwo\n\nthree\nfour\n")
    (tmp_path / "d").mkdir()
    (tmp_path / "d" / "deep.sub").write_text("request_memory = 7\n")
    (tmp_path / "x.dag").write_text(
        "JOB a shared.sub\nJOB b shared.sub\nJOB c plain.sub\nJOB d missing.sub\nJOB e items.sub\n"
        "JOB f deep.sub DIR d\nJOB g {\nrequest_memory = $(mem)\n}\n"
        "SUBMIT-DESCRIPTION desc {\nrequest_disk = 1\n}\nJOB h desc\nJOB i desc NOOP\n"
        'VARS b mem="2G"\nVARS g mem="5"\nVARS d request_memory="9"\nVARS c request_memory="9"\n'
        'VARS h APPEND request_disk="8"\n'
    )
    dag = open_document(tmp_path / "x.dag").dag
    mib = 2**20
    assert column(dag.memory_bytes) == [100 * mib, 2048 * mib, 1024 * mib, 9 * mib, -1, 7 * mib, 5 * mib, -1, -1]
    assert column(dag.temp_bytes) == [2 * mib, 2 * mib, -1, -1, -1, -1, -1, 8 * 1024, 1024]
    assert column(dag.count) == [3, 3, 2, 1, 4, 1, 1, 1, 1]


def test_requests_inside_splices(tmp_path: Path) -> None:
    (tmp_path / "d").mkdir()
    (tmp_path / "d" / "j.sub").write_text("request_memory = 3\n")
    (tmp_path / "d" / "s.dag").write_text('JOB x j.sub\nJOB y j.sub\nVARS y time_s="2.5"\n')
    (tmp_path / "x.dag").write_text(
        'SPLICE s s.dag DIR d\nJOB a j.sub\nSPLICE t s.dag DIR d\nVARS a time_s="1" memory_bytes="12345"\n'
    )
    dag = open_document(tmp_path / "x.dag").dag
    assert dag.names == ("s+x", "s+y", "a", "t+x", "t+y")
    assert column(dag.memory_bytes) == [3 * 2**20, 3 * 2**20, 12345, 3 * 2**20, 3 * 2**20]
    assert np.array_equal(dag.time_s, [np.nan, 2.5, 1, np.nan, 2.5], equal_nan=True)


def test_variables_of_all_nodes() -> None:
    dag = parse(
        Source("x.dag", b'VARS ALL_NODES time_s="4"\nJOB a a\nJOB b b\nVARS a Time_S="2"\nVARS b time_s="many"\n')
    ).dag
    assert np.array_equal(dag.time_s, [2, np.nan], equal_nan=True)


def test_many_submit_files_are_looked_up_in_one_listing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "j7.sub").write_text("request_memory = 7\n")
    (tmp_path / "x.dag").write_text("".join(f"JOB j{i} j{i}.sub\n" for i in range(1000)))
    opened = []
    real = Path.is_file
    monkeypatch.setattr(Path, "is_file", lambda path: opened.append(path) or real(path))
    dag = open_document(tmp_path / "x.dag").dag
    assert dag.memory_bytes is not None
    assert np.flatnonzero(dag.memory_bytes >= 0).tolist() == [7]
    assert len(opened) < 10


_NAMES = ["x", " a.b", "if", "ELSE", "endif", "queue", "Queue", "include", "+a", "a-b", "é", "#", "}", ""]
_LINES = st.tuples(
    st.sampled_from(_NAMES),
    st.sampled_from(["=", "=", " = ", "\t= \r", " ", "", ":", " : ", " @="]),
    st.sampled_from(["1", "", "x \\", "E", "# }"]),
).map("".join)
_BODIES = st.lists(_LINES | st.sampled_from(["@E", "", "if true", "endif"]), max_size=4).map("\n".join)


@settings(deadline=None, max_examples=400)
@given(_BODIES)
def test_plain_descriptions_are_no_exception(body: str) -> None:
    """Plain descriptions are accepted at a glance; behind a continued line the same one is read line by line."""
    assert inline_of(body) == inline_of(body, before="z = \\\n1\n")


def inline_of(body: str, before: str = "") -> str | None:
    try:
        details = parse(Source("x.dag", f"JOB a {{\n{before}{body}\n}}\n".encode())).details
    except ParseError:
        return None
    inline = details.job(0).inline
    return inline and inline.removeprefix(before)
