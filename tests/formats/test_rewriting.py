"""Files that change together change all or not at all, whatever fails and whenever."""

from __future__ import annotations

import errno
import gzip
import os
import resource
import stat
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eligo import EligoError
from eligo.formats import _rewrite_files as rewrite_files
from eligo.formats._rewrite_files import Rewrite, rewrite


def tree(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def rewrites(folder: Path, files: dict[str, bytes], **more) -> list[Rewrite]:
    return [Rewrite(str(folder / name), data, make_directory=True, **more) for name, data in files.items()]


@contextmanager
def failing_at(call: int):
    """Let the so-and-so-manieth of all calls that change the disk fail."""
    with pytest.MonkeyPatch.context() as patch:
        calls = iter(range(10**6))

        def counted(original):
            def called(*args):
                if next(calls) == call:
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
                return original(*args)

            return called

        for owner, name in ((rewrite_files, "write_beside"), (os, "link"), (Path, "replace"), (Path, "mkdir")):
            patch.setattr(owner, name, counted(getattr(owner, name)))
        patch.setattr(
            rewrite_files, "_copy", counted(rewrite_files._copy)
        )  # what replaces a link that fails must fail too
        yield


NAMES = st.sampled_from(["a.dag", "b.sub", "sub/c.sub", "sub/deep/d.sub", "e.dag.gz"])
CONTENTS = st.dictionaries(NAMES, st.binary(max_size=20).map(lambda data: b"-" + data), max_size=5)


@given(old=CONTENTS, new=CONTENTS, call=st.integers(0, 20), backup=st.booleans())
def test_all_or_nothing(tmp_path_factory, old, new, call, backup):
    """One call that changes the disk fails: then nothing has changed. None does: then everything has."""
    folder = tmp_path_factory.mktemp("rewriting")
    for name, data in old.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    before, folders = tree(folder), {path for path in folder.rglob("*") if path.is_dir()}
    try:
        with failing_at(call):
            done = rewrite(rewrites(folder, new), backup=backup)
    except EligoError as error:
        assert "cannot be written: No space left" in error.text
        assert tree(folder) == before
        assert {path for path in folder.rglob("*") if path.is_dir()} == folders
        return
    after = tree(folder)
    for name, data in new.items():
        assert (gzip.decompress(after[name]) if after[name][:2] == b"\x1f\x8b" else after[name]) == data
        changed = name not in old or old[name] != data
        assert (str(folder / name) in done.written) == changed != (str(folder / name) in done.unchanged)
        assert after.get(f"{name}.bak") == (old[name] if backup and changed and name in old else None)
    assert {name for name in after if not name.endswith(".bak")} == set(old) | set(new)


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "a.dag"
    path.write_bytes(b"old")
    return path


def change(path, data=b"new", **more):
    return rewrite([Rewrite(str(path), data, **more)])


def test_a_file_that_stays_the_same_is_not_touched(file):
    os.utime(file, ns=(1, 1))
    before = file.stat()
    assert change(file, b"old").unchanged == (str(file),)
    assert (file.stat().st_mtime_ns, file.stat().st_ino) == (1, before.st_ino)


def test_backups_never_replace_backups(file):
    for text in (b"1", b"2", b"3"):
        done = rewrite([Rewrite(str(file), text)], backup=True)
        assert Path(done.written[str(file)]).exists()
    backups = ("a.dag.bak", "a.dag.bak.2", "a.dag.bak.3")
    assert [(file.parent / name).read_bytes() for name in backups] == [b"old", b"1", b"2"]


def test_a_backup_is_the_old_file_with_its_times_and_permissions(file):
    file.chmod(0o640)
    os.utime(file, ns=(5, 7))
    rewrite([Rewrite(str(file), b"new")], backup=True)
    kept = (file.parent / "a.dag.bak").stat()
    assert (kept.st_mtime_ns, stat.S_IMODE(kept.st_mode), kept.st_nlink) == (7, 0o640, 1)
    assert stat.S_IMODE(file.stat().st_mode) == 0o640


def test_file_systems_without_second_names(file, monkeypatch):
    def refuse(*_):
        raise OSError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "link", refuse)
    os.utime(file, ns=(5, 7))
    for text in (b"1", b"2"):
        rewrite([Rewrite(str(file), text)], backup=True)
    assert tree(file.parent) == {"a.dag": b"2", "a.dag.bak": b"old", "a.dag.bak.2": b"1"}
    assert (file.parent / "a.dag.bak").stat().st_mtime_ns == 7
    change(file, b"3")
    assert len(tree(file.parent)) == 3


def test_a_link_stays_and_its_backup_is_beside_the_link(file, tmp_path):
    (tmp_path / "links").mkdir()
    link = tmp_path / "links" / "b.dag"
    link.symlink_to("../a.dag")
    rewrite([Rewrite(str(link), b"new")], backup=True)
    assert link.is_symlink()
    assert file.read_bytes() == b"new"
    assert (tmp_path / "links" / "b.dag.bak").read_bytes() == b"old"
    assert not (tmp_path / "links" / "b.dag.bak").is_symlink()


@pytest.mark.parametrize(("name", "packed"), [("a.gz", True), ("a.dag", True), ("a.gz", False), ("a.dag", False)])
def test_the_packing_stays_whatever_the_name(tmp_path, name, packed):
    path = tmp_path / name
    path.write_bytes(gzip.compress(b"old") if packed else b"old")
    assert change(path, b"old").unchanged
    change(path, made_from=b"old")
    assert path.read_bytes().startswith(b"\x1f\x8b") == packed
    assert (gzip.decompress(path.read_bytes()) if packed else path.read_bytes()) == b"new"


def test_a_damaged_file_may_be_replaced(tmp_path):
    (tmp_path / "a.gz").write_bytes(b"\x1f\x8b damaged")
    change(tmp_path / "a.gz")
    assert gzip.decompress((tmp_path / "a.gz").read_bytes()) == b"new"


def test_what_is_refused_before_anything_changes(file, tmp_path):
    with pytest.raises(EligoError, match="has changed since it was read"):
        change(file, made_from=b"older")
    with pytest.raises(EligoError, match="is a directory"):
        change(tmp_path)
    with pytest.raises(EligoError, match=r"there is no directory .*none"):
        change(tmp_path / "none" / "a")
    file.chmod(0o444)
    with pytest.raises(EligoError, match=r"is read-only\nhint: .*chmod u\+w"):
        rewrite([Rewrite(str(tmp_path / "first"), b"1"), Rewrite(str(file), b"new")])
    assert tree(tmp_path) == {"a.dag": b"old"}


@contextmanager
def nobody():
    """Be someone without rights, where we are root."""
    root = os.geteuid() == 0
    if root:
        os.seteuid(65_534)
    try:
        yield
    finally:
        if root:
            os.seteuid(0)


@pytest.mark.parametrize("backup", [False, True])
def test_without_permission(backup):
    """Neither in a directory that may not be written, nor over a file of somebody else in one that may."""
    with TemporaryDirectory() as name:  # beside pytest's own, into which nobody else may look
        folder = Path(name)
        (folder / "a.dag").write_bytes(b"old")
        for mode, file_mode, text in ((0o555, 0o666, "Permission denied"), (0o777, 0o444, "is read-only")):
            folder.chmod(mode)
            (folder / "a.dag").chmod(file_mode)
            with nobody(), pytest.raises(EligoError, match=text):
                rewrite([Rewrite(str(folder / "a.dag"), b"new")], backup=backup)
            assert tree(folder) == {"a.dag": b"old"}
        folder.chmod(0o755)
        (folder / "a.dag").chmod(0o644)
        if os.geteuid() == 0:
            folder.chmod(0o777)
            with nobody(), pytest.raises(EligoError, match="is read-only"):
                rewrite([Rewrite(str(folder / "a.dag"), b"new")], backup=backup)


def test_a_full_disk(file, tmp_path):
    """No file may grow beyond 1000 bytes here, which fails as a full disk does: in the middle of writing."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, hard))
    try:
        with pytest.raises(EligoError, match=r"a\.dag: cannot be written: .*\nhint: .*nothing was changed"):
            rewrite([Rewrite(str(tmp_path / "a.sub"), b"small"), Rewrite(str(file), b"x" * 100_000)], backup=True)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert tree(tmp_path) == {"a.dag": b"old"}


def test_an_interrupt_right_after_a_file_is_in_place_brings_the_old_one_back(tmp_path, monkeypatch):
    """The worst moment: the new file has its name already, and we do not know it yet."""
    one, two = tmp_path / "one", tmp_path / "two"
    one.write_bytes(b"old one")
    two.write_bytes(b"old two")
    really = Path.replace

    def then_interrupted(self, target):
        result = really(self, target)
        if Path(target) == one and self.suffix == ".tmp":
            raise KeyboardInterrupt
        return result

    monkeypatch.setattr(Path, "replace", then_interrupted)
    with pytest.raises(KeyboardInterrupt):
        rewrite([Rewrite(str(one), b"new"), Rewrite(str(two), b"new")])
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {"one": b"old one", "two": b"old two"}
