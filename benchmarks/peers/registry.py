"""The peers: what they are called, where they come from, what they are asked."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["PEERS", "Disagreement", "LeftOut", "Peer", "Values"]

Values = dict[str, float]
"""What came of one question on one workflow; times in seconds."""


class Disagreement(AssertionError):  # noqa: N818 - of two, and nobody knows yet whose error it is
    """A peer and we came to different results: one of us is wrong."""


class LeftOut(Exception):  # noqa: N818 - no error
    """A question is not asked of a peer on some workflow; the text says why."""


class Peer(NamedTuple):
    """A library to compare with.

    Attributes
    ----------
    title
        What tables call it.
    module
        The module that asks it; it imports the library and has ``QUESTIONS``, a function for each.
    distribution
        What pip calls it.
    extra
        The extra of ours that brings it.
    questions
        What it is asked.
    """

    title: str
    module: str
    distribution: str
    extra: str
    questions: tuple[str, ...]


PEERS = (
    Peer("dask.order", "benchmarks.peers.with_dask", "dask", "dask", ("orders",)),
    Peer("rustworkx", "benchmarks.peers.with_rustworkx", "rustworkx", "graphs", ("sort", "reduction")),
    Peer("networkx", "benchmarks.peers.with_networkx", "networkx", "graphs", ("sort", "reduction")),
    Peer("OR-Tools", "benchmarks.peers.with_ortools", "ortools", "bench", ("closure",)),
    Peer("igraph", "benchmarks.peers.with_igraph", "igraph", "bench", ("closure",)),
    Peer("HiGHS", "benchmarks.peers.with_highs", "highspy", "solver", ("closure",)),
)
