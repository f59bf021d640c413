"""The dags of Cordasco, Malewicz and Rosenberg 2010: which admit IC-optimal schedules, which do not, and why.

Fig. 3 has three dags that need interleaved schedules, Fig. 5 two that admit none, Fig. 6 and 7 the super-dags. What is
claimed of each is found by enumeration of all ideals, and again by the theory, with a certificate that is verified.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from eligo import graph, report
from eligo.certificate import verify
from eligo.dag import Dag
from eligo.priority._decompose import decompose
from eligo.priority._priority_relation import sort_by_priority
from eligo.priority._settle import settle
from eligo.schedule import Schedule
from eligo_papers.chapter import Check, Picture, Section, Step, Table, check
from eligo_papers.claims import holds, many
from eligo_papers.enumeration import Ideals, Rule, both_rules, jobs_in
from eligo_papers.sweep.procedure import linearize
from eligo_papers.sweep.tables import figure_dag, parts_of, profiles_of

__all__ = ["CHOICES", "checks", "no_section", "steps", "yes_section"]

_ADMIT = {"fig3-left": "Fig. 3 left", "fig3-right": "Fig. 3 right", "fig8": "Fig. 8", "fig3-fmri": "Fig. 3 bottom"}
_ADMIT_NOT = {"fig5-g3": "G3 (Fig. 5a)", "fig5-g4": "G4 (Fig. 5b)"}
_TOO_MANY = ("fig3-fmri",)

CHOICES = [
    "B1, B2 (Fig. 4): Table 2 has their profiles, 0, 4, 6 and 0, 3, 5. A connected block with these numbers has one "
    "or two sinks that need both sources; one is taken, so that B1 = W[5, 2] and B2 = W[4, 2], planar like all "
    "blocks of the paper.",
    "Fig. 3 left: Table 5 has the profiles of B3 to B7: joins of 2, 2, 4, 3 and 4 nodes. In a dag whose edges join "
    "neighbouring levels four of them take the 11 sinks of B1 and B2, and the fifth joins their sinks: B7 by its "
    "number. Chosen: the sinks are shared out to B3, B4, B5, B6 from left to right.",
    "Fig. 3 right: the source feeds the four sources of B1 and B2. Nothing else was chosen.",
    "Fig. 8: Table 6 has both profiles, 0, 3, 4, 5, in the orders C, B, A and F, D, E. Chosen: the umbrella of the "
    "fMRI dag, in which C feeds all five sinks, and A and B one of them each. Fig. 3 bottom is a larger one of the "
    "same shape; nothing tells its size: two copies with ten sinks and five fringes each are taken.",
    "Fig. 5: both dags are determined by Tables 3 and 4 and the text.",
]


def steps() -> list[Step]:
    """Return the work for the dags."""
    figures = [*_ADMIT, *_ADMIT_NOT]
    return [Step("dags", look_at_dags, {"figures": figures}, 0.5), Step("reasons", find_reasons, {}, 0.1)]


def look_at_dags(figures: list[str]) -> dict[str, Any]:
    """Ask enumeration and the theory about the dags of some figures, and verify the certificates."""
    return {figure: _look_at(figure_dag(figure), figure not in _TOO_MANY) for figure in figures}


def _look_at(dag: Dag, small: bool) -> dict[str, Any]:
    settled = settle(dag)
    blocks = decompose(graph.remove_shortcuts(dag))
    shapes = [profiles_of(blocks.dag_of(block)[0])["yields"] for block in range(blocks.count)]
    found: dict[str, Any] = {
        "jobs": dag.n,
        "claim": settled.claim,
        "method": settled.method,
        "verified": settled.certificate is not None and bool(verify(settled.certificate, dag).checks),
        "schedule": None if settled.schedule is None else settled.schedule.names,
        "order": linearize(blocks.superdag(), shapes),
        "blocks": blocks.count,
        "chain": sort_by_priority(shapes) is not None,
        "super-dag": [list(edge) for edge in zip(*_edges(blocks.superdag()), strict=True)],
    }
    if small:
        ideals = Ideals(dag)
        separate = both_rules(_one_after_the_other(dag), ideals.optimal)
        profile = None if settled.schedule is None else settled.schedule.profile.tolist()
        found |= {
            "ideals": ideals.number,
            "optimal": ideals.count(ideals.optimal),
            "stuck": ideals.stuck_at(ideals.optimal),
            "best": profile == ideals.best,
            "not interleaved": ideals.count(separate),
        }
    return found


def _edges(dag: Dag) -> tuple[list[int], list[int]]:
    return dag.tails.tolist(), dag.heads.tolist()


def _one_after_the_other(dag: Dag) -> Rule:
    """Return the rule that no block is begun while the sources of another are partly executed."""
    blocks = decompose(dag)
    members = [sum(1 << job for job in blocks.nonsinks_of(block).tolist()) for block in range(blocks.count)]

    def rule(executed: int, job: int) -> bool:
        begun = [block for block in members if block & executed and block & ~executed]
        return not begun or blocks.of[job] < 0 or all(block >> job & 1 for block in begun)

    return rule


def find_reasons() -> dict[str, Any]:
    """Find why G_3 and G_4 admit no IC-optimal schedule, and what else section 3.3.2 and 5.1 say of small dags."""
    parts = parts_of()
    rest = graph.sum_of([parts["G3 left"], parts["G3 right"]])
    best = {}
    for counted, sources in (("all", True), ("nonsources", False)):
        ideals = Ideals(rest, sources=sources)
        best[counted] = [
            sorted(_names(rest, ideal) for ideal in ideals.optimal_at(step)) if step else [] for step in range(3)
        ]
    starts = {}
    for name, first in (("G4 left", {"1", "2"}), ("G4 right", {"3", "4", "5"})):
        for counted, sources in (("all", True), ("nonsources", False)):
            ideals = Ideals(parts[name], sources=sources)
            orders = [[parts[name].names[job] for job in order] for order in ideals.orders(ideals.optimal)]
            bottom = "6" if name == "G4 left" else "7"
            good = [set(order[: len(first)]) == first and order[len(first)] == bottom for order in orders]
            starts[f"{name}, {counted}"] = [sum(good), len(good)]
    best_orders = {}
    for hand, text in (("left", "CBA"), ("right", "FDE")):
        dag = figure_dag(f"fig8-{hand}")
        ideals = Ideals(dag)
        first_jobs = [dag.index(letter) for letter in text]
        best_orders[text] = ideals.profile([*first_jobs, *graph.sinks(dag).tolist()]) == ideals.best
    return {"best": best, "starts": starts, "orders": best_orders}


def _names(dag: Dag, executed: int) -> str:
    return ", ".join(dag.names[job].split(".")[-1] for job in jobs_in(executed))


def checks(found: dict[str, Any]) -> list[Check]:
    """Return what the paper says of its dags, and what comes out here."""
    dags, reasons = found["dags"], found["reasons"]
    result = []
    for figure, name in _ADMIT.items():
        result += _admit_checks(name, dags[figure])
    for figure, name in _ADMIT_NOT.items():
        what = f"{name} admits an IC-optimal schedule, by enumeration"
        result.append(check("3.3.2", what, False, dags[figure]["optimal"] > 0))
    for counted, (_, one, two) in reasons["best"].items():
        result.append(
            check("3.3.2", f"G3 after node 0, step 1 ({counted} counted): executed must be node", "1", "; ".join(one))
        )
        result.append(check("3.3.2", f"G3 after node 0, step 2 ({counted} counted): nodes", "2, 3", "; ".join(two)))
    for name, count in reasons["starts"].items():
        first = "1, 2, then 6" if "left" in name else "3, 4, 5, then 7"
        result.append(holds("3.3.2", f"IC-optimal schedules of {name} counted begin with {first}", count))
    result += [
        check("5.1", "Fig. 3 left: number of blocks", 7, dags["fig3-left"]["blocks"]),
        check("5.1", "Fig. 3 right: number of blocks", 3, dags["fig3-right"]["blocks"]),
        check(
            "5.1",
            "Fig. 3 left: the order of the blocks by the procedure of section 4.2",
            "(B1 + B2), B3, B4, B6, B5, B7",
            _in_order(dags["fig3-left"]["order"] or []),
        ),
        check("5.1", "Fig. 8: C, B, A is IC-optimal for the left summand", True, reasons["orders"]["CBA"]),
        check("5.1", "Fig. 8: F, D, E is IC-optimal for the right summand", True, reasons["orders"]["FDE"]),
    ]
    return result


def _admit_checks(name: str, one: dict[str, Any]) -> list[Check]:
    """Return what is said of a dag that needs turns; one with too many ideals rests on a certificate alone."""
    small = "optimal" in one
    how = "by enumeration" if small else "by a certificate that was verified"
    admits = one["optimal"] > 0 if small else _proved(one, "ic-optimal")
    chain = f"{name}: its blocks form a chain of priorities, as the earlier theory needs"
    found = [check("5.1", f"{name} admits an IC-optimal schedule, {how}", True, admits)]
    found.append(check("1", chain, False, one["chain"]))
    if small:
        what = f"{name}: IC-optimal schedules that execute block after block, of {many(one['optimal'])}"
        found.append(check("1", what, 0, one["not interleaved"]))
    return found


def _in_order(groups: list[list[int]]) -> str:
    names = [" + ".join(f"B{block + 1}" for block in group) for group in groups]
    return ", ".join(f"({name})" if "+" in name else name for name in names)


def _proved(one: dict[str, Any], claim: str) -> bool:
    return bool(one["claim"] == claim and one["verified"])


def yes_section(found: dict[str, Any]) -> Section:
    """Return the section on dags that need interleaved schedules."""
    dags = found["dags"]
    rows = [_row(name, dags[figure]) for figure, name in _ADMIT.items()]
    return Section(
        "Dags that need interleaved schedules (Fig. 3, 6, 7, 8)",
        [
            "The figures are missing in our text. The dags are rebuilt from the tables and the prose; what had to be "
            "chosen:",
            *CHOICES,
            Table(
                "interleaved",
                "IC-optimal schedules of the dags of Fig. 3 and 8",
                [
                    "dag",
                    "jobs",
                    "blocks",
                    "IC-optimal schedules",
                    "of them block after block",
                    "found by",
                    "certificate",
                    "as enumerated",
                    "begins with",
                ],
                rows,
                "Found by: how Eligo's theory settles it. Certificate: whether its checker verified it. As enumerated: "
                "whether the schedule found has E_max at every step. Fig. 3 bottom has too many ideals to be "
                "enumerated plainly.",
            ),
            Picture("fig3-left", "Fig. 3 left, cut into its seven blocks.", lambda: _draw_blocks("fig3-left", 1)),
            Picture(
                "fig6",
                f"Fig. 6: the super-dag of Fig. 3 left. {_arrows(dags['fig3-left'], 1)}",
                lambda: _draw_superdag("fig3-left", 1),
            ),
            Picture("fig3-right", "Fig. 3 right, cut into its three blocks.", lambda: _draw_blocks("fig3-right", 0)),
            Picture(
                "fig7",
                f"Fig. 7: the super-dag of Fig. 3 right. {_arrows(dags['fig3-right'], 0)}",
                lambda: _draw_superdag("fig3-right", 0),
            ),
            Picture(
                "fig8",
                "Fig. 8, numbered in an IC-optimal order: C and F first, then the rest.",
                lambda: _draw_ordered("fig8"),
            ),
        ],
    )


def _row(name: str, one: dict[str, Any]) -> list[str]:
    numbers = [many(one["optimal"]), many(one["not interleaved"])] if "optimal" in one else ["not counted"] * 2
    order = one["schedule"][: 8 if one["jobs"] > 8 else one["jobs"]]
    certificate = "verified" if _proved(one, "ic-optimal") else "not verified"
    same = ("yes" if one["best"] else "no") if "best" in one else "not compared"
    return [name, str(one["jobs"]), str(one["blocks"]), *numbers, one["method"], certificate, same, ", ".join(order)]


def _arrows(one: dict[str, Any], first: int) -> str:
    arrows = [f"B{tail + first} → B{head + first}" for tail, head in one["super-dag"]]
    return f"Edges: {', '.join(arrows)}." if arrows else "It has no edges."


def _draw_blocks(figure: str, first: int) -> Any:
    dag = figure_dag(figure)
    blocks = decompose(dag)
    groups = {
        f"B{number + first}": np.union1d(blocks.nonsinks_of(number), blocks.heads_of(number))
        for number in range(blocks.count)
    }
    return report.draw_dag(dag, groups=groups, labels="none")


def _draw_plain(figure: str) -> Any:
    return report.draw_dag(figure_dag(figure))


def _draw_superdag(figure: str, first: int) -> Any:
    superdag = decompose(figure_dag(figure)).superdag()
    return report.draw_dag(superdag, labels=[f"B{number + first}" for number in range(superdag.n)])


def _draw_ordered(figure: str) -> Any:
    dag = figure_dag(figure)
    settled = settle(dag)
    schedule = settled.schedule or Schedule.of(dag, dag.order)
    return report.draw_dag(dag, schedule=schedule, labels="position")


def no_section(found: dict[str, Any]) -> Section:
    """Return the section on dags without IC-optimal schedules."""
    rows = []
    for figure, name in _ADMIT_NOT.items():
        one = found["dags"][figure]
        stuck = one["stuck"]
        certificate = "verified" if _proved(one, "none-exists") else "not verified"
        numbers = [str(one["jobs"]), many(one["ideals"]), str(stuck), str(stuck - 1)]
        rows.append([name, *numbers, one["method"], certificate])
    best = found["reasons"]["best"]["nonsources"]
    return Section(
        "Dags that admit no IC-optimal schedule (Fig. 5)",
        [
            "Both have one source, node 0; after it two parts are left, which no order of turns serves best at all "
            f"steps. In G3 the best start is node {best[1][0]}, but after two steps it is nodes {best[2][0]}.",
            Table(
                "none-exists",
                "Where every schedule falls behind",
                [
                    "dag",
                    "jobs",
                    "ideals",
                    "no schedule is best up to step",
                    "diagonal of the table",
                    "proved by",
                    "certificate",
                ],
                rows,
                "By enumeration of all ideals. Node 0 is the first step, so a diagonal of the tables of the parts is "
                "one step less. Proved by: how Eligo's theory settles it.",
            ),
            *(Picture(figure, f"{name}.", partial(_draw_plain, figure)) for figure, name in _ADMIT_NOT.items()),
        ],
    )
