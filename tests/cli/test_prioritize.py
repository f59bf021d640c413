"""``prioritize`` as a user meets it: the summary, the facts, the pictures, wrong usage."""

from __future__ import annotations

import json
import os
import pty
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eligo import Certificate, generate, read, write
from eligo._cli import main
from eligo._cli.prioritize_command import STRATEGIES
from eligo._cli.progress import working
from eligo.errors import InfeasibleError
from eligo.formats._dot import parse as parse_dot
from eligo.formats._source import load
from eligo.priority import _prioritize as prioritize
from eligo.schedule import Schedule
from tests.strategies import dags

PAPER = "JOB a x.sub\nJOB b x.sub\nJOB c x.sub\nJOB d x.sub\nJOB e x.sub\nPARENT a CHILD b\nPARENT c CHILD d e\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "paper.dag").write_text(PAPER)
    (tmp_path / "x.sub").write_text("executable = x\nqueue\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def facts(capsys, *words) -> dict:
    assert main(["prioritize", "--json", *words]) == 0
    return json.loads(capsys.readouterr().out)


def test_the_example_of_the_paper(folder, capsys):
    """Malewicz et al. 2006, Fig. 3."""
    found = facts(capsys, "paper.dag")
    assert found["order"] == ["c", "a", "b", "d", "e"]
    assert found["priorities"] == {"c": 5, "a": 4, "b": 3, "d": 2, "e": 1}
    assert found["profile"] == [2, 3, 3, 2, 1, 0]
    assert (found["area"], found["bound"], found["gap"], found["claim"]) == (11, 11, 0, "ic-optimal")
    assert (found["jobs"], found["edges"], found["fifo_area"]) == (5, 3, 10)
    assert found["areas"][found["strategy"]] == 11
    assert {"blocks", "classes", "file", "format"} <= set(found)


@given(dag=dags(8, known=False), strategy=st.sampled_from(STRATEGIES))
def test_the_facts_agree_with_each_other(tmp_path_factory, dag, strategy):
    folder = tmp_path_factory.mktemp("facts")
    write(dag, folder / "x.json")
    out = folder / "facts"
    run = ["prioritize", "--json", "--strategy", strategy, str(folder / "x.json")]
    with out.open("w") as stream, pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stdout", stream)
        assert main(run) == 0
    found = json.loads(out.read_text())
    schedule = Schedule.of_names(dag, found["order"])
    assert found["profile"] == schedule.profile.tolist()
    assert found["area"] == sum(found["profile"]) <= found["bound"]
    assert found["priorities"] == {name: dag.n - place for place, name in enumerate(found["order"])}
    assert found["gap"] == pytest.approx(1 - found["area"] / found["bound"] if found["bound"] else 0)
    assert found["jobs"] == dag.n


def test_the_summary(folder, capsys):
    before = (folder / "paper.dag").stat()
    assert main(["prioritize", "paper.dag"]) == 0
    captured = capsys.readouterr()
    shown = captured.out.splitlines()
    assert shown[0] == "paper.dag: 5 jobs, 3 edges"
    row = {line.split()[0]: line for line in shown[1:6]}
    assert "10.0 % more than fifo: 1.8 jobs ready on average instead of 1.7" in row["AREA"]
    assert "0 %" in row["gap"]
    assert "proved" in row["IC-optimal"]
    assert shown[7] == "  ELIGIBLE jobs"
    assert "5 jobs executed" in shown[-2]
    assert "--in-place" in captured.err
    assert (folder / "paper.dag").stat() == before
    assert sorted(os.listdir()) == ["paper.dag", "x.sub"]


@pytest.mark.parametrize(
    ("text", "jobs"),
    [("FINAL f x.sub\n", 0), ("JOB a x.sub\n", 1), ("JOB a x.sub\nJOB b x.sub\nPARENT a CHILD b\n", 2)],
)
def test_the_smallest_workflows(folder, capsys, text, jobs):
    (folder / "small.dag").write_text(text)
    assert facts(capsys, "small.dag")["jobs"] == jobs
    assert main(["prioritize", "small.dag", "--in-place"]) == 0
    captured = capsys.readouterr()
    assert captured.out.startswith(f"small.dag: {jobs} job")
    assert ("jobs executed" in captured.out) == (jobs == 2)
    assert (folder / "small.dag").read_text().count("\nPRIORITY") == jobs


def test_strategies_are_those_there_are():
    assert STRATEGIES == prioritize.STRATEGIES


def test_strategy_seed_and_times_are_handed_on(folder, capsys, monkeypatch):
    asked = []
    real = prioritize.prioritize

    def asking(dag, strategy, **more):
        asked.append((strategy, more))
        return real(dag, strategy, **more)

    monkeypatch.setattr(prioritize, "prioritize", asking)
    (folder / "t.csv").write_text("job,time_s\na,1\n")
    facts(capsys, "paper.dag")
    facts(capsys, "paper.dag", "--strategy", "random", "--seed", "7")
    facts(capsys, "paper.dag", "--weigh-times", "--job-data", "t.csv")
    assert asked == [
        ("best", {"weigh_times": False, "seed": 0}),
        ("random", {"weigh_times": False, "seed": 7}),
        ("best", {"weigh_times": True, "seed": 0}),
    ]


def test_options_that_change_nothing_are_told_of(folder, capsys):
    main(["prioritize", "paper.dag", "--weigh-times", "--seed", "3"])
    told = capsys.readouterr().err
    assert "--weigh-times changes nothing: no job's time is known" in told
    assert "--seed changes nothing" in told


@pytest.mark.parametrize("to", ["edges.csv", "w.json", "g.dot", "w.yml"])
def test_every_format_can_be_looked_at(folder, capsys, to):
    write(read("paper.dag"), to)
    assert facts(capsys, to)["order"] == ["c", "a", "b", "d", "e"]


def test_formats_without_a_place_for_priorities(folder, capsys):
    write(read("paper.dag"), "edges.csv")
    assert main(["prioritize", "edges.csv", "--in-place"]) == 1
    assert "no place for priorities" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["-", "--in-place"], "standard input cannot be changed in place"),
        (["paper.dag", "--json", "-o", "-"], "both write to standard output"),
        (["paper.dag", "-o", "x.dag", "--in-place"], "not allowed with"),
        (["paper.dag", "-o", "x.dag", "--recursive"], "use --in-place instead of -o"),
        (["paper.dag", "--backup"], "needs --in-place or -o"),
        (["paper.dag", "--remove", "--strategy", "fifo"], "--strategy has no meaning"),
        (["paper.dag", "--remove", "--weigh-times"], "--weigh-times has no meaning"),
        (["paper.dag", "--remove", "--plot", "x.svg"], "--plot has no meaning"),
        (["paper.dag", "--strategy", "pri"], "invalid choice"),
        (["paper.dag", "--style", "none"], "invalid choice"),
        (["paper.dag", "--seed", "x"], "invalid int"),
        (["paper.dag", "--seed", "-1", "--strategy", "random"], "--seed is a number from 0 on"),
        ([], "required"),
    ],
)
def test_wrong_usage(folder, capsys, words, text):
    with pytest.raises(SystemExit) as stopped:
        main(["prioritize", *words])
    captured = capsys.readouterr()
    assert (stopped.value.code, captured.out) == (2, "")
    assert text in captured.err
    assert "\nhint: " in captured.err
    assert sorted(os.listdir()) == ["paper.dag", "x.sub"]


@pytest.mark.parametrize(
    "words", [["none.dag"], ["paper.dag", "--from", "dax"], ["x.sub"], ["paper.dag", "--plot", "x.jpg"]]
)
def test_data_that_is_wrong(folder, capsys, words):
    assert main(["prioritize", *words]) == 1
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "\nhint: " in captured.err


def test_names_cannot_steer_the_terminal(folder, capsys):
    (folder / "evil\x1b[31m.dag").write_text(PAPER)
    assert main(["prioritize", "evil\x1b[31m.dag", "-o", "o\x1b[32m.dag"]) == 0
    captured = capsys.readouterr()
    assert "\x1b" not in captured.out + captured.err


def test_what_is_not_needed_is_not_imported(folder):
    code = (
        "import sys; from eligo._cli import main; main(['prioritize', 'paper.dag', '-o', 'out.dag']);"
        "print(sorted(sys.modules), file=sys.stderr)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    loaded = set(eval(run.stderr.splitlines()[-1]))
    assert not {"matplotlib", "eligo.report", "yaml", "eligo.formats._dot", "threading", "shtab"} & loaded - {
        "threading"
    }


# Certificates


def test_the_certificate_is_verified(folder, capsys):
    assert main(["prioritize", "paper.dag", "--certificate", "proof.json", "-o", "out.dag"]) == 0
    assert "proof.json: certificate of ic-optimal" in capsys.readouterr().err
    for file in ("paper.dag", "out.dag"):
        assert main(["verify", "proof.json", file]) == 0


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_every_order_has_a_certificate(folder, capsys, strategy):
    """Of a best effort it proves the bound."""
    words = ["prioritize", "--json", "paper.dag", "--certificate", "proof.json", "--strategy", strategy]
    assert main(words) == 0
    captured = capsys.readouterr()
    found = json.loads(captured.out)
    bound = f"the bound: no order has an AREA above {found['bound']:,}"
    proved = "ic-optimal" if found["claim"] == "ic-optimal" else bound
    assert f"proof.json: certificate of {proved}\n" in captured.err
    assert not Path("proof.bound.json").exists()
    assert main(["verify", "proof.json", "paper.dag"]) == 0
    certificate = Certificate.load("proof.json")
    assert found["area"] <= certificate.area <= found["bound"]
    assert found["claim"] != "ic-optimal" or list(certificate.order) == found["order"]
    assert main(words) == 0  # over a certificate it may be written


# No order is the best at every step: at first a, or the sources of the second part, all of them.
TORN = """JOB a x.sub
JOB b x.sub
JOB c x.sub
JOB d x.sub
JOB e x.sub
JOB f x.sub
JOB g x.sub
JOB h x.sub
JOB i x.sub
PARENT a CHILD d
PARENT b c CHILD e f g h i
"""


@pytest.mark.parametrize(("name", "bound"), [("p.json", "p.bound.json"), ("p.json.gz", "p.bound.json.gz")])
def test_that_no_order_is_best_and_how_good_this_one_is(folder, capsys, name, bound):
    (folder / "torn.dag").write_text(TORN)
    words = ["prioritize", "--json", "torn.dag", "--certificate", name]
    for _ in range(2):  # over certificates they may be written
        assert main(words) == 0
        captured = capsys.readouterr()
        found = json.loads(captured.out)
        assert found["claim"] == "none-exists"
        assert f"{name}: certificate of no-ic-optimal: no order is the best at every step\n" in captured.err
        assert f"{bound}: certificate of the bound: no order has an AREA above {found['bound']}\n" in captured.err
    assert Certificate.load(bound).area == found["area"]
    for file in (name, bound):
        assert main(["verify", file, "torn.dag"]) == 0
    (folder / bound).write_text("mine\n")
    (folder / name).unlink()
    assert main([*words, "--plot", "x.svg", "--in-place"]) == 1
    assert f"{bound} exists and is no certificate" in capsys.readouterr().err
    assert ((folder / bound).read_text(), (folder / "torn.dag").read_text()) == ("mine\n", TORN)
    assert not (folder / name).exists()
    assert not (folder / "x.svg").exists()


def test_no_certificate_is_said(folder, capsys, monkeypatch):
    real = prioritize.prioritize

    def too_large():
        raise InfeasibleError("the proof that this order is IC-optimal is too large to be written")

    monkeypatch.setattr(
        prioritize, "prioritize", lambda *args, **more: replace(real(*args, **more), _certify=too_large)
    )
    assert main(["prioritize", "paper.dag", "--certificate", "proof.json", "--in-place"]) == 1
    told = capsys.readouterr().err
    assert "proof.json: not written: the proof that this order is IC-optimal is too large" in told
    assert "paper.dag: 5 jobs with a priority of ours" in told
    assert not (folder / "proof.json").exists()


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ([], "nothing was written: --in-place or -o OUT does\n"),
        (["--plot", "x.svg"], "the workflow itself was not changed: --in-place or -o OUT writes the priorities\n"),
        (["--dot", "graphs"], "the workflow itself was not changed: "),
        (["--certificate", "proof.json"], "the workflow itself was not changed: "),
    ],
)
def test_what_was_not_written(folder, capsys, words, text):
    assert main(["prioritize", "paper.dag", *words]) == 0
    last = capsys.readouterr().err.splitlines(keepends=True)[-1]
    assert last.startswith(text)


def test_the_help_has_a_word_on_every_strategy(capsys):
    with pytest.raises(SystemExit):
        main(["prioritize", "--help"])
    shown = " ".join(capsys.readouterr().out.split())
    for name in STRATEGIES:
        assert f" {name}: " in shown.replace(" (default):", ":")
    assert "which is what engines do today; like all our orders it has jobs without children last" in shown


def test_what_takes_too_much_work_is_said(folder, capsys):
    write(generate.montage(2_000), "big.dag")
    assert main(["prioritize", "big.dag", "--strategy", "exact", "--in-place"]) == 1
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "hint: " in captured.err
    assert "PRIORITY" not in Path("big.dag").read_text()


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["--certificate", "paper.dag"], "paper.dag: both FILE and --certificate"),
        (["--certificate", "x.sub"], "exists and is no certificate"),
        (["--certificate", "-"], "written to a file"),
        (["-o", "paper.dag"], "is the workflow itself\nhint: --in-place"),
        (["-o", "./sub/../paper.dag"], "is the workflow itself"),
        (["-o", "new", "--certificate", "new"], "both -o and --certificate"),
        (["-o", "new.svg", "--plot", "new.svg"], "both -o and --plot"),
    ],
)
def test_nothing_is_written_over_something_else(folder, capsys, words, text):
    (folder / "sub").mkdir()
    assert main(["prioritize", "paper.dag", *words]) == 1
    assert text in capsys.readouterr().err
    assert (folder / "paper.dag").read_text() == PAPER
    assert sorted(os.listdir()) == ["paper.dag", "sub", "x.sub"]


# Pictures


@pytest.mark.parametrize(("name", "magic"), [("gain.svg", b"<?xml"), ("gain.png", b"\x89PNG")])
def test_the_plot(folder, name, magic):
    assert main(["prioritize", "paper.dag", "--plot", name]) == 0
    assert (folder / name).read_bytes().startswith(magic)


def test_the_plot_shows_the_order_fifo_and_the_bound(folder):
    main(["prioritize", "paper.dag", "--plot", "gain.svg"])
    shown = (folder / "gain.svg").read_text()
    for text in ("fifo", "bound", "more than fifo", "ELIGIBLE jobs", "paper.dag"):
        assert text in shown


def test_plots_need_matplotlib(folder, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert main(["prioritize", "paper.dag", "--plot", "gain.svg", "--in-place"]) == 1
    assert "pip install 'eligo[figures]'" in capsys.readouterr().err
    assert (folder / "paper.dag").read_text() == PAPER


def test_graphs(folder, capsys):
    assert main(["prioritize", "paper.dag", "--dot", "new/pictures"]) == 0
    assert sorted(os.listdir("new/pictures")) == ["blocks.dot", "dag.dot", "superdag.dot"]
    dag = read("new/pictures/dag.dot")
    original = read("paper.dag")
    assert dag.names == original.names
    assert np.array_equal(dag.succ, original.succ)
    assert 'c [label="c\\n#1"' in Path("new/pictures/dag.dot").read_text()
    assert Path("new/pictures/blocks.dot").read_text().count("subgraph cluster_") == 2
    assert parse_dot(load("new/pictures/superdag.dot")).dag.n == 2
    assert main(["prioritize", "paper.dag", "--dot", "x.sub"]) == 1
    assert "x.sub: is not a directory\nhint: " in capsys.readouterr().err


# Streams


def test_standard_input_and_output(folder):
    run = subprocess.run(
        [sys.executable, "-m", "eligo", "prioritize", "-", "-o", "-"],
        input=PAPER.encode(), capture_output=True, timeout=60, check=True,
    )  # fmt: skip
    assert run.stdout.startswith(PAPER.encode())
    assert b"PRIORITY c 5" in run.stdout
    assert b"<stdin>: 5 jobs" in run.stderr
    assert "└".encode() in run.stderr or b"+--" in run.stderr


def test_devices_are_written_to(folder, capsys):
    assert main(["prioritize", "paper.dag", "-o", "/dev/null"]) == 0
    assert not os.path.isfile("/dev/null")
    if os.path.exists("/dev/full"):
        assert main(["prioritize", "paper.dag", "-o", "/dev/full"]) == 1
        assert "/dev/full: cannot be written: No space left" in capsys.readouterr().err


def test_a_reader_that_goes_away_still_learns_what_was_written(folder):
    command = f"{sys.executable} -m eligo prioritize paper.dag --in-place | true"
    run = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=60, check=False)
    assert run.stderr == "paper.dag: 5 jobs with a priority of ours\n"


@pytest.mark.parametrize("environment", [{}, {"NO_COLOR": "1"}])
def test_colour_is_for_terminals(folder, environment):
    """A real terminal, through a pseudo-terminal."""
    leader, follower = pty.openpty()
    env = {key: value for key, value in os.environ.items() if key not in ("NO_COLOR", "TERM", "COLUMNS")}
    run = subprocess.Popen(
        [sys.executable, "-m", "eligo", "prioritize", "paper.dag"],
        stdin=follower, stdout=follower, stderr=subprocess.PIPE, env=env | {"TERM": "xterm", **environment},
    )  # fmt: skip
    os.close(follower)
    shown = b""
    while True:
        try:
            part = os.read(leader, 65_536)
        except OSError:
            break
        if not part:
            break
        shown += part
    os.close(leader)
    assert run.wait(60) == 0
    run.stderr.close()
    assert b"paper.dag: 5 jobs" in shown
    assert (b"\x1b[32m" in shown) == (environment == {})


class Terminal:
    def __init__(self):
        self.shown = ""

    def write(self, text):
        self.shown += text

    def flush(self):
        pass

    def isatty(self):
        return True


def test_progress_is_shown_on_terminals_once_it_takes_long(monkeypatch, capsys):
    from threading import Event

    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    with working("quick"):
        pass
    assert terminal.shown == ""
    seen = Event()
    real = terminal.write
    monkeypatch.setattr(terminal, "write", lambda text: (real(text), seen.set()))
    with working("slow", patience_s=0.001):
        assert seen.wait(10)
    assert "slow ... 0 s" in terminal.shown
    assert terminal.shown.endswith("\r\x1b[K")


def test_a_large_workflow_has_a_small_curve(folder, capsys):
    write(generate.airsn(3_000), "big.dag")
    assert main(["prioritize", "big.dag"]) == 0
    shown = capsys.readouterr().out.splitlines()
    assert all(len(line) <= 72 for line in shown[7:])
    assert len(shown) < 25


@pytest.mark.skipif(shutil.which("dot") is None, reason="graphviz is not installed")
def test_the_example_of_the_help(folder):
    assert main(["prioritize", "paper.dag", "--dot", "pictures"]) == 0
    subprocess.run(["dot", "-Tsvg", "pictures/blocks.dot", "-o", "blocks.svg"], timeout=60, check=True)
    assert (folder / "blocks.svg").stat().st_size > 1000
