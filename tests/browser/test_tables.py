"""Tables: sorted, filtered, a page at a time, and taken along as CSV."""

from __future__ import annotations

import csv
import io

import pytest

import eligo
from eligo import Dag
from tests.browser.pages import column, expect, found_of, write_page

# 70 jobs behind one another in pairs, some with names that a spreadsheet would take for something else.
ODD = ["=1+2", "+3", "-4", "@sum", "a,b", 'say "hi"', "it's", "semi;colon", "ümlaut", "'quoted"]
NAMES = [*ODD, *(f"job{i:02}" for i in range(60))]
TIMES = [float(1 + 7 * i % 13) for i in range(70)]


@pytest.fixture(scope="module")
def dag():
    """Job i is before job i + 35, for i < 35."""
    return Dag.from_edges(NAMES, range(35), range(35, 70), time_s=TIMES)


@pytest.fixture(scope="module")
def best(dag):
    return eligo.prioritize(dag)


@pytest.fixture(scope="module")
def odd_page(dag, tmp_path_factory):
    return write_page(tmp_path_factory.mktemp("odd") / "odd.html", found_of(dag))


@pytest.fixture
def page(look, odd_page):
    return look(odd_page)


@pytest.fixture
def table(page):
    return page.locator("#table-jobs")


def saved(page, table):
    """Return the rows of the file that the button gives, and its name."""
    with page.expect_download() as download:
        table.get_by_role("button", name="Download CSV").click()
    raw = download.value.path().read_bytes()
    assert raw.decode("utf-8").endswith("\r\n")
    return list(csv.DictReader(io.StringIO(raw.decode("utf-8"), newline=""))), download.value.suggested_filename


def test_columns_sort_both_ways(table, dag):
    """Numbers begin with the largest, texts with the first; ties keep the order of the file."""
    for number, title, key, down in (
        (1, "job", lambda job: NAMES[job], False),
        (7, "time_s", lambda job: TIMES[job], True),
        (4, "level", lambda job: 1 + (job >= 35), True),
    ):
        head = table.locator(f"th:nth-child({number})")
        for reverse in (down, not down):
            head.get_by_role("button").click()
            expect(head).to_have_attribute("aria-sort", "descending" if reverse else "ascending")
            expect(head.get_by_role("button")).to_have_text(f"{title} {'▾' if reverse else '▴'}")
            jobs = sorted(range(70), key=key, reverse=reverse)
            assert column(table, 1) == [NAMES[job] for job in jobs[:50]]
    assert table.locator("th[aria-sort=none]").count() == table.locator("th").count() - 1


def test_pages_turn(table, best):
    """At first the jobs stand in the order found, with their priorities."""
    assert column(table, 1) == [NAMES[job] for job in best.schedule.order[:50]]
    assert column(table, 2) == [str(70 - i) for i in range(50)]
    fifo = {NAMES[job]: str(70 - i) for i, job in enumerate(best.fifo.order)}
    assert column(table, 3) == [fifo[name] for name in column(table, 1)]
    before, after = table.get_by_role("button", name="‹ previous"), table.get_by_role("button", name="next ›")
    state = table.get_by_role("status")
    expect(state).to_have_text("1 to 50 of 70 rows")
    expect(before).to_be_disabled()
    after.click()
    expect(state).to_have_text("51 to 70 of 70 rows")
    expect(after).to_be_disabled()
    assert column(table, 1) == [NAMES[job] for job in best.schedule.order[50:]]
    before.click()
    expect(state).to_have_text("1 to 50 of 70 rows")


def test_a_filter_leaves_what_fits(page, table):
    """On the page, and in the file."""
    box, state = table.get_by_label("Filter Jobs"), table.get_by_role("status")
    box.fill("JOB5")
    expect(state).to_have_text("10 that fit, of 70 rows")
    assert sorted(column(table, 1)) == [f"job5{i}" for i in range(10)]
    expect(table.get_by_role("button", name="next ›")).to_be_hidden()
    box.fill("nothing is called so")
    expect(state).to_have_text("0 that fit, of 70 rows")
    expect(table.locator("tbody tr")).to_have_count(0)
    box.fill("=")
    rows, _ = saved(page, table)
    assert [row["job"] for row in rows] == ["'=1+2"]
    box.fill("")
    expect(state).to_have_text("1 to 50 of 70 rows")


def test_a_name_leads_to_the_job(page, table):
    table.get_by_role("button", name="job07", exact=True).click()
    expect(page.locator("#details h3")).to_have_text("job07")
    expect(page.locator(".stage").first).to_be_focused()


def test_csv_has_all_rows_in_the_order_shown(page, table, dag, best):
    """Every job once, as it would be computed; a quote stands before what a spreadsheet would compute."""
    rows, name = saved(page, table)
    assert name == "jobs.csv"
    harmless = {text: f"'{text}" for text in ("=1+2", "+3", "-4", "@sum")}
    levels = eligo.graph.levels(dag)
    priority = {int(job): 70 - i for i, job in enumerate(best.schedule.order)}
    fifo = {int(job): 70 - i for i, job in enumerate(best.fifo.order)}
    first = best.schedule.order[0]
    ready = {job for job in range(70) if not len(dag.parents(job))}
    for row, job in zip(rows, best.schedule.order.tolist(), strict=True):
        assert row["job"] == harmless.get(NAMES[job], NAMES[job])
        assert row["priority, best (prio)"] == str(priority[job])
        assert row["priority, fifo"] == str(fifo[job])
        assert row["level"] == str(levels[job] + 1)
        assert row["parents"] == str(len(dag.parents(job)))
        assert row["children"] == str(len(dag.children(job)))
        assert float(row["time_s"]) == TIMES[job]
        assert row["state"] == ("running" if job == first else "ELIGIBLE" if job in ready else "waiting")


def test_csv_keeps_the_digits_of_times_and_sizes(look, tmp_path):
    """0.1 seconds are not 0.10000000149, nor 1,234,567,891 bytes 1,234,567,936."""
    from eligo import Data, footprint

    plain = Dag.from_edges(["make", "use"], [0], [1], time_s=[0.1, 12345.678])
    known = plain.with_known(data=Data.build([1_234_567_891], [0], [[1]], ["made"]))
    page = look(write_page(tmp_path / "digits.html", found_of(known, footprint=footprint(known))))
    rows, _ = saved(page, page.locator("#table-jobs"))
    assert {row["job"]: row["time_s"] for row in rows} == {"make": "0.1", "use": "12345.678"}
    assert {row["disk while it runs"] for row in rows} == {"1234567891"}


def test_other_tables_can_be_taken_along_too(page):
    for which, name in (("classes", "classes.csv"), ("blocks", "blocks.csv")):
        table = page.locator(f"#table-{which}")
        rows, file = saved(page, table)
        assert file == name
        assert len(rows) == table.locator("tbody tr").count()


def test_states_in_the_table_follow_the_game(page, table, best):
    """The state is what it is at the step that is shown, also in the file."""
    page.locator("#position").fill("1")
    first = NAMES[best.schedule.order[0]]
    expect(table.locator("tr", has_text=first).first).to_contain_text("EXECUTED")
    rows, _ = saved(page, table)
    assert [row["state"] for row in rows].count("EXECUTED") == 1
