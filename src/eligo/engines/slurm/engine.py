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
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import ClassVar

from eligo.engines.base import Engine, Event
from eligo.engines.folder import safe_name
from eligo.engines.hooks import HookFacts
from eligo.engines.plan import Plan, Task
from eligo.engines.slurm.backlog import Backlog
from eligo.engines.slurm.box import Box, End, Record, Start
from eligo.engines.slurm.checking import check_plan, check_requests
from eligo.engines.slurm.commands import Answer, Commands, ask
from eligo.engines.slurm.entry import Entry
from eligo.engines.slurm.hook_words import hook_words
from eligo.engines.slurm.ledger import Ledger
from eligo.engines.slurm.listing import SQUEUE, Listed, ask_how_it_ended, parse_queue
from eligo.engines.slurm.losing import Fate, fate_of
from eligo.engines.slurm.nice import ranks
from eligo.engines.slurm.options import check_options
from eligo.engines.slurm.script import job_script
from eligo.engines.slurm.site import read_site
from eligo.engines.slurm.submitting import Listener, Refusal, Submitter
from eligo.engines.state import JobStatus, State
from eligo.errors import EngineError

__all__ = ["Slurm"]

WAVE = 2000
"""At most so many jobs of a run are in Slurm's queue."""
_SCAN_S = (0.05, 1.0)
_LIST_S = (1.0, 10.0)
_GIVE_UP_S = 120.0
_CANCEL_AT_ONCE = 500
_ASK_AT_ONCE = 50


class Slurm(Engine):
    """Runs a plan on a Slurm cluster; see :class:`eligo.engines.base.Engine`.

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
        folder = state.folder.resolve()
        self._logs = folder / "logs"
        self._box = Box(folder / "slurm" / self._run)
        self._commands = Commands()
        self._ledger = Ledger(plan, state)
        listener = Listener(self._accepted, self._refused, self._ledger.note)
        self._submitter = Submitter(self._site, self._box, self._commands, words, listener)
        self._entries: dict[str, Entry] = {}
        self._by_job: dict[int, Entry] = {}
        self._rank = ranks(plan.priorities)
        self._number = int(state.get("slurm_submissions") or 0)
        self._final_over = plan.final is None
        self._stopping = self._aborted = self._idle = self._submitted = False
        self._tries = {int(job): count for job, count in (state.get("slurm_tries") or {}).items()}
        self._put_away: list[str] = []
        self._recent: deque[float] = deque()
        self._notes: set[str] = set()
        self._listing = False
        self._next_list, self._list_s = 0.0, _LIST_S[0]
        self._next_scan, self._scan_s = 0.0, _SCAN_S[0]
        self._cancel_again = 0.0
        self._last_refusal = ""

    # Beginning

    def submit(self) -> None:
        """Start, or take up what an earlier Eligo left in Slurm's queue and go on."""
        state, plan = self.state, self.plan
        self._logs.mkdir(mode=0o700, exist_ok=True)
        for job in self._done_before:
            if state.status[job] != JobStatus.DONE:
                state.update(job, status=JobStatus.DONE, reason="the workflow says that it is done")
        done = [status == JobStatus.DONE for status in state.status]
        self._backlog = Backlog(plan.dag, self._rank, done, plan.categories)
        for job, status in enumerate(state.status):
            if status == JobStatus.FAILED:
                self._backlog.fail(job)
        self._submitter.begin(self._run, plan.dag.n)
        self._take_up()
        self._submitted = True
        state.commit()

    def _take_up(self) -> None:
        """Find again what an earlier Eligo submitted, also what it had no time to note."""
        noted = self._ledger.handles()
        asked = time.monotonic()
        queue = parse_queue(self._ask_queue(), self._run)
        ended = set(self._box.ended())
        for job, handle in noted.items():
            entry = Entry.of(job, handle)
            if self._ledger.take_up(entry):
                entry.running_since = asked
            self._enter(entry)
            entry.since = asked
            listed = queue.get(entry.key)
            if listed is not None:
                entry.id = listed.id
            if listed is not None or entry.key in ended:
                self._settle(entry, asked)
        for entry in list(self._entries.values()):
            if entry.key not in queue and entry.key not in ended:
                self._vanished(entry)
        self._heed(queue, asked)

    def _ask_queue(self) -> str:
        deadline = time.monotonic() + 60
        while True:
            answer = ask(SQUEUE)
            if answer.code == 0:
                return answer.out
            if time.monotonic() > deadline:
                raise EngineError(f"Slurm does not answer: {answer.trouble}", hint="ask again later, with --resume")
            time.sleep(1)

    def _enter(self, entry: Entry) -> None:
        self._entries[entry.key] = self._by_job[entry.job] = entry
        if entry.job < self.plan.dag.n:
            self._backlog.hold(entry.job)

    def _settle(self, entry: Entry, since: float) -> None:
        entry.since, entry.missing = since, 0
        if entry.job < self.plan.dag.n:
            self._backlog.settle(entry.job)

    def _drop(self, entry: Entry) -> None:
        entry.dropped = True
        del self._entries[entry.key]
        del self._by_job[entry.job]
        self._recent.append(time.monotonic())
        self._idle = False

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
        if self._ledger.events or self._put_away:
            self._settle_on_disk()
        events, self._ledger.events = self._ledger.events, []
        return events

    def _settle_on_disk(self) -> None:
        self.state.commit(sync=True)
        for key in self._put_away:
            self._box.put_away(key)
        self._put_away.clear()

    def _step(self) -> None:
        while self._commands and self._commands.pump(0.0):
            pass
        now = time.monotonic()
        if now >= self._next_scan:
            heard = self._scan()
            self._scan_s = _SCAN_S[0] if heard else min(_SCAN_S[1], 1.5 * self._scan_s)
            self._next_scan = now + self._scan_s
        if not self._listing and now >= self._next_list and self._entries:
            self._listing = True
            self._commands.start(SQUEUE, self._told_queue)
        self._submit_more()
        self.state.commit()

    @property
    def over(self) -> bool:
        """Whether nothing is in Slurm's queue any more and nothing will be."""
        if not self._submitted or self._entries or self._ledger.events or self._submitter.in_flight:
            return False
        return self._stopping or (self._idle and self._final_over)

    # What jobs tell

    def _scan(self) -> bool:
        """Note which jobs have begun or ended, in the order in which they did; return whether any has."""
        story: list[tuple[float, int, int, partial[None]]] = []
        ended = set(self._box.ended()).difference(self._put_away)
        for key in sorted(ended):
            entry = self._entries.get(key)
            if entry is None:
                self._box.put_away(key)  # noted before we died
            else:
                story += self._told_by(entry, self._box.record(key))
        for key in self._box.claimed():
            entry = self._entries.get(key)
            if entry is not None and entry.running_since is None and key not in ended:
                story += self._told_by(entry, self._box.record(key))
        for _, _, _, happen in sorted(story, key=lambda each: each[:3]):
            happen()
        return bool(story)

    def _told_by(self, entry: Entry, record: Record) -> Iterator[tuple[float, int, int, partial[None]]]:
        """Return what a job says of itself that has not been told of, each with its time."""
        parts: list[tuple[float, partial[None]]] = [
            (start.time, partial(self._started, entry, start)) for start in record.starts[entry.starts :]
        ]
        parts += [(tried.end, partial(self._ledger.tried, entry, tried)) for tried in record.tries[entry.retried :]]
        parts.sort(key=lambda each: each[0])
        if record.end is not None:
            parts.append((record.end.time, partial(self._ended, entry, record, record.end)))
        latest = 0.0
        for place, (when, happen) in enumerate(parts):
            latest = max(latest, when)
            yield latest, entry.number, place, happen

    def _started(self, entry: Entry, start: Start) -> None:
        if entry.dropped:
            return
        if entry.running_since is not None:
            self._ledger.again(entry, "its worker was lost")
        self._ledger.started(entry, start)
        entry.running_since = time.monotonic()

    def _ended(self, entry: Entry, record: Record, end: End) -> None:
        job = entry.job
        self._put_away.append(entry.key)
        if entry.cancelling and not end.ok and end.code > 128:
            self._count_tries(entry.job, end.number - 1)
            self._give_back(entry)
            return
        succeeded = self._ledger.ended(entry, record, end)
        self._close(entry, succeeded=succeeded)
        if end.kind == "abort":
            self._abort(job, end)

    def _close(self, entry: Entry, *, succeeded: bool) -> None:
        self._drop(entry)
        self._count_tries(entry.job, 0)
        self._submitter.go_on()
        if entry.job >= self.plan.dag.n:
            self._final_over = True
        elif succeeded:
            self._backlog.succeed(entry.job)
        else:
            self._backlog.fail(entry.job)
            self._withdraw(self.plan.dag.children(entry.job).tolist())

    def _abort(self, job: int, end: End) -> None:
        task = self._ledger.task(job)
        returns = None if task.abort is None else task.abort.returns
        self.state.put("abort_status", end.code if returns is None else returns)
        self._ledger.note(f"job {task.name!r} ends the whole run")
        self._aborted = True
        self._stop(kill=True)

    # What Slurm tells

    def _told_queue(self, answer: Answer) -> None:
        self._listing = False
        slowest = min(_LIST_S[1], max(0.5, self._site.forget_s / 3)) if self._site.forget_s else _LIST_S[1]
        self._list_s = min(slowest, 1.5 * self._list_s)
        if answer.code != 0:
            self._note_once(f"Slurm does not answer for now: {answer.trouble}")
        else:
            self._heed(parse_queue(answer.out, self._run), answer.asked)
        self._next_list = time.monotonic() + (0.3 if self._stopping or self._aborted else self._list_s)

    def _list_soon(self) -> None:
        self._list_s = _LIST_S[0]
        self._next_list = min(self._next_list, time.monotonic() + 0.2)

    def _heed(self, queue: dict[str, Listed], asked: float) -> None:
        """Compare the queue, as it was a moment ago, with what we think."""
        stray = [listed.id for key, listed in queue.items() if listed.waits and self._is_stray(key)]
        for key, listed in queue.items():
            entry = self._entries.get(key)
            if entry is not None:
                self._heed_one(entry, listed, asked)
        missing = [e for e in self._entries.values() if e.key not in queue and e.since and e.since < asked]
        if missing:
            self._scan()  # the queue was asked first: who has left it had told its end before
        for entry in missing[:_ASK_AT_ONCE]:
            if not entry.dropped:
                entry.missing += 1
                self._list_soon()
                if entry.missing > 1 or entry.cancelling:
                    self._vanished(entry)
        if time.monotonic() >= self._cancel_again:
            self._cancel_again = time.monotonic() + 5
            self._scancel([*stray, *(entry.id for entry in self._entries.values() if entry.cancelling and entry.id)])

    def _is_stray(self, key: str) -> bool:
        return key not in self._entries and key not in self._put_away and not self._box.is_done(key)

    def _heed_one(self, entry: Entry, listed: Listed, asked: float) -> None:
        if not entry.id:
            entry.id = listed.id
            self._ledger.submitted(entry)
        self._settle(entry, asked)
        if not listed.waits:
            return
        if entry.running_since is not None and entry.running_since < asked:
            self._ledger.again(entry, "its worker was lost")
            self._list_soon()
        if any(word in listed.reason for word in ("Held", "held", "BadConstraints", "InvalidAccount", "InvalidQOS")):
            self._note_once(f"jobs such as {listed.id} do not start in Slurm: {listed.reason}")

    def _vanished(self, entry: Entry) -> None:
        """Find out what became of a job that is not in the queue and told no end."""
        try:
            how = ask_how_it_ended(entry.id, database=self._site.database) if entry.id else None
        except EngineError as error:
            self._note_once(str(error))
            return
        started = self._box.is_claimed(entry.key)
        tries = entry.tries + len(self._box.record(entry.key).tries)
        fate, text = fate_of(entry, how, started=started, tries=tries, retries=self._ledger.task(entry.job).retries)
        if fate is Fate.OPEN or not (started or self._box.take_back(entry.key)):
            return
        if fate is Fate.FAILED:
            self._put_away.append(entry.key)
            self._ledger.failed(entry, text, how.exit_code or 128 + how.signal if how and started else None)
            self._close(entry, succeeded=False)
            return
        if started and not entry.cancelling:
            self._ledger.again(entry, text, gone=True)
        self._count_tries(entry.job, tries + (fate is Fate.COUNTS))
        self._give_back(entry)

    def _count_tries(self, job: int, tries: int) -> None:
        """Keep how often a job was tried, for its next submission."""
        if tries != self._tries.get(job, 0):
            self._tries[job] = tries
            self.state.put("slurm_tries", {str(key): count for key, count in self._tries.items() if count})

    def _give_back(self, entry: Entry) -> None:
        """Let a job be submitted anew, and take back what waits for this submission of it."""
        if entry.cancelling:
            self._ledger.cancelled(entry)
        else:
            self._ledger.withdrawn(entry)
        self._drop(entry)
        self._put_away.append(entry.key)
        if entry.job < self.plan.dag.n:
            self._backlog.give_back(entry.job)
            self._withdraw(self.plan.dag.children(entry.job).tolist())

    def _note_once(self, text: str) -> None:
        if text not in self._notes:
            self._notes.add(text)
            self._ledger.note(text)

    # Submitting

    def _submit_more(self) -> None:
        if self._stopping or not self._submitted:
            return
        if self._submitter.wants_more and (room := self._room()) > 0:
            entries = self._lay_out(min(room, self._submitter.group))
            self._idle = not entries and not self._submitter.in_flight
        self._submitter.start_some()
        since = self._submitter.refused_since
        if since is not None and not self._entries and time.monotonic() - since > _GIVE_UP_S:
            raise EngineError(f"Slurm takes no jobs: {self._last_refusal}", hint="go on later with --resume")

    def _room(self) -> int:
        """Return how many more jobs Slurm shall get now: it counts those that ended as long as it remembers them."""
        site, now = self._site, time.monotonic()
        while self._recent and site.forget_s and now - self._recent[0] > site.forget_s + 1:
            self._recent.popleft()
        total = site.most_jobs * 9 // 10 - len(self._recent)
        mine = WAVE if site.most_submitted is None else min(WAVE, site.most_submitted)
        return max(min(total, mine), 1) - len(self._entries)

    def _lay_out(self, most: int) -> list[Entry]:
        """Prepare submissions and note them, before the first is made."""
        jobs = [] if self._aborted else self._backlog.take(most)
        plan: list[tuple[int, list[Entry]]] = []
        for job in jobs:
            parents = [self._by_job[parent] for parent in self.plan.dag.parents(job).tolist() if parent in self._by_job]
            if all(map(self._is_fresh, parents)):
                plan.append((job, parents))
            else:
                self._backlog.give_back(job)
                self._list_soon()
        if not jobs and not self._entries and not self._final_over:
            plan.append((self.plan.dag.n, []))
        entries = [self._lay_out_one(job, parents) for job, parents in plan]
        if entries:
            self.state.put("slurm_submissions", self._number)
            self.state.commit()
        return entries

    def _is_fresh(self, parent: Entry) -> bool:
        """Whether Slurm cannot have forgotten a job since we knew that it was in the queue."""
        if parent.missing or not parent.id or parent.cancelling:
            return False
        return not self._site.forget_s or time.monotonic() - parent.since < self._site.forget_s / 2

    def _lay_out_one(self, job: int, parents: list[Entry]) -> Entry:
        self._number += 1
        entry = Entry(job, self._number, self._tries.get(job, 0))
        if job < self.plan.dag.n:
            entry.lost = max(0, self.state.attempts[job] - entry.tries)
        task = self._ledger.task(job)
        facts = self._facts(job, task)
        script = job_script(
            task,
            log=str(self._log(job, task.name)),
            needs=[parent.key for parent in parents],
            tries=entry.tries,
            words=hook_words(facts),
            counts=(facts.dag_status, facts.failed_count),
        )
        self._box.put(entry.key, script)
        self._enter(entry)
        self._ledger.submitted(entry)
        rank = int(self._rank[job]) if job < self.plan.dag.n else 0
        self._submitter.waiting.append((entry, task, rank, tuple(parent.id for parent in parents)))
        return entry

    def _facts(self, job: int, task: Task) -> HookFacts:
        """Return what is known when a job is submitted; what is known later, the launcher puts in."""
        counts = self.state.counts()
        return HookFacts(
            job=task.name,
            max_retries=task.retries,
            dag_status=3 if self._aborted else 2 if counts[JobStatus.FAILED] else 0,
            failed_count=counts[JobStatus.FAILED],
            done_count=counts[JobStatus.DONE],
            queued_count=counts[JobStatus.RUNNING],
            node_count=self.plan.dag.n,
            job_id=job + 1,
        )

    def _accepted(self, entry: Entry, slurm_id: str) -> None:
        if entry.dropped:
            self._scancel([slurm_id])
            return
        entry.id = slurm_id
        self._settle(entry, time.monotonic())
        self._ledger.submitted(entry)
        if entry.cancelling:
            self._scancel([slurm_id])

    def _refused(self, entry: Entry, kind: int, text: str) -> None:
        if entry.dropped:
            return
        if not self._box.take_back(entry.key):
            entry.since = time.monotonic()  # accepted after all, for it has begun: the queue will tell its number
            return
        if kind == Refusal.FOR_GOOD:
            self._ledger.failed(entry, f"sbatch refuses it: {text}")
            self._close(entry, succeeded=False)
            return
        self._last_refusal = text
        self._note_once(f"Slurm takes no more jobs for now, Eligo goes on trying: {text}")
        self._give_back(entry)
        self._list_soon()

    def _withdraw(self, jobs: Iterable[int]) -> None:
        """Take submissions back that have not begun, and all that wait for them."""
        stack, ids = list(jobs), []
        while stack:
            job = stack.pop()
            entry = self._by_job.get(job)
            if entry is None or not self._box.take_back(entry.key):
                continue
            self._drop(entry)
            self._ledger.withdrawn(entry)
            if entry.id:
                ids.append(entry.id)
            if job < self.plan.dag.n:
                self._backlog.give_back(job)
                stack += self.plan.dag.children(job).tolist()
        self._scancel(ids)

    # Stopping

    def cancel(self, *, kill: bool = False) -> None:
        """Take back what has not begun; with `kill` also end what runs."""
        self._stopping = True
        if self._submitted:
            self._stop(kill=kill)

    def _stop(self, *, kill: bool) -> None:
        self._withdraw(list(self._by_job))
        if kill:
            for entry in self._entries.values():
                entry.cancelling = True
                self._ledger.submitted(entry)
        self.state.commit()  # before Slurm ends them: a later Eligo must know why they ended
        if kill:
            self._scancel([entry.id for entry in self._entries.values() if entry.id])
        self._list_soon()

    def _scancel(self, ids: Sequence[str]) -> None:
        for first in range(0, len(ids), _CANCEL_AT_ONCE):
            self._commands.start(["scancel", *ids[first : first + _CANCEL_AT_ONCE]], lambda _: None)

    # Afterwards

    def _log(self, job: int, name: str) -> Path:
        return self._logs / f"{safe_name(job, name)}.log"

    def logs(self, job: int) -> list[Path]:
        """Return the files with what a job printed."""
        mine = self._log(job, self._ledger.task(job).name)
        return [*super().logs(job), *([mine] if mine.is_file() and mine.stat().st_size else [])]

    def close(self) -> None:
        """Let go of Slurm's commands that still run. Jobs go on."""
        self._commands.close()
