"""What jobs occupy when they run one after the other in a given order.

A job starts (its outputs and what it holds while running are allocated), then ends (what it held goes, and every datum
of which it was the last reader). In the simple model both are one moment. A datum goes with the last of its readers in
the order, so one pass over the data and one over the jobs suffice: O(n + readers).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from eligo import _core
from eligo.dag import Int32, Int64
from eligo.memory.footprint import Footprint

__all__ = ["Arrays", "arrays_of", "memory_along", "peak_of"]

Arrays = tuple[Int64, Int64, Int32, Int64, Int32, bool]


def memory_along(footprint: Footprint, order: ArrayLike) -> Int64:
    """Return what is occupied before the first job, then during and after each: 2n + 1 values.

    Parameters
    ----------
    order
        Every job once; parents before children.

    Examples
    --------
    >>> from eligo.memory.models import Dag, Data, footprint
    >>> dag = Dag.from_names([("a", "b"), ("a", "c")])
    >>> dag = dag.with_known(data=Data.build([10, 1], producer=[0, 1], readers=[[1, 2], []]))
    >>> memory_along(footprint(dag, "shared"), [0, 1, 2]).tolist()
    [0, 10, 10, 11, 11, 11, 1]
    """
    return _core.memory_along(*arrays_of(footprint), _permutation(footprint, order))


def peak_of(footprint: Footprint, order: ArrayLike) -> int:
    """Return the most that is occupied at any time if the jobs run one after the other in this order.

    Examples
    --------
    >>> from eligo.memory.models import Dag, Data, footprint
    >>> dag = Dag.from_names([("a", "b"), ("a", "c")])
    >>> dag = dag.with_known(data=Data.build([10, 1], producer=[0, 1], readers=[[1, 2], []]))
    >>> peak_of(footprint(dag, "shared"), [0, 1, 2]), peak_of(footprint(dag, "shared"), [0, 2, 1])
    (11, 11)
    """
    return _core.peak_along(*arrays_of(footprint), _permutation(footprint, order))


def arrays_of(footprint: Footprint) -> Arrays:
    """Return the arrays of a footprint in the order in which the kernels take them."""
    return (
        footprint.running,
        footprint.size,
        footprint.producer,
        footprint.reader_ptr,
        footprint.readers,
        footprint.rules.one_event,
    )


def _permutation(footprint: Footprint, order: ArrayLike) -> Int32:
    jobs = np.ascontiguousarray(order, np.int32)
    n = footprint.dag.n
    if jobs.shape != (n,) or (n and (jobs.min() < 0 or jobs.max() >= n or np.bincount(jobs, minlength=n).max() > 1)):
        raise ValueError(f"an order must name each of the {n} jobs once")
    return jobs
