"""Which check belongs to which witness, and what all of them share: the budget, the depth, what is known already.

A method that bounds e (``concave``, ``composition``, ...) proves a piece's order IC-optimal if the order attains the
bound, which is checked here for all of them alike; parts of the piece need not attain theirs. A method that shows an
IC-optimal order to be impossible says how.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any, final

import numpy as np

from eligo.certificate._methods import check_charging, check_composition, check_exact, check_family, check_sweep
from eligo.certificate._schema import shown
from eligo.certificate._subdag import Arcs, Budget, Piece
from eligo.dag import Int64
from eligo.errors import CertificateError

__all__ = ["MOST_NESTED", "Checker"]

MOST_NESTED = 30
"""How deep a witness may contain witnesses of parts of parts."""


@final
class Checker:
    """One run of the checks.

    Attributes
    ----------
    budget
        What is left of it.
    used
        How often each method was used, on equal parts once.
    """

    def __init__(self, budget: Budget) -> None:
        self.budget = budget
        self.used: Counter[str] = Counter()
        self._known: dict[tuple[str, int, bytes, bytes, str], Int64] = {}

    def optimum(self, piece: Piece, witness: object, depth: int = 0) -> Int64:
        """Return e_max of a piece, once its witness has shown that its order attains it."""
        by = _method(witness, _BOUNDS, depth)
        bound = self.bound(piece, witness, depth)
        if np.any(differ := bound != piece.e):
            x = int(np.argmax(differ))
            raise CertificateError(
                f"after {x} non-sinks the order has made {piece.e[x]} jobs ELIGIBLE, where {by} allows {bound[x]}"
            )
        return bound

    def bound(self, piece: Piece, witness: object, depth: int = 0) -> Int64:
        """Return what no execution's e exceeds, as the witness shows; the order of the piece need not attain it."""
        by = _method(witness, _BOUNDS, depth)
        bound = _BOUNDS[by](piece, witness, self, depth).copy()
        bound[0] = 0  # which is the truth; a method that drops arcs may say more, and sums of bounds begin at 0
        self.used[by] += 1
        return bound

    def impossible(self, piece: Piece, witness: object, depth: int = 0) -> str:
        """Return why no order of a piece is IC-optimal, once its witness has shown it."""
        by = _method(witness, _REFUTATIONS, depth)
        self.used[by] += 1
        return _REFUTATIONS[by](piece, witness, self, depth)

    def optimum_of_part(self, name: str, part: Arcs, witness: Any, depth: int) -> Int64:
        """Return e_max of a part of a piece, which its order must attain."""
        return self._of_part(self.optimum, name, part, witness, depth)

    def bound_of_part(self, name: str, part: Arcs, witness: Any, depth: int) -> Int64:
        """Return a bound on e of a part of a piece."""
        return self._of_part(self.bound, name, part, witness, depth)

    def _of_part(
        self, judge: Callable[[Piece, object, int], Int64], name: str, part: Arcs, witness: Any, depth: int
    ) -> Int64:
        """Judge a part; equal parts with equal witnesses are judged once."""
        n, tails, heads = part
        key = judge.__name__, n, tails.tobytes(), heads.tobytes(), json.dumps(witness, sort_keys=True)
        if key not in self._known:
            try:
                self._known[key] = judge(Piece.of(n, tails, heads), witness, depth + 1)
            except CertificateError as error:
                raise CertificateError(f"{name}: {error.text}", hint=error.hint) from None
        return self._known[key]


_BOUNDS: dict[str, Callable[[Piece, object, Checker, int], Int64]] = {
    "concave": check_charging.concave_order_bound,
    "dual-concave": check_charging.dual_concave_bound,
    "family": check_family.family_bound,
    "bipartite-tree": check_family.bipartite_tree_bound,
    "exact": check_exact.exact_bound,
    "frontier": check_exact.frontier_bound,
    "composition": check_composition.composition_bound,
    "series": check_composition.series_bound,
    "charging": check_charging.charging_bound,
    "least": check_composition.least_bound,
}

_REFUTATIONS: dict[str, Callable[[Piece, object, Checker, int], str]] = {
    "exact": check_exact.check_exact,
    "frontier": check_exact.check_frontier,
    "sweep": check_sweep.check_sweep,
    "part": check_sweep.check_part,
    "series": check_composition.check_series,
}


def _method(witness: object, methods: Iterable[str], depth: int) -> str:
    if depth > MOST_NESTED:
        raise CertificateError(f"witnesses are nested more than {MOST_NESTED} deep")
    by = witness.get("by") if isinstance(witness, dict) else None
    if not isinstance(by, str) or by not in methods:
        raise CertificateError(f"unknown kind of witness {shown(by)}", hint=f"one of: {', '.join(methods)}")
    return by
