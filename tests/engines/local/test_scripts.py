"""Scripts before and after a job, on this machine."""

from __future__ import annotations

from eligo.engines._local import engine as engine_module
from eligo.engines._make_plan import make_plan
from eligo.engines._run import start
from eligo.engines._state import JobStatus
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


def test_only_processes_beside_one_that_failed_are_killed(tmp_path, monkeypatch):
    """One of two fails; the other ignores SIGTERM and is killed; the script after both takes longer than that."""
    monkeypatch.setattr(engine_module, "_GRACE_S", 0.3)
    (tmp_path / "two.sh").write_text(
        "#!/bin/sh\n[ $1 = 0 ] && { sleep 0.2; exit 5; }\ntrap '' TERM\nsleep 30 & wait; sleep 30\n"
    )
    (tmp_path / "two.sub").write_text("executable = two.sh\narguments = $(Process)\nqueue 2\n")
    (tmp_path / "check.sh").write_text("#!/bin/sh\nsleep 1.2\necho over >> told\n")
    for name in ("two.sh", "check.sh"):
        (tmp_path / name).chmod(0o755)
    flow = tmp_path / "flow.dag"
    flow.write_text("JOB a two.sub\nSCRIPT POST a check.sh\n")
    with start(make_plan(open_document(flow)), slots=2) as run:
        while not run.over:
            run.watch(1.0)
            assert run.state.now_s() < 25
        assert run.state.status == [JobStatus.DONE]
    assert (tmp_path / "told").read_text() == "over\n"
