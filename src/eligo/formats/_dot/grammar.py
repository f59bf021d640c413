"""From DOT text to nodes, edges and the few attributes that mean something to us.

The whole graphviz grammar is read, by hand: the parsers of the pydot family are slow, partial and would be a
dependency. Statements of the common simple form (``a -> b [size=3];``, ``a [label="x"]``) are taken whole by one
regular expression; everything else (chains, subgraphs, ports, concatenated, escaped and HTML strings, comments within
a statement) goes token by token. Both ways give the same graph, which the tests check by switching the first one off.

Subgraphs are kept on an explicit stack, so depth costs no recursion. An edge that touches a subgraph means all pairs;
since a short file can so ask for 10^10 edges, their number is bounded. Only known attributes are kept, which also keeps
the copies of defaults that every subgraph inherits small. Time is linear in the text and the edges.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from eligo.formats._dot.syntax import (
    ALNUM,
    END,
    KEYWORDS,
    KNOWN,
    LETTER,
    LIMIT,
    MAX_PAIRS,
    QUOTED,
    WORD,
    Attributes,
    Graph,
    Lexer,
    Operand,
    Scope,
    Subgraph,
)
from eligo.formats._source import Source

__all__ = ["parse_graph"]

_WEIGHTS = ("size_bytes", "edge_memory", "size")  # in the order in which they count

_BARE = rf"""(?: {LETTER}{ALNUM}*+ | -?(?:\.[0-9]++|[0-9]++(?:\.[0-9]*+)?)(?!{ALNUM}|\.) )"""
_NAME = rf"""(?: (?! (?i:node|edge|graph|digraph|subgraph|strict)(?!{ALNUM}) ) ({_BARE}) | "([^"\\]*+)" )"""
_VALUE = rf'(?: {_BARE} | "[^"\\]*+" )'
_GAP = r"[ \t\r\n]*+"
_STATEMENT = re.compile(
    rf"""[ \t\r\n;]*+ {_NAME} {_GAP} (?: -> {_GAP} {_NAME} {_GAP} )?
    (?: \[ {_GAP} ( (?: {_VALUE} {_GAP} = {_GAP} {_VALUE} {_GAP} [,;]?+ {_GAP} )* ) \] {_GAP} )?
    (?: ; | (?= {ALNUM} | ["}}] ) )""",
    re.VERBOSE,
)
_ITEM = re.compile(rf"({_VALUE}) {_GAP} = {_GAP} ({_VALUE})", re.VERBOSE)
_JUNK = re.compile(r"^[ \t]*(?:strict[ \t]+)?(?:di)?graph\b[^{}\n]*\{", re.IGNORECASE | re.MULTILINE)


def parse_graph(source: Source, *, fast: bool = True) -> Graph:
    """Read the one directed graph of a file.

    Examples
    --------
    >>> graph = parse_graph(Source("a.dot", b"digraph { a -> {b c} -> d }"))
    >>> [(graph.names[tail], graph.names[head]) for tail, head in zip(graph.tails, graph.heads)]
    [('a', 'b'), ('a', 'c'), ('b', 'd'), ('c', 'd')]
    """
    return _Parser(Lexer(source), fast).run()


class _Parser:
    __slots__ = ("chain", "chain_at", "fast", "graph", "index", "lexer", "pairs", "scopes")

    def __init__(self, lexer: Lexer, fast: bool) -> None:
        self.lexer = lexer
        self.fast = fast
        self.graph = Graph(lexer)
        self.index: dict[str, int] = {}
        self.scopes: list[Scope] = []
        self.chain: list[Operand] = []  # the operands of the edge statement being read
        self.chain_at = 0
        self.pairs = 0

    def run(self) -> Graph:
        lexer = self.lexer
        self._header()
        while self.scopes:
            kind, token = lexer.kind, lexer.token
            if kind == WORD and token.lower() in KEYWORDS:
                self._keyword(token.lower())
            elif kind <= QUOTED or token == "<":
                if not (self.fast and not self.chain and self._simple_statements()):
                    self._node_or_assignment()
            elif token == "{":
                self._open("")
            elif self.chain:
                raise lexer.unexpected("a name or a subgraph")
            elif token == "}":
                self._close()
            elif token in (";", ","):
                lexer.advance()
            else:
                raise self._unexpected()
        self._end()
        return self.graph

    # The frame of the file

    def _header(self) -> None:
        lexer, graph = self.lexer, self.graph
        if lexer.kind != WORD or lexer.token.lower() not in ("strict", "graph", "digraph"):
            self._skip_junk()
        if lexer.token.lower() == "strict":
            graph.strict = True
            lexer.advance()
        kind = lexer.token.lower()
        if lexer.kind != WORD or kind not in ("graph", "digraph"):
            raise lexer.unexpected("digraph")
        if kind == "graph":
            raise lexer.error(
                lexer.offset,
                "an undirected graph does not say which job waits for which",
                hint="write digraph instead of graph, and -> instead of --",
            )
        lexer.advance()
        if lexer.token != "{":
            graph.name = lexer.identifier("{")
        if lexer.token != "{":
            raise lexer.unexpected("{")
        graph.opened = lexer.offset
        self.scopes.append(Scope(Subgraph(), {}, {}, {}, lexer.offset, [], 0))
        lexer.advance()

    def _skip_junk(self) -> None:
        """Skip what a program such as snakemake printed before the graph."""
        lexer = self.lexer
        found = _JUNK.search(lexer.text)
        if found is None:
            raise lexer.error(
                lexer.offset, "the file does not begin with digraph", hint="DOT reads: digraph name { a -> b; }"
            )
        self.graph.skipped_lines = lexer.line(found.start()) - 1
        lexer.restart(found.start())

    def _end(self) -> None:
        lexer = self.lexer
        if lexer.kind == END:
            return
        if lexer.kind == WORD and lexer.token.lower() in ("strict", "graph", "digraph"):
            raise lexer.error(lexer.offset, "a second graph begins here", hint="put every graph into a file of its own")
        raise lexer.error(lexer.offset, "there is text after the graph's last }", hint="remove it, or the } before it")

    def _unexpected(self) -> Exception:
        lexer = self.lexer
        if lexer.kind == END:
            opened = lexer.line(self.scopes[-1].opened)
            return lexer.error(
                lexer.offset, f"the file ends within the {{ of line {opened}", hint="is the file cut short? add the }"
            )
        return lexer.unexpected("a statement")

    # Statements

    def _simple_statements(self) -> bool:
        """Take as many statements of the simple form as stand here; tell whether there was one."""
        graph, text, scope, index = self.graph, self.lexer.text, self.scopes[-1], self.index
        members = scope.subgraph.members if len(self.scopes) > 1 else None
        add_tail, add_head, add_at, add_weight = (
            graph.tails.append, graph.heads.append, graph.edge_at.append, graph.weights.append
        )  # fmt: skip
        at = begin = self.lexer.offset
        take, weight_of, defaults = _STATEMENT.match, self._weight, scope.edge
        while match := take(text, at):
            bare, quoted, bare_head, quoted_head, items = match.groups()
            name = bare or quoted or ""
            tail = index.get(name)
            if tail is None:
                tail = self._new_node(name, at)
            if members is not None:
                members[tail] = None
            if bare_head is None and quoted_head is None:
                if items:
                    graph.nodes[tail] = {**graph.nodes[tail], **_items(items)}
                    graph.node_at[tail] = at
            else:
                name = bare_head or quoted_head or ""
                head = index.get(name)
                if head is None:
                    head = self._new_node(name, at)
                if members is not None:
                    members[head] = None
                add_tail(tail)
                add_head(head)
                add_at(at)
                if items:
                    add_weight(weight_of({**defaults, **_items(items)} if defaults else _items(items)))
                else:
                    add_weight(weight_of(defaults) if defaults else None)
            at = match.end()
        if at == begin:
            return False
        self.lexer.restart(at)
        return True

    def _keyword(self, word: str) -> None:
        lexer = self.lexer
        if word == "subgraph":
            lexer.advance()
            name = "" if lexer.token == "{" else lexer.identifier("{")
            if lexer.token != "{":
                raise lexer.unexpected("{")
            self._open(name)
            return
        if self.chain or word in ("strict", "digraph"):
            raise lexer.unexpected("a name or a subgraph")
        lexer.advance()
        if lexer.token != "[":
            raise lexer.unexpected("[")
        stated, scope = self._attribute_lists(), self.scopes[-1]
        if word == "node":
            scope.node = {**scope.node, **stated}
        elif word == "edge":
            scope.edge = {**scope.edge, **stated}
        else:
            scope.graph = {**scope.graph, **stated}

    def _node_or_assignment(self) -> None:
        lexer = self.lexer
        if not self.chain:
            self.chain_at = lexer.offset
        name = lexer.identifier("a name")
        if lexer.token == "=" and not self.chain:
            lexer.advance()
            value, scope = lexer.identifier("a value"), self.scopes[-1]
            if name in KNOWN:
                scope.graph = {**scope.graph, name: value}
            return
        first = self._mention(name)
        if lexer.token != ",":
            self._after(first)
            return
        several = [first]
        while lexer.token == ",":
            lexer.advance()
            is_keyword = lexer.kind == WORD and lexer.token.lower() in KEYWORDS
            if is_keyword or (lexer.kind > QUOTED and lexer.token != "<"):
                break  # the comma only separated two statements
            several.append(self._mention(lexer.identifier("a name")))
        self._after(several)

    def _after(self, operand: Operand) -> None:
        """Go on after an operand: with the next one of a chain, or with attributes and the end of the statement."""
        lexer, chain = self.lexer, self.chain
        chain.append(operand)
        if lexer.token == "->":
            lexer.advance()
            if lexer.kind > QUOTED and lexer.token not in ("<", "{"):
                raise lexer.unexpected("a name or a subgraph")
            return
        if lexer.token == "--":
            raise lexer.error(lexer.offset, "an edge of a digraph is written ->", hint="write -> instead of --")
        stated: Attributes = self._attribute_lists() if lexer.token == "[" else {}
        if len(chain) > 1:
            self._connect(stated)
        elif stated and not isinstance(operand, Subgraph):
            nodes = self.graph.nodes
            for node in [operand] if isinstance(operand, int) else operand:
                nodes[node] = {**nodes[node], **stated}
                self.graph.node_at[node] = self.chain_at
        self.chain = []

    def _open(self, name: str) -> None:
        lexer, outer = self.lexer, self.scopes[-1]
        if not self.chain:
            self.chain_at = lexer.offset
        subgraph = outer.subgraph.named.get(name) if name else None
        if subgraph is None:
            subgraph = Subgraph()
            outer.subgraph.children.append(subgraph)
            if name:
                outer.subgraph.named[name] = subgraph
        self.scopes.append(
            Scope(subgraph, outer.node, outer.edge, outer.graph, lexer.offset, self.chain, self.chain_at)
        )
        self.chain = []
        lexer.advance()

    def _close(self) -> None:
        self.graph.closed = self.lexer.offset  # the last one is the graph's own
        self.lexer.advance()
        scope = self.scopes.pop()
        if self.scopes:
            self.chain, self.chain_at = scope.chain, scope.chain_at
            self._after(scope.subgraph)
        else:
            self.graph.attributes = scope.graph

    # Parts of statements

    def _attribute_lists(self) -> Attributes:
        lexer = self.lexer
        stated: dict[str, str] = {}
        while lexer.token == "[":
            lexer.advance()
            while lexer.token != "]":
                key = lexer.identifier("an attribute or ]")
                if lexer.token != "=":
                    raise lexer.unexpected("=")
                lexer.advance()
                value = lexer.identifier("a value")
                if key in KNOWN:
                    stated[key] = value
                if lexer.token in (",", ";"):
                    lexer.advance()
            lexer.advance()
        return stated

    def _mention(self, name: str) -> int:
        """Return the node's number; ports say where an edge touches the drawing and are skipped."""
        lexer = self.lexer
        node = self.index.get(name)
        if node is None:
            node = self._new_node(name, self.chain_at)
        if len(self.scopes) > 1:
            self.scopes[-1].subgraph.members[node] = None
        for _ in range(2):
            if lexer.token == ":":
                lexer.advance()
                lexer.identifier("a port")
        return node

    def _new_node(self, name: str, at: int) -> int:
        graph = self.graph
        node = self.index[name] = len(graph.names)
        graph.names.append(name)
        graph.nodes.append(self.scopes[-1].node)
        graph.node_at.append(at)
        return node

    def _weight(self, stated: Attributes) -> str | None:
        if not stated:
            return None
        if stated.get("eligo") == LIMIT:  # whatever defaults of the user's apply to it
            return "none"
        if stated.get("style") == "invis":
            self.graph.hidden_edges += 1
        for key in _WEIGHTS:
            if key in stated:
                self.graph.weight_keys.add(key)
                return stated[key]
        return None

    def _connect(self, stated: Attributes) -> None:
        """Add the edges of a chain: all pairs of each operand and the next."""
        graph = self.graph
        weight = self._weight({**self.scopes[-1].edge, **stated})
        rows = [[operand] if isinstance(operand, int) else list(self._nodes_of(operand)) for operand in self.chain]
        for tails, heads in pairwise(rows):
            self._spend(len(tails) * len(heads))
            for tail in tails:
                graph.tails.extend([tail] * len(heads))
                graph.heads.extend(heads)
            graph.weights.extend([weight] * (len(tails) * len(heads)))
            graph.edge_at.extend([self.chain_at] * (len(tails) * len(heads)))

    def _nodes_of(self, operand: list[int] | Subgraph) -> Iterator[int]:
        if isinstance(operand, list):
            return iter(operand)
        nodes: dict[int, None] = {}
        waiting = [operand]
        while waiting:
            subgraph = waiting.pop()
            self._spend(8 + len(subgraph.members))  # a visit takes as long as a few edges
            nodes.update(subgraph.members)
            waiting.extend(reversed(subgraph.children))
        return iter(nodes)

    def _spend(self, pairs: int) -> None:
        self.pairs += pairs
        if self.pairs > MAX_PAIRS:
            raise self.lexer.error(
                self.chain_at,
                f"edges between subgraphs make more than {MAX_PAIRS:,} pairs",
                hint="put a job that does nothing between the two groups",
            )


def _items(text: str) -> dict[str, str]:
    """Return the known attributes of a simple list, whose form is already checked."""
    key, _, value = text.partition("=")
    if value.isalnum():  # one plain pair, by far the most common list
        key = key.strip(' \t\r\n"')
        return {key: value} if key in KNOWN else {}
    stated = {}
    for raw_key, value in _ITEM.findall(text):
        key = raw_key.strip('"')
        if key in KNOWN:
            stated[key] = value[1:-1] if value[0] == '"' else value
    return stated
