"""Equal jobs folded into one box, and unfolded again: by button, by mouse and by key."""

from __future__ import annotations

import re

import pytest

from tests.browser.pages import click_label, expect, labels, pane, picture, written

GROUPS = {"fringe": 20, "handle": 21, "first": 20, "second": 20}


def opened(page):
    """Return the groups that are drawn open: these have the number in their heads."""
    return {name for name, count in GROUPS.items() if f"{name} × {count}" in labels(page)}


def find(page, name):
    page.locator("#search").fill(name)
    page.locator("#search").press("Enter")


def test_the_button_folds_and_unfolds_all(fmri):
    """Folded, a row has a box for a group; unfolded, one for each job."""
    fold, stage = fmri.locator("#fold"), pane(fmri, 0).locator(".stage")
    expect(fold).to_have_attribute("aria-pressed", "true")
    folded = picture(fmri)
    fold.click()
    expect(fold).to_have_attribute("aria-pressed", "false")
    expect(fmri.locator("#unfold-all")).to_be_hidden()
    assert picture(fmri) != folded
    find(fmri, "second_7")
    stage.press("n")
    expect(fmri.locator("#details h3")).to_have_text(re.compile(r"^second_\d+$"))
    expect(fmri.locator("#details h3")).not_to_have_text("second_7")
    fold.click()
    expect(fold).to_have_attribute("aria-pressed", "true")
    fmri.locator("#zoom-fit").click()
    assert "× 20" in labels(fmri)


def test_all_groups_open_and_close(fmri):
    button = fmri.locator("#unfold-all")
    expect(button).to_have_text("Open all groups")
    assert opened(fmri) == set()
    before = picture(fmri)
    button.click()
    expect(button).to_have_text("Close all groups")
    assert opened(fmri) == set(GROUPS)
    button.click()
    expect(button).to_have_text("Open all groups")
    assert picture(fmri) == before


def test_a_click_chooses_and_a_double_click_opens(fmri):
    """A click beside lets go, another double click closes."""
    click_label(fmri, "first", twice=True)
    assert opened(fmri) == {"first"}
    expect(fmri.locator("#details h3")).to_have_text("first: 20 jobs")
    click_label(fmri, "first × 20", twice=True)
    assert opened(fmri) == set()
    click_label(fmri, "second")
    expect(fmri.locator("#details h3")).to_have_text("second: 20 jobs")
    expect(fmri.locator("#details dd").first).to_have_text("20 waiting")
    assert opened(fmri) == set()
    pane(fmri, 0).locator(".stage").click(position={"x": 3, "y": 3})
    expect(fmri.locator("#details")).to_be_empty()
    click_label(fmri, "join")
    expect(fmri.locator("#details h3")).to_have_text("join")


@pytest.mark.long
def test_enter_opens_and_closes_the_chosen_group(fmri):
    stage = pane(fmri, 0).locator(".stage")
    stage.press("n")
    stage.press("Enter")
    assert opened(fmri) == {"fringe"}
    expect(fmri.locator("#details").get_by_role("button", name="Fold", exact=True)).to_be_visible()
    stage.press("Enter")
    assert opened(fmri) == set()
    expect(fmri.locator("#details").get_by_role("button", name="Unfold")).to_be_visible()


def test_in_an_open_group_keys_go_from_job_to_job(fmri):
    """N and P go along the row or the group, C to a child, A to a parent, Esc lets go."""
    stage, name = pane(fmri, 0).locator(".stage"), fmri.locator("#details h3")
    fmri.locator("#unfold-all").click()
    find(fmri, "first_3")
    for key, told in (
        ("n", "first_4"),
        ("n", "first_5"),
        ("p", "first_4"),
        ("a", "fringe_4"),
        ("c", "first_4"),
        ("c", "join"),
    ):
        stage.press(key)
        expect(name).to_have_text(told)
    stage.press("Escape")
    expect(fmri.locator("#details")).to_be_empty()


def test_the_mouse_is_told_what_is_below_it(fmri):
    tip = pane(fmri, 0).locator(".tip")
    stage = pane(fmri, 0).locator(".stage")
    expect(tip).to_be_hidden()
    at = next(one for one in written(fmri) if one["text"] == "join")
    stage.hover(position={"x": at["x"], "y": at["y"]})
    expect(tip).to_have_text("join: waiting")
    stage.hover(position={"x": 3, "y": 3})
    expect(tip).to_be_hidden()


def test_moving_and_zooming(fmri):
    """By keys, buttons, dragging and, once the drawing is in use, the wheel; Fit brings everything back."""
    stage = pane(fmri, 0).locator(".stage")
    stage.hover()
    first, at = picture(fmri), fmri.evaluate("scrollY")
    fmri.mouse.wheel(0, 100)
    fmri.wait_for_function("(at) => scrollY > at", arg=at)
    assert picture(fmri) == first
    seen = {first}
    for key in ("ArrowLeft", "ArrowUp", "+", "+", "-"):
        stage.press(key)
        seen.add(picture(fmri))
    assert len(seen) == 5  # + and - undo each other
    stage.press("f")
    assert picture(fmri) == first
    fmri.locator("#zoom-in").click()
    assert picture(fmri) != first
    fmri.locator("#zoom-fit").click()
    assert picture(fmri) == first
    box = stage.bounding_box()
    fmri.mouse.move(box["x"] + 100, box["y"] + 100)
    fmri.mouse.down()
    fmri.mouse.move(box["x"] + 160, box["y"] + 140, steps=4)
    fmri.mouse.up()
    assert picture(fmri) != first
    stage.press("f")
    at = fmri.evaluate("scrollY")
    fmri.mouse.wheel(0, -200)
    assert picture(fmri) != first
    assert fmri.evaluate("scrollY") == at
