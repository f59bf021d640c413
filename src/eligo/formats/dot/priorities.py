r"""Priorities in DOT: an attribute ``priority`` of each job's node.

They stand in a block of node statements between two comments of ours, as the last thing in the graph's braces
(``marked.py``), so that they also overrule a priority that the user gave, where that is wished.

The statement names the node that stands for the job, which is not always called like it: in Snakemake's graphs jobs
are called by their labels, and of Nextflow's nodes only the processes are jobs.
"""

from __future__ import annotations

from eligo.dag import Int32
from eligo.formats.base import Document, Notes
from eligo.formats.dot.dialects import job_nodes
from eligo.formats.dot.grammar import parse_graph
from eligo.formats.dot.marked import PRIORITIES, html_ids, spelled, take_out, with_block
from eligo.formats.instrumenting import KEPT, Instrumented, Wish
from eligo.formats.storage import Source

__all__ = ["instrument", "original", "uninstrument"]


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
    >>> block = f"{PRIORITIES.first} b [priority=1]; {PRIORITIES.last}"
    >>> original(Source("a.dot", f"digraph {{ a {block} }}".encode())).data
    b'digraph { a }'
    """
    return take_out(source, PRIORITIES)
