"""Limits that every execution keeps: the few dependencies to add, by the method whose critical path is shortest.

``auto`` tries, within a budget of work: ``schedule`` with several sequential orders, each then again with the paths of
what came out (who is urgent is known better then); ``min-levels``; ``respect-order``; on small dags the other two of
004; and ``schedule`` once more with an order of the best dag so far. Large dags get ``schedule`` alone. It takes the
first of those with the shortest critical path. It never fails where a sequential order within the limit is known, since
``schedule`` and ``respect-order`` do not; and where none is known it says how low one can go.

Whatever a method did is checked again on the dag that comes out, by the flow of its worst peak.

Why a limit cannot be kept, or was not: which job is in the way, what is proved, and how low one can go.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NoReturn, final

import numpy as np

from eligo import _core
from eligo.dag import Dag, Float64, Int32
from eligo.errors import EligoError, InfeasibleError
from eligo.memory._footprint import Ends, Footprint, data_ends
from eligo.memory._lower_bound import least_critical_path, lower_bound
from eligo.memory._sequential import Sequential, alpha_search, bfs, orders_within, peak_of, sequential
from eligo.memory._serialization import Pairs, edges_of, from_schedule, needed_only, step_by_step, work_of
from eligo.memory._worst_peak import WorstPeak, worst_peak
from eligo.schedule import Schedule

__all__ = [
    "METHODS",
    "Limited",
    "limit",
    "why_not",
]


def why_not(
    footprint: Footprint, ends: Ends, most: int, *, lowest: Sequential, method: str, gave_up: bool
) -> InfeasibleError:
    """Return the error for a limit that a method did not reach.

    Parameters
    ----------
    lowest
        The order of the smallest peak that is known: its peak is the smallest limit known to be reachable.
    gave_up
        Whether the method used up its budget.
    """
    unit = footprint.rules.unit
    if lowest.peak <= most:
        how = "used up its budget of work before it found a" if gave_up else "found no"
        text = f"{method} {how} way to keep every execution within {most:,} {unit}"
        return InfeasibleError(text, hint="the method auto does not fail here", reachable=lowest.peak)
    hint = f"the smallest limit known to be reachable is {lowest.peak:,} {unit}"
    if lowest.proved:
        hint += ", and no smaller one is"
    return InfeasibleError(_obstacle(footprint, ends, most, lowest), hint=hint, reachable=lowest.peak)


def _obstacle(footprint: Footprint, ends: Ends, most: int, lowest: Sequential) -> str:
    names, unit, needs = footprint.dag.names, footprint.rules.unit, footprint.needs
    if needs.max(initial=0) > most:
        job = int(np.argmax(needs))
        return f"job {names[job]!r} alone occupies {int(needs[job]):,} {unit}, more than the limit of {most:,}"
    least = lower_bound(footprint, ends)
    if least.value > most:
        where = "" if least.job is None else f" while job {names[least.job]!r} runs"
        return f"every execution occupies at least {least.value:,} {unit}{where}, the limit is {most:,}"
    if lowest.proved:
        return f"no execution keeps within {most:,} {unit}"
    return f"no order of the jobs within {most:,} {unit} was found; every one occupies {least.value:,}"


METHODS = ("auto", "schedule", "min-levels", "respect-order", "max-size", "max-min-size", "ilp")
"""The methods by name; ``auto`` chooses."""

_ONE_BY_ONE = 1000  # jobs up to which one pair is added at a time, as in 004
_BATCHES = 150  # beyond, so many steps add about as many pairs as there are jobs
_BUDGET = 2_000_000_000  # of a method asked for by name, in looked-at events and arcs
_AUTO_BUDGET = 40_000_000  # of each method that `auto` tries
_SMALL = 300  # jobs up to which `auto` tries everything
_SCHEDULED = 2_000_000  # jobs and edges after which no further order is scheduled
_MOST_STEPPED = 60_000  # jobs and edges up to which `auto` goes step by step
_ROUNDS = 3
_PATIENCE = (0.0, 0.5, 1.0)
_MANY = 100_000  # jobs and edges beyond which few orders are looked at, and each once only


@final
@dataclass(frozen=True, slots=True, eq=False)
class Limited:
    """A dag with dependencies added so that every execution keeps a limit.

    Attributes
    ----------
    footprint
        What its jobs occupy; ``footprint.dag`` is the dag with the added edges.
    limit
        What no execution may exceed.
    tails, heads
        The added edges; none of them follows from others.
    worst
        The worst peak of the dag that came out; ``worst.bound`` is at most the limit.
    critical_path_before, critical_path_after
        In seconds where times are known, else in jobs.
    critical_path_bound
        No dag within the limit has a shorter one.
    method
        Whose edges these are; ``none`` where none was needed.
    tried
        What else was tried: each method's critical path, or ``None`` where it failed or gave up.
    """

    footprint: Footprint
    limit: int
    tails: Int32
    heads: Int32
    worst: WorstPeak
    critical_path_before: float
    critical_path_after: float
    critical_path_bound: float
    method: str
    tried: dict[str, float | None]

    @property
    def dag(self) -> Dag:
        """The dag with the added edges."""
        return self.footprint.dag


def limit(
    footprint: Footprint,
    most: int,
    *,
    method: str = "auto",
    order: Int32 | None = None,
    lowest: Sequential | None = None,
    time_limit_s: float | None = None,
    on_progress: Callable[[str], None] | None = None,
) -> Limited:
    """Add dependencies so that no execution occupies more than `most`.

    Parameters
    ----------
    method
        One of ``METHODS``.
    order
        A sequential order within the limit for ``respect-order`` and ``schedule`` to go by; found where not given.
    lowest
        The order of the smallest peak, where it is known already.
    time_limit_s
        Of the method ``ilp``, beside its limit of work.
    on_progress
        Is told what is tried.

    Raises
    ------
    InfeasibleError
        No order of the jobs within the limit exists or is known, or the method failed.

    Examples
    --------
    >>> from eligo.dag import Data
    >>> from eligo.memory._models import footprint
    >>> dag = Dag.from_names([("a", "b"), ("c", "d")])
    >>> print_ = footprint(dag.with_known(data=Data.per_edge(dag.tails, dag.heads, [5, 5])))
    >>> found = limit(print_, 6)
    >>> [(dag.names[u], dag.names[v]) for u, v in zip(found.tails, found.heads)], found.worst.bound
    ([('b', 'c')], 5)
    """
    if method not in METHODS:
        raise EligoError(f"unknown method {method!r}", hint=f"one of: {', '.join(METHODS)}")
    if not isinstance(most, int):
        raise EligoError(f"a limit is a whole number of {footprint.rules.unit}, not {most!r}")
    limiting = _Limiting(footprint, most, order, lowest, on_progress or (lambda _: None))
    return limiting.run(method, time_limit_s)


@final
@dataclass(frozen=True, slots=True, eq=False)
class _Way:
    """One way to keep the limit."""

    method: str
    pairs: Pairs
    dag: Dag
    length: float


class _Limiting:
    def __init__(
        self,
        footprint: Footprint,
        most: int,
        order: Int32 | None,
        lowest: Sequential | None,
        on_progress: Callable[[str], None],
    ) -> None:
        self.footprint = footprint
        self.most = most
        self.given = order
        self._lowest = lowest
        self.on_progress = on_progress
        self.work = work_of(footprint.dag)
        self.ends = data_ends(footprint)
        self.before = self.length_of(footprint.dag)
        self.bound = self.before
        self.tried: dict[str, float | None] = {}
        self.best: _Way | None = None
        self.known: list[Int32] | None = None
        self.gave_up = False
        self.scheduled = 0  # jobs and edges of all schedules made

    @property
    def lowest(self) -> Sequential:
        """The order of the smallest peak."""
        if self._lowest is None:
            self.on_progress("orders")
            self._lowest = sequential(self.footprint)
        return self._lowest

    def run(self, method: str, time_limit_s: float | None) -> Limited:
        self.on_progress("worst peak")
        if self.most < max(self.footprint.base, self.footprint.needs.max(initial=0)):
            self.refuse(method)
        worst = worst_peak(self.footprint, trials=0, ends=self.ends)
        if worst.bound <= self.most:
            return self.result(worst, None, np.empty(0, np.int32), np.empty(0, np.int32))
        if self.footprint.dag.n <= 2000:
            self.bound = least_critical_path(self.footprint, self.most, self.work)
        if method == "auto":
            self.try_several()
        else:
            self.try_one(method, time_limit_s)
        if self.best is None:
            self.refuse(method)
        return self.finish(self.best)

    # ---- the methods

    def try_one(self, method: str, time_limit_s: float | None) -> None:
        if method == "ilp":
            self.try_ilp(time_limit_s)
        elif method == "schedule":
            for order in self.orders()[:1]:
                self.try_schedule(order)
        else:
            self.try_steps(method, _BUDGET, self.first_order() if method == "respect-order" else None)

    def try_several(self) -> None:
        n, size = self.footprint.dag.n, self.footprint.dag.n + self.footprint.dag.m
        for number, order in enumerate(self.orders(), 1):
            self.on_progress(f"schedule {number}")
            self.try_schedule(order)
            if self.done() or self.scheduled > _SCHEDULED:
                break
        if size > _MOST_STEPPED:
            return
        if not self.done():
            self.try_steps("min-levels", _AUTO_BUDGET, None)
        if not self.done() and self.orders():
            self.try_steps("respect-order", _AUTO_BUDGET, self.orders()[0])
        for rule in ("max-min-size", "max-size") if n <= _SMALL else ():
            if not self.done():
                self.try_steps(rule, _AUTO_BUDGET, None)
        if self.best is not None and not self.done():
            self.try_schedule(self.earliest_first(self.best.dag))

    def orders(self) -> list[Int32]:
        """Return orders within the limit: the one that leaves most to do at the same time, the safest, the others."""
        if self.known is None:
            if self.given is not None:
                self.known = [self._checked(self.given)]
            elif self.footprint.dag.n + self.footprint.dag.m > _MANY:
                orders = (bfs(self.footprint.dag), self.lowest.order)
                self.known = [order for order in orders if peak_of(self.footprint, order) <= self.most]
            else:
                found = [order for _, order in orders_within(self.footprint, self.most)]
                if self._lowest is not None or not found or self.footprint.dag.n <= _SMALL:  # it takes long to find
                    found += [self.lowest.order] if self.lowest.peak <= self.most else []
                self.known = found if len(found) < 3 else [found[0], found[-1], *found[1:-1]]
        return self.known

    def first_order(self) -> Int32:
        """Return an order to respect: 004's search over alpha, else whatever is within the limit."""
        if self.given is not None:
            return self._checked(self.given)
        if found := alpha_search(self.footprint, self.most):
            return found[1]
        if not self.orders():
            self.refuse("respect-order")
        return self.orders()[0]

    def _checked(self, given: Int32) -> Int32:
        order = Schedule.of(self.footprint.dag, given).order
        peak = peak_of(self.footprint, order)
        if peak > self.most:
            raise InfeasibleError(
                f"the order given occupies {peak:,} {self.footprint.rules.unit}, more than the limit of {self.most:,}",
                hint="leave the order out, or raise the limit",
            )
        return order

    def try_schedule(self, order: Int32) -> None:
        """Make a schedule, then again with the paths of the dag that came out, as long as that helps.

        Once with all jobs as early as possible, and then with such that can wait waiting for part of that time.
        """
        dag, length = self.footprint.dag, self.before
        rounds = 1 + _ROUNDS if dag.n + dag.m <= _MANY else 1
        for patience in _PATIENCE:
            shortest = np.inf
            for _ in range(rounds):
                urgency = self.paths_from(dag)
                pairs = from_schedule(
                    self.footprint,
                    self.ends,
                    self.most,
                    order=order,
                    urgency=urgency,
                    release=patience * (length - urgency),
                )
                way = self.take("schedule", pairs)
                self.scheduled += dag.n + dag.m
                if way is None or self.done():
                    return
                if way.length >= shortest:
                    break
                shortest = length = way.length
                dag = way.dag

    def try_steps(self, rule: str, budget: int, order: Int32 | None) -> None:
        self.on_progress(rule)
        n = self.footprint.dag.n
        batch = 1 if n <= _ONE_BY_ONE else n // _BATCHES
        self.take(
            rule,
            step_by_step(self.footprint, self.ends, self.most, rule, order=order, batch=batch, budget=budget),
        )

    def try_ilp(self, time_limit_s: float | None) -> None:
        from eligo.memory._ilp import solve_ilp

        self.try_several()
        start = None if self.best is None else edges_of(self.footprint, self.ends, self.best.pairs)
        pairs = None if start is None else list(zip(start[0].tolist(), start[1].tolist(), strict=True))
        self.on_progress("ilp")
        answer = solve_ilp(self.footprint, self.most, self.work, start=pairs, time_limit_s=time_limit_s)
        self.bound = max(self.bound, answer.bound)
        if answer.tails is None or answer.heads is None:
            self.tried["ilp"] = None
            return
        none = np.full(len(answer.tails), -1, np.int32)
        self.take("ilp", Pairs(np.asarray(answer.tails, np.int32), none, np.asarray(answer.heads, np.int32)))

    # ---- what came out

    def take(self, method: str, pairs: Pairs) -> _Way | None:
        """Keep what a method found if its critical path is shorter than any so far."""
        if pairs.state != "within":
            self.tried.setdefault(method, None)
            self.gave_up |= pairs.state == "gave up"
            return None
        dag = self.footprint.dag.with_edges(*edges_of(self.footprint, self.ends, pairs))
        way = _Way(method, pairs, dag, self.length_of(dag))
        known = self.tried.get(method)
        self.tried[method] = way.length if known is None else min(known, way.length)
        if self.best is None or way.length < self.best.length:
            self.best = way
        return way

    def done(self) -> bool:
        """Whether nothing can be better."""
        return self.best is not None and self.best.length <= self.bound

    def finish(self, way: _Way) -> Limited:
        """Leave out edges that follow from others, and find the worst peak of what comes out, from the beginning."""
        self.on_progress("check")
        dag, pairs = self.footprint.dag, way.pairs
        tails, heads = needed_only(dag, *edges_of(self.footprint, self.ends, pairs))
        print_ = self.footprint.on(dag.with_edges(tails, heads))
        of_data = pairs.datum >= 0
        ends = data_ends(print_).with_known(self.ends).followed_too(pairs.datum[of_data], pairs.later[of_data])
        worst = worst_peak(print_, trials=0, ends=ends)
        if worst.bound > self.most:
            raise AssertionError(f"{way.method} left a worst peak of {worst.bound}, limit {self.most}")
        return self.result(worst, way, tails, heads)

    def result(self, worst: WorstPeak, way: _Way | None, tails: Int32, heads: Int32) -> Limited:
        return Limited(
            worst.footprint,
            self.most,
            tails,
            heads,
            worst,
            self.before,
            self.before if way is None else way.length,
            self.bound,
            "none" if way is None else way.method,
            self.tried,
        )

    def refuse(self, method: str) -> NoReturn:
        raise why_not(self.footprint, self.ends, self.most, lowest=self.lowest, method=method, gave_up=self.gave_up)

    def earliest_first(self, dag: Dag) -> Int32:
        """Return the jobs by when they can start at the earliest; every order of a limited dag is within the limit."""
        finish = _core.longest_paths(dag.pred_ptr, dag.pred, dag.order, self.work)
        start = np.zeros(dag.n)
        np.maximum.at(start, dag.heads, finish[dag.tails])  # finish - work is rounded, and might put a child first
        return dag.order[np.argsort(start[dag.order], kind="stable")]

    def length_of(self, dag: Dag) -> float:
        return float(_core.longest_paths(dag.pred_ptr, dag.pred, dag.order, self.work).max(initial=0))

    def paths_from(self, dag: Dag) -> Float64:
        return _core.longest_paths(dag.succ_ptr, dag.succ, np.ascontiguousarray(dag.order[::-1]), self.work)
