"""Pages that `eligo-papers` writes are plain Markdown; what Sphinx wants beside that is added when they are read.

`results.md` gets the chapters in `results/` as its contents. As long as it was not written, the index goes without it.
"""

from __future__ import annotations

from pathlib import Path

from sphinx.application import Sphinx

_CONTENTS = "\n\n```{toctree}\n:hidden:\n:glob:\n\nresults/*\n```\n"


def add_contents(app: Sphinx, page: str, source: list[str]) -> None:
    """Change the text of the two pages."""
    here = Path(app.srcdir)
    if page == "results" and any(here.glob("results/*.md")):
        source[0] += _CONTENTS
    elif page == "index" and not (here / "results.md").exists():
        source[0] = source[0].replace("\nresults\n", "\n")


def setup(app: Sphinx) -> dict[str, bool]:
    """Be an extension of Sphinx."""
    app.connect("source-read", add_contents)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
