r"""Where the priorities of a Pegasus workflow in YAML go, and how they are found again.

A key of our own would be the usual mark, but planners of Pegasus 5.0 refuse every key they do not know, even those
that begin with ``x-``. A comment is safe:

* in block style whole lines are added, each ending in ``# eligo``: behind the line of the job's id, or of the key in
  whose mapping they belong;
* in flow style members are added before the first one, with ``# eligo`` and a line break behind them;
* a value that ours replaces stands behind it: ``priority: "3" # eligo was 7``.

Marks are looked for only where ours can stand, by the positions of the parsed file, so that text which happens to look
alike, in a script say, is never touched. A line of ours under which the user has put something stays, without the mark.

Where the dependencies that we add to a Pegasus workflow in YAML go, and how they are found again.

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
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple
from urllib.parse import quote, unquote

import yaml

from eligo.formats._pegasus.writer import quoted_text
from eligo.formats._text_edits import Edit, line_break, line_removals
from eligo.formats._yaml_text import TopLevel, TopMember, Wanted, YamlMember, YamlNode, list_items, top_level

__all__ = [
    "DEPENDENCY_MARK",
    "PRIORITY_MARK",
    "NoListError",
    "NoPlaceError",
    "Taken",
    "YamlJob",
    "added_dependencies",
    "jobs",
    "removed_dependencies",
    "removed_priorities",
]

PRIORITY_MARK = "# eligo"
_PROFILES = {"condor": "priority", "dagman": "PRIORITY"}
_OURS = frozenset({"profiles", *_PROFILES, *_PROFILES.values()})
_JOB: Wanted = {"id": None, "profiles": {"condor": {"*": None}, "dagman": {"*": None}}}

_BREAK = r"(?:\r\n|[\r\n\x85\u2028\u2029])"
_REST_OF_LINE = re.compile(rf"(?:[ \t]++(?:#[^\r\n\x85\u2028\u2029]*+)?)?({_BREAK}|\Z)")
_COLON = re.compile(r"[ \t]*+:")
_OUR_LINE = re.compile(rf':(?: "[0-9]+")? # eligo({_BREAK}|\Z)')
_WAS = re.compile(r" # eligo was (\S*)")
_CONDOR, _DAGMAN = r'priority: "[0-9]+"', r'PRIORITY: "[0-9]+"'
_SPACES = rf"condor: \{{{_CONDOR}\}}, dagman: \{{{_DAGMAN}\}}"
_OURS_IN_FLOW = re.compile(
    rf"(?:profiles: \{{{_SPACES}\}}|{_SPACES}|condor: \{{{_CONDOR}\}}|dagman: \{{{_DAGMAN}\}}|{_CONDOR}|{_DAGMAN})"
    rf",? # eligo{_BREAK}"
)
_OUR_VALUE = re.compile(rf'"[0-9]+"|\{{(?:{_SPACES}|{_CONDOR}|{_DAGMAN})\}}')
_FLOW_BREAK = re.compile(rf"{_BREAK} ?")
_UNSAFE = re.compile(r"[%\s]")


class NoPlaceError(Exception):
    """A job has no place for a priority of its own; `at` says where that shows."""

    def __init__(self, at: int) -> None:
        super().__init__(at)
        self.at = at


def jobs(text: str) -> Iterator[YamlJob]:
    """Yield the jobs of a workflow in which nothing is ours.

    Examples
    --------
    >>> [job.given for job in jobs('jobs: [{id: a}, {id: b, profiles: {dagman: {Priority: 3}}}]')]
    [None, 44]
    """
    for node in list_items(text, "jobs", _JOB):
        yield YamlJob(text, node)


class YamlJob:
    """A job: where its user gave a priority, and the edits that add ours.

    Attributes
    ----------
    given
        Where the first priority stands that the file gives, ``None`` if it gives none.
    """

    def __init__(self, text: str, node: YamlNode) -> None:
        self._text = text
        self._node = node
        profiles = node.member("profiles")
        self._profiles = profiles.value if profiles else None
        self._spaces = {name: self._profiles.member(name) if self._profiles else None for name in _PROFILES}
        self._stated = {
            name: [member for member in space.value.members if member.key.lower() == "priority"]
            for name, space in self._spaces.items()
            if space and space.value
        }
        stated = [member for members in self._stated.values() for member in members]
        self.given = min((each.start for each in stated if each.value and each.value.kind != "null"), default=None)

    def added(self, priority: int) -> list[Edit]:
        r"""Return the edits that give the job this priority, replacing what the file gives.

        Raises
        ------
        NoPlaceError
            What would have to change is shared with other jobs, or written in no way we know.

        Examples
        --------
        >>> text = "jobs: [{id: a, profiles: {condor: {priority: 7}}}]"
        >>> for edit in next(jobs(text)).added(3):
        ...     print(edit)
        Edit(26, 26, 'dagman: {PRIORITY: "3"}, # eligo\n                          ')
        Edit(45, 46, '"3" # eligo was 7\n ')
        """
        spaces = [space.value for space in self._spaces.values() if space]
        for node in (self._node, self._profiles, *spaces):
            if node and node.named:  # a priority in it would be that of every job that refers to it
                raise NoPlaceError(node.start)
        tree: dict[str, _Tree] = {name: {key: f'"{priority}"'} for name, key in _PROFILES.items()}
        if self._profiles is None:
            return [self._insertion(self._node, None, {"profiles": tree})]
        if self._profiles.kind == "null":
            return [self._replacement(self._node, self._profiles, _flow(tree))]
        edits: list[Edit] = []
        for name, space in self._spaces.items():
            if space:
                edits += self._in_profile(name, space, tree.pop(name))
        if tree:
            edits.append(self._insertion(self._profiles, self._node.member("profiles"), tree))
        return sorted(edits)

    def _in_profile(self, name: str, space: YamlMember, tree: _Tree) -> Iterator[Edit]:
        """Yield the edits that set the priority in a profile that is there."""
        assert self._profiles
        assert space.value
        assert isinstance(tree, dict)
        if space.value.kind == "null":
            yield self._replacement(self._profiles, space.value, _flow(tree))
        elif self._stated[name]:
            for member in self._stated[name]:
                assert member.value
                yield self._replacement(space.value, member.value, *map(_flow, tree.values()))
        else:
            yield self._insertion(space.value, space, tree)

    def _insertion(self, node: YamlNode, holder: YamlMember | None, tree: dict[str, _Tree]) -> Edit:
        """Return the edit that adds members to a mapping, which is the value of `holder` or a job."""
        if node.kind not in ("block", "flow") or node.member("<<"):
            raise NoPlaceError(node.start)
        if node.kind == "flow":
            return self._in_flow(node, tree)
        lines = [f"{' ' * node.members[0].column}{line}" for line in _block(tree)]
        at, after = self._line_below(node, holder)
        if after:
            return Edit(at, at, "".join(f"{line}{after}" for line in lines))
        after = line_break(self._text)  # the file's last line does not end
        return Edit(at, at, "".join(f"{after}{line}" for line in lines))

    def _line_below(self, node: YamlNode, holder: YamlMember | None) -> tuple[int, str]:
        """Return where lines can be added to a mapping in block style, and what ends the line before."""
        found = None
        if holder:
            colon = _COLON.match(self._text, holder.end)
            found = colon and _REST_OF_LINE.match(self._text, colon.end())
        else:
            identity = node.member("id")
            value = identity.value if identity else None
            if value and value.kind == "scalar" and value.style not in ("|", ">"):
                found = _REST_OF_LINE.match(self._text, value.end)
        if found is None or _before(self._text, node.members[0].start) == "?":
            raise NoPlaceError(node.start)
        return found.end(), found[1]

    def _in_flow(self, node: YamlNode, tree: dict[str, _Tree]) -> Edit:
        after = line_break(self._text)
        members = _flow(tree)[1:-1]
        if not node.members:
            return Edit(node.inside, node.inside, f"{members} {PRIORITY_MARK}{after} ")
        first = node.members[0]
        return Edit(first.start, first.start, f"{members}, {PRIORITY_MARK}{after}{' ' * first.column}")

    def _replacement(self, holder: YamlNode, old: YamlNode, new: str) -> Edit:
        """Return the edit that puts a value in the place of another, which stays beside it."""
        raw = self._text[old.start : old.end]
        is_odd = old.kind == "other" or old.style in ("|", ">") or old.named
        if holder.kind == "block":
            is_odd |= _REST_OF_LINE.match(self._text, old.end) is None
        if is_odd or (not raw and _before(self._text, old.start) != ":"):
            raise NoPlaceError(old.start)
        packed = _UNSAFE.sub(lambda found: quote(found[0], safe=""), raw)
        after = f"{line_break(self._text)} " if holder.kind == "flow" else ""
        return Edit(old.start, old.end, f"{'' if raw else ' '}{new} {PRIORITY_MARK} was {packed}{after}")


_Tree = str | dict[str, "_Tree"]


def _flow(tree: _Tree) -> str:
    if isinstance(tree, str):
        return tree
    return "{" + ", ".join(f"{key}: {_flow(value)}" for key, value in tree.items()) + "}"


def _block(tree: dict[str, _Tree], indent: str = "") -> Iterator[str]:
    for key, value in tree.items():
        if isinstance(value, str):
            yield f"{indent}{key}: {value} {PRIORITY_MARK}"
        else:
            yield f"{indent}{key}: {PRIORITY_MARK}"
            yield from _block(value, indent + "  ")


def _before(text: str, at: int) -> str:
    """Return the last character before a place that is no blank."""
    while at and text[at - 1] in " \t":
        at -= 1
    return text[at - 1 : at]


def removed_priorities(text: str) -> list[Edit]:
    r"""Return the edits that take ours out.

    Examples
    --------
    >>> text = 'jobs:\n- id: a\n  profiles: # eligo\n    condor: # eligo\n      priority: "1" # eligo'
    >>> removed_priorities(text)
    [Edit(13, 34, ''), Edit(34, 54, ''), Edit(54, 81, '')]
    """
    taking = _Taking(text)
    for node in list_items(text, "jobs", _JOB):
        taking.out_of(node)
    return taking.edits()


class _Taking:
    """Collects the edits that take ours out of one text."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._edits: list[Edit] = []
        self._lines: list[tuple[int, int]] = []

    def edits(self) -> list[Edit]:
        """Return the edits."""
        return sorted([*self._edits, *line_removals(self._text, self._lines)])

    def out_of(self, node: YamlNode) -> bool:
        """Take ours out of a mapping; tell whether nothing is left of it."""
        members = self._flow_rest(node) if node.kind == "flow" else node.members
        left = [member for member in members if not self._member(node, member)]
        return not left

    def _flow_rest(self, node: YamlNode) -> list[YamlMember]:
        """Take out the members that were added to a mapping in flow style, and return the others."""
        found = _OURS_IN_FLOW.match(self._text, node.members[0].start) if node.members else None
        if found is None:
            return node.members
        rest = [member for member in node.members if member.start >= found.end()]
        end = found.end() + self._text.startswith(" ", found.end())
        if rest and not self._text[found.end() : rest[0].start].strip(" "):
            end = rest[0].start
        self._edits.append(Edit(node.members[0].start, end, ""))
        return rest

    def _member(self, holder: YamlNode, member: YamlMember) -> bool:
        """Take out a member if it is ours, else what is ours in it; tell whether it was."""
        value = member.value
        if member.key not in _OURS and member.key.lower() != "priority":
            return False
        if value and self._restored(holder, value):
            return False
        inside = value and value.kind in ("block", "flow") and self.out_of(value)
        line = _OUR_LINE.match(self._text, member.end)
        start = member.start - member.column
        if holder.kind == "flow" or line is None or self._text[start : member.start].strip(" "):
            return False
        if value and value.kind == "block" and not inside:
            self._edits.append(Edit(member.end + 1, member.end + 2 + len(PRIORITY_MARK), ""))
            return False
        self._lines.append((start, line.end()))
        return True

    def _restored(self, holder: YamlNode, value: YamlNode) -> bool:
        """Put the value back in whose place ours stands, if it does."""
        was = _WAS.match(self._text, value.end)
        if was is None or not _OUR_VALUE.fullmatch(self._text, value.start, value.end):
            return False
        end = was.end()
        if holder.kind == "flow":
            after = _FLOW_BREAK.match(self._text, end)
            end = after.end() if after else end
        self._edits.append(Edit(value.start - (not was[1]), end, unquote(was[1])))
        return True


DEPENDENCY_MARK = "# eligo limit"
_KEY = "jobDependencies"
_NULLS = frozenset({"", "~", "null", "Null", "NULL"})
_BREAKS = ("\r", "\n", "\x85", "\u2028", "\u2029")


_TEXT = r'(?:"(?:[^"\\]++|\\.)*"|[A-Za-z_/][A-Za-z0-9_./-]*+)'
_ENTRY = rf"\{{id: {_TEXT}, children: \[{_TEXT}(?:, {_TEXT})*\]\}}"
_OUR_ENTRY = re.compile(rf"{_ENTRY} {DEPENDENCY_MARK}({_BREAK}|\Z)")
_OUR_ENTRIES = re.compile(rf"{_ENTRY}(?:, {_ENTRY})*,? {DEPENDENCY_MARK}{_BREAK}")
_OUR_LIST = re.compile(rf"\[{_ENTRY}(?:, {_ENTRY})*\]")
_OUR_KEY = re.compile(rf": {DEPENDENCY_MARK}({_BREAK}|\Z)")
_OUR_MEMBER = re.compile(rf", {_KEY}: \[{_ENTRY}(?:, {_ENTRY})*\] {DEPENDENCY_MARK}{_BREAK} ?")
_BLOCK_SCALAR = re.compile(r"[ \t][|>][+0-9-]*+[ \t]*+(?:#[^\r\n]*+)?[\r\n]")
_WAS_DEPENDENCIES = re.compile(rf" {DEPENDENCY_MARK} was (\S*)({_BREAK} )?")


class NoListError(Exception):
    """The file has no place for entries of ours; `at` says where that shows."""

    def __init__(self, at: int) -> None:
        super().__init__(at)
        self.at = at


class Taken(NamedTuple):
    """The edits that take ours out, and the children that are ours, of each parent."""

    edits: list[Edit]
    children: dict[str, list[str]]


def added_dependencies(text: str, children: Mapping[str, Sequence[str]]) -> list[Edit]:
    r"""Return the edits that add children to parents, in a file in which no dependency is ours.

    Raises
    ------
    NoListError
        The list is shared, or written in no way we know.

    Examples
    --------
    >>> added_dependencies("jobs: [{id: a}, {id: b}]\n", {"a": ["b"]})
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
        new = f", {_KEY}: [{', '.join(entries)}] {DEPENDENCY_MARK}{line_break(text)} "
        return [Edit(jobs.end, jobs.end, new)]
    at = top.members[number + 1].start if number + 1 < len(names) else top.end
    indent = " " * jobs.column
    lines = [f"{indent}{_KEY}: {DEPENDENCY_MARK}", *(f"{indent}- {entry} {DEPENDENCY_MARK}" for entry in entries)]
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
        return _lines(text, value.start_mark.index, [f"{indent}- {entry} {DEPENDENCY_MARK}" for entry in entries])
    after = line_break(text)
    if not holder.items:
        at = value.end_mark.index
        return Edit(at, at, f"{', '.join(entries)} {DEPENDENCY_MARK}{after} ")
    mark = holder.items[0][0].start_mark
    return Edit(mark.index, mark.index, f"{', '.join(entries)}, {DEPENDENCY_MARK}{after}{' ' * mark.column}")


def _in_place_of_null(text: str, top: TopLevel, holder: TopMember, entries: list[str]) -> Edit:
    rest = _REST_OF_LINE.match(text, holder.end)
    raw = text[holder.value.start_mark.index : holder.end]
    if text[holder.key_end : holder.key_end + 1] != ":" or (rest is None and not top.is_flow):
        raise NoListError(holder.start)
    if rest and not raw and not top.is_flow:
        indent = " " * holder.column
        return _lines(text, rest.end(), [f"{indent}- {entry} {DEPENDENCY_MARK}" for entry in entries])
    after = f"{line_break(text)} " if top.is_flow else ""
    new = f"{'' if raw else ' '}[{', '.join(entries)}] {DEPENDENCY_MARK} was {raw}{after}"
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


def removed_dependencies(text: str) -> Taken:
    r"""Return the edits that take ours out, and what they state.

    Examples
    --------
    >>> text = "jobs: [{id: a}, {id: b}]\njobDependencies: # eligo limit\n- {id: a, children: [b]} # eligo limit\n"
    >>> removed_dependencies(text)
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
    was = _WAS_DEPENDENCIES.match(text, holder.end)
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
