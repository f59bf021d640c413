"""Pegasus 5.0 workflows in YAML or JSON.

Start at ``reader.py``; ``writer.py`` writes new files, ``edits.py`` changes a user's file.
"""

from __future__ import annotations

from eligo.formats._pegasus.reader import NAME, TITLE, generate, parse, sniff

__all__ = ["NAME", "TITLE", "generate", "parse", "sniff"]
