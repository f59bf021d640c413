"""The final task on the local engine: after all else, also in a run that goes on; and what it is told of the run."""

from __future__ import annotations

from eligo.engines._attempts import DAG_STATUS_MARK, FAILED_COUNT_MARK
from eligo.engines._plan import Sandbox
from eligo.engines._state import JobStatus
from tests.engines.local.test_hard_ends import DONE, FAILED, Ran, sh, task


def test_jobs_that_failed_wait_for_a_final_task_that_still_runs(tmp_path):
    """It may be about to clean up; and it has to run again after them."""
    note = 'echo "S $1" >> log; test "$1" = a || while ! test -e go; do sleep 0.01; done; echo "E $1" >> log; '
    jobs = [task("a", sh(tmp_path, f"{note} test -e go", "a"))]
    final = task("z", sh(tmp_path, note, "z"))
    ran = Ran(tmp_path, jobs, final=final)
    log = tmp_path / "log"
    ran.engine.submit()
    ran.until(lambda: log.exists() and "S z\n" in log.read_text())
    assert ran.state.status == [FAILED]
    ran.state.update(0, status=JobStatus.WAITING, attempts=0)  # as a resume does
    ran.state.commit()
    ran.close()
    ran = Ran(tmp_path, jobs, final=final)
    ran.engine.submit()
    for _ in range(5):
        ran.events += ran.engine.watch(0.05)
    (tmp_path / "go").touch()
    ran.until(lambda: ran.engine.over)
    ran.close()
    assert ran.state.status == [DONE]
    assert log.read_text().split("\n") == ["S a", "E a", "S z", "E z", "S a", "E a", "S z", "E z", ""]


def test_outputs_of_a_final_task_are_named_by_how_the_run_ended(tmp_path):
    place = str(tmp_path / f"out.{DAG_STATUS_MARK}.{FAILED_COUNT_MARK}")
    final = task("z", sh(tmp_path, "echo x > out", sandbox=Sandbox(outputs=(("out", place),))))
    ran = Ran(tmp_path, [task("a", sh(tmp_path, "exit 1"))], final=final).finish()
    assert ran.state.get("final")["status"] == "done"
    assert (tmp_path / "out.2.1").read_text() == "x\n"
