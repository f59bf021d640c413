"""What jobs of DAGMan files run, and what is refused with its line; the judge is in ``test_dagman_judged.py``."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eligo.engines._attempts import RETRY_MARK, for_attempt
from eligo.engines._plan import Abort, Hook, Process, Task
from eligo.engines._sandbox import Programs
from eligo.engines._tasks.dagman_tasks import maker
from eligo.engines._tasks.task_maker import Maker
from eligo.errors import ParseError
from eligo.formats import _dagman as dagman
from eligo.formats._source import Source, load
from tests.corpus import DATA, needs_shared, statistics

HTCONDOR = "--engine htcondor"


def made(text: str, path: str = "/flow/x.dag") -> Maker:
    return maker(dagman.parse(Source(path, text.encode())))


def job(body: str, *more: str) -> str:
    """Return a DAG with one job; its description begins on line 2, and `more` lines follow it."""
    return "\n".join(["JOB a {", "executable = /bin/x", *body.splitlines(), "}", *more, ""])


def process(body: str, *more: str) -> Process:
    (found,) = made(job(body, *more)).task(0).processes
    return found


def refused(text: str, path: str = "/flow/x.dag") -> ParseError:
    with pytest.raises(ParseError) as caught:
        made(text, path).task(0)
    return caught.value


def test_everything_of_a_node():
    text = """
JOB a {
    executable = /bin/x
    request_cpus = 4
    request_memory = 2 GB
    request_disk = 1024
}
RETRY a 3 UNLESS-EXIT 9
SCRIPT DEFER 4 60 PRE a before.sh $JOB
SCRIPT POST a /after $RETURN
PRE_SKIP a 5
ABORT-DAG-ON a 7 RETURN 1
"""
    assert made(text).task(0) == Task(
        "a",
        (Process(("/bin/x",), "/flow"),),
        Hook(("/flow/before.sh", "$JOB"), "/flow", 4, 60),
        Hook(("/after", "$RETURN"), "/flow"),
        retries=3,
        unless_exit=9,
        skip_code=5,
        abort=Abort(7, 1),
        cpus=4,
        memory_bytes=2 * 2**30,
        disk_bytes=2**20,
        path="/flow/x.dag",
        line=2,
    )


def test_nodes_that_run_nothing_need_no_description():
    found = made("JOB a no.sub NOOP\nJOB b no.sub DONE\nJOB c no.sub\nDONE c\n")
    assert [(found.task(i).processes, found.task(i).done) for i in range(3)] == [((), False), ((), True), ((), True)]


def test_final_and_categories():
    found = made("JOB a no.sub NOOP\nFINAL z {\nexecutable = /bin/z\n}\nCATEGORY a few\nMAXJOBS few 3\n")
    assert found.final is not None
    assert found.final.processes[0].argv == ("/bin/z",)
    assert found.categories is not None
    assert (found.categories.of.tolist(), found.categories.most.tolist()) == ([0], [3])


def test_categories_in_splices_and_for_all(tmp_path):
    (tmp_path / "in.dag").write_text("JOB a x NOOP\nJOB b x NOOP\nCATEGORY a few\nCATEGORY b +all\nMAXJOBS few 1\n")
    text = "SPLICE S in.dag\nJOB c x NOOP\nCATEGORY c +all\nMAXJOBS +all 2\nSPLICE T in.dag\n"
    (tmp_path / "x.dag").write_text(text)
    for more in ("", "CATEGORY ALL_NODES +all\n"):
        (tmp_path / "x.dag").write_text(text + more)
        document = dagman.parse(load(tmp_path / "x.dag"))
        groups = maker(document).categories
        assert groups is not None
        names = list(document.details.maxjobs)
        for i in range(document.dag.n):
            category = document.details.job(i).category
            assert groups.of[i] == (names.index(category) if category in names else -1)
        assert groups.most.tolist() == list(document.details.maxjobs.values())


def test_retry_is_known_when_a_try_starts():
    found = process("arguments = try $(RETRY)\noutput = out.$(JOB).$(RETRY)")
    assert found.argv == ("/bin/x", "try", RETRY_MARK)
    assert for_attempt(found, 2).argv == ("/bin/x", "try", "1")
    assert for_attempt(found, 2).stdout == "/flow/out.a.1"


def test_numbers_of_processes_and_jobs():
    text = "JOB a x NOOP\nJOB b {\nexecutable = /bin/x\narguments = $(ClusterId).$(Process) $(Step)\n}\n"
    assert made(text).task(1).processes[0].argv == ("/bin/x", "2.0", "0")
    assert any("ClusterId" in warning for warning in made(text).warnings)


def test_signals_are_statuses_beyond_128():
    task = made("JOB a x NOOP\nABORT-DAG-ON a -9\nRETRY a 2 UNLESS-EXIT -15\n").task(0)
    assert (task.abort, task.unless_exit) == (Abort(137), 143)


COMMANDS = [
    "arguments",
    "output",
    "initialdir",
    "request_memory",
    "environment",
    "transfer_input_files",
    "request_cpus",
]
VALUES = ["$(x)", "1", "d/$(JOB)", "A=$(x)", "$(y:2)"]


@settings(max_examples=40)
@given(data=st.data())
def test_what_jobs_share_changes_nothing(data):
    """Asked one after the other, jobs of one description run what each runs when it is asked for alone."""
    body = data.draw(st.dictionaries(st.sampled_from(COMMANDS), st.sampled_from(VALUES)))
    text = "".join(f"{name} = {value}\n" for name, value in body.items())
    first = f"SUBMIT-DESCRIPTION one {{\nexecutable = /bin/x\n{text}}}\n"
    lines = []
    for i in range(5):
        variables = st.dictionaries(st.sampled_from(["x", "y", *COMMANDS]), st.sampled_from(["7", "e/f", "B=1"]))
        said = " ".join(f'{name}="{value}"' for name, value in data.draw(variables).items())
        when = data.draw(st.sampled_from(["", "PREPEND ", "APPEND "]))
        lines.append(f"VARS j{i} {when}{said}\n" if said else "\n")
    together = made(first + "".join(f"JOB j{i} one\n{line}" for i, line in enumerate(lines)))
    for i in data.draw(st.permutations(range(5))):
        alone = "".join(f"JOB j{k} one{' NOOP' * (k != i)}\n{line}" for k, line in enumerate(lines))
        assert outcome(together, i) == outcome(made(first + alone), i)


def outcome(found: Maker, i: int) -> Task | str:
    try:
        return found.task(i)
    except ParseError as error:
        return str(error)


def test_dir_of_node_and_splice(tmp_path):
    (tmp_path / "s" / "n").mkdir(parents=True)
    (tmp_path / "s" / "in.dag").write_text("JOB a a.sub DIR n\nSCRIPT PRE a pre.sh\n")
    (tmp_path / "s" / "n" / "a.sub").write_text("executable = run\noutput = o\ninitialdir = i\nqueue\n")
    (tmp_path / "x.dag").write_text("SPLICE S in.dag DIR s\n")
    task = maker(dagman.parse(load(tmp_path / "x.dag"))).task(0)
    there = f"{tmp_path}/s/n"
    assert task.processes == (Process((f"{there}/run",), f"{there}/i", stdout=f"{there}/i/o"),)
    assert task.before == Hook((f"{there}/pre.sh",), there)


def test_paths_from_where_the_command_runs(tmp_path, monkeypatch):
    """As DAGMan started from another directory: where the submit file is decides."""
    (tmp_path / "d").mkdir()
    (tmp_path / "d" / "x.dag").write_text("JOB a a.sub\n")
    (tmp_path / "a.sub").write_text("executable = run\nqueue\n")
    monkeypatch.chdir(tmp_path)
    assert maker(dagman.parse(load("d/x.dag"))).task(0).processes[0].argv == (f"{tmp_path}/run",)


def test_env_set_reaches_scripts_and_jobs_that_ask():
    text = job("getenv = B*", "ENV SET A=1;B=2", "SCRIPT PRE a pre.sh", "ENV GET HOME")
    task = made(text).task(0)
    assert task.processes[0].environment == {"B": "2"}
    assert task.before == Hook(("/usr/bin/env", "A=1", "B=2", "/flow/pre.sh"), "/flow")
    assert "2-no" in made(job("arguments = $ENV(B)-$ENV(NO_SUCH_1:no)", "ENV SET B=2")).task(0).processes[0].argv


def test_max_retries_is_retry_where_that_is_the_same():
    assert made(job("max_retries = 3")).task(0).retries == 3
    assert refused(job("max_retries = 3", "RETRY a 1")).line == 3
    assert refused(job("max_retries = 3", "SCRIPT POST a x")).line == 3


@pytest.mark.parametrize(
    ("body", "inputs"),
    [
        ("transfer_input_files = x.txt, ./y.txt, /flow/z", None),
        ("transfer_input_files = d/x.txt\nshould_transfer_files = NO", None),
        ("should_transfer_files = YES\nwhen_to_transfer_output = ON_EXIT", None),
        ("transfer_input_files = d/x.txt\ntransfer_executable = no", (("x.txt", "/flow/d/x.txt"),)),
        ("transfer_input_files = d/", ((".", "/flow/d/"), ("x", "/bin/x"))),
        ("initialdir = i\ntransfer_input_files = ../x.txt", (("x.txt", "/flow/i/../x.txt"), ("x", "/bin/x"))),
    ],
)
def test_a_sandbox_only_where_files_would_not_be_found(body, inputs):
    box = process(body).sandbox
    assert (box.inputs if box is not None else None) == inputs


def test_outputs_and_remaps():
    box = process('transfer_output_remaps = "a = b/c; d= /e/"').sandbox
    assert box is not None
    assert (box.outputs, box.remaps) == (None, (("a", "/flow/b/c"), ("d", "/e/d")))
    box = process('should_transfer_files = yes\ntransfer_output_files = r/a, b\ntransfer_output_remaps = "b=c"').sandbox
    assert box is not None
    assert box.outputs == (("r/a", "/flow/a"), ("b", "/flow/c"))


ONLY_HTCONDOR = [
    "universe = docker",
    "universe = parallel",
    "Universe = Java",
    "container_image = x.sif",
    "docker_image = x",
    "arguments = $$(Memory)",
    "arguments = $RANDOM_INTEGER(1,9)",
    "deferral_time = 100",
    "hold = true",
    "success_exit_code = 3",
    "max_retries = 2\nretry_until = 3",
    "transfer_input_files = https://example.org/x",
    "output = https://example.org/x",
    "if $(x) > 3\nendif",
    "output_destination = x",
    "noop_job = true",
]


@pytest.mark.parametrize("body", ONLY_HTCONDOR)
def test_what_only_htcondor_can_do_is_refused_with_its_line(body, tmp_path):
    """In a file of its own, and inside the DAG where DAGMan takes it there."""
    lines = body.count("\n") + 1
    (tmp_path / "a.sub").write_text(f"executable = /bin/x\n{body}\nqueue\n")
    error = refused("JOB a a.sub\n", f"{tmp_path}/x.dag")
    assert error.path == f"{tmp_path}/a.sub"
    assert error.line is not None
    assert 2 <= error.line <= 1 + lines
    assert HTCONDOR in error.hint or "manual" in error.hint
    error = refused(job(body))
    assert (error.path, error.line is not None and 3 <= error.line <= 2 + lines) == ("/flow/x.dag", True)


def test_what_may_have_been_meant():
    assert refused(job("universe = Vanila")).hint == "did you mean universe = vanilla?"
    assert refused(job("universe = quantum")).hint.endswith(HTCONDOR)


def test_macros_that_nothing_defines_are_told_with_their_line(tmp_path):
    (tmp_path / "a.sub").write_text("executable = /bin/x\narguments = $(there) $(gone)\nqueue\n")
    told = made('JOB a a.sub\nVARS a there="1"\n', f"{tmp_path}/x.dag").warnings
    assert told == (f"{tmp_path}/a.sub:2: $(gone) is not defined: taken as nothing, as HTCondor does",)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("JOB a no.sub\n", 1),
        ("SUBDAG EXTERNAL a x.dag\n", 1),
        ("JOB a x NOOP\nSERVICE s s.sub\n", 2),
        ("JOB a x NOOP\nPROVISIONER s s.sub\n", 2),
        ("JOB a x NOOP\nSCRIPT HOLD a x\n", 1),
        ("JOB a x NOOP\nJOB b x NOOP\nWEAK PARENT a CHILD b\n", 3),
        ("JOB a x NOOP\nTOLERANCE a 10%\n", 1),
        ("JOB a x NOOP\nCATEGORY a few\nMAXJOBS few 0\n", 3),
        ("JOB a x NOOP\nFINAL z no.sub\n", 2),
        ("JOB a x NOOP\nSCRIPT PRE a pre $RETURN\n", 1),
        ("JOB a x NOOP\nSCRIPT POST a post $NO_SUCH\n", 1),
        ("JOB a x NOOP\nSCRIPT POST a $JOB\n", 1),
        ("JOB a x NOOP\nENV SET A\n", 2),
    ],
)
def test_nodes_that_cannot_be_run_are_refused_with_their_line(text, line):
    error = refused(text)
    assert (error.path, error.line) == ("/flow/x.dag", line)
    assert error.hint or "ENV SET" in error.text or "plain program" in error.text


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("queue\n", 1),
        ("executable = x\nqueue x in (a b)\n", 2),
        ("executable = x\nqueue from list.txt\n", 2),
        ("executable = x\nqueue\nqueue\n", 3),
        ("executable = x\nqueue 0\n", 2),
        ("executable = x\nqueue $(n)\nn = 3\n", 0),
        ("executable = x\nwhat is this\nqueue\n", 2),
        ("executable = x\narguments = \"a\nqueue\n", 2),
        ("executable = x\nenvironment = A\nqueue\n", 2),
        ("executable = x\ninclude : no.inc\n", 2),
        ("executable = x\ninclude command : ls\n", 2),
        ("executable = x\ninclude : ls |\n", 2),
        ("executable = x\nuse feature : gpus\n", 2),
        ("executable = x\nerror : not today\n", 2),
        ("executable = x\nif true\nqueue\n", 3),
        ("executable = x\nendif\nqueue\n", 2),
        ("executable = x\ninclude : a.sub\nqueue\n", 2),
        ("executable = x\narguments = \0\nqueue\n", 2),
        ("executable = x\nmax_retries = many\nqueue\n", 2),
        ("executable = x\ntransfer_output_remaps = a=b\nqueue\n", 2),
        ("executable = x\ntransfer_input_files = ..\nqueue\n", 2),
    ],
)  # fmt: skip
def test_bad_submit_files_name_their_line(text, line, tmp_path):
    (tmp_path / "a.sub").write_text(text)
    if line:
        error = refused("JOB a a.sub\n", f"{tmp_path}/x.dag")
        assert (error.path, error.line) == (f"{tmp_path}/a.sub", line)
    else:  # what is undefined is nothing, and one process is queued
        assert len(made("JOB a a.sub\n", f"{tmp_path}/x.dag").task(0).processes) == 1


def test_a_command_in_vars_is_refused_at_the_job():
    assert refused(job("", 'VARS a universe="docker"')).line == 1


def test_a_refusal_waits_until_a_job_is_asked_for():
    """An engine that hands the file to HTCondor can have the plan."""
    found = made("JOB a x NOOP\nSERVICE s s.sub\n")
    with pytest.raises(ParseError):
        found.task(0)


def test_what_is_taken_otherwise_is_told_of():
    text = job("requirements = x\nperiodic_hold = y\nrequest_memory = 3 * 4\narguments = $(no)\nconcurrency_limits = l")
    text += "DOT x.dot\nCONFIG x.config\nNODE_STATUS_FILE x\nJOBSTATE_LOG x\nSCRIPT DEBUG f ALL PRE a x\n"
    told = "\n".join(made(text).warnings)
    for words in ("requirements", "periodic_hold", "request_memory", "$(no)", "concurrency_limits"):
        assert words in told
    for words in ("DOT", "CONFIG", "node status", "jobstate", "DEBUG"):
        assert words in told
    assert made(job("notification = never\n+Foo = 3\nlog = x\nrank = 3\nnice_user = true")).warnings == ()


def test_missing_programs(tmp_path):
    plain = tmp_path / "plain"
    plain.write_text("")
    for program, words in (
        ("/no/such", "is not there"),
        (str(plain), "is not executable"),
        (str(tmp_path), "directory"),
    ):
        assert words in Programs().missing(Task("a", (Process((program,), "/"),)))
        assert words in Programs().missing(Task("a", after=Hook((program,), "/")))
    assert Programs().missing(Task("a", (Process(("/bin/sh",), "/no/such"),))) == "the directory /no/such is not there"
    assert Programs().missing(Task("a", (Process((f"/bin/{RETRY_MARK}",), f"/{RETRY_MARK}"),))) == ""
    assert Programs().missing(Task("a", (Process(("/bin/sh",), "/"),))) == ""


@given(name=st.text(st.characters(blacklist_characters="\0\r\n \t\v\f", blacklist_categories=["Cs"]), min_size=1))
def test_hostile_names_stay_one_word(name):
    """A name is an argument, or it is no name of a job at all."""
    text = f"JOB {name} one\nSUBMIT-DESCRIPTION one {{\nexecutable = /bin/x\narguments = \"'$(JOB)'\"\n}}\n"
    try:
        document = dagman.parse(Source("/flow/x.dag", text.encode()))
        found = maker(document).task(0).processes[0].argv
    except ParseError:
        return
    assert found == ("/bin/x", name) or set(name) & set("$'\"")


@needs_shared
def test_every_valid_file_of_the_corpus_gives_tasks_or_a_line():
    names = [name for name in statistics() if name.startswith("dagman/valid/")]
    assert len(names) >= 10
    for name in names:
        try:
            document = dagman.parse(load(DATA / name))
        except ParseError as error:  # a part of another file, which is not whole by itself
            assert error.line is not None
            continue
        try:
            found = maker(document)
        except ParseError as error:
            assert error.line is not None
            continue
        for i in range(document.dag.n):
            try:
                assert found.task(i).name == document.dag.names[i]
            except ParseError as error:
                assert error.line is not None


@needs_shared
def test_the_corpus_runs_once_its_submit_files_are_there(tmp_path):
    """The submit files of the corpus are absent on purpose; with one of ours in each place, most jobs have a task."""
    sub = b"executable = /bin/true\narguments = $(JOB)\nqueue\n"
    good = 0
    for path in sorted((DATA / "dagman" / "valid").glob("*.dag")):
        document = dagman.parse(load(path))
        for node in (*map(document.details.job, range(document.dag.n)), *document.details.others()):
            place = Path(os.path.normpath(f"{tmp_path}/deep/er/{node.directory}/{node.submit}"))
            if node.submit and not node.submit.startswith("/") and tmp_path in place.parents:
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_bytes(sub)
        moved = tmp_path / "deep" / "er" / path.name
        moved.write_bytes(path.read_bytes())
        found = maker(dagman.parse(load(moved)))
        for i in range(document.dag.n):
            try:
                good += bool(found.task(i).processes)
            except ParseError as error:
                assert error.line is not None
    assert good >= 250
