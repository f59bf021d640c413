"""What it means that a job has left Slurm's queue without telling its end.

Some have been lost through no fault of theirs: the node failed, a job of higher standing took the place. They run
again, and that counts as no try. Some were ended for what they did: too long, too much memory. That is a try that
failed. What others than Eligo cancelled has failed, whatever tries are left: somebody did not want it to run.
"""

from __future__ import annotations

from enum import Enum

from eligo.engines.slurm.entry import Entry
from eligo.engines.slurm.listing import Ended
from eligo.engines.slurm.script import UNSHARED

__all__ = ["Fate", "fate_of"]

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
