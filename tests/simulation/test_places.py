"""Places of work on this machine: the same rows wherever, whoever dies; no process is left behind."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from eligo import generate
from eligo.errors import EligoError, EngineError
from eligo.simulation import _process_executor as process_executor
from eligo.simulation import _runs as runs
from eligo.simulation._executors import Block, Here, open_place
from eligo.simulation._grid import Grid
from eligo.simulation._process_executor import Processes
from eligo.simulation._simulated_orders import contender
from tests.guards import no_hang
from tests.simulation import made_up_runs
from tests.simulation.made_up_runs import BLOCKS, wanted


@pytest.fixture(autouse=True)
def bounded():
    with no_hang(120):
        yield


def collect(place, setups=(None,), blocks=BLOCKS):
    found = [(number, rows.tolist()) for number, rows in place.work(list(setups), blocks)]
    assert len(dict(found)) == len(found), "each block once"
    return dict(found)


def alive(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def real_setups():
    dag = generate.airsn(8)
    return [runs.make_setup(dag, contender(dag, name), Grid(batch=4), seed=5) for name in ("prio", "fifo", "random")]


REAL = [Block(setup, first, 30, 10) for setup in (0, 1, 2) for first in (0, 30, 60, 90)]


def test_same_rows_everywhere():
    setups = real_setups()
    with open_place("here") as place:
        here = collect(place, setups, REAL)
    assert sorted(here) == list(range(len(REAL)))
    for number in (1, 3):
        with Processes(number, small_s=0) as place:
            assert collect(place, setups, REAL) == here
            assert len(place.pids) == (0 if number == 1 else number)
    whole = runs.run_block(setups[0], 0, 120, 10)
    assert whole.tolist() == [row for number in range(4) for row in here[number]], "nor do cuts matter"


def test_setups_share_their_dag():
    setups = pickle.loads(pickle.dumps(real_setups()))
    assert setups[0].dag is setups[1].dag


def test_little_work_is_done_here(monkeypatch):
    monkeypatch.setattr(process_executor, "_Process", None)  # would raise if called
    setups = real_setups()
    with open_place("processes:2") as place:
        assert len(collect(place, setups, REAL)) == len(REAL)
        assert not collect(place, setups, [])
    with Processes(2, run=made_up_runs.plain, small_s=0) as place:
        assert collect(place, blocks=BLOCKS[:1]) == wanted(BLOCKS[:1])
    with Processes(1, run=made_up_runs.plain, small_s=0) as place:
        assert collect(place) == wanted()


def test_much_work_is_shared(monkeypatch):
    monkeypatch.setattr(runs, "seconds_per_run", lambda setup: 1.0)
    with Processes(2, run=made_up_runs.tells_its_process) as place:
        found = collect(place)
        assert {rows[0][0] for rows in found.values()} == set(place.pids)
        assert os.getpid() not in place.pids


def test_processes_stay_and_end():
    with Processes(2, run=made_up_runs.plain, small_s=0) as place:
        assert not place.pids
        collect(place)
        first = place.pids
        collect(place, ["other", "setups"])
        assert place.pids == first
        assert len(first) == 2
        assert all(map(alive, first))
    assert not any(map(alive, first))
    place.close()
    with pytest.raises(RuntimeError, match="closed"):
        collect(place)


def test_fewer_blocks_than_processes():
    with Processes(64, run=made_up_runs.plain, small_s=0) as place:
        assert collect(place, blocks=BLOCKS[:2]) == wanted(BLOCKS[:2])
        assert len(place.pids) == 2


def test_a_killed_process_costs_its_block_only(tmp_path):
    with Processes(2, run=made_up_runs.dies_once, small_s=0) as place:
        assert collect(place, [str(tmp_path)]) == wanted()
        assert len(place.pids) == 2


def test_all_processes_killed_from_outside():
    with Processes(2, run=made_up_runs.slow, small_s=0) as place:
        work = place.work([None], BLOCKS)
        found = dict([next(work)])
        victims = place.pids
        for pid in victims:
            os.kill(pid, signal.SIGKILL)
        found.update(work)
        assert {number: rows.tolist() for number, rows in found.items()} == wanted()
        assert not set(victims) & set(place.pids)
        for pid in place.pids:  # while they have nothing to do
            os.kill(pid, signal.SIGKILL)
        assert collect(place) == wanted()


def test_a_block_that_kills():
    with Processes(2, run=made_up_runs.dies_always, small_s=0) as place:
        with pytest.raises(
            EngineError, match="3 processes were lost at the same work, the last one killed by SIGKILL"
        ) as raised:
            collect(place)
        assert "fewer (processes:N)" in raised.value.hint
    last = pytest.raises(EngineError, match="with exit status 3 and 'a last word'")
    with Processes(2, run=made_up_runs.leaves_always, small_s=0) as place, last:
        collect(place)


def test_errors_pass():
    with Processes(2, run=made_up_runs.raises, small_s=0) as place:
        with pytest.raises(EligoError, match="this cannot be simulated") as raised:
            collect(place)
        assert raised.value.hint == "try something else"
        assert "in another process" in raised.value.__notes__[0]
        assert "made_up_runs" in raised.value.__notes__[0]
    with (
        Processes(2, run=made_up_runs.raises_what_cannot_be_sent, small_s=0) as place,
        pytest.raises(RuntimeError, match=r"ParseError: a\.dag:3: an error that pickle"),
    ):
        collect(place)
    with (
        Processes(2, run=made_up_runs.raises_os_error, small_s=0) as place,
        pytest.raises(EOFError, match="not of the pipe"),
    ):
        collect(place)


def test_setups_that_cannot_be_read():
    with Processes(2, run=made_up_runs.plain, small_s=0) as place:
        with pytest.raises(ZeroDivisionError):
            collect(place, [Unreadable()])
        assert collect(place) == wanted(), "the place is as good as before"


class Unreadable:
    def __reduce__(self):
        return divmod, (1, 0)


def test_closing_early_cancels_the_rest():
    with Processes(2, run=made_up_runs.hangs, small_s=0) as place:
        work = place.work([None], BLOCKS)
        assert next(work)[0] == 0
        busy = place.pids
        work.close()
        assert not any(map(alive, busy)), "blocks that hang are given up"
        assert next(place.work([None], BLOCKS))[0] == 0
        left = place.pids
    assert not any(map(alive, left))


def test_one_piece_of_work_at_a_time():
    with Processes(2, run=made_up_runs.slow, small_s=0) as place:
        work = place.work([None], BLOCKS)
        next(work)
        with pytest.raises(RuntimeError, match="at work already"):
            collect(place)
        assert len(list(work)) == len(BLOCKS) - 1


def test_ctrl_c_ends_all_processes_at_once():
    """The signal goes to the whole group, as from a terminal; workers must neither die of it nor talk."""
    script = """
import os, sys, threading, signal
from eligo.simulation._process_executor import Processes
from tests.simulation import made_up_runs
with Processes(2, run=made_up_runs.hangs, small_s=0) as place:
    for number, rows in place.work([None], made_up_runs.BLOCKS):
        print(*place.pids, flush=True)
"""
    process = subprocess.Popen(
        [sys.executable, "-c", script],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    with process:
        pids = [int(pid) for pid in process.stdout.readline().split()]
        assert len(pids) == 2
        os.killpg(process.pid, signal.SIGINT)
        _, errors = process.communicate(timeout=60)
    assert process.returncode == -signal.SIGINT
    assert errors.count("Traceback") == 1
    assert errors.rstrip().endswith("KeyboardInterrupt")
    assert not any(map(alive, pids))


@pytest.mark.parametrize("what", ["slow", "hangs"])
def test_a_killed_caller_leaves_nobody_behind(what):
    """Neither between blocks nor in the middle of one that takes long."""
    script = f"""
import os, signal
from eligo.simulation._process_executor import Processes
from tests.simulation import made_up_runs
with Processes(2, run=made_up_runs.{what}, small_s=0) as place:
    for number, rows in place.work([None], made_up_runs.BLOCKS):
        print(*place.pids, flush=True)
        os.kill(os.getpid(), signal.SIGKILL)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == -signal.SIGKILL
    pids = [int(pid) for pid in done.stdout.split()]
    assert len(pids) == 2
    for _ in range(500):
        if not any(map(alive, pids)):
            break
        time.sleep(0.02)
    left = [pid for pid in pids if alive(pid)]
    for pid in left:
        os.kill(pid, signal.SIGKILL)
    assert not left


def test_scripts_need_no_guard(tmp_path):
    """No ``if __name__ == "__main__"``: the script is not imported again, so what it prints is there once."""
    script = tmp_path / "script.py"
    script.write_text(
        "from eligo.simulation._process_executor import Processes\n"
        "from tests.simulation import made_up_runs\n"
        "print('begins')\n"
        "with Processes(2, run=made_up_runs.plain, small_s=0) as place:\n"
        "    print(len(dict(place.work([None], made_up_runs.BLOCKS))))\n"
    )
    environment = {**os.environ, "PYTHONPATH": os.getcwd()}
    done = subprocess.run(
        [sys.executable, str(script)], env=environment, capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.stdout, done.stderr) == ("begins\n12\n", "")


def test_from_a_thread():
    found = []
    with Processes(2, run=made_up_runs.plain, small_s=0) as place:
        thread = threading.Thread(target=lambda: found.append(collect(place)))
        thread.start()
        thread.join(60)
    assert found == [wanted()]


def test_no_process_can_be_started(monkeypatch):
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    with (
        Processes(2, run=made_up_runs.plain, small_s=0) as place,
        pytest.raises(EngineError, match=r"cannot start a process: .*nowhere"),
    ):
        collect(place)


def test_not_as_many_processes_as_wanted(monkeypatch):
    """Where the system allows only one more process, the work is done by that one."""
    start, started = process_executor._Process.__init__, []

    def limited(self):
        if started:
            raise BlockingIOError("no more")
        started.append(self)
        start(self)

    monkeypatch.setattr(process_executor._Process, "__init__", limited)
    with Processes(4, run=made_up_runs.plain, small_s=0) as place:
        assert collect(place) == wanted()
        assert len(place.pids) == 1


@pytest.mark.parametrize("on", ["", "nowhere", "here:2", "Processes", "dask", "dask:", "slurm:x"])
def test_no_such_place(on):
    with pytest.raises(EligoError, match="no place of work is called"):
        open_place(on)


@pytest.mark.parametrize("number", ["", "0", "-1", "1.5", "two", "1025", "99999999999", "²"])
def test_no_such_number(number):
    with pytest.raises(EligoError, match="is not a number of processes"):
        open_place(f"processes:{number}")


def test_all_cores():
    with open_place() as place:
        assert isinstance(place, Processes)
        assert place._most == len(os.sched_getaffinity(0))


def test_here_is_in_order():
    with Here(made_up_runs.plain) as place:
        assert [number for number, _ in place.work([None], BLOCKS)] == list(range(len(BLOCKS)))
        assert np.isfinite(next(place.work([None], BLOCKS))[1]).all()
