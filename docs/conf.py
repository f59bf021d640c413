"""How `make docs` builds the pages: Markdown by MyST, docstrings by autodoc, the look by furo. Nothing is fetched."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent / "extensions"))

import eligo

project = "Eligo"
version = release = eligo.__version__
project_copyright = "the authors of Eligo, under Apache-2.0"

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "homes_of_names",
    "lexers",
    "repository_links",
    "results_pages",
]
# What lies beside pages and is none: the work of `eligo-papers`, and its results as one page of their own.
exclude_patterns = ["extensions", "results/steps", "results.html"]

# Anchors of headings as forges make them, so that page.md#heading works there and here.
myst_heading_anchors = 4
myst_links_external_new_tab = False

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
# Names in signatures that stand for a long type, or are imported for type checkers only.
autodoc_type_aliases = {
    "Certificate": "~eligo.Certificate",
    "Results": "~eligo.simulation.Results",
    "ArrayLike": "~numpy.typing.ArrayLike",
    "Int32": "~eligo.data.Int32",
    "Int64": "~eligo.data.Int64",
    "Float64": "~eligo.data.Float64",
    "Bools": "~eligo.graph.Bools",
    "EdgeRule": "~eligo.formats.EdgeRule",
    "Figure": "~matplotlib.figure.Figure",
}
python_maximum_signature_line_length = 100
toc_object_entries_show_parents = "hide"
python_use_unqualified_type_names = True
napoleon_google_docstring = False
napoleon_custom_sections = [("Attributes", "params_style")]
napoleon_use_rtype = False
nitpicky = True
# Parameters and attributes of public things that only the inside uses.
nitpick_ignore = [
    ("py:class", "eligo._core.Ordered"),
    ("py:class", "eligo.formats._dagman.tokens.Keyword"),
    ("py:class", "eligo.memory._footprint.Ends"),
    ("py:class", "eligo.priority._charging.Charging"),
    ("py:class", "eligo.report._page.findings.Findings"),
    ("py:func", "eligo.priority._charging.ordered"),
]

html_theme = "furo"
html_static_path = ["look"]
html_css_files = ["wide.css"]
html_title = f"Eligo {release}"
html_show_sphinx = False
html_copy_source = False
