"""What each figure of a page shows, in words.

Every number that a figure shows and that matters stands in a sentence too, for those who cannot see it, print it, or
have no time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from eligo.report.page.findings import Findings, MemoryFound, Strategy
from eligo.report.page.sentences import size_text
from eligo.words import growth, length, named, per_cent, plural, printable, short

if TYPE_CHECKING:
    from eligo.simulation.results import Results

__all__ = ["captions"]

_MOST_JOBS = 3
_FEW_SAMPLES = 40  # below, no values are left out at the ends of an interval


def captions(found: Findings) -> dict[str, str]:
    """Return what each figure shows, by the name of the figure.

    Examples
    --------
    >>> from eligo.dag import Dag
    >>> from eligo.report.page.findings import Wish, find
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
