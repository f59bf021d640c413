"""``simulate`` as a user meets it: advice, comparisons on one grid, what is switched on beyond, runs to look at."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from functools import partial

import pytest

from eligo import footprint, read, worst_peak, write
from eligo._cli import main
from eligo._cli.simulate_options import ROUNDINGS
from eligo.simulation import _advise as advise
from eligo.simulation import _grid as grid
from eligo.simulation._grid import Grid
from eligo.simulation._grid_sweep import INTERARRIVALS
from eligo.simulation._simulate import simulate
from eligo.simulation._sweep_results import read_results
from tests.cli.limiting import with_files
from tests.cli.simulating import QUICK, airsn, facts, fork, run

FIVE = {"mean", "median", "sd", "low", "high"}


@pytest.fixture
def small(tmp_path, monkeypatch):
    """A workflow with a few jobs, in a directory of its own."""
    monkeypatch.chdir(tmp_path)
    write(fork(), "fork.dag")
    return "fork.dag"


@pytest.fixture
def quick_advice(monkeypatch):
    monkeypatch.setattr(advise, "advise", partial(advise.advise, work_s=1.0))


def test_words_are_those_there_are():
    assert ROUNDINGS == grid.ROUNDINGS


def test_the_facts_of_a_comparison(small, capsys):
    found = facts(capsys, "simulate", small, "--strategies", "prio,fifo", "--batch", 3, *QUICK, "--runs", 50)
    assert set(found["ratios"]) == {"prio/fifo"}
    assert set(found["strategies"]) == {"prio", "fifo"}
    for metric in ("execution_time", "stalling", "utilization"):
        for summary in (found["ratios"]["prio/fifo"][metric], *(of[metric] for of in found["strategies"].values())):
            assert set(summary) == FIVE
            assert summary["low"] <= summary["median"] <= summary["high"]
    assert (found["file"], found["jobs"], found["edges"], found["unit"]) == (small, 17, 8, "mean job time")
    assert (found["interarrival"], found["batch"]) == (1.0, 3.0)
    assert (found["samples"], found["runs"], found["seed"], found["common"]) == (40, 50, 0, False)
    assert (found["against"], found["grid"], found["memory"], found["notes"]) == ("fifo", {}, None, [])


def test_the_command_and_the_verb_agree(small, capsys):
    found = facts(capsys, "simulate", small, "--interarrival", 0.5, "--batch", 4, "--seed", 7, "--common", *QUICK)
    options = {"samples": 40, "runs": 2, "seed": 7, "common": True, "on": "here"}
    again = simulate(read(small), grid=Grid(interarrival=0.5, batch=4), **options)
    assert found["ratios"]["best/fifo"]["execution_time"] == again.ratios["best/fifo"]["execution_time"]._asdict()


def test_results_do_not_depend_on_where(small, capsys):
    words = ("simulate", small, "--batch", 2, "--samples", 40, "--runs", 3)
    assert facts(capsys, *words, "--on", "here") == facts(capsys, *words, "--on", "processes:2")


def test_the_summary(tmp_path, capsys):
    run("simulate", airsn(tmp_path), "--strategies", "prio,fifo", "--batch", 16, "--samples", 60, "--runs", 10)
    shown = capsys.readouterr().out.splitlines()
    assert shown[0].endswith("airsn.dag: 773 jobs, 1,270 edges")
    row = {line.split()[0]: line for line in reversed(shown[1:]) if line.strip()}
    assert "batches of 16 on average, every 1 mean job time on average" in row["workers"]
    assert "with a standard deviation of 10 %" in row["jobs"]
    assert "60 samples of 10 runs each, seed 0" in row["simulated"]
    assert "execution time" in row["mean"]
    assert "job times" in row["fifo"]
    assert row["fifo"].endswith("%")
    assert row["prio/fifo"].count(" to ") == 3
    told = re.fullmatch(
        r"  prio finishes in 0\.(\d+) ± (0\.00\d+) of the time of fifo \(means of 10 runs vary from (\S+) to (\S+)\)",
        shown[-1],
    )
    assert told
    assert 0.75 < float(f"0.{told[1]}") < 0.9
    assert float(told[3]) < float(f"0.{told[1]}") - 3 * float(told[2]), "samples vary more than the ratio is uncertain"


def test_no_interval_is_said(small, capsys):
    """A batch for every job: nobody ever stalls."""
    words = ("simulate", small, "--batch", 100_000, "--interarrival", 10, "--strategies", "best,fifo", *QUICK)
    run(*words)
    shown = capsys.readouterr().out
    assert "no interval" in shown
    assert "no interval where something is divided by 0" in shown
    assert facts(capsys, *words)["ratios"]["best/fifo"]["stalling"] is None


def test_one_strategy_has_no_ratios(small, capsys):
    words = ("simulate", small, "--strategies", "lifo", "--batch", 4, *QUICK)
    found = facts(capsys, *words)
    assert (found["ratios"], list(found["strategies"]), found["against"]) == ({}, ["lifo"], "lifo")
    run(*words)
    assert "ratio" not in capsys.readouterr().out


def test_against(small, capsys):
    found = facts(capsys, "simulate", small, "--strategies", "lifo,random,prio", "--against", "random", *QUICK)
    assert list(found["ratios"]) == ["lifo/random", "prio/random"]


def test_few_samples_are_noted(small, capsys):
    run("simulate", small, "--batch", 4, "--samples", 5, "--runs", 2)
    assert "note: with 5 samples there are no 2.5 %" in capsys.readouterr().out


@pytest.mark.parametrize(("samples", "few"), [(1, "1 sample is"), (9, "9 samples are")])
def test_few_samples_have_no_verdict(small, capsys, samples, few):
    words = ("simulate", small, "--samples", samples, "--runs", 2, "--on", "here")
    run(*words, "--batch", 4)
    shown = " ".join(capsys.readouterr().out.split())
    assert f"{few} too few to tell" in shown
    assert "cannot be told apart" not in shown
    assert "1 samples" not in shown
    run(*words, "--batch", "2,4", "--interarrival", "0.1,1")
    shown = " ".join(capsys.readouterr().out.split())
    assert "clearly faster" not in shown
    assert "1.00*" not in shown
    assert f"{few} too few to tell" in shown


def test_what_is_clear_by_all_runs_though_samples_overlap(small, capsys):
    """By 002's interval nothing could be told of means of so few runs."""
    words = ("simulate", small, "--strategies", "best,fifo", "--batch", 2, "--samples", 300, "--runs", 2)
    ratio = facts(capsys, *words)["ratios"]["best/fifo"]["execution_time"]
    assert ratio["low"] < 1 < ratio["high"]
    run(*words)
    shown = " ".join(capsys.readouterr().out.split())
    assert "best finishes in 0." in shown
    assert "cannot be told apart" not in shown


def test_one_grid_of_many_is_said(small, capsys):
    remark = "fork.dag: 17 jobs, 8 edges (one grid; --advice looks at many)"
    for words, said in [
        ("--stay", True),
        ("--strategies prio,fifo", True),
        ("--batch 4", False),
        ("--interarrival 1", False),
        ("--processors 2", False),
        ("--strategies prio,lifo,fifo", False),
    ]:
        run("simulate", small, *words.split(), *QUICK)
        assert (capsys.readouterr().out.splitlines()[0] == remark) == said, words


def test_orders_from_files(small, tmp_path, capsys):
    """The order of prio under another name differs in its draws only, and not at all with common ones."""
    run("prioritize", small, "--strategy", "prio", "--json")
    text = capsys.readouterr().out
    (tmp_path / "printed.json").write_text(text)
    (tmp_path / "lines.txt").write_text("# mine\n" + "\n".join(json.loads(text)["order"]) + "\n")
    found = facts(
        capsys, "simulate", small, "--strategies", "prio,a.b=@printed.json,@lines.txt,fifo", "--common", *QUICK
    )
    assert set(found["strategies"]) == {"prio", "a.b", "lines", "fifo"}
    assert found["strategies"]["prio"] == found["strategies"]["a.b"] == found["strategies"]["lines"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("x0\nx1\n", "order.txt: 15 of 17 jobs are missing"),
        ("x0\nnobody\n", "order.txt:2: the workflow has no job 'nobody'"),
        ("x0\n\nx0\n", "order.txt:3: job 'x0' is there already, in line 1"),
        ("{}", "order.txt:1: the JSON has no order"),
    ],
)
def test_orders_that_are_none(small, tmp_path, capsys, content, message):
    (tmp_path / "order.txt").write_text(content)
    run("simulate", small, "--strategies", "@order.txt,fifo", *QUICK, status=1)
    assert capsys.readouterr().err.startswith(message)


def test_arrivals_from_a_file(small, tmp_path, capsys):
    """Two workers at a time, again and again: 17 jobs of exactly 1 take 9 batches, the last at 8."""
    (tmp_path / "a.csv").write_text("time,workers\n0,2\n")
    words = ("simulate", small, "--arrivals", "a.csv", "--strategies", "prio,fifo", "--sd", 0, *QUICK)
    found = facts(capsys, *words, "--repeat-every", 1)
    assert found["strategies"]["prio"]["execution_time"]["median"] == 9.0
    assert (found["interarrival"], found["batch"]) == (None, None)
    run(*words)
    shown = capsys.readouterr().out
    assert "1 batch from a file, then nobody" in shown
    assert "never ends" in shown
    assert "80 of 80 runs of prio never ended" in shown.replace("\n  ", " ")
    (tmp_path / "a.csv").write_text("time,workers\n0,2\nx,2\n")
    run(*words, status=1)
    assert capsys.readouterr().err.startswith("a.csv:3: time must be a number")


def test_processors(small, capsys):
    """17 jobs of exactly 1 on 4 processors take 5 steps; nothing is random."""
    words = ("simulate", small, "--processors", 4, "--sd", 0, *QUICK)
    found = facts(capsys, *words)
    assert found["strategies"]["best"]["execution_time"] == {
        "mean": 5.0, "median": 5.0, "sd": 0.0, "low": 5.0, "high": 5.0
    }  # fmt: skip
    assert "idle_time" in found["strategies"]["fifo"]
    run(*words)
    shown = capsys.readouterr().out
    assert "4, from the beginning to the end; they stay and ask again" in shown
    assert "idle time" in shown


@pytest.mark.parametrize(
    ("words", "said", "known"),
    [
        ("--rounding up", "rounded up", {"rounding": "up"}),
        ("--stay --spread 0.3", "stay and ask again, with speeds that differ", {"stay": True, "spread": 0.3}),
        ("--fail 0.1", "10.0 % of allocations fail", {"fail": 0.1}),
        ("--lost 0.1 --deadline 3", "written off after 3 times", {"lost": 0.1, "deadline": 3.0}),
        ("--copies 2", "each job given to 2 workers", {"copies": 2}),
        ("--sd 0", "take 1 each\n", {"sd": 0.0}),
        ("--sd 0.3", "take 1 each, on average, with a standard deviation of 30 %\n", {"sd": 0.3}),
        ("--sd 1", "take 1.29 each, on average: normal with mean 1 and a standard deviation of 100 %", {"sd": 1.0}),
    ],
)
def test_what_is_switched_on_is_said(small, capsys, words, said, known):
    run("simulate", small, *words.split(), *QUICK)
    assert said in capsys.readouterr().out
    assert facts(capsys, "simulate", small, *words.split(), *QUICK)["grid"] == known


def test_throttles(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    jobs = "".join(f"JOB {name} {name}.sub\n" for name in "abc")
    (tmp_path / "x.dag").write_text(f"{jobs}CATEGORY a big\nCATEGORY b big\nMAXJOBS big 1\n")
    words = ("simulate", "x.dag", "--processors", 3, "--sd", 0, *QUICK)

    def time(*more: object) -> float:
        return facts(capsys, *words, *more)["strategies"]["fifo"]["execution_time"]["median"]

    assert (time(), time("--categories"), time("--max-jobs", 1), time("--max-idle", 1)) == (1.0, 2.0, 3.0, 1.0)
    run(*words, "--categories", "--max-jobs", 2)
    assert "at most 2 in the queue or running, 1 category with a limit" in capsys.readouterr().out


def test_categories_need_a_dagman_file(small, tmp_path, capsys):
    run("simulate", small, "--categories", *QUICK, status=1)
    assert "no category has a limit" in capsys.readouterr().err


def test_own_times(file, capsys):
    """Mean time 1.4: so much between batches by default; on one processor all jobs take 14 s."""
    found = facts(capsys, "simulate", file, "--own-times", "--batch", 2, *QUICK)
    assert (found["unit"], found["interarrival"]) == ("s", pytest.approx(1.5))
    found = facts(capsys, "simulate", file, "--own-times", "--processors", 1, "--sd", 0, *QUICK)
    assert found["strategies"]["best"]["execution_time"]["median"] == pytest.approx(15.0)
    run("simulate", file, "--own-times", "--processors", 1, *QUICK)
    assert " s " in capsys.readouterr().out


def test_own_times_that_nobody_knows(small, capsys):
    run("simulate", small, "--own-times", *QUICK, status=1)
    said = capsys.readouterr().err
    assert said.startswith("fork.dag: no job's time is known\nhint: ")
    assert "--job-data" in said


def test_a_limited_workflow_keeps_its_limit(file, capsys):
    """Without the limit runs exceed it; with the dependencies that it adds none does."""
    most = 6_000
    words = ("--processors", 8, "--track-memory", "--own-times", *QUICK)
    before = facts(capsys, "simulate", file, *words)["memory"]
    run("limit", file, "--memory", most, "-o", "limited.json")
    after = facts(capsys, "simulate", "limited.json", *words)["memory"]
    assert before["worst_peak"] == footprint_worst(file) >= before["largest_peak"] > most
    assert after["largest_peak"] <= after["worst_peak"] <= most
    run("simulate", "limited.json", *words)
    shown = capsys.readouterr().out
    assert "largest peak of disk in all runs: " in shown
    assert "; no execution can exceed " in shown
    assert "model files: a file counts once" in shown
    assert "mean peak" in shown


def footprint_worst(file: str) -> int:
    return worst_peak(footprint(read(file))).bound


def test_memory_with_copies_is_not_bounded(file, capsys):
    run("simulate", file, "--track-memory", "--model", "pebble", "--copies", 2, *QUICK)
    shown = capsys.readouterr().out.replace("\n  ", " ")
    assert "note: that bound does not count twice the scratch space of a job that two workers run at once" in shown


def test_memory_needs_sizes(small, capsys):
    run("simulate", small, "--track-memory", *QUICK, status=1)
    assert capsys.readouterr().err.startswith("fork.dag: ")


def test_runs_to_look_at(file, tmp_path, capsys):
    words = ("simulate", file, "--strategies", "prio,fifo", "--processors", 3, "--track-memory", *QUICK)
    run(*words, "--gantt", "g.svg", "--chrome-trace", "t.json", "--run", 5)
    said = capsys.readouterr().err
    assert "g.svg: run 5 of prio" in said
    picture = (tmp_path / "g.svg").read_text()
    assert "x.json: prio, run 5" in picture
    assert "disk" in picture
    trace = json.loads((tmp_path / "t.json").read_text())
    events = [event for event in trace["traceEvents"] if event["ph"] == "X"]
    assert sorted(event["name"] for event in events) == sorted(with_files().names)
    assert any(event["name"] == "memory" for event in trace["traceEvents"] if event["ph"] == "C")
    run(*words, "--chrome-trace", "t.json", "--run", 6)
    assert json.loads((tmp_path / "t.json").read_text()) != trace


def test_runs_that_never_end_can_be_looked_at(small, tmp_path):
    run("simulate", small, "--processors", 1, "--lost", 0.5, "--chrome-trace", "t.json", "--gantt", "g.png", *QUICK)
    assert json.loads((tmp_path / "t.json").read_text())["traceEvents"]


def test_one_point_as_a_table_and_a_plot(small, tmp_path, capsys):
    found = facts(capsys, "simulate", small, "--batch", 4, "-o", "one.csv", "--plot", "one.svg", *QUICK)
    results = read_results("one.csv")
    (point,) = results.points
    assert (point.interarrival, point.batch, results.about.workflow) == (1.0, 4.0, "fork.dag")
    assert point.ratios["best/fifo"]["execution_time"]._asdict() == found["ratios"]["best/fifo"]["execution_time"]
    assert "</svg>" in (tmp_path / "one.svg").read_text()
    run("simulate", small, "--batch", 4, "-o", "one.csv", *QUICK)  # over a table of ours


@pytest.mark.parametrize("batch", ["4", "2,4"])
def test_no_name_of_a_file_is_a_formula_in_a_table(small, tmp_path, batch):
    (tmp_path / "=1+1.dag").write_text((tmp_path / small).read_text())
    run("simulate", "=1+1.dag", "--batch", batch, "-o", "t.csv", *QUICK)
    assert read_results("t.csv").about.workflow == "./=1+1.dag"


@pytest.mark.usefixtures("quick_advice")
def test_advice(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    airsn(tmp_path)
    run("simulate", "airsn.dag", "--on", "here", "-o", "tried.csv", "--plot", "tried.svg")
    shown = capsys.readouterr()
    paragraph, tried, again = shown.out.split("\n\n")
    assert paragraph.startswith("Prioritising (best against fifo) pays on this workflow of 773 jobs")
    assert max(map(len, paragraph.splitlines())) <= 100
    assert "*" in tried
    assert "batch \\ interarrival" in tried
    found = facts(capsys, "simulate", "airsn.dag", "--on", "here")
    assert found["verdict"] == "pays"
    assert "; . not tried" in tried
    assert again.strip() == f"largest gain again: {found['again']}"
    assert " ".join(paragraph.split()) == found["advice"]
    assert 0.7 < found["best"]["ratios"]["best/fifo"]["execution_time"]["median"] < 0.9
    assert len(read_results("tried.csv").points) == len(found["looks"])
    assert "tried.svg: ratios of execution time" in shown.err
    assert "stalling" not in (tmp_path / "tried.svg").read_text()


@pytest.mark.usefixtures("quick_advice")
def test_advice_where_there_is_nothing_to_try(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "chain.csv").write_text("parent,child\na,b\nb,c\n")
    run("simulate", "chain.csv")
    assert capsys.readouterr().out.startswith("The 3 jobs form a chain")
    run("simulate", "chain.csv", "--plot", "x.svg", status=1)
    assert "x.svg: not written, since no grid was tried" in capsys.readouterr().err


@pytest.mark.usefixtures("quick_advice")
def test_advice_in_seconds(file, tmp_path, capsys):
    found = facts(capsys, "simulate", file, "--own-times", "--on", "here", "-o", tmp_path / "tried.csv")
    assert read_results(tmp_path / "tried.csv").about.grid == '{"own_times": true}'
    assert found["unit"] == "s"
    assert {look["interarrival"] for look in found["looks"]} <= {1.5 * value for value in INTERARRIVALS}
    run("simulate", file, "--own-times", "--on", "here")
    assert re.search(r"batch \\ interarrival  .* 1.5 s  ", capsys.readouterr().out)
    run("simulate", file, "--on", "here")
    assert "the workflow states times of jobs: --own-times takes these" in capsys.readouterr().out


@pytest.mark.usefixtures("quick_advice")
def test_the_command_after_advice_gives_the_same_numbers(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    airsn(tmp_path, 20).rename("my airsn.dag")
    (tmp_path / "order.txt").write_text("\n".join(read("my airsn.dag").names))
    words = ["my airsn.dag", "--advice", "--strategies", "prio,mine=@order.txt", "--stay", "--fail", "0.125"]
    found = facts(capsys, "simulate", *words, "--seed", 3, "--on", "here")
    assert (found["strategy"], found["against"]) == ("prio", "mine")
    assert found["grid"] == {"stay": True, "fail": 0.125}
    program, command, *again = shlex.split(found["again"])
    assert (program, command, again[0]) == ("eligo", "simulate", "my airsn.dag")
    repeated = facts(capsys, "simulate", *again, "--on", "here")
    assert repeated["ratios"] == found["best"]["ratios"]
    assert repeated["grid"] == found["grid"]


@pytest.mark.usefixtures("quick_advice")
def test_advice_on_other_grids_and_strategies(small, capsys):
    found = facts(capsys, "simulate", small, "--advice", "--strategies", "fifo,prio", "--copies", 2, "--on", "here")
    assert (found["strategy"], found["against"], found["grid"]) == ("prio", "fifo", {"copies": 2})
    found = facts(capsys, "simulate", small, "--advice", "--against", "best", "--on", "here")
    assert (found["strategy"], found["against"]) == ("fifo", "best")
    assert found["verdict"] == "hurts"
    assert "--against best" in found["again"]


def test_work_that_takes_long_is_announced(small, capsys, monkeypatch):
    from eligo._cli import simulate_command as command

    monkeypatch.setattr(command, "_LONG_S", 0.0)
    run("simulate", small, "--batch", 4, *QUICK)
    said = capsys.readouterr().err
    assert "warning: this will take about 0:00 on 1 core: lower --samples or --runs" in said
    run("simulate", small, "--batch", "2,4", *QUICK)
    assert "; -o OUT.csv keeps finished points" in capsys.readouterr().err
    assert command._cores("processes:1") == 1
    assert command._cores("dask:tcp://127.0.0.1:1") == 0


def test_names_cannot_steer_the_terminal(tmp_path, capsys):
    (tmp_path / "a\x1b[31m.csv").write_text("parent,child\na,b\na,c\n")
    run("simulate", tmp_path / "a\x1b[31m.csv", "--batch", 2, *QUICK)
    assert "\x1b" not in "".join(capsys.readouterr())


def test_standard_input(small):
    command = [sys.executable, "-m", "eligo", "simulate", "-", "--from", "dagman", "--batch", "4", "--json"]
    command += [str(word) for word in QUICK]
    with open(small) as stream:
        found = subprocess.run(command, stdin=stream, capture_output=True, text=True, timeout=60, check=True)
    assert json.loads(found.stdout)["file"] == "<stdin>"


def test_no_jobs(tmp_path, capsys):
    (tmp_path / "x.dag").write_text("# nothing\n")
    assert main(["simulate", str(tmp_path / "x.dag"), "--batch", "2"]) == 1
    assert "no jobs: nothing to simulate" in capsys.readouterr().err
