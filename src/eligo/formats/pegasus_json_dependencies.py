r"""Where the dependencies that we add to a Pegasus workflow in JSON go, and how they are found again.

They are entries behind the others of ``jobDependencies``; a parent may have several entries. What is ours is listed
under a key of the whole file, ``x-eligo-limit``, which planners pass over there: ``added`` has the children of each
parent, and ``made`` what stood in the place of the list, ``null`` or nothing, where we made it. Ours are taken out by
whom they name, so that it does not matter what the user has put beside them since.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from eligo.formats.json_spans import Member, Spacing, elements, members, removals
from eligo.formats.text_edits import Edit

__all__ = ["MARK", "added", "removed"]

MARK = "x-eligo-limit"
_KEY = "jobDependencies"


def added(text: str, children: Mapping[str, Sequence[str]]) -> list[Edit]:
    """Return the edits that add children to parents.

    Examples
    --------
    >>> for edit in added('{"jobDependencies": []}', {"a": ["b"]}):
    ...     print(edit)
    Edit(21, 21, '{"id": "a", "children": ["b"]}')
    Edit(22, 22, ', "x-eligo-limit": {"added": {"a": ["b"]}}')
    """
    start, end = _object(text)
    spacing = Spacing(text)
    entries = [{"id": parent, "children": list(some)} for parent, some in children.items()]
    mark: dict[str, Any] = {"added": {parent: list(some) for parent, some in children.items()}}
    old = _members(text).get(_KEY)
    if old is None:
        return [spacing.appended(text, start, end, {_KEY: entries, MARK: mark | {"made": ""}})]
    if isinstance(old.value, list):
        longer = spacing.extended(text, old.value_start, old.end, entries)
        return [longer, spacing.appended(text, start, end, {MARK: mark})]
    mark["made"] = text[old.value_start : old.end]
    new = Edit(old.value_start, old.end, spacing.value(entries))
    return [new, spacing.appended(text, start, end, {MARK: mark})]


def removed(text: str) -> tuple[list[Edit], dict[str, list[str]]]:
    """Return the edits that take ours out, and the children that are ours, of each parent.

    Examples
    --------
    >>> removed('{"jobDependencies": [{"id": "a", "children": ["b"]}], "x-eligo-limit": {"added": {"a": ["b"]}}}')
    ([Edit(21, 51, ''), Edit(52, 94, '')], {'a': ['b']})
    """
    there = _members(text)
    mark = there.get(MARK)
    if mark is None:
        return [], {}
    gone, edits, found = [mark], list[Edit](), _Ours([], [], {})
    old = there.get(_KEY)
    if old is not None and isinstance(old.value, list):
        was = mark.value.get("made") if isinstance(mark.value, dict) else None
        found = _ours(text, old.value_start, _listed(mark.value))
        if not isinstance(was, str) or len(found.entries) < len(old.value):
            edits += [*found.edits, *removals(text, old.value_start, found.entries)]
        elif was:
            edits.append(Edit(old.value_start, old.end, was))
        else:
            gone.append(old)
    return sorted([*edits, *removals(text, _object(text)[0], gone)]), found.children


def _listed(mark: Any) -> Counter[tuple[str, str]]:
    """Return the pairs that are listed as ours, as far as the list is as we wrote it."""
    added = mark.get("added") if isinstance(mark, dict) else None
    rows = [row for row in added.items() if isinstance(row[1], list)] if isinstance(added, dict) else []
    return Counter((parent, child) for parent, some in rows for child in some if isinstance(child, str))


class _Ours(NamedTuple):
    """The entries that are ours altogether, the edits that take ours out of the others, and who is in both."""

    entries: list[Member]
    edits: list[Edit]
    children: dict[str, list[str]]


def _ours(text: str, start: int, left: Counter[tuple[str, str]]) -> _Ours:
    found = _Ours([], [], {})
    for entry in reversed(list(elements(text, start))):  # of equal ones the last, since ours come last
        parent = entry.value.get("id") if isinstance(entry.value, dict) else None
        if not isinstance(parent, str) or not isinstance(entry.value.get("children"), list):
            continue
        holder = next(each for each in members(text, entry.start) if each.key == "children")
        ours = []
        for child in reversed(list(elements(text, holder.value_start))):
            if isinstance(child.value, str) and left[parent, child.value]:
                left[parent, child.value] -= 1
                ours.append(child)
        if ours:
            found.children.setdefault(parent, []).extend(child.value for child in ours)
        if ours and len(ours) == len(holder.value) and entry.value.keys() == {"id", "children"}:
            found.entries.append(entry)
        else:
            found.edits.extend(removals(text, holder.value_start, ours))
    return found


def _object(text: str) -> tuple[int, int]:
    return len(text) - len(text.lstrip()), len(text.rstrip())


def _members(text: str) -> dict[str, Member]:
    """Return the members of the whole file that matter, the last of each key."""
    return {each.key: each for each in _top(text) if each.key in (_KEY, MARK)}


def _top(text: str) -> Iterator[Member]:
    return members(text, _object(text)[0])
