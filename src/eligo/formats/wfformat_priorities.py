r"""Priorities in WfFormat: ``priority``, a number, where each version's schema has it.

Up to 1.4 that is the task itself; since 1.5 it is the task's entry in ``workflow.execution.tasks``, or, for a task that
has none there, its entry in ``workflow.specification.tasks``, which the schema permits. Beside each priority of ours
stands ``priorityBeforeEligo``: null, or the text of the value in whose place ours stands. Both keys are at the end of
the object, or right behind the old priority, set apart like the file's other members; nothing else changes.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from eligo.dag import Int32
from eligo.formats.base import Document, Notes
from eligo.formats.instrumenting import KEPT, Instrumented, Wish
from eligo.formats.json_spans import Path, Spacing, items, member, removals
from eligo.formats.storage import Source
from eligo.formats.text_edits import Edit, rewrite
from eligo.formats.wfformat import WfDetails

__all__ = ["instrument", "uninstrument"]

_KEY = "priority"
_MARK = "priorityBeforeEligo"


class _Entry(NamedTuple):
    """An object that holds a priority, or may: where it stands, whether it has the key and whether with a value."""

    start: int
    end: int
    has_key: bool
    is_given: bool


def instrument(document: Document, priorities: Int32, wish: Wish) -> Instrumented:
    """Return the file with a priority for each task.

    Examples
    --------
    >>> from eligo.formats.wfformat import parse
    >>> text = b'{"workflow": {"tasks": [{"name": "a"}, {"name": "b", "priority": 7}]}}'
    >>> document = parse(Source("w.json", text), None)
    >>> result = instrument(document, document.dag.order + 1, Wish())
    >>> print(result.data.decode())
    {"workflow": {"tasks": [{"name": "a", "priority": 1, "priorityBeforeEligo": null}, {"name": "b", "priority": 7}]}}
    >>> result.written, result.kept
    (1, 1)
    >>> result.warnings
    ('w.json:1: a priority that the file gives is kept: --replace puts ours in its place',)
    """
    source = Source(document.source.path, uninstrument(document).data)
    if document.dag.n == 0:
        return Instrumented(source.data)
    text = source.text()
    spacing, notes = Spacing(text), Notes()
    edits: list[Edit] = []
    kept = 0
    entries = _entries(text, document.details)
    for entry, priority in zip(entries, priorities.tolist(), strict=True):
        if entry.is_given and not wish.replace:
            kept += 1
            line = None if kept > 1 else _line(text, entry)
            notes.add(source.path, line, KEPT)
        else:
            edits.append(_added(text, entry, spacing, priority))
    return Instrumented(rewrite(source, edits), written=len(entries) - kept, kept=kept, warnings=notes.texts())


def uninstrument(document: Document) -> Instrumented:
    """Return the file without our priorities, those back that they replaced.

    Examples
    --------
    >>> from eligo.formats.wfformat import parse
    >>> text = b'{"workflow":{"jobs":[{"name":"a","priority":1,"priorityBeforeEligo":"7.0"}]}}'
    >>> uninstrument(parse(Source("w.json", text), None)).data
    b'{"workflow":{"jobs":[{"name":"a","priority":7.0}]}}'
    """
    source = document.source
    text = source.text()
    edits: list[Edit] = []
    if _MARK in text:
        for _, start, end, value in items(text, *_paths(document.details)):
            if isinstance(value, dict) and _MARK in value:
                edits += _removed(text, start, end, has_key=_KEY in value)
    return Instrumented(rewrite(source, edits))


def _paths(details: WfDetails) -> list[Path]:
    """Return where the tasks stand, those of the specification before those of the execution."""
    workflow = details.tree["workflow"]
    if "specification" in workflow:
        return [("workflow", "specification", "tasks"), ("workflow", "execution", "tasks")]
    return [("workflow", "tasks" if "tasks" in workflow else "jobs")]


def _entries(text: str, details: WfDetails) -> list[_Entry]:
    """Return of each job the object that is to hold its priority."""
    paths = _paths(details)
    number = {identity: job for job, identity in enumerate(details.ids)}
    tasks: list[_Entry] = []
    executed: dict[int, _Entry] = {}
    for path, start, end, value in items(text, *paths):
        entry = _Entry(start, end, _KEY in value, value.get(_KEY) is not None)
        if path == paths[0]:
            tasks.append(entry)
        elif (job := number.pop(str(value.get("id")), None)) is not None:  # the first of an id counts, as in reading
            executed[job] = entry
    return [executed.get(job, task) for job, task in enumerate(tasks)]


def _line(text: str, entry: _Entry) -> int:
    found = member(text, entry.start, entry.end, _KEY)
    return text.count("\n", 0, found.start if found else entry.start) + 1


def _added(text: str, entry: _Entry, spacing: Spacing, priority: int) -> Edit:
    if not entry.has_key:
        return spacing.appended(text, entry.start, entry.end, {_KEY: priority, _MARK: None})
    old = member(text, entry.start, entry.end, _KEY)
    assert old is not None
    mark = spacing.member(text, entry.start, _MARK, text[old.value_start : old.end])
    return Edit(old.value_start, old.end, str(priority) + mark)


def _removed(text: str, start: int, end: int, *, has_key: bool) -> Iterator[Edit]:
    mark = member(text, start, end, _MARK)
    ours = member(text, start, end, _KEY) if has_key else None
    assert mark is not None
    if ours is not None and isinstance(mark.value, str):
        yield Edit(ours.value_start, ours.end, mark.value)
        ours = None
    yield from removals(text, start, filter(None, (ours, mark)))
