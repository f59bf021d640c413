"""What every engine is: it takes a plan, tells what happens, can be stopped, and knows afterwards what ran when.

::

    engine = Local(plan, state, options)      # says at once what it cannot do, and starts nothing
    engine.submit()                           # starts, or goes on where the state says it stopped
    while not engine.over:
        for event in engine.watch(1.0):       # waits at most so long
            ...
    trace = engine.collect()

The state on disk is written by the engine before it tells of an event: what `watch` returned is never lost. Whoever
watches may stop at any time, by an exception or by being killed, and submit again later with the same state.

``testing.py`` is the test that every engine passes; write yours by it.

The engines by the words that name them on a command line.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from enum import IntEnum
from pathlib import Path
from typing import ClassVar, final

from eligo.engines._attempts import for_attempt
from eligo.engines._plan import Plan, Task
from eligo.engines._state import State
from eligo.errors import EngineError
from eligo.trace import ANYWHERE, Trace

__all__ = [
    "ENGINES",
    "Engine",
    "Event",
    "Happening",
    "check_engine",
    "make_engine",
]


class Happening(IntEnum):
    """What an event is about."""

    STARTED = 0
    """A job's program began to run (or its first script)."""
    SUCCEEDED = 1
    FAILED = 2
    """A job failed for good."""
    AGAIN = 3
    """A job failed and will be tried again, or its worker was lost; the text says which."""
    ADOPTED = 4
    """A job was found running that an earlier Eligo had started; it counts as started."""
    CANCELLED = 5
    """A job that had started was stopped by us; it has neither succeeded nor failed."""
    NOTE = 6
    """Something worth a line of the log; the job is -1 where it is about none."""


@final
@dataclass(frozen=True, slots=True)
class Event:
    """One thing that happened.

    Attributes
    ----------
    job
        Its index, or -1.
    time_s
        When, in seconds since the run began.
    worker
        Where, from 0, where that is known.
    attempt
        Which try this was, from 1.
    exit_code
        Of the program; 128 + number for a signal.
    text
        What else to say: why it failed, where its log is.
    """

    what: Happening
    job: int
    time_s: float
    worker: int = ANYWHERE
    attempt: int = 1
    exit_code: int | None = None
    text: str = ""


class Engine(ABC):
    """Runs a plan. Subclasses check in their constructor that they can do all of it.

    Parameters
    ----------
    plan
        What to run.
    state
        Where it is recorded; of an earlier run of the same workflow, or new.
    options
        Words for the engine itself, from after ``--`` on the command line.

    Raises
    ------
    ParseError
        The plan asks for something that the engine cannot do: file, line and what.
    MissingExtraError, EngineError
        The engine is not installed, or does not answer.
    """

    NAME: ClassVar[str]
    CLEANS: ClassVar[bool] = False
    """Whether it looks at the files of jobs itself, before it starts others; else whoever watches does."""

    def __init__(self, plan: Plan, state: State, options: Sequence[str] = ()) -> None:
        self.plan = plan
        self.state = state
        self.options = tuple(options)

    @abstractmethod
    def submit(self) -> None:
        """Start, or go on where the state says the run stopped."""

    @abstractmethod
    def watch(self, timeout_s: float) -> list[Event]:
        """Return what happened since the last call, waiting for it at most so long; nothing if nothing did.

        All of it is in the state, on disk, before it is returned.
        """

    @property
    @abstractmethod
    def over(self) -> bool:
        """Whether nothing runs any more and nothing will; true as well after `cancel` has come to its end."""

    @abstractmethod
    def cancel(self, *, kill: bool = False) -> None:
        """Start nothing new; with `kill` also end what runs. Returns at once: `watch` until it is `over`."""

    @property
    def slots(self) -> int:
        """How many jobs can run at once, where that is known; else 0."""
        return 0

    @property
    def doubts(self) -> list[str]:
        """What may go wrong, as far as can be seen before anything starts: a warning each."""
        return []

    def collect(self) -> Trace:
        """Return what ran when, so far: of each job its last try."""
        return self.state.trace(self.plan.dag)

    def task(self, job: int) -> Task:
        """Return what a job does; the one after the last is the final task."""
        return self.plan.task_of(job)

    def logs(self, job: int) -> list[Path]:
        """Return the files with what a job printed, as far as they are there, those with errors first.

        The job after the last is the final task. Engines that keep the output of jobs that name no file for it add
        theirs.
        """
        attempt = max(self.state.attempts[job], 1) if job < self.plan.dag.n else 1
        processes = [for_attempt(process, attempt) for process in self.task(job).processes]
        named = [process.stderr for process in processes] + [process.stdout for process in processes]
        paths = [Path(name) for name in dict.fromkeys(named) if name is not None]
        return [path for path in paths if path.is_file()]

    def close(self) -> None:  # noqa: B027 - most have nothing to let go of
        """Let go of connections. What runs goes on."""


ENGINES = ("local", "htcondor", "slurm", "dask")


def check_engine(word: str) -> str:
    """Return the name of the engine that a word asks for.

    Examples
    --------
    >>> check_engine("dask:tcp://127.0.0.1:8786")
    'dask'
    >>> check_engine("condor")
    Traceback (most recent call last):
        ...
    eligo.errors.EngineError: there is no engine 'condor'
    hint: did you mean htcondor?
    """
    name, colon, address = word.partition(":")
    if name in ENGINES and (not colon or (name == "dask" and address)):
        return name
    close = get_close_matches(name, ENGINES, 1)
    hint = f"did you mean {close[0]}?" if close and not colon else f"there are {', '.join(ENGINES)} and dask:ADDRESS"
    raise EngineError(f"there is no engine {word!r}", hint=hint)


def make_engine(
    word: str,
    plan: Plan,
    state: State,
    options: Sequence[str] = (),
    slots: int | None = None,
    *,
    presume_dead: bool = False,
) -> Engine:
    """Return an engine that has looked at the plan and can do it.

    Parameters
    ----------
    word
        ``local``, ``htcondor``, ``slurm``, ``dask`` or ``dask:ADDRESS``.
    slots
        How many jobs run at once, where the engine is ours to size.
    presume_dead
        Whether nothing that an earlier run started on another machine can still run.
    """
    name = check_engine(word)
    address = word.partition(":")[2] or None
    if slots is not None and (name in ("htcondor", "slurm") or address is not None):
        raise EngineError(
            f"how many jobs run at once is for the {name} cluster to say",
            hint="leave --slots out, or pass its options after --",
        )
    if name == "local":
        from eligo.engines._local import Local

        return Local(plan, state, options, slots=slots, presume_dead=presume_dead)
    if name == "htcondor":
        from eligo.engines._htcondor import HTCondor

        return HTCondor(plan, state, options)
    if name == "slurm":
        from eligo.engines._slurm import Slurm

        return Slurm(plan, state, options)
    from eligo.engines._dask import Dask

    return Dask(plan, state, options, address=address, slots=slots)
