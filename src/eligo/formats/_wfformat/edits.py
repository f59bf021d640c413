r"""Priorities in WfFormat: ``priority``, a number, where each version's schema has it.

Up to 1.4 that is the task itself; since 1.5 it is the task's entry in ``workflow.execution.tasks``, or, for a task that
has none there, its entry in ``workflow.specification.tasks``, which the schema permits. Beside each priority of ours
stands ``priorityBeforeEligo``: null, or the text of the value in whose place ours stands. Both keys are at the end of
the object, or right behind the old priority, set apart like the file's other members; nothing else changes.

Dependencies in WfFormat: each in the ``parents`` of one task and in the ``children`` of the other, as ever.

Beside them, as the first member of either task, stands ``addedByEligo``, which lists what of it is ours, and under
``made`` the lists that we made: what stood in their place, ``null`` or nothing. Lists of the user's are only made
longer. So ours can be taken out by whom they name, wherever the user or another program has moved them since.

A task is referred to as the file's other tasks do it: by its id since 1.5, by its name before, or by its id where
several have that name.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Any, NamedTuple

from eligo.dag import Int32
from eligo.errors import EligoError
from eligo.formats._base import Document, Notes
from eligo.formats._editing import KEPT, Instrumented, Wish
from eligo.formats._json_text import Member, Path, Spacing, elements, is_object, items, member, members, removals
from eligo.formats._numbers import shown
from eligo.formats._source import Source
from eligo.formats._text_edits import Edit, rewrite
from eligo.formats._wfformat.reader import ADDED, WfDetails, unique_names

__all__ = [
    "add",
    "instrument",
    "uninstrument",
    "without_dependencies",
]

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
    >>> from eligo.formats._wfformat.reader import parse
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
    >>> from eligo.formats._wfformat.reader import parse
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


_SPECIFICATION: Path = ("workflow", "specification", "tasks")
_PATHS: tuple[Path, ...] = (_SPECIFICATION, ("workflow", "tasks"), ("workflow", "jobs"))
_KEYS = ("parents", "children")
_ONLY_OURS = "the file declares no dependencies itself: programs that do not infer them from files now see ours only"


def add(document: Document, tails: Int32, heads: Int32) -> Instrumented:
    """Return the file, which has none of ours, with dependencies.

    Examples
    --------
    >>> import numpy as np
    >>> from eligo.formats._wfformat.reader import parse
    >>> text = b'{"workflow": {"tasks": [{"name": "a"}, {"name": "b", "parents": []}]}}'
    >>> document = parse(Source("w.json", text), None)
    >>> tasks = add(document, np.array([0], np.int32), np.array([1], np.int32)).data[24:-2].decode().split("}, {")
    >>> tasks[0]
    '{"addedByEligo": {"children": ["b"], "made": {"children": ""}}, "children": ["b"], "name": "a"'
    >>> tasks[1]
    '"addedByEligo": {"parents": ["a"]}, "name": "b", "parents": ["a"]}]'
    """
    source, details = document.source, document.details
    text = source.text()
    spacing = Spacing(text)
    references = _References(document)
    wanted: dict[int, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for tail, head in zip(tails.tolist(), heads.tolist(), strict=True):
        wanted[head]["parents"].append(references[tail])
        wanted[tail]["children"].append(references[head])
    edits: list[Edit] = []
    tasks = items(text, _path(details))
    for job, (_, start, end, task) in enumerate(tasks):
        if job in wanted:
            edits += _added_dependencies(text, spacing, (start, end), task, wanted[job])
    only_ours = document.dag.m > 0 and not any(task.get(key) for task in _tasks(details) for key in _KEYS)
    warnings = (f"{source.path}: {_ONLY_OURS}",) if only_ours else ()
    return Instrumented(rewrite(source, edits), written=len(tails), warnings=warnings)


def without_dependencies(source: Source) -> tuple[Source, tuple[str, ...]]:
    """Return the file without our dependencies.

    Examples
    --------
    >>> task = b'{"addedByEligo": {"parents": ["a"]}, "name": "b", "parents": ["a"]}'
    >>> without_dependencies(Source("w.json", b'{"workflow": {"tasks": [' + task + b"]}}"))[0].data
    b'{"workflow": {"tasks": [{"name": "b", "parents": []}]}}'
    """
    text = source.text()
    if ADDED not in text or not is_object(text):
        return source, ()
    edits: list[Edit] = []
    for _, start, _, task in items(text, *_PATHS):
        if isinstance(task, dict) and isinstance(task.get(ADDED), dict):
            edits += _removed_dependencies(text, start)
    return Source(source.path, rewrite(source, edits)), ()


def _path(details: WfDetails) -> Path:
    workflow = details.tree["workflow"]
    return _SPECIFICATION if "specification" in workflow else ("workflow", "tasks" if "tasks" in workflow else "jobs")


def _tasks(details: WfDetails) -> list[dict[str, Any]]:
    value: Any = details.tree
    for key in _path(details):
        value = value[key]
    tasks: list[dict[str, Any]] = value or []
    return tasks


class _References:
    """By what text each task can be referred to, looked up as the reader does."""

    def __init__(self, document: Document) -> None:
        details = document.details
        self._document = document
        self._names = details.ids
        others = [task.get("name" if _path(details) == _SPECIFICATION else "id") for task in _tasks(details)]
        self._others = [str(other) if isinstance(other, (str, int)) else "" for other in others]
        self._first, self._second = unique_names(self._names), unique_names(self._others)

    def __getitem__(self, job: int) -> str:
        for text in (self._names[job], self._others[job]):
            if self._first.get(text, self._second.get(text)) == job:
                return text
        raise EligoError(
            f"{self._document.source.path}: {shown(self._names[job])} has no name or id of its own to refer to it by",
            hint="give it an id of its own",
        )


def _added_dependencies(
    text: str, spacing: Spacing, span: tuple[int, int], task: dict[str, Any], wanted: dict[str, list[str]]
) -> Iterator[Edit]:
    """Yield the edits that add to the lists of one task."""
    front: dict[str, Any] = {}
    made: dict[str, str] = {}
    for key in _KEYS:
        if key not in wanted:
            continue
        if key not in task:
            front[key], made[key] = wanted[key], ""
            continue
        old = member(text, *span, key)
        assert old is not None
        if isinstance(old.value, list):
            yield spacing.extended(text, old.value_start, old.end, wanted[key])
        else:
            made[key] = text[old.value_start : old.end]
            yield Edit(old.value_start, old.end, spacing.value(wanted[key]))
    mark: dict[str, Any] = {**wanted, "made": made} if made else {**wanted}
    yield spacing.prepended(text, span[0], {ADDED: mark, **front})


def _removed_dependencies(text: str, start: int) -> Iterator[Edit]:
    """Yield the edits that take ours out of one task, in which a key that matters stands once."""
    there = {each.key: each for each in members(text, start)}
    mark = there[ADDED]
    made = mark.value.get("made")
    gone = [mark]
    for key in _KEYS:
        listed, holder = mark.value.get(key), there.get(key)
        if holder is None or not isinstance(holder.value, list) or not isinstance(listed, list):
            continue
        was = made.get(key) if isinstance(made, dict) else None
        ours = _ours(text, holder.value_start, listed)
        if not isinstance(was, str) or len(ours) < len(holder.value):
            yield from removals(text, holder.value_start, ours)
        elif was:
            yield Edit(holder.value_start, holder.end, was)
        else:
            gone.append(holder)
    yield from removals(text, start, gone)


def _ours(text: str, start: int, listed: list[Any]) -> list[Member]:
    """Return the elements of a list that are ours: of equal ones the last, since ours come last."""
    left = Counter(each for each in listed if isinstance(each, str))
    ours = []
    for element in reversed(list(elements(text, start))):
        if isinstance(element.value, str) and left[element.value]:
            left[element.value] -= 1
            ours.append(element)
    return ours
