from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eligo.engines._plan import Process, Task
from eligo.engines._tasks.task_maker import Maker
from eligo.engines._tasks.wfformat_tasks import maker
from eligo.errors import ParseError
from eligo.formats import open_document
from eligo.formats._source import Source
from eligo.formats._wfformat.reader import parse
from tests.corpus import DATA, needs_shared


def make(*commands: Any, system: str = "Pegasus", **extra: Any) -> Maker:
    ids = [f"t{i}" for i in range(len(commands))]
    tree = {
        "schemaVersion": "1.5",
        "runtimeSystem": {"name": system},
        "workflow": {
            "specification": {"tasks": [{"id": name, "name": name} for name in ids]},
            "execution": {"tasks": [{"id": i, "command": c, **extra} for i, c in zip(ids, commands, strict=True)]},
        },
    }
    return maker(parse(Source("/w/x.json", json.dumps(tree, indent=1).encode()), None))


_line_of_second_command = 29  # as json.dumps lays out the two tasks of the test below


def process(program: str, *arguments: str, system: str = "Pegasus") -> Process:
    return make({"program": program, "arguments": arguments}, system=system).task(0).processes[0]


def test_program_and_arguments() -> None:
    made = make({"program": "no-such-program", "arguments": ["a b", "$(c)"]}, coreCount=2.5, memoryInBytes=7)
    run = Process(("no-such-program", "a b", "$(c)"), "/w")
    assert made.task(0) == Task("t0", (run,), cpus=3, memory_bytes=7 + (16 << 20), path="/w/x.json")
    assert made.warnings == ()


def test_a_path_is_relative_to_the_file(tmp_path: Path) -> None:
    assert process("./bin/x").argv == ("/w/bin/x",)
    assert process("/bin/x").argv == ("/bin/x",)
    file = tmp_path / "x.json"
    file.write_text('{"workflow": {"jobs": [{"name": "a", "program": "my-very-own-tool"}]}}')
    (tmp_path / "my-very-own-tool").write_text("#!/bin/sh\n")
    (tmp_path / "my-very-own-tool").chmod(0o755)
    assert maker(open_document(file)).task(0).processes[0].argv == (str(tmp_path / "my-very-own-tool"),)


def test_an_option_with_its_value_is_two_words() -> None:
    made = make({"program": "x", "arguments": ["--cpu 0.6", '--out "{\\"a\\":1}"', "-x=a b", "QD < 2", "- a", "-1 a"]})
    words = ("x", "--cpu", "0.6", "--out", '{"a":1}', "-x=a b", "QD < 2", "- a", "-1 a")
    assert made.task(0).processes[0].argv == words
    assert made.warnings == (
        "/w/x.json: arguments of 1 tasks hold an option and its value in one string: taken as two",
    )


def test_arguments_that_are_one_string() -> None:
    assert make({"program": "x", "arguments": "a 'b c' d"}).task(0).processes[0].argv == ("x", "a", "b c", "d")


def test_makeflow() -> None:
    run = process("label", "./bwa", "mem", "--a b", ">", "q.sam", "2>", "/e", "<", "in", system="Makeflow")
    words = ("/w/bwa", "mem", "--a b")
    assert run == Process(words, "/w", stdin="/w/in", stdout="/w/q.sam", stderr="/e")


@pytest.mark.parametrize(
    ("program", "arguments", "system", "part"),
    [
        ("", ["x"], "Pegasus", "names no program"),
        (" ", [], "Pegasus", "names no program"),
        ("cat a\n  b | c", [], "Nextflow", "shell script, not a program: 'cat a...'"),
        ("x", ["--a 'b"], "Pegasus", "open quotes"),
        ("x", ["cat", "*.err"], "Makeflow", "for a shell: '*.err'"),
        ("x", ["cat", "a", "|", "sort"], "Makeflow", "for a shell: '|'"),
        ("x", ["cat", ">>", "a"], "Makeflow", "for a shell"),
        ("x", ["cat", ">"], "Makeflow", "redirection"),
        ("x", ["cat", ">", "a", ">", "b"], "Makeflow", "redirection"),
        ("x", [">", "a"], "Makeflow", "names no program"),
    ],
)
def test_refused_with_the_line(program: str, arguments: list[str], system: str, part: str) -> None:
    made = make({"program": "x"}, {"program": program, "arguments": arguments}, system=system)
    assert made.task(0)
    with pytest.raises(ParseError) as caught:
        made.task(1)
    assert part in caught.value.text
    assert caught.value.text.startswith("task 't1' ")
    assert caught.value.hint
    assert caught.value.line == _line_of_second_command


def test_a_task_that_never_ran() -> None:
    with pytest.raises(ParseError, match=r"x.json:1: task 'a' names no program(.|\n)*--command"):
        maker(parse(Source("x.json", b'{"workflow": {"specification": {"tasks": [{"id": "a"}]}}}'), None)).task(0)


@given(st.lists(st.text(max_size=12)), st.sampled_from(["Pegasus", "Makeflow", ""]))
def test_any_arguments_give_a_task_or_an_error(arguments: list[str], system: str) -> None:
    try:
        run = process("x", *arguments, system=system)
    except ParseError as error:
        assert error.hint
    else:
        if not any(argument.startswith("-") for argument in arguments) and system != "Makeflow":
            assert run.argv == ("x", *arguments)


@needs_shared
@pytest.mark.parametrize(
    ("name", "good"),
    [
        ("1000genome-chameleon-2ch-100k-001.json", True),
        ("soykb-chameleon-10fastq-10ch-001.json", True),
        ("helloworld-forkjoin-10-chameleon.json", True),
        ("blast-chameleon-small-001.json", True),
        ("legacy/blast-chameleon-small-001.v1.4.json", True),
        ("bwa-chameleon-large-001.json.gz", False),  # it has wildcards
        ("bacass-dirt02-001.json", False),
    ],
)
def test_real_files(name: str, good: bool) -> None:
    document = open_document(DATA / "wfformat" / name)
    made = maker(document)
    if good:
        assert [made.task(job).name for job in range(document.dag.n)] == list(document.dag.names)
    else:
        with pytest.raises(ParseError, match=r"shell"):
            list(map(made.task, range(document.dag.n)))
