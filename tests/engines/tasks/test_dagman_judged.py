"""The real HTCondor is the judge of what jobs of a DAGMan file run.

One DAG full of awkward jobs is written twice, into two directories. HTCondor runs the one; of the other we make tasks
and run their processes and scripts ourselves. Every job writes down how it was called, where, with which variables,
what it read and what lay around it; then both directories must hold the same files.
"""

from __future__ import annotations

import random
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from eligo.engines import _attempts as attempts
from eligo.engines import _sandbox as sandbox
from eligo.engines._attempts import AFTER, BEFORE, Attempt, VerdictKind
from eligo.engines._plan import Hook, Process, Task
from eligo.engines._tasks.dagman_tasks import maker
from eligo.formats import _dagman as dagman
from eligo.formats._source import load
from tests.reference.condor_pool import need_pool, run_dag

pytestmark = pytest.mark.engine

DUMP = r"""#!/bin/sh
for word in "$@"; do printf '<%s>\n' "$word"; done
case $(pwd) in */execute/dir_*|*/boxes/*) echo "in a sandbox with" $(ls | grep -v _condor) ;; *) pwd ;; esac
tr '\0' '\001' </proc/$$/environ | tr '\n\001' '\001\n' | grep ^ELIGO_ | sort
echo "read: $(cat)"
echo said >&2
"""
WORK = r"""#!/bin/sh
find . -name '[a-z]*' | sort
echo new >new.txt; mkdir -p res/deep; echo r >res/r.txt; echo d >res/deep/d.txt; echo x >x.dat
[ ! -e in.txt ] || echo more >>in.txt
"""
TRY = "#!/bin/sh\necho $1 >tried.$1\n[ $1 = 1 ]\n"
HOOK = r"""#!/bin/sh
name=$1; shift
{ pwd; for word in "$@"; do printf '<%s>\n' "$word"; done; env | grep ^ELIGO_ | sort; } >>"$ELIGO_HOME/hook.$name"
[ "$1" != seven ] || exit 7
"""

AWKWARD = [
    "",
    " ",
    "  two  blanks ",
    "'",
    "''",
    '"',
    '""',
    "it's",
    'say "hi"',
    "\\",
    "\\\\",
    '\\"',
    "\\n",
    "$HOME",
    "*",
]
AWKWARD += ["~", "a=b", ";", "a;b", "|", "&", ">", "%20", "#", "tab\there", "é", "-x", "--", "`id`", "(x)", "{}", "!"]
ALPHABET = " '\"\\ab;=,|#%\té"

SUBMITS = {
    "new.sub": """
        executable = dump.sh
        arguments = {arguments}
        environment = {environment}
        output = out.$(JOB)
        queue""",
    "old.sub": r"""
        executable = dump.sh
        arguments = a   b	c \"q\" \\ \x 'y z' %20 * $HOME ~ a;b
        environment = ELIGO_A=x y;  ELIGO_B=\"q\";ELIGO_C='s t';ELIGO_D=a|b; ELIGO_E = 2 ;;ELIGO_F=a=b;ELIGO_G=
        output = out.$(JOB).$(Process)
        error = err.$(JOB).$(Step)
        queue 2""",
    "macros.sub": """
        EXECUTABLE = dump.sh
        arguments = "$(JOB) [$(retry)] [$(DAG_STATUS)] [$(FAILED_COUNT)] [$(undefined)] [$(undefined:d e)] '[$(x)]' \\
            [$(y)] '[$(z)]' $F(p) $Fp(p) $Fn(p) $Fx(p) $Fnx(p) $Fd(p) $Fdx(p) $BASENAME(p) $DIRNAME(p) $INT(n) \\
            [$(Item)] [$(Row)] '[$(DAG_PARENT_NAMES)]' $(DOLLAR)(x) $ENV(NO_SUCH:dflt) $ENV(NO_SUCH) '$(q:$(y))' \\
            $SUBSTR(p,1,3) $CHOICE(1,a,b,c) $(empty:full) [$(p[0])] $Fqa(p) $(e.f) [$(Node)] $Fdb(p) $Fxb(p)"
        x = file's
        x = file''s
        n = 34
        p = some/dir/file.tar.gz
        empty =
        e.f = dotted
        output = out.$(JOB)
        queue 1
        x = too late""",
    "paths.sub": """
        executable = dump.sh
        initial_dir = init
        input = in.txt
        output = ../out.$(JOB)
        error = err.txt
        arguments = x
        queue""",
    "stays.sub": """
        cmd = dump2.sh
        transfer_executable = false
        iwd = init
        stdin = in.txt
        stdout = stays.txt
        args = y
        env = "ELIGO_A=1"
        queue""",
    "ifs.sub": """
        k = $(k) self
        if defined pre
          a1 = preyes
        else
          a1 = preno
        endif
        if defined app
          a2 = appyes
        elif $(pre)
          a2 = appno
          if false
            a2 = never
          else
            a3 = nested
          endif
        elif true
          a2 = never
        endif
        if version >= 23.1
          a4 = newer
        endif
        if ! defined zzz
          a5 = nz
        endif
        if defined empty
          a6 = wrong
        endif
        if defined JOB
          a7 = job
        endif
        include : more.inc
        executable = dump.sh
        arguments = "'$(k)' $(a1) $(a2) $(a3) $(a4) $(a5) [$(a6)] $(a7) $(inc)"
        output = out.$(JOB)
        queue""",
    "more.inc": "inc = included-$(pre)\n",
    "vars.sub": 'executable = dump.sh\nv = file\narguments = "$(v) $(w)"\noutput = out.$(JOB)\nqueue\n',
    "try.sub": "executable = try.sh\narguments = $(RETRY)\noutput = out.$(JOB).$(RETRY)\nqueue\n",
    "whole.sub": """
        executable = work.sh
        initialdir = box1
        should_transfer_files = YES
        transfer_input_files = ../data/a.txt, ../data/inner, in.txt
        output = ../out.$(JOB)
        queue""",
    "listed.sub": """
        executable = work.sh
        should_transfer_files = YES
        transfer_input_files = data/, init/in.txt
        transfer_output_files = res, x.dat, new.txt
        transfer_output_remaps = "x.dat = box2/y.dat; new.txt=n2.txt"
        output = out.$(JOB)
        queue""",
    "tops.sub": """
        executable = work.sh
        initialdir = box3
        should_transfer_files = YES
        transfer_output_files = res/r.txt
        output = ../out.$(JOB)
        queue""",
    "kept.sub": """
        executable = dump.sh
        should_transfer_files = YES
        preserve_relative_paths = true
        transfer_input_files = data/a.txt
        transfer_output_files = ""
        output = out.$(JOB)
        queue""",
    "getenv.sub": """
        executable = dump.sh
        getenv = ELIGO_S*
        environment = "ELIGO_SET2=mine"
        output = out.$(JOB)
        queue""",
    "in_splice.sub": "executable = dump.sh\narguments = $(JOB) $(v)\noutput = out.txt\nqueue\n",
}
DAG = """
CONFIG flow.dag.config
ENV SET ELIGO_SET1=one;ELIGO_SET2=two;ELIGO_OTHER=three;ELIGO_HOME={home}
JOB new new.sub
JOB old old.sub
JOB macros macros.sub
VARS macros x="of vars" y="one" y="two"
VARS macros z="z \\"\\"q\\"\\" \\\\"
JOB paths paths.sub
JOB deeper ../paths.sub DIR sub
JOB stays stays.sub
JOB ifs ifs.sub
VARS ifs pre="1" k="vark"
VARS ifs APPEND app="2"
JOB v1 vars.sub
VARS v1 v="before" w="w1"
JOB v2 vars.sub
VARS v2 APPEND v="after"
VARS v2 PREPEND w="w2"
VARS v2 w="w3"
JOB try try.sub
RETRY try 2 UNLESS-EXIT 9
JOB whole whole.sub
JOB listed listed.sub
JOB tops tops.sub
JOB kept kept.sub
JOB getenv getenv.sub
SPLICE S splice.dag DIR sub
JOB inline {{
    executable = dump.sh
    arguments = one 'two three' $(JOB)
    output = out.inline
    environment = ELIGO_A=1;ELIGO_B=2
}}
SUBMIT-DESCRIPTION shared {{
    executable = dump.sh
    arguments = [$(JOB)] $(DAG_PARENT_NAMES)
    output = out.named
}}
JOB named shared
JOB noop no_such.sub NOOP
JOB skipped vars.sub
PARENT v1 v2 CHILD named
SCRIPT PRE deeper hook.sh pre.deeper $JOB $job x$JOB $RETRY $MAX_RETRIES $DAG_STATUS $FAILED_COUNT 'q u' "r s"  \tx
SCRIPT POST deeper hook.sh post.deeper $JOB $NODE $RETURN $PRE_SCRIPT_RETURN $RETRY $MAX_RETRIES $SUCCESS $EXIT_CODES
SCRIPT POST old hook.sh post.old $JOB_COUNT $EXIT_CODES $EXIT_CODE_COUNTS $JOB_ABORT_COUNT $PRE_SCRIPT_RETURN
SCRIPT PRE try hook.sh pre.try $RETRY $MAX_RETRIES
SCRIPT POST noop hook.sh post.noop $RETURN $PRE_SCRIPT_RETURN
SCRIPT PRE skipped hook.sh pre.skipped seven
PRE_SKIP skipped 7
FINAL final vars.sub
VARS final v="x" w="[$(DAG_STATUS)] [$(FAILED_COUNT)]"
SCRIPT POST final hook.sh post.final $DAG_STATUS $FAILED_COUNT $RETURN
"""


def quoted(words: list[str]) -> str:
    """Quote words in the new syntax; no code is shared with the reader."""
    inside = " ".join("'" + word.replace("'", "''") + "'" for word in words)
    return '"' + inside.replace('"', '""') + '"'


def awkward() -> tuple[list[str], dict[str, str]]:
    rng = random.Random(20061)
    words = [*AWKWARD, *("".join(rng.choices(ALPHABET, k=rng.randrange(1, 9))) for _ in range(40))]
    return words, {f"ELIGO_{i}": word for i, word in enumerate(words)}


def write(home: Path) -> Path:
    """Write the DAG and all it needs."""
    words, environment = awkward()
    texts = {name: text.strip() + "\n" for name, text in SUBMITS.items()}
    pairs = [f"{name}={value}" for name, value in environment.items()]
    texts["new.sub"] = texts["new.sub"].format(arguments=quoted(words), environment=quoted(pairs))
    texts |= {"splice.dag": 'JOB a in_splice.sub DIR deep\nVARS a v="s"\nPARENT a CHILD b\nJOB b in_splice.sub NOOP\n'}
    texts |= {"init/in.txt": "for init", "sub/init/in.txt": "for sub/init", "data/a.txt": "a", "data/inner/b.txt": "b"}
    texts |= {"box1/in.txt": "I\n", "box2/keep": "", "box3/keep": "", "flow.dag": DAG.format(home=home)}
    texts |= {"flow.dag.config": "DAGMAN_MAX_SUBMIT_ATTEMPTS = 1\n"}
    texts |= {"sub/splice.dag": texts["splice.dag"], "sub/deep/in_splice.sub": texts["in_splice.sub"]}
    for name, text in texts.items():
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_text(text)
    programs = {"dump.sh": DUMP, "init/dump2.sh": DUMP, "sub/dump.sh": DUMP, "sub/deep/dump.sh": DUMP}
    programs |= {"work.sh": WORK, "try.sh": TRY, "hook.sh": HOOK, "sub/hook.sh": HOOK}
    for name, text in programs.items():
        (home / name).write_text(text)
        (home / name).chmod(0o755)
    return home / "flow.dag"


def execute(process: Process, box: Path) -> int:
    """Run a process as an engine does."""
    if process.sandbox is not None:
        sandbox.prepare(process.sandbox, box)
        ran = replace(process, directory=str(box))
    else:
        ran = process
    paths = [path or "/dev/null" for path in (ran.stdin, ran.stdout, ran.stderr)]
    with Path(paths[0]).open("rb") as stdin, Path(paths[1]).open("wb") as stdout, Path(paths[2]).open("wb") as stderr:
        code = subprocess.run(
            ran.argv, cwd=ran.directory, env=dict(ran.environment), check=False, stdin=stdin, stdout=stdout,
            stderr=stderr,
        ).returncode  # fmt: skip
    if process.sandbox is not None:
        sandbox.collect(process.sandbox, box, process.directory)
    return code


def run_hook(hook: Hook, attempt: Attempt) -> int:
    codes = tuple(code for step, code in sorted(attempt.codes.items()) if step >= 0)
    facts = attempts.HookFacts(
        attempt.task.name,
        attempt.number,
        attempt.task.retries,
        attempt.process_code,
        codes,
        attempt.codes.get(BEFORE),
    )
    return subprocess.run(attempts.words(hook, facts), cwd=hook.directory, check=False).returncode


def run_task(task: Task, boxes: Path) -> None:
    number = 1
    while True:
        attempt = Attempt(task, number)
        while steps := attempt.next_steps():
            for step in steps:
                hook = {BEFORE: task.before, AFTER: task.after}.get(step)
                if hook is not None:
                    attempt.codes[step] = run_hook(hook, attempt)
                else:
                    process = attempts.for_attempt(task.processes[step], number)
                    attempt.codes[step] = execute(process, boxes / f"{task.name}.{number}.{step}")
        verdict = attempt.verdict()
        assert verdict is not None
        if verdict.kind is not VerdictKind.AGAIN:
            assert verdict.kind is VerdictKind.SUCCEEDED, (task.name, verdict)
            return
        number += 1


def files(home: Path) -> dict[str, str]:
    """Return every file of a directory but DAGMan's own, with the directory's name taken out."""
    return {
        str(path.relative_to(home)): path.read_text().replace(str(home), "HOME")
        for path in sorted(home.rglob("*"))
        if path.is_file() and not path.name.startswith("flow.dag")
    }


@pytest.mark.long
def test_our_processes_do_what_htcondors_jobs_do(tmp_path):
    need_pool()
    ours, theirs = tmp_path / "ours", tmp_path / "real"
    dag = write(ours)
    messages = run_dag(write(theirs), timeout_s=90)
    assert "the following job(s) failed" not in messages, messages[-5000:]  # DAGMan itself ends as FINAL does
    document = dagman.parse(load(dag))
    made = maker(document)
    for job in range(document.dag.n):
        task = made.task(job)
        assert made.task(job) == task
        run_task(task, tmp_path / "boxes")
    assert made.final is not None
    run_task(made.final, tmp_path / "boxes")
    expected, found = files(theirs), files(ours)
    assert sorted(found) == sorted(expected)
    for name, text in expected.items():
        assert found[name] == text, name
    words, environment = awkward()
    assert found["out.new"].startswith("".join(f"<{word}>\n" for word in words))
    assert all(f"\n{name}={value}\n" in found["out.new"] for name, value in environment.items())
    assert {"tried.0", "tried.1", "box2/y.dat", "box3/r.txt", "box1/new.txt", "hook.pre.skipped"} <= set(found)
    assert not (ours / "box1" / "res").exists()
    assert list((tmp_path / "boxes").iterdir()) == []
