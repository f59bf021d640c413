"""Linear programs for HiGHS, row by row; the only module that imports highspy, and only when it is used.

HiGHS works in doubles. Whoever uses this checks the answers in integers.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from eligo.errors import MissingExtraError

__all__ = ["LinearProgram", "import_highspy"]

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
