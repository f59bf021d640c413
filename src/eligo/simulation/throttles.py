"""The throttles that a DAGMan file asks for: how many jobs of each CATEGORY may be in the queue at once."""

from __future__ import annotations

import numpy as np

from eligo.dag import Int32
from eligo.errors import EligoError
from eligo.formats.base import Document
from eligo.formats.dagman.details import Details
from eligo.simulation.grid import Throttle

__all__ = ["throttle_of"]


def throttle_of(
    document: Document, *, max_jobs: int | None = None, max_idle: int | None = None, categories: bool = False
) -> Throttle | None:
    r"""Return what holds jobs of a workflow back, or ``None`` where nothing does.

    Parameters
    ----------
    max_jobs, max_idle
        As ``-maxjobs`` and ``-maxidle`` of ``condor_submit_dag``.
    categories
        Whether to obey CATEGORY and MAXJOBS in the file.

    Raises
    ------
    EligoError
        There are no categories with a limit in the file.

    Examples
    --------
    >>> from eligo.formats.dagman import parse
    >>> from eligo.formats.storage import Source
    >>> text = b"JOB a a.sub\nJOB b b.sub\nCATEGORY b big\nMAXJOBS big 2\n"
    >>> throttle = throttle_of(parse(Source("x.dag", text), None), categories=True)
    >>> throttle.category.tolist(), throttle.category_max.tolist()
    ([-1, 0], [2])
    """
    category, most = _categories(document) if categories else (None, None)
    if max_jobs is None and max_idle is None and category is None:
        return None
    return Throttle(max_jobs, max_idle, category, most)


def _categories(document: Document) -> tuple[Int32, Int32]:
    details, path = document.details, document.source.path
    limits = details.maxjobs if isinstance(details, Details) else {}
    if not isinstance(details, Details) or not limits:
        raise EligoError(f"{path}: no category has a limit", hint="a DAGMan file limits one by MAXJOBS category number")
    number = {name: place for place, name in enumerate(limits)}
    own = (details.job(job).category for job in range(document.dag.n))
    category = np.array([-1 if name is None else number.get(name, -1) for name in own], np.int32)
    most = np.array([min(limit, 2**31 - 1) for limit in limits.values()], np.int32)
    return category, most
