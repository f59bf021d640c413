from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eligo.dag import OUTSIDE, UNKNOWN, Dag, Data
from eligo.engines._tasks.command_template import PLACES, maker
from eligo.errors import EligoError, ParseError
from eligo.formats._base import Document
from eligo.formats._source import Source


def document(*names: str, **known: object) -> Document:
    dag = Dag.from_edges(list(names), [], []).with_known(**known)  # type: ignore[arg-type]
    return Document(dag, "dot", Source("/w/x.dot", b""))


def argv(command: str, *names: str, **known: object) -> tuple[str, ...]:
    return maker(document(*(names or ("a",)), **known), command).task(0).processes[0].argv


def test_words_are_split_before_they_are_filled_in() -> None:
    assert argv("run '{name}' x{index}y", "a b; $(c) \"'\n") == ("run", "a b; $(c) \"'\n", "x0y")


def test_every_place_can_be_filled_in() -> None:
    data = Data.build([5, 7, 9], [0, 0, OUTSIDE], [[], [], [0]])
    known = {"time_s": [1e-7], "memory_bytes": [3], "temp_bytes": [4], "count": [6], "data": data}
    text = " ".join("{" + place + "}" for place in PLACES)
    assert argv("x " + text, "../a", **known)[1:] == ("../a", "0-.._a", "0", "0.0000001", "3", "4", "12", "6")


def test_where_it_runs() -> None:
    task = maker(document("a", memory_bytes=[UNKNOWN]), "bin/x {name}").task(0)
    assert (task.name, task.memory_bytes, task.path) == ("a", None, "/w/x.dot")
    assert task.processes[0].argv == ("/w/bin/x", "a")
    assert task.processes[0].directory == "/w"
    assert task == maker(document("a"), "bin/x {name}").task(0)


def test_braces() -> None:
    assert argv("x '{{name}}' }}{{ '{{{index}}}'") == ("x", "{name}", "}{", "{0}")


@pytest.mark.parametrize(
    ("command", "part"),
    [
        ("", "no program"),
        ("''", "no program"),
        ("x {names}", "{names} is not known"),
        ("x {}", "{} is not known"),
        ("x {time_s!r}", "not known"),
        ("x {name.__class__}", "not known"),
        ("x {", "single {"),
        ("x a}", "single }"),
        ("x 'a", "quotation"),
        ("x \0", "NUL"),
        ("{name} x", "program"),
        ("/bin/{name}", "program"),
    ],
)
def test_refused(command: str, part: str) -> None:
    with pytest.raises(EligoError) as caught:
        argv(command)
    assert part in caught.value.text
    assert caught.value.hint


def test_unknown_places_list_the_known_ones() -> None:
    with pytest.raises(EligoError) as caught:
        argv("x {nme}")
    assert all("{" + place + "}" in caught.value.hint for place in PLACES)


@pytest.mark.parametrize(
    "command",
    [
        "sh -c 'echo {name}'",
        "/bin/bash -ec 'echo {name}'",
        "bash -euoc pipefail 'echo {name}'",
        "bash -c -o pipefail 'echo {name}'",
        "bash --norc -o pipefail -c -- 'echo {name}'",
        "env X=1 sh -c 'echo {name}'",
        "nice timeout 5 dash -c 'echo {name}'",
        "python3 -c 'print({name})'",
        "python3 -c'print({name})'",
        "perl -e 'print {name}'",
        "perl -E{name}",
        "su someone -c 'echo {name}'",
        "su --command='echo {name}' someone",
        "ssh there echo {name}",
    ],
)
def test_no_name_in_a_text_that_is_run(command: str) -> None:
    with pytest.raises(EligoError, match="part of the program"):
        argv(command)


@pytest.mark.parametrize(
    "command",
    [
        "sh -c 'echo \"$1\"' sh {name}",
        "bash -euo pipefail -c 'echo \"$1\"' bash --job={name}",
        "sh script.sh {name}",
        "python3 job.py {name}",
        "perl job.pl {name}",
        "sh -c 'sleep {time_s}; echo {index} {safe_name}'",
    ],
)
def test_a_name_as_an_argument(command: str) -> None:
    assert argv(command, "a", time_s=[1])


def test_a_name_that_looks_like_an_option() -> None:
    for command in ("rm {name}", "rm {name}x"):
        with pytest.raises(ParseError, match="taken for an option"):
            argv(command, "-rf")
    for command in ("rm -- {name}", "rm --file={name}", "rm ./{name}", "rm {safe_name}"):
        assert argv(command, "-rf")


def test_what_a_job_lacks_is_said_before_anything_runs() -> None:
    with pytest.raises(ParseError) as caught:
        maker(document("a", "b", "c", time_s=[1, np.nan, np.nan]), "sleep {time_s}")
    assert caught.value.text == "--command wants {time_s}, and that of job 'b' is not known (and of 1 more)"
    assert "--job-data" in caught.value.hint
    for place in ("memory_bytes", "temp_bytes", "output_bytes"):
        with pytest.raises(ParseError, match=f"wants {{{place}}}"):
            argv(f"x {{{place}}}")


def test_outputs_of_which_a_part_is_unknown() -> None:
    with pytest.raises(ParseError, match="output_bytes"):
        argv("x {output_bytes}", data=Data.build([5, UNKNOWN], [0, 0], [[], []]))
    assert argv("x {output_bytes}", data=Data.build([5], [OUTSIDE], [[0]])) == ("x", "0")


_NAMES = st.text(min_size=1, max_size=30).filter(lambda name: name.isprintable() or name == "\n")


@settings(max_examples=15, deadline=None)
@given(_NAMES)
def test_a_program_gets_the_very_name(name: str) -> None:
    words = argv(f"{sys.executable} -c 'import os, sys; os.write(1, os.fsencode(sys.argv[1]))' ={{name}}", name)
    assert subprocess.run(words, capture_output=True, check=True, timeout=60).stdout == ("=" + name).encode()


@settings(max_examples=300, deadline=None)
@given(st.text("{}na'me \"\\x", max_size=20))
def test_any_command_gives_a_task_or_an_error(command: str) -> None:
    try:
        assert all(isinstance(word, str) for word in argv(command))
    except EligoError as error:
        assert error.hint
