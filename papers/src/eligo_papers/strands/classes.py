"""Section 6.1 of Cordasco, Malewicz and Rosenberg 2007: three classes of dags composed of sums of strands."""

from __future__ import annotations

import itertools
from random import Random
from typing import Any

from eligo import generate, graph
from eligo.dag import Dag
from eligo.priority._blocks.bipartite import Bipartite
from eligo.priority._blocks.strands import find_strands
from eligo.priority._decompose import decompose
from eligo.report._dag_picture import draw_dag
from eligo_papers.chapter import Check, Picture, Section, Settings, Step, Table, check
from eligo_papers.claims import Tally, holds
from eligo_papers.definitions import priority
from eligo_papers.enumeration import Ideals
from eligo_papers.planar_trees import PlanarTree
from eligo_papers.random_dags import compose_blocks
from eligo_papers.strands.sums import StrandSum

__all__ = ["checks", "section", "steps"]

_CLASSES = {"expansive": "W", "reductive": "M", "expansive-reductive": "WM"}
_COUNTED = {"all": True, "nonsources": False}
_PRINTED = {
    "expansive mesh": "W[2]; W[2, 2]; W[2, 2, 2]",
    "expansive tree": "7 x W[2]",
    "reductive tree": "7 x M[2]",
    "reductive mesh": "M[2, 2, 2]; M[2, 2]; M[2]",
}


def steps(settings: Settings) -> list[Step]:
    """Return the work for the three classes."""
    cases = settings.pick(tiny=5, quick=60, full=600)
    weight = settings.pick(tiny=0.1, quick=1.0, full=10.0)
    return [
        Step("familiar dags", cut_familiar, {}, 0.1),
        Step("two joins", compose_joins, {}, 0.1),
        *(
            Step(f"class {number}", compose_class, {"kinds": kinds, "cases": cases, "seed": 60 + number}, weight)
            for number, kinds in enumerate(_CLASSES.values(), 1)
        ),
    ]


def cut_familiar() -> dict[str, str]:
    """Cut the dags of Fig. 1 into blocks and name them."""
    dags = {
        "expansive mesh": generate.mesh(4, expansion=True),
        "expansive tree": generate.tree(3, expansion=True),
        "reductive tree": generate.tree(3),
        "reductive mesh": generate.mesh(4),
    }
    return {name: _names(dag) for name, dag in dags.items()}


def _names(dag: Dag) -> str:
    blocks = decompose(dag)
    found = [find_strands(blocks.bipartite_of(block)) for block in range(blocks.count)]
    names = ["none" if strands is None else " + ".join(strands.names) for strands in found]
    return f"{len(names)} x {names[0]}" if len(set(names)) == 1 else "; ".join(names)


def compose_class(kinds: str, cases: int, seed: int) -> dict[str, Any]:
    """Compose random chains of sums of small W- or M-strands, and hold Theorem 2.1's schedule against all ideals."""
    random, tally = Random(seed), Tally()
    largest = 0
    while tally.counts.get("all", [0, 0])[1] < cases:
        blocks = [
            _random_sum(random, kind) for kind in kinds for _ in range(random.randint(1, 2 if len(kinds) > 1 else 3))
        ]
        if len(blocks) < 2 or not all(priority(a[2], b[2]) for a, b in itertools.pairwise(blocks)):
            continue
        composed = compose_blocks(random, [(dag, order) for dag, order, _ in blocks])
        if composed.dag.n > 20:
            continue
        largest = max(largest, composed.dag.n)
        for counted, sources in _COUNTED.items():
            ideals = Ideals(composed.dag, sources=sources)
            tally.note(counted, ideals.profile(composed.schedule()) == ideals.best)
    return {"counts": tally.counts, "largest": largest}


def compose_joins() -> dict[str, Any]:
    """Compose M[2] with M[2]: the smallest member of class (2) on which Theorem 2.1 fails, nonsources counted."""
    join = generate.strand("M", [2])
    yields = StrandSum([PlanarTree.from_dag(join)]).best
    dag = Dag.from_names([("a", "c"), ("b", "c"), ("c", "e"), ("d", "e")], jobs="abcde")
    found: dict[str, Any] = {"chain": priority(yields, yields), "blocks": _names(dag)}
    for counted, sources in _COUNTED.items():
        ideals = Ideals(dag, sources=sources)
        profiles = [ideals.profile([dag.index(job) for job in order]) for order in ("abcde", "abdce")]
        found[counted] = {"prescribed": profiles[0], "other": profiles[1], "best": ideals.best}
    return found


def _random_sum(random: Random, kind: Any) -> tuple[Dag, list[int], list[int]]:
    """Return a sum of one or two small strands, with a greedy order of its sources and its yields."""
    dags = [
        generate.strand(kind, [random.randint(2, 3) for _ in range(random.randint(1, 2))])
        for _ in range(random.choice([1, 1, 2]))
    ]
    total = graph.sum_of(dags)
    strands = StrandSum([PlanarTree.from_dag(dag) for dag in dags])
    order = strands.order(strands.maximal)
    sources = graph.sources(total).tolist()
    return total, [sources[place] for place in order], strands.best


def checks(found: dict[str, Any]) -> list[Check]:
    """Return what sections 3 and 6.1 state, and what comes out here."""
    familiar = [
        check("3, on Fig. 1", f"the {name} is composite of", printed, found["familiar dags"][name])
        for name, printed in _PRINTED.items()
    ]
    classes = [
        holds(
            f"6.1 ({number})",
            f"{name} dags, chains of sums of strands composed at random, all ELIGIBLE nodes counted: the prescribed "
            "schedule is IC-optimal",
            found[f"class {number}"]["counts"]["all"],
        )
        for number, name in enumerate(_CLASSES, 1)
    ]
    return [*familiar, *classes, *_nonsource_checks(found)]


def _nonsource_checks(found: dict[str, Any]) -> list[Check]:
    """Return Theorem 2.1, as the paper cites it and counts in section 2.2, on the dags of section 6.1."""
    counts = [found[f"class {number}"]["counts"]["nonsources"] for number in range(1, len(_CLASSES) + 1)]
    each = ", ".join(f"{good:,} in class ({number})" for number, (good, _) in enumerate(counts, 1))
    joins = found["two joins"]
    small = joins["nonsources"]
    return [
        holds(
            "Theorem 2.1, 6.1",
            "chains of sums of strands composed at random, nonsources counted as in 2.2: the prescribed schedule is "
            "IC-optimal",
            [sum(good for good, _ in counts), sum(total for _, total in counts)],
            erratum="Counted so, a step on a nonsource costs one ELIGIBLE node and a step on a source costs none. The "
            f"theorem is cited from [11]; it holds if all ELIGIBLE nodes are counted. Counted as printed: {each}.",
        ),
        check(
            "Theorem 2.1, 6.1 (2)",
            "M[2] composed with M[2], a, b → c and c, d → e, nonsources counted as in 2.2: a, b, c, d, e is IC-optimal",
            True,
            small["prescribed"] == small["best"],
            erratum="M[2] has priority over M[2], so the theorem prescribes it. E after steps 0 to 5 is "
            f"{_list(small['prescribed'])}, but {_list(small['other'])} for a, b, d, c, e.",
        ),
    ]


def _list(numbers: list[int]) -> str:
    return ", ".join(map(str, numbers))


def section(found: dict[str, Any]) -> Section:
    """Return the section on the three classes."""
    rows = [
        [
            f"({number}) {name}",
            f"{one['counts']['all'][1]:,}",
            str(one["largest"]),
            *(f"{one['counts'][counted][0]:,}" for counted in _COUNTED),
        ]
        for number, name in enumerate(_CLASSES, 1)
        for one in [found[f"class {number}"]]
    ]
    return Section(
        "Three classes of dags (section 6.1)",
        [
            "Sums of one or two W- or M-strands that form a chain of priorities are composed at random, each with "
            "what there is; the schedule that executes sum after sum, each greedily, and all sinks in the end is "
            "held against all ideals. It is IC-optimal if all ELIGIBLE nodes count. With nonsources counted, as in "
            "section 2.2, it may not be, since Theorem 2.1 is false then (chapter 001).",
            Table(
                "classes",
                "Random members of the classes",
                ["class", "dags", "largest, nodes", "IC-optimal, all counted", "IC-optimal, nonsources counted"],
                rows,
            ),
            Picture(
                "class-3",
                "A member of class (3): W[2, 3], then M[2, 2] below it; the numbers tell the order of execution.",
                _draw_example,
            ),
        ],
    )


def _draw_example() -> Any:
    upper, lower = generate.strand("W", [2, 3]), generate.strand("M", [2, 2])
    orders = [_greedy(dag) for dag in (upper, lower)]
    pairs = list(zip(graph.sinks(upper).tolist(), graph.sources(lower).tolist(), strict=False))
    number = {source: sink for sink, source in pairs}
    rest = [job for job in range(lower.n) if job not in number]
    number |= {job: upper.n + place for place, job in enumerate(rest)}
    dag = generate.compose(upper, lower, pairs)
    order = [*orders[0], *(number[source] for source in orders[1])]
    order += [job for job in range(dag.n) if job not in order]
    labels = [""] * dag.n
    for step, job in enumerate(order, 1):
        labels[job] = str(step)
    return draw_dag(dag, labels=labels)


def _greedy(dag: Dag) -> list[int]:
    if find_strands(Bipartite.from_dag(dag)[0]) is None:
        raise ValueError("the dag is no sum of strands")
    strands = StrandSum([PlanarTree.from_dag(dag)])
    return strands.order(strands.maximal)
