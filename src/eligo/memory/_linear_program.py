"""The worst peak by linear programming: Theorem 5 of paper 004, with HiGHS.

Problem: the heaviest topological cut of the event network (``network.py``). Idea: every event has a potential p, 1 for
the first and 0 for the last, that never rises along an arc; maximise the sum of m (p(tail) - p(head)) over all arcs of
weight m. Whatever the optimal potentials are, the events above 1/2 are a worst cut.

HiGHS computes in doubles, so its word is not enough. Sizes whose sum exceeds 2^53 are refused. Otherwise both halves
are checked in integers: the cut is weighed; and the dual values, rounded, must be a flow that carries at least the
weight of every arc and has the same value as the cut, so that no cut can be heavier. The answer is exact or there is
none.

Cost: that of the simplex method on one column an event and one row an arc; good for some ten thousand jobs.

Linear programs for HiGHS, row by row; the only module that imports highspy, and only when it is used.

HiGHS works in doubles. Whoever uses this checks the answers in integers.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from eligo.errors import EligoError, MissingExtraError
from eligo.memory._algorithm1 import EventNetwork, State, event_network
from eligo.memory._footprint import Footprint

__all__ = [
    "EXACT_IN_DOUBLES",
    "LinearProgram",
    "import_highspy",
    "worst_peak_by_lp",
]

_SEED = 1


def import_highspy() -> Any:
    """Return the module highspy.

    Raises
    ------
    MissingExtraError
        It is not installed.
    """
    try:
        import highspy
    except ImportError:
        raise MissingExtraError("highspy", "solver") from None
    return highspy


@dataclass(slots=True)
class LinearProgram:
    """Columns (variables) and rows (constraints) to be handed to HiGHS; the objective is minimised.

    Examples
    --------
    >>> program = LinearProgram()
    >>> x = program.add_column(0, 5, cost=-1)
    >>> program.add_row([(x, 2.0)], upper=7)
    >>> solver = program.solver()
    >>> _ = solver.run()
    >>> solver.getObjectiveValue()
    -3.5
    """

    costs: list[float] = field(default_factory=list)
    column_lower: list[float] = field(default_factory=list)
    column_upper: list[float] = field(default_factory=list)
    whole: list[bool] = field(default_factory=list)
    row_lower: list[float] = field(default_factory=list)
    row_upper: list[float] = field(default_factory=list)
    row_ends: list[int] = field(default_factory=lambda: [0])
    columns: list[int] = field(default_factory=list)
    values: list[float] = field(default_factory=list)

    def add_column(self, lower: float = 0, upper: float = math.inf, *, cost: float = 0, whole: bool = False) -> int:
        """Return the number of a new variable; `whole` where it must be an integer."""
        self.costs.append(cost)
        self.column_lower.append(lower)
        self.column_upper.append(upper)
        self.whole.append(whole)
        return len(self.costs) - 1

    def add_row(self, terms: Iterable[tuple[int, float]], *, lower: float = -math.inf, upper: float = math.inf) -> None:
        """Add a constraint on the sum of some columns, each times a number; no column may occur twice."""
        for column, value in terms:
            self.columns.append(column)
            self.values.append(value)
        self.row_ends.append(len(self.columns))
        self.row_lower.append(lower)
        self.row_upper.append(upper)

    def solver(self, **options: Any) -> Any:
        """Return a HiGHS solver that holds this program: silent, on one thread, with a fixed seed."""
        highspy = import_highspy()
        lp = highspy.HighsLp()
        lp.num_col_, lp.num_row_ = len(self.costs), len(self.row_lower)
        lp.col_cost_, lp.col_lower_, lp.col_upper_ = self.costs, self.column_lower, self.column_upper
        lp.row_lower_, lp.row_upper_ = self.row_lower, self.row_upper
        lp.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
        lp.a_matrix_.start_, lp.a_matrix_.index_, lp.a_matrix_.value_ = self.row_ends, self.columns, self.values
        if any(self.whole):
            kinds = (highspy.HighsVarType.kContinuous, highspy.HighsVarType.kInteger)
            lp.integrality_ = [kinds[whole] for whole in self.whole]
        solver = highspy.Highs()
        for name, value in {"output_flag": False, "threads": 1, "random_seed": _SEED, **options}.items():
            solver.setOptionValue(name, value)
        solver.passModel(lp)
        return solver


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
    >>> from eligo.memory._models import footprint as what_jobs_occupy
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
