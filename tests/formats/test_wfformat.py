"""WfFormat: every version's shape, every quirk, and writing without loss."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import numpy as np
import pytest
from hypothesis import given, settings

from eligo.dag import OUTSIDE, Dag, Data
from eligo.errors import CycleError, ParseError
from eligo.formats import _wfformat as wfformat
from eligo.formats._base import Notes
from eligo.formats._source import Source
from eligo.formats._wfformat.reader import Command
from tests.corpus import DATA, needs_shared
from tests.formats.comparing import same
from tests.guards import no_hang
from tests.strategies import NAMES, dags


def read(tree: Any, edges=None):
    text = tree if isinstance(tree, (str, bytes)) else json.dumps(tree, indent=1)
    return wfformat.parse(Source("w.json", text.encode() if isinstance(text, str) else text), edges)


def old(tasks: list[Any], version: str = "1.3", key: str = "tasks") -> dict[str, Any]:
    return {"name": "w", "schemaVersion": version, "workflow": {key: tasks}}


def new(tasks: list[Any], files: Any = (), execution: Any = None) -> dict[str, Any]:
    specification = {"tasks": tasks, "files": list(files)}
    workflow: dict[str, Any] = {"specification": specification}
    if execution is not None:
        workflow["execution"] = {"tasks": execution}
    return {"name": "w", "schemaVersion": "1.5", "workflow": workflow}


def edges_of(dag):
    return [(dag.names[u], dag.names[v]) for u, v in zip(dag.tails, dag.heads, strict=True)]


def write(dag, lost=None):
    return "".join(wfformat.generate(dag, Notes() if lost is None else lost))


# Reading ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("version", ["0.1", "0.2", "1.0"])
def test_first_versions_name_parents_and_have_no_children(version):
    tasks = [
        {"name": "a", "runtime": 1.5, "memory": 2, "files": [{"name": "f", "size": 10, "link": "output"}]},
        {"name": "b", "runtime": 0, "parents": ["a"], "files": [{"name": "f", "size": 10, "link": "input"}]},
    ]
    if version == "0.1":
        tasks = [{**task, "id": f"ID{i}"} for i, task in enumerate(tasks)]
    document = read(old(tasks, version, "jobs"))
    dag = document.dag
    assert (dag.names, edges_of(dag)) == (("a", "b"), [("a", "b")])
    assert dag.time_s.tolist() == [1.5, 0]
    assert dag.memory_bytes.tolist() == [2048, -1]
    assert dag.data.size_bytes.tolist() == [10]
    assert document.warnings == ()
    assert document.details.version == version


@pytest.mark.parametrize(("version", "key"), [("1.2", "jobs"), ("1.3", "tasks"), ("1.4", "tasks")])
def test_references_are_names_though_ids_exist(version, key):
    tasks = [{"id": "1", "name": "a", "children": ["b"]}, {"id": "2", "name": "b", "parents": ["a"]}]
    assert edges_of(read(old(tasks, version, key)).dag) == [("a", "b")]


def test_references_by_id_are_understood_too():
    tasks = [{"id": "1", "name": "a"}, {"id": "2", "name": "b", "parents": ["1"]}]
    assert edges_of(read(old(tasks)).dag) == [("a", "b")]
    assert edges_of(read(new([{"id": "1", "name": "a"}, {"id": "2", "name": "b", "parents": ["a"]}])).dag) == [
        ("1", "2")
    ]


def test_both_directions_are_united():
    tasks = [{"name": "a", "children": ["b"]}, {"name": "b"}, {"name": "c", "parents": ["b", "b"]}]
    assert edges_of(read(old(tasks)).dag) == [("a", "b"), ("b", "c")]


def test_version_14_of_nextflow_has_edges_only_through_paths():
    """Both report files are called r.txt; only the path tells which one c reads."""
    tasks = [
        {
            "name": "N",
            "id": "1",
            "parents": [],
            "children": [],
            "files": [{"name": "r.txt", "path": "/1/", "link": "output"}],
        },
        {
            "name": "N",
            "id": "2",
            "parents": [],
            "children": [],
            "files": [{"name": "r.txt", "path": "/2", "link": "output"}],
        },
        {
            "name": "M",
            "id": "3",
            "parents": [],
            "children": [],
            "files": [{"name": "r.txt", "path": "/2/", "link": "input"}],
        },
    ]
    dag = read(old(tasks, "1.4")).dag
    assert dag.names == ("N_1", "N_2", "M_3")
    assert edges_of(dag) == [("N_2", "M_3")]
    assert dag.data.names == ("/1/r.txt", "/2/r.txt")
    assert read(old(tasks, "1.4"), "declared").dag.m == 0


def test_version_14_spells_units_out():
    tasks = [{"name": "a", "runtimeInSeconds": 2, "memoryInBytes": 5000.5, "memory": 9, "runtime": 77,
              "files": [{"name": "f", "sizeInBytes": 5_100_000_000, "link": "output"}]}]  # fmt: skip
    dag = read(old(tasks, "1.4")).dag
    assert dag.time_s.tolist() == [2]
    assert dag.memory_bytes.tolist() == [5001]
    assert dag.data.size_bytes.tolist() == [5_100_000_000]


def test_version_15_joins_specification_and_execution():
    document = read(
        new(
            [
                {"id": "x.a_1", "name": "x", "children": ["x.b_2"], "parents": [], "outputFiles": ["/tmp/f:1#2"]},
                {"id": "x.b_2", "name": "x", "parents": ["x.a_1"], "children": [], "inputFiles": ["/tmp/f:1#2", "in"]},
            ],
            [
                {"id": "/tmp/f:1#2", "sizeInBytes": 7},
                {"id": "in", "sizeInBytes": 0},
                {"id": "unused", "sizeInBytes": 1},
            ],
            [
                {"id": "x.b_2", "runtimeInSeconds": 0, "command": {"program": "/bin/cat", "arguments": ["in", 3]}},
                {"id": "x.a_1", "runtimeInSeconds": 4.5, "memoryInBytes": 86508},
            ],
        )
    )
    dag = document.dag
    assert dag.names == ("x.a_1", "x.b_2")
    assert dag.time_s.tolist() == [4.5, 0]
    assert dag.memory_bytes.tolist() == [86508, -1]
    assert dag.data.names == ("in", "/tmp/f:1#2")
    assert dag.data.size_bytes.tolist() == [0, 7]
    assert dag.data.producer.tolist() == [OUTSIDE, 0]
    assert document.details.commands[1] == Command("/bin/cat", ("in", "3"))
    assert document.details.tree["schemaVersion"] == "1.5"
    assert document.warnings == ()


def test_version_16_is_15_with_metrics_and_more_ids():
    tree = new([{"id": "a:/1", "name": "a", "parents": []}, {"id": "b", "name": "b", "parents": ["a:/1"]}])
    tree["schemaVersion"] = "1.6"
    tree["workflow"]["specification"]["metrics"] = {"numberOfTasks": 2}
    document = read(tree)
    assert document.dag == Dag.from_names([("a:/1", "b")])
    assert document.warnings == ()


def test_odd_things_are_noted():
    document = read(
        new([{"id": "a"}], [], [{"id": "gone", "runtimeInSeconds": 1}, {"id": "gone", "runtimeInSeconds": 1}])
    )
    assert document.warnings == ("w.json: execution lists tasks that the specification lacks: ignored (and 1 more)",)
    assert "version '9.9' is not known" in read(old([{"name": "a"}], "9.9")).warnings[0]
    assert "no version is stated" in read({"workflow": {"tasks": []}}).warnings[0]
    text = '{"schemaVersion": "1.3", "workflow": {"tasks": [{"name": "a",\n"machine": "x", "machine": "y"}]}}'
    assert read(text).warnings == (
        "w.json:2: 1 times a key, such as 'machine', stands twice in one object: the last counts",
    )


def test_executed_at_is_not_parsed():
    tree = old([{"name": "a"}])
    tree["workflow"]["executedAt"] = "13-31-19T25:61:00Z"
    assert read(tree).warnings == ()


def test_a_byte_order_mark_and_utf16_are_read():
    text = json.dumps(old([{"name": "ä"}]), ensure_ascii=False)
    assert read(text.encode("utf-8-sig")).dag.names == ("ä",)
    assert read(text.encode("utf-16")).dag.names == ("ä",)


TASK = {"name": "a", "id": "a"}


@pytest.mark.parametrize(
    ("tree", "what"),
    [
        ("[]", "the file is a list"),
        ("{}", "workflow is missing"),
        ('{"workflow": []}', "workflow is a list"),
        ('{"workflow": {}}', "has no tasks"),
        ('{"workflow": {"specification": 3}}', "specification is 3"),
        ('{"workflow": {"specification": {}}}', "specification has no tasks"),
        ('{"workflow": {"tasks": {}}}', "tasks is a mapping"),
        (old([[]]), "task number 1 is a list"),
        (old([None]), "task number 1 is missing"),
        (old([{"id": None}]), "the name of a task is missing"),
        (old([{"name": None, "id": "x"}]), "the name of a task is missing"),
        (old([{"name": ""}]), "is empty"),
        (old([{"name": ["a"]}]), "is a list, not text"),
        (old([{"name": "a"}, {"name": "a"}]), "a second job is called 'a'"),
        (old([{"name": "a", "id": "1"}, {"name": "a", "id": "2", "parents": ["a"]}]), "several tasks are called 'a'"),
        (old([{**TASK, "parents": "b"}]), "parents is 'b', not a list"),
        (old([{**TASK, "parents": [None]}]), "an entry of parents is missing"),
        (old([{**TASK, "parents": ["b"]}]), "no task called 'b'"),
        (old([{**TASK, "children": ["b"]}]), "no task called 'b'"),
        (old([{**TASK, "runtime": "abc"}]), "time 'abc' is not a number"),
        (old([{**TASK, "runtime": True}]), "time true is not a number"),
        (old([{**TASK, "runtime": {}}]), "time a mapping is not a number"),
        ('{"workflow": {"tasks": [{"name": "a", "runtime": 1e400}]}}', "time inf is not a number"),
        ('{"workflow": {"tasks": [{"name": "a", "runtime": NaN}]}}', "NaN is not a JSON number"),
        (old([{**TASK, "runtime": 10**400}]), "of very many digits is not a number"),
        ('{"workflow": {"tasks": [{"name": "a", "runtime": %s}]}}' % ("9" * 5000), "thousands of digits"),
        (old([{**TASK, "memory": 2**60}]), "2^62"),
        (old([{**TASK, "files": {}}]), "files is a mapping"),
        (old([{**TASK, "files": ["f"]}]), "an entry of files is 'f'"),
        (old([{**TASK, "files": [{"link": "input"}]}]), "the name of a file is missing"),
        (old([{**TASK, "files": [{"name": "f"}]}]), "unknown link null"),
        (old([{**TASK, "files": [{"name": "f", "link": ["input"]}]}]), "unknown link a list"),
        (old([{**TASK, "files": [{"name": "f", "link": "input", "size": 1.5}]}]), "not a whole number"),
        (old([{**TASK, "files": [{"name": "f", "link": "input", "size": 2**62}]}]), "2^62"),
        (old([{**TASK, "command": "run"}]), "command is 'run'"),
        (new([{"id": "a"}, {"id": "a"}]), "a second job is called 'a'"),
        (new([{"name": "a"}]), "the id of a task is missing"),
        (new([{"id": "a", "inputFiles": [3.5]}]), "an entry of inputFiles is 3.5, not text"),
        (new([{"id": "a"}], [{"id": "f", "sizeInBytes": "big"}]), "'big' is not a number"),
        (new([{"id": "a"}], [{"sizeInBytes": 1}]), "the id of a file is missing"),
        (new([{"id": "a"}], [], [{"runtimeInSeconds": 1}]), "the id of a task is missing"),
        (new([{"id": "a"}], [], [{"id": "a", "runtimeInSeconds": []}]), "time a list is not a number"),
        (new([{"id": "a"}], [], 3), "tasks is 3"),
        ('{"workflow": {"tasks": [{"name": "\\ud800"}]}}', "half of a character"),
        ('{"workflow": {"tasks": [{"name": "\\u0000"}]}}', "holds a NUL"),
        ('{"workflow": {"tasks": [], "tasks": []}}', "the key 'tasks' stands twice"),
        ('{"workflow": {"tasks": [{"name": "a"},', "not JSON"),
        ('{"workflow": {"tasks": [{"name": "a\x00"}]}}', "not JSON: Invalid control character"),
        (b'{"workflow": "\xff"}', "0xff is not UTF-8"),
        ("[" * 100_000, "nested too deeply"),
        ('{"a":' * 100_000, "nested too deeply"),
        ("", "not JSON"),
        (new([{"id": "a", "eligo": []}]), "eligo is a list"),
        (new([{"id": "a", "eligo": {"name": []}}]), "the name of a task is a list"),
        (new([{"id": "a", "eligo": {"tempBytes": "x"}}]), "size 'x' is not a number"),
    ],
)
def test_bad_files_are_refused_with_a_line(tree, what):
    with pytest.raises(ParseError) as caught:
        read(tree)
    assert what in caught.value.text
    assert caught.value.line is not None
    assert caught.value.hint


def test_lines_point_at_the_task():
    text = json.dumps(old([{"name": "b", "parents": ["a"]}, {"name": "a", "type": "x", "runtime": "never"}]), indent=0)
    with pytest.raises(ParseError) as caught:
        read(text)
    assert caught.value.line == text[: text.index('"never"')].count("\n") + 1


@pytest.mark.parametrize(
    "tasks", [[{"name": "a", "parents": ["a"]}], [{"name": "a", "parents": ["b"], "children": ["b"]}, {"name": "b"}]]
)
def test_cycles_are_refused(tasks):
    with pytest.raises(CycleError) as caught:
        read(old(tasks))
    assert caught.value.path == "w.json"
    assert caught.value.line


def test_long_lines_and_large_files_are_read_in_linear_time():
    n = 30_000
    tasks = [
        {
            "id": f"t{i}",
            "name": f"t{i}",
            "parents": [f"t{i - 1}"] if i else [],
            "children": [f"t{i + 1}"] if i < n - 1 else [],
            "inputFiles": [f"f{i}"],
            "outputFiles": [f"f{i + 1}"],
        }
        for i in range(n)
    ]
    files = [{"id": f"f{i}", "sizeInBytes": i} for i in range(n + 1)]
    text = json.dumps(new(tasks, files, [{"id": f"t{i}", "runtimeInSeconds": 1} for i in range(n)]))
    assert "\n" not in text
    with no_hang():
        dag = read(text).dag
        assert (dag.n, dag.m, dag.data.k) == (n, n - 1, n + 1)
        assert same(read(write(dag)).dag, dag)


@pytest.mark.parametrize(
    ("head", "fits"),
    [
        ('\ufeff\n\n {"name": "x", "workflow":\n {', True),
        ('{"workflow" : {"tasks": [', True),
        ('{"a": 1}', False),
        ('[{"workflow": {}}]', False),
        ("workflow: {}", False),
    ],
)
def test_sniffing(head, fits):
    assert wfformat.sniff(head) is fits


# Writing ----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def schema():
    tree = json.loads((DATA / "wfformat/schema/wfcommons-schema-1.5.json").read_text())
    return jsonschema.Draft7Validator(tree)


@given(dag=dags(names=NAMES))
@settings(max_examples=150)
def test_writing_and_reading_gives_the_same_dag(dag):
    lost = Notes()
    document = read(write(dag, lost))
    assert same(document.dag, dag) or lost.texts()
    assert write(document.dag) == write(read(write(document.dag)).dag)


@needs_shared
@given(dag=dags(names=NAMES))
@settings(max_examples=100)
def test_what_is_written_fits_the_schema(schema, dag):
    if dag.n:
        schema.validate(json.loads(write(dag)))


def test_unknown_sizes_and_times_are_left_out_not_invented():
    dag = Dag.from_names(
        [("a", "b")],
        time_s=[np.nan, 2],
        memory_bytes=[5, 6],
        data=Data.build([-1, 0], [0, 0], [[1], [1]], ["unknown", "empty"]),
    )
    tree = json.loads(write(dag))
    assert tree["workflow"]["specification"]["files"] == [{"id": "empty", "sizeInBytes": 0}]
    assert [task["id"] for task in tree["workflow"]["execution"]["tasks"]] == ["b"]
    assert tree["workflow"]["specification"]["tasks"][0]["eligo"] == {"memoryInBytes": 5}
    assert same(read(tree).dag, dag)


def test_without_any_size_there_is_no_list_of_files():
    """WfCommons' own validator takes an absent list, but no file that a list lacks."""
    dag = Dag.from_names([("a", "b")], data=Data.build([-1], [0], [[1]], ["unknown"]))
    tree = json.loads(write(dag))
    assert "files" not in tree["workflow"]["specification"]
    assert same(read(tree).dag, dag)


def test_copies_of_a_file_stay_apart():
    data = Data.build([1, 2, 3], [OUTSIDE, 0, 1], [[0], [1], []], ["f", "f", "f"])
    dag = Dag.from_names([("a", "b")], data=data)
    tree = json.loads(write(dag))
    assert [file["id"] for file in tree["workflow"]["specification"]["files"]] == ["f", "f_2", "f_3"]
    assert same(read(tree).dag, dag)


def test_names_that_ids_do_not_allow_come_back():
    dag = Dag.from_names([("S+a", "S a"), ("S a", "S_a"), ("S_a", "日本")])
    tree = json.loads(write(dag))
    assert [task["id"] for task in tree["workflow"]["specification"]["tasks"]] == ["S_a_2", "S_a_3", "S_a", "__"]
    assert read(tree).dag == dag


def test_an_empty_dag_is_said_to_be_invalid():
    lost = Notes()
    assert read(write(Dag.from_edges(0), lost)).dag.n == 0
    assert lost.texts()
