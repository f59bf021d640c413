"""HTCondor DAGMan: the whole language, read as DAGMan reads it, lossless.

The syntax is that of HTCondor 25; where version 23.9 knows a command, the real 23.9 is the judge of what is accepted.
SPLICE and INCLUDE are followed, a SUBDAG is one job, FINAL, PROVISIONER and SERVICE nodes stand outside the graph, join nodes are
never made, and cycles are refused. Relative paths begin at the directory of the DAG file, as when it is submitted there,
or else at the current one.
"""

from __future__ import annotations

from eligo import _core
from eligo.dag import Dag
from eligo.errors import CycleError
from eligo.formats.base import Document, EdgeRule, Notes
from eligo.formats.dagman.assemble import assemble
from eligo.formats.dagman.reader import read_unit
from eligo.formats.storage import Source

NAME = "dagman"
TITLE = "HTCondor-DAGMan"
SUFFIXES = (".dag",)


def sniff(head: str) -> bool:
    return False


def parse(source: Source, edges: EdgeRule | None) -> Document:
    notes = Notes()
    unit = read_unit(source, notes, _core.DagmanScan)
    dag, details = assemble(unit, notes)
    return Document(dag, NAME, source, notes.texts(), details)
