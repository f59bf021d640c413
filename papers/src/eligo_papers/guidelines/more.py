"""Section 6 of Rosenberg and Yurkewych 2005: "extend our results" to more dimensions and to more branches.

What extends and what does not, by enumeration: meshes of more dimensions, trees whose inner nodes have k branches, and
trees whose inner nodes differ in that.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from eligo import generate, graph, report
from eligo.errors import InfeasibleError
from eligo.priority import _exact as exact
from eligo_papers.chapter import Check, Picture, Section, Settings, Step, Table
from eligo_papers.claims import Tally, holds, many
from eligo_papers.enumeration import Ideals, both_rules, parent_oriented
from eligo_papers.guidelines.small_trees import rooted_trees

__all__ = ["checks", "section", "steps"]

_BUDGET = 40_000_000


def steps(settings: Settings) -> list[Step]:
    """Return the work for what lies beyond two dimensions and two branches."""
    plain = settings.pick(
        tiny=[[3, 2], [3, 3], [3, 4]],
        quick=[[3, 2], [3, 3], [3, 4], [4, 2], [4, 3], [5, 3], [3, 5]],
        full=[[3, 2], [3, 3], [3, 4], [4, 2], [4, 3], [5, 3], [3, 5]],
    )
    search = settings.pick(tiny=[], quick=[], full=[[3, 6], [4, 4], [6, 3]])
    trees = settings.pick(
        tiny=[[3, 1], [3, 2]],
        quick=[[3, 1], [3, 2], [4, 1], [4, 2], [5, 1]],
        full=[[3, 1], [3, 2], [4, 1], [4, 2], [5, 1]],
    )
    ternary = settings.pick(tiny=7, quick=13, full=16)
    return [
        Step("dimensions", enumerate_dimensions, {"sizes": plain}, settings.pick(tiny=0.1, quick=3.0, full=3.0)),
        *(
            Step(f"dimension {dim}, {levels} levels", search_dimensions, {"dim": dim, "levels": levels}, 10.0)
            for dim, levels in search
        ),
        Step("arities", enumerate_arities, {"sizes": trees}, settings.pick(tiny=0.1, quick=1.0, full=1.0)),
        Step("ternary trees", enumerate_ternary, {"most": ternary}, settings.pick(tiny=0.1, quick=0.1, full=0.1)),
        Step("mixed trees", smallest_without, {"with_unary": 9, "without": 12}, 0.5),
    ]


def enumerate_dimensions(sizes: Sequence[Sequence[int]]) -> list[dict[str, Any]]:
    """Look at all ideals of meshes of some dimensions and levels."""
    found = []
    for dim, levels in sizes:
        dag = generate.mesh(levels, dim)
        ideals = Ideals(dag)
        cost, best = ideals.costs(), ideals.costs(ideals.optimal)
        found.append(
            {
                "dim": dim,
                "levels": levels,
                "jobs": dag.n,
                "sources": len(graph.sources(dag)),
                "ideals": ideals.number,
                "optimal": ideals.count(ideals.optimal),
                "parent-oriented": ideals.count(parent_oriented(dag)),
                "cost": None if cost is None else cost.least,
                "optimal cost": None if best is None else best.least,
                "by": "enumeration",
            }
        )
    return found


def search_dimensions(dim: int, levels: int) -> dict[str, Any]:
    """Ask Eligo's exact search about a mesh with too many ideals for plain enumeration."""
    dag = generate.mesh(levels, dim)
    answer = exact.search(dag, _BUDGET, count=False)
    costs: list[int | None] = []
    for ic_optimal in (False, True):
        try:
            costs.append(exact.least_memory(dag, _BUDGET, ic_optimal=ic_optimal).memory_cost)
        except InfeasibleError:
            costs.append(None)
    return {
        "dim": dim,
        "levels": levels,
        "jobs": dag.n,
        "sources": len(graph.sources(dag)),
        "ideals": answer.ideals,
        "optimal": None if answer.exists else 0,
        "parent-oriented": None,
        "cost": costs[0],
        "optimal cost": costs[1],
        "by": "exact search",
    }


def enumerate_arities(sizes: Sequence[Sequence[int]]) -> list[dict[str, Any]]:
    """Look at all ideals of complete trees whose inner nodes have k branches."""
    found = []
    for arity, height in sizes:
        dag = generate.tree(height, arity)
        leaves = arity**height
        ideals = Ideals(dag)
        siblings = parent_oriented(dag)
        optimal, both = ideals.count(ideals.optimal), ideals.count(both_rules(siblings, ideals.optimal))
        cost, best = ideals.costs(), ideals.costs(ideals.optimal)
        found.append(
            {
                "arity": arity,
                "height": height,
                "ideals": ideals.number,
                "optimal": optimal,
                "theorem": optimal == both == ideals.count(siblings),
                "profile": ideals.best == [leaves - t + t // arity for t in range(dag.n + 1)],
                "cost": None if cost is None else cost.least,
                "optimal cost": None if best is None else best.least,
            }
        )
    return found


def enumerate_ternary(most: int) -> dict[str, list[int]]:
    """Hold Theorem 4.1 against all trees of up to `most` nodes whose inner nodes have three branches."""
    tally = Tally()
    for nodes in range(1, most + 1, 3):
        for parents in rooted_trees(nodes, {3}):
            dag = generate.tree_from_parents(parents)
            ideals = Ideals(dag)
            siblings = parent_oriented(dag)
            optimal = ideals.count(ideals.optimal)
            both = ideals.count(both_rules(siblings, ideals.optimal))
            leaves = (2 * nodes + 1) // 3
            tally.note("theorem", optimal == both == ideals.count(siblings))
            tally.note("profile", ideals.best == [leaves - t + t // 3 for t in range(nodes + 1)])
    return tally.counts


def smallest_without(with_unary: int, without: int) -> dict[str, Any]:
    """Find the smallest trees without an IC-optimal schedule, among all, and among those without unary nodes."""
    found: dict[str, Any] = {}
    for name, first, most in (("all", 1, with_unary), ("no unary", 2, without)):
        found[name] = {"looked at": 0, "nodes": None, "trees": []}
        for nodes in range(1, most + 1):
            trees = rooted_trees(nodes, range(first, nodes + 1))
            found[name]["looked at"] += len(trees)
            bad = [parents for parents in trees if not Ideals(generate.tree_from_parents(parents)).admits]
            if bad:
                found[name] |= {"nodes": nodes, "trees": bad}
                break
    return found


def checks(found: dict[str, Any]) -> list[Check]:
    """Return what section 6 promises, and what comes out here."""
    meshes = _meshes(found)
    arities, ternary = found["arities"], found["ternary trees"]
    exists = [one["optimal"] != 0 for one in meshes]
    theorem = [one["theorem"] for one in arities]
    known = [one for one in meshes if one["levels"] > 2 and None not in (one["cost"], one["optimal cost"])]
    deep = [one for one in meshes if one["levels"] > 2 and one["by"] == "enumeration"]
    return [
        holds("6", "meshes of more dimensions admit IC-optimal schedules", [sum(exists), len(exists)]),
        holds(
            "6, Theorem 3.2",
            "an IC-optimal schedule of a mesh of more dimensions has the least memory cost: three levels and more",
            [sum(one["optimal cost"] == one["cost"] for one in known), len(known)],
            because="The paper hopes that its results extend. From three dimensions on no schedule is both: "
            + ", ".join(
                f"{one['cost']} against {one['optimal cost']} ({one['dim']}-D, {one['levels']} levels)" for one in known
            )
            + ".",
        ),
        holds(
            "6, Theorem 3.1",
            "parent-oriented schedules exist in more dimensions: three levels and more",
            [sum(one["parent-oriented"] > 0 for one in deep), len(deep)],
            because="The paper hopes that its results extend. But a node has three or more parents there, and no order "
            "has the parents of every node in a row.",
        ),
        holds(
            "6, Theorem 4.1",
            "complete k-ary trees: IC-optimal exactly if siblings are in a row",
            [sum(theorem), len(theorem)],
        ),
        holds(
            "6, Theorem 4.1",
            "all ternary trees of some sizes: IC-optimal exactly if siblings are in a row",
            ternary["theorem"],
        ),
    ]


def _mixed_words(mixed: dict[str, Any]) -> str:
    """Say how many trees of mixed arities admit no IC-optimal schedule, of which the paper does not speak."""
    several = [
        f"of the {one['looked at']:,} {title} of up to {one['nodes']} nodes {len(one['trees'])} "
        f"{'admits' if len(one['trees']) == 1 else 'admit'} none"
        for one, title in ((mixed["all"], "trees"), (mixed["no unary"], "trees without unary nodes"))
        if one["trees"]
    ]
    return f"Where arities are mixed, an IC-optimal schedule need not exist: {', '.join(several)}."


def _meshes(found: dict[str, Any]) -> list[dict[str, Any]]:
    searched = [result for name, result in found.items() if name.startswith("dimension ")]
    return [*found["dimensions"], *searched]


def section(found: dict[str, Any], settings: Settings) -> Section:
    """Return the section on what lies beyond two dimensions and two branches."""
    mixed, (good, total) = found["mixed trees"], found["ternary trees"]["profile"]
    return Section(
        "More dimensions, more branches (section 6)",
        [
            'The paper ends: "The reader should be able to extend our results to reduction-meshes of arbitrary finite '
            'dimensionalities and to reduction-trees of arbitrary finite arities." It does not say how. For meshes '
            "IC-optimality extends, as far as one can look; memory does not. For trees of one arity all extends: "
            "schedules are IC-optimal exactly if siblings are in a row, E_max is S - t + t/k rounded down (on "
            f"{good:,} of {total:,} ternary trees), and the least memory cost of complete trees is (k-1)h + 1.",
            _mixed_words(mixed),
            Table(
                "dimensions",
                "Meshes of more than two dimensions",
                [
                    "dimension",
                    "levels",
                    "jobs",
                    "sources",
                    "ideals",
                    "IC-optimal schedules",
                    "least memory",
                    "IC-optimal",
                    "found by",
                ],
                [_mesh_row(one) for one in _meshes(found)],
                "Exact search counts the ideals of the non-sinks, one fewer.",
            ),
            Table(
                "arities",
                "Complete trees whose inner nodes have k branches",
                [
                    "k",
                    "h",
                    "ideals",
                    "IC-optimal schedules",
                    "E_max is S - t + t/k rounded down",
                    "least memory",
                    "(k-1)h + 1",
                    "IC-optimal",
                    "k + (h-1)k(k-1)",
                ],
                [_tree_row(one) for one in found["arities"]],
            ),
            *(
                Picture(
                    f"mixed-tree-{number}",
                    f"The smallest tree without an IC-optimal schedule, {title}: {mixed[name]['nodes']} nodes.",
                    partial(_draw_tree, mixed[name]["trees"][0]),
                )
                for number, (name, title) in enumerate(
                    (("all", "unary nodes allowed"), ("no unary", "without unary nodes")), 1
                )
                if mixed[name]["trees"]
            ),
        ],
    )


def _draw_tree(parents: list[int]) -> Any:
    return report.draw_dag(generate.tree_from_parents(parents), labels="none")


def _mesh_row(one: dict[str, Any]) -> list[str]:
    number = "some" if one["optimal"] is None else many(one["optimal"])
    costs = ["not found" if one[key] is None else str(one[key]) for key in ("cost", "optimal cost")]
    sizes = [str(one[key]) for key in ("dim", "levels", "jobs", "sources")]
    return [*sizes, many(one["ideals"]), number, *costs, one["by"]]


def _tree_row(one: dict[str, Any]) -> list[str]:
    k, h = one["arity"], one["height"]
    formulas = [(k - 1) * h + 1, k + (h - 1) * k * (k - 1)]
    numbers = [one["cost"], formulas[0], one["optimal cost"], formulas[1]]
    profile = "yes" if one["profile"] else "no"
    return [str(k), str(h), many(one["ideals"]), many(one["optimal"]), profile, *map(str, numbers)]
