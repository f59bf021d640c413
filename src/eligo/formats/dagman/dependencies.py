r"""Dependencies into a DAG file, and out of it again, without touching a line of the user's.

PARENT lines in a marked block at the end of the file, behind every INCLUDE and before our priorities, if there are any
(``marked.py``). A line has one parent and all its children: with several of both, DAGMan puts a join node between them.

The jobs of a splice have no name in the file that splices it: where one of them is to wait, or to be waited for, the
DAG must be flattened first. A SUBDAG is a job like any other; FINAL, PROVISIONER and SERVICE nodes are none.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

import numpy as np

from eligo.dag import Int32
from eligo.formats.base import Document
from eligo.formats.dagman.details import Details
from eligo.formats.dagman.marked import DEPENDENCIES, append, line_end, take_out
from eligo.formats.instrumenting import Instrumented
from eligo.formats.storage import Source

__all__ = ["add", "original", "parent_lines"]

_CHANGED = "the lines between eligo's marks were changed by hand; none of them stays"


def add(document: Document, tails: Int32, heads: Int32) -> Instrumented:
    r"""Return a DAG, which has none of ours, with dependencies, given in the order of their parents.

    Raises
    ------
    ParseError
        A job is inside a splice, which the file has no name for; or our marks are damaged.

    Examples
    --------
    >>> from eligo.formats.dagman import parse
    >>> document = parse(Source("x.dag", b"JOB a a.sub\nJOB b b.sub\n"))
    >>> done = add(document, np.array([0], np.int32), np.array([1], np.int32))
    >>> print(done.data.decode(), end="")
    JOB a a.sub
    JOB b b.sub
    # >>> eligo dependencies >>> written by eligo; your own lines belong outside; taken out by: eligo limit --remove
    PARENT a CHILD b
    # <<< eligo dependencies ac879607 <<<
    """
    _refuse_spliced(document, np.union1d(tails, heads).astype(np.int32))
    source = document.source
    lines = parent_lines(document.dag.names, tails, heads, line_end(source.data))
    return Instrumented(append(source, lines, DEPENDENCIES), written=len(tails))


def original(source: Source) -> tuple[Source, tuple[str, ...]]:
    r"""Return a DAG file without our dependencies, and what there is to say of them.

    Examples
    --------
    >>> original(Source("x.dag", b"JOB a a.sub\n"))
    (Source(path='x.dag', data=b'JOB a a.sub\n'), ())
    """
    taken = take_out(source, DEPENDENCIES)
    warnings = () if taken.changed is None else (f"{source.path}:{taken.changed}: {_CHANGED}",)
    return Source(source.path, taken.data), warnings


def parent_lines(names: Sequence[str], tails: Int32, heads: Int32, end: bytes) -> bytes:
    r"""Return a PARENT line for each job with children, given in the order of their parents.

    Examples
    --------
    >>> parent_lines("abc", np.array([0, 0, 1], np.int32), np.array([1, 2, 2], np.int32), b"\n")
    b'PARENT a CHILD b c\nPARENT b CHILD c\n'
    """
    pairs = zip(tails.tolist(), heads.tolist(), strict=True)
    after = end.decode()
    lines = [
        f"PARENT {names[tail]} CHILD {' '.join([names[head] for _, head in group])}{after}"
        for tail, group in groupby(pairs, key=lambda pair: pair[0])
    ]
    return "".join(lines).encode("utf-8", "surrogateescape")


def _refuse_spliced(document: Document, jobs: Int32) -> None:
    assert isinstance(document.details, Details)
    unit = document.details.root
    for use in unit.instances:
        inside = jobs[(jobs >= use.offset) & (jobs < use.offset + use.unit.count)]
        if len(inside):
            file = unit.files[use.file]
            raise file.source.error(
                file.line_of(use.at),
                f"job {document.dag.names[inside[0]]!r} is in a splice, and a DAG file cannot make such jobs wait: it "
                "has no name for them",
                hint="write the DAG without splices: --flatten",
            )
