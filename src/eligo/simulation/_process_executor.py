"""All cores of this machine: processes of our own, each with a pipe.

Python's process pools do not quite fit. They import the caller's script again in each process, so that scripts must be
guarded by ``if __name__ == "__main__"``; and when a process is killed they give up all others with it. Here each
process is a plain Python that knows nothing of the caller but ``sys.path`` (no fork: the caller may have threads), and
a process that is lost takes along only the block it was working on; a new one takes its place. A block at which three
processes were lost is not tried again.

Processes do not see Ctrl-C: it reaches the caller, who ends them. They end by themselves when the caller is gone, soon
even in the middle of a block. They stay from one piece of work to the next, so that a sweep pays for their start once;
work that would take less than half a second is done without them.

A process that simulates what it is told to: the other end of ``place_processes``.

It reads messages from a descriptor that it inherited: setups, then blocks, each answered by its rows or by the
exception that came instead. It ends when nobody is at the other end any more. A block may take long, and while it is at
one it does not read: a thread looks whether the parent is still there. Simulations leave Python free to run it.
"""

from __future__ import annotations

import json
import os
import pickle
import signal
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from multiprocessing import Pipe
from multiprocessing.connection import Connection, wait
from typing import Any, final

from eligo.dag import Float64
from eligo.errors import EngineError
from eligo.simulation import _runs as runs
from eligo.simulation._executors import Block, Here, Place, RunBlock

__all__ = [
    "Processes",
    "end_without",
    "serve",
]

_SMALL_S = 0.5  # work below this is done in the caller's process
_TRIES = 3
_PROGRAM = """
import json, sys
sys.path[:] = json.loads(sys.argv[2])
from eligo.simulation._process_executor import serve
serve(int(sys.argv[1]), int(sys.argv[3]))
"""


class _Process:
    """One process, what was sent to it, and the blocks that it has not answered."""

    def __init__(self) -> None:
        self.blocks: deque[int] = deque()
        self.sent: bytes | None = None
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115  # closed by end
        self.talk, theirs = Pipe()
        path = json.dumps([entry for entry in sys.path if isinstance(entry, str)])
        before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])  # which the new process inherits
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-c", _PROGRAM, str(theirs.fileno()), path, str(os.getpid())],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=self._errors,
            )
        except BaseException:
            self.talk.close()
            self._errors.close()
            raise
        finally:
            theirs.close()
            signal.pthread_sigmask(signal.SIG_SETMASK, before)

    @property
    def pid(self) -> int:
        return self._process.pid

    def give(self, payload: bytes, number: int, block: Block) -> None:
        """Send a block, after the setups if these are not there yet; if the process is gone, ``take`` will tell."""
        self.blocks.append(number)
        try:
            if self.sent is not payload:
                self.talk.send_bytes(payload)
                self.sent = payload
            self.talk.send((number, tuple(block)))
        except OSError:
            pass

    def take(self) -> tuple[int, Any]:
        """Return the next block that is done and its rows, or the exception that came instead of them."""
        number, answer = self.talk.recv()
        self.blocks.popleft()
        return number, answer

    def end(self, patience_s: float = 0) -> str:
        """End the process, whatever it does, and say how it ended if it did so by itself."""
        self.talk.close()
        try:
            status = self._process.wait(patience_s)
        except subprocess.TimeoutExpired:
            self._process.kill()
            status = self._process.wait()
        with self._errors as errors:
            errors.seek(0)
            said = errors.read().decode(errors="replace").strip().splitlines()
        return _last_words(status, said)


@final
class Processes(Place):
    """Several processes on this machine; results are the same as in one."""

    def __init__(self, number: int, *, run: RunBlock = runs.run_block, small_s: float = _SMALL_S) -> None:
        self._most = number
        self._run = run
        self._small_s = small_s
        self._processes: list[_Process] = []
        self._at_work = self._closed = False

    @property
    def pids(self) -> list[int]:
        """The processes that are there now; for tests, which watch and kill them."""
        return [process.pid for process in self._processes]

    def close(self) -> None:
        """End all processes."""
        self._closed = True
        while self._processes:
            self._processes.pop().end()

    def work(self, setups: Sequence[Any], blocks: Sequence[Block]) -> Iterator[tuple[int, Float64]]:
        """Yield the blocks as they are done."""
        if self._most == 1 or self._is_small(setups, blocks):
            yield from Here(self._run).work(setups, blocks)
            return
        if self._at_work:
            raise RuntimeError("this place is at work already: end that iteration first")
        self._at_work = True
        try:
            yield from self._share(pickle.dumps((None, (self._run, tuple(setups))), protocol=5), blocks)
        finally:
            self._at_work = False
            for process in [process for process in self._processes if process.blocks]:
                self._processes.remove(process)
                process.end()

    def _is_small(self, setups: Sequence[Any], blocks: Sequence[Block]) -> bool:
        if len(blocks) <= 1:
            return True
        if not self._small_s:
            return False
        runs_of = Counter[int]()
        for block in blocks:
            runs_of[block.setup] += block.count
        seconds = 0.0
        for setup, count in runs_of.items():
            seconds += runs.seconds_per_run(setups[setup]) * count
            if seconds >= self._small_s:  # so the others need not be looked at
                return False
        return True

    def _share(self, payload: bytes, blocks: Sequence[Block]) -> Iterator[tuple[int, Float64]]:
        waiting = deque(range(len(blocks)))
        tries = Counter[int]()
        left = len(blocks)
        while left:
            if self._closed:
                raise RuntimeError("this place is closed")
            self._start(len(waiting))
            self._hand_out(payload, blocks, waiting)
            done: list[tuple[int, Any]] = []
            ready = wait([process.talk for process in self._processes])
            for process in [process for process in self._processes if process.talk in ready]:
                try:
                    done.append(process.take())
                except (EOFError, OSError):  # from the pipe: what the other end raises is an answer
                    self._replace(process, waiting, tries)
            for _, answer in done:
                if isinstance(answer, Exception):
                    raise answer
            left -= len(done)
            self._hand_out(payload, blocks, waiting)  # before the caller takes its time with these
            yield from done

    def _start(self, waiting: int) -> None:
        """Start processes as long as there is work for more of them."""
        busy = sum(1 for process in self._processes if process.blocks)
        while len(self._processes) < min(self._most, busy + waiting):
            try:
                self._processes.append(_Process())
            except OSError as error:
                if not self._processes:
                    raise EngineError(f"cannot start a process: {error}", hint="use here as the place") from None
                self._most = len(self._processes)  # go on with those that are there

    def _hand_out(self, payload: bytes, blocks: Sequence[Block], waiting: deque[int]) -> None:
        """Give each process a block, and one to begin with afterwards if there are plenty."""
        for held in (0, 1):
            for process in self._processes:
                if len(process.blocks) <= held and len(waiting) > held * len(self._processes):
                    number = waiting.popleft()
                    process.give(payload, number, blocks[number])

    def _replace(self, process: _Process, waiting: deque[int], tries: Counter[int]) -> None:
        """Have the blocks of a process that was lost done by others."""
        self._processes.remove(process)
        lost = list(process.blocks)
        process.blocks.clear()
        reason = process.end(patience_s=2)
        waiting.extendleft(reversed(lost))
        tries.update(lost[:1])
        if lost and tries[lost[0]] >= _TRIES:
            raise EngineError(
                f"{_TRIES} processes were lost at the same work, the last one {reason}",
                hint="if memory is short, use fewer (processes:N); here as the place shows what happens",
            )


def _last_words(status: int, said: list[str]) -> str:
    """Say how a process ended.

    Examples
    --------
    >>> _last_words(-9, []), _last_words(1, ["Traceback", "ImportError: no eligo"])
    ('killed by SIGKILL', "with exit status 1 and 'ImportError: no eligo'")
    """
    if status < 0:
        try:
            return f"killed by {signal.Signals(-status).name}"
        except ValueError:
            return f"killed by signal {-status}"
    return f"with exit status {status}" + (f" and {said[-1]!r}" if said else "")


_LOOK_S = 1.0


def serve(descriptor: int, parent: int) -> None:
    """Answer messages until the other end is closed, or the parent (its process id) is gone."""
    threading.Thread(target=end_without, args=(parent,), daemon=True).start()
    run: Any = None
    setups: Any = ()
    with Connection(descriptor) as talk:
        while True:
            try:
                message = talk.recv_bytes()
            except (EOFError, OSError):
                return
            number = None
            try:
                number, content = pickle.loads(message)
                if number is None:
                    run, setups = content
                    continue
                setup, *block = content
                answer: Any = run(setups[setup], *block)
            except Exception as error:
                answer = _portable(error)
            try:
                talk.send((number, answer))
            except OSError:
                return


def end_without(parent: int) -> None:
    """End this process, whatever it does, once the parent is gone: then it has another one."""
    while os.getppid() == parent:
        time.sleep(_LOOK_S)
    os._exit(1)


def _portable(error: Exception) -> Exception:
    """Return the exception, with a note of where it happened, in a form that can be sent."""
    note = "".join(traceback.format_exception(error)).rstrip()
    try:
        sent: Exception = pickle.loads(pickle.dumps(error))
    except Exception:
        sent = RuntimeError(f"{type(error).__name__}: {error}")
    sent.add_note(f"in another process:\n{note}")
    return sent
