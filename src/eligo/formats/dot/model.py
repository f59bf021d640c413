"""A DOT graph as the file states it, and what the parser holds while it reads one."""

from __future__ import annotations

import re
from array import array
from collections.abc import Mapping
from dataclasses import dataclass, field

from eligo.formats.dot.lexer import Lexer

__all__ = ["KNOWN", "LIMIT", "MAX_PAIRS", "Attributes", "Graph", "Operand", "Scope", "Subgraph"]

MAX_PAIRS = 20_000_000
"""How many edges a file may ask for through subgraphs."""

Attributes = Mapping[str, str]

KNOWN = frozenset(
    [
        "alpha", "count", "edge_memory", "eligo", "fixedsize", "flops", "inputs", "label", "memory_bytes", "outputs",
        "priority", "shape", "size", "size_bytes", "style", "temp_bytes", "time_s", "tmp_memory",
    ]
)  # fmt: skip
"""The attributes that mean something to us; all others are read and dropped."""

LIMIT = "limit"
"""What the attribute ``eligo`` of an edge says where a limit added it: it carries no datum in any dialect."""

_BLANKS = re.compile(r"[ \t\r\n;,]*+")


@dataclass(slots=True, eq=False)
class Subgraph:
    """What a subgraph contains itself; what it contains through its children is collected when an edge asks."""

    members: dict[int, None] = field(default_factory=dict)
    children: list[Subgraph] = field(default_factory=list)
    named: dict[str, Subgraph] = field(default_factory=dict)


Operand = int | list[int] | Subgraph


@dataclass(slots=True, eq=False)
class Scope:
    """A brace that is open: its subgraph, the defaults within, and the statement it is a part of."""

    subgraph: Subgraph
    node: Attributes
    edge: Attributes
    graph: Attributes
    opened: int
    chain: list[Operand]
    chain_at: int


@dataclass(slots=True, eq=False)
class Graph:
    """A graph as the file states it: duplicate edges kept, nodes in the order of first mention.

    Attributes
    ----------
    names
        The text of each node's ID.
    nodes
        The known attributes of each node, defaults included.
    tails, heads
        The ends of each edge.
    weights
        What each edge states as its size, by whichever attribute.
    node_at, edge_at
        Where the statement begins that mentions an edge, or a node with attributes; see :meth:`line`.
    attributes
        The graph's own.
    weight_keys
        Which attributes gave weights.
    opened, closed
        Where in the lexer's text the graph's own braces stand.
    """

    lexer: Lexer
    name: str = ""
    strict: bool = False
    skipped_lines: int = 0
    names: list[str] = field(default_factory=list)
    nodes: list[Attributes] = field(default_factory=list)
    tails: array[int] = field(default_factory=lambda: array("i"))
    heads: array[int] = field(default_factory=lambda: array("i"))
    weights: list[str | None] = field(default_factory=list)
    node_at: array[int] = field(default_factory=lambda: array("q"))
    edge_at: array[int] = field(default_factory=lambda: array("q"))
    attributes: Attributes = field(default_factory=dict)
    weight_keys: set[str] = field(default_factory=set)
    hidden_edges: int = 0
    opened: int = 0
    closed: int = 0

    def line(self, at: int, value: str = "") -> int:
        """Return the line of the statement at an offset, or of a value that stands in it."""
        text = self.lexer.text
        blanks = _BLANKS.match(text, at)
        at = blanks.end() if blanks else at
        return self.lexer.line(max(at, text.find(value, at)))
