r"""Dependencies in DOT: edges in a block of ours (``marked.py``), each with the attribute ``eligo=limit``.

By that attribute every dialect reads them as dependencies that carry no datum, even where all other edges have sizes,
where ``edge [size=5]`` gives one to all that follow, or where our own writer made the file. They are drawn dashed. An
edge joins the nodes that stand for the jobs, which are not always called like them.
"""

from __future__ import annotations

from eligo.dag import Int32
from eligo.errors import EligoError
from eligo.formats.base import Document
from eligo.formats.dot.dialects import job_nodes
from eligo.formats.dot.grammar import parse_graph
from eligo.formats.dot.marked import DEPENDENCIES, PRIORITIES, html_ids, spelled, take_out, with_block
from eligo.formats.dot.model import LIMIT
from eligo.formats.instrumenting import Instrumented
from eligo.formats.storage import Source

__all__ = ["add", "original"]


def add(document: Document, tails: Int32, heads: Int32) -> Instrumented:
    r"""Return the file, which has none of ours, with dependencies.

    Examples
    --------
    >>> import numpy as np
    >>> from eligo.formats.dot import parse
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


def original(source: Source) -> tuple[Source, tuple[str, ...]]:
    """Return the file without our block, which would bring back nodes that the user has since taken out.

    Examples
    --------
    >>> original(Source("a.dot", b"digraph { a }"))[0].data
    b'digraph { a }'
    """
    return take_out(source, DEPENDENCIES), ()
