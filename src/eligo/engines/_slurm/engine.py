"""A workflow on a Slurm cluster: every job a batch job, with ``afterok`` dependencies on its parents.

Slurm holds what is submitted; we hold the rest, and submit in waves below the site's limits. How jobs begin and end
they tell themselves, in files (``box.py``); ``squeue`` is asked now and then, once for all jobs, for those that cannot:
lost nodes, time limits, cancellations by others. So nothing is missed however long nobody watches.

Invariant: a job is submitted only while each of its parents is done or known to be in the queue, and what needs a job
that failed or was lost is taken back at once; the launcher checks it again on the node, since Slurm takes a parent that
it has forgotten for one that succeeded. A job runs in at most one submission, since a submission that is not the job's
last was taken back before the next was made, and cannot start after that.

Scripts before and after a job run on the node, in the job's allocation. Several processes of a task run side by side
there, and all to their end.

What this engine cannot do is said before the first job is submitted.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar, NamedTuple

from eligo.engines._attempts import HookFacts
from eligo.engines._engine import Engine, Event
from eligo.engines._plan import Plan, Task
from eligo.engines._slurm.exchange_dir import Box, End, Record, Start
from eligo.engines._slurm.job_script import LAUNCHER, job_script
from eligo.engines._slurm.options import UserOptions, check_options, hook_words
from eligo.engines._slurm.queued_jobs import Held, hear
from eligo.engines._slurm.ready_jobs import Backlog
from eligo.engines._slurm.recorder import Ledger
from eligo.engines._slurm.recovery import Fate, fate_of, take_up
from eligo.engines._slurm.site import read_site
from eligo.engines._slurm.slurm_commands import (
    SQUEUE,
    Answer,
    Commands,
    Listed,
    ask,
    ask_how_it_ended,
    ask_queue,
    parse_queue,
)
from eligo.engines._slurm.submission import Entry
from eligo.engines._slurm.submit import Listener, Refusal, Submitter, Waves, how_refused, request
from eligo.engines._state import JobStatus, State
from eligo.errors import EngineError, ParseError

__all__ = [
    "Checked",
    "Slurm",
    "check_plan",
    "check_requests",
]


class Checked(NamedTuple):
    """Jobs that the file says are done, and the tasks that ask for most memory and most cores."""

    done: list[int]
    largest: list[Task]


def check_plan(plan: Plan) -> Checked:
    """Look at every task.

    Raises
    ------
    ParseError
        One asks for what cannot be done on Slurm.
    """
    done = []
    memory, cpus = Task(""), Task("")
    for job in range(plan.dag.n):
        task = plan.task(job)
        _check(task)
        if task.done:
            done.append(job)
        if (task.memory_bytes or 0) > (memory.memory_bytes or 0):
            memory = task
        if task.cpus > cpus.cpus:
            cpus = task
    if plan.final is not None:
        _check(plan.final)
    return Checked(done, [task for task in (memory, cpus) if task.name])


def _check(task: Task) -> None:
    for process in task.processes:
        if process.sandbox is not None:
            raise ParseError(
                task.path,
                task.line,
                f"job {task.name!r} wants its files transferred, which is not done on Slurm",
                hint="use paths on a file system that all nodes share, and should_transfer_files = NO",
            )
    job_script(task, log="", words=hook_words(HookFacts(task.name)))


def check_requests(largest: list[Task], options: UserOptions) -> None:
    """Let Slurm say whether it could ever run the largest jobs, and whether it knows the user's options.

    Raises
    ------
    EngineError, ParseError
        It could not, or does not.
    """
    for task in (Task(""), *largest):
        answer = ask(["sbatch", "--test-only", *request(task, options), str(LAUNCHER)])
        if answer.code == 0 or how_refused(answer.trouble) != Refusal.FOR_GOOD:
            continue
        if not task.name:
            raise EngineError(f"sbatch refuses: {answer.trouble}", hint="see the options after --")
        raise ParseError(
            task.path,
            task.line,
            f"job {task.name!r} asks for more than Slurm can give: {answer.trouble}",
            hint="sinfo -o '%P %c %m' shows the cores and the memory (MB) of nodes",
        )


_SCAN_S = (0.05, 1.0)
_LIST_S = (1.0, 10.0)
_GIVE_UP_S = 120.0
_ASK_AT_ONCE = 50
_HELD_UP = ("Held", "held", "BadConstraints", "InvalidAccount", "InvalidQOS")


class Slurm(Engine):
    """Runs a plan on a Slurm cluster; see :class:`eligo.engines._engine.Engine`.

    `options` are words for ``sbatch``. The folder of the state must be on a file system that all nodes share.
    """

    NAME: ClassVar[str] = "slurm"

    def __init__(self, plan: Plan, state: State, options: Sequence[str] = ()) -> None:
        super().__init__(plan, state, options)
        words = check_options(self.options)
        self._site = read_site()
        checked = check_plan(plan)
        check_requests(checked.largest, words)
        self._done_before = checked.done
        self._run = str(state.get("run_id") or "run")
        self._box = Box(state.folder.resolve() / "slurm" / self._run)
        self._commands = Commands()
        self._ledger = Ledger(plan, state)
        self._held = Held(plan.dag, state, self._box, self._commands, self._ledger)
        self._held.final_over = plan.final is None
        listener = Listener(self._held.accepted, self._refused, self._ledger.note)
        self._submitter = Submitter(self._site, self._box, self._commands, words, listener)
        self._waves = Waves(plan, state, self._site, self._held, self._submitter)
        self._stopping = self._submitted = self._listing = False
        self._notes: set[str] = set()
        self._next_list, self._list_s = 0.0, _LIST_S[0]
        self._next_scan, self._scan_s = 0.0, _SCAN_S[0]
        self._cancel_again = 0.0
        self._last_refusal = ""

    def submit(self) -> None:
        """Start, or take up what an earlier Eligo left in Slurm's queue and go on."""
        state, plan = self.state, self.plan
        (state.folder / "logs").mkdir(mode=0o700, exist_ok=True)
        for job in self._done_before:
            if state.status[job] != JobStatus.DONE:
                state.update(job, status=JobStatus.DONE, reason="the workflow says that it is done")
        done = [status == JobStatus.DONE for status in state.status]
        backlog = Backlog(plan.dag, self._waves.rank, done, plan.categories)
        for job, status in enumerate(state.status):
            if status == JobStatus.FAILED:
                backlog.fail(job)
        self._held.begin(backlog)
        self._submitter.begin(self._run, plan.dag.n)
        asked = time.monotonic()
        queue = parse_queue(ask_queue(), self._run)
        found = take_up(self._held, state.status, queue, asked)
        self._waves.number = max(self._waves.number, found.highest)
        for entry in found.missing:
            self._vanished(entry)
        self._heed(queue, asked)
        self._submitted = True
        state.commit()

    # Watching

    def watch(self, timeout_s: float) -> list[Event]:
        """Return what happened since the last call, waiting for it at most so long."""
        deadline = time.monotonic() + timeout_s
        while True:
            self._step()
            now = time.monotonic()
            if self._ledger.events or self.over or now >= deadline:
                break
            self._commands.pump(min(deadline, self._next_scan, now + 0.2) - now)
        if self._ledger.events or self._held.put_away:
            self.state.commit(sync=True)
            for key in self._held.put_away:
                self._box.put_away(key)
            self._held.put_away.clear()
        events, self._ledger.events = self._ledger.events, []
        return events

    def _step(self) -> None:
        while self._commands and self._commands.pump(0.0):
            pass
        now = time.monotonic()
        if now >= self._next_scan:
            self._scan_s = _SCAN_S[0] if hear(self._held, self) else min(_SCAN_S[1], 1.5 * self._scan_s)
            self._next_scan = now + self._scan_s
        if not self._listing and now >= self._next_list and len(self._held):
            self._listing = True
            self._commands.start(SQUEUE, self._told_queue)
        if self._submitted and not self._stopping:
            self._waves.submit()
            if self._waves.stale:
                self._list_soon()
            since = self._submitter.refused_since
            if since is not None and not len(self._held) and time.monotonic() - since > _GIVE_UP_S:
                raise EngineError(f"Slurm takes no jobs: {self._last_refusal}", hint="go on later with --resume")
        self.state.commit()

    @property
    def over(self) -> bool:
        """Whether nothing is in Slurm's queue any more and nothing will be."""
        if not self._submitted or len(self._held) or self._ledger.events or len(self._commands):
            return False
        return self._stopping or (self._waves.idle and self._held.final_over)

    # What jobs tell

    def started(self, entry: Entry, start: Start) -> None:
        """Take note that a job began, perhaps once more."""
        if entry.running_since is not None:
            self._ledger.again(entry, "its worker was lost")
        self._ledger.started(entry, start)
        entry.running_since = time.monotonic()

    def ended(self, entry: Entry, record: Record, end: End) -> None:
        """Take note that a job is over."""
        self._waves.idle = False
        if entry.cancelling and not end.ok and end.code > 128:
            self._held.count_tries(entry.job, end.number - 1)
            self._held.give_back(entry)
            return
        succeeded = self._ledger.ended(entry, record, end)
        self._held.close(entry, succeeded=succeeded)
        self._submitter.go_on()
        if end.kind == "abort":
            self._abort(entry, end)

    def _abort(self, entry: Entry, end: End) -> None:
        task = self.task(entry.job)
        returns = None if task.abort is None else task.abort.returns
        self.state.put("abort_status", end.code if returns is None else returns)
        self._ledger.note(f"job {task.name!r} ends the whole run")
        self._waves.aborted = True
        self._held.end_all()
        self._list_soon()

    # What Slurm tells

    def _told_queue(self, answer: Answer) -> None:
        self._listing = False
        slowest = min(_LIST_S[1], max(0.5, self._site.forget_s / 3)) if self._site.forget_s else _LIST_S[1]
        self._list_s = min(slowest, 1.5 * self._list_s)
        if answer.code != 0:
            self._note_once(f"Slurm does not answer for now: {answer.trouble}")
        else:
            self._heed(parse_queue(answer.out, self._run), answer.asked)
        ending = self._stopping or self._waves.aborted
        self._next_list = time.monotonic() + (min(0.5, self._list_s) if ending else self._list_s)

    def _list_soon(self) -> None:
        self._list_s = _LIST_S[0]
        self._next_list = min(self._next_list, time.monotonic() + 0.2)

    def _heed(self, queue: dict[str, Listed], asked: float) -> None:
        """Compare the queue, as it was a moment ago, with what we think."""
        held = self._held
        for key, listed in queue.items():
            entry = held.by_key.get(key)
            if entry is not None:
                self._heed_one(entry, listed, asked)
        missing = [entry for entry in held if entry.key not in queue and 0 < entry.since < asked]
        if missing:
            hear(held, self)  # the queue was asked first: who has left it had told its end before
        for entry in missing[:_ASK_AT_ONCE]:
            if not entry.dropped:
                entry.missing += 1
                self._list_soon()
                if entry.missing > 1 or entry.cancelling:
                    self._vanished(entry)
        if time.monotonic() >= self._cancel_again:
            self._cancel_again = time.monotonic() + 5
            stray = [listed.id for key, listed in queue.items() if listed.waits and self._is_stray(key)]
            held.cancel([*stray, *(entry.id for entry in held if entry.cancelling and entry.id)])

    def _is_stray(self, key: str) -> bool:
        return key not in self._held.by_key and key not in self._held.put_away and not self._box.is_done(key)

    def _heed_one(self, entry: Entry, listed: Listed, asked: float) -> None:
        if not entry.id:
            entry.id = listed.id
            self._ledger.submitted(entry)
        self._held.settle(entry, asked)
        if not listed.waits:
            return
        if entry.running_since is not None and entry.running_since < asked:
            self._ledger.again(entry, "its worker was lost")
            self._list_soon()
        if any(word in listed.reason for word in _HELD_UP):
            self._note_once(f"jobs such as {listed.id} do not start in Slurm: {listed.reason}")

    def _vanished(self, entry: Entry) -> None:
        """Find out what became of a job that is not in the queue and told no end."""
        try:
            how = ask_how_it_ended(entry.id, database=self._site.database) if entry.id else None
        except EngineError as error:
            self._note_once(error.text)
            return
        started = self._box.is_claimed(entry.key)
        tries = entry.tries + len(self._box.record(entry.key).tries)
        retries = self.task(entry.job).retries
        fate, text = fate_of(entry, how, started=started, tries=tries, retries=retries)
        if fate is Fate.OPEN or not (started or self._box.take_back(entry.key)):
            return
        self._waves.idle = False
        if fate is Fate.FAILED:
            self._ledger.failed(entry, text, how.exit_code or 128 + how.signal if how and started else None)
            self._held.close(entry, succeeded=False)
            return
        if started and not entry.cancelling:
            self._ledger.again(entry, text, gone=True)
            if how is None or not how.state:
                self.state.repeats(entry.job)
        self._held.count_tries(entry.job, tries + (fate is Fate.COUNTS))
        self._held.give_back(entry)

    def _refused(self, entry: Entry, kind: int, text: str) -> None:
        if entry.dropped:
            return
        if not self._box.take_back(entry.key):
            entry.since = time.monotonic()  # accepted after all, for it has begun: the queue will tell its number
            return
        if kind == Refusal.FOR_GOOD:
            self._ledger.failed(entry, f"sbatch refuses it: {text}")
            self._held.close(entry, succeeded=False)
            return
        self._last_refusal = text
        self._note_once(f"Slurm takes no more jobs for now, Eligo goes on trying: {text}")
        self._held.give_back(entry)
        self._list_soon()

    def _note_once(self, text: str) -> None:
        if text not in self._notes:
            self._notes.add(text)
            self._ledger.note(text)

    # Stopping, and afterwards

    def cancel(self, *, kill: bool = False) -> None:
        """Take back what has not begun; with `kill` also end what runs."""
        self._stopping = True
        if not self._submitted:
            return
        if kill:
            self._held.end_all()
        else:
            self._held.withdraw(list(self._held.by_job))
            self.state.commit()
        self._list_soon()

    def logs(self, job: int) -> list[Path]:
        """Return the files with what a job printed."""
        mine = self._waves.log(job, self.task(job).name)
        return [*super().logs(job), *([mine] if mine.is_file() and mine.stat().st_size else [])]

    def close(self) -> None:
        """Let go of Slurm's commands that still run. Jobs go on."""
        all_done = self.over and self._held.final_over and all(status == JobStatus.DONE for status in self.state.status)
        self._commands.close()
        if all_done:
            shutil.rmtree(self._box.path, ignore_errors=True)
