"""The main verb: an order of the jobs of any dag, by a strategy, with what is known of how good it is.

*Strategies.* ``prio`` (Malewicz et al. 2006, repaired; an IC-optimal order wherever the theory finds one), ``area``
(large AREA), ``prio-2006`` (as printed, only made valid), ``exact`` (search), and what is used today: ``fifo``,
``lifo``, ``critical-path``, ``random``. ``best``, the default, takes the first of prio, area, prio-2006 and fifo with
the largest AREA, so it is never below fifo; on small dags exact search replaces it where that is strictly better.
prio-2006 is left out of dags with more than 300,000 jobs and edges, and where it takes too much work.

*Claims.* If the theory proves an order IC-optimal, or an order attains a proved bound at every step, the claim is
``ic-optimal``; if it proves that there is no such order, ``none-exists``; otherwise ``best-effort``. Whatever the
claim, there is a bound that no order exceeds.

*Cost.* Near-linear. Dags of up to 20,000 jobs are given to the theory, which may search; budgets count work, not
seconds, so that results repeat. Large dags are looked at from two sides at once, in two threads.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from eligo import graph
from eligo.dag import Dag, Int32, Int64
from eligo.errors import EligoError, InfeasibleError
from eligo.priority import _exact as exact
from eligo.priority._bounds import Bound, bound_of
from eligo.priority._charging import Charging, charge
from eligo.priority._decompose import Blocks, decompose
from eligo.priority._proof import Proof, Refutation, nonsinks_of, with_dropped
from eligo.priority._strategies.area import AreaOrder, all_in_turn, area
from eligo.priority._strategies.plain_orders import critical_path, fifo, lifo, random_order, tie_ranks
from eligo.priority._strategies.prio import PrioOrder, prio, prio_2006
from eligo.schedule import Schedule, area_of

if TYPE_CHECKING:
    from eligo.certificate import Certificate

__all__ = ["STRATEGIES", "Claim", "Prioritized", "prioritize"]

STRATEGIES = ("best", "prio", "area", "prio-2006", "exact", "fifo", "lifo", "critical-path", "random")

Claim = Literal["ic-optimal", "none-exists", "best-effort"]

_CANDIDATES = ("prio", "area", "prio-2006", "fifo")  # of `best`; of equals the first
_HAVE_THEIR_OWN_TIES = ("fifo", "lifo", "random")
_THEORY_JOBS = 20_000
_SMALL = 1_000  # jobs up to which exact search is given more
_STATES_FOR_SMALL, _STATES = 100_000, 20_000  # that one exact search may look at
_EXACT_STATES = 10_000_000  # when it is asked for
_WIDEST_SEARCH = 60  # non-sinks up to which `best` searches for the largest AREA
_LARGE = 300_000  # jobs and edges beyond which time counts more than the last per mille


@dataclass(frozen=True, slots=True, eq=False)
class Prioritized:
    """An order of the jobs of a dag, and how good it is.

    Attributes
    ----------
    schedule
        The order; its ``priorities`` are n for the first job, 1 for the last.
    strategy
        Which strategy made it; for ``best`` the one that won.
    claim
        ``ic-optimal``: no order keeps more jobs ELIGIBLE at any step. ``none-exists``: no order is best at every step.
        ``best-effort``: neither is proved.
    bound
        For every step 0..n a number of ELIGIBLE jobs that no order exceeds.
    fifo
        The order that engines use today.
    areas
        The AREA of every strategy that was tried, in that order.
    blocks, classes
        Into how many blocks the dag falls, and how many different yields they have.
    area_is_largest
        Whether exact search found that no order has a larger AREA; the bound may be larger all the same.

    Examples
    --------
    >>> found = prioritize(Dag.from_edges(["a", "b", "c", "d", "e"], [0, 2, 2], [1, 3, 4]))
    >>> found.claim, found.gap, found.area_bound - found.fifo.area
    ('ic-optimal', 0.0, 1)
    """

    schedule: Schedule
    strategy: str
    claim: Claim
    bound: Int64
    fifo: Schedule
    areas: Mapping[str, int]
    blocks: int
    classes: int
    area_is_largest: bool
    _certify: Callable[[], Certificate]
    _certify_bound: Callable[[], Certificate] | None

    @property
    def area_bound(self) -> int:
        """What no order's AREA exceeds."""
        return int(self.bound.sum())

    @property
    def gap(self) -> float:
        """How far the AREA may be from the best, at most, as a fraction of the bound."""
        return 1 - self.schedule.area / self.area_bound if self.area_bound else 0.0

    @property
    def certificate(self) -> Certificate:
        """The proof of the claim or, for ``best-effort``, of the bound; it is made at each call.

        The order in it need not be that of the schedule: where the theory knows a best one, that one is certified.
        """
        return self._certify()

    @property
    def bound_certificate(self) -> Certificate | None:
        """The proof of the bound with the schedule's order, made at each call; ``None`` where the order attains it."""
        return None if self._certify_bound is None else self._certify_bound()


def prioritize(dag: Dag, strategy: str = "best", *, weigh_times: bool = False, seed: int = 0) -> Prioritized:
    """Order the jobs of a dag so that as many as possible are ELIGIBLE at every step.

    Parameters
    ----------
    strategy
        One of :data:`~eligo.priority._prioritize.STRATEGIES`.
    weigh_times
        Whether, of jobs that are equally good, the one with the longest path of known times behind it goes first.
    seed
        Of the strategy ``random``.

    Raises
    ------
    InfeasibleError
        ``exact`` or ``prio-2006`` was asked for, and would take too much work.

    Examples
    --------
    >>> dag = Dag.from_edges(["a", "b", "c", "d", "e"], [0, 2, 2], [1, 3, 4])
    >>> found = prioritize(dag)
    >>> found.schedule.names, found.strategy, found.claim
    (['c', 'a', 'b', 'd', 'e'], 'prio', 'ic-optimal')
    """
    if strategy not in STRATEGIES:
        raise EligoError(f"there is no strategy {strategy!r}", hint=f"one of: {', '.join(STRATEGIES)}")
    if not weigh_times or strategy in _HAVE_THEIR_OWN_TIES:
        return _Attempt(dag, seed).run(strategy)
    preferred = np.argsort(tie_ranks(dag), kind="stable").astype(np.int32)
    found = _renumbered(_Attempt(graph.relabel(dag, preferred), seed).run(strategy), dag, preferred)
    if strategy == "best" and found.fifo.area > found.schedule.area:  # the fifo that was a candidate was another one
        return _Attempt(dag, seed).run(strategy)
    return found


def _renumbered(found: Prioritized, dag: Dag, preferred: Int32) -> Prioritized:
    """Say of a dag what was found of it with its jobs numbered in another order."""
    # Certificates name jobs, not numbers, so they stay as they are.
    first_in_first_out = Schedule.of(dag, fifo(dag))
    return replace(
        found,
        schedule=Schedule.of(dag, preferred[found.schedule.order]),
        fifo=first_in_first_out,
        areas={**found.areas, "fifo": first_in_first_out.area},
    )


_Judgement = tuple[Claim, Int64, "Callable[[], Certificate]", "Callable[[], Certificate] | None"]


class _Attempt:
    """What is found out about one dag, each thing when it is first needed."""

    def __init__(self, dag: Dag, seed: int) -> None:
        self.dag = dag
        self.seed = seed
        self.large = dag.n + dag.m > _LARGE
        self.states = _STATES_FOR_SMALL if dag.n <= _SMALL else _STATES
        if self.large:
            all_in_turn(lambda: self.area, lambda: self.blocks, beside=lambda: self.bound, after=lambda: self.prio)

    @cached_property
    def reduced(self) -> Dag:
        """The dag without its shortcuts: the same orders are possible, with the same profiles."""
        return graph.remove_shortcuts(self.dag)

    @property
    def plain(self) -> Dag:
        """The dag to start from where shortcuts matter little: removing them first would cost a large dag much time."""
        return self.dag if self.large else self.reduced

    @cached_property
    def charging(self) -> Charging:
        return charge(self.plain)

    @cached_property
    def area(self) -> AreaOrder:
        return area(self.plain, None if self.large else self.charging)

    @cached_property
    def theory(self) -> Proof | Refutation | None:
        if self.dag.n > _THEORY_JOBS:
            return None
        from eligo.priority._settle import answer_of  # many modules, which large dags do without

        return answer_of(self.dag, self.states).found

    @cached_property
    def blocks(self) -> Blocks:
        return decompose(self.reduced)

    @cached_property
    def prio(self) -> PrioOrder:
        return prio(self.reduced, guide=self.area.order, blocks=self.blocks)

    @cached_property
    def bound(self) -> Bound:
        if self.large:
            return bound_of(self.dag, 0, self.charging)
        found = bound_of(self.reduced, self.states, self.charging)
        return Bound(found.profile, lambda order: self._without_shortcuts(order, found))

    def _without_shortcuts(self, order: Int32, found: Bound) -> dict[str, object]:
        tails, heads = graph.shortcuts(self.dag)
        return with_dropped(Proof(order, nonsinks_of(self.dag), found.witness(order)), tails, heads).witness

    def order(self, strategy: str) -> Int32:
        """Return the order of one strategy, sinks last."""
        proof = self.theory
        makers: dict[str, Callable[[], Int32]] = {
            "prio": lambda: proof.order if isinstance(proof, Proof) else self.prio.order,
            "area": lambda: self.area.order,
            "prio-2006": lambda: prio_2006(self.reduced),
            "exact": self._exact,
            "fifo": lambda: fifo(self.dag),
            "lifo": lambda: lifo(self.dag),
            "critical-path": lambda: critical_path(self.dag),
            "random": lambda: random_order(self.dag, self.seed),
        }
        return makers[strategy]()

    def _exact(self) -> Int32:
        """Return an IC-optimal order or, where there is none, one of largest AREA."""
        try:
            answer = exact.search(self.reduced, _EXACT_STATES, count=False)
            if answer.order is not None:
                return answer.order
            return exact.largest_area(self.reduced, _EXACT_STATES).order
        except InfeasibleError:
            raise InfeasibleError(
                f"exact search would look at more than {_EXACT_STATES:,} sets of jobs",
                hint="take another strategy; the default, best, searches where it can",
            ) from None

    def run(self, strategy: str) -> Prioritized:
        orders = self._best() if strategy == "best" else {strategy: self.order(strategy)}
        first_in_first_out = Schedule.of(self.dag, fifo(self.dag))
        known = {"area": self.area.area, "fifo": first_in_first_out.area}
        areas = {name: known.get(name) or area_of(self.dag, order) for name, order in orders.items()}
        chosen = max(areas, key=lambda name: areas[name])
        schedule = first_in_first_out if chosen == "fifo" else Schedule.of(self.dag, orders[chosen])
        claim, bound, certify, certify_bound = self._judge(schedule)
        return Prioritized(
            schedule,
            chosen,
            claim,
            bound,
            first_in_first_out,
            {**areas, "fifo": first_in_first_out.area},
            self.blocks.count,
            self.prio.classes,
            claim == "ic-optimal" or schedule.area == areas.get("exact", -1),
            certify,
            certify_bound,
        )

    def _best(self) -> dict[str, Int32]:
        """Return the candidates of `best`; an order that is proved IC-optimal needs no others."""
        orders = {"prio": self.order("prio")}
        if isinstance(self.theory, Proof) or self.prio.ic_optimal:
            return orders
        for strategy in _CANDIDATES[1:]:
            if self.large and strategy == "prio-2006":
                continue
            try:
                orders[strategy] = self.order(strategy)
            except InfeasibleError:
                continue  # prio-2006: too much work
        if nonsinks_of(self.reduced) <= _WIDEST_SEARCH:
            with suppress(InfeasibleError):
                orders["exact"] = exact.largest_area(self.reduced, self.states).order
        return orders

    def _judge(self, schedule: Schedule) -> _Judgement:
        """Return what is claimed of a schedule, what no order exceeds, and what makes the certificates."""
        found = self.theory
        if isinstance(found, Proof):
            best = Schedule.of(self.dag, found.order)
            prove = partial(_certificate, best, "ic-optimal", found.witness)
            if np.array_equal(best.profile, schedule.profile):
                return "ic-optimal", best.profile, prove, None
            # That another order is best at every step bounds this one.
            return "best-effort", best.profile, prove, prove
        if self.prio.ic_optimal and np.array_equal(schedule.order, self.prio.order):
            return "ic-optimal", schedule.profile, lambda: self._composed(schedule), None
        bound = self.bound
        if np.array_equal(bound.profile, schedule.profile):
            return "ic-optimal", bound.profile, lambda: _bounded(schedule, bound, "ic-optimal"), None
        prove_bound = partial(_bounded, schedule, bound, "bound")
        if isinstance(found, Refutation):
            refute = partial(_certificate, Schedule.of(self.dag, found.order), "no-ic-optimal", found.witness)
            return "none-exists", bound.profile, refute, prove_bound
        return "best-effort", bound.profile, prove_bound, prove_bound

    def _composed(self, schedule: Schedule) -> Certificate:
        """Prove what the sequence of blocks implies: the theory finds it too, when it is asked."""
        from eligo.priority._settle import answer_of

        found = answer_of(self.dag, self.states).found
        if isinstance(found, Proof):
            return _certificate(Schedule.of(self.dag, found.order), "ic-optimal", found.witness)
        return _bounded(schedule, self.bound, "bound")


def _bounded(schedule: Schedule, bound: Bound, claim: str) -> Certificate:
    return _certificate(schedule, claim, bound.witness(schedule.order), bound.area if claim == "bound" else None)


def _certificate(schedule: Schedule, claim: str, witness: dict[str, Any], area_bound: int | None = None) -> Certificate:
    from eligo.certificate import Certificate  # few ask for one

    return Certificate.of(schedule, claim, witness, area_bound=area_bound)
