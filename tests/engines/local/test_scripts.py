"""Scripts before and after a job, on this machine."""

from __future__ import annotations

from eligo.engines.planning import make_plan
from eligo.engines.running import start
from eligo.engines.state import JobStatus
from eligo.formats import open_document


def test_the_script_after_a_job_that_failed_late_is_left_alone(tmp_path):
    """Its start is heard of when the job's failure is long known; it is no process of the job that could be ended."""
    (tmp_path / "fails.sub").write_text(
        "executable = /bin/sh\narguments = \"-c 'sleep 0.3; exit 5'\"\nshould_transfer_files = no\nqueue\n"
    )
    check = tmp_path / "check.sh"
    check.write_text('#!/bin/sh\nsleep 0.3\necho "$@" >> told\n')
    check.chmod(0o755)
    flow = tmp_path / "flow.dag"
    flow.write_text("JOB a fails.sub\nSCRIPT POST a check.sh $JOB $RETURN\n")
    with start(make_plan(open_document(flow)), slots=1) as run:
        while not run.over:
            run.watch(1.0)
        assert run.state.status == [JobStatus.DONE]
    assert (tmp_path / "told").read_text() == "a 5\n"
