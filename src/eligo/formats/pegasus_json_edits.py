r"""Where the priorities of a Pegasus workflow in JSON go, and how they are found again.

JSON has no comments, and planners refuse keys that they do not know; but ``metadata`` of a job may hold any text. Ours:
``eligo.added`` lists what was added (``profiles``, or ``profiles.condor``, or ``profiles.condor.priority``, ...), and
``eligo.was.profiles.condor.priority`` has the text of a value in whose place ours stands. Members are added behind the
others of their object, set apart as the file does it. What the user puts into an object that we added is never lost:
the object then stays.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from eligo.formats.json_spans import Spacing, items, members, removals
from eligo.formats.text_edits import Edit

__all__ = ["MARK", "JsonJob", "jobs", "removed"]

MARK = "eligo.added"
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
        marks = {MARK: " ".join(added), **{f"{_WAS}{path}": raw for path, raw in was.items()}}
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


def removed(text: str) -> list[Edit]:
    """Return the edits that take ours out.

    Examples
    --------
    >>> removed('{"jobs": [{"id": "a", "profiles": {"condor": {}}, "metadata": {"eligo.added": "profiles metadata"}}]}')
    [Edit(20, 48, ''), Edit(48, 98, '')]
    """
    edits: list[Edit] = []
    for _, start, _, value in items(text, ("jobs",)):
        metadata = value.get("metadata")
        if isinstance(metadata, dict) and isinstance(metadata.get(MARK), str):
            was = {key.removeprefix(_WAS): raw for key, raw in metadata.items() if key.startswith(_WAS)}
            edits += _taken(text, start, "", set(metadata[MARK].split()), was)
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
        return isinstance(value, dict) and all(key == MARK or key.startswith(_WAS) for key in value)
    if name in _LEVELS and isinstance(value, dict):
        return all(_is_ours(f"{name}.{key}", inner) for key, inner in value.items())
    return name in _LEAVES
