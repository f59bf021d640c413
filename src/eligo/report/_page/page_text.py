"""What a page says first: what the workflow is and what was found, in sentences with the numbers.

Names of files and jobs are untrusted: whoever puts these sentences into a page escapes them.

What each figure of a page shows, in words.

Every number that a figure shows and that matters stands in a sentence too, for those who cannot see it, print it, or
have no time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from eligo import graph
from eligo._humanize import amount, growth, length, named, per_cent, plural, printable, short
from eligo.memory._models import JOBS_ALONE
from eligo.report._page.findings import Findings, MemoryFound, Recorded, Strategy

if TYPE_CHECKING:
    from eligo.simulation._sweep_results import Results

__all__ = [
    "Card",
    "captions",
    "cards",
    "size_text",
    "what_it_is",
]

_MOST_FAILED = 3
_LONGEST_REASON = 200


class Card(NamedTuple):
    """A finding: what it is about, in a word how it came out, and sentences with the numbers."""

    title: str
    verdict: str
    good: bool | None
    sentences: tuple[str, ...]


def what_it_is(found: Findings) -> str:
    """Return in a sentence what kind of workflow this is.

    Examples
    --------
    >>> from eligo.dag import Dag
    >>> from eligo.report._page.findings import Wish, find
    >>> what_it_is(find(Dag.from_names([("a", "b"), ("a", "c")]), Wish(), format="DOT"))
    'DOT, 3 jobs and 2 dependencies in 2 levels, the widest of 2 jobs. The longest chain has 2 jobs.'
    """
    dag = found.plain
    kind = f"{found.format}, " if found.format else ""
    if dag.n == 0:
        return f"{kind}a workflow without jobs: there is nothing to order."
    levels = int(graph.levels(dag).max()) + 1
    path = graph.critical_path(dag)
    chain = plural(len(path.jobs), "job")
    long = f"takes {length(path.length, True)} ({chain})" if path.in_seconds else f"has {chain}"
    parts = int(graph.components(dag).max()) + 1
    apart = f" It falls into {parts:,} parts that do not depend on each other." if parts > 1 else ""
    widest = "" if levels == 1 else f", the widest of {plural(graph.width(dag), 'job')}"
    tasks = "" if dag.count is None else f" that stand for {plural(int(dag.count.sum()), 'task')}"
    said = (
        f"{kind}{plural(dag.n, 'job')}{tasks} and {plural(dag.m, 'dependency')} in {plural(levels, 'level')}{widest}. "
        f"The longest chain {long}.{apart}"
    )
    return " ".join([said, *found.notes])


def cards(found: Findings) -> list[Card]:
    """Return what was found, the most important first."""
    found_cards = [_order_card(found), _memory_card(found)]
    if found.simulation is not None:
        found_cards.append(_simulation_card(found))
    if found.recorded is not None:
        found_cards.append(_run_card(found))
    return found_cards


def _order_card(found: Findings) -> Card:
    best = found.best
    verdict, good, claim = {
        "ic-optimal": ("proved best", True, "No order keeps more jobs ELIGIBLE, at any step: it is IC-optimal."),
        "none-exists": ("no order is best throughout", None, "It is proved that no order is the best at every step."),
        "best-effort": ("not proved best", None, "Whether it is the best at every step is not proved."),
    }[best.claim]
    if best.schedule.area < best.fifo.area:
        verdict, good = "worse than first-in-first-out", False
    sentences = (_area(found), claim, _gap(found), *([found.order_note] if found.order_note else []))
    return Card(f"Order: {found.strategies[0].label}", verdict, good, sentences)


def _area(found: Findings) -> str:
    best, steps = found.best, found.dag.n + 1
    ours, fifo = best.schedule.area, best.fifo.area
    if not fifo:
        return "There are no jobs to order."
    ready = f"On average {ours / steps:,.1f} jobs are ELIGIBLE"
    if ours == fifo:
        return f"{ready}, just as many as first-in-first-out has (AREA {ours:,} both)."
    more = f"{per_cent(abs(ours - fifo) / fifo)} {'more' if ours > fifo else 'less'}"
    return f"{ready} instead of the {fifo / steps:,.1f} of first-in-first-out: AREA {ours:,} against {fifo:,}, {more}."


def _gap(found: Findings) -> str:
    best = found.best
    if not best.gap:
        return "Gap 0 %: no order has a larger AREA."
    if best.area_is_largest:
        return f"Gap 0 %: exact search finds no larger AREA (certified: at most {per_cent(best.gap)})."
    return f"Gap at most {per_cent(best.gap)}: no order has an AREA above {best.area_bound:,}."


def _memory_card(found: Findings) -> Card:
    if found.memory is None:
        return Card("Memory", "not known", None, (found.without_memory,) if found.without_memory else ())
    memory = found.memory
    what = memory.footprint.rules.resource
    title = "Disk" if what == "disk" else "Memory"
    if memory.limited is None:
        verdict = f"at worst {size_text(memory, memory.analysis.worst.bound)}"
        added = int(found.added.sum())
        ours = (f"That is with {plural(added, 'dependency')} that eligo limit added to the file.",) if added else ()
        return Card(title, verdict, None, (_worst(memory), *ours, _alone(memory), *_counted(memory)))
    limited = memory.limited
    worst, limit = size_text(memory, limited.worst.bound), size_text(memory, limited.limit)
    kept = (
        f"With {plural(len(limited.tails), 'added dependency')} no execution can occupy more than {worst}: the limit "
        f"of {limit} is always kept. Before it could have been {size_text(memory, memory.before.worst.bound)}."
    )
    seconds = found.dag.time_s is not None
    cost = (
        f"The longest chain becomes {length(limited.critical_path_after, seconds)} instead of "
        f"{length(limited.critical_path_before, seconds)} "
        f"({growth(limited.critical_path_before, limited.critical_path_after)}), by method {limited.method}."
    )
    return Card(title, f"at most {worst} of {limit}", True, (kept, cost, *_counted(memory)))


def _worst(memory: MemoryFound) -> str:
    worst = memory.analysis.worst
    bound = f"No execution, on any workers, can occupy more than {size_text(memory, worst.bound)}"
    if worst.exact:
        return f"{bound}, and some execution does."
    found = "the most that one really occupies is" if worst.is_true else "one is known that occupies"
    return f"{bound}; {found} {size_text(memory, worst.attained)}."


def _alone(memory: MemoryFound) -> str:
    lowest, least = memory.analysis.lowest, memory.analysis.least
    proved = ", and no order needs less" if lowest.proved or lowest.peak == least.value else ""
    return f"One job at a time needs {size_text(memory, lowest.peak)} in the best order found{proved}."


def _counted(memory: MemoryFound) -> tuple[str, ...]:
    footprint = memory.footprint
    told = [*footprint.premises, *footprint.doubts]
    if JOBS_ALONE in footprint.premises:
        told.remove(JOBS_ALONE)
        told.insert(0, "what jobs state to use while they run is counted, not files")
    return (f"Assumed: {'; '.join(told)}.",) if told else ()


def _simulation_card(found: Findings) -> Card:
    results = found.simulation
    assert results is not None
    about, title, grids = results.about, "Simulation", plural(len(results.points), "grid")
    rows = [
        (summary, point, of)
        for point in results.points
        for of, by_metric in point.ratios.items()
        if (summary := by_metric.get("execution_time")) is not None and np.isfinite(summary.median)
    ]
    if not rows:
        return Card(title, "nothing to compare", None, (f"{grids}, no finite ratio of execution times.",))
    clear = [row for row in rows if row[0].high < 1]
    summary, point, of = min(clear or rows, key=lambda row: row[0].median)
    word = "gains most" if summary.median < 1 else "comes closest"
    best = (
        f"{of} {word} with batches of about {point.batch:g} every {point.interarrival:g} mean job times: it takes "
        f"{100 * summary.median:.3g} % of the time (ratios from {summary.low:.3g} to {summary.high:.3g})."
    )
    on = len({(point.interarrival, point.batch) for _, point, _ in clear})
    below = f"On {on:,} of {grids} the whole interval of a ratio lies below 1."
    runs = f"{plural(about.samples, 'sample')} of {plural(about.runs, 'run')} each, seed {about.seed}."
    verdict = f"up to {per_cent(1 - summary.median)} sooner" if clear else "no gain beyond the intervals"
    note = (found.simulation_note,) if found.simulation_note else ()
    return Card(title, verdict, True if clear and not note else None, (*note, best, below, runs))


def _run_card(found: Findings) -> Card:
    recorded = found.recorded
    assert recorded is not None
    trace, n = recorded.trace, found.dag.n
    done = sum(status == 2 for status in recorded.status)
    failed = sum(status == 3 for status in recorded.status)
    said = [f"{done:,} of {plural(n, 'job')} succeeded, {failed:,} failed, on {recorded.engine}."]
    if len(trace.order):
        busy = trace.utilization
        use = "" if np.isnan(busy) else f", {plural(trace.workers, 'slot')} busy for {per_cent(min(busy, 1.0))} of it"
        took = "So far it took" if recorded.goes_on else "It took"
        said.append(f"{took} {length(round(trace.makespan_s, 3), True)}{use}.")
    names = [_failure(found, recorded, job) for job, status in enumerate(recorded.status) if status == 3]
    if names:
        said.append(f"Failed: {named(names, len(names), _MOST_FAILED)}.")
    verdict = "every job succeeded" if done == n else f"{plural(failed, 'job')} failed" if failed else "not over"
    return Card("Run", verdict, done == n or (False if failed else None), tuple(said))


def _failure(found: Findings, recorded: Recorded, job: int) -> str:
    reason = recorded.reasons.get(job, "")
    return printable(short(found.dag.names[job])) + (f" ({printable(reason[:_LONGEST_REASON])})" if reason else "")


def size_text(memory: MemoryFound, value: int) -> str:
    """Return how much is occupied, in words."""
    return amount(value, memory.footprint.rules.unit)


_MOST_JOBS = 3
_FEW_SAMPLES = 40  # below, no values are left out at the ends of an interval


def captions(found: Findings) -> dict[str, str]:
    """Return what each figure shows, by the name of the figure.

    Examples
    --------
    >>> from eligo.dag import Dag
    >>> from eligo.report._page.findings import Wish, find
    >>> fork = Dag.from_names([("a", "b"), ("a", "c")])
    >>> print(captions(find(fork, Wish()))["profile"].partition("; ")[2])
    with fifo it is the same at every step. No order exceeds the bound.
    """
    texts = {"dag": _dag(found), "profile": _profile(found), "workers": _workers(found)}
    if found.memory is not None:
        texts["memory"] = _memory(found, found.memory)
        if len(found.memory.curve) > 1:
            texts["limits"] = _limits(found, found.memory)
    if found.simulation is not None:
        texts["simulation"] = _simulation(found.simulation)
    return texts


def _simulation(results: Results) -> str:
    span = "in which 95 % of the ratios lie" if results.about.samples >= _FEW_SAMPLES else "from least to largest"
    return (
        "For each mean time between batches of workers (sections) and each mean batch size (left to right) the median "
        f"of the ratio and the interval {span}. Below 1 the first strategy is faster, or stalls less; in utilization "
        "above 1 is better. A triangle at the edge tells that an interval goes on beyond."
    )


def _dag(found: Findings) -> str:
    text = "The jobs in rows, each below those it waits for."
    added = int(found.added.sum())
    if added:
        text += f" {plural(added, 'dependency')} of a limit: dashed and green."
    if found.memory is None:
        return text
    worst = found.memory.analysis.worst
    running = np.flatnonzero(worst.started & ~worst.ended)
    if not len(running):
        held = f"what is held when the worst peak of {size_text(found.memory, worst.attained)} is reached"
        return f"{text} A dot marks the jobs that made {held}." if len(worst.present) else text
    names = [printable(short(found.dag.names[job])) for job in running[:_MOST_JOBS].tolist()]
    some = f"{plural(len(running), 'job')} {'runs' if len(running) == 1 else 'run'} at once"
    return (
        f"{text} At the worst peak of {size_text(found.memory, worst.attained)} {some} "
        f"({named(names, len(running), _MOST_JOBS)}): a diamond marks them, a dot those whose data are held then."
    )


def _profile(found: Findings) -> str:
    first, *others = found.strategies
    text = f"{first.label} has at most {plural(int(first.schedule.profile.max()), 'job')} ELIGIBLE at once"
    return "; ".join([text, *(_compared(first, other) for other in others)]) + ". No order exceeds the bound."


def _compared(first: Strategy, other: Strategy) -> str:
    ahead = first.schedule.profile - other.schedule.profile
    if not ahead.any():
        return f"with {other.label} it is the same at every step"
    parts = []
    for word, by in (("ahead", ahead), ("behind", -ahead)):
        if (by > 0).any():
            most = f"by up to {plural(int(by.max()), 'job')} (after {int(by.argmax()):,})"
            parts.append(f"{word} at {int((by > 0).sum()):,} of {plural(len(by), 'step')}, {most}")
    return f"against {other.label} ({int(other.schedule.profile.max()):,} at most) it is {' and '.join(parts)}"


def _workers(found: Findings) -> str:
    seconds = found.timed
    rows = []
    for strategy in found.strategies:
        trace = strategy.trace
        if trace.makespan_s > 0:
            takes = length(trace.makespan_s, True) if seconds else _job_times(trace.makespan_s)
            busy = per_cent(min(trace.utilization, 1.0))
            rows.append(f"{strategy.label} takes {takes}, with workers busy for {busy} of it")
    known = "jobs take the times that are known" if seconds else "no times are known and each job takes 1"
    if found.untimed:
        known += f" ({plural(found.untimed, 'job')} without a time: the mean of the others)"
    return f"On {plural(found.workers, 'worker')}, where {known}: {'; '.join(rows)}." if rows else ""


def _job_times(value: float) -> str:
    return "1 job time" if value == 1 else f"{value:,.6g} job times"


def _memory(found: Findings, memory: MemoryFound) -> str:
    peaks = [f"{each.label} {size_text(memory, each.peak)}" for each in found.strategies if each.peak is not None]
    worst = size_text(memory, memory.analysis.worst.bound)
    limit = "" if memory.limited is None else f"; the limit is {size_text(memory, memory.limited.limit)}"
    return f"One job at a time, the peaks are: {', '.join(peaks)}. No execution exceeds {worst}{limit}."


def _limits(found: Findings, memory: MemoryFound) -> str:
    seconds = found.dag.time_s is not None
    first, last = memory.curve[0], memory.curve[-1]
    return (
        f"A limit of {size_text(memory, first.limit)} makes the longest chain {length(first.critical_path, seconds)} "
        f"({growth(last.critical_path, first.critical_path)}); with the worst peak of {size_text(memory, last.limit)} "
        f"as the limit it stays {length(last.critical_path, seconds)}."
    )
