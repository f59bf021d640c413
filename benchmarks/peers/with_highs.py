"""HiGHS: the linear program of Theorem 5 of paper 004, with terms collected by event.

004 maximises the sum of m (p(tail) - p(head)) over all arcs of weight m; that is the sum of p(job) times what the job
allocates minus what it frees. A job never has a larger p than one that comes before it, and all are from 0 to 1. HiGHS
gets the arrays and chooses its method; ``eligo.memory._linear_program`` is the same program with a proof in integers.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Any

import highspy
import numpy as np

from benchmarks.peers.closures import compare_closures, in_doubles
from benchmarks.speed.closure_graphs import ClosureGraph


class Program:
    """The linear program of a closure graph."""

    def __init__(self, graph: ClosureGraph) -> None:
        in_doubles(graph)
        n, m = len(graph.weight), len(graph.after)
        lp = self.lp = highspy.HighsLp()
        lp.num_col_, lp.num_row_ = n, m
        lp.col_cost_, lp.col_lower_, lp.col_upper_ = -graph.weight.astype(float), np.zeros(n), np.ones(n)
        lp.row_lower_, lp.row_upper_ = np.full(m, -np.inf), np.zeros(m)
        lp.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
        lp.a_matrix_.start_ = np.arange(0, 2 * m + 1, 2, dtype=np.int32)
        lp.a_matrix_.index_ = np.column_stack([graph.after, graph.before]).ravel()
        lp.a_matrix_.value_ = np.tile([1.0, -1.0], m)

    def solve(self) -> tuple[float, Iterable[int]]:
        """Return the weight of the heaviest closed set, and that set."""
        solver: Any = highspy.Highs()  # type: ignore[no-untyped-call]  # afresh: one that has been solved starts from its answer
        for name, value in {"output_flag": False, "threads": 1}.items():
            solver.setOptionValue(name, value)
        solver.passModel(self.lp)
        solver.run()
        chosen = np.flatnonzero(np.array(solver.getSolution().col_value) > 0.5)
        return round(-solver.getObjectiveValue()), chosen.tolist()


QUESTIONS = {"closure": partial(compare_closures, Program)}
