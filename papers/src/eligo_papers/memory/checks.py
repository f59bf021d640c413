"""Tables 1 to 3 of 004 held against what comes out here, each difference with its reason."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from eligo_papers.chapter import AGREES, DIFFERS, OPEN, UNEXPLAINED, Check, Settings, check
from eligo_papers.memory.depth_first import ORDERS
from eligo_papers.memory.graphs import DAGGEN, SETS
from eligo_papers.memory.literal import RULES, TIES
from eligo_papers.memory.pieces import REDRAWN, further_draws
from eligo_papers.memory.runs import THEIRS
from eligo_papers.memory.statistics import (
    TABLE_1,
    TABLE_2,
    TABLE_3,
    Record,
    bounds_in,
    failures,
    live,
    normalised,
    processors_of,
    quartiles,
)
from eligo_papers.memory.tables import order_counts, tie_counts

__all__ = ["FEW", "table_1_checks", "table_2_checks", "table_3_checks", "unless_tiny"]

Records = Mapping[str, Sequence[Record]]
FEW = "too few graphs at this scale"
_THREE = ("first quartile", "median", "third quartile")
_MOST = 0.98  # of the worst peak: taken for all of it
_DRAWN = tuple(map(str, REDRAWN))
_OTHERS = tuple(ORDERS)[1:]
_OPEN = (*DAGGEN, "GENOME")  # sets on which nothing that was tried fails as often as printed
_PRINTED_MOST = 0.88
_COUNTS = ("10", "20", "30", "40", "50", "60", "all")


def unless_tiny(settings: Settings, sentence: str = "") -> str:
    """Return why numbers differ: a sentence, if any, and at the scale of tests that graphs are few.

    Examples
    --------
    >>> unless_tiny(Settings("quick"), "other dags"), unless_tiny(Settings("tiny"))
    ('other dags', 'too few graphs at this scale')
    """
    return FEW if settings.scale == "tiny" else sentence


def table_1_checks(records: Records, found: Mapping[str, Any], settings: Settings) -> list[Check]:
    """Return the checks of Table 1: test cases and failures."""
    ranges = found["DAGGEN drawn again"]
    alike = {name: len(records[name]) - len(live(records[name])) for name in SETS}
    again = [sum(some["alike"] for some in draw) for draw in zip(*ranges.values(), strict=True)]
    other = (
        f"daggen's seeds of 004 are not known; of {len(again)} further draws it is {min(again)} to {max(again)}, and "
        f"{_discarded_by_order(records, found)}"
    )
    checks = [
        check(
            "Section 6",
            "dags of DAGGEN discarded, since the smallest bound equals the largest",
            4,
            sum(alike[name] for name in DAGGEN),
            because=unless_tiny(settings, other),
        )
    ]
    for name in SETS:
        printed, some = TABLE_1[name], records[name]
        cases = len(live(some)) * len(bounds_in(some))
        why = f"{alike[name]} of its dags are discarded here, and 2 there: {other}"
        checks.append(
            check("Table 1", f"test cases of {name}", printed["cases"], cases, because=unless_tiny(settings, why))
        )
        for method in THEIRS:
            here = sum(failures(some, method).values())
            draws = [found[f"failures, draw {one}"] for one in further_draws(settings)] if name in DAGGEN else []
            counts = [here, *(draw[name][method] for draw in draws)]
            what, sentence = f"failures of {method} on {name}", ""
            if method in RULES and settings.scale != "tiny":
                sentence = _why_failures(name, method, records, found)
            checks.append(_count_check(what, printed[method], counts, sentence, settings, found_out=name not in _OPEN))
    return checks


def _count_check(
    what: str, printed: int, counts: Sequence[int], sentence: str, settings: Settings, *, found_out: bool
) -> Check:
    """Return the check of a number of failures: it agrees if the printed one lies among those of several draws."""
    here, low, high = counts[0], min(counts), max(counts)
    told = f"{here} ({low} to {high} over {len(counts)} draws)" if len(counts) > 1 else str(here)
    verdict = AGREES if low <= printed <= high else _verdict(sentence, settings, found_out=found_out)
    why = "" if verdict == AGREES else unless_tiny(settings, sentence)
    return Check("Table 1", what, str(printed), told, verdict, why)


def _verdict(sentence: str, settings: Settings, *, found_out: bool) -> str:
    """Return what a check that does not agree comes to."""
    if settings.scale == "tiny":
        return DIFFERS
    return UNEXPLAINED if not sentence else DIFFERS if found_out else OPEN


def _discarded_by_order(records: Records, found: Mapping[str, Any]) -> str:
    """Return how many dags of DAGGEN are discarded where the smallest bound is another depth-first peak."""
    counts = order_counts(found)
    whole = sum(len(records[name]) for name in DAGGEN)
    told = [f"{whole - sum(counts[name][order]['cases'] for name in DAGGEN)} ({order})" for order in _OTHERS]
    return f"{' or '.join(told)} where the depth-first order, which 004 does not define, is another"


def _failures_by_order(name: str, rule: str, found: Mapping[str, Any]) -> str:
    """Return how often Algorithm 2 fails where the smallest bound is another depth-first peak."""
    of_set = order_counts(found)[name]
    ours, *others = (f"{of_set[order]['failed'][rule]} ({order})" for order in ORDERS)
    return (
        "nor is its depth-first order known, which sets the smallest bound: at the peaks of three, ties to the first, "
        f"it fails on {ours}, {' and '.join(others)}"
    )


def _listed(by_ties: Mapping[str, int]) -> str:
    return ", ".join(str(by_ties[ties]) for ties in TIES)


def _why_failures(name: str, method: str, records: Records, found: Mapping[str, Any]) -> str:
    """Return why a heuristic fails differently often here."""
    counts = tie_counts(found)[name]
    failed = [counts["failed"][method][ties] for ties in TIES]
    listed = ", ".join(f"{some[0]} + {sum(some[1:])}" for some in failed)
    at_bounds = {at: many for at, many in failures(records[name], method).items() if many}
    where = " and ".join(f"{many} at the bound {at:g}" for at, many in at_bounds.items()) or "none"
    ties = (
        "004 does not say which of equally good pairs is taken, nor which of several heaviest cuts: by these choices "
        f"alone Algorithm 2 as printed fails on {listed} of {counts['cases']} cases (at the smallest bound + at "
        "others)"
    )
    by_order = _failures_by_order(name, method, found)
    if name in DAGGEN:
        dags = sum(any(bound["methods"][method] is None for bound in record["bounds"]) for record in records[name])
        return (
            f"daggen's seeds of 004 are not known; here they are on {dags} dags, at bounds up to "
            f"{max(at_bounds, default=0):g}; {ties}; {by_order}"
        )
    if name == "GENOME":
        low = found["lowest bounds"]
        both = " and ".join(f"{rule} on {_listed(low['failed'][rule])}" for rule in RULES[1:])
        return (
            f"a smallest bound that is {100 * low['share']:.0f} % lower, the smallest peak that is known, makes it "
            f"fail, by how ties are broken {both} of {low['cases']} graphs; but both alike, unlike 004, and the "
            f"largest over the smallest bound (Table 2) leaves no room for that; {by_order}"
        )
    if name == "MONTAGE":
        own = records.get("MONTAGE, own", ())
        cases = len(own) * len(bounds_in(own))
        seen = f", where it fails on {sum(failures(own, method).values())} of {cases} cases," if own else ""
        return (
            f"{where}, which leaves room for two or three mDiffFits beside all images; in the papers' own "
            f"graphs{seen} images are smaller by a slip, and there is more room; {by_order}"
        )
    return f"{where} here; {ties}; {by_order}"


def table_2_checks(records: Records, settings: Settings) -> list[Check]:
    """Return the checks of Table 2, whose quartiles should come out up to 10 %."""
    checks = []
    for name, printed in TABLE_2.items():
        here = quartiles(record["high"] / record["low"] for record in live(records[name]))
        for which, theirs, ours in zip(_THREE, printed, here, strict=True):
            what = f"worst over depth-first peak of {name}, {which}, up to 10 %"
            checks.append(check("Table 2", what, theirs, ours, within=0.1, because=unless_tiny(settings)))
    return checks


def table_3_checks(records: Records, found: Mapping[str, Any], settings: Settings) -> list[Check]:
    """Return the checks of Table 3: EFT's memory, and what it says of LIGO, GENOME and MONTAGE."""
    checks = []
    for name, printed in TABLE_3.items():
        many = processors_of(name)
        here = quartiles(normalised(records[name], "in turn", str(many)))
        for place, which in enumerate(_THREE):
            what = f"memory of EFT on {name}, {many} processors, {which}"
            if name in DAGGEN:
                drawn = {
                    count: [draw["eft"][count][place] for draw in found["DAGGEN drawn again"][name]] for count in _DRAWN
                }
                checks.append(_among_draws(what, printed[place], here[place], drawn, settings))
            else:
                tried = _why_montage(records) if name == "MONTAGE" else ""
                checks.append(_near(what, printed[place], here[place], tried, settings))
    checks += _eft_checks(records, settings)
    lowest = {name: min(normalised(records[name], "in turn", str(processors_of(name)))) for name in SETS}
    negative = sorted(name for name, value in lowest.items() if value < -1e-9)
    listed, few = ", ".join(negative), unless_tiny(settings)
    return [*checks, check("Section 6", "sets with negative values", ", ".join(sorted(DAGGEN)), listed, because=few)]


def _eft_checks(records: Records, settings: Settings) -> list[Check]:
    """Return the checks of section 6: EFT uses all memory on LIGO and GENOME, most on MONTAGE, half on DAGGEN."""
    names = ("LIGO", "GENOME")
    total = sum(len(live(records[name])) for name in names)

    def many_with(way: str, processors: str) -> int:
        return sum(value > _MOST for name in names for value in normalised(records[name], way, processors))

    enough = next((many for many in _COUNTS if 2 * many_with("at once", many) > total), "more")
    why = (
        "on 5 processors no more than 5 tasks run at once. Only in the emulated graph the node that ends a task, "
        f"which has no work, waits for its turn while other tasks start. With {enough} processors the statement holds"
    )
    what = "graphs of LIGO and GENOME on which EFT on 5 processors uses the maximal peak"
    checks = []
    for way, told, because in (
        ("in turn", "nodes without work in turn", ""),
        ("at once", "tasks freeing memory when they end", why),
    ):
        many = many_with(way, "5")
        verdict = AGREES if 2 * many > total else DIFFERS if because else UNEXPLAINED
        here = f"{many} of {total}"
        checks.append(
            Check("Section 6", f"{what}, {told}", "most", here, verdict, "" if verdict == AGREES else because)
        )
    montage = normalised(records["MONTAGE"], "in turn", "5")
    many = sum(value > _PRINTED_MOST for value in montage)
    what = f"graphs of MONTAGE on which EFT on 5 processors uses more than {_PRINTED_MOST}, nodes without work in turn"
    verdict = AGREES if 2 * many > len(montage) else UNEXPLAINED
    checks.append(Check("Section 6", what, "most", f"{many} of {len(montage)}", verdict))
    whole = [value for name in DAGGEN for value in normalised(records[name], "in turn", "2")]
    what = "median of EFT's memory on all of DAGGEN, 2 processors, up to 10 %"
    few = unless_tiny(settings)
    return [*checks, check("Section 6", what, 0.53, round(quartiles(whole)[1], 2), within=0.1, because=few)]


def _among_draws(
    what: str, printed: float, here: float, drawn: Mapping[str, Sequence[float]], settings: Settings
) -> Check:
    """Return a check that holds where a printed number lies among those of several draws of the set."""

    def among(count: str) -> bool:
        return min(drawn[count]) - 0.02 <= printed <= max(drawn[count]) + 0.02

    two = [here, *drawn["2"]]
    told = f"{here:.2f} ({min(two):.2f} to {max(two):.2f} over {len(two)} draws)"
    fitting = [count for count in drawn if among(count)]
    listed = ", ".join("unlimited" if count == "None" else count for count in fitting)
    among_draws = f"among further draws on {listed} processors" if listed else "among no further draws"
    why = f"004 does not say on how many processors, and daggen's seeds are not known; it lies {among_draws}"
    verdict = AGREES if "2" in fitting else DIFFERS
    return Check(
        "Table 3", what, f"{printed:g}", told, verdict, unless_tiny(settings, why) if verdict == DIFFERS else ""
    )


def _near(what: str, printed: float, here: float, tried: str, settings: Settings) -> Check:
    """Return a check of numbers that may be 0, so that shares say nothing."""
    verdict = AGREES if abs(printed - here) <= 0.02 else _verdict(tried, settings, found_out=False)
    why = "" if verdict == AGREES else unless_tiny(settings, tried)
    return Check("Table 3", f"{what}, up to 0.02", f"{printed:g}", f"{here:.2f}", verdict, why)


def _why_montage(records: Records) -> str:
    shares = {many: quartiles(normalised(records["MONTAGE"], "at once", many))[1] for many in ("5", "50", "60")}
    at = ", ".join(f"{share:.2f} on {many}" for many, share in shares.items())
    return (
        "004 says neither on how many processors, nor when nodes without work run. In turn, they leave in memory all "
        f"that was ever held; at once the median is {at} processors"
    )
