"""Priorities in DAG files: lossless, the same however often, and effective. Properties first, then cases by name."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eligo.errors import EligoError, ParseError
from eligo.formats import open_document
from eligo.formats._base import Document
from eligo.formats._dagman import NodeDetails, flat_names, parse
from eligo.formats._dagman.priorities import flattened, instrument, uninstrument, without_priorities
from eligo.formats._editing import Instrumented, Wish
from eligo.formats._source import Source
from tests.corpus import DATA, needs_shared, statistics
from tests.formats.dagman_folders import contents, put, random_folder, reread, some_priorities
from tests.reference.job_priority import job_priority

DIRECT = ("priority", "my.jobprio")
"""Variables that set the priority themselves."""

WISHES = st.builds(Wish, st.sampled_from(["priority", "vars"]), st.booleans())


def instrumented(text: bytes, *numbers: int, **wish: object) -> Instrumented:
    document = parse(Source("x.dag", text))
    priorities = np.array(numbers or range(document.dag.n, 0, -1), np.int32)
    return instrument(document, priorities, Wish(**wish))  # type: ignore[arg-type]


def block_of(data: bytes) -> list[str]:
    """The lines between our marks, and nothing else in the file is ours."""
    lines = data.decode("utf-8", "surrogateescape").splitlines()
    first = next(i for i, line in enumerate(lines) if line.startswith("# >>> eligo priorities"))
    last = next(i for i, line in enumerate(lines) if line.startswith("# <<< eligo priorities"))
    return lines[first + 1 : last]


def attempt(document: Document, wish: Wish) -> Instrumented | None:
    """Instrument a DAG; ``None`` where it has splices, VARS that would fight with ours, or a last line as it is."""
    try:
        return instrument(document, some_priorities(document), wish)
    except ParseError as error:
        assert any(words in error.text for words in ("splice", "no line end", "style vars cannot keep it"))
        return None


def said(document: Document) -> list[NodeDetails]:
    """All that a DAG says of its jobs, but for priorities and where it says so."""
    nodes = [document.details.job(job) for job in range(document.dag.n)]
    return [
        replace(
            node,
            priority=None,
            line=0,
            inline=None if node.inline is None else "".join(without_ours(node.inline)),
            vars=tuple(var for var in node.vars if var.name.lower() not in ("jobpriority", *DIRECT)),
        )
        for node in [*nodes, *document.details.others()]
    ]


def without_ours(text: str) -> Iterator[str]:
    inside = False
    for line in text.splitlines(keepends=True):
        inside = inside or line.startswith("# >>> eligo")
        if not inside:
            yield line.removeprefix("# eligo keeps: ")
        inside = inside and not line.startswith("# <<< eligo")


@settings(deadline=None, max_examples=200)
@given(st.integers(0, 2**32), WISHES, WISHES)
def test_lossless_and_the_same_however_often(seed: int, wish: Wish, before: Wish) -> None:
    """Whatever was there before: the result depends on the user's files alone, and --remove brings these back."""
    with tempfile.TemporaryDirectory() as name:
        folder, path = Path(name), Path(name, "x.dag")
        document = random_folder(folder, seed)
        result = document and attempt(document, wish)
        if document is None or result is None:
            return
        users = contents(folder)
        put(path, result)
        wished = contents(folder)
        again = instrument(reread(path), some_priorities(document), wish)
        assert again.data == result.data
        assert again.others == ()
        assert (again.written, again.kept, again.warnings) == (result.written, result.kept, result.warnings)
        if in_between := attempt(reread(path), before):
            put(path, in_between)
        put(path, instrument(reread(path, original=True), some_priorities(document), wish))
        assert contents(folder) == wished
        put(path, uninstrument(reread(path)))
        assert contents(folder) == users
        nothing = uninstrument(document)
        assert (nothing.data, nothing.others, nothing.warnings) == (document.source.data, (), ())


@settings(deadline=None, max_examples=150)
@given(st.integers(0, 2**32), WISHES)
def test_nothing_but_priorities_changes(seed: int, wish: Wish) -> None:
    with tempfile.TemporaryDirectory() as name:
        document = random_folder(Path(name), seed)
        result = document and attempt(document, wish)
        if document is None or result is None:
            return
        put(Path(name, "x.dag"), result)
        after = reread(Path(name, "x.dag"))
        assert after.dag == document.dag
        assert said(after) == said(document)
        assert after.details.maxjobs == document.details.maxjobs
        assert [s.text for s in after.details.settings] == [s.text for s in document.details.settings]
        assert after.dag.n == result.written + result.kept


def user_text(document: Document, node: NodeDetails) -> str | None:
    if node.inline is not None:
        return node.inline
    path = Path(document.source.path).parent / node.directory / node.submit
    return path.read_bytes().decode("latin-1") if path.is_file() else None


def prio(node: NodeDetails, text: str) -> int:
    variables = [(var.name, var.value, var.prepend is False) for var in node.vars]
    return job_priority(node.priority, variables, text, node.inline is not None)


def names_in(text: str) -> set[str]:
    lines = [line for line in text.split("\n") if "=" in line and not line.startswith("#")]
    return {line.partition("=")[0].strip().lower() for line in lines}


def is_overriding(text: str, inside: bool) -> bool:
    return bool(names_in(text) & ({"+jobprio", "my.jobprio"} | (set() if inside else {"priority"})))


def refers(text: str, inside: bool) -> bool:
    """Whether every priority in a description is that of the job's VARS; one that changes its mind is left alone."""
    lines = [line.lower() for line in text.split("\n") if line.lower().startswith("priority")]
    others = names_in(text) & {"+jobprio", "my.jobprio", "" if inside else "jobpriority"}
    return bool(lines) and not others and all("$(jobpriority" in line for line in lines)


@settings(deadline=None, max_examples=200)
@given(st.integers(0, 2**32), WISHES)
def test_the_queue_sees_ours_unless_the_users_stay(seed: int, wish: Wish) -> None:
    """By the rules of ``reference/job_priority.py``, before and after, for every job whose description is there."""
    with tempfile.TemporaryDirectory() as name:
        document = random_folder(Path(name), seed)
        result = document and attempt(document, wish)
        if document is None or result is None:
            return
        ours = some_priorities(document).tolist()
        nodes = [document.details.job(job) for job in range(document.dag.n)]
        texts = [user_text(document, node) for node in nodes]
        put(Path(name, "x.dag"), result)
        after = reread(Path(name, "x.dag"))
        for job, (node, text) in enumerate(zip(nodes, texts, strict=True)):
            now = after.details.job(job)
            if node.kind == "subdag":
                assert now.priority == (ours[job] if node.priority is None or wish.replace else node.priority)
            elif text is not None:
                users = expected(node, text, wish)
                assert prio(now, user_text(after, now) or "") == (ours[job] if users is None else users)


def expected(node: NodeDetails, text: str, wish: Wish) -> int | None:
    """The priority of the user's that stays; ``None`` where ours should be there."""
    if wish.replace:
        return None
    inside = node.inline is not None
    direct = any(var.name.lower() in DIRECT for var in node.vars)
    own = names_in(text) & {"priority", "prio", "jobprio", "+jobprio", "my.jobprio", "" if inside else "jobpriority"}
    if wish.style == "priority":
        return prio(node, text) if direct or is_overriding(text, inside) else node.priority
    if direct or (own and not refers(text, inside)):
        return prio(node, text)
    named = [int(var.value) for var in node.vars if var.name.lower() == "jobpriority"]
    return node.priority if inside and node.priority is not None else [*named, node.priority][0]


def test_the_block() -> None:
    """a -> b, c -> d, c -> e of paper 002, which runs c first."""
    text = b"JOB a s\nJOB b s\nJOB c s\nJOB d s\nJOB e s\nPARENT a CHILD b\nPARENT c CHILD d e\n"
    result = instrumented(text, 4, 3, 5, 2, 1)
    assert result.data.startswith(text + b"# >>> eligo priorities >>> ")
    assert block_of(result.data) == ["PRIORITY a 4", "PRIORITY b 3", "PRIORITY c 5", "PRIORITY d 2", "PRIORITY e 1"]
    assert (result.written, result.kept, result.warnings, result.others) == (5, 0, (), ())


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"# nothing\n",
        b"FINAL f f.sub\n",
        b"FINAL f f.sub\nPROVISIONER p p.sub\nSERVICE s s.sub",
        b"PROVISIONER p p.sub\nPRIORITY p 7\nPRIORITY ALL_NODES 3\n",
    ],
)
@pytest.mark.parametrize("wish", [Wish(), Wish("vars")])
def test_without_jobs_nothing_is_written(text: bytes, wish: Wish) -> None:
    result = instrument(parse(Source("x.dag", text)), np.empty(0, np.int32), wish)
    assert (result.data, result.written, result.kept) == (text, 0, 0)


def test_nodes_outside_the_graph_get_none() -> None:
    text = b"JOB a a.sub\nFINAL f f.sub\nPROVISIONER p p.sub\nSERVICE s s.sub\nSUBDAG EXTERNAL d d.dag\n"
    assert block_of(instrumented(text).data) == ["PRIORITY a 2", "PRIORITY d 1"]


def test_jobs_that_are_not_submitted_have_priorities_too() -> None:
    """DAGMan orders a NOOP among others; a DONE one may be run again."""
    assert block_of(instrumented(b"JOB a a.sub NOOP\nJOB b b.sub DONE\n").data) == ["PRIORITY a 2", "PRIORITY b 1"]


def test_line_ends_are_those_of_the_file() -> None:
    for text in (b"JOB a a.sub\r\nJOB b b.sub\r\n", b"JOB a a.sub\r\nJOB b b.sub"):
        data = instrumented(text).data
        assert data.count(b"\n") == data.count(b"\r\n") == 6
        assert without_priorities(Source("x.dag", data)).data == text
        unix = data.replace(b"\r\n", b"\n")  # as version control may make it
        assert without_priorities(Source("x.dag", unix)).data == text.replace(b"\r\n", b"\n")


@pytest.mark.parametrize(
    "end", [b"", b"\\\n", b" \\\n  \\\n", b" \\\r\n", b"\n# a comment", b"\n \t", b"\n# b \\", b"\n\\\n", b"\n# c\r"]
)
def test_unusual_last_lines(end: bytes) -> None:
    """What follows them must not become a part of them."""
    text = b"JOB a a.sub\nPARENT a CHILD b\nJOB b b.sub" + end
    document = parse(Source("x.dag", text))
    data = instrument(document, np.array([2, 1], np.int32), Wish()).data
    after = parse(Source("x.dag", data))
    assert after.dag == document.dag
    assert [after.details.job(job).priority for job in (0, 1)] == [2, 1]
    assert after.details.job(1).submit == document.details.job(1).submit
    assert uninstrument(after).data == text


@pytest.mark.parametrize("end", [b"PARENT a CHILD b\\", b"PARENT a\\\n CHILD b", b"JOB c c.sub\r"])
def test_a_last_line_that_a_newline_would_change_is_refused(end: bytes) -> None:
    with pytest.raises(ParseError, match=r"x\.dag:3: the last line has no line end") as error:
        instrumented(b"JOB a a.sub\nJOB b\\ b.sub\n".replace(b"\\", b"\\" if end.endswith(b"\\") else b"") + end)
    assert "end it with a newline" in error.value.hint


def test_names_of_all_kinds() -> None:
    names = [b"#x", b'"q"', b"a\\", b"7", b"x=y", b"\xff\xfe", b"\xc3\xa9", b"//", b"{", b"PRIORITY", b"a\rb"]
    text = b"".join(b"JOB %s s.sub\n" % name for name in names)
    for style in ("priority", "vars"):
        data = instrumented(text, style=style).data
        after = parse(Source("x.dag", data))
        found = [
            node.priority if style == "priority" else int(node.vars[0].value)
            for node in map(after.details.job, range(after.dag.n))
        ]
        assert found == list(range(len(names), 0, -1))
        assert uninstrument(after).data == text


def test_priorities_of_the_user_stay() -> None:
    text = b"JOB a s\nJOB b s\nJOB c s\nPRIORITY b 7\n"
    result = instrumented(text)
    assert block_of(result.data) == ["PRIORITY a 3", "PRIORITY c 1"]
    assert (result.written, result.kept) == (2, 1)
    assert result.warnings == ("x.dag:4: 1 job has a PRIORITY of your own, which stays; --replace puts ours there",)
    everywhere = instrumented(b"JOB a s\nJOB b s\nPRIORITY ALL_NODES 7\n")
    assert (everywhere.written, everywhere.kept) == (0, 2)
    assert b"eligo" not in everywhere.data
    assert everywhere.warnings[0].startswith("x.dag:3: 2 jobs have a PRIORITY of your own")


def test_priorities_of_the_user_are_replaced_on_request() -> None:
    text = b'JOB a s\n  priority a \\\n   7 \nPRIORITY all_nodes 3\nVARS a x="1"\nPRIORITY a 2'
    result = instrumented(text, replace=True)
    assert result.data.split(b"# >>>")[0] == (
        b"JOB a s\n# eligo keeps:   priority a \\\n# eligo keeps:    7 \n# eligo keeps: PRIORITY all_nodes 3\n"
        b'VARS a x="1"\n# eligo keeps: PRIORITY a 2\n'
    )
    assert block_of(result.data) == ["PRIORITY a 1"]
    assert (result.written, result.kept, result.warnings) == (1, 0, ())
    assert without_priorities(Source("x.dag", result.data)).data == text


def test_included_jobs_are_named_by_the_outer_file(tmp_path: Path) -> None:
    (tmp_path / "i.dag").write_bytes(b"JOB b s\nJOB c s\nPRIORITY c 9\n")
    (tmp_path / "x.dag").write_bytes(b"JOB a s\nINCLUDE i.dag\n")
    result = instrument(reread(tmp_path / "x.dag"), np.array([3, 2, 1], np.int32), Wish())
    assert block_of(result.data) == ["PRIORITY a 3", "PRIORITY b 2"]
    assert "i.dag:3: 1 job has" in result.warnings[0]
    result = instrument(reread(tmp_path / "x.dag"), np.array([3, 2, 1], np.int32), Wish(replace=True))
    assert block_of(result.data) == ["PRIORITY a 3", "PRIORITY b 2", "PRIORITY c 1"]
    assert "i.dag:3: included files are not changed" in result.warnings[0]
    put(tmp_path / "x.dag", result)
    assert reread(tmp_path / "x.dag").details.job(2).priority == 1  # the last word counts


def test_all_nodes_are_those_known_by_then(tmp_path: Path) -> None:
    (tmp_path / "i.dag").write_bytes(b"JOB b s\n")
    (tmp_path / "x.dag").write_bytes(b"JOB a s\nPRIORITY ALL_NODES 7\nINCLUDE i.dag\n")
    result = instrument(reread(tmp_path / "x.dag"), np.array([2, 1], np.int32), Wish())
    assert block_of(result.data) == ["PRIORITY b 1"]


def test_the_block_moves_behind_what_was_added(tmp_path: Path) -> None:
    """Jobs came, one of them by an INCLUDE behind the block, another went: the block would not even be read."""
    (tmp_path / "i.dag").write_bytes(b"JOB z s\n")
    path = tmp_path / "x.dag"
    path.write_bytes(b"JOB a s\nJOB gone s")
    put(path, instrument(reread(path), np.array([2, 1], np.int32), Wish()))
    edited = path.read_bytes().replace(b"JOB gone s", b"JOB b s") + b"JOB c s\nINCLUDE i.dag"
    path.write_bytes(edited)
    with pytest.raises(ParseError, match="unknown job 'gone'"):
        reread(path)
    document = reread(path, original=True)
    assert document.source.data == edited
    result = instrument(document, np.array([4, 3, 2, 1], np.int32), Wish())
    assert result.data.startswith(b"JOB a s\nJOB b s\nJOB c s\nINCLUDE i.dag\n# >>>")
    assert block_of(result.data) == [f"PRIORITY {job} {n}" for job, n in zip("abcz", (4, 3, 2, 1), strict=True)]
    assert uninstrument(document).data == b"JOB a s\nJOB b s\nJOB c s\nINCLUDE i.dag"


def test_splices_need_a_flat_file(tmp_path: Path) -> None:
    (tmp_path / "s.dag").write_bytes(b"JOB a s\nJOB b s\nPRIORITY b 9\nPARENT a CHILD b\n")
    path = tmp_path / "x.dag"
    path.write_bytes(b"JOB S.a s\nSPLICE S s.dag\nSPLICE T s.dag\nPARENT S CHILD T\n")
    document = reread(path)
    numbers = np.arange(document.dag.n, 0, -1, dtype=np.int32)
    with pytest.raises(ParseError, match=r"x\.dag:2: the jobs of splice 'S' cannot have priorities") as error:
        instrument(document, numbers, Wish())
    assert "--flatten" in error.value.hint
    flat = flattened(document)
    assert flat.dag.names == tuple(flat_names(document)) == ("S.a", "S.a_2", "S.b", "T.a", "T.b")
    result = instrument(flat, numbers, Wish(replace=True))
    assert block_of(result.data) == [
        f"PRIORITY {name} {n}" for name, n in zip(flat.dag.names, (5, 4, 3, 2, 1), strict=True)
    ]
    kept = instrument(flat, numbers, Wish())
    assert (kept.written, kept.kept) == (3, 2)


def test_flattening_leaves_what_was_ours_behind(tmp_path: Path) -> None:
    path = tmp_path / "x.dag"
    path.write_bytes(b"JOB a s\nPRIORITY a 9\n")
    put(path, instrument(reread(path), np.array([1], np.int32), Wish(replace=True)))
    assert flattened(reread(path)).source.data == flattened(reread(path, original=True)).source.data
    assert b"PRIORITY a 9" in flattened(reread(path)).source.data


def test_a_splice_without_jobs_is_no_obstacle(tmp_path: Path) -> None:
    (tmp_path / "s.dag").write_bytes(b"# none\n")
    (tmp_path / "x.dag").write_bytes(b"JOB a s\nSPLICE S s.dag\n")
    result = instrument(reread(tmp_path / "x.dag"), np.array([1], np.int32), Wish())
    assert block_of(result.data) == ["PRIORITY a 1"]


def test_wrong_number_of_priorities() -> None:
    from eligo.formats import _editing as editing

    with pytest.raises(EligoError, match="2 priorities for 1 jobs"):
        editing.instrument(parse(Source("x.dag", b"JOB a s\n")), np.array([1, 2], np.int32))


CORPUS = [name for name in statistics() if name.startswith("dagman/")]


@needs_shared
@pytest.mark.parametrize("name", CORPUS)
@pytest.mark.parametrize("wish", [Wish(), Wish("vars", replace=True)])
def test_real_files(name: str, wish: Wish) -> None:
    try:
        document = open_document(DATA / name)
    except EligoError:
        return
    document = flattened(document) if any(use.unit.count for use in document.details.root.instances) else document
    numbers = some_priorities(document)
    result = instrument(document, numbers, wish)
    after = parse(Source(document.source.path, result.data))
    assert after.dag == document.dag
    assert uninstrument(after).data == document.source.data
    assert instrument(after, numbers, wish).data == result.data
    if wish.style == "priority":
        jobs = range(0, document.dag.n, 1 + document.dag.n // 200)
        given = [document.details.job(job).priority for job in jobs]
        expected = [numbers[job] if own is None else own for job, own in zip(jobs, given, strict=True)]
        assert [after.details.job(job).priority for job in jobs] == expected
