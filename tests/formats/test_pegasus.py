"""Pegasus YAML: the quirks of real files, bad files, and writing without loss."""

from __future__ import annotations

import pytest
import yaml
from hypothesis import given, settings

from eligo.dag import OUTSIDE, Dag, Data
from eligo.errors import CycleError, ParseError
from eligo.formats import _pegasus as pegasus
from eligo.formats._base import Notes
from eligo.formats._pegasus.reader import PegasusJob
from eligo.formats._source import Source
from tests.formats.comparing import same
from tests.guards import no_hang
from tests.strategies import NAMES, dags


def read(text: str | bytes, edges=None):
    return pegasus.parse(Source("w.yml", text.encode() if isinstance(text, str) else text), edges)


def write(dag, lost=None):
    return "".join(pegasus.generate(dag, Notes() if lost is None else lost))


def edges_of(dag):
    return [(dag.names[u], dag.names[v]) for u, v in zip(dag.tails, dag.heads, strict=True)]


# Reading ----------------------------------------------------------------------------------------------------------


def test_dependencies_may_stand_before_the_jobs():
    document = read(
        """pegasus: 5.0.4
jobDependencies:
- id: a
  children: [b, c]
jobs:
- type: job
  id: a
  name: split
  namespace: n
  version: "1.0"
  arguments: [-i, {lfn: in.txt}, 1, 1.10]
  uses:
  - {lfn: in.txt, type: input, metadata: {size: "2048"}}
  - {lfn: f, type: output}
- {type: job, id: b, uses: [{lfn: f, type: input}]}
- {type: job, id: c}
"""
    )
    dag = document.dag
    assert dag.names == ("a", "b", "c")
    assert edges_of(dag) == [("a", "b"), ("a", "c")]
    assert dag.data.names == ("in.txt", "f")
    assert dag.data.size_bytes.tolist() == [2048, -1]
    assert dag.data.producer.tolist() == [OUTSIDE, 0]
    assert document.details.version == "5.0.4"
    assert document.details.jobs[0] == PegasusJob("job", "n::split:1.0", ("-i", "in.txt", "1", "1.10"))
    assert document.details.tree["jobs"][1]["id"] == "b"
    assert document.warnings == ()


def test_without_dependencies_the_files_imply_them():
    text = (
        "pegasus: '5.0'\njobs:\n- {id: a, uses: [{lfn: f, type: output}]}\n- {id: b, uses: [{lfn: f, type: input}]}\n"
    )
    assert edges_of(read(text).dag) == [("a", "b")]
    assert read(text, "declared").dag.m == 0
    assert edges_of(read(text + "jobDependencies: []\n").dag) == [("a", "b")]


@pytest.mark.parametrize("kind", ["pegasusWorkflow", "condorWorkflow", "dax", "dag"])
def test_sub_workflows_are_jobs(kind):
    document = read(f"pegasus: '5.0'\njobs:\n- {{type: {kind}, id: a, file: inner.yml}}\n")
    assert document.dag.names == ("a",)
    assert document.details.jobs[0] == PegasusJob(kind, "inner.yml", ())
    assert document.warnings == ()


def test_a_missing_or_unknown_type_is_still_a_job():
    assert read("pegasus: '5.0'\njobs: [{id: a}]").details.jobs[0].kind == "job"
    assert "type is 'odd'" in read("pegasus: '5.0'\njobs: [{id: a, type: odd}]").warnings[0]


def test_ids_stay_what_was_written():
    ids = ["1e3", "007", "no", "2021-01-01", "1_000", "0x1F"]
    text = "pegasus: '5.0'\njobs:\n" + "".join(f"- id: {identity}\n" for identity in ids)
    assert read(text).dag.names == tuple(ids)


def test_profiles_give_times_and_memory():
    text = """pegasus: "5.0"
jobs:
- {id: a, profiles: {pegasus: {runtime: 60, memory: "2"}}}
- {id: b, profiles: {condor: {request_memory: 1}}}
- {id: c, profiles: {pegasus: {runtime: "0.5"}, condor: {request_memory: "2 * RequestCpus"}}}
"""
    document = read(text)
    assert document.dag.time_s.tolist()[0::2] == [60, 0.5]
    assert document.dag.memory_bytes.tolist() == [2 * 2**20, 2**20, -1]
    assert document.warnings == ("w.yml:5: the request_memory of a job is no number of MiB: ignored",)


def test_replicas_state_sizes_of_inputs():
    text = """pegasus: "5.0"
replicaCatalog:
  replicas: [{lfn: in, metadata: {size: 5}, pfns: []}, {lfn: unused, size: "6"}]
jobs: [{id: a, uses: [{lfn: in, type: input}, {lfn: both, type: inout}, {lfn: x, type: checkpoint}]}]
"""
    dag = read(text).dag
    assert dag.data.names == ("both", "in", "both")
    assert dag.data.size_bytes.tolist() == [-1, 5, -1]


def test_anchors_merges_and_json_are_yaml():
    text = """pegasus: '5.0'
x-use: &use {lfn: f, type: input}
jobs:
- {id: a, uses: [{<<: *use, type: output}]}
- {id: b, uses: [*use]}
"""
    assert edges_of(read(text).dag) == [("a", "b")]
    assert read('{"pegasus": "5.0", "jobs": [{"id": "a"}]}').dag.names == ("a",)


def test_odd_things_are_noted():
    assert "version is null" in read("jobs: [{id: a}]").warnings[0]
    assert "version is '4.9'" in read("pegasus: '4.9'\njobs: [{id: a}]").warnings[0]
    assert "without type" in read("pegasus: '5.0'\njobs: [{id: a, uses: [{lfn: f}]}]").warnings[0]
    note = read("pegasus: '5.0'\nname: a\nname: b\njobs: []").warnings[0]
    assert note == "w.yml:3: a key stands twice in one mapping, such as 'name': the last counts"


def jobs(text: str) -> str:
    return f"pegasus: '5.0'\njobs:\n{text}\n"


@pytest.mark.parametrize(
    ("text", "line", "what"),
    [
        ("pegasus: '5.0'\n", 1, "there are no jobs"),
        ("- a\n", 1, "the file is a list"),
        ("", 1, "no document"),
        ("# only a comment\n", 1, "no document"),
        ("pegasus: '5.0'\njobs: []\n---\na: b\n", 1, "2 documents"),
        ("pegasus: '5.0'\njobs: {}\n", 1, "jobs is a mapping"),
        (jobs("- [a]"), 3, "an entry of jobs is a list"),
        (jobs("-"), 3, "an entry of jobs is missing"),
        (jobs("- {name: a}"), 3, "the id of a job is missing"),
        (jobs("- {id: null}"), 3, "the id of a job is missing"),
        (jobs("- {id: ''}"), 3, "is empty"),
        (jobs("- {id: [a]}"), 3, "is a list, not text"),
        (jobs("- {id: a}\n- {id: b}\n- {id: a}"), 5, "a second job is called 'a'"),
        (jobs("- {id: a, uses: f}"), 3, "uses is 'f', not a list"),
        (jobs("- {id: a, uses: [f]}"), 3, "an entry of uses is 'f'"),
        (jobs("- id: a\n  uses:\n  - {type: input}"), 5, "the lfn of a use is missing"),
        (jobs("- id: a\n  uses:\n  - {lfn: f, type: up}"), 5, "unknown type 'up'"),
        (jobs("- id: a\n  uses:\n  - {lfn: f, type: [input]}"), 5, "unknown type a list"),
        (jobs("- id: a\n  uses:\n  - {lfn: f, type: input, metadata: {size: big}}"), 5, "'big' is not a number"),
        (jobs("- id: a\n  uses:\n  - {lfn: f, type: input, metadata: {size: 1.5}}"), 5, "not a whole number"),
        (jobs("- id: a\n  uses:\n  - {lfn: f, type: input, metadata: {size: .inf}}"), 5, "is not a number"),
        (jobs("- id: a\n  uses:\n  - {lfn: f, type: input, metadata: {size: [1]}}"), 5, "size a list"),
        (jobs("- id: a\n  uses:\n  - {lfn: f, type: input, metadata: big}"), 5, "metadata is 'big'"),
        (jobs("- id: a\n  profiles: {pegasus: {runtime: soon}}"), 4, "time 'soon' is not a number"),
        (jobs("- id: a\n  profiles: [x]"), 3, "profiles is a list"),
        (jobs("- {id: a, arguments: x}"), 3, "arguments is 'x'"),
        (jobs("- id: a\n  id: b"), 4, "the key 'id' stands twice"),
        (jobs("- {id: a}\njobDependencies: x"), 1, "jobDependencies is 'x'"),
        (jobs("- {id: a}\njobDependencies:\n- {id: b, children: [a]}"), 5, "no job called 'b'"),
        (jobs("- {id: a}\njobDependencies:\n- {id: a, children: [b]}"), 5, "no job called 'b'"),
        (jobs("- {id: a}\njobDependencies:\n- {id: a, children: b}"), 5, "children is 'b'"),
        (jobs("- {id: a}\njobDependencies:\n- {children: [a]}"), 5, "the id of a dependency is missing"),
        (jobs("- {id: a"), 3, "not YAML"),
        (jobs("\t- id: a"), 3, "not YAML"),
        (jobs("- id: \x00"), 3, "not allowed in YAML"),
        (jobs("- id: *nowhere"), 3, "alias *nowhere"),
        (jobs("- &a [*a]"), 3, "alias *a has no anchor before it"),
        (jobs("- {[a]: b}"), 3, "where a key should"),
        (jobs("- {id: &x a, *x : b}").encode() + b"\xff", 4, "0xff is not UTF-8"),
        (jobs("- {id: a, x-eligo: {name: [b]}}"), 3, "the name of a job is a list"),
        (jobs("- {id: a, x-eligo: {name: b}}\n- {id: a, x-eligo: {name: c}}"), 1, "two jobs have the same id"),
    ],
)
def test_bad_files_are_refused_with_a_line(text, line, what):
    with pytest.raises(ParseError) as caught:
        read(text)
    assert what in caught.value.text
    assert caught.value.line == line
    assert caught.value.hint


@pytest.mark.parametrize("children", ["[a]", "[b]\n- {id: b, children: [a]}"])
def test_cycles_are_refused(children):
    dependencies = f"jobDependencies:\n- id: a\n  children: {children}".replace("]\n", "]\n")
    with pytest.raises(CycleError) as caught:
        read(f"pegasus: '5.0'\njobs: [{{id: a}}, {{id: b}}]\n{dependencies}\n")
    assert caught.value.line in (4, 6)


def test_a_workflow_of_orcasounds_size_is_read_quickly():
    """137 jobs, 26,030 files, 4.5 MB."""
    use = (
        "  - lfn: raw/{0}/{1}.wav\n    type: {2}\n    stageOut: false\n    registerReplica: false\n"
        '    metadata:\n      size: "2048"\n'
    )
    parts = [
        f"- type: job\n  id: ID{i:07}\n  name: convert\n  uses:\n"
        + "".join(use.format(i, k, "output" if k % 2 else "input") for k in range(190))
        for i in range(137)
    ]
    with no_hang():
        dag = read("pegasus: '5.0'\njobs:\n" + "".join(parts)).dag
    assert (dag.n, dag.data.k) == (137, 137 * 190)


@pytest.mark.parametrize(
    ("head", "fits"),
    [
        ("\ufeff# comment\n\n%YAML 1.1\n---\nname: x\npegasus: '5.0'\n", True),
        ("pegasus: 5.0.4\n", True),
        ("jobs:\n- id: a\n  uses:\n  - lfn: f\n", True),
        ("jobDependencies: []\njobs: []\n", True),
        ('{"name": "x", "pegasus": "5.0"}', True),
        ("jobs:\n  build:\n    steps: []\n", False),
        ("x-pegasus: {}\n", False),
        ("JOB a a.sub\n", False),
        ("<pegasus: 5>", False),
        ("\n" * 65_000, False),
        (" " * 65_000, False),
    ],
)
def test_sniffing(head, fits):
    with no_hang():
        assert pegasus.sniff(head) is fits


# Writing ----------------------------------------------------------------------------------------------------------


@given(dag=dags(names=NAMES))
@settings(max_examples=150)
def test_writing_and_reading_gives_the_same_dag(dag):
    lost = Notes()
    text = write(dag, lost)
    document = read(text)
    assert same(document.dag, dag) or lost.texts()
    assert document.warnings == ()
    assert write(document.dag) == write(read(write(document.dag)).dag)


@given(dag=dags(names=NAMES))
@settings(max_examples=50)
def test_another_yaml_reader_sees_the_schemas_types(dag):
    """As far as the published schema goes: ids, types, text where text is asked for."""
    tree = yaml.safe_load(write(dag))
    assert tree["pegasus"] == "5.0"
    assert set(tree) <= {"pegasus", "name", "jobs", "jobDependencies", "x-eligo"}
    ids = [job["id"] for job in tree["jobs"]]
    assert len(set(ids)) == len(ids) == dag.n
    for job in tree["jobs"]:
        assert job["type"] == "job"
        assert isinstance(job["name"], str)
        assert job["id"].isascii()
        assert job["id"].replace("-", "_").replace("_", "a").isalnum()
        assert job["arguments"] == []
        for use in job["uses"]:
            assert isinstance(use["lfn"], str)
            assert use["type"] in ("input", "output")
            assert all(isinstance(value, str) for value in use.get("metadata", {}).values())
    for entry in tree.get("jobDependencies", []):
        assert entry["id"] in ids
        assert entry["children"]
        assert set(entry["children"]) <= set(ids)


def test_memory_is_kept_to_the_byte():
    dag = Dag.from_edges(3, memory_bytes=[2**20, 2**20 + 1, 2**62 - 1], temp_bytes=[1, -1, 0], count=[1, 2, 3])
    assert read(write(dag)).dag == dag
    assert 'memory: "2"' in write(dag)


def test_only_unread_outputs_are_staged_out():
    dag = Dag.from_edges(2, [0], [1], data=Data.build([1, 2], [0, 1], [[1], []], ["middle", "last"]))
    uses = [use for job in yaml.safe_load(write(dag))["jobs"] for use in job["uses"] if use["type"] == "output"]
    assert [(use["lfn"], use["stageOut"]) for use in uses] == [("middle", False), ("last", True)]


@pytest.mark.parametrize("last", ["\udce9", "\0"])
def test_names_that_no_reader_takes_are_said_to_be_lost(last):
    lost = Notes()
    dag = Dag.from_names([(f"caf{last}", "b")])
    assert read(write(dag, lost)).dag.names == ("caf_", "b")
    assert lost.texts() == ("a name is empty, holds NUL or is not UTF-8: another was made up",)
