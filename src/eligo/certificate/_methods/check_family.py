"""Families: dags of a known shape, whose largest number of ELIGIBLE jobs has a formula with a short proof.

Each check makes sure of the shape, arc by arc, and returns the formula as a bound on e; that the order attains it is
checked with every method alike. I is an ideal of x non-sinks, c the number of non-sources whose parents all lie in I.

* *complete*: x sources of N make no sink ELIGIBLE unless x = N.
* *cycle*: sources and sinks in turn on one closed line. x < N sources in r runs make x - r sinks ELIGIBLE, and r >= 1.
* *tree*, reduction: no job has two children, so the k parents of each job counted in c are its own: c <= x / k.
  Expansion: no job has two parents, none more than k children: c <= k x.
* *mesh*: triangular, of two dimensions. k ELIGIBLE jobs lie at places (x, y) no two of which are comparable: sorted,
  the i-th (from 0) has x >= i and y >= k - 1 - i. Reduction: all places below and at them are unexecuted, among which
  are all those with x + y < k, so k (k + 1) / 2 <= n - t. Expansion: all places strictly below them are executed,
  among which are all those with x + y < k - 1, so k (k - 1) / 2 <= t.
* *fft*: the non-sources come in pairs with the same two parents, and each job is a parent in one pair only: c <= 2
  floor(x / 2).

All are in Rosenberg and Yurkewych 2005, or in the errata to it. O(n + m), but for places that are compared: O(n log
n).

Bipartite trees: the best x sources of a bipartite forest, for every x, by dynamic programming.

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

from eligo.certificate._schema import fields, flag, pairs, shown, whole
from eligo.certificate._subdag import Budget, Piece
from eligo.dag import Int64
from eligo.errors import CertificateError

if TYPE_CHECKING:
    from eligo.certificate._checker import Checker

__all__ = [
    "bipartite_tree_bound",
    "family_bound",
]

_MOST_ARITY = 2**31  # products with numbers of jobs still fit 64 bits


def family_bound(piece: Piece, witness: object, *_: object) -> Int64:
    """Return the formula of the family that the witness names, if the dag is one."""
    name = witness.get("family") if isinstance(witness, dict) else None
    if not isinstance(name, str) or name not in _FAMILIES:
        raise CertificateError(f"unknown family {shown(name)}", hint=f"one of: {', '.join(_FAMILIES)}")
    return _FAMILIES[name](piece, witness)


def _complete(piece: Piece, witness: object) -> Int64:
    fields(witness, "the witness of a complete block", "by", "family")
    sinks = piece.n - piece.nonsinks
    _bipartite(piece)
    _need(piece.nonsinks > 0 and len(piece.tails) == piece.nonsinks * sinks, "not every source feeds every sink")
    e = np.zeros(piece.nonsinks + 1, np.int64)
    e[-1] = sinks
    return e


def _cycle(piece: Piece, witness: object) -> Int64:
    fields(witness, "the witness of a cycle", "by", "family")
    _bipartite(piece)
    _need(piece.n > 0 and bool(np.all(piece.indegree + piece.outdegree == 2)), "not every job has two neighbours")
    _need(_one_line(piece), "it is more than one cycle")
    e = np.maximum(np.arange(piece.nonsinks + 1) - 1, 0)
    e[-1] = piece.nonsinks
    return e


def _one_line(piece: Piece) -> bool:
    """Walk round from job to neighbour until back where it began, and tell whether all jobs were met."""
    ends = np.concatenate([piece.tails, piece.heads])
    others = np.concatenate([piece.heads, piece.tails])
    neighbours = others[np.argsort(ends, kind="stable")].reshape(-1, 2).tolist()
    before, here, met = 0, neighbours[0][0], 1
    while here != 0:
        one, other = neighbours[here]
        before, here, met = here, other if one == before else one, met + 1
    return met == piece.n


def _tree(piece: Piece, witness: object) -> Int64:
    (_, _, stated, expansion) = fields(witness, "the witness of a tree", "by", "family", "arity", "expansion")
    arity = whole(stated, "arity", 1, _MOST_ARITY)
    grows = flag(expansion, "expansion")
    to_root, to_leaves = (piece.indegree, piece.outdegree) if grows else (piece.outdegree, piece.indegree)
    _need(bool(np.all(to_root <= 1)), "a job has two neighbours on the root's side")
    _need(bool(np.all((to_leaves == arity) | (to_leaves == 0))), f"an inner job has not {arity} neighbours leafward")
    x = np.arange(piece.nonsinks + 1)
    return x * arity if grows else x // arity


def _mesh(piece: Piece, witness: object) -> Int64:
    names = ("by", "family", "levels", "expansion", "place")
    (_, _, stated, expansion, place) = fields(witness, "the witness of a mesh", *names)
    levels = whole(stated, "levels", 1, max(piece.n, 1))
    grows = flag(expansion, "expansion")
    at = _places(place, piece.n, levels)
    _need(piece.n == levels * (levels + 1) // 2 and bool(np.all(at.sum(axis=1) < levels)), "places are missing")
    step = at[piece.heads] - at[piece.tails] if grows else at[piece.tails] - at[piece.heads]
    _need(bool(np.all((step >= 0) & (step.sum(axis=1, keepdims=True) == 1))), "an arc leads to no neighbour")
    _need(len(piece.tails) == levels * (levels - 1), "arcs are missing")
    k = np.arange(levels + 1)
    # For each number of unexecuted, or executed, jobs the largest k.
    most = np.repeat(k, k) if grows else np.repeat(k, k + 1)[piece.n :: -1]
    return piece.bound_from(most)


def _fft(piece: Piece, witness: object) -> Int64:
    (_, _, stated, place) = fields(witness, "the witness of an FFT", "by", "family", "dim", "place")
    dim = whole(stated, "dim", 0, 40)
    width = 1 << dim
    _need(piece.n == (dim + 1) * width, f"it has not {(dim + 1) * width:,} jobs")
    at = _places(place, piece.n, max(width, dim + 1))
    _need(bool(np.all((at[:, 0] <= dim) & (at[:, 1] < width))), "a place is outside")
    (level, x), (below, y) = at[piece.tails].T, at[piece.heads].T
    _need(bool(np.all((below == level - 1) & ((x ^ y) & ~(1 << below) == 0))), "an arc leads to no neighbour")
    _need(len(piece.tails) == 2 * dim * width, "arcs are missing")
    return np.arange(piece.nonsinks + 1) // 2 * 2


_FAMILIES = {"complete": _complete, "cycle": _cycle, "tree": _tree, "mesh": _mesh, "fft": _fft}


def _need(condition: bool, otherwise: str) -> None:
    if not condition:
        raise CertificateError(f"the dag is not of the family: {otherwise}")


def _bipartite(piece: Piece) -> None:
    _need(not np.any((piece.indegree > 0) & (piece.outdegree > 0)), "a job has parents and children")


def _places(value: object, n: int, below: int) -> Int64:
    at = pairs(value, "place", below)
    _need(len(at) == n, f"{len(at):,} places are given for {n:,} jobs")
    _need(len(np.unique(at[:, 0] * below + at[:, 1])) == n, "two jobs have one place")
    return at


_NEVER = -(1 << 40)  # a case that cannot be; far below any sum of it with numbers of jobs
_NOTHING = np.zeros(1, np.int64)


def bipartite_tree_bound(piece: Piece, witness: object, checker: Checker, _: int = 0) -> Int64:
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
