r"""Priorities in DOT: an attribute ``priority`` of each job's node.

They stand in a block of node statements between two comments of ours, as the last thing in the graph's braces
(``marked.py``), so that they also overrule a priority that the user gave, where that is wished.

The statement names the node that stands for the job, which is not always called like it: in Snakemake's graphs jobs
are called by their labels, and of Nextflow's nodes only the processes are jobs.

Dependencies in DOT: edges in a block of ours (``marked.py``), each with the attribute ``eligo=limit``.

By that attribute every dialect reads them as dependencies that carry no datum, even where all other edges have sizes,
where ``edge [size=5]`` gives one to all that follow, or where our own writer made the file. They are drawn dashed. An
edge joins the nodes that stand for the jobs, which are not always called like them.

A block of statements of ours in a DOT file: put in between two comments, and taken out again to the byte.

It stands as the last thing in the graph's braces. What comes later in a file wins, so it may also overrule what the
user wrote; taking it out brings that back, since nothing else was touched. A graph whose closing brace has a line to
itself gets a line for each statement; in others the block stands before the brace, on the same line. A file may have
a block of each kind; that of the dependencies comes first, whichever was written first.

A node's ID is written in double quotes, or as HTML where the file has it so, because graphviz tells these apart.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from eligo.dag import Int32
from eligo.errors import EligoError, ParseError
from eligo.formats._base import Document, Notes
from eligo.formats._dot.dialects import job_nodes
from eligo.formats._dot.grammar import parse_graph
from eligo.formats._dot.syntax import LIMIT, Graph
from eligo.formats._editing import KEPT, Instrumented, Wish
from eligo.formats._source import Source
from eligo.formats._text_edits import Edit, line_break, rewrite

__all__ = [
    "DEPENDENCIES",
    "PRIORITIES",
    "Marks",
    "add",
    "html_ids",
    "instrument",
    "spelled",
    "take_out",
    "uninstrument",
    "with_block",
    "without_dependencies",
    "without_priorities",
]


class Marks(NamedTuple):
    """The comments before and after a block of one kind."""

    first: str
    last: str


PRIORITIES = Marks(
    "/* priorities by eligo; eligo prioritize --remove takes them out */", "/* end of priorities by eligo */"
)
DEPENDENCIES = Marks(
    "/* dependencies by eligo; eligo limit --remove takes them out */", "/* end of dependencies by eligo */"
)

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


class _Found(NamedTuple):
    """Where a block stands, with the blanks and the line end that go with it."""

    start: int
    end: int


def with_block(source: Source, statements: list[str], marks: Marks) -> bytes:
    r"""Return a file with a block of statements; it must be DOT and have none of this kind.

    Examples
    --------
    >>> with_block(Source("a.dot", b"digraph { a }"), ["a -> b;"], DEPENDENCIES).decode()[12:]
    '/* dependencies by eligo; eligo limit --remove takes them out */ a -> b; /* end of dependencies by eligo */ }'
    """
    text, graph = source.text(), parse_graph(source)
    closed = graph.closed - 1  # the lexer puts a newline before the text
    start = max(text.rfind("\n", 0, closed), text.rfind("\r", 0, closed)) + 1
    blank = text[start:closed]
    on_lines = start > 0 and not blank.strip(" \t")
    at = start if on_lines else closed
    later = _find(text, graph, PRIORITIES) if marks is DEPENDENCIES else None
    if later and not text[later.end : at].strip():
        is_alike = text[later.start - 1] in "\r\n" if on_lines else text.startswith(PRIORITIES.first, later.start)
        at = later.start if is_alike else at
    pieces = [marks.first, *statements, marks.last]
    after = line_break(text)
    new = "".join(f"{blank}  {piece}{after}" for piece in pieces) if on_lines else " ".join([*pieces, ""])
    return rewrite(source, [Edit(at, at, new)])


def take_out(source: Source, marks: Marks) -> Source:
    """Return a file without our block; one that is not DOT as it is, since its reader will say what is wrong.

    Examples
    --------
    >>> block = f"{PRIORITIES.first} b [priority=1]; {PRIORITIES.last}"
    >>> take_out(Source("a.dot", f"digraph {{ a {block} }}".encode()), PRIORITIES).data
    b'digraph { a }'
    """
    text = source.text()
    if marks.first not in text:
        return source
    try:
        graph = parse_graph(source)
    except ParseError:
        return source
    found = _find(text, graph, marks)
    return source if found is None else Source(source.path, rewrite(source, [Edit(*found, "")]))


def _find(text: str, graph: Graph, marks: Marks) -> _Found | None:
    if marks.first not in text:
        return None
    start = None
    for found in _apart(text, graph):
        if text.startswith(marks.first, found.start):
            start = found.start
        elif start is not None and text.startswith(marks.last, found.start):
            end = found.end
            if broken := _BREAK.match(text, end):
                return _Found(len(text[:start].rstrip(" \t")), broken.end())
            return _Found(start, end + text.startswith(" ", end))
    return None


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


def html_ids(text: str, graph: Graph) -> set[str]:
    """Return the IDs of nodes that are written as HTML; `text` is the file's."""
    if "<" not in text:
        return set()
    return {
        text[found.start + 1 : found.end - 1]
        for found in _apart(text, graph)
        if text[found.start] == "<" and not found.before.endswith("=") and not _GRAPH_NAME.search(found.before)
    }


def spelled(name: str, html: set[str]) -> str:
    """Return an ID that graphviz reads as this name; only a quote needs a backslash before it."""
    if name in html:
        return f"<{name}>"
    pieces = _PIECES.findall(name) if len(name) > _LONGEST else [name]
    return " + ".join('"' + piece.replace('"', '\\"') + '"' for piece in pieces)


def instrument(document: Document, priorities: Int32, wish: Wish) -> Instrumented:
    r"""Return the file with a priority for each job's node.

    Examples
    --------
    >>> from eligo.formats._dot import parse
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
    source = without_priorities(document.source)
    graph = parse_graph(source)
    notes, lines = Notes(), []
    html = html_ids(source.text(), graph)
    for node, priority in zip(job_nodes(graph), priorities.tolist(), strict=True):
        if "priority" in graph.nodes[node] and not wish.replace:
            line = None if notes.texts() else graph.line(graph.node_at[node], "priority")
            notes.add(source.path, line, KEPT)
        else:
            lines.append(f"{spelled(graph.names[node], html)} [priority={priority}];")
    data = with_block(source, lines, PRIORITIES) if lines else source.data
    return Instrumented(data, written=len(lines), kept=document.dag.n - len(lines), warnings=notes.texts())


def uninstrument(document: Document) -> Instrumented:
    """Return the file without our block.

    Examples
    --------
    >>> from eligo.formats._dot import parse
    >>> document = parse(Source("a.dot", b"digraph { a }"))
    >>> done = instrument(document, document.dag.order + 1, Wish())
    >>> uninstrument(parse(Source("a.dot", done.data))).data
    b'digraph { a }'
    """
    return Instrumented(without_priorities(document.source).data)


def without_priorities(source: Source) -> Source:
    """Return the file without our block, which would bring back nodes that the user has since taken out.

    Examples
    --------
    >>> block = f"{PRIORITIES.first} b [priority=1]; {PRIORITIES.last}"
    >>> without_priorities(Source("a.dot", f"digraph {{ a {block} }}".encode())).data
    b'digraph { a }'
    """
    return take_out(source, PRIORITIES)


def add(document: Document, tails: Int32, heads: Int32) -> Instrumented:
    r"""Return the file, which has none of ours, with dependencies.

    Examples
    --------
    >>> import numpy as np
    >>> from eligo.formats._dot import parse
    >>> document = parse(Source("a.dot", b"digraph {\n  a; b\n}\n"))
    >>> print(add(document, np.array([0], np.int32), np.array([1], np.int32)).data.decode(), end="")
    digraph {
      a; b
      /* dependencies by eligo; eligo limit --remove takes them out */
      "a" -> "b" [eligo=limit, style=dashed];
      /* end of dependencies by eligo */
    }
    """
    bare = take_out(document.source, PRIORITIES)  # which may name nodes that are gone
    graph = parse_graph(bare)
    nodes = job_nodes(graph)
    if len(nodes) != document.dag.n:
        raise EligoError(f"{bare.path}: has other jobs than it had", hint="run the command again")
    html = html_ids(bare.text(), graph)
    used = {job: spelled(graph.names[nodes[job]], html) for job in {*tails.tolist(), *heads.tolist()}}
    edges = [
        f"{used[tail]} -> {used[head]} [eligo={LIMIT}, style=dashed];"
        for tail, head in zip(tails.tolist(), heads.tolist(), strict=True)
    ]
    return Instrumented(with_block(document.source, edges, DEPENDENCIES), written=len(edges))


def without_dependencies(source: Source) -> tuple[Source, tuple[str, ...]]:
    """Return the file without our block, which would bring back nodes that the user has since taken out.

    Examples
    --------
    >>> without_dependencies(Source("a.dot", b"digraph { a }"))[0].data
    b'digraph { a }'
    """
    return take_out(source, DEPENDENCIES), ()
