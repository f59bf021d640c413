"""Writing: a dag as a DAGMan file and back, and files that were read without splices and includes."""

from __future__ import annotations

import random
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eligo.dag import Dag
from eligo.errors import EligoError, ParseError
from eligo.formats._base import Notes
from eligo.formats._dagman import flat_names, flatten, generate, parse
from eligo.formats._dagman.writer import is_legal, legal_names
from eligo.formats._source import Source, load
from eligo.graph import remove_shortcuts
from tests.reference.dagman_random import random_case

NAMES = st.one_of(
    st.sampled_from(
        [
            "a",
            "b",
            "a b",
            "PARENT",
            "child",
            "All_Nodes",
            "",
            "S+a",
            "S.a",
            "_",
            'q"',
            "\\",
            "x=y",
            "é",
            "JOB",
            "#",
            "{",
            "\udce9",
        ]
    ),
    st.text(max_size=6),
)


@st.composite
def dags(draw) -> Dag:
    names = draw(st.lists(NAMES, unique=True, max_size=12))
    n = len(names)
    pairs = (
        draw(st.sets(st.tuples(st.integers(0, max(n - 1, 0)), st.integers(0, max(n - 1, 0))), max_size=30))
        if n
        else set()
    )
    pairs = {(min(pair), max(pair)) for pair in pairs if pair[0] != pair[1]}
    times = st.one_of(st.just(np.nan), st.floats(0, 1e12))
    sizes = st.one_of(st.just(-1), st.integers(0, 2**62 - 1))
    return Dag.from_edges(
        names,
        [a for a, _ in pairs],
        [b for _, b in pairs],
        time_s=draw(st.none() | st.lists(times, min_size=n, max_size=n)),
        memory_bytes=draw(st.none() | st.lists(sizes, min_size=n, max_size=n)),
        temp_bytes=draw(st.none() | st.lists(sizes, min_size=n, max_size=n)),
    )


@settings(deadline=None, max_examples=300)
@given(dags())
def test_what_is_written_reads_back(dag: Dag) -> None:
    lost = Notes()
    text = "".join(generate(dag, lost))
    again = parse(Source("x.dag", text.encode("utf-8", "surrogateescape"))).dag
    assert again.names == tuple(legal_names(dag.names))
    assert again == Dag.from_edges(
        again.names, dag.tails, dag.heads, time_s=dag.time_s, memory_bytes=dag.memory_bytes, temp_bytes=dag.temp_bytes
    )
    assert bool(lost.texts()) == (again.names != dag.names)


@given(st.lists(NAMES, unique=True))
def test_legal_names(names: list[str]) -> None:
    made = legal_names(names)
    assert len(set(made)) == len(names)
    assert all(map(is_legal, made))
    assert all(new == old for old, new in zip(names, made, strict=True) if is_legal(old))


def test_many_equal_replacements_are_not_quadratic() -> None:
    names = [" " * i + "x" for i in range(1, 300)] + [f"{'_' * i}x" for i in range(300)]
    assert len(set(legal_names(names))) == len(names)


@settings(deadline=None, max_examples=200)
@given(st.integers(0, 2**32))
def test_flattening(seed: int) -> None:
    """The same jobs and edges, and flattening once more changes nothing but the comments."""
    with tempfile.TemporaryDirectory() as folder:
        for name, data in random_case(random.Random(seed)).items():
            Path(folder, name).write_bytes(data)
        try:
            document = parse(load(Path(folder, "x.dag")))
            text = flatten(document)
        except EligoError:
            return
        flat = parse(Source(str(Path(folder, "flat.dag")), text.encode("utf-8", "surrogateescape")))
        assert flat.dag.names == tuple(flat_names(document))
        assert flat.dag == Dag.from_edges(flat.dag.names, document.dag.tails, document.dag.heads)
        told = [line for line in text.split("\n") if not line.endswith(" here")]
        assert flatten(flat).replace("\r", "") == "\n".join(told).replace("\r", "")  # a last word may end in one


def test_a_second_provisioner_has_no_place_in_one_file(tmp_path: Path) -> None:
    (tmp_path / "inner.dag").write_text("JOB a a.sub\nPROVISIONER p p.sub\n")
    (tmp_path / "x.dag").write_text("SPLICE s inner.dag\nSPLICE t inner.dag\n")
    document = parse(load(tmp_path / "x.dag"))
    with pytest.raises(ParseError, match=r"x\.dag: 2 splices or DAGs have a PROVISIONER") as caught:
        flatten(document)
    assert caught.value.hint == "remove all but one: s+p, t+p"


@settings(deadline=None, max_examples=200)
@given(st.integers(0, 2**32), st.data())
def test_flattening_with_other_edges(seed: int, data: st.DataObject) -> None:
    """Only the edges change: what is said of the jobs is what flattening without a dag says."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in random_case(random.Random(seed)).items():
            Path(folder, name).write_bytes(text)
        try:
            document = parse(load(Path(folder, "x.dag")))
            flatten(document)
        except EligoError:
            return
    old = document.dag
    keep = np.array(data.draw(st.lists(st.booleans(), min_size=old.m, max_size=old.m)), np.bool_)
    dag = Dag.from_edges(old.names, old.tails[keep], old.heads[keep])
    text = flatten(document, dag)
    assert [line for line in text.split("\n") if not line.startswith("PARENT")] == [
        line for line in flatten(document).split("\n") if not line.startswith("PARENT")
    ]
    again = parse(Source(str(Path(folder, "flat.dag")), text.encode("utf-8", "surrogateescape"))).dag
    assert again == Dag.from_edges(again.names, dag.tails, dag.heads)


WEAK = b"""\
JOB a x
JOB b x
JOB c x
PARENT a CHILD b
WEAK PARENT b CHILD c
WEAK PARENT a CHILD b c
WEAK PARENT a CHILD c
"""


def test_weak_edges_stay_weak() -> None:
    r"""a -> b is stated both ways, b -> c and the shortcut a -> c are only weak::

    a -> b
     \\   |
       > c
    """
    document = parse(Source("x.dag", WEAK))
    weak = ["WEAK PARENT a CHILD b", "WEAK PARENT a CHILD c", "WEAK PARENT b CHILD c"]
    assert flatten(document).splitlines()[3:] == ["PARENT a CHILD b", *weak]
    assert flatten(document, remove_shortcuts(document.dag)).splitlines()[3:] == ["PARENT a CHILD b", weak[0], weak[2]]
    assert flatten(parse(Source("x.dag", flatten(document).encode()))) == flatten(document)


def test_other_jobs_are_refused() -> None:
    with pytest.raises(ValueError, match="other jobs"):
        flatten(parse(Source("x.dag", WEAK)), Dag.from_names([("a", "b")]))


def test_flattened_descriptions_keep_their_form() -> None:
    """What stands between @=TAG and @TAG may hold lines that braces cannot."""
    document = parse(Source("x.dag", b"JOB a @=END\n}\nqueue 3\n@END\nJOB b {\nx = 1\n}\n"))
    text = flatten(document)
    again = parse(Source("x.dag", text.encode()))
    assert [again.details.job(i).inline for i in range(2)] == ["}\nqueue 3\n", "x = 1\n"]
    assert flatten(again) == text


def test_flattened_paths_still_resolve(tmp_path: Path) -> None:
    (tmp_path / "d").mkdir()
    (tmp_path / "d" / "j.sub").write_text("request_memory = 3\n")
    (tmp_path / "d" / "s.dag").write_text("JOB x j.sub\nSUBDAG EXTERNAL y inner.dag\nPARENT x CHILD y\n")
    (tmp_path / "x.dag").write_text("SPLICE s s.dag DIR d\nJOB a d/j.sub\nPARENT s CHILD a\n")
    text = flatten(parse(load(tmp_path / "x.dag")))
    assert text.splitlines() == [
        "# s+x is called s.x here",
        "# s+y is called s.y here",
        "JOB s.x j.sub DIR d",
        "SUBDAG EXTERNAL s.y inner.dag DIR d",
        "JOB a d/j.sub",
        "PARENT s.x CHILD s.y",
        "PARENT s.y CHILD a",
    ]
    flat = parse(Source(str(tmp_path / "flat.dag"), text.encode())).dag
    assert flat.memory_bytes is not None
    assert flat.memory_bytes.tolist() == [3 * 2**20, -1, 3 * 2**20]
