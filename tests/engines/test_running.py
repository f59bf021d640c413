"""A run as a whole: what is left beside the workflow, whose priorities count, and what is said of a failure."""

from __future__ import annotations

import pytest

import eligo
from eligo._cli import main
from eligo.engines._engine import Happening
from eligo.engines._make_plan import make_plan
from eligo.engines._run import start
from eligo.engines._run_folder import default_folder
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


def pairs(folder):
    """a makes 5 bytes for b, c makes 7 for d, and each job uses 3 bytes of memory: the file does not say so."""
    (folder / "flow.dot").write_text("digraph { a -> b; c -> d }")
    (folder / "sizes.csv").write_text("job,output_bytes,memory_bytes\na,5,3\nb,,3\nc,7,3\nd,,3\n")
    return folder / "flow.dot", folder / "sizes.csv"


def test_sizes_from_a_table_and_what_they_are_of(tmp_path):
    file, table = pairs(tmp_path)
    outcome = eligo.run(file, command="true", memory=3, job_data=table)
    assert (outcome.done, outcome.peak, outcome.trace.dag.memory_bytes.tolist()) == (4, 3, [3] * 4)
    assert eligo.run(file, command="true", memory=9, job_data=table, resource="disk", restart=True).peak == 7
    assert eligo.run(file, command="true", job_data=table, restart=True).peak is None
    with pytest.raises(eligo.EligoError, match="no sizes are known"):
        eligo.run(file, command="true", memory=9, restart=True)


def test_words_that_do_not_go_together_from_python(tmp_path):
    file, table = pairs(tmp_path)
    with pytest.raises(eligo.EligoError, match="model and resource are for a limit"):
        eligo.run(file, command="true", resource="disk")
    with pytest.raises(eligo.EligoError, match="read already"):
        eligo.run(open_document(file), command="true", job_data=table)
    with pytest.raises(eligo.EligoError, match="unknown resource 'tape'"):
        eligo.run(file, command="true", job_data=table, memory=9, resource="tape")
    assert not default_folder(file).exists()


def test_what_is_odd_in_a_table_is_warned_of(tmp_path):
    file, table = pairs(tmp_path)
    table.write_text("job,colour\na,red\n")
    with pytest.warns(eligo.EligoWarning, match="column 'colour' is not known") as told:
        eligo.run(file, command="true", job_data=table)
    assert told[0].filename == __file__


def test_python_and_the_command_resume_each_others_limited_runs(tmp_path):
    """Both pass over the three dependencies that an earlier limit wrote, so that the workflow is the same."""
    file, table = pairs(tmp_path)
    words = [str(file), "--job-data", str(table), "--memory"]
    assert main(["limit", *words, "3", "--in-place"]) == 0
    assert main(["run", *words, "9", "--command", "true"]) == 0
    outcome = eligo.run(file, command="true", memory=9, job_data=table, resume=True)
    assert (outcome.done, outcome.trace.dag.m, eligo.read(file).m) == (4, 2, 5)


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
