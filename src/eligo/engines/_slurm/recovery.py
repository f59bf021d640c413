"""What it means that a job has left Slurm's queue without telling its end.

Some have been lost through no fault of theirs: the node failed, a job of higher standing took the place. They run
again, and that counts as no try. Some were ended for what they did: too long, too much memory. That is a try that
failed. What others than Eligo cancelled has failed, whatever tries are left: somebody did not want it to run.

What an earlier Eligo left in Slurm's queue is found again, whatever it had time to note.

Each submission was noted before it was made. A note can be ahead of Slurm (we died before ``sbatch``), or, after a
power cut, be missing; a submission can have been taken back without a note of that. So the notes, the queue and the
files are held together: a submission is one of ours, and counts, exactly if its file is there and it is the last of
its job.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import Enum
from typing import NamedTuple

from eligo.engines._slurm.job_script import UNSHARED
from eligo.engines._slurm.queued_jobs import Held
from eligo.engines._slurm.slurm_commands import Ended, Listed
from eligo.engines._slurm.submission import Entry
from eligo.engines._state import JobStatus

__all__ = [
    "Fate",
    "Found",
    "fate_of",
    "take_up",
]

_GOES_ON = frozenset(
    [
        *("PENDING", "RUNNING", "SUSPENDED", "COMPLETING", "CONFIGURING", "REQUEUED", "REQUEUE_FED", "REQUEUE_HOLD"),
        *("RESIZING", "RESV_DEL_HOLD", "SIGNALING", "SPECIAL_EXIT", "STAGE_OUT", "STOPPED"),
    ]
)
_LOST = frozenset(["", "NODE_FAIL", "BOOT_FAIL", "PREEMPTED", "REVOKED", "LAUNCH_FAILED"])
_WORDS = {
    "TIMEOUT": "Slurm ended it at its time limit; -- --time=MINUTES sets another",
    "DEADLINE": "Slurm ended it at its deadline",
    "OUT_OF_MEMORY": "Slurm ended it because it used more memory than it asked for",
}
_PATIENCE = 20


class Fate(Enum):
    """What is to be done about a job that has left the queue."""

    OPEN = 0
    """Nothing yet: it is not gone, or will tell its end."""
    AGAIN = 1
    """It runs again."""
    COUNTS = 2
    """It runs again, and that was one of its tries."""
    FAILED = 3


def fate_of(entry: Entry, how: Ended | None, *, started: bool, tries: int, retries: int) -> tuple[Fate, str]:
    """Tell what is to be done about a job, and why.

    Parameters
    ----------
    how
        What Slurm says of it, if it was asked.
    started
        Whether the job had begun.
    tries
        How many of its tries had ended before.

    Examples
    --------
    >>> fate_of(Entry(0, 1), Ended("TIMEOUT"), started=True, tries=0, retries=1)[0]
    <Fate.COUNTS: 2>
    >>> fate_of(Entry(0, 1), Ended("NODE_FAIL"), started=True, tries=1, retries=1)
    (<Fate.AGAIN: 1>, 'its worker was lost')
    """
    how = how or Ended()
    if how.state in _GOES_ON:
        return Fate.OPEN, ""
    if entry.cancelling or how.state in _LOST:
        lost = "its worker was lost" if how.state else "nobody saw how it ended: it runs again"
        return Fate.AGAIN, "stopped" if entry.cancelling else lost
    if how.state == "CANCELLED" and (started or how.reason != "DependencyNeverSatisfied"):
        return Fate.FAILED, "it was cancelled in Slurm, not by Eligo"
    if not started:
        return _never_started(how)
    if how.signal == 0 and how.state in ("COMPLETED", "FAILED"):
        text = f"Slurm says {how.state}, but the job's own record is not in the folder of the run"
        return (Fate.OPEN if entry.missing < _PATIENCE else Fate.FAILED), text
    text = _WORDS.get(how.state, f"Slurm says {how.state}" + (f", signal {how.signal}" if how.signal else ""))
    if how.state == "FAILED" and how.signal == 9:
        text += ": perhaps it used more memory than it asked for"
    return (Fate.COUNTS if tries + 1 <= retries else Fate.FAILED), text


def _never_started(how: Ended) -> tuple[Fate, str]:
    if how.state == "FAILED" and how.exit_code == UNSHARED:
        return (
            Fate.FAILED,
            "its node does not see the folder of the run: put it on a file system that all nodes share, --state DIR",
        )
    if how.state in ("CANCELLED", "COMPLETED") or (how.state == "FAILED" and how.exit_code):
        return Fate.AGAIN, "it was not its turn"
    return Fate.FAILED, _WORDS.get(how.state, f"Slurm says {how.state} ({how.reason})")


class Found(NamedTuple):
    """Submissions that are neither in the queue nor over, and the highest number of all submissions."""

    missing: list[Entry]
    highest: int


def take_up(held: Held, status: Sequence[int], queue: Mapping[str, Listed], asked: float) -> Found:
    """Take in what was submitted before, `queue` being what Slurm listed when it was `asked`."""
    box = held.box
    noted = {job: Entry.of(job, handle) for job, handle in held.ledger.handles().items()}
    ended = set(box.ended())  # looked at after the queue: who has left it had told its end before
    known = {entry.key for entry in noted.values()}
    for key in sorted({*queue, *box.claimed(), *(key for key in ended if box.is_done(key))} - known):
        entry = Entry.of_key(key)
        if entry.job in noted or entry.job >= len(status) or status[entry.job] == JobStatus.DONE:
            continue
        if box.exists(key) and (key not in ended or box.is_done(key)):
            noted[entry.job] = entry
            held.ledger.submitted(entry)
    for key in set(box.queued()) - {entry.key for entry in noted.values()}:
        box.take_back(key)
    missing = []
    for entry in noted.values():
        if held.ledger.take_up(entry):
            entry.running_since = asked
        held.enter(entry)
        entry.since = asked
        listed = queue.get(entry.key)
        if listed is not None:
            entry.id = listed.id
        if not box.exists(entry.key):
            held.give_back(entry)  # it was taken back; where Slurm still has it, it will be found a stray
        elif listed is not None or entry.key in ended:
            held.settle(entry, asked)
        else:
            missing.append(entry)
    numbers = [Entry.of_key(key).number for key in queue]
    return Found(missing, max([box.highest(), *numbers, *(entry.number for entry in noted.values())]))
