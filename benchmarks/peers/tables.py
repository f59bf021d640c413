"""The tables: one a question, with what peers come to as a multiple of ours, and who was left out and why."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from benchmarks.measure import geometric_mean, print_table
from benchmarks.peers.apart import Findings
from benchmarks.peers.cases import REAL as _REAL
from benchmarks.peers.registry import PEERS, Values

__all__ = ["print_all"]

_TINY = 1e-9  # for ratios of what may be 0
_BUILT = "ours_built", "theirs_built"
_By = Mapping[str, Findings]
_Group = Mapping[str, Values]


def print_all(found: _By) -> None:
    """Print all tables."""
    _print_peers(found)
    _print_ready(found["dask.order"])
    _print_held(found["dask.order"])
    _print_times(found, "sort", "Topological order", {"": ("ours", "theirs"), ", built too": _BUILT})
    _print_times(found, "reduction", "Transitive reduction", {"": ("ours", "theirs")})
    _print_times(found, "closure", "Worst peak", {"": ("ours", "theirs"), ", solved only": ("ours", "alone")})
    _print_left_out(found)


def _print_peers(found: _By) -> None:
    rows = []
    for peer in PEERS:
        of = found[peer.title]
        state = f"skipped: {of.missing}" if of.missing else f"{len(of.values)} of {len(of.done)}"
        rows.append([peer.title, of.version or "-", ", ".join(peer.questions), state])
    print_table("Peers", ["peer", "version", "asked for", "answered"], rows)


def _print_ready(of: Findings) -> None:
    """How many jobs are ELIGIBLE on average: many are better."""
    header = ["workflows", "dags", "best", "prio", "dask.order", "its sinks last", "dask.order ahead"]
    rows = [
        [
            row,
            f"{len(group)}",
            _average(group, "ready_best"),
            *(_mean(group, f"ready_{name}", "ready_best") for name in ("prio", "dask", "dask_last")),
            _count(max(v["ready_dask"], v["ready_dask_last"]) > v["ready_best"] for v in group.values()),
            _milliseconds(v["time_best"] for v in group.values()),
            *(_mean(group, f"time_{name}", "time_best") for name in ("prio", "dask")),
        ]
        for row, group in _groups(of, "orders").items()
    ]
    if rows:
        title = "ELIGIBLE jobs on average in the order of best, others as a multiple of it (more is better)"
        print_table(title, [*header, "time of best", "of prio", "of dask.order"], rows)


def _print_held(of: Findings) -> None:
    """How many results are held: few are better; `best` is there to show what many ready jobs cost."""
    header = ["workflows", "dags"]
    for what in ("peak", "mean"):
        header += [f"{what}: sequential", "dask.order", "best", "dask.order below", "above"]
    rows = []
    for row, group in _groups(of, "orders").items():
        cells = [row, f"{len(group)}"]
        for what in ("peak", "held"):
            pairs = [(v[f"{what}_dask"], v[f"{what}_sequential"]) for v in group.values()]
            cells.append(_average(group, f"{what}_sequential"))
            cells += [_mean(group, f"{what}_{name}", f"{what}_sequential") for name in ("dask", "best")]
            cells += [_count(theirs < ours for theirs, ours in pairs), _count(theirs > ours for theirs, ours in pairs)]
        time = _milliseconds(v["time_sequential"] for v in group.values())
        rows.append([*cells, time, _mean(group, "time_dask", "time_sequential")])
    if rows:
        title = "Results held in the order of sequential, by Dask, others as a multiple of it (less is better)"
        print_table(title, [*header, "time of sequential", "of dask.order"], rows)


def _print_times(found: _By, question: str, title: str, pairs: Mapping[str, tuple[str, str]]) -> None:
    """Print how many times as long as ours each peer takes; ours is the least that was measured beside any.

    Parameters
    ----------
    pairs
        For each part of the question, how it is called in the header, and the names of our times and of theirs.
    """
    asked = {peer.title: _groups(found[peer.title], question) for peer in PEERS if question in peer.questions}
    names = dict.fromkeys(row for groups in asked.values() for row in groups)
    header, columns = ["workflows"], [[name for name in names if name == _REAL or not name.startswith(_REAL)]]
    known = set()
    for part, (ours, theirs) in pairs.items():
        if ours not in known:
            known.add(ours)
            header.append(f"ours{part}")
            columns.append([_least([groups.get(row, {}) for groups in asked.values()], ours) for row in columns[0]])
        for peer, groups in asked.items():
            header.append(f"{peer}{part}")
            columns.append([_mean(groups.get(row, {}), theirs, ours) for row in columns[0]])
    if columns[0]:
        print_table(f"{title}: times, peers as a multiple of ours", header, list(zip(*columns, strict=True)))


def _least(groups: Iterable[_Group], ours: str) -> str:
    """Return the sum of the least times of each workflow."""
    least: dict[str, float] = {}
    for group in groups:
        for case, values in group.items():
            least[case] = min(values[ours], least.get(case, values[ours]))
    return _milliseconds(least.values())


def _print_left_out(found: _By) -> None:
    rows = []
    for peer, of in found.items():
        rows += [[peer, *unit, reason] for unit, reason in of.left_out.items()]
        rows += [[peer, *unit, f"FAILED: {reason}"] for unit, reason in of.failures.items()]
    if rows:
        print_table("Left out", ["peer", "question", "workflow", "reason"], rows)


def _groups(of: Findings, question: str) -> dict[str, dict[str, Values]]:
    """Return the values of one question by row and workflow; real workflows of all folders are a row together too."""
    groups: dict[str, dict[str, Values]] = {}
    for case, row in of.rows.items():
        values = of.values.get((question, case))
        if values is not None:
            for name in (_REAL, row) if row.startswith(_REAL) else (row,):
                groups.setdefault(name, {})[case] = values
    return groups


def _mean(group: _Group, one: str, other: str) -> str:
    """Return the geometric mean of the ratios of two values."""
    ratios = [max(values[one], _TINY) / max(values[other], _TINY) for values in group.values()]
    return f"{geometric_mean(ratios):,.2f}" if ratios else "-"


def _average(group: _Group, name: str) -> str:
    return f"{sum(values[name] for values in group.values()) / len(group):,.1f}"


def _count(which: Iterable[bool]) -> str:
    return f"{sum(which)}"


def _milliseconds(times: Iterable[float]) -> str:
    return f"{1000 * sum(times):,.2f} ms"
