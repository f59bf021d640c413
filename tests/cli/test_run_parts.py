"""The parts of ``eligo run`` that need no engine: words, counts, lines, signals."""

from __future__ import annotations

import io
import json
import os
import shlex
import signal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eligo import Dag
from eligo._cli import command_parser, main
from eligo._cli.run_display import JsonLines, Log, Output, Tally, View, event_facts, event_text, progress_line
from eligo._cli.run_options import ENGINES, resuming
from eligo._cli.run_summary import last_lines
from eligo._cli.run_watch import Signals
from eligo.engines._engine import Event, Happening
from eligo.engines._state import JobStatus
from tests.strategies import dags

KEYS = ["event", "job", "index", "time_s", "worker", "attempt", "exit_code", "text"]


def counted(dag: Dag, status: list[int]) -> tuple[int, int]:
    """Eligible and hopeless jobs, counted anew."""
    hopeless: set[int] = set()
    for job in dag.order.tolist():
        parents = dag.parents(job).tolist()
        if any(parent in hopeless or status[parent] == JobStatus.FAILED for parent in parents):
            hopeless.add(job)
    waiting = [job for job in range(dag.n) if status[job] == JobStatus.WAITING]
    ready = [job for job in waiting if all(status[parent] == JobStatus.DONE for parent in dag.parents(job))]
    return len(ready), len(hopeless.intersection(waiting))


@given(dags(), st.data())
def test_counts_are_those_of_counting_anew(dag, data):
    status = [0] * dag.n
    tally = Tally(dag, status)
    for _ in range(3 * dag.n):
        able = [
            job
            for job in range(dag.n)
            if status[job] in (JobStatus.WAITING, JobStatus.RUNNING)
            and all(status[parent] == JobStatus.DONE for parent in dag.parents(job))
        ]
        if not able:
            break
        job = data.draw(st.sampled_from(able))
        new = data.draw(st.sampled_from([JobStatus.RUNNING, JobStatus.DONE, JobStatus.FAILED, JobStatus.WAITING]))
        status[job] = new
        tally.look(job, new)
        tally.look(job, new)
        assert (tally.eligible, tally.hopeless) == counted(dag, status)
        fresh = Tally(dag, status)
        assert (fresh.eligible, fresh.hopeless) == (tally.eligible, tally.hopeless)
        assert fresh.work_left == pytest.approx(tally.work_left, abs=1e-9 * Tally(dag, [0] * dag.n).work_left)
        counts = [tally.waiting, tally.running, tally.done, tally.failed]
        assert counts == [status.count(one) for one in JobStatus]


def test_known_times_count_as_work():
    tally = Tally(Dag.from_edges(3, time_s=[10.0, 30.0, float("nan")]), [0, 0, 0])
    assert tally.left_s(5.0) is None
    tally.look(0, JobStatus.DONE)
    assert tally.left_s(5.0) == 5.0 * (30 + 20) / 10


def test_the_line_tells_all():
    tally = Tally(Dag.from_edges(4, [0], [1]), [3, 0, 2, 1])
    short = "1/4 done, 1 running, 0 eligible, 1 failed, 0:02, 1 GB of 2 GB memory"
    assert progress_line(tally, 2.0, room=200, memory="1 GB of 2 GB memory") == f"[###############.....] {short}"
    assert progress_line(tally, 2.0, room=79, memory="1 GB of 2 GB memory") == f"[###..] {short}"
    assert progress_line(tally, 2.0, room=20, memory="1 GB of 2 GB memory") == short[:20]
    assert progress_line(tally, 2.0).startswith("1 of 4 jobs done, 1 running, 0 eligible, 1 failed, 0:02 elapsed")
    assert progress_line(Tally(Dag.from_edges(0), []), 0.0, room=79).startswith("[....................] 0/0 done")


def test_the_line_of_a_run_that_stops_foretells_nothing():
    tally = Tally(Dag.from_edges(4), [2, 0, 0, 1])
    tally.look(1, JobStatus.DONE)
    assert progress_line(tally, 2.0).endswith("0:02 elapsed, about 0:04 left")
    assert progress_line(tally, 2.0, stopping=True).endswith("0:02 elapsed, stopping")


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_terminal_has_one_line_and_messages_above_it():
    clock, stream = [0.0], Terminal()
    view = View(lambda room: "x" * 500 if room else "plain", stream, lambda: clock[0])
    view.refresh()
    assert not stream.getvalue()
    clock[0] = 1.0
    view.refresh()
    view.say("an \x1b[31m event")
    shown = stream.getvalue()
    assert "\n" not in shown.split("an \\x1b[31m event")[0]
    assert shown.endswith("\r\x1b[Kan \\x1b[31m event\n")
    assert shown.count("x" * 79) == 1 or len(shown.split("\r\x1b[K")[1]) < 500


def test_elsewhere_there_is_a_line_now_and_then():
    clock, stream = [0.0], io.StringIO()
    view = View(lambda room: "bar" if room else "plain", stream, lambda: clock[0])
    for second in range(100):
        clock[0] = float(second)
        view.refresh()
    view.clear()
    assert stream.getvalue() == "plain\n" * 3


def test_a_terminal_that_has_gone_is_no_error():
    class Gone(Terminal):
        def write(self, text: str) -> int:
            raise OSError(5, "Input/output error")

    View(lambda room: "", Gone()).say("x")


NASTY = "a\nb\x1b[31m\u202e" + 20 * "x"


def test_log_lines_cannot_be_forged(tmp_path):
    log = Log(tmp_path / "run.log")
    log.tell([Event(Happening.FAILED, 0, 1.5, 3, 2, 7, "said\n2000-01-01 succeeded a")], [NASTY], now_s=2.0)
    log.note("a\nb")
    log.close()
    lines = (tmp_path / "run.log").read_text().splitlines()
    assert len(lines) == 2
    assert lines[0].isprintable()
    assert lines[0].endswith("(attempt 2, worker 3, status 7)")
    assert (tmp_path / "run.log").stat().st_mode & 0o777 == 0o600


def test_a_log_grows(tmp_path):
    for _ in range(2):
        log = Log(tmp_path / "run.log")
        log.note("again")
        log.close()
        log.note("closed")
    assert (tmp_path / "run.log").read_text().count("again") == 2


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_a_full_disk_ends_the_log_not_the_run(capsys):
    log = Log(Path("/dev/full"))
    log.note("x")
    log.note("y")
    assert capsys.readouterr().err.count("the run goes on") == 1


def test_json_has_stable_keys(capsys):
    lines = JsonLines(Output())
    lines.tell([Event(Happening.STARTED, 0, 0.5, worker=1), Event(Happening.NOTE, -1, 1.0, text="x")], [NASTY])
    first, second = map(json.loads, capsys.readouterr().out.splitlines())
    assert list(first) == list(second) == KEYS
    assert first["job"] == NASTY
    assert (second["job"], second["index"], second["worker"], second["attempt"]) == (None,) * 4


def test_events_have_names_of_their_own():
    facts = {event_facts(Event(what, 0, 0.0), ["a"])["event"] for what in Happening}
    assert len(facts) == len(Happening)
    assert all(
        event_text(Event(what, 0, 0.0), ["a"]).split() == [what.name.lower(), "a"]
        for what in Happening
        if what is not Happening.AGAIN
    )


def test_signals_are_heeded_when_asked():
    calls = []
    with Signals() as signals:
        stop, terminate = (lambda: calls.append("stop")), (lambda: calls.append("terminate"))
        assert signals.heed(stop, terminate) == 0
        signal.raise_signal(signal.SIGINT)
        assert [signals.heed(stop, terminate) for _ in range(2)] == [1, 0]
        signal.raise_signal(signal.SIGINT)
        assert [signals.heed(stop, terminate) for _ in range(2)] == [2, 0]
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
        assert signals.status == 130
    assert calls == ["stop", "terminate"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_those_who_are_told_to_go_end_what_runs_at_once(number):
    with Signals() as signals:
        signal.raise_signal(number)
        assert signals.heed(lambda: None, lambda: None) == 2
        with pytest.raises(KeyboardInterrupt):  # as the message says: Ctrl-C leaves at once
            signal.raise_signal(signal.SIGINT)
        assert signals.status == 128 + number


def test_nohup_stays_in_force():
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with Signals() as signals:
            signal.raise_signal(signal.SIGHUP)
        assert signals.status is None
    finally:
        signal.signal(signal.SIGHUP, before)


def test_words_after_two_dashes_are_the_engines():
    args = command_parser("run").parse_args(["x.dag", "-j", "2", "--", "-maxidle", "9", "--", "--json"])
    assert (args.slots, args.passed_on, args.json) == (2, ["-maxidle", "9", "--", "--json"], False)
    assert command_parser("run").parse_args(["x.dag"]).passed_on == []


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ("x.dag --engine condor", "none of local"),
        ("x.dag --engine dask:", "none of local"),
        ("x.dag --engine local:4", "none of local"),
        ("x.dag -j 0", "no number of jobs"),
        ("x.dag --model pebble", "--memory SIZE"),
        ("x.dag --presume-dead", "--resume"),
        ("x.dag --resume --restart", "not allowed with"),
        ("x.dag --strategy area --keep-priorities", "not allowed with"),
        ("x.dag --engine slurm -j 3", "slurm has its own"),
        ('x.dag --command "\'"', "--command: "),
        ("x.dag --command ''", "names no program"),
        ("x.dag --log -", "--log needs the name of a file"),
    ],
)
def test_wrong_usage(words, text, capsys):
    with pytest.raises(SystemExit) as stopped:
        main(["run", *shlex.split(words)])
    assert stopped.value.code == 2
    assert text in capsys.readouterr().err


@pytest.mark.parametrize("word", [*ENGINES, "dask:tcp://127.0.0.1:1"])
def test_engines_have_names(word):
    assert command_parser("run").parse_args(["x.dag", "--engine", word]).engine == word


def test_the_command_to_go_on_can_be_pasted():
    words = ["$(x) y.dag", "--dry-run", "--memory", "2GB", "--", "-a", "--restart"]
    pasted = shlex.split(resuming(words))
    assert pasted == ["eligo", "run", "--resume", "$(x) y.dag", "--memory", "2GB", "--", "-a", "--restart"]
    assert resuming(pasted[2:]) == resuming(words)


def test_last_lines_are_few_and_harmless(tmp_path):
    (tmp_path / "log").write_bytes(b"\xff\x1b]0;title\x07" + b"y" * 10**6 + b"\n" + b"z\n" * 9)
    assert last_lines(tmp_path / "log") == ["z"] * 5
    (tmp_path / "log").write_bytes(b"y" * 10**6)
    assert len(last_lines(tmp_path / "log")[0]) == 200
    os.unlink(tmp_path / "log")
    assert last_lines(tmp_path / "log") == ["(No such file or directory)"]
