"""Text of the Cloud Workflow Simulator, read only: one statement a line, words separated by blanks.

::

    FILE name size                      a file and its size in bytes
    TASK id transformation runtime      a job and its time in seconds
    INPUTS id file ...                  what a job reads
    OUTPUTS id file ...                 what a job writes
    EDGE parent child                   a dependency

Jobs are called by their id. Statements may stand in any order. Some files of this kind declare a single edge and
imply the other thousands through files: these need ``--edges both``, and the reader says so.
"""

from __future__ import annotations

from dataclasses import dataclass

from eligo.formats._base import Document, EdgeRule
from eligo.formats._dag_builder import Draft
from eligo.formats._source import Source

__all__ = ["NAME", "TITLE", "CwsDetails", "parse", "sniff"]

NAME = "cws"
TITLE = "Cloud Workflow Simulator text"

# How many words each statement has: at least, at most.
_FORMS = {
    "FILE": (3, 3, "FILE name size"),
    "TASK": (4, 4, "TASK id transformation runtime"),
    "INPUTS": (2, None, "INPUTS id file ..."),
    "OUTPUTS": (2, None, "OUTPUTS id file ..."),
    "EDGE": (3, 3, "EDGE parent child"),
}
_LINES_LOOKED_AT = 20


@dataclass(frozen=True, slots=True)
class CwsDetails:
    """The transformation of each job."""

    transformations: tuple[str, ...]


def sniff(head: str) -> bool:
    r"""Tell whether the first statements are all of this language.

    Examples
    --------
    >>> sniff("# made by hand\n\nFILE a.txt 10\nTASK t1 cat 2.5\n"), sniff("JOB a a.sub\n")
    (True, False)
    """
    lines = [line.split(None, 1) for line in head.removeprefix("\ufeff").split("\n", 1000)[:1000]]
    first = [words[0] for words in lines if words and not words[0].startswith("#")][:_LINES_LOOKED_AT]
    return bool(first) and all(word in _FORMS for word in first)


def parse(source: Source, edges: EdgeRule | None) -> Document:
    r"""Read a file of the Cloud Workflow Simulator.

    Examples
    --------
    >>> text = b"FILE f 10\nTASK a make 1\nTASK b use 2\nOUTPUTS a f\nINPUTS b f\nEDGE a b\n"
    >>> dag = parse(Source("two.dag", text), None).dag
    >>> dag, dag.data.size_bytes
    (Dag(2 jobs, 1 edge), array([10]))
    """
    draft = Draft(source)
    transformations: list[str] = []
    lists: list[tuple[list[str], int]] = []
    text = source.text()
    if "\0" in text:
        raise source.error(source.line_of("\0"), "a NUL character", hint="the file may be damaged, or not text")
    for number, line in enumerate(text.split("\n"), 1):
        words = line.split()
        if not words or words[0].startswith("#"):
            continue
        _check(source, words, number)
        if words[0] == "FILE":
            draft.uses.states(words[1], draft.size(words[2], number))
        elif words[0] == "TASK":
            draft.set_time(draft.add_job(words[1], number), words[3], number)
            transformations.append(words[2])
        elif words[0] == "EDGE":
            draft.join(words[1], words[2], number)
        else:
            lists.append((words, number))
    for words, number in lists:
        job = draft.find(words[1], number)
        take = draft.uses.reads if words[0] == "INPUTS" else draft.uses.writes
        for file in words[2:]:
            take(job, file)
    return Document(draft.build(edges), NAME, source, draft.notes.texts(), CwsDetails(tuple(transformations)))


def _check(source: Source, words: list[str], number: int) -> None:
    form = _FORMS.get(words[0])
    if form is None:
        raise source.error(number, f"unknown statement {words[0][:60]!r}", hint=f"one of: {', '.join(_FORMS)}")
    least, most, usage = form
    if len(words) < least or (most is not None and len(words) > most):
        raise source.error(number, f"{words[0]} has {len(words) - 1:,} words after it", hint=f"write: {usage}")
