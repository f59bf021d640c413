"""What a page shows depends on what is known: times, sizes, a limit, a simulation, a run; or hardly anything."""

from __future__ import annotations

import re

import pytest

from eligo import Dag, generate, write
from eligo._cli import main
from tests.browser.pages import (
    colours,
    column,
    expect,
    found_of,
    go,
    labels,
    picture,
    report,
    seen_counts,
    where,
    write_page,
)
from tests.cli.limiting import TABLE, chains
from tests.cli.running import diamond


@pytest.fixture(scope="module")
def sized(tmp_path_factory):
    """A workflow of ten jobs, and the words that name it with its times and sizes."""
    folder = tmp_path_factory.mktemp("sized")
    write(chains(), folder / "chains.dag")
    (folder / "sizes.csv").write_text(TABLE)
    return [folder / "chains.dag", "--job-data", folder / "sizes.csv"]


def missing(page):
    return page.locator("section", has=page.locator("#missing-title")).locator("li").all_inner_texts()


def test_without_sizes_nothing_is_said_of_memory(fmri):
    """But which file would add them; nor can it be a colour."""
    for which in ("#plot-memory", "#plot-limits", "#mark-peak"):
        expect(fmri.locator(which)).to_have_count(0)
    expect(fmri.locator(".card", has_text="Memory").locator(".verdict").first).to_have_text("not known")
    assert fmri.locator("#colour option").all_inner_texts() == ["state", "priority", "time"]
    assert any("--job-data TABLE" in text for text in missing(fmri))
    assert any("--simulation sweep.csv" in text for text in missing(fmri))
    assert any("--run" in text for text in missing(fmri))
    assert not any("Times of jobs" in text for text in missing(fmri))


def test_without_times_each_job_takes_one(look, tmp_path):
    """Times are then told in job times, and the page says what would add real ones."""
    page = look(write_page(tmp_path / "plain.html", found_of(generate.airsn(3))))
    assert any("time_s" in text for text in missing(page))
    page.locator("#mode").select_option(index=1)
    go(page, 2)
    expect(where(page)).to_contain_text("After 2 job times.")
    expect(page.locator("#table-jobs th")).not_to_contain_text(["time"])
    expect(page.locator("#plot-gantt")).to_contain_text("job times")


def test_no_jobs_at_all(look, tmp_path):
    """There is nothing to draw, and it is said; no link leads to what is not there."""
    page = look(write_page(tmp_path / "empty.html", found_of(Dag.from_names([]))))
    expect(page.locator(".what")).to_contain_text("a workflow without jobs")
    expect(page.locator("canvas")).to_have_count(0)
    dead = page.evaluate("[...document.querySelectorAll('a')].filter((a) => !document.querySelector(a.hash)).length")
    assert dead == 0
    page.locator("#theme").select_option("dark")
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    page.locator("#theme").select_option("auto")


def test_one_job(look, tmp_path):
    """The game has one step, and all buttons do what they can."""
    page = look(write_page(tmp_path / "one.html", found_of(Dag.from_edges(["alone"], [], []))))
    assert labels(page) == ["alone"]
    expect(where(page)).to_contain_text("Step 0 of 1.")
    page.locator("#to-end").click()
    assert seen_counts(page, 0) == {"executed": 1, "ELIGIBLE": 0}
    expect(page.locator("#fold")).to_be_disabled()
    for button in ("step-forward", "step-back", "zoom-in", "zoom-fit"):
        page.locator(f"#{button}").click()
    page.locator("#mode").select_option(index=1)
    page.locator("#to-end").click()
    assert seen_counts(page, 0) == {"executed": 1, "running": 0, "ELIGIBLE": 0}
    assert column(page.locator("#table-jobs"), 1) == ["alone"]


def test_jobs_without_edges(look, tmp_path):
    page = look(write_page(tmp_path / "loose.html", found_of(Dag.from_edges([f"j{i}" for i in range(30)], [], []))))
    assert seen_counts(page, 0) == {"executed": 0, "ELIGIBLE": 30}
    go(page, 30)
    assert seen_counts(page, 1) == {"executed": 30, "ELIGIBLE": 0}


def test_sizes_add_memory(look, sized, tmp_path):
    """A card, two plots, a colour, marks and columns; each curve with its value."""
    page = look(report(tmp_path / "sized.html", *sized))
    expect(page.locator("#plot-memory svg.figure")).to_be_visible()
    expect(page.locator("#plot-limits svg.figure")).to_be_visible()
    expect(page.locator(".card", has_text=re.compile("No execution, on any workers"))).to_have_count(1)
    assert page.locator("#colour option").all_inner_texts()[-1] in ("memory", "disk")
    expect(page.locator("#legend")).to_contain_text("runs at the worst peak")
    expect(page.locator("#game-charts svg.figure")).to_have_count(2)
    expect(page.locator("#table-jobs th").filter(has_text="at the worst peak")).to_have_count(1)
    expect(page.locator(".caption")).to_contain_text("At the worst peak of")


def test_a_limit_shows_what_it_adds(look, sized, tmp_path):
    """Added dependencies have their own colour, and the numbers are told in words."""
    page = look(report(tmp_path / "limited.html", *sized, "--memory", "7kB"))
    expect(page.locator("#legend")).to_contain_text("added by a limit")
    caption = page.locator(".caption").inner_text()
    added = int(re.search(r"(\d+) dependenc(y|ies) of a limit: dashed and green", caption)[1])
    expect(page.locator(".card", has_text="is always kept")).to_contain_text(f"With {added} added dependenc")
    expect(page.locator("#plot-memory .chart-keys")).to_contain_text("limit 7 kB")
    found = page.evaluate(
        """() => { const canvas = document.querySelector(".pane canvas");
                   const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
                   return new Uint32Array(data.buffer).includes(0xff5f8700); }"""
    )
    assert found, "no pixel has the colour of added dependencies"


def test_a_simulation_draws_its_panels(look, tmp_path):
    """Three panels, a point for each grid and ratio, and the numbers below."""
    file = tmp_path / "airsn.dag"
    write(generate.airsn(5), file)
    table = tmp_path / "sweep.csv"
    grids = ("--interarrival", "0.1,1", "--batch", "1,4", "--samples", "10", "--runs", "2", "--on", "here")
    assert main(["simulate", str(file), *grids, "-o", str(table)]) == 0
    page = look(report(tmp_path / "page.html", file, "--simulation", table))
    plot = page.locator("#plot-simulation")
    expect(plot.locator("svg.figure circle")).to_have_count(3 * 4)
    for text in ("every 0.1", "every 1", "execution time", "utilization"):
        expect(plot.locator("svg.figure")).to_contain_text(text)
    plot.locator("summary").click()
    expect(plot.locator("tbody tr")).to_have_count(3 * 4)
    indent = "(cell) => getComputedStyle(cell).paddingLeft"
    assert plot.locator("th").first.evaluate(indent) == plot.locator("td").first.evaluate(indent)
    expect(page.locator(".card").filter(has=page.get_by_role("heading", name="Simulation"))).to_have_count(1)
    assert not any("--simulation" in text for text in missing(page))


@pytest.fixture(scope="module")
def ran(tmp_path_factory):
    """A run in which c fails, so that d never starts; and the page of it."""
    folder = tmp_path_factory.mktemp("ran")
    file = folder / diamond(folder, c="exit 3")
    assert main(["run", str(file)]) == 1
    return report(folder / "page.html", file, "--run")


def test_a_run_is_shown_as_it_took_place(look, ran):
    """It has a way to be played, a Gantt chart, a card; and what failed is failed."""
    page = look(ran)
    expect(page.locator(".card", has_text="Run").locator(".verdict").last).to_have_text("1 job failed")
    assert page.locator("#plot-gantt canvas").count() == 3
    assert colours(page, "#plot-gantt canvas") > 2
    expect(page.locator("#mode option:checked")).to_have_text("the run that took place")
    expect(page.locator(".pane").nth(1)).to_be_hidden()
    before = picture(page)
    assert seen_counts(page, 0) == {"executed": 2, "running": 0, "ELIGIBLE": 0, "failed": 1}
    expect(page.locator("#legend")).to_contain_text("failed")
    page.locator("#to-start").click()
    expect(page.locator(".counts").first).not_to_contain_text("2 executed")
    assert picture(page) != before
    page.locator("#to-end").click()
    page.locator("#search").fill("d")
    page.locator("#search").press("Enter")
    expect(page.locator("#details dd").first).to_have_text("waiting")


def test_a_run_is_told_in_seconds(look, ran):
    """Also where the workflow knows no times: clocks measured it."""
    page = look(ran)
    page.locator("#mode").select_option(label="the run that took place")
    page.locator("#to-end").click()
    expect(where(page)).to_have_text(re.compile(r"^After [\d.]+ s\. "))
    runs = page.locator("#plot-gantt .chart-title")
    expect(runs.filter(has_text="the run on local")).to_have_text(re.compile(r"over after [\d.]+ s,"))
    expect(runs.filter(has_text="fifo on")).to_contain_text("job times")


def test_without_a_script_the_page_still_tells_what_was_found(look, fmri_page):
    """Cards, captions and what is missing are there before any script runs."""
    page = look(fmri_page, java_script_enabled=False)
    expect(page.locator(".card").first).to_contain_text("AREA 1,263 against 673")
    expect(page.locator(".problem")).to_be_visible()
