"""Where the shared corpus of real workflows is, for the tests that read it."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

SHARED = Path(__file__).resolve().parents[2] / "shared"
DATA = SHARED / "data"
needs_shared = pytest.mark.skipif(not DATA.is_dir(), reason="the shared corpus is not beside the project")


def statistics() -> dict[str, dict[str, str]]:
    """Return the rows of STATS.tsv by file; empty where the corpus is absent, so that collection never fails."""
    table = DATA / "STATS.tsv"
    if not table.is_file():
        return {}
    with table.open(newline="") as stream:
        return {row["file"]: row for row in csv.DictReader(stream, delimiter="\t")}
