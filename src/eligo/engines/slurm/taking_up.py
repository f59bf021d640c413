"""What an earlier Eligo left in Slurm's queue is found again, whatever it had time to note.

Each submission was noted before it was made. A note can be ahead of Slurm (we died before ``sbatch``), or, after a
power cut, be missing; a submission can have been taken back without a note of that. So the notes, the queue and the
files are held together: a submission is one of ours, and counts, exactly if its file is there and it is the last of
its job.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from eligo.engines.slurm.entry import Entry
from eligo.engines.slurm.held import Held
from eligo.engines.slurm.listing import Listed
from eligo.engines.state import JobStatus

__all__ = ["Found", "take_up"]


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
