"""What our own writer encodes: names, and shared data, listed once where they are made and by number where read.

A node's ``outputs`` is a list of ``number:name=size``, its ``inputs`` a list of numbers; what exists before the
workflow starts stands in the graph's own ``inputs``. Names are encoded, so that a list is split by blanks; they are
left out where the data have none. ``?`` is an unknown size.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, field

from eligo.dag import OUTSIDE, UNKNOWN, Data
from eligo.errors import EligoError, ParseError
from eligo.formats.dot.model import Graph
from eligo.formats.sizes import parse_size
from eligo.formats.storage import Source
from eligo.formats.text_names import decode_name, encode_name

__all__ = ["SharedLists", "decode_id", "encode_id", "list_shared", "read_shared"]

_ENTRY = re.compile(r"([0-9]{1,9}):([^:=\s]*)=(\?|[0-9]{1,19})")
_HINT = "an entry of outputs reads number:name=size, one of inputs is a number"


def encode_id(name: str) -> str:
    r"""Return a node's ID for any job's name; one that needs ``%XX`` begins with ``_``.

    Graphviz takes an ID that begins with a per cent sign for one of its own and prints another in its place.

    Examples
    --------
    >>> encode_id("a b"), encode_id("\\n"), decode_id(encode_id("\\n"))
    ('a b', '_%5Cn', '\\n')
    """
    encoded = encode_name(name)
    return encoded if encoded == name else "_" + encoded


def decode_id(text: str) -> str:
    """Return the job's name for which :func:`encode_id` made this ID."""
    return decode_name(text.removeprefix("_"))


@dataclass(slots=True)
class SharedLists:
    """The texts of the attributes, for the jobs that have any."""

    outside: str
    outputs: dict[int, str] = field(default_factory=dict)
    inputs: dict[int, str] = field(default_factory=dict)


def list_shared(data: Data) -> SharedLists:
    """Return the attributes that state `data`.

    Examples
    --------
    >>> lists = list_shared(Data.build([100, -1], producer=[0, -1], readers=[[1, 2], [0]], names=["a b", "c"]))
    >>> lists.outside, lists.outputs, lists.inputs
    ('1:c=?', {0: '0:a%20b=100'}, {1: '0', 2: '0', 0: '1'})
    """
    outputs: dict[int, list[str]] = defaultdict(list)
    inputs: dict[int, list[str]] = defaultdict(list)
    for datum, (size, producer) in enumerate(zip(data.size_bytes.tolist(), data.producer.tolist(), strict=True)):
        name = encode_name(data.names[datum], in_list=True) if data.names is not None else ""
        outputs[producer].append(f"{datum}:{name}={'?' if size == UNKNOWN else size}")
        for reader in data.readers_of(datum).tolist():
            inputs[reader].append(str(datum))
    outside = " ".join(outputs.pop(OUTSIDE, []))
    return SharedLists(
        outside,
        {job: " ".join(entries) for job, entries in outputs.items()},
        {job: " ".join(entries) for job, entries in inputs.items()},
    )


def read_shared(graph: Graph, source: Source) -> Data:
    """Return the data that a graph of our own writer states."""
    made: dict[int, tuple[int, str, int]] = {}
    for entry in graph.attributes.get("inputs", "").split():
        _add_entry(made, entry, OUTSIDE, graph, source)
    for job, node in enumerate(graph.nodes):
        for entry in node.get("outputs", "").split():
            _add_entry(made, entry, job, graph, source)
    k = len(made)
    if made and max(made) >= k:
        raise source.error(None, f"data are numbered up to {max(made)}, but there are only {k}", hint=_HINT)
    readers: list[list[int]] = [[] for _ in range(k)]
    for job, node in enumerate(graph.nodes):
        for entry in node.get("inputs", "").split():
            if not entry.isdecimal() or not entry.isascii() or len(entry) > 9 or int(entry) >= k:
                raise _bad(entry, source, graph.line(graph.node_at[job], entry))
            readers[int(entry)].append(job)
    rows = [made[datum] for datum in range(k)]
    names = [name for _, name, _ in rows] if graph.attributes.get("eligo") == "files" else None
    return Data.build([size for _, _, size in rows], [producer for producer, _, _ in rows], readers, names)


def _add_entry(made: dict[int, tuple[int, str, int]], entry: str, producer: int, graph: Graph, source: Source) -> None:
    match = _ENTRY.fullmatch(entry)
    if match is None or int(match[1]) in made:
        raise _bad(entry, source, _line(graph, producer, entry))
    try:
        made[int(match[1])] = (producer, decode_name(match[2]), UNKNOWN if match[3] == "?" else parse_size(match[3]))
    except EligoError as error:
        raise source.error(_line(graph, producer, entry), error.text, hint=error.hint) from None


def _line(graph: Graph, producer: int, entry: str) -> int | None:
    """Return the line of an entry; asked only for an error, since it takes as long as the file is."""
    return None if producer == OUTSIDE else graph.line(graph.node_at[producer], entry)


def _bad(entry: str, source: Source, line: int | None) -> ParseError:
    return source.error(line, f"{entry[:40]!r} is no datum, or one that is listed twice or nowhere", hint=_HINT)
