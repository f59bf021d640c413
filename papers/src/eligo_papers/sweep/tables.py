"""The tables of Cordasco, Malewicz and Rosenberg 2010, field by field.

A table has a row for each number of nonsinks executed of one dag and a column for those of the other; in each field
stands the sum of what both have ELIGIBLE then, sources not counted. The figures of the dags are not in our text;
``eligo.generate.paper001`` rebuilds them and says what had to be chosen.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, cast

from eligo import generate, graph, report
from eligo.dag import Dag
from eligo_papers.chapter import Check, Picture, Section, Step, Table, check
from eligo_papers.claims import holds
from eligo_papers.definitions import plain_sweep
from eligo_papers.enumeration import Ideals

__all__ = ["PRINTED", "checks", "figure_dag", "profiles_of", "section", "steps"]


@dataclass(frozen=True, slots=True)
class PrintedTable:
    """A table as it is printed, and the two dags it is about: names of ``parts_of``."""

    name: str
    rows: str
    columns: str
    fields: Sequence[Sequence[int]]


PRINTED = [
    PrintedTable("Table 2", "B1", "B2", [[0, 3, 5], [4, 7, 9], [6, 9, 11]]),
    PrintedTable("Table 3", "G3 left", "G3 right", [[0, 0, 2], [1, 1, 3]]),
    PrintedTable(
        "Table 4",
        "G4 left",
        "G4 right",
        [[0, 0, 0, 1, 3], [0, 0, 0, 1, 3], [1, 1, 1, 2, 4], [2, 2, 2, 3, 5]],
    ),
    PrintedTable("Table 5, first", "B1", "B3", [[0, 0, 1], [4, 4, 5], [6, 6, 7]]),
    PrintedTable("Table 5, second", "B2", "B3", [[0, 0, 1], [3, 3, 4], [5, 5, 6]]),
    PrintedTable("Table 5, third", "B4", "B6", [[0, 0, 0, 1], [0, 0, 0, 1], [1, 1, 1, 2]]),
    PrintedTable("Table 5, fourth", "B6", "B5", [[0, 0, 0, 0, 1]] * 3 + [[1, 1, 1, 1, 2]]),
    PrintedTable("Table 6", "G left", "G right", [[0, 3, 4, 5], [3, 6, 7, 8], [4, 7, 8, 9], [5, 8, 9, 10]]),
]


def figure_dag(figure: str) -> Dag:
    """Return a dag of ``eligo.generate.paper001`` by any name.

    Examples
    --------
    >>> figure_dag("fig4-b1").n
    8
    """
    return generate.paper001(cast(Any, figure))


def parts_of() -> dict[str, Dag]:
    """Return the dags that the tables are about, by name.

    B3 to B7 are cut out of the left dag of Fig. 3: block B_i has one sink, named after it. The parts of G_3 and G_4 are
    what is left of them without their source, node 0.

    Examples
    --------
    >>> parts_of()["G4 right"].names
    ('3', '4', '5', '7', '10', '11', '12')
    """
    parts = {"B1": generate.paper001("fig4-b1"), "B2": generate.paper001("fig4-b2")}
    whole = generate.paper001("fig3-left")
    for number in range(3, 8):
        sink = whole.index(f"b{number}")
        block = [*whole.parents(sink).tolist(), sink]
        parts[f"B{number}"] = graph.induced_subdag(whole, block)
    for name, figure in (("G3", "fig5-g3"), ("G4", "fig5-g4")):
        rest = figure_dag(figure)
        rest = graph.induced_subdag(rest, range(1, rest.n))
        side = graph.components(rest).tolist()
        for number, hand in enumerate(("left", "right")):
            parts[f"{name} {hand}"] = graph.induced_subdag(rest, [job for job in range(rest.n) if side[job] == number])
    for hand in ("left", "right"):
        parts[f"G {hand}"] = figure_dag(f"fig8-{hand}")
    return parts


def profiles_of(dag: Dag) -> dict[str, list[int]]:
    """Return the best profiles of a dag over its nonsinks, by enumeration, in three ways of counting.

    ``nonsources``: ELIGIBLE nodes that are no sources; ``all``: all ELIGIBLE nodes; ``yields``: nonsources that are
    ELIGIBLE or executed, that is E_all(x) - (sources - x).

    Examples
    --------
    >>> profiles_of(parts_of()["G4 left"])
    {'nonsources': [0, 0, 1, 2], 'all': [2, 1, 1, 2], 'yields': [0, 0, 1, 3]}
    """
    nonsinks = dag.n - len(graph.sinks(dag))
    sources = len(graph.sources(dag))
    every = Ideals(dag).best[: nonsinks + 1]
    return {
        "nonsources": Ideals(dag, sources=False).best[: nonsinks + 1],
        "all": every,
        "yields": [value - (sources - x) for x, value in enumerate(every)],
    }


def steps() -> list[Step]:
    """Return the work for the tables."""
    return [Step("tables", compute_tables, {}, 0.1)]


def compute_tables() -> dict[str, Any]:
    """Compute every printed table, in all three ways of counting."""
    profiles = {name: profiles_of(dag) for name, dag in parts_of().items()}
    tables = {}
    for printed in PRINTED:
        one, two = profiles[printed.rows], profiles[printed.columns]
        tables[printed.name] = {
            kind: [[a + b for b in two[kind]] for a in one[kind]] for kind in ("nonsources", "all", "yields")
        }
    return {"profiles": profiles, "tables": tables}


def checks(found: dict[str, Any]) -> list[Check]:
    """Return the tables' fields, and what the paper reads off them."""
    tables, profiles = found["tables"]["tables"], found["tables"]["profiles"]
    fields = [
        check(
            printed.name,
            f"{printed.rows} and {printed.columns}: all {len(printed.fields) * len(printed.fields[0])} fields",
            _flat(printed.fields),
            _flat(tables[printed.name]["nonsources"]),
        )
        for printed in PRINTED
    ]
    e = {name: profile["yields"] for name, profile in profiles.items()}
    table_2 = plain_sweep(e["B1"], e["B2"])
    small = range(3, 7)
    pairs = [(f"B{i}", f"B{j}") for i in range(1, 8) for j in range(1, i)]
    comparable = [plain_sweep(e[a], e[b]) for a, b in pairs]
    chain = ["B3", "B4", "B6", "B5", "B7"]
    in_chain = [plain_sweep(e[a], e[b]).l_shaped for a, b in itertools.pairwise(chain)]
    over = [plain_sweep(e[big], e[f"B{i}"]).l_shaped for big in ("B1", "B2") for i in small]
    same = [e["B3"] == e["B4"], e["B5"] == e["B7"]]
    return [
        *fields,
        check("3.3.1", "B1 has priority over B2, or B2 over B1", False, table_2.l_shaped or table_2.seven_shaped),
        check("3.3.1", "the sum B1 + B2 admits an IC-optimal schedule", True, table_2.diagonal is None),
        check("3.3.1", "number of rectilinear paths in Table 2", 2, table_2.paths[-1][-1]),
        check(
            "3.3.1",
            "both paths execute node 1 of B1, then node 1 of B2",
            True,
            table_2.paths[1][1] == 1 and not table_2.paths[2][0] and not table_2.paths[0][1],
        ),
        check("5.1", "pairs of the seven blocks without a priority either way", 1, sum(_no_priority(comparable))),
        holds("5.1", "B3 = B4 and B5 = B7, by their profiles", [sum(same), len(same)]),
        holds("5.1", "B1 and B2 have priority over B3 to B6", [sum(over), len(over)]),
        holds("5.1", "B3, B4, B6, B5, B7 is a chain of priorities", [sum(in_chain), len(in_chain)]),
        _table_6(e),
    ]


def _no_priority(sweeps: list[Any]) -> list[bool]:
    return [not (sweep.l_shaped or sweep.seven_shaped) for sweep in sweeps]


def _table_6(e: dict[str, list[int]]) -> Check:
    sweep = plain_sweep(e["G left"], e["G right"])
    several = sweep.paths[-1][-1] > 1 and not sweep.l_shaped and not sweep.seven_shaped
    return check(
        "5.1, Table 6",
        f"several IC-optimal schedules, all interleaved ({sweep.paths[-1][-1]} paths here)",
        True,
        several,
    )


def _flat(table: Sequence[Sequence[int]]) -> list[int]:
    return [field for row in table for field in row]


def section(found: dict[str, Any]) -> Section:
    """Return the section with the tables."""
    parts: list[Any] = [
        "Each field has the printed value, then the computed one. Computed means: the best profile of each part over "
        "its nonsinks by enumeration of all ideals, nonsources counted, and the two added up.",
    ]
    for printed in PRINTED:
        ours = found["tables"]["tables"][printed.name]["nonsources"]
        parts.append(_side_by_side(printed, ours))
    parts += [
        Picture(
            f"sweep-{printed.name.lower().replace(', ', '-').replace(' ', '-')}",
            _caption(printed, found["tables"]["profiles"]),
            partial(_draw, printed, found["tables"]["profiles"]),
        )
        for printed in PRINTED
    ]
    parts += [_conventions(found["tables"])]
    return Section("Tables 2 to 6", parts)


def _side_by_side(printed: PrintedTable, ours: list[list[int]]) -> Table:
    pairs = zip(printed.fields, ours, strict=True)
    rows = [
        [str(i), *(f"{a} {'=' if a == b else '≠'} {b}" for a, b in zip(theirs, mine, strict=True))]
        for i, (theirs, mine) in enumerate(pairs)
    ]
    name = printed.name.lower().replace(", ", "-").replace(" ", "-")
    header = [f"{printed.rows}, below {printed.columns}", *map(str, range(len(printed.fields[0])))]
    return Table(name, f"{printed.name}: printed and here", header, rows)


def _caption(printed: PrintedTable, profiles: dict[str, Any]) -> str:
    sweep = plain_sweep(profiles[printed.rows]["nonsources"], profiles[printed.columns]["nonsources"])
    if sweep.diagonal is not None:
        return (
            f"{printed.name}: the largest fields of each diagonal are boxed; no path reaches diagonal {sweep.diagonal}."
        )
    return (
        f"{printed.name}: the largest fields of each diagonal are boxed; the path is an IC-optimal schedule of the sum."
    )


def _draw(printed: PrintedTable, profiles: dict[str, Any]) -> Any:
    one, two = profiles[printed.rows]["nonsources"], profiles[printed.columns]["nonsources"]
    steps = plain_sweep(one, two).steps()
    path = None
    if steps is not None:
        path = [(t - sum(steps[:t]), sum(steps[:t])) for t in range(len(steps) + 1)]
    return report.plot_sweep(one, two, path, names=(printed.rows, printed.columns))


def _conventions(found: dict[str, Any]) -> Table:
    rows = []
    for printed in PRINTED:
        theirs = _flat(printed.fields)
        kinds = ("nonsources", "yields", "all")
        ours = [_flat(found["tables"][printed.name][kind]) for kind in kinds]
        equal = [sum(a == b for a, b in zip(theirs, mine, strict=True)) for mine in ours]
        failing = [_failing(found["profiles"], printed, kind) for kind in kinds]
        rows.append([printed.name, str(len(theirs)), *map(str, equal), ", ".join(failing)])
    return Table(
        "conventions",
        "How many fields are as printed in three ways of counting, and the first diagonal without a YES",
        ["table", "fields", "nonsources", "E_all(x) - (s - x)", "all", "failing diagonal in each"],
        rows,
        "The paper counts nonsources. For bipartite parts this is E_all(x) - (s - x), s being the number of sources. "
        "The parts of G_4 are not bipartite, and Table 4 is as printed only if the executed nodes 6 and 7 are not "
        "counted: ELIGIBLE nonsources, no more. Cut out of G_4, its nodes 1 to 5 have become sources; what decides "
        "about G_4 itself is the table that counts all. All three fail at the same diagonal.",
    )


def _failing(profiles: dict[str, Any], printed: PrintedTable, kind: str) -> str:
    diagonal = plain_sweep(profiles[printed.rows][kind], profiles[printed.columns][kind]).diagonal
    return "-" if diagonal is None else str(diagonal)
