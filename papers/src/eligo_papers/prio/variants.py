"""The workflows of paper 002 with one thing changed: what decides for which batches prioritising pays most?

Nothing of the real dags is known but their sizes and a sentence or two on each. Here are dags that differ from the
generated ones in one feature: how deep the handle of AIRSN is, how many groups of Inspiral hang together, whether a
mosaic has one background model or several, in which order jobs stand in the file. All but those of Inspiral fit the
sentences as well as the generated ones do.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Any

import numpy as np

from eligo import generate, graph
from eligo.dag import Dag, Int64

__all__ = ["VARIANTS", "airsn_with_levels", "inspiral_tied", "montage_in_plates", "shuffled"]


def shuffled(of: Mapping[str, Any], seed: int) -> Dag:
    """Return a workflow whose jobs stand in the file in a random order.

    Examples
    --------
    >>> dag = shuffled({"family": "airsn", "arguments": {"width": 8}}, 1)
    >>> dag, dag.names[:3]
    (Dag(47 jobs, 60 edges), ('handle_15', 'handle_12', 'first_2'))
    """
    from eligo_papers.prio.workflows import dag_of

    dag = dag_of(of)
    return graph.relabel(dag, np.random.Generator(np.random.PCG64(seed)).permutation(dag.n))


def airsn_with_levels(width: int, levels: int, handle: int = 21) -> Dag:
    """Return AIRSN with a handle of so many levels instead of a chain: parallel chains that its last job joins.

    Examples
    --------
    >>> from eligo.graph import critical_path
    >>> [len(critical_path(airsn_with_levels(8, levels)).jobs) for levels in (21, 5)]
    [25, 9]
    """
    dag = generate.airsn(width, handle)
    stem = np.array([dag.index(f"handle_{i}") for i in range(handle)])
    tails, heads = dag.tails, dag.heads
    keep = ~(np.isin(tails, stem) & np.isin(heads, stem))
    new: list[tuple[int, int]] = []
    rows = np.array_split(stem[:-1], levels - 1)
    for above, below in pairwise(rows):  # a later row is as long or one shorter
        new += [(int(job), int(below[min(i, len(below) - 1)])) for i, job in enumerate(above)]
    new += [(int(job), int(stem[-1])) for job in rows[-1]]
    added = np.array(new)
    return Dag.from_edges(
        list(dag.names), np.concatenate([tails[keep], added[:, 0]]), np.concatenate([heads[keep], added[:, 1]])
    )


def inspiral_tied(jobs: int, share: float) -> Dag:
    """Return an Inspiral-like dag in which that share of the groups, from the first on, is tied to its neighbours.

    Examples
    --------
    >>> generate.inspiral(300).m, inspiral_tied(300, 0).m, inspiral_tied(300, 1).m
    (368, 360, 370)
    """
    dag = generate.inspiral(jobs)
    kind = np.array([name.partition("_")[0] for name in dag.names])
    groups = np.flatnonzero(kind == "Thinca")
    last = np.flatnonzero(kind == "Coinc")
    keep = ~((kind[dag.tails] == "Inspiral") & (kind[dag.heads] == "Coinc"))
    tails, heads = [dag.tails[keep]], [dag.heads[keep]]
    for right in range(1, round(share * len(groups))):
        of_left, of_right = dag.parents(int(groups[right - 1])), dag.parents(int(groups[right]))
        tails.append(np.array([of_left[-1], of_right[0]]))
        heads.append(last[[right, right - 1]])
    return Dag.from_edges(list(dag.names), np.concatenate(tails), np.concatenate(heads))


_JOINT = ("mImgTbl", "mAdd", "mShrink", "mJPEG")


def montage_in_plates(jobs: int, plates: int) -> Dag:
    """Return a Montage-like dag of several plates, each with a background model of its own, added up in the end.

    Examples
    --------
    >>> dag = montage_in_plates(300, 3)
    >>> dag.n, [dag.names[job] for job in graph.sinks(dag)], len(dag.parents(dag.index("mImgTbl")))
    (300, ['mJPEG'], 57)
    """
    names: list[str] = []
    tails: list[Int64] = []
    heads: list[Int64] = []
    joint: list[int] = []
    whole = jobs - len(_JOINT)
    for plate in range(plates):
        own = whole // plates + (plate < whole % plates)
        part = generate.montage(own + len(_JOINT), seed=plate)
        number = np.full(part.n, -1, np.int64)
        kept = np.array([name not in _JOINT for name in part.names])
        number[kept] = len(names) + np.arange(own)
        names += [f"{name}_{plate}" for name, stays in zip(part.names, kept.tolist(), strict=True) if stays]
        inner = kept[part.tails] & kept[part.heads]
        tails.append(number[part.tails[inner]])
        heads.append(number[part.heads[inner]])
        joint += number[part.parents(part.index(_JOINT[0]))].tolist()
    table = len(names)
    names += _JOINT
    tails += [np.array(joint), table + np.arange(len(_JOINT) - 1)]
    heads += [np.full(len(joint), table), table + 1 + np.arange(len(_JOINT) - 1)]
    return Dag.from_edges(names, np.concatenate(tails), np.concatenate(heads))


VARIANTS: dict[str, Callable[..., Dag]] = {
    "shuffled": shuffled,
    "airsn-with-levels": airsn_with_levels,
    "inspiral-tied": inspiral_tied,
    "montage-in-plates": montage_in_plates,
}
"""By name, as sources tell them."""
