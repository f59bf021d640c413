"""Bipartite trees: the best x sources of a bipartite forest, for every x, by dynamic programming.

Root each tree at a source and go from the leaves up. For a source, and each number of sources executed in the tree
below it and itself, keep the largest number of ELIGIBLE sinks below it: one table with the source executed, one
without. For a sink: one table with all sources next below it executed, one for any; the sink itself is not counted in
them. Joining a sink to the source above it adds up their tables by (max,+) convolution: with the source executed, the
sink is ELIGIBLE if all sources next below it are executed; without, it is not. Joining a source to the sink above it
is plainer still, and the trees of a forest add up likewise.

Tables are as long as there are sources below, so that every pair of sources meets in one convolution: O(s^2) in all
for s sources. Sinks with one parent are counted beforehand. Covers W-, M- and T-strands and planar bipartite trees
(Cordasco et al. 2007, 2010), and sums of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from eligo.certificate.budget import Budget
from eligo.certificate.piece import Piece
from eligo.certificate.reading import fields
from eligo.dag import Int64
from eligo.errors import CertificateError

if TYPE_CHECKING:
    from eligo.certificate.checker import Checker

__all__ = ["bound"]

_NEVER = -(1 << 40)  # a case that cannot be; far below any sum of it with numbers of jobs
_NOTHING = np.zeros(1, np.int64)


def bound(piece: Piece, witness: object, checker: Checker, _: int = 0) -> Int64:
    """Return e_max of a bipartite forest."""
    budget = checker.budget
    fields(witness, "a bipartite-tree witness", "by")
    if np.any((piece.indegree > 0) & (piece.outdegree > 0)):
        raise CertificateError("the dag is not bipartite: a job has parents and children")
    walk, above = _rooted(piece)
    private = piece.tails[piece.indegree[piece.heads] == 1]
    own_sinks = np.bincount(private, minlength=piece.n).tolist()
    is_source = (piece.outdegree > 0).tolist()
    # (not executed, executed) of a source; (any, all executed that are next below) of a sink
    tables: dict[int, tuple[Int64, Int64]] = {
        job: (np.array([0, _NEVER]), np.array([_NEVER, own_sinks[job]])) if is_source[job] else (_NOTHING, _NOTHING)
        for job in walk
    }
    best = _NOTHING
    for job in reversed(walk):
        without, with_all = tables.pop(job)
        if above[job] < 0:
            best = _sum(best, np.maximum(without, with_all), budget)
            continue
        if is_source[job]:
            without = np.maximum(without, with_all)
        else:
            with_all = np.maximum(without, with_all + 1)
        one, other = tables[above[job]]
        tables[above[job]] = _sum(one, without, budget), _sum(other, with_all, budget)
    return best


def _rooted(piece: Piece) -> tuple[list[int], list[int]]:
    """Return the jobs of all trees, each after the one above it, and for each the one above it, -1 for the roots.

    Sinks with one parent are left out.
    """
    shared = piece.indegree[piece.heads] > 1
    ends = np.concatenate([piece.tails[shared], piece.heads[shared]])
    others = np.concatenate([piece.heads[shared], piece.tails[shared]])
    others = others[np.argsort(ends, kind="stable")].tolist()
    start = np.concatenate(([0], np.cumsum(np.bincount(ends, minlength=piece.n)))).tolist()
    above = [-2] * piece.n
    walk: list[int] = []
    for root in np.flatnonzero(piece.outdegree > 0).tolist():
        if above[root] != -2:
            continue
        above[root] = -1
        fresh = [root]
        while fresh:
            job = fresh.pop()
            walk.append(job)
            for neighbour in others[start[job] : start[job + 1]]:
                if neighbour == above[job]:
                    continue
                if above[neighbour] != -2:
                    raise CertificateError("the dag is no forest: two ways lead from one job to another")
                above[neighbour] = job
                fresh.append(neighbour)
    return walk, above


def _sum(a: Int64, b: Int64, budget: Budget) -> Int64:
    """Return the largest a(x) + b(y) for each x + y."""
    if len(a) > len(b):
        a, b = b, a
    budget.spend(len(a) * len(b), "the tables of a tree")
    best = np.full(len(a) + len(b) - 1, _NEVER)
    for x, gain in enumerate(a.tolist()):
        reached = best[x : x + len(b)]
        np.maximum(reached, b + gain, out=reached)
    return best
