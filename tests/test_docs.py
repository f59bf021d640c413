"""What the pages under docs show is what happens: sessions, pictures and links."""

from __future__ import annotations

import re
import runpy
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from tests.sessions import blocks, run, steps

DOCS = Path(__file__).resolve().parents[1] / "docs"
DRAW = DOCS / "draw_pictures.py"
THEORY = DOCS / "theory.md"
DESCRIBED = re.findall(r"!\[([^\]]*)\]\(pictures/([^)]+)\)", THEORY.read_text())
PICTURES = [name for _, name in DESCRIBED]
PAGES = sorted(DOCS.glob("*.md"))


def code_blocks(page: Path) -> list[str]:
    return re.findall(r"(?ms)^```\w*\n(.*?)^```$", page.read_text())


def anchors(page: Path) -> set[str]:
    """The names that GitHub gives the headings of a page."""
    headings = re.findall(r"(?m)^#+ (.+)$", page.read_text())
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def texts(picture: Path) -> list[str]:
    return sorted("".join(text.itertext()) for text in ET.parse(picture).iter("{http://www.w3.org/2000/svg}text"))


@pytest.mark.parametrize("page", [page for page in PAGES if ">>>" in page.read_text()], ids=lambda page: page.name)
def test_sessions_print_what_is_shown(page):
    tools = runpy.run_path(str(DRAW))
    session = tools["session"](page)
    assert len(session.examples) == page.read_text().count("\n>>> ")
    failed, _ = tools["run"](session)
    assert failed == 0


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page.read_text())], ids=lambda page: page.name)
def test_commands_print_what_is_shown(page, tmp_path):
    shutil.copytree(DOCS.parent / "examples", tmp_path / "examples")
    for block in blocks(page.read_text()):
        for command, wanted in steps(block):
            assert run(command, tmp_path).strip() == wanted.strip(), command


def test_every_code_block_of_the_theory_is_run():
    assert all(block.startswith(">>> ") for block in code_blocks(THEORY))


def test_every_picture_is_shown_described_and_small():
    assert sorted(PICTURES) == sorted(path.name for path in (DOCS / "pictures").iterdir())
    assert all(len(description.split()) > 5 for description, _ in DESCRIBED)
    assert all((DOCS / "pictures" / name).stat().st_size <= 40 * 1024 for name in PICTURES)


def test_the_script_draws_these_pictures(tmp_path):
    pytest.importorskip("matplotlib", reason="figures need matplotlib")
    subprocess.run([sys.executable, str(DRAW), str(tmp_path)], check=True, timeout=300)
    assert {path.name for path in tmp_path.iterdir()} == set(PICTURES)
    for name in PICTURES:
        assert texts(tmp_path / name) == texts(DOCS / "pictures" / name), f"{name} is out of date: draw it again"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page):
    for target, anchor in re.findall(r"\]\((?!https?:)([^)#\s]*)#?([^)\s]*)\)", page.read_text()):
        there = (page.parent / target).resolve() if target else page
        assert there.exists(), target
        assert not anchor or anchor in anchors(there), f"{target}#{anchor}"
