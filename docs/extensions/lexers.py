"""Kinds of blocks that Pygments does not know: colours for ``dagman``, none for ``csv``."""

from __future__ import annotations

from pygments.lexer import RegexLexer, bygroups
from pygments.lexers.special import TextLexer
from pygments.token import Comment, Keyword, String, Text
from sphinx.application import Sphinx


class DagmanLexer(RegexLexer):
    """HTCondor's DAG files: a command a line."""

    name, aliases, filenames = "DAGMan", ("dagman",), ("*.dag",)
    tokens = {  # noqa: RUF012 - Pygments wants it so
        "root": [
            (r"[ \t]*(?:#|//).*\n", Comment),
            (r"([ \t]*)([A-Za-z_-]+)\b", bygroups(Text, Keyword), "line"),
            (r".*\n", Text),
        ],
        "line": [
            (r"\n", Text, "#pop"),
            (r'"[^"\n]*"', String),
            (r"\b(?:CHILD|EXTERNAL|DIR|NOOP|DONE|PRE|POST|UNLESS-EXIT)\b", Keyword),
            (r'[^\s"]+|[^\S\n]+|"', Text),
        ],
    }


def setup(app: Sphinx) -> dict[str, bool]:
    """Be an extension of Sphinx."""
    app.add_lexer("dagman", DagmanLexer)
    app.add_lexer("csv", TextLexer)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
