"""What the README shows is what the commands print."""

from __future__ import annotations

import re
import shutil

import pytest

from tests.sessions import ROOT, blocks, run, steps

README = (ROOT / "README.md").read_text()


def test_the_sessions_print_what_is_shown(tmp_path):
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    shown = [step for block in blocks(README) for step in steps(block)]
    assert len(shown) > 10
    for command, wanted in shown:
        assert run(command, tmp_path).strip() == wanted.strip(), command


@pytest.mark.parametrize(
    "page", sorted(str(path.relative_to(ROOT)) for path in [ROOT / "README.md", *ROOT.glob("docs/**/*.md")])
)
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\((?!https?:)([^)#]+)", (ROOT / page).read_text()):
        assert ((ROOT / page).parent / target).exists(), f"{page}: {target}"
