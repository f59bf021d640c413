"""What the HTCondor engine makes of logs, without a pool: logs as a real DAGMan wrote them, in our words.

The lines were made by hand after those of HTCondor 23.9, one of each kind that it writes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings

from eligo.dag import Dag
from eligo.engines._engine import Event, Happening
from eligo.engines._htcondor.condor_queue import check_options
from eligo.engines._htcondor.dag_files import DAG_NAME, Annotated, Described, Place
from eligo.engines._htcondor.dagman_logs import Kind, NodesLog, read_event
from eligo.engines._htcondor.node_tracker import FINAL, Courses, Rule
from eligo.engines._plan import Abort, Hook, Plan, Process, Task
from eligo.engines._rescue import newest_rescue, read_rescue, write_rescue
from eligo.engines._state import JobStatus, State
from eligo.errors import EngineError, ParseError
from eligo.formats import open_document
from eligo.formats._base import Document
from eligo.formats._dagman import parse
from eligo.formats._source import Source

STATES = """\
1000 INTERNAL *** DAGMAN_STARTED 8.0 ***
1001 prefail PRE_SCRIPT_STARTED - - - 1
1001 preskip PRE_SCRIPT_STARTED - - - 2
1002 prefail PRE_SCRIPT_FAILURE - - - 1
1002 preskip PRE_SCRIPT_FAILURE - - - 2
1002 preskip PRESKIP 0.2147483647 - - 2
1003 ok SUBMIT 9.0 - - 4
1003 multi SUBMIT 10.0 - - 5
1003 multi SUBMIT 10.1 - - 5
1003 again SUBMIT 11.0 - - 6
1003 post SUBMIT 12.0 - - 7
1003 noop SUBMIT 0.2147483647 - - 8
1003 noop JOB_TERMINATED 0.2147483647 - - 8
1003 noop JOB_SUCCESS 0 - - 8
1004 multi EXECUTE 10.0 - - 5
1004 ok EXECUTE 9.0 - - 4
1004 again EXECUTE 11.0 - - 6
1004 multi EXECUTE 10.1 - - 5
1005 multi JOB_TERMINATED 10.0 - - 5
1006 multi JOB_TERMINATED 10.1 - - 5
1006 multi JOB_FAILURE 1 - - 5
1006 again JOB_TERMINATED 11.0 - - 6
1006 again JOB_FAILURE -9 - - 6
1006 post EXECUTE 12.0 - - 7
1007 post JOB_TERMINATED 12.0 - - 7
1007 post JOB_FAILURE 1 - - 7
1007 post POST_SCRIPT_STARTED 12.0 - - 7
1008 post POST_SCRIPT_TERMINATED 12.0 - - 7
1008 post POST_SCRIPT_SUCCESS 12.0 - - 7
1008 ok JOB_EVICTED 9.0 - - 4
1009 ok EXECUTE 9.0 - - 4
1010 ok SHADOW_EXCEPTION 9.0 - - 4
1010 ok JOB_HELD 9.0 - - 4
1011 ok JOB_RELEASED 9.0 - - 4
1012 ok EXECUTE 9.0 - - 4
1013 ok JOB_TERMINATED 9.0 - - 4
1013 ok JOB_SUCCESS 0 - - 4
1014 again SUBMIT 21.0 - - 10
1014 _condor_join_node1 SUBMIT 0.2147483647 - - 11
1014 _condor_join_node1 JOB_TERMINATED 0.2147483647 - - 11
1014 _condor_join_node1 JOB_SUCCESS 0 - - 11
1015 again EXECUTE 21.0 - - 10
1016 again JOB_ABORTED 21.0 - - 10
1016 again JOB_FAILURE -1002 - - 10
1017 end SUBMIT 39.0 - - 14
1017 end EXECUTE 39.0 - - 14
1018 end JOB_TERMINATED 39.0 - - 14
1018 end JOB_SUCCESS 0 - - 14
1019 INTERNAL *** DAGMAN_FINISHED 1 ***
"""

NAMES = ["ok", "multi", "again", "post", "prefail", "preskip", "noop"]
RULES = {"again": Rule(retries=1), "post": Rule(after=True), "preskip": Rule(may_skip=True)}
NUMBERS = {name: job for job, name in enumerate(NAMES)} | {"end": FINAL}


def executing(job: str, slot: int) -> str:
    cluster, process = job.split(".")
    head = f"001 ({int(cluster):03}.{int(process):03}.000) 2026-01-01 00:00:00"
    return f"{head} Job executing on host: <x>\n\tSlotName: s{slot}"


EVENTS = [
    executing("9.0", 1),
    executing("10.0", 2),
    executing("10.1", 3),
    executing("11.0", 4),
    executing("9.0", 5),
    executing("9.0", 2),
    "012 (009.000.000) 2026-01-01 00:00:00 Job was held.\n\tno more disk\n\tCode 1 Subcode 2",
    "006 (009.000.000) 2026-01-01 00:00:00 Image size of job updated: 9\n\t9  -  ResidentSetSize of job (KB)",
    "005 (009.000.000) 2026-01-01 00:00:00 Job terminated.\n\t(1) Normal termination (return value 0)\n"
    "\t\tUsr 0 00:01:01, Sys 1 00:00:02  -  Run Remote Usage\n\t   Memory (MB)          :        3        1      1024 ",
    "005 (012.000.000) 2026-01-01 00:00:00 Job terminated.\n\t(0) Abnormal termination (signal 9)",
]


def follow(state: State, log: NodesLog) -> Courses:
    return Courses(NUMBERS, lambda job: RULES.get(NAMES[job], Rule()) if job >= 0 else Rule(), state, log)


def columns(state: State) -> list[object]:
    return [state.status, state.attempts, state.start_s, state.end_s, state.worker, state.exit_code, state.reason]


def outcome_of(cuts: list[int]) -> tuple[list[Event], list[object], object]:
    """Read all lines; after each of some numbers of lines forget everything but the state, and begin again."""
    lines = STATES.splitlines()
    told: list[Event] = []
    with TemporaryDirectory() as here:
        (log := Path(here, "nodes.log")).write_text("".join(f"{event}\n...\n" for event in EVENTS))
        with State.create(Path(here), Dag.from_edges(NAMES), began=1000.0) as state:
            known = 0
            for cut in [*sorted(cuts), len(lines)]:
                nodes_log = NodesLog(log)
                nodes_log.read()
                courses = follow(state, nodes_log)
                for line in lines[:known]:
                    assert courses.take(line, silent=True) == []
                for line in lines[known:cut]:
                    told += courses.take(line)
                known = max(known, cut)
            return told, columns(state), state.get("final")


def test_courses():
    """Each kind of course, by its events."""
    told, (status, attempts, _, _, worker, code, reason), final = outcome_of([])
    courses = {name: [event.what.name for event in told if event.job == job] for job, name in enumerate(NAMES)}
    assert courses == {
        "ok": ["STARTED", "AGAIN", "STARTED", "AGAIN", "NOTE", "STARTED", "SUCCEEDED"],
        "multi": ["STARTED", "FAILED"],
        "again": ["STARTED", "AGAIN", "STARTED", "FAILED"],
        "post": ["STARTED", "SUCCEEDED"],
        "prefail": ["STARTED", "FAILED"],
        "preskip": ["STARTED", "SUCCEEDED"],
        "noop": ["STARTED", "SUCCEEDED"],
    }
    done, failed = JobStatus.DONE, JobStatus.FAILED
    assert status == [done, failed, failed, done, failed, done, done]
    assert attempts == [3, 1, 2, 1, 1, 1, 1]
    assert (worker[0], code[0]) == (0, 0)  # its last slot is the first that any job ran on
    assert reason[1:3] == ["ended with status 1", "it was removed from the queue"]
    (again,) = [event for event in told if event.what is Happening.AGAIN and event.job == 2]
    assert again.exit_code == 137
    assert "no more disk" in next(event.text for event in told if event.job == 0 and event.what is Happening.NOTE)
    assert final == {"status": "done", "reason": ""}


@given(st.lists(st.integers(0, STATES.count("\n")), max_size=4))
@settings(max_examples=40, deadline=None)
def test_reading_again_changes_nothing(cuts):
    assert outcome_of(cuts) == outcome_of([])


def test_a_repeated_line(tmp_path):
    """What is done stays done."""
    with State.create(tmp_path, Dag.from_edges(NAMES), began=0.0) as state:
        courses = follow(state, NodesLog(tmp_path / "none"))
        for line in ("1 ok EXECUTE 9.0 - - 1", "2 ok JOB_TERMINATED 9.0 - - 1", "2 ok JOB_SUCCESS 0 - - 1"):
            assert len(courses.take(line)) == ("TERMINATED" not in line)
        assert [courses.take(line) for line in ("1 ok EXECUTE 9.0 - - 1", "2 ok JOB_SUCCESS 0 - - 1")] == [[], []]
        assert state.status[0] == JobStatus.DONE


def test_details_of_events():
    event = read_event(EVENTS[-2])
    assert (event.exit_code, event.cpu_s, event.peak_bytes) == (0, 86_463.0, 3 << 20)
    assert read_event(EVENTS[-1]).exit_code == 137
    assert read_event("001 nonsense") is None
    assert read_event("040 (009.000.000) 2026-01-01 00:00:00 Started transferring input files") is None


@given(st.integers(0, 400), st.integers(0, 400))
@settings(max_examples=30, deadline=None)
def test_a_log_in_pieces(first, second):
    """A log of which only part is there is read as far as whole events go."""
    whole = "".join(f"{event}\n...\n" for event in EVENTS[:4]).encode()
    with TemporaryDirectory() as here:
        path = Path(here, "log")
        log = NodesLog(path)
        slots = []
        for end in (first, first + second, len(whole)):
            path.write_bytes(whole[:end])
            log.read()
        for job in ("9.0", "10.0", "10.1", "11.0"):
            slots.append(log.take(Kind.EXECUTE, job).slot)
        assert slots == ["s1", "s2", "s3", "s4"]
        assert log.take(Kind.EXECUTE, "9.0").slot == ""


def abort_rule(_: int) -> Rule:
    return Rule(retries=3, abort=Abort(7, 2))


def test_abort(tmp_path):
    with State.create(tmp_path, Dag.from_edges(["a"]), began=0.0) as state:
        courses = Courses({"a": 0}, abort_rule, state, NodesLog(tmp_path / "none"))
        (event,) = courses.take("1 a JOB_FAILURE 7 - - 1")
        assert event.what is Happening.FAILED
        assert courses.aborting == Abort(7, 2)


ENDING = """1 run SUBMIT 1.0 - - 1
1 pre PRE_SCRIPT_STARTED - - - 2
1 post SUBMIT 2.0 - - 3
1 wait SUBMIT 3.0 - - 4
1 run EXECUTE 1.0 - - 1
1 post EXECUTE 2.0 - - 3
1 after SUBMIT 4.0 - - 5
1 after EXECUTE 4.0 - - 5
2 after JOB_TERMINATED 4.0 - - 5
2 after JOB_SUCCESS 0 - - 5
2 after POST_SCRIPT_STARTED 4.0 - - 5
2 theirs SUBMIT 5.0 - - 6
2 theirs JOB_ABORTED 5.0 - - 6
2 theirs JOB_FAILURE -1002 - - 6
3 wait JOB_HELD 3.0 - - 4
3 pre PRE_SCRIPT_FAILURE - - - 2
3 after POST_SCRIPT_TERMINATED 4.0 - - 5
3 after POST_SCRIPT_FAILURE 4.0 - - 5
3 wait JOB_ABORTED 3.0 - - 4
3 wait JOB_FAILURE -1002 - - 4
3 run JOB_EVICTED 1.0 - - 1
3 post JOB_EVICTED 2.0 - - 3
3 run JOB_ABORTED 1.0 - - 1
3 run JOB_FAILURE -1002 - - 1
3 post JOB_ABORTED 2.0 - - 3
3 post JOB_FAILURE -1002 - - 3
3 post POST_SCRIPT_STARTED 2.0 - - 3
4 end SUBMIT 6.0 - - 7
4 post POST_SCRIPT_TERMINATED 2.0 - - 3
4 post POST_SCRIPT_SUCCESS 2.0 - - 3
4 end EXECUTE 6.0 - - 7
4 end JOB_TERMINATED 6.0 - - 7
4 end JOB_SUCCESS 0 - - 7
"""
"""What DAGMan writes when it is removed at second 3: it kills scripts, and runs those after jobs, and FINAL."""


@pytest.mark.parametrize("again", range(0, ENDING.count("\n") + 1, 4))
def test_removed_by_us(again, tmp_path):
    """What we stopped waits and has not failed, though a script after it succeeds; what others removed has failed."""
    names = ["run", "pre", "post", "wait", "after", "theirs"]
    numbers = {name: job for job, name in enumerate(names)} | {"end": FINAL}
    events: list[Event] = []
    with State.create(tmp_path, Dag.from_edges(names), began=0.0) as state:
        for first, last in ((0, again), (again, None)):  # as if Eligo was killed between
            courses = Courses(numbers, lambda job: Rule(1 if job == 0 else 0, after=job in (2, 4)), state,
                              NodesLog(tmp_path / "none"))  # fmt: skip
            for line in ENDING.splitlines()[:first]:
                courses.take(line, silent=True, removed=line[0] >= "3")
            for line in ENDING.splitlines()[first:last]:
                events += courses.take(line, removed=line[0] >= "3")
        told = {name: [event.what.name for event in events if event.job == job] for job, name in enumerate(names)}
        stopped = ["STARTED", "CANCELLED"]
        assert told.pop("wait") in ([], ["NOTE"])  # it was held
        assert told == {"run": stopped, "pre": stopped, "post": stopped, "after": stopped, "theirs": ["FAILED"]}
        assert state.status == [JobStatus.WAITING] * 5 + [JobStatus.FAILED]
        assert state.get("final") is None
        assert [event.what for event in events if event.job < 0] == [Happening.NOTE]
        assert courses.stopped == {0, 1, 2, 3, 4, FINAL}


@pytest.mark.parametrize(
    "words", [["-f"], ["-no_submit"], ["-usedagdir"], ["-maxidle"], ["other.dag"], ["-max", "1"], ["-autorescue", "0"]]
)
def test_options_that_would_break_a_run(words):
    with pytest.raises(EngineError):
        check_options(words)


def dagman_plan(folder: Path, text: str, change: Callable[[Plan], Plan] = lambda plan: plan) -> Plan:
    (flow := folder / "flow.dag").write_text(text)
    document = open_document(flow)
    n = document.dag.n
    plan = Plan(document, document.dag, np.arange(n, 0, -1, dtype=np.int32), lambda job: Task(str(job)), folder)
    return change(plan)


def written(nodes: Annotated | Described, folder: Path) -> str:
    (place := folder / "place").mkdir()
    nodes.write(Place(place, folder, "place"))
    return (place / DAG_NAME).read_text()


def test_dependencies_of_a_limit(tmp_path):
    def limited(plan: Plan) -> Plan:
        return replace(plan, dag=Dag.from_edges(plan.dag.names, [0, 1], [1, 2]))

    plan = dagman_plan(tmp_path, "JOB a x.sub\nJOB b x.sub\nJOB c x.sub\nPARENT a CHILD b\n", limited)
    made = parse(Source("flow.dag", written(Annotated(plan), tmp_path).encode()))
    assert made.dag == plan.dag
    assert [made.details.job(job).priority for job in range(3)] == [3, 2, 1]


def test_a_submit_file_with_a_priority_of_its_own_is_told_of(tmp_path):
    (tmp_path / "x.sub").write_text("executable = /bin/true\npriority = 5\nqueue\n")
    nodes = Annotated(dagman_plan(tmp_path, "JOB a x.sub\nPRIORITY a 3\n"))
    assert any("x.sub: a priority that it gives overrides ours" in text for text in nodes.warnings)
    assert "\nPRIORITY a 1\n" in written(nodes, tmp_path)
    assert "priority = 5" in (tmp_path / "x.sub").read_text()


def test_splices_are_flattened(tmp_path):
    (tmp_path / "part.dag").write_text("JOB a x.sub\nJOB b x.sub\nPARENT a CHILD b\n")
    nodes = Annotated(
        dagman_plan(tmp_path, "JOB first x.sub\nSPLICE s part.dag\nPARENT first CHILD s\nRETRY first 2\n")
    )
    assert "SPLICE" not in written(nodes, tmp_path)
    assert (nodes.names, nodes.rule(0).retries) == (["first", "s.a", "s.b"], 2)


def test_logs_of_the_user(tmp_path):
    """DAGMan takes the first of several; so do we, and ask for none of our own."""
    nodes = Annotated(dagman_plan(tmp_path, "JOB a x.sub\nJOBSTATE_LOG mine.log\nNODE_STATUS_FILE mine.txt 5\n"))
    (tmp_path / "place").mkdir()
    logs = nodes.write(Place(tmp_path / "place", tmp_path, "place"))
    assert (logs.job_states, logs.node_states) == ("mine.log", "mine.txt")
    assert (tmp_path / "place" / DAG_NAME).read_text().count("JOBSTATE_LOG") == 1


@pytest.mark.parametrize(
    ("task", "what"),
    [
        (Task("a", (Process(("true", "two\nlines"), "/"),)), "end of a line"),
        (Task("a", (Process(("true",), "/"), Process(("true",), "/"))), "several processes"),
        (Task("a", (Process(("/no/such/program",), "/"),)), "not an executable file"),
        (Task("a", (Process(("no-such-program",), "/"),)), "not in PATH"),
        (Task("a", (Process(("true",), "/ends in a blank "),)), "such an end"),
        (Task("a", (Process(("true",), "/"),), before=Hook(("check", "a b"), "/")), "'a b' in a script"),
    ],
)
def test_what_htcondor_has_no_place_for(task, what, tmp_path):
    document = Document(Dag.from_edges(["a"]), "edgelist", Source("x.csv", b""))
    plan = Plan(document, document.dag, np.ones(1, np.int32), lambda _: replace(task, line=7), Path("/"))
    with pytest.raises(ParseError, match=what) as error:
        Described(plan, tmp_path)
    assert str(error.value).startswith("x.csv:7: job 'a' cannot run on HTCondor: ")


def test_rescue_dags(tmp_path):
    document = dagman_plan(tmp_path, "JOB a x.sub\nJOB b x.sub\n").document
    assert read_rescue(document) is None
    for number in range(1, 103):
        made = write_rescue(document, [number % 2 == 1, True])
        assert made.name == f"flow.dag.rescue{min(number, 100):03}"  # further ones DAGMan would not look at
        assert read_rescue(document) == [number % 2 == 1, True]
    (tmp_path / "flow.dag.rescue150").write_text("DONE b\nDONE _condor_join_node1\n")
    assert read_rescue(document) == [False, True]
    assert newest_rescue(tmp_path / "flow.dag").name == "flow.dag.rescue150"
    assert write_rescue(document, [True, True], failed=[1]).name == "flow.dag.rescue151"
    (tmp_path / "flow.dag.rescue151").write_text("DONE c\n")
    with pytest.raises(ParseError, match="'c' is no job"):
        read_rescue(document)
