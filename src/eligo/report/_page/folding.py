"""Which jobs of a large dag one node can stand for: groups of equal jobs, and the dag of these groups.

*Problem.* Fifty thousand jobs cannot be drawn one by one, but workflows repeat themselves: a thousand jobs that wait
for the same kinds of jobs, and for which the same kinds of jobs wait, are told as well by one node and a number.

*Idea.* Partition refinement, as for bisimulation (Kanellakis, Smolka 1983). At first jobs are alike if they have the
same level and the same *stem*, which is the name with ``#`` for each run of digits. Stems help only where names follow
a rule, so where there are many of them levels alone count. Then come rounds: jobs stay alike if the *sets* of groups
among their parents are equal, and those among their children. Sets, since a job that joins 40 and one that joins 41 are
alike to the eye. Rounds end when nothing changes, which gives the coarsest stable partition, or before the round that
would give more groups than wanted: a part of a round would separate some jobs and leave others together for no reason
that anybody could see. Where levels alone are too many, bands of consecutive levels become a group each. At last, jobs
of one stem that wait for nothing but each other, one after the other, become one group: a tall chain of ``step_1`` to
``step_21`` tells no more than that.

*Sets are compared exactly.* The lists of groups, ascending, get names as substrings do with Karp, Miller and Rosenberg
1972: in each pass neighbours in a list become one element, equal pairs the same one, until each list is one element.
Nothing is hashed, so nobody can make unlike jobs meet, and groups do not depend on how jobs are numbered.

*Invariant.* The members of a group are in one row: their level, or their band. An edge leads to a higher level, so it
leads to a larger row or stays within a band. Hence the dag of the groups is acyclic, whenever rounds end. A chain that
becomes one has the row of its first job; nothing enters or leaves it in between, so it closes no circle.

*Cost.* A round sorts the edges twice, and its passes halve what is left of them. Each round but the last adds a group,
so there are at most as many as groups are wanted, and fewer in huge dags, where work is bounded; the groups are then a
little coarser, and the drawing as right. Names take time linear in their text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import final

import numpy as np

from eligo.dag import Dag, Int32, Int64
from eligo.graph import Bools, grouped, levels
from eligo.schedule import places

__all__ = ["Folding", "fold"]

_MOST_STEMS = 50
_WORK = 20_000_000
"""Jobs and edges looked at in all rounds together: some seconds."""

_ROOM = 8
"""Entries of a table for each value looked up in it; with more of them sorting is faster."""

_DIGITS = re.compile("[0-9]+")
_TRIMMED = "#_-. "
_SHORTEST_PREFIX = 2
_SHORTEST_CHAIN = 3


@final
@dataclass(frozen=True, slots=True, eq=False)
class Folding:
    """The groups of a dag, numbered by row and then by their first job, and the dag of these groups.

    Attributes
    ----------
    of
        For each job the number of its group.
    names
        What each group is called, unique; a single job by its own name.
    dag
        The groups as jobs; an edge where any edge leads from one group to the other.
    edges
        For each edge of that dag, in the order of ``dag.succ``, how many edges of jobs it stands for.
    inner
        For each group how many edges of jobs stay within it: none, but in chains and in bands of several levels.
    row
        For each group its row; edges lead from smaller rows to larger ones.
    """

    of: Int32
    names: tuple[str, ...]
    dag: Dag
    edges: Int64
    inner: Int64
    row: Int32
    _ptr: Int64 = field(repr=False)
    _jobs: Int32 = field(repr=False)

    @property
    def count(self) -> int:
        """The number of groups."""
        return len(self.names)

    @property
    def size(self) -> Int64:
        """The number of jobs in each group."""
        return np.diff(self._ptr)

    def members(self, group: int) -> Int32:
        """Return the jobs of a group, ascending."""
        return self._jobs[self._ptr[group] : self._ptr[group + 1]]


def fold(dag: Dag, most: int = 150) -> Folding:
    r"""Return groups of jobs that look the same, at most `most`, and the dag of these groups.

    Examples
    --------
    ::

            split                 split
          /   |   \                 |
      work_1 ... work_9    =>    work (9)
          \   |   /                 |
            merge                 merge

    >>> work = [f"work_{i}" for i in range(1, 10)]
    >>> folding = fold(Dag.from_names([("split", job) for job in work] + [(job, "merge") for job in work]))
    >>> folding.names, folding.size.tolist(), folding.edges.tolist()
    (('split', 'work', 'merge'), [1, 9, 1], [9, 9])
    >>> folding.members(1).tolist()
    [1, 2, 3, 4, 5, 6, 7, 8, 9]
    """
    if most < 1:
        raise ValueError(f"the jobs cannot be folded into {most} groups")
    level = levels(dag).astype(np.int64)
    stem = _stems(dag.names)
    height = int(level.max(initial=0)) + 1
    if height > most:
        # Within a band edges could run both ways between two parts of it, so that a band stays whole.
        row = group = level // -(-height // most)
    else:
        row, group = _chained(dag, _refine(dag, _start(level, stem, most), most), level, stem)
    of, row_of = _numbered(group, row)
    ptr, jobs = grouped(of, len(row_of))
    names = _unique(_titles(dag.names, stem, level, ptr, jobs), np.diff(ptr) == 1)
    folded, edges, inner = _between(dag, of, names)
    return Folding(of, names, folded, edges, inner, row_of, ptr, jobs)


def _start(level: Int64, stem: Int64, most: int) -> Int64:
    """Return groups of the same level and stem, or just of the same level where that makes too many."""
    if _count(stem) > _MOST_STEMS:
        return level
    group = _pairs(level, stem)
    return group if _count(group) <= most else level


def _refine(dag: Dag, group: Int64, most: int) -> Int64:
    """Split groups round by round, as long as that changes anything and they are not too many."""
    tails, heads = dag.tails.astype(np.int64), dag.heads.astype(np.int64)
    count = _count(group)
    for _ in range(max(1, _WORK // (dag.n + dag.m + 1))):
        finer = _pairs(group, _name_sets(heads, group[tails], dag.n))
        finer = _pairs(finer, _name_sets(tails, group[heads], dag.n))
        finer_count = _count(finer)
        if finer_count == count or finer_count > most:
            break
        group, count = finer, finer_count
    return group


def _chained(dag: Dag, group: Int64, level: Int64, stem: Int64) -> tuple[Int64, Int64]:
    """Make one group of each chain of single jobs of one stem; return rows, those of first jobs, and groups."""
    single = np.bincount(group)[group] == 1
    only_child, only_parent = np.diff(dag.succ_ptr) == 1, np.diff(dag.pred_ptr) == 1
    tails, heads = dag.tails, dag.heads
    links = single[tails] & single[heads] & only_child[tails] & only_parent[heads] & (stem[tails] == stem[heads])
    after = dict(zip(tails[links].tolist(), heads[links].tolist(), strict=True))
    row, group = level.copy(), group.copy()
    for first in sorted(after.keys() - after.values()):
        chain = [first]
        while chain[-1] in after:
            chain.append(after[chain[-1]])
        if len(chain) >= _SHORTEST_CHAIN and _stem(dag.names[first]).strip(_TRIMMED):
            row[chain], group[chain] = level[first], group[first]
    return row, group


def _name_sets(owner: Int64, element: Int64, n: int) -> Int64:
    """Return numbers from 0 to `n` for the sets that `n` owners have: equal for equal sets, 0 for the empty one."""
    base = _count(element)
    owner, element = np.divmod(_distinct(owner * base + element), base or 1)
    while (odd := _odd_places(owner)).any():
        # What stands at an odd place of a list joins what stands before it; 0 is for those that nothing joins.
        joining = np.append(np.where(odd, element + 1, 0)[1:], 0)
        owner, element = owner[~odd], _pairs(element[~odd], joining[~odd])
    name = np.zeros(n, np.int64)
    name[owner] = element + 1
    return name


def _odd_places(owner: Int64) -> Bools:
    """Tell which elements are the second, fourth ... of their list; lists of one owner after the other."""
    first = np.flatnonzero(np.diff(owner, prepend=-1))
    place = np.arange(len(owner)) - np.repeat(first, np.diff(first, append=len(owner)))
    odd: Bools = place % 2 == 1
    return odd


def _pairs(left: Int64, right: Int64) -> Int64:
    """Return numbers for pairs of numbers, equal for equal pairs, in their order, leaving none out."""
    return _ranks(left * (int(right.max(initial=0)) + 1) + right)


def _ranks(values: Int64) -> Int64:
    """Return the place of each value among the different ones."""
    distinct = _distinct(values)
    top = _count(values)
    if top > _ROOM * len(values):
        return np.searchsorted(distinct, values)
    rank = np.zeros(top, np.int64)
    rank[distinct] = np.arange(len(distinct))
    return rank[values]


def _distinct(values: Int64) -> Int64:
    """Return the different values, ascending; numpy.unique may hash them, which takes up to ten times as long."""
    top = _count(values)
    if top > _ROOM * len(values):
        ordered = np.sort(values)
        return ordered[np.diff(ordered, prepend=-1) > 0]
    seen = np.zeros(top, np.bool_)
    seen[values] = True
    return np.flatnonzero(seen)


def _count(numbers: Int64) -> int:
    """Return how many numbers there are up to the largest: all the different ones, where none is left out."""
    return int(numbers.max(initial=-1)) + 1


def _numbered(group: Int64, row: Int64) -> tuple[Int32, Int32]:
    """Number the groups by row and first job; return the group of each job, and the row of each group."""
    _, first, of = np.unique(group, return_index=True, return_inverse=True)
    order = np.lexsort((first, row[first]))
    return places(order)[of].astype(np.int32), row[first[order]].astype(np.int32)


def _between(dag: Dag, of: Int32, names: tuple[str, ...]) -> tuple[Dag, Int64, Int64]:
    """Return the dag of the groups, how many edges each of its edges stands for, and how many stay in each group."""
    tails, heads = of[dag.tails].astype(np.int64), of[dag.heads].astype(np.int64)
    within = tails == heads
    k = len(names)
    across = (tails * k + heads)[~within]
    folded = Dag.from_edges(names, *np.divmod(_distinct(across), k or 1))
    # Ranks are by tail, then by head, as ``succ`` is.
    edges, inner = np.bincount(_ranks(across)), np.bincount(tails[within], minlength=k)
    return folded, edges.astype(np.int64), inner.astype(np.int64)


def _stems(names: Sequence[str]) -> Int64:
    """Return for each name the number of its stem; stems are numbered in the order of appearance."""
    number: dict[str, int] = {}
    return np.array([number.setdefault(_stem(name), len(number)) for name in names], np.int64)


def _stem(name: str) -> str:
    return _DIGITS.sub("#", name)


def _titles(names: Sequence[str], stem: Int64, level: Int64, ptr: Int64, jobs: Int32) -> list[str]:
    """Return what each group is best called: by its job, the stem or the beginning all share, or the level."""
    titles = []
    for start, stop in pairwise(ptr.tolist()):
        members = jobs[start:stop]
        if len(members) == 1:
            titles.append(names[members[0]])
        elif (stem[members] == stem[members[0]]).all():
            titles.append(_stem(names[members[0]]).strip(_TRIMMED) or _in_words(level[members]))
        else:
            shared = _common_prefix([names[job] for job in members.tolist()]).strip(_TRIMMED)
            titles.append(shared if len(shared) >= _SHORTEST_PREFIX else _in_words(level[members]))
    return titles


def _common_prefix(names: list[str]) -> str:
    """Return what all names begin with: what the first and the last of them in the alphabet begin with."""
    first, last = min(names), max(names)
    differ = (i for i, (a, b) in enumerate(zip(first, last, strict=False)) if a != b)
    return first[: next(differ, len(first))]


def _in_words(level: Int64) -> str:
    lowest, highest = int(level.min()) + 1, int(level.max()) + 1
    return f"level {lowest}" if lowest == highest else f"levels {lowest}-{highest}"


def _unique(titles: list[str], single: Bools) -> tuple[str, ...]:
    """Number titles that stand for several groups, in their order; those of single jobs stay as they are."""
    taken = {title for title, alone in zip(titles, single.tolist(), strict=True) if alone}
    last: dict[str, int] = {}
    names = []
    for title, alone in zip(titles, single.tolist(), strict=True):
        name = title
        while not alone and name in taken:
            last[title] = last.get(title, 1) + 1
            name = f"{title} ({last[title]})"
        taken.add(name)
        names.append(name)
    return tuple(names)
