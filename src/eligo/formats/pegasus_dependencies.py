r"""Dependencies in Pegasus workflows: entries of ``jobDependencies``, which may name a parent more than once.

How they are written, and how ours can be told from the user's: :mod:`eligo.formats.pegasus_yaml_dependencies`, and for
workflows in JSON :mod:`eligo.formats.pegasus_json_dependencies`.
"""

from __future__ import annotations

from eligo.dag import Int32
from eligo.formats import pegasus_json_dependencies, pegasus_yaml_dependencies
from eligo.formats.base import Document
from eligo.formats.instrumenting import Instrumented
from eligo.formats.json_spans import is_object
from eligo.formats.pegasus_added import take_out
from eligo.formats.pegasus_yaml_dependencies import NoListError
from eligo.formats.storage import Source
from eligo.formats.text_edits import rewrite

__all__ = ["add", "original"]


def add(document: Document, tails: Int32, heads: Int32) -> Instrumented:
    r"""Return the file, which has none of ours, with dependencies.

    Raises
    ------
    ParseError
        ``jobDependencies`` is written in a way that has no place for them.

    Examples
    --------
    >>> import numpy as np
    >>> from eligo.formats.pegasus import parse
    >>> text = b"pegasus: '5.0'\njobs: [{id: a}, {id: b}, {id: c}]\njobDependencies:\n- id: a\n  children: [b]\n"
    >>> document = parse(Source("w.yml", text), None)
    >>> print(add(document, np.array([0, 1], np.int32), np.array([2, 2], np.int32)).data.decode()[49:], end="")
    jobDependencies:
    - {id: a, children: [c]} # eligo limit
    - {id: b, children: [c]} # eligo limit
    - id: a
      children: [b]
    """
    source, ids = document.source, document.details.ids
    text = source.text()
    children: dict[str, list[str]] = {}
    for tail, head in zip(tails.tolist(), heads.tolist(), strict=True):
        children.setdefault(ids[tail], []).append(ids[head])
    try:
        edits = (pegasus_json_dependencies if is_object(text) else pegasus_yaml_dependencies).added(text, children)
    except NoListError as error:
        raise source.error(
            text.count("\n", 0, error.at) + 1,
            "jobDependencies is written in a way that has no place for dependencies of ours",
            hint="make it a plain list, each entry on lines of its own, and end the file with a line end",
        ) from None
    return Instrumented(rewrite(source, edits), written=len(tails))


def original(source: Source) -> tuple[Source, tuple[str, ...]]:
    r"""Return the file without our dependencies.

    Examples
    --------
    >>> text = b"jobs: [{id: a}, {id: b}]\njobDependencies: # eligo limit\n- {id: a, children: [b]} # eligo limit\n"
    >>> original(Source("w.yml", text))[0].data
    b'jobs: [{id: a}, {id: b}]\n'
    """
    return Source(source.path, rewrite(source, take_out(source.text()).edits)), ()
