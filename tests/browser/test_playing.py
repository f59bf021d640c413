"""The pebble game: wherever the slider stands, the page says what a plain computation says."""

from __future__ import annotations

import re

import numpy as np
import pytest

import eligo
from tests.browser.pages import FMRI, expect, found_of, go, pane, picture, played, report, seen_counts, where

STEPS = (0, 1, 21, 41, 62, 83)


@pytest.fixture(scope="module")
def dag():
    return eligo.read(FMRI)


@pytest.fixture(scope="module")
def best(dag):
    return eligo.prioritize(dag)


def test_counts_of_both_orders_are_those_of_brute_force(fmri, dag, best):
    """At each step as many jobs are executed and ELIGIBLE as if one looks at all of them; the next one is named."""
    told = [played(dag, schedule.order) for schedule in (best.schedule, best.fifo)]
    runs = [[dag.names[job] for job in schedule.order] for schedule in (best.schedule, best.fifo)]
    for step in STEPS:
        go(fmri, step)
        for number, label in enumerate(("best (prio)", "fifo")):
            counts = told[number][step]
            assert seen_counts(fmri, number) == counts
            said = f"{label}: {counts['executed']} executed, {counts['ELIGIBLE']} ELIGIBLE"
            expect(where(fmri)).to_contain_text(
                said if step == 83 else f"{said}; \u2068{runs[number][step]}\u2069 runs"
            )
        expect(where(fmri)).to_have_text(re.compile(rf"^Step {step} of 83\. "))
        expect(fmri.locator("#position")).to_have_attribute("aria-valuetext", where(fmri).inner_text())


def test_the_legends_tell_the_profiles_at_the_cursor(fmri, best):
    """The values beside the curves are E(t), and the cursor moves to the right."""
    before = -1.0
    for step in STEPS:
        go(fmri, step)
        keys = fmri.locator("#game-charts .chart-keys").first.locator("> span")
        values = [int(text) for text in keys.locator("> span").all_inner_texts()]
        assert values == [best.schedule.profile[step], best.fifo.profile[step]]
        now = float(fmri.locator("#game-charts .cursor").first.get_attribute("x1"))
        assert now > before
        before = now


def test_every_step_changes_the_drawing(fmri):
    """Of both panes; and going back shows what was there before."""
    seen = []
    for step in range(4):
        go(fmri, step)
        seen.append((picture(fmri, 0), picture(fmri, 1)))
    assert len({one for one, _ in seen}) == len({one for _, one in seen}) == 4
    go(fmri, 1)
    assert (picture(fmri, 0), picture(fmri, 1)) == seen[1]


def test_step_buttons(fmri):
    """They go by one, and to the ends, and not beyond."""
    for button, step in (
        ("step-back", 0), ("step-forward", 1), ("step-forward", 2), ("step-back", 1), ("to-end", 83),
        ("step-forward", 83), ("step-back", 82), ("to-start", 0),
    ):  # fmt: skip
        fmri.locator(f"#{button}").click()
        expect(where(fmri)).to_contain_text(f"Step {step} of 83.")
        expect(fmri.locator("#position")).to_have_value(str(step))


def test_play_goes_on_until_it_is_paused(fmri):
    play, where_now = fmri.locator("#play"), where(fmri)
    fmri.locator("#speed").select_option("4")
    expect(play).to_have_attribute("aria-pressed", "false")
    play.click()
    expect(play).to_have_attribute("aria-pressed", "true")
    expect(play).to_contain_text("pause")
    expect(where_now).to_have_text(re.compile(r"^Step [1-9]"))
    expect(where_now).to_have_attribute("aria-live", "off")  # or a screen reader would never stop
    play.click()
    expect(play).to_contain_text("play")
    expect(where_now).to_have_attribute("aria-live", "polite")
    stopped = where_now.inner_text()
    fmri.wait_for_timeout(300)
    assert where_now.inner_text() == stopped


@pytest.mark.long
def test_play_ends_at_the_end_and_begins_again(fmri):
    fmri.locator("#speed").select_option("16")
    go(fmri, 80)
    fmri.locator("#play").click()
    expect(where(fmri)).to_contain_text("Step 83 of 83.")
    expect(fmri.locator("#play")).to_contain_text("play")
    fmri.locator("#play").click()
    expect(where(fmri)).not_to_contain_text("Step 83 of 83.")
    fmri.locator("#play").click()


def test_counts_on_workers_are_those_of_the_trace(fmri, dag):
    """A job runs from its start to its end; it is ELIGIBLE from the end of its last parent to its start."""
    found = found_of(dag)
    fmri.locator("#mode").select_option(label=f"on {found.workers} workers")
    times = [[each.trace.start_s.astype("f4"), each.trace.end_s.astype("f4")] for each in found.strategies]
    moments = np.unique(np.concatenate([[0], *times[0], *times[1]]))
    assert fmri.locator("#position").get_attribute("max") == str(len(moments) - 1)
    for position in (0, 1, 30, len(moments) // 2, len(moments) - 2, len(moments) - 1):
        go(fmri, position)
        now = moments[position]
        for number, (start, end) in enumerate(times):
            ready = [all(end[parent] <= now for parent in dag.parents(job)) for job in range(dag.n)]
            told = {
                "executed": int((end <= now).sum()),
                "running": int(((start <= now) & (now < end)).sum()),
                "ELIGIBLE": int((ready & (start > now)).sum()),
            }
            assert seen_counts(fmri, number) == told


@pytest.mark.long
def test_more_strategies_can_be_chosen(look, dag, tmp_path):
    """Each pane has a choice of them, and shows the chosen one at the step where it was."""
    page = look(report(tmp_path / "six.html", FMRI, "--strategies", "best,fifo,lifo,critical-path"))
    go(page, 25)
    chosen = pane(page, 1).get_by_label("Strategy on the right")
    chosen.select_option("critical-path")
    order = eligo.prioritize(dag, "critical-path").schedule.order
    assert seen_counts(page, 1) == played(dag, order)[25]
    expect(where(page)).to_contain_text("Step 25 of 83.")
    expect(chosen).to_have_value("3")
