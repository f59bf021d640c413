"""The state of a run beside a plain dictionary, through kills, and with files that are damaged or not ours."""

from __future__ import annotations

import hashlib
import os
import random
import shutil
import sqlite3
import tempfile
from contextlib import closing, suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eligo.dag import Dag
from eligo.engines._state import FILE_NAME, JobStatus, State
from eligo.errors import EngineError

NOBODY = 65534
DAG = Dag.from_names([("a", "b"), ("a", "c é"), ("b", "d")])
VALUES = {
    "status": st.sampled_from(list(JobStatus)),
    "attempts": st.integers(0, 9),
    "start_s": st.none() | st.floats(0, 1e6),
    "end_s": st.none() | st.floats(0, 1e6),
    "worker": st.integers(-1, 9),
    "exit_code": st.none() | st.integers(-64, 255),
    "cpu_s": st.none() | st.floats(0, 1e6),
    "peak_bytes": st.none() | st.integers(0, 2**62),
    "reason": st.text(st.characters(codec="utf-8"), max_size=9),
    "handle": st.text(st.characters(codec="utf-8"), max_size=9),
}
changes = st.one_of(
    st.tuples(st.just("update"), st.integers(0, DAG.n - 1), st.fixed_dictionaries({}, optional=VALUES)),
    st.tuples(st.just("put"), st.sampled_from("xyz"), st.none() | st.integers() | st.text(max_size=5)),
    st.tuples(st.just("saw_file"), st.sampled_from(["f", "g é"]), st.integers(0, 2**62)),
    st.tuples(st.sampled_from(["commit", "sync", "kill", "reopen"]), st.none(), st.none()),
)


def told(state):
    """Return all that a state knows."""
    columns = {name: list(getattr(state, name)) for name in VALUES}
    return columns, dict(state.files), {key: state.get(key) for key in "xyz"}


def copied(found):
    columns, files, facts = found
    return {name: list(column) for name, column in columns.items()}, dict(files), dict(facts)


@given(st.lists(changes, max_size=25))
def test_like_a_dictionary_through_kills(tmp_path_factory, acts):
    """Killed: closed without a commit, which is what the operating system does."""
    folder = tmp_path_factory.mktemp("state")
    state = State.create(folder, DAG)
    now = told(state)
    on_disk = copied(now)
    for act, where, what in acts:
        if act == "update":
            state.update(where, **what)
            for name, value in what.items():
                now[0][name][where] = value
        elif act == "put":
            state.put(where, what)
            now[2][where] = what
        elif act == "saw_file":
            state.saw_file(where, what)
            now[1][where] = what
        elif act in ("commit", "sync"):
            state.commit(sync=act == "sync")
            on_disk = copied(now)
        else:
            if act == "reopen":
                state.commit()
                on_disk = copied(now)
            state.close()
            state = State.open(folder)
            now = copied(on_disk)
        assert told(state) == now
    with State.open(folder, reading=True) as other:
        assert told(other) == on_disk
    state.close()


@pytest.fixture(scope="module")
def sound(tmp_path_factory):
    """A state of some pages, once with all in one file, once with a write-ahead log as a kill leaves it."""
    folder = tmp_path_factory.mktemp("sound")
    whole, killed = folder / "whole", folder / "killed"
    whole.mkdir()
    names = [f"job {number} " + "x" * 20 for number in range(60)]
    with State.create(whole, Dag.from_names([], jobs=names), run_id="r", engine="local") as state:
        for job in range(0, 60, 2):
            state.update(job, status=JobStatus.DONE, attempts=1, start_s=1.0, end_s=2.0, worker=0, reason="fine")
        state.saw_file("f", 7)
        state.commit(sync=True)
        for job in range(1, 60, 2):
            state.update(job, status=JobStatus.FAILED, reason="because")
        state.commit()
        shutil.copytree(whole, killed)
        (killed / f"{FILE_NAME}-shm").unlink()
    return whole, killed


def hashes(folder):
    """Return what each file holds but for the index of the log, which only helps those who read."""
    return {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in folder.iterdir()
        if not path.name.endswith("-shm")
    }


def check_right_or_refused(folder, right):
    """Open it: what it says is right, or it is refused by name and left as it is."""
    before = hashes(folder)
    try:
        with State.open(folder) as state:
            found = (list(state.status), list(state.reason), dict(state.files), list(state.names), state.get("run_id"))
    except EngineError as error:
        assert str(folder / FILE_NAME) in str(error)
        assert error.hint
        after = hashes(folder)
        assert {name: after[name] for name in before if name in after} == before, "it was changed"
        assert set(before) <= set(after), "a file is gone"
        return "refused"
    assert found == right
    return "right"


def right_content(folder):
    with State.open(folder) as state:
        return list(state.status), list(state.reason), dict(state.files), list(state.names), state.get("run_id")


@pytest.mark.parametrize("which", [0, 1], ids=["whole", "killed"])
def test_a_file_that_is_cut_short(which, sound, tmp_path):
    data = (sound[which] / FILE_NAME).read_bytes()
    shutil.copytree(sound[which], tmp_path / "copy")
    right = right_content(tmp_path / "copy")
    size = 4096
    seen = set()
    for end in [*range(0, len(data), size), *range(1000, len(data), size)]:
        folder = tmp_path / f"cut-{end}"
        shutil.copytree(sound[which], folder)
        (folder / FILE_NAME).write_bytes(data[:end])
        seen.add(check_right_or_refused(folder, right))
    assert "refused" in seen


@pytest.mark.parametrize(
    ("which", "name"), [(0, FILE_NAME), (1, FILE_NAME), (1, f"{FILE_NAME}-wal")], ids=["whole", "killed", "its log"]
)
def test_flipped_bytes(which, name, sound, tmp_path):
    """Of the log, which SQLite seals itself, what is damaged does not count: only the last commits are missing."""
    path = sound[which] / name
    shutil.copytree(sound[which], tmp_path / "copy")
    right = right_content(tmp_path / "copy")
    data = path.read_bytes()
    rng = random.Random(which)
    seen = []
    for number in range(120):
        folder = tmp_path / f"flip-{number}"
        shutil.copytree(sound[which], folder)
        damaged = bytearray(data)
        for _ in range(rng.choice([1, 1, 3])):
            damaged[rng.randrange(len(data))] ^= rng.randrange(1, 256)
        (folder / name).write_bytes(damaged)
        if name == FILE_NAME:
            seen.append(check_right_or_refused(folder, right))
        else:
            with suppress(EngineError), State.open(folder) as state:
                assert all(status in (JobStatus.DONE, JobStatus.WAITING, JobStatus.FAILED) for status in state.status)
                assert [job for job, status in enumerate(state.status) if status == JobStatus.DONE] in (
                    list(range(0, 60, 2)),
                    [],
                )
        shutil.rmtree(folder)
    assert name != FILE_NAME or "refused" in seen


@pytest.mark.parametrize("content", [b"", b"not a database at all\n" * 400, b"SQLite format 3\0" + b"\0" * 5000])
def test_a_file_of_something_else(content, tmp_path):
    (tmp_path / FILE_NAME).write_bytes(content)
    assert check_right_or_refused(tmp_path, None) == "refused"


def test_another_database(tmp_path):
    with closing(sqlite3.connect(tmp_path / FILE_NAME)) as connection, connection:
        connection.execute("CREATE TABLE run (key TEXT, value TEXT)")
    assert check_right_or_refused(tmp_path, None) == "refused"


@pytest.mark.parametrize("version", ["2", '"old"', "null"])
def test_another_version(version, tmp_path):
    State.create(tmp_path, DAG).close()
    with closing(sqlite3.connect(tmp_path / FILE_NAME)) as connection, connection:
        connection.execute("UPDATE run SET value = ? WHERE key = 'version'", (version,))
    with pytest.raises(EngineError, match="version") as caught:
        State.open(tmp_path)
    assert "--restart" in str(caught.value)
    assert check_right_or_refused(tmp_path, None) == "refused"


@pytest.mark.parametrize(
    ("other", "why"),
    [
        (Dag.from_names([("a", "b"), ("a", "c é"), ("b", "e")]), "'d'"),
        (Dag.from_names([("a", "b"), ("a", "c é"), ("c é", "d")]), "dependencies"),
    ],
)
def test_another_workflow(other, why, tmp_path):
    with State.create(tmp_path, DAG) as state:
        state.check_workflow(DAG, "flow.dag")
        with pytest.raises(EngineError, match=why) as caught:
            state.check_workflow(other, "flow.dag")
    assert "flow.dag" in str(caught.value)


def test_none_at_all(tmp_path):
    with pytest.raises(EngineError, match=FILE_NAME):
        State.open(tmp_path)


def test_made_twice(tmp_path):
    State.create(tmp_path, DAG).close()
    before = hashes(tmp_path)
    with pytest.raises(EngineError, match=FILE_NAME):
        State.create(tmp_path, DAG)
    assert hashes(tmp_path) == before


@pytest.fixture
def plain_user_folder():
    """A folder of a user to whom permissions apply: root, as which many containers run tests, may write anywhere."""
    with tempfile.TemporaryDirectory() as place:
        Path(place).chmod(0o755)
        folder = Path(place, "folder")
        folder.mkdir()
        if os.geteuid() != 0:
            yield folder
            return
        os.chown(folder, NOBODY, -1)
        os.seteuid(NOBODY)
        try:
            yield folder
        finally:
            os.seteuid(0)


@pytest.mark.parametrize("mode", [0o000, 0o500])
def test_a_directory_without_permission(mode, plain_user_folder):
    plain_user_folder.chmod(mode)
    try:
        with pytest.raises(EngineError, match=FILE_NAME) as caught:
            State.create(plain_user_folder, DAG)
        assert "--state" in str(caught.value)
    finally:
        plain_user_folder.chmod(0o700)


@pytest.mark.parametrize("mode", [0o500, 0o700])
def test_a_file_that_may_only_be_read(mode, plain_user_folder):
    State.create(plain_user_folder, DAG).close()
    before = hashes(plain_user_folder)
    (plain_user_folder / FILE_NAME).chmod(0o400)
    plain_user_folder.chmod(mode)
    try:
        with pytest.raises(EngineError, match=FILE_NAME):
            change(plain_user_folder)
        assert hashes(plain_user_folder)[FILE_NAME] == before[FILE_NAME]
    finally:
        plain_user_folder.chmod(0o700)


@pytest.mark.parametrize("mode", [0o000, 0o200])
def test_a_file_that_may_not_be_read(mode, plain_user_folder):
    State.create(plain_user_folder, DAG).close()
    (plain_user_folder / FILE_NAME).chmod(mode)
    for reading in (True, False):
        with pytest.raises(EngineError, match=FILE_NAME):
            State.open(plain_user_folder, reading=reading)


def change(folder):
    with State.open(folder) as state:
        state.put("x", 1)
        state.commit()


def test_it_is_private(tmp_path):
    with State.create(tmp_path, DAG) as state:
        state.put("x", "a secret")
        state.commit()
        for path in tmp_path.iterdir():
            assert path.stat().st_mode & 0o077 == 0, path.name


def test_a_file_name_that_no_utf_8_can_write(tmp_path):
    """A JSON file may hold half a character, and a disk a file of that name."""
    with State.create(tmp_path, DAG) as state:
        state.saw_file("x\udc80", 5)
        state.commit(sync=True)
        assert state.files == {"x\\udc80": 5}
    with State.open(tmp_path) as state:
        assert state.files == {"x\\udc80": 5}
