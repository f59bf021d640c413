r"""Where the priorities of a Pegasus workflow in JSON go, and how they are found again.

JSON has no comments, and planners refuse keys that they do not know; but ``metadata`` of a job may hold any text. Ours:
``eligo.added`` lists what was added (``profiles``, or ``profiles.condor``, or ``profiles.condor.priority``, ...), and
``eligo.was.profiles.condor.priority`` has the text of a value in whose place ours stands. Members are added behind the
others of their object, set apart as the file does it. What the user puts into an object that we added is never lost:
the object then stays.

Where the dependencies that we add to a Pegasus workflow in JSON go, and how they are found again.

They are entries behind the others of ``jobDependencies``; a parent may have several entries. What is ours is listed
under a key of the whole file, ``x-eligo-limit``, which planners pass over there: ``added`` has the children of each
parent, and ``made`` what stood in the place of the list, ``null`` or nothing, where we made it. Ours are taken out by
whom they name, so that it does not matter what the user has put beside them since.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from eligo.formats._json_text import Member, Spacing, elements, items, members, removals
from eligo.formats._text_edits import Edit

__all__ = [
    "DEPENDENCY_MARK",
    "PRIORITY_MARK",
    "JsonJob",
    "added_dependencies",
    "jobs",
    "removed_dependencies",
    "removed_priorities",
]

PRIORITY_MARK = "eligo.added"
_WAS = "eligo.was."
_KEYS = {"condor": "priority", "dagman": "PRIORITY"}
_LEVELS = ("profiles", *(f"profiles.{name}" for name in _KEYS))
_LEAVES = frozenset(f"profiles.{name}.{key}" for name, key in _KEYS.items())


def jobs(text: str) -> Iterator[JsonJob]:
    """Yield the jobs of a workflow in which nothing is ours.

    Examples
    --------
    >>> [job.given for job in jobs('{"jobs": [{"id": "a"}, {"id": "b", "profiles": {"condor": {"Priority": 3}}}]}')]
    [None, 59]
    """
    spacing = Spacing(text)
    for _, start, end, value in items(text, ("jobs",)):
        yield JsonJob(text, spacing, start, end, value)


class JsonJob:
    """A job: where its user gave a priority, and the edits that add ours.

    Attributes
    ----------
    given
        Where the first priority stands that the file gives, ``None`` if it gives none.
    """

    def __init__(self, text: str, spacing: Spacing, start: int, end: int, value: Any) -> None:
        self._text = text
        self._spacing = spacing
        self._span = (start, end)
        self.given = min(_given(text, start, ""), default=None) if value.get("profiles") else None

    def added(self, priority: int) -> list[Edit]:
        """Return the edits that give the job this priority, replacing what the file gives.

        Examples
        --------
        >>> for edit in next(jobs('{"jobs": [{"id": "a", "profiles": {"condor": {}}, "metadata": {}}]}')).added(3):
        ...     print(edit)
        Edit(46, 46, '"priority": "3"')
        Edit(47, 47, ', "dagman": {"PRIORITY": "3"}')
        Edit(63, 63, '"eligo.added": "profiles.condor.priority profiles.dagman"')
        """
        added: list[str] = []
        was: dict[str, str] = {}
        tree = {"profiles": {name: {key: str(priority)} for name, key in _KEYS.items()}}
        edits = list(self._put(self._span, "", tree, added, was))
        list(self._put(self._span, "", {"metadata": {}}, added, was))  # the marks say whether their object is ours
        marks = {PRIORITY_MARK: " ".join(added), **{f"{_WAS}{path}": raw for path, raw in was.items()}}
        return edits + list(self._put(self._span, "", {"metadata": marks}, [], {}))

    def _put(
        self, span: tuple[int, int], path: str, tree: dict[str, Any], added: list[str], was: dict[str, str]
    ) -> Iterator[Edit]:
        """Yield the edits that put a tree into an object, and note what they add and what they replace."""
        start, end = span
        missing: dict[str, Any] = {}
        there = list(members(self._text, start))
        for key, value in tree.items():
            wanted = f"{path}{key}"
            same = [each for each in there if each.key == key or (wanted in _LEAVES and each.key.lower() == "priority")]
            if not same:
                missing[key] = value
                added.append(wanted)
            elif isinstance(value, dict) and isinstance(same[-1].value, dict):
                yield from self._put((same[-1].value_start, same[-1].end), f"{wanted}.", value, added, was)
            else:
                for each in same:
                    was[f"{path}{each.key}"] = self._text[each.value_start : each.end]
                    yield Edit(each.value_start, each.end, self._spacing.value(value))
        if missing:
            yield self._spacing.appended(self._text, start, end, missing)


def _given(text: str, start: int, path: str) -> Iterator[int]:
    """Yield where priorities stand below an object."""
    for each in members(text, start):
        if f"{path}{each.key}" in _LEVELS and isinstance(each.value, dict):
            yield from _given(text, each.value_start, f"{path}{each.key}.")
        elif path.count(".") > 1 and each.key.lower() == "priority" and each.value is not None:
            yield each.start


def removed_priorities(text: str) -> list[Edit]:
    """Return the edits that take ours out.

    Examples
    --------
    >>> text = '{"jobs": [{"id": "a", "profiles": {"condor": {}}, "metadata": {"eligo.added": "profiles metadata"}}]}'
    >>> removed_priorities(text)
    [Edit(20, 48, ''), Edit(48, 98, '')]
    """
    edits: list[Edit] = []
    for _, start, _, value in items(text, ("jobs",)):
        metadata = value.get("metadata")
        if isinstance(metadata, dict) and isinstance(metadata.get(PRIORITY_MARK), str):
            was = {key.removeprefix(_WAS): raw for key, raw in metadata.items() if key.startswith(_WAS)}
            edits += _taken(text, start, "", set(metadata[PRIORITY_MARK].split()), was)
    return edits


def _taken(text: str, start: int, path: str, added: set[str], was: dict[str, Any]) -> Iterator[Edit]:
    gone = []
    for each in members(text, start):
        name = f"{path}{each.key}"
        if isinstance(was.get(name), str):
            yield Edit(each.value_start, each.end, was[name])
        elif (name in added and _is_ours(name, each.value)) or name.startswith(
            ("metadata.eligo.added", f"metadata.{_WAS}")
        ):
            gone.append(each)
        elif isinstance(each.value, dict) and (name in _LEVELS or name == "metadata"):
            inner = {f"{name}.{key}" for key in each.value} if name in added else set()
            yield from _taken(text, each.value_start, f"{name}.", added | (inner & {*_LEVELS, *_LEAVES}), was)
    yield from removals(text, start, gone)


def _is_ours(name: str, value: Any) -> bool:
    """Tell whether there is nothing in an added value but what we put there."""
    if name == "metadata":
        return isinstance(value, dict) and all(key == PRIORITY_MARK or key.startswith(_WAS) for key in value)
    if name in _LEVELS and isinstance(value, dict):
        return all(_is_ours(f"{name}.{key}", inner) for key, inner in value.items())
    return name in _LEAVES


DEPENDENCY_MARK = "x-eligo-limit"
_KEY = "jobDependencies"


def added_dependencies(text: str, children: Mapping[str, Sequence[str]]) -> list[Edit]:
    """Return the edits that add children to parents.

    Examples
    --------
    >>> for edit in added_dependencies('{"jobDependencies": []}', {"a": ["b"]}):
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
        return [spacing.appended(text, start, end, {_KEY: entries, DEPENDENCY_MARK: mark | {"made": ""}})]
    if isinstance(old.value, list):
        longer = spacing.extended(text, old.value_start, old.end, entries)
        return [longer, spacing.appended(text, start, end, {DEPENDENCY_MARK: mark})]
    mark["made"] = text[old.value_start : old.end]
    new = Edit(old.value_start, old.end, spacing.value(entries))
    return [new, spacing.appended(text, start, end, {DEPENDENCY_MARK: mark})]


def removed_dependencies(text: str) -> tuple[list[Edit], dict[str, list[str]]]:
    """Return the edits that take ours out, and the children that are ours, of each parent.

    Examples
    --------
    >>> text = '{"jobDependencies": [{"id": "a", "children": ["b"]}], "x-eligo-limit": {"added": {"a": ["b"]}}}'
    >>> removed_dependencies(text)
    ([Edit(21, 51, ''), Edit(52, 94, '')], {'a': ['b']})
    """
    there = _members(text)
    mark = there.get(DEPENDENCY_MARK)
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
    added_dependencies = mark.get("added") if isinstance(mark, dict) else None
    rows = (
        [row for row in added_dependencies.items() if isinstance(row[1], list)]
        if isinstance(added_dependencies, dict)
        else []
    )
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
    return {each.key: each for each in _top(text) if each.key in (_KEY, DEPENDENCY_MARK)}


def _top(text: str) -> Iterator[Member]:
    return members(text, _object(text)[0])
