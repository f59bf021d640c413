"""The judge of event logs, on the logs of a made-up queue of which we know when it chose which job.

The queue differs from a simple one as the real one does: jobs come at any time, a slot gets its next job some time
after the last one left it, and a job that was chosen logs its start later still, in any order among the slots.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import hypothesis.strategies as st
from hypothesis import given

from tests.reference.condor_log import held_back, passed_over, preferred, read_starts

Pairs = set[tuple[str, str]]


class Queue:
    """Jobs "0", "1", ... with priorities, on some slots; `text` is the log it leaves."""

    def __init__(self, priorities: list[int], slots: int) -> None:
        self.priority = {str(job): priority for job, priority in enumerate(priorities)}
        self.slots = slots
        self.text = ""
        self.unfair: Pairs = set()
        """(job that was idle, job of lower priority that was chosen)."""
        self.surely_unfair: Pairs = set()
        """The same, of jobs that were idle already when the slot was left."""

    def log(self, kind: int, job: str, more: str = "") -> None:
        head = f"({int(job):03}.000.000) 2026-01-01 00:00:00"
        self.text += f"{kind:03} {head} something\n{more}...\n"
        self.text += f"028 {head} Job ad information event triggered.\nJobPrio = {self.priority[job]}\nProc = 0\n...\n"

    def play(self, draw: Callable[[int], int], best: bool) -> None:
        """Run all jobs; `draw(k)` gives a number below k, `best` says whether the queue obeys priorities."""
        coming, idle = list(self.priority), list[str]()
        free: dict[int, set[str]] = {slot: set() for slot in range(self.slots)}
        matched: dict[int, str] = {}
        running: dict[int, str] = {}
        while coming or idle or matched or running:
            acts = ["submit"] * bool(coming) + ["choose"] * bool(idle and free)
            acts += ["start"] * bool(matched) + ["end"] * bool(running)
            match acts[draw(len(acts))]:
                case "submit":
                    job = coming.pop(draw(len(coming)))
                    idle.append(job)
                    self.log(0, job, f"    DAG Node: {job}\n")
                case "choose":
                    slot = sorted(free)[draw(len(free))]
                    job = max(idle, key=self.priority.__getitem__) if best else idle[draw(len(idle))]
                    idle.remove(job)
                    better = {(other, job) for other in idle if self.priority[other] > self.priority[job]}
                    self.unfair |= better
                    self.surely_unfair |= {pair for pair in better if pair[0] in free[slot]}
                    del free[slot]
                    matched[slot] = job
                case "start":
                    slot = sorted(matched)[draw(len(matched))]
                    running[slot] = matched.pop(slot)
                    self.log(1, running[slot], f"\tSlotName: slot{slot}@localhost\n\tCpus = 1\n")
                case "end":
                    slot = sorted(running)[draw(len(running))]
                    job = running.pop(slot)
                    free[slot] = set(idle)
                    self.log(5, job)

    def judged(self) -> tuple[Pairs, Pairs]:
        with TemporaryDirectory() as folder:
            log = Path(folder) / "events.log"
            log.write_text(self.text)
            starts = read_starts(log)
        assert {start.node: start.priority for start in starts} == self.priority
        return set(passed_over(starts, self.priority)), set(preferred(starts, self.priority))


priorities = st.lists(st.integers(1, 9), max_size=9)


@given(priorities, st.integers(1, 3), st.data())
def test_an_obedient_queue_is_never_blamed(priorities, slots, data):
    queue = Queue(priorities, slots)
    queue.play(lambda k: data.draw(st.integers(0, k - 1)), best=True)
    assert queue.judged()[0] == set()


@given(priorities, st.data())
def test_with_one_slot_every_fault_is_found(priorities, data):
    queue = Queue(priorities, 1)
    queue.play(lambda k: data.draw(st.integers(0, k - 1)), best=False)
    assert queue.judged()[0] == queue.surely_unfair


@given(priorities, st.integers(2, 3), st.data())
def test_with_several_slots_no_fault_is_invented(priorities, slots, data):
    queue = Queue(priorities, slots)
    queue.play(lambda k: data.draw(st.integers(0, k - 1)), best=False)
    wrong, right = queue.judged()
    assert wrong <= queue.unfair
    assert not wrong & right


def test_a_job_that_was_evicted_waits_again(tmp_path):
    queue = Queue([1, 2], 1)
    queue.log(0, "0", "    DAG Node: low\n")
    queue.log(1, "0", "\tSlotName: slot1@localhost\n")
    queue.log(0, "1", "    DAG Node: high\n")
    queue.log(4, "0")
    queue.log(1, "0", "\tSlotName: slot1@localhost\n")
    queue.log(5, "0")
    queue.log(1, "1", "\tSlotName: slot1@localhost\n")
    queue.log(5, "1")
    (log := tmp_path / "events.log").write_text(queue.text)
    assert passed_over(read_starts(log), {"low": 1, "high": 2}) == [("high", "low")]


def test_what_dagman_held_back():
    """a -> c, b; c has the highest priority but is ready only when DAGMan knows that a is done."""
    messages = "".join(
        f"11/16/26 03:06:14 {text}\n"
        for text in (
            "Submitting HTCondor Node b job(s)...",
            "Submitting HTCondor Node a job(s)...",
            "Node a job proc (2.0.0) completed successfully.",
            "Node a job completed",
            "Submitting HTCondor Node d job(s)...",
            "Submitting HTCondor Node c job(s)...",
        )
    )
    wrong, right = held_back(messages, {"a": 3, "b": 2, "c": 4, "d": 1}, {"c": ["a"]})
    assert wrong == [("a", "b"), ("c", "d")]
    assert right == 2
