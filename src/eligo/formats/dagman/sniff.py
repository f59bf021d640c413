"""Tells DAGMan files from the other languages that use the suffix ``.dag``, and from edge lists."""

from __future__ import annotations

from eligo.formats.dagman.keywords import Keyword
from eligo.formats.dagman.lines import logical_lines
from eligo.formats.storage import Source

__all__ = ["looks_like_dagman"]

_LOOKED_AT = 200
_FEWEST_WORDS = {
    Keyword.JOB: 3, Keyword.PARENT: 4, Keyword.VARS: 3, Keyword.PRIORITY: 3, Keyword.RETRY: 3, Keyword.CATEGORY: 3,
    Keyword.SCRIPT: 4, Keyword.SUBDAG: 4, Keyword.FINAL: 3, Keyword.SERVICE: 3, Keyword.PROVISIONER: 3,
    Keyword.SPLICE: 3,
}  # fmt: skip


def looks_like_dagman(head: str) -> bool:
    r"""Tell whether half of the first lines are DAGMan commands, or all are comments.

    Examples
    --------
    >>> looks_like_dagman("parent\tchild\na\tb\n"), looks_like_dagman("PARENT a CHILD b\n")
    (False, True)
    """
    known = seen = comments = 0
    data = head.encode("utf-8", "surrogateescape")
    if b"\0" in data:
        return False
    for line in logical_lines(Source("", data)):
        if line.kind is None:
            comments += data[line.begin : line.end].lstrip().startswith(b"#")
            continue
        seen += 1
        words = data[line.begin : line.end].replace(b"\\\n", b" ").split(maxsplit=4)
        child = line.kind is not Keyword.PARENT or b"CHILD" in data[line.begin : line.end].upper().split()
        known += line.kind is not Keyword.UNKNOWN and len(words) >= _FEWEST_WORDS.get(line.kind, 1) and child
        if seen == _LOOKED_AT:
            break
    return 2 * known >= seen if known else seen == 0 and comments > 0
