"""The queue beside a plain list that is searched from its start each time."""

from __future__ import annotations

import random

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from eligo.engines._local.dispatcher import Ready
from eligo.engines._plan import Categories

JOBS = 12


class PlainQueue:
    """The rule, word for word: the largest priority first, of equals the lower index; a full category and a job that
    does not fit memory let others pass, a job that needs more slots than are free does not.
    """

    def __init__(self, priorities, category, most):
        self.priorities, self.category, self.most = priorities, category, most
        self.waiting, self.running = [], []

    def take(self, free, weight, fits):
        for job in sorted(self.waiting, key=lambda job: (-self.priorities[job], job)):
            kind = self.category[job]
            if kind >= 0 and sum(self.category[other] == kind for other in self.running) >= self.most[kind]:
                continue
            if weight[job] > free:
                return None
            if job in fits:
                self.waiting.remove(job)
                return job
        return None


@given(st.integers(0, 2**32))
def test_like_a_plain_list(seed):
    rng = random.Random(seed)
    priorities, category = [[rng.randint(low, 2) for _ in range(JOBS)] for low in (-2, -1)]
    most, weight = [rng.randint(1, 3) for _ in range(3)], [rng.randint(1, 3) for _ in range(JOBS)]
    kinds = Categories(np.array(category, np.int32), np.array(most, np.int32))
    ready, plain = Ready(np.array(priorities, np.int32), kinds), PlainQueue(priorities, category, most)
    never_added = list(range(JOBS))
    for _ in range(80):
        act = rng.choice(["add", "take", "take", "end"])
        if act == "add" and never_added:
            job = never_added.pop(rng.randrange(len(never_added)))
            ready.add(job)
            plain.waiting.append(job)
        elif act == "take":
            fits = {job for job in range(JOBS) if rng.random() < 0.7}
            free = rng.randint(1, 3)
            job = ready.take(free, weight.__getitem__, fits.__contains__)
            assert job == plain.take(free, weight, fits)
            if job is not None:
                ready.began(job)
                plain.running.append(job)
        elif act == "end" and plain.running:
            job = plain.running.pop(rng.randrange(len(plain.running)))
            ready.ended(job)
            if rng.random() < 0.5:  # another try
                ready.add(job)
                plain.waiting.append(job)
        assert len(ready) == len(plain.waiting)


def test_adopted_jobs_fill_their_category():
    ready = Ready(np.zeros(4, np.int32), Categories(np.zeros(4, np.int32), np.array([2], np.int32)))
    for job in (0, 1, 2):  # more than would be started now
        ready.began(job)
    ready.add(3)
    assert ready.take(9, lambda job: 1) is None
    ready.ended(0)
    assert ready.take(9, lambda job: 1) is None
    ready.ended(1)
    assert ready.take(9, lambda job: 1) == 3
