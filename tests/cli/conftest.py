"""Directories with DAGs, which become the current one."""

from __future__ import annotations

import pytest

from eligo import write
from tests.cli.dag_folder import PAPER, SUBMIT
from tests.cli.limiting import with_files


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


@pytest.fixture
def nested(folder):
    """Outer runs inner, which runs innermost, which runs inner again; another SUBDAG does not exist yet."""
    (folder / "outer.dag").write_text(
        "SUBDAG EXTERNAL s inner.dag\nSUBDAG EXTERNAL t later.dag\nJOB a x.sub\nPARENT a CHILD s t\n"
    )
    (folder / "inner.dag").write_text(f"SUBDAG EXTERNAL u innermost.dag DIR deep\n{PAPER}")
    (folder / "deep/innermost.dag").write_text("JOB z z.sub\nSUBDAG EXTERNAL v ../inner.dag\n")
    return folder


@pytest.fixture
def spliced(folder):
    (folder / "spliced.dag").write_text("# mine\nSPLICE S paper.dag\nJOB first x.sub\nPARENT first CHILD S\n")
    return folder


@pytest.fixture
def file(tmp_path, monkeypatch):
    """Chains of jobs with files, in a directory of its own."""
    monkeypatch.chdir(tmp_path)
    write(with_files(), "x.json")
    return "x.json"
