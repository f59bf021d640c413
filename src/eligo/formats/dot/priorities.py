r"""Priorities in DOT: an attribute ``priority`` of each job's node.

They stand in a block of node statements between two comments of ours, as the last thing in the graph's braces. What
comes later in a file wins, so the block also overrules a priority that the user gave, where that is wished; taking the
block out brings the user's back, since nothing else was touched. A graph whose closing brace has a line to itself gets
a line for each job; in others the block stands before the brace, on the same line.

The statement names the node that stands for the job, which is not always called like it: in Snakemake's graphs jobs
are called by their labels, and of Nextflow's nodes only the processes are jobs. A node's ID is written in double
quotes, or as HTML where the file has it so, because graphviz tells these apart.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from eligo.dag import Int32
from eligo.errors import ParseError
from eligo.formats.base import Document, Notes
from eligo.formats.dot.dialects import job_nodes
from eligo.formats.dot.grammar import parse_graph
from eligo.formats.dot.model import Graph
from eligo.formats.instrumenting import KEPT, Instrumented, Wish
from eligo.formats.storage import Source
from eligo.formats.text_edits import Edit, line_break, rewrite

__all__ = ["instrument", "original", "uninstrument"]

_BEGIN = "/* priorities by eligo; eligo prioritize --remove takes them out */"
_END = "/* end of priorities by eligo */"
# Up to a comment or an HTML string. No two alternatives begin alike, so nothing is ever tried twice.
_PLAIN = re.compile(r'(?:[^"/<#]++|"[^"\\]*+(?:\\.[^"\\]*+)*"|/(?![/*]))*', re.DOTALL)
_COMMENT = re.compile(r"/\*.*?\*/|(?://|#)[^\n]*+", re.DOTALL)
_ANGLE = re.compile(r"[<>]")
_BREAK = re.compile(r"\r\n|[\r\n]")
_LONGEST = 2_000  # characters; graphviz up to 2.50 refuses quoted strings of 16 KB
_PIECES = re.compile(rf"(?:\\.|.){{1,{_LONGEST}}}", re.DOTALL)  # none ends within an escape
_GRAPH_NAME = re.compile(r"graph\s*+\Z", re.IGNORECASE)


class _Apart(NamedTuple):
    """A comment or an HTML string: where it stands, and the last character before it that is part of neither."""

    start: int
    end: int
    before: str


def instrument(document: Document, priorities: Int32, wish: Wish) -> Instrumented:
    r"""Return the file with a priority for each job's node.

    Examples
    --------
    >>> from eligo.formats.dot import parse
    >>> document = parse(Source("a.dot", b"digraph {\n  a -> b\n  b [priority=7]\n}"))
    >>> result = instrument(document, document.dag.order + 1, Wish())
    >>> print(result.data.decode())
    digraph {
      a -> b
      b [priority=7]
      /* priorities by eligo; eligo prioritize --remove takes them out */
      "a" [priority=1];
      /* end of priorities by eligo */
    }
    >>> result.warnings
    ('a.dot:3: a priority that the file gives is kept: --replace puts ours in its place',)
    """
    source = original(document.source)
    text, graph = source.text(), parse_graph(source)
    notes, lines = Notes(), []
    html = _html_ids(text, graph)
    for node, priority in zip(job_nodes(graph), priorities.tolist(), strict=True):
        if "priority" in graph.nodes[node] and not wish.replace:
            line = None if notes.texts() else graph.line(graph.node_at[node], "priority")
            notes.add(source.path, line, KEPT)
        else:
            lines.append(f"{_spelled(graph.names[node], html)} [priority={priority}];")
    edits = [_block(text, graph.closed - 1, lines)] if lines else []  # the lexer puts a newline before the text
    kept = document.dag.n - len(lines)
    return Instrumented(rewrite(source, edits), written=len(lines), kept=kept, warnings=notes.texts())


def uninstrument(document: Document) -> Instrumented:
    """Return the file without our block.

    Examples
    --------
    >>> from eligo.formats.dot import parse
    >>> document = parse(Source("a.dot", b"digraph { a }"))
    >>> done = instrument(document, document.dag.order + 1, Wish())
    >>> uninstrument(parse(Source("a.dot", done.data))).data
    b'digraph { a }'
    """
    return Instrumented(original(document.source).data)


def original(source: Source) -> Source:
    """Return the file without our block, which would bring back nodes that the user has since taken out.

    Examples
    --------
    >>> original(Source("a.dot", f"digraph {{ a {_BEGIN} b [priority=1]; {_END} }}".encode())).data
    b'digraph { a }'
    """
    text = source.text()
    if _BEGIN not in text:
        return source
    try:
        graph = parse_graph(source)
    except ParseError:
        return source  # whose reader will say what is wrong
    start = None
    for found in _apart(text, graph):
        if text.startswith(_BEGIN, found.start):
            start = found.start
        elif start is not None and text.startswith(_END, found.start):
            end = found.end
            if broken := _BREAK.match(text, end):
                start, end = len(text[:start].rstrip(" \t")), broken.end()
            else:
                end += text.startswith(" ", end)
            return Source(source.path, rewrite(source, [Edit(start, end, "")]))
    return source


def _block(text: str, closed: int, lines: list[str]) -> Edit:
    start = max(text.rfind("\n", 0, closed), text.rfind("\r", 0, closed)) + 1
    blank = text[start:closed]
    if start == 0 or blank.strip(" \t"):
        return Edit(closed, closed, " ".join([_BEGIN, *lines, _END, ""]))
    after = line_break(text)
    return Edit(start, start, "".join(f"{blank}  {line}{after}" for line in (_BEGIN, *lines, _END)))


def _apart(text: str, graph: Graph) -> Iterator[_Apart]:
    """Yield the comments and HTML strings between the graph's braces."""
    at, last = graph.opened, ""  # which is just after the brace, without the newline that the lexer puts first
    while True:
        plain = _PLAIN.match(text, at, graph.closed - 1)
        assert plain
        last = plain[0].rstrip()[-8:] or last
        at = plain.end()
        comment = _COMMENT.match(text, at, graph.closed - 1)
        if comment is None and not text.startswith("<", at):
            return
        start, at = at, comment.end() if comment else _html_end(text, at)
        yield _Apart(start, at, last)


def _html_end(text: str, start: int) -> int:
    depth = 0
    for angle in _ANGLE.finditer(text, start):
        depth += 1 if angle[0] == "<" else -1
        if depth == 0:
            return angle.end()
    raise AssertionError("the reader has seen its end")


def _html_ids(text: str, graph: Graph) -> set[str]:
    """Return the IDs of nodes that are written as HTML."""
    if "<" not in text:
        return set()
    return {
        text[found.start + 1 : found.end - 1]
        for found in _apart(text, graph)
        if text[found.start] == "<" and not found.before.endswith("=") and not _GRAPH_NAME.search(found.before)
    }


def _spelled(name: str, html: set[str]) -> str:
    """Return an ID that graphviz reads as this name; only a quote needs a backslash before it."""
    if name in html:
        return f"<{name}>"
    pieces = _PIECES.findall(name) if len(name) > _LONGEST else [name]
    return " + ".join('"' + piece.replace('"', '\\"') + '"' for piece in pieces)
