"""The DAG files that a DAG runs as SUBDAG EXTERNAL, and theirs in turn, each once."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

from eligo.formats.base import Document, Notes
from eligo.formats.dagman.details import Details
from eligo.formats.dagman.keywords import Keyword
from eligo.formats.dagman.unit import directory_of, join_directory, walk

__all__ = ["follow_subdags", "subdags"]


def subdags(document: Document, notes: Notes) -> list[str]:
    r"""Return the files of a DAG's SUBDAGs, those in splices too, each once; what is not there goes to `notes`.

    Examples
    --------
    >>> from eligo.formats.dagman import parse
    >>> from eligo.formats.storage import Source
    >>> notes = Notes()
    >>> subdags(parse(Source("x.dag", b"SUBDAG EXTERNAL a no.dag\n")), notes), notes.texts()
    ([], ("x.dag:1: the DAG file of a SUBDAG is not there (yet), such as 'no.dag'",))
    """
    details = document.details
    assert isinstance(details, Details)
    base = directory_of(document.source.path)
    found: dict[str, str] = {}
    missing: list[tuple[str, int, str]] = []
    for unit, _, _, directory in walk(details.root):
        for run in unit.nodes:
            line = run.odd
            if line is None or line.kind is not Keyword.SUBDAG:
                continue
            inside = join_directory(directory, join_directory(line.directory, line.submit))
            path = next((p for p in (join_directory(base, inside), inside) if _is_file(p)), None)
            if path is not None:
                found.setdefault(os.path.realpath(path), path)
            else:
                file = unit.files[run.file]
                missing.append((file.source.path, file.line_of(run.at), inside))
    if missing:
        where, number, name = missing[0]
        notes.add(where, number, f"the DAG file of a SUBDAG is not there (yet), such as {name!r}", len(missing))
    return list(found.values())


def _is_file(path: str) -> bool:
    try:
        return Path(path).is_file()
    except (OSError, ValueError):
        return False


def follow_subdags(document: Document, read: Callable[[str], Document], notes: Notes) -> Iterator[Document]:
    """Yield the documents of a DAG's SUBDAGs, and of theirs, nearest first; each file once, circles or not.

    `read` opens a file; what it raises is not caught.
    """
    seen = {os.path.realpath(document.source.path)}
    waiting = [document]
    while waiting:
        nearer, waiting = waiting, []
        for outer in nearer:
            for path in subdags(outer, notes):
                real = os.path.realpath(path)
                if real not in seen:
                    seen.add(real)
                    inner = read(path)
                    if isinstance(inner.details, Details):
                        waiting.append(inner)
                    yield inner
