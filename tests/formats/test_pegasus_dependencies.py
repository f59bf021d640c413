"""Added dependencies in Pegasus workflows: entries of ours come and go, in every style of YAML, and in JSON."""

from __future__ import annotations

import json
from itertools import product
from typing import Any

import numpy as np
import pytest
import yaml
from hypothesis import given, reject, settings
from hypothesis import strategies as st

from eligo.errors import ParseError
from eligo.formats import _source as source
from eligo.formats._editing import add_dependencies, dependencies_of_ours, remove_dependencies
from tests.corpus import DATA, needs_shared
from tests.formats.adding_dependencies import added_to, check, edges_of, pairs_of, parse
from tests.formats.test_pegasus_priorities import json_files, yaml_files

# Any file ---------------------------------------------------------------------------------------------------------


@settings(deadline=None, max_examples=60)
@given(yaml_files() | json_files(), st.data())
def test_files_without_dependencies(data: bytes, draw: st.DataObject) -> None:
    try:
        dag = parse(data, "pegasus").dag
        pairs = draw.draw(added_to(dag)) if dag.n else pairs_of()
        add_dependencies(parse(data, "pegasus"), *pairs)
    except ParseError as error:
        assert "end the file with a line end" in error.hint or "not YAML" in error.text or "alias" in str(error)
        reject()
    check(data, "pegasus", pairs)


JOBS = ["jobs:\n- id: a\n- id: b\n- id: c\n- {id: d}\n", "jobs: [{id: a}, {id: b}, {id: c}, {id: d}]\n"]
JOBS += [
    "jobs: # eligo limit\n  - id: a\n    x-s: |\n      - {id: a, children: [d]} # eligo limit\n"
    "  - id: b\n  - id: c\n  - id: d\n"
]
LISTS = [
    "",
    "jobDependencies:\n- id: a\n  children: [b]\n",
    "jobDependencies: # mine\n\n  # first\n  - id: a\n    children:\n    - b\n  - id: b\n    children: [c]\n",
    "jobDependencies:\n-\n  id: a\n  children: [b]\n",
    "jobDependencies:\n  -   children: [b]\n      id: a\n",
    "'jobDependencies':\n- {id: a, children: [b]}\n",
    "jobDependencies: [{id: a, children: [b]}]\n",
    "jobDependencies: [ # x\n  {id: a, children: [b]},\n  {id: b, children: [c]} ]\n",
    "jobDependencies:\n  [{id: a, children: [b]}, ]\n",
    "jobDependencies: []\n",
    "jobDependencies: [ ] # none\n",
    "jobDependencies: [\n]\n",
    "jobDependencies:\n",
    "jobDependencies: # none\n",
    "jobDependencies: ~\n",
    "jobDependencies: null # none\n",
    "jobDependencies:   # none\n\n# really\n",
]
TAILS = ["", "name: x\n", "# end\n", "\n\n", "x-last: |\n  - {id: a, children: [b]} # eligo limit\n", "...\n", "  "]


LAYOUTS = list(product(TAILS, (False, True), ("\n", "\r\n"), (False, True)))
"""What stands at the end, whether the list comes first, how lines end, and whether the last one does not."""


@pytest.mark.parametrize("jobs", JOBS)
@pytest.mark.parametrize("number", [*range(3), pytest.param(None, marks=pytest.mark.long)])
def test_lists_of_every_form(jobs: str, number: int | None) -> None:
    """Every list in every layout; each time a few of all pairs, which take a minute together."""
    for at, (stated, (tail, early, end, cut)) in enumerate(product(LISTS, LAYOUTS)):
        if number is None or at % 41 == number:
            text = "pegasus: '5.0'\n" + (stated + jobs if early else jobs + stated) + tail
            try_one((text.removesuffix("\n") if cut else text).replace("\n", end).encode())


def try_one(data: bytes) -> None:
    try:
        check(data, "pegasus", pairs_of((0, 2), (0, 3), (1, 2), (3, 1)))
    except ParseError as error:
        assert "end the file with a line end" in error.hint, data
        assert b"|" in data, data
        assert not data.endswith(b"\n"), data


FLOW = [
    "{pegasus: '5.0', jobs: [{id: a}, {id: b}, {id: c}]}",
    "{pegasus: '5.0', jobs: [{id: a}, {id: b}, {id: c}], name: x}\n",
    "{pegasus: '5.0', jobs: [{id: a}, {id: b}, {id: c}],\n}\n",
    "{pegasus: '5.0', jobs: [{id: a}, {id: b}, {id: c}], jobDependencies: [], name: x}",
    "{pegasus: '5.0', jobs: [{id: a}, {id: b}, {id: c}], jobDependencies: }",
    "{pegasus: '5.0', jobs: [{id: a}, {id: b}, {id: c}], jobDependencies: ~, x: 1}",
    "{pegasus: '5.0', jobs: [{id: a}, {id: b}, {id: c}], jobDependencies: [{id: a, children: [b]}]}",
    "{jobDependencies: [{id: a, children: [b]}\n], pegasus: '5.0', jobs: [{id: a}, {id: b}, {id: c}]}",
]


@pytest.mark.parametrize("text", FLOW)
def test_flow_style(text: str) -> None:
    check(text.encode(), "pegasus", pairs_of((0, 2), (1, 2)))


NO_PLACE = [
    "jobDependencies: &x\n- {id: a, children: [b]}\n",
    "x-d: &x [{id: a, children: [b]}]\njobDependencies: *x\n",
    "jobDependencies: !!seq\n- {id: a, children: [b]}\n",
    "? jobDependencies\n: - {id: a, children: [b]}\n",
]


@pytest.mark.parametrize("stated", NO_PLACE)
def test_no_place(stated: str) -> None:
    document = parse(f"pegasus: '5.0'\njobs: [{{id: a}}, {{id: b}}, {{id: c}}]\n{stated}".encode(), "pegasus")
    assert document.dag.m == 1
    with pytest.raises(ParseError, match="has no place for dependencies of ours"):
        add_dependencies(document, *pairs_of((0, 2)))


JSON_LISTS = [
    None,
    "absent",
    [],
    [{"id": "a", "children": ["b"]}],
    [{"id": "a", "children": ["b"]}, {"id": "b", "children": ["c"]}],
]


@pytest.mark.parametrize("stated", JSON_LISTS)
@pytest.mark.parametrize("style", [{}, {"indent": 2}, {"separators": (",", ":")}, {"indent": 0}])
def test_json(stated: Any, style: dict[str, Any]) -> None:
    tree = {"pegasus": "5.0", "jobs": [{"id": name} for name in "abcd"], "jobDependencies": stated, "name": "x"}
    if stated == "absent":
        del tree["jobDependencies"]
    done = check(json.dumps(tree, **style).encode(), "pegasus", pairs_of((0, 2), (0, 3), (1, 2), (3, 1)))
    new = json.loads(done.data)
    assert {*new} - {*tree} <= {"jobDependencies", "x-eligo-limit"}
    assert [entry.keys() for entry in new["jobDependencies"]] == [{"id", "children"}] * len(new["jobDependencies"])


# Real files -------------------------------------------------------------------------------------------------------


@needs_shared
@pytest.mark.parametrize("file", ["blast-benchmark-198.yml", "diamond.yml"])
@pytest.mark.parametrize("form", ["yaml", "json"])
def test_real_files(file: str, form: str) -> None:
    """What planners see: entries of jobDependencies, behind the jobs, with an id and children, and no other key."""
    data = source.load(DATA / "pegasus-yaml" / file).data
    if form == "json":
        data = json.dumps(yaml.safe_load(data), indent=2).encode()
    old = parse(data, "pegasus").dag
    half = old.n // 2
    pairs = old.order[:half].copy(), old.order[old.n - half :].copy()
    done = check(data, "pegasus", pairs, priorities=file == "diamond.yml")
    before, after = (yaml.load(text, Loader=yaml.CSafeLoader) for text in (data, done.data))
    assert "jobDependencies" in before or list(after).index("jobDependencies") > list(after).index("jobs")
    after.pop("x-eligo-limit", None)
    ours = [entry for entry in after["jobDependencies"] if entry not in before.get("jobDependencies", [])]
    assert all(entry.keys() == {"id", "children"} for entry in ours)
    assert sum(len(entry["children"]) for entry in ours) == done.written
    after["jobDependencies"] = [entry for entry in after["jobDependencies"] if entry not in ours]
    assert after == before


# What it looks like -----------------------------------------------------------------------------------------------


def test_lines_are_added_and_none_is_changed() -> None:
    text = "pegasus: '5.0'\njobs:\n- id: a\n- id: 'no'\n- id: c\n# who waits\n"
    text += "jobDependencies:\n  # mine\n  - id: a\n    children: [c]\n"
    done = check(text.encode(), "pegasus", pairs_of((0, 1), (1, 2), (0, 2)))
    lines = done.data.decode().splitlines()
    assert lines[8:10] == ['  - {id: a, children: ["no"]} # eligo limit', '  - {id: "no", children: [c]} # eligo limit']
    assert [line for line in lines if not line.endswith("# eligo limit")] == text.splitlines()
    assert (done.written, done.kept) == (2, 1)


def test_errors_name_the_line_of_the_file_as_it_is() -> None:
    text = "pegasus: '5.0'\njobs:\n- id: a\n- id: b\n- id: c\njobDependencies:\n- id: a\n  children: [b]\n"
    done = add_dependencies(parse(text.encode(), "pegasus"), *pairs_of((0, 2), (1, 2))).data
    with pytest.raises(ParseError, match=r"^w:9: "):
        parse(done.replace(b"- id: a\n  children", b"- id: z\n  children"), "pegasus")


def test_a_job_of_ours_that_is_gone_is_named() -> None:
    text = "pegasus: '5.0'\njobs:\n- id: first\n- id: second\n"
    done = add_dependencies(parse(text.encode(), "pegasus"), *pairs_of((0, 1))).data
    with pytest.raises(ParseError, match="w:5: eligo made a dependency of job 'first', which is not there") as caught:
        parse(done.replace(b"- id: first\n", b""), "pegasus")
    assert "eligo limit --remove" in caught.value.hint


def test_files_still_imply_what_the_user_does_not_declare() -> None:
    text = "pegasus: '5.0'\njobs:\n- id: a\n  uses: [{lfn: f, type: output, size: 5}]\n"
    text += "- id: b\n  uses: [{lfn: f, type: input}]\n- id: c\n"
    done = check(text.encode(), "pegasus", pairs_of((1, 2)))
    assert edges_of(parse(done.data, "pegasus").dag) == {(0, 1), (1, 2)}
    again = parse(done.data, "pegasus", "declared")
    assert edges_of(again.dag) == {(1, 2)}
    assert [ends.tolist() for ends in dependencies_of_ours(again)] == [[1], [2]]


def test_what_the_user_adds_to_our_list_stays() -> None:
    text = "pegasus: '5.0'\njobs: [{id: a}, {id: b}, {id: c}]\n"
    done = add_dependencies(parse(text.encode(), "pegasus"), *pairs_of((0, 1))).data.decode()
    mine = "- id: b\n  children: [c]\n"
    left = remove_dependencies(parse((done + mine).encode(), "pegasus")).data.decode()
    assert left == f"{text}jobDependencies:\n{mine}"


def test_what_the_user_adds_to_our_json_stays() -> None:
    data = json.dumps({"pegasus": "5.0", "jobs": [{"id": name} for name in "abc"]}).encode()
    tree = json.loads(add_dependencies(parse(data, "pegasus"), *pairs_of((0, 1))).data)
    tree["jobDependencies"][0]["children"].insert(0, "c")
    tree["jobDependencies"].append({"id": "b", "children": ["c"]})
    left = json.loads(remove_dependencies(parse(json.dumps(tree, indent=1).encode(), "pegasus")).data)
    assert left["jobDependencies"] == [{"id": "a", "children": ["c"]}, {"id": "b", "children": ["c"]}]
    assert "x-eligo-limit" not in left


@pytest.mark.parametrize("form", ["yaml", "json"])
def test_many(form: str) -> None:
    n = 600
    tree = {"pegasus": "5.0", "jobs": [{"id": f"j{i}"} for i in range(n)]}
    data = (json.dumps(tree) if form == "json" else yaml.safe_dump(tree)).encode()
    tails = np.repeat(np.arange(n // 2, dtype=np.int32), 20)
    heads = (n // 2 + (tails + np.tile(np.arange(20, dtype=np.int32), n // 2)) % (n // 2)).astype(np.int32)
    check(data, "pegasus", (tails, heads), priorities=False)
