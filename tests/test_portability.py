"""What must not come back, because some Python of the supported ones gets it wrong."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SOURCES = [path for folder in ("src", "papers/src") for path in sorted((ROOT / folder).rglob("*.py"))]


def test_no_regex_with_atomic_or_possessive_groups():
    """Python before 3.11.5 (Debian 12 has 3.11.2) mismatches possessive groups that can backtrack inside.

    Possessive characters and classes, such as ``[a-z]*+``, are right in all versions.
    """
    assert SOURCES
    for path in SOURCES:
        for number, line in enumerate(path.read_text().splitlines(), 1):
            assert not re.search(r"\)[*+?]\+|\(\?>", line), f"{path}:{number}: {line}"
