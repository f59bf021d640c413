"""Which jobs the scheduler is told of: each once, after its parents, never more of a category than may run at once."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from eligo.engines._dask.supervisor import HEADER
from eligo.engines._dask.throttle import Releasing
from eligo.engines._dask.worker_messages import Order, open_record, succeeded
from eligo.engines._plan import Categories, Hook, Process, Task
from tests.engines.dask_runs import make_plan
from tests.strategies import dags


@st.composite
def plans(draw):
    dag = draw(dags(max_jobs=12))
    kinds = draw(st.integers(0, 3))
    of = draw(st.lists(st.integers(-1, kinds - 1), min_size=dag.n, max_size=dag.n))
    most = draw(st.lists(st.integers(1, 3), min_size=kinds, max_size=kinds))
    priorities = draw(st.lists(st.integers(-2, 2), min_size=dag.n, max_size=dag.n))
    limits = Categories(np.array(of, np.int32), np.array(most, np.int32)) if kinds else None
    return make_plan(Path("/nowhere"), dag, priorities=priorities, categories=limits)


@given(plans(), st.data())
def test_a_whole_run(plan, data):
    """Some jobs are done before, some run already; others end in any order that Dask could bring about, or fail."""
    dag = plan.dag
    parents = [set(dag.pred[dag.pred_ptr[job] : dag.pred_ptr[job + 1]].tolist()) for job in range(dag.n)]
    done: set[int] = set()
    for job in dag.order.tolist():
        if parents[job] <= done and data.draw(st.booleans()):
            done.add(job)
    room = None if plan.categories is None else plan.categories.most.tolist()

    def runs(jobs):
        return [sum(plan.categories.of[job] == kind for job in jobs) for kind in range(len(room))] if room else []

    kept: set[int] = set()
    for job in range(dag.n):
        fits = not room or all(a <= b for a, b in zip(runs(kept | {job}), room, strict=True))
        if job not in done and parents[job] <= done and fits and data.draw(st.booleans()):
            kept.add(job)
    releasing = Releasing(plan, [job in done for job in range(dag.n)], sorted(kept))
    sent, live, failed = set(), set(kept), set()
    first = len(done)
    while True:
        for job in releasing.take():
            assert job not in sent | done | live
            assert parents[job] <= sent | done
            sent.add(job)
            live.add(job)
        assert all(a <= b for a, b in zip(runs(live), room or [], strict=True))
        could_end = [job for job in sorted(live) if parents[job] <= done]
        if not could_end:
            break
        job = data.draw(st.sampled_from(could_end))
        if job in kept and job not in sent and data.draw(st.booleans()):
            live.discard(job)  # lost with its worker
            kept.discard(job)
            releasing.again(job)
            continue
        live.discard(job)
        succeeded_now = data.draw(st.integers(0, 9)) > 0
        (done if succeeded_now else failed).add(job)
        releasing.ended(job, succeeded=succeeded_now)
    assert first <= len(done)
    doomed = set(failed)
    for job in dag.order.tolist():
        if parents[job] & doomed:
            doomed.add(job)
    assert done | doomed == set(range(dag.n))


def test_orders_are_small():
    """An order of a usual job is well below 2 kB, so that 10^5 of them burden nobody."""
    process = Process(("/opt/tools/bin/project", "-i", "image-0001.fits", "-o", "out.fits"), "/home/someone/montage")
    hook = Hook(("/home/someone/check.sh", "$JOB", "$RETURN"), "/home/someone/montage")
    task = Task("mProject_0001", (process,), hook, hook, retries=3, path="/home/someone/montage.dag", line=17)
    assert len(Order("1.0.0", "0" * 32, 3, 99_999, task, "/home/someone/montage.dag.eligo").packed()) < 1500


def test_the_record_of_another_run_is_not_ours(tmp_path):
    path = open_record(tmp_path, "1" * 32)
    with path.open("r+b") as stream:
        stream.seek(HEADER + 2)
        stream.write(b"\1")
    assert succeeded(open_record(tmp_path, "1" * 32), 5) == [2]
    assert succeeded(open_record(tmp_path, "2" * 32), 5) == []
    assert path.stat().st_mode & 0o777 == 0o600
