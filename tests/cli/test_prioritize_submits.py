"""``prioritize`` and submit files: they change with the DAG, all or nothing, or are copied along."""

from __future__ import annotations

import resource
from pathlib import Path

import pytest

from eligo import read, write
from tests.cli.dag_folder import INSIDE, PAPER, SUBMIT, run, tree


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
