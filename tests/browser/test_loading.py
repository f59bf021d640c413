"""A page opened from disk: it says what was found, and draws it."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest

import eligo
from tests.browser.pages import FMRI, colours, column, expect, labels

# How many pictures do not say what they show, nor that it is not worth telling.
SILENT = """() => [...document.querySelectorAll("svg, canvas")]
  .filter((one) => one.getAttribute("aria-hidden") !== "true")
  .filter((one) => one.getAttribute("role") !== "img" || !one.ariaLabel).length"""


@pytest.fixture(scope="module")
def best():
    return eligo.prioritize(eligo.read(FMRI))


def test_the_cards_say_what_the_library_computes(fmri, best):
    expect(fmri).to_have_title("fmri.dag: report of eligo")
    expect(fmri.locator("h1")).to_have_text("fmri.dag")
    card = fmri.locator(".card").first
    expect(card).to_contain_text(f"AREA {best.schedule.area:,} against {best.fifo.area:,}")
    expect(card).to_contain_text("IC-optimal")
    expect(fmri.locator(".what")).to_contain_text("83 jobs and 120 dependencies in 25 levels")


def test_the_drawing_is_painted(fmri):
    """Both panes show the six groups, and their pixels are not all alike."""
    assert {"fringe", "handle", "first", "join", "second", "last", "× 20", "× 21"} <= set(labels(fmri))
    assert labels(fmri, 0) == labels(fmri, 1)
    for number in (1, 2):
        assert colours(fmri, f".pane:nth-child({number}) canvas:nth-child(1)") > 1
        assert colours(fmri, f".pane:nth-child({number}) canvas:nth-child(2)") > 3


def test_plots_and_tables_are_there(fmri, best):
    """Each plot with its curves and what it shows in words, the tables with their rows."""
    for name in ("profile", "difference"):
        assert fmri.locator(f"#plot-{name} svg path").count() >= 2
    assert fmri.locator("#plot-profile .chart-keys > span").count() == 3
    assert fmri.locator("#plot-gantt canvas").count() == 2
    assert colours(fmri, "#plot-gantt canvas") > 5
    for name, text in (("classes", "Classes of blocks"), ("blocks", "Blocks"), ("jobs", "Jobs")):
        expect(fmri.locator(f"#table-{name} caption")).to_contain_text(text)
    names = best.schedule.dag.names
    assert column(fmri.locator("#table-jobs"), 1) == [names[job] for job in best.schedule.order[:50]]
    assert fmri.evaluate(SILENT) == 0


def test_headings_descend_one_by_one(fmri_page):
    levels = [int(level) for level in re.findall("<h([1-6])", fmri_page.read_text())]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))


def test_nothing_of_the_page_is_outside_of_it(fmri_page):
    """No address, no source and no import stands in the file."""
    text = fmri_page.read_text()
    assert "src=" not in text
    assert "@import" not in text
    assert [line for line in text.splitlines() if "http://" in line and "www.w3.org" not in line] == []
    assert "https://" not in text
