"""Section 3 of Rosenberg and Yurkewych 2005: reduction-meshes.

Node <x, y> of the mesh of l levels is job ``start of level x + y`` plus x, as :func:`eligo.generate.mesh` numbers it.
"""

from __future__ import annotations

from collections import defaultdict
from math import comb, isqrt, sqrt
from typing import Any

from eligo import generate, report
from eligo.schedule import Schedule
from eligo_papers.chapter import Check, Picture, Section, Settings, Step, Table, check
from eligo_papers.claims import Tally, holds, many
from eligo_papers.enumeration import Ideals, Rule, both_rules, parent_oriented
from eligo_papers.guidelines.eager import backwards, play, play_eagerly
from eligo_papers.plots.states import draw_states

__all__ = ["checks", "section", "steps"]


def steps(settings: Settings) -> list[Step]:
    """Return the work for meshes."""
    played = settings.pick(tiny=12, quick=50, full=100)
    searched = settings.pick(tiny=6, quick=9, full=11)
    weights = settings.pick(tiny=(0.1, 0.1), quick=(0.3, 0.6), full=(3.0, 15.0))
    return [
        Step("mesh formulas", check_formulas, {"most": played}, weights[0]),
        Step("mesh enumeration", enumerate_meshes, {"most": searched}, weights[1]),
    ]


def diagonal_order(levels: int) -> list[int]:
    """Return the jobs of a mesh as Fig. 4a executes them: diagonal l - 1, then l - 2, ..., each from its source on.

    Examples
    --------
    >>> diagonal_order(3)
    [2, 1, 4, 0, 3, 5]
    """
    start = _level_starts(levels)
    return [start[x + y] + x for x in range(levels - 1, -1, -1) for y in range(levels - 1 - x, -1, -1)]


def _level_starts(levels: int) -> list[int]:
    """Return for each level 0, 1, ... the number of its first job; level l - 1, the sources, comes first."""
    return [comb(levels + 1, 2) - comb(level + 2, 2) for level in range(levels)]


def best_eligible(unexecuted: int) -> int:
    """Return E_max of a mesh: the largest E with E (E + 1) / 2 unexecuted nodes or fewer.

    Examples
    --------
    >>> [best_eligible(unexecuted) for unexecuted in (0, 1, 2, 3, 5, 6)]
    [0, 1, 1, 2, 2, 3]
    """
    return (isqrt(8 * unexecuted + 1) - 1) // 2


def check_formulas(most: int) -> dict[str, Any]:
    """Play both schedules on meshes of 1, ..., `most` levels and hold the formulas of section 3.4 against them."""
    tally = Tally()
    shortfall = 0.0
    below = []
    rows = []
    for levels in range(1, most + 1):
        dag = generate.mesh(levels)
        eager, lazy = play_eagerly(dag, backwards), play(dag, range(dag.n))
        e_a, e_b = eager.profile.tolist(), lazy.profile.tolist()
        tally.note("eager states", eager.order == diagonal_order(levels))
        for m in range(1, levels + 1):
            tally.note("last diagonals", max(e_a[comb(levels - m + 1, 2) :]) <= m)
        for t in range(dag.n):
            unexecuted = dag.n - t
            tally.note("best", e_b[t] == best_eligible(unexecuted))
            tally.note("root", e_b[t] ** 2 >= 2 * unexecuted)
            shortfall = max(shortfall, sqrt(2 * unexecuted) - e_b[t])
        below.append(max(_note_diagonal(tally, levels, k, e_a, e_b) for k in range(1, levels + 1)))
        tally.note("last ratio", sqrt(levels) / 2 <= e_b[comb(levels, 2)] / e_a[comb(levels, 2)] <= sqrt(2 * levels))
        if levels > 1:
            tally.note("eager memory", eager.memory_cost == levels)
            tally.note("lazy memory", lazy.memory_cost == levels)
        if levels in (5, 10, 20, 30, 50, 100):
            rows += [_row(levels, k, e_a, e_b) for k in (levels // 2, levels - 2, levels)]
    last = [e_b[t] for t in range(comb(most, 2), comb(most + 1, 2))]
    return {
        "most": most,
        "counts": tally.counts,
        "shortfall": shortfall,
        "below": below,
        "rows": rows,
        "last diagonal": sum(last) / len(last) / sqrt(most),
    }


def _note_diagonal(tally: Tally, levels: int, k: int, e_a: list[int], e_b: list[int]) -> float:
    """Note what section 3.4 says of diagonal l - k; return by how much the ratio falls short of (3.2) at most."""
    below = 0.0
    for q in range(k + 1):
        t = comb(k, 2) + q
        unexecuted = comb(levels + 1, 2) - t
        tally.note("eager", e_a[t] <= levels - k + 1 and (q == k or e_a[t] == levels - k + 1))
        tally.note("unexecuted", unexecuted >= comb(levels + 1, 2) - comb(k + 1, 2))
        if k < levels:
            ratio, rest = e_b[t] / e_a[t], levels - k
            below = max(below, sqrt(1 + (2 * k - 1) / rest) - ratio)
            tally.note("mended ratio", ratio >= sqrt(rest * (levels + k + 1)) / (rest + 1) - 0.75)
    return below


def _row(levels: int, k: int, e_a: list[int], e_b: list[int]) -> list[str]:
    q = k // 2
    t = comb(k, 2) + q
    root = sqrt(2 * (comb(levels + 1, 2) - t))
    numbers = [levels, k, q, t, levels - k + 1, e_a[t], e_b[t]]
    return [*(f"{number:,}" for number in numbers), f"{root:.2f}", f"{e_b[t] / e_a[t]:.2f}"]


def enumerate_meshes(most: int) -> list[dict[str, Any]]:
    """Look at all ideals and count all schedules of meshes of 1, ..., `most` levels."""
    found = []
    for levels in range(1, most + 1):
        dag = generate.mesh(levels)
        ideals = Ideals(dag)
        across, parents = _across_levels(levels), parent_oriented(dag)
        costs, best_costs = ideals.costs(), ideals.costs(ideals.optimal)
        if costs is None or best_costs is None:
            raise AssertionError("a mesh has an IC-optimal schedule")
        found.append(
            {
                "levels": levels,
                "ideals": ideals.number,
                "schedules": ideals.count(),
                "optimal": ideals.count(ideals.optimal),
                "across": ideals.count(across),
                "across and optimal": ideals.count(both_rules(across, ideals.optimal)),
                "parent-oriented": ideals.count(parents),
                "parent-oriented and optimal": ideals.count(both_rules(parents, ideals.optimal)),
                "profile": ideals.best == [best_eligible(dag.n - t) for t in range(dag.n + 1)],
                "cost": costs.least,
                "optimal cost": best_costs.least,
                "largest optimal cost": best_costs.largest,
                "eager cost": play_eagerly(dag, backwards).memory_cost,
                "across cost": play(dag, range(dag.n)).memory_cost,
                "counts": _lemma(ideals, levels),
            }
        )
    return found


def _across_levels(levels: int) -> Rule:
    """Return the rule of Theorem 3.1: level by level, the executed nodes of each level consecutive."""
    start = _level_starts(levels)
    row = {job: level for level in range(levels) for job in range(start[level], start[level] + level + 1)}

    def rule(executed: int, job: int) -> bool:
        first = start[row[job]]
        return executed & ((1 << first) - 1) == (1 << first) - 1 and _consecutive((executed | 1 << job) >> first)

    return rule


def _consecutive(bits: int) -> bool:
    return bits & (bits + (bits & -bits)) == 0


def _lemma(ideals: Ideals, levels: int) -> dict[str, list[int]]:
    """Hold Lemma 3.1 and system (3.1) against every ideal."""
    tally = Tally()
    start = _level_starts(levels)
    of_profile: dict[tuple[int, ...], list[tuple[int, bool]]] = defaultdict(list)
    for layer in ideals.layers:
        for executed, ready in layer.items():
            done, free = ([bits >> start[v] & ((2 << v) - 1) for v in range(levels)] for bits in (executed, ready))
            x, e = [bits.bit_count() for bits in done], [bits.bit_count() for bits in free]
            lowest = next(v for v in range(levels) if x[v] or e[v])
            together = all(map(_consecutive, done))
            of_profile[tuple(x)].append((sum(e), together))
            within = all(e[v] <= x[v + 1] - x[v] - 1 for v in range(lowest, levels - 1))
            tally.note("(3.1)", within and e[-1] == levels - x[-1])
            if together:
                tally.note("3.1.2", sum(e) == lowest + 1 - x[lowest] and lowest <= sum(e) <= lowest + 1)
    tally.note_largest("3.1.1", of_profile.values())
    return tally.counts


def checks(found: dict[str, Any]) -> list[Check]:
    """Return what section 3 states, and what comes out here."""
    played, searched = found["mesh formulas"], found["mesh enumeration"]
    counts, most = played["counts"], played["most"]
    lemma = Tally.of(one["counts"] for one in searched)
    top = searched[-1]["levels"]
    return [
        holds("3.1, (3.1)", f"E_l is at most X_(l+1) - X_l - 1: all ideals up to M_{top}", lemma.counts["(3.1)"]),
        holds("Lemma 3.1.1", "consecutive nodes on each level maximise E", lemma.counts["3.1.1"]),
        holds("Lemma 3.1.2", "for consecutive nodes on each level E is c + 1 - X_c: c or c + 1", lemma.counts["3.1.2"]),
        *_theorem_checks(searched),
        *_memory_checks(searched, counts),
        holds("Fig. 4a", f"the eager play goes diagonal by diagonal: M_1 to M_{most}", counts["eager states"]),
        holds("3.4", "E_(a) is at most l - k + 1, equal to it for q < k: all l, k, q", counts["eager"]),
        holds("3.4", "U is at least C(l+1, 2) - C(k+1, 2): all l, k, q", counts["unexecuted"]),
        holds(
            "3.4",
            "E_(b) is at least the square root of 2U: every step before the last",
            counts["root"],
            erratum="E_(b) is the largest E with E(E+1)/2 nodes or fewer, which is below the root of 2U for every U "
            f"> 0; it falls short by {played['shortfall']:.2f} at most here and by less than 3/2 always, so that the "
            "statement with + O(1), which the paper goes on with, is right.",
        ),
        holds("3.4", "eager: at most m ELIGIBLE nodes during the last m diagonals", counts["last diagonals"]),
        _ratio_check(played),
        holds(
            "3.4", "E_(b)/E_(a) is proportional to the root of l at k = l: within 1/2 and 1.42", counts["last ratio"]
        ),
        check(
            "3.4",
            f"on the last diagonal the IC-optimal schedule has roughly root of l ELIGIBLE nodes: mean / root, M_{most}",
            1.0,
            round(played["last diagonal"], 2),
            within=0.3,
            shown=lambda ratio: "about 1" if ratio == 1 else f"{ratio:.2f}",
        ),
    ]


def _ratio_check(played: dict[str, Any]) -> Check:
    below, most = played["below"], played["most"]
    good, total = played["counts"]["mended ratio"]
    bounded = below[-1] <= 1.1 * below[most // 2 - 1]
    amounts = f"{below[most // 2 - 1]:.2f} on M_{most // 2}, {below[-1]:.2f} on M_{most}"
    return check(
        "3.4, (3.2)",
        "E_(b)/E_(a) falls short of the root of (l+k-1)/(l-k) by O(1): by how much at most",
        "bounded",
        "bounded" if bounded else amounts,
        erratum="The root of (l-k)(l+k+1) is divided by l - k + 1 (that is E_(a)), not by l - k. Near k = l, of "
        "which the paper speaks, this is a factor: at k = l - 1 the ratio is about the root of l, the print says the "
        f"root of 2l, and the difference grows with l. With l - k + 1 it is at most 3/4 off, in {good:,} of "
        f"{total:,} cases here. Besides, l+k-1 is printed for l+k+1, which alone would do no harm: C(l+1, 2) - C(k+1, "
        "2) is (l-k)(l+k+1)/2.",
    )


def _theorem_checks(searched: list[dict[str, Any]]) -> list[Check]:
    top = searched[-1]["levels"]
    exact = [one["optimal"] == one["across"] == one["across and optimal"] for one in searched]
    shown = [one for one in searched if one["levels"] in (3, 4, 5)]
    sufficient = [one["parent-oriented"] == one["parent-oriented and optimal"] for one in searched]
    return [
        holds(
            "Theorem 3.1",
            f"IC-optimal exactly if level by level, executed nodes consecutive: M_1 to M_{top}, all schedules",
            [sum(exact), len(exact)],
        ),
        holds(
            "2.3",
            f"parent orientation is sufficient: every such schedule of M_1 to M_{top} is IC-optimal",
            [sum(sufficient), len(sufficient)],
        ),
        check(
            "2.3",
            "parent orientation is necessary: IC-optimal schedules of M_3, M_4, M_5 that execute all parents of each "
            "node in consecutive steps",
            ", ".join(f"all {one['optimal']:,}" for one in shown),
            ", ".join(f"{one['parent-oriented and optimal']:,} of {one['optimal']:,}" for one in shown),
            erratum="So defined, a level must be crossed from end to end. An IC-optimal schedule may also begin inside "
            'and grow both ways. What Theorem 3.1 adds, "i.e., level by level, EXECUTED nodes consecutive", is right.',
        ),
    ]


def _memory_checks(searched: list[dict[str, Any]], counts: dict[str, list[int]]) -> list[Check]:
    more = [one for one in searched if one["levels"] > 1]
    least = [one["cost"] == one["levels"] for one in more]
    best = [one["across cost"] == one["optimal cost"] == one["cost"] for one in searched]
    return [
        holds("Lemma 3.2", f"no schedule costs less than l: M_2 to M_{len(searched)}", [sum(least), len(least)]),
        check(
            "Lemma 3.2",
            "no schedule costs less than l: M_1",
            1,
            searched[0]["cost"],
            erratum="A single node has no child that could need its result: its cost is 0.",
        ),
        holds("Theorem 3.2", "across each level: IC-optimal, and of least memory cost", [sum(best), len(best)]),
        holds("Fig. 4", "both schedules are of least memory cost: the eager one", counts["eager memory"]),
        holds("Fig. 4", "both schedules are of least memory cost: the lazy one", counts["lazy memory"]),
        check(
            "3.3, title",
            "IC-optimal schedules optimize memory cost: the largest cost of one for M_4",
            4,
            searched[3]["largest optimal cost"],
            erratum="True of the schedule that goes across each level (Theorem 3.2), not of all: one that begins "
            "inside a level keeps a node more open.",
        ),
    ]


def section(found: dict[str, Any], settings: Settings) -> Section:
    """Return the section on meshes."""
    played = found["mesh formulas"]
    size = settings.pick(tiny=10, quick=30, full=30)
    return Section(
        "Reduction-meshes (section 3)",
        [
            "Both states of Fig. 4 on M_6, after t = 8 steps (k = 4, q = 2). The eager play executes sources from <l "
            "- 1, 0> on, and whatever a step renders ELIGIBLE goes next; so it proceeds by diagonals. The IC-optimal "
            "one goes across each level.",
            Picture("mesh-states", "M_6 executed eagerly and IC-optimally.", _draw_states),
            Picture(
                "mesh-profiles",
                f"E(t) of both schedules on M_{size}. The IC-optimal one has about the root of 2U nodes ELIGIBLE, U "
                "being unexecuted; the eager one loses a node with each diagonal.",
                lambda: _draw_profiles(size),
            ),
            Table(
                "mesh-formulas",
                "The formulas of section 3.4 and values from playing the game",
                ["l", "k", "q", "t", "E_(a) printed", "E_(a)", "E_(b)", "root of 2U", "E_(b) / E_(a)"],
                played["rows"],
                "E_(a) as printed holds in all cases. E_(b) is always a little below the root of 2U, so that the "
                "printed bound needs its O(1).",
            ),
            Table(
                "mesh-schedules",
                "Schedules of meshes, all counted by enumeration",
                ["mesh", "ideals", "schedules", "IC-optimal", "across levels, consecutive", "parent-oriented (2.3)"],
                [
                    [f"M_{one['levels']}", many(one["ideals"])]
                    + [many(one[key]) for key in ("schedules", "optimal", "across", "parent-oriented")]
                    for one in found["mesh enumeration"]
                ],
                'The words of Theorem 3.1 after its "i.e." are exact; so there are 2^(l(l-1)/2) IC-optimal schedules. '
                "Parent-oriented in the words of section 2.3 is more than IC-optimal.",
            ),
        ],
    )


def _draw_states() -> Any:
    dag = generate.mesh(6)
    t = 8
    eager = play_eagerly(dag, backwards).order[:t]
    return draw_states(dag, {"eagerly": eager, "IC-optimally": list(range(t))}, labels=False)


def _draw_profiles(levels: int) -> Any:
    dag = generate.mesh(levels)
    both = {"IC-optimal": range(dag.n), "eager": play_eagerly(dag, backwards).order}
    return report.plot_profiles({name: Schedule.of(dag, list(order)) for name, order in both.items()})
