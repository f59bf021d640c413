"""What a power cut could take away: whatever was not synced. Nothing may have been built on it.

A plain commit outlives our death, only a synced one outlives the machine's. So at every moment, going back to the last
synced commit must lose neither a success that was told nor one on whose strength a child was started.
"""

from __future__ import annotations

import random

import numpy as np
import pytest

from eligo.engines._engine import Happening
from eligo.engines._state import JobStatus, State
from tests.engines.local.test_hard_ends import Ran, sh, task


class Synced:
    """Knows what the last synced commit of a state held."""

    def __init__(self, state):
        self.status = list(state.status)
        self._commit, state.commit = state.commit, self.commit
        self._state = state

    def commit(self, *, sync=False):
        self._commit(sync=sync)
        if sync:
            self.status = list(self._state.status)


@pytest.mark.parametrize("seed", range(4))
def test_nothing_is_told_or_built_on_before_it_is_synced(seed, tmp_path):
    rng = random.Random(seed)
    jobs = [task(f"j{i}", sh(tmp_path, f"sleep 0.0{rng.randrange(4)}; exit {int(i == 5)}")) for i in range(25)]
    edges = [(rng.randrange(i), i) for i in range(1, 25) for _ in range(rng.choice([0, 1, 2]))]
    ran = Ran(tmp_path, jobs, set(edges), slots=3)
    synced = Synced(ran.state)
    keepers = ran.engine._keepers
    begin = keepers.begin

    def checked(keys):
        for key in keys:
            parents = ran.plan.dag.parents(key.job).tolist()
            assert all(synced.status[parent] == JobStatus.DONE for parent in parents), "started on what may be lost"
        begin(keys)

    keepers.begin = checked
    ran.engine.submit()
    while not ran.engine.over:
        for event in ran.engine.watch(1.0):
            if event.what in (Happening.SUCCEEDED, Happening.FAILED):
                assert synced.status[event.job] in (JobStatus.DONE, JobStatus.FAILED), "told what may be lost"
    assert synced.status == ran.state.status
    ran.close()


def test_back_to_the_last_sync_after_a_power_cut(tmp_path, monkeypatch):
    """The machine starts anew with an older state: what was done then stays done, the rest runs again."""
    jobs = [task("a", sh(tmp_path, "echo a >> log")), task("b", sh(tmp_path, "echo b >> log; sleep 0.3"))]
    ran = Ran(tmp_path, jobs, [(0, 1)])
    ran.engine.submit()
    ran.until(lambda: ran.state.status[0] == JobStatus.DONE and ran.state.status[1] == JobStatus.RUNNING)
    ran.close()
    home = tmp_path / "flow.dot.eligo"
    with State.open(home) as state:  # b was begun in a plain commit: take it away; its journal stays
        state.update(1, status=JobStatus.WAITING, attempts=0, start_s=None)
        state.connection.execute("DELETE FROM steps")
        state.connection.execute("DELETE FROM epochs")
        state.commit(sync=True)
    monkeypatch.setattr("eligo.engines._local.launch_steps.boot_id", lambda: "another")
    ran = Ran(tmp_path, jobs, [(0, 1)]).finish()
    assert ran.state.status == [JobStatus.DONE] * 2
    assert np.isfinite(ran.engine.collect().end_s).all()
    assert (tmp_path / "log").read_text().split().count("a") == 1
