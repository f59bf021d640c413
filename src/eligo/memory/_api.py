"""The verbs of memory for those who have a dag: the worst peak of any execution, and limits that all of them keep.

Each takes a dag and the words for the model, or a :class:`~eligo.memory._footprint.Footprint` that was made of both.
"""

from __future__ import annotations

from collections.abc import Callable

from eligo.dag import Dag, Int32
from eligo.errors import EligoError
from eligo.memory import _limit as limiting
from eligo.memory import _worst_peak as worst
from eligo.memory._footprint import Footprint
from eligo.memory._limit import Limited
from eligo.memory._models import footprint
from eligo.memory._worst_peak import WorstPeak

__all__ = ["limit", "worst_peak"]


def worst_peak(
    of: Dag | Footprint,
    model: str | None = None,
    resource: str | None = None,
    *,
    unread: str | None = None,
    inputs: str | None = None,
) -> WorstPeak:
    """Return the most that any execution occupies, sequential or parallel.

    Parameters
    ----------
    model, resource, unread, inputs
        How data occupy memory, as :func:`eligo.footprint` has them; for a dag only.

    Returns
    -------
    WorstPeak
        ``bound`` is never exceeded; ``exact`` tells whether an execution reaches it.

    Raises
    ------
    EligoError
        No size is known.

    Examples
    --------
    >>> import eligo
    >>> dag = Dag.from_names([("a", "b"), ("c", "d")])
    >>> dag = dag.with_known(data=eligo.Data.per_edge(dag.tails, dag.heads, [5, 7]))
    >>> worst = eligo.worst_peak(dag)
    >>> worst.bound, worst.exact
    (12, True)
    >>> eligo.worst_peak(dag, "pebble").bound
    4
    """
    return worst.worst_peak(_footprint(of, model, resource, unread, inputs))


def limit(
    of: Dag | Footprint,
    memory: int,
    method: str = "auto",
    *,
    model: str | None = None,
    resource: str | None = None,
    unread: str | None = None,
    inputs: str | None = None,
    order: Int32 | None = None,
    time_limit_s: float | None = None,
    on_progress: Callable[[str], None] | None = None,
) -> Limited:
    """Add dependencies so that no execution occupies more than `memory`.

    Parameters
    ----------
    memory
        In bytes, or in pebbles.
    method
        One of ``auto``, ``schedule``, ``min-levels``, ``respect-order``, ``max-size``, ``max-min-size`` and ``ilp``.
    model, resource, unread, inputs
        How data occupy memory, as :func:`eligo.footprint` has them; for a dag only.
    order
        A sequential order within the limit to go by: job numbers.
    time_limit_s
        Of the method ``ilp``.
    on_progress
        Is told what is tried.

    Returns
    -------
    Limited
        ``dag`` has the added edges, ``tails`` and ``heads`` are these.

    Raises
    ------
    InfeasibleError
        No way to keep the limit is known; ``reachable`` is the smallest limit that is.

    Examples
    --------
    >>> import eligo
    >>> dag = Dag.from_names([("a", "b"), ("c", "d")])
    >>> dag = dag.with_known(data=eligo.Data.per_edge(dag.tails, dag.heads, [5, 7]))
    >>> limited = eligo.limit(dag, 8)
    >>> limited.worst.bound, limited.dag
    (7, Dag(4 jobs, 3 edges))
    """
    return limiting.limit(
        _footprint(of, model, resource, unread, inputs),
        memory,
        method=method,
        order=order,
        time_limit_s=time_limit_s,
        on_progress=on_progress,
    )


def _footprint(
    of: Dag | Footprint, model: str | None, resource: str | None, unread: str | None, inputs: str | None
) -> Footprint:
    if isinstance(of, Dag):
        return footprint(of, model, resource, unread=unread or "stay", inputs=inputs or "ignore")
    if any(word is not None for word in (model, resource, unread, inputs)):
        raise EligoError("a footprint has its model already", hint="give the dag, or leave the words for the model out")
    return of
