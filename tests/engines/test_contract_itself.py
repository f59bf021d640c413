"""The contract notices engines that break it: each of these does one thing wrong, and one test fails for it."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import pytest

from eligo.dag import Dag
from eligo.engines._engine import Event, Happening
from eligo.engines._local import Local
from eligo.engines._state import JobStatus
from eligo.testing import EngineContract, Watched


class TellsTwice(Local):
    def watch(self, timeout_s):
        return [event for event in super().watch(timeout_s) for _ in range(2)]


class TellsTooEarly(Local):
    """Nothing is written until all is over."""

    def __init__(self, plan, state, **more):
        super().__init__(plan, state, **more)
        self._commit, state.commit = state.commit, lambda **_: None

    def watch(self, timeout_s):
        events = super().watch(timeout_s)
        if not events:
            self._commit(sync=True)
        return events


class KeepsStartsToItself(Local):
    def watch(self, timeout_s):
        return [event for event in super().watch(timeout_s) if event.what is not Happening.STARTED]


class ForgetsDependencies(Local):
    def __init__(self, plan, state, **more):
        super().__init__(replace(plan, dag=Dag.from_names([], jobs=plan.dag.names)), state, **more)
        self.plan = plan


class TurnsPrioritiesRound(Local):
    def __init__(self, plan, state, **more):
        super().__init__(replace(plan, priorities=-plan.priorities), state, **more)


class RepeatsWhatIsDone(Local):
    def __init__(self, plan, state, **more):
        super().__init__(plan, state, **more)
        for job in range(plan.dag.n):
            state.update(job, status=JobStatus.WAITING)


class GivesUp(Local):
    def watch(self, timeout_s):
        events = super().watch(timeout_s)
        if any(event.what is Happening.FAILED for event in events):
            self.cancel()
        return events


class TriesOnce(Local):
    def __init__(self, plan, state, **more):
        super().__init__(replace(plan, task=lambda job: replace(plan.task(job), retries=0)), state, **more)


class UsesAShell(Local):
    def __init__(self, plan, state, **more):
        def task(job):
            made = plan.task(job)
            (process,) = made.processes
            words = ("/bin/sh", "-c", " ".join(process.argv))
            return replace(made, processes=(replace(process, argv=words),))

        super().__init__(replace(plan, task=task), state, **more)


class GoesOn(Local):
    def cancel(self, *, kill=False):
        pass


class LetsThemRun(Local):
    def cancel(self, *, kill=False):
        super().cancel()


class CallsItFailed(Local):
    def watch(self, timeout_s):
        events = super().watch(timeout_s)
        for event in events:
            if event.what is Happening.CANCELLED:
                self.state.update(event.job, status=JobStatus.FAILED)
        self.state.commit()
        return events


class StartsAnew(Local):
    """Takes nothing over: what runs is run again, at the same time."""

    def _adopt(self):
        for job, status in enumerate(self.state.status):
            if status == JobStatus.RUNNING:
                self.state.update(job, status=JobStatus.WAITING)
        self.state.connection.execute("DELETE FROM steps")
        super()._adopt()


CASES = [
    (TellsTwice, "runs_every_job"),
    (TellsTooEarly, "runs_every_job"),
    (KeepsStartsToItself, "runs_every_job"),
    (ForgetsDependencies, "runs_every_job"),
    (TurnsPrioritiesRound, "higher_priority"),
    (RepeatsWhatIsDone, "what_is_done"),
    (GivesUp, "rest_goes_on"),
    (TriesOnce, "tries_again"),
    (UsesAShell, "arguments_arrive"),
    (GoesOn, "cancel_lets"),
    (LetsThemRun, "cancel_with_kill"),
    (CallsItFailed, "cancel_with_kill"),
    (StartsAnew, "takes_over"),
]


@pytest.mark.parametrize(("broken", "word"), CASES, ids=[case[0].__name__ for case in CASES])
def test_is_noticed(broken, word, tmp_path):
    class Contract(EngineContract):
        PATIENCE_S = 4.0
        LONG_S = 2.0

        def make(self, plan, state):
            return broken(plan, state, slots=3)

        def make_single(self, plan, state):
            return broken(plan, state, slots=1)

    (name,) = [name for name in dir(EngineContract) if name.startswith("test_") and word in name]
    contract = Contract()
    try:
        with pytest.raises(AssertionError):
            getattr(contract, name)(tmp_path)
    finally:
        contract.teardown_method()


def test_an_engine_that_cannot_have_one_slot_skips(tmp_path):
    class Contract(EngineContract):
        def make(self, plan, state):
            raise NotImplementedError

    with pytest.raises(Exception, match="make_single") as caught:
        Contract().test_the_higher_priority_starts_first(tmp_path)
    assert type(caught.value).__name__ == "SkipTest"


@pytest.mark.parametrize("before", [JobStatus.RUNNING, JobStatus.WAITING])
def test_a_job_of_an_earlier_engine_may_be_lost_before_this_one_starts_it(before):
    engine = SimpleNamespace(state=SimpleNamespace(status=[before]))
    watched = Watched(engine, 1.0)
    watched.events = [Event(what, 0, 0.0) for what in (Happening.AGAIN, Happening.STARTED, Happening.SUCCEEDED)]
    if before is JobStatus.RUNNING:
        watched._check_order(0)
    else:
        with pytest.raises(AssertionError, match="ends before it starts"):
            watched._check_order(0)
