"""HTCondor's queue, asked and told by its own commands.

Commands may hang when the queue does not answer, so each has a time limit. Submitting must not be cut short by Ctrl-C
and must not be done twice: it runs in a session of its own and holds a lock for as long as any process of it lives,
even if we are killed meanwhile. Whoever goes on with the run waits for that lock before looking what was submitted.

Why not by the Python bindings: these commands are there wherever ``condor_dagman`` is, which must be there for a DAG to
be submitted at all. Whether PyPI's ``htcondor`` could do without it was not tried.

Options for ``condor_submit_dag`` that a person gives after ``--``, and those that would break a run.

Only options that we know are handed on, written in full: the tool takes abbreviations, and a word that it takes for
something else could submit another DAG, or ours twice.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Any, Protocol

from eligo.errors import EngineError

__all__ = [
    "SUBMIT_TOOL",
    "Commands",
    "Options",
    "Queue",
    "check_options",
    "find_queue",
    "submit_lock",
]

SUBMIT_TOOL = "condor_submit_dag"
_ANSWER_S = 60.0
_SUBMIT_S = 600.0

Options = Sequence[tuple[str, str | None]]


class Queue(Protocol):
    """What is needed of a queue. Constraints are ClassAd expressions."""

    def submit(self, dag: str, home: Path, options: Options, lock: IO[Any]) -> None:
        """Hand a DAG to DAGMan, which runs in `home`; processes that do so hold `lock`."""

    def clusters(self, constraint: str) -> list[int]:
        """Return the numbers of the jobs in the queue for which something holds."""

    def act(self, action: str, constraint: str, reason: str) -> None:
        """Do ``rm``, ``hold`` or ``release`` with all jobs for which something holds; there may be none."""

    def slots(self) -> int:
        """Return how many jobs the pool can run at once."""


class Commands:
    """The queue that the ``condor_*`` commands in ``PATH`` speak to."""

    @staticmethod
    def available() -> bool:
        """Tell whether the commands are there."""
        return shutil.which(SUBMIT_TOOL) is not None and shutil.which("condor_q") is not None

    def submit(self, dag: str, home: Path, options: Options, lock: IO[Any]) -> None:
        """Hand a DAG to DAGMan."""
        words = [word for pair in options for word in pair if word is not None]
        run_detached([_tool(SUBMIT_TOOL), *words, dag], home, lock)

    def clusters(self, constraint: str) -> list[int]:
        """Return the numbers of the jobs in the queue for which something holds."""
        answer = _ask(["condor_q", "-constraint", constraint, "-af", "ClusterId"])
        return [int(word) for word in answer.split()]

    def act(self, action: str, constraint: str, reason: str) -> None:
        """Do something with all jobs for which something holds."""
        words = [f"condor_{action}", "-constraint", constraint, *(["-reason", reason] if action != "release" else [])]
        try:
            _ask(words)
        except EngineError:
            if self.clusters(constraint):  # having found none counts as a failure, too
                raise

    def slots(self) -> int:
        """Return how many jobs the pool can run at once."""
        try:
            return len(_ask(["condor_status", "-af", "Name"]).split())
        except EngineError:
            return 0


def find_queue() -> Queue:
    """Return the queue to use.

    Raises
    ------
    EngineError
        HTCondor is not there.
    """
    if Commands.available():
        return Commands()
    raise EngineError(
        "HTCondor's commands (condor_submit_dag, condor_q) are not in PATH",
        hint="install HTCondor (Debian: condor or minicondor; PyPI's htcondor does not have them), or extend PATH",
    )


def _tool(name: str) -> str:
    found = shutil.which(name)
    if found is None:
        raise EngineError(f"{name} is not in PATH", hint="HTCondor's commands are needed: install it, or extend PATH")
    return found


def _ask(words: Sequence[str]) -> str:
    try:
        done = subprocess.run(
            [_tool(words[0]), *words[1:]],
            capture_output=True, stdin=subprocess.DEVNULL, timeout=_ANSWER_S, check=False, start_new_session=True,
            cwd="/",
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        raise EngineError(
            f"{words[0]} does not answer", hint="check the pool with condor_status; jobs in the queue go on"
        ) from None
    except OSError as error:
        raise EngineError(f"{words[0]}: {error.strerror}") from error
    if done.returncode != 0:
        raise EngineError(f"{words[0]}: {_said(done)}", hint="check the pool with condor_status and condor_q")
    return done.stdout.decode("utf-8", "replace")


def run_detached(words: Sequence[str], home: Path, lock: IO[Any]) -> None:
    """Run a command that submits, in a session of its own; all its processes hold `lock`."""
    try:
        done = subprocess.run(
            words, capture_output=True, stdin=subprocess.DEVNULL, timeout=_SUBMIT_S, check=False,
            start_new_session=True, cwd=home, pass_fds=(lock.fileno(),),
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        raise EngineError(
            f"{Path(words[0]).name} does not come to an end",
            hint="go on with --resume when the queue answers again: it looks first whether the DAG was submitted",
        ) from None
    except OSError as error:
        raise EngineError(f"{words[0]}: {error.strerror}") from error
    if done.returncode != 0:
        raise EngineError(
            f"{Path(words[0]).name}: {_said(done)}",
            hint="nothing was started; when this is put right, go on with --resume",
        )


def _said(done: subprocess.CompletedProcess[bytes]) -> str:
    text = (done.stderr.strip() or done.stdout.strip()).decode("utf-8", "replace")
    return " / ".join(line.strip() for line in text.splitlines()[:5]) or f"ended with status {done.returncode}"


def submit_lock(path: Path, patience_s: float = 60.0) -> IO[Any]:
    """Return an open file whose lock we hold, waiting for a submission that another Eligo began.

    Raises
    ------
    EngineError
        Such a submission goes on for too long.
    """
    stream = os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT, 0o600), "rb+")
    deadline = time.monotonic() + patience_s
    while True:
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return stream
        except BlockingIOError:
            if time.monotonic() > deadline:
                stream.close()
                raise EngineError(
                    f"{path}: an earlier submission to HTCondor still goes on",
                    hint="wait for its end, or end the process of condor_submit_dag; then go on with --resume",
                ) from None
            time.sleep(0.1)


_ALONE_WORDS = (
    "-verbose -no_recurse -do_recurse -import_env -allowlogerror -suppress_notification -dont_suppress_notification "
    "-alwaysrunpost -dontalwaysrunpost -allowversionmismatch"
)
_VALUE_WORDS = (
    "-maxidle -maxjobs -maxpre -maxpost -maxhold -priority -append -insert_sub_file -batch-name -batch-id "
    "-notification -debug -config -include_env -insert_env -submitmethod"
)
_ALONE, _WITH_VALUE = frozenset(_ALONE_WORDS.split()), frozenset(_VALUE_WORDS.split())
_REFUSED = {
    "-no_submit": "nothing would run",
    "-force": "the record of what was done would be thrown away",
    "-f": "the record of what was done would be thrown away",
    "-update_submit": "every submission has files of its own",
    "-usedagdir": "DAGMan must run where the paths of the workflow begin",
    "-outfile_dir": "DAGMan's log must be where it is looked for",
    "-autorescue": "what was done is known from the state of the run",
    "-dorescuefrom": "what was done is known from the state of the run: --resume, or --restart for all",
    "-load_save": "what was done is known from the state of the run",
    "-dumprescue": "nothing would run",
    "-dorecov": "DAGMan decides by itself whether it has to recover",
    "-r": "the queue must be the one that is asked about the run",
    "-remote": "the queue must be the one that is asked about the run",
    "-schedd-daemon-ad-file": "the queue must be the one that is asked about the run",
    "-schedd-address-file": "the queue must be the one that is asked about the run",
    "-dagman": "it must be the DAGMan that belongs to the queue",
    "-help": "ask condor_submit_dag itself",
    "-version": "ask condor_submit_dag itself",
}


def check_options(options: Sequence[str]) -> tuple[tuple[str, str | None], ...]:
    """Return the options as pairs of a name and its value, if any.

    Raises
    ------
    EngineError
        One is unknown, lacks its value, or would break the run.

    Examples
    --------
    >>> check_options(["-MaxIdle", "100", "-verbose"])
    (('-MaxIdle', '100'), ('-verbose', None))
    >>> check_options(["-no_submit"])
    Traceback (most recent call last):
        ...
    eligo.errors.EngineError: condor_submit_dag -no_submit cannot be used here: nothing would run
    """
    found: list[tuple[str, str | None]] = []
    left = list(options)
    while left:
        word = left.pop(0)
        name = word.lower()
        if name in _REFUSED:
            raise EngineError(f"condor_submit_dag {word} cannot be used here: {_REFUSED[name]}")
        if name in _ALONE:
            found.append((word, None))
        elif name not in _WITH_VALUE:
            known = ", ".join(sorted(_ALONE | _WITH_VALUE))
            raise EngineError(f"{word!r} is not an option of condor_submit_dag that can be used here", hint=known)
        elif not left:
            raise EngineError(f"condor_submit_dag {word} needs a value")
        else:
            found.append((word, left.pop(0)))
    return tuple(found)
