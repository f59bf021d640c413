from __future__ import annotations

import re
import textwrap
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eligo.dag import UNKNOWN, Dag
from eligo.errors import EligoError, ParseError
from eligo.formats import open_document
from eligo.formats._base import Document, Notes
from eligo.formats._condor_log import is_condor_log, read_condor_log, read_events
from eligo.formats._job_data import attach
from eligo.formats._source import Source
from tests.reference.condor_pool import need_pool, run_dag, run_in_pool


def submit(job: int, node: str, process: int = 0, at: str = "10:00:00") -> str:
    return f"000 ({job:03}.{process:03}.000) 2026-01-31 {at} Job submitted from host: <h>\n    DAG Node: {node}\n...\n"


def event(kind: int, job: int, at: str, text: str = "Something", process: int = 0) -> str:
    return f"{kind:03} ({job:03}.{process:03}.000) 2026-01-31 {at} {text}\n...\n"


def end(job: int, at: str, code: int = 0, *, process: int = 0, memory: int = 0, moved: tuple[int, int] = (0, 0)) -> str:
    return event(
        5,
        job,
        at,
        textwrap.dedent(f"""\
        Job terminated.
        \t(1) Normal termination (return value {code})
        \t\tUsr 0 00:00:00, Sys 0 00:00:00  -  Run Remote Usage
        \t{moved[0]}  -  Run Bytes Sent By Job
        \t{moved[1]}  -  Run Bytes Received By Job
        \t99999  -  Total Bytes Sent By Job
        \tPartitionable Resources :    Usage  Request Allocated
        \t   Cpus                 :     0.01        1         1
        \t   Disk (KB)            :  4896           1  20098001
        \t   GPUs                 :                           0
        \t   Memory (MB)          :     {memory}           1      1024
        \t   TimeExecute (s)      :     1"""),
        process,
    )


def rows(*events: str) -> dict[str, dict[str, str]]:
    return {row.name: row.cells for row in read_condor_log(Source("x.log", "".join(events).encode()), Notes())}


def test_from_start_to_end_by_the_clock() -> None:
    log = [submit(1, "a"), event(1, 1, "10:00:10"), end(1, "11:00:10", memory=3, moved=(7, 5))]
    measured = {"time_s": "3600.0", "memory_bytes": str(3 * 2**20)}
    assert rows(*log) == {"a": {**measured, "output_bytes": "7", "temp_bytes": str(4896 * 1024)}}
    assert rows(*log[:2], end(1, "11:00:10", memory=3)) == {"a": measured}


def test_the_most_memory_that_was_seen() -> None:
    sizes = [f"Image size of job updated: 1\n\t{mb}  -  MemoryUsage of job (MB)\n\t9  -  Resident" for mb in (5, 8, 2)]
    log = [submit(1, "a"), event(1, 1, "10:00:00"), *(event(6, 1, "10:00:05", size) for size in sizes)]
    assert rows(*log, end(1, "10:00:09", memory=4))["a"]["memory_bytes"] == str(8 * 2**20)


@pytest.mark.parametrize("kind", [4, 7, 12, 24])
def test_what_ran_before_it_was_stopped_is_lost(kind: int) -> None:
    log = [submit(1, "a"), event(1, 1, "10:00:00"), event(kind, 1, "10:30:00"), event(13, 1, "10:31:00")]
    assert rows(*log, event(1, 1, "11:00:00"), end(1, "11:00:07")) == {"a": {"time_s": "7.0"}}
    assert rows(*log, end(1, "11:00:07")) == {"a": {}}


def test_a_lost_and_found_connection_changes_nothing() -> None:
    log = [submit(1, "a"), event(1, 1, "10:00:00"), event(22, 1, "10:01:00"), event(23, 1, "10:02:00")]
    assert rows(*log, end(1, "10:03:00")) == {"a": {"time_s": "180.0"}}


def test_the_last_success_counts() -> None:
    tries = [
        [submit(job, "a"), event(1, job, "10:00:00"), end(job, f"10:00:{10 * job}", code)]
        for job, code in ((1, 1), (2, 0), (3, 0), (4, 9))
    ]
    assert rows(*(line for one in tries for line in one)) == {"a": {"time_s": "30.0"}}
    assert rows(*tries[0]) == {}


def test_removed_jobs_did_not_succeed() -> None:
    assert rows(submit(1, "a"), event(1, 1, "10:00:00"), event(9, 1, "10:00:03", "Job was aborted.")) == {}
    signal = event(5, 1, "10:00:03", "Job terminated.\n\t(0) Abnormal termination (signal 9)")
    assert rows(submit(1, "a"), event(1, 1, "10:00:00"), signal) == {}


def test_a_script_after_it_has_the_last_word() -> None:
    def post(code: int) -> str:
        text = f"POST Script terminated.\n\t(1) Normal termination (return value {code})\n    DAG Node: a"
        return event(16, 1, "10:00:09", text)

    log = [submit(1, "a"), event(1, 1, "10:00:00")]
    assert rows(*log, end(1, "10:00:05", 3), post(0)) == {"a": {"time_s": "5.0"}}
    assert rows(*log, end(1, "10:00:05", 0), post(1)) == {}


def test_several_processes_of_a_node() -> None:
    log = [submit(1, "a", process) for process in (0, 1)]
    log += [event(1, 1, "10:00:00", process=process) for process in (0, 1)]
    log += [end(1, "10:00:05", memory=2), end(1, "10:00:09", process=1, memory=3)]
    assert rows(*log) == {"a": {"time_s": "9.0", "memory_bytes": str(5 * 2**20)}}
    assert rows(*log[:-1]) == {}
    assert rows(*log[:-1], end(1, "10:00:09", 1, process=1)) == {}


def test_old_dates_and_clocks_that_go_back() -> None:
    old = "".join([submit(1, "a"), event(1, 1, "10:00:00"), end(1, "10:00:05")]).replace("2026-01-31", "02/29")
    assert rows(old) == {"a": {"time_s": "5.0"}}
    notes = Notes()
    log = submit(1, "a") + event(1, 1, "10:00:05") + end(1, "10:00:00")
    assert [row.cells for row in read_condor_log(Source("x.log", log.encode()), notes)] == [{}]
    assert "before it began" in notes.texts()[0]


def test_a_log_that_is_cut_short() -> None:
    log = submit(1, "a") + event(1, 1, "10:00:00") + end(1, "10:00:05") + submit(2, "b")
    for length in range(len(log)):
        assert rows(log[:length]) in ({}, {"a": {"time_s": "5.0"}})


def test_beside_a_workflow() -> None:
    dag = Dag.from_names([("a", "b"), ("b", "c")])
    log = "".join(
        submit(i, n) + event(1, i, "10:00:00") + end(i, "10:00:05", c)
        for i, (n, c) in enumerate([("a", 0), ("b", 1), ("x", 0), ("y", 0)])
    )
    document = attach(Document(dag, "dagman", Source("x.dag", b"")), Source("x.log", log.encode()))
    assert document.dag.time_s is not None
    assert document.dag.time_s.tolist()[0] == 5
    assert sorted(document.warnings) == [
        "x.log:19: a node of the log never succeeded: not read",
        "x.log:37: job 'x' of the log is not in the workflow: passed over (and 1 more)",
    ]
    with pytest.raises(ParseError, match="says nothing of this workflow: it has no job 'a'") as caught:
        attach(Document(Dag.from_names([("p", "q")]), "dagman", Source("x.dag", b"")), Source("x.log", log.encode()))
    assert caught.value.line == 1
    with pytest.raises(ParseError, match="no job in it succeeded"):
        attach(Document(dag, "dagman", Source("x.dag", b"")), Source("x.log", submit(1, "a").encode()))


def test_what_is_a_log() -> None:
    for log in (
        submit(1, "a"),
        '{"MyType": "ExecuteEvent", "ExecuteProps": {"Cpus": 1},\n"EventTypeNumber": 1}',
        '<?xml version="1.0"?>\n<c>\n <a n="MyType"><s>SubmitEvent</s></a>',
    ):
        assert is_condor_log(log.encode())
        assert is_condor_log(b"\xef\xbb\xbf" + log.encode())
    for other in ('{"EventTypeNumber": {"time_s": 1}}', '[{"job": "a"}]', "job,time_s", "", "000,1", "<adag/>"):
        assert not is_condor_log(other.encode())


def test_damaged_logs() -> None:
    with pytest.raises(ParseError, match=r"x.log:4: this is no event"):
        rows(submit(1, "a"), "rubbish\n...\n")
    with pytest.raises(ParseError, match=r"x.log:3: this is no event"):
        list(read_events(Source("x.log", b'{"EventTypeNumber": 0}\n...\n{"x": }\n')))
    with pytest.raises(ParseError, match=r"x.log:2: not well-formed"):
        list(read_events(Source("x.log", b'<c><a n="EventTypeNumber"><i>0</i></a></c>\n<c></d>')))
    with pytest.raises(ParseError):
        list(read_events(Source("x.log", b'<c><a n="E"><s>&lol;</s></a></c>')))


@settings(max_examples=200, deadline=None)
@given(st.text('01 5().:-/\n{}<>ac"=,n', max_size=60))
def test_any_text_gives_events_or_an_error(text: str) -> None:
    for begin in ("", "001 (1.0.0) 2026-01-31 10:00:00 x\n...\n", '{"EventTypeNumber": 1}', '<c><a n="Cluster">'):
        data = (begin + text).encode()
        is_condor_log(data)
        try:
            list(read_condor_log(Source("x", data), Notes()))
        except EligoError as error:
            assert error.hint


_JOB = """#!/bin/sh
head -c 3000000 /dev/zero > out.$1
sleep 1
mkdir try.$1 2>/dev/null
test -e "$2/flag.$1" && exit 0
: > "$2/flag.$1"
exit 3
"""


@pytest.mark.long
@pytest.mark.engine
def test_real_logs(tmp_path: Path) -> None:
    """a (fails once) -> two processes -> nothing, with a failing job that its script after it makes good."""
    need_pool()
    (tmp_path / "job.sh").write_text(_JOB)
    (tmp_path / "job.sh").chmod(0o755)
    log = "log = all.log\nshould_transfer_files = yes\nwhen_to_transfer_output = on_exit\n"
    (tmp_path / "a.sub").write_text(f"executable = job.sh\narguments = 1 {tmp_path}\n{log}queue\n")
    (tmp_path / "two.sub").write_text("executable = /bin/sleep\narguments = 1\nlog = all.log\nqueue 2\n")
    (tmp_path / "bad.sub").write_text("executable = /bin/false\nlog = all.log\nqueue\n")
    dag = tmp_path / "x.dag"
    dag.write_text(
        "JOB a a.sub\nJOB two two.sub\nJOB nothing two.sub NOOP\nJOB bad bad.sub\nRETRY a 2\n"
        "SCRIPT POST bad /bin/true\nPARENT a CHILD two\nPARENT two CHILD nothing\n"
    )
    tmp_path.chmod(0o777)  # jobs may run as another user
    run_dag(dag)
    nodes = Path(f"{dag}.nodes.log")
    known = open_document(dag, job_data=nodes).dag
    assert known.time_s is not None
    times = dict(zip(known.names, known.time_s.tolist(), strict=True))
    assert 1 <= times["a"] <= 60
    assert 1 <= times["two"] <= 60
    assert 0 <= times["bad"] <= 60
    assert times["nothing"] != times["nothing"]  # it never ran
    assert known.data is not None
    made = dict(zip(known.data.producer.tolist(), known.data.size_bytes.tolist(), strict=True))
    assert made[known.index("a")] == 3_000_000
    assert known.temp_bytes is not None
    assert known.temp_bytes[known.index("a")] >= 2_900_000
    assert known.temp_bytes[known.index("two")] == UNKNOWN
    own = open_document(dag, job_data=tmp_path / "all.log").dag
    assert own.time_s is not None
    assert own.time_s[:2].tolist() == known.time_s[:2].tolist()
    for form in ("JSON", "XML"):
        echo = f"condor_wait -echo:{form} -allevents -wait 1 {nodes.name} || true"  # it always waits in vain
        text = run_in_pool(["sh", "-c", echo], tmp_path)
        copy = tmp_path / "copy.log"
        copy.write_text(re.sub(r"^(All jobs done|Time expired).*\n?", "", text, flags=re.MULTILINE))
        again = open_document(dag, job_data=copy).dag
        assert again == known, form
