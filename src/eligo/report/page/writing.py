"""A page in one call, for those who have a dag in Python."""

from __future__ import annotations

import os
from collections.abc import Sequence

from eligo.dag import Dag
from eligo.formats.storage import replace_file
from eligo.memory.limiting import limit
from eligo.memory.models import footprint
from eligo.report.page.findings import STRATEGIES, Findings, Wish, find, footprint_or_reason
from eligo.report.page.rendering import render

__all__ = ["write_page"]


def write_page(
    dag: Dag,
    path: str | os.PathLike[str],
    *,
    name: str = "workflow",
    strategies: Sequence[str] = STRATEGIES,
    memory: int | None = None,
    model: str | None = None,
    workers: int | None = None,
) -> Findings:
    """Write a page about a dag, and return what is on it; `eligo report` does the same for a file.

    Parameters
    ----------
    name
        What the page calls it.
    strategies
        Of ``prioritize``, the one that claims are about first.
    memory, model
        A limit that is kept, in bytes (pebbles), and how memory is counted, as :func:`eligo.limit` has it.
    workers
        How many execute the strategies; by default as many as jobs are ready on average under fifo.

    Raises
    ------
    EligoError
        A limit or a model was asked for and sizes are not known, the limit cannot be kept, or the file cannot be
        written.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     found = write_page(Dag.from_names([("a", "b"), ("a", "c")]), f"{folder}/fork.html", name="fork")
    >>> found.best.claim, found.memory
    ('ic-optimal', None)
    """
    wanted = memory is not None or model is not None
    held, without = (footprint(dag, model), "") if wanted else footprint_or_reason(dag)
    limited = None if memory is None or held is None else limit(held, memory)
    found = find(
        dag if limited is None else limited.dag,
        Wish(tuple(strategies), workers),
        path=name,
        plain=dag,
        footprint=held,
        without_memory=without,
        limited=limited,
    )
    replace_file(path, [render(found)])
    return found
