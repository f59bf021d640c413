"""The HTCondor engine passes the contract on a real pool, with tasks of our own and with a DAG of the user's."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace

import pytest

from eligo.engines._engine import Engine
from eligo.engines._htcondor import HTCondor
from eligo.engines._make_plan import make_plan
from eligo.engines._plan import Plan, Task
from eligo.engines._state import State
from eligo.formats import open_document
from eligo.testing import EngineContract, Job, Story, plan_of_tasks, write_dagman
from tests.reference.condor_pool import need_pool, pool_path

PYTHON = "/usr/bin/python3"
"""The pool does not see the one that runs the tests."""


@pytest.mark.engine
@pytest.mark.long
class TestHTCondor(EngineContract):
    ARGUMENTS = tuple(word for word in EngineContract.ARGUMENTS if "\n" not in word)
    """HTCondor refuses arguments with ends of lines."""

    @pytest.fixture(autouse=True)
    def _pool(self, monkeypatch: pytest.MonkeyPatch) -> None:
        need_pool()
        monkeypatch.setenv("PATH", pool_path())
        monkeypatch.setenv("POOL_MIRROR", "none")

    def make(self, plan: Plan, state: State) -> Engine:
        return HTCondor(plan, state)

    def make_single(self, plan: Plan, state: State) -> Engine:
        return HTCondor(plan, state, ["-maxjobs", "1"])

    def plan(self, story: Story, jobs: Sequence[Job]) -> Plan:
        plan = plan_of_tasks(story, jobs)

        def task(job: int) -> Task:
            made = plan.task(job)
            (process,) = made.processes
            argv = tuple(PYTHON if word == sys.executable else word for word in process.argv)
            return replace(made, processes=(replace(process, argv=argv),))

        return replace(plan, task=task)


class TestHTCondorWithDagman(TestHTCondor):
    def plan(self, story: Story, jobs: Sequence[Job]) -> Plan:
        flow = write_dagman(story, jobs)
        for path in story.folder.iterdir():
            if path.suffix == ".sub" or path == flow:
                path.write_text(path.read_text().replace(sys.executable, PYTHON))
        return make_plan(open_document(str(flow)), priorities=[job.priority for job in jobs])
