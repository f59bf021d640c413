"""Mermaid flowcharts, which code hosts and many editors draw where they stand in a text. Only written.

Nodes are called ``n0``, ``n1``, ... and show the job's name, whose special characters are written as entities: a name
can then neither end its label nor be taken for HTML. Mermaid's renderers refuse large graphs (500 edges by default),
which is noted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from eligo.dag import Dag
from eligo.formats._base import Notes

__all__ = ["NAME", "TITLE", "generate", "sniff"]

NAME = "mermaid"
TITLE = "Mermaid"

_SPECIAL = re.compile(r"[^\w .,/()+\-]|_")
_DRAWN_EDGES = 500


def sniff(head: str) -> bool:
    """Tell that this is not to be read."""
    return False


def generate(dag: Dag, lost: Notes) -> Iterator[str]:
    """Yield the text of a flowchart.

    Examples
    --------
    >>> print("".join(generate(Dag.from_names([("a", 'say "b"')]), Notes())), end="")
    flowchart TD
        n0["a"]
        n1["say #34;b#34;"]
        n0 --> n1
    """
    _note_lost(dag, lost)
    yield "flowchart TD\n"
    yield from (f'    n{job}["{_label(name)}"]\n' for job, name in enumerate(dag.names))
    pairs = zip(dag.tails.tolist(), dag.heads.tolist(), strict=True)
    yield from (f"    n{tail} --> n{head}\n" for tail, head in pairs)


def _label(name: str) -> str:
    return _SPECIAL.sub(lambda match: f"#{ord(match[0])};", name) or " "


def _note_lost(dag: Dag, lost: Notes) -> None:
    known = (dag.time_s, dag.temp_bytes, dag.memory_bytes, dag.count, dag.data)
    if any(column is not None for column in known):
        lost.say("Mermaid has no place for times, sizes and data")
    if dag.m > _DRAWN_EDGES:
        lost.say(f"most renderers refuse more than {_DRAWN_EDGES} edges unless maxEdges is raised")
