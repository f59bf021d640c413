"""How long prioritising takes, file to file, and how much memory: section 3.6 of paper 002, twenty years later.

As the tool of 2006, ``eligo prioritize`` reads a DAGMan file and writes it again with priorities. It runs as a process
of its own; its peak of memory is what the operating system says of that process, the Python interpreter and numpy
included. Beside it stands what a process needs that only loads these two.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from eligo.errors import EligoError
from eligo.formats import write
from eligo_papers.chapter import Check, Section, Settings, Step, Table
from eligo_papers.prio.orders import statement
from eligo_papers.prio.workflows import Source, Workflow, dag_of

__all__ = ["measure_overhead", "overhead_section", "overhead_step"]

STRATEGIES = ("prio-2006", "prio", "best")
PRINTED = {"airsn": (1.0, 2), "inspiral": (16.0, 21), "montage": (8.0, 104), "sdss": (845.0, 1_300)}
"""Seconds and MB on a Pentium 4 of 3.4 GHz."""

_SET_PATH = "import sys; sys.path[:] = {path!r}; "
_RUN = "from eligo._cli import main; sys.exit(main(sys.argv[1:]))"
_LOAD = "import numpy"
# A process begins with the peak of the one that starts it, so a small one stands in between.
_BETWEEN = """
import resource, subprocess, sys, time
begin = time.perf_counter()
done = subprocess.run(sys.argv[1:], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
print(time.perf_counter() - begin, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, done.returncode)
"""


def measure_overhead(sources: Mapping[str, Source], strategies: Sequence[str], repeats: int) -> dict[str, Any]:
    """Prioritise DAGMan files in processes of their own; return seconds and bytes of each.

    Parameters
    ----------
    repeats
        How often each is done; the least time counts, since others on the machine only add to it.

    Returns
    -------
    dict
        For each workflow and strategy ``[seconds, bytes]``, and under ``python`` those of the bare interpreter with
        numpy.
    """
    found: dict[str, Any] = {"python": _best([_LOAD], repeats)}
    with tempfile.TemporaryDirectory(prefix="eligo-") as folder:
        for name, source in sources.items():
            before, after = Path(folder) / f"{name}.dag", Path(folder) / "out.dag"
            write(dag_of(source), before)
            found[name] = {
                strategy: _best([_RUN, "prioritize", str(before), "-o", str(after), "--strategy", strategy], repeats)
                for strategy in strategies
            }
    return found


def _best(words: Sequence[str], repeats: int) -> list[float]:
    """Return the least time and the largest peak of some runs."""
    runs = [_run(words) for _ in range(repeats)]
    return [min(spent for spent, _ in runs), max(peak for _, peak in runs)]


def _run(words: Sequence[str]) -> tuple[float, int]:
    """Run a program of Python with arguments; return the seconds it took and its peak of memory in bytes."""
    program, *arguments = words
    command = [sys.executable, "-c", _SET_PATH.format(path=sys.path) + program, *arguments]
    told = subprocess.run([sys.executable, "-S", "-c", _BETWEEN, *command], capture_output=True, text=True, check=True)
    spent, peak, status = told.stdout.split()
    if status != "0":
        raise EligoError(f"eligo {' '.join(arguments[:1])} failed while it was measured")
    return float(spent), int(peak) * (1 if sys.platform == "darwin" else 1024)  # there it is in bytes


def overhead_step(workflows: Sequence[Workflow], settings: Settings) -> Step:
    """Return the step that measures the generated workflows."""
    repeats = settings.pick(tiny=1, quick=3, full=5)
    strategies = settings.pick(tiny=STRATEGIES[:1], quick=STRATEGIES, full=STRATEGIES)
    sources = {one.name: one.source for one in workflows if one.figure}
    arguments = {"sources": sources, "strategies": list(strategies), "repeats": repeats}
    return Step("measure the overhead", measure_overhead, arguments, weight=5.0 * repeats, alone=True)


def overhead_section(found: Mapping[str, Any], workflows: Sequence[Workflow]) -> tuple[Section, list[Check]]:
    """Return what it takes beside what it took."""
    facts = found["measure the overhead"]
    bare_s, bare_bytes = facts["python"]
    rows, checks = [], []
    for one in workflows:
        if not one.figure:
            continue
        then_s, then_mb = PRINTED[one.name]
        cells = [f"{spent:.2f} s, {peak / 1e6:.0f} MB" for spent, peak in facts[one.name].values()]
        printed = f"{_seconds(one.title, then_s)}, at most {then_mb:,} MB"
        rows.append((one.title, printed, *cells))
        spent, peak = facts[one.name]["prio-2006"]
        checks += _checks(one.title, (then_s, then_mb), (spent, peak), bare_bytes)
    table = Table(
        "overhead",
        "Prioritising a DAGMan file, file to file: time and peak of memory",
        ("workflow", "2006, Pentium 4 of 3.4 GHz", *(f"here, {strategy}" for strategy in facts["airsn"])),
        rows,
        f"A process that does nothing but load Python and numpy takes {bare_s:.2f} s and {bare_bytes / 1e6:.0f} MB, "
        "which are in all figures here. The least time of some runs; the largest peak.",
    )
    return Section("Section 3.6: overhead", [table]), checks


def _seconds(title: str, then_s: float) -> str:
    return f"{'under ' if title == 'AIRSN' else ''}{then_s:g} s"


def _checks(title: str, then: tuple[float, int], here: tuple[float, float], bare_bytes: float) -> list[Check]:
    (then_s, then_mb), (spent, peak) = then, here
    return [
        statement(
            "Section 3.6",
            f"{title}: time of the tool, here no longer than it took in 2006",
            _seconds(title, then_s),
            f"{spent:.2f} s",
            holds=spent <= then_s,
            because="the machine was busy: what it takes to start a process varies",
        ),
        statement(
            "Section 3.6",
            f"{title}: memory of the tool",
            f"at most {then_mb:,} MB",
            f"{peak / 1e6:.0f} MB",
            holds=peak <= then_mb * 1e6,
            because=f"Python with numpy takes {bare_bytes / 1e6:.0f} MB of it, before anything is read",
        ),
    ]
