"""The launcher without Slurm: the rules of attempts.py, words that arrive unchanged, and who may start."""

from __future__ import annotations

import os
import subprocess
import sys
from itertools import count
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eligo.engines._attempts import AFTER, BEFORE, RETRY_MARK, Attempt, HookFacts, Verdict, VerdictKind, words
from eligo.engines._plan import Abort, Hook, Process, Task
from eligo.engines._slurm.exchange_dir import Box, Record
from eligo.engines._slurm.job_script import REVOKED, UNSHARED, job_script
from eligo.engines._slurm.options import hook_words
from eligo.errors import ParseError

SHELLS = [["/bin/sh"], ["bash", "--posix"]]


def launch(box: Box, key: str, shell: list[str] = SHELLS[0], **environment: str) -> int:
    env = {"PATH": os.environ["PATH"], "SLURMD_NODENAME": "n1"} | environment
    argv = [*shell, box.launcher, box.path, key]
    return subprocess.run(argv, env=env, check=False, timeout=30, stdin=subprocess.DEVNULL).returncode


def run_task(task: Task, folder: Path, tries: int = 0, **environment: str) -> tuple[int, Record]:
    box = Box(folder / "box")
    box.put(
        "0-1",
        job_script(
            task, log=str(folder / "log"), tries=tries, words=hook_words(HookFacts(task.name, max_retries=task.retries))
        ),
    )
    code = launch(box, "0-1", **environment)
    return code, box.record("0-1")


# A step of a random task takes its exit status from a list, one for each time it is called.

CALL = 'n=0; [ ! -e "$1" ] || read -r n <"$1"; echo $((n + 1)) >"$1"; shift $((n + 1)); exit "$1"'
statuses = st.lists(st.sampled_from([0, 0, 0, 1, 2, 3]), min_size=5, max_size=5)
maybe = st.none() | st.sampled_from([0, 1, 2, 3])


@st.composite
def random_tasks(draw: st.DrawFn) -> tuple[Task, dict[int, list[int]]]:
    codes = {step: draw(statuses) for step in range(draw(st.integers(0, 3)))}
    for step in (BEFORE, AFTER):
        if draw(st.booleans()):
            codes[step] = draw(statuses)

    def argv(step: int) -> tuple[str, ...]:
        return ("/bin/sh", "-c", CALL, "sh", f"DIR/{step}", *map(str, codes[step]))

    abort = draw(maybe)
    task = Task(
        "a",
        tuple(Process(argv(step), "/") for step in codes if step >= 0),
        before=Hook(argv(BEFORE), "/") if BEFORE in codes else None,
        after=Hook(argv(AFTER), "/") if AFTER in codes else None,
        retries=draw(st.integers(0, 3)),
        unless_exit=draw(maybe),
        skip_code=draw(maybe),
        abort=None if abort is None else Abort(abort),
    )
    return task, codes


def placed(task: Task, folder: Path) -> Task:
    """The task with its counters in a folder."""

    def words(argv: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(word.replace("DIR", str(folder)) for word in argv)

    return Task(
        task.name,
        tuple(Process(words(process.argv), "/") for process in task.processes),
        *(hook and Hook(words(hook.argv), "/") for hook in (task.before, task.after)),
        task.retries,
        task.unless_exit,
        task.skip_code,
        task.abort,
    )


def expected(task: Task, codes: dict[int, list[int]]) -> tuple[Verdict, list[int], dict[int, int]]:
    """What the rules say: the last verdict, the exit status of each try before, and how often each step runs."""
    calls = dict.fromkeys(codes, 0)
    before = []
    for number in count(1):
        attempt = Attempt(task, number)
        while steps := attempt.next_steps():
            for step in steps:
                attempt.codes[step] = codes[step][calls[step]]
                calls[step] += 1
        verdict = attempt.verdict()
        assert verdict is not None
        if verdict.kind is not VerdictKind.AGAIN:
            return verdict, before, calls
        before.append(verdict.exit_code)
    raise AssertionError


@settings(max_examples=60)
@given(random_tasks())
def test_launcher_follows_the_rules_of_attempts(tmp_path_factory, drawn):
    task, codes = drawn
    folder = tmp_path_factory.mktemp("rules")
    code, record = run_task(placed(task, folder), folder)
    verdict, before, calls = expected(task, codes)
    kinds = {"succeeded": VerdictKind.SUCCEEDED, "skipped": VerdictKind.SUCCEEDED, "failed": VerdictKind.FAILED}
    assert record.end is not None
    assert kinds.get(record.end.kind, VerdictKind.ABORT) is verdict.kind
    assert record.end.kind == "skipped" or record.end.code == verdict.exit_code
    assert [tried.code for tried in record.tries] == before
    assert record.end.number == len(before) + 1
    seen = {step: int((folder / str(step)).read_text()) if (folder / str(step)).exists() else 0 for step in codes}
    assert seen == calls
    # Slurm must hold back what depends on it exactly if it has not succeeded, or the run ends.
    assert (code == 0) == (verdict.kind is VerdictKind.SUCCEEDED)
    assert record.end.ok == (code == 0)


odd_text = st.text(st.characters(blacklist_characters="\0", blacklist_categories=()), max_size=30)
SHOW = (
    "import os, sys; sys.stdout.buffer.write(ascii([[os.fsencode(a) for a in sys.argv[1:]], "
    "{k: v for k, v in os.environb.items()}]).encode())"
)


def encodable(text: str) -> bool:
    try:
        os.fsencode(text)
    except UnicodeEncodeError:
        return False
    return True


NASTY = ["", "it's", '$HOME `id` $(id) \\ " ;&|<>*?~#', "a\nb\r\n#SBATCH --array=1-9", "-n", "=", "é\udcff", "x" * 5000]


@settings(max_examples=25)
@given(
    arguments=st.lists((odd_text | st.sampled_from(NASTY)).filter(encodable), max_size=6),
    names=st.lists(
        st.sampled_from(["A", "PATH2", "a-b", "x y", "UID", "PWD", "eligo_here", "IFS", "é", "1"]), unique=True
    ),
    value=(odd_text | st.sampled_from(NASTY)).filter(encodable),
    inherit=st.booleans(),
)
def test_words_and_variables_arrive_unchanged(tmp_path_factory, arguments, names, value, inherit):
    folder = tmp_path_factory.mktemp("a $(x) 'b'")
    environment = dict.fromkeys(names, value)
    out = str(folder / "out '\n$(x)")
    argv = (sys.executable, "-c", SHOW, *arguments)
    code, record = run_task(
        Task("a", (Process(argv, str(folder), environment, inherit, stdout=out),)), folder, OUTSIDE="1", code="mine"
    )
    assert code == 0
    assert record.end is not None
    words, variables = eval(Path(out).read_bytes())
    assert words == [os.fsencode(argument) for argument in arguments]
    for name in names:
        assert variables[os.fsencode(name)] == os.fsencode(value)
    assert (variables.get(b"OUTSIDE"), variables.get(b"code")) == ((b"1", b"mine") if inherit else (None, None))
    assert not any(name.startswith(b"eligo_") for name in variables if name.decode(errors="replace") not in names)


def test_input_output_and_directory(tmp_path):
    (tmp_path / "in").write_text("hello")
    both = str(tmp_path / "both")
    processes = (
        Process(("cat",), "/", stdin=str(tmp_path / "in"), stdout=str(tmp_path / "out")),
        Process(("sh", "-c", "echo one; echo two >&2"), "/", stdout=both, stderr=both),
        Process(("sh", "-c", "pwd; cat; echo $IN_LOG"), str(tmp_path), {"IN_LOG": "here"}),
    )
    code, record = run_task(Task("a", processes), tmp_path)
    assert code == 0
    assert (tmp_path / "out").read_text() == "hello"
    assert Path(both).read_text() == "one\ntwo\n"
    assert (tmp_path / "log").read_text() == f"{tmp_path}\nhere\n"
    assert record.starts[0].node == "n1"
    assert record.cpu_s is not None


@pytest.mark.parametrize(
    ("process", "code"),
    [
        (Process(("/no/such/program",), "/"), 127),
        (Process(("no-such-program-anywhere",), "/"), 127),
        (Process(("/etc/passwd",), "/"), 126),
        (Process(("true",), "/no/such/directory"), 126),
        (Process(("sh", "-c", "kill -9 $$"), "/"), 137),
    ],
)
def test_what_cannot_run_fails_with_the_usual_status(tmp_path, process, code):
    got, record = run_task(Task("a", (process,)), tmp_path)
    assert got == code
    assert record.end is not None
    assert (record.end.kind, record.end.code) == ("failed", code)


@pytest.mark.parametrize(
    "process", [Process(("cat",), "/", stdin="/no/such"), Process(("ls",), "/", stdout="/no/such")]
)
def test_files_that_cannot_be_opened_fail_the_job(tmp_path, process):
    code, record = run_task(Task("a", (process,)), tmp_path)
    assert code != 0
    assert record.end is not None
    assert record.end.kind == "failed"


def test_scripts_know_what_is_known(tmp_path):
    words = ("$JOB", "$RETRY", "$MAX_RETRIES", "$RETURN")
    show = ("sh", "-c", 'echo "$@" >>"$0"; exit 4', str(tmp_path / "after"), *words)
    task = Task("a 'b'", (Process(("sh", "-c", "exit 3"), "/"),), after=Hook(show, "/"), retries=1)
    code, record = run_task(task, tmp_path)
    assert code == 4
    assert (tmp_path / "after").read_text() == "a 'b' 0 1 3\na 'b' 1 1 3\n"
    assert [tried.step for tried in record.tries] == ["after"]


def test_script_that_defers_is_called_again(tmp_path):
    count_to_two = 'echo x >>"$0"; [ "$(wc -l <"$0")" -ge 2 ] || exit 9'
    task = Task("a", before=Hook(("sh", "-c", count_to_two, str(tmp_path / "n")), "/", defer_status=9, defer_s=0))
    assert run_task(task, tmp_path)[0] == 0
    assert (tmp_path / "n").read_text() == "x\nx\n"


def test_tries_of_an_earlier_submission_count(tmp_path):
    task = Task("a", (Process(("false",), "/"),), retries=2)
    _, record = run_task(task, tmp_path, tries=1)
    assert record.end is not None
    assert (len(record.tries), record.end.number) == (1, 3)


def one_job(folder: Path, text: str = "echo x >>ran", **more: object) -> tuple[Box, Path]:
    box = Box(folder / "box")
    task = Task("a", (Process(("sh", "-c", text), str(folder)),))
    box.put("0-1", job_script(task, log=str(folder / "log"), **more))
    return box, folder / "ran"


@pytest.mark.parametrize("shell", SHELLS)
def test_what_was_taken_back_cannot_start(tmp_path, shell):
    box, ran = one_job(tmp_path)
    assert box.take_back("0-1")
    assert launch(box, "0-1", shell) == REVOKED
    assert not ran.exists()


@pytest.mark.parametrize("shell", SHELLS)
def test_a_job_starts_once_and_an_end_is_not_repeated(tmp_path, shell):
    box, ran = one_job(tmp_path)
    assert launch(box, "0-1", shell) == 0
    assert not box.take_back("0-1")
    for restarts in ("0", "1"):
        assert launch(box, "0-1", shell, SLURM_RESTART_COUNT=restarts) == 0
    box.put_away("0-1")
    assert list(box.ended()) == list(box.claimed()) == []
    assert launch(box, "0-1", shell, SLURM_RESTART_COUNT="1") == 0
    assert ran.read_text() == "x\n"


def test_a_job_whose_node_was_lost_runs_again_and_nobody_else(tmp_path):
    box, ran = one_job(tmp_path)
    (box.path / "queued/0-1.sh").rename(box.path / "running/0-1.sh")  # begun, then lost
    (box.path / "running/0-1").write_text("start 1.0 n1\ntry 1 3 process 1.0 2.0\n")
    assert launch(box, "0-1") == REVOKED
    assert not ran.exists()
    assert launch(box, "0-1", SLURM_RESTART_COUNT="1") == 0
    record = box.record("0-1")
    assert len(record.starts) == 2
    assert record.end is not None
    assert record.end.number == 2


@pytest.mark.parametrize("shell", SHELLS)
def test_a_job_waits_for_the_record_of_its_parents(tmp_path, shell):
    box, ran = one_job(tmp_path, needs=["5-1", "6-2"])
    (box.path / "done/5-1").touch()
    assert launch(box, "0-1", shell) == REVOKED
    (box.path / "ended/6-2.no").touch()
    assert launch(box, "0-1", shell) == REVOKED
    (box.path / "ended/6-2.ok").touch()
    assert launch(box, "0-1", shell) == 0
    assert ran.exists()


def test_a_node_that_does_not_see_the_folder_says_so(tmp_path):
    box, _ = one_job(tmp_path)
    gone = tmp_path / "gone"
    assert subprocess.run(["/bin/sh", box.launcher, gone, "0-1"], check=False).returncode == UNSHARED


def test_a_job_that_is_ended_from_outside_records_no_end(tmp_path):
    box, _ = one_job(tmp_path, "echo > begun; exec sleep 60")
    words = ["/bin/sh", box.launcher, box.path, "0-1"]
    with subprocess.Popen(words, start_new_session=True) as process:
        while not (tmp_path / "begun").exists():
            assert process.poll() is None
        os.killpg(process.pid, 15)
        assert process.wait(30) == 143
    assert list(box.ended()) == []
    assert len(box.record("0-1").starts) == 1


def test_files_are_private(tmp_path):
    box, _ = one_job(tmp_path)
    assert (box.path / "queued/0-1.sh").stat().st_mode & 0o077 == 0
    assert all(part.stat().st_mode & 0o077 == 0 for part in (box.path, box.path / "queued", box.path / "running"))


@pytest.mark.parametrize(
    "process",
    [
        Process(("a\0b",), "/"),
        Process((), "/"),
        Process(("x",), "/", {"a=b": "c"}),
        Process(("/a=b",), "/", {"a-b": "c"}),
    ],
)
def test_what_no_shell_can_say_is_refused_with_the_line(process):
    with pytest.raises(ParseError, match=r"^x\.dag:7: job 'a'"):
        job_script(Task("a", (process,), path="x.dag", line=7), log="/log")


def test_words_after_several_processes_are_those_of_hooks(tmp_path):
    asked = ("$RETURN", "$EXIT_CODES", "$EXIT_CODE_COUNTS", "$JOB_COUNT", "$PRE_SCRIPT_RETURN", "$SUCCESS", "x$JOB")
    show = ("sh", "-c", 'echo "$@" >"$0"', str(tmp_path / "after"), *asked)
    texts = ("exit 0", "kill -9 $$", "exit 3", "exit 3")
    processes = tuple(Process(("sh", "-c", text), "/") for text in texts)
    task = Task("a", processes, before=Hook(("true",), "/"), after=Hook(show, "/"))
    assert run_task(task, tmp_path)[0] == 0
    facts = HookFacts("a", exit_code=-9, exit_codes=(0, -9, 3, 3), before_code=0)
    assert (tmp_path / "after").read_text().split() == list(words(Hook(asked, "/"), facts))


def test_what_differs_between_tries_is_put_in(tmp_path):
    argv = ("sh", "-c", 'echo "$0" "$V"; exit 1', f"it's {RETRY_MARK}")
    task = Task("a", (Process(argv, "/", {"V": f"v{RETRY_MARK}"}, stdout=f"{tmp_path}/out{RETRY_MARK}"),), retries=1)
    run_task(task, tmp_path)
    assert [(tmp_path / f"out{i}").read_text() for i in range(2)] == ["it's 0 v0\n", "it's 1 v1\n"]


def test_an_end_that_cannot_be_recorded_is_no_success(tmp_path):
    box, _ = one_job(tmp_path, f"ln -sf /dev/full {tmp_path}/box/running/0-1")
    assert launch(box, "0-1") not in (0, REVOKED)
    assert list(box.ended()) == []


def test_a_job_that_we_end_records_no_success(tmp_path):
    """The shell of a job may go on for a moment when its child was ended, and so seem to succeed."""
    box, ran = one_job(tmp_path)
    box.stop("0-1")
    assert launch(box, "0-1") == 143
    assert ran.exists()
    assert list(box.ended()) == []
    box.put_away("0-1")
    assert list((box.path / "running").iterdir()) == []
