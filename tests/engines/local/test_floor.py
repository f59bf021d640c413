"""Who may start: dependencies that only a memory limit added do not outlive the jobs that they wait for."""

from __future__ import annotations

from pathlib import Path

import hypothesis.strategies as st
import numpy as np
from hypothesis import given, settings

import eligo
from eligo.dag import Dag, Data
from eligo.engines._local.dispatcher import Floor
from eligo.engines._plan import Plan, Task
from eligo.formats._base import Document
from eligo.formats._source import Source
from tests.strategies import dags


def pairs_of_jobs(count: int) -> Dag:
    """p0 -> c0,  p1 -> c1, ...; each c reads 5 bytes of its p."""
    dag = Dag.from_names([(f"p{i}", f"c{i}") for i in range(count)])
    return dag.with_known(data=Data.per_edge(dag.tails, dag.heads, [5] * count))


def test_a_failure_holds_back_only_what_needs_it(tmp_path):
    """With room for two pairs, one that failed keeps its place and all others go through the rest."""
    document = Document(pairs_of_jobs(12), "dot", Source(str(tmp_path / "flow.dot"), b""))
    command = "sh -c 'test \"$1\" != c3' sh {name}"
    outcome = eligo.run(document, command=command, memory=10, model="classical", slots=4)
    assert [document.dag.names[job] for job, _ in outcome.failed] == ["c3"]
    assert (outcome.done, outcome.never) == (23, 0)
    assert outcome.peak in (5, 10)


def test_where_failures_take_all_memory_the_rest_never_runs(tmp_path):
    document = Document(pairs_of_jobs(8), "dot", Source(str(tmp_path / "flow.dot"), b""))
    notes = []
    command = "sh -c 'case \"$1\" in c*) exit 1;; esac' sh {name}"
    outcome = eligo.run(
        document,
        command=command,
        memory=10,
        model="classical",
        slots=4,
        on_event=lambda event: notes.append(event.text),
    )
    assert (outcome.done, len(outcome.failed), outcome.never) == (2, 2, 12)
    assert any("memory" in text for text in notes)


@settings(max_examples=200, deadline=None)
@given(dags(max_jobs=8), st.data())
def test_all_that_needs_no_failed_job_can_start(dag: Dag, data):
    """Any dag with any further edges along its order, under a limit that is never reached; some jobs fail."""
    n, order = dag.n, dag.order.tolist()
    place = {job: at for at, job in enumerate(order)}
    further = [(a, b) for a in range(n) for b in range(n) if place[a] < place[b] and data.draw(st.booleans())]
    tails, heads = (np.array([pair[end] for pair in further], np.int32) for end in (0, 1))
    more = Dag.from_edges(n, np.concatenate([dag.tails, tails]), np.concatenate([dag.heads, heads]))
    document = Document(dag, "dot", Source("flow.dot", b""))
    footprint = eligo.footprint(more, "pebble")
    plan = Plan(
        document, more, np.zeros(n, np.int32), lambda job: Task("x"), Path("/"), footprint=footprint, limit=10**9
    )
    failing = {job for job in range(n) if data.draw(st.booleans())}
    floor = Floor(plan, 1, [1] * n)
    floor.open(np.zeros(n, np.bool_), range(n), [])
    ran = set()
    while (job := floor.take()) is not None:
        assert job not in ran
        ran.add(job)
        worker = floor.start(job)
        floor.end(job, worker, succeeded=job not in failing)
        (floor.give_up if job in failing else floor.settle)(job)
    assert ran == {job for job in range(n) if not failing & ancestors(dag, job)}


def ancestors(dag: Dag, job: int) -> set[int]:
    found: set[int] = set()
    left = dag.parents(job).tolist()
    while left:
        parent = left.pop()
        if parent not in found:
            found.add(parent)
            left += dag.parents(parent).tolist()
    return found
