"""Added dependencies in DAG files: PARENT lines of ours come and go, beside our priorities, whatever the file is."""

from __future__ import annotations

import random
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eligo.errors import ParseError
from eligo.formats._base import Document
from eligo.formats._dagman.marked_block import DEPENDENCIES, PRIORITIES, append, take_out
from eligo.formats._dagman.priorities import flattened
from eligo.formats._editing import (
    Wish,
    add_dependencies,
    dependencies_of_ours,
    instrument,
    remove_dependencies,
    uninstrument,
)
from eligo.formats._source import Source
from tests.formats.adding_dependencies import Pairs, check, edges_of, pairs_of, parse
from tests.formats.dagman_folders import contents, put, random_folder, read, reread

USER = b"JOB a a.sub\nJOB b b.sub\nJOB c c.sub\nPARENT a CHILD b\n"


def some_pairs(document: Document, seed: int, among: np.ndarray | None = None) -> Pairs:
    """Up to ten pairs that make no cycle, of jobs that a file has a name for unless told otherwise."""
    rng = random.Random(seed)
    dag = document.dag
    order = [job for job in dag.order.tolist() if "+" not in dag.names[job]] if among is None else among.tolist()
    if len(order) < 2:
        return pairs_of()
    places = [sorted(rng.sample(range(len(order)), 2)) for _ in range(rng.randint(1, 10))]
    return pairs_of(*((order[i], order[j]) for i, j in places))


# Any file ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("first", [0, 40, pytest.param(1000, marks=pytest.mark.long)])
def test_random_folders(first: int, tmp_path: Path) -> None:
    """With splices, includes, submit files that change too, rare commands, odd line ends: all comes back."""
    judged = 0
    for seed in range(first, first + (40 if first < 1000 else 1500)):
        (folder := tmp_path / str(seed)).mkdir()
        document = random_folder(folder, seed)
        if document is None or document.dag.n < 2:
            continue
        path, before = folder / "x.dag", contents(folder)
        pairs = some_pairs(document, seed)
        try:
            done = check(document.source.data, "dagman", pairs, path=str(path), priorities=False)
        except ParseError as error:
            assert "the last line has no line end" in error.text
            continue
        put(path, done)
        wish = Wish("vars" if seed % 2 else "priority", replace=seed % 3 == 0)
        limited = reread(path)
        try:
            both = instrument(limited, np.arange(limited.dag.n, 0, -1, dtype=np.int32), wish)
        except ParseError:
            continue  # a splice, or a priority that cannot be kept
        put(path, both)
        assert dag_of(path) == limited.dag
        put(path, remove_dependencies(reread(path, original=True)))
        put(path, uninstrument(reread(path, original=True)))
        assert contents(folder) == before
        judged += 1
    assert judged >= 8


def dag_of(path: Path) -> object:
    document = read(path, original=True)
    assert document is not None
    return document.dag


ENDS = st.sampled_from([b"\n", b"\r\n"])
TEXTS = st.lists(st.sampled_from([b"JOB a a.sub", b"# x", b"", b"  \\", b"y \\", b"\xff\r", b"z"]), max_size=5)


@settings(deadline=None, max_examples=300)
@given(
    TEXTS, ENDS, st.booleans(), st.permutations([PRIORITIES, DEPENDENCIES]), st.permutations([PRIORITIES, DEPENDENCIES])
)
def test_two_blocks_in_any_order(lines: list[bytes], end: bytes, closed: bool, puts: list, takes: list) -> None:
    """Each can be taken out without the other, and the line end that one needed goes with the last of them."""
    text = end.join(lines) + (end if closed else b"")
    content = {PRIORITIES: b"PRIORITY a 1" + end, DEPENDENCIES: b"PARENT a CHILD b" + end}
    try:
        one = {marks: append(Source("x.dag", text), content[marks], marks) for marks in puts}
    except ParseError:
        return
    data = append(Source("x.dag", one[puts[0]]), content[puts[1]], puts[1])
    assert data == append(Source("x.dag", one[DEPENDENCIES]), content[PRIORITIES], PRIORITIES)
    taken = take_out(Source("x.dag", data), takes[0])
    assert (taken.data, taken.found, taken.changed) == (one[takes[1]], True, None)
    taken = take_out(Source("x.dag", taken.data), takes[1])
    assert (taken.data, taken.found, taken.changed) == (text, True, None)


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("last", ["\n", "", " \\\n", "\n# x", "\n\n"])
def test_ends_of_files(end: str, last: str) -> None:
    text = USER.decode().removesuffix("\n") + last
    check(text.replace("\n", end).encode(), "dagman", pairs_of((0, 2), (1, 2)))


def test_hostile_names() -> None:
    names = ["#x", "a;b", "//y", "\udcff\udc80", "名", "CHILDREN", "parents", "x{", "PARENT-1", "%", "*"]
    text = "".join(f"JOB {name} x.sub\n" for name in names)
    pairs = pairs_of(*((i, i + 1) for i in range(len(names) - 1)))
    check(text.encode("utf-8", "surrogateescape"), "dagman", pairs)


# Splices and included files ---------------------------------------------------------------------------------------


@pytest.fixture
def spliced(tmp_path: Path) -> Path:
    (tmp_path / "inner.dag").write_text("JOB x x.sub\nJOB y y.sub\n")
    (tmp_path / "more.dag").write_text("JOB m m.sub\n")
    path = tmp_path / "x.dag"
    path.write_text("JOB a a.sub\nSPLICE S inner.dag\nINCLUDE more.dag\nSUBDAG EXTERNAL d d.dag\nFINAL f f.sub\n")
    return path


def test_jobs_of_included_files_and_subdags(spliced: Path) -> None:
    document = reread(spliced)
    names = document.dag.names
    pair = pairs_of((names.index("a"), names.index("m")), (names.index("m"), names.index("d")))
    done = check(document.source.data, "dagman", pair, path=str(spliced), priorities=False)
    assert done.data.splitlines()[-3:-1] == [b"PARENT a CHILD m", b"PARENT m CHILD d"]


def test_jobs_of_splices_have_no_name(spliced: Path) -> None:
    document = reread(spliced)
    names = document.dag.names
    pair = pairs_of((names.index("a"), names.index("S+y")))
    with pytest.raises(ParseError, match=r"x.dag:2: job 'S\+y' is in a splice") as caught:
        add_dependencies(document, *pair)
    assert "--flatten" in caught.value.hint
    flat = flattened(document)
    done = add_dependencies(flat, *pair)
    assert b"PARENT a CHILD S.y\n" in done.data
    assert remove_dependencies(parse(done.data, "dagman")).data == flat.source.data


def test_flattening_keeps_ours_apart(spliced: Path) -> None:
    """Where the document has them; one that was opened without them is flattened without them."""
    document = reread(spliced)
    names = document.dag.names
    pair = pairs_of((names.index("a"), names.index("m")))
    plain = flattened(document).source.data
    put(spliced, add_dependencies(document, *pair))
    limited = reread(spliced, original=True)
    flat = flattened(limited)
    assert edges_of(flat.dag) == edges_of(limited.dag)
    assert [ends.tolist() for ends in dependencies_of_ours(flat)] == [ends.tolist() for ends in pair]
    assert remove_dependencies(flat).data == plain
    assert flattened(reread(spliced, original=True, limited=False)).source.data == plain


# Edited by hand ---------------------------------------------------------------------------------------------------


def limited(text: bytes = USER) -> bytes:
    return add_dependencies(parse(text, "dagman"), *pairs_of((0, 2), (1, 2))).data


def test_lines_changed_by_hand() -> None:
    data = limited().replace(b"PARENT b CHILD c\n", b"")
    document = parse(data, "dagman")
    assert document.dag.m == 2
    done = remove_dependencies(document)
    assert done.data == USER
    assert ["w:5: the lines between" in text for text in done.warnings] == [True]
    again = add_dependencies(document, *pairs_of((0, 2), (1, 2)))
    assert again.data == limited()
    assert len(again.warnings) == 1


def test_a_line_of_the_users_between_our_marks() -> None:
    data = re.sub(rb"(PARENT b CHILD c\n)", rb"\1RETRY a 3\n", limited())
    with pytest.raises(ParseError, match="w:8: this line stands between eligo's marks"):
        remove_dependencies(parse(data, "dagman"))


@pytest.mark.parametrize("mark", [b"# >>> eligo dep", b"# <<< eligo dep"])
def test_half_a_block(mark: bytes) -> None:
    lines = [line for line in limited().splitlines(keepends=True) if not line.startswith(mark)]
    with pytest.raises(ParseError, match="this is a mark of eligo's"):
        remove_dependencies(parse(b"".join(lines), "dagman"))


def test_what_the_user_adds_behind_our_block() -> None:
    data = limited(USER.removesuffix(b"\n")) + b"JOB d d.sub\n"
    document = parse(data, "dagman")
    assert document.dag.m == 3
    assert remove_dependencies(document).data == USER + b"JOB d d.sub\n"
    done = add_dependencies(document, *pairs_of((2, 3)))
    assert done.data.startswith(USER + b"JOB d d.sub\n# >>> eligo dependencies >>>")


def test_damaged_priorities_do_not_keep_dependencies_in() -> None:
    document = parse(limited(USER.removesuffix(b"\n")), "dagman")
    both = instrument(document, np.array([3, 2, 1], np.int32), Wish()).data
    changed = both.replace(b"PRIORITY b 2\n", b"")
    left = remove_dependencies(parse(changed, "dagman")).data
    assert left.startswith(USER + b"# >>> eligo priorities (after a line end of ours) >>>")
    assert take_out(Source("x.dag", left)).changed == 5
    assert take_out(Source("x.dag", left)).data == USER.removesuffix(b"\n")
    cut = both[: both.rindex(b"# <<<")]
    assert b"dependencies" not in remove_dependencies(parse(cut, "dagman")).data


# How it is written ------------------------------------------------------------------------------------------------


def test_a_line_has_one_parent() -> None:
    """With several parents and several children DAGMan would put a join node between them."""
    text = "".join(f"JOB {name} x.sub\n" for name in "abcd").encode()
    done = add_dependencies(parse(text, "dagman"), *pairs_of((1, 3), (0, 3), (0, 2), (1, 2), (0, 2)))
    assert done.data.splitlines()[5:7] == [b"PARENT a CHILD c d", b"PARENT b CHILD c d"]


def test_many() -> None:
    n = 2000
    text = "".join(f"JOB j{i} x.sub\n" for i in range(n)).encode()
    tails = np.repeat(np.arange(n // 2, dtype=np.int32), 100)
    heads = (n // 2 + (tails + np.tile(np.arange(100, dtype=np.int32), n // 2)) % (n // 2)).astype(np.int32)
    document = parse(text, "dagman")
    done = add_dependencies(document, tails, heads)
    assert done.written == 100_000
    assert parse(done.data, "dagman").dag.m == 100_000
    assert remove_dependencies(parse(done.data, "dagman")).data == text
