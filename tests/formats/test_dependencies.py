"""Added dependencies through every format that has a place for them: the dag plus the edges, and nothing else."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from eligo.dag import Dag
from eligo.errors import CycleError, EligoError
from eligo.formats import formats, open_document
from eligo.formats._base import Notes
from eligo.formats._editing import (
    DEPENDENCY_FORMATS,
    add_dependencies,
    check_dependencies,
    dependencies_of_ours,
    remove_dependencies,
    without_dependencies,
)
from eligo.formats._source import Source
from tests.formats.adding_dependencies import added_to, check, pairs_of, parse
from tests.formats.random_dags import dags

HOSTILE = dags()


def written(dag: Dag, format: str) -> bytes:
    return "".join(formats()[format].generate(dag, Notes())).encode("utf-8", "surrogateescape")


@pytest.mark.parametrize("format", list(DEPENDENCY_FORMATS))
@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(dag=HOSTILE, draw=st.data())
def test_random_dags_with_hostile_names(format: str, dag: Dag, draw: st.DataObject) -> None:
    data = written(dag, format)
    check(data, format, draw.draw(added_to(parse(data, format).dag)))


@pytest.mark.parametrize("format", ["pegasus", "wfformat"])
@pytest.mark.parametrize("rule", ["declared", "files", "both"])
@settings(deadline=None, max_examples=15, suppress_health_check=[HealthCheck.too_slow])
@given(dag=HOSTILE, draw=st.data())
def test_every_rule_on_edges(format: str, rule: str, dag: Dag, draw: st.DataObject) -> None:
    data = written(dag, format)
    check(data, format, draw.draw(added_to(parse(data, format, rule).dag)), rule)


@pytest.mark.parametrize("format", list(DEPENDENCY_FORMATS))
def test_odd_requests(format: str) -> None:
    document = parse(written(Dag.from_names([("a", "b")], ["a", "b", "c"]), format), format)
    none = pairs_of()
    assert add_dependencies(document, *none).data == document.source.data
    with pytest.raises(CycleError):
        add_dependencies(document, *pairs_of((1, 0)))
    with pytest.raises(CycleError):
        add_dependencies(document, *pairs_of((2, 2)))
    with pytest.raises(ValueError, match="there is no job number 3"):
        add_dependencies(document, *pairs_of((0, 3)))
    with pytest.raises(EligoError, match="2 jobs to wait for and 1 that wait"):
        add_dependencies(document, np.array([0, 1]), np.array([2]))


def test_formats_without_a_place_name_those_that_have_one() -> None:
    document = parse(b"parent,child\na,b\n", "edgelist")
    with pytest.raises(EligoError, match="edgelist has no place for added dependencies") as caught:
        check_dependencies(document)
    assert "eligo convert" in caught.value.hint
    assert "dagman, pegasus, wfformat, dot" in caught.value.hint
    with pytest.raises(EligoError, match="has no place"):
        add_dependencies(document, *pairs_of((0, 1)))
    assert [len(ends) for ends in dependencies_of_ours(document)] == [0, 0]


@pytest.mark.parametrize(
    ("format", "suffix"), [("dagman", "dag"), ("pegasus", "yml"), ("wfformat", "json"), ("dot", "dot")]
)
def test_opening_with_and_without_ours(format: str, suffix: str, tmp_path: Path) -> None:
    dag = Dag.from_names([("a", "b")], ["a", "b", "c"])
    done = add_dependencies(parse(written(dag, format), format), *pairs_of((1, 2)))
    path = tmp_path / f"w.{suffix}"
    path.write_bytes(done.data)
    assert open_document(path).dag.m == 2
    assert open_document(path, original=True).dag.m == 2
    for original in (False, True):
        document = open_document(path, original=original, limited=False)
        assert document.dag.m == 1
        assert document.source == Source(str(path), done.data)
        assert add_dependencies(document, *pairs_of((1, 2))).data == done.data
        assert [len(ends) for ends in dependencies_of_ours(document)] == [0, 0]


GONE = {
    "dagman": (b"JOB a a.sub\nJOB b b.sub\n", b"JOB a a.sub\n"),
    "pegasus": (b"pegasus: '5.0'\njobs:\n- id: a\n- id: b\n", b"- id: a\n"),
    "dot": (b"digraph {\na\nb\n}", b"a\n"),
}


def reopened(data: bytes, format: str, path: Path) -> tuple[str, ...]:
    path.write_bytes(data)
    document = open_document(path, format=format, original=True, limited=False)
    assert document.source.data == data
    return document.dag.names


@pytest.mark.parametrize("format", list(GONE))
def test_ours_may_name_jobs_that_are_gone(format: str, tmp_path: Path) -> None:
    data, line = GONE[format]
    done = add_dependencies(parse(data, format), *pairs_of((0, 1))).data
    assert reopened(done.replace(line, b"", 1), format, tmp_path / "w") == ("b",)


@pytest.mark.parametrize("form", ["wfformat", "pegasus"])
def test_ours_may_name_jobs_that_are_gone_in_json(form: str, tmp_path: Path) -> None:
    if form == "pegasus":
        tree = {"pegasus": "5.0", "jobs": [{"id": "a"}, {"id": "b"}]}
    else:
        tree = {"workflow": {"tasks": [{"name": "a"}, {"name": "b"}]}}
    done = json.loads(add_dependencies(parse(json.dumps(tree).encode(), form), *pairs_of((0, 1))).data)
    del (done["jobs"] if form == "pegasus" else done["workflow"]["tasks"])[0]
    with pytest.raises(EligoError, match="'a'"):
        parse(json.dumps(done).encode(), form)
    assert reopened(json.dumps(done).encode(), form, tmp_path / "w") == ("b",)


DAMAGE = [b"", b"\n", b'"', b"{", b"}", b"]", b",", b"# eligo limit", b"null", b"\x00", b"\xff", b" ", b"*/", b"0"]


@pytest.mark.parametrize("form", [*DEPENDENCY_FORMATS, "json"])
@settings(deadline=None, max_examples=40, suppress_health_check=[HealthCheck.too_slow])
@given(draw=st.data())
def test_damaged_files_are_refused_in_our_words(form: str, draw: st.DataObject) -> None:
    """Whatever becomes of a file with ours: it is read, or refused with a reason, and so are all changes of it."""
    name, dag = form, Dag.from_names([("a", "b"), ("b", "c")], ["a", "b", "c", "d"], time_s=[1, 2, 3, 4])
    data = written(dag, "pegasus" if form == "json" else form)
    if form == "json":
        name, data = "pegasus", json.dumps(yaml.safe_load(data)).encode()
    data = add_dependencies(parse(data, name), *pairs_of((0, 3), (3, 2))).data
    for _ in range(draw.draw(st.integers(1, 3))):
        at = draw.draw(st.integers(0, len(data)))
        data = data[:at] + draw.draw(st.sampled_from(DAMAGE)) + data[at + draw.draw(st.integers(0, 12)) :]
    steps = [
        lambda: without_dependencies(Source("w", data), name),
        lambda: remove_dependencies(parse(data, name)),
        lambda: add_dependencies(parse(data, name), *pairs_of((0, 1), (1, 2))),
    ]
    for step in steps:
        try:
            step()
        except (EligoError, ValueError) as error:
            assert isinstance(error, EligoError) or "there is no job number" in str(error)
