"""What the README shows is what the commands print."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text()
SESSION = README.split("## A session", 1)[1].split("```console\n", 1)[1].split("```", 1)[0]


def test_the_session_prints_what_is_shown(tmp_path):
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    for block in re.split(r"(?m)^\$ ", SESSION)[1:]:
        command, _, shown = block.partition("\n")
        run = subprocess.run(
            ["bash", "-c", f"{command} 2>&1"],
            cwd=tmp_path, env={**os.environ, "PATH": path}, capture_output=True, text=True, timeout=120, check=False,
        )  # fmt: skip
        assert run.stdout.strip() == shown.strip(), command


@pytest.mark.parametrize(
    "page", sorted(str(path.relative_to(ROOT)) for path in [ROOT / "README.md", *ROOT.glob("docs/**/*.md")])
)
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\((?!https?:)([^)#]+)", (ROOT / page).read_text()):
        assert ((ROOT / page).parent / target).exists(), f"{page}: {target}"
