"""Section 5 of Rosenberg and Yurkewych 2005: FFT dags.

Node <l, x> is job (d - l) 2^d + x: the sources are numbered first, then level by level down to the sinks.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from functools import partial
from typing import Any

from eligo import generate, graph, report
from eligo.schedule import Schedule
from eligo_papers.chapter import Check, Picture, Section, Settings, Step, Table, check
from eligo_papers.claims import Tally, holds, many
from eligo_papers.enumeration import Costs, Ideals, Rule, both_rules, parent_oriented
from eligo_papers.guidelines.eager import play, play_eagerly
from eligo_papers.guidelines.fft_orders import fours_order, from_the_right, paired_order
from eligo_papers.plots.states import draw_states

__all__ = ["checks", "section", "steps"]

_TWO_MEANINGS = (
    "the proof mixes up two meanings of butterfly partner. IC-optimality (Theorem 5.1 and the definition) needs two "
    "nodes with the same children; the count of registers in the proof is that of two nodes with the same parents."
)


def steps(settings: Settings) -> list[Step]:
    """Return the work for FFT dags."""
    played = settings.pick(tiny=5, quick=7, full=10)
    searched = settings.pick(tiny=3, quick=3, full=3)
    weights = settings.pick(tiny=(0.1, 1.0), quick=(0.1, 1.0), full=(0.6, 1.0))
    return [
        Step("fft formulas", check_formulas, {"most": played}, weights[0]),
        Step("fft enumeration", enumerate_ffts, {"most": searched}, weights[1]),
    ]


def check_formulas(most: int) -> dict[str, Any]:
    """Play both schedules on F_1, ..., F_most and hold the formulas of section 5.4 against them."""
    tally = Tally()
    rows, costs = [], []
    for dim in range(1, most + 1):
        dag, width = generate.fft(dim), 2**dim
        eager = play_eagerly(dag, partial(from_the_right, dim))
        lazy = play(dag, paired_order(dim))
        e_a, e_b = eager.profile.tolist(), lazy.profile.tolist()
        fours = play(dag, fours_order(dim))
        costs.append([dim, eager.memory_cost, lazy.memory_cost, fours.memory_cost])
        best = [width - t % 2 if t <= dim * width else dag.n - t for t in range(dag.n + 1)]
        tally.note("level by level", e_b == best)
        for k in range(1, dim + 1):
            t = sum(i * 2 ** (i - 1) for i in range(1, k + 1))
            tally.note("t", t == (k - 1) * 2**k + 1)
            tally.note("eager states", _sub_ffts(eager.order[:t], dim, k))
            tally.note("eager", e_a[t] == width - 2 ** (k + 1) + 1)
            tally.note("eager mended", e_a[t] == width - 2**k + 1)
            r, s = divmod(t, width)
            tally.note("s", s < 2 ** (dim - r))
            tally.note("lazy", e_b[t] == width - s % 2 >= width - 1)
            if k < dim:
                tally.note("ratio", e_b[t] / e_a[t] >= 1 + (2**k - 1) / 2 / (width - 2 ** (k + 1) + 1))
            numbers = [dim, k, t, width - 2 ** (k + 1) + 1, width - 2**k + 1, e_a[t], e_b[t]]
            rows.append([*(f"{number:,}" for number in numbers), f"{e_b[t] / e_a[t]:.2f}"])
        tally.note("end game", _is_out_tree(dag, eager.order[(dim - 1) * width + 1 :], dim))
    kept = [row for row in rows if row[0] in ("3", "5", "7")]
    return {"most": most, "counts": tally.counts, "rows": kept, "costs": costs}


def _sub_ffts(executed: list[int], dim: int, k: int) -> bool:
    """Tell whether one sub-FFT each of 1, ..., k levels is executed: by the number of nodes on each level."""
    width = 2**dim
    on_row = [sum(job // width == row for job in executed) for row in range(dim + 1)]
    return on_row == [sum(2 ** (i - 1) for i in range(1, k + 1) if row < i) for row in range(dim + 1)]


def _is_out_tree(dag: Any, rest: list[int], dim: int) -> bool:
    """Tell whether jobs induce a complete binary tree from source 1...1 to all sinks."""
    tree = graph.induced_subdag(dag, rest)
    levels = graph.levels(tree).tolist()
    root = dag.names[2**dim - 1]
    return (
        [levels.count(level) for level in range(dim + 1)] == [2**level for level in range(dim + 1)]
        and [tree.names[job] for job in graph.sources(tree)] == [root]
        and all(len(tree.parents(job)) <= 1 and len(tree.children(job)) in (0, 2) for job in range(tree.n))
    )


def enumerate_ffts(most: int) -> list[dict[str, Any]]:
    """Look at all ideals and count all schedules of F_1, ..., F_most."""
    found = []
    for dim in range(1, most + 1):
        dag = generate.fft(dim)
        ideals = Ideals(dag)
        level, partners = _level_by_level(dim), parent_oriented(dag)
        parents = parent_oriented(graph.dual(dag))  # children of one job in a row: nodes with the same parents
        rules = {
            "all": None,
            "optimal": ideals.optimal,
            "same children": partners,
            "same children and optimal": both_rules(partners, ideals.optimal),
            "same children, sinks last": both_rules(partners, _sinks_last(dim)),
            "sinks last and optimal": both_rules(both_rules(partners, _sinks_last(dim)), ideals.optimal),
            "levels, same children": both_rules(level, partners),
            "levels, same children and optimal": both_rules(both_rules(level, partners), ideals.optimal),
            "levels, same parents": both_rules(level, parents),
            "levels, same parents and optimal": both_rules(both_rules(level, parents), ideals.optimal),
        }
        costs: dict[str, Costs | None] = {name: ideals.costs(rule) for name, rule in rules.items()}
        found.append(
            {
                "dim": dim,
                "ideals": ideals.number,
                "count": {name: ideals.count(rule) for name, rule in rules.items()},
                "costs": costs,
                "profile": ideals.best
                == [2**dim - t % 2 if t <= dim * 2**dim else dag.n - t for t in range(dag.n + 1)],
                "counts": _lemma(ideals, dim),
            }
        )
    return found


def _level_by_level(dim: int) -> Rule:
    def rule(executed: int, job: int) -> bool:
        before = (1 << (job >> dim << dim)) - 1
        return executed & before == before

    return rule


def _sinks_last(dim: int) -> Rule:
    inner = dim * 2**dim
    return lambda executed, job: job < inner or executed & ((1 << inner) - 1) == (1 << inner) - 1


def _lemma(ideals: Ideals, dim: int) -> dict[str, list[int]]:
    """Hold Lemma 5.1 and system (5.1) against every ideal."""
    tally = Tally()
    width = 2**dim
    mask = (1 << width) - 1
    pairs = [bits for bits in ideals.parents if bits]
    of_profile: dict[tuple[int, ...], list[tuple[int, bool]]] = defaultdict(list)
    for layer in ideals.layers:
        for executed, ready in layer.items():
            # Index 0 is level d, the sources.
            x, e = ([(bits >> row * width & mask).bit_count() for row in range(dim + 1)] for bits in (executed, ready))
            within = all(e[row] <= 2 * (x[row - 1] // 2) - x[row] for row in range(1, dim + 1))
            tally.note("(5.1)", within and e[0] == width - x[0])
            lonely = {pair & executed for pair in pairs if (pair & executed).bit_count() == 1}
            paired = all(sum(one >> row * width & mask != 0 for one in lonely) <= 1 for row in range(dim))
            of_profile[tuple(x)].append((sum(e), paired))
            if paired:
                tally.note("5.1.2", sum(e) == width - x[dim] - sum(number % 2 for number in x[:dim]))
    tally.note_largest("5.1.1", of_profile.values())
    return tally.counts


def checks(found: dict[str, Any]) -> list[Check]:
    """Return what section 5 states, and what comes out here."""
    played, searched = found["fft formulas"], found["fft enumeration"]
    counts, most = played["counts"], played["most"]
    lemma = Tally.of(one["counts"] for one in searched)
    top = searched[-1]["dim"]
    return [
        holds("5.1, (5.1)", f"the bound on E_l: all ideals of F_1 to F_{top}", lemma.counts["(5.1)"]),
        holds("Lemma 5.1.1", "butterfly-paired nodes on each level maximise E", lemma.counts["5.1.1"]),
        holds(
            "Lemma 5.1.2",
            "for butterfly-paired nodes E is 2^d - X_0 - (number of odd X_l, l > 0)",
            lemma.counts["5.1.2"],
        ),
        *_theorem_checks(searched),
        holds("Corollary 5.1", f"level by level in pairs is IC-optimal: F_1 to F_{most}", counts["level by level"]),
        *_memory_checks(searched, played["costs"]),
        *_formula_checks(counts),
    ]


def _theorem_checks(searched: list[dict[str, Any]]) -> list[Check]:
    necessary = [one["count"]["optimal"] == one["count"]["same children and optimal"] for one in searched]
    mended = [
        one["count"]["optimal"] == one["count"]["same children, sinks last"] == one["count"]["sinks last and optimal"]
        for one in searched
    ]
    counts = [[one["count"][f"same children{more}"] for more in (" and optimal", "")] for one in searched]
    return [
        holds(
            "Theorem 5.1, only if",
            "in every IC-optimal schedule partners follow each other: F_1 and on, all schedules",
            [sum(necessary), len(necessary)],
        ),
        check(
            "Theorem 5.1, if",
            f"{_names(searched)}: schedules with partners in a row that are IC-optimal",
            ", ".join(f"all {many(total)}" for _, total in counts),
            ", ".join(
                f"all {many(total)}" if good == total else f"{many(good)} of {many(total)}" for good, total in counts
            ),
            erratum="Executing sinks early lowers E, and partners may be in a row all the same. With all other nodes "
            f"before any sink the statement is exact: here for {sum(mended)} of {len(mended)} dags, all schedules "
            "counted.",
        ),
    ]


def _names(searched: list[dict[str, Any]]) -> str:
    return ", ".join(f"F_{one['dim']}" for one in searched)


def _memory_checks(searched: list[dict[str, Any]], costs: list[list[int]]) -> list[Check]:
    lower = [Costs(*one["costs"]["all"]).least >= 2 ** one["dim"] for one in searched]
    children, parents = (
        [_range(Costs(*one["costs"][f"levels, same {kind}"])) for one in searched] for kind in ("children", "parents")
    )
    optimal, every = (
        [one["count"][f"levels, same parents{more}"] for one in searched[1:]] for more in (" and optimal", "")
    )
    same = [eager == lazy for _, eager, lazy, _ in costs]
    return [
        holds("Lemma 5.2", f"no schedule costs less than 2^d: {_names(searched)}", [sum(lower), len(lower)]),
        check(
            "Theorem 5.2",
            f"{_names(searched)}: memory cost of the schedules that go level by level with partners in a row",
            [2 ** one["dim"] + 1 for one in searched],
            children,
            erratum="F_1: both sources are kept until the second sink is executed, and there is nothing else to keep. "
            f"From F_2 on: {_TWO_MEANINGS} The latter cost {_list(parents[1:])}, and of these "
            f"{_list(map(many, every))} schedules {many(sum(optimal)) if any(optimal) else 'none'} is IC-optimal.",
        ),
        holds(
            "5.4",
            f"the eager schedule and the one of Corollary 5.1 have identical memory costs: F_1 to F_{len(costs)}",
            [sum(same), len(same)],
            erratum="They cost "
            + ", ".join(f"{eager} and {lazy} (F_{dim})" for dim, eager, lazy, _ in costs[:5])
            + ". Pairs may be taken in a cheaper order, two pairs that the same four nodes feed after each other; then "
            + "the second costs "
            + ", ".join(str(fours) for *_, fours in costs[:5])
            + ".",
        ),
    ]


def _list(values: Iterable[object]) -> str:
    return " and ".join(map(str, values))


def _range(costs: Costs) -> int | str:
    return costs.least if costs.least == costs.largest else f"{costs.least} to {costs.largest}"


def _formula_checks(counts: dict[str, list[int]]) -> list[Check]:
    mended = counts["eager mended"]
    return [
        holds(
            "Fig. 8a",
            "the eager play has executed one sub-FFT each of 1, ..., k levels: all d, k",
            counts["eager states"],
        ),
        holds("5.4", "t = (k-1) 2^k + 1: all d, k", counts["t"]),
        holds(
            "5.4",
            "E_(a) = 2^d - 2^(k+1) + 1: all d, k",
            counts["eager"],
            erratum="Sub-FFTs of 1, ..., k levels hold 2^k - 1 sources, not 2^(k+1) - 1 as the subtrees of section "
            f"4.4 do. So E_(a) = 2^d - 2^k + 1, as in {mended[0]} of {mended[1]} cases here. The print is even "
            "negative at k = d.",
        ),
        holds("5.4", "E_(b) = 2^d - (s mod 2), 2^d - 1 or more: all d, k", counts["lazy"]),
        holds(
            "5.4",
            "s + r 2^d = t with s < 2^(d-r): all d, k",
            counts["s"],
            erratum="Every level of F_d has 2^d nodes, so s < 2^d is all that can be said; 2^(d-r) is the size of a "
            "level of a tree, in section 4.4.",
        ),
        holds(
            "5.4",
            "the bound on E_(b)/E_(a) without its O(1): all k < d",
            counts["ratio"],
            erratum="It rests on the printed E_(a). With the true one E_(b)/E_(a) = (2^d - 1)/(2^d - 2^k + 1): below "
            "2 for k < d, where the print claims up to 2^(d-2), which no O(1) mends; and 2^d - 1 at k = d.",
        ),
        holds("5.4", "at k = d what remains is a complete binary out-tree from node 1...1", counts["end game"]),
    ]


def section(found: dict[str, Any], settings: Settings) -> Section:
    """Return the section on FFT dags."""
    dim = settings.pick(tiny=3, quick=5, full=5)
    searched = found["fft enumeration"]
    return Section(
        "FFT dags (section 5)",
        [
            "Both states of Fig. 8 on F_3, after t = 17 steps (k = 3). The eager play takes the sources by their "
            "strings read from the right, and of two nodes that one step renders ELIGIBLE the one that comes first "
            "in that order.",
            Picture("fft-states", "F_3 executed eagerly and IC-optimally.", _draw_states),
            Picture(
                "fft-profiles",
                f"E(t) of both schedules on F_{dim}: the IC-optimal one keeps 2^d or 2^d - 1 nodes ELIGIBLE until "
                f"only sinks are left; the eager one has a single ELIGIBLE node after {(dim - 1) * 2**dim + 1} of "
                f"{(dim + 1) * 2**dim} steps.",
                lambda: _draw_profiles(dim),
            ),
            Table(
                "fft-formulas",
                "The formulas of section 5.4 and values from playing the game",
                ["d", "k", "t", "E_(a) printed", "2^d - 2^k + 1", "E_(a)", "E_(b)", "E_(b) / E_(a)"],
                found["fft formulas"]["rows"],
            ),
            "Butterfly partners are nodes of one level whose strings differ in symbol d - l (section 5.1): they have "
            "the same children, and sinks have no partner. The proof of Theorem 5.2 counts registers for nodes with "
            "the same parents.",
            Table(
                "fft-schedules",
                "Schedules of FFT dags, all counted by enumeration, and what they cost in memory",
                ["dag", "schedules", "number", "IC-optimal", "memory cost"],
                [row for one in searched for row in _schedule_rows(one)],
                "From d = 2 on the schedules that cost 2^d + 1 registers are not IC-optimal, and the IC-optimal ones "
                "cost more.",
            ),
        ],
    )


def _schedule_rows(one: dict[str, Any]) -> list[list[str]]:
    names = {
        "all": ("all", "optimal"),
        "same children": ("partners in a row (same children)", "same children and optimal"),
        "same children, sinks last": ("partners in a row, sinks last", "sinks last and optimal"),
        "levels, same children": ("level by level, same children in a row", "levels, same children and optimal"),
        "levels, same parents": ("level by level, same parents in a row", "levels, same parents and optimal"),
        "optimal": ("IC-optimal", "optimal"),
    }
    return [
        [
            f"F_{one['dim']}",
            title,
            many(one["count"][key]),
            many(one["count"][best]),
            str(_range(Costs(*one["costs"][key]))),
        ]
        for key, (title, best) in names.items()
    ]


def _draw_states() -> Any:
    dag, t = generate.fft(3), 17
    eager = play_eagerly(dag, partial(from_the_right, 3)).order[:t]
    return draw_states(dag, {"eagerly": eager, "IC-optimally": paired_order(3)[:t]}, labels=False, columns=2)


def _draw_profiles(dim: int) -> Any:
    dag = generate.fft(dim)
    orders = {"IC-optimal": paired_order(dim), "eager": play_eagerly(dag, partial(from_the_right, dim)).order}
    return report.plot_profiles({name: Schedule.of(dag, order) for name, order in orders.items()})
