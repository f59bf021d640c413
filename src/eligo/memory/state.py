"""What is occupied in a state: which jobs have started, and which have ended."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from eligo.dag import OUTSIDE
from eligo.memory.footprint import Footprint

__all__ = ["Bools", "occupied", "present"]

Bools = NDArray[np.bool_]


def occupied(footprint: Footprint, started: Bools, ended: Bools) -> int:
    """Return what is occupied when these jobs have started and these have ended.

    Examples
    --------
    >>> from eligo.dag import Dag, Data
    >>> from eligo.memory.models import footprint
    >>> dag = Dag.from_names([("a", "b")])
    >>> print_ = footprint(dag.with_known(data=Data.build([10], [0], [[1]], ["file"])))
    >>> occupied(print_, np.array([True, True]), np.array([True, False]))
    10
    """
    running = 0 if footprint.rules.one_event else int(footprint.running[started & ~ended].sum())
    return running + int(footprint.size[present(footprint, started, ended)].sum())


def present(footprint: Footprint, started: Bools, ended: Bools) -> Bools:
    """Return which data of the footprint are there then."""
    if footprint.k == 0:
        return np.zeros(0, np.bool_)
    gone = started if footprint.rules.one_event else ended
    left = np.concatenate(([0], np.cumsum(~gone[footprint.readers])))
    unread = left[footprint.reader_ptr[1:]] > left[footprint.reader_ptr[:-1]]
    made = footprint.producer == OUTSIDE
    made[~made] = started[footprint.producer[~made]]
    there: Bools = made & (unread | (footprint.reader_ptr[1:] == footprint.reader_ptr[:-1]))
    return there
