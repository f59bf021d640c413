"""The two distributions: which has what, and that their versions agree."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import eligo
import eligo_papers

PAPERS = Path(__file__).resolve().parents[1]


def test_the_product_has_nothing_of_the_papers():
    product = Path(eligo.__file__).parent
    assert [path for path in product.rglob("*") if path.stem in ("reproduce", "papers", "eligo_papers")] == []
    assert [path for path in product.rglob("*.py") if "eligo_papers" in path.read_text(encoding="utf-8")] == []


def test_both_have_the_same_version():
    assert eligo_papers.__version__ == eligo.__version__
    project = tomllib.loads((PAPERS / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert f"eligo=={eligo.__version__}" in project["dependencies"]


def test_the_command_is_a_module_as_well():
    words = [sys.executable, "-m", "eligo_papers", "--version"]
    said = subprocess.run(words, capture_output=True, text=True, check=True)
    assert said.stdout == f"eligo-papers {eligo.__version__}\n"
