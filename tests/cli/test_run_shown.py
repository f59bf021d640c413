"""``eligo run``: what is shown of a run before it, in dry runs, and after it, in pictures."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from eligo import Dag, Data, write
from eligo._cli import main
from tests.cli.running import diamond, events, ran, run


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A directory with blanks and quotes in its name, which becomes the current one."""
    place = tmp_path / "my 'home'"
    place.mkdir()
    monkeypatch.chdir(place)
    return place


def test_dry_runs_start_nothing(home, capsys):
    file = diamond(home)
    before = sorted(home.iterdir())
    run(file, "--dry-run", "-j", 3)
    out = capsys.readouterr().out
    assert "would run on local; nothing was started" in out
    assert "  a: /bin/sh a.sh" in out
    run(file, "--dry-run", "--json")
    (facts,) = events(capsys.readouterr().out)
    assert facts["first"][0]["job"] == "a"
    assert sorted(home.iterdir()) == before


def test_a_dry_run_shows_what_else_there_is(home, capsys):
    """Scripts, retries, categories, FINAL, directories; what a try knows only when it starts is that of the first.

    a ---> b ---> c
    """
    (home / "sub").mkdir()
    told = "{\n  executable = /bin/echo\n  arguments = try $(RETRY)\n  should_transfer_files = no\n}\n"
    text = f"JOB a {told}JOB b {told}JOB c {told}FINAL end {told}PARENT a CHILD b\nPARENT b CHILD c\n"
    text = text.replace("JOB b {\n", "JOB b {\n  initialdir = sub\n")
    text += "SCRIPT PRE b /bin/true $JOB\nSCRIPT POST b /bin/true $RETURN\nRETRY b 2\n"
    text += "CATEGORY a big\nCATEGORY c big\nMAXJOBS big 1\n"
    (home / "flow.dag").write_text(text)
    run("flow.dag", "--dry-run")
    out = capsys.readouterr().out
    for row in (
        r"retries +1   to be", r"scripts +2   1 before jobs, 1 after", r"categories +1   at once at most 1 of 2 jobs",
        r"FINAL +end   /bin/echo try 0",
    ):  # fmt: skip
        assert re.search(f"(?m)^  {row}", out), out
    shown = f"  b: /bin/echo try 0\n    before: /bin/true $JOB\n    after: /bin/true $RETURN\n    in: {home}/sub\n"
    assert out.endswith(f"\nfirst:\n  a: /bin/echo try 0\n{shown}  c: /bin/echo try 0\n")
    run("flow.dag")
    capsys.readouterr()
    run("flow.dag", "--dry-run")
    assert "there is a run already, with 3 of 3 jobs done: it takes --resume" in capsys.readouterr().err
    run("flow.dag", "--dry-run", "--resume")
    out = capsys.readouterr().out
    assert re.search(r"jobs +3   3 of them done already", out)
    assert "first:" not in out


def test_a_dry_run_goes_by_a_rescue_dag(home, capsys):
    file = diamond(home)
    (home / "flow.dag.rescue001").write_text("DONE a\n")
    run(file, "--dry-run", "--resume", "--json")
    (facts,) = events(capsys.readouterr().out)
    assert (facts["done"], {job["job"] for job in facts["first"]}) == (1, {"b", "c", "d"})


def bars(path: Path) -> dict[str, tuple[float, float]]:
    """Return when each job of a Chrome trace started, and how long it took."""
    found = json.loads(path.read_text())["traceEvents"]
    return {event["name"]: (event["ts"], event["dur"]) for event in found if event["ph"] == "X"}


def test_pictures_of_a_run(home, capsys):
    run(diamond(home, b="sleep 0.2"), "--gantt", "run.svg", "--trace", "run.json", "-j", 2)
    err = capsys.readouterr().err
    assert "run.svg: what ran when\n" in err
    assert "run.json: what ran when; ui.perfetto.dev" in err
    assert (home / "run.svg").read_text().startswith("<?xml")
    found = bars(home / "run.json")
    assert set(found) == set("abcd")
    assert found["b"][1] >= 0.2e6
    assert found["d"][0] >= found["b"][0] + found["b"][1]
    run("flow.dag", "--resume", "--trace", "run.json")  # nothing runs, and all is there
    assert bars(home / "run.json") == found
    assert main(["status", "flow.dag", "--gantt", "again.png", "--chrome-trace", "again.json"]) == 0
    assert bars(home / "again.json") == found
    assert (home / "again.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("command", [["run"], ["status"]])
@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("--gantt g.txt", "g.txt: not a kind of picture"),
        ("--trace t.svg", "t.svg: not a name for a Chrome trace"),
        ("--trace mine.json", "mine.json: is there already, and is no Chrome trace"),
        ("--gantt no/where.svg", "no/where.svg: there is no directory no"),
        ("--gantt flow.dag", "flow.dag: both FILE and --gantt"),
    ],
)
def test_pictures_are_refused_before_anything_starts(home, capsys, command, words, told):
    file = diamond(home)
    (home / "mine.json").write_text("{}")
    assert main([*command, file, *words.split()]) == 1
    assert told in capsys.readouterr().err
    assert not ran(home)


def test_a_picture_that_cannot_be_drawn_takes_nothing_from_the_run(home, capsys):
    (home / "out").mkdir()
    run(diamond(home, d="mv out in"), "--trace", "out/t.json")
    assert "warning: out/t.json: " in capsys.readouterr().err
    (home / "flow.dag").write_text("JOB z {\n executable = /bin/true\n}\n")
    assert main(["status", "flow.dag", "--trace", "t.json"]) == 1
    assert "cannot be drawn without the workflow as it was" in capsys.readouterr().err


def test_a_picture_of_a_limit(home):
    dag = Dag.from_names([("a", "b"), ("c", "d")])
    write(dag.with_known(data=Data.per_edge(dag.tails, dag.heads, [5, 7])), home / "w.json")
    run("w.json", "--memory", "7", "--command", "true", "--trace", "t.json", "--gantt", "t.pdf")
    events = json.loads((home / "t.json").read_text())["traceEvents"]
    sizes = [event["args"]["bytes"] for event in events if event["name"] == "memory"]
    assert max(sizes) == 7
    assert sizes[-1] == 0
