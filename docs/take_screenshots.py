"""Take the screenshots of docs/report.md anew, in Debian's Chromium: ``python docs/take_screenshots.py``.

Pictures are kept small: 200 colours, no more than is needed to read them.
"""

from __future__ import annotations

import io
import shutil
import tempfile
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import sync_playwright

from eligo import generate
from eligo.dag import Dag
from eligo.formats import open_document
from eligo.memory._limit import limit
from eligo.memory._models import footprint
from eligo.report._page.findings import Again, Findings, Wish, find
from eligo.report._page.render import render

HERE = Path(__file__).parent
_WIDTH, _COLOURS = 1200, 200
_MISSING = "Memory and disk are not shown: no sizes are known. To add them, give --job-data TABLE."
_OPTIONS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-sync"]


def main() -> None:
    """Take all of them."""
    fmri = open_document(str(HERE.parent / "examples" / "fmri.dag")).dag
    example = find(
        fmri, Wish(), path="fmri.dag", format="HTCondor DAGMan", again=Again("fmri.dag"), without_memory=_MISSING
    )
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=_OPTIONS)
        shots = [
            ("first-screen", example, 720, "light", _WIDTH, lambda page: None),
            ("game", example, 780, "light", _WIDTH, lambda page: _at(page, 30)),
            ("limit", _limited(), 840, "dark", _WIDTH, lambda page: _at(page, 20)),
            ("large", _large(), 780, "light", _WIDTH, _opened),
            ("phone", example, 780, "light", 400, lambda page: _at(page, 30)),
        ]
        for name, found, height, scheme, width, action in shots:
            path = Path(folder, "page.html")
            path.write_bytes(render(found))
            page = browser.new_page(viewport={"width": width, "height": height}, color_scheme=scheme)
            page.goto(path.as_uri())
            page.wait_for_selector("html[data-ready]", state="attached")
            action(page)
            page.wait_for_timeout(500)
            _keep(page.screenshot(), HERE / "report" / f"{name}.png")
            page.close()
        browser.close()


def _at(page: Any, step: int) -> None:
    page.evaluate("document.getElementById('dag').scrollIntoView()")
    page.evaluate(
        "(step) => { const slider = document.getElementById('position');"
        " slider.value = step; slider.dispatchEvent(new Event('input')); }",
        step,
    )


def _opened(page: Any) -> None:
    page.click("#unfold-all")
    _at(page, 20_000)


def _limited() -> Findings:
    dag = generate.inspiral(60, costs=True)
    limited = limit(footprint(dag), 15_200_000)
    return find(limited.dag, Wish(), path="search.json", plain=dag, footprint=footprint(dag), limited=limited)


def _large() -> Findings:
    dag: Dag = generate.sdss(48_013, costs=True)
    return find(dag, Wish(curve=0), path="sdss.json", footprint=footprint(dag))


def _keep(picture: bytes, path: Path) -> None:
    path.parent.mkdir(exist_ok=True)
    small = Image.open(io.BytesIO(picture)).convert("RGB").quantize(_COLOURS, dither=Image.Dither.NONE)
    small.save(path, optimize=True)


if __name__ == "__main__":
    main()
