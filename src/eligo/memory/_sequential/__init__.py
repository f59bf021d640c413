"""How low can one go: orders in which jobs run one after the other, with a small peak of memory.

* ``peak``: what an order occupies
* ``traversals``: depth first, breadth first, and mixtures of both
* ``costs``: the dag as the searches take it; ``candidates``, ``result``: what they come to
* ``series_parallel``: the least peak of trees and series-parallel dags
* ``greedy``: good orders of any dag in near-linear time
* ``least``: the least peak of small dags by search, beams for larger ones, and proofs
* ``best``: the best of all
"""

from __future__ import annotations

from eligo.memory._sequential.least_peak import Sequential, least_peak, orders_within, sequential, series_parallel
from eligo.memory._sequential.sequential_peak import alpha_bfs_dfs, alpha_search, bfs, dfs, memory_along, peak_of

__all__ = [
    "Sequential",
    "alpha_bfs_dfs",
    "alpha_search",
    "bfs",
    "dfs",
    "least_peak",
    "memory_along",
    "orders_within",
    "peak_of",
    "sequential",
    "series_parallel",
]
