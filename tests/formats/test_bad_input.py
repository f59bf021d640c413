"""Every reader, given anything at all: a dag or a message that says where and what, and soon.

Each reader has fuzz tests of its own beside its grammar. These treat all alike: the same broken bytes to each, and
mutated real files to the reader that would get them.
"""

from __future__ import annotations

import gzip
import random
import re
import subprocess
import sys

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from eligo import Dag, EligoError, formats
from eligo.formats._source import Source, load
from tests.corpus import DATA, needs_shared, statistics

READERS = sorted(name for name, module in formats.formats().items() if hasattr(module, "parse"))

NASTY = {
    "nul bytes": b"\0" * 1000,
    "nul in a name": b"JOB a\0b c\na\0b,c\n",
    "a line of 10 MB": b"x" * 10_000_000,
    "10 MB of words": b"JOB " + b"word " * 2_000_000,
    "a million quotes": b'"' * 1_000_000,
    "a million brackets": b"[" * 1_000_000,
    "a million braces": b'{"a":' * 200_000,
    "a million elements": b"<a>" * 300_000,
    "nested flow": b"a: " + b"[" * 100_000,
    "not utf-8": b"JOB a \xff\xfe\n\xc3\x28,\xe9\n",
    "utf-16": "JOB a b\nJOB c d\n".encode("utf-16"),
    "half a utf-16": b"\xff\xfeJ",
    "only a comment": b"# nothing\n",
    "an entity bomb": b'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><adag>&b;</adag>',
    "an alias bomb": b"a: &a [x,x]\n" + b"".join(b"%c: &%c [*%c,*%c]\n" % (i + 1, i + 1, i, i) for i in range(97, 121)),
    "a huge integer": b'{"workflow": {"tasks": [{"name": "a", "runtime": ' + b"9" * 10_000 + b"}]}}",
    "carriage returns": b"JOB a b\rJOB c d\r",
    "digits": b"9" * 5000 + b"\n" + b"1 2 3\n" * 10,
}


@pytest.mark.parametrize("name", READERS)
@pytest.mark.parametrize("kind", NASTY)
def test_nasty_bytes(name, kind):
    module = formats.formats()[name]
    try:
        document = module.parse(Source("nasty", NASTY[kind]), None)
    except EligoError as error:
        assert str(error).startswith("nasty:"), str(error)
        assert "\0" not in str(error)
        assert len(str(error)) < 2000
    else:
        assert isinstance(document.dag, Dag)


@pytest.mark.parametrize("kind", NASTY)
def test_nasty_bytes_are_told_apart_without_harm(kind):
    for name in ("x", "x.dag", "x.json", "x.xml", "x.yml", "x.csv"):
        try:
            formats.find_format(Source(name, NASTY[kind]))
        except EligoError as error:
            assert str(error).startswith(f"{name}:")


@pytest.mark.parametrize("name", READERS)
@given(st.one_of(st.binary(max_size=200), st.text(max_size=200).map(lambda text: text.encode())))
@settings(max_examples=150, suppress_health_check=[HealthCheck.differing_executors])
def test_random_bytes(name, data):
    try:
        formats.formats()[name].parse(Source("fuzz", data), None)
    except EligoError as error:
        assert str(error).startswith("fuzz:")


def mutate(random: random.Random, data: bytes) -> bytes:
    """Cut, repeat, move, flip or replace a few spans."""
    for _ in range(random.randint(1, 4)):
        if not data:
            break
        start = random.randrange(len(data))
        stop = min(len(data), start + random.choice([1, 2, 10, 100, 1000]))
        piece = data[start:stop]
        match random.randrange(6):
            case 0:
                data = data[:start] + data[stop:]
            case 1:
                data = data[:stop] + piece * random.choice([1, 3]) + data[stop:]
            case 2:
                data = data[:start]
            case 3:
                other = random.randrange(len(data))
                data = data[:other] + piece + data[other:]
            case 4:
                data = data[:start] + bytes([data[start] ^ 1 << random.randrange(8)]) + data[start + 1 :]
            case 5:
                number = random.choice(
                    [b"-1", b"1e400", b"nan", b"99999999999999999999", b"0.5", b'"', b"\0", b"\n", b"{"]
                )
                data = data[:start] + number + data[stop:]
    return data


SMALL = [file for file in statistics() if (DATA / file).stat().st_size < 60_000]


@needs_shared
@pytest.mark.parametrize("file", SMALL)
def test_mutated_real_files(file):
    source = load(DATA / file)
    name = formats.find_format(source).NAME
    seeded = random.Random(file)
    for _ in range(12):
        path = str((DATA / file).parent / "mutated")  # so that what it includes or splices is found
        try:
            formats.formats()[name].parse(Source(path, mutate(seeded, source.data)), None)
        except EligoError as error:
            assert re.match(r"(/[^:\n]+|mutated):", str(error)), str(error)


@needs_shared
@pytest.mark.long
@pytest.mark.parametrize("file", SMALL)
def test_mutated_real_files_at_length(file):
    source = load(DATA / file)
    name = formats.find_format(source).NAME
    seeded = random.Random(f"long {file}")
    for _ in range(300):
        path = str((DATA / file).parent / "mutated")
        try:
            formats.formats()[name].parse(Source(path, mutate(seeded, source.data)), None)
        except EligoError as error:
            assert re.match(r"(/[^:\n]+|mutated):", str(error)), str(error)


def run(*words: str, **options) -> subprocess.CompletedProcess:
    return subprocess.run(
        [sys.executable, "-m", "eligo", *words], capture_output=True, text=True, timeout=120, check=False, **options
    )


BROKEN = {
    "cycle.dag": "JOB a a.sub\nJOB b b.sub\nPARENT a CHILD b\nPARENT b CHILD a\n",
    "twice.dag": "JOB a a.sub\nJOB a b.sub\n",
    "unknown.dag": "JOB a a.sub\nPARENT a CHILD b\n",
    "loop.dag": "INCLUDE loop.dag\n",
    "missing.dag": "INCLUDE none.dag\n",
    "cut.json": '{"name": "x", "schemaVersion": "1.5", "workflow": {"specification": {"tasks": [{"name": "a"',
    "cut.dax": '<?xml version="1.0"?><adag><job id="a"',
    "doctype.dax": '<?xml version="1.0"?><!DOCTYPE adag [<!ENTITY a "b">]><adag><job id="&a;"/></adag>',
    "cut.yml": 'pegasus: "5.0"\nname: x\njobs:\n- {type: job, id: "a"',
    "cut.dot": 'digraph { a -> "b',
    "cycle.dot": "digraph { a -> b -> c -> a }",
    "sizes.dot": 'digraph { a -> b [size="-5"] }',
    "cycle.csv": "parent,child\na,b\nb,a\n",
    "size.csv": "parent,child,size_bytes\na,b,-5\n",
    "cut.stg": "50\n0 0 0\n1 9 1 0\n",
}


@pytest.mark.parametrize("name", BROKEN)
def test_the_command_line_says_where_and_what(name, tmp_path):
    (tmp_path / name).write_text(BROKEN[name])
    result = run("convert", name, "out.dot", cwd=tmp_path)
    assert result.returncode == 1
    first, *rest = result.stderr.splitlines()
    assert re.match(rf"{re.escape(name)}:\d+: .", first), result.stderr
    assert any(line.startswith("hint: ") for line in rest)
    assert "Traceback" not in result.stderr
    assert not (tmp_path / "out.dot").exists()


def test_directories_and_damaged_packing(tmp_path):
    (tmp_path / "x.dag.gz").write_bytes(gzip.compress(b"JOB a b\n" * 100)[:-10])
    for name in (".", "x.dag.gz"):
        result = run("info", name, cwd=tmp_path)
        assert result.returncode == 1
        assert result.stderr.startswith(f"{name}: ")
