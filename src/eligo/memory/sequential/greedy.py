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
from eligo.memory.sequential.peak import peak_of

__all__ = ["RULES", "try_forests", "try_greedy"]

RULES = ("least-net", "least-behind", "least-share", "newest", "steepest")
"""Which of the jobs that raise the memory goes first; in the order of the kernel."""

_RULES_WHEN_LARGE = ("least-behind", "newest")
_RULES_WHEN_HUGE = ("least-behind",)
_LARGE, _HUGE = 200_000, 600_000
_FOREST_WORK = 1_500_000
"""How many nodes all forests together may have; one is solved in any case."""


def try_greedy(costs: _core.Costs, candidates: Candidates) -> None:
    """Try all rules, forwards and backwards; on large dags the two that differ most, on huge ones the best."""
    rules = _RULES_WHEN_HUGE if costs.nodes > _HUGE else _RULES_WHEN_LARGE if costs.nodes > _LARGE else RULES
    for rule in rules:
        candidates.try_order(rule, costs.greedy(RULES.index(rule), False))
        candidates.try_order(f"{rule}-backwards", costs.greedy(RULES.index(rule), True))


def try_forests(costs: _core.Costs, candidates: Candidates) -> None:
    """Improve the orders so far, the best first, within a budget of work."""
    rounds_left = max(1, _FOREST_WORK // max(1, costs.nodes))
    starts = sorted(candidates.orders, key=lambda method: candidates.peaks[method])
    for order in [candidates.orders[method] for method in starts]:
        if candidates.proved or rounds_left <= 0:
            return
        rounds_left -= _improve(costs, candidates, order, min(8, rounds_left))


def _improve(costs: _core.Costs, candidates: Candidates, order: Int32, rounds: int) -> int:
    """Solve forests made from one order, in turns from both ends, until it stops helping; return how many."""
    lowest, since = peak_of(candidates.footprint, order), 0
    for turn in range(rounds):
        order = costs.by_forest(order, turn % 2 == 1)
        peak = candidates.try_order("forest", order)
        since = 0 if peak < lowest else since + 1
        lowest = min(peak, lowest)
        if since == 3:
            return turn + 1
    return rounds
