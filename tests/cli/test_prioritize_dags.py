"""``prioritize`` and DAGs of several files: SUBDAGs, splices, includes."""

from __future__ import annotations

import json
import os
from pathlib import Path

from eligo import read, write
from eligo._cli import main
from tests.cli.dag_folder import INSIDE, PAPER, SUBMIT, priorities, run, tree, warnings

# Several DAGs


def test_sub_dags_are_followed(nested, capsys):
    run("outer.dag", "--recursive", "--in-place")
    captured = capsys.readouterr()
    assert [line for line in captured.out.splitlines() if "edges" in line or "edge" in line] == [
        "outer.dag: 3 jobs, 2 edges",
        "inner.dag: 6 jobs, 3 edges",
        "deep/innermost.dag: 2 jobs, 0 edges",
    ]
    assert "outer.dag:2: the DAG file of a SUBDAG is not there (yet), such as 'later.dag'" in captured.err
    assert priorities("inner.dag")["c"] > priorities("inner.dag")["a"]
    assert set(priorities("deep/innermost.dag").values()) == {1, 2}
    run("outer.dag", "--recursive", "--in-place", "--remove")
    assert b"PRIORITY" not in b"".join(tree(nested).values())


def test_what_is_not_about_sub_dags_is_said(nested, capsys):
    told = warnings(capsys, "outer.dag", "--recursive", "--dot", "graphs", "--certificate", "proof.json")
    assert sum("adds the priority of a SUBDAG node" in text for text in told) == 1
    assert told[-1] == "warning: --certificate, --dot: about the outer DAG only"
    for words in (["outer.dag", "--recursive", "--remove"], ["paper.dag", "--recursive"], ["outer.dag"]):
        assert not any("SUBDAG node" in text for text in warnings(capsys, *words))


def test_sub_dags_as_facts_and_without_writing(nested, capsys):
    before = tree(nested)
    run("outer.dag", "--recursive", "--json")
    found = json.loads(capsys.readouterr().out)
    assert [inner["file"] for inner in found["subdags"]] == ["inner.dag", "deep/innermost.dag"]
    assert found["subdags"][0]["order"][-5:] != []
    assert tree(nested) == before


def test_all_dags_or_none(nested, capsys):
    before = tree(nested)
    Path("deep/innermost.dag.lock").write_text(f"PID = {os.getpid()}\n")
    run("outer.dag", "--recursive", "--in-place", status=1)
    assert "DAGMan is running" in capsys.readouterr().err
    Path("deep/innermost.dag.lock").unlink()
    (nested / "inner.dag").chmod(0o444)
    run("outer.dag", "--recursive", "--in-place", "--style", "vars", status=1)
    assert "inner.dag: is read-only" in capsys.readouterr().err
    assert tree(nested) == before


def test_shared_submit_files_change_once(nested):
    run("outer.dag", "--recursive", "--in-place", "--style", "vars")
    assert (nested / "x.sub").read_text().count(INSIDE) == 1
    run("outer.dag", "--recursive", "--in-place", "--remove")
    assert (nested / "x.sub").read_text() == SUBMIT


def test_only_dagman_has_sub_dags(folder, capsys):
    write(read("paper.dag"), "w.json")
    run("w.json", "--recursive", status=1)
    assert "--recursive is for DAGMan" in capsys.readouterr().err


# Splices


def test_splices_need_flattening(spliced, capsys):
    run("spliced.dag")
    run("spliced.dag", "--in-place", status=1)
    assert "--flatten" in capsys.readouterr().err.splitlines()[-1]
    run("spliced.dag", "-o", "flat.dag", "--flatten", "--certificate", "proof.json")
    assert priorities("flat.dag") == {"first": 6, "S.c": 5, "S.a": 4, "S.b": 3, "S.d": 2, "S.e": 1}
    assert main(["verify", "proof.json", "flat.dag"]) == 0
    run("spliced.dag", "-o", "paper.dag", "--flatten", status=1)
    assert "spliced.dag is made of this file" in capsys.readouterr().err
    assert (spliced / "paper.dag").read_text() == PAPER


def lines_named(capsys, *words) -> list[str]:
    """Return the places that warnings begin with."""
    return [text.split(": ")[1] for text in warnings(capsys, "outer.dag", "--flatten", *words) if ": " in text[9:]]


def test_a_flattened_dag_is_told_of_by_the_lines_that_the_user_has(folder, capsys):
    """Lines of the flat text, which nobody has seen, must not be named: neither of it alone nor with a limit in it."""
    Path("inner.dag").write_text('# in\nJOB p x.sub\nVARS p a="1"\nVARS p priority="3"\nJOB q x.sub\nPRIORITY q 9\n')
    Path("more.dag").write_text("# more\nJOB m {\n executable = x\n priority = 5\n}\n")
    Path("outer.dag").write_text("JOB o x.sub\n\nSPLICE S inner.dag\nSPLICE T inner.dag\nINCLUDE more.dag\n")
    assert lines_named(capsys) == ["inner.dag:6", "inner.dag:4", "more.dag:4"]
    assert lines_named(capsys, "--memory", "50%", "--model", "pebble") == ["inner.dag:6", "inner.dag:4", "more.dag:4"]
    assert lines_named(capsys, "--style", "vars")[0] == "writing would be refused"
    run("outer.dag", "--flatten", "--style", "vars", "-o", "flat.dag", status=1)
    assert capsys.readouterr().err.startswith("inner.dag:4: VARS set the priority of 2 jobs themselves")
    Path("inner.dag").write_text("JOB p x.sub\n")
    assert lines_named(capsys, "--style", "vars") == ["more.dag:4"]
    with Path("outer.dag").open("a") as outer:
        outer.write('# of all\nVARS ALL_NODES x="0"\nPRIORITY ALL_NODES 7\n')
    assert lines_named(capsys)[0] == "outer.dag:8"


def test_flattening_twice_changes_nothing(spliced):
    run("spliced.dag", "--in-place", "--flatten", "--backup")
    once = (spliced / "spliced.dag").read_bytes()
    run("spliced.dag", "--in-place", "--flatten")
    assert (spliced / "spliced.dag").read_bytes() == once
    assert b"SPLICE" in (spliced / "spliced.dag.bak").read_bytes()


def test_flattening_in_place_loses_nothing(spliced, capsys):
    before = tree(spliced)
    run("spliced.dag", "--in-place", "--flatten", status=1)
    assert "hint: add --backup, or write to another file with -o" in capsys.readouterr().err
    for name in ("spliced.dag.rescue001", "spliced.dag_multi.rescue012"):
        Path(name).write_text("DONE S+a\n")
        run("spliced.dag", "--in-place", "--flatten", "--backup", status=1)
        assert f"its rescue files name the jobs as they are called now: {name}" in capsys.readouterr().err
        Path("link.dag").symlink_to("spliced.dag")
        run("link.dag", "--in-place", "--flatten", "--backup", status=1)
        run("spliced.dag", "-o", "flat.dag", "--flatten")
        for made in (name, "link.dag", "flat.dag"):
            Path(made).unlink()
    assert tree(spliced) == before
    Path("other.dag.rescue001").write_text("")
    Path("spliced.dag.rescue").write_text("")
    run("spliced.dag", "--in-place", "--flatten", "--backup")
    assert (spliced / "spliced.dag.bak").read_bytes() == before["spliced.dag"]


def test_what_needs_no_flattening_stays_as_it_is(folder, capsys):
    (folder / "plain.dag").write_text("# mine\n" + PAPER)
    run("plain.dag", "--in-place", "--flatten")
    assert (folder / "plain.dag").read_text().startswith("# mine\n" + PAPER)
    write(read("paper.dag"), "w.json")
    run("w.json", "--flatten", status=1)
    assert "--flatten is for DAGMan files" in capsys.readouterr().err
