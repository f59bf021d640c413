"""Meshes, trees and FFT dags inside a larger dag.

A *part* is a set of jobs whose induced dag is a family member of at least two layers of blocks (a tree of height 2, a
mesh of 3 levels, an FFT dag of 4 inputs, or more), and that the rest of the dag touches only by arcs into its sources
and out of its sinks. So its arcs fill whole blocks (see ``sides.py``), and each kind of member is a certain pattern of
certain blocks:

* a *reduction-tree* of arity k consists of blocks with k tails and one head, linked where the head of one is a tail of
  another; blocks of the same k linked in all possible ways are a tree, since each leads to at most one other;
* a *reduction-mesh* ends in a block with two tails and one head. What lies above must be a strand with one tail and one
  head more whose heads, in order, are the tails of the one below, and so on as long as it lasts;
* *FFT dags* consist of blocks with two tails, two heads and four arcs (``butterflies.py``);
* expansion-trees and -meshes are found as their duals.

Parts share no arcs; a job in two parts is a sink of one and a source of the other. Where members overlap, meshes go
before trees (a mesh ends in what may also begin a binary tree) and larger FFT dags before smaller ones. Every other
member of a family overlaps one that is reported. Meshes of three dimensions or more are not looked for.
Cost: O(m + n log^2 n).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from eligo.dag import Dag, Int32, Int64
from eligo.graph import edges_between
from eligo.priority._families.recognize_fft import find_ffts, recognise_fft
from eligo.priority._families.recognize_mesh import recognise_mesh
from eligo.priority._families.recognize_tree import recognise_tree
from eligo.priority._families.recognized import Recognised, Sides

__all__ = ["Part", "find_parts"]

_RECOGNISERS = {"fft": recognise_fft, "mesh": recognise_mesh, "tree": recognise_tree}


@dataclass(frozen=True, eq=False, repr=False)
class Part:
    """A family member inside a larger dag.

    Attributes
    ----------
    whole
        The larger dag.
    family
        ``tree``, ``mesh`` or ``fft``.
    jobs
        The numbers of its jobs in the larger dag, ascending.
    """

    whole: Dag
    family: str
    jobs: Int32

    @cached_property
    def dag(self) -> Dag:
        """The induced dag; its job i is job ``jobs[i]`` of the larger one and has the same name."""
        names = [self.whole.names[job] for job in self.jobs.tolist()]
        return Dag.from_edges(names, *edges_between(self.whole, self.jobs))

    @cached_property
    def recognised(self) -> Recognised:
        """What is known of :attr:`dag` as a member of its family."""
        found = _RECOGNISERS[self.family](self.dag)
        if found is None:
            raise AssertionError(f"the part of jobs {self.jobs.tolist()} is no {self.family}")
        return found

    def __repr__(self) -> str:
        return f"Part({self.family} of {len(self.jobs)} jobs)"


def find_parts(dag: Dag) -> list[Part]:
    """Find trees, two-dimensional meshes and FFT dags inside a dag without shortcuts, in order of their first jobs.

    Examples
    --------
    A binary tree of four leaves, one of which has two further parents:

    >>> dag = Dag.from_edges(9, [0, 1, 2, 3, 4, 5, 7, 8, 8], [4, 4, 5, 5, 6, 6, 0, 0, 1])
    >>> [(part, part.jobs.tolist(), part.recognised.describe()) for part in find_parts(dag)]
    [(Part(tree of 7 jobs), [0, 1, 2, 3, 4, 5, 6], 'complete reduction-tree of height 2')]
    """
    sides = Sides.of(dag)
    free = np.ones(len(sides.arcs), np.bool_)
    found = [("fft", jobs) for jobs in find_ffts(sides, dag.order)]
    for way in (sides, sides.flipped()):
        found += [("mesh", jobs) for jobs in _find_meshes(way, free)]
    found += [("tree", jobs) for jobs in _find_trees(sides, free)]
    # A chain is a tree both ways.
    free &= sides.arcs > 1
    found += [("tree", jobs) for jobs in _find_trees(sides.flipped(), free)]
    parts = [Part(dag, family, np.sort(jobs)) for family, jobs in found]
    return sorted(parts, key=lambda part: (int(part.jobs[0]), len(part.jobs), int(part.jobs[-1])))


def _find_trees(sides: Sides, free: NDArray[np.bool_]) -> Iterator[Int32]:
    """Yield the jobs of reduction-trees of one arity whose blocks are free."""
    joins = (sides.heads == 1) & free
    root = np.arange(len(joins))  # of each join the join it leads to, in the end the one at the root
    heads = np.flatnonzero(sides.in_block >= 0)
    heads = heads[joins[sides.in_block[heads]] & (sides.out_block[heads] >= 0)]
    above, below = sides.in_block[heads], sides.out_block[heads]
    linked = joins[below] & (sides.arcs[above] == sides.arcs[below])
    root[above[linked]] = below[linked]
    inner = np.zeros(len(joins), np.bool_)
    inner[below[linked]] = True
    while not np.array_equal(root, beyond := root[root]):
        root = beyond
    wanted = np.zeros(len(joins), np.bool_)
    wanted[root[inner]] = True
    # Every job of a tree is a tail of one of its joins, but for the root.
    tails = np.flatnonzero(sides.out_block >= 0)
    tails = tails[joins[sides.out_block[tails]]]
    last = np.flatnonzero(sides.in_block >= 0)
    last = last[joins[sides.in_block[last]]]
    last = last[root[sides.in_block[last]] == sides.in_block[last]]
    jobs = np.concatenate((tails, last)).astype(np.int32)
    trees = np.concatenate((root[sides.out_block[tails]], sides.in_block[last]))
    yield from _grouped(jobs[wanted[trees]], trees[wanted[trees]])


def _grouped(jobs: Int32, group: Int64) -> list[Int32]:
    """Return the jobs of each group."""
    order = np.argsort(group, kind="stable")
    ends = np.flatnonzero(np.diff(group[order])) + 1
    return np.split(jobs[order], ends) if len(jobs) else []


def _find_meshes(sides: Sides, free: NDArray[np.bool_]) -> Iterator[Int32]:
    """Yield the jobs of two-dimensional reduction-meshes, and mark their blocks as no longer free."""
    last = np.flatnonzero(sides.in_block >= 0)
    block = sides.in_block[last]
    last = last[(sides.heads[block] == 1) & (sides.arcs[block] == 2)]
    if not len(last):
        return
    pairs = sides.into[sides.in_ptr[last][:, None] + (0, 1)]
    above = sides.in_block[pairs]
    # Quick test for most: both jobs on level 1 must be heads of one block with three tails.
    likely = (above[:, 0] == above[:, 1]) & (above[:, 0] >= 0) & (sides.tails[above[:, 0]] == 3)
    for root, pair in zip(last[likely].tolist(), pairs[likely].tolist(), strict=True):
        strands = [[root], pair]
        while wider := _strand_above(sides, strands[-1]):
            strands.append(wider)
        if len(strands) > 2:
            for strand in strands[:-1]:
                free[sides.in_block[strand[0]]] = False
            yield np.array([job for strand in strands for job in strand], np.int32)


def _strand_above(sides: Sides, strand: list[int]) -> list[int] | None:
    """Return the tails of the strand of which these jobs are all the heads, in the order of theirs, if there is one."""
    block = int(sides.in_block[strand[0]])
    size = len(strand)
    if block < 0 or (sides.heads[block], sides.tails[block], sides.arcs[block]) != (size, size + 1, 2 * size):
        return None
    wider: list[int] = []
    before: list[int] = []
    for job in strand:
        parents = sides.parents(job)
        if sides.in_block[job] != block or len(parents) != 2:
            return None
        if not before:
            before = parents
            continue
        shared = [parent for parent in parents if parent in before]
        if len(shared) != 1:
            return None
        if not wider:
            wider.append(sum(before) - shared[0])
        wider += shared
        before = parents
    wider.append(sum(before) - wider[-1])
    return wider if len(set(wider)) == size + 1 else None
