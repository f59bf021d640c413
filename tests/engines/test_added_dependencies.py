"""A real HTCondor keeps the dependencies that we add: jobs that knew nothing of each other run in the added order."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from eligo.formats import open_document
from eligo.formats._editing import add_dependencies, instrument, reread
from tests.engines.test_htcondor import complaints, write_dag
from tests.formats.adding_dependencies import pairs_of
from tests.reference.condor_pool import need_pool, run_dag

pytestmark = pytest.mark.engine

_EVENT = re.compile(r"(\d{3}) \((\d+\.\d+)\.\d+\) ")
_NODE = re.compile(r"^ +DAG Node: (\S+)$", re.MULTILINE)


def spans(log: Path) -> dict[str, tuple[int, int]]:
    """When each job was submitted and when it ended, as positions in the event log."""
    nodes: dict[str, str] = {}
    begun: dict[str, int] = {}
    ended: dict[str, int] = {}
    for moment, text in enumerate(log.read_text().split("\n...\n")):
        event = _EVENT.match(text)
        if event is None:
            continue
        kind, job = int(event[1]), event[2]
        if kind == 0:
            found = _NODE.search(text)
            assert found is not None
            nodes[job] = found[1]
            begun[found[1]] = moment
        elif kind == 5:
            ended[nodes[job]] = moment
    return {node: (begun[node], ended[node]) for node in begun}


@pytest.mark.long
def test_independent_jobs_run_in_the_added_order(tmp_path: Path) -> None:
    """Five jobs without a dependency, which would start as they stand in the file; ours turn that round.

    e -> d -> b,  e -> c -> b;  a is free
    """
    need_pool()
    path = write_dag(tmp_path / "free.dag", {name: [] for name in "abcde"}, "SlotID >= 1")
    document = open_document(path)
    assert document.dag.m == 0
    _, b, c, d, e = range(5)
    pairs = pairs_of((e, d), (e, c), (d, b), (c, b))
    done = add_dependencies(document, *pairs)
    limited = reread(document, done.data)
    path.write_bytes(instrument(limited, np.array([1, 5, 4, 3, 2], np.int32)).data)  # both blocks in one file
    messages = run_dag(path)
    assert complaints(messages) == []
    span = spans(tmp_path / "events.log")
    assert sorted(span) == list("abcde")
    for tail, head in zip(*(ends.tolist() for ends in pairs), strict=True):
        assert span["abcde"[tail]][1] < span["abcde"[head]][0]
    assert span["a"][0] < span["e"][1]  # and no more than those
