"""Priorities in Pegasus workflows: lines of ours come and go, everything else stays, in every style of YAML."""

from __future__ import annotations

import json
from copy import deepcopy
from typing import Any

import jsonschema
import numpy as np
import pytest
import yaml
from hypothesis import given, reject, settings
from hypothesis import strategies as st

from eligo.dag import Dag
from eligo.errors import EligoError, ParseError
from eligo.formats import _pegasus as pegasus
from eligo.formats import _source as source
from eligo.formats._base import Document, Notes
from eligo.formats._editing import KEPT, Instrumented, Wish, instrument, uninstrument
from eligo.formats._source import Source
from tests.corpus import DATA, needs_shared
from tests.guards import no_hang
from tests.strategies import dags

REPLACE = Wish(replace=True)
NO_PLACE = "a job is written in a way that has no place for a priority of its own, and gets none"
KEYS = {"condor": "priority", "dagman": "PRIORITY"}


def read(data: bytes | str) -> Document:
    return pegasus.parse(Source("w.yml", data.encode() if isinstance(data, str) else data), None)


def descending(document: Document) -> np.ndarray:
    """A priority for each job, different from its index."""
    return np.arange(document.dag.n, 0, -1, dtype=np.int32)


def jobs_of(data: bytes) -> list[dict[str, Any]]:
    """The jobs as PyYAML's own loader has them; what is null is not there."""
    marks = (b"\xff\xfe", b"\xfe\xff")
    tree = yaml.load(data.decode("utf-16" if data.startswith(marks) else "utf-8-sig"), Loader=yaml.CSafeLoader)
    return tree["jobs"] or []


def given_in(job: dict[str, Any]) -> bool:
    profiles = job.get("profiles") or {}
    stated = [pair for name in KEYS for pair in (profiles.get(name) or {}).items()]
    return any(key.lower() == "priority" and value is not None for key, value in stated)


def expected(job: dict[str, Any], priority: int, replace: bool) -> dict[str, Any]:
    """The job as it should be: both profiles, or as it is where it gives one and may keep it."""
    job = deepcopy(job)
    if given_in(job) and not replace:
        return job
    profiles = job["profiles"] = job.get("profiles") or {}
    for name, key in KEYS.items():
        space = profiles[name] = profiles.get(name) or {}
        for there in [each for each in space if each.lower() == "priority"] or [key]:
            space[there] = str(priority)
    return job


def without_marks(job: dict[str, Any]) -> dict[str, Any]:
    """The job without what marks ours in JSON."""
    metadata = job.get("metadata")
    if not isinstance(metadata, dict) or "eligo.added" not in metadata:
        return job
    job = {**job, "metadata": {key: value for key, value in metadata.items() if not key.startswith("eligo.")}}
    if "metadata" in metadata["eligo.added"].split():
        del job["metadata"]
    elif "eligo.was.metadata" in metadata:
        job["metadata"] = None
    return job


def check(data: bytes, wish: Wish = Wish()) -> Instrumented:  # noqa: B008
    """Instrument a file and hold everything against what must be true of any result."""
    document = read(data)
    priorities = descending(document)
    result = instrument(document, priorities, wish)
    again = read(result.data)
    assert again.dag == document.dag
    assert again.warnings == document.warnings
    assert instrument(again, priorities, wish).data == result.data
    assert uninstrument(again).data == data
    before, after = jobs_of(data), list(map(without_marks, jobs_of(result.data)))
    pairs = zip(before, priorities.tolist(), strict=True)
    assert after == [expected(job, priority, wish.replace) for job, priority in pairs]
    kept = 0 if wish.replace else sum(map(given_in, before))
    assert (result.written, result.kept) == (len(before) - kept, kept)
    assert bool(result.warnings) == bool(kept)
    other = instrument(again, priorities[::-1].copy(), REPLACE)
    assert other == instrument(document, priorities[::-1].copy(), REPLACE)
    assert uninstrument(read(other.data)).data == data
    return result


# Any file ---------------------------------------------------------------------------------------------------------

COMMENTS = ["", "", "", "  # eligo", " # why, %20 'x'", "\t#", "  # eligo was 3"]
VALUES = ["7", "'7'", '"12"', "-3", "1.50", "~", "", "'a b'", '"a\\tb%20"', "é", "high"]
GAPS = ["", " ", "\n          ", " # c\n          ", "\t"]
SCRIPT = ["profiles: # eligo", "  condor: # eligo", '    priority: "9" # eligo', "", "x # eligo was 7"]


def flow(draw: st.DrawFn, tree: Any) -> str:
    """A value in flow style, with blanks, comments and line breaks anywhere."""
    if not isinstance(tree, dict):
        return str(tree)
    members = [f"{key}: {flow(draw, value)}" for key, value in tree.items()]
    end = draw(st.sampled_from(["", " ", ",\n          "] if members else ["", "  "]))
    return "{" + draw(st.sampled_from(GAPS)) + f",{draw(st.sampled_from(GAPS))} ".join(members) + end + "}"


def block(draw: st.DrawFn, tree: dict[str, Any], indent: str) -> str:
    """The members of a mapping, each in block style or in flow style, with comments."""
    lines = []
    for key, value in tree.items():
        comment = draw(st.sampled_from(COMMENTS))
        if key == "x-script":
            lines += [f"{indent}{key}: {draw(st.sampled_from('|>'))}\n", *(f"{indent}  {line}\n" for line in SCRIPT)]
        elif isinstance(value, dict) and value and draw(st.booleans()):
            deeper = indent + draw(st.sampled_from([" ", "  ", "    "]))
            lines += [f"{indent}{key}:{comment}\n", block(draw, value, deeper)]
        else:
            lines.append(f"{indent}{key}: {flow(draw, value)}{comment}\n")
        if draw(st.integers(0, 5)) == 0:
            lines.append(draw(st.sampled_from(["\n", "# eligo\n", f"{indent}# profiles: # eligo\n"])))
    return "".join(lines)


@st.composite
def spaces(draw: st.DrawFn) -> Any:
    """What may stand under condor, dagman or env."""
    if draw(st.integers(0, 5)) == 0:
        return draw(st.sampled_from(["", "~", "null"]))
    keys = draw(st.lists(st.sampled_from(["priority", "PRIORITY", "'Priority'", "request_cpus", "+x"]), max_size=2))
    return {key: draw(st.sampled_from(VALUES)) for key in keys}


@st.composite
def jobs(draw: st.DrawFn, number: int) -> dict[str, Any]:
    tree: dict[str, Any] = {
        "id": draw(st.sampled_from([f"j{number}", f"'j {number}'", f'"é{number}"', f"j\n          {number}"]))
    }
    if draw(st.booleans()):
        tree |= {"type": "job", "name": "'n # eligo'", "uses": "[{lfn: f, type: input}]", "arguments": '["# eligo"]'}
    if draw(st.integers(0, 3)):
        names = draw(st.lists(st.sampled_from(["condor", "dagman", "env"]), unique=True))
        empty = draw(st.sampled_from(["", "null", "~", {}]))
        tree["profiles"] = {name: draw(spaces()) for name in names} if names else empty
    if draw(st.integers(0, 2)) == 0:
        tree["x-script"] = "x"
    return {key: tree[key] for key in draw(st.permutations(list(tree)))}


@st.composite
def yaml_files(draw: st.DrawFn) -> bytes:
    """A workflow in YAML of any layout and encoding, with profiles of its user."""
    trees = [draw(jobs(number)) for number in range(draw(st.integers(0, 4)))]
    dash = draw(st.sampled_from(["- ", "  - ", "-   "]))
    text = (
        'pegasus: "5.0"\nname: é\njobs:' + draw(st.sampled_from([" # eligo\n", "\n"]))
        if trees
        else "jobs: []\nname: x\npegasus: '5.0'\n"
    )
    for tree in trees:
        text += dash + (
            flow(draw, tree) + "\n" if draw(st.booleans()) else block(draw, tree, " " * len(dash)).lstrip(" ")
        )
    text += draw(st.sampled_from(["", "", "", "# end\n", "jobDependencies: []\n", "x-more:\n- id: z\n"]))
    text = text.removesuffix("\n") if draw(st.booleans()) else text
    text = text.replace("\n", draw(st.sampled_from(["\n", "\r\n"])))
    mark, encoding = draw(st.sampled_from([("", "utf-8"), ("", "utf-8-sig"), ("\ufeff", "utf-16-le")]))
    return (mark + text).encode(encoding)


@given(yaml_files(), st.booleans())
@settings(max_examples=150)
def test_any_yaml(data: bytes, replace: bool) -> None:
    try:
        read(data)
    except ParseError:
        reject()
    check(data, Wish(replace=replace))


@st.composite
def json_files(draw: st.DrawFn) -> bytes:
    """The same in JSON."""
    values = st.sampled_from(["7", 7, -1.5, None, "é"])
    keys = st.sampled_from(["priority", "PRIORITY", "Priority", "request_cpus"])
    space = st.none() | st.dictionaries(keys, values, max_size=2)
    profiles = st.none() | st.dictionaries(st.sampled_from(["condor", "dagman", "env"]), space)
    metadata = st.none() | st.dictionaries(st.sampled_from(["x", "eligo"]), st.just("y"))
    jobs = []
    for number in range(draw(st.integers(0, 3))):
        job: dict[str, Any] = {"id": f"é{number}", "name": "eligo.added", "uses": []}
        job |= {"profiles": draw(profiles)} if draw(st.booleans()) else {}
        job |= {"metadata": draw(metadata)} if draw(st.booleans()) else {}
        jobs.append({key: job[key] for key in draw(st.permutations(list(job)))})
    style = draw(st.sampled_from([{}, {"indent": 2}, {"separators": (",", ":")}, {"indent": 1, "ensure_ascii": False}]))
    text = json.dumps({"pegasus": "5.0", "jobs": jobs, "name": "w"}, **style)
    text = text.replace("{}", draw(st.sampled_from(["{}", "{ }", "{\n}"])))
    return text.replace("\n", draw(st.sampled_from(["\n", "\r\n"]))).encode(
        draw(st.sampled_from(["utf-8", "utf-8-sig"]))
    )


@given(json_files(), st.booleans())
@settings(max_examples=100)
def test_any_json(data: bytes, replace: bool) -> None:
    result = check(data, Wish(replace=replace))
    json.loads(result.data.decode("utf-8-sig"))


@given(dags(), st.booleans())
@settings(max_examples=20)
def test_what_our_writer_writes(dag: Dag, replace: bool) -> None:
    check("".join(pegasus.generate(dag, Notes())).encode(), Wish(replace=replace))


# Real files -------------------------------------------------------------------------------------------------------

# What Pegasus's own schema of workflows says of a job's profiles and metadata.
TEXTS = {
    "type": "object",
    "patternProperties": {"^(?!x-)[_.a-zA-Z0-9-]+$": {"type": ["string", "number"]}},
    "additionalProperties": False,
}
SPACES = ("env", "condor", "globus", "dagman", "pegasus", "hints", "selector")
SCHEMA = {
    "type": "object",
    "properties": {
        "profiles": {"type": "object", "properties": dict.fromkeys(SPACES, TEXTS)},
        "metadata": {"type": "object", "patternProperties": {r"[a-zA-Z0-9\._]+": {"type": "string"}}},
    },
}
KNOWN = {
    "type",
    "name",
    "namespace",
    "version",
    "id",
    "arguments",
    "uses",
    "profiles",
    "metadata",
    "stdin",
    "stdout",
    "stderr",
    "file",
    "hooks",
    "nodeLabel",
}


@needs_shared
@pytest.mark.parametrize("file", ["blast-benchmark-198.yml", "diamond.yml"])
@pytest.mark.parametrize("form", ["yaml", "json"])
def test_real_files(file: str, form: str) -> None:
    """Every key is one that planners know: those of 5.0 refuse others, whatever the schema says."""
    data = source.load(DATA / "pegasus-yaml" / file).data
    if form == "json":
        data = json.dumps(yaml.safe_load(data), indent=2).encode()
    validator = jsonschema.Draft7Validator(SCHEMA)
    for job in jobs_of(check(data).data):
        assert job.keys() <= KNOWN
        validator.validate(job)


# What it looks like -----------------------------------------------------------------------------------------------


def lines(result: Instrumented) -> list[str]:
    return result.data.decode().splitlines()


def test_lines_are_added_and_none_is_changed() -> None:
    text = """\
pegasus: "5.0"
jobs:
  # the first
  - type: job
    id: a # its name
    # what it does
    name: x
  - id: b
    profiles: # mine
       env: {A: "1"}
       dagman:
         RETRY: 3
"""
    result = check(text.encode())
    ours = [line for line in lines(result) if line.endswith("# eligo")]
    assert [line for line in lines(result) if line not in ours] == text.splitlines()
    assert lines(result)[5:10] == [
        "    profiles: # eligo",
        "      condor: # eligo",
        '        priority: "2" # eligo',
        "      dagman: # eligo",
        '        PRIORITY: "2" # eligo',
    ]
    assert lines(result)[13:] == [
        "    profiles: # mine",
        "       condor: # eligo",
        '         priority: "1" # eligo',
        '       env: {A: "1"}',
        "       dagman:",
        '         PRIORITY: "1" # eligo',
        "         RETRY: 3",
    ]


def test_flow_style_stays_flow_style() -> None:
    result = check(b"pegasus: 5.0\njobs: [{id: a}, {id: b, profiles: {condor: {}}}]\n")
    assert lines(result)[1:] == [
        'jobs: [{profiles: {condor: {priority: "2"}, dagman: {PRIORITY: "2"}}, # eligo',
        '        id: a}, {id: b, profiles: {dagman: {PRIORITY: "1"}, # eligo',
        '                                   condor: {priority: "1" # eligo',
        " }}}]",
    ]


def test_what_was_replaced_stands_behind_it() -> None:
    profiles = "condor: {x: 1, priority: 'a b'}\n    dagman:\n      priority: 7  # mine\n"
    text = f"pegasus: 5.0\njobs:\n- id: a\n  profiles:\n    {profiles}"
    assert lines(check(text.encode(), REPLACE))[4:] == [
        "    condor: {x: 1, priority: \"1\" # eligo was 'a%20b'",
        " }",
        "    dagman:",
        '      priority: "1" # eligo was 7  # mine',
    ]


def test_json_stays_json() -> None:
    text = '{"pegasus": "5.0", "jobs": [{"id": "a"}, {"id": "b", "profiles": {"condor": {"priority": 7}}}]}'
    jobs = json.loads(check(text.encode(), REPLACE).data)["jobs"]
    assert jobs[0]["metadata"] == {"eligo.added": "profiles metadata"}
    assert jobs[1]["metadata"] == {
        "eligo.added": "profiles.dagman metadata",
        "eligo.was.profiles.condor.priority": "7",
    }


def test_what_is_kept_is_said_once() -> None:
    more = "- id: b\n  profiles:\n    dagman: {PRIORITY: 3}\n"
    result = check(f"pegasus: 5.0\njobs:\n- id: a\n{more}{more.replace('b', 'c')}".encode())
    assert result.warnings == (f"w.yml:6: {KEPT} (and 1 more)",)
    assert result.written == 1


# Where ours cannot go, or have been touched -----------------------------------------------------------------------


@pytest.mark.parametrize(
    "jobs",
    [
        "- id: a\n  profiles: &p {env: {A: b}}\n- id: b\n  profiles: *p\n",
        "- &j\n  id: a\n- <<: *j\n  id: b\n",
        "- id: a\n  profiles:\n    condor: &c {priority: 3}\n- id: b\n  profiles:\n    condor: *c\n",
        "- id: a\n  profiles: {condor: {<<: {x: y}}}\n- id: b\n  profiles: {<<: {condor: {x: y}}}\n",
        "- id: |-\n    a\n- ? id\n  : b\n",
        "- id: a\n  profiles: !!map\n    env: {}\n- id: b\n  profiles: {condor: {priority: [1]}}\n",
        "- id: a\n  profiles: {condor: {priority: &x 3}}\n- id: b\n  profiles: {dagman: {x: y, PRIORITY: &y ''}}\n",
        "- id: a\n  profiles:\n   condor:\n    priority: |\n     3\n- id: b\n  profiles: {dagman: {priority: {}}}\n",
        "- id: a\n  profiles: {condor, env}\n- id: b\n  profiles: {condor: {priority}}\n",
    ],
)
def test_what_is_shared_or_odd_stays_as_it_is(jobs: str) -> None:
    """A priority in a shared mapping would be that of several jobs."""
    text = f"pegasus: 5.0\njobs:\n{jobs}"
    result = instrument(read(text), np.array([2, 1], np.int32), REPLACE)
    assert result.data == text.encode()
    assert result.written == 0
    assert len(result.warnings) == 1
    assert result.warnings[0].endswith(f"{NO_PLACE} (and 1 more)")


def test_a_list_of_jobs_that_is_an_alias() -> None:
    document = read("pegasus: 5.0\nx-jobs: &j [{id: a}]\njobs: *j\n")
    with pytest.raises(EligoError, match="not written out"):
        instrument(document, np.array([1], np.int32))


def test_catalogues_overrule_jobs() -> None:
    catalogue = "transformationCatalog:\n  transformations:\n  - name: x\n    profiles:\n      condor: {Priority: 3}\n"
    result = instrument(read(f"pegasus: 5.0\n{catalogue}jobs: [{{id: a}}]\n"), np.array([1], np.int32))
    assert result.written == 1
    assert result.warnings == ("w.yml:6: a priority in the catalogue overrules those of the jobs that it applies to",)


def test_what_the_user_puts_among_ours_is_not_lost() -> None:
    done = check(b"pegasus: 5.0\njobs:\n- id: a\n").data.decode()
    mine = done.replace("    dagman: # eligo\n", "    env: {A: b}\n    dagman: # eligo\n      RETRY: 3\n")
    left = uninstrument(read(mine)).data.decode()
    assert left == "pegasus: 5.0\njobs:\n- id: a\n  profiles:\n    env: {A: b}\n    dagman:\n      RETRY: 3\n"
    check(left.encode())


def test_what_the_user_puts_among_ours_in_json_is_not_lost() -> None:
    tree = json.loads(check(b'{"pegasus": "5.0", "jobs": [{"id": "a"}]}').data)
    tree["jobs"][0]["profiles"]["dagman"]["RETRY"] = 3
    tree["jobs"][0]["metadata"]["who"] = "me"
    left = json.loads(uninstrument(read(json.dumps(tree))).data)
    assert left["jobs"] == [{"id": "a", "profiles": {"dagman": {"RETRY": 3}}, "metadata": {"who": "me"}}]


def test_many_jobs_are_done_in_linear_time() -> None:
    n = 5_000
    text = "pegasus: 5.0\njobs:\n" + "".join(f"- id: j{i}\n  profiles: {{condor: {{priority: 3}}}}\n" for i in range(n))
    document = read(text)
    with no_hang():
        assert instrument(document, descending(document)).kept == n
        assert instrument(document, descending(document), REPLACE).written == n
