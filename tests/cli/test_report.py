"""``report`` as a user meets it: the page it writes, what it refuses before any work, and that no half page is left."""

from __future__ import annotations

import base64
import html
import io
import json
import math
import os
import re
import shlex
import struct
import subprocess
import sys
from pathlib import Path

import pytest

from eligo import Dag, generate, read, worst_peak, write
from eligo._cli import command_parser, main
from eligo._cli import report_command as command
from eligo.formats import open_document
from eligo.report._page.render import PAGE_START
from tests.cli.dag_folder import tree
from tests.cli.limiting import FORMATS, TABLE, chains, facts, make, run, with_files
from tests.cli.running import diamond, flow
from tests.corpus import SHARED, needs_shared
from tests.sessions import ROOT

GAINS = [("a", "b"), ("c", "d"), ("c", "e")]
ONE_POINT = ("--interarrival", 1, "--batch", 4, "--samples", 40, "--runs", 2, "--on", "here")


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def dag(home):
    """A workflow that tells nothing but its dependencies."""
    write(chains(), "x.dag")
    return "x.dag"


def data_of(page: Path | bytes) -> dict:
    text = page if isinstance(page, bytes) else page.read_bytes()
    found = re.search(rb'<script id="data" type="application/json">(.*?)</script>', text, re.DOTALL)
    assert found is not None
    return json.loads(found[1])


def seen_in(page: Path | bytes) -> str:
    """What people read on a page, roughly."""
    text = (page if isinstance(page, bytes) else page.read_bytes()).decode()
    text = re.sub(r"<(script|style).*?</\1>", "", text, flags=re.DOTALL)
    return html.unescape(re.sub(r"<[^>]*>", "", text)).replace("\N{NO-BREAK SPACE}", " ")


def steps_of(page: Path) -> list[list[str]]:
    """The commands that a page advises, as a shell would read them."""
    found = re.findall(r"<li>[^<]*<code>(.*?)</code>", page.read_text())
    return [shlex.split(html.unescape(re.sub(r"</?span>", "", text))) for text in found]


def whole(field: dict[str, str]) -> list[int]:
    return [value for (value,) in struct.iter_unpack("<i", base64.b64decode(field["i4"]))]


# Pages.


def test_a_page(dag, home, capsys):
    run("report", dag, "-o", "page.html")
    said = capsys.readouterr()
    size = f"{len(Path('page.html').read_bytes()) / 1000:.3g}"
    assert (said.out, said.err) == ("", f"page.html: 10 jobs, {size} kB; open it with a browser\n")
    page = Path("page.html").read_bytes()
    assert page.startswith(PAGE_START)
    assert data_of(page)["jobs"]["name"] == list(chains().names)
    assert b"connect-src" not in page
    assert not data_of(page)["live"]
    assert "DAGMan" in seen_in(page)
    assert sorted(tree(home)) == ["page.html", "x.dag"]


def test_the_same_bytes_each_time(file, home):
    """Also in another process, where hashes differ, and over a page that is there."""
    run("report", file, "-o", "one.html")
    first = Path("one.html").read_bytes()
    run("report", file, "-o", "one.html")
    assert Path("one.html").read_bytes() == first
    subprocess.run(
        [sys.executable, "-m", "eligo", "report", file, "-o", "two.htm"],
        env={**os.environ, "PYTHONHASHSEED": "77"}, check=True, capture_output=True, timeout=120,
    )  # fmt: skip
    assert Path("two.htm").read_bytes() == first


@pytest.mark.parametrize("suffix", FORMATS)
def test_every_format(tmp_path, capsys, suffix):
    """Sizes come from the file or from a table: memory is there, with the peak that ``memory`` tells."""
    words = make(tmp_path, suffix)
    page = tmp_path / "page.html"
    run("report", *words, "-o", page)
    memory = data_of(page)["memory"]
    told = facts(capsys, "memory", *words)
    assert memory["worst"] == told["worst_peak"]
    assert [point["limit"] for point in memory["curve"]] == [point["limit"] for point in told["curve"]]
    assert data_of(page)["in_seconds"]


def test_orders_are_those_of_prioritize(home, capsys):
    write(Dag.from_names(GAINS), "x.dag")
    run("report", "x.dag", "-o", "page.html", "--strategies", "area, fifo,area")
    first, second = data_of(Path("page.html"))["strategies"]
    assert (first["label"], second["label"]) == ("area", "fifo")
    told = facts(capsys, "prioritize", "x.dag", "--strategy", "area")
    names = data_of(Path("page.html"))["jobs"]["name"]
    assert [names[job] for job in whole(first["order"])] == told["order"]
    assert whole(first["profile"]) == told["profile"]


def test_standard_output(file, capsysbinary):
    run("report", file, "-o", "page.html")
    capsysbinary.readouterr()
    run("report", file, "-o", "-")
    said = capsysbinary.readouterr()
    assert said.out == Path("page.html").read_bytes()
    assert b"open it" not in said.err


def test_standard_input(home, capsys, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"digraph { a -> b; a -> c }")))
    run("report", "-", "-o", "page.html")
    assert data_of(Path("page.html"))["jobs"]["name"] == ["a", "b", "c"]


def test_standard_input_is_not_called_by_a_name(home, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"digraph { a -> b; a -> c }")))
    run("report", "-", "-o", "page.html")
    assert "<h1><bdi>standard input</bdi></h1>" in Path("page.html").read_text()
    assert {words[2] for words in steps_of(Path("page.html"))} == {"FILE"}


def test_packed_workflows(file, home):
    import gzip

    Path("x.json.gz").write_bytes(gzip.compress(Path(file).read_bytes()))
    run("report", "x.json.gz", "-o", "page.html")
    assert len(data_of(Path("page.html"))["jobs"]["name"]) == 10


def test_workers_and_curve(file, home):
    run("report", file, "-o", "page.html", "--workers", 3, "--curve", 0)
    assert data_of(Path("page.html"))["workers"] == 3
    assert data_of(Path("page.html"))["memory"]["curve"] == []
    run("report", file, "-o", "page.html", "--curve", 2)
    assert len(data_of(Path("page.html"))["memory"]["curve"]) == 3


def test_the_smallest_workflows(home):
    Path("none.dag").write_text("FINAL f x.sub\n")
    Path("one.dag").write_text("JOB a x.sub\n")
    for name, jobs in (("none.dag", []), ("one.dag", ["a"])):
        for more in ([], ["--model", "pebble"]):
            run("report", name, "-o", "page.html", *more)
            assert data_of(Path("page.html"))["jobs"]["name"] == jobs


# Memory and limits.


def test_without_sizes(dag, capsys):
    run("report", dag, "-o", "page.html")
    assert data_of(Path("page.html"))["memory"] is None
    text = (
        "Memory and disk are not shown: no sizes are known: neither of files, nor what jobs use while they run. To add"
    )
    assert seen_in(Path("page.html")).count(text) == 2  # among what was found, and what is missing
    for words in (["--memory", "1kB"], ["--resource", "disk"], ["--unread", "leave"], ["--inputs", "count"]):
        run("report", dag, "-o", "other.html", *words, status=1)
        err = capsys.readouterr().err.splitlines()
        assert err[-2] == "x.dag: no sizes are known: neither of files, nor what jobs use while they run"
        assert err[-1].startswith("hint: give --job-data TABLE with columns job and output_bytes")
    assert not Path("other.html").exists()
    run("report", dag, "-o", "page.html", "--model", "pebble")
    assert data_of(Path("page.html"))["memory"]["unit"] == "pebbles"


def test_a_colon_in_the_name(home):
    write(chains(), "my: x.dag")
    run("report", "my: x.dag", "-o", "page.html")
    assert "Memory and disk are not shown: no sizes are known" in seen_in(Path("page.html"))


def test_a_limit(file, capsys):
    run("report", file, "-o", "page.html", "--memory", "6kB")
    page = data_of(Path("page.html"))
    told = facts(capsys, "limit", file, "--memory", "6kB")
    names = page["jobs"]["name"]
    first, head = whole(page["edges"]["first"]), whole(page["edges"]["head"])
    ends = [(tail, head[at]) for tail in range(len(names)) for at in range(first[tail], first[tail + 1])]
    added = [[names[job] for job in ends[edge]] for edge in whole(page["edges"]["added"])]
    assert sorted(added) == sorted(told["added_edges"])
    assert (page["memory"]["limit"], page["memory"]["worst"]) == (6000, told["worst_peak"])
    assert page["memory"]["limited_path"] == told["critical_path_after"]
    run("report", file, "-o", "page.html", "--memory", "6kB", "--method", "respect-order")
    assert "by method respect-order" in seen_in(Path("page.html"))
    run("report", file, "-o", "page.html", "--memory", "10B", status=1)
    assert "--memory 4010 (4.01 kB) is the smallest known to be reachable" in capsys.readouterr().err
    assert data_of(Path("page.html"))["memory"]["limit"] == 6000


def test_a_file_that_is_limited(file, home, capsys):
    """Its added dependencies are marked without being asked for; another limit takes their place."""
    run("limit", file, "--memory", "6kB", "-o", "limited.json")
    run("report", "limited.json", "-o", "page.html")
    page = data_of(Path("page.html"))
    added = facts(capsys, "limit", file, "--memory", "6kB")["added_edges"]
    assert len(whole(page["edges"]["added"])) == len(added) > 0
    assert page["memory"]["worst"] <= 6000
    assert page["memory"]["limit"] is None
    run("report", "limited.json", "-o", "page.html", "--memory", "100%")
    assert whole(data_of(Path("page.html"))["edges"]["added"]) == []


def test_a_file_that_is_limited_has_times(file, home):
    run("limit", file, "--memory", "6kB", "-o", "limited.json")
    run("report", "limited.json", "-o", "page.html")
    assert "The longest chain takes 9 s (4 jobs)" in seen_in(Path("page.html"))


# Simulations and runs.


def test_a_simulation(home, capsys):
    write(Dag.from_names(GAINS), "x.dag")
    run("simulate", "x.dag", "-o", "sweep.csv", "--sweep", *ONE_POINT)
    capsys.readouterr()
    run("report", "x.dag", "-o", "page.html", "--simulation", "sweep.csv")
    assert "warning" not in capsys.readouterr().err
    found = data_of(Path("page.html"))["simulation"]
    assert (found["interarrivals"], found["batches"]) == ([1.0], [4.0])
    assert {row[3] for row in found["rows"]} <= {"execution_time", "stalling", "utilization"} | set(found["metrics"])
    assert re.search("On [01] of 1 grid the whole interval", seen_in(Path("page.html")))
    (home / "deep").mkdir()
    write(Dag.from_names(GAINS), "deep/x.dag")
    run("report", "deep/x.dag", "-o", "page.html", "--simulation", "sweep.csv")
    assert "warning" not in capsys.readouterr().err
    write(Dag.from_names(GAINS), "y.dag")
    run("report", "y.dag", "-o", "page.html", "--simulation", "sweep.csv")
    assert "warning: sweep.csv: is about x.dag, not y.dag\n" in capsys.readouterr().err


def test_tables_that_are_none(dag, capsys):
    run("report", dag, "-o", "page.html", "--simulation", "none.csv", status=1)
    assert capsys.readouterr().err.startswith("none.csv: no such file\nhint: ")
    Path("bad.csv").write_text("a,b\n1,2\n")
    run("report", dag, "-o", "page.html", "--simulation", "bad.csv", status=1)
    assert capsys.readouterr().err.startswith("bad.csv:1: there is no column interarrival\nhint: ")
    assert not Path("page.html").exists()


def test_a_run(home, capsys):
    file = diamond(home, c="exit 3")
    assert main(["run", file]) == 1
    said = capsys.readouterr().out
    run("report", file, "-o", "page.html", "--run")
    recorded = data_of(Path("page.html"))["recorded"]
    assert list(base64.b64decode(recorded["status"]["u1"])) == [2, 2, 3, 0]
    assert recorded["engine"] == "local"
    start = [value for (value,) in struct.iter_unpack("<f", base64.b64decode(recorded["trace"]["start"]["f4"]))]
    assert start[0] == 0
    assert [math.isnan(time) for time in start] == [False, False, False, True]
    assert "2 of 4 jobs succeeded, 1 failed, on local." in seen_in(Path("page.html"))
    advised = re.search(r"on a page: (eligo report .*)", said)
    assert advised is not None
    assert main(shlex.split(advised[1])[1:]) == 0
    assert Path("report.html").read_bytes() == Path("page.html").read_bytes()


def test_a_run_elsewhere_and_under_a_limit(file, home, capsys):
    limit = ["--memory", "6kB", "--resource", "memory", "--unread", "leave"]
    assert main(["run", file, "--command", "true", "--state", "there", *limit, "-j", "2"]) == 0
    assert f"--run there {' '.join(limit)} -o report.html" in capsys.readouterr().out
    for more in ([], ["--memory", "6kB"]):
        run("report", file, "-o", "page.html", "--run", "there", *more)
        assert list(base64.b64decode(data_of(Path("page.html"))["recorded"]["status"]["u1"])) == [2] * 10
        assert "every job succeeded" in seen_in(Path("page.html"))


def test_runs_that_are_none(home, capsys):
    file = diamond(home)
    run("report", file, "-o", "page.html", "--run", status=1)
    assert capsys.readouterr().err.startswith("flow.dag.eligo/state.sqlite: there is no state of a run\nhint: ")
    run("report", file, "-o", "page.html", "--run", "nowhere", status=1)
    assert capsys.readouterr().err.startswith("nowhere/state.sqlite: there is no state of a run\nhint: ")
    assert main(["run", file]) == 0
    other = flow(home, {"a": "true", "z": "true"}, name="other.dag")
    capsys.readouterr()
    run("report", other, "-o", "page.html", "--run", "flow.dag.eligo", status=1)
    text = "flow.dag.eligo/state.sqlite: the state is not of other.dag as it is now: job 'b' is in one of them only\n"
    assert capsys.readouterr().err.startswith(text)
    assert not Path("page.html").exists()
    assert not Path("other.dag.eligo").exists()


def test_standard_input_has_no_run(home, capsys, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"digraph { a -> b }")))
    run("report", "-", "-o", "page.html", "--run", status=1)
    assert "standard input has no run beside it" in capsys.readouterr().err


def test_hints_name_options_that_there_are(home, capsys, monkeypatch):
    known = {word for action in command_parser("report")._actions for word in action.option_strings}
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"digraph { a -> b }")))
    run("report", "-", "-o", "page.html", "--run", status=1)
    diamond(home)
    run("report", "flow.dag", "-o", "flow.dag", status=1)
    assert main(["run", "flow.dag"]) == 0
    other = flow(home, {"a": "true"}, name="other.dag")
    run("report", other, "-o", "page.html", "--run", "flow.dag.eligo", status=1)
    assert set(re.findall(r"--[\w-]+", capsys.readouterr().err)) <= known


# What to do next.


def follow(page: Path, *names: str) -> None:
    """Carry out what a page advises; what runs, runs nothing."""
    done = set()
    for words in steps_of(page):
        assert words[0] == "eligo"
        if words[1] in names:
            assert main([*words[1:], *(["--dry-run"] if words[1] == "run" else [])]) == 0
            done.add(words[1])
    assert done == set(names)


def test_steps_can_be_followed(file, home, capsys):
    name = "it's my $HOME.json"
    Path(file).rename(name)
    run("report", name, "-o", "page.html")
    capsys.readouterr()
    follow(Path("page.html"), "prioritize")
    assert "added dependenc" in capsys.readouterr().err
    write(Dag.from_names(GAINS), name)
    run("report", name, "-o", "page.html")
    follow(Path("page.html"), "prioritize")
    assert "5 jobs with a priority of ours" in capsys.readouterr().err
    diamond(home)
    run("report", "flow.dag", "-o", "page.html")
    follow(Path("page.html"), "run")


@pytest.mark.parametrize(
    "words", [["--job-data", "sizes.csv"], ["--model", "pebble"], ["--from", "dot", "--model", "pebble"]]
)
def test_steps_read_the_workflow_in_the_same_way(home, words):
    write(chains(), "x.dot")
    Path("sizes.csv").write_text(TABLE)
    run("report", "x.dot", "-o", "page.html", *words)
    asked = [step for step in steps_of(Path("page.html")) if step[1] == "prioritize" and "--memory" in step]
    assert asked
    for step in asked:
        assert set(words) <= set(step)
    follow(Path("page.html"), "prioritize")


@pytest.mark.parametrize(
    "edges", [GAINS, list(zip(chains().tails, chains().heads, strict=True))], ids=["order", "limit"]
)
def test_what_cannot_be_written_is_not_advised(home, edges):
    write(Dag.from_names(edges), "x.dag")
    run("convert", "x.dag", "x.txt", "--to", "edgelist")
    run("report", "x.txt", "-o", "page.html", "--model", "pebble")
    for words in steps_of(Path("page.html")):
        if words[1] in ("prioritize", "limit"):
            assert main(words[1 : words.index(">") if ">" in words else None]) == 0


def test_what_cannot_be_run_is_not_advised(home):
    write(Dag.from_names(GAINS), "x.dot")
    run("report", "x.dot", "-o", "page.html")
    for words in steps_of(Path("page.html")):
        if words[1] == "run":
            assert main([*words[1:], "--dry-run"]) == 0


# What is refused, before any work.


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("--strategies fastest", "there is no strategy 'fastest': take some of best, prio, "),
        ("--strategies best,", "there is no strategy ''"),
        ("--strategies best,prio,area,fifo,lifo,random,exact", "7 strategies are too many to look at: take up to six"),
        ("--workers 0", "'0' is no whole number from 1 to 1,000,000"),
        ("--workers -3", "'-3' is no whole number"),
        ("--workers 1000001", "'1000001' is no whole number"),
        ("--workers 2.5", "'2.5' is no whole number"),
        ("--workers many", "'many' is no whole number"),
        ("--curve -1", "'-1' is no whole number from 0 to 1,000"),
        ("--curve 1001", "'1001' is no whole number from 0 to 1,000"),
        ("--seed x", "'x' is no whole number from 0 to "),
        ("--seed -1", "'-1' is no whole number from 0 to "),
        ("--memory much", "write 64GB, 512MiB, 1.5e9 or 60%"),
        ("--memory 101%", "'101%' is no share"),
        ("--method auto", "--method is for a limit: it needs --memory SIZE"),
        ("--method best --memory 1kB", "invalid choice: 'best'"),
        ("--model large", "invalid choice: 'large'"),
        ("--run a b", "unrecognized arguments: b"),
    ],
)
def test_wrong_usage(dag, capsys, words, message):
    with pytest.raises(SystemExit) as stopped:
        main(["report", dag, "-o", "page.html", *words.split()])
    assert stopped.value.code == 2
    err = capsys.readouterr().err
    assert message in err
    assert "\nhint: " in err
    assert not Path("page.html").exists()


def test_a_page_needs_a_name(dag, capsys):
    with pytest.raises(SystemExit) as stopped:
        main(["report", dag])
    assert stopped.value.code == 2
    assert "the following arguments are required: -o" in capsys.readouterr().err


@pytest.fixture
def untouched(file, home):
    """Files of all kinds that are there by mistake; none of them is changed, and nothing comes of it."""
    Path("notes.html").write_text("<!doctype html>\n<p>mine</p>\n")
    Path("binary.htm").write_bytes(bytes(range(256)))
    Path("start.html").write_bytes(PAGE_START[:-1])
    Path("folder.html").mkdir()
    Path("link.html").symlink_to("notes.html")
    Path("page.html").symlink_to(file)
    Path("hard.html").hardlink_to(file)
    before = tree(home)
    yield file
    assert tree(home) == before


@pytest.mark.parametrize(
    ("out", "message"),
    [
        ("x.json", "x.json: both FILE and -o PAGE\nhint: choose another name"),
        ("./x.json", "./x.json: both FILE and -o PAGE\nhint: choose another name"),
        ("page.html", "page.html: both FILE and -o PAGE\nhint: choose another name"),
        (
            "hard.html",
            "hard.html: is there already, and is no page of ours\nhint: choose another name, or move it away",
        ),
        ("notes.html", "notes.html: is there already, and is no page of ours\nhint: "),
        ("binary.htm", "binary.htm: is there already, and is no page of ours\nhint: "),
        ("start.html", "start.html: is there already, and is no page of ours\nhint: "),
        ("link.html", "link.html: is there already, and is no page of ours\nhint: "),
        ("folder.html", "folder.html: is a directory\nhint: name a file to write"),
        ("no/page.html", "no/page.html: there is no directory no\nhint: make it first: mkdir -p no"),
        ("page.pdf", "page.pdf: not a name for a page\nhint: end it in .html or .htm"),
        ("page", "page: not a name for a page\nhint: "),
        ("page.html.gz", "page.html.gz: not a name for a page\nhint: "),
        ("", ": not a name for a page\nhint: "),
    ],
)
def test_where_no_page_can_go(untouched, capsys, monkeypatch, out, message):
    monkeypatch.setattr(command, "open_input", lambda *_, **__: pytest.fail("work was done"))
    run("report", untouched, "-o", out, status=1)
    assert capsys.readouterr().err.startswith(message)


def test_two_things_in_one_file(file, capsys):
    Path("t.html").write_text(TABLE)
    for option in ("--job-data", "--simulation"):
        run("report", file, option, "t.html", "-o", "t.html", status=1)
        assert capsys.readouterr().err == f"t.html: both {option} and -o PAGE\nhint: choose another name for -o PAGE\n"
    assert Path("t.html").read_text() == TABLE


def test_pages_may_be_written_over(file, home):
    """Those of ours, empty files, and pages behind links, which stay links."""
    Path("empty.html").touch()
    run("report", file, "-o", "empty.html")
    Path("link.html").symlink_to("empty.html")
    first = Path("empty.html").read_bytes()
    run("report", file, "-o", "link.html", "--workers", 7)
    assert Path("link.html").is_symlink()
    assert Path("empty.html").read_bytes() != first
    run("report", file, "-o", "CAPITAL.HTML")
    assert Path("CAPITAL.HTML").read_bytes() == first


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("bad.dag", "JOB a a.sub\nPARENT a CHILD\n", "bad.dag:2: "),
        ("cycle.dot", "digraph { a -> b\n b -> a }", "cycle.dot"),
        ("cut.json", '{"name": "x",\n "workflow": {', "cut.json:2: "),
        ("bad.yml", "pegasus: '5.0'\njobs: [\n", "bad.yml:2: "),
        ("empty.dag", "", "empty.dag"),
        ("noise.dag", "\x00\x01\x02", "noise.dag"),
    ],
)
def test_workflows_that_cannot_be_read(home, capsys, name, text, message):
    Path(name).write_text(text)
    run("report", name, "-o", "page.html", status=1)
    err = capsys.readouterr().err
    assert err.startswith(message)
    assert "Traceback" not in err
    assert "internal error" not in err
    assert not Path("page.html").exists()


def test_a_workflow_that_is_not_there(home, capsys):
    run("report", "none.dag", "-o", "page.html", status=1)
    assert capsys.readouterr().err.startswith("none.dag: no such file\nhint: ")
    run("report", ".", "-o", "page.html", status=1)
    assert capsys.readouterr().err.startswith(".: is a directory\nhint: ")


# Whole or not at all.


def full(*_: object) -> None:
    raise OSError(28, "No space left on device")


def interrupted(*_: object) -> None:
    raise KeyboardInterrupt


@pytest.mark.parametrize("there", [False, True])
@pytest.mark.parametrize("at", ["eligo._atomic_files.os.fsync", "eligo._atomic_files.Path.replace"])
@pytest.mark.parametrize("error", [full, interrupted])
def test_no_half_page_is_left(file, capsys, there, at, error):
    if there:
        run("report", file, "-o", "page.html", "--workers", 5)
    before = tree(Path())
    capsys.readouterr()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(at, error)
        run("report", file, "-o", "page.html", status=1 if error is full else 130)
    err = capsys.readouterr().err
    assert ("page.html: cannot be written: No space left on device\nhint: " in err) == (error is full)
    assert tree(Path()) == before


def test_interrupted_while_it_works(file, home, capsys, monkeypatch):
    before = tree(home)
    monkeypatch.setattr("eligo.report._page.render.render", interrupted)
    run("report", file, "-o", "page.html", status=130)
    assert tree(home) == before


def test_standard_output_that_is_full(file):
    for out in ("-", "/dev/full"):
        with open("/dev/full", "w") as stream:
            ended = subprocess.run(
                [sys.executable, "-m", "eligo", "report", file, "-o", out],
                stdout=stream, stderr=subprocess.PIPE, text=True, timeout=60, check=False,
            )  # fmt: skip
        assert ended.returncode == 1
        assert "No space left on device" in ended.stderr or "/dev/full: not a name for a page" in ended.stderr
        assert "Traceback" not in ended.stderr


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_folders_that_may_not_be_changed(file, home, capsys):
    (home / "closed").mkdir(mode=0o500)
    run("report", file, "-o", "closed/page.html", status=1)
    assert "closed/page.html: cannot be written: Permission denied" in capsys.readouterr().err


def test_a_page_that_may_not_be_read(file, capsys, monkeypatch):
    Path("page.html").write_text("mine")
    opened = Path.open

    def refuse(path: Path, *more: object, **words: object) -> object:
        if path.name == "page.html":
            raise PermissionError(13, "Permission denied", str(path))
        return opened(path, *more, **words)

    monkeypatch.setattr(Path, "open", refuse)
    run("report", file, "-o", "page.html", status=1)
    assert capsys.readouterr().err.startswith("page.html: ")


# Help, names, and what is there to look at.


def test_help(capsys):
    with pytest.raises(SystemExit) as stopped:
        main(["report", "--help"])
    assert stopped.value.code == 0
    out = capsys.readouterr().out
    assert "example:\n  eligo report workflow.dag -o report.html" in out
    for option in ("--strategies", "--workers", "--memory", "--simulation", "--run", "--job-data", "--curve", "--seed"):
        assert option in out


def test_examples_can_be_pasted():
    lines = [one.strip() for line in command.EXAMPLE.strip().splitlines() for one in line.split("&&")]
    assert len(lines) > 5
    for line in lines:
        program, name, *words = shlex.split(line)
        assert program == "eligo"
        command_parser(name).parse_args(words)


def test_hostile_names(home, capsys):
    names = ["</script><script>alert(1)</script>", "<img src=x onerror=alert(1)>", "a\u202eb", "\x1b[31m"]
    write(Dag.from_edges(names, [0, 1], [1, 2]), "x.json")
    folder = home / "<b>&\u202e"
    folder.mkdir()
    Path("x.json").rename(folder / "<i>\x1b.json")
    run("report", folder / "<i>\x1b.json", "-o", folder / "page.html", "--model", "pebble")
    assert "\x1b" not in capsys.readouterr().err
    page = (folder / "page.html").read_text()
    assert "<script>alert" not in page
    assert "<img" not in page
    assert "<i>" not in page
    assert "\u202e" not in page
    assert "\x1b" not in page
    assert r"&lt;i&gt;\x1b.json" in page
    assert data_of(folder / "page.html")["jobs"]["name"] == [*names[:2], r"a\u202eb", r"\x1b[31m"]


def test_hostile_names_of_tables(dag):
    Path("t\u202e<b>.csv").write_text(TABLE)
    run("report", dag, "-o", "page.html", "--job-data", "t\u202e<b>.csv")
    assert "<b>" not in Path("page.html").read_text()
    assert "\u202e" not in Path("page.html").read_text()


@pytest.mark.filterwarnings("ignore::eligo.errors.EligoWarning")
@pytest.mark.parametrize(
    "name",
    sorted(
        str(path.relative_to(ROOT / "examples"))
        for path in (ROOT / "examples").rglob("*")
        if path.suffix in (".dag", ".dot", ".yml")
    ),
)
def test_the_examples(tmp_path, name):
    run("report", ROOT / "examples" / name, "-o", tmp_path / "page.html")
    assert data_of(tmp_path / "page.html")["jobs"]["name"] == list(read(ROOT / "examples" / name).names)


@needs_shared
@pytest.mark.parametrize(
    "name",
    [
        "daggen-dot/dag-25-0.5-0.8-0.2-2.dot",
        "dagman/valid/pegasus-montage-56.dag",
        "dax/CyberShake_50.xml",
        "pegasus-yaml/diamond.yml",
        "sdfm-dot/LIGO.n.50.0.dot",
        "stg/stg50-rand0007.stg",
        "wfformat/1000genome-chameleon-2ch-100k-001.json",
    ],
)
def test_real_workflows(tmp_path, name):
    file = SHARED / "data" / name
    run("report", file, "-o", tmp_path / "page.html", "--strategies", "best,fifo,critical-path")
    page = data_of(tmp_path / "page.html")
    found = open_document(file).dag
    assert len(page["jobs"]["name"]) == found.n
    assert len(whole(page["edges"]["head"])) == found.m
    assert all(sorted(whole(each["order"])) == list(range(found.n)) for each in page["strategies"])


@pytest.mark.long
@needs_shared
def test_all_real_workflows(tmp_path):
    folders = (
        "cws-dag",
        "daggen-dot",
        "dax",
        "pegasus-yaml",
        "sdfm-dot",
        "stg",
        "trees-dot",
        "wfformat",
        "dagman/valid",
    )
    files = [path for folder in folders for path in sorted((SHARED / "data" / folder).glob("*.*")) if path.is_file()]
    for file in files:
        if file.suffix in (".dag", ".dot", ".xml", ".yml", ".stg", ".parsed", ".json", ".gz"):
            run("report", file, "-o", tmp_path / "page.html")
            assert len(data_of(tmp_path / "page.html")["jobs"]["name"]) == open_document(file).dag.n, file


def test_a_large_workflow(tmp_path):
    """All parts are there but the drawing of every job, and the page is not too large to send."""
    write(generate.sdss(48_013), tmp_path / "x.dag")
    run("report", tmp_path / "x.dag", "-o", tmp_path / "page.html")
    page = data_of(tmp_path / "page.html")
    assert len(page["jobs"]["name"]) == 48_013
    assert page["layout"] is None
    assert len((tmp_path / "page.html").read_bytes()) < 12_000_000


def test_the_table_that_is_promised_helps(dag):
    """What the page says would add times and sizes does."""
    Path("table.csv").write_text(TABLE)
    run("report", dag, "-o", "page.html", "--job-data", "table.csv")
    text = seen_in(Path("page.html"))
    assert "Memory and disk are not shown" not in text
    assert "Times of jobs are not known" not in text
    assert data_of(Path("page.html"))["memory"]["worst"] == worst_peak(with_files()).bound


def test_what_was_odd_is_said(home, capsys):
    """Those who get the page were not there when the file was read."""
    text = "JOB a a.sub\nJOB b b.sub\nPARENT a CHILD b\nPARENT a CHILD b\n"
    Path("x.dag").write_text(text)
    run("report", "x.dag", "-o", "page.html")
    odd = [line.removeprefix("warning: ") for line in capsys.readouterr().err.splitlines() if line.startswith("warn")]
    shown = seen_in(Path("page.html"))
    assert ("What was odd in the file" in shown) == bool(odd)
    assert all(text in shown for text in odd)


def test_priorities_of_yours_are_replaced(home):
    Path("x.dag").write_text(
        "JOB a a\nJOB b b\nJOB c c\nJOB d d\nJOB e e\nPARENT a CHILD b\nPARENT c CHILD d e\nPRIORITY b 3\n"
    )
    run("report", "x.dag", "-o", "page.html")
    (step,) = [step for step in steps_of(Path("page.html")) if step[1] == "prioritize"]
    assert "--replace" in step
