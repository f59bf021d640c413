"""The toy of 004 Fig. 1, rebuilt: the figure is missing in the text we have.

What the text says: the nodes are s, a, b, c, d, t; the cut ({s, a, b}, {c, d, t}) has weight 11 and is the heaviest;
it is the outputs of a and b. Only (c, b) and (d, a) can be added across it, so a leads to c and t alone, and b to d
and t alone. With (d, a) the dag is a line and its heaviest cut weighs 9: the outputs of a and d. Sizes were chosen to
fit all that::

        1 .-> a --5--> c --3-.
         s                    > t
        2 '-> b --6--> d --4-'
"""

from __future__ import annotations

from eligo.dag import Dag, Data
from eligo.memory._footprint import Footprint
from eligo.memory._models import footprint

S, A, B, C, D, T = range(6)


def toy(*added: tuple[int, int]) -> Footprint:
    edges = [(S, A), (S, B), (A, C), (B, D), (C, T), (D, T)]
    sizes = [1, 2, 5, 6, 3, 4]
    tails, heads = zip(*edges, *added, strict=True)
    data = Data.build(sizes, [tail for tail, _ in edges], [[head] for _, head in edges])
    return footprint(Dag.from_edges(list("sabcdt"), tails, heads, data=data), "simple")
