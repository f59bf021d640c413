"""WfFormat: workflow traces in JSON (WfCommons).

Start at ``reader.py``; ``writer.py`` writes new files, ``edits.py`` changes a user's file.
"""

from __future__ import annotations

from eligo.formats._wfformat.reader import NAME, TITLE, generate, parse, sniff

__all__ = ["NAME", "TITLE", "generate", "parse", "sniff"]
