"""A DOT graph as the file states it, and what the parser holds while it reads one.

Tokens of the DOT language.

One regular expression skips blanks and comments and takes the next token, so that the work of each token is done in
C; every repetition in it is possessive, so that no input makes it step back and the whole stays linear. Only HTML
strings, which nest, are followed by a loop. The lexer holds one match at a time: a file of 10^6 edges costs no list
of tokens, and a position becomes a line number only when an error needs one.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from eligo.errors import ParseError
from eligo.formats._source import Source

__all__ = [
    "ALNUM",
    "END",
    "KEYWORDS",
    "KNOWN",
    "LETTER",
    "LIMIT",
    "MAX_PAIRS",
    "NUMBER",
    "PUNCTUATION",
    "QUOTED",
    "WORD",
    "Attributes",
    "Graph",
    "Lexer",
    "Operand",
    "Scope",
    "Subgraph",
]

WORD, NUMBER, QUOTED, PUNCTUATION, END = range(1, 6)  # the groups of _TOKEN

KEYWORDS = frozenset(["node", "edge", "graph", "digraph", "subgraph", "strict"])

# Letters are A-Z, a-z, _ and all that is not ASCII. The classes say what is none: re takes milliseconds to compile a
# class with characters beyond Latin-1 in it, and ours stand dozens of times in the expressions here and in the grammar.
LETTER = r"[^\x00-@\[-^`{-\x7f]"
ALNUM = r"[^\x00-/:-@\[-^`{-\x7f]"
_TOKEN = re.compile(
    rf"""
    (?: \n (?: [ \t]*+ \# [^\n]*+ )?          # a line that begins with a hash is a comment
      | [ \t\r\f\v]++
      | // [^\n]*+
      | /\* .*? \*/
    )*
    (?: ( {LETTER} {ALNUM}*+ )
      | ( (?<!{ALNUM}) -? (?: \. [0-9]++ | [0-9]++ (?: \. [0-9]*+ )? ) (?! {ALNUM} | \. ) )
      | ( " (?: [^"\\]++ | \\. )* " )
      | ( -> | -- | . )
      | ( \Z )
    )""",
    re.VERBOSE | re.DOTALL,
)
_ESCAPE = re.compile(r'\\(?:(")|(\r?\n)|.)', re.DOTALL)
_ANGLE = re.compile(r"[<>]")
_SHOWN = re.compile(r"[^\s;,{}\[\]]{1,30}|.", re.DOTALL)


class Lexer:
    """Reads tokens one by one; `kind` and `token` are the current one.

    Examples
    --------
    >>> lexer = Lexer(Source("a.dot", b'digraph { "a" -> b // done'))
    >>> while lexer.kind != END:
    ...     print(lexer.token, end=" ")
    ...     lexer.advance()
    digraph { "a" -> b
    """

    __slots__ = ("_matches", "kind", "match", "source", "text", "token")

    match: re.Match[str]
    kind: int
    token: str

    def __init__(self, source: Source) -> None:
        self.source = source
        self.text = "\n" + source.text()  # the first line then begins like every other
        nul = self.text.find("\0")
        if nul >= 0:
            raise self.error(nul, "there is a NUL byte", hint="this is not a text file; is it damaged or compressed?")
        self._matches: Iterator[re.Match[str]]
        self.restart(0)

    def restart(self, offset: int) -> None:
        """Go on reading at an offset of the text."""
        self._matches = _TOKEN.finditer(self.text, offset)
        self.advance()

    def advance(self) -> None:
        """Take the next token."""
        self.match = match = next(self._matches)
        self.kind = kind = match.lastindex or END
        self.token = match[kind]

    @property
    def offset(self) -> int:
        """Where the current token begins."""
        return self.match.start(self.kind)

    def line(self, offset: int) -> int:
        """Return the line of an offset."""
        return max(1, self.text.count("\n", 0, offset))

    def error(self, offset: int, text: str, *, hint: str = "") -> ParseError:
        """Make the error that says what is wrong at an offset."""
        return self.source.error(self.line(offset), text, hint=hint)

    def unexpected(self, wanted: str) -> ParseError:
        """Make the error that says that the current token cannot stand here."""
        at = self.offset
        if self.kind == END:
            return self.error(at, f"the file ends where {wanted} should stand", hint="is the file cut short?")
        if self.token == '"':
            return self.error(at, "the quoted string that begins here does not end", hint='add the closing "')
        if self.text.startswith("/*", at):
            return self.error(at, "the comment that begins here does not end", hint="add the closing */")
        shown = _SHOWN.match(self.text, at)
        hint = f"{wanted} should stand here"
        if self.token not in ("->", *"{}[];,=:+"):
            hint = "names other than words and numbers must be in double quotes"
        return self.error(at, f"{shown[0] if shown else self.token!r} is not DOT here", hint=hint)

    def identifier(self, wanted: str) -> str:
        """Take an ID in any of its forms and return its text, in which ``1`` and ``"1"`` are the same."""
        kind, token = self.kind, self.token
        if kind <= NUMBER:
            self.advance()
            return token
        if kind == QUOTED:
            return self._quoted()
        if token == "<":
            return self._html()
        raise self.unexpected(wanted)

    def _quoted(self) -> str:
        text = _unescaped(self.token)
        self.advance()
        if self.token != "+":
            return text
        pieces = [text]
        while self.token == "+":
            self.advance()
            if self.kind != QUOTED:
                raise self.unexpected("a quoted string")
            pieces.append(_unescaped(self.token))
            self.advance()
        return "".join(pieces)

    def _html(self) -> str:
        begin = self.offset
        depth = 0
        for angle in _ANGLE.finditer(self.text, begin):
            depth += 1 if angle[0] == "<" else -1
            if depth == 0:
                self.restart(angle.end())
                return self.text[begin + 1 : angle.start()]
        raise self.error(begin, "the HTML string that begins here does not end", hint="every < needs its >")


def _unescaped(token: str) -> str:
    """Return what a quoted string says; like graphviz, only an escaped quote and an escaped newline are special."""
    text = token[1:-1]
    return _ESCAPE.sub(_unescape, text) if "\\" in text else text


def _unescape(match: re.Match[str]) -> str:
    if match[1]:
        return '"'
    return "" if match[2] else match[0]


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
