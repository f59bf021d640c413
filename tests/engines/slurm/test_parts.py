"""The parts of the Slurm engine that need no Slurm."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eligo.dag import Dag
from eligo.engines._plan import Categories
from eligo.engines._slurm.exchange_dir import parse_record
from eligo.engines._slurm.options import check_options
from eligo.engines._slurm.ready_jobs import MOST_PARENTS, Backlog
from eligo.engines._slurm.recovery import Fate, fate_of
from eligo.engines._slurm.site import LARGEST, Site, parse_config, plan_nice
from eligo.engines._slurm.slurm_commands import Commands, Ended, clean_environment, parse_queue
from eligo.engines._slurm.submission import Entry
from eligo.engines._slurm.submit import Refusal, how_refused
from eligo.errors import EngineError

# Options


@pytest.mark.parametrize(
    "words",
    [
        ["--dependency=afterok:1"], ["-d", "singleton"], ["--depend", "x"], ["-Hdx"], ["--array=1-3"], ["-a1-3"],
        ["--wrap", "id"], ["--parsable"], ["--nice=5"], ["--nice"], ["--comment=x"], ["-Jx"], ["--output=x"], ["-sQ"],
        ["--test-only"], ["-W"], ["--clusters=all"], ["--chdir=/x"], ["--hold"], ["--uid=0"], ["--no-kill", "-o", "x"],
    ],
)  # fmt: skip
def test_options_that_are_ours_are_refused(words):
    with pytest.raises(EngineError, match="Eligo's own"):
        check_options(words)


@pytest.mark.parametrize("words", [["x.sh"], ["-p", "short", "x.sh"], ["--time=5", "x"], ["--", "-p"], ["-"]])
def test_words_that_sbatch_would_take_for_a_script_are_refused(words):
    with pytest.raises(EngineError, match="no option"):
        check_options(words)


def test_options_that_pass():
    options = check_options(["-p", "short", "--mem", "5G", "--no-requeue", "--export=NONE", "--gres=gpu:1", "-t5"])
    assert options.words == ("-pshort", "--mem=5G", "--no-requeue", "--export=NONE", "--gres=gpu:1", "-t5")
    assert options.says_memory
    assert options.says_requeue
    assert options.says_export
    assert check_options(["--priority", "70"]).priority == 70
    with pytest.raises(EngineError):
        check_options(["--priority=low"])


# Priorities


@given(
    jobs=st.integers(1, 10**6),
    base=st.none() | st.integers(0, 4 * 10**9),
    age=st.integers(0, 10**6),
    multifactor=st.booleans(),
    data=st.data(),
)
def test_nice_values_keep_the_order_and_the_limits(jobs, base, age, multifactor, data):
    nice = plan_nice(Site(multifactor=multifactor, age_weight=age), jobs, base)
    first, second = sorted(data.draw(st.tuples(*[st.integers(0, jobs - 1)] * 2)))
    low, high = nice.of(first, 1), nice.of(second, 1)
    assert 0 <= low <= high <= LARGEST
    if multifactor and base is not None:
        assert high < max(base, 1)
    if nice.spread >= 1 and first < second:
        assert low < high


@given(st.integers(2, 500), st.randoms(use_true_random=False))
def test_on_basic_sites_the_order_of_submission_is_made_up_for(jobs, random):
    nice = plan_nice(Site(multifactor=False), jobs)
    submissions = list(range(jobs))
    random.shuffle(submissions)  # ranks in the order of submission
    base = 4_294_901_759
    priority = {rank: base - number - nice.of(rank, number) for number, rank in enumerate(submissions, 1)}
    assert sorted(priority, key=priority.__getitem__, reverse=True) == list(range(jobs))


def test_sites():
    text = "MinJobAge      = 300 sec\nPriorityMaxAge = 1-02:00:00\nMaxJobCount = 77\nPriorityType = priority/basic"
    site = parse_config(text + "\nAccountingStorageType = accounting_storage/slurmdbd")
    assert (site.forget_s, site.max_age_s, site.most_jobs, site.multifactor) == (300, 93600, 77, False)
    assert site.database
    assert parse_config("") == Site()


# What Slurm says


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Batch job submission failed: Unable to contact slurm controller (connect failure)", Refusal.AWAY),
        ("Batch job submission failed: Socket timed out on send/recv operation", Refusal.AWAY),
        ("Slurm temporarily unable to accept job, sleeping and retrying", Refusal.FULL),
        ("QOSMaxSubmitJobPerUserLimit; Batch job submission failed: Job violates accounting/QOS policy", Refusal.FULL),
        ("Batch job submission failed: Job dependency problem", Refusal.DEPENDENCY),
        ("Batch job submission failed: Requested node configuration is not available", Refusal.FOR_GOOD),
        ("Batch job submission failed: Invalid partition name specified", Refusal.FOR_GOOD),
    ],
)
def test_refusals(text, kind):
    assert how_refused(text) == kind


@pytest.mark.parametrize(
    ("how", "started", "tries", "fate"),
    [
        (Ended("RUNNING"), True, 0, Fate.OPEN),
        (Ended("NODE_FAIL"), True, 5, Fate.AGAIN),
        (Ended("PREEMPTED"), True, 5, Fate.AGAIN),
        (Ended(), True, 5, Fate.AGAIN),
        (None, False, 0, Fate.AGAIN),
        (Ended("TIMEOUT"), True, 0, Fate.COUNTS),
        (Ended("TIMEOUT"), True, 1, Fate.FAILED),
        (Ended("OUT_OF_MEMORY"), True, 1, Fate.FAILED),
        (Ended("FAILED", "", 0, 9), True, 1, Fate.FAILED),
        (Ended("CANCELLED"), True, 0, Fate.FAILED),
        (Ended("CANCELLED"), False, 0, Fate.FAILED),
        (Ended("CANCELLED", "DependencyNeverSatisfied"), False, 0, Fate.AGAIN),
        (Ended("FAILED", "NonZeroExitCode", 74), False, 0, Fate.FAILED),
        (Ended("FAILED", "NonZeroExitCode", 75), False, 0, Fate.AGAIN),
        (Ended("COMPLETED"), True, 0, Fate.OPEN),
    ],
)
def test_fates(how, started, tries, fate):
    assert fate_of(Entry(0, 1), how, started=started, tries=tries, retries=1)[0] is fate


def test_what_we_cancelled_has_not_failed():
    assert fate_of(Entry(0, 1, cancelling=True), Ended("CANCELLED"), started=True, tries=0, retries=0)[0] is Fate.AGAIN


def test_a_record_that_never_comes_is_a_failure_at_last():
    fate, text = fate_of(Entry(0, 1, missing=100), Ended("COMPLETED"), started=True, tries=0, retries=0)
    assert fate is Fate.FAILED
    assert "folder of the run" in text


@given(st.text())
def test_any_text_is_a_record_or_a_queue(text):
    parse_record(text)
    parse_queue(text, "run")


def test_half_a_line_of_a_record_does_not_count():
    assert parse_record("start 1.0 n1\nend ok succeeded 0 process 1 1.0 2.0").end is None
    assert parse_record("start 1700000000.%N n1\n").starts[0].time == 1_700_000_000


def test_handles_come_back():
    entry = Entry(3, 9, tries=1, id="77", cancelling=True, lost=2, starts=3, retried=1)
    again = Entry.of(3, entry.handle())
    assert (again.key, again.id, again.attempt, again.starts, again.cancelling) == ("3-9", "77", 5, 3, True)


def test_commands_are_not_misled_by_the_environment(monkeypatch):
    for name in ("SBATCH_ARRAY_INX", "SQUEUE_STATES", "SLURM_JOB_ID", "SLURM_MEM_PER_CPU", "SCANCEL_STATE"):
        monkeypatch.setenv(name, "1")
    monkeypatch.setenv("SLURM_CONF", "/x")
    monkeypatch.setenv("SBATCH_ACCOUNT", "me")
    left = clean_environment()
    assert {name for name in left if name.startswith(("SLURM", "SBATCH", "SQUEUE", "SCANCEL"))} == {
        "SLURM_CONF",
        "SBATCH_ACCOUNT",
    }


def test_commands_run_at_the_same_time_and_large_answers_arrive():
    commands = Commands()
    answers = []
    for code in (0, 3):
        commands.start(["sh", "-c", f"head -c 300000 /dev/zero; echo x >&2; exit {code}"], answers.append)
    while len(commands):
        commands.pump(5)
    assert sorted((answer.code, len(answer.out), answer.err) for answer in answers) == [
        (0, 300000, "x\n"),
        (3, 300000, "x\n"),
    ]
    commands.start(["sleep", "60"], answers.append)
    commands.close()
    commands.close()
    with pytest.raises(EngineError, match="No such file"):
        Commands().start(["/no/such/command"], answers.append)


# The backlog


def drain(backlog: Backlog, dag: Dag) -> list[int]:
    taken = []
    while jobs := backlog.take(1):
        backlog.settle(jobs[0])
        taken += jobs
    return taken


@st.composite
def dags(draw: st.DrawFn) -> Dag:
    n = draw(st.integers(1, 10))
    pairs = draw(st.lists(st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)).filter(lambda p: p[0] < p[1])))
    return Dag.from_edges(n, [a for a, _ in pairs], [b for _, b in pairs])


@given(dags(), st.data())
def test_parents_before_children_and_the_best_of_what_is_there(dag, data):
    rank = data.draw(st.permutations(range(dag.n)))
    backlog = Backlog(dag, np.array(rank), [False] * dag.n)
    left = set(range(dag.n))
    for job in drain(backlog, dag):
        ready = [j for j in left if not left & set(dag.parents(j).tolist())]
        assert job == min(ready, key=lambda j: rank[j])
        left.remove(job)
    assert not left


@given(dags(), st.data())
def test_whatever_happens_nothing_is_lost_and_nothing_taken_twice(dag, data):
    """A model: jobs are taken, accepted, given back, done or failed at random; at the end all that can be is done."""
    limited = data.draw(st.lists(st.booleans(), min_size=dag.n, max_size=dag.n))
    categories = Categories(np.array([0 if each else -1 for each in limited], np.int32), np.array([1], np.int32))
    backlog = Backlog(dag, np.arange(dag.n), [False] * dag.n, categories)
    out: list[int] = []
    done: set[int] = set()
    failed: set[int] = set()
    for _ in range(200):
        for job in backlog.take(3):
            assert job not in out
            assert job not in done | failed
            backlog.settle(job)
            out.append(job)
        assert sum(limited[job] for job in out) <= 1
        ready = [job for job in out if set(dag.parents(job).tolist()) <= done]
        if not ready:
            break
        job = data.draw(st.sampled_from(ready))
        out.remove(job)
        what = data.draw(st.sampled_from(["done", "done", "done", "back", "failed"]))
        if what == "done":
            backlog.succeed(job)
            done.add(job)
            continue
        if what == "failed":
            backlog.fail(job)
            failed.add(job)
        else:
            backlog.give_back(job)
        for other in sorted(out):
            if set(dag.parents(other).tolist()) - done - set(out):
                out.remove(other)
                backlog.give_back(other)
    else:
        return  # too much was given back
    blocked = set(failed)
    for job in range(dag.n):
        if set(dag.parents(job).tolist()) & blocked:
            blocked.add(job)
    assert done == set(range(dag.n)) - blocked


def test_a_job_with_very_many_parents_waits_until_few_are_left():
    n = MOST_PARENTS + 2
    dag = Dag.from_edges(n + 1, range(n), [n] * n)
    backlog = Backlog(dag, np.arange(n + 1), [False] * (n + 1))
    assert len(drain(backlog, dag)) == n
    backlog.succeed(0)
    assert backlog.take(1) == []
    backlog.succeed(1)
    assert backlog.take(1) == [n]
