r"""YAML from strangers, as plain text in lists and mappings that know their lines.

Problem: a YAML loader builds nodes recursively (deep nesting overruns the C stack), shares aliased parts (a page of
aliases stands for billions of values), guesses types (the id ``1e3`` becomes 1000.0, the country ``no`` false), and
forgets positions.

Idea: take only the events of libyaml's parser, which keeps its own stack, and build the tree here, with a bound on
depth and on what aliases stand for. Scalars stay the text that was written; only an empty or ``null`` plain scalar is
``None``. Numbers are made by those who know which fields hold numbers.

Cost: linear in the file; a document is given up as soon as a bound is passed.

Where a few mappings of a large YAML file stand in its text.

PyYAML's tree forgets positions, and its composed nodes cost memory for every value. So this walks libyaml's events, as
the reader does, keeps the mappings that a path of keys leads to, with the places of their members, and skips the rest.
Positions count characters of the text. The text must be YAML that the reader has accepted before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import yaml

from eligo.errors import ParseError
from eligo.formats._base import YamlList, YamlMapping
from eligo.formats._source import Source

__all__ = [
    "TopLevel",
    "TopMember",
    "Wanted",
    "YamlMember",
    "YamlNode",
    "list_items",
    "load_yaml",
    "top_level",
]

_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_NULLS = frozenset({"", "~", "null", "Null", "NULL"})
_DEEPEST = 100
_MOST_ALIASED = 5_000_000
_MOST_DIRECTIVES = 100  # libyaml compares each with all before it


def load_yaml(source: Source) -> tuple[Any, dict[str, int]]:
    r"""Return the document, and of each key that stood twice in one mapping the line where it did first.

    Raises
    ------
    ParseError
        It is not YAML, not one document, too deep, or its aliases stand for too much.

    Examples
    --------
    >>> tree, repeated = load_yaml(Source("a.yml", b"jobs:\n- id: 1e3\n  id: no\n"))
    >>> tree, tree["jobs"][0].line, repeated
    ({'jobs': [{'id': 'no'}]}, 2, {'id': 3})
    """
    text = source.text()
    if text.count("\n%") > _MOST_DIRECTIVES:
        raise source.error(source.line_of("\n%") + 1, "too many directives", hint="a workflow needs no % lines")
    builder = _Builder(source)
    try:
        for event in yaml.parse(text, Loader=_Loader):
            builder.take(event)
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        raise source.error(line, f"character {error.character!r} is not allowed in YAML", hint="remove it") from None
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = 1 if mark is None else min(mark.line, text.rstrip().count("\n")) + 1  # never beyond the end
        raise source.error(line, f"not YAML: {error.problem}", hint="check the indentation here") from None
    except yaml.YAMLError as error:
        raise source.error(1, f"not YAML: {error}", hint="check the syntax") from None
    return builder.finished(), builder.repeated


class _Builder:
    """Turns events into a tree without recursion."""

    def __init__(self, source: Source) -> None:
        self.repeated: dict[str, int] = {}
        self._source = source
        self._documents: list[Any] = []
        self._open: list[YamlMapping | YamlList] = []  # the collections around the next value
        self._keys: list[str | None] = []  # of each, the key that waits for its value
        self._weights: list[int] = []  # of each, how many values it stands for so far
        self._names: list[str | None] = []  # of each, its anchor
        self._anchors: dict[str, tuple[Any, int]] = {}
        self._aliased = 0

    def finished(self) -> Any:
        if len(self._documents) != 1:
            found = f"{len(self._documents)} documents" if self._documents else "no document"
            raise self._source.error(1, f"the file holds {found}, not one", hint="a workflow is one YAML document")
        return self._documents[0]

    def take(self, event: Any) -> None:
        line = event.start_mark.line + 1
        if isinstance(event, yaml.ScalarEvent):
            value = None if event.implicit[0] and event.value in _NULLS else event.value
            if event.anchor is not None:
                self._anchors[event.anchor] = (value, 1)
            self._put(event.value if self._wants_key() else value, 1, line)
        elif isinstance(event, (yaml.MappingStartEvent, yaml.SequenceStartEvent)):
            self._start(event, line)
        elif isinstance(event, (yaml.MappingEndEvent, yaml.SequenceEndEvent)):
            self._end(line)
        elif isinstance(event, yaml.AliasEvent):
            self._alias(str(event.anchor), line)
        elif isinstance(event, yaml.DocumentStartEvent):
            self._anchors.clear()

    def _wants_key(self) -> bool:
        return bool(self._open) and isinstance(self._open[-1], YamlMapping) and self._keys[-1] is None

    def _error(self, line: int, text: str, hint: str) -> ParseError:
        return self._source.error(line, text, hint=hint)

    def _start(self, event: Any, line: int) -> None:
        if self._wants_key():
            raise self._error(line, "a collection stands where a key should", "keys are text")
        if len(self._open) >= _DEEPEST:
            raise self._error(line, "nested too deeply", "a workflow nests a dozen levels, not hundreds")
        self._open.append(YamlMapping(line) if isinstance(event, yaml.MappingStartEvent) else YamlList(line))
        self._keys.append(None)
        self._weights.append(1)
        self._names.append(event.anchor)
        if event.anchor is not None:
            self._anchors.pop(event.anchor, None)  # until it is complete nothing may refer to it

    def _end(self, line: int) -> None:
        value, weight, anchor = self._open.pop(), self._weights.pop(), self._names.pop()
        self._keys.pop()
        if anchor is not None:
            self._anchors[anchor] = (value, weight)
        if isinstance(value, YamlMapping) and "<<" in value:
            self._merge(value)
        self._put(value, weight, line)

    def _alias(self, anchor: str, line: int) -> None:
        if anchor not in self._anchors:
            raise self._error(
                line, f"alias *{anchor[:60]} has no anchor before it", f"write &{anchor[:60]} at its origin"
            )
        value, weight = self._anchors[anchor]
        self._aliased += weight
        if self._aliased > _MOST_ALIASED:
            raise self._error(line, f"aliases stand for over {_MOST_ALIASED:,} values", "write out what is meant")
        if self._wants_key() and not isinstance(value, str):
            raise self._error(line, "an alias of a collection stands where a key should", "keys are text")
        self._put(value, weight, line)

    def _put(self, value: Any, weight: int, line: int) -> None:
        if not self._open:
            self._documents.append(value)
            return
        self._weights[-1] += weight
        holder, key = self._open[-1], self._keys[-1]
        if isinstance(holder, YamlList):
            holder.append(value)
        elif key is None:
            self._keys[-1] = value
            if value in holder:
                self.repeated.setdefault(value, line)
        else:
            holder[key] = value
            self._keys[-1] = None

    def _merge(self, value: YamlMapping) -> None:
        """Add what the mappings under the key ``<<`` have and this one has not."""
        for mapping in _mappings(value.pop("<<")):
            for key, item in mapping.items():
                value.setdefault(key, item)


def _mappings(value: Any) -> Iterator[YamlMapping]:
    for item in value if isinstance(value, list) else [value]:
        if isinstance(item, YamlMapping):
            yield item


_STARTS = frozenset({yaml.MappingStartEvent, yaml.SequenceStartEvent})
_ENDS = frozenset({yaml.MappingEndEvent, yaml.SequenceEndEvent})


Wanted = Mapping[str, "Wanted | None"]
"""The keys whose values are wanted, each with those wanted inside it or ``None``; ``*`` stands for all keys."""


@dataclass(slots=True)
class YamlNode:
    """A value.

    Attributes
    ----------
    kind
        ``block`` or ``flow`` for mappings, ``scalar``, ``null``, ``alias``, or ``other``.
    start, end
        Where it begins and ends; of a mapping in block style only the beginning means something.
    inside
        Of a mapping in flow style, the place after its brace.
    named
        Whether it has an anchor, so that other places may refer to it.
    style
        How a scalar is written: a quote, ``|`` or ``>``, or empty.
    members
        Of a mapping, its members.
    """

    kind: str
    start: int
    end: int
    inside: int = 0
    named: bool = False
    style: str = ""
    members: list[YamlMember] = field(default_factory=list)

    def member(self, key: str) -> YamlMember | None:
        """Return the member of this key that counts, the last one."""
        return next((member for member in reversed(self.members) if member.key == key), None)


@dataclass(slots=True)
class YamlMember:
    """A key, where it begins and ends and in which column, and its value if that is wanted."""

    key: str
    start: int
    end: int
    column: int
    value: YamlNode | None


def list_items(text: str, key: str, wanted: Wanted) -> Iterator[YamlNode]:
    """Yield the items of the list under a key of the whole file; the file is read no further than that list.

    Examples
    --------
    >>> text = "jobs: [{id: a, x: 1}, {id: b}]"
    >>> [text[item.member("id").value.start] for item in list_items(text, "jobs", {"id": None})]
    ['a', 'b']
    """
    following: Callable[[], Any] = iter(yaml.parse(text, Loader=_Loader)).__next__
    for _ in range(3):  # the beginnings of stream, document and mapping
        following()
    while type(event := following()) not in _ENDS:
        value = following()
        if getattr(event, "value", None) != key or type(value) is not yaml.SequenceStartEvent:
            _skip(value, following)
            continue
        while type(item := following()) is not yaml.SequenceEndEvent:
            yield _node(item, wanted, following)
        return


@dataclass(slots=True)
class TopMember:
    """A key of the whole file.

    Attributes
    ----------
    name, start, key_end, column
        The key, where it begins and ends, and in which column.
    value, end
        The event that begins the value, and where the value ends; of one in block style the end means nothing.
    items
        Of a list that is wanted, for each item the event that begins it, and, of a list or mapping, the texts in it.
    """

    name: str
    start: int
    key_end: int
    column: int
    value: Any
    end: int
    items: list[tuple[Any, list[str]]] = field(default_factory=list)


@dataclass(slots=True)
class TopLevel:
    """The mapping that is the whole file: whether it is in flow style, its members, and where it ends."""

    is_flow: bool
    members: list[TopMember]
    end: int = 0


def top_level(text: str, key: str) -> TopLevel:
    """Return where the members of the whole file stand, with the items of the list under one key.

    Examples
    --------
    >>> top = top_level("a: [{b: x}, {c: [y]}]", "a")
    >>> top.members[0].name, [texts for _, texts in top.members[0].items]
    ('a', [['b', 'x'], ['c', 'y']])
    """
    following: Callable[[], Any] = iter(yaml.parse(text, Loader=_Loader)).__next__
    following()
    if type(following()) is not yaml.DocumentStartEvent or type(first := following()) is not yaml.MappingStartEvent:
        return TopLevel(False, [])
    top = TopLevel(bool(first.flow_style), [])
    while type(event := following()) is not yaml.MappingEndEvent:
        mark, key_end = event.start_mark, _skip(event, following)
        value = following()
        member = TopMember(getattr(event, "value", ""), mark.index, key_end, mark.column, value, 0)
        if member.name == key and type(value) is yaml.SequenceStartEvent:
            while type(item := following()) is not yaml.SequenceEndEvent:
                texts: list[str] = []
                _skip(item, following, texts)
                member.items.append((item, texts))
            member.end = _end(item)
        else:
            member.end = _skip(value, following)
        top.members.append(member)
    top.end = _start(event)
    return top


def _skip(event: Any, following: Callable[[], Any], texts: list[str] | None = None) -> int:
    """Pass over a value that has begun, noting the texts in it where that is wanted; return where it ends."""
    depth = 1 if type(event) in _STARTS else 0
    while depth:
        event = following()
        kind = type(event)
        if texts is not None and kind is yaml.ScalarEvent:
            texts.append(event.value)
        if kind in _STARTS:
            depth += 1
        elif kind in _ENDS:
            depth -= 1
    return _end(event)


def _start(event: Any) -> int:
    return int(event.start_mark.index)


def _end(event: Any) -> int:
    return int(event.end_mark.index)


def _node(event: Any, wanted: Wanted | None, following: Callable[[], Any]) -> YamlNode:
    kind, start, end = type(event), event.start_mark.index, event.end_mark.index
    if kind is yaml.ScalarEvent:
        empty = event.implicit[0] and event.value in _NULLS
        return YamlNode(
            "null" if empty else "scalar", start, end, named=event.anchor is not None, style=event.style or ""
        )
    if kind is yaml.AliasEvent:
        return YamlNode("alias", start, end)
    if kind is not yaml.MappingStartEvent or wanted is None:
        return YamlNode("other", start, _skip(event, following))
    node = YamlNode("flow" if event.flow_style else "block", start, end, end, named=event.anchor is not None)
    while type(key := following()) is not yaml.MappingEndEvent:
        mark, name = key.start_mark, getattr(key, "value", "")
        value = following()
        if name in wanted or "*" in wanted:
            kept = _node(value, wanted.get(name), following)
        else:
            kept = None
            _skip(value, following)
        node.members.append(YamlMember(name, mark.index, key.end_mark.index, mark.column, kept))
    node.end = _end(key)
    return node
