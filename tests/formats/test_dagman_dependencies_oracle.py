"""The real DAGMan on files with our dependencies: it takes them, and sees the old dag plus the edges."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from eligo.errors import ParseError
from eligo.formats._dagman.priorities import flattened
from eligo.formats._editing import Wish, add_dependencies, instrument
from tests.formats.adding_dependencies import pairs_of
from tests.formats.dagman_folders import put, reread
from tests.formats.test_dagman_dependencies import some_pairs
from tests.formats.test_dagman_instrument_oracle import random_documents
from tests.formats.test_dagman_oracle import no_verdict
from tests.reference.dagman_oracle import ask, need_oracle

pytestmark = pytest.mark.engine


def named(names: tuple[str, ...], tails: np.ndarray, heads: np.ndarray) -> set[tuple[bytes, bytes]]:
    raw = [name.encode("utf-8", "surrogateescape") for name in names]
    return {(raw[tail], raw[head]) for tail, head in zip(tails.tolist(), heads.tolist(), strict=True)}


def test_random_files(tmp_path: Path) -> None:
    """Every second one has our priorities too; splices and includes stay, and are flattened in every third."""
    need_oracle()
    cases = []
    for seed, (path, document) in enumerate(random_documents(tmp_path, 40, 7000)):
        work = flattened(document) if seed % 3 == 0 else document
        pairs = some_pairs(work, seed)
        path.with_name("before.dag").write_bytes(work.source.data)
        try:
            done = add_dependencies(work, *pairs)
        except ParseError as error:
            assert "the last line has no line end" in error.text
            continue
        put(path, done)
        if seed % 2:
            try:
                put(path, instrument(reread(path), np.arange(work.dag.n, 0, -1, dtype=np.int32), Wish(replace=True)))
            except ParseError as error:
                assert "splice" in error.text
        cases.append((path, work, pairs))
    verdicts = ask([file for path, _, _ in cases for file in (path.with_name("before.dag"), path)])
    judged = 0
    for (_, work, pairs), before, after in zip(cases, verdicts[::2], verdicts[1::2], strict=True):
        if no_verdict(before, {"x.dag": work.source.data}):
            continue
        judged += 1
        assert after.accepted, after.log[-2000:]
        assert (after.jobs, after.others) == (before.jobs, before.others)
        assert after.edges == before.edges | named(work.dag.names, *pairs)
    assert judged >= 15


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("last", ["\n", "", " \\\n", "\n# x"])
def test_line_ends(end: str, last: str, tmp_path: Path) -> None:
    need_oracle()
    (tmp_path / "more.dag").write_bytes(f"JOB m x.sub{end}JOB n x.sub".encode())
    (tmp_path / "inner.dag").write_bytes(f"JOB x x.sub{end}".encode())
    path = tmp_path / "x.dag"
    text = f"JOB a x.sub\nSPLICE S inner.dag\nSUBDAG EXTERNAL d inner.dag\nPARENT a CHILD S\nINCLUDE more.dag{last}"
    path.write_bytes(text.replace("\n", end).encode())
    document = reread(path)
    names = document.dag.names
    put(
        path,
        add_dependencies(
            document, *pairs_of((names.index("a"), names.index("m")), (names.index("m"), names.index("d")))
        ),
    )
    [verdict] = ask([path])
    assert verdict.accepted, verdict.log[-2000:]
    assert verdict.edges == {(b"a", b"S+x"), (b"a", b"m"), (b"m", b"d")}


def test_the_outer_file_cannot_name_a_job_of_a_splice(tmp_path: Path) -> None:
    """Which is why we refuse to: not for want of trying."""
    need_oracle()
    (tmp_path / "inner.dag").write_text("JOB x x.sub\n")
    path = tmp_path / "x.dag"
    path.write_text("JOB a x.sub\nSPLICE S inner.dag\nPARENT a CHILD S+x\n")
    [verdict] = ask([path])
    assert not verdict.accepted
    assert "S+x" in verdict.log
