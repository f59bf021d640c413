"""What to do with what was found, as commands that can be pasted into a shell, each with the reason for it."""

from __future__ import annotations

from typing import NamedTuple

from eligo.memory.limit_curve import advised
from eligo.report.page.findings import Findings
from eligo.report.page.sentences import size_text
from eligo.words import growth, plural

__all__ = ["Step", "next_steps"]


class Step(NamedTuple):
    """Something to do next: why, and the command that does it."""

    text: str
    command: str


def next_steps(found: Findings) -> list[Step]:
    """Return what to do, the most useful first.

    Examples
    --------
    >>> from eligo.dag import Dag
    >>> from eligo.report.page.findings import Again, Wish, find
    >>> two = Dag.from_edges(5, [0, 2, 2], [1, 3, 4])
    >>> [step.command for step in next_steps(find(two, Wish(), again=Again("two.dot", runnable=False)))][0]
    'eligo prioritize two.dot --in-place --backup'
    """
    if found.dag.n == 0:
        return []
    steps = [*_after_a_run(found), _order(found), *_memory(found)]
    if found.simulation is None and _gains(found):
        steps.append(Step("See for which grids that pays, and how much:", f"eligo simulate {found.again.words}"))
    if found.recorded is None:
        steps.append(_run(found))
    return steps


def _gains(found: Findings) -> bool:
    return found.best.schedule.area > found.best.fifo.area


def _limit(found: Findings) -> str:
    """Return the words for the limit that the page is about, if any."""
    limited = None if found.memory is None else found.memory.limited
    return "" if limited is None else f" --memory {limited.limit}{found.again.counting}"


def _deleting(found: Findings) -> str:
    """Return the words without which a run does not keep a limit on disk."""
    memory, data = found.memory, found.dag.data
    listed = data is not None and data.names is not None
    on_disk = memory is not None and memory.limited is not None and memory.limited.footprint.rules.resource == "disk"
    return " --delete-intermediate" if on_disk and listed else ""


def _after_a_run(found: Findings) -> list[Step]:
    recorded = found.recorded
    if recorded is None or recorded.goes_on or not recorded.resume or all(status == 2 for status in recorded.status):
        return []
    return [Step("Go on with the run: what has succeeded does not run again.", recorded.resume)]


def _order(found: Findings) -> Step:
    again, limit, name = found.again, _limit(found), found.strategies[0].name
    target = "--in-place --backup" if again.writable else "--json > order.json"
    if again.kept and again.writable:
        target = f"--replace {target}"
    strategy = "" if name == "best" else f" --strategy {name}"
    if name == "random":
        strategy += f" --seed {again.seed}"
    command = f"eligo prioritize {again.words}{limit}{strategy} {target}"
    if limit and again.writable:
        return Step("Write the limit's dependencies and the order into the workflow:", command)
    if not _gains(found):
        if name == "best":
            text = "No order that was tried is better than first-in-first-out: leave it. To see where time is lost:"
            return Step(text, f"eligo simulate {again.words}")
        text = f"{found.strategies[0].label} is not better than first-in-first-out. Look for a better order:"
        return Step(text, f"eligo prioritize {again.words}")
    if again.writable:
        instead = f", in place of {plural(again.kept, 'priority')} that it has" if again.kept else ""
        return Step(f"Write this order into the workflow{instead}, so that the engine you have follows it:", command)
    return Step("Take this order along: the format has no place for priorities, so as JSON:", command)


def _memory(found: Findings) -> list[Step]:
    memory, again = found.memory, found.again
    if memory is None:
        text = "Supply sizes, for what is missing here:"
        return [Step(text, f"eligo report {again.words} --job-data TABLE.csv -o report.html")]
    point = advised(memory.curve)
    if memory.limited is not None or point is None or point.limit >= memory.analysis.worst.bound:
        return []
    cost = growth(memory.curve[-1].critical_path, point.critical_path)
    within = f"dependencies that keep every execution within {size_text(memory, point.limit)} (longest chain {cost})"
    words = f"{again.words} --memory {point.limit}{again.counting}"
    if again.writable:
        replaced = " --replace" if again.kept else ""
        return [Step(f"Or write an order with {within}:", f"eligo prioritize {words}{replaced} --in-place --backup")]
    return [Step(f"Take along {within}:", f"eligo limit {words} --json > limit.json")]


def _run(found: Findings) -> Step:
    again, limit = found.again, _limit(found) + _deleting(found)
    if again.runnable:
        return Step("Run it, and watch it live on a page like this:", f"eligo run {again.words}{limit} --watch 0")
    text = "Run it, saying what each job does, and watch it live on a page like this:"
    return Step(text, f"eligo run {again.words}{limit} --command 'echo {{name}}' --watch 0")
