"""First paint, a step, a jump, a search and a sort in Chromium, for pages of 1,000 to 50,000 jobs.

A time is from the click to the end of the first frame that shows its effect; the least that a browser without a screen
takes for a frame, 16 to 20 ms, is part of each. Medians of several, and the worst in brackets.
"""

from __future__ import annotations

import shutil
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.measure import print_table
from eligo import generate
from eligo.dag import Dag
from eligo.memory._models import footprint
from eligo.report._page.findings import Wish, find
from eligo.report._page.render import render

_BROWSERS = ("chromium", "chromium-browser", "google-chrome")
_OPTIONS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip
_TIMES = 20

_MEASURE = """async ([selector, event, values]) => {
  const frame = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done, 0)));
  const target = document.querySelector(selector);
  const times = [];
  for (const value of values) {
    await new Promise((done) => setTimeout(done, 40));
    const begin = performance.now();
    if (value !== null) target.value = value;
    if (event === "click") target.click();
    else target.dispatchEvent(new Event(event));
    await frame();
    times.push(performance.now() - begin);
  }
  return times;
}"""


def _workflows() -> dict[str, Dag]:
    return {
        "Montage, 1,000 jobs": generate.montage(1_000, seed=1, costs=True),
        "Montage, 7,881 jobs": generate.montage(7_881, seed=1, costs=True),
        "SDSS, 50,000 jobs": generate.sdss(50_000, seed=1, costs=True),
    }


def _page(dag: Dag, path: Path) -> float:
    """Write a page as `eligo report --curve 0` would; return how long that took."""
    begin = time.perf_counter()
    path.write_bytes(render(find(dag, Wish(curve=0), path="workflow", footprint=footprint(dag))))
    return time.perf_counter() - begin


def _times(page: Any, selector: str, event: str, values: list[Any]) -> str:
    found = page.evaluate(_MEASURE, [selector, event, values])
    return f"{median(found):.0f} ms ({max(found):.0f})"


def _row(browser: Any, name: str, dag: Dag, path: Path) -> list[str]:
    made = _page(dag, path)
    page = browser.new_page(viewport={"width": 1400, "height": 1000})
    page.goto(path.as_uri())
    page.wait_for_selector("html[data-ready]", state="attached", timeout=120_000)
    paint = page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime")
    steps = [None] * _TIMES
    ready = page.evaluate("performance.getEntriesByName('ready')[0].startTime")
    cells = [f"{path.stat().st_size / 1e6:.1f} MB", f"{made:.1f} s", f"{paint:.0f} ms", f"{ready:.0f} ms"]
    cells.append(_times(page, "#step-forward", "click", steps))
    # All jobs one by one, or, where these are too many for arrows, all groups open.
    page.click("#fold" if page.is_visible("#fold") else "#unfold-all")
    cells.append(_times(page, "#step-forward", "click", steps))
    cells.append(_times(page, "#position", "input", [dag.n * (7 * k % 20) // 20 for k in range(_TIMES)]))
    cells.append(_times(page, "#search", "input", [str(k) for k in range(_TIMES)]))
    cells.append(_times(page, "#table-jobs th:nth-child(4) button", "click", steps[:6]))
    page.close()
    return [name, *cells]


def main() -> None:
    browser_path = next((path for name in _BROWSERS if (path := shutil.which(name))), None)
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        print("skipped: playwright is not installed (pip install 'eligo[test]')")
        return
    if browser_path is None:
        print("skipped: there is no Chromium (apt-get install chromium)")
        return
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=browser_path, args=_OPTIONS)
        rows = [_row(browser, name, dag, Path(folder, "page.html")) for name, dag in _workflows().items()]
        browser.close()
    header = ["page", "size", "made in", "first paint", "all there", "step"]
    header += ["step, unfolded", "jump, unfolded", "search", "sort"]
    print_table("The page of a report in Chromium: medians (and the worst)", header, rows)


if __name__ == "__main__":
    main()
