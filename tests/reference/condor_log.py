"""What HTCondor's event logs say of the order in which jobs start, and whether it follows priorities.

**The user log** (the submit files' ``log``) is a sequence of events, in the order in which the queue and the jobs'
shadows wrote them: a job is submitted, executes on a slot, terminates, or is evicted and idle again. With
``job_ad_information_attrs = JobPrio`` every event is followed by the priority that the queue really used.

*The claim.* Among jobs idle together the one with the higher priority starts first.

*Which moments count.* A slot is given to its next job after the job before it has terminated there, and before the next
one logs that it executes; the moment itself is not logged. So let ``chosen_after`` of a start be the last event that
ended a job on its slot (or the begin of the log), and ``at`` the event of the start. Job i was passed over for job j if

    i was idle before j's ``chosen_after``, and i's own ``chosen_after`` is later than j's ``at``:

then i was in the queue all the time in which j can have been chosen, and the slot that i got was not free before j ran.
If only the first holds, i may have been chosen before j, for another slot, and logged later: no fault. With one slot
the second follows from "i starts after j", so there the rule is strict. Jobs of others on the same slots make
``chosen_after`` too early, which can hide a fault but not invent one.

**DAGMan's own log** (``X.dag.dagman.out``) says in which order it handed nodes to the queue and when it knew that a
node was done. Under a throttle, ready nodes wait in DAGMan, invisible to the queue: :func:`held_back` judges that.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path

_SUBMIT, _EXECUTE, _TERMINATED, _INFORMATION = 0, 1, 5, 28
_IDLE_AGAIN = (4, 7, 24)
"""Evicted, the shadow failed, its machine did not come back."""
_HEAD = re.compile(r"(\d{3}) \((\d+)\.(\d+)\.\d+\) ")
_NODE = re.compile(r"^ +DAG Node: (\S+)$", re.MULTILINE)
_SLOT = re.compile(r"^\tSlotName: (\S+)$", re.MULTILINE)
_PRIORITY = re.compile(r"^JobPrio = (-?\d+)$", re.MULTILINE)
_STEP = re.compile(r"^\S+ \S+ (?:Submitting HTCondor Node (\S+) job|Node (\S+) job completed)", re.MULTILINE)


@dataclass(frozen=True)
class Start:
    """One start of a job; moments are positions in the log."""

    node: str
    priority: int
    """The JobPrio that the queue used."""
    idle_since: int
    chosen_after: int
    at: int
    slot: str


def read_starts(log: Path) -> list[Start]:
    """Return the starts of all jobs that a user log tells of, first to last."""
    begin_of_log = -1
    nodes: dict[str, str] = {}
    priorities: dict[str, int] = {}
    idle_since: dict[str, int] = {}
    slot_of: dict[str, str] = {}
    slot_left: dict[str, int] = {}
    begun: list[tuple[str, int, int, int, str]] = []
    for moment, text in enumerate(log.read_text().split("\n...\n")):
        if not text:
            continue
        head = _HEAD.match(text)
        assert head is not None, f"no event: {text!r}"
        kind, job = int(head[1]), f"{head[2]}.{head[3]}"
        if kind == _SUBMIT:
            nodes[job], idle_since[job] = _only(_NODE, text), moment
        elif kind == _EXECUTE:
            slot = slot_of[job] = _only(_SLOT, text)
            begun.append((job, idle_since.pop(job), slot_left.get(slot, begin_of_log), moment, slot))
        elif kind in (_TERMINATED, *_IDLE_AGAIN) and job in slot_of:
            slot_left[slot_of.pop(job)] = moment
            if kind in _IDLE_AGAIN:
                idle_since[job] = moment
        elif kind == _INFORMATION:
            priorities[job] = int(_only(_PRIORITY, text))
    return [Start(nodes[job], priorities[job], *rest) for job, *rest in begun]


def _only(pattern: re.Pattern[str], text: str) -> str:
    found = pattern.findall(text)
    assert len(found) == 1, f"{pattern.pattern}: {text!r}"
    return str(found[0])


def passed_over(starts: Sequence[Start], priority: Mapping[str, int]) -> list[tuple[str, str]]:
    """Return each (job, job of lower priority) of which the second started though the first was idle: the faults."""
    return [
        (high.node, low.node)
        for high, low in product(starts, starts)
        if priority[high.node] > priority[low.node]
        and high.idle_since < low.chosen_after
        and low.at < high.chosen_after
    ]


def preferred(starts: Sequence[Start], priority: Mapping[str, int]) -> list[tuple[str, str]]:
    """Return each (job, job of lower priority) of which the first started while the second was idle.

    These are the comparisons in which the order was right; without any, "no faults" says nothing.
    """
    return [
        (high.node, low.node)
        for high, low in product(starts, starts)
        if priority[high.node] > priority[low.node] and low.idle_since < high.chosen_after and high.at < low.at
    ]


def overtaking(starts: Sequence[Start], priority: Mapping[str, int]) -> list[tuple[str, str]]:
    """Return those of :func:`preferred` that first come, first served would have had the other way round."""
    since = {start.node: start.idle_since for start in starts}
    return [(high, low) for high, low in preferred(starts, priority) if since[high] > since[low]]


def held_back(
    messages: str, priority: Mapping[str, int], parents: Mapping[str, Sequence[str]]
) -> tuple[list[tuple[str, str]], int]:
    """Judge the order in which DAGMan submitted nodes.

    Returns
    -------
    tuple
        Each (node, node of lower priority) of which the second was submitted while DAGMan knew the first to be ready,
        and how many pairs of a node and one of lower priority that had to wait were in the right order.
    """
    done: set[str] = set()
    submitted: set[str] = set()
    wrong: list[tuple[str, str]] = []
    right = 0
    for chosen, completed in _STEP.findall(messages):
        if completed:
            done.add(completed)
            continue
        submitted.add(chosen)
        waiting = [node for node in priority if node not in submitted and done.issuperset(parents.get(node, ()))]
        wrong += [(node, chosen) for node in waiting if priority[node] > priority[chosen]]
        right += sum(priority[node] < priority[chosen] for node in waiting)
    return wrong, right
