"""Links of a page to files of the repository outside docs: on a forge they lead there, a built page names the file.

`[the example](../examples/fmri.dag)` becomes: the example (``examples/fmri.dag``). What is not there stays as it is,
and Sphinx warns of it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform


class NameFilesOutside(SphinxTransform):
    """Put the name of the file in the place of a link to it."""

    default_priority = 5  # before anything is resolved or collected for download

    def apply(self, **_: Any) -> None:
        """Look at all links of a page."""
        docs = Path(self.env.srcdir).resolve()
        kinds = addnodes.pending_xref, addnodes.download_reference
        for link in [link for kind in kinds for link in self.document.findall(kind)]:
            # MyST takes a Markdown file for a page, wherever it is, and leaves out its ending.
            ending = ".md" if link.get("refdomain") == "doc" else ""
            path = (Path(self.env.doc2path(self.env.docname)).parent / f"{link['reftarget']}{ending}").resolve()
            outside = docs.parent in path.parents and docs not in path.parents
            if link.get("reftype") == "myst" and outside and path.exists():
                link.parent.replace(link, _named(link, str(path.relative_to(docs.parent))))


def _named(link: nodes.Element, name: str) -> list[nodes.Node]:
    """Return the words of a link and the file's name, which need not stand there twice."""
    file = nodes.literal(name, name)
    if link.astext() in (name, Path(name).name):
        return [file]
    return [*link.children, nodes.Text(" ("), file, nodes.Text(")")]


def setup(app: Sphinx) -> dict[str, bool]:
    """Be an extension of Sphinx."""
    app.add_transform(NameFilesOutside)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
