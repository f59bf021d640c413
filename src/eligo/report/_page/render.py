"""The page itself: one file of HTML with its style, its script and its data inside, that needs nothing from anywhere.

Its content security policy allows that very style and that very script, by their digests, and nothing else: no other
script, no style attribute, no picture, no font, no request. Where the page is served live it may connect to where it
came from. ``require-trusted-types-for`` makes the browser refuse every way to turn text into elements, so that the
script could not even by mistake. Names and texts reach the page through jinja2, which escapes them, and as JSON in
which no ``<`` stands.

Equal findings give equal bytes: there is no date in it and no random number.

What to do with what was found, as commands that can be pasted into a shell, each with the reason for it.

A page in one call, for those who have a dag in Python.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import re
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from pathlib import PurePath
from typing import Any, NamedTuple

import eligo
from eligo._humanize import growth, plural, printable
from eligo.dag import Dag
from eligo.formats._source import STDIN, replace_file
from eligo.memory._analyze import advised
from eligo.memory._limit import limit
from eligo.memory._models import footprint
from eligo.report._page.findings import STRATEGIES, Findings, Wish, find, footprint_or_reason
from eligo.report._page.page_content import content, shown
from eligo.report._page.page_text import cards, size_text, what_it_is

__all__ = [
    "PAGE_START",
    "Step",
    "next_steps",
    "render",
    "write_page",
]


class Step(NamedTuple):
    """Something to do next: why, and the command that does it."""

    text: str
    command: str


def next_steps(found: Findings) -> list[Step]:
    """Return what to do, the most useful first.

    Examples
    --------
    >>> from eligo.dag import Dag
    >>> from eligo.report._page.findings import Again, Wish, find
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


PAGE_START = b"<!doctype html>\n<!-- written by eligo report -->"
"""How every page begins."""

_SCRIPTS = (
    "basics", "model", "colours", "scene", "painter", "camera", "pane", "charts", "figures", "gantt", "tables",
    "search", "details", "legend", "game", "game_charts", "live", "main",
)  # fmt: skip

_UNIT = re.compile(r"(?<=[0-9]) (?=(?:%|s|[kMGTPE]?B)(?![\w]))")


def render(found: Findings, *, live: bool = False) -> bytes:
    """Return a page.

    Parameters
    ----------
    live
        Whether the page is served while the workflow runs, and follows it.

    Examples
    --------
    >>> from eligo.dag import Dag
    >>> from eligo.report._page.findings import Wish, find
    >>> page = render(find(Dag.from_names([("a</script>", "b")]), Wish(), path="<b>.dag"))
    >>> page.startswith(PAGE_START), b"a</script>" in page, b"<b>.dag" in page
    (True, False, False)
    """
    style, script = _asset("page.css"), _script()
    data = content(found, live=live)
    text: str = _template().render(
        title=_title(found),
        what=_tight(what_it_is(found)),
        cards=[card._replace(sentences=tuple(map(_tight, card.sentences))) for card in cards(found)],
        steps=[] if live else next_steps(found),
        captions=data["captions"],
        found=found,
        missing=[] if live else _missing(found),
        warnings=[printable(text) for text in found.warnings],
        live=live,
        policy=_policy(style, script, live=live),
        style=style,
        script=script,
        data=_json(data),
        version=eligo.__version__,
    )
    return text.encode("utf-8", "replace")


def _tight(text: str) -> str:
    """Return text that is safe to show, in which no line ends between a number and its unit."""
    return _UNIT.sub("\N{NO-BREAK SPACE}", printable(text))


def _title(found: Findings) -> str:
    """Return what to call the workflow: the name of its file, wherever that is."""
    if found.path == STDIN:
        return "standard input"
    name = PurePath(found.path).name
    return shown(name) if name else "workflow"


def _missing(found: Findings) -> list[str]:
    """Return which parts the page lacks, and which file would add each."""
    missing, words = [], found.again.words
    if found.dag.n and not found.timed:
        missing.append(
            "Times of jobs are not known, so every job takes as long as any other. A table with the columns job and "
            f"time_s adds them: eligo report {words} --job-data TABLE.csv -o report.html"
        )
    if found.untimed:
        missing.append(f"The times of {plural(found.untimed, 'job')} are not known; these take the mean of the others.")
    if found.memory is None and found.without_memory:
        missing.append(found.without_memory)
    if found.simulation is None:
        missing.append(
            f"No simulation is shown. eligo simulate {words} --sweep -o sweep.csv makes a table of one: "
            f"eligo report {words} --simulation sweep.csv -o report.html"
        )
    if found.recorded is None:
        missing.append(
            f"No run is shown. Once it has run, eligo report {words} --run -o report.html shows what ran when."
        )
    return missing


def _policy(style: str, script: str, *, live: bool) -> str:
    rules = [
        "default-src 'none'",
        f"script-src '{_digest(script)}'",
        f"style-src '{_digest(style)}'",
        "base-uri 'none'",
        "form-action 'none'",
        "require-trusted-types-for 'script'",
        "trusted-types 'none'",
    ]
    return "; ".join([*rules, "connect-src 'self'"] if live else rules)


def _digest(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode('ascii')}"


def _json(value: dict[str, Any]) -> str:
    """Return JSON that can stand inside an element: only ASCII, and nothing that could end the element."""
    text = json.dumps(value, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


@cache
def _asset(name: str) -> str:
    return files("eligo.report._page").joinpath("assets", name).read_text("utf-8")


@cache
def _script() -> str:
    parts = "\n".join(_asset(f"{name}.js") for name in _SCRIPTS)
    return f'(() => {{\n"use strict";\n{parts}}})();\n'


@cache
def _template() -> Any:
    from jinja2 import Environment, StrictUndefined

    made = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    return made.from_string(_asset("page.html"))


def write_page(
    dag: Dag,
    path: str | os.PathLike[str],
    *,
    name: str = "workflow",
    strategies: Sequence[str] = STRATEGIES,
    memory: int | None = None,
    model: str | None = None,
    workers: int | None = None,
) -> Findings:
    """Write a page about a dag, and return what is on it; `eligo report` does the same for a file.

    Parameters
    ----------
    name
        What the page calls it.
    strategies
        Of ``prioritize``, the one that claims are about first.
    memory, model
        A limit that is kept, in bytes (pebbles), and how memory is counted, as :func:`eligo.limit` has it.
    workers
        How many execute the strategies; by default as many as jobs are ready on average under fifo.

    Raises
    ------
    EligoError
        A limit or a model was asked for and sizes are not known, the limit cannot be kept, or the file cannot be
        written.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     found = write_page(Dag.from_names([("a", "b"), ("a", "c")]), f"{folder}/fork.html", name="fork")
    >>> found.best.claim, found.memory
    ('ic-optimal', None)
    """
    wanted = memory is not None or model is not None
    held, without = (footprint(dag, model), "") if wanted else footprint_or_reason(dag)
    limited = None if memory is None or held is None else limit(held, memory)
    found = find(
        dag if limited is None else limited.dag,
        Wish(tuple(strategies), workers),
        path=name,
        plain=dag,
        footprint=held,
        without_memory=without,
        limited=limited,
    )
    replace_file(path, [render(found)])
    return found
