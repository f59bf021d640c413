"""Pages to look at, what a browser sees on them, and the same computed without a browser."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from eligo import Dag
from eligo._cli import main
from eligo.report._page.findings import Findings, Wish, find
from eligo.report._page.render import render

try:
    from playwright.sync_api import Error, expect
except ImportError:  # then no test gets a page, and so none gets this far
    Error = expect = None

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

__all__ = [
    "FMRI", "PROBE", "Error", "active", "click_label", "colours", "column", "contrast", "counts", "expect", "found_of",
    "go", "labels", "painted", "pane", "picture", "played", "report", "seen_counts", "where", "width", "write_page",
    "written",
]  # fmt: skip

FMRI = Path(__file__).parents[2] / "examples/fmri.dag"

# Remembers what is written on each canvas since it was last cleared: the text, its colour, the colour below, and where.
PROBE = """(() => {
  const canvas = CanvasRenderingContext2D.prototype;
  const before = (name, action) => {
    const plain = canvas[name];
    canvas[name] = function (...words) { action(this, ...words); return plain.apply(this, words); };
  };
  const remember = (context) => (context.canvas.seen ||= { texts: [], below: "" });
  before("clearRect", (context) => { context.canvas.seen = { texts: [], below: "" }; });
  for (const name of ["fill", "fillRect"]) before(name, (context) => { remember(context).below = context.fillStyle; });
  before("fillText", (context, text, x, y) => {
    const { a, d, e, f } = context.getTransform();
    const seen = remember(context);
    const [plain, ratio] = [text.replace(/[\\u2068\\u2069]/g, ""), window.devicePixelRatio];
    const place = { x: (a * x + e) / ratio, y: (d * y + f) / ratio };
    seen.texts.push({ text: plain, ink: context.fillStyle, below: seen.below, ...place });
  });
})();"""


def report(out: Path, *words: object) -> Path:
    """Make a page as a user does."""
    assert main(["report", *map(str, words), "-o", str(out)]) == 0
    return out


def found_of(dag: Dag, name: str = "flow.dot", **known: Any) -> Findings:
    return find(dag, Wish(curve=0), path=name, format="DOT", **known)


def write_page(out: Path, found: Findings) -> Path:
    out.write_bytes(render(found))
    return out


# What is seen.


def where(page: Page) -> Locator:
    return page.locator("#where")


def pane(page: Page, number: int) -> Locator:
    return page.locator(".pane").nth(number)


def go(page: Page, position: int) -> None:
    """Move the slider."""
    page.locator("#position").fill(str(position))


def counts(text: str) -> dict[str, int]:
    """Read numbers out of a text such as ``3 executed, 1 running, 5 ELIGIBLE``."""
    return {word: int(number.replace(",", "")) for number, word in re.findall(r"([\d,]+) ([A-Za-z]+)", text)}


def seen_counts(page: Page, number: int) -> dict[str, int]:
    """Return what the head of a pane says, once it has been painted."""
    painted(page)
    return counts(pane(page, number).locator(".counts").inner_text())


def painted(page: Page) -> None:
    """Wait until what was asked for is on the screen."""
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")


def written(page: Page, number: int = 0) -> list[dict[str, Any]]:
    """Return what is written on the boxes of a pane, and where."""
    painted(page)
    found: list[dict[str, Any]] = page.evaluate(
        "(i) => document.querySelectorAll('.pane')[i].querySelectorAll('canvas')[1].seen.texts", number
    )
    return found


def labels(page: Page, number: int = 0) -> list[str]:
    return [one["text"] for one in written(page, number)]


def click_label(page: Page, label: str, *, twice: bool = False) -> None:
    """Click on the box that carries a label."""
    at = next(one for one in written(page) if one["text"] == label)
    place = {"x": at["x"], "y": at["y"]}
    stage = pane(page, 0).locator(".stage")
    if twice:
        stage.dblclick(position=place)
    else:
        stage.click(position=place)


def picture(page: Page, number: int = 0) -> str:
    """Return the pixels of a pane, to be compared with those of another moment."""
    painted(page)
    found: str = page.evaluate(
        """(i) => Array.from(document.querySelectorAll('.pane')[i].querySelectorAll('canvas'),
                             (canvas) => canvas.toDataURL()).join()""",
        number,
    )
    return found


def colours(page: Page, canvas: str) -> int:
    """Return how many colours the pixels of a canvas have."""
    found: int = page.evaluate(
        """(which) => {
             const canvas = document.querySelector(which);
             const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
             return new Set(new Uint32Array(data.buffer)).size;
           }""",
        canvas,
    )
    return found


def column(table: Locator, number: int) -> list[str]:
    """Return the texts of a column of a table, from 1."""
    return table.locator(f"tbody td:nth-child({number})").all_inner_texts()


def width(page: Page) -> tuple[int, int]:
    """Return how wide the document is, and how wide the window."""
    wide, inner = page.evaluate("[document.scrollingElement.scrollWidth, innerWidth]")
    return wide, inner


def active(page: Page) -> str:
    """Return what has the focus: its id, or its class, or its text."""
    found: str = page.evaluate(
        """() => { const at = document.activeElement;
                   return at.id || at.className || at.textContent.trim() || at.tagName; }"""
    )
    return found


# The same without a browser.


def played(dag: Dag, order: Iterable[int]) -> list[dict[str, int]]:
    """Return how many jobs are executed and how many are ELIGIBLE after each step, by looking at all of them."""
    done: set[int] = set()
    found = []
    for job in [*(int(job) for job in order), -1]:
        ready = sum(j not in done and {int(p) for p in dag.parents(j)} <= done for j in range(dag.n))
        found.append({"executed": len(done), "ELIGIBLE": ready})
        done.add(job)
    return found


def contrast(first: str, second: str) -> float:
    """Return the contrast of two colours such as ``rgb(1, 2, 3)`` or ``#010203``, as WCAG 2 defines it."""
    low, high = sorted((luminance(first), luminance(second)))
    return (high + 0.05) / (low + 0.05)


def luminance(colour: str) -> float:
    if colour.startswith("#"):
        parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    else:
        parts = [float(part) / 255 for part in re.findall(r"[\d.]+", colour)[:3]]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
