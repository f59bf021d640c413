"""``prioritize`` and the user's files: priorities in and out, nothing lost, all or nothing."""

from __future__ import annotations

import gzip
import json
import os
import resource
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eligo import read, write
from eligo.cli import main
from eligo.formats import open_document
from eligo.priority import prioritizing
from tests.strategies import dags

PAPER = "JOB a x.sub\nJOB b x.sub\nJOB c x.sub\nJOB d x.sub\nJOB e y.sub\nPARENT a CHILD b\nPARENT c CHILD d e\n"
SUBMIT = "executable = x\nqueue\n"
INSIDE = "priority = $(jobpriority)"


def tree(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A DAG with two submit files, in a directory of its own."""
    home = tmp_path / "home"
    (home / "deep").mkdir(parents=True)
    (home / "paper.dag").write_text(PAPER)
    for name in ("x.sub", "y.sub", "deep/z.sub"):
        (home / name).write_text(SUBMIT)
    monkeypatch.chdir(home)
    return home


def run(*words, status=0):
    assert main(["prioritize", *map(str, words)]) == status


def priorities(path) -> dict[str, int | None]:
    details = open_document(path).details
    jobs = [details.job(i) for i in range(details.root.count)]
    return {job.name: job.priority for job in jobs}


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
    real = prioritizing.prioritize

    def editing(*args, **more):
        (folder / "paper.dag").write_text(PAPER + "# a thought\n")
        return real(*args, **more)

    monkeypatch.setattr(prioritizing, "prioritize", editing)
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


# Submit files


def test_submit_files_change_in_place(folder, capsys):
    run("paper.dag", "--in-place", "--style", "vars", "--backup")
    assert 'VARS c jobpriority="5"' in (folder / "paper.dag").read_text()
    for name in ("x.sub", "y.sub"):
        assert (folder / name).read_text().count(INSIDE) == 1
        assert (folder / f"{name}.bak").read_text() == SUBMIT
    told = capsys.readouterr().err
    assert "x.sub: changed with it" in told
    assert "y.sub: the old one is kept as y.sub.bak" in told
    assert (folder / "deep/z.sub").read_text() == SUBMIT
    run("paper.dag", "--in-place", "--remove")
    assert {name: data for name, data in tree(folder).items() if not name.endswith(".bak")} == {
        "paper.dag": PAPER.encode(), "x.sub": SUBMIT.encode(), "y.sub": SUBMIT.encode(), "deep/z.sub": SUBMIT.encode()
    }  # fmt: skip


@pytest.mark.parametrize("named", ["paper.dag", "absolute"])
def test_copies_of_submit_files_go_along(folder, capsys, named):
    (folder / "paper.dag").write_text(PAPER.replace("y.sub", "z.sub DIR deep"))
    other = folder.parent / "other"
    other.mkdir()
    before = tree(folder)
    file = folder / "paper.dag" if named == "absolute" else named
    run(file, "-o", "../other/out.dag", "--style", "vars")
    assert tree(folder) == before
    made = tree(other)
    assert set(made) == {"out.dag", "x.sub", "deep/z.sub"}
    assert INSIDE.encode() in made["x.sub"]
    assert INSIDE.encode() in made["deep/z.sub"]
    run(file, "-o", "../other/out.dag", "--style", "vars")
    assert tree(other) == made


@pytest.fixture
def named_twice(folder):
    """One submit file by three names, one with a priority of its own, and a directory to write to."""
    (folder / "link.sub").symlink_to("x.sub")
    (folder / "own.sub").write_text("priority = 7\n" + SUBMIT)
    text = PAPER.replace("JOB b x.sub", "JOB b link.sub").replace("JOB d x.sub", "JOB d deep/../x.sub")
    (folder / "paper.dag").write_text(text.replace("JOB e y.sub", "JOB e own.sub"))
    (folder.parent / "other").mkdir()
    return folder


@pytest.mark.parametrize("before", [False, True])
def test_copies_have_every_name_that_the_dag_states(named_twice, capsys, before):
    if before:
        run("paper.dag", "--in-place", "--style", "vars")
    run("paper.dag", "-o", "../other/out.dag", "--style", "vars")
    told = capsys.readouterr().err
    assert "warning: not copied: own.sub; put it beside ../other/out.dag\n" in told
    assert "keep it there" not in told
    made = tree(named_twice.parent / "other")
    assert set(made) == {"out.dag", "x.sub", "link.sub"}
    for name in ("x.sub", "link.sub"):
        assert made[name].decode().count(INSIDE) == 1
    (named_twice.parent / "other/own.sub").write_text("mine\n")
    run("paper.dag", "-o", "../other/out.dag", "--style", "vars")
    assert "not copied" not in capsys.readouterr().err
    assert tree(named_twice.parent / "other") == made | {"own.sub": b"mine\n"}


def test_copies_for_links_beside_the_new_dag(named_twice):
    other = named_twice.parent / "other"
    (other / "x.sub").write_text("old\n")
    (other / "link.sub").symlink_to("x.sub")
    run("paper.dag", "-o", "../other/out.dag", "--style", "vars", "--backup")
    assert (other / "link.sub").is_symlink()
    assert INSIDE in (other / "x.sub").read_text()
    assert {name for name in tree(other) if ".bak" in name} == {"x.sub.bak"}


def test_two_files_are_not_written_into_one(folder, capsys):
    other = folder.parent / "other"
    other.mkdir()
    (other / "y.sub").symlink_to("x.sub")
    (folder / "y.sub").write_text("# another\n" + SUBMIT)
    run("paper.dag", "-o", "../other/out.dag", "--style", "vars", status=1)
    assert "two files of the DAG would be written here" in capsys.readouterr().err
    assert tree(other) == {}


def test_copies_without_our_priorities(named_twice):
    (named_twice / "own.sub").write_text(SUBMIT)
    run("paper.dag", "--in-place", "--style", "vars")
    run("paper.dag", "-o", "../other/out.dag", "--remove")
    made = tree(named_twice.parent / "other")
    assert {made[name] for name in ("x.sub", "link.sub", "own.sub")} == {SUBMIT.encode()}


def test_included_files_are_not_copied(folder, capsys):
    (folder / "outer.dag").write_text("INCLUDE paper.dag\n")
    (folder.parent / "other").mkdir()
    run("outer.dag", "-o", "../other/out.dag", "--style", "vars")
    assert "warning: not copied: paper.dag; put it beside ../other/out.dag\n" in capsys.readouterr().err
    assert set(tree(folder.parent / "other")) == {"out.dag", "x.sub", "y.sub"}
    run("outer.dag", "-o", "../other/flat.dag", "--style", "vars", "--flatten")
    assert "not copied" not in capsys.readouterr().err


def test_what_is_shared_and_does_not_change_is_no_hindrance(folder, capsys):
    """After --in-place the submit files refer to VARS: any DAG may use them."""
    run("paper.dag", "--in-place", "--style", "vars")
    before = tree(folder)
    run("paper.dag", "-o", "out.dag", "--style", "vars")
    assert {name: data for name, data in tree(folder).items() if name != "out.dag"} == before
    assert "not copied" not in capsys.readouterr().err


def test_submit_files_of_the_original_are_not_changed(folder, capsys):
    before = tree(folder)
    run("paper.dag", "-o", "out.dag", "--style", "vars", status=1)
    told = capsys.readouterr().err
    assert "which it would share with the new DAG: x.sub" in told
    assert "--in-place" in told
    run("paper.dag", "-o", "-", "--style", "vars", status=1)
    assert "standard output has no place for: x.sub and 1 more" in capsys.readouterr().err
    (folder.parent / "same").symlink_to("home")
    run("paper.dag", "-o", "../same/out.dag", "--style", "vars", status=1)
    assert tree(folder) == before


@pytest.mark.parametrize("where", ["{home}/y.sub", "../home/y.sub"])
@pytest.mark.parametrize("absolute", [False, True])
def test_paths_that_lead_back_are_refused(folder, capsys, where, absolute):
    (folder / "paper.dag").write_text(PAPER.replace("y.sub", where.format(home=folder)))
    (folder.parent / "other").mkdir()
    before = tree(folder.parent)
    file = folder / "paper.dag" if absolute else "paper.dag"
    run(file, "-o", "../other/out.dag", "--style", "vars", status=1)
    assert "which the new DAG would share" in capsys.readouterr().err
    assert tree(folder.parent) == before


def test_files_of_somebody_else_are_not_replaced(folder, capsys):
    other = folder.parent / "other"
    other.mkdir()
    (other / "x.sub").write_text("something else\n")
    run("paper.dag", "-o", "../other/out.dag", "--style", "vars", status=1)
    assert "x.sub: is there already" in capsys.readouterr().err
    assert set(tree(other)) == {"x.sub"}
    run("paper.dag", "-o", "../other/out.dag", "--style", "vars", "--backup")
    assert (other / "x.sub.bak").read_text() == "something else\n"


def test_vars_are_for_dagman(folder, capsys):
    write(read("paper.dag"), "w.json")
    run("w.json", "--in-place", "--style", "vars", status=1)
    assert "--style vars is for DAGMan" in capsys.readouterr().err


@pytest.mark.parametrize("words", [[], ["--backup"]])
def test_a_full_disk_changes_nothing(folder, capsys, words):
    """The submit files are small and fit; the DAG does not."""
    (folder / "paper.dag").write_text(PAPER + "#" * 2_000 + "\n")
    before = tree(folder)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1_500, hard))
    try:
        run("paper.dag", "--in-place", "--style", "vars", *words, status=1)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert "paper.dag: cannot be written: " in capsys.readouterr().err
    assert tree(folder) == before


@pytest.mark.parametrize("broken", [0, 1, 2])
def test_a_file_that_cannot_be_put_in_its_place_changes_nothing(folder, capsys, monkeypatch, broken):
    before = tree(folder)
    calls = iter(range(100))
    real = Path.replace

    def failing(self, target):
        if next(calls) == broken:
            raise PermissionError(1, "Operation not permitted")
        return real(self, target)

    monkeypatch.setattr(Path, "replace", failing)
    run("paper.dag", "--in-place", "--style", "vars", "--backup", status=1)
    assert "cannot be written: Operation not permitted" in capsys.readouterr().err
    assert tree(folder) == before


# Without writing


def warnings(capsys, *words, status=0) -> list[str]:
    run(*words, status=status)
    return [line for line in capsys.readouterr().err.splitlines() if line.startswith(("warning: ", "hint: "))]


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
    from eligo.cli import prioritize

    monkeypatch.setattr(prioritize, "_LARGEST_TRIAL", 4)
    run("paper.dag", "--json")
    assert "written" not in json.loads(capsys.readouterr().out)
    run("paper.dag", "--json", "--in-place")
    assert json.loads(capsys.readouterr().out)["written"] == 5


# Several DAGs


@pytest.fixture
def nested(folder):
    """Outer runs inner, which runs innermost, which runs inner again; another SUBDAG does not exist yet."""
    (folder / "outer.dag").write_text(
        "SUBDAG EXTERNAL s inner.dag\nSUBDAG EXTERNAL t later.dag\nJOB a x.sub\nPARENT a CHILD s t\n"
    )
    (folder / "inner.dag").write_text(f"SUBDAG EXTERNAL u innermost.dag DIR deep\n{PAPER}")
    (folder / "deep/innermost.dag").write_text("JOB z z.sub\nSUBDAG EXTERNAL v ../inner.dag\n")
    return folder


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


@pytest.fixture
def spliced(folder):
    (folder / "spliced.dag").write_text("# mine\nSPLICE S paper.dag\nJOB first x.sub\nPARENT first CHILD S\n")
    return folder


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
