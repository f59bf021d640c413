"""``eligo status``: while a run goes on, and after it."""

from __future__ import annotations

import json
import re

import pytest

from eligo._cli import main
from tests.cli.running import WAITS, diamond, flow, run, started, wait_until


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def status(capsys, *words) -> dict:
    capsys.readouterr()
    assert main(["status", *words, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_without_a_state_there_is_nothing_to_tell(home, capsys):
    file = diamond(home)
    assert main(["status", file]) == 1
    assert "there is no state of a run\nhint: eligo run" in capsys.readouterr().err
    assert main(["status", "-"]) == 1
    assert not (home / "flow.dag.eligo").exists()


def test_while_it_runs(home, capsys):
    jobs = {"w": WAITS, "bad": "exit 5", "behind": "true", "lost": "true", "free": "true"}
    flow(home, jobs, "PARENT w CHILD behind\nPARENT bad CHILD lost\n")
    with started(home, "flow.dag", "-j", "1", "--strategy", "fifo") as process:
        wait_until((home / "w.sh.pid").exists, process)
        facts = status(capsys, "flow.dag")
        assert (facts["state"], facts["engine"], facts["done"]) == ("running", "local", 0)
        assert facts["process"].startswith(f"{process.pid} ")
        assert [job["job"] for job in facts["running"]] == ["w"]
        assert facts["running"][0]["for_s"] >= 0
        assert (facts["eligible"], facts["waiting"], facts["failed"]) == (2, 4, [])
        assert main(["status", "flow.dag"]) == 0
        out = capsys.readouterr().out
        assert f"flow.dag: goes on (process {process.pid} " in out
        assert re.search(r"(?m)^  w: for \d\S* m?s$", out)
        (home / "go").touch()
        assert process.wait(30) == 1
    facts = status(capsys, "flow.dag")
    assert (facts["state"], facts["done"], facts["never"]) == ("failed", 3, 1)
    assert [(job["job"], job["exit_code"]) for job in facts["failed"]] == [("bad", 5)]
    assert facts["resume"] == "eligo run --resume flow.dag -j 1 --strategy fifo"
    assert main(["status", "flow.dag"]) == 0
    assert "what jobs printed that name no file for it is in flow.dag.eligo/logs\n" in capsys.readouterr().out


def test_after_all_succeeded(home, capsys):
    run(diamond(home), "--state", "elsewhere")
    facts = status(capsys, "flow.dag", "--state", "elsewhere")
    assert (facts["state"], facts["done"], facts["left_s"]) == ("succeeded", 4, None)
    assert main(["status", "flow.dag", "--state", "elsewhere"]) == 0
    assert "over: every job succeeded" in capsys.readouterr().out


def test_a_workflow_that_changed_or_has_gone(home, capsys):
    run(diamond(home))
    flow(home, {"z": "true"})
    capsys.readouterr()
    assert main(["status", "flow.dag"]) == 0
    assert "has changed since the run began" in capsys.readouterr().err
    (home / "flow.dag").unlink()
    assert main(["status", "flow.dag"]) == 0
    assert "no such file: eligible jobs are not counted" in capsys.readouterr().err


def test_names_cannot_steer_the_terminal(home, capsys):
    (home / "x.csv").write_text("parent,child\na\x1b[31m,b\n")
    run("x.csv", "--command", "false", status=1)
    out, err = capsys.readouterr()
    assert main(["status", "x.csv"]) == 0
    assert "\x1b" not in out + err + capsys.readouterr().out


def test_a_damaged_state_is_said_and_kept(home, capsys):
    run(diamond(home))
    state = home / "flow.dag.eligo/state.sqlite"
    state.write_bytes(b"x" * 5000)
    assert main(["status", "flow.dag"]) == 1
    assert "state.sqlite" in capsys.readouterr().err
    assert state.read_bytes() == b"x" * 5000


def test_jobs_in_a_queue_go_on_unwatched(home, capsys):
    """As after a kill of Eligo on HTCondor or Slurm: nothing may be called stopped that nobody has stopped."""
    from eligo.engines._state import State
    from eligo.formats import open_document

    file = diamond(home)
    folder = home / f"{file}.eligo"
    folder.mkdir()
    facts = {"workflow": file, "engine": "slurm", "submitted": True}
    State.create(folder, open_document(file).dag, **facts).close()
    assert status(capsys, file)["state"] == "unwatched"
    assert main(["status", file]) == 0
    assert "what is in the queue goes on" in capsys.readouterr().out
