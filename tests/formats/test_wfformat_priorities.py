"""Priorities in WfFormat: nothing else changes, ours go again, and the file stays as valid as it was."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eligo.errors import EligoError
from eligo.formats import _source as storage
from eligo.formats import _wfformat as wfformat
from eligo.formats import find_format
from eligo.formats._base import Document
from eligo.formats._editing import KEPT, Instrumented, Wish, instrument, uninstrument
from eligo.formats._source import Source
from tests.corpus import DATA, needs_shared, statistics

REPLACE = Wish(replace=True)
CORPUS = [file for file, row in statistics().items() if row["format"].startswith("wfformat")]


def read(data: bytes | str) -> Document:
    return wfformat.parse(Source("w.json", data.encode() if isinstance(data, str) else data), None)


def descending(document: Document) -> np.ndarray:
    """A priority for each job, different from its index."""
    return np.arange(document.dag.n, 0, -1, dtype=np.int32)


def entries(tree: Any) -> list[dict[str, Any]]:
    """Of each task the object in which the versions keep its priority, by the standard parser and plain loops."""
    workflow = tree["workflow"]
    if "specification" not in workflow:
        return workflow.get("tasks", workflow.get("jobs"))
    executed: dict[str, dict[str, Any]] = {}
    for entry in (workflow.get("execution") or {}).get("tasks", []):
        executed.setdefault(str(entry["id"]), entry)
    return [executed.get(str(task["id"]), task) for task in workflow["specification"]["tasks"]]


def check(data: bytes, wish: Wish = Wish()) -> Instrumented:  # noqa: B008
    """Instrument a file and hold everything against what must be true of any result."""
    document = read(data)
    priorities = descending(document)
    result = instrument(document, priorities, wish)
    again = read(result.data)
    assert again.dag == document.dag
    assert again.warnings == document.warnings
    assert instrument(again, priorities, wish) == result
    assert uninstrument(again).data == data
    before, after = (entries(json.loads(text.decode(json.detect_encoding(text)))) for text in (data, result.data))
    given = [entry.get("priority") for entry in before]
    kept = [value is not None and not wish.replace for value in given]
    wanted = [old if keep else int(ours) for old, keep, ours in zip(given, kept, priorities, strict=True)]
    assert [entry["priority"] for entry in after] == wanted
    assert (result.written, result.kept) == (len(kept) - sum(kept), sum(kept))
    assert bool(result.warnings) == any(kept)
    assert result.others == ()
    for old, new in zip(before, after, strict=True):
        assert {**new, "priority": None, "priorityBeforeEligo": None} == {
            **old,
            "priority": None,
            "priorityBeforeEligo": None,
        }
    # Someone else's order: the new one wins, whatever was there, and taking ours out still gives the first file.
    other = instrument(again, priorities[::-1].copy(), REPLACE)
    assert other == instrument(document, priorities[::-1].copy(), REPLACE)
    assert uninstrument(read(other.data)).data == data
    return result


# Any file ---------------------------------------------------------------------------------------------------------

NAMES = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=6)
VALUES = st.none() | st.integers(-5, 10**6) | st.floats(allow_nan=False, allow_infinity=False) | st.just("high")
STYLES = st.sampled_from(
    [
        {"indent": 4},
        {"indent": 1, "ensure_ascii": False},
        {"indent": "\t"},
        {},
        {"ensure_ascii": False},
        {"separators": (",", ":")},
        {"separators": (" , ", " : ")},
        {"indent": 2, "separators": (",", ":")},
        {"sort_keys": True, "indent": 3},
    ]
)
HARMLESS = {"description": 'a "priority": 1, {"priority": 2} \\', "nested": {"priority": 3, "x": [{"priority": 4}]}}


@st.composite
def files(draw: st.DrawFn) -> bytes:
    """A file of any shape, with priorities of its user, in any layout and encoding."""
    names = draw(st.lists(NAMES, max_size=6, unique=True))
    tasks: list[dict[str, Any]] = []
    for i, name in enumerate(names):
        task: dict[str, Any] = {
            "name": name,
            "parents": draw(st.lists(st.sampled_from(names[:i]), unique=True)) if i else [],
        }
        task |= draw(st.sampled_from([{}, HARMLESS]))
        if draw(st.booleans()):
            task["priority"] = draw(VALUES)
            if draw(st.booleans()):
                task = {"priority": task.pop("priority"), **task}
        tasks.append(task)
    tree: dict[str, Any] = {
        "name": "w",
        "schemaVersion": "1.4",
        "workflow": {draw(st.sampled_from(["jobs", "tasks"])): tasks},
    }
    if draw(st.booleans()):
        measured = (
            [
                {"runtimeInSeconds": 1, "id": name} | ({"priority": draw(VALUES)} if draw(st.booleans()) else {})
                for name in draw(st.lists(st.sampled_from(names), max_size=8))
            ]
            if names
            else []
        )
        specified = [{**task, "id": task["name"]} for task in tasks]
        parts: dict[str, Any] = {"specification": {"tasks": specified}, "execution": {"tasks": measured}}
        if draw(st.booleans()):
            parts = dict(reversed(parts.items()))
        tree |= {"schemaVersion": "1.5", "workflow": parts}
    text = json.dumps(tree, **draw(STYLES)) + draw(st.sampled_from(["", "\n", " \n\n"]))
    text = text.replace("\n", draw(st.sampled_from(["\n", "\r\n"])))
    mark, encoding = draw(
        st.sampled_from([("", "utf-8"), ("", "utf-8-sig"), ("\ufeff", "utf-16-le"), ("\ufeff", "utf-16-be")])
    )
    return (mark + text).encode(encoding)


@given(files(), st.booleans())
@settings(max_examples=200)
def test_any_file(data: bytes, replace: bool) -> None:
    check(data, Wish(replace=replace))


# Real files -------------------------------------------------------------------------------------------------------


@needs_shared
@pytest.mark.parametrize("file", CORPUS)
def test_real_files(file: str) -> None:
    """The recorded priorities are Pegasus's own, ten times the depth: they stay unless we are told otherwise."""
    source = storage.load(DATA / file)  # unpacked where it is .gz
    assert find_format(source) is wfformat
    result = check(source.data)
    version = json.loads(source.data)["schemaVersion"]
    schema = DATA / f"wfformat/schema/wfcommons-schema-{version}.json"
    if schema.is_file():
        validator = jsonschema.Draft7Validator(json.loads(schema.read_text()))
        found = [
            [error.message for error in validator.iter_errors(json.loads(text))] for text in (source.data, result.data)
        ]
        assert found[0] == found[1]


# What it looks like -----------------------------------------------------------------------------------------------


def test_members_stand_as_the_file_has_them() -> None:
    text = '{\n  "workflow": {\n    "tasks": [\n      {\n        "name": "a"\n      }\n    ]\n  }\n}\n'
    assert check(text.encode()).data.decode() == text.replace(
        '"a"\n', '"a",\n        "priority": 1,\n        "priorityBeforeEligo": null\n'
    )


def test_what_was_replaced_is_written_beside_it() -> None:
    text = '{"workflow":{"tasks":[{"priority":1e1,"name":"a"},{"name":"b","priority":null}]}}'
    assert check(text.encode(), REPLACE).data.decode() == (
        '{"workflow":{"tasks":[{"priority":2,"priorityBeforeEligo":"1e1","name":"a"},'
        '{"name":"b","priority":1,"priorityBeforeEligo":"null"}]}}'
    )


def test_since_15_it_is_the_execution_that_has_priorities() -> None:
    """A task that was not executed has its priority where it is specified."""
    text = (
        '{"workflow": {"specification": {"tasks": [{"id": "a"}, {"id": "b"}]}, "execution": {"tasks": [{"id": "b"}]}}}'
    )
    tree = json.loads(check(text.encode()).data)["workflow"]
    assert tree["specification"]["tasks"] == [{"id": "a", "priority": 2, "priorityBeforeEligo": None}, {"id": "b"}]
    assert tree["execution"]["tasks"] == [{"id": "b", "priority": 1, "priorityBeforeEligo": None}]


def test_what_is_kept_is_said_once() -> None:
    tasks = [{"name": "a"}, {"name": "b", "priority": 5}, {"name": "c", "priority": 6}]
    result = check(json.dumps({"workflow": {"tasks": tasks}}, indent=0).encode())
    assert result.warnings == (f"w.json:9: {KEPT} (and 1 more)",)


@pytest.mark.parametrize("tasks", ["[]", "null", '[{"name": "a"}]', '[ { "name" : "a" } ]'])
@pytest.mark.parametrize("frame", ['{"workflow": {"jobs": %s}}', '{"workflow": {"specification": {"tasks": %s}}}'])
def test_no_job_and_one(tasks: str, frame: str) -> None:
    text = frame % tasks
    text = text.replace('"name"', '"id"') if "specification" in text else text
    if "null" not in text:
        check(text.encode())
    document = read(text)
    assert instrument(document, descending(document)).written == document.dag.n


def test_another_layout_loses_nothing_but_the_layout() -> None:
    """Tools that sort and indent keep our keys; what is taken out then is what was there before."""
    tree = {"workflow": {"tasks": [{"zone": 1, "name": "a"}, {"priority": 4, "zone": 2, "name": "b"}]}}
    done = instrument(read(json.dumps(tree)), np.array([2, 1], np.int32), REPLACE).data
    for keys in (True, False):
        text = json.dumps(json.loads(done), indent=7, sort_keys=keys)
        assert json.loads(uninstrument(read(text)).data) == tree
    ours_only = '{"workflow": {"tasks": [{"priority": 1, "priorityBeforeEligo": null, "name": "a"}]}}'
    assert json.loads(uninstrument(read(ours_only)).data) == {"workflow": {"tasks": [{"name": "a"}]}}
    without = '{"workflow": {"tasks": [{"name": "a", "priorityBeforeEligo": null}]}}'
    assert json.loads(uninstrument(read(without)).data) == {"workflow": {"tasks": [{"name": "a"}]}}


def test_as_many_priorities_as_jobs() -> None:
    with pytest.raises(EligoError, match="2 priorities for 1 jobs"):
        instrument(read('{"workflow": {"tasks": [{"name": "a"}]}}'), np.array([1, 2], np.int32))
