"""Talking to somebody's Dask cluster: what the simulator and the engine have in common.

A client of ``distributed`` waits for ever for what does not answer, takes whatever listens for a scheduler, and logs
what it ought to raise. Here every question has a bound, and what answers is asked first who it is.
"""

from __future__ import annotations

import asyncio
import logging
import threading
import warnings
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import eligo
from eligo.errors import EngineError

__all__ = ["ask", "ask_version", "check_scheduler", "connected", "silence", "unfit"]


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
