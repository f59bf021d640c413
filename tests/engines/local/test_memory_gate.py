"""The gate beside the model that recounts everything from which jobs have started and which have ended."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import eligo
from eligo.engines._local.dispatcher import MemoryGate
from eligo.memory._footprint import occupied
from tests.memory.footprints import random_footprint


@given(st.integers(0, 2**32))
def test_like_the_model_over_executions_with_failures(seed):
    """A try that fails gives back what it held while running; what it had begun to write stays counted."""
    found = random_footprint(seed)
    dag = found.dag
    rng = random.Random(seed)
    limit = rng.randint(0, 30)
    gate = MemoryGate(found, limit)
    started, ended = np.zeros(dag.n, np.bool_), np.zeros(dag.n, np.bool_)
    running = set()

    def held_now():
        """Those that failed have started, and neither run nor have ended: their running share is not held."""
        count = occupied(found, started, ended)
        if not found.rules.one_event:
            count -= sum(int(found.running[job]) for job in np.flatnonzero(started & ~ended) if job not in running)
        return count

    for _ in range(4 * dag.n):
        startable = [
            job
            for job in range(dag.n)
            if job not in running and not ended[job] and all(ended[parent] for parent in dag.parents(job).tolist())
        ]
        choices = [("start", job) for job in startable] + [(end, job) for job in running for end in ("end", "stop")]
        if not choices:
            break
        act, job = rng.choice(sorted(choices))
        if act == "start":
            said = gate.fits(job)
            started[job] = True
            running.add(job)
            assert said == (held_now() <= limit)
            gate.start(job)
        else:
            running.discard(job)
            ended[job] = act == "end"
            getattr(gate, act)(job)
        assert gate.occupied == held_now()


@pytest.mark.parametrize("limit", [0, 4])
def test_a_job_that_can_never_fit(limit):
    dag = eligo.Dag.from_names([("a", "b")])
    gate = MemoryGate(eligo.footprint(dag.with_known(data=eligo.Data.per_edge(dag.tails, dag.heads, [5]))), limit)
    assert not gate.fits(0)
