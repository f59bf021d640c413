"""Section 5 of Cordasco, Malewicz and Rosenberg 2007: dualities between W-strands and M-strands, and beyond.

An order of packets, each in any order, stands for many schedules at once: what they have executed at some step is some
whole packets and any part of the next. So to speak of *every* dual schedule it is enough to look at these sets.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise, product
from random import Random
from typing import Any, Literal

from eligo import generate, graph
from eligo.dag import Dag
from eligo_papers.chapter import Check, Picture, Section, Settings, Step, Table, check
from eligo_papers.claims import Tally, holds
from eligo_papers.definitions import dual_priority, executions_needed, priority
from eligo_papers.enumeration import Ideals, jobs_in
from eligo_papers.planar_trees import PlanarTree
from eligo_papers.random_dags import random_dag
from eligo_papers.strands.pictures import draw_dual
from eligo_papers.strands.sums import StrandSum

__all__ = ["checks", "section", "steps"]

_EXAMPLE = [2, 3, 2]
_NOT_SELF_DUAL = Dag.from_edges(6, [0, 0, 1, 1, 2, 2], [1, 2, 3, 4, 3, 4])


def steps(settings: Settings) -> list[Step]:
    """Return the work for dualities."""
    longest, largest = settings.pick(tiny=(2, 3), quick=(3, 4), full=(4, 5))
    pairs = settings.pick(tiny=(2, 3), quick=(3, 4), full=(4, 4))
    cases = settings.pick(tiny=20, quick=200, full=3000)
    weights = settings.pick(tiny=(0.1, 0.1, 0.1), quick=(0.1, 0.2, 0.1), full=(4.0, 2.0, 1.0))
    return [
        Step("duality, schedules", check_schedules, {"longest": longest, "largest": largest}, weights[0]),
        Step("duality, priorities", check_pairs, {"longest": pairs[0], "largest": pairs[1]}, weights[1]),
        Step("duality, any dag", check_random, {"cases": cases, "jobs": 7, "seed": 5}, weights[2]),
    ]


def degree_lists(longest: int, largest: int) -> Iterator[list[int]]:
    """Yield the degrees of all W-strands of up to so many sources and such degrees.

    Examples
    --------
    >>> list(degree_lists(2, 3))
    [[2], [3], [2, 2], [2, 3], [3, 2], [3, 3]]
    """
    for length in range(1, longest + 1):
        for degrees in product(range(2, largest + 1), repeat=length):
            yield list(degrees)


def _both(degrees: Sequence[int]) -> tuple[StrandSum, StrandSum]:
    """Return W[...] and M[...]: source i of the one is sink i of the other, both ways."""
    return _strand("W", degrees), _strand("M", degrees)


def _strand(kind: Literal["W", "M"], degrees: Sequence[int]) -> StrandSum:
    return StrandSum([PlanarTree.from_dag(generate.strand(kind, degrees))])


def _optimal_sets(strand: StrandSum) -> list[set[int]]:
    """Return for each size the sets that IC-optimal schedules pass through: best, and joined both ways."""
    layers = [{0}]
    for _ in range(strand.sources):
        grown = {chosen | 1 << source for chosen in layers[-1] for source in strand.left(chosen)}
        layers.append({chosen for chosen in grown if strand.is_best(chosen)})
    for size in range(strand.sources - 1, -1, -1):
        later = layers[size + 1]
        layers[size] = {c for c in layers[size] if any(c | 1 << source in later for source in strand.left(c))}
    return layers


def _steps_of(layers: list[set[int]]) -> Iterator[tuple[int, int]]:
    """Yield every step of an IC-optimal schedule: the sets before and after it."""
    for size, layer in enumerate(layers[:-1]):
        for before in layer:
            for after in layers[size + 1]:
                if before & ~after == 0:
                    yield before, after


def _eligible_sinks(strand: StrandSum, executed: int) -> int:
    return sum(1 << sink for sink, parents in enumerate(strand.needed) if parents & ~executed == 0)


def _subsets(bits: int) -> Iterator[int]:
    part = bits
    while True:
        yield part
        if not part:
            return
        part = (part - 1) & bits


def check_schedules(longest: int, largest: int) -> dict[str, Any]:
    """Hold Theorems 5.1 and 5.2 and Lemma 5.1 against all small strands and all their IC-optimal schedules."""
    tally = Tally()
    for degrees in degree_lists(longest, largest):
        w, m = _both(degrees)
        sinks = (1 << len(w.sinks)) - 1
        tally.note("dual", _reversed(w) == sorted(m.sinks) and _reversed(m) == sorted(w.sinks))
        tally.note("increasing", all(a < b for a, b in pairwise(w.best)))
        needed = [len(w.sinks) - w.best[w.sources - e] for e in range(w.sources + 1)]
        tally.note("X", executions_needed(m.best) == needed)
        for before, after in _steps_of(_optimal_sets(w)):
            done, more = _eligible_sinks(w, before), _eligible_sinks(w, after)
            # The dual has executed all packets after this one, and any part of this one.
            whole = all(m.is_best(sinks & ~more | part) for part in _subsets(more & ~done))
            tally.note("5.1", whole)
        for before, after in _steps_of(_optimal_sets(m)):
            done, more = _eligible_sinks(m, before), _eligible_sinks(m, after)
            tally.note("5.1 lemma, one sink", (more & ~done).bit_count() <= 1)
            tally.note("5.1 lemma, stages", _in_stages(m, before, done))
            tally.note("5.2", w.is_best(w.full & ~done))
    return tally.counts


def _reversed(strand: StrandSum) -> list[tuple[int, int]]:
    """Return the sinks of the dual: for each source of the strand its first and last child."""
    children = [
        [sink for sink, bits in enumerate(strand.needed) if bits >> source & 1] for source in range(strand.sources)
    ]
    return sorted((row[0], row[-1]) for row in children)


def _in_stages(m: StrandSum, executed: int, eligible: int) -> bool:
    """Tell whether what is executed beyond the parents of ELIGIBLE sinks are parents of one further sink."""
    over = executed
    for sink in jobs_in(eligible):
        over &= ~m.needed[sink]
    return not over or any(over & ~parents == 0 for sink, parents in enumerate(m.needed) if not eligible >> sink & 1)


def check_pairs(longest: int, largest: int) -> dict[str, Any]:
    """Hold Theorem 5.3, Lemma 5.2, Corollary 5.1 and W over M against all pairs of small strands."""
    tally = Tally()
    profiles = [tuple(strand.best for strand in _both(degrees)) for degrees in degree_lists(longest, largest)]
    for (w1, m1), (w2, m2) in product(profiles, repeat=2):
        first, dual = priority(w1, w2), priority(m2, m1)
        tally.note("5.3", first == dual)
        if dual:
            tally.note("corollary", first)
        tally.note("lemma, W", first == dual_priority(w1, w2))
        tally.note("lemma, M", dual == dual_priority(m2, m1))
        tally.note("W over M", priority(w1, m2))
        tally.note("some priority", first)
    return tally.counts


def check_random(cases: int, jobs: int, seed: int) -> dict[str, Any]:
    """Hold the reversal of packets against random dags and all their IC-optimal schedules, all ELIGIBLE counted."""
    random, tally = Random(seed), Tally()
    for _ in range(cases):
        dag = random_dag(random, jobs)
        ideals, dual = Ideals(dag), Ideals(graph.dual(dag))
        tally.note("existence", ideals.admits == dual.admits)
        tally.note("profile", dual.best == _dual_profile(ideals.best))
        if ideals.admits:
            tally.note("packets", _packets_reversed(ideals, dual))
    both = [Ideals(one, sources=False).admits for one in (_NOT_SELF_DUAL, graph.dual(_NOT_SELF_DUAL))]
    every = [Ideals(one).admits for one in (_NOT_SELF_DUAL, graph.dual(_NOT_SELF_DUAL))]
    return {"counts": tally.counts, "nonsources": both, "all": every}


def _dual_profile(best: list[int]) -> list[int]:
    """Return E_max of the dual: j unexecuted nodes leave j - min {t : t + E_max(t) >= j} of them ELIGIBLE."""
    n = len(best) - 1
    return [j - next(t for t in range(n + 1) if t + best[t] >= j) for j in range(n, -1, -1)]


def _packets_reversed(ideals: Ideals, dual: Ideals) -> bool:
    """Tell whether every schedule that is dual to an IC-optimal one is IC-optimal."""
    full = (1 << ideals.dag.n) - 1
    reached, ways = {0}, []
    for layer in ideals.layers[:-1]:
        grown = set()
        for executed in reached:
            for job in jobs_in(layer[executed]):
                if ideals.optimal(executed, job):
                    ways.append((executed, executed | 1 << job))
                    grown.add(executed | 1 << job)
        reached = grown
    useful = {full}
    for before, after in reversed(ways):
        if after not in useful:
            continue
        useful.add(before)
        known, more = (one | ideals.layers[one.bit_count()][one] for one in (before, after))
        if not all(_is_best(dual, full & ~(known | part)) for part in _subsets(more & ~known)):
            return False
    sources = ideals.layers[0][0]
    return all(_is_best(dual, full & ~part) for part in _subsets(sources))


def _is_best(dual: Ideals, executed: int) -> bool:
    return dual.eligible(executed) == dual.best[executed.bit_count()]


def checks(found: dict[str, Any]) -> list[Check]:
    """Return what section 5 states, and what comes out here."""
    schedules, pairs = found["duality, schedules"], found["duality, priorities"]
    return [
        holds("3", "M[...] is W[...] with all arcs reversed, and back", schedules["dual"]),
        holds(
            "Theorem 5.1",
            "every dual of every IC-optimal schedule of a W-strand is IC-optimal: all steps",
            schedules["5.1"],
        ),
        holds(
            "5.1.1, claim 2",
            "e of a W-strand is strictly increasing, so that no packet is empty",
            schedules["increasing"],
        ),
        holds(
            "Lemma 5.1",
            "a step of an IC-optimal schedule of an M-strand renders one sink or none",
            schedules["5.1 lemma, one sink"],
        ),
        holds(
            "Lemma 5.1",
            "an IC-optimal schedule of an M-strand works for one sink after the other",
            schedules["5.1 lemma, stages"],
        ),
        holds("Theorem 5.2", "the dual of every IC-optimal schedule of an M-strand is IC-optimal", schedules["5.2"]),
        holds("5.2, proof", "X of the dual is S - e(s - x)", schedules["X"]),
        holds("Lemma 5.2", "priority and dual priority are the same: all pairs of W-strands", pairs["lemma, W"]),
        holds("Lemma 5.2", "priority and dual priority are the same: all pairs of M-strands", pairs["lemma, M"]),
        holds("Theorem 5.3", "W1 has priority over W2 exactly if M2 has over M1: all pairs", pairs["5.3"]),
        holds("Corollary 5.1", "if M2 has priority over M1 then W1 over W2", pairs["corollary"]),
        check(
            "3, on Fig. 3",
            "the W-strands in the top row and the M-strands in the bottom row are dual to one another",
            True,
            _top_and_bottom_dual(),
            erratum="By the caption the only W-strand in the top row is W[4], the only M-strand in the bottom row M[4, "
            "2, 4, 3]. Dual are the two of a row: W[4] and M[4], W[4, 2, 4, 3] and M[4, 2, 4, 3]. The sentence, which "
            'goes on "from left to right", seems to be left from an earlier figure.',
        ),
    ]


def _top_and_bottom_dual() -> bool:
    return _reversed(_strand("W", [4])) == sorted(_strand("M", [4, 2, 4, 3]).sinks)


def section(found: dict[str, Any]) -> Section:
    """Return the section on dualities."""
    schedules, pairs, random = found["duality, schedules"], found["duality, priorities"], found["duality, any dag"]
    counts = random["counts"]
    rows = [
        ["steps of IC-optimal schedules of W-strands", f"{schedules['5.1'][1]:,}", f"{schedules['5.1'][0]:,}"],
        ["steps of IC-optimal schedules of M-strands", f"{schedules['5.2'][1]:,}", f"{schedules['5.2'][0]:,}"],
        ["pairs of strands, Theorem 5.3", f"{pairs['5.3'][1]:,}", f"{pairs['5.3'][0]:,}"],
        [
            "W-strands over M-strands, used silently in 6.1 (3)",
            f"{pairs['W over M'][1]:,}",
            f"{pairs['W over M'][0]:,}",
        ],
        [
            "random dags: a best profile follows from that of the dual",
            f"{counts['profile'][1]:,}",
            f"{counts['profile'][0]:,}",
        ],
        [
            "random dags: both or neither admit an IC-optimal schedule",
            f"{counts['existence'][1]:,}",
            f"{counts['existence'][0]:,}",
        ],
        ["random dags: packets reversed are IC-optimal", f"{counts['packets'][1]:,}", f"{counts['packets'][0]:,}"],
    ]
    return Section(
        "Dualities (section 5)",
        [
            "Each step of a schedule renders a packet of nodes ELIGIBLE. The packets from last to first are a "
            "schedule of the dag with all arcs reversed. The paper proves for W- and M-strands that it is IC-optimal "
            "if the first is. With all ELIGIBLE nodes counted this holds for every dag; the last three rows are "
            "beyond the paper.",
            Table(
                "duality",
                "Cases looked at, and cases in which the statement holds",
                ["statement", "cases", "hold"],
                rows,
            ),
            "With nonsources counted, as the paper does, it fails beyond strands. Take the dag 0→1, 0→2, 1→3, 1→4, "
            f"2→3, 2→4 with node 5 alone, and its dual. An IC-optimal schedule then exists for "
            f"{_which(random['nonsources'])}; with all counted it exists for {_which(random['all'])}.",
            Picture(
                "duality",
                f"W[{', '.join(map(str, _EXAMPLE))}] in an IC-optimal order and its dual: the packets are executed "
                "last to first.",
                _draw_example,
            ),
        ],
    )


def _which(admit: Sequence[bool]) -> str:
    """Say which of a dag and its dual admit something."""
    return {(True, True): "both", (True, False): "the dag only", (False, True): "the dual only"}.get(
        (admit[0], admit[1]), "neither"
    )


def _draw_example() -> Any:
    dag = generate.strand("W", _EXAMPLE)
    strand = StrandSum([PlanarTree.from_dag(dag)])
    order = strand.order(strand.maximal)
    step = {source: number for number, source in enumerate(order)}
    sinks = graph.sinks(dag).tolist()
    packet = {sink: max(step[parent] for parent in dag.parents(sink).tolist()) for sink in sinks}
    return draw_dual(dag, order, sorted(sinks, key=lambda sink: (-packet[sink], sink)))
