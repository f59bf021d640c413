"""The worst peak by linear programming: Theorem 5 of paper 004, with HiGHS.

Problem: the heaviest topological cut of the event network (``network.py``). Idea: every event has a potential p, 1 for
the first and 0 for the last, that never rises along an arc; maximise the sum of m (p(tail) - p(head)) over all arcs of
weight m. Whatever the optimal potentials are, the events above 1/2 are a worst cut.

HiGHS computes in doubles, so its word is not enough. Sizes whose sum exceeds 2^53 are refused. Otherwise both halves
are checked in integers: the cut is weighed; and the dual values, rounded, must be a flow that carries at least the
weight of every arc and has the same value as the cut, so that no cut can be heavier. The answer is exact or there is
none.

Cost: that of the simplex method on one column an event and one row an arc; good for some ten thousand jobs.
"""

from __future__ import annotations

import math

from eligo.errors import EligoError
from eligo.memory.footprint import Footprint
from eligo.memory.highs import LinearProgram
from eligo.memory.network import EventNetwork, State, event_network

__all__ = ["EXACT_IN_DOUBLES", "worst_peak_by_lp"]

EXACT_IN_DOUBLES = 2**53
"""Up to here every integer is a double."""


def worst_peak_by_lp(footprint: Footprint) -> tuple[int, State]:
    """Return the most that any execution can occupy and a state in which it does.

    With shared data it is an upper bound on what any execution occupies, and the state is the one of the bound.

    Raises
    ------
    EligoError
        The sizes are too large for doubles to be exact.
    MissingExtraError
        highspy is not installed.

    Examples
    --------
    >>> from eligo.dag import Dag
    >>> from eligo.memory.models import footprint as what_jobs_occupy
    >>> worst_peak_by_lp(what_jobs_occupy(Dag.from_edges(4, [0, 1, 2], [1, 2, 3]), "pebble"))[0]
    2
    """
    network = event_network(footprint)
    if sum(network.weights) > EXACT_IN_DOUBLES:
        raise EligoError(
            "the sizes add up to more than 2^53, beyond which the linear program is not exact",
            hint="use the default method, which is exact to 2^62",
        )
    potential, rising = _solve(network)
    happened = [value > 0.5 for value in potential]
    flow = [weight + round(-dual) for weight, dual in zip(network.weights, rising, strict=True)]
    try:
        peak = network.cut(happened)
    except ValueError:
        peak = -1
    if not _carries(network, flow, peak):
        raise EligoError(
            "rounding spoilt the linear program: these sizes lie too far apart for it",
            hint="use the default method, which is exact to 2^62",
        )
    return peak, network.state(happened)


def _solve(network: EventNetwork) -> tuple[list[float], list[float]]:
    """Return the optimal potential of each event and the dual value of each arc."""
    gains = [0] * network.count
    for tail, head, weight in zip(network.tails, network.heads, network.weights, strict=True):
        gains[tail] += weight
        gains[head] -= weight
    program = LinearProgram()
    for event, gain in enumerate(gains):
        # Others need no bounds, since all lie between these two; bounds would take part of the dual values.
        lower, upper = {network.first: (1.0, 1.0), network.last: (0.0, 0.0)}.get(event, (-math.inf, math.inf))
        program.add_column(lower, upper, cost=-gain)
    for tail, head in zip(network.tails, network.heads, strict=True):
        program.add_row([(tail, -1.0), (head, 1.0)], upper=0)
    solver = program.solver(solver="simplex")
    solver.run()
    solution = solver.getSolution()
    return list(solution.col_value), list(solution.row_dual)


def _carries(network: EventNetwork, flow: list[int], value: int) -> bool:
    """Say whether a flow of this value carries at least the weight of every arc."""
    surplus = [0] * network.count
    for tail, head, amount in zip(network.tails, network.heads, flow, strict=True):
        surplus[tail] += amount
        surplus[head] -= amount
    enough = all(amount >= weight for amount, weight in zip(flow, network.weights, strict=True))
    wanted = {network.first: value, network.last: -value}
    return enough and all(surplus[event] == wanted.get(event, 0) for event in range(network.count))
