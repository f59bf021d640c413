"""What a page says first: the numbers are the right ones, claims are true, and commands can be pasted into a shell."""

from __future__ import annotations

import math
import re
import shlex
from functools import cache
from math import isnan
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import eligo
from eligo import generate
from eligo._cli import command_parser
from eligo.dag import Dag, Data
from eligo.memory._footprint import Footprint
from eligo.memory._limit import limit
from eligo.memory._models import footprint
from eligo.memory._sequential import sequential
from eligo.priority._prioritize import STRATEGIES
from eligo.report._page.findings import Again, Findings, Recorded, Wish, find
from eligo.report._page.page_text import Card, cards, what_it_is
from eligo.report._page.render import Step, next_steps
from eligo.simulation._ratios import Summary
from eligo.simulation._sweep_results import About, Point, Results
from eligo.trace import Trace
from tests.cli.limiting import chains
from tests.memory.footprints import random_footprint
from tests.reference import graphs
from tests.reference.ideals import best_profile, eligible, has_ic_optimal_schedule
from tests.reference.memory_states import least_peak, true_worst_peak
from tests.reference.plain_orders_twin import oldest, play
from tests.strategies import dags

BARE = dags(7, known=False)
SEEDS = st.integers(0, 2**32 - 1)

FORK = Dag.from_names([("a", "b"), ("a", "c")])

# Of two parts the first is worth more at once, the second more after two steps: no order is best at both::
#
#     a    c   d
#     |    |\\ //|
#     b    e f g h
TORN = Dag.from_names([("a", "b"), *((tail, head) for tail in "cd" for head in "efgh")])

# An order that fifo does not find::
#
#     a    c
#     |   / \
#     b  d   e
APART = Dag.from_edges(["a", "b", "c", "d", "e"], [0, 2, 2], [1, 3, 4])


def card(found: Findings, title: str) -> Card:
    matching = [one for one in cards(found) if one.title.startswith(title)]
    assert len(matching) == 1
    return matching[0]


def whole(text: str) -> int:
    return int(text.replace(",", ""))


def edges_of(dag: Dag) -> set[tuple[int, int]]:
    return set(zip(dag.tails.tolist(), dag.heads.tolist(), strict=True))


def area(dag: Dag, order: list[int]) -> int:
    """How many jobs are ELIGIBLE after each number of steps, all together."""
    ideal, total = 0, eligible(dag, 0, sources=True)
    for job in order:
        ideal |= 1 << job
        total += eligible(dag, ideal, sources=True)
    return total


def largest_area(dag: Dag) -> int:
    """The largest AREA of all orders, by trying all of them at once."""
    parents = [sum(1 << int(parent) for parent in dag.parents(job)) for job in range(dag.n)]

    @cache
    def rest(ideal: int) -> int:
        ways = [job for job in range(dag.n) if not ideal >> job & 1 and parents[job] & ~ideal == 0]
        return eligible(dag, ideal, sources=True) + max((rest(ideal | 1 << job) for job in ways), default=0)

    return rest(0)


# What it is.


@settings(max_examples=60)
@given(dags(8))
def test_what_it_is(dag: Dag) -> None:
    text = what_it_is(find(dag, Wish(), format="DOT"))
    if not dag.n:
        assert text == "DOT, a workflow without jobs: there is nothing to order."
        return
    edges = edges_of(dag)
    level = graphs.levels(dag.n, edges)
    rows, widest = max(level) + 1, max(level.count(row) for row in level)
    tasks = 0 if dag.count is None else int(dag.count.sum())
    several = "" if dag.count is None else f" that stand for {tasks} task{'s' * (tasks != 1)}"
    assert text.startswith(
        f"DOT, {dag.n} job{'s' * (dag.n != 1)}{several} and {len(edges)} "
        f"dependenc{'y' if len(edges) == 1 else 'ies'} in {rows} level{'s' * (rows != 1)}"
    )
    assert (f", the widest of {widest} job{'s' * (widest != 1)}. " in text) == (rows > 1)
    parts = len(set(graphs.components(dag.n, edges)))
    assert (f"It falls into {parts} parts" in text) == (parts > 1) == ("falls" in text)
    if dag.time_s is None:
        assert f"The longest chain has {rows} job{'s' * (rows != 1)}." in text
    else:
        time = [0.0 if isnan(t) else t for t in dag.time_s.tolist()]
        said = re.search(r"The longest chain takes ([\d,.e+-]+) s", text)
        assert said is not None
        longest = graphs.longest_path(dag.n, edges, time)
        assert float(said[1].replace(",", "")) == pytest.approx(longest, rel=1e-5, abs=0.5 if longest > 7200 else 1e-9)


def test_one_job() -> None:
    text = what_it_is(find(Dag.from_edges(1), Wish()))
    assert text == "1 job and 0 dependencies in 1 level. The longest chain has 1 job."
    two = what_it_is(find(Dag.from_edges(2, [0], [1], time_s=[1, 10_000]), Wish(), format="DAX"))
    assert two == (
        "DAX, 2 jobs and 1 dependency in 2 levels, the widest of 1 job. "
        "The longest chain takes 10,001 s (2.8 h) (2 jobs)."
    )


def test_a_limit_does_not_change_what_it_is() -> None:
    print_ = footprint(generate.mesh(3), "pebble")
    limited = limit(print_, 4)
    assert len(limited.tails)
    found = find(limited.dag, Wish(), plain=print_.dag, footprint=print_, limited=limited)
    assert what_it_is(found) == what_it_is(find(print_.dag, Wish()))


# Orders.


@settings(max_examples=80)
@given(BARE, st.sampled_from(STRATEGIES))
def test_areas_are_those_of_counting(dag: Dag, name: str) -> None:
    found = find(dag, Wish([name]))
    said, _, gap = card(found, "Order").sentences
    if not dag.n:
        assert said == "There are no jobs to order."
        return
    ours, fifo = area(dag, found.strategies[0].schedule.order.tolist()), area(dag, play(dag, oldest))
    assert f"On average {ours / (dag.n + 1):.1f} jobs are ELIGIBLE" in said
    if ours == fifo:
        assert said.endswith(f", just as many as first-in-first-out has (AREA {ours:,} both).")
    else:
        word = "more" if ours > fifo else "less"
        assert (
            f" instead of the {fifo / (dag.n + 1):.1f} of first-in-first-out: AREA {ours:,} against {fifo:,}, " in said
        )
        assert said.endswith(f"{100 * abs(ours - fifo) / fifo:.1f} % {word}.")
    best = largest_area(dag)
    if gap.startswith("Gap 0 %"):
        assert ours == best
    else:
        stated = re.fullmatch(r"Gap at most ([\d.]+) %: no order has an AREA above ([\d,]+)\.", gap)
        assert stated is not None
        assert ours < whole(stated[2])
        assert best <= whole(stated[2])
        assert float(stated[1]) == pytest.approx(100 * (1 - ours / whole(stated[2])), abs=0.06)


CLAIMS = {
    "ic-optimal": ("proved best", True, "No order keeps more jobs ELIGIBLE, at any step: it is IC-optimal."),
    "none-exists": ("no order is best throughout", None, "It is proved that no order is the best at every step."),
    "best-effort": ("not proved best", None, "Whether it is the best at every step is not proved."),
}


@settings(max_examples=80)
@given(BARE, st.sampled_from(["best", "random", "critical-path"]))
def test_claims_are_true(dag: Dag, name: str) -> None:
    """What is said to be proved holds by brute force."""
    found = find(dag, Wish([name]))
    order = card(found, "Order")
    verdict, good, claim = CLAIMS[found.best.claim]
    order_ = found.strategies[0].schedule.order.tolist()
    ideal, profile = 0, [eligible(dag, 0, sources=True)]
    for job in order_:
        ideal |= 1 << job
        profile.append(eligible(dag, ideal, sources=True))
    if sum(profile) < area(dag, play(dag, oldest)):
        verdict, good = "worse than first-in-first-out", False
    assert (order.verdict, order.good, order.sentences[1]) == (verdict, good, claim)
    if found.best.claim == "ic-optimal":
        assert profile == best_profile(dag, sources=True)
    elif found.best.claim == "none-exists":
        assert not has_ic_optimal_schedule(dag, sources=True)
    else:
        assert profile != best_profile(dag, sources=True)


def test_each_claim_comes_up() -> None:
    wanted = {claim: words[0] for claim, words in CLAIMS.items()}
    assert card(find(FORK, Wish()), "Order").verdict == wanted["ic-optimal"]
    assert not has_ic_optimal_schedule(TORN, sources=True)
    assert card(find(TORN, Wish()), "Order").verdict == wanted["none-exists"]
    worse = card(find(APART, Wish(["fifo"])), "Order")
    assert (worse.title, worse.verdict) == ("Order: fifo", wanted["best-effort"])
    assert card(find(APART, Wish()), "Order").title == "Order: best (prio)"


def test_what_else_is_said() -> None:
    found = find(FORK, Wish(), notes=["Outside: 1 FINAL."], order_note="The run goes by another order: yours.")
    assert what_it_is(found).endswith("The longest chain has 2 jobs. Outside: 1 FINAL.")
    assert card(found, "Order").sentences[3:] == ("The run goes by another order: yours.",)
    several = what_it_is(find(FORK.with_known(count=[1, 1, 10]), Wish()))
    assert several.startswith("3 jobs that stand for 12 tasks and 2 dependencies in 2 levels")


def test_a_gap_that_only_search_closes() -> None:
    """Where exact search finds no larger AREA than the order has, the gap is none, whatever is certified."""
    for seed in range(2000):
        found = find(random_footprint(seed, 8).dag, Wish())
        if found.best.gap and found.best.area_is_largest:
            text = card(found, "Order").sentences[2]
            assert re.fullmatch(r"Gap 0 %: exact search finds no larger AREA \(certified: at most [\d.]+ %\)\.", text)
            assert largest_area(found.dag) == found.best.schedule.area
            return
    pytest.fail("no such dag")


# Memory.


def pebbles(text: str) -> list[int]:
    return [whole(number) for number in re.findall(r"([\d,]+) pebbles?", text)]


@settings(max_examples=60)
@given(dags(6, known=False))
def test_memory_in_pebbles(dag: Dag) -> None:
    print_ = footprint(dag, "pebble")
    memory = card(find(dag, Wish(curve=0), footprint=print_), "Memory")
    worst = eligo.worst_peak(dag, "pebble")
    count = "1 pebble" if worst.bound == 1 else f"{worst.bound} pebbles"
    assert (memory.verdict, memory.good) == (f"at worst {count}", None)
    first, second = memory.sentences
    true = true_worst_peak(print_)
    assert pebbles(first)[0] == worst.bound >= true
    if first.endswith(", and some execution does."):
        assert true == worst.bound
    elif "the most that one really occupies is" in first:
        assert pebbles(first)[1] == true < worst.bound
    else:
        assert "one is known that occupies" in first
        assert pebbles(first)[1] <= true
    least = least_peak(print_)
    assert pebbles(second)[0] >= least
    if second.endswith(", and no order needs less."):
        assert pebbles(second)[0] == least


def limited_findings(print_: Footprint, share: float) -> Findings:
    lowest, worst = sequential(print_).peak, eligo.worst_peak(print_).bound
    limited = limit(print_, lowest + int(share * (worst - lowest)))
    return find(limited.dag, Wish(curve=0), path="x.dag", plain=print_.dag, footprint=print_, limited=limited)


@settings(max_examples=60)
@given(dags(6, known=False), st.floats(0, 1))
def test_limits_in_pebbles(dag: Dag, share: float) -> None:
    print_ = footprint(dag, "pebble")
    found = limited_findings(print_, share)
    memory = card(found, "Memory")
    assert found.memory is not None
    assert found.memory.limited is not None
    worst, before = eligo.worst_peak(found.memory.footprint).bound, eligo.worst_peak(print_).bound
    most = found.memory.limited.limit
    assert memory.good is True
    assert pebbles(memory.verdict) == [worst, most]
    kept, cost = memory.sentences
    added = len(edges_of(found.dag) - edges_of(dag))
    assert kept.startswith(
        f"With {added} added dependenc{'y' if added == 1 else 'ies'} no execution can occupy more than"
    )
    assert pebbles(kept) == [worst, most, before]
    long = [int(graphs.longest_path(dag.n, edges_of(one), [1.0] * dag.n)) for one in (found.dag, dag)]
    said = re.match(
        r"The longest chain becomes (\d+) jobs? instead of (\d+) jobs? \((\S+) %\), by method (\S+)\.$", cost
    )
    assert said is not None
    assert [int(said[1]), int(said[2])] == long
    assert float(said[3]) == pytest.approx(100 * (long[0] / long[1] - 1) if long[1] else 0, abs=0.051)
    assert said[4] == found.memory.limited.method


def test_limits_in_bytes_and_seconds() -> None:
    """Two chains that pass 5 and 7 kB within 7 kB: one after the other, the longer way takes 4 s::

    a (1 s) > b (1 s)      c (1 s) > d (1 s)
    """
    dag = Dag.from_names([("a", "b"), ("c", "d")], time_s=[1, 1, 1, 1])
    data = Data.per_edge(dag.tails, dag.heads, [5_000, 7_000])
    print_ = footprint(dag.with_known(data=data), "classical", "disk")
    disk = card(limited_findings(print_, 0), "Disk")
    assert disk.verdict == "at most 7 kB of 7 kB"
    assert disk.sentences == (
        "With 1 added dependency no execution can occupy more than 7 kB: the limit of 7 kB is always kept. Before it "
        "could have been 12 kB.",
        "The longest chain becomes 4 s instead of 2 s (+100.0 %), by method schedule.",
        "Assumed: a file is deleted as soon as its last reader has ended.",
    )


def test_what_is_assumed_is_said() -> None:
    dag = Dag.from_edges(2, [0], [1]).with_known(memory_bytes=[7, -1])
    memory = card(find(dag, Wish(curve=0), footprint=footprint(dag)), "Memory")
    assert memory.sentences[-1] == (
        "Assumed: what jobs state to use while they run is counted, not files; 1 job states no memory: taken as 0."
    )


def test_without_sizes() -> None:
    assert card(find(FORK, Wish()), "Memory") == Card("Memory", "not known", None, ())
    told = card(find(FORK, Wish(), without_memory="Give sizes."), "Memory")
    assert told == Card("Memory", "not known", None, ("Give sizes.",))


# Simulations and runs.


def sweep(*points: tuple[float, float, dict[str, tuple[float, float]]]) -> Results:
    """Points of a sweep: interarrival, batch, and the median and upper end of each ratio; the lower end is half."""
    made = tuple(
        Point(
            wait, batch, {}, {of: {"execution_time": Summary(m, m, 0, m / 2, high)} for of, (m, high) in ratios.items()}
        )
        for wait, batch, ratios in points
    )
    return Results(About("x.dag", "{}", "", 40, 3, 7, False, "fifo", "1"), made)


def simulated(*points: tuple[float, float, dict[str, tuple[float, float]]]) -> Card:
    return card(find(FORK, Wish(), simulation=sweep(*points)), "Simulation")


RATIOS = st.floats(0.01, 3).map(lambda value: round(value, 4))


@settings(max_examples=50)
@given(st.lists(st.tuples(RATIOS, RATIOS), min_size=1, max_size=6))
def test_the_best_point_of_a_sweep(values: list[tuple[float, float]]) -> None:
    points = [(1.0 + i, 10.0 + i, {"prio/fifo": (low, low + more)}) for i, (low, more) in enumerate(values)]
    told = simulated(*points)
    clear = [(low, i) for i, (low, more) in enumerate(values) if low + more < 1]
    ratio, at = min(clear or [(low, i) for i, (low, _) in enumerate(values)])
    word = "gains most" if ratio < 1 else "comes closest"
    assert told.sentences[0] == (
        f"prio/fifo {word} with batches of about {10 + at} every {1 + at} mean job times: it takes "
        f"{100 * ratio:.3g} % of the time (ratios from {ratio / 2:.3g} to {ratio + values[at][1]:.3g})."
    )
    count = f"{len(values)} grid{'s' * (len(values) != 1)}"
    assert told.sentences[1] == (f"On {len(clear)} of {count} the whole interval of a ratio lies below 1.")
    assert told.sentences[2] == "40 samples of 3 runs each, seed 7."
    assert told.good is (True if clear else None)
    assert told.verdict == (f"up to {100 * (1 - ratio):.1f} % sooner" if clear else "no gain beyond the intervals")


def test_the_pair_that_gains_most_is_named() -> None:
    """Clear gains go before larger ones that may be none; a grid counts once whatever its pairs."""
    told = simulated(
        (1, 16, {"prio/fifo": (0.9, 0.95), "area/fifo": (0.8, 0.9)}),
        (2, 4, {"prio/fifo": (0.85, 0.9), "area/fifo": (0.7, 1.1)}),
    )
    assert told.sentences[0].startswith("area/fifo gains most with batches of about 16 every 1 ")
    assert told.sentences[1].startswith("On 2 of 2 grids the whole interval")
    assert told.verdict == "up to 20.0 % sooner"


def test_a_sweep_without_ratios() -> None:
    nothing = (1.0, 2.0, {"a/b": (float("inf"), float("inf"))})
    assert simulated(nothing) == Card(
        "Simulation", "nothing to compare", None, ("1 grid, no finite ratio of execution times.",)
    )
    missing = Point(1, 2, {}, {"a/b": {"execution_time": None, "stalling": Summary(1, 1, 1, 1, 1)}})
    results = Results(sweep(nothing).about, (missing, missing))
    assert card(find(FORK, Wish(), simulation=results), "Simulation").sentences == (
        "2 grids, no finite ratio of execution times.",
    )


@pytest.mark.parametrize(
    ("status", "verdict", "good", "said"),
    [
        ([2, 2, 2], "every job succeeded", True, "3 of 3 jobs succeeded, 0 failed, on local."),
        ([2, 2, 3], "1 job failed", False, "2 of 3 jobs succeeded, 1 failed, on local."),
        ([2, 3, 3], "2 jobs failed", False, "1 of 3 jobs succeeded, 2 failed, on local."),
        ([2, 1, 0], "not over", None, "1 of 3 jobs succeeded, 0 failed, on local."),
    ],
)
def test_a_run(status: list[int], verdict: str, good: bool | None, said: str) -> None:
    trace = Trace.of(FORK, [10, 11, 11.5], [11, 13, 14], [0, 0, 1], measured=True)
    run = card(find(FORK, Wish(), recorded=Recorded(trace, status, "local")), "Run")
    assert (run.verdict, run.good) == (verdict, good)
    assert run.sentences[:2] == (said, "It took 4 s, 2 slots busy for 68.8 % of it.")  # 1 + 2 + 2.5 s of 2 times 4
    failed = [name for name, state in zip("abc", status, strict=True) if state == 3]
    assert run.sentences[2:] == ((f"Failed: {', '.join(failed)}.",) if failed else ())


def test_failures_are_named() -> None:
    dag = Dag.from_edges(["a\u202e", "b" * 99, "c", "d", "e"])
    trace = Trace.of(dag, [0] * 5, [1] * 5, measured=True)
    said = card(find(dag, Wish(), recorded=Recorded(trace, [3] * 5, "local")), "Run").sentences[-1]
    assert said == f"Failed: a\\u202e, {'b' * 19}…{'b' * 20}, c and 2 more."


def test_a_run_of_unknown_slots_or_of_nothing() -> None:
    nan = float("nan")
    unknown = Trace.of(FORK, [0, 1, 1], [1, 2, 2.0625], measured=True)
    assert (
        card(find(FORK, Wish(), recorded=Recorded(unknown, [2, 2, 2], "slurm")), "Run").sentences[1]
        == "It took 2.062 s."
    )
    nothing = Trace.of(FORK, [nan] * 3, [nan] * 3, measured=True)
    told = card(find(FORK, Wish(), recorded=Recorded(nothing, [0, 0, 0], "slurm")), "Run")
    assert told == Card("Run", "not over", None, ("0 of 3 jobs succeeded, 0 failed, on slurm.",))


def test_the_order_of_the_cards() -> None:
    trace = Trace.of(FORK, [0, 1, 1], [1, 2, 2], measured=True)
    found = find(FORK, Wish(), simulation=sweep((1, 2, {"a/b": (1, 1)})), recorded=Recorded(trace, [2] * 3, "local"))
    assert [one.title for one in cards(found)] == ["Order: best (prio)", "Memory", "Simulation", "Run"]
    assert [one.title for one in cards(find(FORK, Wish()))] == ["Order: best (prio)", "Memory"]


# What to do next.


def parsed(step: Step) -> tuple[str, Any]:
    """Let eligo's own parser read a command, as a shell would hand it over."""
    words = shlex.split(step.command)
    if words[-2:-1] == [">"]:
        words = words[:-2]
    program, command, *rest = words
    assert program == "eligo"
    return command, command_parser(command).parse_args(rest)


def all_steps(again: Again, **more: Any) -> list[Step]:
    """Every step there is: with and without a gain, sizes, a limit, a run that failed."""
    print_ = footprint(APART, "pebble")
    limited = limit(print_, 4)
    recorded = Recorded(Trace.of(APART, [0] * 5, [1] * 5, measured=True), [3] * 5, "local", f"eligo run {again.words}")
    curve = footprint(chains(), "pebble")
    return [
        *next_steps(find(FORK, Wish(), again=again, **more)),
        *next_steps(find(APART, Wish(), again=again, **more)),
        *next_steps(find(APART, Wish(["lifo"]), again=again, **more)),
        *next_steps(find(APART, Wish(), again=again, footprint=print_, recorded=recorded, **more)),
        *next_steps(find(curve.dag, Wish(), again=again, footprint=curve, **more)),
        *next_steps(find(limited.dag, Wish(), again=again, plain=APART, footprint=print_, limited=limited, **more)),
    ]


@pytest.mark.parametrize("writable", [True, False])
@pytest.mark.parametrize("runnable", [True, False])
def test_steps_are_commands(writable: bool, runnable: bool) -> None:
    """They name the file and how to read it; what counts goes along with a limit."""
    words = "'it'\"'\"'s my $HOME.dag' --from dagman --job-data 'my sizes.csv'"
    kinds = set()
    for step in all_steps(Again(words, " --model pebble", writable, runnable)):
        name, args = parsed(step)
        kinds.add(name)
        assert (args.file, args.source_format) == ("it's my $HOME.dag", "dagman")
        assert args.job_data == ("TABLE.csv" if name == "report" else "my sizes.csv")
        assert getattr(args, "model", None) == ("pebble" if getattr(args, "memory", None) else None)
        assert not getattr(args, "in_place", False) or writable
        if name == "run" and "Go on" not in step.text:
            assert (args.command is None) == runnable
    assert kinds == {"prioritize", "simulate", "run", "report"} | (set() if writable else {"limit"})


def test_a_run_that_is_not_over_goes_on_first() -> None:
    trace = Trace.of(FORK, [0, 1, 1], [1, 2, 2], measured=True)
    for status, wanted in (([2, 3, 0], True), ([2, 1, 2], True), ([2, 2, 2], False)):
        first = next_steps(find(FORK, Wish(), recorded=Recorded(trace, status, "local", "eligo run --resume x")))[0]
        assert (first.command == "eligo run --resume x") == wanted
    unknown = next_steps(find(FORK, Wish(), recorded=Recorded(trace, [3, 0, 0], "local")))
    assert all(step.command for step in unknown)


def test_steps_fit_what_was_found() -> None:
    """To write an order that gains, to limit, to simulate, to run; what was done already is not advised."""
    print_ = footprint(APART, "pebble")
    trace = Trace.of(APART, [0, 1, 0, 1, 1], [1, 2, 1, 2, 2], measured=True)

    def commands(dag: Dag, *names: str, **more: Any) -> list[str]:
        steps = next_steps(find(dag, Wish(names or ("best", "fifo")), again=Again("x.dag"), **more))
        return [step.command for step in steps]

    sizes = "eligo report x.dag --job-data TABLE.csv -o report.html"
    order, simulate = "eligo prioritize x.dag --in-place --backup", "eligo simulate x.dag"
    run = "eligo run x.dag --watch 0"
    assert commands(FORK) == [simulate, sizes, run]
    assert commands(APART) == [order, sizes, simulate, run]
    assert commands(APART, "fifo") == ["eligo prioritize x.dag", sizes, run]
    assert commands(APART, footprint=print_) == [order, simulate, run]  # no limit comes cheap
    done = {"simulation": sweep((1, 2, {"a/b": (1, 1)})), "recorded": Recorded(trace, [2] * 5, "local")}
    assert commands(APART, footprint=print_, **done) == [order]
    assert commands(Dag.from_edges(0)) == []


@pytest.mark.parametrize(
    ("names", "resource", "deletes"), [(["f"], "disk", True), (["f"], "memory", False), (None, "disk", False)]
)
def test_a_run_within_a_limit_on_disk_deletes(names: list[str] | None, resource: str, deletes: bool) -> None:
    data = Data.build([5], [0], [[1, 2]], names)
    print_ = footprint(FORK.with_known(data=data), resource=resource)
    limited = limit(print_, 5)
    found = find(limited.dag, Wish(), again=Again("x.yml"), plain=print_.dag, footprint=print_, limited=limited)
    (run,) = [step.command for step in next_steps(found) if step.command.startswith("eligo run")]
    assert ("--delete-intermediate" in run) == deletes


@settings(max_examples=40)
@given(SEEDS)
def test_limits_that_are_advised_can_be_kept(seed: int) -> None:
    print_ = random_footprint(seed, 7)
    for step in next_steps(find(print_.dag, Wish(curve=3), footprint=print_)):
        if " --memory " in step.command and step.command.startswith("eligo prioritize"):
            args = parsed(step)[1]
            most = args.memory.amount(print_)
            assert most < eligo.worst_peak(print_).bound
            kept = limit(print_, most)
            assert kept.critical_path_after <= 1.05 * kept.critical_path_before
            assert args.in_place
            assert args.backup


def test_a_limit_goes_along() -> None:
    print_ = footprint(generate.mesh(3), "pebble")
    found = limited_findings(print_, 0)
    assert found.memory is not None
    assert found.memory.limited is not None
    steps = {name: args for name, args in map(parsed, next_steps(found)) if name != "simulate"}
    assert set(steps) == {"prioritize", "run"}
    for args in steps.values():
        assert args.memory.amount(print_) == found.memory.limited.limit


def test_the_order_that_is_written_is_the_one_shown() -> None:
    steps = dict(map(parsed, next_steps(find(APART, Wish(["area", "fifo"])))))
    assert steps["prioritize"].strategy == "area"


def test_a_random_order_is_written_with_its_seed() -> None:
    orders = {seed: find(APART, Wish(["random"], seed=seed), again=Again("x.dag", seed=seed)) for seed in range(1, 30)}
    seed = next(seed for seed, found in orders.items() if found.best.schedule.area > found.best.fifo.area)
    steps = dict(map(parsed, next_steps(orders[seed])))
    assert (steps["prioritize"].strategy, steps["prioritize"].seed) == ("random", seed)


def test_priorities_that_the_file_has_are_replaced() -> None:
    first = next_steps(find(APART, Wish(), again=Again("x.dag", kept=2)))[0]
    assert first.text == (
        "Write this order into the workflow, in place of 2 priorities that it has, so that the engine you have "
        "follows it:"
    )
    assert first.command == "eligo prioritize x.dag --replace --in-place --backup"
    parsed(first)


def test_a_run_that_goes_on() -> None:
    """It is not told how to be gone on with, and has not taken its time yet."""
    trace = Trace.of(FORK, [0, 1, math.nan], [1, math.nan, math.nan], measured=True)
    recorded = Recorded(trace, [2, 1, 0], "local", "eligo run --resume x", goes_on=True)
    found = find(FORK, Wish(), recorded=recorded)
    assert "So far it took 1 s." in card(found, "Run").sentences
    assert not any("--resume" in step.command for step in next_steps(found))


def test_why_jobs_failed() -> None:
    trace = Trace.of(FORK, [0, math.nan, math.nan], [1, math.nan, math.nan], measured=True)
    recorded = Recorded(trace, [3, 0, 0], "local", reasons={0: "ended with status 1"})
    assert "Failed: a (ended with status 1)." in card(find(FORK, Wish(), recorded=recorded), "Run").sentences


def test_a_table_of_another_workflow_is_no_good_news() -> None:
    results = sweep((1, 2, {"a/b": (0.5, 0.6)}))
    good = card(find(FORK, Wish(), simulation=results), "Simulation")
    other = card(find(FORK, Wish(), simulation=results, simulation_note="Of another."), "Simulation")
    assert good.good
    assert other.good is None
    assert other.sentences == ("Of another.", *good.sentences)
