r"""Names from anywhere: whatever they are, they are text, they do nothing, and they do not break the page."""

from __future__ import annotations

import re
import socket
from contextlib import suppress

import pytest

from eligo import Dag
from eligo.report._page.live_server import LivePage, LiveState
from eligo.report._page.page_content import shown
from eligo.report._page.render import render
from tests.browser.pages import Error, column, counts, expect, found_of, labels, report, width, write_page

NAMES = [
    "</script><script>window.hacked = 1; alert(1)</script>",
    "<img src=x onerror='window.hacked = 2'>",
    "<svg/onload=alert(3)>",
    "<!--<script>",
    "]]></script></title></style><script>window.hacked = 4</script>",
    "\"><b onmouseover=alert(5)>'`",
    "back\\slash \\u003cscript\\u003e \\x3cb\\x3e",
    "${window.hacked = 6}",
    "{{7*7}}{% raw %}",
    "javascript:window.hacked=7",
    "&lt;b&gt; &amp; &#60;i&#62; &nbsp;",
    "right\u202eto left\u2066isolated\u2069\u200f",
    "nul\0bell\x07escape\x1b[31mdelete\x7f",
    "line\u2028and\u2029paragraph",
    "lone \ud800 surrogate",
    "__proto__",
    "constructor",
    "long " + 10_000 * "x",
    "\n".join(f"line {i}" for i in range(2_000)),
    "عربي עברית 漢字 🙂",
    " ",
    "%s %d %(name)s",
]
TITLE = "<b>bold<b> \u202e'quoted' ${1} {{7*7}}.dot"
HARMLESS = """() => [
  window.hacked, document.scripts.length, document.querySelectorAll("b, img, i, svg[onload]").length,
  document.title.includes("report of eligo"),
]"""


def hostile_dag():
    """Each name twice: in a row behind one job, and as equal jobs behind the next, which folds them."""
    twice = [*NAMES, *(f"{name}{i}" for name in NAMES for i in range(2))]
    return Dag.from_edges(twice, [0] * (len(NAMES) - 1), range(1, len(NAMES)))


@pytest.fixture(scope="module")
def hostile_page(tmp_path_factory):
    return write_page(tmp_path_factory.mktemp("hostile") / "hostile.html", found_of(hostile_dag(), TITLE))


@pytest.fixture
def page(look, hostile_page):
    page = look(hostile_page)
    page.wait_for_timeout(100)  # what an error handler of a picture would take
    return page


def test_nothing_runs(page):
    """No dialog, no new script, no element out of a name; the fixture looks for complaints and requests."""
    assert page.evaluate(HARMLESS) == [None, 2, 0, True]
    expect(page.locator("h1")).to_have_text(shown(TITLE))
    assert page.title() == f"{shown(TITLE)}: report of eligo"


def test_names_are_shown_as_they_are_written(page):
    """With escapes for what cannot be seen, and without the middle of what is too long."""
    page.locator("#table-jobs").get_by_label("Filter Jobs").fill("")
    page.locator("#table-jobs th:first-child button").click()
    seen = page.locator("#table-jobs tbody td:first-child").evaluate_all("(all) => all.map((one) => one.textContent)")
    page.locator("#table-jobs").get_by_role("button", name="next ›").click()
    seen += page.locator("#table-jobs tbody td:first-child").evaluate_all("(all) => all.map((one) => one.textContent)")
    assert len(seen) == 3 * len(NAMES)
    assert set(map(shown, NAMES)) <= set(seen)
    assert all(len(name) <= 120 for name in seen)
    assert not any(re.search("[\u202a-\u202e\u2066-\u2069\\x00-\\x1f]", name) for name in seen)


@pytest.mark.long
def test_any_job_can_be_chosen(page):
    """By its button in the table, and by searching for it."""
    table = page.locator("#table-jobs")
    for name in map(shown, NAMES[::3]):
        table.get_by_label("Filter Jobs").fill(name)
        buttons = [text.strip() for text in column(table, 1)]
        table.locator("tbody button").nth(buttons.index(name.strip()) if name.strip() in buttons else 0).click()
        expect(page.locator("#details h3")).to_have_count(1)
        page.locator("#search").fill(name)
        expect(page.locator("#search-count")).to_have_text("" if not name.strip() else re.compile("[1-9]"))
    assert page.evaluate(HARMLESS) == [None, 2, 0, True]


@pytest.mark.parametrize("size", [(1280, 720), (390, 844)])
def test_the_page_keeps_its_shape(look, hostile_page, size):
    """It is no wider than the window, and not much longer than one with plain names."""
    page = look(hostile_page, size=size)
    wide, inner = width(page)
    assert wide <= inner
    page.locator("#search").fill("long")
    page.locator("#search").press("Enter")
    expect(page.locator("#details h3")).to_contain_text("xxxx")
    assert width(page)[0] <= inner
    assert page.evaluate("document.scrollingElement.scrollHeight") < 12_000
    assert page.locator("#details").bounding_box()["height"] < 900


@pytest.mark.long
def test_playing_names_them_without_harm(page):
    for step in range(0, 3 * len(NAMES), 7):
        page.locator("#position").fill(str(step))
        expect(page.locator("#where")).to_contain_text(f"Step {step} of")
    assert width(page)[0] <= 1280
    page.locator("#search").fill("line 0")
    page.locator("#search").press("Enter")
    assert any(label.startswith("line 0") for label in labels(page))


def test_a_file_with_such_names_makes_such_a_page(look, tmp_path):
    """Through the whole command: the name of the file, and names out of a DOT file."""
    file = tmp_path / "<img src=x onerror=alert(1)> {{7*7}}'.dot"
    file.write_text('digraph { "</script><script>alert(1)</script>" -> "<b>x</b>"; "a\\"b" -> "<b>x</b>" }')
    page = look(report(tmp_path / "page.html", file))
    assert page.evaluate(HARMLESS) == [None, 2, 0, True]
    expect(page.locator("h1")).to_have_text(file.name)
    assert "</script><script>alert(1)</script>" in column(page.locator("#table-jobs"), 1)
    expect(page.locator(".card.next code").first).to_contain_text("<img src=x onerror=alert(1)>")


def test_messages_of_a_run_are_text(look):
    """Notes and the last word of a run come from anybody's programs."""
    dag = Dag.from_names([("a", "b")])
    n = dag.n
    state = LiveState(n, status=[0] * n, start_s=[None] * n, end_s=[None] * n, worker=[-1] * n)
    with LivePage(state, lambda _: render(found_of(dag), live=True)) as live:
        page = look(live.url)
        state.change(1.0, [(0, 3, 0.0, 1.0, 0)], [name.encode("utf-8", "replace").decode() for name in NAMES])
        notes = page.locator("#live-notes li")
        expect(notes).to_have_count(len(NAMES))
        state.finish("<img src=x onerror=alert(9)>", 1)
        expect(page.locator("#live-text")).to_contain_text("<img src=x onerror=alert(9)>")
        expect(notes.first).to_have_text(NAMES[0])
        assert counts(page.locator("#live-text").inner_text())["failed"] == 1
        assert page.evaluate(HARMLESS) == [None, 2, 0, True]
        assert width(page)[0] <= 1280
        assert page.locator("#live-notes").bounding_box()["height"] < 300


# What the policy of the page refuses, by ways to get round it; HERE is a server that hears of what gets through.
REFUSED = (
    ("script-src-elem", "() => import('HERE/x.js').catch(() => {})"),
    ("script-src-elem", "() => import('data:text/javascript,window.hacked=1').catch(() => {})"),
    ("require-trusted-types-for", "() => { make('script', { src: 'HERE/x.js' }); }"),
    ("require-trusted-types-for", "() => { make('script', { textContent: 'window.hacked = 2' }); }"),
    ("require-trusted-types-for", "() => { make('div', { innerHTML: '<img src=HERE onerror=hacked=3>' }); }"),
    ("require-trusted-types-for", "() => { document.body.setAttribute('onclick', 'window.hacked = 4'); }"),
    ("require-trusted-types-for", "() => { setTimeout('window.hacked = 5', 0); }"),
    ("require-trusted-types-for", "() => { new Worker('HERE/worker.js'); }"),
    ("trusted-types", "() => { trustedTypes.createPolicy('mine', { createHTML: (text) => text }); }"),
    ("style-src-attr", "() => { document.body.setAttribute('style', 'color: red'); }"),
    ("style-src-elem", "() => { make('style', { textContent: 'body { color: red }' }); }"),
    ("img-src", "() => { make('img', { src: 'HERE/x.png' }); }"),
    ("media-src", "() => { make('video', { src: 'HERE/x.webm' }); }"),
    ("font-src", "() => new FontFace('x', 'url(HERE/x.woff)').load().catch(() => {})"),
    ("connect-src", "() => fetch('HERE/x').catch(() => {})"),
    ("connect-src", "() => { navigator.sendBeacon('HERE/x', 'secret'); }"),
    ("connect-src", "() => { new EventSource('HERE/x'); }"),
    ("frame-src", "() => { make('iframe', { src: 'HERE/' }); }"),
    ("base-uri", "() => { make('base', { href: 'HERE/' }); }"),
    ("form-action", "() => { make('form', { action: 'HERE/' }).submit(); }"),
)
LISTEN = """() => {
  window.refused = [];
  document.addEventListener("securitypolicyviolation", (event) => refused.push(event.effectiveDirective));
  window.make = (tag, known) => Object.assign(document.body.appendChild(document.createElement(tag)), known);
}"""


def heard(server):
    """Return what was said to a server: a browser may connect before it refuses, and then says nothing."""
    said = b""
    server.settimeout(0.2)
    with suppress(TimeoutError):
        for _ in REFUSED:
            connection, _ = server.accept()
            with connection, suppress(TimeoutError):
                connection.settimeout(0.1)
                said += connection.recv(1000)
    return said


def test_the_browser_refuses_what_the_policy_forbids(look, fmri_page, faults):
    """Each way is tried from inside of the page, as a script that got in would; nobody hears of it."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        here = f"http://127.0.0.1:{server.getsockname()[1]}"
        page = look(fmri_page)
        page.evaluate(LISTEN)
        for i, (directive, attempt) in enumerate(REFUSED):
            with suppress(Error):  # trusted types refuse by an exception
                page.evaluate(attempt.replace("HERE", here))
            page.wait_for_function("(i) => refused.length > i", arg=i)
            assert page.evaluate("refused.at(-1)") == directive, attempt
        assert page.evaluate("document.body.click(), window.hacked") is None
        assert page.evaluate("getComputedStyle(document.body).color") == "rgb(27, 31, 36)"
        assert heard(server) == b""
    assert len(faults) >= len(REFUSED)  # each refusal is told on the console
    faults.clear()
