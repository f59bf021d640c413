"""Duality: from a schedule of a dag to one of the dag with every edge reversed, by packets.

*Problem.* An IC-optimal schedule of a dag is known; one of its dual is wanted, without a search.

*Idea.* Executing the t-th job of a schedule renders a *packet* of jobs ELIGIBLE; the sources are the packet of step 0.
The dual executes the packets from the last to the first, each in any order. Every schedule gives a valid one that way:
a child becomes ELIGIBLE only after its parent is executed, hence in a later packet than its parent did.

*Why it is optimal.* E_max(t) >= k iff there are executed sets I in J of t and t + k jobs such that what J has more than
I is all ELIGIBLE after I; turned round, it is ELIGIBLE in the dual after the complement of J. So both dags have the
same pairs, and with f(t) = t + E_max(t)

    E~_max(n - j) = j - min {t : f(t) >= j}.

Along an IC-optimal schedule the largest J of each step lie in each other, and the packets are their differences. This
holds for all dags when all ELIGIBLE jobs are counted, sources too. Cordasco, Malewicz and Rosenberg 2007 (section 5)
prove it for W- and M-strands; when sources do not count it is false in general.

*Yields and priorities.* In terms of yields (see ``relation``), a dag with N non-sinks and M non-sources has a dual with
M non-sinks and N non-sources, and the formula above becomes e~(x) = N - min {t : e(t) >= M - x}. It turns ▷ round: a ▷
b iff the dual of b ▷ the dual of a (their Theorem 5.3, here for all dags).

*Cost.* O(m + n log n) for a schedule, O(n log n) for a profile.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from eligo import graph
from eligo.dag import Int64
from eligo.errors import EligoError
from eligo.priority._priority_relation import executions_needed
from eligo.schedule import Schedule, latest, places

__all__ = ["dual_e", "dual_profile", "dual_schedule"]


def dual_schedule(schedule: Schedule) -> Schedule:
    """Return a schedule of the dual dag: the packets of the given one from last to first, jobs of a packet by number.

    It is IC-optimal if the given one is.

    Examples
    --------
    >>> from eligo import Dag
    >>> w = Dag.from_names([("a", "u"), ("a", "v"), ("b", "v"), ("b", "w"), ("b", "x")])
    >>> dual_schedule(Schedule.of_names(w, ["b", "a", "u", "v", "w", "x"])).names
    ['u', 'v', 'w', 'x', 'a', 'b']
    """
    dag = schedule.dag
    packet = latest(dag.pred_ptr, dag.pred, places(schedule.order))
    return Schedule.of(graph.dual(dag), np.argsort(-packet, kind="stable"))


def dual_profile(best: ArrayLike) -> Int64:
    """Return the best profile of the dual dag, given that of the dag: E_max(0), ..., E_max(n).

    Neither dag needs to have an IC-optimal schedule. Applied twice it gives the profile back.

    Raises
    ------
    EligoError
        The numbers are no profile: E(n) is not 0, a number is negative, or one falls by more than 1.

    Examples
    --------
    >>> dual_profile([1, 2, 1, 0])
    array([2, 1, 1, 0])
    """
    profile = np.asarray(best)
    if profile.ndim != 1 or profile.size == 0 or profile.dtype.kind not in "iu":
        raise EligoError("expected a flat list of whole numbers E(0), ..., E(n)")
    n = len(profile) - 1
    reach = profile.astype(np.int64) + np.arange(n + 1)
    if profile[-1] != 0 or np.any(profile < 0) or np.any(np.diff(reach) < 0):
        raise EligoError(
            "these are no numbers of ELIGIBLE jobs",
            hint="they end with 0 and never fall by more than 1, since each step executes one job",
        )
    left = np.arange(n, -1, -1)
    dual: Int64 = left - np.searchsorted(reach, left)
    return dual


def dual_e(e: ArrayLike) -> Int64:
    """Return the best yields of the dual dag, given those of the dag: e(0), ..., e(N).

    For a bipartite block with s sources and S sinks that is: b sinks of the dual need S - e(s - b) of its sources.

    Examples
    --------
    >>> dual_e([0, 4, 6])
    array([0, 0, 1, 1, 1, 1, 2])
    """
    needed = executions_needed(e)
    dual: Int64 = needed[-1] - needed[::-1]
    return dual
