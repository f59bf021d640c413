"""What no order of a dag can exceed, at any step, for every dag: so that every answer can say how good it is at least.

The best of these, each proved by a certificate:

1. *series*: where every execution passes through a step, the parts are bounded on their own;
2. *sum*: components are bounded on their own, and the best of the sum is taken, where that is not too much work;
3. *exact*: E_max itself, by search, within a budget;
4. *charging*: for every dag and every size.

Shortcuts do not matter to any of them, but cost time.

Where a workflow must come together: the steps that every execution passes through.

A set A of jobs is a *cut* if every job outside depends on every job in A: then any execution runs all of A before
anything else, and what is ELIGIBLE before and after has nothing to do with each other. So ::

    E_max(t) = E_max of A at t, for t < |A|, and E_max of the rest at t - |A| from there on,

and the dag admits an IC-optimal schedule exactly if both parts do. Fork-joins are full of cuts, and the priority
relation does not see them: in a -> b -> c, d the block a -> b has no priority over b -> c, d, yet there is no choice.

A cut is a prefix of *every* topological order, so one order is enough to find them all. After b jobs of it, let p be
the number of jobs before b without a child before b, q that of jobs from b on without a parent from b on. It is a cut
exactly if all p q pairs of these are edges. Each job and edge counts for an interval of b, so all three counts are sums
of intervals (``native/core/renumber.hpp``). Cost: O(n + m).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from eligo import _core, graph
from eligo.dag import Dag, Int32, Int64
from eligo.errors import InfeasibleError
from eligo.priority import _exact as exact
from eligo.priority._charging import SCALE, Charging, charge, flow_by_place, ordered
from eligo.priority._priority_relation import max_convolution
from eligo.priority._proof import nonsinks_of
from eligo.schedule import places

__all__ = [
    "Bound",
    "bound_of",
    "cuts",
]


def cuts(dag: Dag, inner: _core.Ordered | None = None) -> Int64:
    """Return the sizes of all cuts, ascending; the jobs of a cut of size b are ``dag.order[:b]``.

    Neither the empty set nor the whole counts.

    Parameters
    ----------
    inner
        What :func:`~eligo.priority._charging.ordered` returns, where it is there already.

    Examples
    --------
    >>> cuts(Dag.from_edges(4, [0, 1, 1], [1, 2, 3])).tolist()
    [1, 2]
    """
    return (ordered(dag) if inner is None else inner).cuts()


_WIDEST_SEARCH = 1_000  # non-sinks beyond which exact search is not tried
_LARGEST_SUM = 5_000  # jobs of a sum whose components are bounded one by one
_DEEPEST = 8  # parts within parts; a checker takes no more than 30, and each level here may be two there
_LARGEST_PART, _MOST_PARTS = 20_000, 200  # of those in series that are looked at one by one


@dataclass(frozen=True, slots=True, eq=False)
class Bound:
    """A number of ELIGIBLE jobs that no order exceeds, for every step.

    Attributes
    ----------
    profile
        At steps 0..n.
    witness
        Given any order of the jobs, the proof as a certificate of that order holds it.
    """

    profile: Int64
    witness: Callable[[Int32], dict[str, Any]]

    @property
    def area(self) -> int:
        """What no order's AREA exceeds."""
        return int(self.profile.sum())


def bound_of(dag: Dag, budget: int, charging: Charging | None = None) -> Bound:
    """Bound the number of ELIGIBLE jobs at every step.

    Parameters
    ----------
    budget
        The number of states that one exact search may look at; 0 for none.
    charging
        One of this dag, where it is there already.

    Examples
    --------
    An edge beside a complete 2 x 2 block: no order has 3 jobs ELIGIBLE after every one of the first three steps, though
    each has been reached by some.

    >>> dag = Dag.from_edges(6, [0, 2, 2, 3, 3], [1, 4, 5, 4, 5])
    >>> bound_of(dag, 1000).profile.tolist(), bound_of(dag, 0).profile.tolist()
    ([3, 3, 3, 3, 2, 1, 0], [3, 3, 3, 3, 2, 1, 0])
    """
    return _Bounder(budget).bound(dag, charging)


class _Bounder:
    """Bounds dags and their parts; parts of equal structure once."""

    def __init__(self, budget: int) -> None:
        self.budget = budget
        self._known: dict[tuple[bytes, bytes, int], Bound] = {}

    def bound(self, dag: Dag, charging: Charging | None = None, depth: int = 0) -> Bound:
        in_series = len(charging.ends) > 1 if charging is not None else len(cuts(dag)) > 0
        return self._in_series(charging or charge(dag), depth) if in_series else self._of_part(dag, charging, depth)

    def _in_series(self, charging: Charging, depth: int) -> Bound:
        """Bound parts one by one: all by loads, in one go, and those of moderate size by whatever does better."""
        dag, ends = charging.dag, charging.ends
        sizes = np.diff(ends, prepend=0)
        moderate = np.flatnonzero((sizes > 1) & (sizes <= _LARGEST_PART))
        chosen = np.sort(moderate[np.argsort(-sizes[moderate], kind="stable")][:_MOST_PARTS])
        parts = [np.sort(dag.order[ends[number] - sizes[number] : ends[number]]) for number in chosen]
        bounds = [self._once(part, depth + 1) for part in graph.cut_out(dag, parts)]
        better = dict(zip(chosen.tolist(), bounds, strict=True))
        profile = charging.bound.copy()
        for number, bound in better.items():
            profile[ends[number] - sizes[number] : ends[number]] = bound.profile[:-1]
        return Bound(profile, lambda order: _series_witness(order, charging, better))

    def _once(self, part: Dag, depth: int) -> Bound:
        # How deep parts lie within parts decides what is tried, so it is part of what an answer is known for.
        key = part.succ_ptr.tobytes(), part.succ.tobytes(), depth
        if key not in self._known:
            self._known[key] = self.bound(part, depth=depth)
        return self._known[key]

    def _of_part(self, dag: Dag, charging: Charging | None, depth: int) -> Bound:
        """Bound a dag that has no series."""
        found = self._exact(dag)
        if found is not None:
            return found
        by_loads = _by_loads(charging or charge(dag))
        if dag.n > _LARGEST_SUM or depth >= _DEEPEST:
            return by_loads
        component = graph.components(dag)
        count = int(component.max(initial=-1)) + 1
        if count < 2:
            return by_loads
        ptr, jobs = graph.grouped(component, count)
        parts = [part for part in np.split(jobs, ptr[1:-1]) if len(part) > 1]
        bounds = [self._once(part, depth + 1) for part in graph.cut_out(dag, parts)]
        return _least([by_loads, _as_sum(dag, parts, bounds)])

    def _exact(self, dag: Dag) -> Bound | None:
        if self.budget < 1 or nonsinks_of(dag) > _WIDEST_SEARCH:
            return None
        try:
            answer = exact.search(dag, self.budget, count=False)
        except InfeasibleError:
            return None
        return Bound(answer.profile, lambda order: exact.search_witness(answer, order))


def _by_loads(charging: Charging) -> Bound:
    def witness(order: Int32) -> dict[str, Any]:
        flow = flow_by_place(charging, places(order))
        return {"by": "charging", "scale": SCALE, "flow": flow, "windows": charging.windows}

    return Bound(charging.bound, witness)


def _least(bounds: Sequence[Bound]) -> Bound:
    profile = np.minimum.reduce([bound.profile for bound in bounds])
    for bound in bounds:
        if np.array_equal(bound.profile, profile):
            return bound
    return Bound(profile, lambda order: {"by": "least", "of": [bound.witness(order) for bound in bounds]})


def _series_witness(order: Int32, charging: Charging, better: Mapping[int, Bound]) -> dict[str, Any]:
    """Return the proof for parts in series; any order runs through them one after the other."""
    ends = charging.ends
    flows = flow_by_place(charging, places(order))
    flow_ends = np.cumsum(np.diff(charging.pred_ptr)[order])[ends - 1].tolist()
    parts = []
    for number, (begin, end) in enumerate(pairwise([0, *ends.tolist()])):
        if number in better:
            by_number = np.argsort(order[begin:end])  # the part numbers its jobs from 0, ascending
            witness = better[number].witness(places(by_number).astype(np.int32))
        else:
            flow = flows[flow_ends[number - 1] if number else 0 : flow_ends[number]]
            witness = {"by": "charging", "scale": SCALE, "flow": flow, "windows": False}
        parts.append({"jobs": end - begin, "witness": witness})
    return {"by": "series", "parts": parts}


def _as_sum(dag: Dag, parts: Sequence[Int32], bounds: Sequence[Bound]) -> Bound:
    """Return the best that components could do together if each did the best it can at every step of its own."""
    inner = np.diff(dag.succ_ptr) > 0
    sources = np.diff(dag.pred_ptr) == 0
    total = np.zeros(1, np.int64)
    for part, bound in zip(parts, bounds, strict=True):
        steps = np.arange(int(inner[part].sum()) + 1)
        total = max_convolution(total, bound.profile[: len(steps)] - int(sources[part].sum()) + steps)
    steps = np.arange(dag.n + 1)

    def witness(order: Int32) -> dict[str, Any]:
        place = places(order)
        blocks = []
        for part, bound in zip(parts, bounds, strict=True):
            local = np.lexsort((place[part], ~inner[part])).astype(np.int32)  # non-sinks first, as a block lists them
            jobs = place[part[local][: int(inner[part].sum())]]
            blocks.append({"jobs": jobs, "witness": bound.witness(local)})
        return {"by": "composition", "dropped": [], "blocks": blocks, "groups": [list(range(len(blocks)))]}

    return Bound(int(sources.sum()) - steps + total[np.minimum(steps, len(total) - 1)], witness)
