"""DOT, the language of graphviz, as many programs write it.

``lexer`` and ``grammar`` read the language, ``dialects`` says what the attributes mean (with ``contract`` and
``shared_data``), ``writer`` writes; they are imported by those who read or write, not by those who ask what a file is.
The reader is our own: a workflow file must not need an optional package, and the parsers of the pydot family take
minutes on 10^6 edges and stop at parts of the grammar.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from eligo.dag import Dag
from eligo.formats._base import Document, EdgeRule, Notes
from eligo.formats._source import Source

__all__ = ["NAME", "TITLE", "generate", "parse", "sniff"]

NAME = "dot"
TITLE = "DOT"

_HEADER = re.compile(
    r'^[ \t\ufeff]*(?:strict\s+)?(?:di)?graph(?:\s+(?:[\w.-]+|"(?:[^"\\\n]++|\\.)*")\s*|\s*)'
    r"(?:(?://[^\n]*+|/\*(?:[^*]|\*(?!/)){0,300}\*/)\s*+)*\{",  # a comment ends in one place only: n of them cost n
    re.IGNORECASE | re.MULTILINE | re.DOTALL,
)


def sniff(head: str) -> bool:
    r"""Tell whether a graph begins somewhere, since programs such as snakemake may print lines before it.

    Examples
    --------
    >>> sniff("// made by hand\nstrict digraph G {"), sniff("digraph of the workflow: see below")
    (True, False)
    """
    return _HEADER.search(head) is not None


def parse(source: Source, edges: EdgeRule | None = None) -> Document:
    """Read a graph. All edges are declared ones, so `edges` changes nothing.

    Examples
    --------
    >>> document = parse(Source("a.dot", b"digraph { a -> {b c} }"))
    >>> document.dag, document.details.dialect
    (Dag(3 jobs, 2 edges), 'graphviz')
    """
    from eligo.formats._dot.dialects import to_dag
    from eligo.formats._dot.grammar import parse_graph

    notes = Notes()
    graph = parse_graph(source)
    if graph.skipped_lines:
        notes.add(
            source.path, 1, f"what stands before the graph is not DOT and was skipped (lines: {graph.skipped_lines:,})"
        )
    if not graph.names and "eligo" not in graph.attributes:  # our own writer may have been given an empty dag
        raise source.error(1, "the graph has no node", hint="a workflow needs at least one job")
    dag, details = to_dag(graph, source, notes)
    return Document(dag, NAME, source, notes.texts(), details)


def generate(dag: Dag, lost: Notes) -> Iterator[str]:
    """Yield the text of a file; nothing is lost. See :mod:`eligo.formats._dot.writer`.

    Examples
    --------
    >>> "".join(generate(Dag.from_names([("a", "b")]), Notes())).split()[-4:]
    ['a', '->', 'b;', '}']
    """
    from eligo.formats._dot.writer import write_lines

    return write_lines(dag)
