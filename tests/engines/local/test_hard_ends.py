"""Jobs that cannot start, cannot write, will not end, or leave something behind, on the local engine itself."""

from __future__ import annotations

import json
import os
import resource
import signal
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import eligo
from benchmarks.engines.crashing import keepers_of
from eligo.dag import Dag
from eligo.engines._engine import Happening
from eligo.engines._local import Local
from eligo.engines._local import engine as engine_module
from eligo.engines._plan import Abort, Categories, Hook, Plan, Process, Sandbox, Task
from eligo.engines._state import JobStatus, State
from eligo.errors import EngineError, ParseError
from eligo.formats._base import Document
from eligo.formats._source import Source

PATIENCE_S = 60.0
DONE, FAILED, WAITING = JobStatus.DONE, JobStatus.FAILED, JobStatus.WAITING


class Ran:
    """A run of some tasks on the local engine; edges are pairs of numbers."""

    def __init__(self, folder, tasks, edges=(), *, slots=4, **more):
        names = [task.name for task in tasks]
        dag = Dag.from_names([(names[tail], names[head]) for tail, head in edges], jobs=names)
        document = Document(dag, "dot", Source(str(folder / "flow.dot"), b""))
        self.plan = Plan(document, dag, np.zeros(dag.n, np.int32), tasks.__getitem__, folder, **more)
        home = folder / "flow.dot.eligo"
        self.state = State.open(home) if home.exists() else State.create(made(home), dag, run_id="r")
        self.engine = Local(self.plan, self.state, slots=slots)
        self.events = []

    def until(self, wanted):
        deadline = time.monotonic() + PATIENCE_S
        while not wanted():
            assert time.monotonic() < deadline, self.events
            self.events += self.engine.watch(0.1)

    def finish(self):
        self.engine.submit()
        self.events += self.engine.watch(0.0)
        self.until(lambda: self.engine.over)
        self.close()
        return self

    def close(self):
        self.engine.close()
        self.state.close()

    def texts(self, what):
        return [event.text for event in self.events if event.what is what]


def made(folder):
    folder.mkdir(mode=0o700)
    return folder


def sh(folder, text, *words, **more):
    return Process(("/bin/sh", "-c", text, "sh", *words), str(folder), **more)


def task(name, *processes, **more):
    return Task(name, processes, path="flow.dag", line=7, **more)


def broken_programs(folder):
    (folder / "plain").write_text("#!/bin/sh\n")
    (folder / "no-shebang").write_text("touch made-by-a-shell\n")
    (folder / "no-shebang").chmod(0o755)
    (folder / "bad-shebang").write_text("#!/no/such/interpreter\n")
    (folder / "bad-shebang").chmod(0o755)
    return {
        "missing": ("/no/such/program", "No such file|not there"),
        "missing in PATH": ("no-such-program-anywhere", "No such file|not in PATH"),
        "not executable": (str(folder / "plain"), "ermission|not executable"),
        "a directory": (str(folder), "ermission|directory"),
        "no program at all": (str(folder / "no-shebang"), "xec format"),
        "no interpreter": (str(folder / "bad-shebang"), "No such file"),
    }


BROKEN = ["missing", "missing in PATH", "not executable", "a directory", "no program at all", "no interpreter"]


@pytest.mark.parametrize("case", BROKEN)
def test_a_program_that_cannot_be_started(case, tmp_path):
    """A later job's program may still be made by an earlier one; so it fails when its turn comes, and says why."""
    program, why = broken_programs(tmp_path)[case]
    jobs = [
        task("a", sh(tmp_path, "true")),
        task("b", Process((program,), str(tmp_path))),
        task("c", sh(tmp_path, ":")),
    ]
    ran = Ran(tmp_path, jobs, [(0, 1), (1, 2)]).finish()
    assert ran.state.status == [DONE, FAILED, WAITING]
    assert any(part in ran.state.reason[1] for part in why.split("|")), ran.state.reason[1]
    assert not (tmp_path / "made-by-a-shell").exists()


@pytest.mark.parametrize("case", BROKEN[:4])
def test_a_first_program_that_cannot_be_started_is_refused_with_its_line(case, tmp_path):
    program, why = broken_programs(tmp_path)[case]
    with pytest.raises(ParseError, match=why) as caught:
        Ran(tmp_path, [task("a", Process((program,), str(tmp_path)))])
    assert str(caught.value).startswith("flow.dag:7: ")


def test_outputs_that_cannot_be_written(tmp_path):
    cases = {
        "no folder": str(tmp_path / "none" / "out"),
        "a directory": str(tmp_path),
        "/dev/full": "/dev/full",
    }
    jobs = [task(name, sh(tmp_path, "echo x", stdout=path)) for name, path in cases.items()]
    jobs += [task("input", sh(tmp_path, "cat", stdin=str(tmp_path / "none")))]
    jobs += [task("fine", sh(tmp_path, "echo", stdout="/dev/null")), task("folder", sh(tmp_path / "none", "true"))]
    ran = Ran(tmp_path, jobs, [(4, 5)]).finish()
    assert ran.state.status == [FAILED] * 4 + [DONE, FAILED]
    for job, words in enumerate(["none/out: No such", "directory", "status", "none: No such", "", "none: No such"]):
        assert words in ran.state.reason[job], ran.state.reason[job]


def test_arguments_that_are_too_long(tmp_path):
    long = Process(("/bin/true", *["x" * 100_000] * 60), str(tmp_path))
    one = Process(("/bin/true", "y" * 3_000_000), str(tmp_path))
    ran = Ran(tmp_path, [task("long", long), task("one", one), task("fine", sh(tmp_path, "true"))]).finish()
    assert ran.state.status == [FAILED, FAILED, DONE]
    assert "too long" in ran.state.reason[0]
    assert "too long" in ran.state.reason[1]


def test_words_that_no_program_can_be_given(tmp_path):
    """A zero byte cannot be in an argument; half a surrogate pair is no text."""
    bad = [Process(("/bin/true", word), str(tmp_path)) for word in ("a\0b", "\ud800")]
    named = Process(("/bin/true",), str(tmp_path), {"A": "x\0y"})
    ran = Ran(tmp_path, [*(task(f"bad{i}", process) for i, process in enumerate([*bad, named])), task("noop")]).finish()
    assert ran.state.status == [FAILED, FAILED, FAILED, DONE]


def test_environment(tmp_path, monkeypatch):
    monkeypatch.setenv("INHERITED", "from here")
    monkeypatch.setenv("CHANGED", "old")
    code = "import json, os; print(json.dumps(dict(os.environ)))"
    values = {"CHANGED": "new 'x' $(y)\nz=é", "EMPTY": ""}

    def process(inherit):
        out = str(tmp_path / f"out-{inherit}")
        return Process((sys.executable, "-c", code), str(tmp_path), values, inherit=inherit, stdout=out)

    ran = Ran(tmp_path, [task("a", process(True)), task("b", process(False))]).finish()
    assert ran.state.status == [DONE, DONE]
    with_rest, without = [json.loads(Path(tmp_path, f"out-{inherit}").read_text()) for inherit in (True, False)]
    assert with_rest.items() >= {**values, "INHERITED": "from here"}.items()
    assert without.items() >= values.items()
    assert "INHERITED" not in without
    assert "PATH" not in without


def test_a_job_that_ignores_being_asked_to_end(tmp_path, monkeypatch):
    monkeypatch.setattr(engine_module, "_GRACE_S", 0.3)
    stubborn = sh(tmp_path, "trap '' TERM; touch started; while :; do sleep 0.05; done")
    ran = Ran(tmp_path, [task("a", stubborn), task("b", sh(tmp_path, "true"))], [(0, 1)])
    ran.engine.submit()
    ran.until((tmp_path / "started").exists)
    ran.engine.cancel(kill=True)
    ran.until(lambda: ran.engine.over)
    ran.close()
    assert ran.state.status == [WAITING, WAITING]
    assert ran.state.attempts == [0, 0]


def test_a_job_that_ends_well_when_asked_to_end_has_succeeded(tmp_path):
    polite = sh(tmp_path, "trap 'exit 0' TERM; touch started; while :; do sleep 0.05; done")
    ran = Ran(tmp_path, [task("a", polite)])
    ran.engine.submit()
    ran.until((tmp_path / "started").exists)
    ran.engine.cancel(kill=True)
    ran.until(lambda: ran.engine.over)
    ran.close()
    assert ran.state.status == [DONE]


def test_what_a_job_leaves_in_the_background_ends_with_it(tmp_path):
    ran = Ran(tmp_path, [task("a", sh(tmp_path, "sleep 300 & echo $! > left"))]).finish()
    assert ran.state.status == [DONE]
    left = int((tmp_path / "left").read_text())
    deadline = time.monotonic() + PATIENCE_S
    while alive(left):
        assert time.monotonic() < deadline
        time.sleep(0.01)


def alive(process):
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def test_one_of_several_processes_fails(tmp_path):
    """The others are ended, and the job takes as long as the failure, not as they would have."""
    jobs = [task("a", sh(tmp_path, "sleep 300"), sh(tmp_path, "exit 3"), sh(tmp_path, "sleep 300"))]
    ran = Ran(tmp_path, jobs).finish()
    assert ran.state.status == [FAILED]
    jobs = [task("a", sh(tmp_path, "sleep 300"), Process(("/no/such",), str(tmp_path)), before=hook(tmp_path, "true"))]
    (tmp_path / "other").mkdir()
    ran = Ran(tmp_path / "other", jobs).finish()
    assert ran.state.status == [FAILED]


def hook(folder, text, **more):
    return Hook(("/bin/sh", "-c", text), str(folder), **more)


def test_hostile_names_stay_in_the_folder(tmp_path):
    names = ["../../../escape", "a\nb", "x" * 10_000, "$(touch evil)", "-rf", ".", "a/b", "'\"\\"]
    ran = Ran(tmp_path, [task(name, sh(tmp_path, "echo out; exit 1")) for name in names]).finish()
    assert ran.state.status == [FAILED] * len(names)
    home = (tmp_path / "flow.dot.eligo").resolve()
    for job in range(len(names)):
        (log,) = ran.engine.logs(job)
        assert home in log.resolve().parents
        assert log.read_text() == "out\n"
        assert log.stat().st_mode & 0o077 == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["flow.dot.eligo"]


def test_a_script_that_asks_for_another_turn(tmp_path):
    text = "echo x >> turns; [ $(wc -l < turns) -ge 3 ] || exit 9"
    jobs = [task("a", sh(tmp_path, "true"), before=hook(tmp_path, text, defer_status=9, defer_s=0))]
    ran = Ran(tmp_path, jobs).finish()
    assert ran.state.status == [DONE]
    assert (tmp_path / "turns").read_text() == "x\n" * 3


def test_a_turn_in_flight_is_not_taken_twice(tmp_path):
    """The engine is gone while the second turn of a script runs; the next one waits for it instead of starting it."""
    text = "echo S >> turns; [ $(wc -l < turns) -ge 2 ] || exit 9; sleep 1; echo E >> turns"
    jobs = [task("a", sh(tmp_path, "true"), before=hook(tmp_path, text, defer_status=9, defer_s=0))]
    ran = Ran(tmp_path, jobs)
    ran.engine.submit()
    turns = tmp_path / "turns"
    ran.until(lambda: turns.exists() and turns.read_text() == "S\nS\n")
    ran.close()
    ran = Ran(tmp_path, jobs).finish()
    assert ran.state.status == [DONE]
    assert turns.read_text() == "S\nS\nE\n"


def test_what_a_slow_keeper_was_asked_for_is_not_asked_of_another(tmp_path):
    """Its keeper has not read the request when the engine goes away, and reads it while the next engine runs."""
    text = "echo S >> turns; [ $(wc -l < turns) -ge 2 ] || exit 9; sleep 0.5; echo E >> turns"
    jobs = [task("a", sh(tmp_path, "true"), before=hook(tmp_path, text, defer_status=9, defer_s=1))]
    ran = Ran(tmp_path, jobs)
    ran.engine.submit()
    ran.until((tmp_path / "turns").exists)
    (keeper,) = keepers_of(tmp_path / "flow.dot.eligo")
    try:
        ran.until(lambda: ran.engine._courses[0].again_at)
        os.kill(keeper, signal.SIGSTOP)
        ran.until(lambda: not ran.engine._courses[0].again_at)  # the second turn was asked for
        ran.close()
        ran = Ran(tmp_path, jobs)
        ran.engine.submit()
        for _ in range(4):
            ran.events += ran.engine.watch(0.1)
    finally:
        os.kill(keeper, signal.SIGCONT)
    ran.until(lambda: ran.engine.over)
    ran.close()
    assert ran.state.status == [DONE]
    assert (tmp_path / "turns").read_text() == "S\nS\nE\n"


def test_an_abort_ends_the_others_and_the_final_task_runs(tmp_path):
    final = task("last", sh(tmp_path, "touch final"))
    jobs = [task("bad", sh(tmp_path, "sleep 0.2; exit 4"), abort=Abort(4, 7)), task("long", sh(tmp_path, "sleep 300"))]
    ran = Ran(tmp_path, jobs, final=final)
    ran.engine.submit()
    ran.until(lambda: ran.engine.over)
    assert ran.state.get("abort_status") == 7
    assert ran.state.get("final")["status"] == "done"
    ran.close()
    assert ran.state.status == [FAILED, WAITING]
    assert (tmp_path / "final").exists()


@pytest.mark.parametrize("most", [1, 2])
def test_categories_hold(most, tmp_path):
    text = "echo S >> kind; sleep 0.05; echo E >> kind"
    jobs = [task(f"j{i}", sh(tmp_path, text if i % 2 else "true")) for i in range(10)]
    categories = Categories(np.array([0 if i % 2 else -1 for i in range(10)], np.int32), np.array([most], np.int32))
    ran = Ran(tmp_path, jobs, categories=categories).finish()
    assert ran.state.status == [DONE] * 10
    running = highest = 0
    for line in (tmp_path / "kind").read_text().split():
        running += 1 if line == "S" else -1
        highest = max(highest, running)
    assert highest <= most


def test_a_category_of_none_does_not_hang(tmp_path):
    categories = Categories(np.zeros(1, np.int32), np.zeros(1, np.int32))
    ran = Ran(tmp_path, [task("a", sh(tmp_path, "true"))], categories=categories).finish()
    assert ran.state.status == [WAITING]
    assert ran.texts(Happening.NOTE)


def test_jobs_that_need_several_slots(tmp_path):
    jobs = [task(f"j{i}", sh(tmp_path, "echo S >> log; sleep 0.05; echo E >> log"), cpus=1 + i % 3) for i in range(9)]
    ran = Ran(tmp_path, jobs, slots=2).finish()
    assert ran.state.status == [DONE] * 9
    ran.engine.collect()


def test_options_are_refused(tmp_path):
    ran = Ran(tmp_path, [task("a")])
    with pytest.raises(EngineError, match="no options"):
        Local(ran.plan, ran.state, ["-x"])
    ran.close()


def test_the_engine_leaves_no_process_behind(tmp_path):
    before = children()
    Ran(tmp_path, [task(f"j{i}", sh(tmp_path, "true")) for i in range(20)]).finish()
    assert children() == before


def children():
    found = set()
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if int(fields[1]) == os.getpid():
                found.add(int(entry.name))
    return found


@pytest.mark.parametrize("kept", [True, False], ids=["its keeper lives", "its keeper was killed"])
def test_an_adopted_job_can_be_ended(kept, tmp_path):
    job = [task("a", sh(tmp_path, "echo $$ > process; sleep 300"))]
    process = tmp_path / "process"
    ran = Ran(tmp_path, job)
    ran.engine.submit()
    ran.until(lambda: process.exists() and process.read_text().endswith("\n"))
    if not kept:
        (keeper,) = keepers_of(tmp_path / "flow.dot.eligo")
        os.kill(keeper, signal.SIGKILL)
    ran.close()
    ran = Ran(tmp_path, job)
    ran.engine.submit()
    ran.until(lambda: ran.events)
    assert [event.what for event in ran.events] == [Happening.ADOPTED]
    ran.engine.cancel(kill=True)
    ran.until(lambda: ran.engine.over)
    ran.close()
    assert ran.state.status == [WAITING]
    assert not alive(int(process.read_text()))
    assert not keepers_of(tmp_path / "flow.dot.eligo")


def held(dag, sizes):
    return dag.with_known(data=eligo.Data.per_edge(dag.tails, dag.heads, sizes))


def test_the_memory_limit_holds_though_slots_are_free(tmp_path):
    """``a -> b`` and ``c -> d`` hold 5 each, and 8 are allowed: the two pairs run one after the other."""
    text = 'echo "S $1" >> log; sleep 0.1; echo "E $1" >> log'
    jobs = [task(name, sh(tmp_path, text, name)) for name in "abcd"]
    dag = held(Dag.from_names([("a", "b"), ("c", "d")]), [5, 5])
    ran = Ran(tmp_path, jobs, [(0, 1), (2, 3)], footprint=eligo.footprint(dag, "shared"), limit=8).finish()
    assert ran.state.status == [DONE] * 4
    assert (tmp_path / "log").read_text().replace("\n", " ") == "S a E a S b E b S c E c S d E d "
    assert ran.engine.occupied == 0


def test_data_of_a_failed_job_may_be_in_the_way(tmp_path):
    """What was written for a reader that fails stays, and is counted: the rest does not start, and that is said."""
    jobs = [task("a", sh(tmp_path, "true")), task("b", sh(tmp_path, "exit 1")), task("c", sh(tmp_path, "true"))]
    dag = held(Dag.from_names([("a", "b"), ("c", "d")]), [5, 5])
    jobs.append(task("d", sh(tmp_path, "true")))
    ran = Ran(tmp_path, jobs, [(0, 1), (2, 3)], footprint=eligo.footprint(dag, "shared"), limit=8).finish()
    assert ran.state.status == [DONE, FAILED, WAITING, WAITING]
    assert any("limit" in text for text in ran.texts(Happening.NOTE))


def test_a_process_with_many_open_files(tmp_path):
    """More than select() knows of."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard < 2000:
        pytest.skip("this system does not let a process have so many")
    resource.setrlimit(resource.RLIMIT_NOFILE, (2000, hard))
    opened = []
    try:
        opened += [os.open(os.devnull, os.O_RDONLY) for _ in range(1100)]
        assert Ran(tmp_path, [task("a", sh(tmp_path, "sleep 0.1"))]).finish().state.status == [DONE]
    finally:
        for number in opened:
            os.close(number)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_jobs_that_talk_through_a_named_pipe(tmp_path):
    """To open a pipe takes until the other side does the same; the keeper must not wait for that."""
    pipe = str(tmp_path / "pipe")
    os.mkfifo(pipe)
    jobs = [
        task("reads", sh(tmp_path, "cat > got", stdin=pipe)),
        task("writes", sh(tmp_path, "echo word", stdout=pipe)),
        task("else", sh(tmp_path, "true")),
    ]
    assert Ran(tmp_path, jobs).finish().state.status == [DONE] * 3
    assert (tmp_path / "got").read_text() == "word\n"


def test_why_a_program_in_a_sandbox_cannot_be_started(tmp_path):
    """And not only that its outputs are missing."""
    process = Process(("/no/such/program",), str(tmp_path), sandbox=Sandbox(outputs=(("x", f"{tmp_path}/x"),)))
    ran = Ran(tmp_path, [task("a", sh(tmp_path, "true")), task("b", process)], [(0, 1)]).finish()
    assert ran.state.status == [DONE, FAILED]
    assert "/no/such/program: No such file" in ran.state.reason[1]


def test_a_log_that_is_a_link_is_not_written_through(tmp_path):
    ran = Ran(tmp_path, [task("a", sh(tmp_path, "echo more"))])
    shelf = ran.state.folder / "logs" / "0"
    shelf.mkdir(parents=True)
    (tmp_path / "precious").write_text("text")
    (shelf / "0-a.log").symlink_to(tmp_path / "precious")
    assert ran.finish().state.status == [FAILED]
    assert (tmp_path / "precious").read_text() == "text"


def test_what_a_job_left_behind_ends_though_its_keeper_was_killed(tmp_path):
    """Nobody saw how the job ended, so it runs again; but only when all of it is gone, which is ended."""
    text = "echo x >> runs; sleep 300 & echo $! >> left; sleep 0.3"
    ran = Ran(tmp_path, [task("a", sh(tmp_path, text))])
    ran.engine.submit()
    ran.until((tmp_path / "left").exists)
    (keeper,) = keepers_of(tmp_path / "flow.dot.eligo")
    os.kill(keeper, signal.SIGKILL)
    ran.until(lambda: ran.engine.over)
    ran.close()
    assert ran.state.status == [DONE]
    assert (tmp_path / "runs").read_text() == "x\n" * 2
    assert not any(alive(int(number)) for number in (tmp_path / "left").read_text().split())


def test_killed_between_finding_a_step_lost_and_beginning_it_anew(tmp_path, monkeypatch):
    """Its keeper's time is over by then, and nobody would ever tell of its end."""
    jobs = [task("a", sh(tmp_path, "sleep 2; echo x >> runs"))]
    ran = Ran(tmp_path, jobs)
    ran.engine.submit()
    ran.until(lambda: ran.events)
    while not (keepers := keepers_of(tmp_path / "flow.dot.eligo")):  # one look at all processes may miss it
        assert not ran.engine.over
        ran.events += ran.engine.watch(0.05)
    os.kill(keepers[0], signal.SIGKILL)
    monkeypatch.setattr(ran.engine, "_launch", lambda: None)  # the last thing that it does is to close the epoch
    ran.until(lambda: ran.texts(Happening.AGAIN))
    ran.close()
    ran = Ran(tmp_path, jobs).finish()
    assert ran.state.status == [DONE]


def test_left_while_a_script_waits_for_its_next_turn(tmp_path):
    text = "echo x >> turns; [ $(wc -l < turns) -ge 2 ] || exit 9"
    jobs = [task("a", sh(tmp_path, "true"), before=hook(tmp_path, text, defer_status=9, defer_s=1))]
    ran = Ran(tmp_path, jobs)
    ran.engine.submit()
    ran.until(lambda: 0 in ran.engine._courses and ran.engine._courses[0].again_at)
    ran.close()
    ran = Ran(tmp_path, jobs).finish()
    assert ran.state.status == [DONE]


def test_a_job_that_kills_its_keeper_does_not_run_for_ever(tmp_path):
    """Nobody can see how it ends, however often it runs; others come to their end."""
    jobs = [task("a", sh(tmp_path, "echo x >> runs; kill -9 $PPID")), task("b", sh(tmp_path, "sleep 0.2"))]
    ran = Ran(tmp_path, jobs).finish()
    assert ran.state.status == [FAILED, DONE]
    assert "nobody saw" in ran.state.reason[0]
    assert 2 <= len((tmp_path / "runs").read_text().split()) <= 25


def test_only_journals_of_keepers_are_removed(tmp_path):
    """A folder given by --state may hold files of the user."""
    ran = Ran(tmp_path, [task("a", sh(tmp_path, "true"))])
    for name in ("journal.tex", "journal.77", "journal.077", "journal.1a"):
        (ran.state.folder / name).write_text("text")
    ran.finish()
    assert sorted(path.name for path in ran.state.folder.glob("journal.*")) == [
        "journal.077",
        "journal.1a",
        "journal.tex",
    ]


def test_a_keeper_that_is_killed_while_a_job_waits_for_a_named_pipe(tmp_path):
    """The process that waits must not look like the keeper that made it."""
    os.mkfifo(tmp_path / "pipe")
    jobs = [
        task("waits", sh(tmp_path, "cat", stdin=str(tmp_path / "pipe"))),
        task("kills", sh(tmp_path, "test -e once || { touch once; sleep 0.2; kill -9 $PPID; }")),
    ]
    ran = Ran(tmp_path, jobs)
    ran.engine.submit()
    ran.until(lambda: ran.state.status[1] == DONE)
    ran.engine.cancel(kill=True)
    ran.until(lambda: ran.engine.over)
    ran.close()
    assert ran.state.status == [WAITING, DONE]
