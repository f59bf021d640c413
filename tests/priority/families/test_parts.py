"""Families inside larger dags, against a checker that knows only the definition of a part."""

from __future__ import annotations

from itertools import combinations

import networkx
import numpy as np
import pytest
from hypothesis import given, settings

from eligo.dag import Dag
from eligo.generate import compose, fft, grid, mesh, tree, tree_from_parents
from eligo.graph import dual, induced_subdag, remove_shortcuts, sinks, sources, sum_of
from eligo.priority._families import Fft, Mesh, Part, Tree, find_parts
from eligo.schedule import Schedule
from tests.guards import no_hang
from tests.priority.families.brute import near_miss, same_shape, shuffled
from tests.strategies import dags


def family_of(dag: Dag) -> str | None:
    """Name the family that a whole dag belongs to, by plain definitions, if it has two layers of blocks or more."""
    plain = networkx.DiGraph(zip(dag.tails.tolist(), dag.heads.tolist(), strict=True))
    if plain.number_of_nodes() < dag.n or dag.n < 3 or networkx.dag_longest_path_length(plain) < 2:
        return None
    for one in (plain, plain.reverse()):
        if networkx.is_arborescence(one) and len({degree for _, degree in one.out_degree()} | {0}) == 2:
            return "tree"
    levels, dim = networkx.dag_longest_path_length(plain) + 1, networkx.dag_longest_path_length(plain)
    if dag.n == levels * (levels + 1) // 2 and any(same_shape(dag, mesh(levels, 2, e)) for e in (False, True)):
        return "mesh"
    if dim < 6 and dag.n == (dim + 1) << dim and same_shape(dag, fft(dim)):
        return "fft"
    return None


def touched_rightly(dag: Dag, jobs: set[int]) -> bool:
    """Tell whether the rest of the dag touches these jobs only by arcs into their sources and out of their sinks."""
    for job in jobs:
        parents, children = set(dag.parents(job).tolist()), set(dag.children(job).tolist())
        source, sink = not parents & jobs, not children & jobs
        if (source and sink) or (not source and not parents <= jobs) or (not sink and not children <= jobs):
            return False
    return True


def arcs_of(dag: Dag, jobs: set[int]) -> set[tuple[int, int]]:
    return {(u, v) for u, v in zip(dag.tails.tolist(), dag.heads.tolist(), strict=True) if {u, v} <= jobs}


def check_parts(dag: Dag) -> list[Part]:
    """Check everything that a list of parts promises, but for nothing being left out."""
    parts = find_parts(dag)
    for part in parts:
        jobs = set(part.jobs.tolist())
        assert part.jobs.tolist() == sorted(jobs)
        assert touched_rightly(dag, jobs)
        assert part.dag == induced_subdag(dag, part.jobs)
        assert family_of(part.dag) == part.family == part.recognised.family
        Schedule.of(part.dag, part.recognised.best_order())
    for one, other in combinations(parts, 2):
        shared = set(one.jobs.tolist()) & set(other.jobs.tolist())
        assert not arcs_of(dag, set(one.jobs.tolist())) & arcs_of(dag, set(other.jobs.tolist()))
        for job in shared:
            ends = [
                (len(part.dag.parents(at)) == 0, len(part.dag.children(at)) == 0)
                for part in (one, other)
                for at in [part.jobs.tolist().index(job)]
            ]
            assert sorted(ends) == [(False, True), (True, False)]
    assert [int(part.jobs[0]) for part in parts] == sorted(int(part.jobs[0]) for part in parts)
    return parts


def check_nothing_left_out(dag: Dag) -> int:
    """Every member of a family among all sets of jobs lies in a reported part or overlaps one; count members."""
    found = [set(part.jobs.tolist()) for part in check_parts(dag)]
    members = 0
    for size in range(3, dag.n + 1):
        for chosen in combinations(range(dag.n), size):
            jobs = set(chosen)
            if touched_rightly(dag, jobs) and (family := family_of(induced_subdag(dag, chosen))):
                members += 1
                around = [part for part in found if jobs <= part]
                if not around:
                    arcs = arcs_of(dag, jobs)
                    # What overlaps it is a mesh where it is a tree, and never a smaller member of its own family.
                    rivals = [part for part in found if arcs & arcs_of(dag, part)]
                    assert rivals
                    assert family == "tree"
                    assert any(family_of(induced_subdag(dag, sorted(part))) == "mesh" for part in rivals)
    return members


@settings(max_examples=150)
@given(dags(max_jobs=7, known=False))
def test_nothing_is_left_out_of_random_dags(dag: Dag) -> None:
    """Without shortcuts: one may put the two ends of a chain into the same block, and then no chain is found."""
    check_nothing_left_out(remove_shortcuts(dag))


def glue(rng: np.random.Generator, upper: Dag, lower: Dag) -> tuple[Dag, dict[int, int]]:
    """Merge some sinks of one dag with some sources of another; return also the new numbers of the second's jobs."""
    ends, starts = rng.permutation(sinks(upper)), rng.permutation(sources(lower))
    count = int(rng.integers(0, min(len(ends), len(starts)) + 1))
    number = dict(zip(starts[:count].tolist(), ends[:count].tolist(), strict=True))
    dag = compose(upper, lower, [(end, start) for start, end in number.items()])
    rest = [job for job in range(lower.n) if job not in number]
    return dag, number | dict(zip(rest, range(upper.n, dag.n), strict=True))


SMALL = [
    Dag.from_edges(2, [0], [1]),
    tree(1),
    tree(1, 2, expansion=True),
    tree_from_parents([-1, 0, 0, 1, 1]),
    tree_from_parents([-1, 0, 0, 1, 1], expansion=True),
    mesh(3),
    mesh(3, 2, expansion=True),
    fft(1),
    Dag.from_edges(4, [0, 1, 1], [2, 2, 3]),
    Dag.from_edges(5, [0, 1, 1, 2], [3, 3, 4, 4]),
]


def test_nothing_is_left_out_of_small_compositions() -> None:
    rng = np.random.default_rng(2)
    members = 0
    for _ in range(400):
        dag = Dag.from_edges(1)
        while dag.n < 8:
            dag, _ = glue(rng, *(dag, SMALL[rng.integers(len(SMALL))])[:: 1 if rng.integers(2) else -1])
        if dag.n <= 10:
            members += check_nothing_left_out(shuffled(dag, int(rng.integers(1000))))
    assert members > 200


def random_dag(rng: np.random.Generator, n: int) -> Dag:
    tails, heads = np.nonzero(np.triu(rng.random((n, n)) < 2.5 / n, 1))
    return Dag.from_edges(n, tails, heads)


def random_member(rng: np.random.Generator) -> Dag:
    """A mesh, an FFT dag or a tree of one arity, of two layers of blocks or more."""
    expansion = bool(rng.integers(2))
    kind = rng.integers(4)
    if kind == 0:
        return mesh(int(rng.integers(3, 8)), 2, expansion)
    if kind == 1:
        return fft(int(rng.integers(2, 5)))
    arity = int(rng.integers(1, 5))
    parents, leaves = [-1], [0]
    for _ in range(int(rng.integers(2, 9))):
        node = leaves.pop(int(rng.integers(len(leaves))))
        leaves += range(len(parents), len(parents) + arity)
        parents += [node] * arity
    return tree_from_parents(parents, expansion)


@pytest.mark.parametrize("seed", range(6))
def test_planted_members_are_found(seed: int) -> None:
    """Random members between random dags: the part found is the member, or it has grown into its surroundings."""
    rng = np.random.default_rng(seed)
    exact = 0
    for _ in range(40):
        member = random_member(rng)
        family = family_of(member)
        assert family is not None
        above, below = (random_dag(rng, int(rng.integers(1, 15))) for _ in range(2))
        upper, planted = glue(rng, above, member)
        whole, _ = glue(rng, upper, below)
        order = rng.permutation(whole.n)
        jobs = {int(np.flatnonzero(order == planted[job])[0]) for job in range(member.n)}
        parts = check_parts(induced_subdag(whole, order))
        around = [part for part in parts if jobs <= set(part.jobs.tolist())]
        if family == "tree" and not around:
            assert any(part.family == "mesh" and jobs & set(part.jobs.tolist()) for part in parts)
            continue
        assert [part.family for part in around] == [family]
        exact += len(around[0].jobs) == len(jobs)
    assert exact > 25


def test_near_misses_are_not_found() -> None:
    """One arc deleted, added or moved, or two crossed: no part has the old jobs unless it is isomorphic after all."""
    rng = np.random.default_rng(17)
    missed = 0
    for _ in range(400):
        member = random_member(rng)
        if member.n > 60:
            continue
        dag = near_miss(member, rng)
        if dag is None:
            continue
        whole = [part for part in check_parts(dag) if len(part.jobs) == dag.n]
        assert bool(whole) == (family_of(dag) is not None)
        missed += not whole
    assert missed > 150


def wired(rng: np.random.Generator, width: int, symbols: list[int]) -> Dag:
    """Layers of butterflies: layer i joins wires that differ in the bit ``symbols[i]``; jobs renumbered at random."""
    tails, heads = [], []
    for layer, symbol in enumerate(symbols):
        for x in range(width):
            tails += [layer * width + x] * 2
            heads += [(layer + 1) * width + x, (layer + 1) * width + (x ^ 1 << symbol)]
    return shuffled(Dag.from_edges((len(symbols) + 1) * width, tails, heads), int(rng.integers(1000)))


def test_networks_of_butterflies() -> None:
    """Runs of different symbols are FFT dags: the longest are found, side by side and one after the other."""
    rng = np.random.default_rng(1)
    for symbols, sizes in (
        ([0, 1, 2], [3]),
        ([2, 0, 1, 1, 0, 2], [3, 3]),  # Benes' network: an FFT and its mirror image
        ([0, 1, 2, 0, 1, 2], [3, 3]),
        ([0, 1, 0, 1], [2, 2, 2, 2]),
        ([0, 1, 1, 0, 2], [2, 2, 3]),
        ([0, 1, 1, 0, 0, 2], [2, 2, 2, 2, 2, 2]),
        ([0, 0, 1, 1], [2, 2]),
        ([0, 0, 0], []),
        ([0, 1, 2, 0], [3]),
        ([0, 1, 0], [2, 2]),
    ):
        found = check_parts(wired(rng, 8, symbols))
        assert sorted(part.recognised.parameters["dim"] for part in found) == sorted(sizes), symbols


def test_random_networks_of_butterflies() -> None:
    """Butterflies joined at random, also across layers; any four that make an FFT dag overlap one that is found."""
    rng = np.random.default_rng(3)
    members = 0
    for _ in range(70):
        wires, n, butterflies = list(range(8)), 8, []
        for _ in range(3):
            if rng.integers(2):
                i, j = rng.integers(8, size=2)
                wires[i], wires[j] = wires[j], wires[i]
            bit = 1 << int(rng.integers(3))
            for x in range(8):
                # Some butterflies are left out, so that others span several layers.
                if not x & bit and rng.integers(8):
                    butterflies.append((wires[x], wires[x | bit], n, n + 1))
                    wires[x], wires[x | bit] = n, n + 1
                    n += 2
        tails = [u for a, b, _, _ in butterflies for u in (a, a, b, b)]
        heads = [v for _, _, c, d in butterflies for v in (c, d, c, d)]
        dag = Dag.from_edges(n, tails, heads)
        found = [set(part.jobs.tolist()) for part in check_parts(dag)]
        for four in combinations(butterflies, 4):
            jobs = {job for one in four for job in one}
            if len(jobs) == 12 and touched_rightly(dag, jobs) and family_of(induced_subdag(dag, sorted(jobs))) == "fft":
                members += 1
                assert any(arcs_of(dag, jobs) & arcs_of(dag, part) for part in found)
    assert members > 50


def test_a_mesh_goes_before_a_tree() -> None:
    r"""The last block of a mesh could begin a binary tree; the mesh takes it.

    ::

        0   1   2
         \ / \ /
          3   4   6
           \ /   /
            5   /
             \ /
              7
    """
    dag = Dag.from_edges(8, [0, 1, 1, 2, 3, 4, 5, 6], [3, 3, 4, 4, 5, 5, 7, 7])
    (only,) = check_parts(dag)
    assert isinstance(only.recognised, Mesh)
    assert only.jobs.tolist() == [0, 1, 2, 3, 4, 5]
    (mirrored,) = check_parts(dual(dag))
    assert mirrored.recognised.parameters == {"levels": 3, "dim": 2, "expansion": True}


def test_parts_meet_at_sinks_and_sources() -> None:
    """An expansion-tree into a reduction-tree, and a square grid: an expansion-mesh into a reduction-mesh."""
    first, second = tree(3, 2, expansion=True), tree(3)
    dag = compose(first, second, zip(sinks(first).tolist(), sources(second).tolist(), strict=True))
    assert [part.recognised.parameters["expansion"] for part in check_parts(dag)] == [True, False]
    assert [part.recognised.parameters["levels"] for part in check_parts(grid(4, 4))] == [4, 4]


def test_whole_dags_are_parts_of_themselves() -> None:
    for dag in (tree(3), tree(2, 3, expansion=True), tree(4, 1), mesh(6), mesh(4, 2, True), fft(2), fft(4)):
        (part,) = check_parts(shuffled(dag, seed=5))
        assert len(part.jobs) == dag.n
    for dag in (Dag.from_edges(0), Dag.from_edges(3), tree(1, 5), tree(1, 5, True), tree(1, 1), mesh(2), fft(1)):
        assert find_parts(dag) == []


def test_shortcuts_within_a_member_spoil_it() -> None:
    """Tails and heads of one block that coincide: 0 -> 1 -> 2 and 0 -> 2, and the same among butterflies."""
    assert find_parts(Dag.from_edges(3, [0, 1, 0], [1, 2, 2])) == []
    butterfly = Dag.from_edges(4, [0, 0, 1, 1], [1, 2, 2, 3])
    assert find_parts(butterfly) == []


def test_many_parts_at_once() -> None:
    """Thousands of chains, trees, meshes and FFTs side by side."""
    members = [tree(2, 1), tree(2), mesh(3), fft(2), tree(2, 3, expansion=True), mesh(4, 2, True)]
    count = 1500
    dag = shuffled(sum_of(members * count), seed=0)
    with no_hang():
        parts = find_parts(dag)
        assert len(parts) == len(members) * count
        kinds = {"tree": 3, "mesh": 2, "fft": 1}
        assert {kind: sum(part.family == kind for part in parts) for kind in kinds} == {
            kind: number * count for kind, number in kinds.items()
        }
        assert {type(part.recognised) for part in parts[:50]} == {Tree, Mesh, Fft}


def test_large_members_do_not_take_for_ever() -> None:
    with no_hang():
        for dag in (mesh(300), fft(11), tree(15), tree(40_000, 1), tree(9, 3, True)):
            (part,) = find_parts(shuffled(dag, seed=1))
            assert len(part.jobs) == dag.n
