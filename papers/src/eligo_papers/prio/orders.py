"""Orders of the workflows of paper 002: how many jobs they keep ELIGIBLE (Fig. 4), priorities (Fig. 3, 5), components.

The order of the paper is ``prio-2006``: section 3.1 as printed, only made valid.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from eligo import generate
from eligo.dag import Dag
from eligo.priority._prioritize import prioritize
from eligo_papers.chapter import Check, Picture, Section, Step, Table, check
from eligo_papers.prio.blocks import component_facts
from eligo_papers.prio.workflows import Source, Workflow, dag_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["ORDERS", "compare_orders", "components_section", "eligibility_section", "example_section", "order_steps"]
__all__ += ["statement"]

ORDERS = ("prio-2006", "prio", "best")
_STEP_S = {"sdss": 1.5}
_SHOWN = 8, 5  # width and handle of the AIRSN that is drawn
_TYPICALLY = 0.95
_ALMOST_ALL = 0.95


def statement(where: str, what: str, printed: str, here: str, *, holds: bool, because: str = "") -> Check:
    """Return the check of a printed sentence: whether it holds here is for the caller to say.

    Examples
    --------
    >>> statement("4.3", "ratio", "below 0.85", "0.84", holds=True).verdict
    'agrees'
    >>> statement("4.3", "ratio", "below 0.85", "0.86", holds=False).verdict
    'unexplained'
    """
    told = check(where, what, True, holds, because=because)
    return Check(where, what, printed, here, told.verdict, told.why)


def compare_orders(sources: Mapping[str, Source], curves: bool) -> dict[str, Any]:
    """Order the jobs of workflows in several ways, beside first in first out.

    Parameters
    ----------
    curves
        Whether to return the difference of the profiles for every step.

    Examples
    --------
    >>> found = compare_orders({"small": {"family": "airsn", "arguments": {"width": 8}}}, curves=False)["small"]
    >>> found["jobs"], found["bottleneck"], found["orders"]["prio-2006"]["behind"]
    (47, 27, 0)
    """
    return {name: _compared(dag_of(source), curves) for name, source in sources.items()}


def _compared(dag: Dag, curves: bool) -> dict[str, Any]:
    found = {name: prioritize(dag, name) for name in ORDERS}
    fifo = found["best"].fifo
    facts: dict[str, Any] = {
        "jobs": dag.n,
        "edges": dag.m,
        "blocks": component_facts(dag),
        "fifo": fifo.area,
        "bound": min(one.area_bound for one in found.values()),
        "orders": {},
    }
    if "handle_20" in dag.names:
        facts["bottleneck"] = int(found["prio-2006"].schedule.priorities[dag.index("handle_20")])
    for name, one in found.items():
        compared = one.schedule.compare(fifo)
        facts["orders"][name] = {
            "area": one.schedule.area,
            "ahead": compared.ahead,
            "behind": compared.behind,
            "lead": compared.largest_lead,
            "lag": compared.largest_lag,
            **({"difference": compared.difference.tolist()} if curves else {}),
        }
    return facts


def order_steps(workflows: Sequence[Workflow]) -> list[Step]:
    """Return the steps that order the workflows, one for each."""
    return [
        Step(
            f"order {one.name}",
            compare_orders,
            {"sources": {one.name: one.source}, "curves": True},
            weight=_STEP_S.get(one.name, 1.0),
        )
        for one in workflows
    ]


def example_section() -> tuple[Section, list[Check]]:
    """Return Fig. 3, the example of the tool, and a small relative of Fig. 5 to look at."""
    example = Dag.from_edges(["a", "b", "c", "d", "e"], [0, 2, 2], [1, 3, 4])
    found = prioritize(example, "prio-2006")
    priorities = dict(zip(example.names, found.schedule.priorities.tolist(), strict=True))
    checks = [
        check("Fig. 3", "PRIO schedule of IV.dag", "c, a, b, d, e", ", ".join(found.schedule.names)),
        check("Fig. 3", "priority of job c in IV.dag", 5, priorities["c"]),
        check("Section 3.2", "the schedule of IV.dag is IC-optimal", True, found.claim == "ic-optimal"),
    ]
    table = Table(
        "fig3",
        "Fig. 3: the jobs of IV.dag (a → b, c → d, c → e) with their priorities",
        ("job", "priority"),
        [(name, str(priority)) for name, priority in priorities.items()],
    )
    caption = (
        "Fig. 5 with parts left out, as in the paper (a width of 8 and a handle of 5): priorities of prio-2006. The "
        "last job of the handle is the bottleneck: its children wait for it and for the fringes, which come after it."
    )
    picture = Picture("fig5", caption, _draw_airsn)
    return Section("Fig. 3 and 5: priorities", [table, picture]), checks


def _draw_airsn() -> Figure:
    from eligo.report import draw_dag

    width, handle = _SHOWN
    dag = generate.airsn(width, handle)
    schedule = prioritize(dag, "prio-2006").schedule

    def jobs(kind: str) -> list[int]:
        return [dag.index(f"{kind}_{i}") for i in range(width)]

    groups = {
        "the bottleneck": [dag.index(f"handle_{handle - 1}")],
        "its children": jobs("first"),
        "their other parents, the fringes": jobs("fringe"),
    }
    return draw_dag(dag, schedule=schedule, labels="priority", groups=groups)


def eligibility_section(found: Mapping[str, Any], workflows: Sequence[Workflow]) -> tuple[Section, list[Check]]:
    """Return Fig. 4 and the priority of Fig. 5."""
    facts = {one.name: found[f"order {one.name}"][one.name] for one in workflows}
    rows = [_gain_row(one.title, name, facts[one.name]) for one in workflows for name in ORDERS]
    header = ("workflow", "order", "AREA", "more than fifo", "of the bound", "at least fifo's E at", "lead", "lag")
    table = Table(
        "fig4",
        "Fig. 4 in numbers: E(t) beside that of fifo, over all steps t",
        header,
        rows,
        "*Lead* and *lag*: the largest difference at a step, either way. *Of the bound*: AREA in per cent of a bound "
        "that no order exceeds.",
    )
    curves = {one.title: {name: facts[one.name]["orders"][name]["difference"] for name in ORDERS} for one in workflows}
    picture = Picture(
        "fig4",
        "Fig. 4: how many more jobs are ELIGIBLE than with fifo after each step; left scale absolute, right scale "
        "divided by the number of jobs (in the paper a plot each, the other way round).",
        lambda: _draw_differences(curves),
    )
    bottleneck = check(
        "Fig. 5",
        "priority of the bottleneck of AIRSN",
        753,
        facts["airsn"]["bottleneck"],
        because=f"the dag is a smaller one, of {facts['airsn']['jobs']} jobs",
    )
    checks = [bottleneck, *(_typically(one, facts[one.name]) for one in workflows if one.figure)]
    return Section("Fig. 4: ELIGIBLE jobs", [_ABOUT_FIG4, picture, table]), checks


_ABOUT_FIG4 = (
    "`prio-2006` is the heuristic as printed, only made valid; `prio` is the same idea repaired, and `best` what Eligo "
    "does by default. The order that they are compared with takes jobs as they become ELIGIBLE, jobs without children "
    "last."
)

_WHY_BEHIND = {
    "inspiral": "the dag is not theirs. Of two joins PRIO takes the one with fewer parents first, whatever it leads "
    "to: so it runs the groups that stand alone to their end, small ones first, before the first stage of others has "
    "begun. Where all groups hang together it does not: see What decides the best batch",
    "montage": "the dag is not theirs. Its one bipartite component is ordered by outdegree, the heuristic's last "
    "resort, and images with many neighbours lie all over the mosaic; fifo takes images row by row, as they stand in "
    "the file, which is nearly optimal. With images in random order PRIO is ahead: see What decides the best batch",
}


def _typically(workflow: Workflow, facts: Mapping[str, Any]) -> Check:
    behind = facts["orders"]["prio-2006"]["behind"]
    share = 1 - behind / (facts["jobs"] + 1)
    because = _WHY_BEHIND.get(workflow.name, "the dag is not theirs")
    return statement(
        "Section 3.4",
        f"{workflow.title}: E(t) of PRIO at least that of FIFO, at {100 * _TYPICALLY:.0f} % of the steps or more",
        "typically, at every step",
        f"at {100 * share:.1f} % of the steps",
        holds=share >= _TYPICALLY,
        because=because,
    )


def _gain_row(title: str, name: str, facts: Mapping[str, Any]) -> tuple[str, ...]:
    of = facts["orders"][name]
    steps = facts["jobs"] + 1
    return (
        title,
        name,
        f"{of['area']:,}",
        f"{100 * (of['area'] / facts['fifo'] - 1):+.2f} %",
        f"{100 * of['area'] / facts['bound']:.2f} %",
        f"{100 * (1 - of['behind'] / steps):.1f} % of steps",
        f"{of['lead']:,}",
        f"{of['lag']:,}",
    )


def _draw_differences(curves: Mapping[str, Mapping[str, Sequence[int]]]) -> Figure:
    from eligo_papers.plots.difference_panels import plot_differences

    return plot_differences(curves)


def components_section(found: Mapping[str, Any], workflows: Sequence[Workflow]) -> tuple[Section, list[Check]]:
    """Return what the workflows are made of: what the paper says of them, what was chosen, their components."""
    facts = {one.name: found[f"order {one.name}"][one.name] for one in workflows}
    origin = Table(
        "workflows",
        "The workflows",
        ("workflow", "jobs", "edges", "known from the paper", "chosen here"),
        [
            (one.title, f"{facts[one.name]['jobs']:,}", f"{facts[one.name]['edges']:,}", one.known, one.chosen)
            for one in workflows
        ],
    )
    rows = []
    for one in workflows:
        size, least, most = facts[one.name]["blocks"]["bipartite"]
        children = f"{least}" if least == most else f"{least} to {most}"
        other, share = facts[one.name]["blocks"]["other"], _share(facts[one.name])
        rows.append((one.title, *((f"{size:,}", children) if size else ("none", "")), f"{other:,}", share))
    components = Table(
        "components",
        "Their largest components",
        (
            "workflow",
            "jobs of the largest bipartite one",
            "children of its sources",
            "jobs of the largest one that is not bipartite",
            "in bipartite ones only",
        ),
        rows,
        "Forks and joins are left out of the largest bipartite ones. Components of the decomposition as printed would "
        "lose some edges; here they keep them.",
    )
    return Section("The workflows", [_ABOUT_WORKFLOWS, origin, components]), _structure(facts) + [
        _almost_exclusively(one, facts[one.name]) for one in workflows if one.figure
    ]


_ABOUT_WORKFLOWS = (
    "No file of the four dags is public. They are generated with the printed number of jobs, so that what section 3.3 "
    "says of their shape holds; all else had to be chosen, and the table says what. Other workflows come from the "
    "folder given with `--data`, if any: *real* ones are traces of executions, those of the *gallery* were made by a "
    "generator."
)


def _share(facts: Mapping[str, Any]) -> str:
    (good, count), within = facts["blocks"]["count"], facts["blocks"]["within"]
    return f"{100 * within / facts['jobs']:.1f} % of the jobs, {good:,} of {count:,} components"


_WHY_NOT_ALL = {
    "inspiral": "by the number of components it holds. By jobs it cannot: section 3.3 puts over 1,000 of the 2,988 "
    "into one that is not bipartite",
}


def _almost_exclusively(workflow: Workflow, facts: Mapping[str, Any]) -> Check:
    return statement(
        "Section 3.5",
        f"{workflow.title}: composed of bipartite dags, {100 * _ALMOST_ALL:.0f} % of the jobs or more",
        "almost exclusively",
        _share(facts),
        holds=facts["blocks"]["within"] >= _ALMOST_ALL * facts["jobs"],
        because=_WHY_NOT_ALL.get(workflow.name, "the dag is not theirs"),
    )


def _structure(facts: Mapping[str, Any]) -> list[Check]:
    smaller = "at this scale the dag is smaller"
    other = facts["inspiral"]["blocks"]["other"]
    montage, sdss = facts["montage"]["blocks"]["bipartite"], facts["sdss"]["blocks"]["bipartite"]
    where = "Section 3.3"
    return [
        statement(
            where,
            "Inspiral: a component that is not bipartite",
            "over 1,000 jobs",
            f"{other:,} jobs",
            holds=other > 1_000,
            because=smaller,
        ),
        statement(
            where,
            "Montage: a bipartite component, children of its sources",
            "over 1,000 jobs, a few to about ten",
            f"{montage[0]:,} jobs, {montage[1]} to {montage[2]}",
            holds=montage[0] > 1_000 and montage[1] >= 2 and montage[2] <= 10,
            because=smaller,
        ),
        statement(
            where,
            "SDSS: a bipartite component, children of its sources",
            "over 1,500 jobs, three",
            f"{sdss[0]:,} jobs, {sdss[1]} to {sdss[2]}",
            holds=sdss[0] > 1_500 and sdss[1:] == [3, 3],
            because=smaller,
        ),
    ]
