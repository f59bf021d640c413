"""What a step of the theory comes to: a proof, a refutation, or a failure that says why it is neither.

Orders are given with all non-sinks first; then a part of a dag, named by its non-sinks in order, has an order of its
own that a witness can refer to: those non-sinks, then its sinks as they stand in the whole.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from eligo.dag import Dag, Int32
from eligo.schedule import places

__all__ = ["Failure", "Proof", "Refutation", "nonsinks_of", "with_dropped"]


@dataclass(frozen=True, slots=True, eq=False)
class Proof:
    """An IC-optimal order of a dag's jobs, and why it is one.

    Attributes
    ----------
    order
        All jobs: non-sinks first, then the sinks, ascending.
    nonsinks
        How many of them are non-sinks.
    witness
        As a certificate holds it; jobs are named by their places in the order.
    """

    order: Int32
    nonsinks: int
    witness: dict[str, Any]


@dataclass(frozen=True, slots=True, eq=False)
class Refutation:
    """That no IC-optimal order exists, and why; the order is any, non-sinks first, and gives the jobs their places."""

    order: Int32
    nonsinks: int
    witness: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Failure:
    """Which step of the theory failed, and why.

    Attributes
    ----------
    step
        ``family``, ``blocks``, ``linearization``, ``levels``, ``series``, ``sum`` or ``exact``.
    text
        What failed, in a sentence.
    """

    step: str
    text: str


def nonsinks_of(dag: Dag) -> int:
    """Return the number of jobs with children."""
    return int((np.diff(dag.succ_ptr) > 0).sum())


def with_dropped(proof: Proof, tails: Int32, heads: Int32) -> Proof:
    """Return the proof for the dag with some more edges, all of them shortcuts, so that no order changes its profile.

    Leaving edges out can only raise the bound that a composition proves, so the checker need not believe that these
    are shortcuts: it compares the bound with what the order really does.
    """
    if not len(tails):
        return proof
    witness = proof.witness
    if witness["by"] != "composition":
        whole = {"jobs": list(range(proof.nonsinks)), "witness": witness}
        witness = {"by": "composition", "blocks": [whole], "groups": [[0]]}
    place = places(proof.order)
    dropped = np.stack([place[tails], place[heads]], axis=1).tolist()
    return Proof(proof.order, proof.nonsinks, {**witness, "dropped": dropped})
