"""Every reading that a workflow file lists, also those that its dag leaves out, and the files it wants to have kept.

The dag knows who reads a file only where the reader depends on who makes it. A file may list more readings (a job reads
what some job makes that it does not wait for); they are no reason to wait, but one not to delete the file before. And
Pegasus says of an output whether it is a result that is to be staged out, though other jobs read it as well.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from eligo.formats.base import Document

__all__ = ["listed_readings", "wanted_files"]


def listed_readings(document: Document) -> Iterator[tuple[int, str]]:
    """Yield each job and file that it is said to read.

    Examples
    --------
    >>> from eligo.formats.storage import Source
    >>> from eligo.formats.wfformat import parse
    >>> text = b'{"workflow": {"jobs": [{"name": "a", "files": [{"name": "f", "link": "input"}]}]}}'
    >>> list(listed_readings(parse(Source("x.json", text), None)))
    [(0, 'f')]
    """
    if document.format == "wfformat":
        yield from _wfformat_readings(document.details.tree["workflow"])
    for job, use in _uses(document):
        if use.get("type") in ("input", "inout"):
            yield job, str(use.get("lfn"))


def wanted_files(document: Document) -> set[str]:
    """Return the names of files that the workflow wants to have at the end."""
    return {
        str(use.get("lfn"))
        for _, use in _uses(document)
        if use.get("type") in ("output", "inout") and str(use.get("stageOut")).lower() == "true"
    }


def _uses(document: Document) -> Iterator[tuple[int, Any]]:
    """Yield the uses of files of a Pegasus workflow, in whichever form."""
    if document.format == "pegasus":
        tree = document.details.tree
    elif document.format == "dax":
        from eligo.engines.tasks.dax import tree_of

        tree = tree_of(document.source)
    else:
        return
    for number, job in enumerate(tree.get("jobs") or ()):
        for use in job.get("uses") or ():
            yield number, use


def _wfformat_readings(workflow: dict[str, Any]) -> Iterator[tuple[int, str]]:
    if "specification" in workflow:
        for number, task in enumerate(workflow["specification"]["tasks"]):
            for name in task.get("inputFiles") or ():
                yield number, str(name)
        return
    for number, task in enumerate(workflow["tasks" if "tasks" in workflow else "jobs"]):
        for file in task.get("files") or ():
            if file.get("link") in ("input", "inout"):
                name = str(file.get("name", file.get("id")))
                yield number, f"{file['path']}/{name}" if file.get("path") and not name.startswith("/") else name
