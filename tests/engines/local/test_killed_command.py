"""``eligo run`` of a DAGMan file with scripts, retries and a FINAL node, killed and resumed until it is done."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time

import pytest

from benchmarks.engines.crashing import PATIENCE_S, Line, keepers_of, overlaps
from benchmarks.engines.driving import SCRIPT

NAMES = [f"n{i}" for i in range(9)]
EDGES = [("n0", "n1 n2 n3"), ("n1 n2", "n4 n5"), ("n3", "n6"), ("n4 n5 n6", "n7 n8")]


def write_dag(folder):
    """Each job is tried again when the script after it says so, which it does once for some."""
    (folder / "job.sh").write_text(SCRIPT)
    (folder / "after.sh").write_text(
        "#!/bin/sh\n# STORY NAME RETURN RETRY: fails at the first try of jobs with an odd number\n"
        'echo "S after $2 $$" >> "$1"\ncode=0\n'
        'case "$2.$4" in n[13579].0) code=1;; esac\n'
        '[ "$3" = 0 ] || code=2\necho "E after $2 $$ $code" >> "$1"\nexit $code\n'
    )
    for name in ("job.sh", "after.sh"):
        (folder / name).chmod(0o755)
    story = folder / "story"
    lines = ["SUBMIT-DESCRIPTION work {", f"executable = {folder}/job.sh", f"arguments = {story} main $(JOB) 0.1 0"]
    lines += ["transfer_executable = false", "should_transfer_files = no", "}"]
    for name in NAMES:
        lines += [f"JOB {name} work", f"RETRY {name} 2"]
        lines += [f"SCRIPT PRE {name} {folder}/job.sh {story} before $JOB 0 0"]
        lines += [f"SCRIPT POST {name} {folder}/after.sh {story} $JOB $RETURN $RETRY"]
    lines += [f"PARENT {parents} CHILD {children}" for parents, children in EDGES]
    lines += ["FINAL last work"]
    (folder / "flow.dag").write_text("\n".join([*lines, ""]))


def read_story(folder):
    path = folder / "story"
    found = []
    for text in path.read_text().split("\n")[:-1] if path.exists() else []:
        kind, step, name, process, *code = text.split(" ")
        found.append(Line(kind, step, name, int(process), int(code[0]) if code else 0))
    return found


def run(folder):
    resume = ["--resume"] if (folder / "flow.dag.eligo" / "state.sqlite").exists() else []
    command = [sys.executable, "-m", "eligo", "run", "flow.dag", "--slots", "3", *resume]
    return subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)


@pytest.mark.parametrize(
    "with_keeper", [False, pytest.param(True, marks=pytest.mark.long)], ids=["alone", "with its keeper"]
)
def test_until_done(with_keeper, tmp_path):
    rng = random.Random(with_keeper)
    write_dag(tmp_path)
    kills = 0
    while kills < 5:
        process = run(tmp_path)
        try:
            process.communicate(timeout=rng.uniform(0.3, 1.2))
            break
        except subprocess.TimeoutExpired:
            for keeper in keepers_of(tmp_path / "flow.dag.eligo") if with_keeper else []:
                os.kill(keeper, signal.SIGKILL)
            process.kill()
            process.communicate(timeout=PATIENCE_S)
            kills += 1
    else:
        process = run(tmp_path)
        process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 0
    check(read_story(tmp_path), repeats=with_keeper)


def check(story, repeats):
    assert not overlaps(story)
    ends = [line for line in story if line.kind == "E"]
    for name in NAMES:
        posts = [line.code for line in ends if line.name == name and line.step == "after"]
        assert posts[-1] == 0
        assert (1 in posts) == (int(name[1:]) % 2 == 1)
        if not repeats:
            assert len([line for line in ends if line.name == name and line.step == "main"]) == len(posts)
    for parents, children in EDGES:
        last = max(i for i, line in enumerate(story) if line.kind == "E" and line.name in parents.split())
        first = min(i for i, line in enumerate(story) if line.kind == "S" and line.name in children.split())
        assert last < first
    finals = [i for i, line in enumerate(story) if line.name == "last" and line.kind == "S"]
    assert finals
    assert finals[0] > max(i for i, line in enumerate(story) if line.name != "last")


@pytest.mark.long
def test_killed_before_there_is_anything(tmp_path):
    """In its first moments, while Python itself still starts."""
    write_dag(tmp_path)
    for hundredths in range(2, 60, 8):
        process = run(tmp_path)
        time.sleep(hundredths / 100)
        process.kill()
        process.communicate(timeout=PATIENCE_S)
    process = run(tmp_path)
    _, errors = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 0, errors
    check(read_story(tmp_path), repeats=False)
