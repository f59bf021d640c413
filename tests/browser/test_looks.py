"""How it looks: colours, themes, on paper, on a telephone."""

from __future__ import annotations

import re

import pytest

from eligo import Data, footprint, generate
from tests.browser.pages import contrast, expect, found_of, go, labels, pane, picture, width, write_page, written

PHONE = (390, 844)
DARK, LIGHT = "rgb(20, 23, 27)", "rgb(255, 255, 255)"
COLOURS = ("state", "priority", "time", "memory")


@pytest.fixture(scope="module")
def full_page(tmp_path_factory):
    """The workflow of fMRI, each job with a time and a file for those behind it: all parts of a page."""
    dag = generate.airsn(6)
    readers = [dag.children(job).tolist() for job in range(dag.n)]
    data = Data.build([10 + job for job in range(dag.n)], range(dag.n), readers, [f"f{job}" for job in range(dag.n)])
    dag = dag.with_known(data=data, time_s=[1.0 + job % 7 for job in range(dag.n)])
    return write_page(tmp_path_factory.mktemp("full") / "full.html", found_of(dag, footprint=footprint(dag)))


def background(page):
    return page.evaluate("getComputedStyle(document.body).backgroundColor")


def test_each_colouring_is_another_picture_with_its_own_legend(look, full_page):
    page = look(full_page)
    seen, legends = set(), set()
    for colour in COLOURS:
        page.locator("#colour").select_option(colour)
        seen.add(picture(page))
        legends.add(page.locator("#legend").inner_text())
    assert len(seen) == len(legends) == 4
    page.locator("#colour").select_option("priority")
    n = int(page.locator("#position").get_attribute("max"))
    assert page.locator("#legend span").all_inner_texts()[:3] == ["1", str(round((n + 1) / 2)), str(n)]
    assert picture(page, 0) != picture(page, 1)  # priorities are those of each strategy
    legend = page.locator("#legend").inner_text()
    page.locator("#mode").select_option(index=1)  # on workers, where each pane still has one
    assert page.locator("#legend").inner_text() == legend


def test_the_worst_peak_can_be_marked(look, full_page):
    """The button takes the marks away and brings them back."""
    page = look(full_page)
    marked = picture(page)
    button = page.locator("#mark-peak")
    for pressed in ("false", "true"):
        button.click()
        expect(button).to_have_attribute("aria-pressed", pressed)
        assert (picture(page) == marked) == (pressed == "true")


def test_the_theme_changes_at_once_and_is_kept(look, fmri_page):
    """In the page, in the drawing, and after loading again; until then it is that of the system."""
    page = look(fmri_page, own=True)
    assert background(page) == LIGHT
    light = picture(page)
    page.emulate_media(color_scheme="dark")
    assert background(page) == DARK
    assert picture(page) != light
    page.emulate_media(color_scheme="light")
    assert picture(page) == light
    page.locator("#theme").select_option("dark")
    assert background(page) == DARK
    assert picture(page) != light
    page.reload()
    page.wait_for_selector("html[data-ready=true]", state="attached")
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    expect(page.locator("#theme")).to_have_value("dark")
    assert background(page) == DARK
    page.locator("#theme").select_option("light")
    assert background(page) == LIGHT
    assert picture(page) == light


@pytest.mark.parametrize("scheme", [pytest.param("light", marks=pytest.mark.long), "dark"])
def test_names_can_be_read_on_their_boxes(look, full_page, scheme):
    """In each state, and on each shade, the contrast is that of WCAG AA for text."""
    page = look(full_page, scheme=scheme, size=(2400, 1600))
    page.locator("#mode").select_option(index=1)  # on workers, where jobs run
    page.locator("#mark-peak").click()  # or marks would be what is below the names
    page.locator("#fold").click()
    expect(page.locator("#fold")).to_have_attribute("aria-pressed", "false")
    for _ in range(3):
        page.locator("#zoom-in").click()
    seen = {}
    for colour in COLOURS:
        page.locator("#colour").select_option(colour)
        for position in (3, 20):
            go(page, position)
            seen |= {(one["ink"], one["below"]): f"{one['text']}, by {colour}" for one in written(page)}
    poor = {text: round(contrast(*pair), 1) for pair, text in seen.items() if contrast(*pair) < 4.5}
    assert len(seen) > 10
    assert poor == {}


def test_on_paper_there_are_no_controls(look, fmri_page):
    """And it is black on white, whatever the screen shows."""
    page = look(fmri_page, scheme="dark")
    page.locator("#search").fill("join")
    page.locator("#search").press("Enter")
    page.emulate_media(media="print")
    for which in (".toolbar", ".transport", ".top-tools", ".keys", ".tools button >> nth=0", ".skip", "#details"):
        expect(page.locator(which)).to_be_hidden()
    for which in (".cards", ".panes", "#where", "#plot-profile svg.figure", "#table-jobs table", ".caption"):
        expect(page.locator(which)).to_be_visible()
    assert background(page) == LIGHT
    assert "#e8eaed" not in {one["ink"] for one in written(page)}  # the ink of a dark screen


@pytest.mark.long
def test_it_can_be_printed(look, fmri_page):
    """Chromium makes some sheets of it: the same from a dark screen as from a light one."""
    sheets = []
    for scheme in ("dark", "light"):
        pdf = look(fmri_page, scheme=scheme).pdf(format="A4")
        assert pdf.startswith(b"%PDF")
        assert 2 <= len(re.findall(rb"/Type\s*/Page\b", pdf)) <= 12
        sheets.append(re.sub(rb"(/CreationDate|/ModDate) ?\(.*?\)", b"", pdf))
    assert sheets[0] == sheets[1]


def test_on_a_telephone_nothing_sticks_out(look, full_page):
    """The panes stand below each other, wide tables scroll in themselves, and the page does not."""
    page = look(full_page, size=PHONE, scheme="dark")
    wide, inner = width(page)
    assert wide <= inner == PHONE[0]
    left, right = (pane(page, number).bounding_box() for number in (0, 1))
    assert right["y"] >= left["y"] + left["height"]
    assert left["x"] == right["x"]
    assert labels(page)
    page.locator("#search").fill("join")
    page.locator("#search").press("Enter")
    for details in page.locator("summary").all():
        details.click()
    assert width(page)[0] <= inner


@pytest.mark.long
def test_fingers_find_what_they_need(look, full_page):
    """With touch a tap chooses, and controls are at least 24 pixels high, as WCAG 2.2 asks."""
    page = look(full_page, size=PHONE, has_touch=True)
    at = next(one for one in written(page) if one["text"] == "join")
    pane(page, 0).locator(".stage").tap(position={"x": at["x"], "y": at["y"]})
    expect(page.locator("#details h3")).to_have_text("join")
    small = page.evaluate(
        """() => [...document.querySelectorAll("button, select, input")].filter((one) => one.checkVisibility())
             .map((one) => [one.textContent || one.id, one.getBoundingClientRect()])
             .filter(([, box]) => box.height < 24 || box.width < 24).map(([text]) => text)"""
    )
    assert small == []


@pytest.mark.long
def test_a_window_that_grows_shows_everything_again(look, fmri_page):
    """The drawing and the plots take the new room."""
    page = look(fmri_page, size=PHONE)
    narrow = page.locator("#plot-profile svg.figure").get_attribute("viewBox")
    before = pane(page, 0).locator(".stage").bounding_box()["width"]
    page.set_viewport_size({"width": 1200, "height": 900})
    expect(page.locator("#plot-profile svg.figure")).not_to_have_attribute("viewBox", narrow)
    assert pane(page, 0).locator(".stage").bounding_box()["width"] > before
    assert {"fringe", "handle", "first", "join", "second", "last"} <= set(labels(page))
    assert page.locator("#plot-gantt canvas").first.evaluate("(canvas) => canvas.width === canvas.clientWidth")
