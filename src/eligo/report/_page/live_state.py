"""What a page has to know of a run that goes on, kept where other threads may ask for it.

Problem: one thread carries out a run and must wait for nobody; any number of others want to know what has changed since
they looked last, each at its own pace, some never.

Idea: nothing is queued for anybody. There are the columns of the jobs as they are now, a number that counts how often
something changed, and a bounded list of which job changed at which number. Who asks tells the last number it has seen,
and gets the jobs that changed since, each once and as it is *now*, however often it changed in between. Who has seen
too little for the list is told so, and takes a snapshot, which is no longer than what it would have been told.

Invariant: a copy that was a snapshot, and to which all changes since were applied, equals the state at the number that
the last of them names.

Cost: a change takes time in proportion to the jobs that it names. Asking takes time in proportion to what there is to
tell, and memory while it is told; a slow reader is told more at once, and never more than the list is long.

What comes in is made fit for strict JSON at the door: plain numbers, times in whole microseconds, ``None`` for those
that are not finite, notes of bounded length. A note is text of anybody's; only whoever shows it can make it harmless.
"""

from __future__ import annotations

import json
import math
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from threading import Condition
from typing import Any

__all__ = ["LiveState", "json_pieces"]

_STATUSES = range(4)  # waiting, running, done, failed: those of the engines, which this package does not know
_HISTORY = 32_768
_NOTES = 200
_NOTE_CHARS = 2_000
_PIECE = 4_096  # encoded at a stretch, which no other thread can interrupt: a millisecond or two
_ENCODE = json.JSONEncoder(allow_nan=False, separators=(",", ":")).encode

_Row = tuple[int, int, float | None, float | None, int]


class LiveState:
    """A mirror of a run that any thread may change and ask.

    Parameters
    ----------
    n
        How many jobs there are.
    status, start_s, end_s, worker
        Of each job, as it is at first: 0 waiting, 1 running, 2 done, 3 failed; ``None`` for times that are unknown, -1
        for workers.
    now_s
        What the clock of the run shows; job times are by the same clock.
    history
        How many changes of single jobs are remembered, at least 1.

    Examples
    --------
    >>> state = LiveState(2, status=[0, 0], start_s=[None, None], end_s=[None, None], worker=[-1, -1])
    >>> seen = state.snapshot()["seq"]
    >>> state.change(1.5, [(0, 1, 1.25, None, 3)])
    >>> state.change(2.5, [(0, 2, 1.25, 2.5, 3)], ["half way"])
    >>> news = state.since(seen, timeout_s=0.0)
    >>> news["jobs"], news["notes"]
    ([[0, 2, 1.25, 2.5, 3]], ['half way'])
    >>> state.since(news["seq"], timeout_s=0.0) is None
    True
    >>> state.finish("1 of 2 jobs done", 1)
    >>> state.snapshot()["over"]
    {'text': '1 of 2 jobs done', 'exit_status': 1}
    """

    def __init__(
        self,
        n: int,
        *,
        status: Sequence[int],
        start_s: Sequence[float | None],
        end_s: Sequence[float | None],
        worker: Sequence[int],
        now_s: float = 0.0,
        history: int = _HISTORY,
    ) -> None:
        if {len(status), len(start_s), len(end_s), len(worker)} != {n}:
            raise ValueError(f"there are {n} jobs, and not a status, a start, an end and a worker for each")
        self.n = n
        self._status = [_checked_status(value) for value in status]
        self._start_s = [_seconds(value) for value in start_s]
        self._end_s = [_seconds(value) for value in end_s]
        self._worker = [int(value) for value in worker]
        self._now_s = _seconds(now_s) or 0.0
        self._seq = 0
        self._history: deque[tuple[int, int]] = deque()  # number and job, oldest first
        self._history_most = max(history, 1)
        self._forgotten = 0  # changes after this number are in the history, all of them
        self._notes: deque[tuple[int, str]] = deque(maxlen=_NOTES)
        self._over: dict[str, Any] | None = None
        self._news = Condition()

    def change(self, now_s: float, changes: Iterable[_Row], notes: Iterable[str] = ()) -> None:
        """Take note of what jobs are now: job, status, start, end and worker of each; and of lines to show.

        Without any it only sets the clock, which nobody is woken for. All or nothing is taken, in the order given.

        Raises
        ------
        ValueError
            There is no such job, or no such status.
        """
        rows = [self._checked(row) for row in changes]
        texts = [_shortened(text) for text in notes]
        with self._news:
            if math.isfinite(now_s):
                self._now_s = round(float(now_s), 6)
            if not rows and not texts:
                return
            self._seq += 1
            for row in rows:
                self._put(row)
            self._notes.extend((self._seq, text) for text in texts)
            self._news.notify_all()

    def finish(self, text: str, exit_status: int | None) -> None:
        """Take note that the run is over, or was left, where the exit status is ``None``; the last one counts."""
        over = {"text": _shortened(text), "exit_status": None if exit_status is None else int(exit_status)}
        with self._news:
            self._seq += 1
            self._over = over
            self._news.notify_all()

    def snapshot(self) -> dict[str, Any]:
        """Return all there is to know: `seq`, `now_s`, a list of each column, the last `notes`, and `over`."""
        with self._news:
            return {
                "seq": self._seq,
                "now_s": self._now_s,
                "status": self._status.copy(),
                "start_s": self._start_s.copy(),
                "end_s": self._end_s.copy(),
                "worker": self._worker.copy(),
                "notes": [text for _, text in self._notes],
                "over": self._over,
            }

    def since(self, seq: int, timeout_s: float, stopped: Callable[[], bool] = lambda: False) -> dict[str, Any] | None:
        """Return what has changed after the number `seq`, waiting for it at most so long; ``None`` if nothing has.

        Parameters
        ----------
        stopped
            Tells whether to wait no longer; asked again after :meth:`wake`, under the lock, so it must not wait itself.

        Returns
        -------
        dict
            `seq`, `now_s`, `jobs` (those that changed, in order, as lists of job, status, start, end and worker),
            `notes` (of those since, the last ones), `over`; and `stale`: whether that is too long ago to tell, or was
            never, so that a snapshot is needed and nothing is told.
        """
        with self._news:
            self._news.wait_for(lambda: self._seq != seq or stopped(), timeout_s)
            if self._seq == seq:
                return None
            stale = not self._forgotten <= seq < self._seq
            return {
                "seq": self._seq,
                "now_s": self._now_s,
                "jobs": [] if stale else [list(self._row(job)) for job in self._changed_after(seq)],
                "notes": [] if stale else [text for at, text in self._notes if at > seq],
                "over": self._over,
                "stale": stale,
            }

    def wake(self) -> None:
        """Let all who wait in :meth:`since` ask whether they are to wait any longer."""
        with self._news:
            self._news.notify_all()

    def _checked(self, row: _Row) -> _Row:
        job, status, start_s, end_s, worker = row
        if not 0 <= job < self.n:
            raise ValueError(f"there is no job {job} among {self.n}")
        return int(job), _checked_status(status), _seconds(start_s), _seconds(end_s), int(worker)

    def _row(self, job: int) -> _Row:
        return job, self._status[job], self._start_s[job], self._end_s[job], self._worker[job]

    def _put(self, row: _Row) -> None:
        """Change a job; the history comes first, so that an interrupted change is told rather than lost."""
        job = row[0]
        if len(self._history) >= self._history_most:
            self._forgotten = self._history.popleft()[0]
        self._history.append((self._seq, job))
        _, self._status[job], self._start_s[job], self._end_s[job], self._worker[job] = row

    def _changed_after(self, seq: int) -> list[int]:
        found = set()
        for at, job in reversed(self._history):
            if at <= seq:
                break
            found.add(job)
        return sorted(found)


def json_pieces(message: dict[str, Any]) -> Iterator[bytes]:
    r"""Yield a message as strict JSON in one line of ASCII, in pieces short enough that other threads go on meanwhile.

    Examples
    --------
    >>> b"".join(json_pieces({"seq": 1, "notes": ["<b>", "two\nlines"]}))
    b'{"seq":1,"notes":["<b>","two\\nlines"]}'
    """
    between = b"{"
    for name, value in message.items():
        yield between + _ENCODE(name).encode() + b":"
        between = b","
        if not isinstance(value, list):
            yield _ENCODE(value).encode()
            continue
        yield b"["
        for begin in range(0, len(value), _PIECE):
            yield (b"," if begin else b"") + _ENCODE(value[begin : begin + _PIECE]).encode()[1:-1]
        yield b"]"
    yield b"}"


def _checked_status(value: int) -> int:
    if value not in _STATUSES:
        raise ValueError(f"{value!r} is no status of a job")
    return int(value)


def _seconds(value: float | None) -> float | None:
    return None if value is None or not math.isfinite(value) else round(float(value), 6)


def _shortened(text: str) -> str:
    return text if len(text) <= _NOTE_CHARS else f"{text[: _NOTE_CHARS - 1]}…"
