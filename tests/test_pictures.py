"""The pictures of the pages are what their scripts draw now, are shown, and are described."""

from __future__ import annotations

import re
import runpy
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from tests.pages import PAGES, ROOT, blocks_of

DOCS = ROOT / "docs"
THEORY = DOCS / "theory.md"
HOUSE = DOCS / "architecture" / "house.svg"
DESCRIBED = re.findall(r"!\[([^\]]*)\]\(pictures/([^)]+)\)", THEORY.read_text())
PICTURES = [name for _, name in DESCRIBED]


def texts(picture: Path) -> list[str]:
    return sorted("".join(text.itertext()) for text in ET.parse(picture).iter("{http://www.w3.org/2000/svg}text"))


def draw(script: str, target: Path) -> None:
    pytest.importorskip("matplotlib", reason="figures need matplotlib")
    subprocess.run([sys.executable, str(DOCS / script), str(target)], check=True, timeout=300)


def test_every_code_block_of_the_theory_is_run():
    """Its pictures are drawn from the names that these make."""
    assert all(block.text.startswith(">>> ") for block in blocks_of(THEORY))


def test_every_picture_is_shown_described_and_small():
    assert sorted(PICTURES) == sorted(path.name for path in (DOCS / "pictures").iterdir())
    assert all(len(description.split()) > 5 for description, _ in DESCRIBED)
    assert all((DOCS / "pictures" / name).stat().st_size <= 40 * 1024 for name in PICTURES)


def test_the_script_draws_these_pictures(tmp_path):
    draw("draw_pictures.py", tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == set(PICTURES)
    for name in PICTURES:
        assert texts(tmp_path / name) == texts(DOCS / "pictures" / name), f"{name} is out of date: draw it again"


def test_the_house_is_that_of_the_import_contract(tmp_path):
    draw("draw_house.py", tmp_path / "house.svg")
    assert texts(tmp_path / "house.svg") == texts(HOUSE), "out of date: python docs/draw_house.py"


def test_the_house_has_every_module_of_the_package():
    pytest.importorskip("matplotlib", reason="figures need matplotlib")
    house = runpy.run_path(str(DOCS / "draw_house.py"))
    rooms = {name for storey in house["storeys"](ROOT / "pyproject.toml") for name in storey}
    modules = {path.stem for path in (ROOT / "src" / "eligo").iterdir() if path.suffix == ".py" or path.is_dir()}
    assert rooms == modules - {"__init__", "__main__", "__pycache__", house["CELLAR"][0]}


def test_every_file_beside_the_pages_is_shown():
    shown = "".join(page.read_text() for page in PAGES)
    files = [path for kind in ("svg", "png") for path in DOCS.rglob(f"*.{kind}")]
    assert [path for path in files if path.name not in shown] == []
