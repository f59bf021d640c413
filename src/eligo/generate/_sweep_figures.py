"""The dags of Cordasco, Malewicz and Rosenberg 2010, Fig. 3, 4, 5 and 8.

The figures are missing in the text; the dags are rebuilt from the tables of eligibility that the paper prints and from
its prose. Each function says what determines its dag and what had to be chosen. A table counts the ELIGIBLE
nonsources after executing so many nonsinks of each summand in the best order, so a bipartite block's row of the table
tells the number of its sources (the length), of its sinks (the last entry), and how many sinks need only some sources.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from eligo.dag import Dag
from eligo.errors import EligoError
from eligo.generate._family import Family, register
from eligo.graph import levels

__all__ = ["paper001"]

Figure = Literal[
    "fig3-left",
    "fig3-right",
    "fig3-fmri",
    "fig4-b1",
    "fig4-b2",
    "fig5-g3",
    "fig5-g4",
    "fig8-left",
    "fig8-right",
    "fig8",
]


def paper001(figure: Figure) -> Dag:
    """Return a dag of one of the paper's figures.

    ``fig4-b1``, ``fig4-b2``
        B1 and B2. Table 2 has their profiles 0, 4, 6 and 0, 3, 5: two sources; the first source alone renders 4
        (3) sinks ELIGIBLE, both render 6 (5). A connected block with these numbers has one or two sinks that need
        both sources; one is taken, so that B1 = W[5, 2] and B2 = W[4, 2], planar like all blocks of the paper. Names:
        b1.1, b1.2 the sources in the order of execution ("node 1 of B1"), b1.a ... the sinks from left to right.
    ``fig3-left``
        Seven blocks (section 5.1): B1 and B2; Table 5 gives B3 = B4 profile 0, 0, 1 (two sources, one sink), B6
        0, 0, 0, 1 (three to one), B5 = B7 0, 0, 0, 0, 1 (four to one). B1 and B2 have 11 sinks, B3 to B7 together 15
        sources and 5 sinks. In a dag whose edges join
        neighbouring levels, as the paper says of this one, that leaves one arrangement: four blocks with 11 sources
        take the 11 sinks, and the fifth, with 4 sources, joins their sinks. It is B5 or B7; by its number, B7.
        Chosen: the sinks of B1, then of B2, from left to right are shared out to B3, B4, B5, B6 in this order, so
        that B5 joins the two halves. Names: b3, b4, b5, b6, b7 are the sinks of these blocks.
    ``fig3-right``
        Three blocks: B0, whose single source starts the dag, B1 and B2. After the source the sum B1 + B2 remains,
        hence the source (``start``) feeds the four sources of B1 and B2. Nothing was chosen beyond B1 and B2.
    ``fig3-fmri``, ``fig8``, ``fig8-left``, ``fig8-right``
        Fig. 8 is a sum of two blocks with sources A, B, C and D, E, F; Table 6 gives both the profile 0, 3, 4, 5, in
        the order C, B, A and F, D, E. So C (F) alone renders three sinks ELIGIBLE and each further source one. Chosen:
        the umbrella with fringes of the fMRI dag, in which C feeds all five sinks and A and B one of them each.
        (Other choices with this table exist, such as B and A in a row.) Fig. 3 has a larger one of the same shape,
        "replicated"; nothing tells its size: two copies with ten sinks and five fringes each are taken.
    ``fig5-g3``
        One source 0; after it two parts remain, with profiles 0, 1 (node 1 and one sink) and 0, 0, 2 (nodes 2 and 3
        and two sinks that both need both). Determined.
    ``fig5-g4``
        One source 0; then the parts of Table 4: nodes 1, 2 feed 6, and 6 two sinks (profile 0, 0, 1, 2); nodes 3, 4,
        5 feed 7, and 7 three sinks (0, 0, 0, 1, 3). Determined.

    Numbering: level by level, from left to right; in Fig. 5 the numbers are those of the figure.

    Examples
    --------
    >>> paper001("fig3-left")
    Dag(20 jobs, 28 edges)
    >>> paper001("fig5-g3").names
    ('0', '1', '2', '3', '4', '5', '6')
    """
    try:
        edges = _EDGES[figure]()
    except KeyError:
        raise EligoError(f"unknown figure {figure!r}", hint=f"one of: {', '.join(_EDGES)}") from None
    return _numbered_by_level(edges)


def _numbered_by_level(edges: list[tuple[str, str]]) -> Dag:
    dag = Dag.from_names(edges)
    names = [name for _, name in sorted(zip(levels(dag).tolist(), dag.names, strict=True), key=lambda pair: pair[0])]
    return Dag.from_names(edges, jobs=names)


def _b1() -> list[tuple[str, str]]:
    return [("b1.1", f"b1.{sink}") for sink in "abcde"] + [("b1.2", f"b1.{sink}") for sink in "ef"]


def _b2() -> list[tuple[str, str]]:
    return [("b2.1", f"b2.{sink}") for sink in "abcd"] + [("b2.2", f"b2.{sink}") for sink in "de"]


def _fig3_left() -> list[tuple[str, str]]:
    sinks = iter([f"b1.{sink}" for sink in "abcdef"] + [f"b2.{sink}" for sink in "abcde"])
    joins = [
        (next(sinks), block) for block, width in (("b3", 2), ("b4", 2), ("b5", 4), ("b6", 3)) for _ in range(width)
    ]
    return [*_b1(), *_b2(), *joins, *((block, "b7") for block in ("b3", "b4", "b5", "b6"))]


def _fig3_right() -> list[tuple[str, str]]:
    return [*(("start", source) for source in ("b1.1", "b1.2", "b2.1", "b2.2")), *_b1(), *_b2()]


def _umbrella(handle: str, fringes: str, bare: int) -> list[tuple[str, str]]:
    """Return a handle that feeds a bare sink or more and, with each fringe, one sink more."""
    covered = [(fringe, f"{fringe}{handle}") for fringe in fringes]
    shared = [(handle, sink) for _, sink in covered]
    return [*covered, *shared, *((handle, f"{handle}{number}") for number in range(1, bare + 1))]


def _fig3_fmri() -> list[tuple[str, str]]:
    return [*_umbrella("F", "ABCDE", 5), *_umbrella("L", "GHIJK", 5)]


def _fig8_left() -> list[tuple[str, str]]:
    return _umbrella("C", "AB", 3)


def _fig8_right() -> list[tuple[str, str]]:
    return _umbrella("F", "DE", 3)


def _fig5_g3() -> list[tuple[str, str]]:
    return _edges("0>1 0>2 0>3 1>4 2>5 2>6 3>5 3>6")


def _fig5_g4() -> list[tuple[str, str]]:
    return _edges("0>1 0>2 0>3 0>4 0>5 1>6 2>6 3>7 4>7 5>7 6>8 6>9 7>10 7>11 7>12")


def _edges(text: str) -> list[tuple[str, str]]:
    pairs = (edge.split(">") for edge in text.split())
    return [(tail, head) for tail, head in pairs]


_EDGES: dict[str, Callable[[], list[tuple[str, str]]]] = {
    "fig3-left": _fig3_left,
    "fig3-right": _fig3_right,
    "fig3-fmri": _fig3_fmri,
    "fig4-b1": _b1,
    "fig4-b2": _b2,
    "fig5-g3": _fig5_g3,
    "fig5-g4": _fig5_g4,
    "fig8-left": _fig8_left,
    "fig8-right": _fig8_right,
    "fig8": lambda: [*_fig8_left(), *_fig8_right()],
}

register(
    Family(
        "paper001",
        paper001,
        "the dags of the figures of Cordasco, Malewicz and Rosenberg 2010",
        {"figure": "which one"},
        "paper001 fig3-left",
        ("figure",),
    ),
)
