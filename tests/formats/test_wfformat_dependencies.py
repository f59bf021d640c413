"""Added dependencies in WfFormat: lists grow and shrink, everything else stays, in every layout."""

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
from eligo.formats._editing import add_dependencies, remove_dependencies
from tests.corpus import DATA, needs_shared
from tests.formats.adding_dependencies import added_to, check, edges_of, pairs_of, parse
from tests.formats.test_wfformat_priorities import CORPUS, files


@settings(deadline=None, max_examples=80)
@given(files(), st.data())
def test_any_file(data: bytes, draw: st.DataObject) -> None:
    dag = parse(data, "wfformat").dag
    check(data, "wfformat", draw.draw(added_to(dag)) if dag.n else pairs_of())


LISTS = ["[]", "[ ]", "null", '["t0"]', '[ "t0" ]', '[\n  "t0"\n]', '["t0",\n"t0" ]', ""]


@pytest.mark.parametrize("shape", ['{"workflow": {"tasks": [%s]}}', '{"workflow":{"specification":{"tasks":[ %s ]}}}'])
@pytest.mark.parametrize("parents", LISTS)
@pytest.mark.parametrize("children", ["[]", "null", "[ ]", ""])
@pytest.mark.parametrize("indent", ["", "\n   "])
def test_lists_of_every_form(shape: str, parents: str, children: str, indent: str) -> None:
    lists = "".join(f', "{key}": {text}' for key, text in (("parents", parents), ("children", children)) if text)
    tasks = [f'{{{indent}"name": "t{i}", "id": "t{i}"{lists if i == 2 else ""}{indent}}}' for i in range(4)]
    check((shape % ", ".join(tasks)).encode(), "wfformat", pairs_of((0, 2), (1, 2), (2, 3), (0, 1)))


@needs_shared
@pytest.mark.parametrize(
    "file", [file if "dss" in file else pytest.param(file, marks=pytest.mark.long) for file in CORPUS]
)
def test_real_files(file: str) -> None:
    """Both schemas permit what we add: a file that was valid stays so."""
    source = storage.load(DATA / file)
    dag = parse(source.data, "wfformat").dag
    half = dag.n // 2
    done = check(source.data, "wfformat", (dag.order[:half].copy(), dag.order[dag.n - half :].copy()), priorities=False)
    version = json.loads(source.data)["schemaVersion"]
    schema = DATA / f"wfformat/schema/wfcommons-schema-{version}.json"
    if schema.is_file():
        validator = jsonschema.Draft7Validator(json.loads(schema.read_text()))
        before, after = (
            sorted(error.message[-60:] for error in validator.iter_errors(json.loads(text)))
            for text in (source.data, done.data)
        )
        assert len(after) == len(before)


def nextflow(*tasks: tuple[str, str]) -> bytes:
    """Tasks of version 1.4 by name and id, as Nextflow's traces have them."""
    return json.dumps({"workflow": {"tasks": [{"name": name, "id": identity} for name, identity in tasks]}}).encode()


def test_names_that_repeat_are_told_apart_by_ids() -> None:
    data = nextflow(("map", "1"), ("map", "2"), ("all", "3"))
    done = check(data, "wfformat", pairs_of((0, 2), (1, 2)))
    assert json.loads(done.data)["workflow"]["tasks"][2]["parents"] == ["1", "2"]


def test_a_task_that_nothing_can_refer_to() -> None:
    data = nextflow(("map", "1"), ("map", "all"), ("all", "3"))
    with pytest.raises(EligoError, match="'map' has no name or id of its own"):
        add_dependencies(parse(data, "wfformat"), *pairs_of((1, 2)))
    add_dependencies(parse(data, "wfformat"), *pairs_of((0, 2)))


def test_files_still_imply_what_the_user_does_not_declare() -> None:
    """a writes what b reads; b and c do not know each other. One dependency of ours must not hide that."""

    def task(name: str, **more: list[str]) -> dict[str, Any]:
        return {"name": name, "id": name, "inputFiles": [], "outputFiles": [], **more}

    tasks = [task("a", outputFiles=["f"]), task("b", inputFiles=["f"]), task("c")]
    sizes = [{"id": "f", "sizeInBytes": 5}]
    data = json.dumps({"workflow": {"specification": {"tasks": tasks, "files": sizes}}}).encode()
    done = check(data, "wfformat", pairs_of((1, 2)))
    assert edges_of(parse(done.data, "wfformat").dag) == {(0, 1), (1, 2)}
    assert ["now see ours only" in text for text in done.warnings] == [True]


def test_dependencies_of_ours_give_no_file_a_reader() -> None:
    """b reads what a writes but does not depend on a: not counted. That a limit joins them does not change the data."""
    files = {"a": {"outputFiles": ["f"], "children": ["c"]}, "b": {"inputFiles": ["f"]}, "c": {"inputFiles": ["f"]}}
    tasks = [{"name": name, "id": name, **more} for name, more in files.items()]
    data = json.dumps({"workflow": {"specification": {"tasks": tasks}}}).encode()
    done = check(data, "wfformat", pairs_of((0, 1)))
    new = parse(done.data, "wfformat").dag
    assert new.data is not None
    assert new.data.readers_of(0).tolist() == [2]


def test_what_the_user_adds_to_our_lists_stays() -> None:
    data = b'{"workflow": {"tasks": [{"name": "a"}, {"name": "b"}, {"name": "c"}]}}'
    tree = json.loads(add_dependencies(parse(data, "wfformat"), *pairs_of((0, 2))).data)
    tree["workflow"]["tasks"][2]["parents"].insert(0, "b")
    left = remove_dependencies(parse(json.dumps(tree, indent=1, sort_keys=True).encode(), "wfformat"))
    assert json.loads(left.data)["workflow"]["tasks"] == [{"name": "a"}, {"name": "b"}, {"name": "c", "parents": ["b"]}]


def test_many() -> None:
    """Ten thousand dependencies: no step looks at all tasks for each."""
    n = 400
    data = json.dumps({"workflow": {"tasks": [{"name": f"t{i}"} for i in range(n)]}}, indent=1).encode()
    tails = np.repeat(np.arange(n // 2, dtype=np.int32), 50)
    heads = (n // 2 + (tails + np.tile(np.arange(50, dtype=np.int32), n // 2)) % (n // 2)).astype(np.int32)
    check(data, "wfformat", (tails, heads), priorities=False)
