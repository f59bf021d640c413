"""The blocks of a dag as a table: which kinds there are, what each yields, and when a schedule executes them.

*Problem.* A dag of 50,000 jobs may fall into 16,000 blocks (``decompose``), and a person can look at a few dozen rows.

*Idea.* Priorities depend on nothing but how many jobs a block keeps ELIGIBLE, so blocks that keep as many after every
number of steps are one *class*, and a row is a class. Strategy ``prio`` tells the same classes apart when it puts
blocks in order. It is asked, and what each block yields is read off its order, where blocks stand one after the other.
Yields and r-priorities thus belong to the orders that ``prio`` gives the blocks, whatever the schedule; places and
priorities are those of the schedule, which may have come about in another way, and may execute blocks in turns.

*As many classes as* ``Prioritized.classes``: both come from the same call with the same guide, the order of strategy
``area``. Only two things can tell them apart, and only where the order of some block is not proved optimal (optimal
orders all yield the same): ``prioritize`` takes the guide from the dag *with* shortcuts beyond 300,000 jobs and edges,
and numbers the jobs anew where it weighs times.

*Equal yields are not quite enough.* A block that is not bipartite has non-sinks that wait for others of it. It may
yield what a bipartite block yields and start with fewer jobs ELIGIBLE: then it is in another class, as in ``prio``.

*Cost.* Near-linear: blocks of equal structure are looked at once. What people want to know besides is bounded. The
structures that the most blocks have are given names, up to a number of structures and of edges; the few that are still
not proved optimal are searched, within the budget of ``prio``; and r-priorities are worked out for the first classes,
those that take the least work first.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from typing import final

import numpy as np

from eligo import graph
from eligo.dag import Int32, Int64
from eligo.errors import InfeasibleError
from eligo.priority import _exact as exact
from eligo.priority._blocks.block_orders import schedule_block
from eligo.priority._decompose import Blocks, decompose
from eligo.priority._duality import dual_e
from eligo.priority._priority_relation import is_concave, is_convex, r_priority
from eligo.priority._strategies.area import area
from eligo.priority._strategies.prio import PRIO_BUDGET, PrioOrder, prio
from eligo.schedule import Schedule, latest, places

__all__ = ["BlockClass", "BlockTable", "block_table"]

_MOST_STRUCTURES, _MOST_EDGES = 2_000, 200_000  # that are named: half a second
_MOST_SEARCHES, _WIDEST_SEARCH = 200, 200  # as in `prio`: structures, and the non-sinks of one
_MOST_COMPARED = 12  # classes
_COMPARING_BUDGET = 1_000_000_000  # pairs of steps that are looked at for r-priorities: a third of a second
_MOST_SHOWN, _SHOWN_AT_END = 12, 2  # yields
_LONGEST_KIND = 40  # letters: a strand is named by all its degrees, and may have thousands

Row = tuple[Fraction | None, ...]


@final
@dataclass(frozen=True, slots=True, eq=False)
class BlockClass:
    """Blocks that keep equally many jobs ELIGIBLE after every number of steps.

    Attributes
    ----------
    kind
        What its blocks are, for people; where they differ, the commonest ``and others``. Blocks beyond a bound on work
        are given by their size alone.
    blocks
        How many there are.
    nonsinks, sources
        Of each: its non-sinks, and how many of these wait for no other of the block.
    yields
        e(0), ..., e(s): how many jobs of a block are made ELIGIBLE by so many of its non-sinks.
    first, last
        The places, from 1, of the first and the last of all its non-sinks in the schedule. Other classes may have jobs
        in between.
    priority_high, priority_low
        The same as priorities: n for the first job of the schedule, 1 for the last.
    optimal
        Whether what it yields is proved the best at every step for each of its blocks; ``False`` where it is known not
        to be for one of them, as where no order is best throughout; ``None`` where that is not known.
    """

    kind: str
    blocks: int
    nonsinks: int
    sources: int
    yields: Int64
    first: int
    last: int
    priority_high: int
    priority_low: int
    optimal: bool | None

    @property
    def yields_shown(self) -> str:
        """The yields as text: all of up to 12 numbers, else the first and the last."""
        shown = list(map(str, self.yields[:_MOST_SHOWN].tolist()))
        if len(self.yields) > _MOST_SHOWN:
            shown[-_SHOWN_AT_END - 1 :] = ["…", *map(str, self.yields[-_SHOWN_AT_END:].tolist())]
        return ", ".join(shown)

    @property
    def eligible(self) -> Int64:
        """E(0), ..., E(s): how many jobs of a block are ELIGIBLE after so many of its non-sinks."""
        return self.sources - np.arange(len(self.yields)) + self.yields


@final
@dataclass(frozen=True, slots=True, eq=False)
class BlockTable:
    """The blocks of a dag, their classes, and when a schedule executes them.

    Attributes
    ----------
    blocks
        The blocks of the dag without its shortcuts; jobs have the same numbers.
    class_of
        For each block its class.
    classes
        Numbered by when they first come in the schedule.
    first, last
        For each block the places, from 0, of its first and its last non-sink in the schedule.
    r
        For up to 12 of the first classes, row by row: the r-priority of a block of the one over a block of the other,
        that is, what fraction of the possible ELIGIBLE jobs is sure to be kept if it goes first; 1 where it has
        priority. ``None`` where that would take too much work.
    """

    blocks: Blocks
    class_of: Int32
    classes: tuple[BlockClass, ...]
    first: Int32
    last: Int32
    r: tuple[Row, ...]


def block_table(schedule: Schedule) -> BlockTable:
    r"""Return the blocks of a schedule's dag, by class.

    Examples
    --------
    The example of Malewicz et al. 2006: if the single edge went first, 2 jobs would be ELIGIBLE after it where 3 could
    be::

        a    c
        |   / \
        b  d   e

    >>> from eligo import Dag
    >>> dag = Dag.from_edges(["a", "b", "c", "d", "e"], [0, 2, 2], [1, 3, 4])
    >>> table = block_table(Schedule.of_names(dag, ["c", "a", "b", "d", "e"]))
    >>> for row in table.classes:
    ...     print(row.kind, row.blocks, row.yields_shown, row.priority_high, row.optimal)
    (1,2)-W 1 0, 2 5 True
    1-N 1 0, 1 4 True
    >>> table.class_of.tolist()
    [1, 0]
    >>> print(table.r[0][1], table.r[1][0])
    1 2/3
    """
    dag = graph.remove_shortcuts(schedule.dag)
    blocks = decompose(dag)
    structures = _structures(prio(dag, guide=area(dag).order, blocks=blocks))
    first, last = _span(blocks, places(schedule.order))
    unordered = structures.class_of[structures.of]
    begin, end = np.full(structures.classes, dag.n), np.zeros(structures.classes, np.int64)
    np.minimum.at(begin, unordered, first)
    np.maximum.at(end, unordered, last)
    in_order = np.argsort(begin)
    classes = tuple(structures.row(number, int(begin[number]), int(end[number])) for number in in_order.tolist())
    class_of = places(in_order)[unordered].astype(np.int32)
    return BlockTable(blocks, class_of, classes, first, last, _r_priorities(classes))


def _span(blocks: Blocks, place: Int64) -> tuple[Int32, Int32]:
    """Return for each block the first and the last place of a non-sink of it."""
    if not blocks.count:
        return np.zeros(0, np.int32), np.zeros(0, np.int32)
    inner, starts = place[blocks.nonsinks].astype(np.int32), blocks.nonsink_ptr[:-1]
    return np.minimum.reduceat(inner, starts), np.maximum.reduceat(inner, starts)


@dataclass(frozen=True, slots=True, eq=False)
class _Structures:
    """Blocks of equal structure as one, and structures of equal profiles as classes.

    ``of`` has the structure of each block, ``class_of`` the class of each structure. Of each class there are the
    sources, the yields, how many blocks are of each kind, and the answers to whether they are executed optimally.
    """

    jobs: int
    of: Int32
    class_of: Int32
    sources: list[int]
    yields: list[Int64]
    kinds: list[Counter[str]]
    optimal: list[set[bool | None]]

    @property
    def classes(self) -> int:
        return len(self.yields)

    def row(self, number: int, begin: int, end: int) -> BlockClass:
        """Return a class whose non-sinks stand between two places of the schedule, counted from 0."""
        answers = self.optimal[number]
        return BlockClass(
            kind=_kind_of_all(self.kinds[number]),
            blocks=self.kinds[number].total(),
            nonsinks=len(self.yields[number]) - 1,
            sources=self.sources[number],
            yields=self.yields[number],
            first=begin + 1,
            last=end + 1,
            priority_high=self.jobs - begin,
            priority_low=self.jobs - end,
            optimal=False if False in answers else None if None in answers else True,
        )


def _kind_of_all(kinds: Counter[str]) -> str:
    """Return the commonest kind, of equals that of the lowest structure."""
    commonest = max(kinds, key=lambda kind: kinds[kind])
    return commonest if len(kinds) == 1 else f"{commonest} and others"


def _structures(found: PrioOrder) -> _Structures:
    """Read off the order of ``prio``, block after block, what each structure yields."""
    blocks, dag = found.blocks, found.blocks.dag
    of, representative = blocks.structures()
    place = places(found.order)
    last_parent = latest(dag.pred_ptr, dag.pred, place)
    gains = np.bincount(last_parent[last_parent >= 0], minlength=len(blocks.nonsinks))
    start, end = _span(blocks, place)
    waiting = np.bincount(blocks.of[(blocks.of >= 0) & (blocks.of == blocks.into)], minlength=blocks.count)
    sources = np.diff(blocks.nonsink_ptr) - waiting

    number: dict[tuple[int, bytes], int] = {}
    class_of = np.zeros(len(representative), np.int32)
    for structure, block in enumerate(representative.tolist()):
        row = gains[start[block] : end[block] + 1]
        class_of[structure] = number.setdefault((int(sources[block]), row.tobytes()), len(number))
    yields = [np.cumsum(np.append(0, np.frombuffer(row, gains.dtype))) for _, row in number]

    times = np.bincount(of, minlength=len(representative))
    examined = _Examined(found, representative, times, class_of, yields)
    kinds: list[Counter[str]] = [Counter() for _ in number]
    optimal: list[set[bool | None]] = [set() for _ in number]
    for structure, old in enumerate(class_of.tolist()):
        kinds[old][examined.kinds[structure]] += int(times[structure])
        optimal[old].add(examined.optimal[structure])
    return _Structures(dag.n, of, class_of, [few for few, _ in number], yields, kinds, optimal)


class _Examined:
    """What structures are called, and whether their orders are best: the ones of the most blocks, as far as work goes.

    First the rules of ``schedule_block`` are asked, then search, each structure with an equal share of its budget.
    """

    def __init__(
        self, found: PrioOrder, representative: Int32, times: Int64, class_of: Int32, yields: list[Int64]
    ) -> None:
        self.blocks = found.blocks
        self.representative = representative.tolist()
        self.yields = [yields[number] for number in class_of.tolist()]
        self.kinds = [self._plain_kind(block) for block in self.representative]
        proved = np.array([not found.unproved or _prove_themselves(e) for e in yields], np.bool_)
        self.optimal: list[bool | None] = [True if known else None for known in proved[class_of].tolist()]
        affordable = self._affordable(np.argsort(-times, kind="stable")[:_MOST_STRUCTURES])
        for structure in affordable:
            if found.blocks.bipartite[self.representative[structure]]:
                self._ask_rules(structure)
        self._search(affordable)

    def _plain_kind(self, block: int) -> str:
        if not self.blocks.bipartite[block]:
            return "not bipartite"
        sources, sinks = len(self.blocks.nonsinks_of(block)), len(self.blocks.heads_of(block))
        return f"block of {sources:,} sources and {sinks:,} sinks"

    def _affordable(self, structures: Int64) -> list[int]:
        """Leave out what has more edges than may still be looked at; complete blocks cost nothing."""
        blocks, left, chosen = self.blocks, _MOST_EDGES, []
        costs = np.where(blocks.complete, 0, blocks.edges)[np.array(self.representative, np.int32)[structures]]
        for structure, cost in zip(structures.tolist(), costs.tolist(), strict=True):
            if cost <= left:
                left -= cost
                chosen.append(structure)
        return chosen

    def _ask_rules(self, structure: int) -> None:
        found = schedule_block(self.blocks.bipartite_of(self.representative[structure]), 0)
        self.kinds[structure] = _shortened(found.kind)
        self._compare(structure, found.optimal_e)

    def _search(self, affordable: list[int]) -> None:
        """Search for the best yields of small structures that rules leave open, as ``prio`` did."""
        unknown = [structure for structure in affordable if self.optimal[structure] is None]
        small = [structure for structure in unknown if len(self.yields[structure]) <= _WIDEST_SEARCH + 1]
        searched = small[:_MOST_SEARCHES]
        for structure in searched:
            self._compare(structure, self._best_by_search(structure, PRIO_BUDGET // len(searched)))

    def _compare(self, structure: int, best: Int64 | None) -> None:
        if best is not None:
            self.optimal[structure] = np.array_equal(self.yields[structure], best)

    def _best_by_search(self, structure: int, states: int) -> Int64 | None:
        dag, _ = self.blocks.dag_of(self.representative[structure])
        try:
            eligible = exact.best_profile(dag, states)[: len(self.yields[structure])]
        except InfeasibleError:
            return None
        best: Int64 = eligible - eligible[0] + np.arange(len(eligible))
        return best


def _prove_themselves(yields: Int64) -> bool:
    """Tell whether increments that never grow, here or in the dual, show that no order yields more at any step."""
    return is_concave(yields) or is_concave(dual_e(yields))


def _shortened(kind: str) -> str:
    if len(kind) <= _LONGEST_KIND or "[" not in kind:
        return kind
    return kind[:_LONGEST_KIND].rpartition(", ")[0] + ", …]"


def _r_priorities(classes: tuple[BlockClass, ...]) -> tuple[Row, ...]:
    profiles = [row.eligible for row in classes[:_MOST_COMPARED]]
    count, left = len(profiles), _COMPARING_BUDGET
    pairs = [(i, j) for i in range(count) for j in range(count)]
    work = {(i, j): _work(profiles[i], profiles[j]) for i, j in pairs}
    known: dict[tuple[int, int], Fraction] = {}
    for i, j in sorted(pairs, key=lambda pair: work[pair]):
        left -= work[i, j]
        if left < 0:
            break
        known[i, j] = r_priority(profiles[i], profiles[j])
    return tuple(tuple(known.get((i, j)) for j in range(count)) for i in range(count))


def _work(first: Int64, second: Int64) -> int:
    """Return how many pairs of steps ``r_priority`` looks at: few where the profiles are curved in a known way."""
    if is_concave(first) or is_concave(second) or (is_convex(first) and is_convex(second)):
        return len(first) + len(second)
    return len(first) * len(second)
