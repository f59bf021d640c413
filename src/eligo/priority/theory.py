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
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from eligo import graph
from eligo.dag import Dag
from eligo.errors import EligoError
from eligo.priority.proof import Failure, Proof, with_dropped
from eligo.priority.prover import Answer, Prover
from eligo.schedule import Schedule

if TYPE_CHECKING:
    from eligo.certificate import Certificate

__all__ = ["BUDGET", "Settled", "answer_of", "settle"]

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
