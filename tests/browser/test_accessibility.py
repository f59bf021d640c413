"""What axe-core, the checker that others use, finds fault with: nothing."""

from __future__ import annotations

import pytest

from eligo import write
from tests.browser.pages import click_label, expect, report
from tests.cli.limiting import TABLE, chains

axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="pip install axe-playwright-python")

RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]


@pytest.fixture(scope="module")
def chains_page(tmp_path_factory):
    """A small workflow with times and sizes, limited: all parts but a simulation and a run."""
    folder = tmp_path_factory.mktemp("chains")
    write(chains(), folder / "chains.dag")
    (folder / "sizes.csv").write_text(TABLE)
    words = ("--job-data", folder / "sizes.csv", "--memory", "7kB")
    return report(folder / "chains.html", folder / "chains.dag", *words)


def problems(page):
    options = {"resultTypes": ["violations"], "runOnly": RULES}
    found = axe.Axe().run(page, options=options).response["violations"]
    return [(one["impact"], one["id"], one["nodes"][0]["html"][:150]) for one in found]


def test_as_it_is_opened(look, chains_page):
    assert problems(look(chains_page)) == []


def test_with_everything_open(look, chains_page):
    """Groups, details, tables below the figures; in the dark, and at a width where they scroll."""
    page = look(chains_page, scheme="dark", size=(320, 800))
    page.locator("#fold").click()
    page.locator("#search").fill("a2")
    page.locator("#search").press("Enter")
    expect(page.locator("#details h3")).to_have_text("a2")
    for summary in page.locator("summary").all():
        summary.click()
    page.locator("#mode").select_option(index=1)
    page.locator("#colour").select_option("priority")
    assert problems(page) == []


@pytest.mark.long
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_larger_page(look, fmri_page, scheme):
    """Folded, and with a group chosen."""
    page = look(fmri_page, scheme=scheme)
    assert problems(page) == []
    click_label(page, "first")
    assert problems(page) == []
