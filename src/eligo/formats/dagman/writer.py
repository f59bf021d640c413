"""Writes any dag as a DAG file that DAGMan runs as it is.

All jobs share one submit description inside the file, which sleeps for the job's time; who has real work replaces it.
What is known of a job goes into its VARS, from where it is read again. The children of a parent go on one line, so that
no join node comes into being.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from eligo.dag import UNKNOWN, Dag
from eligo.formats.base import Notes
from eligo.formats.dagman.names import legal_names

__all__ = ["links", "write_lines"]

_DESCRIPTION = "eligo"
_HEADER = f"""\
# Written by eligo. Every job sleeps for its time_s; to run real work, replace the description below, or the word
# {_DESCRIPTION} in each JOB line by a submit file.
SUBMIT-DESCRIPTION {_DESCRIPTION} {{
    executable = /bin/sleep
    arguments = $(time_s:1)
    transfer_executable = false
    should_transfer_files = no
}}
"""


def write_lines(dag: Dag, lost: Notes) -> Iterator[str]:
    """Yield the lines of a DAG file."""
    names = legal_names(dag.names)
    changed = [(old, new) for old, new in zip(dag.names, names, strict=True) if old != new]
    if changed:
        old, new = changed[0]
        more = f"; {len(changed) - 1:,} more names were changed" if len(changed) > 1 else ""
        lost.say(f"DAGMan does not take the name {old!r}: the job is called {new!r}{more}")
    if dag.data is not None and dag.data.k:
        lost.say("DAGMan has no place for data files and their sizes")
    if dag.count is not None:
        lost.say("DAGMan has no place for how many tasks a job stands for")
    yield _HEADER
    yield from (f"JOB {name} {_DESCRIPTION}\n" for name in names)
    yield from _vars(dag, names)
    yield from links(dag, names)


def _vars(dag: Dag, names: Sequence[str]) -> Iterator[str]:
    times = None if dag.time_s is None else dag.time_s.tolist()
    memory = None if dag.memory_bytes is None else dag.memory_bytes.tolist()
    temp = None if dag.temp_bytes is None else dag.temp_bytes.tolist()
    if times is memory is temp is None:
        return
    for i, name in enumerate(names):
        known = []
        if times is not None and not math.isnan(times[i]):
            known.append(f'time_s="{times[i]!r}"')
        if memory is not None and memory[i] != UNKNOWN:
            known.append(f'memory_bytes="{memory[i]}" request_memory="{-(-memory[i] // 1024)}K"')
        if temp is not None and temp[i] != UNKNOWN:
            known.append(f'temp_bytes="{temp[i]}" request_disk="{-(-temp[i] // 1024)}K"')
        if known:
            yield f"VARS {name} {' '.join(known)}\n"


def links(dag: Dag, names: Sequence[str]) -> Iterator[str]:
    """Yield a PARENT line for each job with children."""
    bounds, children = dag.succ_ptr.tolist(), dag.succ.tolist()
    for job, name in enumerate(names):
        if bounds[job] < bounds[job + 1]:
            row = " ".join([names[child] for child in children[bounds[job] : bounds[job + 1]]])
            yield f"PARENT {name} CHILD {row}\n"
