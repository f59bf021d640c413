r"""Priorities into a DAG file, and out of it again, without touching a line of the user's.

Two styles:

* ``priority``: a PRIORITY line for each job, in a marked block at the end of the file. DAGMan hands the number to the
  queue and also orders by it what it holds back.
* ``vars``, as in paper 002, Fig. 3: ``VARS job jobpriority="n"`` in the block, and ``priority = $(jobpriority)`` in
  every submit description. A SUBDAG has none; it gets a PRIORITY line.

The block stands at the end, since jobs of an included file can be named only after its INCLUDE, and since DAGMan takes
the last word where there are several. Invariant: ``instrument`` first takes out what it finds of ours, so its result
depends on the user's file and the wish alone; and ``uninstrument`` of it is the user's file.

Which jobs keep a priority of the user's is settled on columns (``given.py``), and so is which submit descriptions
there are (``submits.py``). Cost: O(bytes) and a few array operations, plus what the submit files cost that are opened:
all where they may have to change, else the first thousand.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from eligo import _core
from eligo.dag import Int32
from eligo.formats.base import Document
from eligo.formats.dagman import parse
from eligo.formats.dagman.dependencies import add as add_dependencies
from eligo.formats.dagman.dependencies import original as without_dependencies
from eligo.formats.dagman.details import Details
from eligo.formats.dagman.flat import flatten
from eligo.formats.dagman.lock import refuse_if_running
from eligo.formats.dagman.marked import Taken, take_out
from eligo.formats.dagman.styles import Request, with_priority_lines, with_variables
from eligo.formats.dagman.subdags import follow_subdags, subdags
from eligo.formats.dagman.submit_priorities import restore
from eligo.formats.dagman.submits import Submits
from eligo.formats.dagman.unit import Unit
from eligo.formats.instrumenting import Instrumented, Wish
from eligo.formats.storage import Source

__all__ = ["flattened", "follow_subdags", "instrument", "original", "refuse_if_running", "subdags", "uninstrument"]

_CHANGED = "the lines between eligo's marks were changed by hand"
_CHANGED_HINT = "move those you want to keep out of there; --replace writes all anew, --remove takes them out"


def original(source: Source) -> Source:
    r"""Return a DAG file as it was before :func:`instrument`, for reading: our lines may name a job that is gone.

    Examples
    --------
    >>> import numpy as np
    >>> source = Source("x.dag", b"JOB a a.sub\n")
    >>> marked = instrument(parse(source), np.array([1], np.int32), Wish()).data
    >>> original(Source("x.dag", marked)) == source
    True
    """
    return Source(source.path, take_out(source).data)


def instrument(document: Document, priorities: Int32, wish: Wish) -> Instrumented:
    r"""Return a DAG with a priority for each job.

    Raises
    ------
    ParseError
        A job is inside a splice, which the file has no name for; or our marks are damaged.

    Examples
    --------
    >>> import numpy as np
    >>> document = parse(Source("x.dag", b"JOB a a.sub\nJOB b b.sub\nPARENT a CHILD b\n"))
    >>> marked = instrument(document, np.array([2, 1], np.int32), Wish()).data
    >>> marked.splitlines()[4:6]
    [b'PRIORITY a 2', b'PRIORITY b 1']
    >>> instrument(parse(Source("x.dag", marked)), np.array([2, 1], np.int32), Wish()).data == marked
    True
    """
    old = take_out(document.source)
    warnings = []
    if old.changed is not None:
        if not wish.replace:
            raise document.source.error(old.changed, _CHANGED, hint=_CHANGED_HINT)
        warnings.append(f"{document.source.path}:{old.changed}: {_CHANGED}; they are written anew")
    details = _details(document, old)
    _refuse_splices(details.root)
    origin = None if document.origin is None else document.origin.details
    request = Request(details, document.dag.names, priorities, wish.replace, old.beyond, origin, warnings)
    return with_variables(request) if wish.style == "vars" else with_priority_lines(request)


def uninstrument(document: Document) -> Instrumented:
    r"""Return a DAG and its submit files without what :func:`instrument` put there.

    Examples
    --------
    >>> import numpy as np
    >>> source = Source("x.dag", b"JOB a a.sub")
    >>> marked = instrument(parse(source), np.array([1], np.int32), Wish()).data
    >>> uninstrument(parse(Source("x.dag", marked))).data
    b'JOB a a.sub'
    """
    old = take_out(document.source)
    where = f"{document.source.path}:{old.changed}: "
    warnings = (f"{where}{_CHANGED}; they are taken out",) if old.changed is not None else ()
    details = document.details
    assert isinstance(details, Details)
    others = restore(details, Submits(details.root)) if old.beyond else ()
    return Instrumented(old.data, others, warnings=warnings, others_first=True)


def flattened(document: Document) -> Document:
    r"""Return a DAG as one file without splices and includes, and without our priorities; jobs keep their numbers.

    Dependencies that we added, where the document has them, are marked as ours again. Its lines are in no file of the
    user's: what is said of them later goes by its `origin`.

    Examples
    --------
    >>> flattened(parse(Source("x.dag", b"job a a.sub\n"))).source.data
    b'JOB a a.sub\n'
    """
    bare, _ = without_dependencies(Source(document.source.path, take_out(document.source).data))
    plain = document if document.details.sources[0].data == bare.data else parse(bare)
    flat = parse(Source(bare.path, flatten(plain).encode("utf-8", "surrogateescape")))
    had, dag = plain.dag, document.dag
    ours = ~_core.has_edge(had.succ_ptr, had.succ, dag.tails, dag.heads).view(np.bool_)
    if ours.any():
        flat = parse(Source(bare.path, add_dependencies(flat, dag.tails[ours], dag.heads[ours]).data))
    return replace(flat, origin=plain)


def _details(document: Document, old: Taken) -> Details:
    """Return what the file says without our lines; it is read again where the document has them."""
    details = document.details
    assert isinstance(details, Details)
    if details.sources[0].data == old.data:
        return details
    again = parse(Source(document.source.path, old.data)).details
    assert isinstance(again, Details)
    return again


def _refuse_splices(unit: Unit) -> None:
    for use in unit.instances:
        if use.unit.count:
            file = unit.files[use.file]
            raise file.source.error(
                file.line_of(use.at),
                f"the jobs of splice {use.name!r} cannot have priorities: a DAG file has no name for them",
                hint="write the DAG without splices: --flatten",
            )
