"""The frame of reproductions: steps that are kept, chapters that become pages, and the command."""

from __future__ import annotations

import csv
import json
import os
import signal
import subprocess
import sys
import time
from html.parser import HTMLParser
from pathlib import Path

import pytest

import eligo
import eligo_papers
from eligo import EligoError, _core
from eligo_papers import Settings, origin, reproduce, running
from eligo_papers.chapter import (
    AGREES,
    DIFFERS,
    ERRATUM,
    OPEN,
    UNEXPLAINED,
    VERDICTS,
    Chapter,
    Section,
    Step,
    Table,
    check,
)
from eligo_papers.command import main
from eligo_papers.origin import find_origin
from eligo_papers.pages import write_pages
from eligo_papers.running import Kept, run_steps
from eligo_papers.studies import STUDIES, Study
from papers.tests import little_study
from papers.tests.little_study import add, die, refuse

pytest.importorskip("matplotlib", reason="pages need matplotlib")


@pytest.fixture(autouse=True)
def little(tmp_path, monkeypatch):
    monkeypatch.setitem(STUDIES, "little", Study("papers.tests.little_study", "for tests"))
    monkeypatch.setattr(little_study, "LOG", tmp_path / "log")
    (tmp_path / "log").touch()


def done(tmp_path):
    return sorted(line.split()[0] for line in (tmp_path / "log").read_text().splitlines())


# ---- checks


@pytest.mark.parametrize(
    ("printed", "here", "options", "verdict"),
    [
        (3, 3, {"erratum": "unused"}, AGREES),
        (3, 3.0, {}, AGREES),
        (100, 104, {"within": 0.05}, AGREES),
        (100, 106, {"within": 0.05}, UNEXPLAINED),
        (100, 106, {"within": 0.05, "tried": "x"}, OPEN),
        (100, 104, {"within": 0.05, "tried": "x"}, AGREES),
        (0.0, 0.01, {"within": 0.05, "because": "x"}, DIFFERS),
        ([1, 2], (1, 2), {}, AGREES),
        ([1, 2], [1, 2, 3], {}, UNEXPLAINED),
        ([1.0, 2.0], [1.0, 2.1], {"within": 0.1}, AGREES),
        ("yes", "no", {"erratum": "x"}, ERRATUM),
        (True, False, {"erratum": "x", "because": "y"}, ERRATUM),
        (float("inf"), float("inf"), {}, AGREES),
        (float("nan"), float("nan"), {}, UNEXPLAINED),
    ],
)
def test_a_check_says_what_two_values_come_to(printed, here, options, verdict):
    one = check("here", "what", printed, here, **options)
    assert one.verdict == verdict
    assert bool(one.why) == (verdict in (ERRATUM, DIFFERS, OPEN))


# ---- steps


def test_steps_are_done_once_and_kept(tmp_path):
    log = str(tmp_path / "log")
    steps = [Step("a", add, {"left": 1, "right": 2, "log": log}), Step("b", add, {"left": 5, "right": 2, "log": log})]
    again = [Step("other name", add, {"log": log, "right": 2, "left": 1})]  # the same work
    told = []
    kept = run_steps(steps + again, tmp_path / "kept", processes=2, on_progress=lambda *now: told.append(now))
    assert [kept.get(step)[0] for step in steps + again] == [{"sum": 3}, {"sum": 7}, {"sum": 3}]
    assert done(tmp_path) == ["1+2", "5+2"]
    assert told[0] == (0.0, "")
    assert told[-1][0] == 1.0
    assert [share for share, _ in told] == sorted(share for share, _ in told)
    run_steps(steps, tmp_path / "kept", on_progress=lambda *now: told.append(now))
    assert done(tmp_path) == ["1+2", "5+2"]
    assert told[-1] == (1.0, "")


def test_other_arguments_are_other_work(tmp_path):
    kept = Kept(tmp_path)
    paths = {kept.path_of(Step("a", add, {"left": left, "right": 2})) for left in (1, 1.5, "1", None)}
    assert len(paths) == 4
    assert kept.path_of(Step("a", refuse, {"left": 1, "right": 2})) not in paths


def test_the_code_of_both_distributions_is_part_of_what_results_depend_on(tmp_path, monkeypatch):
    asked = []
    monkeypatch.setattr(running, "_digest_of", lambda packages, compiled: asked.append([*packages, compiled]) or "x")
    running._digest_of_code.__wrapped__()
    (places,) = asked
    assert [place.resolve() for place in places] == [
        Path(module).resolve().parent for module in (eligo.__file__, eligo_papers.__file__)
    ] + [Path(_core.__file__).resolve()]


@pytest.mark.parametrize("changed", ["eligo/dag.py", "eligo/memory/new.py", "eligo_papers/prio/grid.py", "_core.so"])
def test_results_of_other_code_are_not_taken(tmp_path, changed):
    for name in ("eligo/dag.py", "eligo_papers/prio/grid.py", "_core.so"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("as it was")
    places = [tmp_path / "eligo", tmp_path / "eligo_papers"], tmp_path / "_core.so"
    before = running._digest_of(*places)
    assert running._digest_of(*places) == before
    (tmp_path / changed).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / changed).write_text("otherwise")
    assert running._digest_of(*places) != before


def test_results_are_named_after_the_code(tmp_path, monkeypatch):
    step = Step("a", add, {"left": 1, "right": 2})
    before = Kept(tmp_path).path_of(step)
    monkeypatch.setattr(running, "_digest_of_code", lambda: "other code")
    assert Kept(tmp_path).path_of(step) != before


def git(folder, *words):
    said = ["-c", "user.name=x", "-c", "user.email=x@example.org", *words]
    return subprocess.run(["git", "-C", folder, *said], check=True, capture_output=True, text=True).stdout.strip()


def test_a_change_in_either_package_is_said_of_the_commit(tmp_path):
    packages = [tmp_path / "clone" / name for name in ("eligo", "eligo_papers")]
    for package in packages:
        package.mkdir(parents=True)
        (package / "__init__.py").touch()
    git(tmp_path / "clone", "init", "-q")
    git(tmp_path / "clone", "add", ".")
    git(tmp_path / "clone", "commit", "-q", "-m", "x")
    commit = git(tmp_path / "clone", "rev-parse", "--short=12", "HEAD")
    assert origin._commit(*packages) == commit
    for package in packages:
        (package / "__init__.py").write_text("changed = True")
        assert origin._commit(*packages) == f"{commit} with changes"
        (package / "__init__.py").write_text("")
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "__init__.py").touch()
    assert origin._commit(packages[0], tmp_path / "elsewhere") == ""


def test_a_step_that_refuses_is_named_and_others_are_kept(tmp_path):
    log = str(tmp_path / "log")
    steps = [Step("fine", add, {"left": 1, "right": 2, "log": log}, weight=9), Step("bad", refuse, {"log": log})]
    with pytest.raises(EligoError, match="the step bad: cannot be had") as caught:
        run_steps(steps, tmp_path / "kept")
    assert caught.value.hint == "do without"
    assert Kept(tmp_path / "kept").get(steps[0])[0] == {"sum": 3}


def test_a_step_whose_process_is_lost_is_named(tmp_path):
    with pytest.raises(EligoError, match="the step gone ended with status 3"):
        run_steps([Step("gone", die, {"log": ""})], tmp_path / "kept")


def test_a_broken_result_is_named(tmp_path):
    step = Step("a", add, {"left": 1, "right": 2, "log": str(tmp_path / "log")})
    kept = run_steps([step], tmp_path / "kept")
    kept.path_of(step).write_text('{"found": ')
    with pytest.raises(EligoError, match="cannot be read"):
        kept.get(step)


def test_steps_that_measure_time_run_alone(tmp_path):
    log = str(tmp_path / "log")
    steps = [Step(f"s{i}", add, {"left": i, "right": 0, "log": log, "sleep_s": 0.2}, alone=i >= 2) for i in range(4)]
    run_steps(steps, tmp_path / "kept", processes=4)
    assert [line.split()[0] for line in (tmp_path / "log").read_text().splitlines()][2:] == ["2+0", "3+0"]


# ---- pages


class Tags(HTMLParser):
    def __init__(self):
        super().__init__()
        self.seen = []

    def handle_starttag(self, tag, attrs):
        self.seen.append((tag, dict(attrs)))


def test_pages_hold_everything_and_text_stays_text(tmp_path):
    found = reproduce("little", tmp_path / "out", processes=2)
    (chapter,) = found.chapters
    assert [chapter.count(verdict) for verdict in VERDICTS] == [1, 1, 1, 1, 1]
    page = (tmp_path / "out/results/little.md").read_text()
    assert r"a\|b &lt;script>" in page
    assert r"it is \*not\* 9" in page
    assert "![a curve](little-curve.svg)" in page
    summary = (tmp_path / "out/results.md").read_text()
    assert "[little: A little study](results/little.md) | Someone 1999 | 1 | 1 | 1 | 1 | 1 |" in summary
    assert "another" in summary  # what differs is listed
    assert "a sum" not in summary
    assert (tmp_path / "out/results/little-curve.svg").read_bytes().startswith(b"<?xml")
    with (tmp_path / "out/results/little-sums.csv").open(newline="") as stream:
        assert list(csv.reader(stream)) == [["a", "b|c"], ["1", "<b>&"], ["2", "x,y"]]
    tags = Tags()
    tags.feed((tmp_path / "out/results.html").read_text())
    assert {"script", "b"}.isdisjoint(tag for tag, _ in tags.seen)
    images = [attrs["src"] for tag, attrs in tags.seen if tag == "img"]
    assert images == ["results/little-curve.svg"]
    assert all((tmp_path / "out" / source).exists() for source in images)


def test_long_tables_are_folded(tmp_path):
    table = Table("long", "Long", ("n",), [(str(i),) for i in range(100)])
    chapter = Chapter("little", "A study", "", "About.", [], [Section("Part", [table])])
    write_pages([chapter], tmp_path, find_origin(), "a test")
    page = (tmp_path / "results/little.md").read_text()
    assert "\n| 7 |\n" in page
    assert "| 8 |" not in page
    assert "The other 92 rows are in the CSV file." in page
    assert len((tmp_path / "results/little-long.csv").read_text().splitlines()) == 101
    assert "<summary>100 rows</summary>" in (tmp_path / "results.html").read_text()


def test_chapters_made_before_stay_on_the_summary(tmp_path, monkeypatch):
    reproduce("little", tmp_path / "out")
    text = json.loads((tmp_path / "out/results/little.json").read_text())
    (tmp_path / "out/results/000.json").write_text(json.dumps({**text, "name": "000", "title": "An older chapter"}))
    reproduce("little", tmp_path / "out")
    assert "An older chapter" in (tmp_path / "out/results.md").read_text()
    assert "An older chapter" in (tmp_path / "out/results.html").read_text()


@pytest.mark.parametrize("name", ["results.md", "results.html", "results/little.md"])
def test_pages_of_others_are_not_written_over(tmp_path, name):
    path = tmp_path / "out" / name
    path.parent.mkdir(parents=True)
    path.write_text("my own notes")
    with pytest.raises(EligoError, match="not written by us"):
        reproduce("little", tmp_path / "out")
    assert path.read_text() == "my own notes"
    assert not done(tmp_path)


def test_what_does_not_exist_is_refused(tmp_path):
    with pytest.raises(EligoError, match="nothing is called '005'"):
        reproduce("005", tmp_path)
    with pytest.raises(EligoError, match="is not a directory"):
        reproduce("little", tmp_path, settings=Settings(data=tmp_path / "log"))


# ---- the command


def test_the_command_prints_what_agrees(tmp_path, capsys):
    assert main(["little", "--quick", "-o", str(tmp_path / "out")]) == 0
    printed = capsys.readouterr()
    assert "5 printed statements" in printed.out
    assert printed.out.splitlines()[-1].split()[:6] == ["little", "1", "1", "1", "1", "1"]
    assert "results.html" in printed.err
    assert main(["little", "--json", "-o", str(tmp_path / "out")]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert [one["verdict"] for one in facts[0]["checks"]] == list(VERDICTS)


def test_the_command_refuses(tmp_path, capsys):
    (tmp_path / "file").touch()
    for out in ("file", "file/below"):
        assert main(["little", "-o", str(tmp_path / out)]) == 1
        assert f"{out}: is not a directory" in capsys.readouterr().err
    with pytest.raises(SystemExit, match="2"):
        main(["6", "-o", str(tmp_path / "out")])
    assert "nothing is called '6' (one of: 000" in capsys.readouterr().err


def test_data_that_nothing_is_made_of_are_refused(tmp_path, capsys):
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "notes.txt").write_text("no workflow")
    for study in ("002", "003", "004"):
        words = [study, "--quick", "--data", str(tmp_path / "data"), "-o", str(tmp_path / "out")]
        assert main(words) == 1
        assert f"data: holds nothing that {study} could use" in capsys.readouterr().err
    assert main(["004", "--data", str(tmp_path / "none"), "-o", str(tmp_path / "out")]) == 1
    assert "none: is not a directory" in capsys.readouterr().err


@pytest.mark.parametrize("number", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.long)])
def test_an_interrupted_command_goes_on_where_it_was(tmp_path, number):
    program = (
        "import sys; from pathlib import Path; from papers.tests import little_study as s;"
        "from eligo_papers.studies import STUDIES, Study; from eligo_papers.command import main;"
        "STUDIES['little'] = Study('papers.tests.little_study', 'x'); s.LOG = Path(sys.argv[1]); s.SLEEP_S = 0.7;"
        "sys.exit(main(['little', '-o', sys.argv[2], '--processes', '1']))"
    )
    words = [sys.executable, "-c", program, str(tmp_path / "log"), str(tmp_path / "out")]
    path = {**os.environ, "PYTHONPATH": os.pathsep.join(entry for entry in sys.path if entry)}
    command = subprocess.Popen(words, env=path, stderr=subprocess.PIPE, text=True)
    for _ in range(600):
        if len(done(tmp_path)) >= 2:
            break
        time.sleep(0.05)
    command.send_signal(number)
    _, said = command.communicate(timeout=30)
    assert command.returncode in (130, 143)
    assert "interrupted" in said or "terminated" in said
    assert "the same command resumes" in said
    last = int((tmp_path / "log").read_text().splitlines()[-1].split()[1])
    for _ in range(100):
        if not os.path.exists(f"/proc/{last}"):
            break
        time.sleep(0.05)
    assert not os.path.exists(f"/proc/{last}")
    kept = len(list((tmp_path / "out/results/steps").glob("*.json")))
    assert 1 <= kept < 4
    before = len(done(tmp_path))
    assert subprocess.run(words, env=path, timeout=60, check=False, capture_output=True).returncode == 0
    assert len(done(tmp_path)) == before + 4 - kept
