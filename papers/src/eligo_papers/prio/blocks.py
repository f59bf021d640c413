"""What workflows are made of: the components into which ``prio`` cuts them, and which of them are bipartite."""

from __future__ import annotations

from typing import Any

import numpy as np

from eligo import graph
from eligo.dag import Dag
from eligo.priority._decompose import Blocks, decompose

__all__ = ["component_facts"]


def component_facts(dag: Dag) -> dict[str, Any]:
    """Return what is printed of components.

    Returns
    -------
    dict
        ``bipartite``: of the largest bipartite component that is neither a fork nor a join the number of jobs, and the
        smallest and largest number of children of its sources; zeros where there is none. ``other``: the jobs of the
        largest one that is not bipartite. ``within``: how many jobs are in bipartite ones only. ``count``: how many
        components are bipartite, and how many there are.

    Examples
    --------
    >>> from eligo import generate
    >>> component_facts(generate.airsn(8))
    {'bipartite': [17, 1, 8], 'other': 0, 'within': 47, 'count': [24, 24]}
    """
    blocks = decompose(graph.remove_shortcuts(dag))
    sizes = _sizes(blocks)
    wide = blocks.bipartite & (np.diff(blocks.nonsink_ptr) > 1) & (np.diff(blocks.head_ptr) > 1)
    largest = [0, 0, 0]
    if wide.any():
        one = int(np.argmax(np.where(wide, sizes, 0)))
        children = np.diff(blocks.dag.succ_ptr)[blocks.nonsinks_of(one)]
        largest = [int(sizes[one]), int(children.min()), int(children.max())]
    odd = np.append(~blocks.bipartite, False)  # the last is for jobs in none, which have block -1
    return {
        "bipartite": largest,
        "other": int(sizes[~blocks.bipartite].max(initial=0)),
        "within": int(np.count_nonzero(~(odd[blocks.of] | odd[blocks.into]))),
        "count": [int(np.count_nonzero(blocks.bipartite)), blocks.count],
    }


def _sizes(blocks: Blocks) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Return how many jobs each block has; one that is both its head and a non-sink of it counts once."""
    twice = blocks.of[(blocks.of >= 0) & (blocks.of == blocks.into)]
    both = np.diff(blocks.nonsink_ptr) + np.diff(blocks.head_ptr)
    counts: np.ndarray[Any, np.dtype[np.int64]] = both - np.bincount(twice, minlength=blocks.count)
    return counts
