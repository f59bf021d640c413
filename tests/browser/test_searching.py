"""Finding a job by its name."""

from __future__ import annotations

import pytest

from tests.browser.pages import active, expect, labels, picture


@pytest.fixture
def search(fmri):
    return fmri.locator("#search")


@pytest.fixture
def count(fmri):
    return fmri.locator("#search-count")


def chosen(page):
    return page.locator("#details h3")


def test_what_fits_is_counted(search, count):
    """A part will do, in upper or lower case, with blanks around it; Esc forgets it."""
    for words, told in (
        ("handle", "21"),
        ("_1", "44"),
        ("JOIN", "1"),
        ("  last ", "1"),
        ("no such job", "none"),
        ("", ""),
    ):
        search.fill(words)
        expect(count).to_have_text(told)
    search.fill("handle")
    search.press("Escape")
    expect(search).to_have_value("")
    expect(count).to_have_text("")


def test_enter_goes_to_the_exact_name_first(fmri, search, count):
    """The group of the job opens, its details are shown, and the focus stays, so that Enter goes on."""
    search.fill("handle_1")
    assert "handle × 21" not in labels(fmri)
    search.press("Enter")
    expect(count).to_have_text("1 of 11")
    expect(chosen(fmri)).to_have_text("handle_1")
    assert "handle × 21" in labels(fmri)
    assert active(fmri) == "search"
    search.press("Enter")
    expect(chosen(fmri)).to_have_text("handle_10")
    search.press("Shift+Enter")
    expect(chosen(fmri)).to_have_text("handle_1")


def test_next_and_previous_go_round(fmri, search, count):
    """Next begins with the first, previous with the last."""
    search.fill("first_1")
    for button, told, name in (
        ("next", "1 of 11", "first_1"), ("next", "2 of 11", "first_10"), ("previous", "1 of 11", "first_1"),
        ("previous", "11 of 11", "first_19"), ("next", "1 of 11", "first_1"),
    ):  # fmt: skip
        fmri.locator(f"#search-{button}").click()
        expect(count).to_have_text(told)
        expect(chosen(fmri)).to_have_text(name)
    search.fill("handle")
    fmri.locator("#search-previous").click()
    expect(count).to_have_text("21 of 21")
    expect(chosen(fmri)).to_have_text("handle_20")


def test_where_nothing_fits_nothing_happens(fmri, search, count):
    before = picture(fmri)
    search.fill("no such job")
    search.press("Enter")
    fmri.locator("#search-next").click()
    fmri.locator("#search-previous").click()
    expect(count).to_have_text("none")
    expect(chosen(fmri)).to_have_count(0)
    assert picture(fmri) == before


def test_details_tell_what_a_job_is(fmri, search):
    """Its state in both panes, priorities, level and time; and its neighbours, to which one can go."""
    search.fill("join")
    search.press("Enter")
    details = fmri.locator("#details")
    for name, told in (
        ("level", "23"),
        ("best (prio)", "waiting"),
        ("fifo", "waiting"),
        ("priority", "22 (best (prio)), 22 (fifo)"),
    ):
        expect(details.locator("dt", has_text=name).locator("+ dd").first).to_have_text(told)
    before = details.get_by_role("button", name="first_", exact=False)
    assert before.count() == 12
    expect(details).to_contain_text("and 8 more")
    before.first.click()
    expect(chosen(fmri)).to_have_text("first_0")
    assert active(fmri) == "stage"
