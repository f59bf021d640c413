"""A page from Python says what the one from the command line says."""

from __future__ import annotations

from pathlib import Path

import pytest

import eligo
from eligo import generate
from eligo.dag import Dag
from eligo.errors import EligoError
from eligo.report import write_page
from eligo.report._page.render import PAGE_START, render

FORK = Dag.from_names([("a", "b"), ("a", "c")])


def test_the_page_is_what_was_found(tmp_path: Path) -> None:
    found = write_page(FORK, tmp_path / "fork.html", name="fork", strategies=["lifo", "fifo"], workers=3)
    page = (tmp_path / "fork.html").read_bytes()
    assert page == render(found)
    assert page.startswith(PAGE_START)
    assert b"<title>fork: report of eligo</title>" in page
    assert [each.label for each in found.strategies] == ["lifo", "fifo"]
    assert found.workers == 3
    assert found.memory is None
    assert b"no sizes are known" in page


def test_within_a_limit(tmp_path: Path) -> None:
    dag = generate.inspiral(60, costs=True)
    most = eligo.worst_peak(dag).bound * 4 // 5
    found = write_page(dag, tmp_path / "limited.html", memory=most)
    assert found.memory is not None
    assert found.memory.limited is not None
    assert found.memory.analysis.worst.bound <= most < found.memory.before.worst.bound
    assert found.added.sum() == len(found.memory.limited.tails) > 0
    assert found.plain is dag


def test_in_pebbles(tmp_path: Path) -> None:
    found = write_page(FORK, tmp_path / "fork.html", model="pebble")
    assert found.memory is not None
    assert found.memory.analysis.worst.bound == 3


@pytest.mark.parametrize("words", [{"memory": 5}, {"model": "files"}])
def test_what_is_asked_for_is_not_left_out(tmp_path: Path, words: dict) -> None:
    with pytest.raises(EligoError, match="no sizes are known"):
        write_page(FORK, tmp_path / "fork.html", **words)
    assert not (tmp_path / "fork.html").exists()


def test_nowhere(tmp_path: Path) -> None:
    with pytest.raises(EligoError, match="there is no directory"):
        write_page(FORK, tmp_path / "none" / "fork.html")


def test_other_names_are_not_there() -> None:
    with pytest.raises(AttributeError, match="no attribute 'write_pages'"):
        eligo.report.write_pages  # noqa: B018
