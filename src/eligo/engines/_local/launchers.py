"""All keepers of a run: the one that starts steps for us now, and earlier ones that may still have some running.

Whoever starts a step or hears of its end need not know which keeper it was: keys go in, records come out. Where our own
keeper is killed, another takes its place, and what the old one started is looked after as if it were an earlier run's.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from eligo.engines._local.launch_steps import Epoch, Steps, closed, journal_path, journals_in
from eligo.engines._local.launcher import Keeper, KeeperLostError, Key, Record
from eligo.engines._local.recovery import Lost, Orphans
from eligo.engines._plan import Process
from eligo.engines._state import State
from eligo.errors import EngineError

__all__ = ["Keepers"]

_LOOK_EVERY_S = 0.1  # at what earlier keepers left: they cannot wake us


class Keepers:
    """The keepers of a run.

    Attributes
    ----------
    replaced
        How many of ours were killed.
    """

    def __init__(self, state: State, steps: Steps) -> None:
        self.replaced = 0
        self._state = state
        self._steps = steps
        self._orphans: list[Orphans] = []
        self._look_at = 0.0
        self._keeper: Keeper | None = None
        self._epoch: Epoch
        self._running: dict[Key, int | None] = {}

    def open(self, in_flight: dict[int, list[Key]], *, presume_dead: bool) -> None:
        """Take over the steps that earlier keepers, by their epochs, have in flight, and start one of our own."""
        for epoch in self._steps.open_epochs():
            if epoch.is_here and epoch.may_live:
                self._state.never_before(epoch.base_s)
            keys = in_flight.get(epoch.number, [])
            self._orphans.append(Orphans(epoch, self._state.folder, keys, presume_dead=presume_dead))
        needed = {orphans.epoch.number for orphans in self._orphans}
        closed(self._state.folder, journals_in(self._state.folder) - needed)  # by one killed before it removed them
        self._start_keeper()

    def _start_keeper(self) -> None:
        self._epoch = self._steps.new_epoch(self._state.at_s(0.0))
        self._state.commit()
        path = journal_path(self._state.folder, self._epoch.number)
        path.unlink(missing_ok=True)  # of an epoch whose commit a power cut took away
        self._keeper = Keeper(path)

    def begin(self, keys: Iterable[Key]) -> None:
        """Write down, for good, that steps are about to start: call this before :meth:`start`."""
        for key in keys:
            self._steps.begin(key, self._epoch.number)
            self._running[key] = None
        self._state.commit()

    def start(self, key: Key, process: Process, log: Path) -> None:
        """Start a step. Where nobody can, it turns up among the lost ones.

        Raises
        ------
        ValueError
            A word has a zero byte in it, which no program can be given.
        """
        if key not in self._running:
            return  # the keeper was lost after it was begun
        assert self._keeper is not None
        try:
            self._keeper.start(key, process, log)
        except KeeperLostError:
            self._replace()

    def drop(self, key: Key) -> None:
        """Take note that a step that was begun cannot be started."""
        self._running.pop(key, None)

    def _replace(self) -> None:
        assert self._keeper is not None
        self._keeper.wait_for_end()
        self._orphans.append(Orphans(self._epoch, self._state.folder, self._running))
        self._running = {}
        self._look_at = 0.0
        self.replaced += 1
        try:
            self._start_keeper()
        except OSError as error:
            raise EngineError(
                f"the process that starts jobs was killed, and another cannot be started: {error}",
                hint="what runs goes on; take it over with --resume",
            ) from error

    def records(self) -> list[tuple[Record, float]]:
        """Return what is new of steps in flight: starts and ends, each with the time of the run when it ended."""
        assert self._keeper is not None
        found = []
        for record in self._keeper.read():
            if record.key not in self._running:
                continue
            if record.kind == "S":
                self._running[record.key] = record.pid
            else:
                del self._running[record.key]
            found.append((record, self._epoch.base_s + record.end_s))
        if self._is_time_to_look():
            for orphans in self._orphans:
                found += [(record, orphans.epoch.base_s + record.end_s) for record in orphans.read()]
        return found

    def lost(self) -> list[Lost]:
        """Return steps of earlier keepers that are over without an end; call after :meth:`records`."""
        if not self._is_time_to_look():
            return []
        self._look_at = time.monotonic() + _LOOK_EVERY_S
        return [lost for orphans in self._orphans for lost in orphans.lost()]

    def _is_time_to_look(self) -> bool:
        return bool(self._orphans) and time.monotonic() >= self._look_at

    def close_earlier(self) -> None:
        """Let go of earlier keepers that have nothing in flight; call when what they told is in the state."""
        over = [orphans for orphans in self._orphans if not orphans.waiting]
        if not over:
            return
        for orphans in over:
            self._steps.close_epoch(orphans.epoch.number)
            self._orphans.remove(orphans)
        self._state.commit(sync=True)
        for orphans in over:
            orphans.close()
        closed(self._state.folder, [orphans.epoch.number for orphans in over])

    def wait(self, until: float) -> None:
        """Wait until there is something to hear, but not beyond a moment of the monotonic clock."""
        assert self._keeper is not None
        moment = min(until, self._look_at) if self._orphans else until
        try:
            self._keeper.wait(moment - time.monotonic())
        except KeeperLostError:
            self._replace()

    def signal(self, number: signal.Signals, key: Key) -> None:
        """Send a signal to all processes of a step in flight; one that has not started yet does not get it."""
        pid = self._running.get(key)
        if pid is not None:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(pid, number)
        for orphans in self._orphans:
            orphans.send(number, [key])

    def close(self) -> None:
        """Let go of all; what runs goes on, and its end will be found in the journal."""
        if self._keeper is None:
            return
        if self._running:
            self._keeper.close()
        else:
            self._keeper.wait_for_end()
            self._steps.close_epoch(self._epoch.number)
            with suppress(EngineError):
                self._state.commit(sync=True)
                closed(self._state.folder, [self._epoch.number])
        for orphans in self._orphans:
            orphans.close()
        self._keeper = None
