"""What makes DAGMan hold jobs back, which defeats priorities that only the queue knows.

VARS reach a job when it is submitted. A throttle keeps jobs in DAGMan until others have left the queue, and DAGMan
picks the next one by its own order: that of PRIORITY lines, or of the file where there are none.
"""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

from eligo.formats.dagman.details import Details
from eligo.formats.dagman.keywords import Keyword
from eligo.formats.dagman.unit import MarkRun, directory_of, join_directory

__all__ = ["DEFAULT_MAX_IDLE", "throttles"]

DEFAULT_MAX_IDLE = 1000
"""How many idle jobs DAGMan allows in the queue unless it is told otherwise."""

_LIMIT = re.compile(r"[ \t]*(DAGMAN_MAX_JOBS_(?:IDLE|SUBMITTED))[ \t]*=[ \t]*([0-9]+)", re.IGNORECASE)
_REMEDY = "which VARS do not order; PRIORITY lines do (--style priority)"


def throttles(details: Details) -> list[str]:
    r"""Return a sentence for each throttle that a DAG has, or that its size meets.

    Examples
    --------
    >>> from eligo.formats.dagman import parse
    >>> from eligo.formats.storage import Source
    >>> throttles(parse(Source("x.dag", b"JOB a a.sub\nCATEGORY a few\nMAXJOBS few 2\n")).details)
    ['MAXJOBS makes DAGMan hold jobs back, which VARS do not order; PRIORITY lines do (--style priority)']
    """
    said = []
    if details.maxjobs and _has_categories(details):
        said.append(f"MAXJOBS makes DAGMan hold jobs back, {_REMEDY}")
    said += [
        f"{path}:{line}: {name} = {most:,} makes DAGMan hold jobs back, {_REMEDY}"
        for path, line, name, most in _configured(details)
        if most > 0
    ]
    if details.root.count > DEFAULT_MAX_IDLE:  # whatever the file says: condor_submit_dag of 23.9 passes this limit on
        said.append(
            f"{details.root.count:,} jobs, but DAGMan by itself lets no more than {DEFAULT_MAX_IDLE:,} be idle in the "
            f"queue and holds the others back, {_REMEDY}"
        )
    return said


def _has_categories(details: Details) -> bool:
    unit = details.root
    for mark in unit.marks:
        if isinstance(mark, MarkRun):
            kinds = unit.files[mark.file].scan.mark_kind[mark.first : mark.first + len(mark.nodes)]
            if np.any(kinds == Keyword.CATEGORY):
                return True
        elif mark.kind is Keyword.CATEGORY:
            return True
    return False


def _configured(details: Details) -> list[tuple[str, int, str, int]]:
    """Return file, line, name and value of the limits in the DAG's configuration file; the last of each name counts."""
    if not details.config:
        return []
    name = details.config.strip()
    base = directory_of(details.sources[0].path)
    for path in dict.fromkeys((join_directory(base, name), name)):
        try:
            text = Path(path).read_bytes().decode("utf-8", "surrogateescape")
        except (OSError, ValueError):
            continue
        found = ((number, _LIMIT.match(line)) for number, line in enumerate(text.split("\n"), 1))
        limits = {match[1].upper(): (path, number, match[1], int(match[2])) for number, match in found if match}
        return list(limits.values())
    return []
