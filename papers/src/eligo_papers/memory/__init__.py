"""Paper 004: limits that every execution keeps, and what they cost (Marchal, Simon and Vivien 2018, section 6)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from eligo_papers.chapter import Chapter, Check, Section, Settings, Step, Table, check
from eligo_papers.claims import holds
from eligo_papers.memory.checks import table_1_checks, table_2_checks, table_3_checks
from eligo_papers.memory.figure_checks import figure_checks
from eligo_papers.memory.figures import makespan_pictures, path_pictures, scatter_pictures
from eligo_papers.memory.pieces import fact_steps, limit_steps, records_of, solver_version, tie_bounds
from eligo_papers.memory.runs import METHODS, THEIRS
from eligo_papers.memory.statistics import TABLE_1, Record, bounds_in, failures, live
from eligo_papers.memory.tables import (
    counting_table,
    eft_table,
    failure_table,
    median_table,
    order_counts,
    order_table,
    program_paths,
    program_rows,
    program_table,
    range_table,
    table_3,
    tie_counts,
    tie_table,
)

__all__ = ["chapter", "steps"]

_PAPER = (
    "L. Marchal, B. Simon, F. Vivien: Limiting the memory footprint when dynamically scheduling DAGs on shared-memory "
    "platforms. Inria research report 9231, 2018"
)
Records = Mapping[str, Sequence[Record]]


def steps(settings: Settings) -> Sequence[Step]:
    """Return the pieces of work."""
    return [*limit_steps(settings), *fact_steps(settings)]


def chapter(found: Mapping[str, Any], settings: Settings) -> Chapter:
    """Return the chapter."""
    records, certified = records_of(found, settings)
    programs = program_rows(found)
    checks = [
        *_proved_checks(records, found),
        _certified_check(records, certified),
        *table_1_checks(records, found, settings),
        *_program_checks(programs),
        *table_2_checks(records, settings),
        *figure_checks(records, settings),
        *table_3_checks(records, found, settings),
    ]
    sections = [
        _graphs_section(found),
        Section("How much there is to gain: Table 2", [_RANGE, range_table(records)]),
        _failure_section(records, found, programs, settings, certified),
        Section(
            "Critical paths: Fig. 5, 6, 10, 13 and 16",
            [_PATHS, *path_pictures(records, program_paths(found, "DAGGEN dense")), _path_table(records)],
        ),
        Section("Makespans: Fig. 7, 8, 11, 14 and 17", [_SPANS, *makespan_pictures(records), _span_table(records)]),
        Section("Makespan and critical path: Fig. 9, 12, 15 and 18", [_CLOUDS, *scatter_pictures(records)]),
        _program_section(records, found),
        Section("What list scheduling uses: Table 3", [_EFT, table_3(records), eft_table(records)]),
        _proved_section(found),
    ]
    return Chapter("004", "Limits that every execution keeps", _PAPER, _about(records, certified), checks, sections)


def _about(records: Records, certified: int) -> str:
    cases = sum(len(live(some)) * len(bounds_in(some)) for some in records.values())
    return (
        "Edges are added to a graph until no execution, however it goes, exceeds a memory bound. All four heuristics "
        f"of 004 are tried on {sum(map(len, records.values())):,} graphs at up to eleven bounds, {cases:,} test "
        f"cases, and the integer program on the small ones. All {certified:,} graphs that came out were checked by a "
        "certificate, which knows nothing of the methods. How far bounds reach (Table 2), which heuristic is ahead of "
        "which, and how makespans go with critical paths comes out as printed, with few exceptions. How often the "
        "heuristics fail depends on ties and on a depth-first order that 004 leaves open, and Table 3 on what nodes "
        "without work are taken to do."
    )


# ---- the graphs

_GRAPHS = (
    "DAGGEN is drawn anew with 004's parameters and seeds from 0 on; every child has its own copy of what a task "
    "sends. LIGO, MONTAGE and GENOME are 20 workflows each of 100 jobs, with shapes, times and sizes by kind of job as "
    "in the public workflows of the Pegasus gallery: in LIGO the Inspirals at the end belong to several groups, in "
    "MONTAGE the images that overlap are drawn at random. With --data, the memory papers' own graphs that are in the "
    "folder (those of 100 tasks) are tried too, and daggen's own files. The smallest bound is the peak of our "
    "depth-first order, which completes a branch before it begins another and takes children by their number; 004 "
    "does not define its own, and what that does is shown with Table 1."
)
_COUNTED = (
    "What the papers' own graphs hold differs from the text. The edge that stands for a running task has its outputs, "
    "what it reads from outside the workflow (for a LIGO TmpltBank 40.5 MB, against 1 MB of output) and the inputs "
    "that others read too, but not those that it alone reads. A shared input is thus held by every task that reads "
    "it, and once more by itself; and all shared files of a graph have one size, that of another file, which seems to "
    "be a slip. The generated graphs follow the papers', with every file's own size. On MONTAGE the choice decides: "
    "where each file counts once, hardly anything is left to limit."
)


def _graphs_section(found: Mapping[str, Any]) -> Section:
    return Section("The graphs", [_GRAPHS, _COUNTED, counting_table(found["ways to count"])])


# ---- failures

_RANGE = "How many times the depth-first peak the worst peak is, over the graphs of a set."


def _failure_section(
    records: Records, found: Mapping[str, Any], programs: Mapping[str, Any], settings: Settings, certified: int
) -> Section:
    checked = (
        f"Each of the {certified:,} graphs that came out, of our own methods too, was checked by a certificate of its "
        "worst peak: none exceeds its bound."
    )
    ties = (
        "Where heuristics fail, they have painted themselves into a corner: the edges added so far leave no order "
        "within the bound. Which of several equally good pairs is taken decides that. The next table runs Algorithm 2 "
        "to the letter with three ways to break ties, and with another choice of the cut. Eligo's own versions "
        "choose, where they can, a pair that rules out all of the heaviest cuts at once, and drop edges that prove to "
        "be needless."
    )
    by_ties, by_order = tie_counts(found), order_counts(found)
    tables = tie_table(by_ties, tie_bounds(settings)), order_table(by_order)
    return Section(
        "Failures: Table 1",
        [failure_table(records, programs), checked, ties, tables[0], _orders_text(by_order), tables[1]],
    )


def _orders_text(by_order: Mapping[str, Mapping[str, Any]]) -> str:
    text = (
        "So does the bound: where it is smallest, half a percent of memory decides, and it is the peak of a "
        "depth-first order, which 004 does not define. The last table tries three readings: ours, branch by branch; "
        "the same from the last branch to the first; and reverse postorder, which textbooks call sorting by "
        "depth-first search."
    )
    if "LIGO" not in by_order:
        return text
    told = [
        f"max-min-size on {of['failed']['max-min-size']} and max-size on {of['failed']['max-size']} ({order})"
        for order, of in by_order["LIGO"].items()
    ]
    printed = TABLE_1["LIGO"]
    return (
        f"{text} On LIGO the heuristics fail thus: {', '.join(told)}; printed are {printed['max-min-size']} and "
        f"{printed['max-size']}."
    )


def _certified_check(records: Records, certified: int) -> Check:
    total = sum(
        numbers is not None
        for some in records.values()
        for record in some
        for bound in record["bounds"]
        for numbers in bound["methods"].values()
    )
    what = "graphs with more edges whose certificate proves that no execution exceeds the bound"
    return holds("Section 5", what, [certified, total])


# ---- critical paths and makespans

_PATHS = (
    "The lower the bound, the longer the path. As in 004, a method that fails has an infinite critical path: it "
    "counts in the quartiles, and a cross stands for one that fails on more than half of the graphs. Boxes reach from "
    "the first to the third quartile, whiskers to the last value within one and a half box heights."
)
_SPANS = (
    "List scheduling by bottom level on 2 processors (DAGGEN) and 5 (the others), of the graph with its new edges "
    "over that without. It is no optimum: with more edges it is sometimes a little shorter."
)
_CLOUDS = (
    "A mark for each graph, bound and method; marks that would cover each other are drawn once. Where paths are long "
    "they are nearly the makespan; short ones leave more parallelism than there are processors."
)


def _path_table(records: Records) -> Table:
    return median_table(records, THEIRS, None, "Critical path, median (quartiles)", "critical-paths")


def _span_table(records: Records) -> Table:
    return median_table(records, THEIRS, 0, "Makespan, median (quartiles)", "makespans")


# ---- the integer program


def _program_checks(programs: Mapping[str, Sequence[Any]]) -> list[Check]:
    checks = []
    for name, rows in programs.items():
        printed = TABLE_1[name]
        here = f"{sum(not row[3] for row in rows)} of {len(rows)}"
        why = (
            "HiGHS up to a number of nodes of its search, in place of CPLEX for an hour on eight cores, and on the "
            f"smaller dags only: {len(rows)} cases"
        )
        what = f"{name}: cases without a solution in time; here: without a proved optimum"
        checks.append(check("Table 1, ILP", what, f"{printed['ilp']} of {printed['cases']}", here, because=why))
        shortest = sum(row[2] <= row[1] * (1 + 1e-9) for row in rows)
        checks.append(
            holds("Section 5.2", f"{name}: the program is not longer than any heuristic", [shortest, len(rows)])
        )
    return checks


def _program_section(records: Records, found: Mapping[str, Any]) -> Section:
    title = "The integer program"
    if not solver_version():
        return Section(title, ["Skipped: HiGHS is not installed (pip install 'eligo[solver]')."])
    text = (
        "The program of section 5.2, solved by HiGHS from what our `auto` found on, within a number of nodes so that "
        "results repeat. Since it has an answer from the beginning, it fails in another sense than in 004: where the "
        "answer is not proved to be the shortest. On the same dags, beside the heuristics and our own methods:"
    )
    return Section(title, [text, program_table(records, found, METHODS)])


# ---- EFT

_EFT = (
    "EFT starts, whenever a task ends, the available one with the highest bottom level; 0 is the depth-first peak, 1 "
    "the worst. 004 does not say on how many processors. On DAGGEN a few fit, two being what its makespans are for; "
    "an unlimited number does not, since the third quartile would be far higher. On the other sets everything depends "
    "on nodes without work, which the emulation adds for the end of a task. If they wait for their turn by bottom "
    "level, tasks seem to hold their memory long after they have ended, and EFT comes to the worst peak even on one "
    "processor. As an execution that cannot be: five processors run five tasks. Nodes that run at once are what "
    "really goes on; the worst peak then needs about as many processors as tasks run at the peak."
)


# ---- what is proved


def _proved_checks(records: Records, found: Mapping[str, Any]) -> list[Check]:
    """Return the checks of sections 3 to 5, errata among them."""
    proved, everything = found["what is proved"], [record for some in records.values() for record in some]
    toy, flows, covers = proved["figure 1"], proved["start flows"], proved["covers"]
    equal = sum(record["algorithm1"] == record["high"] for record in everything)
    lemma = sum(record["product"][0] <= record["product"][1] * (1 + 1e-9) for record in everything)
    fewer = sum(sum(failures(some, "respect-order").values()) for some in records.values())
    completes = (
        "by the lemma a peak of 2 would mean a cover of no sets. The proof frees shared data when their last reader "
        "starts, section 4.3 when it completes; with the latter it is one more, which holds on "
        f"{covers['one more']} of {covers['trials']} random set covers"
    )
    title = "the title of section 5.4 says MINLEVELS, which takes no schedule; the text means RESPECTORDER"
    instant = "the theorem holds: of tasks that start together those that free memory must go first"
    at_once = "its data are handed over within an instant, in which memory is not 0; the emulations have such tasks"
    return [
        check(
            "Fig. 1",
            "weight of the heaviest cut, and after adding (d, a); sizes chosen to fit the text, which lacks the figure",
            [11, 9],
            [toy["heaviest"], toy["after"]],
        ),
        check(
            "Section 5.3",
            "edges that can be added across it",
            "c-b, d-a",
            ", ".join("-".join(one) for one in toy["pairs"]),
        ),
        holds("Theorem 6", "Algorithm 1 has the value of our flow", [equal, len(everything)]),
        check("Algorithm 1", "random graphs with a wrong cut, the start flow at least f_max", 0, flows["as printed"]),
        *_program_equal(found["linear programs"]),
        holds("Lemma 2", "critical path x worst peak is at least the sum of outputs x work", [lemma, len(everything)]),
        check(
            "Section 3.2.2",
            "the emulation of shared data may exceed the true peak: chain of 4, outputs of size 1",
            "yes",
            "yes" if proved["chain"][0] > proved["chain"][1] else "no",
        ),
        check(
            "Theorem 1, proof",
            "s-a and b-t of size 3, a and b start together: peak of either order by starting time",
            [3, 3],
            proved["instant"],
            erratum=instant,
        ),
        check(
            "Theorem 1",
            "s-i-j-t, i-j of size 3, i has no work and starts with j: peak of a sequential schedule",
            0,
            proved["without work"],
            erratum=at_once,
        ),
        check(
            "Lemma 1",
            "largest peak of A1 - B1 - T, whose smallest cover has k = 1 set: n + m - k",
            covers["smallest"][0],
            covers["smallest"][1],
            erratum=completes,
        ),
        check(
            "Section 5.4",
            "whom the schedule is for",
            "min-levels",
            ", ".join(proved["follow the order"]),
            erratum=title,
        ),
        check("Section 5.3", "failures of respect-order, which never fails", 0, fewer),
    ]


def _program_equal(programs: Mapping[str, int]) -> list[Check]:
    if not programs["graphs"]:
        return []
    return [holds("Theorem 5", "the linear program has the same value", [programs["equal"], programs["graphs"]])]


def _proved_section(found: Mapping[str, Any]) -> Section:
    proved = found["what is proved"]
    flows, covers = proved["start flows"], proved["covers"]
    rows = [
        [
            "Algorithm 1",
            "a start flow that only meets the demands, not f_max",
            f"no cut of an execution on {flows['demands only']} of {flows['trials']:,} random graphs",
        ],
        ["Algorithm 1", "a start flow of at least f_max everywhere", f"wrong on {flows['as printed']}"],
        [
            "Lemma 1",
            "set covers, data until their last reader completes",
            f"n + m - k on {covers['printed']}, n + m - k + 1 on {covers['one more']} of {covers['trials']}",
        ],
        [
            "Section 3.2.2",
            "a chain of four, shared outputs of size 1",
            "{} emulated, {} in truth".format(*proved["chain"]),
        ],
        ["Theorem 1", "two tasks that start at one instant", "a peak of {} or of {}".format(*proved["instant"])],
        ["Section 5.4", "depends on the sequential schedule", ", ".join(proved["follow the order"])],
    ]
    text = (
        "Sections 3 to 5 hold, with the side conditions below. The emulation of shared data is an upper bound, as 004 "
        "says. That the start flow of Algorithm 1 carries f_max on every edge, and not just the demands, is needed."
    )
    table = Table("proved", "Side conditions, computed", ["where", "what", "what comes out"], rows)
    return Section("What is proved", [text, table])
