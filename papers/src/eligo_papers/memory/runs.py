"""What is computed for 004, section 6: every method at every memory bound on every graph.

A bound of 0 is the peak of a depth-first order, 1 the worst peak. At each bound each method adds its edges; what comes
out is measured by its critical path and by list scheduling (the longest remaining path first) on 2 and on 5
processors. A certificate of the worst peak is made of what came out and checked by ``eligo.verify``, which does not
know the methods.

The order with the smallest peak, which ours start from, is found once for a graph and not once for a bound.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from eligo.certificate._verify import verify
from eligo.dag import Dag
from eligo.errors import InfeasibleError
from eligo.memory._algorithm1 import worst_peak_by_algorithm1
from eligo.memory._analyze import certify
from eligo.memory._footprint import Footprint
from eligo.memory._limit import Limited, limit
from eligo.memory._lower_bound import LowerBound
from eligo.memory._models import footprint
from eligo.memory._sequential import Sequential, dfs, peak_of, sequential
from eligo.memory._serialization import work_of
from eligo.memory._worst_peak import WorstPeak, worst_peak
from eligo.simulation._list_schedule import bottom_levels, list_schedule, peak_of_trace
from eligo_papers.memory.gallery import workflow
from eligo_papers.memory.graphs import DAGGEN, Reference, daggen_dag, emulated, load

__all__ = ["METHODS", "OURS", "PROCESSORS", "THEIRS", "bound_of", "check_limited", "count_ways", "draw_again"]
__all__ += ["fail_again", "measure", "peaks", "solve_exactly"]

THEIRS = ("min-levels", "respect-order", "max-min-size", "max-size")
"""004's heuristics."""
OURS = ("auto", "schedule")
METHODS = (*OURS, *THEIRS)
PROCESSORS = (2, 5)
_EFT = (1, 2, 3, 5, 10, 20, 30, 40, 50, 60, None)


def peaks(print_: Footprint) -> tuple[int, int]:
    """Return the peak of the depth-first order, and the worst peak: 004's smallest and largest bound.

    Examples
    --------
    >>> peaks(footprint(load(["DAGGEN sparse", 2])))
    (2751463424, 4110417920)
    """
    return peak_of(print_, dfs(print_.dag)), worst_peak(print_, trials=0).bound


def bound_of(low: int, high: int, at: float) -> int:
    """Return the memory bound so far on the way from the smallest to the largest, in whole bytes.

    Examples
    --------
    >>> bound_of(100, 200, 0.25)
    125
    """
    return low + int(at * (high - low) + 0.5)


def measure(graphs: Sequence[Reference], bounds: Sequence[float]) -> dict[str, Any]:
    """Try every method at every bound on some graphs, and check every dag that comes out by its certificate.

    Returns
    -------
    dict
        ``graphs``, each with its peaks, what it comes to without a bound, and for each bound and method the critical
        path, the makespans, and how many edges were added; ``None`` for a method that failed. ``certified`` counts the
        dags that were checked.

    Examples
    --------
    >>> found = measure([["DAGGEN dense", 2]], [0.0, 1.0])
    >>> found["certified"], [bound["at"] for bound in found["graphs"][0]["bounds"]]
    (12, [0.0, 1.0])
    """
    found, count = [], 0
    for reference in graphs:
        print_ = footprint(load(reference))
        low, high = peaks(print_)
        record = _facts(reference, print_, low, high)
        lowest = sequential(print_) if low < high else None
        for at in bounds if low < high else ():
            methods: dict[str, list[float] | None] = {}
            for method in METHODS:
                limited = _try(print_, bound_of(low, high, at), method, lowest)
                methods[method] = None if limited is None else _numbers(limited)
                if limited is not None:
                    check_limited(limited.worst, limited.limit)
                    count += 1
            record["bounds"].append({"at": at, "limit": bound_of(low, high, at), "methods": methods})
        found.append(record)
    return {"graphs": found, "certified": count}


def _try(print_: Footprint, most: int, method: str, lowest: Sequential | None) -> Limited | None:
    try:
        return limit(print_, most, method=method, lowest=lowest)
    except InfeasibleError:
        return None


def _numbers(limited: Limited) -> list[float]:
    makespans = [float(list_schedule(limited.dag, many).makespan_s) for many in PROCESSORS]
    return [float(limited.critical_path_after), *makespans, len(limited.tails)]


def check_limited(worst: WorstPeak, most: int) -> None:
    """Check a dag that keeps a limit by its certificate: the flow, not what the method says.

    Raises
    ------
    AssertionError
        The limit is not kept; or the certificate is wrong, which ``verify`` says in an error of its own.

    Examples
    --------
    >>> worst = worst_peak(footprint(load(["DAGGEN sparse", 2])))
    >>> check_limited(worst, worst.bound)
    >>> check_limited(worst, worst.bound - 1)
    Traceback (most recent call last):
        ...
    AssertionError: a worst peak of 4110417920 was taken for 4110417919
    """
    print_ = worst.footprint
    job = int(np.argmax(print_.needs))
    order = print_.dag.order
    proof = certify(worst, order, peak_of(print_, order), LowerBound(int(print_.needs[job]), job))
    verify(proof, print_.dag)
    if proof.worst_peak > most:
        raise AssertionError(f"a worst peak of {proof.worst_peak} was taken for {most}")


def _facts(reference: Reference, print_: Footprint, low: int, high: int) -> dict[str, Any]:
    """Return what is known of a graph before any bound."""
    dag = print_.dag
    return {
        "graph": reference,
        "jobs": dag.n,
        "edges": dag.m,
        "low": low,
        "high": high,
        "algorithm1": worst_peak_by_algorithm1(print_)[0],
        "product": [float(print_.outputs @ work_of(dag)), float(high) * _makespan(dag, None)],  # both sides of Lemma 2
        "path": _makespan(dag, None),
        "makespans": [_makespan(dag, many) for many in PROCESSORS],
        "eft": _eft(print_, low, high) if low < high else {},
        "bounds": [],
    }


def _makespan(dag: Dag, processors: int | None) -> float:
    return float(list_schedule(dag, processors).makespan_s)


def _eft(print_: Footprint, low: int, high: int) -> dict[str, dict[str, float]]:
    """Return the normalised memory of list scheduling, by processors.

    Nodes that take no time, of which the emulation has many, wait *in turn* for a processor, or run *at once*, as what
    they stand for does: the moment in which a task ends, and the freeing of a file.
    """
    dag = print_.dag
    work = work_of(dag)
    levels = bottom_levels(dag, work)
    ways = {"in turn": levels, "at once": np.where(work > 0, levels, levels.max() + 1)}
    return {
        way: {
            "all" if many is None else str(many): (
                peak_of_trace(print_, list_schedule(dag, many, priority=priority)) - low
            )
            / (high - low)
            for many in _EFT
        }
        for way, priority in ways.items()
        if way == "in turn" or not work.all()
    }


def draw_again(draws: int, processors: Sequence[int | None]) -> dict[str, Any]:
    """Draw DAGGEN several times more, and return the quartiles of Tables 2 and 3 of each draw: what chance does.

    Returns
    -------
    dict
        For each half of the set, a draw each: the ``ratios``, how many dags are ``alike``, and the memory of EFT by
        processors.

    Examples
    --------
    >>> [len(of) for of in draw_again(1, [2]).values()]
    [1, 1]
    """
    found: dict[str, list[dict[str, Any]]] = {name: [] for name in DAGGEN}
    for name, density in DAGGEN.items():
        for draw in range(1, draws + 1):
            ratios: list[float] = []
            used: dict[str, list[float]] = {str(many): [] for many in processors}
            for number in range(54):
                print_ = footprint(daggen_dag(density, number, draw))
                low, high = peaks(print_)
                if low == high:
                    continue
                ratios.append(high / low)
                for many in processors:
                    peak = peak_of_trace(print_, list_schedule(print_.dag, many))
                    used[str(many)].append((peak - low) / (high - low))
            quartiles = {many: _quartiles(values) for many, values in used.items()}
            found[name].append({"ratios": _quartiles(ratios), "alike": 54 - len(ratios), "eft": quartiles})
    return found


def fail_again(draw: int) -> dict[str, dict[str, int]]:
    """Draw DAGGEN once more, and return how often each of 004's heuristics fails at its eleven bounds, by half."""
    found = {}
    for name, density in DAGGEN.items():
        failed = dict.fromkeys(THEIRS, 0)
        for number in range(54):
            print_ = footprint(daggen_dag(density, number, draw))
            low, high = peaks(print_)
            for tenth in range(10) if low < high else ():  # at the largest bound nothing is to be done
                for method in THEIRS:
                    failed[method] += _try(print_, bound_of(low, high, tenth / 10), method, None) is None
        found[name] = failed
    return found


def _quartiles(values: Sequence[float]) -> list[float]:
    return [float(value) for value in np.quantile(values, (0.25, 0.5, 0.75))]


def count_ways(names: Sequence[str], graphs: int) -> dict[str, dict[str, list[float]]]:
    """Return worst peak over depth-first peak of workflows, by how data are counted.

    ``graphs`` is what the papers' graphs hold, ``text`` what 004 writes (a running task holds all its inputs), and
    ``files`` counts each file once, from its job's start until its last reader has ended.

    Examples
    --------
    >>> {way: round(ratio) for way, (ratio,) in count_ways(["MONTAGE"], 1)["MONTAGE"].items()}
    {'graphs': 7, 'text': 7, 'files': 2}
    """
    found = {}
    for name in names:
        ratios: dict[str, list[float]] = {"graphs": [], "text": [], "files": []}
        for number in range(graphs):
            dag = workflow(name, number)
            prints = {
                "graphs": footprint(emulated(dag)),
                "text": footprint(emulated(dag, all_inputs=True)),
                "files": footprint(dag, "files", unread="leave"),
            }
            for way, print_ in prints.items():
                low, high = peaks(print_)
                ratios[way].append(high / low)
        found[name] = ratios
    return found


def solve_exactly(graphs: Sequence[Reference], bounds: Sequence[float], max_nodes: int, solver: str) -> dict[str, Any]:
    """Solve the integer program of 004, section 5.2, from what ``auto`` finds on.

    Parameters
    ----------
    max_nodes
        Of its search: a limit of work, so that results repeat.
    solver
        The version of HiGHS; nothing where it is not installed, and nothing is done then.

    Returns
    -------
    dict
        ``graphs``, each with, for each bound: the critical path of ``auto``, the one found, whether it is proved to be
        the shortest, and the makespans.

    Examples
    --------
    >>> solve_exactly([["DAGGEN dense", 2]], [0.5], 10, solver="")
    {'graphs': []}
    """
    found: list[dict[str, Any]] = []
    if not solver:
        return {"graphs": found}
    from eligo.memory._ilp import solve_ilp

    for reference in graphs:
        print_ = footprint(load(reference))
        dag = print_.dag
        low, high = peaks(print_)
        lowest = sequential(print_) if low < high else None
        rows = []
        for at in bounds if low < high else ():
            most = bound_of(low, high, at)
            start = limit(print_, most, lowest=lowest)
            pairs = list(zip(start.tails.tolist(), start.heads.tolist(), strict=True))
            answer = solve_ilp(print_, most, work_of(dag), start=pairs, max_nodes=max_nodes)
            if answer.tails is None or answer.heads is None:
                raise AssertionError("a program that starts from an answer has one")
            after = dag.with_edges(answer.tails, answer.heads)
            check_limited(worst_peak(print_.on(after), trials=0), most)
            makespans = [_makespan(after, many) for many in PROCESSORS]
            rows.append([at, start.critical_path_after, answer.critical_path, answer.optimal, *makespans])
        found.append({"graph": reference, "jobs": dag.n, "path": _makespan(dag, None), "bounds": rows})
    return {"graphs": found}
