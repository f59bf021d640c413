"""``prioritize`` and the user's files: priorities in and out, nothing lost."""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eligo import read, write
from eligo.priority import _prioritize as prioritize
from tests.cli.dag_folder import PAPER, SUBMIT, priorities, run, tree
from tests.strategies import dags

# In and out again


@given(
    dag=dags(6, st.text("abcXYZ019_", min_size=1, max_size=5), known=False),
    suffix=st.sampled_from(["dag", "json", "dot", "yml"]),
)
def test_in_and_out_again(tmp_path_factory, dag, suffix):
    """The dag stays, doing it twice changes nothing, and out again is the same file to the byte."""
    file = tmp_path_factory.mktemp("round") / f"x.{suffix}"
    write(dag, file)
    before = file.read_bytes()
    if suffix == "dag" and dag.n == 0:
        return  # an empty file is no workflow
    run(file, "--in-place")
    after = file.read_bytes()
    again = read(file)
    assert again.names == dag.names
    assert np.array_equal(again.succ, dag.succ)
    assert (after != before) == (dag.n > 0)
    run(file, "--in-place")
    assert file.read_bytes() == after
    run(file, "--in-place", "--remove")
    assert file.read_bytes() == before


def test_the_priorities_are_those_of_the_order(folder):
    run("paper.dag", "-o", "out.dag")
    assert priorities("out.dag") == {"c": 5, "a": 4, "b": 3, "d": 2, "e": 1}
    assert (folder / "paper.dag").read_text() == PAPER
    assert (folder / "out.dag").read_text().startswith(PAPER)


def test_what_does_not_change_is_not_touched(folder, capsys):
    run("paper.dag", "--in-place")
    os.utime("paper.dag", ns=(1, 1))
    capsys.readouterr()
    run("paper.dag", "--in-place", "--backup")
    assert (folder / "paper.dag").stat().st_mtime_ns == 1
    assert "paper.dag: 5 jobs with a priority of ours; nothing to change" in capsys.readouterr().err
    run("paper.dag", "--in-place", "--remove")
    os.utime("paper.dag", ns=(1, 1))
    capsys.readouterr()
    run("paper.dag", "--in-place", "--remove")
    assert (folder / "paper.dag").stat().st_mtime_ns == 1
    assert "paper.dag: has no priorities of ours; nothing to change" in capsys.readouterr().err
    assert not (folder / "paper.dag.bak").exists()


def test_what_would_be_removed(folder, capsys):
    run("paper.dag", "-o", "out.dag")
    capsys.readouterr()
    for file, changes in (("out.dag", True), ("paper.dag", False)):
        before = tree(folder)
        run(file, "--remove", "--json")
        assert json.loads(capsys.readouterr().out)["changes"] is changes
        run(file, "--remove")
        captured = capsys.readouterr()
        assert captured.out == ""
        assert f"{file}: has {'' if changes else 'no '}priorities of ours\nnothing was written" in captured.err
        assert tree(folder) == before
    run("out.dag", "--remove", "-o", "-")
    assert capsys.readouterr().out == PAPER


def test_own_priorities_stay_unless_replaced(folder, capsys):
    (folder / "paper.dag").write_text(PAPER + "PRIORITY e 99\n")
    run("paper.dag", "--in-place")
    assert priorities("paper.dag") == {"c": 5, "a": 4, "b": 3, "d": 2, "e": 99}
    told = capsys.readouterr().err
    assert "warning: paper.dag:8: " in told
    assert "4 jobs with a priority of ours, 1 job with a priority of yours" in told
    run("paper.dag", "--in-place", "--replace")
    assert priorities("paper.dag")["e"] == 1
    run("paper.dag", "--in-place", "--remove")
    assert (folder / "paper.dag").read_text() == PAPER + "PRIORITY e 99\n"


def test_a_job_that_is_gone_does_not_stop_us(folder):
    """Our own lines name a job that the user has removed since; DAGMan would refuse the file."""
    run("paper.dag", "--in-place")
    text = (folder / "paper.dag").read_text()
    (folder / "paper.dag").write_text(text.replace("JOB e y.sub\n", "").replace("CHILD d e", "CHILD d"))
    run("paper.dag", "--in-place")
    assert set(priorities("paper.dag")) == set("abcd")


# Where it goes


def test_another_directory_is_warned_of(folder, capsys):
    (folder.parent / "other").mkdir()
    run("paper.dag", "-o", "../other/out.dag")
    assert "warning: ../other/out.dag: submit files" in capsys.readouterr().err
    run("paper.dag", "-o", "../other/vars.dag", "--style", "vars")
    assert "warning" not in capsys.readouterr().err  # all that it needs is there
    run("paper.dag", "-o", "deep/../out.dag")
    assert "relative to" not in capsys.readouterr().err


def test_the_format_stays(folder, capsys):
    run("paper.dag", "-o", "out.json", status=1)
    assert "the name says WfFormat (JSON), but the format stays HTCondor DAGMan" in capsys.readouterr().err
    run("paper.dag", "-o", "out.whatever")
    assert priorities("out.whatever")["c"] == 5


def test_only_a_workflow_is_written_over(folder, capsys):
    run("paper.dag", "-o", "x.sub", status=1)
    assert "x.sub: is there already, and is no HTCondor DAGMan file\nhint: " in capsys.readouterr().err
    assert (folder / "x.sub").read_text() == SUBMIT
    run("paper.dag", "-o", "x.sub", "--backup")
    assert (folder / "x.sub.bak").read_text() == SUBMIT
    for content in ("", "JOB z z.sub\n"):
        (folder / "out.dag").write_text(content)
        run("paper.dag", "-o", "out.dag")
        assert priorities("out.dag")["c"] == 5


def test_missing_directories_and_directories(folder, capsys):
    run("paper.dag", "-o", "none/out.dag", status=1)
    assert "there is no directory none" in capsys.readouterr().err
    run("paper.dag", "-o", "deep", status=1)
    assert "deep: is a directory" in capsys.readouterr().err


def test_links_stay(folder):
    (folder / "link.dag").symlink_to("paper.dag")
    run("link.dag", "--in-place", "--backup")
    assert (folder / "link.dag").is_symlink()
    assert priorities("paper.dag")["c"] == 5
    assert (folder / "link.dag.bak").read_text() == PAPER


@pytest.mark.parametrize("name", ["paper.dag.gz", "packed.dag"])
def test_packed_files_stay_packed(folder, name):
    (folder / name).write_bytes(gzip.compress(PAPER.encode()))
    run(name, "--in-place")
    assert b"PRIORITY c 5" in gzip.decompress((folder / name).read_bytes())
    run(name, "--in-place", "--remove")
    assert gzip.decompress((folder / name).read_bytes()) == PAPER.encode()


def test_read_only_files_are_refused(folder, capsys):
    (folder / "paper.dag").chmod(0o444)
    run("paper.dag", "--in-place", status=1)
    assert "paper.dag: is read-only\nhint: let it be written" in capsys.readouterr().err
    assert (folder / "paper.dag").read_text() == PAPER


def test_a_file_that_changes_meanwhile_is_refused(folder, capsys, monkeypatch):
    real = prioritize.prioritize

    def editing(*args, **more):
        (folder / "paper.dag").write_text(PAPER + "# a thought\n")
        return real(*args, **more)

    monkeypatch.setattr(prioritize, "prioritize", editing)
    run("paper.dag", "--in-place", status=1)
    assert "has changed since it was read" in capsys.readouterr().err
    assert (folder / "paper.dag").read_text() == PAPER + "# a thought\n"


def test_running_workflows_are_left_alone(folder, capsys):
    Path("paper.dag.lock").write_text(f"PID = {os.getpid()}\n")
    before = tree(folder)
    for words in (["--in-place"], ["--in-place", "--remove"], ["--in-place", "--plot", "x.svg"]):
        run("paper.dag", *words, status=1)
        assert "DAGMan is running this workflow" in capsys.readouterr().err
    assert tree(folder) == before
    run("paper.dag", "-o", "out.dag")
    Path("out.dag.lock").write_text(f"PID = {os.getpid()}\n")
    run("paper.dag", "-o", "out.dag", status=1)


def test_graphs_never_take_the_place_of_a_workflow(folder, capsys):
    (folder / "dag.dot").write_text("digraph { a -> b }")
    before = tree(folder)
    run("dag.dot", "--dot", ".", status=1)
    assert "both FILE and --dot (dag.dot)" in capsys.readouterr().err
    run("paper.dag", "--dot", ".", status=1)
    assert "dag.dot: is there already, and not written by us" in capsys.readouterr().err
    assert tree(folder) == before
    run("paper.dag", "--dot", "graphs")
    run("paper.dag", "--dot", "graphs")


def test_fifo_can_be_plotted_against_itself(folder):
    pytest.importorskip("matplotlib", reason="figures need matplotlib")
    run("paper.dag", "--strategy", "fifo", "--plot", "gain.svg")
    assert (folder / "gain.svg").stat().st_size > 1000


def test_a_submit_file_that_changed_meanwhile_is_not_overwritten(folder, capsys, monkeypatch):
    """Between reading and writing someone saves a submit file."""
    from eligo._cli import changes as changing

    def and_someone_saves(*given, **more):
        (folder / "x.sub").write_text("executable = other\nqueue\n")
        return plan(*given, **more)

    plan = changing.plan_changes
    monkeypatch.setattr(changing, "plan_changes", and_someone_saves)
    run("paper.dag", "--in-place", "--style", "vars", status=1)
    assert "x.sub: has changed since it was read" in capsys.readouterr().err
    assert (folder / "paper.dag").read_text() == PAPER
    assert (folder / "y.sub").read_text() == SUBMIT
