"""A run as it goes on, watched in a browser: ``eligo run --watch``, and its page with any state one likes."""

from __future__ import annotations

import re
from contextlib import contextmanager

import pytest

from eligo import Dag
from eligo.report._page.live_server import LivePage, LiveState
from eligo.report._page.render import render
from tests.browser.pages import FMRI, expect, found_of, go, painted, seen_counts, where
from tests.cli.running import WAITS, diamond, started

DONE = """(least) => {
  const found = /(\\d+) of 83/.exec(document.getElementById("live-text").textContent);
  return found !== null && Number(found[1]) >= least;
}"""


def told(page):
    return page.locator("#live-text")


def address(process):
    """Return where a run says that it can be watched."""
    for _ in range(20):
        found = re.search(r"watch it at (\S+)", process.stderr.readline())
        if found:
            return found[1]
    raise AssertionError("it does not say where")


@contextmanager
def served(look, dag):
    """A page of a run that does what the test says."""
    n = dag.n
    state = LiveState(n, status=[0] * n, start_s=[None] * n, end_s=[None] * n, worker=[-1] * n)
    with LivePage(state, lambda _: render(found_of(dag), live=True)) as server:
        yield look(server.url), state, server
        state.finish("The test is over.", 0)  # or the page would ask for ever


def chain():
    """a -> b -> c -> d"""
    return Dag.from_names([("a", "b"), ("b", "c"), ("c", "d")])


def test_a_real_run_from_its_middle_to_its_end(look, tmp_path):
    """b waits until the test lets it go on, and c fails: d never starts.

    a -+-> b -+-> d
       '-> c -'
    """
    file = diamond(tmp_path, b=WAITS, c="echo no licence >&2; exit 3")
    with started(tmp_path, file, "--watch", "0", "-j", "2") as process:
        page = look(address(process))
        expect(told(page)).to_contain_text("1 of 4 jobs done, 1 running, 0 ELIGIBLE, 1 waiting, 1 failed.")
        expect(page.locator("#live-notes")).to_contain_text("c failed")
        expect(page.locator("#live-bar > .failed")).to_have_count(1)
        assert seen_counts(page, 0) == {"executed": 1, "running": 1, "ELIGIBLE": 0, "failed": 1}
        page.reload()
        expect(told(page)).to_contain_text("1 of 4 jobs done, 1 running")
        expect(page.locator("#live-notes")).to_contain_text("c failed")
        (tmp_path / "go").touch()
        expect(told(page)).to_have_text(
            "The run is over. 2 of 4 jobs done, 0 running, 0 ELIGIBLE, 1 waiting, 1 failed."
        )
        assert process.wait(30) == 1
        assert seen_counts(page, 0) == {"executed": 2, "running": 0, "ELIGIBLE": 0, "failed": 1}
        page.locator("#search").fill("c")
        page.locator("#search").press("Enter")
        expect(page.locator("#details dd").first).to_have_text("failed")


def test_what_happens_is_seen_at_once(look):
    """The text, the bar, the pane and the slider all follow."""
    with served(look, chain()) as (page, state, _):
        expect(told(page)).to_contain_text("0 of 4 jobs done, 0 running, 1 ELIGIBLE, 3 waiting.")
        for job in range(2):
            state.change(job + 0.5, [(job, 1, float(job), None, 0)])
            expect(told(page)).to_contain_text(f"{job} of 4 jobs done, 1 running")
            state.change(job + 1.0, [(job, 2, float(job), job + 0.75, 0)])
            expect(told(page)).to_contain_text(f"{job + 1} of 4 jobs done, 0 running")
            assert seen_counts(page, 0)["executed"] == job + 1
            last = page.locator("#position").get_attribute("max")
            expect(page.locator("#position")).to_have_value(last)
        expect(told(page)).to_have_text(re.compile(r"^After [2-9][\d.]* s: 2 of 4"))  # no job times: clocks measured it
        expect(where(page)).to_have_text(re.compile(r"^After 1\.75 s\. "))
        state.finish("The run is over.", 0)
        expect(told(page)).to_have_text(re.compile("^The run is over. 2 of 4 jobs done"))


def test_who_looks_back_is_left_in_peace(look):
    """What happens meanwhile changes neither the slider nor what is seen; at the end one follows again."""
    with served(look, chain()) as (page, state, _):
        state.change(2.0, [(0, 2, 0.5, 1.0, 0), (1, 1, 1.5, None, 0)])
        expect(told(page)).to_contain_text("1 of 4 jobs done, 1 running")
        go(page, 1)
        assert seen_counts(page, 0) == {"executed": 0, "running": 1, "ELIGIBLE": 0}
        before = where(page).inner_text()
        state.change(4.0, [(1, 2, 1.5, 2.5, 0), (2, 1, 3.0, None, 0)])
        expect(told(page)).to_contain_text("2 of 4 jobs done, 1 running")
        expect(page.locator("#position")).to_have_value("1")
        assert where(page).inner_text() == before
        page.locator("#to-end").click()
        state.change(6.0, [(2, 2, 3.0, 5.0, 0)])
        expect(told(page)).to_contain_text("3 of 4 jobs done, 0 running")
        assert seen_counts(page, 0)["executed"] == 3


def test_who_looks_back_stays_at_the_moment_when_news_come_late(look):
    """An engine may tell of an earlier moment only now, or try a job again: the moment is the same, not its number."""
    dag = Dag.from_edges(["a", "b", "c"], [], [])
    with served(look, dag) as (page, state, _):
        state.change(5.0, [(0, 2, 1.0, 4.0, 0), (1, 1, 5.0, None, 1)])
        expect(told(page)).to_contain_text("1 of 3 jobs done, 1 running")
        go(page, 2)
        expect(where(page)).to_contain_text("After 4 s.")
        state.change(6.0, [(2, 2, 2.0, 3.0, 1)])
        expect(told(page)).to_contain_text("2 of 3 jobs done")
        expect(where(page)).to_contain_text("After 4 s.")
        assert seen_counts(page, 0)["executed"] == 2


@pytest.mark.long
def test_a_job_that_is_tried_again_runs_again(look):
    """And of ten thousand messages, only the last are kept."""
    with served(look, chain()) as (page, state, _):
        state.change(2.0, [(0, 3, 0.5, 1.0, 0)], ["a failed: no licence"])
        expect(told(page)).to_contain_text("1 failed")
        state.change(3.0, [(0, 1, 2.5, None, 0)], ["a is tried again"])
        expect(told(page)).to_contain_text("0 of 4 jobs done, 1 running, 0 ELIGIBLE, 3 waiting.")
        notes = page.locator("#live-notes li")
        expect(notes).to_have_text(["a failed: no licence", "a is tried again"])
        for begin in range(0, 1000, 100):
            state.change(4.0, [], [f"note {i}" for i in range(begin, begin + 100)])
        expect(notes.last).to_have_text("note 999")
        assert notes.count() <= 200
        assert page.locator("#live-notes").bounding_box()["height"] < 300


@pytest.mark.long
def test_the_other_ways_to_play_do_not_follow(look):
    """Who plays the schedule is not brought back to the run."""
    with served(look, chain()) as (page, state, _):
        page.locator("#mode").select_option(label="one job at a time")
        go(page, 3)
        state.change(2.0, [(0, 2, 0.5, 1.0, 0)])
        expect(told(page)).to_contain_text("1 of 4 jobs done")
        expect(where(page)).to_contain_text("Step 3 of 4.")
        page.locator("#mode").select_option(label="the run, live")
        assert seen_counts(page, 0)["executed"] == 1


@pytest.mark.long
def test_the_focus_stays_in_the_details_of_a_run(look):
    """News come several times a second: who reads the details with the keyboard must be able to go on."""
    with served(look, chain()) as (page, state, _):
        page.locator("#search").fill("b")
        page.locator("#search").press("Enter")
        page.locator("#details button").first.focus()
        state.change(2.0, [(0, 2, 0.5, 1.0, 0)])
        expect(page.locator("#details dd").first).to_have_text("ELIGIBLE")
        expect(page.locator("#details button").first).to_be_focused()


def test_without_the_token_nothing_is_shown(look, faults):
    with served(look, chain()) as (page, _, server):
        for words in ("", "?token=", "?token=wrong"):
            answer = page.goto(f"http://127.0.0.1:{server.port}/{words}")
            assert answer.status == 403
            assert "use the whole address" in page.locator("body").inner_text()
            assert page.locator("canvas").count() == 0
    assert faults == 3 * ["error: Failed to load resource: the server responded with a status of 403 (Forbidden)"]
    faults.clear()


@pytest.mark.long
def test_a_run_that_goes_away_is_told(look, faults):
    """The page says so, shows what it knew, and goes on to work."""
    with served(look, chain()) as (page, state, server):
        state.change(2.0, [(0, 2, 0.5, 1.0, 0)])
        expect(told(page)).to_contain_text("1 of 4 jobs done")
        server.close()
        expect(told(page)).to_contain_text("The run does not answer")
        assert seen_counts(page, 0)["executed"] == 1
        go(page, 0)
        assert seen_counts(page, 0)["executed"] == 0
        page.goto("about:blank")
    assert all("ERR_CONNECTION_REFUSED" in fault for fault in faults)
    faults.clear()  # the browser tells that it tries to connect again


@pytest.mark.long
def test_a_larger_run_is_seen_to_rise(look, tmp_path):
    """The counts of fMRI rise from few to all; somebody looks back, comes again, and sees the end."""
    state = ["--state", str(tmp_path / "state")]
    words = [str(FMRI), "--command", "sleep 0.2", "--watch", "0", "-j", "4", *state]
    with started(tmp_path, *words) as process:
        page = look(address(process))
        seen = [0]
        for least in (10, 30, 60):
            page.wait_for_function(DONE, arg=least)
            if least == 30:
                go(page, 5)
                painted(page)
                before = where(page).inner_text()
                page.wait_for_timeout(1000)
                assert where(page).inner_text() == before
                page.reload()
                expect(told(page)).to_contain_text("of 83 jobs done")
            seen.append(seen_counts(page, 0)["executed"])
        assert seen == sorted(seen)
        expect(told(page)).to_contain_text("The run is over. 83 of 83 jobs done")
        assert process.wait(30) == 0
