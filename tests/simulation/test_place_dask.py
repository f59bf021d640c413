"""A Dask cluster as the place of work: the same rows, whoever is killed; clear errors within bounded time."""

from __future__ import annotations

import builtins
import logging
import os
import socket
import subprocess
import sys
import threading

import pytest

import eligo
from eligo import generate
from eligo.errors import EligoError, EngineError, MissingExtraError
from eligo.simulation import _dask_executor as dask_executor
from eligo.simulation import _runs as runs
from eligo.simulation._dask_executor import DaskCluster
from eligo.simulation._executors import Block, Here, open_place
from eligo.simulation._grid import Grid
from eligo.simulation._simulated_orders import contender
from tests.guards import no_hang
from tests.simulation import made_up_runs
from tests.simulation.dask_clusters import ROOT, Cluster, other_eligo
from tests.simulation.made_up_runs import BLOCKS, wanted

pytest.importorskip("distributed")


@pytest.fixture(autouse=True)
def bounded():
    with no_hang(180):
        yield


@pytest.fixture
def cluster(tmp_path):
    """A scheduler of the test's own, without workers."""
    cluster = Cluster(tmp_path)
    yield cluster
    cluster.close()


@pytest.fixture(scope="module")
def pair(tmp_path_factory):
    """A cluster of two workers that all tests use who do no harm to it."""
    cluster = Cluster(tmp_path_factory.mktemp("dask"))
    try:
        cluster.add_worker()
        cluster.add_worker()
        yield cluster
    finally:
        cluster.close()


def collect(place, setups=(None,), blocks=BLOCKS, *, after=None, then=lambda: None):
    """Do the work, and something else `after` so many blocks are done."""
    found = {}
    for number, rows in place.work(list(setups), blocks):
        assert number not in found, "each block once"
        found[number] = rows.tolist()
        if len(found) == after:
            then()
    return found


def work_of_two():
    dag = generate.airsn(50)
    setups = [runs.make_setup(dag, contender(dag, name), Grid(), seed=3) for name in ("prio", "fifo")]
    return setups, [Block(setup, first, 400, 200) for setup in (0, 1) for first in range(0, 8000, 400)]


def test_one_of_two_workers_killed_in_the_middle(pair):
    setups, blocks = work_of_two()
    here = collect(Here(), setups, blocks)
    with open_place(f"dask:{pair.address}") as place:
        assert len(place._client.nthreads()) == 2
        assert collect(place, setups, blocks, after=3, then=lambda: pair.kill(pair.workers[0])) == here
        pair.add_worker()
        assert collect(place, setups, blocks) == here, "and again, with a new one"


@pytest.mark.long
def test_setups_survive_the_only_worker_that_holds_them(cluster):
    first = cluster.add_worker()

    def replace():
        cluster.add_worker()
        cluster.kill(first)

    with DaskCluster(cluster.address, run=made_up_runs.slow) as place:
        large = os.urandom(3 * dask_executor._PIECE // 2)
        assert collect(place, [large], BLOCKS * 4, after=2, then=replace) == wanted(BLOCKS * 4)


@pytest.mark.long
def test_a_worker_that_dies_of_its_block(pair, tmp_path):
    assert len(pair.workers) == 2
    with DaskCluster(pair.address, run=made_up_runs.dies_once) as place:
        assert collect(place, [str(tmp_path)]) == wanted()
    assert len(pair.workers) == 1
    pair.add_worker()


def test_errors_pass(pair):
    with DaskCluster(pair.address, run=made_up_runs.raises) as place:
        with pytest.raises(EligoError, match="this cannot be simulated") as raised:
            collect(place)
        assert raised.value.hint == "try something else"
    with DaskCluster(pair.address, run=made_up_runs.raises_os_error) as place, pytest.raises(EOFError, match="not of"):
        collect(place)


def test_closing_early_cancels_the_rest(pair):
    with DaskCluster(pair.address, run=made_up_runs.slow) as place:
        work = place.work([None], BLOCKS * 100)
        next(work)
        work.close()
        assert collect(place) == wanted(), "which does not wait for 1,200 others"
        assert not collect(place, blocks=[])
        assert not place._client.futures


def test_few_blocks_are_sent_ahead(pair):
    """The rest of a long piece of work is not in anyone's memory yet."""
    with DaskCluster(pair.address, run=made_up_runs.slow) as place:
        work = place.work([None], BLOCKS * 100)
        for _ in range(5):
            next(work)
            assert len(place._client.futures) <= dask_executor._AHEAD * place._threads + 1
        work.close()


def test_loggers_are_as_before(pair):
    levels = [(name, logging.getLogger(name).level) for name in ("distributed", "distributed.client", "tornado")]
    with DaskCluster(pair.address, run=made_up_runs.plain) as place:
        assert logging.getLogger("distributed.client").level > logging.CRITICAL
        collect(place)
    assert levels == [(name, logging.getLogger(name).level) for name, _ in levels]
    place.close()


@pytest.mark.long
def test_no_worker_is_left(cluster):
    worker = cluster.add_worker()
    with DaskCluster(cluster.address, run=made_up_runs.slow, patience_s=1) as place:
        work = place.work([None], BLOCKS * 10)
        next(work)
        cluster.kill(worker)
        with pytest.raises(EngineError, match="has no workers left") as raised:
            list(work)
        assert raised.value.hint == f"start some: dask worker {cluster.address}"
    with (
        pytest.raises(EngineError, match="has no workers\nhint: start some"),
        DaskCluster(cluster.address, patience_s=1),
    ):
        pass


@pytest.mark.long
def test_the_scheduler_is_paused(cluster):
    """It still has its port, but does not answer: a machine that was cut off."""
    cluster.add_worker()
    with DaskCluster(cluster.address, run=made_up_runs.slow, patience_s=1, connect_s=2) as place:
        work = place.work([None], BLOCKS * 10)
        next(work)
        cluster.pause(cluster.scheduler)
        with pytest.raises(EngineError, match="is gone"):
            list(work)
    with pytest.raises(EngineError, match="no Dask scheduler answers"), DaskCluster(cluster.address, connect_s=1):
        pass


def test_the_scheduler_is_killed_and_nothing_is_printed(cluster):
    """What was done before is kept; no logger of dask's talks."""
    cluster.add_worker()
    script = """
import sys
from eligo.errors import EngineError
from eligo.simulation._dask_executor import DaskCluster
from tests.simulation import made_up_runs
found = []
try:
    with DaskCluster(sys.argv[1], run=made_up_runs.slow, connect_s=5) as place:
        for number, rows in place.work([None], made_up_runs.BLOCKS * 10):
            found.append(number)
            if len(found) == 3:
                print("three", flush=True)
                sys.stdin.readline()
except EngineError as error:
    print(error)
    print(len(found) >= 3)
"""
    process = subprocess.Popen(
        [sys.executable, "-c", script, cluster.address],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    with process:
        assert process.stdout.readline() == "three\n"
        cluster.kill(cluster.scheduler)
        output, errors = process.communicate("\n", timeout=60)
    assert output.splitlines() == [
        f"the Dask cluster at {cluster.address} is gone",
        "hint: what was finished before is not lost",
        "True",
    ]
    assert errors == ""
    assert process.returncode == 0


@pytest.mark.long
def test_unfit_workers(cluster, tmp_path):
    """From the beginning, or joining later; none, or another one."""
    cluster.add_worker()
    hint = f"install eligo {eligo.__version__} where the workers run"
    with DaskCluster(cluster.address) as place:
        late = cluster.add_worker(path=other_eligo(tmp_path / "none", "None"))
        with pytest.raises(EngineError, match=r"worker tcp://.* of the Dask cluster does not have eligo") as raised:
            place._look()
    assert raised.value.hint == hint
    with pytest.raises(EngineError, match="does not have eligo"), DaskCluster(cluster.address):
        pass
    cluster.kill(late)
    cluster.add_worker(path=other_eligo(tmp_path / "old", "types.ModuleType('eligo')"))
    message = f"of the Dask cluster has eligo 0.0.1, not {eligo.__version__}"
    with pytest.raises(EngineError, match=message) as raised, DaskCluster(cluster.address):
        pass
    assert raised.value.hint == hint


def test_version_is_checked_with_each_task():
    with pytest.raises(EngineError, match=f"a worker of the Dask cluster has eligo {eligo.__version__}, not"):
        dask_executor._do_block("9.9", None, (0, 0, 1, 1))
    with pytest.raises(EngineError, match="a worker of the Dask cluster has"):
        dask_executor._unpack("9.9", [])


def answering(reply):
    """Listen on a port and answer whoever comes with some bytes."""
    server = socket.create_server(("127.0.0.1", 0))

    def serve():
        try:
            caller, _ = server.accept()
        except OSError:
            return
        with caller:
            caller.sendall(reply)

    threading.Thread(target=serve, daemon=True).start()
    return server


def refused(address):
    with pytest.raises(EngineError) as raised, DaskCluster(address, connect_s=0.5):
        pass
    assert "address that the scheduler prints" in raised.value.hint
    assert address in raised.value.text
    return raised.value.text


def test_nobody_there():
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"tcp://127.0.0.1:{server.getsockname()[1]}"
        assert "no Dask scheduler answers at" in refused(address), "it listens and never says a word"
    assert "no Dask scheduler answers at" in refused(address), "it is closed"
    assert "no Dask scheduler answers at" in refused(address.removeprefix("tcp://"))


def test_somebody_else_there():
    with answering(b"SSH-2.0-OpenSSH_9.0\r\n") as server:
        assert "is not a Dask scheduler" in refused(f"tcp://127.0.0.1:{server.getsockname()[1]}")


def test_a_worker_is_no_scheduler(pair):
    with DaskCluster(pair.address) as place:
        worker = next(iter(place._client.nthreads()))
    assert "is a Dask worker, not a scheduler" in refused(worker)


@pytest.mark.parametrize("address", ["nonsense", "http://127.0.0.1:8787", "tcp://127.0.0.1", "tcp://127.0.0.1:x"])
def test_no_address(address):
    assert "is not the address of a Dask scheduler" in refused(address)


def test_without_the_package(monkeypatch):
    real = builtins.__import__

    def without(name, *args, **kwargs):
        if name.partition(".")[0] == "distributed":
            raise ModuleNotFoundError(name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(MissingExtraError, match=r"eligo\[dask\]"), open_place("dask:tcp://127.0.0.1:8786"):
        pass
