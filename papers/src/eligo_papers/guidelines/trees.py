"""Section 4 of Rosenberg and Yurkewych 2005: reduction-trees.

Jobs of the complete tree are numbered level by level from the leaves to the root, siblings side by side.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from eligo import generate, graph, report
from eligo.dag import Dag
from eligo.schedule import Schedule
from eligo_papers.chapter import Check, Picture, Section, Settings, Step, Table, check
from eligo_papers.claims import Tally, holds, many
from eligo_papers.enumeration import Ideals, both_rules, parent_oriented
from eligo_papers.guidelines.eager import forwards, play, play_eagerly
from eligo_papers.guidelines.small_trees import rooted_trees
from eligo_papers.plots.states import draw_states

__all__ = ["checks", "section", "steps"]


def steps(settings: Settings) -> list[Step]:
    """Return the work for trees."""
    played = settings.pick(tiny=5, quick=9, full=12)
    height = settings.pick(tiny=3, quick=3, full=4)
    leaves = settings.pick(tiny=5, quick=7, full=8)
    weights = settings.pick(tiny=(0.1, 0.1, 0.1), quick=(0.1, 0.1, 0.1), full=(5.0, 30.0, 0.5))
    return [
        Step("tree formulas", check_formulas, {"most": played}, weights[0]),
        Step("tree enumeration", enumerate_complete, {"most": height}, weights[1]),
        Step("tree shapes", enumerate_shapes, {"most": leaves}, weights[2]),
    ]


def postorder_execute(dag: Dag) -> list[int]:
    """Return the order of Algorithm Postorder-Execute, as it is printed.

    Until the root is ELIGIBLE, execute the leftmost ELIGIBLE pair of siblings at the lowest level that has one.

    Examples
    --------
    >>> postorder_execute(generate.tree(2))
    [0, 1, 2, 3, 4, 5, 6]
    >>> postorder_execute(generate.tree(3))[:8]
    [0, 1, 2, 3, 8, 9, 4, 5]
    """
    depth = graph.heights(dag).tolist()
    missing = [len(dag.parents(job)) for job in range(dag.n)]
    root = dag.n - 1
    ready = sorted((depth[job], job) for job in range(dag.n) if not missing[job] and job != root and job % 2 == 0)
    order: list[int] = []
    while ready:
        # Numbers grow from left to right, and the two of a pair are an even number and the next one.
        _, left = ready.pop(0)
        order += [left, left + 1]
        child = int(dag.children(left)[0])
        missing[child] = 0
        pair = child - child % 2
        if child != root and not missing[pair] and not missing[pair + 1]:
            ready = sorted([*ready, (depth[pair], pair)])
    return [*order, root]


def check_formulas(most: int) -> dict[str, Any]:
    """Play both schedules on T_1, ..., T_most and hold the formulas of sections 4.3 and 4.4 against them."""
    tally = Tally()
    rows = []
    for height in range(1, most + 1):
        dag = generate.tree(height)
        eager, lazy = play_eagerly(dag, forwards), play(dag, range(dag.n))
        double = play(dag, postorder_execute(dag))
        best = [2**height - t + t // 2 for t in range(dag.n + 1)]
        e_a, e_b = eager.profile.tolist(), lazy.profile.tolist()
        tally.note("level by level", e_b == best)
        tally.note("postorder-execute", double.profile.tolist() == best)
        tally.note("postorder-execute memory", double.memory_cost == 2 * height)
        tally.note("eager memory", eager.memory_cost == height + 1)
        opened = Schedule.of(dag, list(range(dag.n))).open_jobs
        tally.note("level by level memory", opened.max() == opened[2**height] == 2**height)
        for k in range(height):
            rows.append(_note_subtrees(tally, height, k, e_a, e_b))
        for executed_leaves in range(1, 2**height + 1):
            m = executed_leaves.bit_count()
            t = 2 * executed_leaves - m
            leaves_of_t = {job for job in eager.order[:t] if job < 2**height}
            tally.note("eager states", leaves_of_t == set(range(executed_leaves)))
            tally.note("m - 1", e_b[t] - e_a[t] == m - 1)
            tally.note("half of m", e_b[t] - e_a[t] == m // 2)
        start = 2 ** (height + 1) - height - 2
        tally.note("end game, eager", set(e_a[start:-1]) == {1})
        for a in range(2, 4 * height + 1):
            enough = sum(a * value >= height for value in e_b[start:-1])
            tally.note("end game, lazy", a * enough >= (a - 2) * height)
    return {"most": most, "counts": tally.counts, "rows": [row for row in rows if row[0] in ("3", "5", "8", "12")]}


def _note_subtrees(tally: Tally, height: int, k: int, e_a: list[int], e_b: list[int]) -> list[str]:
    """Note what section 4.4 says of one subtree each of height 0, ..., k; return a row of the table."""
    leaves = 2**height
    t = sum(2 ** (i + 1) - 1 for i in range(k + 1))
    printed = leaves - 2 ** (k + 1) + 1
    unexecuted = 2 * leaves - 1 - t
    tally.note("t", t == 2 ** (k + 2) - (k + 3))
    tally.note("eager", e_a[t] == printed)
    tally.note("unexecuted", unexecuted > 2 * (leaves - 2 ** (k + 1)) + k)
    tally.note("lazy", e_b[t] > leaves - 2 ** (k + 1) + k / 2)
    tally.note("ratio", e_b[t] / e_a[t] >= 1 + k / 2 / printed)
    numbers = [height, k, t, printed, e_a[t], e_b[t], k, (k + 1) // 2, e_b[t] - e_a[t]]
    return [f"{number:,}" for number in numbers]


def enumerate_complete(most: int) -> list[dict[str, Any]]:
    """Look at all ideals and count all schedules of T_0, ..., T_most."""
    found = []
    for height in range(most + 1):
        dag = generate.tree(height)
        ideals = Ideals(dag)
        costs, best_costs = ideals.costs(), ideals.costs(ideals.optimal)
        if costs is None or best_costs is None:
            raise AssertionError("a complete tree has an IC-optimal schedule")
        found.append(
            {
                "height": height,
                "ideals": ideals.number,
                "schedules": ideals.count(),
                "optimal": ideals.count(ideals.optimal),
                "paired": ideals.count(parent_oriented(dag)),
                "paired and optimal": ideals.count(both_rules(parent_oriented(dag), ideals.optimal)),
                "cost": costs.least,
                "largest cost": costs.largest,
                "optimal cost": best_costs.least,
                "largest optimal cost": best_costs.largest,
                "eager cost": play_eagerly(dag, forwards).memory_cost,
                "postorder-execute cost": play(dag, postorder_execute(dag)).memory_cost,
                "counts": _lemma(ideals),
            }
        )
    return found


def enumerate_shapes(most: int) -> dict[str, Any]:
    """Hold Lemma 4.1 and Theorem 4.1 against all binary reduction-trees of 2, ..., `most` leaves."""
    tally = Tally()
    for leaves in range(2, most + 1):
        for parents in rooted_trees(2 * leaves - 1, {2}):
            dag = generate.tree_from_parents(parents)
            ideals = Ideals(dag)
            paired = parent_oriented(dag)
            optimal = ideals.count(ideals.optimal)
            both = ideals.count(both_rules(paired, ideals.optimal))
            tally.note("profile", ideals.best == [leaves - t + t // 2 for t in range(dag.n + 1)])
            tally.note("theorem", optimal == both == ideals.count(paired))
            tally.add(_lemma(ideals))
    return {"most": most, "counts": tally.counts}


def _lemma(ideals: Ideals) -> dict[str, list[int]]:
    """Hold Lemma 4.1 and system (4.1) against every ideal of a binary tree."""
    tally = Tally()
    dag = ideals.dag
    depth = graph.heights(dag).tolist()
    rows = [sum(1 << job for job in range(dag.n) if depth[job] == level) for level in range(max(depth) + 1)]
    sources = sum(1 << job for job in range(dag.n) if not ideals.parents[job])
    pairs = [bits for bits in ideals.parents if bits]
    of_profile: dict[tuple[int, ...], list[tuple[int, bool]]] = defaultdict(list)
    for layer in ideals.layers:
        for executed, ready in layer.items():
            x = [(executed & row).bit_count() for row in rows]
            e = [(ready & row).bit_count() for row in rows]
            s = [(sources & row).bit_count() for row in rows]
            above = [*x[1:], 0]
            tally.note("(4.1)", all(e[v] <= s[v] + above[v] // 2 - x[v] for v in range(len(rows))))
            lonely = [pair & executed for pair in pairs if (pair & executed).bit_count() == 1]
            paired = all(sum(one & row != 0 for one in lonely) <= 1 for row in rows)
            of_profile[tuple(x)].append((sum(e), paired))
            if paired:
                odd = sum(number % 2 for number in x)
                tally.note("4.1.2", 2 * sum(e) == 2 * sum(s) - sum(x) - odd)
                tally.note("floors", sum(e) == sum(s) - x[0] - sum(number // 2 for number in x[1:]))
                tally.note("ceilings", sum(e) == sum(s) - x[0] - sum((number + 1) // 2 for number in x[1:]))
    tally.note_largest("4.1.1", of_profile.values())
    return tally.counts


def checks(found: dict[str, Any]) -> list[Check]:
    """Return what section 4 states, and what comes out here."""
    played, complete, shapes = found["tree formulas"], found["tree enumeration"], found["tree shapes"]
    counts, most = played["counts"], played["most"]
    theorem = [one["optimal"] == one["paired"] == one["paired and optimal"] for one in complete]
    lemma = Tally.of(one["counts"] for one in (shapes, *complete))
    ceilings = lemma.counts["ceilings"]
    trees = f"all binary trees of up to {shapes['most']} leaves"
    return [
        holds(
            "4.1, (4.1)",
            f"the bound on E_l: all ideals of {trees}, T_0 to T_{len(complete) - 1}",
            lemma.counts["(4.1)"],
        ),
        holds("Lemma 4.1.1", "sibling-paired nodes on each level maximise E", lemma.counts["4.1.1"]),
        holds("Lemma 4.1.2", "for sibling-paired nodes E is S - t/2 - (number of odd X_l)/2", lemma.counts["4.1.2"]),
        holds(
            "4.1, proof",
            "E is S - X_0 - the sum of X_l/2 rounded down",
            lemma.counts["floors"],
            because="The text we have rounds down, and the next line of the proof follows only if X_l/2 is rounded "
            f"up; so rounded it holds for {ceilings[0]:,} of {ceilings[1]:,}. The brackets may be a fault of the "
            "text.",
        ),
        holds("Theorem 4.1", f"IC-optimal exactly if siblings follow each other: {trees}", shapes["counts"]["theorem"]),
        holds(
            "Theorem 4.1",
            "IC-optimal exactly if siblings follow each other: complete trees",
            [sum(theorem), len(theorem)],
        ),
        holds("Corollary 4.1", f"level by level is IC-optimal: T_1 to T_{most}", counts["level by level"]),
        *_memory_checks(complete, counts),
        *_formula_checks(counts),
    ]


def _memory_checks(complete: list[dict[str, Any]], counts: dict[str, list[int]]) -> list[Check]:
    more = complete[1:]
    least = [one["cost"] == one["height"] + 1 for one in more]
    best = [one["optimal cost"] == 2 * one["height"] for one in complete]
    worst = [one["largest cost"] == 2 ** one["height"] for one in more]
    apart = [one["optimal cost"] > one["cost"] for one in more]
    factor = [one["optimal cost"] < 2 * one["cost"] for one in more]
    return [
        holds("4.3", "level by level needs 2^h registers, at the midpoint", counts["level by level memory"]),
        holds("4.3", "2^h registers are the most that any schedule needs", [sum(worst), len(worst)]),
        holds("Theorem 4.2", "Postorder-Execute is IC-optimal", counts["postorder-execute"]),
        holds("Theorem 4.2", "Postorder-Execute uses 2h registers", counts["postorder-execute memory"]),
        holds(
            "Theorem 4.2",
            "the least of an IC-optimal schedule is less than twice the least of any",
            [sum(factor), len(factor)],
        ),
        holds("Lemma 4.2", f"the least memory cost is h + 1: T_1 to T_{len(more)}", [sum(least), len(least)]),
        check(
            "Lemma 4.2",
            "the least memory cost is h + 1: T_0",
            1,
            complete[0]["cost"],
            erratum="A single node has no child that could need its result: its cost is 0.",
        ),
        holds("Lemma 4.3", f"IC-optimal schedules need 2h: T_0 to T_{len(more)}", [sum(best), len(best)]),
        holds(
            "4.3",
            f"no schedule is best in IC quality and in memory: T_1 to T_{len(more)}",
            [sum(apart), len(apart)],
            erratum="For T_1 all schedules are both, since 2h = h + 1 = 2. From h = 2 on the statement is right.",
        ),
        holds("4.4", "the eager schedule needs the least memory, h + 1", counts["eager memory"]),
    ]


def _formula_checks(counts: dict[str, list[int]]) -> list[Check]:
    return [
        holds(
            "Fig. 6a",
            "the eager play completes subtrees from left to right: all numbers of leaves",
            counts["eager states"],
        ),
        holds("4.4", "t = 2^(k+2) - (k+3): all h, k", counts["t"]),
        holds("4.4", "E_(a) = 2^h - 2^(k+1) + 1: all h, k", counts["eager"]),
        holds("4.4", "U > 2(2^h - 2^(k+1)) + k: all h, k", counts["unexecuted"]),
        holds("4.4", "E_(b) > 2^h - 2^(k+1) + k/2: all h, k", counts["lazy"]),
        holds("4.4, (4.2)", "the bound on E_(b)/E_(a), even without its O(1): all h, k", counts["ratio"]),
        holds("4.4", "end game: eager has one ELIGIBLE node from step 2^(h+1) - h - 2 on", counts["end game, eager"]),
        holds(
            "4.4",
            "end game: IC-optimal has h/a or more for (1 - 2/a)h of the steps from 2^(h+1) - h - 2 on: a up to 4h",
            counts["end game, lazy"],
        ),
        holds(
            "4.4, last sentence",
            "E_(b) - E_(a) = m - 1 when the eager schedule has executed m complete subtrees and no inner node is "
            "ELIGIBLE",
            counts["m - 1"],
            erratum="With j leaves executed, t = 2j - m, E_(a) = 2^h - j and E_(b) = 2^h - t + t/2 rounded down: the "
            f"difference is m/2 rounded down, as in {counts['half of m'][0]:,} of {counts['half of m'][1]:,} states "
            "here. Both are equal for m = 1 and 2 only.",
        ),
    ]


def section(found: dict[str, Any], settings: Settings) -> Section:
    """Return the section on trees."""
    height = settings.pick(tiny=5, quick=7, full=7)
    return Section(
        "Reduction-trees (section 4)",
        [
            "Both states of Fig. 6 on T_3, after t = 11 steps (k = 2): the eager play takes leaves from left to "
            "right and has executed one subtree each of height 2, 1 and 0.",
            Picture("tree-states", "T_3 executed eagerly and IC-optimally.", _draw_states),
            Picture(
                "tree-pairs",
                "Fig. 5: Algorithm Postorder-Execute on T_3; the numbers tell in which order pairs of siblings are "
                "executed.",
                _draw_pairs,
            ),
            Picture(
                "tree-profiles",
                f"E(t) of three schedules of T_{height}. Level by level and Postorder-Execute coincide. The eager "
                "one is behind by m/2 when m subtrees wait to be joined, that is by half the height at most.",
                lambda: _draw_profiles(height),
            ),
            Table(
                "tree-formulas",
                "The formulas of section 4.4 and values from playing the game",
                ["h", "k", "t", "E_(a) printed", "E_(a)", "E_(b)", "E_(b) - E_(a) printed", "m/2 rounded down", "here"],
                found["tree formulas"]["rows"],
                "One complete subtree each of height 0, ..., k is executed, so m = k + 1. The printed difference m - "
                "1 is wrong from m = 3 on.",
            ),
            Table(
                "tree-schedules",
                "Schedules of complete trees, all counted by enumeration",
                ["tree", "ideals", "schedules", "IC-optimal", "siblings in a row", "both"],
                [
                    [f"T_{one['height']}", many(one["ideals"])]
                    + [many(one[key]) for key in ("schedules", "optimal", "paired", "paired and optimal")]
                    for one in found["tree enumeration"]
                ],
            ),
        ],
    )


def _draw_states() -> Any:
    dag = generate.tree(3)
    t = 11
    eager = play_eagerly(dag, forwards).order[:t]
    return draw_states(dag, {"eagerly": eager, "IC-optimally": list(range(t))}, labels=False, columns=2)


def _draw_pairs() -> Any:
    dag = generate.tree(3)
    labels = [""] * dag.n
    for place, job in enumerate(postorder_execute(dag)):
        labels[job] = str(place // 2 + 1)
    return report.draw_dag(dag, labels=labels)


def _draw_profiles(height: int) -> Any:
    dag = generate.tree(height)
    orders = {
        "level by level": list(range(dag.n)),
        "Postorder-Execute": postorder_execute(dag),
        "eager": play_eagerly(dag, forwards).order,
    }
    return report.plot_profiles({name: Schedule.of(dag, order) for name, order in orders.items()})
