"""``limit`` as a user meets it: the summary, the facts, limits as people write them, wrong usage, refusals."""

from __future__ import annotations

import os

import numpy as np
import pytest

from eligo import Dag, read, worst_peak, write
from eligo._cli import main
from eligo._cli.limit_options import METHODS
from eligo.memory import _limit as limiting
from tests.cli.limiting import FORMATS, facts, make, run, with_files


def test_words_are_those_there_are():
    assert METHODS == limiting.METHODS


@pytest.mark.parametrize("suffix", FORMATS)
@pytest.mark.parametrize("limit", ["0%", "50%", "5kB", "1e5"])
def test_the_facts(tmp_path, capsys, suffix, limit):
    words = make(tmp_path, suffix)
    found = facts(capsys, "limit", *words, "--memory", limit)
    dag = read(words[0], job_data=words[2] if len(words) > 1 else None)
    added = [(dag.index(tail), dag.index(head)) for tail, head in found["added_edges"]]
    limited = dag.with_edges(*(np.array(ends, np.int32) for ends in zip(*added, strict=True))) if added else dag
    assert worst_peak(limited, found["model"], found["resource"]).bound <= found["limit"]
    assert found["worst_peak"] <= found["limit"]
    assert found["worst_peak_before"] == 10_040
    assert found["critical_path_before"] == 9.0 <= found["critical_path_bound"] <= found["critical_path_after"]
    assert found["method"] in (*METHODS, "none")
    assert found["limit"] == {"0%": 4_010, "50%": 7_025, "5kB": 5_000, "1e5": 100_000}[limit]
    assert found["written"] == len(added)
    assert (added == []) == (limit == "1e5")
    for run_ in found["list_scheduling"]:
        assert run_["peak_after"] <= found["worst_peak"]
        assert run_["peak_before"] <= found["worst_peak_before"]
    assert {"assumptions", "tried", "unit", "file", "format", "jobs", "edges"} <= set(found)


@pytest.mark.parametrize("method", METHODS)
def test_methods(file, capsys, method):
    if method == "ilp":
        pytest.importorskip("highspy", reason="the method ilp needs highspy")
    found = facts(capsys, "limit", file, "--memory", "7100", "--method", method)
    assert found["worst_peak"] <= 7_100
    assert method in found["tried"] or method == "auto"


def test_the_summary(file, capsys):
    before = os.stat(file)
    run("limit", file, "--memory", "5kB")
    captured = capsys.readouterr()
    shown = captured.out.splitlines()
    assert shown[0] == "x.json: 10 jobs, 12 edges"
    row = {line[2:16].strip(): line for line in shown[1:]}
    assert "5 kB" in row["limit"]
    assert "10 kB before" in row["worst peak"]
    assert " > " in row["added edges"]
    assert "9 s before" in row["critical path"]
    assert "others: " in row["method"]
    assert "as many as jobs" in shown[-1]
    assert "nothing was written: --in-place or -o OUT does" in captured.err
    assert os.stat(file) == before
    assert os.listdir() == [file]


def test_nothing_to_add(file, capsys):
    run("limit", file, "--memory", "1GB", "-o", "out.json")
    captured = capsys.readouterr()
    assert "every execution keeps the limit as it is" in captured.out
    assert captured.err.endswith("out.json: needs no dependencies to keep the limit\n")  # nothing to go on with
    with open(file, "rb") as old, open("out.json", "rb") as new:
        assert old.read() == new.read()


def test_without_times_paths_are_jobs(tmp_path, capsys):
    words = make(tmp_path, "dag")
    (tmp_path / "sizes.csv").write_text("job,output_bytes\n" + "".join(f"a{i},10\n" for i in range(4)))
    run("limit", *words, "--memory", "10")
    shown = capsys.readouterr().out
    assert "10 jobs" in shown
    assert "steps" in shown


def test_processors(file, capsys):
    found = facts(capsys, "limit", file, "--memory", "60%", "--processors", "1,3")
    assert [run_["processors"] for run_ in found["list_scheduling"]] == [1, 3]
    for wrong in ("0", "1,,2", "x", "-1", "²"):
        with pytest.raises(SystemExit):
            main(["limit", file, "--memory", "60%", f"--processors={wrong}"])


def test_the_plot(file, capsys):
    pytest.importorskip("matplotlib", reason="figures need matplotlib")
    run("limit", file, "--memory", "60%", "--plot", "memory.svg", "--processors", "2")
    told = capsys.readouterr().err
    assert "memory.svg: disk over time on 2 processors" in told
    assert "the workflow itself was not changed: --in-place or -o OUT writes the dependencies" in told
    with open("memory.svg") as stream:
        assert "<svg" in stream.read()


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ([], "a limit is needed"),
        (["--memory", "12XB"], "is not a number"),
        (["--memory", "-5"], "is negative"),
        (["--memory", "101%"], "is no share from 0% to 100%"),
        (["--memory", "x%"], "is no share from 0% to 100%"),
        (["--memory", "1/0%"], "is no share from 0% to 100%"),
        (["--memory", "2.5"], "is not a whole number of bytes"),
        (["--memory", "1GB", "--remove"], "--memory has no meaning with it"),
        (["--remove", "--model", "simple"], "--model has no meaning with it"),
        (["--memory", "1GB", "--backup"], "it needs --in-place or -o OUT"),
        (["--memory", "1GB", "--json", "-o", "-"], "both write to standard output"),
        (["--memory", "1GB", "--order", "o", "--method", "max-size"], "goes by none"),
        (["--memory", "1GB", "--time-limit", "5"], "for the method ilp only"),
        (["--memory", "1GB", "--method", "ilp", "--time-limit", "soon"], "is not a number of seconds"),
        (["--memory", "1GB", "--method", "no"], "invalid choice"),
    ],
)
def test_wrong_usage(file, capsys, words, text):
    with pytest.raises(SystemExit) as stopped:
        main(["limit", file, *words])
    assert stopped.value.code == 2
    assert text in capsys.readouterr().err


def test_limits_that_cannot_be_kept(file, capsys):
    for limit, text in (("100", "job 'b3' alone occupies 4,010 bytes, more than the limit of 100"), ("4009", "b3")):
        run("limit", file, "--memory", limit, "-o", "out.json", status=1)
        err = capsys.readouterr().err.splitlines()
        assert err[-2].startswith("x.json: ")
        assert text in err[-2]
        wanted = "hint: --memory 4010 (4.01 kB) is the smallest known to be reachable, and no smaller one is"
        assert err[-1] == wanted
    assert os.listdir() == [file]


def test_pebbles(file, capsys):
    found = facts(capsys, "limit", file, "--memory", "6", "--model", "pebble")
    assert (found["unit"], found["limit"]) == ("pebbles", 6)
    run("limit", file, "--memory", "6kB", "--model", "pebble", status=1)
    assert "is no number of pebbles" in capsys.readouterr().err
    run("limit", file, "--memory", "1", "--model", "pebble", status=1)
    assert "pebbles" in capsys.readouterr().err


def order_of(dag: Dag) -> list[str]:
    chains = [name for i in (3, 2, 1, 0) for name in (f"a{i}", f"b{i}")]
    return ["first", *chains, "last"]


def test_a_given_order(file, capsys):
    order = order_of(with_files())
    with open("order.txt", "w") as stream:
        stream.write("\n".join(order) + "\n\n")
    found = facts(capsys, "limit", file, "--memory", "4010", "--order", "order.txt", "--method", "respect-order")
    assert found["method"] == "respect-order"
    place = {name: i for i, name in enumerate(order)}
    assert all(place[tail] < place[head] for tail, head in found["added_edges"])


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (lambda names: [*names, "first"], "order.txt:11: job 'first' stands here twice"),
        (lambda names: names[:-1], "order.txt: 1 job is missing: 'last'"),
        (lambda names: names[:3], "order.txt: 7 jobs are missing, the first of them 'a0'"),
        (lambda names: ["nobody", *names], "order.txt:1: the workflow has no job 'nobody'"),
        (lambda names: [names[1], names[0], *names[2:]], "order.txt:1: job 'a3' stands before 'first'"),
    ],
)
def test_wrong_orders(file, capsys, change, text):
    with open("order.txt", "w") as stream:
        stream.write("\n".join(change(order_of(with_files()))))
    run("limit", file, "--memory", "5kB", "--order", "order.txt", status=1)
    assert text in capsys.readouterr().err


def test_an_order_above_the_limit(file, capsys):
    with open("order.txt", "w") as stream:
        stream.write("\n".join(["first", *(f"a{i}" for i in range(4)), *(f"b{i}" for i in range(4)), "last"]))
    run("limit", file, "--memory", "5kB", "--order", "order.txt", status=1)
    assert "the order given occupies" in capsys.readouterr().err


def test_formats_without_a_place(tmp_path, capsys):
    """An edge list can be looked at, but not written."""
    words = make(tmp_path, "dag")
    run("convert", words[0], tmp_path / "x.csv")
    sizes = ["--job-data", words[2]]
    assert facts(capsys, "limit", tmp_path / "x.csv", *sizes, "--memory", "5kB")["added_edges"]
    run("limit", tmp_path / "x.csv", *sizes, "--memory", "5kB", "--in-place", status=1)
    assert "has no place for added dependencies" in capsys.readouterr().err


def test_names_cannot_steer_the_terminal(tmp_path, capsys):
    dag = with_files()
    write(
        Dag.from_edges([f"{name}\x1b[31m" for name in dag.names], dag.tails, dag.heads, data=dag.data),
        tmp_path / "x.json",
    )
    run("limit", tmp_path / "x.json", "--memory", "5kB")
    captured = capsys.readouterr()
    assert "\x1b" not in captured.out + captured.err


def test_large_workflows_are_not_written_for_warnings(file, capsys, monkeypatch):
    from eligo._cli import changes
    from eligo._cli import limit_command as limit

    monkeypatch.setattr(changes, "LARGEST_TRIAL", 4)
    monkeypatch.setattr(limit, "_LARGEST_RUN", 4)
    found = facts(capsys, "limit", file, "--memory", "5kB")
    assert found["added_edges"]
    assert found["list_scheduling"] == []
    assert "written" not in found
    found = facts(capsys, "prioritize", file, "--memory", "5kB")
    assert found["edges"] == 12 + len(found["memory"]["added_edges"])


def test_workflows_without_jobs(tmp_path, capsys):
    (tmp_path / "none.dag").write_text("FINAL f x.sub\n")
    for limit in ("0", "5", "50%"):
        found = facts(capsys, "limit", tmp_path / "none.dag", "--memory", limit, "--model", "pebble")
        assert (found["worst_peak"], found["added_edges"]) == (0, [])
    run("limit", tmp_path / "none.dag", "--memory", "5", "--model", "pebble", "--in-place")
