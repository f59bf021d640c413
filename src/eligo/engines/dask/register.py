"""The register of a worker: which jobs run in its process and which have ended, for as long as it lives.

An Eligo that comes after a crash asks all workers for their registers (`survey`). By the same question it forbids them
to begin anything that an earlier one had sent, so that the answer stays true: nothing that it does not name will start.
The functions that have a run's id as their first argument are called on workers by ``Client.run``.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

from eligo.engines.dask.guarding import GuardLostError, guarding
from eligo.engines.dask.orders import Order, OutdatedError

__all__ = ["GRACE_S", "Running", "end_jobs", "forbidden", "forget", "keep_end", "registered", "send_signal", "survey"]

GRACE_S = 5.0
"""Between asking a program to end and killing it."""


@dataclass(slots=True, eq=False)
class Running:
    """A job that runs in this process, in the lowest slot that was free."""

    slot: int
    attempt: int = 1
    killed: bool = False
    programs: set[int] = field(default_factory=set)
    over: threading.Event = field(default_factory=threading.Event)


_lock = threading.Lock()
_running: dict[tuple[str, int], Running] = {}
_ended: dict[str, dict[int, dict[str, Any]]] = {}
_turns: dict[str, int] = {}


def survey(run_id: str, turn: int) -> dict[str, Any]:
    """Forbid what has a turn before `turn`, and return what runs (slot and attempt) and how what has ended did."""
    with _lock:
        _turns[run_id] = max(turn, _turns.get(run_id, 0))
        running = {job: (it.slot, it.attempt) for (run, job), it in _running.items() if run == run_id}
        return {"running": running, "ended": list(_ended.get(run_id, {}).values())}


def forbidden(order: Order) -> bool:
    """Whether an order came from an Eligo that was replaced, or that said since then that nothing more may start."""
    with _lock:
        return order.turn < _turns.get(order.run_id, 0)


def forget(run_id: str) -> None:
    """Forget how the jobs of a run have ended, which is known elsewhere."""
    with _lock:
        _ended.pop(run_id, None)


def keep_end(order: Order, message: dict[str, Any]) -> None:
    """Remember how a job ended, until somebody who heard of it says otherwise."""
    with _lock:
        _ended.setdefault(order.run_id, {})[order.job] = message


def end_jobs(run_id: str) -> None:
    """Ask the programs of a run to end, and kill them if they do not."""
    with _lock:
        mine = [it for (run, _), it in _running.items() if run == run_id]
        for it in mine:
            it.killed = True
    for it in mine:
        send_signal(it, signal.SIGTERM)


def send_signal(running: Running, which: signal.Signals) -> None:
    """Send a signal to all programs of a job."""
    with suppress(GuardLostError):
        for group in list(running.programs):
            guarding().ask("signal", group, int(which))


@contextmanager
def registered(order: Order) -> Iterator[Running]:
    """Enter a job into the register, after whatever runs it here already has ended.

    Raises
    ------
    OutdatedError
        It was forbidden meanwhile.
    """
    key = order.run_id, order.job
    while True:
        with _lock:
            if order.turn < _turns.get(order.run_id, 0):
                raise OutdatedError
            other = _running.get(key)
            if other is None:
                taken = {it.slot for it in _running.values()}
                mine = _running[key] = Running(next(slot for slot in range(len(taken) + 1) if slot not in taken))
                break
        other.over.wait()
    try:
        yield mine
    finally:
        with _lock:
            del _running[key]
        mine.over.set()
