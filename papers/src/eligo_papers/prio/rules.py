"""What paper 002 says of its heuristic, section 3.1, tried on small dags: three of the statements are false.

All three are about components that are not bipartite; of others the theory is right. Each has a dag that shows it, and
is counted on random dags.
"""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any

from eligo import graph
from eligo.dag import Dag
from eligo_papers.chapter import Check, Section, Settings, Step, Table
from eligo_papers.claims import Tally, holds
from eligo_papers.enumeration import Ideals
from eligo_papers.prio.as_printed import Cut, cut, linear_order
from eligo_papers.random_dags import random_dag

__all__ = ["LINEAR", "OUTDEGREE", "VALID", "read_dag", "rules_section", "rules_steps", "show_dags", "try_rules"]

LINEAR = "0→3,6; 1,2→5,6,7; 3→4,7"
VALID = "0→2,3; 1→3,5; 2→4,5; 4→6,7"
OUTDEGREE = "0→3,4; 1→3; 2→4,5,6; 3→5,6"

_SEED = 31
_MOST_JOBS = 12


def rules_steps(settings: Settings) -> list[Step]:
    """Return the work: the dags that show it, and random ones."""
    cases, weight = settings.pick(tiny=(60, 0.1), quick=(3_000, 2.0), full=(30_000, 20.0))
    return [
        Step("rules, dags", show_dags, {}, weight=0.1),
        Step("rules, random dags", try_rules, {"cases": cases, "seed": _SEED, "most_jobs": _MOST_JOBS}, weight=weight),
    ]


def read_dag(text: str) -> Dag:
    """Return the dag that is written so.

    Examples
    --------
    >>> read_dag("0,1→2; 2→3").tails.tolist()
    [0, 1, 2]
    """
    edges = [
        (int(tail), int(head))
        for tails, heads in (part.split("→") for part in text.split(";"))
        for tail in tails.split(",")
        for head in heads.split(",")
    ]
    return Dag.from_edges(max(map(max, edges)) + 1, [tail for tail, _ in edges], [head for _, head in edges])


def show_dags() -> dict[str, Any]:
    """Return for each of the three dags how it is cut and scheduled, and how many IC-optimal schedules there are."""
    return {text: _shown(cut(read_dag(text))) for text in (LINEAR, VALID, OUTDEGREE)}


def _shown(found: Cut) -> dict[str, Any]:
    whole = Ideals(found.dag)
    order = linear_order(found)
    return {
        "components": [one.jobs for one in found.components],
        "arcs": len(found.arcs),
        "lost": found.lost,
        "linear": order is not None,
        "optimal": [one.ideals.count(one.ideals.optimal) for one in found.components],
        "optimal of all": whole.count(whole.optimal),
        "kept": [str(found.kept(*pair)) for pair in ((0, 1), (1, 0)) if len(found.components) > 1],
        "schedule": found.schedule(),
        "statements": _statements(found),
    }


def _statements(found: Cut) -> dict[str, list[int]]:
    """Return which statements hold of a dag; those are left out that do not speak of it."""
    tally = Tally()
    tally.add({"disjoint": found.pairs})
    if found.theory_succeeds:
        whole = Ideals(found.dag)
        tally.note("graceful", whole.profile(found.schedule()) == whole.best)
    if all(one.bipartite for one in found.components):
        return tally.counts
    tally.note("valid", _is_valid(found.dag, found.schedule()))
    tally.note("outdegree", all(one.outdegree_is_an_order for one in found.components))
    if all(one.ideals.admits for one in found.components) and linear_order(found) is not None:
        kind = "linear, edges lost" if found.lost else "linear, none lost"
        tally.note(kind, Ideals(found.dag).admits)
    return tally.counts


def _is_valid(dag: Dag, order: list[int]) -> bool:
    place = {job: step for step, job in enumerate(order)}
    return all(place[tail] < place[head] for tail, head in zip(dag.tails.tolist(), dag.heads.tolist(), strict=True))


def try_rules(cases: int, seed: int, most_jobs: int) -> dict[str, list[int]]:
    """Count in how many random dags each statement holds.

    Examples
    --------
    >>> good, total = try_rules(30, 1, 8)["disjoint"]
    >>> good == total > 0
    True
    """
    random = Random(seed)
    dags = (graph.remove_shortcuts(random_dag(random, most_jobs)) for _ in range(cases))
    return Tally.of(_statements(cut(dag)) for dag in dags).counts


def rules_section(found: Mapping[str, Any]) -> tuple[Section, list[Check]]:
    """Return the statements with their verdicts, and the dags that decide them."""
    shown, random = found["rules, dags"], found["rules, random dags"]
    rows = [(text, *_row(shown[text])) for text in (LINEAR, VALID, OUTDEGREE)]
    header = ("dag", "components", "edges in none", "arcs of the superdag", "IC-optimal schedules", "step 6 executes")
    note = (
        "Step 3 takes ELIGIBLE jobs only, so that what step 6 executes is not the fault of step 3. IC-optimal "
        "schedules: of each component, then of the dag."
    )
    table = Table("rules", "Three dags of which the paper's statements are false", header, rows, note)
    return Section("Section 3.1: what is said of the heuristic", [_ABOUT, table]), _checks(shown, random)


_ABOUT = (
    "Section 3.1 to the letter, on dags so small that all their schedules can be looked at. For a source s the set "
    "C(s) is the smallest with s, all children of a source in it, and all parents of a job in it. A smallest one is "
    "detached: its non-sinks go, and so do its sinks that have no other children. The superdag has an arc where a sink "
    "of one component is a source of another. A non-sink of C(s) that is not a source may have a child outside C(s): "
    "the edge to it is then in no component, and no arc stands for it. That the text overlooks. It can happen only in "
    "components that are not bipartite."
)


def _row(facts: Mapping[str, Any]) -> tuple[str, ...]:
    return (
        " and ".join(map(_set, facts["components"])),
        _edges(facts["lost"]) or "none",
        f"{facts['arcs']}",
        f"{', '.join(map(str, facts['optimal']))}; {facts['optimal of all']}",
        ", ".join(map(str, facts["schedule"])),
    )


def _set(jobs: list[int]) -> str:
    return f"{{{', '.join(map(str, jobs))}}}"


def _edges(edges: list[list[int]]) -> str:
    return ", ".join(f"{tail}→{head}" for tail, head in edges)


def _checks(shown: Mapping[str, Any], random: Mapping[str, list[int]]) -> list[Check]:
    def count(text: str, *names: str) -> list[int]:
        """Return how often it holds: of random dags, and of the one that is named."""
        both = Tally.of([random, shown[text]["statements"]]).counts
        return [sum(both.get(name, (0, 0))[i] for name in names) for i in (0, 1)]

    others = "random dags with a component that is not bipartite, and the one named"
    return [
        holds(
            "Section 3.1",
            "any two smallest sets C(s) are equal or disjoint: pairs of them in random dags",
            random["disjoint"],
        ),
        holds(
            "Section 3",
            "the heuristic finds an IC-optimal schedule where the theoretical algorithm does: random dags",
            random["graceful"],
        ),
        holds(
            "Section 3.1",
            f"if all components have IC-optimal schedules and C1 ▷ ... ▷ Cn, the dag has one: {others}",
            count(LINEAR, "linear, none lost", "linear, edges lost"),
            erratum=_why_linear(shown[LINEAR], random["linear, none lost"]),
        ),
        holds(
            "Section 3",
            f"the heuristic produces a valid schedule: {others}",
            count(VALID, "valid"),
            erratum=_why_valid(shown[VALID]),
        ),
        holds(
            "Section 3.1",
            f"a component can be executed in the order of outdegree: {others}",
            count(OUTDEGREE, "outdegree"),
            erratum=_why_outdegree(read_dag(OUTDEGREE)),
        ),
    ]


def _why_linear(facts: Mapping[str, Any], none_lost: list[int]) -> str:
    first, second = map(_set, facts["components"])
    good, total = none_lost
    return (
        f"{LINEAR} is cut into {first} and {second}. The first has {facts['optimal'][0]} IC-optimal schedules and "
        f"priority over the second; the dag has {facts['optimal of all'] or 'none'}. Detaching the first deletes the "
        f"edge {_edges(facts['lost'])}. Of the random dags that lose no edge it holds of {good} of {total}"
    )


def _why_valid(facts: Mapping[str, Any]) -> str:
    first, second = map(_set, facts["components"])
    tail, head = facts["lost"][0]
    return (
        f"{VALID} is cut into {first} and {second}. Detaching the first deletes the edge {tail}→{head}, and the "
        f"superdag has {facts['arcs'] or 'no'} arc. The second has priority {facts['kept'][1]} over the first, the "
        f"first {facts['kept'][0]} over the second, so {head} is executed before its parent {tail}"
    )


def _why_outdegree(dag: Dag) -> str:
    degree = [len(dag.children(job)) for job in range(dag.n)]
    parent, job = next((u, v) for v in range(dag.n) for u in dag.parents(v).tolist() if degree[u] < degree[v])
    return (
        f"{OUTDEGREE} is one component. Job {job}, of outdegree {degree[job]}, precedes its parent {parent}, of "
        f"outdegree {degree[parent]}. The order must be taken among ELIGIBLE jobs"
    )
