"""Section 4 of Cordasco, Malewicz and Rosenberg 2007: every >_L-greedy schedule of a sum of strands is IC-optimal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations_with_replacement
from typing import Any

from eligo import generate
from eligo.certificate import verify
from eligo.dag import Dag
from eligo.priority._settle import settle
from eligo_papers.chapter import Check, Picture, Section, Settings, Step, Table, check
from eligo_papers.claims import Tally, holds
from eligo_papers.planar_trees import PlanarTree, small_strands
from eligo_papers.strands.pictures import draw_numbered
from eligo_papers.strands.sums import StrandSum

__all__ = ["FIGURE_3", "checks", "figure_section", "section", "steps", "trees_of"]

FIGURE_3: list[tuple[Any, list[int]]] = [
    ("T", [4]),
    ("T", [1, 4]),
    ("T", [1, 4, 4, 3, 3, 2, 2, 4, 3, 2]),
    ("W", [4, 2, 4, 3]),
    ("M", [4, 2, 4, 3]),
]
_SORTED_ONCE = ("T", [1, 2, 2, 3, 2])
_ONE_STEP = ("M", [2, 3])
_ARC = ("T", [2, 2])


def steps(settings: Settings) -> list[Step]:
    """Return the work for greedy schedules."""
    singles = settings.pick(
        tiny=[[1, 4, 1, 0.1]],
        quick=[[1, 5, 3, 1.0], [6, 6, 2, 1.5], [7, 7, 1, 1.0]],
        full=[[1, 6, 3, 8.0], [7, 7, 3, 35.0], [8, 8, 2, 30.0], [9, 9, 1, 10.0], [10, 10, 1, 40.0]],
    )
    each, total, own_in_sums, weight = settings.pick(tiny=(3, 4, 1, 0.1), quick=(4, 6, 1, 0.4), full=(5, 7, 2, 30.0))
    return [
        Step("figure 3", look_at_figure, {}, 0.3),
        *(
            Step(
                f"greedy, {_span(first, last)}, up to {own} own sinks each",
                check_singles,
                {"first": first, "last": last, "own": own},
                seconds,
            )
            for first, last, own, seconds in singles
        ),
        Step("greedy, sums", check_sums, {"each": each, "total": total, "own": own_in_sums}, weight),
        Step("greedy, conditions", show_conditions, {}, 0.1),
    ]


def _span(first: int, last: int) -> str:
    return f"{first} to {last} sources" if first < last else f"{last} sources"


def trees_of(kind: Any, degrees: Sequence[int]) -> PlanarTree:
    """Return a strand of the paper's notation.

    Examples
    --------
    >>> trees_of("M", [2, 3]).sinks
    [(0, 1), (1, 3)]
    """
    return PlanarTree.from_dag(generate.strand(kind, degrees))


def look_at_figure() -> list[dict[str, Any]]:
    """Schedule the strands of Fig. 3 greedily, and hold the schedules against all sets of sources and certificates."""
    found = []
    for kind, degrees in FIGURE_3:
        dag = generate.strand(kind, degrees)
        strands = StrandSum([PlanarTree.from_dag(dag)])
        order = strands.order(strands.maximal)
        settled = settle(dag)
        proved = settled.claim == "ic-optimal" and settled.certificate is not None
        found.append(
            {
                "name": f"{kind}[{', '.join(map(str, degrees))}]",
                "sources": strands.sources,
                "sinks": len(strands.sinks),
                "order": order,
                "yields": strands.yields(order),
                "best": strands.best,
                "every greedy": strands.all_reached_are_best(strands.maximal),
                "verified": proved
                and settled.certificate is not None
                and bool(verify(settled.certificate, dag).checks),
                "same profile": settled.schedule is not None
                and settled.schedule.profile[: strands.sources + 1].tolist()
                == [strands.sources - x + value for x, value in enumerate(strands.best)],
            }
        )
    return found


def check_singles(first: int, last: int, own: int) -> dict[str, Any]:
    """Hold section 4 against all strands of some numbers of sources, with up to `own` sinks of each backbone source."""
    return _check_all([tree] for tree in small_strands(last, own) if tree.sources >= first)


def check_sums(each: int, total: int, own: int) -> dict[str, Any]:
    """Hold section 4 against all sums of two or three strands of up to `each` sources, `total` together."""
    return _check_all(_sums(list(small_strands(each, own)), total))


def _sums(trees: list[PlanarTree], total: int) -> Iterator[list[PlanarTree]]:
    for number in (2, 3):
        for chosen in combinations_with_replacement(trees, number):
            if sum(tree.sources for tree in chosen) <= total:
                yield list(chosen)


def _check_all(cases: Iterable[list[PlanarTree]]) -> dict[str, Any]:
    tally = Tally()
    for trees in cases:
        strands = StrandSum(trees)
        greedy = list(strands.reached(strands.maximal))
        tally.note("4.2", all(strands.is_best(executed) for executed, _ in greedy))
        tally.note("4.1", _some_is_best(strands))
        tally.note("sorted once", strands.all_reached_are_best(strands.first_vectors))
        if strands.sources <= 3:
            tally.note("sorted once, three sources", strands.all_reached_are_best(strands.first_vectors))
        tally.note("one step", strands.all_reached_are_best(strands.largest_yield))
        left = [(piece, executed) for executed, _ in greedy for piece in strands.pieces(executed)]
        arcs = [strands.is_arc(*one) for one in left]
        if not any(arcs[: len(trees)]):  # where none was there from the beginning
            tally.note("no arcs", not any(arcs))
            tally.note("strands again", all(strands.is_strand(*one) for one in left))
        for executed, chosen in greedy:
            backbone = strands.backbone(executed)
            before = strands.pieces(executed)
            for source in chosen:
                tally.note("backbone", source in backbone)
                tally.note("pieces", _pieces_as_stated(strands, before, executed, source))
        _note_lemma(tally, strands)
    return tally.counts


def _some_is_best(strands: StrandSum) -> bool:
    reached = {0}
    for _ in range(strands.sources):
        grown = {executed | 1 << source for executed in reached for source in strands.left(executed)}
        reached = {executed for executed in grown if strands.is_best(executed)}
    return bool(reached)


def _pieces_as_stated(strands: StrandSum, before: list[list[int]], executed: int, source: int) -> bool:
    """Tell whether a step changes the number of strands as item 2 of the definition says."""
    piece = next(piece for piece in before if source in piece)
    change = -1 if len(piece) == 1 else 0 if source in (piece[0], piece[-1]) else 1
    return len(strands.pieces(executed | 1 << source)) == len(before) + change


def _note_lemma(tally: Tally, strands: StrandSum) -> None:
    """Note Lemma 4.1: among the best sets of each size there is one with any given maximal source."""
    for source in strands.maximal(0):
        bit = 1 << source
        within = [0] * (strands.sources + 1)
        for chosen in range(1 << strands.sources):
            if chosen & bit:
                within[chosen.bit_count()] = max(within[chosen.bit_count()], strands.e[chosen])
        tally.note("lemma", within[1:] == strands.best[1:])


def show_conditions() -> dict[str, Any]:
    """Compute the strands that show what section 4 leaves unsaid."""
    once, step, arc = (StrandSum([trees_of(*one)]) for one in (_SORTED_ONCE, _ONE_STEP, _ARC))
    sorted_once = once.order(once.first_vectors)
    right_first: list[int] = []
    executed = 0
    while executed != step.full:
        right_first.append(step.largest_yield(executed)[-1])
        executed |= 1 << right_first[-1]
    first = arc.maximal(0)[0]
    return {
        "sorted once": {
            "vectors": [once.vector(source, 0) for source in range(once.sources)],
            "order": sorted_once,
            "yields": once.yields(sorted_once),
            "best": once.best,
        },
        "one step": {"order": right_first, "yields": step.yields(right_first), "best": step.best},
        "arc": {"left": arc.pieces(1 << first), "is arc": arc.is_arc(arc.pieces(1 << first)[0], 1 << first)},
    }


def _all_counts(found: dict[str, Any]) -> dict[str, list[int]]:
    names = [name for name in found if name.startswith("greedy,") and name != "greedy, conditions"]
    return Tally.of(found[name] for name in names).counts


def checks(found: dict[str, Any]) -> list[Check]:
    """Return what section 4 states, and what comes out here."""
    figure, counts, shown = found["figure 3"], _all_counts(found), found["greedy, conditions"]
    one, again = shown["one step"], counts["strands again"]
    stuck = counts["one step"][1] - counts["one step"][0]
    return [
        holds(
            "Theorem 4.2",
            "every greedy schedule of the strands of Fig. 3 is IC-optimal",
            [sum(strand["every greedy"] for strand in figure), len(figure)],
        ),
        holds("Lemma 4.1", "a best set of each size holds any given maximal source", counts["lemma"]),
        holds("Theorem 4.1", "sums of strands admit IC-optimal schedules: all small ones", counts["4.1"]),
        holds("Theorem 4.2", "every greedy schedule is IC-optimal: all small strands and sums", counts["4.2"]),
        holds("4.1", "every maximal source is a backbone source", counts["backbone"]),
        holds("4", "a step changes the number of strands by -1, 0 or 1, as stated", counts["pieces"]),
        holds(
            "3, base cases",
            "what a step of section 4 leaves of T-strands are T-strands again, by the base cases as printed",
            counts["no arcs"],
            erratum="The base cases leave out T[1], the single arc, though (1) is a heavy sequence; with it "
            f"{'all' if again[0] == again[1] else f'{again[0]:,} of'} {again[1]:,} hold. T[2, 2] leaves one when its "
            "first source is executed.",
        ),
        check(
            "4, after Theorem 4.2",
            "the look ahead keeps a schedule from getting stuck in local optima: by the largest yield alone, M[2, 3] "
            f"begun at its right end has e = {_list(one['yields'])} instead of {_list(one['best'])}, and some schedule "
            f"of {stuck:,} of {counts['one step'][1]:,} strands and sums is not IC-optimal",
            True,
            stuck > 0 and one["yields"] != one["best"],
        ),
    ]


def _list(numbers: list[int]) -> str:
    return ", ".join(map(str, numbers))


def _from_one(order: list[int]) -> str:
    return _list([source + 1 for source in order])


def figure_section(found: dict[str, Any]) -> Section:
    """Return the section on the strands of Fig. 3."""
    rows = [
        [
            one["name"],
            str(one["sources"]),
            str(one["sinks"]),
            _from_one(one["order"]),
            _list(one["yields"]),
            "yes" if one["yields"] == one["best"] else "no",
            "yes" if one["verified"] and one["same profile"] else "no",
        ]
        for one in found["figure 3"]
    ]
    return Section(
        "The strands of Fig. 3",
        [
            "Sources are numbered from left to right, 1 first. e(x) is the number of ELIGIBLE sinks after x sources. "
            "The paper prints none. That no order has a larger e(x) was found by looking at all sets of x sources, and "
            "again by Eligo's theory: the last column tells whether its certificate was verified, with the same e(x).",
            Table(
                "figure-3",
                "Greedy schedules",
                [
                    "strand",
                    "sources",
                    "sinks",
                    "order of the sources",
                    "e(0), e(1), ...",
                    "IC-optimal",
                    "certificate",
                ],
                rows,
            ),
            *(
                Picture(
                    f"strand-{number}",
                    f"{one['name']}: the numbers tell when a source is executed.",
                    _Drawn(*strand, tuple(one["order"])),
                )
                for number, (one, strand) in enumerate(zip(found["figure 3"], FIGURE_3, strict=True), 1)
            ),
        ],
    )


class _Drawn:
    """Draws a strand with execution numbers, when it is asked to."""

    def __init__(self, kind: Any, degrees: list[int], order: Sequence[int]) -> None:
        self.kind, self.degrees, self.order = kind, degrees, order

    def __call__(self) -> Any:
        dag: Dag = generate.strand(self.kind, self.degrees)
        return draw_numbered(dag, self.order)


def section(found: dict[str, Any]) -> Section:
    """Return the section on Theorem 4.2 and what it leaves unsaid."""
    rows = []
    for name, counts in found.items():
        if name.startswith("greedy,") and name != "greedy, conditions":
            good = [f"{counts[key][0]:,}" for key in ("4.2", "sorted once", "one step")]
            rows.append([name.removeprefix("greedy, "), f"{counts['4.2'][1]:,}", *good])
    once, three = found["greedy, conditions"]["sorted once"], _all_counts(found)["sorted once, three sources"]
    vectors = [[str(source + 1), _list(vector)] for source, vector in enumerate(once["vectors"])]
    return Section(
        "Greedy schedules (section 4)",
        [
            "All strands of a size are listed: the sinks with several parents cover the row of sources, each "
            "beginning where the one before ends, and each backbone source has up to a given number of sinks of its "
            "own. A schedule is greedy if each step executes a source with the largest vector on what is left, "
            "however ties go; all are looked at.",
            Table(
                "greedy",
                "Strands and sums of strands all of whose schedules by a rule are IC-optimal",
                [
                    "strands",
                    "number",
                    "greedy, vectors made anew",
                    "sorted once by the first vectors",
                    "largest yield only",
                ],
                rows,
                "Only the first rule is Theorem 4.2; the others leave out step 3, or the look ahead. Of the sums of "
                f"up to three sources {three[0]:,} of {three[1]:,} can be sorted once.",
            ),
            Table(
                "sorted-once",
                "T[1, 2, 2, 3, 2]: the first vectors of its sources",
                ["source", "vector"],
                vectors,
                f"Sorted by these, the order is {_from_one(once['order'])} with e = {_list(once['yields'])}; the "
                f"best is {_list(once['best'])}.",
            ),
        ],
    )
