"""What the theory says of a dag: an IC-optimal schedule, the certainty that there is none, or where it got stuck.

The steps; the first that settles the question wins:

1. *family*: the whole dag is a mesh, a tree, an FFT, or a dual of one, with a schedule in closed form;
2. *composition* (Cordasco et al. 2010, section 4.2): shortcuts are removed, the dag is cut into blocks, every block is
   given an optimal order, and the blocks are put in an order of falling priority, or levels of blocks are swept;
3. *series*: where all execution must come together the dag is cut, and each part is settled on its own;
4. *sum*: where the dag falls apart, its components are settled on their own and swept; a sweep that fails proves that
   there is no IC-optimal schedule;
5. *exact search* over the ideals, within a budget.

Series and sum settle both ways: the dag admits an IC-optimal schedule exactly if the parts do and, for a sum, the
sweep succeeds. Every answer but "unknown" has a certificate. Removing shortcuts changes neither orders nor profiles.

The steps of the theory, tried one after the other on a dag and, where it falls into parts, on the parts.

See ``theory.py`` for what the steps are. Each returns a proof, a refutation or a failure; the first two end the search.
Parts of equal structure are settled once.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Literal

import numpy as np

from eligo import graph
from eligo.dag import Dag, Int32
from eligo.errors import EligoError, InfeasibleError
from eligo.priority import _exact as exact
from eligo.priority import _families as families
from eligo.priority._block_schedules import Plans, YieldClasses, levelled_sums, linearize, plan_blocks
from eligo.priority._blocks.bipartite import Bipartite
from eligo.priority._blocks.block_orders import BlockSchedule, schedule_block
from eligo.priority._bounds import cuts
from eligo.priority._composition import as_sum, compose, compose_groups, in_series
from eligo.priority._decompose import decompose
from eligo.priority._follow_bound import Allowance, best_of_all, follow
from eligo.priority._priority_relation import yields_of
from eligo.priority._proof import Failure, Proof, Refutation, nonsinks_of, with_dropped
from eligo.schedule import Schedule, sinks_last

if TYPE_CHECKING:
    from eligo.certificate import Certificate

__all__ = [
    "BUDGET",
    "Answer",
    "Prover",
    "Settled",
    "answer_of",
    "settle",
]

_DEEPEST = 20  # parts within parts; a checker takes no more than 30
_WIDEST_SEARCH = 1_000  # non-sinks beyond which exact search is not tried


@dataclass(frozen=True, slots=True, eq=False)
class Answer:
    """What was found, by which step, and which steps failed."""

    found: Proof | Refutation | None
    method: str | None
    failures: tuple[Failure, ...]


@dataclass(frozen=True, slots=True, eq=False)
class _Known:
    """An answer, at which depth it was found, and how many parts within parts it goes down from there.

    One found high up may go down too far for where the same part comes up again; one that stopped at the deepest
    says nothing of what can be found higher up.
    """

    answer: Answer
    depth: int
    height: int

    def holds_at(self, depth: int) -> bool:
        if self.answer.found is None:
            return depth >= self.depth
        return depth <= self.depth or depth + self.height <= _DEEPEST


class Prover:
    """Settles dags.

    Parameters
    ----------
    budget
        The number of states that one exact search may look at.
    reduced
        Whether the dags have no shortcuts, nor have then their parts; otherwise they are removed where they matter.
    """

    def __init__(self, budget: int, *, reduced: bool) -> None:
        self.budget = budget
        self.reduced = reduced
        self.allowance = Allowance()
        self._known: dict[tuple[object, ...], _Known] = {}
        self._blocks: dict[tuple[bytes, bytes], BlockSchedule] = {}
        self._bottom = 0
        self._steps: dict[str, Callable[[Dag, int], Proof | Refutation | Failure]] = {
            "family": self._family,
            "composition": self._composition,
            "series": self._series,
            "sum": self._sum,
            "exact": self._exact,
        }

    def answer(self, dag: Dag, depth: int = 0, *, is_block: bool = False) -> Answer:
        """Settle one dag; a block is not cut into blocks again."""
        key: tuple[object, ...] = dag.succ_ptr.tobytes(), dag.succ.tobytes(), is_block
        if key in self._known and not self._known[key].holds_at(depth):
            key = *key, depth
        if key not in self._known:
            outer, self._bottom = self._bottom, depth
            answer = self._try_steps(dag, depth, is_block)
            self._known[key] = _Known(answer, depth, self._bottom - depth)
            self._bottom = max(outer, self._bottom)
        known = self._known[key]
        self._bottom = max(self._bottom, depth + known.height)
        return known.answer

    def _try_steps(self, dag: Dag, depth: int, is_block: bool) -> Answer:
        if dag.m == 0:
            return Answer(Proof(sinks_last(dag, dag.order), 0, {"by": "concave"}), "family", ())
        failures: list[Failure] = []
        for method, step in self._steps.items():
            if is_block and method == "composition":
                continue
            try:
                found = step(dag, depth)
            except InfeasibleError as error:  # a table that is too large; other steps may need none
                found = Failure(method, error.text)
            if not isinstance(found, Failure):
                return Answer(found, method, tuple(failures))
            failures.append(found)
        return Answer(None, None, tuple(failures))

    def _without_shortcuts(self, dag: Dag) -> tuple[Dag, Int32, Int32]:
        if self.reduced:
            return dag, dag.order[:0], dag.order[:0]
        tails, heads = graph.shortcuts(dag)
        return (graph.remove_shortcuts(dag) if len(tails) else dag), tails, heads

    def _family(self, dag: Dag, _: int) -> Proof | Failure:
        reduced, tails, heads = self._without_shortcuts(dag)
        family = families.recognise(reduced)
        if family is None:
            return Failure("family", "the dag is no mesh, tree or FFT")
        if not family.certifiable:
            return Failure("family", f"no order of a {family.describe()} is proved IC-optimal in general")
        order = sinks_last(dag, family.best_order())
        return with_dropped(Proof(order, nonsinks_of(dag), family.witness(order)), tails, heads)

    def _composition(self, dag: Dag, depth: int) -> Proof | Failure:
        reduced, tails, heads = self._without_shortcuts(dag)
        blocks = decompose(reduced)
        plans = plan_blocks(blocks, self._bipartite_block, lambda block: self._block(block, depth))
        weak = _weak_blocks(plans)
        if weak is not None:
            return weak
        proof = _put_in_order(reduced, plans, blocks.superdag(), self.allowance)
        return proof if isinstance(proof, Failure) else with_dropped(proof, tails, heads)

    def _bipartite_block(self, block: Bipartite) -> BlockSchedule:
        """Schedule a bipartite block, once: the parts of a dag have the blocks that the dag has."""
        key = block.ptr.tobytes(), block.idx.tobytes()
        if key not in self._blocks:
            self._blocks[key] = schedule_block(block, self.budget)
        return self._blocks[key]

    def _block(self, dag: Dag, depth: int) -> BlockSchedule:
        """Schedule a block that is not bipartite."""
        found = self.answer(dag, depth + 1, is_block=True).found
        order = dag.order if found is None else found.order
        optimal = None if found is None else isinstance(found, Proof)
        return BlockSchedule(
            order=sinks_last(dag, order)[: nonsinks_of(dag)],
            e=yields_of(Schedule.of(dag, order)),
            kind=f"block of {dag.n} jobs on {int(graph.levels(dag).max()) + 1} levels",
            optimal=optimal,
            witness=found.witness if found is not None and optimal else None,
        )

    def _series(self, dag: Dag, depth: int) -> Proof | Refutation | Failure:
        sizes = cuts(dag).tolist()
        if not sizes:
            return Failure("series", "there is no step that every execution passes through")
        if depth >= _DEEPEST:
            return Failure("series", "parts within parts are nested too deep")
        parts = [np.sort(dag.order[start:stop]) for start, stop in pairwise([0, *sizes, dag.n])]
        answers = [self.answer(part, depth + 1) for part in graph.cut_out(dag, parts)]
        return in_series(dag, parts, [answer.found for answer in answers])

    def _sum(self, dag: Dag, depth: int) -> Proof | Refutation | Failure:
        component = graph.components(dag)
        if component.max() == 0:
            return Failure("sum", "the dag does not fall apart")
        if depth >= _DEEPEST:
            return Failure("sum", "parts within parts are nested too deep")
        ptr, jobs = graph.grouped(component, int(component.max()) + 1)
        parts = [part for part in np.split(jobs, ptr[1:-1]) if len(part) > 1]
        dags = graph.cut_out(dag, parts)
        answers = [self.answer(part, depth + 1) for part in dags]
        return as_sum(dag, parts, dags, [answer.found for answer in answers])

    def _exact(self, dag: Dag, _: int) -> Proof | Refutation | Failure:
        if self.budget < 1:
            return Failure("exact", "the budget allows no search")
        if nonsinks_of(dag) > _WIDEST_SEARCH:
            return Failure("exact", f"more than {_WIDEST_SEARCH:,} non-sinks are too many for exact search")
        try:
            answer = exact.search(dag, self.budget, count=False)
        except InfeasibleError as error:
            return Failure("exact", error.text)
        order = sinks_last(dag, dag.order if answer.order is None else answer.order)
        witness = exact.search_witness(answer, order)
        return (Proof if answer.exists else Refutation)(order, nonsinks_of(dag), witness)


def _put_in_order(dag: Dag, plans: Plans, superdag: Dag, allowance: Allowance) -> Proof | Failure:
    """Execute the blocks block by block, else level by level, else in whatever turns reach the bound."""
    classes = YieldClasses(plans)
    failures: list[Failure] = []
    for way in ("blocks", "levels"):
        groups = linearize(superdag, plans, classes) if way == "blocks" else levelled_sums(superdag)
        proof = groups if isinstance(groups, Failure) else compose_groups(dag, plans, groups, classes)
        if isinstance(proof, Proof):
            return proof
        failures.append(proof)
    bound = best_of_all(plans)
    if not isinstance(bound, Failure):
        nonsinks = follow(dag, plans, bound[0], allowance)
        if not isinstance(nonsinks, Failure):
            return compose(dag, nonsinks, plans, bound[1])
    return failures[0]


def _weak_blocks(plans: Plans) -> Failure | None:
    """Say which blocks have no order that is known to be optimal."""
    open_ones = np.array([schedule.optimal is not True for schedule in plans.schedules], np.bool_)
    weak = np.flatnonzero(open_ones[plans.structure])
    if not len(weak):
        return None
    first = plans[int(weak[0])]
    why = "has no IC-optimal order" if first.optimal is False else "has no order that is proved IC-optimal"
    others = len(weak) - 1
    more = "" if others == 0 else ", nor has one other" if others == 1 else f", nor have {others} others"
    which = "the only block" if len(plans) == 1 else f"of {len(plans)} blocks one"
    return Failure("blocks", f"{which} ({first.kind}) {why}{more}")


BUDGET = 1_000_000
"""How many states an exact search looks at before it gives up; a second or two."""


@dataclass(frozen=True, slots=True, eq=False)
class Settled:
    """What the theory says of a dag.

    Attributes
    ----------
    claim
        ``ic-optimal``, ``none-exists`` or ``unknown``.
    schedule
        An IC-optimal schedule, where there is one.
    certificate
        Of the claim, unless it is unknown.
    method
        What settled it: ``family``, ``composition``, ``series``, ``sum`` or ``exact``.
    failures
        The steps that did not settle it, with their reasons.
    """

    claim: Literal["ic-optimal", "none-exists", "unknown"]
    schedule: Schedule | None
    certificate: Certificate | None
    method: str | None
    failures: tuple[Failure, ...]


def settle(dag: Dag, budget: int = BUDGET) -> Settled:
    """Find an IC-optimal schedule, or prove that there is none, as far as the theory goes.

    Parameters
    ----------
    budget
        How many states an exact search may look at, for the dag or for one block; 0 for no search.

    Examples
    --------
    >>> settled = settle(Dag.from_names([("a", "b"), ("a", "c"), ("x", "y")]))
    >>> settled.claim, settled.schedule.names
    ('ic-optimal', ['a', 'x', 'b', 'c', 'y'])

    An edge beside a complete 2 x 2 block is the smallest dag without an IC-optimal schedule:

    >>> settle(Dag.from_edges(6, [0, 2, 2, 3, 3], [1, 4, 5, 4, 5])).claim
    'none-exists'
    """
    if budget < 0:
        raise EligoError(f"a budget of {budget} states allows nothing", hint="0 is no search")
    answer = answer_of(Dag.from_edges(dag.n, dag.tails, dag.heads), budget)
    if answer.found is None:
        return Settled("unknown", None, None, None, answer.failures)
    from eligo.certificate import Certificate  # those who only want the answer do without

    schedule = Schedule.of(dag, answer.found.order)
    if isinstance(answer.found, Proof):
        certificate = Certificate.of(schedule, "ic-optimal", answer.found.witness)
        return Settled("ic-optimal", schedule, certificate, answer.method, answer.failures)
    certificate = Certificate.of(schedule, "no-ic-optimal", answer.found.witness)
    return Settled("none-exists", None, certificate, answer.method, answer.failures)


def answer_of(dag: Dag, budget: int) -> Answer:
    """Settle the dag without its shortcuts, and say the result of the dag itself; jobs go by their numbers."""
    tails, heads = graph.shortcuts(dag)
    if not len(tails):
        return Prover(budget, reduced=True).answer(dag)
    answer = Prover(budget, reduced=True).answer(graph.remove_shortcuts(dag))
    if isinstance(answer.found, Proof):
        return Answer(with_dropped(answer.found, tails, heads), answer.method, answer.failures)
    # A refutation speaks of all edges of the dag, so its parts must be proved with their shortcuts.
    return Prover(budget, reduced=False).answer(dag) if answer.found is not None else answer
