"""A dag as DOT that graphviz draws and our reader takes back unchanged.

Every job has a line of its own, in order, so that numbers stay; IDs are quoted unless they are plain words or
numbers, and what a quoted string cannot hold faithfully (backslashes, control characters) is written as ``%XX`` after
a ``_``. Where every datum is the nameless weight of one edge, the edge has a ``size``; otherwise jobs list what they
read and write (see ``shared_data``). Edges that carry data come first, in the order of the data.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from math import isnan

from eligo.dag import UNKNOWN, Dag
from eligo.formats._data_files import format_weight, is_edge_weights, weighted_edges
from eligo.formats._dot.dialects import SharedLists, encode_id, list_shared
from eligo.formats._dot.syntax import KEYWORDS

__all__ = ["node_id", "quoted_string", "write_lines"]

_BARE = re.compile(r"[A-Za-z_][A-Za-z_0-9]*|[0-9]+(?:\.[0-9]+)?")
_LONGEST = 2_000  # characters; graphviz up to 2.50 refuses quoted strings of 16 KB


def write_lines(dag: Dag) -> Iterator[str]:
    """Yield the text of a file; nothing is lost.

    Examples
    --------
    >>> print("".join(write_lines(Dag.from_names([("a", "b c")], time_s=[1, 2.5]))), end="")
    digraph eligo {
      graph [eligo=jobs];
      a [time_s=1.0];
      "b c" [time_s=2.5];
      a -> "b c";
    }
    """
    ids = [node_id(name) for name in dag.names]
    lists, style = SharedLists(""), "jobs"
    if is_edge_weights(dag):
        style = "edges"
    elif dag.data is not None:
        style, lists = "files" if dag.data.names is not None else "data", list_shared(dag.data)
    yield "digraph eligo {\n"
    inputs = f", inputs={quoted_string(lists.outside)}" if lists.outside else ""
    yield f"  graph [eligo={style}{inputs}];\n"
    yield from _nodes(dag, ids, lists)
    yield from _edges(dag, ids, weighted=style == "edges")
    yield "}\n"


def node_id(name: str) -> str:
    """Return the ID of a job as it stands in a file, quoted where need be.

    Examples
    --------
    >>> node_id("a"), node_id("a b"), node_id("node")
    ('a', '"a b"', '"node"')
    """
    return _quoted(encode_id(name))


def _quoted(text: str) -> str:
    if len(text) <= _LONGEST and _BARE.fullmatch(text) and text.lower() not in KEYWORDS:
        return text
    return quoted_string(text)


def quoted_string(text: str) -> str:
    r"""Return a quoted string that is read as this text; one that is very long in pieces.

    Examples
    --------
    >>> print(quoted_string('a "b" c'))
    "a \"b\" c"
    """
    pieces = [text[at : at + _LONGEST] for at in range(0, len(text), _LONGEST)] or [""]
    return " + ".join('"' + piece.replace('"', '\\"') + '"' for piece in pieces)


def _nodes(dag: Dag, ids: list[str], lists: SharedLists) -> Iterator[str]:
    columns = [
        (key, [None if isnan(value) else value for value in column.tolist()], missing)
        for key, column, missing in (
            ("time_s", dag.time_s, None),
            ("temp_bytes", dag.temp_bytes, UNKNOWN),
            ("memory_bytes", dag.memory_bytes, UNKNOWN),
            ("count", dag.count, 1),
        )
        if column is not None
    ]
    for job, name in enumerate(ids):
        known = [
            f"{key}={_quoted(str(values[job]))}"
            for key, values, missing in columns
            if values[job] not in (missing, None)
        ]
        listed = (("inputs", lists.inputs), ("outputs", lists.outputs))
        known += [f"{key}={quoted_string(texts[job])}" for key, texts in listed if job in texts]
        yield f"  {name} [{', '.join(known)}];\n" if known else f"  {name};\n"


def _edges(dag: Dag, ids: list[str], *, weighted: bool) -> Iterator[str]:
    if weighted:
        for tail, head, size in zip(*weighted_edges(dag), strict=True):
            yield f"  {ids[tail]} -> {ids[head]} [size={format_weight(size)}];\n"
        return
    for tail, head in zip(dag.tails.tolist(), dag.heads.tolist(), strict=True):
        yield f"  {ids[tail]} -> {ids[head]};\n"
