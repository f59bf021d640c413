"""``prioritize`` without writing: what writing would say."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from eligo import read, write
from tests.cli.dag_folder import PAPER, SUBMIT, run, tree, warnings


@pytest.mark.parametrize("words", [[], ["--style", "vars"], ["--replace"], ["--style", "vars", "--replace"]])
def test_the_same_warnings_without_writing(folder, capsys, words):
    (folder / "x.sub").write_text("priority = 3\n" + SUBMIT)
    (folder / "y.sub").unlink()
    (folder / "paper.dag").write_text(PAPER + "PRIORITY e 99\nCATEGORY a few\nMAXJOBS few 2\n")
    before = tree(folder)
    told = warnings(capsys, "paper.dag", *words)
    assert tree(folder) == before
    run("paper.dag", *words, "--json")
    found = json.loads(capsys.readouterr().out)
    assert told == warnings(capsys, "paper.dag", *words, "--in-place")
    assert told or "--replace" in words
    run("paper.dag", *words, "--in-place", "--json")
    written = json.loads(capsys.readouterr().out)
    assert [found[key] for key in ("written", "kept")] == [written[key] for key in ("written", "kept")]


def test_own_priorities_are_told_of_near_the_claim(folder, capsys):
    (folder / "paper.dag").write_text(PAPER + "PRIORITY e 99\n")
    line = "  1 job keeps a priority of yours: what is said above holds with --replace only"
    for words, said in (([], True), (["-o", "out.dag"], True), (["--replace"], False)):
        run("paper.dag", *words)
        assert (line in capsys.readouterr().out.splitlines()) == said


def test_refusals_are_foretold(spliced, capsys):
    splice, hint = warnings(capsys, "spliced.dag")
    assert splice.startswith("warning: writing would be refused: spliced.dag:2: the jobs of splice")
    assert hint == "hint: write the DAG without splices: --flatten"
    assert warnings(capsys, "spliced.dag", "--flatten") == []
    Path("paper.dag.lock").write_text(f"PID = {os.getpid()}\n")
    for words in ([], ["--remove"]):
        told = warnings(capsys, "paper.dag", *words)
        assert told[0].startswith("warning: writing would be refused: paper.dag.lock: DAGMan is running")


@pytest.mark.parametrize("old", ["PRIORITY a 4", "# <<< eligo"])
def test_damaged_lines_of_ours_are_foretold(folder, capsys, old):
    run("paper.dag", "--in-place")
    text = (folder / "paper.dag").read_text()
    (folder / "paper.dag").write_text(text.replace(old, "PRIORITY a 3" if "a 4" in old else "# <<<"))
    capsys.readouterr()
    run("paper.dag")
    captured = capsys.readouterr()
    assert "paper.dag: 5 jobs" in captured.out
    assert "warning: writing would be refused: paper.dag:" in captured.err
    run("paper.dag", "--in-place", status=1)
    (folder / "paper.dag").write_text((folder / "paper.dag").read_text() + "PARENT nobody CHILD a\n")
    run("paper.dag", status=1)


def test_nothing_is_foretold_where_priorities_have_no_place(folder, capsys):
    write(read("paper.dag"), "edges.csv")
    assert warnings(capsys, "edges.csv") == []


def test_large_workflows_are_not_written_for_warnings(folder, capsys, monkeypatch):
    from eligo._cli import changes

    monkeypatch.setattr(changes, "LARGEST_TRIAL", 4)
    run("paper.dag", "--json")
    assert "written" not in json.loads(capsys.readouterr().out)
    run("paper.dag", "--json", "--in-place")
    assert json.loads(capsys.readouterr().out)["written"] == 5
