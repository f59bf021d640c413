"""What ``simulate`` refuses, before any work: values, contradictions, files that would be lost."""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

import pytest

from eligo import write
from eligo._cli import main
from eligo._cli.simulate_values import Entrant, axis, entrants, number
from tests.cli.simulating import QUICK, fork, run


@pytest.fixture
def small(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write(fork(), "fork.dag")
    return "fork.dag"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("--batch 0", "'0' is no number above 0 and at most 1e12"),
        ("--interarrival -1", "'-1' is no number above 0"),
        ("--interarrival nan", "'nan' is no number above 0"),
        ("--batch 1_6", "'1_6' is no number"),
        ("--batch 1e13", "'1e13' is no number above 0 and at most 1e12"),
        ("--batch 1,,2", "'' is no number above 0 and at most 1e12: '1,,2'"),
        ("--interarrival 1..", "'1..' is no range: write FIRST..LAST"),
        ("--interarrival 1,..5", "'..5' is no range: write FIRST..LAST, or"),
        ("--interarrival 1..y", "'y' is no number above 0 and at most 1e12: '1..y'"),
        ("--advice --batch 4", "--batch cannot be with --advice: it tries many grids"),
        ("--advice --processors 4", "--processors cannot be with --advice: it tries many grids"),
        ("--advice --arrivals a.csv", "--arrivals cannot be with --advice: it tries many grids"),
        ("--advice --sweep", "--sweep cannot be with --advice: it tries many grids"),
        ("--advice --gantt g.svg", "--gantt cannot be with --advice: it tries many grids"),
        ("--advice --runs 9", "--runs cannot be with --advice: it decides itself"),
        ("--advice --track-memory", "--track-memory cannot be with --advice: it looks at times alone"),
        ("--advice --strategies fifo", "--advice holds one strategy against another: name two"),
        ("--advice --strategies prio,lifo,fifo", "--advice holds one strategy against another: name two"),
        ("--batch 4..1", "'4..1' is no range"),
        ("--batch 1..4x1", "'1..4x1' is no range"),
        ("--batch 1,2,1", "1 stands twice in '1,2,1'"),
        ("--batch 1..10000x1.001", "is no range"),
        ("--interarrival 1..1e12x1.02", "values are too many"),
        ("--interarrival 1..1000x1.02 --batch 1..1000x1.02", "points are too many for a sweep"),
        ("--batch 0.01", "hardly one would ever have any"),
        ("--rounding geometric --batch 0.5", "geometric batches have a mean of 1 or more"),
        ("--samples 0", "'0' is no whole number from 1 to 1,000,000"),
        ("--runs x", "'x' is no whole number"),
        ("--seed -1", "'-1' is no whole number from 0"),
        ("--sd 11", "'11' is no number from 0 to 10"),
        ("--fail 1", "'1' is no number from 0 to below 1"),
        ("--fail 0.6 --lost 0.6", "fail and lost together must stay below 1"),
        ("--deadline 0", "'0' is no number above 0"),
        ("--copies 0", "'0' is no whole number from 1 to 1,000"),
        ("--processors 0", "'0' is no whole number from 1"),
        ("--max-jobs 0", "'0' is no whole number from 1"),
        ("--strategies pri", "no strategy is called 'pri': did you mean prio?"),
        ("--strategies qqqqq", "no strategy is called 'qqqqq': there are best, prio"),
        ("--strategies fifo,fifo", "two strategies are called 'fifo'"),
        ("--strategies fifo,", "no strategy is called ''"),
        ("--strategies prio=@x.txt,fifo", "'prio' is a strategy of ours"),
        ("--strategies @fifo.txt", "'fifo' is a strategy of ours: give the order in 'fifo.txt' another name"),
        ("--strategies a/b=@x.txt,fifo", "'a/b' is no name for a strategy"),
        ("--strategies +a=@x.txt,fifo", "'+a' is no name for a strategy"),
        ("--strategies mine=@,fifo", "'mine=@' names no file"),
        ("--strategies mine=prio", "no strategy is called 'mine=prio'"),
        ("--against lifo", "--against 'lifo' is not among the strategies: best, fifo"),
        ("--on nowhere", "'nowhere' is no place to work"),
        ("--on processes:0", "'processes:0' is no place to work"),
        ("--processors 4 --interarrival 1", "--interarrival cannot be with --processors"),
        ("--processors 4 --batch 1", "--batch cannot be with --processors"),
        ("--processors 4 --sweep", "--sweep cannot be with --processors"),
        ("--processors 4 --rounding up", "--rounding cannot be with --processors"),
        ("--processors 4 --arrivals a.csv", "--arrivals cannot be with --processors"),
        ("--arrivals a.csv --batch 1", "--batch cannot be with --arrivals"),
        ("--arrivals a.csv --sweep", "--sweep cannot be with --arrivals"),
        ("--repeat-every 5", "--repeat-every is about arrivals of a file: it needs --arrivals FILE"),
        ("--gantt g.svg", "--gantt is about one grid: say which, for example --interarrival 1 --batch 16"),
        ("--chrome-trace t.json --sweep", "--chrome-trace is about one grid, not about a sweep"),
        ("--gantt g.svg --batch 1,2", "--gantt is about one grid, not about a sweep"),
        ("--run 4 --batch 1", "--run says which run to show: it needs --gantt or --chrome-trace"),
        ("--model pebble", "--model is about memory: it needs --track-memory"),
        ("--plot p.svg --strategies fifo", "--plot draws ratios: it needs two strategies"),
        ("--processors 4 -o x.csv", "-o is for points by --interarrival and --batch"),
        ("--arrivals - --strategies mine=@-,fifo", "only one of --arrivals and @- can be standard input"),
    ],
)
def test_wrong_usage(small, capsys, words, message):
    with pytest.raises(SystemExit) as stopped:
        main(["simulate", small, *words.split(" ")])
    captured = capsys.readouterr()
    assert (stopped.value.code, captured.out) == (2, "")
    assert message in captured.err
    usage, _, hint = captured.err.splitlines()
    assert usage == "usage: eligo simulate FILE [options], see eligo simulate --help"
    assert hint.startswith("hint: ")
    assert sorted(path.name for path in Path().iterdir()) == ["fork.dag"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("-o out.xlsx", "out.xlsx: the name does not tell what kind of table to write"),
        ("-o -", "-: the name does not tell what kind of table to write"),
        ("-o no/such/out.csv", "no/such/out.csv: there is no directory no/such"),
        ("-o folder.csv", "folder.csv: is a directory"),
        ("-o mine.csv", "mine.csv: is there already, and is no table of a sweep"),
        ("--plot p.gif", "p.gif: not a kind of picture"),
        ("--gantt g.txt", "g.txt: not a kind of picture"),
        ("--chrome-trace t.txt", "t.txt: not a name for a Chrome trace"),
        ("--chrome-trace mine.json", "mine.json: is there already, and is no Chrome trace"),
        ("--gantt p.svg --plot p.svg", "p.svg: both --plot and --gantt"),
        ("--plot order.svg --strategies mine=@order.svg,fifo", "order.svg: both @order.svg and --plot"),
        ("--strategies mine=@nowhere.txt,fifo", "nowhere.txt: no such file"),
    ],
)
def test_files_that_cannot_be(small, capsys, words, message):
    Path("folder.csv").mkdir()
    Path("mine.csv").write_text("time,workers\n0,1\n")
    Path("mine.json").write_text("{}")
    Path("order.svg").write_text("x0\n")
    before = {path.name for path in Path().iterdir()}
    run("simulate", small, "--batch", 2, *words.split(" "), *QUICK, status=1)
    said = capsys.readouterr().err
    assert said.startswith(message)
    assert "hint: " in said
    assert {path.name for path in Path().iterdir()} == before


def test_the_workflow_is_not_written_over(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    text = "parent,child\na,b\na,c\n"
    Path("x.csv").write_text(text)
    run("simulate", "x.csv", "--batch", 2, "-o", "x.csv", *QUICK, status=1)
    assert capsys.readouterr().err.startswith("x.csv: both FILE and -o OUT")
    assert Path("x.csv").read_text() == text


def test_axes():
    assert axis(10)("0.001..1000") == tuple(10.0**power for power in range(-3, 4))
    assert axis(2)("1..65536") == tuple(2.0**power for power in range(17))
    assert axis(2)("3, 8..60 ,100") == (3.0, 8.0, 16.0, 32.0, 100.0)
    assert axis(10)("0.7..0.7") == (0.7,)
    assert axis(2)("1..3x1.5") == (1.0, 1.5, 2.25)
    assert axis(10)("5e-324..1e-320")[0] == 5e-324


def test_entrants():
    assert entrants("prio , x=@a=b.txt") == (Entrant("prio"), Entrant("x", "a=b.txt"))
    assert entrants("@old/greedy.v2.txt") == (Entrant("greedy.v2", "old/greedy.v2.txt"),)


@pytest.mark.parametrize("text", ["", "inf", "1e", "0x10", "1" * 50, "١", " 1"])
def test_no_numbers(text):
    with pytest.raises(argparse.ArgumentTypeError):
        number(0, 10)(text)


def test_help_does_not_load_numpy():
    code = (
        "import sys; from eligo._cli import main\n"
        "try: main(['simulate', '--help'])\n"
        "except SystemExit: pass\n"
        "sys.exit('numpy' in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, timeout=60)
