"""Which submissions are made when: as many as the site has room for, each noted before it is made.

Slurm counts jobs that ended as long as it remembers them, so what left in the last minutes takes room as well. A tenth
of the controller's room, at least, is left to others. A dependency is stated only on a job that is known to be in the
queue, and was so recently enough that Slurm cannot have forgotten it.
"""

from __future__ import annotations

import time
from pathlib import Path

from eligo.engines.folder import safe_name
from eligo.engines.hooks import HookFacts
from eligo.engines.plan import Plan, Task
from eligo.engines.slurm.entry import Entry
from eligo.engines.slurm.held import Held
from eligo.engines.slurm.hook_words import hook_words
from eligo.engines.slurm.script import job_script
from eligo.engines.slurm.site import Site
from eligo.engines.slurm.submitting import Submitter
from eligo.engines.state import JobStatus, State

__all__ = ["WAVE", "Waves"]

WAVE = 2000
"""At most so many jobs of a run are in Slurm's queue."""


class Waves:
    """Lays submissions out.

    Attributes
    ----------
    number
        Of the last submission.
    idle
        Whether there was nothing left to submit.
    aborted
        Whether a job has ended the whole run.
    stale
        Whether the queue must be listed before more can be submitted.
    """

    def __init__(self, plan: Plan, state: State, site: Site, held: Held, submitter: Submitter) -> None:
        self._plan = plan
        self._state = state
        self._site = site
        self._held = held
        self._submitter = submitter
        self._logs = state.folder.resolve() / "logs"
        self.rank = plan.ranks()
        self.number = int(state.get("slurm_submissions") or 0)
        self.idle = self.aborted = self.stale = False

    def submit(self) -> None:
        """Lay out what there is room for, and start some of it."""
        submitter = self._submitter
        if submitter.wants_more and (room := self._room()) > 0:
            laid_out = self._lay_out(min(room, submitter.group))
            self.idle = not laid_out and not self.stale and not len(self._held) and not submitter.in_flight
        submitter.start_some()

    def _room(self) -> int:
        """Return how many more jobs Slurm shall get now."""
        site, left, now = self._site, self._held.left, time.monotonic()
        while left and site.forget_s and now - left[0] > site.forget_s + 1:
            left.popleft()
        total = site.most_jobs * 9 // 10 - len(left)
        mine = WAVE if site.most_submitted is None else min(WAVE, site.most_submitted)
        return max(min(total, mine), 1) - len(self._held)

    def _lay_out(self, most: int) -> bool:
        """Prepare submissions and note them, before the first is made; return whether there were any."""
        held = self._held
        jobs = [] if self.aborted else held.backlog.take(most)
        chosen: list[tuple[int, list[Entry]]] = []
        self.stale = False
        for job in jobs:
            parents = [held.by_job[up] for up in self._plan.dag.parents(job).tolist() if up in held.by_job]
            if all(map(self._is_fresh, parents)):
                chosen.append((job, parents))
            else:
                held.backlog.give_back(job)
                self.stale = True
        if not jobs and not len(held) and not held.final_over:
            chosen.append((self._plan.dag.n, []))
        if chosen:
            counts = self._state.counts()
            for job, parents in chosen:
                self._lay_out_one(job, parents, counts)
            self._state.put("slurm_submissions", self.number)
            self._state.commit()
        return bool(chosen)

    def _is_fresh(self, parent: Entry) -> bool:
        """Whether Slurm cannot have forgotten a job since we knew that it was in the queue."""
        if parent.missing or not parent.id or parent.cancelling:
            return False
        return not self._site.forget_s or time.monotonic() - parent.since < self._site.forget_s / 2

    def _lay_out_one(self, job: int, parents: list[Entry], counts: dict[JobStatus, int]) -> None:
        held, is_final = self._held, job >= self._plan.dag.n
        self.number += 1
        entry = Entry(job, self.number, held.tries(job))
        if not is_final:
            entry.lost = max(0, self._state.attempts[job] - entry.tries)
        task = self._plan.task_of(job)
        facts = self._facts(job, task, counts)
        script = job_script(
            task,
            log=str(self.log(job, task.name)),
            needs=[parent.key for parent in parents],
            tries=entry.tries,
            words=hook_words(facts),
            counts=(facts.dag_status, facts.failed_count),
        )
        held.box.put(entry.key, script)
        held.enter(entry)
        held.ledger.submitted(entry)
        rank = 0 if is_final else int(self.rank[job])
        self._submitter.waiting.append((entry, task, rank, tuple(parent.id for parent in parents)))

    def _facts(self, job: int, task: Task, counts: dict[JobStatus, int]) -> HookFacts:
        """Return what is known when a job is submitted; what is known later, the launcher puts in."""
        return HookFacts(
            job=task.name,
            max_retries=task.retries,
            dag_status=3 if self.aborted else 2 if counts[JobStatus.FAILED] else 0,
            failed_count=counts[JobStatus.FAILED],
            done_count=counts[JobStatus.DONE],
            queued_count=counts[JobStatus.RUNNING],
            node_count=self._plan.dag.n,
            job_id=job + 1,
        )

    def log(self, job: int, name: str) -> Path:
        """Return where the output of a job goes that has no other place."""
        return self._logs / f"{safe_name(job, name)}.log"
