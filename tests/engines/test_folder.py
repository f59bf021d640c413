"""The folder of a run: nothing is written through what somebody put there."""

from __future__ import annotations

import pytest

from eligo.engines._run import run
from eligo.engines._run_folder import Folder
from eligo.errors import EngineError


@pytest.mark.parametrize("name", ["lock", "run.log", "logs", "job-data.csv", "anything"])
def test_a_folder_with_a_link_in_it_is_refused(name, tmp_path):
    """A workflow may have come with such a folder: the lock would empty, and logs would be added to, what it names."""
    precious = tmp_path / "precious"
    precious.write_text("text")
    folder = tmp_path / "flow.dot.eligo"
    folder.mkdir()
    (folder / name).symlink_to(precious)
    with pytest.raises(EngineError, match="symbolic link"):
        Folder(folder)
    assert precious.read_text() == "text"


def test_a_folder_may_be_elsewhere(tmp_path):
    """A link to a folder on a larger disk is the user's own."""
    (tmp_path / "large").mkdir()
    (tmp_path / "flow.dot.eligo").symlink_to("large")
    with Folder(tmp_path / "flow.dot.eligo"):
        assert (tmp_path / "large" / "lock").exists()


def test_a_folder_that_cannot_be_moved_aside(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "x.dot").write_text("digraph { a }")
    run("x.dot", command="true", state=".")
    with pytest.raises(EngineError, match="cannot be moved aside"):
        run("x.dot", command="true", state=".", restart=True)
    assert run("x.dot", command="true", state=".", resume=True).done == 1
