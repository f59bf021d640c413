"""``eligo run`` with real jobs on this machine: what is printed, what is left behind, and how runs end."""

from __future__ import annotations

import os
import pty
import re
import select
import shlex
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from eligo import Dag, Data, write
from eligo._cli import main
from tests.cli.running import LONGEST_S, WAITS, diamond, events, flow, ran, run, started, wait_until

KEYS = ["event", "job", "index", "time_s", "worker", "attempt", "exit_code", "text"]


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A directory with blanks and quotes in its name, which becomes the current one."""
    place = tmp_path / "my 'home'"
    place.mkdir()
    monkeypatch.chdir(place)
    return place


def test_all_succeed(home, capsys):
    run(diamond(home), "-j", 2)
    out = capsys.readouterr().out
    assert sorted(ran(home)) == ["a", "b", "c", "d"]
    assert (ran(home)[0], ran(home)[-1]) == ("a", "d")
    assert out.startswith("flow.dag: 4 of 4 jobs succeeded, on local\n")
    assert "2 slots, busy for" in out
    assert (home / "flow.dag.eligo").stat().st_mode & 0o777 == 0o700
    again = re.search(r"eligo (prioritize .*)", out)[1]
    assert main(shlex.split(again)) == 0
    log = (home / "flow.dag.eligo/run.log").read_text()
    assert len(re.findall(r"(?m)^\d{4}-\d\d-\d\dT\S+ succeeded  [abcd]\b", log)) == 4


def test_a_failure_is_named_and_the_rest_goes_on(home, capsys):
    file = diamond(home, b="echo one; echo boom 1>&2; exit 3")
    run(file, status=1)
    out, err = capsys.readouterr()
    assert ran(home) == ["a", "c"]
    assert "flow.dag: 2 of 4 jobs succeeded" in out
    assert re.search(r"did not run\s+1", out)
    assert re.search(r"(?m)^  b: .*status 3", out)
    path = re.search(r"(?m)what it printed last, in (.*):$", out)[1]
    assert "boom" in Path(path).read_text()
    assert "      boom\n" in out
    assert "failed: b: " in err
    assert (home / "flow.dag.rescue001").exists()
    resume = re.search(r"go on with: eligo (.*)", out)[1]
    (home / "b.sh").write_text("echo b >> ran\n")
    assert main(shlex.split(resume)) == 0
    assert ran(home) == ["a", "c", "b", "d"]
    assert re.search(r"before\s+2\s+jobs had succeeded before", capsys.readouterr().out)


def test_the_log_of_a_job_that_names_it_by_its_try(home, capsys):
    (home / "flow.dag").write_text(
        "JOB a {\n executable = /bin/sh\n arguments = \"-c 'echo try $(RETRY); exit 1'\"\n output = out.$(RETRY)\n"
        " should_transfer_files = no\n}\nRETRY a 2\n"
    )
    run("flow.dag", status=1)
    assert re.search(r"(?m)what it printed last, in out.2:\n      try 2$", capsys.readouterr().out)


def test_jobs_that_were_tried_again_are_counted(home, capsys):
    file = diamond(home, b="test -e b.was || { touch b.was; exit 1; }")
    with Path(file).open("a") as stream:
        stream.write("RETRY b 2\nRETRY c 2\n")
    run(file)
    assert re.search(r"(?m)^  tried again +1 +job, since a try failed$", capsys.readouterr().out)
    run(file, "--resume", "--json")
    summary = events(capsys.readouterr().out)[-1]
    assert (summary["retried"], summary["final"], summary["exit_status"]) == (1, None, 0)


def test_jobs_that_nobody_saw_end_are_named(home, capsys):
    file = diamond(home, b=WAITS)
    with started(home, file, "-j", "1") as process:
        wait_until((home / "b.sh.pid").exists, process)
        wait_until(lambda: (home / "b.sh.pid").read_text().strip(), process)
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        for number in (process.pid, *map(int, children), int((home / "b.sh.pid").read_text())):
            os.kill(number, signal.SIGKILL)
        process.wait(LONGEST_S)
    run(file, "--resume", "--json")
    assert events(capsys.readouterr().out)[-1]["repeated"] == ["b"]
    assert main(["status", file]) == 0
    assert capsys.readouterr().out.endswith("\nran again, since nobody saw how they had ended:\n  b\n")
    run(file, "--resume")
    assert "\nran again, since nobody saw how they had ended:\n  b\n" in capsys.readouterr().out


def test_never_more_run_than_there_are_slots(home, monkeypatch):
    """Jobs that ended count as running until that is on the disk; nobody is to wonder about it."""
    from eligo._cli import run_watch

    seen = []
    write_line = run_watch.progress_line
    monkeypatch.setattr(run_watch, "progress_line", lambda *a, **k: seen.append(k["running"]) or write_line(*a, **k))
    monkeypatch.setattr("eligo._cli.run_display._LINE_EVERY_S", 0.0)
    (home / "many.csv").write_text("parent,child\n" + "".join(f"a,{job}\n" for job in range(300)))
    run("many.csv", "--command", "true", "-j", 2)
    assert seen
    assert max(seen) <= 2


def test_final_and_abort(home, capsys):
    ends = "FINAL end {\n  executable = /bin/sh\n  arguments = end.sh\n  should_transfer_files = no\n}\n"
    (home / "end.sh").write_text("echo end >> ran; echo the end is bad; exit 6\n")
    run(flow(home, {"a": "echo a >> ran"}, ends), status=1)
    out, err = capsys.readouterr()
    assert ran(home) == ["a", "end"]
    assert "1 of 1 job succeeded, on local, but FINAL failed" in out
    assert re.search(r"(?m)^  end \(FINAL\): .*status 6", out)
    assert re.search(r"(?m)^    what it printed last, in flow.dag.eligo/logs/0/1-end.log:\n      the end is bad$", out)
    assert re.search(r"(?m)^failed: end: .*status 6", err)
    assert main(["status", "flow.dag"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("flow.dag: over: FINAL failed\n")
    assert re.search(r"(?m)^  FINAL: .*status 6", out)
    (home / "end.sh").write_text("true\n")
    run("flow.dag", "--resume", "--json")
    assert events(capsys.readouterr().out)[-1]["final"] == "succeeded"
    log = (home / "flow.dag.eligo/run.log").read_text()
    assert re.search(r"(?m) started    FINAL end \(worker 0\)$", log)
    assert re.search(r"(?m) succeeded  FINAL end\b", log)
    run("flow.dag", "--resume")
    assert re.search(r"(?m)^  FINAL +succeeded +end$", capsys.readouterr().out)
    run(
        flow(home, {"a": "exit 4", "b": "true"}, "PARENT a CHILD b\nABORT-DAG-ON a 4 RETURN 17\n"),
        "--restart",
        status=17,
    )
    capsys.readouterr()
    assert main(["status", "flow.dag"]) == 0
    assert "ended early by ABORT-DAG-ON" in capsys.readouterr().out


def test_many_failures_are_counted(home, capsys):
    run(flow(home, {f"j{number}": "exit 1" for number in range(14)}), status=1)
    out, err = capsys.readouterr()
    assert "and 4 more: see flow.dag.eligo/run.log" in out
    assert (err.count("failed: "), err.count("more jobs fail")) == (10, 1)


def test_events_for_programs(home, capsys):
    run(diamond(home, c="exit 9"), "--json", status=1)
    *told, summary = events(capsys.readouterr().out)
    assert all(list(event) == KEYS for event in told)
    what = [(event["event"], event["job"]) for event in told if event["event"] != "note"]
    assert sorted(what) == sorted(
        [("started", job) for job in "abc"] + [("succeeded", "a"), ("succeeded", "b"), ("failed", "c")]
    )
    assert next(event for event in told if event["event"] == "failed")["exit_code"] == 9
    assert (summary["event"], summary["done"], summary["never"], summary["exit_status"]) == ("summary", 2, 1, 1)
    assert [(one["job"], one["exit_code"]) for one in summary["failed"]] == [("c", 9)]


@pytest.mark.parametrize("words", ["--json", ""])
@pytest.mark.parametrize("status", [0, 1])
def test_a_reader_that_goes_away_ends_nothing_and_changes_no_status(status, words, home):
    file = diamond(home, d=f"echo d >> ran; exit {status}")
    command = f"{sys.executable} -m eligo run {file} {words} | true; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=LONGEST_S, check=False)
    assert done.returncode == status
    assert len(ran(home)) == 4
    assert "Traceback" not in done.stderr
    assert "nothing more is printed there" in done.stderr


def test_a_log_of_ones_own(home):
    run(diamond(home), "--log", "my.log")
    assert "succeeded  d" in (home / "my.log").read_text()
    assert not (home / "flow.dag.eligo/run.log").exists()


def test_one_slot_follows_the_priorities(home, capsys):
    jobs = {job: f"echo {job} >> ran" for job in "abc"}
    file = flow(home, jobs, "PRIORITY b 9\nPRIORITY c 5\n")
    run(file, "-j", 1, "--keep-priorities")
    assert ran(home) == ["b", "c", "a"]
    (home / "ran").unlink()
    run(file, "-j", 1, "--restart")
    assert ran(home) == ["b", "c", "a"]
    assert "2 jobs have a priority in the file" in capsys.readouterr().err
    (home / "ran").unlink()
    run(file, "-j", 1, "--restart", "--strategy", "fifo")
    assert ran(home) == ["a", "b", "c"]


def test_without_priorities_the_best_order_is_taken(home):
    jobs = {job: f"echo {job} >> ran" for job in ["x", "hub", "p", "q"]}
    run(flow(home, jobs, "PARENT hub CHILD p q\n"), "-j", 1)
    assert ran(home)[0] == "hub"


def test_a_memory_limit(home, capsys):
    dag = Dag.from_names([("a", "b"), ("c", "d"), ("e", "f")])
    dag = dag.with_known(data=Data.per_edge(dag.tails, dag.heads, [5, 5, 5]), time_s=[0.01] * 6)
    write(dag, home / "w.json")
    words = ("w.json", "--memory", "10", "--command", "sleep {time_s}", "-j", 4)
    run(*words, "--dry-run")
    assert "10 B" in capsys.readouterr().out
    run(*words, "--json")
    assert events(capsys.readouterr().out)[-1]["done"] == 6
    run(*words, "--restart")
    assert re.search(r"(?m)^  limit +10 B memory$", capsys.readouterr().out)
    assert main(["status", "w.json", "--json"]) == 0
    assert capsys.readouterr().err == ""


def two_pairs(folder):
    """a makes 5 bytes for b, c makes 7 for d; DIES is the name of a job that fails."""
    dag = Dag.from_names([("a", "b"), ("c", "d")])
    write(dag.with_known(data=Data.per_edge(dag.tails, dag.heads, [5, 7])), folder / "w.json")
    return ("w.json", "--memory", "9", "--command", 'sh -c \'test "$0" != "$DIES"\' {name}')


def test_what_was_occupied_under_a_limit(home, capsys):
    words = two_pairs(home)
    run(*words, "--json")
    occupied = {"peak": 7, "at_least": False, "kept_files": False, "limit": 9, "resource": "memory", "unit": "bytes"}
    assert events(capsys.readouterr().out)[-1]["occupied"] == occupied
    run(*words, "--restart")
    assert re.search(
        r"(?m)^  limit +9 B memory\n  occupied +7 B   the most at one time, by known sizes, not measured$",
        capsys.readouterr().out,
    )
    run(*words, "--restart", "--resource", "disk")
    assert "not measured, as if each file was deleted after its last reader\n" in capsys.readouterr().out
    run(words[0], *words[3:], "--restart", "--json")
    assert events(capsys.readouterr().out)[-1]["occupied"] is None


def test_what_was_occupied_may_be_more_after_failures(home, capsys, monkeypatch):
    words = two_pairs(home)
    monkeypatch.setenv("DIES", "d")
    run(*words, status=1)
    assert re.search(r"(?m)^  occupied +7 B   or more at one time, since what earlier or ", capsys.readouterr().out)
    monkeypatch.delenv("DIES")
    run(*words, "--resume", "--json")
    assert events(capsys.readouterr().out)[-1]["occupied"]["at_least"]


def test_standard_input_needs_a_place_for_the_state(home):
    def given(*words):
        return subprocess.run(
            [sys.executable, "-m", "eligo", "run", "-", "--command", "true", *words],
            input="parent,child\na\x1b b,c\n", capture_output=True, text=True, timeout=LONGEST_S, check=False,
        )  # fmt: skip

    refused = given()
    assert (refused.returncode, "--state DIR" in refused.stderr) == (1, True)
    done = given("--state", "here")
    assert (done.returncode, "2 of 2 jobs" in done.stdout) == (0, True)
    assert "\x1b" not in done.stdout + done.stderr + (home / "here/run.log").read_text()


# Errors before the first job


def refused(capsys, *words) -> str:
    run(*words, status=1)
    out, err = capsys.readouterr()
    assert out == ""
    assert "internal error" not in err
    return err


def test_a_missing_program_is_said_with_its_line(home, capsys):
    (home / "flow.dag").write_text("JOB a {\n  executable = no-such-program\n  transfer_executable = false\n}\n")
    err = refused(capsys, "flow.dag")
    assert re.match(r"flow\.dag:\d+: .*no-such-program", err)
    assert "hint: " in err


def test_programs_that_an_earlier_job_may_make_are_doubted_once(home, capsys):
    text = "JOB a {\n  executable = /bin/true\n}\n"
    text += "".join(f"JOB {job} {{\n  executable = late\n  should_transfer_files = no\n}}\n" for job in "bcd")
    (home / "flow.dag").write_text(f"{text}PARENT a CHILD b c d\n")
    for words, status in (("--dry-run", 0), ("-j2", 1)):
        run("flow.dag", words, status=status)
        err = capsys.readouterr().err
        assert re.match(r"warning: flow\.dag:4: job 'b' and 2 more: the executable .*late is not there; they fail", err)
        assert err.count("late is not there; ") == 1
    assert "warning: " in (home / "flow.dag.eligo/run.log").read_text()


def test_what_jobs_run_must_be_known(home, capsys):
    (home / "x.csv").write_text("parent,child\na,b\n")
    assert "--command" in refused(capsys, "x.csv")


def test_a_state_is_not_used_unasked(home, capsys):
    file = diamond(home)
    assert "eligo run" in refused(capsys, file, "--resume") or True
    run(file)
    capsys.readouterr()
    err = refused(capsys, file)
    assert "--resume" in err
    assert "--restart" in err
    assert len(ran(home)) == 4
    run(file, "--resume")
    assert len(ran(home)) == 4
    run(file, "--restart")
    assert len(ran(home)) == 8


def test_the_state_of_another_workflow(home, capsys):
    run(diamond(home))
    flow(home, {"a": "true", "other": "true"})
    capsys.readouterr()
    assert "the state is not of flow.dag as it is now" in refused(capsys, "flow.dag", "--resume")


@pytest.mark.parametrize("harm", ["garbage", "version"])
def test_a_state_that_cannot_be_read_is_kept(harm, home, capsys):
    file = diamond(home)
    run(file)
    capsys.readouterr()
    state = home / "flow.dag.eligo/state.sqlite"
    if harm == "garbage":
        state.write_bytes(b"garbage" * 1000)
    else:
        with sqlite3.connect(state) as connection:
            connection.execute("UPDATE run SET value = '99' WHERE key = 'version'")
        connection.close()
    damaged = state.read_bytes()
    err = refused(capsys, file, "--resume")
    assert "state.sqlite" in err
    assert state.read_bytes() == damaged
    run(file, "--restart")
    assert any(path.read_bytes() == damaged for path in home.rglob("*.sqlite*"))


def test_a_log_that_cannot_be_written(home, capsys):
    file = diamond(home)
    assert "no/such/dir/x.log" in refused(capsys, file, "--log", "no/such/dir/x.log")
    assert ran(home) == []


# Signals, and others at the same time


@pytest.fixture
def waiting(home):
    """A job that waits for a file ``go``, and one behind it; the directory and the running Eligo."""
    flow(home, {"w": WAITS, "behind": "echo behind >> ran"}, "PARENT w CHILD behind\n")
    with started(home, "flow.dag") as process:
        wait_until((home / "w.sh.pid").exists, process)
        yield home, process


def result(process) -> tuple[int, str, str]:
    out, err = process.communicate(timeout=LONGEST_S)
    return process.returncode, out, err


def is_alive(home) -> bool:
    try:
        os.kill(int((home / "w.sh.pid").read_text()), 0)
    except ProcessLookupError:
        return False
    return True


def heard(home, text):
    wait_until(lambda: text in (home / "flow.dag.eligo/run.log").read_text())


def test_ctrl_c_lets_running_jobs_end(waiting, capsys):
    home, process = waiting
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does: jobs must not hear of it
    heard(home, "no new jobs are started; 1 runs on; Ctrl-C again ends it")
    assert main(["status", "flow.dag"]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("flow.dag: is stopping: no new jobs are started, 1 runs on (process ")
    assert f"; kill {process.pid} ends them, too\n" in shown
    assert "left: over at" not in shown
    (home / "go").touch()
    status, out, err = result(process)
    assert (status, ran(home)) == (130, [])
    assert "no new jobs are started; 1 runs on; Ctrl-C again ends it" in err
    assert "1 of 2 jobs succeeded" in out
    assert main(["status", "flow.dag"]) == 0
    assert "stopped before it was over" in capsys.readouterr().out
    run("flow.dag", "--resume")
    assert ran(home) == ["behind"]


def test_ctrl_c_twice_ends_running_jobs(waiting):
    home, process = waiting
    process.send_signal(signal.SIGINT)
    heard(home, "no new jobs are started")
    process.send_signal(signal.SIGINT)
    status, out, _ = result(process)
    assert status == 130
    assert not is_alive(home)
    assert "0 of 2 jobs succeeded" in out


def test_ctrl_c_three_times_leaves_at_once_and_jobs_are_adopted(home, capsys):
    flow(home, {"w": f"trap '' TERM; {WAITS}", "behind": "echo behind >> ran"}, "PARENT w CHILD behind\n")
    with started(home, "flow.dag") as process:
        wait_until((home / "w.sh.pid").exists, process)
        for text in ("no new jobs are started", "ending 1 running job"):
            process.send_signal(signal.SIGINT)
            heard(home, text)
        process.send_signal(signal.SIGINT)
        assert process.wait(LONGEST_S) == 130
        assert is_alive(home)
        assert main(["status", "flow.dag"]) == 0
        shown = capsys.readouterr().out
        assert shown.startswith("flow.dag: was left, or killed, while it was stopping; 1 job may still run\n")
        (home / "go").touch()
        assert result(process)[2].endswith("\nleft; 1 job may still run; --resume takes it over\n")
    run("flow.dag", "--resume", "--json")
    assert ran(home) == ["behind"]
    told = [(event["event"], event.get("job")) for event in events(capsys.readouterr().out)]
    assert ("started", "w") not in told
    assert ("adopted", "w") in told


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_those_who_are_told_to_go(number, waiting):
    home, process = waiting
    process.send_signal(number)
    status, out, _ = result(process)
    assert status == 128 + number
    assert not is_alive(home)
    assert "go on with: eligo run --resume flow.dag" in out


def test_the_exit_status_is_told_to_programs(home):
    flow(home, {"w": WAITS})
    with started(home, "flow.dag", "--json") as process:
        wait_until((home / "w.sh.pid").exists, process)
        process.send_signal(signal.SIGTERM)
        status, out, _ = result(process)
    assert events(out)[-1]["exit_status"] == status == 143


def test_killed_and_resumed(waiting, capsys):
    home, process = waiting
    process.send_signal(signal.SIGKILL)
    process.wait(LONGEST_S)
    assert is_alive(home)
    assert main(["status", "flow.dag"]) == 0
    assert "was killed" in capsys.readouterr().out
    (home / "go").touch()
    run("flow.dag", "--resume", "--json")
    assert ran(home) == ["behind"]
    *told, summary = events(capsys.readouterr().out)
    assert summary["done"] == 2
    assert ("started", "w") not in [(event["event"], event["job"]) for event in told]


def test_two_runs_at_once_are_refused(waiting, capsys):
    home, process = waiting
    for words in (["flow.dag"], ["flow.dag", "--resume"], ["flow.dag", "--restart"], ["flow.dag", "--state", "other"]):
        assert "goes on" in refused(capsys, *words)
    (home / "go").touch()
    assert result(process)[0] == 0


def test_a_terminal_sees_one_line(home):
    flow(home, {"w": WAITS})
    leader, follower = pty.openpty()
    with started(home, "flow.dag", stderr=follower) as process:
        os.close(follower)
        shown = ""
        while "1 running" not in shown:
            assert select.select([leader], [], [], LONGEST_S)[0]
            shown += os.read(leader, 10_000).decode()
        (home / "go").touch()
        assert process.communicate(timeout=LONGEST_S)[0].startswith("flow.dag: 1 of 1 job succeeded")
    os.close(leader)
    assert "\r\x1b[K[" in shown
    assert "\n" not in shown
