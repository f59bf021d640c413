"""The tables of 004's chapter: 1 to 3 beside the printed ones, and what they do not show."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from eligo_papers.chapter import Table
from eligo_papers.memory.depth_first import ORDERS
from eligo_papers.memory.graphs import SETS
from eligo_papers.memory.literal import RULES, TIES
from eligo_papers.memory.runs import THEIRS
from eligo_papers.memory.statistics import (
    TABLE_1,
    TABLE_2,
    TABLE_3,
    Measure,
    Record,
    bounds_in,
    failures,
    live,
    measure_of,
    normalised,
    processors_of,
    quartiles,
    ratios,
)

__all__ = [
    "counting_table",
    "eft_table",
    "failure_table",
    "median_table",
    "program_rows",
    "program_table",
    "range_table",
]
__all__ += ["order_counts", "order_table", "program_paths", "table_3", "tie_counts", "tie_table"]

Records = Mapping[str, Sequence[Record]]
_THREE = ("first quartile", "median", "third quartile")


def failure_table(records: Records, programs: Mapping[str, Sequence[Sequence[Any]]]) -> Table:
    """Return Table 1: failures of each heuristic, and where the program was not solved."""
    rows = []
    for name, some in records.items():
        printed = TABLE_1.get(name, {})
        cases = len(live(some)) * len(bounds_in(some))
        cells = [_beside(sum(failures(some, method).values()), printed.get(method)) for method in THEIRS]
        solved = programs.get(name, ())
        ilp = f"{sum(not row[3] for row in solved)} of {len(solved)}" if solved else "–"
        if "ilp" in printed:
            ilp += f" ({printed['ilp']} of {printed['cases']})"
        rows.append([name, f"{len(live(some))} of {len(some)}", _beside(cases, printed.get("cases")), *cells, ilp])
    return Table(
        "table-1",
        "Table 1: failures, in brackets as printed",
        ["set", "dags that differ", "test cases", *THEIRS, "ILP not proved"],
        rows,
        "Dags whose smallest and largest bound are equal are left out, as in 004. The ILP runs on a part of the cases.",
    )


def _beside(here: int, printed: int | None) -> str:
    return f"{here:,}" if printed is None else f"{here:,} ({printed:,})"


def range_table(records: Records) -> Table:
    """Return Table 2: worst peak over depth-first peak."""
    rows = []
    for name, some in records.items():
        here = quartiles(record["high"] / record["low"] for record in live(some))
        rows.append([name, *_three(here, TABLE_2.get(name), 1)])
    return Table("table-2", "Table 2: largest over smallest bound, in brackets as printed", ["set", *_THREE], rows)


def _three(here: Sequence[float], printed: Sequence[float] | None, digits: int) -> list[str]:
    cells = [f"{value:.{digits}f}" for value in here]
    return cells if printed is None else [f"{cell} ({value:g})" for cell, value in zip(cells, printed, strict=True)]


def counting_table(ways: Mapping[str, Mapping[str, Sequence[float]]]) -> Table:
    """Return the medians of Table 2 by how data are counted."""
    rows = [
        [name, f"{TABLE_2[name][1]:g}", *(f"{quartiles(found[way])[1]:.1f}" for way in ("graphs", "text", "files"))]
        for name, found in ways.items()
    ]
    header = ["set", "004", "as the graphs have it", "as the text has it", "each file once"]
    return Table("counting", "Median of worst over depth-first peak, by what is counted", header, rows)


def table_3(records: Records) -> Table:
    """Return Table 3: the normalised memory of EFT on as many processors as the makespans are for."""
    rows = []
    for name, some in records.items():
        many = processors_of(name)
        here = quartiles(normalised(some, "in turn", str(many)))
        rows.append([name, str(many), *_three(here, TABLE_3.get(name), 2)])
    title = "Table 3: normalised memory of EFT, in brackets as printed"
    return Table("table-3", title, ["set", "processors", *_THREE], rows)


def eft_table(records: Records) -> Table:
    """Return the median memory of EFT by processors, with nodes without work in turn and at once."""
    counts = ["1", "2", "3", "5", "10", "20", "30", "50", "60", "all"]
    rows = []
    for name, some in records.items():
        for way in ("in turn", "at once"):
            if live(some) and way in live(some)[0]["eft"]:
                cells = [f"{quartiles(normalised(some, way, many))[1] + 1e-9:.2f}" for many in counts]  # not -0.00
                rows.append([name, way if "at once" in live(some)[0]["eft"] else "–", *cells])
    return Table(
        "eft",
        "Median normalised memory of EFT by processors",
        ["set", "nodes without work", *counts],
        rows,
        "Nodes without work wait for a processor in turn, by bottom level, or at once, as what they stand for does.",
    )


def median_table(records: Records, methods: Sequence[str], processors: int | None, title: str, name: str) -> Table:
    """Return medians and quartiles at each bound, a row for each set and method.

    Parameters
    ----------
    processors
        0 for the number that 004 has for each set, ``None`` for critical paths.
    """
    rows = []
    bounds: list[float] = []
    for of, some in records.items():
        bounds = bounds_in(some) or bounds
        measure = measure_of(processors_of(of) if processors == 0 else processors)
        rows += [[of, method, *(_spread(some, method, at, measure) for at in bounds[:-1])] for method in methods]
    note = "A method that fails counts as infinite (∞). At the bound 1 nothing is to be done."
    return Table(name, title, ["set", "method", *(f"{at:g}" for at in bounds[:-1])], rows, note)


def _spread(records: Sequence[Record], method: str, at: float, measure: Measure) -> str:
    if not live(records):
        return "–"
    low, middle, high = quartiles(ratios(records, method, at, measure))
    return f"{_short(middle)} ({_short(low)} to {_short(high)})"


def _short(value: float) -> str:
    return "∞" if math.isinf(value) else f"{value:.2f}"


def _found_on(found: Mapping[str, Any], kind: str) -> Iterator[tuple[str, Any]]:
    """Yield the results of one kind of steps, each with the name of its set."""
    for step, result in found.items():
        if step.startswith(f"{kind} on "):
            yield step.removeprefix(f"{kind} on ").partition(", part ")[0], result


def tie_counts(found: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Return what Algorithm 2 as printed came to, by set: cases, and failures by rule, ties and bound."""
    counts: dict[str, dict[str, Any]] = {}
    for name, result in _found_on(found, "ties"):
        of = counts.setdefault(
            name, {"cases": 0, "edges": {rule: [] for rule in RULES}, "failed": {rule: {} for rule in RULES}}
        )
        of["cases"] += result["cases"]
        for rule in RULES:
            of["edges"][rule] += result["edges"][rule]
            for ties, numbers in result["failed"][rule].items():
                before = of["failed"][rule].get(ties, [0] * len(numbers))
                of["failed"][rule][ties] = [a + b for a, b in zip(before, numbers, strict=True)]
    return counts


def tie_table(counts: Mapping[str, Mapping[str, Any]], bounds: Sequence[float]) -> Table:
    """Return how often Algorithm 2 as printed fails, by which of equally good pairs is taken."""
    rows = [
        [
            name,
            f"{of['cases']:,}",
            rule,
            *(" + ".join(map(str, of["failed"][rule][ties])) for ties in TIES),
            f"{sum(of['edges'][rule]) / len(of['edges'][rule]):,.0f}" if of["edges"][rule] else "–",
        ]
        for name, of in counts.items()
        for rule in RULES
    ]
    listed = ", ".join(f"{at:g}" for at in bounds)
    return Table(
        "ties",
        f"Algorithm 2 as printed: failures at the bounds {listed}, by which of equally good pairs is taken",
        ["set", "test cases", "rule", *TIES, "edges added, mean"],
        rows,
    )


def order_counts(found: Mapping[str, Any]) -> dict[str, dict[str, dict[str, Any]]]:
    """Return what Algorithm 2 as printed came to at the peaks of depth-first orders, by set and order."""
    counts: dict[str, dict[str, dict[str, Any]]] = {}
    for name, result in _found_on(found, "orders"):
        of_set = counts.setdefault(name, {})
        for order, part in result.items():
            of = of_set.setdefault(order, {"cases": 0, "ratios": [], "failed": dict.fromkeys(RULES, 0)})
            of["cases"] += part["cases"]
            of["ratios"] += part["ratios"]
            of["failed"] = {rule: many + part["failed"][rule] for rule, many in of["failed"].items()}
    return counts


def order_table(counts: Mapping[str, Mapping[str, Mapping[str, Any]]]) -> Table:
    """Return by depth-first order how many dags are left, Table 2's median, and failures at the smallest bound."""
    rows = []
    for name, of_set in counts.items():
        for order in ORDERS:
            of = of_set[order]
            median = f"{quartiles(of['ratios'])[1]:.2f}" if of["ratios"] else "–"
            rows.append([name, order, str(of["cases"]), median, *(str(of["failed"][rule]) for rule in RULES)])
        if name in TABLE_1:
            printed = TABLE_1[name]
            cells = [str(printed[rule]) for rule in RULES]
            rows.append([name, "printed, all bounds", str(printed["cases"] // 11), f"{TABLE_2[name][1]:g}", *cells])
    return Table(
        "orders",
        "Algorithm 2 as printed: failures at the peak of a depth-first order, by what that is",
        ["set", "depth-first order", "dags that differ", "worst over its peak, median", *RULES],
        rows,
        "Ties go to the first node of S, then of T.",
    )


def program_rows(found: Mapping[str, Any]) -> dict[str, list[list[Any]]]:
    """Return the cases of the integer program by set: bound, paths of ``auto`` and of the program, proved or not."""
    rows: dict[str, list[list[Any]]] = {name: [] for name in SETS}
    for name, result in _found_on(found, "programs"):
        rows[name] += [row for graph in result["graphs"] for row in graph["bounds"]]
    return {name: some for name, some in rows.items() if some}


def program_paths(found: Mapping[str, Any], name: str) -> dict[float, list[float]]:
    """Return the critical paths that the integer program found on the graphs of a set, over those without a bound."""
    paths: dict[float, list[float]] = {}
    for of, result in _found_on(found, "programs"):
        for graph in result["graphs"] if of == name else ():
            for row in graph["bounds"]:
                paths.setdefault(row[0], []).append(row[2] / graph["path"])
    return paths


def program_table(records: Records, found: Mapping[str, Any], methods: Sequence[str]) -> Table:
    """Return medians of all methods on the graphs that the integer program was given, and of the program."""
    rows = []
    bounds: list[float] = []
    path = measure_of(None)
    for name in SETS:
        graphs = [
            graph
            for of, result in _found_on(found, "programs")
            for graph in result["graphs"]
            if of == name and graph["bounds"]
        ]
        if not graphs:
            continue
        known = [graph["graph"] for graph in graphs]
        same = [record for record in records[name] if record["graph"] in known]
        bounds = [row[0] for row in graphs[0]["bounds"]]
        cells = {method: [_spread(same, method, at, path) for at in bounds] for method in methods}
        for of_bound in program_paths(found, name).values():
            low, middle, high = quartiles(of_bound)
            cells.setdefault("ILP", []).append(f"{middle:.2f} ({low:.2f} to {high:.2f})")
        rows += [[f"{name}, {len(graphs)} dags", method, *some] for method, some in cells.items()]
    header = ["set", "method", *(f"{at:g}" for at in bounds)]
    return Table(
        "programs", "The integer program beside the heuristics: critical path, median (quartiles)", header, rows
    )
