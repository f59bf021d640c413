"""The pages build without a warning, need no network, and document all that is public."""

from __future__ import annotations

import re
import subprocess
import sys
import zlib
from importlib import import_module
from pathlib import Path

import pytest

import eligo
import eligo_papers
from eligo_papers import plots
from tests.pages import PAGES, ROOT

PACKAGES = ["certificate", "engines", "formats", "generate", "graph", "report", "simulation"]  # those with an __all__


def documented(inventory: Path) -> set[str]:
    """Return the names of Python that the pages document."""
    *_, packed = inventory.read_bytes().split(b"\n", 4)
    lines = zlib.decompress(packed).decode().splitlines()
    return {line.split()[0] for line in lines if line.split()[1].startswith("py:")}


def public() -> list[tuple[str, str]]:
    """Return every public name, as a package has it and as `eligo` itself does."""
    names = [f"eligo.{name}" for name in eligo.__all__]
    names += [f"eligo.{home}.{name}" for home in PACKAGES for name in import_module(f"eligo.{home}").__all__]
    of_papers = [f"eligo_papers.{name}" for name in eligo_papers.__all__ if name != "STUDIES"]
    of_papers += [f"eligo_papers.plots.{name}" for name in plots.__all__]
    return [(name, f"eligo.{name.rpartition('.')[2]}") for name in names] + [(name, name) for name in of_papers]


def fetched(page: Path) -> list[str]:
    """Return what a page would fetch from elsewhere; links that a reader may follow are none of it."""
    return re.findall(
        r"<(?:script|img|link)\b[^>]*\b(?:src|href)=\"(?:https?:)?//[^\"]*", page.read_text(encoding="utf-8")
    )


def need_sphinx() -> None:
    for package in ("sphinx", "myst_parser", "furo"):
        pytest.importorskip(package, reason="the pages need the extra docs")


def build(docs: Path, target: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", str(docs), str(target)]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)


@pytest.mark.long
def test_the_pages_build(tmp_path):
    need_sphinx()
    done = build(ROOT / "docs", tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    for page in (page for page in PAGES if page.is_relative_to(ROOT / "docs")):
        built = tmp_path / page.relative_to(ROOT / "docs").with_suffix(".html")
        assert built.is_file(), f"{page} is no page"
        assert not fetched(built)
    known = documented(tmp_path / "objects.inv")
    assert [name for name, short in public() if name not in known and short not in known] == []


INDEX = """# Title
[the README](../README.md#title), [code.py](../code.py) and [a folder](../folder)

```{toctree}
results
```
"""


@pytest.fixture
def small(tmp_path):
    """Make a repository with some pages that our extensions build."""
    need_sphinx()
    docs = tmp_path / "docs"
    for folder in (docs, tmp_path / "folder"):
        folder.mkdir()
    extensions = f"import sys; sys.path.insert(0, {str(ROOT / 'docs' / 'extensions')!r})"
    names = ["myst_parser", "repository_links", "results_pages"]
    (docs / "conf.py").write_text(f"{extensions}\nextensions = {names}\n")
    for file in ("README.md", "code.py"):
        (tmp_path / file).write_text("# Title\n")
    (docs / "index.md").write_text(INDEX)
    return docs


def test_links_to_files_outside_name_them(small, tmp_path):
    done = build(small, tmp_path / "built")
    assert done.returncode == 0, done.stderr
    text = re.sub(r"<[^>]*>", "", (tmp_path / "built" / "index.html").read_text())
    assert "the README (README.md), code.py and a folder (folder)" in text


def test_links_to_what_is_not_there_are_warned_of(small, tmp_path):
    (tmp_path / "README.md").unlink()
    assert "README" in build(small, tmp_path / "built").stderr


def test_results_have_their_chapters_as_contents(small, tmp_path):
    (small / "results").mkdir()
    (small / "results.md").write_text("# Results\n[one](results/000.md)\n")
    (small / "results" / "000.md").write_text("# Chapter\n")
    done = build(small, tmp_path / "built")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "built" / "results" / "000.html").is_file()
