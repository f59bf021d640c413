"""Slurm's own commands, called without a shell, several at once, and never waited for by accident.

``sbatch`` may take minutes when the controller is busy, so whoever watches a run cannot stand and wait for it. Commands
are started here, what they print is gathered as it comes, and when one has ended its callback is told. All in one
thread: nothing needs a lock.

What people set in their environment for these commands (``SQUEUE_STATES``, ``SBATCH_ARRAY_INX``) would change what they
answer or do, and what Slurm sets within a job (``SLURM_JOB_ID``, ``SLURM_MEM_PER_CPU``) would be taken for options when
Eligo itself runs in one; neither is passed on.

What Slurm says of jobs: the queue as ``squeue`` prints it, and one job as ``scontrol`` or ``sacct`` remembers it.
"""

from __future__ import annotations

import os
import re
import selectors
import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import IO, NamedTuple, final

from eligo.errors import EngineError

__all__ = [
    "COMMENT",
    "SQUEUE",
    "Answer",
    "Commands",
    "Ended",
    "Listed",
    "ask",
    "ask_how_it_ended",
    "ask_queue",
    "clean_environment",
    "parse_queue",
]

_KEPT = ("SLURM_CONF", "SLURM_CONF_SERVER", "SLURM_JWT")
_DROPPED = ("SLURM_", "SLURMD_", "SQUEUE_", "SCANCEL_", "SACCT_", "SCONTROL_", "SINFO_")
_STRANGE = frozenset(
    f"SBATCH_{word}"
    for word in (
        *("ARRAY_INX", "CLUSTERS", "COMMENT", "DEBUG", "DEPENDENCY", "ERROR", "EXPORT", "INPUT", "JOB_NAME", "NAME"),
        *("NO_REQUEUE", "OPEN_MODE", "OUTPUT", "REQUEUE", "WAIT", "WRAP"),
    )
)
_INSTALL = "install Slurm's client commands (on Debian: apt install slurm-client) where Eligo runs"


def clean_environment() -> dict[str, str]:
    """Return our environment without what would change the meaning of Slurm's commands."""
    return {
        name: value
        for name, value in os.environ.items()
        if name in _KEPT or not (name.startswith(_DROPPED) or name in _STRANGE)
    }


@final
@dataclass(frozen=True, slots=True)
class Answer:
    """What a command printed, its exit status, and when it was asked, by the monotonic clock."""

    code: int
    out: str
    err: str
    asked: float

    @property
    def trouble(self) -> str:
        """What it said was wrong, in one line."""
        lines = [line.removeprefix("sbatch: ").removeprefix("error: ").strip() for line in self.err.splitlines()]
        return "; ".join(dict.fromkeys(line for line in lines if line)) or f"exit status {self.code}"


@dataclass(slots=True)
class _Call:
    process: subprocess.Popen[bytes]
    done: Callable[[Answer], None]
    asked: float
    pieces: dict[IO[bytes], list[bytes]] = field(default_factory=dict)


class Commands:
    """Commands that run at the same time."""

    def __init__(self) -> None:
        self._selector = selectors.DefaultSelector()
        self._calls: list[_Call] = []
        self._environment = clean_environment()

    def __len__(self) -> int:
        return len(self._calls)

    def start(self, argv: Sequence[str], done: Callable[[Answer], None]) -> None:
        """Start a command; :meth:`pump` tells `done` when it has ended."""
        try:
            process = subprocess.Popen(
                argv,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=self._environment,
                start_new_session=True,
            )
        except OSError as error:
            raise EngineError(f"{argv[0]}: {error.strerror}", hint=_INSTALL) from error
        call = _Call(process, done, time.monotonic())
        for stream in (process.stdout, process.stderr):
            assert stream is not None
            call.pieces[stream] = []
            self._selector.register(stream, selectors.EVENT_READ, call)
        self._calls.append(call)

    def pump(self, timeout_s: float) -> bool:
        """Wait for output at most so long, tell who has ended, and return whether any has."""
        if not self._calls:
            time.sleep(max(0.0, timeout_s))
            return False
        ended = []
        for key, _ in self._selector.select(max(0.0, timeout_s)):
            call: _Call = key.data
            stream: IO[bytes] = key.fileobj  # type: ignore[assignment]
            data = os.read(stream.fileno(), 1 << 16)
            if data:
                call.pieces[stream].append(data)
                continue
            self._selector.unregister(stream)
            stream.close()
            if all(other.closed for other in call.pieces):
                ended.append(call)
        for call in ended:
            self._calls.remove(call)
            out, err = (b"".join(pieces).decode("utf-8", "replace") for pieces in call.pieces.values())
            call.done(Answer(call.process.wait(), out, err, call.asked))
        return bool(ended)

    def close(self) -> None:
        """End what still runs."""
        for call in self._calls:
            call.process.kill()
            call.process.wait()
            for stream in call.pieces:
                if not stream.closed:
                    stream.close()
        self._calls.clear()
        self._selector.close()


def ask(argv: Sequence[str], timeout_s: float = 60) -> Answer:
    """Run one command to its end.

    Raises
    ------
    EngineError
        It is not installed, or does not end in time. That it failed is left to the caller.
    """
    asked = time.monotonic()
    try:
        done = subprocess.run(
            argv,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            env=clean_environment(),
            timeout=timeout_s,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise EngineError(f"{argv[0]} did not answer within {timeout_s:.0f} s", hint="ask again later") from None
    except OSError as error:
        raise EngineError(f"{argv[0]}: {error.strerror}", hint=_INSTALL) from error
    out, err = (data.decode("utf-8", "replace") for data in (done.stdout, done.stderr))
    return Answer(done.returncode, out, err, asked)


COMMENT = "eligo:{run}:{key}"
"""The comment by which a run finds its jobs: also those of which it never heard that they were accepted."""
SQUEUE = ["squeue", "--noheader", "--all", f"--user={os.geteuid()}", "--format=%i|%T|%k|%r"]
"""Lists jobs that have not ended."""

_JOB = re.compile(r"\b(JobState|Reason|ExitCode|Priority|Nice)=(\S+)")


class Listed(NamedTuple):
    """A job in the queue."""

    id: str
    state: str
    reason: str

    @property
    def waits(self) -> bool:
        """Whether it does not run (any more, if it did)."""
        return self.state in ("PENDING", "REQUEUED", "REQUEUE_FED", "REQUEUE_HOLD", "SPECIAL_EXIT")


def parse_queue(text: str, run: str) -> dict[str, Listed]:
    r"""Return the jobs of a run by their keys, from what ``squeue`` printed.

    Examples
    --------
    >>> parse_queue("12|RUNNING|eligo:ab:7-1|None\n13|PENDING|(null)|Priority", "ab")
    {'7-1': Listed(id='12', state='RUNNING', reason='None')}
    """
    start = COMMENT.format(run=run, key="")
    found = {}
    for line in text.splitlines():
        parts = line.split("|", 3)
        if len(parts) == 4 and parts[2].startswith(start):
            found[parts[2][len(start) :]] = Listed(parts[0], parts[1], parts[3])
    return found


def ask_queue(patience_s: float = 60) -> str:
    """Return what ``squeue`` prints, and ask again for a while where it fails.

    Raises
    ------
    EngineError
        It does not answer.
    """
    deadline = time.monotonic() + patience_s
    while True:
        answer = ask(SQUEUE)
        if answer.code == 0:
            return answer.out
        if time.monotonic() > deadline:
            raise EngineError(f"Slurm does not answer: {answer.trouble}", hint="ask again later, with --resume")
        time.sleep(1)


class Ended(NamedTuple):
    """How a job ended as Slurm tells it; the state is empty where it has forgotten."""

    state: str = ""
    reason: str = ""
    exit_code: int = 0
    signal: int = 0
    priority: int = 0
    nice: int = 0


def ask_how_it_ended(job_id: str, *, database: bool) -> Ended:
    """Ask Slurm for one job.

    Raises
    ------
    EngineError
        It does not answer.
    """
    answer = ask(["scontrol", "-o", "show", "job", job_id])
    found = dict(_JOB.findall(answer.out))
    if "JobState" in found:
        code, _, signal = found.get("ExitCode", "0:0").partition(":")
        numbers = [int(found.get(name, "0")) for name in ("Priority", "Nice")]
        return Ended(found["JobState"], found.get("Reason", ""), int(code), int(signal or 0), *numbers)
    if answer.code != 0 and "Invalid job id" not in answer.err:
        raise EngineError(f"Slurm does not answer: {answer.trouble}")
    if not database:
        return Ended()
    answer = ask(["sacct", "-nPX", "-j", job_id, "--format=State,ExitCode"])
    match = re.match(r"(\w+)[^|]*\|(\d+):(\d+)", answer.out)
    return Ended(match[1], "", int(match[2]), int(match[3])) if answer.code == 0 and match else Ended()
