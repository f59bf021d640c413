"""The page itself: one file of HTML with its style, its script and its data inside, that needs nothing from anywhere.

Its content security policy allows that very style and that very script, by their digests, and nothing else: no other
script, no style attribute, no picture, no font, no request. Where the page is served live it may connect to where it
came from. ``require-trusted-types-for`` makes the browser refuse every way to turn text into elements, so that the
script could not even by mistake. Names and texts reach the page through jinja2, which escapes them, and as JSON in
which no ``<`` stands.

Equal findings give equal bytes: there is no date in it and no random number.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from functools import cache
from importlib.resources import files
from pathlib import PurePath
from typing import Any

import eligo
from eligo.formats.storage import STDIN
from eligo.report.page.content import content, shown
from eligo.report.page.findings import Findings
from eligo.report.page.next_steps import next_steps
from eligo.report.page.sentences import cards, what_it_is
from eligo.words import plural, printable

__all__ = ["PAGE_START", "render"]

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
    >>> from eligo.report.page.findings import Wish, find
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
    return files("eligo.report.page").joinpath("assets", name).read_text("utf-8")


@cache
def _script() -> str:
    parts = "\n".join(_asset(f"{name}.js") for name in _SCRIPTS)
    return f'(() => {{\n"use strict";\n{parts}}})();\n'


@cache
def _template() -> Any:
    from jinja2 import Environment, StrictUndefined

    made = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    return made.from_string(_asset("page.html"))
