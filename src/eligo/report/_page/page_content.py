"""What the script of a page works on: one JSON object, with arrays as base64.

An array is ``{"i4": "..."}``, ``u1``, ``f4`` or ``f8``: little-endian numbers of that type, which a browser turns into
a typed array as they are; fifty thousand jobs then load in a fraction of the time that lists of numbers take. What is
only drawn is ``f4``. Unknown numbers are ``nan`` there and -1 in ``i4``.

Names are untrusted and may be of any length. What is not printable is shown as an escape (so no character can turn the
direction of a line), and of long ones the middle is left out: the page is for looking, the workflow has the names.
"""

from __future__ import annotations

import base64
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from eligo import graph
from eligo._humanize import printable
from eligo.dag import OUTSIDE, Dag
from eligo.report._layout import Layout, place_jobs
from eligo.report._page.block_table import BlockTable, block_table
from eligo.report._page.findings import Findings, MemoryFound, Recorded, Strategy
from eligo.report._page.folding import Folding, fold
from eligo.report._page.page_text import captions
from eligo.report._ratio_panels import METRICS
from eligo.report._style import shorten
from eligo.trace import Trace, lanes_of

__all__ = ["content", "packed", "shown"]

_LONGEST_NAME = 120
_DRAWN_JOBS, _DRAWN_EDGES = 10_000, 40_000  # up to which a page can draw every job and every edge
_MOST_BLOCKS = 20_000  # that are listed
_MOST_ARROWS = 2  # for each group, beyond which those that follow from others hide the rest
_RUNS, _HELD = 1, 2  # what a job does at the worst peak


def shown(text: str) -> str:
    r"""Return text as it is shown: nothing in it is obeyed, it is not too long, and there is something to be seen.

    Examples
    --------
    >>> shown("a\u202eb"), len(shown(10_000 * "x")), shown(" ")
    ('a\\u202eb', 120, '" "')
    """
    if len(text) > 8 * _LONGEST_NAME:  # escapes only make it longer
        text = text[: 4 * _LONGEST_NAME] + text[-4 * _LONGEST_NAME :]
    made = shorten(printable(text), _LONGEST_NAME)
    return made if made.strip() else f'"{made[: _LONGEST_NAME - 2]}"'


def packed(values: ArrayLike, kind: str) -> dict[str, str]:
    """Return an array as the page takes it: `kind` is ``i4``, ``u1``, ``f4`` or ``f8``.

    Examples
    --------
    >>> packed([1, 2], "i4")
    {'i4': 'AQAAAAIAAAA='}
    """
    return {kind: base64.b64encode(np.asarray(values).astype(f"<{kind}").tobytes()).decode("ascii")}


def content(found: Findings, *, live: bool = False) -> dict[str, Any]:
    """Return all that the script of a page needs."""
    dag, plain = found.dag, found.plain
    folding = fold(plain)
    return {
        "live": live,
        "jobs": {
            "name": [shown(name) for name in dag.names],
            "level": packed(graph.levels(plain), "i4"),
            "group": packed(folding.of, "i4"),
            **_known(found),
        },
        "edges": {
            "first": packed(dag.succ_ptr, "i4"),
            "head": packed(dag.heads, "i4"),
            "added": packed(np.flatnonzero(found.added), "i4"),
        },
        "groups": _groups(folding),
        "layout": _layout(plain) if plain.n <= _DRAWN_JOBS and plain.m <= _DRAWN_EDGES else None,
        "strategies": [_strategy(each) for each in found.strategies],
        "bound": packed(found.best.bound, "i4"),
        "workers": found.workers,
        "in_seconds": found.timed,
        "path_in_seconds": dag.time_s is not None,
        "memory": None if found.memory is None else _memory(found.memory),
        "recorded": None if found.recorded is None else _recorded(found.recorded),
        "simulation": _simulation(found),
        "blocks": _blocks(block_table(found.strategies[0].schedule)),
        "captions": captions(found),
    }


def _known(found: Findings) -> dict[str, Any]:
    dag, memory = found.dag, found.memory
    known: dict[str, Any] = {"time_s": None if dag.time_s is None else packed(dag.time_s, "f8"), "need": None}
    if memory is not None:
        known["need"] = packed(memory.footprint.needs, "f8")
        known["peak"] = packed(_at_peak(memory), "u1")
    return known


def _at_peak(memory: MemoryFound) -> np.ndarray:
    """Return what each job does when the worst peak is reached: runs, or holds data by what it made."""
    worst, footprint = memory.analysis.worst, memory.footprint
    marks = np.zeros(footprint.dag.n, np.uint8)
    makers = footprint.producer[worst.present]
    marks[makers[makers != OUTSIDE]] = _HELD
    marks[worst.started & ~worst.ended] = _RUNS
    return marks


def _groups(folding: Folding) -> dict[str, Any]:
    """Return the groups as they are drawn: where arrows are many, without those that a longer way implies."""
    dag, edges = folding.dag, folding.edges
    if dag.m > _MOST_ARROWS * dag.n:
        reduced = graph.remove_shortcuts(dag)
        dag, edges = reduced, edges[graph.joined(reduced, dag.tails, dag.heads)]
    return {
        "name": [shown(name) for name in folding.names],
        "tail": packed(dag.tails, "i4"),
        "head": packed(dag.heads, "i4"),
        "edges": packed(edges, "i4"),
        "left_out": folding.dag.m - dag.m,
        **_layout(dag),
    }


def _layout(dag: Dag) -> dict[str, Any]:
    """Return where nodes stand, and the bends of edges: as many as `bends` says for each edge, one after the other."""
    places: Layout = place_jobs(dag)
    bends = np.zeros(dag.m, np.int32)
    for edge, points in places.bends.items():
        bends[edge] = len(points)
    points = np.concatenate([places.bends[edge] for edge in sorted(places.bends)] or [np.empty((0, 2))])
    return {
        "x": packed(places.x, "f4"),
        "row": packed(places.y, "i4"),
        "bends": packed(bends, "i4"),
        "bend_x": packed(points[:, 0], "f4"),
    }


def _strategy(strategy: Strategy) -> dict[str, Any]:
    return {
        "label": strategy.label,
        "order": packed(strategy.schedule.order, "i4"),
        "profile": packed(strategy.schedule.profile, "i4"),
        "memory": None if strategy.along is None else packed(strategy.along, "f4"),
        "trace": _trace(strategy.trace)
        | ({} if strategy.use is None else _use(strategy.use.time_s, strategy.use.size_bytes)),
    }


def _trace(trace: Trace) -> dict[str, Any]:
    """Return what ran when; times begin with the first event where clocks measured them."""
    lanes = lanes_of(trace)
    begin = float(trace.event_times()[0]) if trace.measured and len(trace.events) else 0.0
    return {
        "start": packed(trace.start_s - begin, "f4"),
        "end": packed(trace.end_s - begin, "f4"),
        "lane": packed(lanes.lane, "i4"),
        "lanes": len(lanes.worker),
    }


def _use(time_s: ArrayLike, size_bytes: ArrayLike) -> dict[str, Any]:
    return {"memory_time": packed(time_s, "f4"), "memory": packed(size_bytes, "f4")}


def _memory(memory: MemoryFound) -> dict[str, Any]:
    limited, analysis = memory.limited, memory.analysis
    return {
        "resource": memory.footprint.rules.resource,
        "unit": memory.footprint.rules.unit,
        "worst": analysis.worst.bound,
        "before": memory.before.worst.bound,
        "limit": None if limited is None else limited.limit,
        "limited_path": None if limited is None else limited.critical_path_after,
        "curve": [
            {"limit": p.limit, "path": p.critical_path, "method": p.method, "edges": p.edges} for p in memory.curve
        ],
    }


def _recorded(recorded: Recorded) -> dict[str, Any]:
    return {
        "status": packed(list(recorded.status), "u1"),
        "engine": recorded.engine,
        "over": not recorded.goes_on,
        "trace": _trace(recorded.trace),
    }


def _simulation(found: Findings) -> dict[str, Any] | None:
    """Return the ratios that a sweep found, of the metrics that the paper draws first."""
    if found.simulation is None:
        return None
    points = found.simulation.points
    rows: list[list[Any]] = [
        [point.interarrival, point.batch, of, metric, summary.median, summary.low, summary.high]
        for point in points
        for of, by_metric in point.ratios.items()
        for metric, summary in by_metric.items()
        if summary is not None and np.all(np.isfinite([summary.median, summary.low, summary.high]))
    ]
    return {
        "interarrivals": sorted({point.interarrival for point in points}),
        "batches": sorted({point.batch for point in points}),
        "pairs": [shown(of) for of in dict.fromkeys(of for point in points for of in point.ratios)],
        "metrics": {name: text for name, text in METRICS.items() if any(row[3] == name for row in rows)},
        "rows": [[*row[:2], shown(row[2]), *row[3:]] for row in rows],
    }


def _blocks(table: BlockTable) -> dict[str, Any]:
    """Return the classes of blocks, and the blocks themselves unless they are too many to look at."""
    blocks = table.blocks
    classes = [
        {
            "kind": each.kind,
            "blocks": each.blocks,
            "nonsinks": each.nonsinks,
            "yields": each.yields_shown,
            "high": each.priority_high,
            "low": each.priority_low,
            "optimal": each.optimal,
        }
        for each in table.classes
    ]
    listed = blocks.count if blocks.count <= _MOST_BLOCKS else 0
    return {
        "classes": classes,
        "r": [[None if r is None else float(r) for r in row] for row in table.r],
        "count": blocks.count,
        "of": packed(blocks.of, "i4"),
        "class_of": packed(table.class_of[:listed], "i4"),
        "first": packed(table.first[:listed], "i4"),
        "last": packed(table.last[:listed], "i4"),
        "nonsinks": packed(np.diff(blocks.nonsink_ptr)[:listed], "i4"),
        "heads": packed(np.diff(blocks.head_ptr)[:listed], "i4"),
    }
