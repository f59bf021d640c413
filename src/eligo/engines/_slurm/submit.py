"""Which submissions are made when: as many as the site has room for, each noted before it is made.

Slurm counts jobs that ended as long as it remembers them, so what left in the last minutes takes room as well. A tenth
of the controller's room, at least, is left to others. A dependency is stated only on a job that is known to be in the
queue, and was so recently enough that Slurm cannot have forgotten it.

Submission in waves: never more than the site takes, and nothing that could run twice.

A few ``sbatch`` run at once. Before the first of a group starts, all of the group are noted in the state and their
files laid out, in one commit. When Slurm says no *for now* (a limit is reached, the controller is busy), the submission
is taken back, which no late acceptance can undo, and the job goes back to where it came from; when it says no for good,
the job has failed.

The first job that is accepted shows how large priorities are here, so it goes alone.
"""

from __future__ import annotations

import re
import time
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import final

from eligo.engines._attempts import HookFacts
from eligo.engines._plan import Plan, Task
from eligo.engines._run_folder import safe_name
from eligo.engines._slurm.exchange_dir import Box
from eligo.engines._slurm.job_script import job_script
from eligo.engines._slurm.options import UserOptions, hook_words
from eligo.engines._slurm.queued_jobs import Held
from eligo.engines._slurm.site import Nice, Site, plan_nice
from eligo.engines._slurm.slurm_commands import COMMENT, Answer, Commands, ask, ask_how_it_ended
from eligo.engines._slurm.submission import Entry
from eligo.engines._state import JobStatus, State

__all__ = [
    "AT_ONCE",
    "GROUP",
    "WAVE",
    "Listener",
    "Refusal",
    "Submitter",
    "Waves",
    "how_refused",
    "request",
]

AT_ONCE, GROUP = 4, 64
_MEGABYTE = 1 << 20
_PATIENCE_S = 30.0

_FULL = re.compile(
    r"limit|policy|temporarily|MaxJobCount|too many|try again|AssocMax|QOSMax|QOSGrp|AssocGrp",
    re.IGNORECASE,
)
_AWAY = re.compile(
    r"contact|timed? ?out|connect|communicat|not respond|transmi|Transport|backup|standby|controller|munge|credential",
    re.IGNORECASE,
)
_DEPENDENCY = re.compile("dependency", re.IGNORECASE)


class Refusal:
    """Why ``sbatch`` did not take a job."""

    FULL, AWAY, DEPENDENCY, FOR_GOOD = range(4)


def how_refused(text: str) -> int:
    """Tell from the words of ``sbatch`` whether it is worth trying again.

    Examples
    --------
    >>> how_refused("Batch job submission failed: Job violates accounting/QOS policy") == Refusal.FULL
    True
    >>> how_refused("invalid partition specified: x") == Refusal.FOR_GOOD
    True
    """
    for pattern, kind in ((_DEPENDENCY, Refusal.DEPENDENCY), (_FULL, Refusal.FULL), (_AWAY, Refusal.AWAY)):
        if pattern.search(text):
            return kind
    return Refusal.FOR_GOOD


def request(task: Task, options: UserOptions) -> list[str]:
    """Return the options of ``sbatch`` for what a task asks for; what the user says goes before.

    Examples
    --------
    >>> request(Task("a", cpus=2, memory_bytes=1_500_000), UserOptions(("-pshort",)))
    ['--ntasks=1', '--cpus-per-task=2', '--mem=2M', '-pshort']
    """
    words = ["--ntasks=1"]
    if task.cpus != 1:
        words.append(f"--cpus-per-task={max(1, task.cpus)}")
    if task.memory_bytes is not None and not options.says_memory:
        words.append(f"--mem={max(1, -(-task.memory_bytes // _MEGABYTE))}M")
    return [*words, *options.words]


@final
@dataclass(frozen=True, slots=True)
class Listener:
    """Who is told what became of submissions."""

    accepted: Callable[[Entry, str], None]
    refused: Callable[[Entry, int, str], None]
    note: Callable[[str], None]


class Submitter:
    """Submits jobs.

    Attributes
    ----------
    in_flight
        How many ``sbatch`` run.
    waiting
        Submissions that are laid out and noted, with the words of their dependencies.
    """

    def __init__(self, site: Site, box: Box, commands: Commands, options: UserOptions, listener: Listener) -> None:
        self._site = site
        self._box = box
        self._commands = commands
        self._options = options
        self._listener = listener
        self._run = ""
        self._jobs = 0
        self._nice = Nice(0, 1.0)
        self._known = True
        self.in_flight = 0
        self.waiting: deque[tuple[Entry, Task, int, tuple[str, ...]]] = deque()
        self._not_before = 0.0
        self._delay_s = 1.0
        self.refused_since: float | None = None

    def begin(self, run: str, jobs: int) -> None:
        """Set the name of the run and the number of its jobs."""
        self._run, self._jobs = run, jobs
        self._nice = plan_nice(self._site, jobs)
        self._known = not self._site.multifactor or self._options.priority is not None or jobs < 2

    @property
    def wants_more(self) -> bool:
        """Whether more submissions may be laid out."""
        return not self.waiting and time.monotonic() >= self._not_before and (self._known or not self.in_flight)

    @property
    def group(self) -> int:
        """How many to lay out."""
        return GROUP if self._known else 1

    def start_some(self) -> None:
        """Start as many ``sbatch`` as may run at once."""
        while self.waiting and self.in_flight < AT_ONCE and time.monotonic() >= self._not_before:
            entry, task, rank, parents = self.waiting.popleft()
            if entry.dropped:
                continue
            self.in_flight += 1
            self._commands.start(self._words(entry, task, rank, parents), partial(self._told, entry, rank))

    def _words(self, entry: Entry, task: Task, rank: int, parents: Iterable[str]) -> list[str]:
        words = ["sbatch", f"--job-name={safe_name(entry.job, task.name)}", *request(task, self._options)]
        if not self._options.says_export:
            words.append("--export=ALL")
        if not self._options.says_requeue:
            words.append("--requeue")
        words += ["--parsable", "--kill-on-invalid-dep=yes", "--output=/dev/null", "--input=/dev/null", "--chdir=/"]
        words.append(f"--comment={COMMENT.format(run=self._run, key=entry.key)}")
        if self._options.priority is not None:
            words.append(f"--priority={max(1, self._options.priority - rank)}")
        else:
            words.append(f"--nice={self._nice.of(rank, entry.number)}")
        if parents:
            words.append(f"--dependency=afterok:{':'.join(parents)}")
        return [*words, str(self._box.launcher), str(self._box.path), entry.key]

    def _told(self, entry: Entry, rank: int, answer: Answer) -> None:
        self.in_flight -= 1
        match = re.match(r"(\d+)", answer.out) if answer.code == 0 else None
        if match is not None:
            self._delay_s, self._not_before, self.refused_since = 1.0, 0.0, None
            self._listener.accepted(entry, match[1])
            if not self._known:
                self._known = True
                self._learn(match[1], rank, entry.number)
            return
        kind = how_refused(answer.trouble)
        if kind != Refusal.FOR_GOOD:
            now = time.monotonic()
            self.refused_since = self.refused_since or now
            self._not_before = now + self._delay_s
            self._delay_s = min(_PATIENCE_S, 2 * self._delay_s)
        self._listener.refused(entry, kind, answer.trouble)

    def go_on(self) -> None:
        """Try again at once: something has ended, so that there may be room."""
        self._not_before = 0.0

    def _learn(self, slurm_id: str, rank: int, number: int) -> None:
        """See from the first job how large priorities are, and fit the nice values in."""
        seen = ask_how_it_ended(slurm_id, database=False)
        if not seen.state:
            self._known = False  # it is gone already; the next one will do
            return
        base = seen.priority + seen.nice
        if seen.priority <= 1 and seen.nice > 0:
            ask(["scontrol", "update", f"jobid={slurm_id}", "nice=0"])
            base = ask_how_it_ended(slurm_id, database=False).priority
        fitted = plan_nice(self._site, self._jobs, base)
        if fitted != self._nice or seen.priority <= 1:
            self._nice = fitted
            ask(["scontrol", "update", f"jobid={slurm_id}", f"nice={fitted.of(rank, number)}"])
        if fitted.spread < 1:
            self._listener.note(
                f"Slurm's priorities here leave room for {max(base, 1):,} ranks, and there are {self._jobs:,} jobs: "
                "neighbours start in the order of submission; an operator can use -- --priority=N"
            )


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
