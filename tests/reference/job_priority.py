"""Which priority HTCondor gives a job: the rules that were asked of 23.9, written down once more and plainly.

Everything is a macro, names in any case, and the last word counts. Of a submit *file*, PRIORITY of the DAG comes first,
as ``priority``; then the job's VARS, the lines of the file up to ``queue``, and VARS with APPEND. Of a description
*inside* the DAG, its lines come first, then PRIORITY, then VARS. At the end ``MY.JobPrio`` counts, else ``priority``,
``prio``, ``jobprio``, else 0; what expands to nothing does not count. The real one is asked by
``tests/formats/test_dagman_instrument_oracle.py``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

Variable = tuple[str, str, bool]
"""Name, value, and whether it is appended."""


def job_priority(priority: int | None, variables: Sequence[Variable], text: str, inside: bool) -> int:
    """Return the JobPrio of a job; no line of its description continues another."""
    before = {name.lower(): value for name, value, appended in variables if not appended}
    after = {name.lower(): value for name, value, appended in variables if appended}
    given = {} if priority is None else {"priority": str(priority)}
    own = _assigned(text)
    values = own | given | before | after if inside else given | before | own | after
    for name in ("my.jobprio", "priority", "prio", "jobprio"):
        if value := _expanded(values.get(name, ""), values):
            return int(value)
    return 0


def _assigned(text: str) -> dict[str, str]:
    values = {}
    for line in text.split("\n"):
        words = line.strip()
        if words.lower().split()[:1] == ["queue"]:
            break
        name, equals, value = words.partition("=")
        if equals and not words.startswith("#"):
            name = name.strip().lower()
            values["my." + name[1:] if name.startswith("+") else name] = value.strip()
    return values


def _expanded(text: str, values: dict[str, str]) -> str:
    while found := re.search(r"\$\((\w+)(?::(\w*))?\)", text):
        text = text.replace(found[0], values.get(found[1].lower(), found[2] or ""))
    return text
