"""Names in docstrings and signatures, and the types of attributes.

Pages document a name where users find it (`eligo.read`); docstrings and signatures name its home
(`eligo.formats.read`). Both are one object, by which one leads to the other. Names of other packages are text: nothing
is fetched to link them. What is said to be Eligo's and is documented nowhere stays a warning.
"""

from __future__ import annotations

import re
from functools import cache
from importlib import import_module
from typing import Any

from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.domains.python import ObjectEntry, PythonDomain
from sphinx.environment import BuildEnvironment
from sphinx.util.inspect import TypeAliasForwardRef
from sphinx.util.nodes import make_refnode

# Inside another type Sphinx (9.0) shows an alias by its repr; its name is what is wanted.
TypeAliasForwardRef.__repr__ = lambda self: self.name  # type: ignore[method-assign]


def resolve(app: Sphinx, env: BuildEnvironment, node: pending_xref, shown: nodes.TextElement) -> nodes.Node | None:
    """Link a name that Sphinx does not know."""
    target = node.get("reftarget", "")
    if node.get("refdomain") != "py":
        return None
    if "." in target and not target.startswith(("eligo.", "eligo_papers.")):
        return shown
    documented = _documented(env.get_domain("py"))
    for name in (target, f"{node.get('py:module')}.{target}"):
        if (found := documented.get(id(_meant_by(name)))) is not None:
            title, entry = found
            return make_refnode(app.builder, node["refdoc"], entry.docname, entry.node_id, shown, title)
    return None


@cache
def _documented(domain: PythonDomain) -> dict[int, tuple[str, ObjectEntry]]:
    """Return what the pages document, by the identity of the object."""
    meant = {name: (_meant_by(name), entry) for name, entry in domain.objects.items()}
    return {id(value): (name, entry) for name, (value, entry) in meant.items() if value is not None}


def _meant_by(name: str) -> Any:
    """Return the function, class or type of a full name; numbers and texts may be the same for several names."""
    home, _, last = name.rpartition(".")
    try:
        value = getattr(import_module(home), last)
    except (ImportError, AttributeError, ValueError):
        return None
    return value if callable(value) else None


def add_types(*event: Any) -> None:
    """Give the types that a class states to the attributes that its docstring describes; types stand only there."""
    _, what, _, obj, _, lines = event
    if what in ("attribute", "property", "data"):
        lines[:0] = ["..", ""]  # an empty remark: else what stands before a colon would be taken for a type
    if what != "class" or "Attributes" not in lines:
        return
    stated = [vars(base).get("__annotations__", {}) for base in reversed(obj.__mro__)]
    types = {key: value for some in stated for key, value in some.items()}
    for number in range(lines.index("Attributes") + 2, len(lines)):
        if set(lines[number]) == {"-"}:
            break
        names = lines[number].split(", ")
        if all(re.fullmatch(r"\w+", one) and isinstance(types.get(one), str) for one in names):
            lines[number] += " : " + ", ".join(dict.fromkeys(types[one] for one in names))


def setup(app: Sphinx) -> dict[str, bool]:
    """Be an extension of Sphinx."""
    app.connect("missing-reference", resolve)
    app.connect("autodoc-process-docstring", add_types, priority=400)  # napoleon, which reads sections, comes at 500
    return {"parallel_read_safe": True, "parallel_write_safe": True}
