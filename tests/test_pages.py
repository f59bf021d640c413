"""The tests of pages notice what is wrong with a page, and say where."""

from __future__ import annotations

import pytest

from tests.contents import READERS, misread
from tests.pages import anchors_of, blocks_of, lost_links, misfits
from tests.sessions import faults, matches, rewritten


@pytest.fixture
def written(tmp_path):
    """Make a page of some lines; ``'''`` stands for a fence."""

    def write(*lines):
        page = tmp_path / "page.md"
        page.write_text("\n".join(["# Title", *lines, ""]).replace("'''", "```"))
        return page

    return write


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (["'''", "x", "'''"], "page.md:3: a block of no kind; use one of console, python"),
        (["'''bashful", "x", "'''"], "page.md:3: a block of the unknown kind 'bashful'"),
        (["text", "", "    indented"], "page.md:4: a block of no kind"),
        (["* item", "", "      deeper"], "page.md:4: a block of no kind"),
        (["'''console", "ls", "'''"], "page.md:3: a console block begins with a command"),
        (["'''sh", "ls", "'''"], "page.md:3: commands belong into a console block"),
        (["<!-- not-run: lazy -->", "'''console", "$ ls", "'''"], "page.md:4: unknown remark 'not-run'"),
        (["<!-- not run: -->", "'''console", "$ ls", "'''"], "page.md:4: not run, but why?"),
        (["<!-- needs: luck -->", "'''console", "$ ls", "'''"], "page.md:4: needs one of htcondor, slurm"),
    ],
)
def test_blocks_that_nobody_would_run(written, lines, said):
    (found,) = misfits(written(*lines), READERS)
    assert said in found


def test_blocks_of_all_kinds_are_fine(written):
    kinds = ["console\n$ ls", "python\n1", "text\n", "{toctree}\npage"]
    assert not misfits(written(*(f"'''{kind}\n'''" for kind in kinds)), READERS)


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (["'''console", "$ true", "$ false", "'''"], "page.md:4: $ false\nended with 1"),
        (["'''console", "$ echo a", "a", "", "$ echo b", "c", "'''"], "page.md:6: $ echo b\n"),
        (["'''console", "$ echo a", "a", "", "$ echo b", "'''"], "+b"),
        (["'''console", "$ echo more; echo a", "a", "'''"], "+more"),
        (["'''console", "$ cat <<END", "> a", "> END", "b", "'''"], "page.md:3: $ cat <<END\na\nEND\n"),
        (["'''python", ">>> 1 + 1", "3", "'''"], 'page.md", line 3'),
        (["'''python", "x = 1", "'''", "'''python", ">>> x", "1", "'''"], "NameError"),
        (["'''python", "x = 1", "", "nothing", "'''"], "line 5, in <module>"),
    ],
)
def test_blocks_that_do_not_do_what_they_show(written, tmp_path, lines, said):
    (found,) = faults(written(*lines), tmp_path / "run")
    assert "page.md:" in found
    assert said in found


def test_blocks_of_a_page_follow_each_other(written, tmp_path):
    page = written(
        "'''console", "$ ls examples/fmri.dag", "examples/fmri.dag", "'''",
        "'''console", "$ echo one > made", "'''",
        "<!-- file: lib/shown.csv -->", "'''csv", "a,b", "'''",
        "'''python", ">>> from pathlib import Path", ">>> text = Path('made').read_text()", "'''",
        "'''python", ">>> text, Path('lib/shown.csv').read_text()", "('one\\n', 'a,b\\n')", "'''",
        "'''python", "open('script', 'w').write(open('made').read())", "'''",
        "'''console", "$ cat script", "one", "'''",
        "<!-- not run: never ends -->", "'''console", "$ false", "'''",
        "<!-- needs: slurm -->", "'''console", "$ false", "'''",
    )  # fmt: skip
    assert not faults(page, tmp_path / "run")
    (found,) = faults(page, tmp_path / "slurm", "slurm")
    assert "$ false" in found


@pytest.mark.parametrize(
    ("shown", "printed", "same"),
    [
        ("a\nb", "\na\nb\n", True),
        ("a\nb", "a\nb\nc", False),
        ("took ... s", "took 12 s", True),
        ("took ... s", "took\n s", False),
        ("...\nend", "a\nb\nend", True),
        ("...\nend", "end", True),
        ("...\nend", "a\nend\nb", False),
        ("", "x", False),
        ("", "", True),
    ],
)
def test_what_is_shown_is_what_is_printed(shown, printed, same):
    assert matches(shown, printed) is same


def test_a_page_is_written_anew_where_it_has_changed(written):
    page = written(
        "'''console", "$ echo a", "b", "", "$ date +%s", "1...", "", "$ cat <<END", "> one", "> END", "two", "'''",
        "* item", "  '''console", "  $ echo c", "  x", "  '''", "'''console", "$ echo alone", "'''",
    )  # fmt: skip
    wanted = page.read_text().replace("\nb\n", "\na\n").replace("\ntwo\n", "\none\n").replace("  x\n", "  c\n")
    assert rewritten(page) == wanted


@pytest.mark.parametrize(
    ("kind", "good", "bad"),
    [
        ("csv", "parent,child\na,b", "parent,child\na,a"),
        ("csv", "job,time_s\na,3.5", "job,time_s\na,three"),
        ("csv", "time,workers\n0,3", "time,workers\n0,-3"),
        ("dagman", "JOB a a.sub", "JOB a"),
        ("dot", "digraph { a -> b }", "digraph { a -> }"),
        ("json", "[1]", "[1"),
        ("json", '{"workflow": {"jobs": [{"name": "a"}]}}', '{"workflow": {}}'),
        ("sh", "if true; then ls; fi", "if true; then ls"),
        ("xml", "<a/>", "<a>"),
        ("yaml", "- a: 1", "- a: : 1"),
        ("yaml", "{pegasus: '5.0', jobs: [{id: a, type: job, name: x}]}", "jobs: [{type: job}]"),
    ],
)
def test_files_that_cannot_be_read(written, tmp_path, kind, good, bad):
    page = written(f"'''{kind}", good, "'''", f"'''{kind}", bad, "'''")
    fine, broken = (misread(block, tmp_path) for block in blocks_of(page))
    assert not fine
    assert f"the {kind} cannot be read" in broken


def test_links_that_lead_nowhere(written):
    page = written("[a](#title), [b](page.md#title), [c](https://nowhere.invalid), ![d](gone.png)", "", "[e](#none)")
    assert [found.rpartition("/")[2] for found in lost_links(page)] == [
        "page.md:2: gone.png leads nowhere",
        "page.md:4: #none leads nowhere",
    ]


def test_anchors_are_those_of_forges(written):
    page = written("## What `eligo` *is*: a tool", "## One-two, three", "## One-two, three")
    assert anchors_of(page) == {"title", "what-eligo-is-a-tool", "one-two-three", "one-two-three-1"}
