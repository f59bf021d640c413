"""All papers at the quick scale, as a user does it."""

from __future__ import annotations

import json
import re

import pytest

from eligo_papers import STUDIES
from eligo_papers.command import main
from tests.corpus import DATA

pytest.importorskip("matplotlib", reason="pages need matplotlib")


def lost_links(page):
    return [link for link in re.findall(r"\]\(([^)]+)\)", page.read_text()) if not (page.parent / link).exists()]


@pytest.mark.long
def test_every_difference_has_a_sentence_and_every_picture_is_there(tmp_path):
    """One test, so that two workers do not do the same ten minutes of work."""
    data = ["--data", str(DATA)] if DATA.is_dir() else []
    assert main(["all", "--quick", "-o", str(tmp_path), *data]) == 0
    for name in STUDIES:
        checks = json.loads((tmp_path / f"results/{name}.json").read_text())["checks"]
        assert checks
        assert [one for one in checks if one["verdict"] == "unexplained"] == []
        assert all(one["why"] for one in checks if one["verdict"] != "agrees")
    pages = [tmp_path / "results.md", *(tmp_path / "results").glob("*.md")]
    assert len(pages) == 1 + len(STUDIES)
    assert [lost for page in pages for lost in lost_links(page)] == []
