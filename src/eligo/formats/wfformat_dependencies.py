r"""Dependencies in WfFormat: each in the ``parents`` of one task and in the ``children`` of the other, as ever.

Beside them, as the first member of either task, stands ``addedByEligo``, which lists what of it is ours, and under
``made`` the lists that we made: what stood in their place, ``null`` or nothing. Lists of the user's are only made
longer. So ours can be taken out by whom they name, wherever the user or another program has moved them since.

A task is referred to as the file's other tasks do it: by its id since 1.5, by its name before, or by its id where
several have that name.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Any

from eligo.dag import Int32
from eligo.errors import EligoError
from eligo.formats.base import Document
from eligo.formats.instrumenting import Instrumented
from eligo.formats.json_spans import Member, Path, Spacing, elements, is_object, items, member, members, removals
from eligo.formats.quantity import shown
from eligo.formats.storage import Source
from eligo.formats.text_edits import Edit, rewrite
from eligo.formats.wfformat import ADDED, WfDetails, unique_names

__all__ = ["add", "original"]

_SPECIFICATION: Path = ("workflow", "specification", "tasks")
_PATHS: tuple[Path, ...] = (_SPECIFICATION, ("workflow", "tasks"), ("workflow", "jobs"))
_KEYS = ("parents", "children")
_ONLY_OURS = "the file declares no dependencies itself: programs that do not infer them from files now see ours only"


def add(document: Document, tails: Int32, heads: Int32) -> Instrumented:
    """Return the file, which has none of ours, with dependencies.

    Examples
    --------
    >>> import numpy as np
    >>> from eligo.formats.wfformat import parse
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
            edits += _added(text, spacing, (start, end), task, wanted[job])
    only_ours = document.dag.m > 0 and not any(task.get(key) for task in _tasks(details) for key in _KEYS)
    warnings = (f"{source.path}: {_ONLY_OURS}",) if only_ours else ()
    return Instrumented(rewrite(source, edits), written=len(tails), warnings=warnings)


def original(source: Source) -> tuple[Source, tuple[str, ...]]:
    """Return the file without our dependencies.

    Examples
    --------
    >>> task = b'{"addedByEligo": {"parents": ["a"]}, "name": "b", "parents": ["a"]}'
    >>> original(Source("w.json", b'{"workflow": {"tasks": [' + task + b"]}}"))[0].data
    b'{"workflow": {"tasks": [{"name": "b", "parents": []}]}}'
    """
    text = source.text()
    if ADDED not in text or not is_object(text):
        return source, ()
    edits: list[Edit] = []
    for _, start, _, task in items(text, *_PATHS):
        if isinstance(task, dict) and isinstance(task.get(ADDED), dict):
            edits += _removed(text, start)
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


def _added(
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


def _removed(text: str, start: int) -> Iterator[Edit]:
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
