"""Reading a DAGMan file of a million jobs and three million edges, beside a bare loop that reads and splits its lines.

The goal is at most three times the loop, Dag included, and under 1.5 GB. Each file is read in a process of its own, so
that the peak of memory is that of reading it.
"""

from __future__ import annotations

import random
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from benchmarks.measure import print_table

Lines = Iterator[str]

_MEASURE = """
import resource, sys
from benchmarks.measure import best_times
from eligo.formats import open_document

def bare():
    for line in open(sys.argv[1]):
        line.split()

loop, ours = best_times([bare, lambda: open_document(sys.argv[1])])
print(loop, ours, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def _parents(rng: random.Random, job: int) -> list[int]:
    return [rng.randrange(max(0, job - 1000), job) for _ in range(3)]


def plain(n: int, rng: random.Random) -> Lines:
    """One edge a line, the form that most tools write."""
    yield from (f"JOB job{i} job.sub\n" for i in range(n))
    for i in range(1, n):
        yield from (f"PARENT job{parent} CHILD job{i}\n" for parent in _parents(rng, i))


def grouped(n: int, rng: random.Random) -> Lines:
    """The parents of a job on one line."""
    yield from (f"JOB job{i} job.sub\n" for i in range(n))
    for i in range(1, n):
        yield f"PARENT {' '.join(f'job{parent}' for parent in _parents(rng, i))} CHILD job{i}\n"


def marked(n: int, rng: random.Random) -> Lines:
    """Four lines about each job."""
    for i in range(n):
        yield f'JOB job{i} job.sub\nVARS job{i} time_s="{i % 97}" name="job{i}"\nRETRY job{i} 3\n'
        yield f"PRIORITY job{i} {i % 1000}\nCATEGORY job{i} category{i % 7}\n"
    for i in range(1, n):
        yield from (f"PARENT job{parent} CHILD job{i}\n" for parent in _parents(rng, i))


def shuffled(n: int, rng: random.Random) -> Lines:
    """Names and edges in random order, which caches like least."""
    place = list(range(n))
    rng.shuffle(place)
    yield from (f"JOB job{i} job.sub\n" for i in place)
    edges = [(place[parent], place[i]) for i in range(1, n) for parent in _parents(rng, i)]
    rng.shuffle(edges)
    yield from (f"PARENT job{parent} CHILD job{child}\n" for parent, child in edges)


def own_files(n: int, rng: random.Random) -> Lines:
    """A submit file for each job, as Pegasus plans them; none of them is there."""
    yield from (f"JOB task_ID{i:07} 00/{i // 10_000:02X}/task_ID{i:07}.sub\n" for i in range(n))
    for i in range(1, n):
        yield from (f"PARENT task_ID{parent:07} CHILD task_ID{i:07}\n" for parent in _parents(rng, i))


CASES: dict[str, Callable[[int, random.Random], Lines]] = {
    "one edge a line": plain,
    "parents on one line": grouped,
    "VARS, RETRY, PRIORITY, CATEGORY": marked,
    "in random order": shuffled,
    "a submit file each": own_files,
}


def main(n: int = 1_000_000) -> None:
    rows = []
    for name, lines in CASES.items():
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "large.dag")
            with file.open("w") as stream:
                stream.writelines(lines(n, random.Random(1)))
            command = [sys.executable, "-c", _MEASURE, str(file)]
            loop, ours, peak = map(float, subprocess.run(command, capture_output=True, check=True).stdout.split())
            size = file.stat().st_size / 1e6
        rows.append(
            [name, f"{size:.0f} MB", f"{loop:.2f} s", f"{ours:.2f} s", f"{ours / loop:.2f}", f"{peak / 2**10:.0f} MiB"]
        )
    print_table(
        f"Reading a DAGMan file of {n:,} jobs and {3 * n:,} edges (ratio at most 3, peak under 1,500 MB)",
        ["lines", "file", "bare loop", "read", "ratio", "peak memory"],
        rows,
    )


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
