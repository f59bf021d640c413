r"""Where a few mappings of a large YAML file stand in its text.

PyYAML's tree forgets positions, and its composed nodes cost memory for every value. So this walks libyaml's events, as
the reader does, keeps the mappings that a path of keys leads to, with the places of their members, and skips the rest.
Positions count characters of the text. The text must be YAML that the reader has accepted before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import yaml

__all__ = ["TopLevel", "TopMember", "Wanted", "YamlMember", "YamlNode", "list_items", "top_level"]

_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_STARTS = frozenset({yaml.MappingStartEvent, yaml.SequenceStartEvent})
_ENDS = frozenset({yaml.MappingEndEvent, yaml.SequenceEndEvent})
_NULLS = frozenset({"", "~", "null", "Null", "NULL"})

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
