"""Names that every DAGMan takes for a node, as close as can be to those that were given."""

from __future__ import annotations

import re
from collections.abc import Sequence

__all__ = ["is_legal", "legal_names"]

# 23.9 refuses only + and the reserved words, but cuts at blanks; 25 also unquotes and reads key=value pairs. A
# backslash could continue a line.
_ILLEGAL = re.compile(r"[\x00-\x20\x7f\u0085\u2028\u2029+\"'=\\]")
_RESERVED = frozenset({"PARENT", "CHILD", "ALL_NODES"})


def is_legal(name: str) -> bool:
    """Tell whether DAGMan takes a name for a node.

    Examples
    --------
    >>> is_legal("a.b-1"), is_legal("a b"), is_legal("child"), is_legal("")
    (True, False, False, False)
    """
    return bool(name) and _ILLEGAL.search(name) is None and not (name.isascii() and name.upper() in _RESERVED)


def legal_names(names: Sequence[str]) -> list[str]:
    """Return a legal name for each, all different; legal ones stay.

    The ``+`` between a splice and its node becomes a dot, any other illegal character ``_``.

    Examples
    --------
    >>> legal_names(["S+a", "S.a", "my job", "child"])
    ['S.a_2', 'S.a', 'my_job', 'child_']
    """
    if all(map(is_legal, names)):
        return list(names)
    taken = {name for name in names if is_legal(name)}
    made = []
    nexts: dict[str, int] = {}
    for name in names:
        if is_legal(name):
            made.append(name)
            continue
        base = _ILLEGAL.sub("_", name.replace("+", ".")) or "_"
        if not is_legal(base):
            base += "_"
        new, number = base, nexts.get(base, 2)
        while new in taken:
            new, number = f"{base}_{number}", number + 1
        nexts[base] = number
        taken.add(new)
        made.append(new)
    return made
