"""``python -m eligo.generate`` prints the table of families for docs/generators.md."""

from __future__ import annotations

from eligo.generate import FAMILIES
from eligo.generate._family import markdown_table

if __name__ == "__main__":
    print("\n".join(markdown_table(FAMILIES.values())))
