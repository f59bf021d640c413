"""The tables and figures of the five papers, computed here, beside what is printed.

``reproduce`` does it all; ``STUDIES`` names what there is. A study is a module with ``steps(settings)``, the pieces of
work it needs, and ``chapter(found, settings)``, which makes a chapter of their results. Adding one means such a
module and one line in ``studies.py``.
"""

from __future__ import annotations

from eligo_papers.chapter import Chapter, Check, Picture, Section, Settings, Step, Table, check
from eligo_papers.reproducing import Reproduction, reproduce
from eligo_papers.studies import STUDIES

__version__ = "0.1.0"

__all__ = ["STUDIES", "Chapter", "Check", "Picture", "Reproduction", "Section", "Settings", "Step", "Table"]
__all__ += ["check", "reproduce"]
