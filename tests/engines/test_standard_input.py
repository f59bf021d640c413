"""A workflow from standard input has no name: nothing beside "it" is read or written."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from eligo.engines._make_plan import make_plan
from eligo.engines._run import run, start
from eligo.errors import EngineError
from eligo.formats import open_document

FAILS = b"JOB a {\n executable = /bin/false\n}\n"


@pytest.fixture
def piped(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(FAILS)))
    return open_document("-")


def test_no_rescue_dag_is_written(piped, tmp_path):
    outcome = run(piped, state=tmp_path / "state")
    assert outcome.exit_status == 1
    assert outcome.rescue is None
    assert [path.name for path in tmp_path.iterdir()] == ["state"]


def test_no_rescue_dag_of_another_workflow_is_read(piped, tmp_path):
    Path("<stdin>.rescue001").write_text("DONE a\n")
    with pytest.raises(EngineError, match="nothing to resume"):
        run(piped, state=tmp_path / "state", resume=True)


def test_it_needs_a_place_for_its_state(piped, tmp_path):
    plan = make_plan(piped)
    assert plan.home == tmp_path
    with pytest.raises(EngineError, match="no place for its state"):
        start(plan)
    assert not list(tmp_path.iterdir())
