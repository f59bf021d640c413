"""The page: one file that needs nothing from anywhere, the same for the same findings, and safe with any names."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import shutil
import subprocess
from functools import cache
from html.parser import HTMLParser
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import eligo
from eligo import generate
from eligo.dag import Dag
from eligo.graph import rename
from eligo.memory._limit import limit
from eligo.memory._models import footprint
from eligo.report._page.findings import Findings, Recorded, Wish, find
from eligo.report._page.page_content import content
from eligo.report._page.render import PAGE_START, render
from eligo.simulation._ratios import Summary
from eligo.simulation._sweep_results import About, Point, Results
from eligo.trace import Trace
from tests.memory.footprints import random_footprint
from tests.strategies import dags

HOSTILE = (
    "</script><script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "\"><svg/onload=alert(1)>'",
    "<!--",
    "]]>",
    "{{ 7 * 7 }}{% raw %}",
    "&lt;b&gt;&#60;i>",
    "a\u202eb\u2066c",
    "\u2028\u2029\x00\x1b[31m\r\n",
    "\ud800<\udfff",
    "javascript:alert(1)",
    "</style></title></textarea><plaintext>",
    "\\u003cscript>",
    "<" * 3000,
)
TEXTS = st.sampled_from(HOSTILE) | st.text(st.characters(), min_size=1, max_size=40)
VOID = {"meta", "input", "br", "hr", "img", "link"}


class Page(HTMLParser):
    """The elements of a page with their attributes, what stands in them, and what is wrong with their nesting."""

    def __init__(self, page: bytes) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[tuple[str, str]] = []
        self.comments: list[str] = []
        self.open: list[str] = []
        self.feed(page.decode("utf-8"))
        self.close()
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert len(dict(attrs)) == len(attrs), "an attribute is there twice"
        self.elements.append((tag, dict(attrs)))
        self.texts.append((tag, ""))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append((self.open[-1] if self.open else "", data))

    def handle_comment(self, data: str) -> None:
        self.comments.append(data)

    def inside(self, tag: str) -> list[str]:
        """Return what stands in each element of a kind."""
        found: list[str] = []
        for name, text in self.texts:
            if name == tag:
                found = [*found, ""] if text == "" else [*found[:-1], found[-1] + text]
        return found

    @property
    def text(self) -> str:
        """What people read."""
        return "".join(text for tag, text in self.texts if tag not in ("script", "style"))

    @property
    def policy(self) -> dict[str, str]:
        metas = [more for tag, more in self.elements if tag == "meta"]
        texts = [more["content"] for more in metas if more.get("http-equiv") == "Content-Security-Policy"]
        assert len(texts) == 1
        return {rule.partition(" ")[0]: rule.partition(" ")[2] for rule in (texts[0] or "").split("; ")}


def simulated(pair: str = "prio/fifo") -> Results:
    point = Point(1.0, 16.0, {}, {pair: {"execution_time": Summary(0.5, 0.5, 0.1, 0.25, 0.75)}})
    return Results(About("x.dag", "{}", "", 40, 2, 7, False, "fifo", "1"), (point,))


def with_all(name: str = "x") -> Findings:
    """A page with every part there is, and this in every name there is."""
    dag = rename(generate.mesh(3), [f"{name}{i}" for i in range(generate.mesh(3).n)])
    print_ = footprint(dag, "pebble")
    times = [float(i) for i in range(dag.n)]
    recorded = Recorded(Trace.of(dag, times, [time + 1 for time in times], measured=True), [2] * dag.n, name)
    return find(
        limit(print_, 5).dag, Wish(), path=f"/home/{name}.dag", format="DAGMan", plain=dag, footprint=print_,
        limited=limit(print_, 5), simulation=simulated(f"{name}/fifo"), recorded=recorded,
    )  # fmt: skip


def of_seed(seed: int) -> Findings:
    print_ = random_footprint(seed)
    return find(print_.dag, Wish(curve=1), footprint=print_, path="x.dag")


@settings(max_examples=20)
@given(st.integers(0, 2**32 - 1))
def test_equal_findings_give_equal_bytes(seed: int) -> None:
    first, again = render(of_seed(seed)), render(of_seed(seed))
    assert first == again
    assert first.startswith(PAGE_START)
    assert render(of_seed(seed), live=True) != first


KINDS = {
    "empty": lambda: render(find(Dag.from_edges(0), Wish())),
    "one": lambda: render(find(Dag.from_edges(1), Wish(), path="-", without_memory="Give sizes.")),
    "all": lambda: render(with_all()),
    "live": lambda: render(with_all(), live=True),
    "hostile": lambda: render(with_all("".join(HOSTILE))),
}


@cache
def page_of(kind: str) -> Page:
    return Page(KINDS[kind]())


@pytest.mark.parametrize("kind", KINDS)
def test_there_is_nothing_from_elsewhere(kind: str) -> None:
    """One style, the data and one script; no handler, no style, no address but anchors within the page."""
    page = page_of(kind)
    scripts = [more for tag, more in page.elements if tag == "script"]
    assert scripts == [{"id": "data", "type": "application/json"}, {}]
    assert [more for tag, more in page.elements if tag == "style"] == [{}]
    ids = [more["id"] for _, more in page.elements if "id" in more]
    assert len(set(ids)) == len(ids)
    for tag, more in page.elements:
        assert tag not in ("link", "base", "iframe", "object", "embed", "form", "img", "svg", "frame", "video", "audio")
        for name, value in more.items():
            assert not name.startswith("on")
            assert name not in ("style", "src", "srcset", "action", "formaction", "srcdoc", "background", "ping")
            if name == "href":
                assert (value or "")[0] == "#"
                assert (value or "")[1:] in ids
    assert page.comments == [" written by eligo report "]


@pytest.mark.parametrize("kind", KINDS)
def test_the_policy_allows_this_very_script_and_style(kind: str) -> None:
    page = page_of(kind)
    policy = page.policy
    for rule, text in (("script-src", page.inside("script")[1]), ("style-src", page.inside("style")[0])):
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert policy.pop(rule) == f"'sha256-{digest}'"
    connect = {"connect-src": "'self'"} if kind == "live" else {}
    assert policy == {
        "default-src": "'none'",
        "base-uri": "'none'",
        "form-action": "'none'",
        "require-trusted-types-for": "'script'",
        "trusted-types": "'none'",
        **connect,
    }


@pytest.mark.parametrize("kind", KINDS)
def test_the_policy_comes_before_all_that_it_governs(kind: str) -> None:
    first = page_of(kind).elements[:4]
    assert [tag for tag, _ in first] == ["html", "head", "meta", "meta"]
    assert first[2][1] == {"charset": "utf-8"}
    assert first[3][1]["http-equiv"] == "Content-Security-Policy"


@settings(max_examples=20)
@given(st.integers(0, 2**32 - 1), st.booleans())
def test_the_data_are_those_of_the_content(seed: int, live: bool) -> None:
    found = of_seed(seed)
    text = Page(render(found, live=live)).inside("script")[0]
    assert json.loads(text) == json.loads(json.dumps(content(found, live=live), allow_nan=False))
    assert text.isascii()
    assert not set(text) & set("<>&")


@settings(max_examples=40)
@given(dags(4, names=TEXTS, known=False), TEXTS, TEXTS)
def test_no_name_becomes_part_of_the_page(dag: Dag, path: str, why: str) -> None:
    """With other names there are the same elements, with the same attributes; only texts differ."""
    wish = Wish(curve=1)
    plain = Dag.from_edges(dag.n, dag.tails, dag.heads)
    found = find(dag, wish, path=path, footprint=footprint(dag, "pebble"))
    usual = find(plain, wish, path="x.dag", footprint=footprint(plain, "pebble"))
    page, expected = Page(render(found)), Page(render(usual))
    assert page.elements == expected.elements
    assert page.inside("script")[1] == expected.inside("script")[1]
    assert page.inside("style") == expected.inside("style")
    assert page.comments == expected.comments
    missing = render(find(dag, wish, path=path, without_memory=why))
    assert (
        Page(missing).elements == Page(render(find(plain, wish, path="x.dag", without_memory="Give sizes."))).elements
    )


@settings(max_examples=40)
@given(TEXTS)
def test_no_line_is_turned_round(path: str) -> None:
    """What is not printable stands nowhere in what people read, but for the spaces and line ends of the page itself."""
    dag = Dag.from_edges([path, f"{path}2"], [0], [1])
    text = Page(render(find(dag, Wish(curve=1), path=path, footprint=footprint(dag, "pebble")))).text
    assert all(letter.isprintable() or letter in "\n\N{NO-BREAK SPACE}" for letter in text)


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names_everywhere(name: str) -> None:
    page, usual = Page(render(with_all(name))), page_of("all")
    assert [tag for tag, _ in page.elements] == [tag for tag, _ in usual.elements]
    assert all(letter.isprintable() or letter in "\n\N{NO-BREAK SPACE}" for letter in page.text)
    assert page.policy == usual.policy


def test_names_are_shown_as_they_are() -> None:
    """Escaped for the page, they are read as they were written."""
    dag = Dag.from_edges(["<b>&amp;</b>"])
    page = Page(render(find(dag, Wish(), path="a/<i>.dag", footprint=footprint(dag, "pebble"))))
    assert page.inside("title") == ["<i>.dag: report of eligo"]
    assert page.inside("bdi") == ["<i>.dag"]
    assert "(<b>&amp;</b>)" in page.text
    assert json.loads(page.inside("script")[0])["jobs"]["name"] == ["<b>&amp;</b>"]


@pytest.mark.parametrize(
    ("path", "title"),
    [
        ("deep/x.dag", "x.dag"),
        ("<stdin>", "standard input"),
        ("", "workflow"),
        ("/", "workflow"),
    ],
)  # fmt: skip
def test_the_page_is_called_by_the_file(path: str, title: str) -> None:
    assert Page(render(find(Dag.from_edges(1), Wish(), path=path))).inside("bdi") == [title]


def test_what_is_missing_is_said() -> None:
    bare = Page(render(find(Dag.from_edges(2), Wish(), without_memory="Sizes are missing."))).text
    for words in ("Times of jobs are not known", "Sizes are missing.", "No simulation is shown", "No run is shown"):
        assert words in bare
    whole = page_of("all").text
    for words in ("Sizes are missing.", "No simulation is shown", "No run is shown"):
        assert words not in whole
    assert "Times of jobs are not known" in whole


def test_live_pages_follow_and_do_not_advise() -> None:
    live, still = page_of("live"), page_of("all")
    ids = [{more["id"] for _, more in page.elements if "id" in more} for page in (live, still)]
    assert {"live-text", "live-bar", "live-notes"} <= ids[0] - ids[1]
    assert "What to do next" in still.text
    assert "What to do next" not in live.text
    assert "What is not here" not in live.text
    assert json.loads(live.inside("script")[0])["live"] is True
    assert json.loads(still.inside("script")[0])["live"] is False


def test_an_empty_workflow_has_a_page() -> None:
    page = Page(render(find(Dag.from_edges(0), Wish(), path="none.dag")))
    assert "a workflow without jobs: there is nothing to order." in page.text
    assert "What to do next" not in page.text
    ids = {more["id"] for _, more in page.elements if "id" in more}
    assert "dag" not in ids
    assert "data" in ids


def test_labels_belong_to_something() -> None:
    """Every label is for a field, every description is there: people who cannot see rely on it."""
    for page in (page_of("all"), page_of("live")):
        ids = {more["id"] for _, more in page.elements if "id" in more}
        for name in ("for", "aria-labelledby", "aria-describedby", "aria-controls"):
            wanted = {word for _, more in page.elements for word in (more.get(name) or "").split()}
            assert wanted <= ids
        fields = [more for tag, more in page.elements if tag in ("input", "select")]
        labelled = {more["for"] for tag, more in page.elements if tag == "label"}
        assert all(more["id"] in labelled or "aria-label" in more for more in fields)


def test_a_page_of_a_thousand_jobs_is_small() -> None:
    dag = generate.montage(1000, costs=True)
    found = find(dag, Wish(), path="montage.dag", footprint=footprint(dag))
    page = render(found)
    assert len(page) < 2_000_000
    assert len(json.loads(Page(page).inside("script")[0])["jobs"]["name"]) == 1000


def test_the_version_is_said() -> None:
    assert f"Made by eligo {eligo.__version__}." in page_of("all").text


# The script and the style.


def assets() -> dict[str, str]:
    folder = files("eligo.report._page").joinpath("assets")
    return {item.name: item.read_text("utf-8") for item in folder.iterdir() if item.is_file()}


FORBIDDEN = (
    "innerHTML", "outerHTML", "insertAdjacentHTML", "eval(", "new Function", "document.write", "DOMParser", "srcdoc",
    "createContextualFragment", "importScripts", "import(", "XMLHttpRequest", "WebSocket", "sendBeacon", "javascript:",
    "document.cookie", "url(", "@import", "</script", "</style", "<!--", 'setAttribute("style"',
)  # fmt: skip


@pytest.mark.parametrize("name", sorted(assets()))
def test_assets_do_nothing_that_is_forbidden(name: str) -> None:
    text = assets()[name]
    if name == "page.html":
        for known in ("<!-- written by eligo report -->", "{{ data | safe }}</script>", "{{ script | safe }}</script>"):
            text = text.replace(known, "", 1)
        text = text.replace("{{ style | safe }}</style>", "", 1)
        assert "|safe" not in text.replace(" ", "")
    for word in FORBIDDEN:
        assert word not in text, word
    assert set(re.findall(r"\w+://[^\"' )]*", text)) <= {"http://www.w3.org/2000/svg"}
    assert not re.search(r"\bon\w+\s*=\s*[\"']", text), "a handler as an attribute"
    assert not re.search(r"setTimeout\(\s*[\"'`]", text), "text that is run"


def test_every_script_is_in_the_page() -> None:
    script = page_of("all").inside("script")[1]
    for name, text in assets().items():
        if name.endswith(".js"):
            assert text in script
    assert page_of("all").inside("style") == [assets()["page.css"]]


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
def test_the_script_can_be_parsed(tmp_path: Path) -> None:
    script = tmp_path / "page.js"
    script.write_text(page_of("all").inside("script")[1], "utf-8")
    checked = subprocess.run(["node", "--check", script], capture_output=True, text=True, timeout=60, check=False)
    assert (checked.returncode, checked.stderr) == (0, "")


def test_elements_that_the_script_looks_for_are_there() -> None:
    """Each id that the script names is one of the page, where all parts are there, or is made by the script."""
    script = page_of("live").inside("script")[1]
    ids: set[Any] = {more["id"] for kind in ("all", "live") for _, more in page_of(kind).elements if "id" in more}
    wanted = set(re.findall(r"(?:getElementById|byId)\(\"([\w-]+)\"\)", script))
    assert wanted <= ids
