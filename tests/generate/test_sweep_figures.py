"""Every table of 001 that constrains a figure, recomputed by brute force over all ideals.

A table's entry (i, j) counts the ELIGIBLE nonsources when i nonsinks of one dag and j of the other were executed in
their best orders: the sum of two profiles. ERRATA, part 1: for a bipartite block with s sources the nonsource profile
at x is E_all(x) - (s - x); both ways of getting it are compared.
"""

import pytest

from eligo import graph
from eligo.errors import EligoError
from eligo.generate import compose, paper001, strand
from tests.reference.ideals import best_profile, has_ic_optimal_schedule

B1, B2 = paper001("fig4-b1"), paper001("fig4-b2")
M2, M3, M4 = strand("M", [2]), strand("M", [3]), strand("M", [4])


def profile(dag):
    """Return the nonsource profile over the nonsinks of a dag."""
    nonsinks = dag.n - len(graph.sinks(dag))
    return best_profile(dag, sources=False)[: nonsinks + 1]


def part(dag, names):
    return graph.induced_subdag(dag, [dag.index(name) for name in names])


def table(rows, columns):
    return [[row + column for column in profile(columns)] for row in profile(rows)]


@pytest.mark.parametrize("dag", [B1, B2, M2, M3, M4, paper001("fig8-left"), paper001("fig8-right")])
def test_both_conventions_agree_on_bipartite_blocks(dag):
    sources = len(graph.sources(dag))
    everything = best_profile(dag, sources=True)
    assert profile(dag) == [everything[x] - (sources - x) for x in range(sources + 1)]


def test_table_2():
    assert table(B1, B2) == [[0, 3, 5], [4, 7, 9], [6, 9, 11]]


def test_table_3():
    g3 = paper001("fig5-g3")
    assert table(part(g3, "14"), part(g3, "2356")) == [[0, 0, 2], [1, 1, 3]]


def test_table_4():
    g4 = paper001("fig5-g4")
    left, right = part(g4, ["1", "2", "6", "8", "9"]), part(g4, ["3", "4", "5", "7", "10", "11", "12"])
    assert table(left, right) == [[0, 0, 0, 1, 3], [0, 0, 0, 1, 3], [1, 1, 1, 2, 4], [2, 2, 2, 3, 5]]


def test_table_5():
    """The blocks behind B1 and B2 in the top left dag of Fig. 3, cut out of it."""
    dag = paper001("fig3-left")
    block = {name: part(dag, [dag.names[job] for job in [*dag.parents(dag.index(name)), dag.index(name)]])
             for name in ("b3", "b4", "b5", "b6", "b7")}  # fmt: skip
    assert table(B1, block["b3"]) == table(B1, block["b4"]) == [[0, 0, 1], [4, 4, 5], [6, 6, 7]]
    assert table(B2, block["b3"]) == table(B2, block["b4"]) == [[0, 0, 1], [3, 3, 4], [5, 5, 6]]
    assert table(block["b4"], block["b6"]) == [[0, 0, 0, 1], [0, 0, 0, 1], [1, 1, 1, 2]]
    last = [[0, 0, 0, 0, 1], [0, 0, 0, 0, 1], [0, 0, 0, 0, 1], [1, 1, 1, 1, 2]]
    assert table(block["b6"], block["b5"]) == table(block["b6"], block["b7"]) == last


def test_table_6():
    left, right = paper001("fig8-left"), paper001("fig8-right")
    assert table(left, right) == [[0, 3, 4, 5], [3, 6, 7, 8], [4, 7, 8, 9], [5, 8, 9, 10]]


@pytest.mark.parametrize(("figure", "order"), [("fig8-left", "CBA"), ("fig8-right", "FDE")])
def test_the_stated_orders_of_figure_8_reach_the_profile(figure, order):
    dag = paper001(figure)
    executed, rendered = set(), []
    for source in order:
        executed.add(dag.index(source))
        rendered.append(sum(set(dag.parents(job)) <= executed for job in range(dag.n) if len(dag.parents(job))))
    assert rendered == profile(dag)[1:]


@pytest.mark.parametrize(
    ("figure", "admits"),
    [
        ("fig3-left", True), ("fig3-right", True), ("fig4-b1", True), ("fig4-b2", True), ("fig5-g3", False),
        ("fig5-g4", False), ("fig8-left", True), ("fig8-right", True), ("fig8", True),
    ],
)  # fmt: skip
def test_the_paper_says_which_admit_an_ic_optimal_schedule(figure, admits):
    assert has_ic_optimal_schedule(paper001(figure), sources=True) is admits


def test_figure_3_left_has_seven_blocks_between_neighbouring_levels():
    dag = paper001("fig3-left")
    depth = graph.levels(dag)
    assert (depth[dag.heads] - depth[dag.tails] == 1).all()
    blocks = 0
    for level in range(3):
        jobs = [job for job in range(dag.n) if depth[job] in (level, level + 1)]
        blocks += graph.components(graph.induced_subdag(dag, jobs)).max() + 1
    assert blocks == 7
    assert (len(graph.sources(dag)), len(graph.sinks(dag))) == (4, 1)


def test_figure_3_right_is_a_source_over_the_blocks_of_figure_4():
    dag = paper001("fig3-right")
    blocks = graph.induced_subdag(dag, range(1, dag.n))
    assert graph.components(blocks).max() == 1
    assert sorted(map(len, (dag.children(job) for job in range(5)))) == [2, 2, 4, 4, 5]
    start = strand("W", [4])
    rebuilt = compose(start, graph.sum_of([B1, B2]), [(1, 0), (2, 1), (3, B1.n), (4, B1.n + 1)])
    assert (rebuilt.n, rebuilt.m) == (dag.n, dag.m)


def test_figure_3_fmri_is_a_sum_of_two_equal_umbrellas():
    dag = paper001("fig3-fmri")
    component = graph.components(dag)
    left, right = (graph.induced_subdag(dag, [j for j in range(dag.n) if component[j] == c]) for c in (0, 1))
    assert profile(left) == profile(right) == [0, 5, 6, 7, 8, 9, 10]


def test_unknown_figure():
    with pytest.raises(EligoError, match="fig3-left"):
        paper001("fig9")
