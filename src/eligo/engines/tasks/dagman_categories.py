"""CATEGORY and MAXJOBS: how many jobs of a kind may run at once.

Jobs may be a million, so the lines about categories are looked for in the columns of the scan and only those are read.
Only where CATEGORY names ALL_NODES is every job asked.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from eligo.dag import Int32
from eligo.engines.plan import Categories
from eligo.errors import ParseError
from eligo.formats.base import Document
from eligo.formats.dagman.commands import read_mark
from eligo.formats.dagman.details import Details
from eligo.formats.dagman.keywords import Keyword
from eligo.formats.dagman.lines import logical_lines, read_command
from eligo.formats.dagman.unit import ALL_NODES, MarkRun, OddMark, Unit, walk

__all__ = ["categories"]


def categories(document: Document) -> Categories | None:
    r"""Return the categories that have a limit, or ``None`` where no job is in one.

    Examples
    --------
    >>> from eligo.formats.dagman import parse
    >>> from eligo.formats.storage import Source
    >>> text = b"JOB a a.sub\nJOB b a.sub\nCATEGORY b few\nMAXJOBS few 2\n"
    >>> found = categories(parse(Source("x.dag", text)))
    >>> found.of.tolist(), found.most.tolist()
    ([-1, 0], [2])
    """
    details = document.details
    assert isinstance(details, Details)
    most = details.maxjobs
    if not most:
        return None
    number = {name: i for i, name in enumerate(most)}
    of: Int32 = np.full(document.dag.n, -1, np.int32)
    for job, name in _every(details) if _for_all(details) else _stated(details):
        of[job] = number.get(name, -1)
    if not np.any(of >= 0):
        return None
    for name, i in number.items():
        if most[name] == 0 and np.any(of == i):
            raise _never(details, name)
    return Categories(of, np.array(list(most.values()), np.int32))


def _every(details: Details) -> Iterator[tuple[int, str]]:
    for job in range(details.root.count):
        name = details.job(job).category
        if name is not None:
            yield job, name


def _for_all(details: Details) -> bool:
    return any(
        isinstance(mark, OddMark) and mark.node == ALL_NODES and mark.kind is Keyword.CATEGORY
        for unit, *_ in walk(details.root)
        for mark in unit.marks
    )


def _stated(details: Details) -> Iterator[tuple[int, str]]:
    """Yield jobs and their categories in the order of the lines, so that the last one counts."""
    for unit, offset, prefix, _ in walk(details.root):
        for node, name in _of_unit(unit):
            yield offset + node, name if name.startswith("+") else prefix + name


def _of_unit(unit: Unit) -> Iterator[tuple[int, str]]:
    for mark in unit.marks:
        if isinstance(mark, OddMark):
            if mark.kind is Keyword.CATEGORY and mark.node >= 0:
                yield mark.node, str(mark.value)
            continue
        yield from _of_run(unit, mark)


def _of_run(unit: Unit, run: MarkRun) -> Iterator[tuple[int, str]]:
    file = unit.files[run.file]
    kinds = file.scan.mark_kind[run.first : run.first + len(run.nodes)]
    for i in np.flatnonzero(kinds == Keyword.CATEGORY).tolist():
        node = int(run.nodes[i])
        if node >= 0:
            text = read_command(file.source.data, int(file.scan.mark_at[run.first + i])).text
            yield node, str(read_mark(Keyword.CATEGORY, text)[1])


def _never(details: Details, name: str) -> ParseError:
    """Say where a category is given no job at all: DAGMan would wait for ever."""
    for source in details.sources:
        for line in logical_lines(source):
            if line.kind is Keyword.MAXJOBS and line.job in (name, name.rpartition("+")[2]):
                text = f"MAXJOBS {line.job} 0 lets none of its jobs ever run"
                return ParseError(source.path, line.line, text, hint="give a number from 1, or remove the line")
    return ParseError(details.sources[0].path, 1, f"MAXJOBS {name} 0 lets none of its jobs ever run")
