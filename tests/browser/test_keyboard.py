"""Everything without a mouse."""

from __future__ import annotations

import re

import pytest

from eligo import generate
from tests.browser.pages import active, column, expect, found_of, labels, pane, where, write_page

# All that can have the focus, in the order of the page. A mark tells them apart; those that are hidden do not count.
MARK = """() => {
  const all = [...document.querySelectorAll("a[href], button, select, input, summary, [tabindex='0']")];
  const there = all.filter((one) => one.checkVisibility() && !one.disabled);
  there.forEach((one, i) => { one.dataset.mark = i; });
  return there.map((one) => one.id || one.className || one.getAttribute("aria-label") || one.textContent.trim());
}"""
FOCUSED = """() => {
  const look = getComputedStyle(document.activeElement);
  return [Number(document.activeElement.dataset.mark ?? -1), look.outlineStyle, parseFloat(look.outlineWidth) >= 2];
}"""

SLIDE = "(slider, to) => { slider.value = to; slider.dispatchEvent(new Event('input')); }"  # without the focus


@pytest.fixture(scope="module")
def small_page(tmp_path_factory):
    """The workflow of fMRI with 3 instead of 20 equal jobs, and no times: 14 jobs."""
    return write_page(tmp_path_factory.mktemp("small") / "small.html", found_of(generate.airsn(3, handle=3)))


@pytest.fixture
def page(look, small_page):
    return look(small_page)


def reach(page, wanted):
    """Press Tab until an element has the focus, and return how often."""
    for count in range(1, 150):
        page.keyboard.press("Tab")
        if page.evaluate("(which) => document.activeElement.matches(which)", wanted):
            return count
    raise AssertionError(f"{wanted} is never reached from {active(page)}")


def test_tab_reaches_every_control_in_the_order_of_the_page(page):
    """Forwards and backwards; whatever has the focus shows it."""
    there = page.evaluate(MARK)
    assert len(there) > 30
    for mark in range(len(there)):
        page.keyboard.press("Tab")
        assert page.evaluate(FOCUSED) == [mark, "solid", True], there[mark]
    for _ in there[1:]:
        page.keyboard.press("Shift+Tab")
    assert page.evaluate(FOCUSED)[0] == 0


def test_the_skip_link_is_first_and_leads_to_the_drawing(page):
    page.keyboard.press("Tab")
    skip = page.locator(".skip")
    expect(skip).to_be_focused()
    expect(skip).to_be_in_viewport()
    page.keyboard.press("Enter")
    assert active(page) == "dag"
    expect(page.locator("#dag-title")).to_be_in_viewport()
    page.keyboard.press("Tab")
    assert active(page) == "search"
    expect(skip).not_to_be_in_viewport()


def test_the_drawing_lets_the_focus_go(page):
    """Keys that it uses are not Tab, nor those of the browser."""
    reach(page, ".stage")
    for key in ("n", "+", "ArrowDown", "Escape"):
        page.keyboard.press(key)
    page.keyboard.press("Tab")
    expect(page.locator(".stage").nth(1)).to_be_focused()
    page.keyboard.press("Tab")
    assert active(page) == "mode"
    for _ in range(3):
        page.keyboard.press("Shift+Tab")
    assert active(page) not in ("stage", "mode")


def test_playing_by_keys(page):
    """In the drawing: full stop, comma and blank; on the slider: arrows, End and Home."""
    n = int(page.locator("#position").get_attribute("max"))
    reach(page, ".stage")
    for key, step in ((".", 1), (".", 2), (",", 1)):
        page.keyboard.press(key)
        expect(where(page)).to_contain_text(f"Step {step} of {n}.")
    page.keyboard.press("Space")
    expect(page.locator("#play")).to_have_attribute("aria-pressed", "true")
    page.keyboard.press("Space")
    expect(page.locator("#play")).to_have_attribute("aria-pressed", "false")
    reach(page, "#position")
    for key, step in (("End", n), ("ArrowLeft", n - 1), ("Home", 0), ("ArrowRight", 1)):
        page.keyboard.press(key)
        expect(where(page)).to_contain_text(f"Step {step} of {n}.")
    page.keyboard.press("Shift+Tab")  # to the end
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Enter")
    expect(where(page)).to_contain_text(f"Step 2 of {n}.")


@pytest.mark.long
def test_the_way_to_play_is_chosen_by_keys(page):
    reach(page, "#mode")
    page.keyboard.press("ArrowDown")
    expect(where(page)).to_have_text(re.compile("^After 0 "))


def test_searching_and_folding_by_keys(page):
    """Find a job, go to its drawing, fold its group, and open it again from the details."""
    reach(page, "#fold")
    if page.locator("#fold").get_attribute("aria-pressed") == "false":
        page.keyboard.press("Space")
    expect(page.locator("#fold")).to_have_attribute("aria-pressed", "true")
    page.locator("#search").focus()
    page.keyboard.type("first_2")
    page.keyboard.press("Enter")
    expect(page.locator("#details h3")).to_have_text("first_2")
    reach(page, ".stage")
    page.keyboard.press("Enter")
    expect(page.locator("#details h3")).to_have_text("first: 3 jobs")
    assert "first × 3" not in labels(page)
    reach(page, "#details > button")
    page.keyboard.press("Enter")
    assert "first × 3" in labels(page)
    expect(page.locator("#details > button")).to_have_text("Fold")
    expect(page.locator("#details > button")).to_be_focused()  # so that the same key undoes it
    page.keyboard.press("Enter")
    assert "first × 3" not in labels(page)


def test_tables_by_keys(page):
    """Filter, sort, save, and go to a job."""
    reach(page, "#table-jobs input")
    page.keyboard.type("second")
    expect(page.locator("#table-jobs").get_by_role("status")).to_contain_text("3 that fit")
    reach(page, "#table-jobs .tools button:last-child")
    with page.expect_download() as download:
        page.keyboard.press("Enter")
    assert len(download.value.path().read_text().splitlines()) == 4
    reach(page, "#table-jobs th:first-child button")
    page.keyboard.press("Enter")
    assert column(page.locator("#table-jobs"), 1) == ["second_0", "second_1", "second_2"]
    expect(page.locator("#table-jobs th:first-child button")).to_be_focused()
    reach(page, "#table-jobs tbody button")
    page.keyboard.press("Enter")
    expect(page.locator("#details h3")).to_have_text("second_0")
    expect(pane(page, 0).locator(".stage")).to_be_focused()


def test_the_focus_stays_in_a_table_while_the_game_is_played(page):
    """The states in the table change; the button that has the focus is still there."""
    page.locator("#table-jobs tbody button").nth(3).focus()
    name = active(page)
    page.locator("#position").evaluate(SLIDE, 3)
    expect(page.locator("#table-jobs")).to_contain_text("EXECUTED")
    assert active(page) == name


def test_the_focus_stays_in_the_details_while_the_game_is_played(page):
    page.locator("#search").fill("join")
    page.locator("#search").press("Enter")
    page.locator("#details button").first.focus()
    name = active(page)
    page.locator("#position").evaluate(SLIDE, 3)
    expect(where(page)).to_contain_text("Step 3 of")
    assert active(page) == name
