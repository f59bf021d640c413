"""Sandboxes: what goes in, what comes out, nothing lost when cut short, nothing outside touched."""

from __future__ import annotations

import os
import shutil
from contextlib import suppress
from pathlib import Path

import pytest

from eligo.engines import _sandbox as sandbox
from eligo.engines._plan import Sandbox


@pytest.fixture
def box(tmp_path: Path) -> Path:
    return tmp_path / "boxes" / "1"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A directory with inputs.

    home/in.txt, home/data/a.txt, home/data/inner/b.txt
    """
    folder = tmp_path / "home"
    for name in ("in.txt", "data/a.txt", "data/inner/b.txt"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(name)
    return folder


def tree(folder: Path) -> dict[str, str]:
    return {str(path.relative_to(folder)): path.read_text() for path in sorted(folder.rglob("*")) if path.is_file()}


def inputs(home: Path) -> Sandbox:
    return Sandbox((("a.txt", f"{home}/data/a.txt"), ("inner", f"{home}/data/inner"), ("in.txt", f"{home}/in.txt")))


def test_inputs_are_copies(home, box):
    before = tree(home)
    sandbox.prepare(inputs(home), box)
    assert tree(box) == {"a.txt": "data/a.txt", "in.txt": "in.txt", "inner/b.txt": "data/inner/b.txt"}
    for name in tree(box):
        (box / name).write_text("changed")
    assert tree(home) == before
    assert box.stat().st_mode & 0o77 == 0


def test_contents_of_a_directory(home, box):
    sandbox.prepare(Sandbox(((".", f"{home}/data/"),)), box)
    assert sorted(tree(box)) == ["a.txt", "inner/b.txt"]


def test_preparing_again_begins_afresh(home, box):
    sandbox.prepare(inputs(home), box)
    (box / "left").write_text("by an earlier try")
    (box / "a.txt").unlink()
    sandbox.prepare(inputs(home), box)
    assert sorted(tree(box)) == ["a.txt", "in.txt", "inner/b.txt"]


def test_a_directory_of_somebody_else_is_left_alone(home, tmp_path):
    with pytest.raises(FileExistsError):
        sandbox.prepare(inputs(home), home)
    assert sorted(tree(home)) == ["data/a.txt", "data/inner/b.txt", "in.txt"]


def test_a_missing_input(home, box):
    with pytest.raises(FileNotFoundError, match="an input is not there"):
        sandbox.prepare(Sandbox((("x", f"{home}/no"),)), box)
    assert sandbox.collect(Sandbox(), box, str(home)) == []  # nothing was prepared, so nothing was made


def test_new_and_changed_files_at_the_top_come_back(home, box):
    sandbox.prepare(inputs(home), box)
    (box / "new.txt").write_text("new")
    with (box / "in.txt").open("a") as stream:
        stream.write(" and more")
    (box / "sub").mkdir()
    (box / "sub" / "x").write_text("stays")
    (box / "x.dat").write_text("x")
    places = sandbox.collect(Sandbox(remaps=(("x.dat", f"{home}/data/y.dat"),)), box, str(home))
    assert places == [f"{home}/in.txt", f"{home}/new.txt", f"{home}/data/y.dat"]
    assert (home / "new.txt").read_text() == "new"
    assert (home / "in.txt").read_text() == "in.txt and more"
    assert (home / "data" / "y.dat").read_text() == "x"
    assert not (home / "a.txt").exists()
    assert not (home / "sub").exists()
    assert list(box.parent.iterdir()) == []


def listed(home: Path) -> Sandbox:
    return Sandbox(
        (), (("res", f"{home}/res"), ("x", f"{home}/x"), ("res/deep/d", f"{home}/d"), ("y", f"{home}/data/y"))
    )


def make(box: Path) -> None:
    (box / "res" / "deep").mkdir(parents=True)
    for name in ("res/r", "res/deep/d", "x", "y"):
        (box / name).write_text(name)


MADE = {"res/r": "res/r", "res/deep/d": "res/deep/d", "x": "x", "d": "res/deep/d", "data/y": "y"}


def test_listed_outputs_go_to_their_places(home, box):
    before = tree(home)
    sandbox.prepare(listed(home), box)
    make(box)
    (box / "scratch").write_text("")
    (home / "x").write_text("old")
    sandbox.collect(listed(home), box, str(home))
    assert tree(home) == before | MADE
    assert sandbox.collect(listed(home), box, str(home)) == []  # again, when all is done


class Cut(BaseException):
    """Stands for kill -9."""


CALLS = [(os, "link"), (Path, "replace"), (Path, "rename"), (Path, "mkdir"), (Path, "unlink"), (shutil, "rmtree")]


@pytest.mark.parametrize("links", [True, False])
@pytest.mark.parametrize("call", CALLS, ids=[name for _, name in CALLS])
@pytest.mark.parametrize("when", [(after, done) for after in range(4) for done in (False, True)])
def test_cut_short_and_called_again(call, when, links, home, box):
    """Killed before or after any step, a second call ends what the first began."""
    before = tree(home)
    sandbox.prepare(listed(home), box)
    make(box)
    with pytest.MonkeyPatch.context() as patch:
        if not links:
            patch.setattr(os, "link", lambda *_: (_ for _ in ()).throw(OSError(18, "another file system")))
        patch.setattr(*call, cutting(getattr(*call), *when))
        with suppress(Cut, OSError):
            sandbox.collect(listed(home), box, str(home))
    sandbox.collect(listed(home), box, str(home))
    left = {path: text for path, text in tree(home).items() if not Path(path).name.startswith(".eligo-")}
    assert left == before | MADE
    assert list(box.parent.iterdir()) == []


def cutting(real, after, done):
    """Return a function that does as `real` and then, or instead, is cut short on its last call."""
    calls = 0

    def cut(*args, **options):
        nonlocal calls
        calls += 1
        if calls == after + 1 and not done:
            raise Cut
        result = real(*args, **options)
        if calls == after + 1:
            raise Cut
        return result

    return cut


def test_preparing_cut_short(home, box, monkeypatch):
    def cut(*_):
        raise Cut

    with monkeypatch.context() as patch:
        patch.setattr(shutil, "copystat", cut)
        with pytest.raises(Cut):
            sandbox.prepare(inputs(home), box)
    assert sandbox.collect(inputs(home), box, str(home)) == []
    sandbox.prepare(inputs(home), box)
    assert sorted(tree(box)) == ["a.txt", "in.txt", "inner/b.txt"]


def test_preparing_after_a_collection_that_was_cut_short(home, box):
    sandbox.prepare(listed(home), box)
    make(box)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(shutil, "rmtree", cutting(shutil.rmtree, 0, False))
        with pytest.raises(Cut):
            sandbox.collect(listed(home), box, str(home))
    sandbox.prepare(Sandbox(), box)
    (box / "again").write_text("again")
    assert sandbox.collect(Sandbox(), box, str(home)) == [f"{home}/again"]


def test_a_missing_output_is_an_error_and_the_others_come(home, box):
    sandbox.prepare(listed(home), box)
    make(box)
    (box / "x").unlink()
    with pytest.raises(FileNotFoundError, match="did not make its output"):
        sandbox.collect(listed(home), box, str(home))
    assert tree(home).items() >= {path: text for path, text in MADE.items() if path != "x"}.items()
    assert box.is_dir()


@pytest.mark.parametrize("name", ["../x", "/etc/passwd", "a/../../x", "..", ".", ""])
def test_names_that_lead_out_are_refused(name, home, box):
    sandbox.prepare(Sandbox(), box)
    with pytest.raises(OSError, match="leads out"):
        sandbox.collect(Sandbox((), ((name, f"{home}/stolen"),)), box, str(home))
    assert not (home / "stolen").exists()


def test_links_that_lead_out_are_not_followed(home, box, tmp_path):
    secret = tmp_path / "secret"
    secret.mkdir()
    (secret / "key").write_text("secret")
    sandbox.prepare(Sandbox(), box)
    (box / "dir").symlink_to(secret)
    (box / "file").symlink_to(secret / "key")
    (box / "res").mkdir()
    (box / "res" / "link").symlink_to(secret / "key")
    for name in ("dir", "file", "dir/key", "res"):
        with pytest.raises(OSError, match="leads out"):
            sandbox.collect(Sandbox((), ((name, f"{home}/out"),)), box, str(home))
    with pytest.raises(OSError, match="leads out"):
        sandbox.collect(Sandbox(), box, str(home))
    assert "secret" not in "".join(tree(home).values())
    assert tree(secret) == {"key": "secret"}


def test_links_within_are_files_outside(home, box):
    sandbox.prepare(Sandbox(), box)
    (box / "real").write_text("text")
    (box / "link").symlink_to("real")
    sandbox.collect(Sandbox((), (("link", f"{home}/out"),)), box, str(home))
    assert not (home / "out").is_symlink()
    assert (home / "out").read_text() == "text"


def test_a_place_that_is_a_link_is_replaced(home, box, tmp_path):
    other = tmp_path / "other"
    other.write_text("untouched")
    (home / "out").symlink_to(other)
    sandbox.prepare(Sandbox(), box)
    (box / "out").write_text("new")
    sandbox.collect(Sandbox(), box, str(home))
    assert other.read_text() == "untouched"
    assert (home / "out").read_text() == "new"


def test_a_directory_that_is_gone(home, box, tmp_path):
    sandbox.prepare(Sandbox(), box)
    (box / "x").write_text("x")
    with pytest.raises(OSError, match="No such file"):
        sandbox.collect(Sandbox((), (("x", f"{tmp_path}/no/x"),)), box, str(home))
    assert (box / "x").read_text() == "x"


@pytest.mark.parametrize("links", [{"d/a": "."}, {"d/x": "../e", "e/y": "../d"}])
def test_links_that_lead_in_a_circle_are_refused(links, home, box):
    sandbox.prepare(Sandbox(), box)
    for name in ("d", "e"):
        (box / name).mkdir()
    for name, target in links.items():
        (box / name).symlink_to(target)
    with pytest.raises(OSError, match="leads back"):
        sandbox.collect(Sandbox(outputs=(("d", f"{home}/d"),)), box, str(home))
