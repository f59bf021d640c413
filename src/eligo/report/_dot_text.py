"""An order and a decomposition as DOT, for graphviz: the dag, the super-dag of its blocks, and the blocks.

Jobs are numbered in the order in which they are executed, and the earlier the darker. A job that is a sink of one
block and a non-sink of another is drawn in both. The first two graphs are read back by our own reader, with the same
names. Names are untrusted: labels show them as they are, whatever graphviz would make of backslashes and entities.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from eligo.formats._dot.writer import node_id, quoted_string
from eligo.report._style import plain, shorten
from eligo.schedule import places

if TYPE_CHECKING:
    from eligo.dag import Dag, Int64
    from eligo.priority._decompose import Blocks
    from eligo.schedule import Schedule

__all__ = ["blocks_as_dot", "order_as_dot", "superdag_as_dot"]

_EARLY, _LATE = (8, 48, 107), (222, 235, 247)  # dark and light blue
_LOOK = '  node [shape=box, style="filled,rounded", fontname="sans-serif", fillcolor="#deebf7"];\n'


def order_as_dot(schedule: Schedule) -> Iterator[str]:
    r"""Yield a dag as DOT, its jobs numbered and coloured in the order of a schedule.

    Examples
    --------
    >>> from eligo.dag import Dag
    >>> from eligo.schedule import Schedule
    >>> for line in list(order_as_dot(Schedule.of(Dag.from_names([("a", "b")]), [0, 1])))[4:]:
    ...     print(line, end="")
      a [label="a\n#1", fillcolor="#08306b", fontcolor="#ffffff"];
      b [label="b\n#2", fillcolor="#deebf7"];
      a -> b;
    }
    """
    dag = schedule.dag
    yield "// jobs in order of execution: #1 is first, dark colours are early\n"
    yield from _head("order", readable=True)
    ids = [node_id(name) for name in dag.names]
    for job, place in enumerate(places(schedule.order).tolist()):
        yield f"  {ids[job]} [{_label(dag.names[job], f'#{place + 1}')}, {_colour(place, dag.n)}];\n"
    yield from _edges(dag, ids)
    yield "}\n"


def superdag_as_dot(blocks: Blocks, schedule: Schedule) -> Iterator[str]:
    r"""Yield the dag of the blocks as DOT, numbered and coloured by when a schedule comes to each.

    Examples
    --------
    >>> from eligo.dag import Dag
    >>> from eligo.priority._decompose import decompose
    >>> from eligo.schedule import Schedule
    >>> chain = Dag.from_names([("a", "b"), ("b", "c")])
    >>> for line in list(superdag_as_dot(decompose(chain), Schedule.of(chain, [0, 1, 2])))[4:]:
    ...     print(line, end="")
      "block 1" [label="block 1\n1 + 1 jobs\n#1", fillcolor="#08306b", fontcolor="#ffffff"];
      "block 2" [label="block 2\n1 + 1 jobs\n#2", fillcolor="#deebf7"];
      "block 1" -> "block 2";
    }
    """
    yield "// blocks, with their non-sinks and sinks, in the order in which they are begun: #1 is first\n"
    yield from _head("superdag", readable=True)
    ids = [node_id(_name(block)) for block in range(blocks.count)]
    turn = places(_begun(blocks, schedule))
    for block in range(blocks.count):
        size = f"{len(blocks.nonsinks_of(block)):,} + {_sinks(blocks, block):,} jobs"
        looks = f"{_label(_name(block), size, f'#{turn[block] + 1}')}, {_colour(int(turn[block]), blocks.count)}"
        yield f"  {ids[block]} [{looks}];\n"
    yield from _edges(blocks.superdag(), ids)
    yield "}\n"


def blocks_as_dot(blocks: Blocks, schedule: Schedule) -> Iterator[str]:
    """Yield the blocks as DOT, a cluster each; jobs are numbered in the order of a schedule.

    Examples
    --------
    >>> from eligo.dag import Dag
    >>> from eligo.priority._decompose import decompose
    >>> from eligo.schedule import Schedule
    >>> chain = Dag.from_names([("a", "b"), ("b", "c")])
    >>> text = "".join(blocks_as_dot(decompose(chain), Schedule.of(chain, [0, 1, 2])))
    >>> text.count("subgraph"), text.count("->")
    (2, 2)
    """
    dag, place = blocks.dag, places(schedule.order)
    yield "// a cluster a block; a job that two blocks share is drawn in both\n"
    yield from _head("blocks", readable=False)
    for block in range(blocks.count):
        yield f"  subgraph cluster_{block} {{\n    label={quoted_string(_name(block))};\n"
        for job in np.union1d(blocks.nonsinks_of(block), blocks.heads_of(block)).tolist():
            looks = f"{_label(dag.names[job], f'#{place[job] + 1}')}, {_colour(int(place[job]), dag.n)}"
            yield f"    b{block}_{job} [{looks}];\n"
        for job in blocks.nonsinks_of(block).tolist():
            for child in dag.children(job).tolist():
                yield f"    b{block}_{job} -> b{block}_{child};\n"
        yield "  }\n"
    yield "}\n"


def _head(name: str, *, readable: bool) -> Iterator[str]:
    yield f"digraph {name} {{\n"
    yield "  graph [eligo=jobs];\n" if readable else ""
    yield _LOOK


def _edges(dag: Dag, ids: list[str]) -> Iterator[str]:
    for tail, head in zip(dag.tails.tolist(), dag.heads.tolist(), strict=True):
        yield f"  {ids[tail]} -> {ids[head]};\n"


def _name(block: int) -> str:
    return f"block {block + 1}"


def _sinks(blocks: Blocks, block: int) -> int:
    """Return how many jobs of a block are none of its non-sinks."""
    return len(np.setdiff1d(blocks.heads_of(block), blocks.nonsinks_of(block), assume_unique=True))


def _begun(blocks: Blocks, schedule: Schedule) -> Int64:
    """Return the blocks in the order in which their first non-sink is executed."""
    place = places(schedule.order)
    first = np.minimum.reduceat(place[blocks.nonsinks], blocks.nonsink_ptr[:-1]) if blocks.count else place[:0]
    turns: Int64 = np.argsort(first, kind="stable")
    return turns


def _label(name: str, *more: str) -> str:
    r"""Return a label of several lines; in labels a backslash begins an escape, and an ampersand an entity."""
    shown = shorten(plain(name), 60).replace("\\", "\\\\").replace("&", "&amp;")
    return f"label={quoted_string(chr(92).join([shown, *(f'n{line}' for line in more)]))}"


def _colour(place: int, count: int) -> str:
    late = place / max(count - 1, 1)
    fill = "".join(f"{round(a + late * (b - a)):02x}" for a, b in zip(_EARLY, _LATE, strict=True))
    return f'fillcolor="#{fill}"' + (', fontcolor="#ffffff"' if late < 0.5 else "")
