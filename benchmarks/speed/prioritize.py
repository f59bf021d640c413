"""``eligo prioritize`` beside ``eligo convert`` of the same file, start of the process included.

The goal is at most twice the time of convert (read, build, write), half a second for 48,013 jobs, 6 s and 2 GB for a
million, and growth no faster than n log n. Each command runs in a process of its own, in turn with the other; the best
of some runs counts.
"""

from __future__ import annotations

import compileall
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

import eligo
from benchmarks.measure import print_table
from benchmarks.speed import kernels
from eligo import generate, write
from eligo.dag import Dag

_RUN = "import sys; from eligo._cli import main; sys.exit(main(sys.argv[1:]))"


def shuffled(family: Callable[[np.random.Generator, int, int], kernels.Edges], n: int) -> Dag:
    """Return a random dag of n jobs and about 3 n edges, numbered in no useful order."""
    rng = np.random.default_rng(1)
    tails, heads = family(rng, n, 3 * n)
    place = rng.permutation(n)
    return Dag.from_edges([f"job{i}" for i in range(n)], place[tails], place[heads])


CASES: list[tuple[str, Callable[[], Dag]]] = [
    ("AIRSN", lambda: generate.airsn(250)),
    ("Inspiral-like", lambda: generate.inspiral(2_988)),
    ("Montage-like", lambda: generate.montage(7_881)),
    ("SDSS-like", lambda: generate.sdss(48_013)),
    ("SDSS-like", lambda: generate.sdss(1_000_000)),
    ("Montage-like", lambda: generate.montage(1_000_000)),
    ("layered", lambda: shuffled(kernels.layered, 1_000_000)),
    ("random", lambda: shuffled(kernels.uniform, 1_000_000)),
]

CURVE: list[tuple[str, Callable[[int], Dag]]] = [
    ("AIRSN", lambda n: generate.airsn((n - 23) // 3)),
    ("SDSS-like", generate.sdss),
    ("Montage-like", generate.montage),
    ("layered", lambda n: shuffled(kernels.layered, n)),
    ("random", lambda n: shuffled(kernels.uniform, n)),
]


def run(*words: str) -> tuple[float, int]:
    """Run one command; return the seconds it took and its peak of memory in bytes."""
    start = time.perf_counter()
    quiet = subprocess.DEVNULL
    process = subprocess.Popen([sys.executable, "-c", _RUN, *words], stdout=quiet, stderr=quiet)
    _, status, usage = os.wait4(process.pid, 0)
    spent = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"eligo {' '.join(words)} failed")
    return spent, usage.ru_maxrss * 1024


def measure(dag: Dag, folder: Path, repeats: int) -> tuple[float, float, int]:
    """Return the time of convert, that of prioritize, and the peak of memory of the latter."""
    source, out = folder / "in.dag", folder / "out.dag"
    write(dag, source)
    convert = ordering = float("inf")
    peak = 0
    for _ in range(repeats):
        convert = min(convert, run("convert", str(source), str(out))[0])
        spent, used = run("prioritize", str(source), "-o", str(out))
        ordering, peak = min(ordering, spent), max(peak, used)
    return convert, ordering, peak


def main(repeats: int = 5) -> None:
    # As an installed package has it; an editable one may have to compile its modules at every start.
    compileall.compile_dir(str(Path(eligo.__file__).parent), quiet=1)
    with tempfile.TemporaryDirectory() as folder:
        rows = []
        for name, make in CASES:
            dag = make()
            convert, ordering, peak = measure(dag, Path(folder), repeats)
            rows.append(
                [
                    f"{name}: {dag.n:,} jobs, {dag.m:,} edges",
                    f"{convert:.2f} s",
                    f"{ordering:.2f} s",
                    f"{ordering / convert:.2f}",
                    f"{peak / 2**20:,.0f} MiB",
                ]
            )
        header = ["workflow", "convert", "prioritize", "ratio", "peak memory"]
        print_table("eligo prioritize beside eligo convert (ratio at most 2)", header, rows)
        rows = []
        for name, family in CURVE:
            times = [
                measure(family(n), Path(folder), max(1, repeats // 2))[1] for n in (1_000, 10_000, 100_000, 1_000_000)
            ]
            growth = (times[-1] - times[0]) / (times[-2] - times[0])
            rows.append([name, *(f"{spent:.2f} s" for spent in times), f"{growth:.1f}"])
        header = ["family", "10^3", "10^4", "10^5", "10^6 jobs", "growth from 10^5"]
        print_table("Time of eligo prioritize (n log n grows 12 times from 10^5 to 10^6)", header, rows)


if __name__ == "__main__":
    main()
