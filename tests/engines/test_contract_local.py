"""The local engine passes the contract, with tasks of our own and with those of a DAGMan file."""

from __future__ import annotations

from eligo.engines._local import Local
from eligo.engines._make_plan import make_plan
from eligo.formats import open_document
from eligo.testing import EngineContract, write_dagman


class TestLocal(EngineContract):
    def make(self, plan, state):
        return Local(plan, state, slots=3)

    def make_single(self, plan, state):
        return Local(plan, state, slots=1)


class TestLocalWithDagman(TestLocal):
    ARGUMENTS = tuple(
        word for word in EngineContract.ARGUMENTS if "\n" not in word
    )  # a submit file has no way to say it

    def plan(self, story, jobs):
        document = open_document(str(write_dagman(story, jobs)))
        return make_plan(document, priorities=[job.priority for job in jobs])
