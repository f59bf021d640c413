"""A DAG with its submit files, and what tests of ``prioritize`` do with it."""

from __future__ import annotations

from pathlib import Path

from eligo._cli import main
from eligo.formats import open_document

PAPER = "JOB a x.sub\nJOB b x.sub\nJOB c x.sub\nJOB d x.sub\nJOB e y.sub\nPARENT a CHILD b\nPARENT c CHILD d e\n"
SUBMIT = "executable = x\nqueue\n"
INSIDE = "priority = $(jobpriority)"


def tree(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def run(*words, status=0):
    assert main(["prioritize", *map(str, words)]) == status


def priorities(path) -> dict[str, int | None]:
    details = open_document(path).details
    jobs = [details.job(i) for i in range(details.root.count)]
    return {job.name: job.priority for job in jobs}


def warnings(capsys, *words, status=0) -> list[str]:
    run(*words, status=status)
    return [line for line in capsys.readouterr().err.splitlines() if line.startswith(("warning: ", "hint: "))]
