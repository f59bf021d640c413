"""Parts of a dag, named in a witness by their non-sinks: read, numbered by themselves, and cut out.

A part is some non-sinks, in the order in which its own schedule executes them, with all arcs that leave them. Its jobs
are numbered by themselves: the listed ones first, as listed; then the others that its arcs lead to, its sinks, in the
order in which they stand in the whole. A witness of the part speaks of it in these numbers.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from eligo.certificate.piece import Piece
from eligo.certificate.reading import distinct, fields, shown
from eligo.dag import Int64
from eligo.errors import CertificateError

__all__ = ["Arcs", "Parts"]

Arcs = tuple[int, Int64, Int64]
"""How many jobs, and the tails and heads of the arcs between them."""


@final
@dataclass(frozen=True, slots=True, eq=False)
class Parts:
    """Disjoint lists of non-sinks of a piece.

    Attributes
    ----------
    noun
        What a part is called in messages.
    owner
        For each job of the whole the part that lists it, -1 where none does.
    place
        For each listed job its place in the list.
    sizes
        How many jobs each part lists, at least one.
    """

    noun: str
    owner: Int64
    place: Int64
    sizes: Int64

    @classmethod
    def read(cls, lists: list[object], noun: str, n: int) -> Parts:
        """Make parts from lists of jobs of which nothing is known."""
        for number, jobs in enumerate(lists):
            if type(jobs) is not list or not jobs:
                raise CertificateError(f"{noun} {number} must list some jobs, not {shown(jobs)}")
        flat = distinct(list(chain.from_iterable(lists)), f"jobs of {noun}s", n)  # type: ignore[arg-type]
        sizes = np.array(list(map(len, lists)), np.int64)  # type: ignore[arg-type]
        owner, place = np.full(n, -1, np.int64), np.zeros(n, np.int64)
        owner[flat] = np.repeat(np.arange(len(sizes)), sizes)
        place[flat] = np.arange(len(flat)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        return cls(noun, owner, place, sizes)

    @classmethod
    def read_with_witnesses(cls, value: object, noun: str, n: int) -> tuple[Parts, list[Any]]:
        """Make parts from a list of mappings with ``jobs`` and ``witness``."""
        if type(value) is not list:
            raise CertificateError(f"{noun}s must be a list, not {shown(value)}")
        read = [fields(one, f"{noun} {number}", "jobs", "witness") for number, one in enumerate(value)]
        return cls.read([jobs for jobs, _ in read], noun, n), [witness for _, witness in read]

    def cut(self, piece: Piece, kept: NDArray[np.bool_]) -> Iterator[Arcs]:
        """Return of each part the number of its jobs, and the tails and heads of its arcs, ascending.

        Arcs that are not kept are left out; every listed job must have one that is.
        """
        arcs = np.flatnonzero(kept & (self.owner[piece.tails] >= 0))
        tails, heads = piece.tails[arcs], piece.heads[arcs]
        part = self.owner[tails]
        childless = (self.owner >= 0) & (np.bincount(tails, minlength=piece.n) == 0)
        if childless.any():
            job = int(np.argmax(childless))
            raise CertificateError(f"{self.noun} {self.owner[job]} lists job {job}, which has no children there")
        outside = self.owner[heads] != part
        number = self.place[heads]
        meetings, which = np.unique(part[outside] * piece.n + heads[outside], return_inverse=True)
        first = np.searchsorted(meetings, np.arange(len(self.sizes) + 1) * piece.n)
        number[outside] = self.sizes[part[outside]] + which - first[part[outside]]
        by_part = np.lexsort((number, self.place[tails], part))
        bounds = np.searchsorted(part[by_part], np.arange(len(self.sizes) + 1)).tolist()
        tails, heads = self.place[tails][by_part], number[by_part]
        jobs = (self.sizes + np.diff(first)).tolist()
        return (
            (jobs[i], tails[bounds[i] : bounds[i + 1]], heads[bounds[i] : bounds[i + 1]])
            for i in range(len(self.sizes))
        )
