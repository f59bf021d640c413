"""A real HTCondor runs what we prioritised in the order of our priorities.

Each test writes a DAG, prioritises it with the command line, lets the pool run it, and judges the event log by the
rules of ``tests/reference/condor_log.py``. The jobs ask for slots by number, so nobody else's use of the pool matters
and "one slot" is exactly that. DAGMan looks for finished jobs only once a second: so that what a finished job set free
comes into the queue while others still wait there, a job ends only when it has come (:data:`WORK`).
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from eligo._cli import main
from tests.reference.condor_log import held_back, overtaking, passed_over, preferred, read_starts
from tests.reference.condor_pool import need_pool, run_dag
from tests.reference.dagman_oracle import ask

pytestmark = pytest.mark.engine

Children = Mapping[str, Sequence[str]]

FORKS: Children = {
    **{f"a{i}": [f"b{i}"] for i in range(1, 6)},
    "root": ["fork1", "fork2", "fork3"],
    **{f"fork{i}": [f"tine{i}x", f"tine{i}y"] for i in (1, 2, 3)},
}
"""Five dull pairs, which stand first in the file, and a tree that should run first.

    a1 ... a5        root
    |       |      /   |   \\
    b1 ... b5   fork1  ..  fork3
                / \\        / \\
"""

SMALL: Children = {"a1": ["b1"], "a2": ["b2"], "a3": ["b3"], "root": ["fork"], "fork": ["x", "y"]}

WORK = """#!/bin/sh
# Wait, for at most 30 s, until the jobs that finished jobs have set free are in the queue.
tries=0
while [ $tries -lt 300 ]; do
    late=
    for job in $(cat *.free 2>/dev/null); do
        grep -q "DAG Node: $job$" events.log || late=yes
    done
    [ "$late" ] || break
    sleep 0.1
    tries=$((tries + 1))
done
[ ! -e "$1.frees" ] || mv "$1.frees" "$1.free"
"""
"""What a job does. ``JOB.frees`` names the children that others should wait for when JOB is done."""


@pytest.fixture(autouse=True)
def _pool() -> None:
    need_pool()


@pytest.fixture
def one_slot() -> str:
    """A slot of its own for each of two parallel workers; the rest is for the tests that want several."""
    worker = os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw")
    return f"SlotID == {1 + int(worker) % 2}"


def write_submit_file(path: Path, slots: str, *more: str) -> None:
    lines = [
        "executable = work.sh",
        "arguments = $(JOB)",
        "should_transfer_files = no",
        f"requirements = {slots}",
        "log = events.log",
        "job_ad_information_attrs = JobPrio",
        *more,
        "queue",
    ]
    path.write_text("\n".join(lines) + "\n")


def write_dag(path: Path, children: Children, slots: str, *more: str) -> Path:
    """Write a DAG whose file order is that of `children`, then the sinks, with two submit files beside it."""
    write_submit_file(path.with_name("inner.sub"), slots)
    write_submit_file(path.with_name("sink.sub"), slots)
    (work := path.with_name("work.sh")).write_text(WORK)
    work.chmod(0o755)
    sinks = [job for family in children.values() for job in family if job not in children]
    lines = [f"JOB {job} {'inner' if job in children else 'sink'}.sub" for job in [*children, *sinks]]
    lines += [f"PARENT {job} CHILD {' '.join(family)}" for job, family in children.items() if family]
    path.write_text("\n".join([*lines, *more]) + "\n")
    return path


def wait_for_children(folder: Path, children: Children) -> None:
    """Make jobs wait for what others have set free, except for sinks, which all come last."""
    for job, family in children.items():
        if inner := [child for child in family if child in children]:
            (folder / f"{job}.frees").write_text(" ".join(inner))


def parents_of(children: Children) -> dict[str, list[str]]:
    parents: dict[str, list[str]] = {}
    for job, family in children.items():
        for child in family:
            parents.setdefault(child, []).append(job)
    return parents


def prioritized(capsys: pytest.CaptureFixture[str], dag: Path, *options: str) -> dict[str, int]:
    """Prioritise with the command line and return what it says of each job."""
    assert main(["prioritize", str(dag), "--json", *options]) == 0
    priorities: dict[str, int] = json.loads(capsys.readouterr().out)["priorities"]
    return priorities


def complaints(messages: str) -> list[str]:
    """What DAGMan says against a DAG, from reading it to the end."""
    _, read, rest = messages.partition(" Parsing 1 dagfiles\n")
    assert read
    return re.findall(r"^.*(?:warning|error).*$", rest, re.MULTILINE | re.IGNORECASE)


@pytest.mark.parametrize("style", ["priority", pytest.param("vars", marks=pytest.mark.long)])
def test_higher_priority_starts_first(style, tmp_path, capsys, one_slot):
    dag = write_dag(tmp_path / "forks.dag", FORKS, one_slot)
    wait_for_children(tmp_path, FORKS)
    prioritized(capsys, dag, "--in-place", "--style", "vars" if style == "priority" else "priority")
    priorities = prioritized(capsys, dag, "--in-place", "--style", style)  # nothing of the other style stays behind
    assert sorted(priorities, key=priorities.__getitem__)[-4:] == ["fork3", "fork2", "fork1", "root"]
    messages = run_dag(dag)
    starts = read_starts(tmp_path / "events.log")
    assert {start.node: start.priority for start in starts} == priorities
    assert passed_over(starts, priorities) == []
    assert len(preferred(starts, priorities)) >= 20
    assert overtaking(starts, priorities), "some job should have come late and started early"
    assert complaints(messages) == []


@pytest.mark.long
@pytest.mark.parametrize("given", ["none", "reversed"])
def test_the_rule_can_be_broken(given, tmp_path, capsys, one_slot):
    """The same DAG without our priorities, or with the opposite ones, does not pass."""
    dag = write_dag(tmp_path / "forks.dag", FORKS, one_slot)
    wait_for_children(tmp_path, FORKS)
    priorities = prioritized(capsys, dag)
    opposite = {job: 1 + len(priorities) - priority for job, priority in priorities.items()}
    if given == "reversed":
        with dag.open("a") as file:
            file.writelines(f"PRIORITY {job} {priority}\n" for job, priority in opposite.items())
    run_dag(dag)
    starts = read_starts(tmp_path / "events.log")
    assert len(passed_over(starts, priorities)) >= 5
    if given == "reversed":
        assert passed_over(starts, opposite) == []


CATEGORY = ["MAXJOBS all 1", *(f"CATEGORY {job} all" for job in [*SMALL, "b1", "b2", "b3", "x", "y"])]
CONFIG = ["CONFIG throttle.config"]


def throttled(folder: Path, slots: str, lines: Sequence[str]) -> Path:
    (folder / "throttle.config").write_text("DAGMAN_MAX_JOBS_SUBMITTED = 1\n")
    return write_dag(folder / "small.dag", SMALL, slots, *lines)


@pytest.mark.long
@pytest.mark.parametrize(
    ("options", "lines"),
    [(["-maxidle", "1"], []), (["-maxidle", "2"], []), ([], CATEGORY), ([], CONFIG)],
    ids=["one idle", "two idle", "category", "config"],
)
def test_higher_priority_starts_first_under_a_throttle(options, lines, tmp_path, capsys, one_slot):
    """Nodes wait in DAGMan, and PRIORITY orders those, too."""
    dag = throttled(tmp_path, one_slot, lines)
    if "2" in options:
        (tmp_path / "begin.free").write_text("a1 a2")  # root ends when both are idle, however slow DAGMan is
    priorities = prioritized(capsys, dag, "--in-place")
    messages = run_dag(dag, *options)
    wrong, right = held_back(messages, priorities, parents_of(SMALL))
    assert wrong == []
    assert right >= 6
    starts = read_starts(tmp_path / "events.log")
    assert passed_over(starts, priorities) == []
    assert "2" not in options or ("a1", "a2") in preferred(starts, priorities), "both should have been idle together"
    assert {start.node: start.priority for start in starts} == priorities


@pytest.mark.long
@pytest.mark.parametrize(
    ("lines", "warning"),
    [(CATEGORY, "MAXJOBS"), (CONFIG, "throttle.config:1: DAGMAN_MAX_JOBS_SUBMITTED = 1")],
    ids=["category", "config"],
)
def test_a_throttle_defeats_vars(lines, warning, tmp_path, capsys, one_slot):
    """The reason for our warning: DAGMan does not know what VARS mean, and holds back what should run first."""
    dag = throttled(tmp_path, one_slot, lines)
    assert main(["prioritize", str(dag), "--in-place", "--json", "--style", "vars"]) == 0
    said = capsys.readouterr()
    assert f"{warning} makes DAGMan hold jobs back" in said.err
    priorities = json.loads(said.out)["priorities"]
    wrong, _ = held_back(run_dag(dag), priorities, parents_of(SMALL))
    assert ("fork", "b1") in wrong
    starts = read_starts(tmp_path / "events.log")
    order = [start.node for start in starts]
    assert order.index("b1") < order.index("fork")
    assert {start.node: start.priority for start in starts} == priorities, "what is in the queue has its priority"


@pytest.mark.long
def test_two_slots_and_a_shift(tmp_path, capsys):
    """Several slots, and condor_submit_dag -priority, which adds to every priority and so changes no order."""
    dag = write_dag(tmp_path / "forks.dag", FORKS, "SlotID == 3 || SlotID == 4")
    wait_for_children(tmp_path, FORKS)
    priorities = prioritized(capsys, dag, "--in-place")
    run_dag(dag, "-priority", "1000")
    starts = read_starts(tmp_path / "events.log")
    assert len({start.slot for start in starts}) == 2
    assert {start.node: start.priority - 1000 for start in starts} == priorities
    assert passed_over(starts, priorities) == []
    assert len(preferred(starts, priorities)) >= 10


@pytest.mark.long
def test_a_dag_within_a_dag(tmp_path, capsys, one_slot):
    """With --recursive the jobs of a SUBDAG have their own priorities, on top of the SUBDAG's."""
    write_dag(tmp_path / "inner.dag", {"a1": ["b1"], "a2": ["b2"], "root": ["x", "y", "z"]}, one_slot)
    nested = "SUBDAG EXTERNAL nested inner.dag", "PARENT nested CHILD last"
    dag = write_dag(tmp_path / "outer.dag", {"c1": ["d1"], "c2": ["d2"], "last": []}, one_slot, *nested)
    (tmp_path / "nested.free").write_text("a1 a2 root")
    outer = prioritized(capsys, dag, "--in-place", "--recursive")
    inner = prioritized(capsys, tmp_path / "inner.dag")
    run_dag(dag)
    starts = read_starts(tmp_path / "events.log")
    expected = outer | {job: outer["nested"] + priority for job, priority in inner.items()}
    del expected["nested"]
    assert {start.node: start.priority for start in starts} == expected
    assert passed_over(starts, expected) == []
    assert preferred(starts, expected)


@pytest.mark.long
def test_splices_flattened(tmp_path, capsys, one_slot):
    """One splice file used twice: flattened on request, the nodes of both uses have priorities and all jobs run."""
    write_dag(tmp_path / "part.dag", {"a": ["b"], "root": ["x", "y"]}, one_slot)
    splices = "SPLICE one part.dag", "SPLICE two part.dag", "PARENT one two CHILD last"
    dag = write_dag(tmp_path / "whole.dag", {"c1": ["d1"], "c2": ["d2"], "last": []}, one_slot, *splices)
    flat = tmp_path / "flat.dag"
    priorities = prioritized(capsys, dag, "--flatten", "-o", str(flat))
    run_dag(flat)
    starts = read_starts(tmp_path / "events.log")
    assert sorted(start.priority for start in starts) == list(range(1, 1 + len(priorities)))
    given = {start.node: start.priority for start in starts}
    assert len(given) == len(starts) == 15
    assert passed_over(starts, given) == []
    assert preferred(starts, given)


@pytest.mark.long
@pytest.mark.parametrize("replace", [False, True])
def test_a_submit_file_with_a_priority_of_its_own(replace, tmp_path, capsys, one_slot):
    """It wins in the queue, which is why the tool warns of it; with --replace ours does."""
    dag = write_dag(tmp_path / "small.dag", SMALL, one_slot)
    write_submit_file(tmp_path / "sink.sub", one_slot, "priority = 77")
    assert main(["prioritize", str(dag), "--in-place", "--json", *["--replace"] * replace]) == 0
    said = capsys.readouterr()
    assert ("sink.sub:7: this priority overrides ours" in said.err) != replace
    ours = json.loads(said.out)["priorities"]
    run_dag(dag)
    starts = read_starts(tmp_path / "events.log")
    expected = {job: priority if job in SMALL or replace else 77 for job, priority in ours.items()}
    assert {start.node: start.priority for start in starts} == expected
    assert passed_over(starts, expected) == []


@pytest.mark.long
@pytest.mark.parametrize("style", ["priority", "vars"])
def test_descriptions_in_the_dag_itself(style, tmp_path, capsys, one_slot):
    """Jobs that share a SUBMIT-DESCRIPTION, and one with its own, each get their own priority."""
    write_dag(tmp_path / "x.dag", {}, one_slot)
    description = (tmp_path / "sink.sub").read_text().removesuffix("queue\n")
    dag = tmp_path / "inside.dag"
    dag.write_text(
        f"SUBMIT-DESCRIPTION shared {{\n{description}}}\nJOB own {{\n{description}}}\n"
        + "".join(f"JOB {job} shared\n" for job in "abcd")
        + "PARENT d CHILD a b\nPARENT c CHILD own\n"
    )
    priorities = prioritized(capsys, dag, "--in-place", "--style", style)
    messages = run_dag(dag)
    starts = read_starts(tmp_path / "events.log")
    assert {start.node: start.priority for start in starts} == priorities
    assert passed_over(starts, priorities) == []
    assert complaints(messages) == []


def test_priorities_beyond_32_bits_wrap_around(tmp_path):
    """DAGMan takes them without a word; ours end at the number of jobs, far below."""
    dag = tmp_path / "x.dag"
    dag.write_text("".join(f"JOB {job} x.sub\n" for job in "abc") + "PRIORITY a 2147483647\nPRIORITY b 2147483648\n")
    (verdict,) = ask([dag])
    assert [line for line in verdict.lines if line.startswith(b"PRIORITY")] == [
        b"PRIORITY a 2147483647",
        b"PRIORITY b -2147483648",
    ]
