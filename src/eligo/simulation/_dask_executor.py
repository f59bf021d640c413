"""A Dask cluster: blocks of runs as tasks of ``dask.distributed``.

The cluster is somebody else's. It exists before and after, its workers come and go, and it may be used by others
meanwhile. What is sent there:

* The setups, pickled, in pieces of a few megabytes, each the argument of a task, and a task that puts them together.
  Data that a client scatters are gone with the worker that holds them; the result of a task is made again.
* Each block, as a task that depends on the setups. At most a few for each thread of the cluster are there at a time, so
  that neither the scheduler nor this process has to remember all.

Dask itself gives the tasks of a lost worker to others, and gives up on a task at which several workers died. What it
leaves to its users is to notice that nothing happens any more: nobody answers, no worker is left. So while nothing is
done this module looks after the cluster once a second, and gives up after ``PATIENCE_S`` without a worker that a
scheduler knows of. A scheduler that is lost takes along all that it was told, so that is the end at once.

Workers must have the same version of eligo, since others may simulate something else. They are asked as they join, and
tasks check it again.

Talking to somebody's Dask cluster: what the simulator and the engine have in common.

A client of ``distributed`` waits for ever for what does not answer, takes whatever listens for a scheduler, and logs
what it ought to raise. Here every question has a bound, and what answers is asked first who it is.
"""

from __future__ import annotations

import asyncio
import logging
import pickle
import queue
import threading
import time
import uuid
import warnings
from collections import deque
from collections.abc import Callable, Coroutine, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from typing import Any, NoReturn, Self, final

import eligo
from eligo.dag import Float64
from eligo.errors import EngineError, MissingExtraError
from eligo.simulation import _runs as runs
from eligo.simulation._executors import Block, Place, RunBlock

__all__ = [
    "CONNECT_S",
    "PATIENCE_S",
    "DaskCluster",
    "ask",
    "ask_version",
    "check_scheduler",
    "connected",
    "silence",
    "unfit",
]


def ask_version() -> Callable[[], str | None]:
    """Return a function that tells a worker's version; a local one is sent as code, which needs no eligo there."""

    def version() -> str | None:
        try:
            import eligo as found
        except ImportError:
            return None
        return str(found.__version__)

    return version


def unfit(who: str, version: str | None) -> EngineError:
    """Say that a worker cannot be used."""
    hint = f"install eligo {eligo.__version__} where the workers run"
    if version is None:
        return EngineError(f"{who} of the Dask cluster does not have eligo", hint=hint)
    return EngineError(f"{who} of the Dask cluster has eligo {version}, not {eligo.__version__}", hint=hint)


def check_scheduler(distributed: Any, address: str, connect_s: float) -> None:
    """Ask who is there, since a client would wait for ever for an answer from what is no scheduler."""

    async def identity() -> Any:
        arguments = distributed.Security().get_connection_args("client")
        async with distributed.rpc(address, timeout=connect_s, connection_args=arguments) as there:
            return await there.identity()

    hint = "give the address that the scheduler prints when it starts, such as dask:tcp://127.0.0.1:8786"
    try:
        answer = _run_apart(identity, connect_s)
    except OSError:
        raise EngineError(f"no Dask scheduler answers at {address}", hint=hint) from None
    except (ValueError, TypeError) as error:
        raise EngineError(f"{address} is not the address of a Dask scheduler: {error}", hint=hint) from None
    except Exception:  # whatever comes of bytes that mean something else
        raise EngineError(f"what answers at {address} is not a Dask scheduler", hint=hint) from None
    kind = answer.get("type") if isinstance(answer, dict) else None
    if kind != "Scheduler":
        what = "a Dask worker, not a scheduler" if kind in ("Worker", "Nanny") else "not a Dask scheduler"
        raise EngineError(f"what answers at {address} is {what}", hint=hint)


@contextmanager
def connected(distributed: Any, address: str, connect_s: float) -> Iterator[Any]:
    """Connect to a scheduler, and let go of it in the end."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of versions of packages that we do not send
            client = distributed.Client(address, timeout=connect_s, set_as_default=False, name="eligo")
    except Exception as error:
        raise EngineError(f"the Dask cluster at {address} refuses: {error}") from None
    try:
        yield client
    finally:
        with suppress(Exception):
            client.close(timeout=connect_s)


def ask(client: Any, question: Callable[[], Any], seconds: float) -> Any:
    """Call a method of the client, and wait only so long for it."""

    async def answer() -> Any:
        return await question()

    return client.sync(answer, callback_timeout=seconds)


def _run_apart(question: Callable[[], Coroutine[Any, Any, Any]], seconds: float) -> Any:
    """Run a coroutine in a thread and a loop of its own, since the caller may be in a loop; wait only so long."""
    outcome: list[Any] = []

    async def bounded() -> Any:
        return await asyncio.wait_for(question(), seconds)

    def answer() -> None:
        try:
            outcome.extend((asyncio.run(bounded()), None))
        except BaseException as error:
            outcome.extend((None, error))

    thread = threading.Thread(target=answer, daemon=True)
    thread.start()
    thread.join(2 * seconds)
    if not outcome:
        raise TimeoutError
    if outcome[1] is not None:
        raise outcome[1]
    return outcome[0]


@contextmanager
def silence() -> Iterator[None]:
    """Keep the loggers of ``distributed`` quiet: all that matters is raised."""
    names = [name for name in logging.root.manager.loggerDict if name.partition(".")[0] in ("distributed", "tornado")]
    loggers = [logging.getLogger(name) for name in names]
    before = [(logger, logger.level) for logger in loggers if logger.level != logging.NOTSET]
    for logger, _ in before:
        logger.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        for logger, level in before:
            logger.setLevel(level)


CONNECT_S = 10.0
"""How long to try to reach the scheduler."""

PATIENCE_S = 30.0
"""How long a cluster may have no workers, or not answer, before it is given up."""

_LOOK_S = 1.0  # how often to look after a cluster that is silent
_PIECE = 4_000_000  # bytes; dask warns of graphs from 10 MB
_AHEAD = 3  # blocks for each thread of the cluster, waiting or running
_RETRIES = 2


class _Setups:
    """What a worker holds: opaque to dask, which would otherwise take a list apart and the shared dag with it."""

    def __init__(self, run: RunBlock, setups: Sequence[Any], size: int) -> None:
        self.run = run
        self.setups = setups
        self._size = size

    def __sizeof__(self) -> int:
        return self._size


def _unpack(version: str, pieces: list[bytes]) -> _Setups:
    """Put the setups together, on a worker."""
    _check_version(version)
    content = b"".join(pieces)
    run, setups = pickle.loads(content)
    return _Setups(run, setups, len(content))


def _do_block(version: str, setups: _Setups, block: tuple[int, ...]) -> Float64:
    """Simulate a block, on a worker."""
    _check_version(version)
    setup, *rest = block
    return setups.run(setups.setups[setup], *rest)


def _check_version(version: str) -> None:
    if version != eligo.__version__:
        raise unfit("a worker", eligo.__version__)


@final
class DaskCluster(Place):
    """A cluster by the address of its scheduler; connected to while the context is open.

    Raises
    ------
    MissingExtraError
        There is no ``distributed``.
    EngineError
        On entering the context: nobody answers, or it is not a scheduler, or it has no workers or unfit ones.
    """

    def __init__(
        self,
        address: str,
        *,
        run: RunBlock = runs.run_block,
        connect_s: float | None = None,
        patience_s: float | None = None,
    ) -> None:
        self._address = address
        self._run = run
        self._connect_s = CONNECT_S if connect_s is None else connect_s
        self._patience_s = PATIENCE_S if patience_s is None else patience_s
        self._answer_s = min(5.0, self._patience_s)  # for one answer; there is more than one try
        self._client: Any = None
        self._threads = 1
        self._fit: set[str] = set()  # addresses of workers that have the right version
        self._last_look = self._last_well = 0.0
        self._leave = ExitStack()

    def __enter__(self) -> Self:
        try:
            import distributed
        except ImportError:
            raise MissingExtraError("distributed", "dask") from None
        with ExitStack() as leave:
            leave.enter_context(silence())
            check_scheduler(distributed, self._address, self._connect_s)
            self._client = leave.enter_context(connected(distributed, self._address, self._connect_s))
            self._wait_for_workers()
            self._leave = leave.pop_all()
        return self

    def close(self) -> None:
        """Let go of the cluster, and cancel what is left."""
        self._leave.close()

    def work(self, setups: Sequence[Any], blocks: Sequence[Block]) -> Iterator[tuple[int, Float64]]:
        """Yield the blocks as they are done."""
        waiting = deque(range(len(blocks)))
        there: dict[str, tuple[int, Any]] = {}  # by key: the number of a block and its future
        done: queue.SimpleQueue[Any] = queue.SimpleQueue()
        held = None
        self._last_well = time.monotonic()
        try:
            while waiting or there:
                with self._lost_if_it_fails():
                    held = held or self._send_setups(setups)
                    while waiting and len(there) < _AHEAD * self._threads:
                        number = waiting.popleft()
                        future = self._send_block(held, blocks[number])
                        there[future.key] = number, future
                        future.add_done_callback(done.put)
                for key, rows in self._fetch(self._next(done), done):
                    number, future = there.pop(key)
                    future.release()
                    before = time.monotonic()
                    yield number, rows
                    self._last_well += time.monotonic() - before  # the caller's time is not held against the cluster
        finally:
            with suppress(Exception):  # what cannot be cancelled any more need not be
                self._client.cancel([future for _, future in there.values()] + ([held] if held else []))

    def _send_setups(self, setups: Sequence[Any]) -> Any:
        """Have the cluster hold the setups, in a way that it can make them again."""
        content = pickle.dumps((self._run, tuple(setups)), protocol=5)
        name = f"eligo-setups-{uuid.uuid4().hex}"
        pieces = [
            self._client.submit(bytes, content[first : first + _PIECE], key=f"{name}-{first}", retries=_RETRIES)
            for first in range(0, len(content), _PIECE)
        ]
        return self._client.submit(_unpack, eligo.__version__, pieces, key=name, retries=_RETRIES)

    def _send_block(self, held: Any, block: Block) -> Any:
        key = f"eligo-block-{uuid.uuid4().hex}"
        return self._client.submit(_do_block, eligo.__version__, held, tuple(block), key=key, retries=_RETRIES)

    def _next(self, done: queue.SimpleQueue[Any]) -> list[Any]:
        """Wait for futures that are done, and look after the cluster meanwhile."""
        if time.monotonic() - self._last_look > 5 * _LOOK_S:
            self._look()
        while True:
            with suppress(queue.Empty):
                futures = [done.get(timeout=_LOOK_S)]
                while not done.empty():
                    futures.append(done.get())
                return futures
            self._look()

    def _look(self) -> None:
        """See how many threads the cluster has, and give it up if it had none for too long."""
        workers = None
        with suppress(Exception):
            workers = ask(self._client, self._client.nthreads, self._answer_s)
        self._last_look = time.monotonic()
        if workers:
            self._threads, self._last_well = sum(workers.values()), self._last_look
            self._check(workers)
        elif self._last_look - self._last_well > self._patience_s:
            raise self._without_workers("has no workers left") if workers == {} else self._lost()

    def _fetch(self, futures: list[Any], done: queue.SimpleQueue[Any]) -> list[tuple[str, Float64]]:
        """Return the keys and the rows of blocks that are done; those that are lost meanwhile are done again."""
        for future in futures:
            if future.status == "error":
                self._raise(future)
            elif future.status == "cancelled":  # which dask does when it loses the scheduler
                raise self._lost()
        ready = [future for future in futures if future.status == "finished"]
        try:
            rows = ask(self._client, lambda: self._client.gather(ready), self._answer_s)
        except TimeoutError:
            ready, rows = [], []
        except Exception:
            if any(future.status == "error" for future in futures):
                return self._fetch(futures, done)
            raise self._lost() from None
        fetched = {future.key for future in ready}
        for future in futures:
            if future.key not in fetched:
                future.add_done_callback(done.put)
        return [(future.key, found) for future, found in zip(ready, rows, strict=True)]

    def _raise(self, future: Any) -> NoReturn:
        """Raise what a task raised, or say what happened to it."""
        from distributed import KilledWorker

        try:
            error = future.exception(timeout=self._answer_s)
        except Exception:
            raise self._lost() from None
        if isinstance(error, KilledWorker):
            raise EngineError(
                f"several workers of {self._name} were lost at the same work",
                hint="they may have run out of memory: their logs tell",
            ) from None
        if isinstance(error, ImportError) and (error.name or "").partition(".")[0] == "eligo":
            raise unfit("a worker", None) from None
        raise error

    def _wait_for_workers(self) -> None:
        self._last_well = time.monotonic()
        self._threads = 0
        self._look()
        while not self._threads:
            time.sleep(0.1)
            if time.monotonic() - self._last_well > self._patience_s:
                raise self._without_workers("has no workers")
            self._look()

    def _check(self, workers: Iterable[str]) -> None:
        """Refuse workers without eligo or with another one. They would not say so: they break off at our tasks."""
        new = [worker for worker in workers if worker not in self._fit]
        versions: dict[str, Any] = {}
        with suppress(Exception):  # one that does not answer may be gone the next moment
            question = partial(self._client.run, ask_version(), workers=new, on_error="return")
            versions = ask(self._client, question, self._answer_s) if new else {}
        for worker, version in sorted(versions.items()):
            if version is None or (isinstance(version, str) and version != eligo.__version__):
                raise unfit(f"worker {worker}", version)
            self._fit.add(worker)

    @contextmanager
    def _lost_if_it_fails(self) -> Iterator[None]:
        try:
            yield
        except OSError:
            raise self._lost() from None

    @property
    def _name(self) -> str:
        return f"the Dask cluster at {self._address}"

    def _lost(self) -> EngineError:
        return EngineError(f"{self._name} is gone", hint="what was finished before is not lost")

    def _without_workers(self, text: str) -> EngineError:
        return EngineError(f"{self._name} {text}", hint=f"start some: dask worker {self._address}")
