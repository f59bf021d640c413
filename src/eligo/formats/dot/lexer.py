"""Tokens of the DOT language.

One regular expression skips blanks and comments and takes the next token, so that the work of each token is done in
C; every repetition in it is possessive, so that no input makes it step back and the whole stays linear. Only HTML
strings, which nest, are followed by a loop. The lexer holds one match at a time: a file of 10^6 edges costs no list
of tokens, and a position becomes a line number only when an error needs one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from eligo.errors import ParseError
from eligo.formats.storage import Source

__all__ = ["ALNUM", "END", "KEYWORDS", "LETTER", "NUMBER", "PUNCTUATION", "QUOTED", "WORD", "Lexer"]

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
