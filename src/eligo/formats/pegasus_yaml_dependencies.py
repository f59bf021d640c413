r"""Where the dependencies that we add to a Pegasus workflow in YAML go, and how they are found again.

They are entries of ``jobDependencies``, before the user's own; a parent may have several entries. In block style each
is a line, and ends in a comment of ours; in flow style all are on one line::

    jobDependencies:                          jobDependencies: [{id: a, children: [b, c]}, # eligo limit
    - {id: a, children: [b, c]} # eligo limit                   {id: b, children: [d]}]
    - id: b
      children: [d]

Where there is no ``jobDependencies``, it is made, its line marked too, behind the jobs: planners want them first. A
null in its place gives way to ours and stands behind them: ``# eligo limit was ~``.

Marks are looked for only where ours can stand, by the positions of the parsed file. What the user adds to a list that
we made is never lost: the list then stays, without the mark.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import yaml

from eligo.formats.pegasus_text import quoted_text
from eligo.formats.text_edits import Edit, line_break, line_removals
from eligo.formats.yaml_spans import TopLevel, TopMember, top_level

__all__ = ["MARK", "NoListError", "Taken", "added", "removed"]

MARK = "# eligo limit"
_KEY = "jobDependencies"
_NULLS = frozenset({"", "~", "null", "Null", "NULL"})
_BREAKS = ("\r", "\n", "\x85", "\u2028", "\u2029")
_BREAK = r"(?:\r\n|[\r\n\x85\u2028\u2029])"
_REST_OF_LINE = re.compile(rf"(?:[ \t]++(?:#[^\r\n\x85\u2028\u2029]*+)?)?({_BREAK}|\Z)")
_TEXT = r'(?:"(?:[^"\\]++|\\.)*"|[A-Za-z_/][A-Za-z0-9_./-]*+)'
_ENTRY = rf"\{{id: {_TEXT}, children: \[{_TEXT}(?:, {_TEXT})*\]\}}"
_OUR_ENTRY = re.compile(rf"{_ENTRY} {MARK}({_BREAK}|\Z)")
_OUR_ENTRIES = re.compile(rf"{_ENTRY}(?:, {_ENTRY})*,? {MARK}{_BREAK}")
_OUR_LIST = re.compile(rf"\[{_ENTRY}(?:, {_ENTRY})*\]")
_OUR_KEY = re.compile(rf": {MARK}({_BREAK}|\Z)")
_OUR_MEMBER = re.compile(rf", {_KEY}: \[{_ENTRY}(?:, {_ENTRY})*\] {MARK}{_BREAK} ?")
_BLOCK_SCALAR = re.compile(r"[ \t][|>][+0-9-]*+[ \t]*+(?:#[^\r\n]*+)?[\r\n]")
_WAS = re.compile(rf" {MARK} was (\S*)({_BREAK} )?")


class NoListError(Exception):
    """The file has no place for entries of ours; `at` says where that shows."""

    def __init__(self, at: int) -> None:
        super().__init__(at)
        self.at = at


class Taken(NamedTuple):
    """The edits that take ours out, and the children that are ours, of each parent."""

    edits: list[Edit]
    children: dict[str, list[str]]


def added(text: str, children: Mapping[str, Sequence[str]]) -> list[Edit]:
    r"""Return the edits that add children to parents, in a file in which no dependency is ours.

    Raises
    ------
    NoListError
        The list is shared, or written in no way we know.

    Examples
    --------
    >>> added("jobs: [{id: a}, {id: b}]\n", {"a": ["b"]})
    [Edit(25, 25, 'jobDependencies: # eligo limit\n- {id: a, children: [b]} # eligo limit\n')]
    """
    entries = [
        f"{{id: {quoted_text(parent)}, children: [{', '.join(map(quoted_text, some))}]}}"
        for parent, some in children.items()
    ]
    top = top_level(text, _KEY)
    names = [member.name for member in top.members]
    if _KEY in names:
        return [_in_list(text, top, top.members[names.index(_KEY)], entries)]
    number = names.index("jobs")
    jobs = top.members[number]
    if top.is_flow:
        new = f", {_KEY}: [{', '.join(entries)}] {MARK}{line_break(text)} "
        return [Edit(jobs.end, jobs.end, new)]
    at = top.members[number + 1].start if number + 1 < len(names) else top.end
    indent = " " * jobs.column
    lines = [f"{indent}{_KEY}: {MARK}", *(f"{indent}- {entry} {MARK}" for entry in entries)]
    return [_lines(text, at, lines)]


def _in_list(text: str, top: TopLevel, holder: TopMember, entries: list[str]) -> Edit:
    """Return the edit that adds entries to the list that is there, or is null."""
    value, kind = holder.value, type(holder.value)
    if getattr(value, "anchor", None) is not None or getattr(value, "tag", None) is not None:
        raise NoListError(holder.start)
    if kind is yaml.ScalarEvent and not value.style and value.value in _NULLS:
        return _in_place_of_null(text, top, holder, entries)
    if kind is not yaml.SequenceStartEvent:
        raise NoListError(holder.start)
    if not value.flow_style:
        indent = " " * value.start_mark.column
        return _lines(text, value.start_mark.index, [f"{indent}- {entry} {MARK}" for entry in entries])
    after = line_break(text)
    if not holder.items:
        at = value.end_mark.index
        return Edit(at, at, f"{', '.join(entries)} {MARK}{after} ")
    mark = holder.items[0][0].start_mark
    return Edit(mark.index, mark.index, f"{', '.join(entries)}, {MARK}{after}{' ' * mark.column}")


def _in_place_of_null(text: str, top: TopLevel, holder: TopMember, entries: list[str]) -> Edit:
    rest = _REST_OF_LINE.match(text, holder.end)
    raw = text[holder.value.start_mark.index : holder.end]
    if text[holder.key_end : holder.key_end + 1] != ":" or (rest is None and not top.is_flow):
        raise NoListError(holder.start)
    if rest and not raw and not top.is_flow:
        indent = " " * holder.column
        return _lines(text, rest.end(), [f"{indent}- {entry} {MARK}" for entry in entries])
    after = f"{line_break(text)} " if top.is_flow else ""
    new = f"{'' if raw else ' '}[{', '.join(entries)}] {MARK} was {raw}{after}"
    return Edit(holder.end - len(raw), holder.end, new)


def _lines(text: str, at: int, lines: list[str]) -> Edit:
    """Return the edit that adds lines before the one that `at` is in, or after the last where that does not end."""
    after = line_break(text)
    if at == len(text) and text[-1:] not in _BREAKS:
        if _BLOCK_SCALAR.search(text):  # perhaps one that the text ends in, of which a line break would become part
            raise NoListError(at)
        return Edit(at, at, "".join(f"{after}{line}" for line in lines))
    at = _line_start(text, at)
    return Edit(at, at, "".join(f"{line}{after}" for line in lines))


def _line_start(text: str, at: int) -> int:
    """Return where the line begins on which something stands that only blanks come before."""
    start = at
    while start and text[start - 1] == " ":
        start -= 1
    if start and text[start - 1] not in _BREAKS:
        raise NoListError(at)
    return start


def removed(text: str) -> Taken:
    r"""Return the edits that take ours out, and what they state.

    Examples
    --------
    >>> removed("jobs: [{id: a}, {id: b}]\njobDependencies: # eligo limit\n- {id: a, children: [b]} # eligo limit\n")
    Taken(edits=[Edit(25, 56, ''), Edit(56, 95, '')], children={'a': ['b']})
    """
    top = top_level(text, _KEY)
    number = next((number for number, member in enumerate(top.members) if member.name == _KEY), None)
    if number is None or not isinstance(top.members[number].value, yaml.SequenceStartEvent):
        return Taken([], {})
    holder = top.members[number]
    if holder.value.flow_style:
        before = top.members[number - 1].end if number else 0
        return _out_of_flow(text, holder, before, is_flow=top.is_flow)
    ours = [_our_line(text, event.start_mark.index) for event, _ in holder.items]
    lines = [line for line in ours if line is not None]
    edits: list[Edit] = []
    key = _OUR_KEY.match(text, holder.key_end)
    if key and len(lines) < len(ours):
        edits.append(Edit(holder.key_end + 1, key.start(1), ""))
    elif key:
        lines.append((_line_start(text, holder.start), key.end()))
    taken = [texts for (_, texts), line in zip(holder.items, ours, strict=True) if line is not None]
    return Taken(sorted([*edits, *line_removals(text, lines)]), _children(taken))


def _our_line(text: str, at: int) -> tuple[int, int] | None:
    """Return the line of an entry, which begins at `at`, if it is ours."""
    found = _OUR_ENTRY.match(text, at)
    if found is None or text[at - 2 : at] != "- ":
        return None
    try:
        return _line_start(text, at - 2), found.end()
    except NoListError:
        return None


def _out_of_flow(text: str, holder: TopMember, before: int, *, is_flow: bool) -> Taken:
    was = _WAS.match(text, holder.end)
    start = holder.value.start_mark.index
    texts = [each for _, each in holder.items]
    if was and _OUR_LIST.fullmatch(text, start, holder.end):
        end = was.end() if is_flow else was.end(1)
        return Taken([Edit(start - (not was[1]), end, was[1])], _children(texts))
    member = _OUR_MEMBER.match(text, before) if is_flow else None
    if member and member.end() > holder.end:
        return Taken([Edit(before, member.end(), "")], _children(texts))
    starts = [event.start_mark.index for event, _ in holder.items]
    found = _OUR_ENTRIES.match(text, starts[0]) if starts else None
    if found is None:
        return Taken([], {})
    end = found.end() + text.startswith(" ", found.end())
    count = bisect_left(starts, found.end())
    if count < len(starts) and not text[found.end() : starts[count]].strip(" "):
        end = starts[count]
    return Taken([Edit(found.start(), end, "")], _children(texts[:count]))


def _children(entries: Sequence[Sequence[str]]) -> dict[str, list[str]]:
    """Return what entries of ours state: the texts of each are a key, the parent, a key and the children."""
    stated: dict[str, list[str]] = {}
    for _, parent, _, *children in entries:
        stated.setdefault(parent, []).extend(children)
    return stated
