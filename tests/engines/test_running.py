"""A run as a whole: what is left beside the workflow, whose priorities count, and what is said of a failure."""

from __future__ import annotations

import pytest

import eligo
from eligo.engines.base import Happening
from eligo.engines.planning import make_plan
from eligo.engines.running import start
from eligo.formats import open_document

SUBMIT = "executable = /bin/sh\narguments = \"-c 'test ! -e stop'\"\nqueue\n"


def flow(folder, text, **files):
    for name, content in {"flow.dag": text, "a.sub": SUBMIT, **files}.items():
        (folder / name).write_text(content)
    return folder / "flow.dag"


def test_a_rescue_dag_of_ours_does_not_outlive_its_use(tmp_path):
    """DAGMan would take it the next time, and leave out jobs that it says are done."""
    path = flow(tmp_path, "JOB a a.sub\nJOB b b.sub\nPARENT a CHILD b\n", **{"b.sub": SUBMIT})
    (tmp_path / "stop").touch()
    failed = eligo.run(path)
    again = eligo.run(path, resume=True)
    assert failed.exit_status == again.exit_status == 1
    assert [failed.rescue.name, again.rescue.name] == ["flow.dag.rescue001", "flow.dag.rescue001"]
    (tmp_path / "stop").unlink()
    assert eligo.run(path, resume=True).rescue is None
    assert [found.name for found in tmp_path.glob("*rescue*")] == ["flow.dag.rescue001.old"]


def test_a_rescue_dag_of_others_stays(tmp_path):
    path = flow(tmp_path, "JOB a a.sub\nJOB b a.sub\n")
    other = tmp_path / "flow.dag.rescue001"
    other.write_text("DONE a\n")
    outcome = eligo.run(path, resume=True)
    assert (outcome.done, outcome.exit_status, len(outcome.trace.order)) == (2, 0, 1)
    assert other.read_text() == "DONE a\n"


def started(path, **more):
    events = []
    eligo.run(path, slots=1, on_event=events.append, **more)
    return [event.job for event in events if event.what is Happening.STARTED]


def test_priorities_in_the_file_stay_unless_a_strategy_is_asked_for(tmp_path):
    text = "".join(f"JOB j{i} a.sub\n" for i in range(4)) + "PRIORITY j2 100\n"
    assert started(flow(tmp_path, text)) == [2, 0, 1, 3]
    assert started(flow(tmp_path, text), restart=True, strategy="fifo") == [0, 1, 2, 3]


def test_what_could_not_start_is_told_apart_from_the_script_after_it(tmp_path):
    submit = "executable = gone.sh\nqueue\n"
    path = flow(
        tmp_path,
        "JOB a a.sub\nJOB b b.sub\nPARENT a CHILD b\nSCRIPT POST b post.sh $RETURN\n",
        **{"b.sub": submit, "post.sh": "#!/bin/sh\nexit $1\n"},
    )
    (tmp_path / "post.sh").chmod(0o755)
    [(job, reason)] = eligo.run(path).failed
    assert job == 1
    assert reason.startswith("the script after it ended with status 127; the job itself: ")
    assert "gone.sh" in reason


def test_a_dag_alone_cannot_be_run():
    with pytest.raises(eligo.EligoError, match="does not say what its jobs run"):
        eligo.run(eligo.Dag.from_names([("a", "b")]))


def test_doubts_are_told_from_python(tmp_path):
    told = []
    (tmp_path / "flow.dag").write_text(
        "JOB a {\n executable = /bin/false\n}\nJOB b {\n executable = late\n}\nPARENT a CHILD b\n"
    )
    assert eligo.run(tmp_path / "flow.dag", on_event=told.append).exit_status == 1
    assert "late is not there; it fails unless" in told[0].text


def test_a_final_task_that_failed_before_is_not_held_against_a_run_that_was_stopped(tmp_path):
    path = flow(tmp_path, "JOB a a.sub\nFINAL f f.sub\n", **{"f.sub": SUBMIT})
    (tmp_path / "stop").touch()
    assert eligo.run(path).final
    with start(make_plan(open_document(path)), resume=True) as run:
        run.watch(0.0)
        run.terminate()
        while not run.over:
            run.watch(1.0)
        assert run.finish().final == ""
    (tmp_path / "stop").unlink()
    outcome = eligo.run(path, resume=True)
    assert (outcome.final, outcome.exit_status) == ("", 0)
