"""HTCondor DAGMan: the whole language, read as DAGMan reads it, lossless.

The syntax is that of HTCondor 25; where version 23.9 knows a command, the real 23.9 is the judge of what is accepted.
SPLICE and INCLUDE are followed, a SUBDAG is one job, FINAL, PROVISIONER and SERVICE nodes stand outside the graph, join
nodes are never made, and cycles are refused. Relative paths begin at the directory of the DAG file, as when it is
submitted there, or else at the current one. See ``docs/formats/dagman.md``.
"""

from __future__ import annotations

from collections.abc import Iterator

from eligo import _core
from eligo.dag import Dag
from eligo.formats.base import Document, EdgeRule, Notes
from eligo.formats.dagman.assemble import assemble
from eligo.formats.dagman.details import Details, NodeDetails
from eligo.formats.dagman.flat import flat_names, flatten
from eligo.formats.dagman.lines import LogicalLine, logical_lines
from eligo.formats.dagman.reader import read_unit
from eligo.formats.dagman.sniff import looks_like_dagman
from eligo.formats.dagman.writer import write_lines
from eligo.formats.storage import Source

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
    "parse",
    "sniff",
]

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
