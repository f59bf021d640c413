"""Orders of small peak for any dag, in near-linear time.

*Greedy*: what does not raise the memory runs at once; of the rest, a rule takes the most promising. The rules, and
what they count: ``native/core/sequential_greedy.hpp``. Each rule also looks from behind: on the dag turned round in
time an order has the same peak, and where jobs come together it is often the easier end to start from.

*Forest*: a good order tells for which of its parents a job waits longest. With these alone the dag is a forest, which
is solved exactly and ranks the jobs anew (``native/core/sequential_forest.hpp``). Forwards and backwards in turn, as
long as it helps.

Both work on the folded dag: whatever is series-parallel is already in its best order.
"""

from __future__ import annotations

from eligo import _core
from eligo.dag import Int32
from eligo.memory.sequential.candidates import Candidates

__all__ = ["RULES", "try_forests", "try_greedy"]

RULES = ("least-net", "least-behind", "least-share", "newest", "steepest")
"""Which of the jobs that raise the memory goes first; in the order of the kernel."""

_RULES_WHEN_LARGE = ("least-behind", "newest")
_LARGE = 200_000
_ROUNDS = 8


def try_greedy(costs: _core.Costs, candidates: Candidates) -> None:
    """Try all rules, forwards and backwards; on large dags the two that differ most."""
    rules = _RULES_WHEN_LARGE if costs.nodes > _LARGE else RULES
    for rule in rules:
        candidates.try_order(rule, costs.greedy(RULES.index(rule), False))
        candidates.try_order(f"{rule}-backwards", costs.greedy(RULES.index(rule), True))


def try_forests(costs: _core.Costs, candidates: Candidates) -> None:
    """Improve the orders of the greedy rules, the best first; on large dags only that."""
    methods = sorted(candidates.orders, key=lambda method: candidates.peaks[method])
    starts = [candidates.orders[method] for method in methods]
    if costs.nodes > _LARGE:
        _improve(costs, candidates, starts[0], 2)
        return
    for order in starts:
        if candidates.proved:
            return
        _improve(costs, candidates, order, _ROUNDS)


def _improve(costs: _core.Costs, candidates: Candidates, order: Int32, rounds: int) -> None:
    peaks: list[int] = []
    for turn in range(rounds):
        order = costs.by_forest(order, turn % 2 == 1)
        peaks.append(candidates.try_order("forest", order))
        if len(peaks) > 3 and min(peaks[-2:]) >= min(peaks[:-2]):
            return
