"""HTCondor DAGMan: the whole language, read as DAGMan reads it, lossless.

The syntax is that of HTCondor 25; where version 23.9 knows a command, the real 23.9 is the judge of what is accepted.
SPLICE and INCLUDE are followed, a SUBDAG is one job, FINAL, PROVISIONER and SERVICE nodes stand outside the graph, join
nodes are never made, and cycles are refused. Relative paths begin at the directory of the DAG file, as when it is
submitted there, or else at the current one. See ``docs/formats/dagman.md``.

Tells DAGMan files from the other languages that use the suffix ``.dag``, and from edge lists.
"""

from __future__ import annotations

from collections.abc import Iterator

from eligo import _core
from eligo.dag import Dag
from eligo.formats._base import Document, EdgeRule, Notes
from eligo.formats._dagman.build_dag import assemble
from eligo.formats._dagman.details import Details, NodeDetails
from eligo.formats._dagman.lines import LogicalLine, logical_lines
from eligo.formats._dagman.reader import read_unit
from eligo.formats._dagman.tokens import Keyword
from eligo.formats._dagman.writer import flat_names, flatten, write_lines
from eligo.formats._source import Source

__all__ = [
    "NAME",
    "TITLE",
    "Details",
    "LogicalLine",
    "NodeDetails",
    "flat_names",
    "flatten",
    "generate",
    "logical_lines",
    "looks_like_dagman",
    "parse",
    "sniff",
]

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


NAME = "dagman"
TITLE = "HTCondor DAGMan"


def sniff(head: str) -> bool:
    r"""Tell whether a text begins like a DAG file.

    Examples
    --------
    >>> sniff("# a diamond\nJob A A.sub\n"), sniff("FILE a 3\nTASK t x 1.0\n"), sniff("digraph { a -> b }")
    (True, False, False)
    """
    return looks_like_dagman(head)


def parse(source: Source, edges: EdgeRule | None = None) -> Document:
    r"""Read a DAG file with all it includes and splices; its edges are declared, so `edges` changes nothing.

    Examples
    --------
    >>> parse(Source("x.dag", b"JOB a a.sub\nJOB b b.sub\nPARENT a CHILD b\n")).dag
    Dag(2 jobs, 1 edge)
    >>> parse(Source("x.dag", b"PARENT a CHILD b\n"))
    Traceback (most recent call last):
        ...
    eligo.errors.ParseError: x.dag:1: unknown job 'a'
    hint: declare it with JOB; names are case-sensitive
    """
    notes = Notes()
    unit = read_unit(source, notes, _core.DagmanScan)
    dag = assemble(unit, notes)
    return Document(dag, NAME, source, notes.texts(), Details(unit))


def generate(dag: Dag, lost: Notes) -> Iterator[str]:
    """Yield a DAG file that DAGMan runs as it is: each job sleeps for its time.

    Examples
    --------
    >>> text = "".join(generate(Dag.from_names([("a", "b")]), Notes()))
    >>> [line for line in text.splitlines() if line.startswith(("JOB", "PARENT"))]
    ['JOB a eligo', 'JOB b eligo', 'PARENT a CHILD b']
    """
    return write_lines(dag, lost)
