"""Pages of many jobs."""

from __future__ import annotations

import pytest

import eligo
from eligo import Dag, generate
from tests.browser.pages import column, expect, found_of, go, picture, seen_counts, where, write_page

SDSS = 48_013


def test_a_thousand_jobs_are_less_than_two_megabytes(tmp_path):
    """Small enough to be sent by mail, also where hardly any two are equal."""
    page = write_page(tmp_path / "page.html", found_of(generate.daggen(1000, density=0.2, seed=1)))
    assert page.stat().st_size < 2_000_000


@pytest.fixture(scope="module")
def sdss():
    return generate.sdss(SDSS)


@pytest.fixture(scope="module")
def sdss_page(sdss, tmp_path_factory):
    return write_page(tmp_path_factory.mktemp("sdss") / "sdss.html", found_of(sdss))


@pytest.mark.long
def test_a_sky_survey(look, sdss, sdss_page):
    """48,013 jobs: loads, steps, opens, searches and sorts."""
    page = look(sdss_page)
    best = eligo.prioritize(sdss)
    for step in (0, 1, 20_000, SDSS):
        go(page, step)
        told = {"executed": step, "ELIGIBLE": int(best.schedule.profile[step])}
        assert seen_counts(page, 0) == told
        assert seen_counts(page, 1) == told | {"ELIGIBLE": int(best.fifo.profile[step])}
    folded = picture(page)
    page.locator("#unfold-all").click()
    expect(page.locator("#unfold-all")).to_have_text("Close all groups")
    assert picture(page) != folded
    go(page, 30_000)
    opened = picture(page)
    go(page, 40_000)
    assert picture(page) != opened
    page.locator("#step-forward").click()
    expect(where(page)).to_contain_text("Step 40,001 of 48,013.")
    name = sdss.names[30_000]
    page.locator("#search").fill(name)
    page.locator("#search").press("Enter")
    expect(page.locator("#details h3")).to_have_text(name)
    table = page.locator("#table-jobs")
    table.locator("th:first-child button").click()
    assert column(table, 1) == sorted(sdss.names)[:50]
    table.get_by_label("Filter Jobs").fill(name)
    assert name in column(table, 1)
    page.locator("#mode").select_option(index=1)
    page.locator("#to-end").click()
    assert seen_counts(page, 1) == {"executed": SDSS, "running": 0, "ELIGIBLE": 0}


@pytest.mark.long
def test_many_jobs_that_are_not_equal(look, tmp_path):
    """Ten thousand jobs of a random dag, drawn one by one."""
    dag = generate.daggen(10_000, density=0.02, seed=2)
    page = look(write_page(tmp_path / "random.html", found_of(dag)))
    folded = picture(page)
    page.locator("#fold").click()
    expect(page.locator("#fold")).to_have_attribute("aria-pressed", "false")
    before = picture(page)
    assert before != folded
    go(page, 5_000)
    assert seen_counts(page, 0)["executed"] == 5_000
    assert picture(page) != before


@pytest.mark.long
def test_a_hundred_and_fifty_thousand_jobs(look, tmp_path):
    """Behind one: no list of jobs may be taken for the arguments of a call, of which there can be fewer."""
    n = 150_000
    fork = Dag.from_edges([f"job {i}" for i in range(n)], [0] * (n - 1), range(1, n))
    page = look(write_page(tmp_path / "wide.html", found_of(fork)))
    assert seen_counts(page, 0) == {"executed": 0, "ELIGIBLE": 1}
    go(page, 1)
    assert seen_counts(page, 0) == {"executed": 1, "ELIGIBLE": n - 1}
    page.locator("#unfold-all").click()
    page.locator("#mode").select_option(index=1)
    page.locator("#to-end").click()
    assert seen_counts(page, 1)["executed"] == n
