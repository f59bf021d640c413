"""Runs on Slurm that are killed at random moments, again and again: nothing is lost, repeated or twice at once."""

from __future__ import annotations

import multiprocessing
import os
import random
import signal
from collections import Counter
from pathlib import Path

import pytest

from eligo.dag import Dag
from eligo.engines._plan import Plan
from eligo.engines._slurm import Slurm
from eligo.engines._state import JobStatus
from tests.engines.slurm.plans import make_plan, open_state, shell, watch
from tests.reference.slurm_cluster import need_cluster

pytestmark = [pytest.mark.engine, pytest.mark.long]

# A fifth of the jobs fail at their first try; each writes when it begins and ends, and how.
TEXT = """
echo {name} begin >>{home}/ran
sleep 0.0{name}
if [ {fails} = 1 ] && ! [ -e {home}/failed-{name} ]; then
    echo > {home}/failed-{name}
    echo {name} failed >>{home}/ran
    exit 1
fi
echo {name} end >>{home}/ran
"""


def random_plan(home: Path, rng: random.Random) -> Plan:
    n = rng.randint(5, 25)
    pairs = [(rng.randrange(head), head) for head in range(1, n) for _ in range(rng.choice([0, 1, 1, 2]))]
    dag = Dag.from_edges(n, [tail for tail, _ in pairs], [head for _, head in pairs])
    fails = [rng.random() < 0.2 for _ in range(n)]

    def task(job: int):
        return shell(str(job), TEXT.format(name=job, home=home, fails=int(fails[job])), home, retries=2)

    return make_plan(home, dag, task)


def drive(plan: Plan) -> None:
    with open_state(plan) as state:
        engine = Slurm(plan, state)
        engine.submit()
        watch(engine, timeout_s=120)
        engine.close()
    os._exit(0)


@pytest.mark.parametrize("seed", range(4))
def test_killed_at_random_moments(monkeypatch, tmp_path, seed):
    monkeypatch.setenv("SLURM_CONF", need_cluster().conf)
    rng = random.Random(seed)
    plan = random_plan(tmp_path, rng)
    open_state(plan).close()
    done_at_kill: list[tuple[set[int], int]] = []
    for _ in range(10):
        process = multiprocessing.get_context("fork").Process(target=drive, args=(plan,))
        process.start()
        process.join(rng.choice([rng.uniform(0, 0.3), rng.uniform(0, 1.5)]))
        assert process.pid is not None
        if process.exitcode is not None:
            assert process.exitcode == 0
            break
        os.kill(process.pid, signal.SIGKILL)
        process.join()
        lines = len((tmp_path / "ran").read_text().splitlines()) if (tmp_path / "ran").exists() else 0
        with open_state(plan) as state:
            done_at_kill.append(({j for j, s in enumerate(state.status) if s == JobStatus.DONE}, lines))
    with open_state(plan) as state:
        engine = Slurm(plan, state)
        engine.submit()
        watch(engine, timeout_s=120)
        engine.close()
        assert state.status == [JobStatus.DONE] * plan.dag.n
    check((tmp_path / "ran").read_text().split("\n")[:-1], plan.dag, done_at_kill)


def check(lines: list[str], dag: Dag, done_at_kill: list[tuple[set[int], int]]) -> None:
    story = [(int(job), what) for job, what in (line.split() for line in lines)]
    ends = Counter(job for job, what in story if what == "end")
    assert ends == Counter(range(dag.n)), "each job ends once"
    running: set[int] = set()
    ended: set[int] = set()
    for place, (job, what) in enumerate(story):
        if what == "begin":
            assert job not in running, f"{job} runs twice at once"
            assert job not in ended, f"{job} runs again"
            assert set(dag.parents(job).tolist()) <= ended, f"{job} runs too early"
            assert not any(job in done and place >= lines for done, lines in done_at_kill)
            running.add(job)
        else:
            running.remove(job)
            if what == "end":
                ended.add(job)
