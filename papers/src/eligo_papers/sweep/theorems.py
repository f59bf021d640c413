"""The theorems of Cordasco, Malewicz and Rosenberg 2010 on small dags: all there are, or many at random."""

from __future__ import annotations

from itertools import pairwise, product
from random import Random
from typing import Any

from eligo import graph
from eligo.dag import Dag
from eligo_papers.chapter import Check, Section, Settings, Step, Table, check
from eligo_papers.claims import Tally, holds
from eligo_papers.definitions import all_yields, plain_sweep, priority, yields_of_sum
from eligo_papers.enumeration import Ideals, jobs_in
from eligo_papers.random_dags import compose_blocks, has_isolated, optimal_block, random_block, random_dag
from eligo_papers.sweep.procedure import follow_procedure, sweep_all
from eligo_papers.sweep.tables import parts_of, profiles_of

__all__ = ["checks", "section", "steps"]

_BOTH = (("all", True), ("nonsources", False))


def steps(settings: Settings) -> list[Step]:
    """Return the work for the theorems."""
    cases = settings.pick(tiny=40, quick=300, full=3000)
    longest = settings.pick(tiny=2, quick=3, full=4)
    weight = settings.pick(tiny=0.2, quick=1.0, full=10.0)
    return [
        Step("counterexamples", show_counterexamples, {}, 0.1),
        Step("compositions", compose_at_random, {"cases": cases, "seed": 1}, weight),
        Step("sums", sum_at_random, {"cases": cases, "seed": 2}, weight),
        Step("orders", order_at_random, {"cases": cases, "seed": 4}, weight),
        Step("procedure", schedule_at_random, {"cases": cases, "seed": 3}, weight),
        Step(
            "priorities", check_priorities, {"steps": longest, "gain": 2}, settings.pick(tiny=0.1, quick=0.3, full=6.0)
        ),
    ]


def show_counterexamples() -> dict[str, Any]:
    """Compute the small dags on which a printed statement fails."""
    joined = Dag.from_names([("a", "b"), ("b", "d"), ("c", "d")], jobs="abcd")
    profiles = {}
    for counted, sources in _BOTH:
        ideals = Ideals(joined, sources=sources)
        profiles[counted] = {
            "abcd": ideals.profile([0, 1, 2, 3]),
            "acbd": ideals.profile([0, 2, 1, 3]),
            "best": ideals.best,
        }
    lonely = Dag.from_names([("a", "c"), ("c", "d"), ("b", "d")], jobs="abcdx")
    order = [lonely.index(job) for job in "axcbd"]
    altered = [lonely.index(job) for job in "acbxd"]
    moved = {
        counted: [Ideals(lonely, sources=sources).profile(one) for one in (order, altered)]
        for counted, sources in _BOTH
    }
    parts = {name: profiles_of(parts_of()[name])["yields"] for name in ("B1", "B2", "B3")}
    both = yields_of_sum(parts["B1"], parts["B2"])
    return {
        "joined": profiles,
        "moved": moved,
        "claim": {"sum over B3": priority(both, parts["B3"]), "B1 over B2": priority(parts["B1"], parts["B2"])},
        "isolated": [priority([0, 1], [0]), priority([0], [0, 2]), priority([0, 1], [0, 2])],
        "alone": {
            "sweep": _swept([_dag(_DISAGREE[0][0], 5), Dag.from_edges(1)], sources=False),
            "truth": Ideals(_dag(*_DISAGREE[0]), sources=False).admits,
        },
        "conventions": [_existence(edges, jobs) for edges, jobs in _DISAGREE],
    }


_DISAGREE = [
    ("0>1 0>2 1>3 1>4 2>3 2>4", 6),
    ("0>2 0>3 1>6 2>4 2>5 3>4 3>5 4>6", 7),
    ("0>3 0>4 1>4 2>5 2>6 3>5 3>6", 7),
]


def _dag(edges: str, jobs: int) -> Dag:
    pairs = [edge.split(">") for edge in edges.split()]
    return Dag.from_edges(jobs, [int(a) for a, _ in pairs], [int(b) for _, b in pairs])


def _existence(edges: str, jobs: int) -> list[Any]:
    dag = _dag(edges, jobs)
    return [edges, jobs, *(Ideals(dag, sources=sources).admits for _, sources in _BOTH)]


def compose_at_random(cases: int, seed: int) -> dict[str, Any]:
    """Hold Theorem 2.1 against random chains of two or three blocks, composed at random."""
    random, tally = Random(seed), Tally()
    while tally.counts.get("all", [0, 0])[1] < cases:
        blocks = [optimal_block(random, 3, 3) for _ in range(random.randint(2, 3))]
        if not all(priority(one[2], two[2]) for one, two in pairwise(blocks)):
            continue
        composed = compose_blocks(random, [(dag, order) for dag, order, _ in blocks])
        schedule = composed.schedule()
        for counted, sources in _BOTH:
            ideals = Ideals(composed.dag, sources=sources)
            tally.note(counted, ideals.profile(schedule) == ideals.best)
    return tally.counts


def sum_at_random(cases: int, seed: int) -> dict[str, Any]:
    """Hold Lemma 2.1 and Algorithm IC-Sweep against random dags and sums of them."""
    random, tally = Random(seed), Tally()
    for _ in range(cases):
        # Blocks beside any dags: dense blocks are what keeps sums from having IC-optimal schedules.
        parts = [random_block(random, 3, 3) if random.random() < 0.6 else random_dag(random, 5) for _ in range(2)]
        if sum(part.n for part in parts) < 8:
            parts.append(random_dag(random, 4))
        total = graph.sum_of(parts)
        kind = "isolated" if has_isolated(total) else "none isolated"
        order = _random_schedule(random, total)
        altered = [
            *(job for job in order if len(total.children(job))),
            *(job for job in order if not len(total.children(job))),
        ]
        for counted, sources in _BOTH:
            ideals = Ideals(total, sources=sources)
            before, after = ideals.profile(order), ideals.profile(altered)
            tally.note(f"lemma, {counted}, {kind}", all(a >= b for a, b in zip(after, before, strict=True)))
            answers = [_swept(one, sources) for one in (parts, parts[::-1])]
            tally.note(f"sweep, {counted}, {kind}", answers == [ideals.admits] * 2)
            tally.note(f"answer NO, {counted}", not ideals.admits)
    return tally.counts


def order_at_random(cases: int, seed: int) -> dict[str, Any]:
    """Hold Lemma 3.1 against all IC-optimal schedules of random sums of two dags."""
    random, tally = Random(seed), Tally()
    for _ in range(cases):
        parts = [random_block(random, 3, 3) if random.random() < 0.6 else random_dag(random, 5) for _ in range(2)]
        total = graph.sum_of(parts)
        for counted, sources in _BOTH:
            ideals = Ideals(total, sources=sources)
            if ideals.admits:
                tally.note(counted, _takes_parts_well(ideals, parts, sources))
    return tally.counts


def _takes_parts_well(ideals: Ideals, parts: list[Dag], sources: bool) -> bool:
    """Tell whether IC-optimal schedules of a sum take the nonsinks of each part as one of the part's own does."""
    first = 0
    for part in parts:
        nonsinks = [job for job in range(part.n) if len(part.children(job))]
        within = _orders_of(ideals, [first + job for job in nonsinks])
        if not within <= _orders_of(Ideals(part, sources=sources), nonsinks):
            return False
        first += part.n
    return True


def _orders_of(ideals: Ideals, jobs: list[int]) -> set[tuple[int, ...]]:
    """Return in which orders IC-optimal schedules execute some jobs, given by their places in the list."""
    place = {job: number for number, job in enumerate(jobs)}
    ways: dict[int, set[tuple[int, ...]]] = {0: {()}}
    for layer in ideals.layers[:-1]:
        grown: dict[int, set[tuple[int, ...]]] = {}
        for executed, orders in ways.items():
            for job in jobs_in(layer[executed]):
                if ideals.optimal(executed, job):
                    longer = {(*order, place[job]) for order in orders} if job in place else orders
                    grown.setdefault(executed | 1 << job, set()).update(longer)
        ways = grown
    return next(iter(ways.values()), set())


def _random_schedule(random: Random, dag: Dag) -> list[int]:
    missing = [len(dag.parents(job)) for job in range(dag.n)]
    ready = [job for job in range(dag.n) if not missing[job]]
    order = []
    while ready:
        job = ready.pop(random.randrange(len(ready)))
        order.append(job)
        for child in dag.children(job).tolist():
            missing[child] -= 1
            if not missing[child]:
                ready.append(child)
    return order


def _swept(parts: list[Dag], sources: bool) -> bool:
    """Return the answer of IC-Sweep; a summand without an IC-optimal schedule settles it."""
    functions = []
    for part in parts:
        ideals = Ideals(part, sources=sources)
        if not ideals.admits:
            return False
        functions.append(ideals.best[: part.n - len(graph.sinks(part)) + 1])
    # A constant in front and a slope common to all change no maximum, so profiles do as well as yields.
    return sweep_all(functions) is not None


def schedule_at_random(cases: int, seed: int) -> dict[str, Any]:
    """Hold the procedure of section 4.2 against random dags."""
    random, tally = Random(seed), Tally()
    for _ in range(cases):
        dag = random_dag(random, 9)
        ideals = Ideals(dag)
        schedule = follow_procedure(dag)
        if schedule is not None:
            tally.note("IC-optimal", ideals.profile(schedule) == ideals.best)
        if ideals.admits:
            tally.note("found", schedule is not None)
    return tally.counts


def check_priorities(steps: int, gain: int) -> dict[str, Any]:
    """Hold what is said of priorities against all yields of so many steps and gains."""
    tally = Tally()
    short = list(all_yields(steps, gain))
    over = {(i, j): priority(a, b) for (i, a), (j, b) in product(enumerate(short), repeat=2)}
    for (i, a), (j, b) in product(enumerate(short), repeat=2):
        swept = plain_sweep(a, b)
        tally.note("L", swept.l_shaped == over[i, j])
        tally.note("7", swept.seven_shaped == over[j, i])
        both = yields_of_sum(a, b)
        for k, c in enumerate(short):
            if over[i, j] and over[j, k]:
                tally.note("transitive", over[i, k])
                tally.note("corollary, one and two", priority(a, yields_of_sum(b, c)))
                tally.note("corollary, two and one", priority(both, c))
            if swept.diagonal is None and over[i, k] and over[j, k]:
                tally.note("4.1", priority(both, c))
            if swept.diagonal is None and priority(both, c):
                tally.note("claim", over[i, j] and over[j, k])
                if swept.l_shaped:
                    tally.note("claim, L before", over[i, j] and over[j, k])
    return tally.counts


def checks(found: dict[str, Any]) -> list[Check]:
    """Return what the theorems state, and what comes out here."""
    small, composed = found["counterexamples"], found["compositions"]
    summed, laws = found["sums"], found["priorities"]
    joined = small["joined"]["nonsources"]
    behind, both = small["isolated"][2], small["isolated"][:2]
    return [
        holds("Theorem 2.1", "random chains of blocks, all ELIGIBLE nodes counted: IC-optimal", composed["all"]),
        holds(
            "Theorem 2.1",
            "random chains of blocks, nonsources counted as section 2.1 does: IC-optimal",
            composed["nonsources"],
            erratum="Counted so, a step on a nonsource costs one ELIGIBLE node and a step on a source costs none. The "
            "theorem is cited from [26]; with all ELIGIBLE nodes counted it is right, for blocks of any kind.",
        ),
        check(
            "Theorem 2.1",
            "a → b, then b, c → d, nonsources counted as section 2.1 does: a, b, c, d is IC-optimal",
            True,
            joined["abcd"] == joined["best"],
            erratum="The block a → b has priority over b, c → d, so the theorem prescribes it. E after steps 0 to 4 is "
            f"{', '.join(map(str, joined['abcd']))}, but {', '.join(map(str, joined['acbd']))} for a, c, b, d.",
        ),
        *_lemma_checks(summed, small),
        holds("2.2", "the priority relation is transitive, dags with nonsinks", laws["transitive"]),
        check(
            "2.2",
            "the priority relation is transitive past a node alone: a → b has priority over it, it over c → d, e; so "
            "a → b over c → d, e",
            all(both),
            behind,
            erratum="A node without arcs has no nonsink, so that it has priority over every dag and every dag over it.",
        ),
        *(
            holds(
                "Lemma 3.1",
                f"all IC-optimal schedules of random sums, {counted} counted: the nonsinks of each summand are in the "
                "order of an IC-optimal schedule of its own",
                found["orders"][counted],
            )
            for counted, _ in _BOTH
        ),
        *_sweep_checks(summed, laws, small),
        holds("4.2", "random dags: what the procedure produces is IC-optimal", found["procedure"]["IC-optimal"]),
    ]


def _lemma_checks(summed: dict[str, Any], small: dict[str, Any]) -> list[Check]:
    order, altered = small["moved"]["nonsources"]
    why = (
        "A node that is source and sink at once costs nothing when it is executed, nonsources counted, so that "
        "putting it off may hurt. In a → c, c → d, b → d and x alone, a, x, c, b, d has E = "
        f"{', '.join(map(str, order))} and a, c, b, x, d has {', '.join(map(str, altered))}."
    )
    every = Tally()
    for kind in ("isolated", "none isolated"):
        every.add({"all": summed.get(f"lemma, all, {kind}", [0, 0])})
    return [
        holds("Lemma 2.1", "nonsinks first is no worse: random sums and schedules, all counted", every.counts["all"]),
        holds(
            "Lemma 2.1",
            "nonsinks first is no worse: nonsources counted, no node alone",
            summed["lemma, nonsources, none isolated"],
        ),
        check(
            "Lemma 2.1",
            "nonsinks first is no worse: nonsources counted, with a node alone",
            "no worse",
            _compare(order, altered),
            erratum=why,
        ),
    ]


def _compare(before: list[int], after: list[int]) -> str:
    step = next((t for t, (a, b) in enumerate(zip(before, after, strict=True)) if b < a), None)
    return "no worse" if step is None else f"worse at step {step}"


def _sweep_checks(summed: dict[str, Any], laws: dict[str, Any], small: dict[str, Any]) -> list[Check]:
    every = Tally()
    for kind in ("isolated", "none isolated"):
        every.add({"sweep": summed.get(f"sweep, all, {kind}", [0, 0])})
    return [
        holds("3.2.1", "an L-shaped path exists exactly if the first dag has priority: all small yields", laws["L"]),
        holds("3.2.1", "a 7-shaped path exists exactly if the second dag has priority: all small yields", laws["7"]),
        holds(
            "Theorem 3.2",
            "IC-Sweep's answer is right, the summands in either order: random sums, all counted "
            f"({summed['answer NO, all'][0]} times NO)",
            every.counts["sweep"],
        ),
        holds(
            "Theorem 3.2",
            "IC-Sweep's answer is right, the summands in either order: nonsources counted, no node alone",
            summed["sweep, nonsources, none isolated"],
        ),
        check(
            "Theorem 3.2",
            "0→1, 0→2, 1→3, 1→4, 2→3, 2→4 beside node 5 alone, nonsources counted: the sum admits an IC-optimal "
            "schedule",
            small["alone"]["sweep"],
            small["alone"]["truth"],
            erratum="A node alone has no nonsink, so the table does not see it. But counted so it can be executed at "
            "no cost, while every other step would lose an ELIGIBLE node.",
        ),
        holds(
            "Theorem 3.2, claim in the proof",
            "if (G1 + G2) has priority over G3 then G1 over G2 over G3: all small yields",
            laws["claim"],
            erratum="B1 + B2 of Fig. 4 has priority over B3, and yet B1 has none over B2. The path must be shaped "
            "like an L at every earlier stage too, as the algorithm checks: so it holds in "
            f"{laws['claim, L before'][0]:,} of {laws['claim, L before'][1]:,} cases.",
        ),
        holds(
            "Theorem 4.1", "G1 and G2 over G' and G1 + G2 admits: then G1 + G2 over G'; all small yields", laws["4.1"]
        ),
        holds("Corollary 4.1", "G1 over G2 over G3: then G1 over G2 + G3", laws["corollary, one and two"]),
        holds("Corollary 4.1", "G1 over G2 over G3: then G1 + G2 over G3", laws["corollary, two and one"]),
    ]


def section(found: dict[str, Any]) -> Section:
    """Return the section on the theorems."""
    profiles = found["counterexamples"]["joined"]
    produced, exist = found["procedure"]["found"]
    rows = [
        [counted, *(", ".join(map(str, profiles[counted][name])) for name in ("abcd", "acbd", "best"))]
        for counted, _ in _BOTH
    ]
    existence = [
        [edges.replace(">", "→").replace(" ", ", "), str(jobs), *("yes" if one else "no" for one in both)]
        for edges, jobs, *both in found["counterexamples"]["conventions"]
    ]
    return Section(
        "Theorems, and two ways of counting",
        [
            "001 and 003 count ELIGIBLE nodes that are no sources; 000 and 002 count all. For bipartite dags both "
            "lead to the same schedules. For others they do not, and Theorem 2.1 is false as 001 counts.",
            Table(
                "theorem-2-1",
                "The schedule a, b, c, d that Theorem 2.1 prescribes for a → b, b → d, c → d",
                ["counted", "a, b, c, d", "a, c, b, d", "E_max"],
                rows,
            ),
            Table(
                "existence",
                "Small dags that admit an IC-optimal schedule in one way of counting only",
                ["edges", "nodes", "all counted", "nonsources counted"],
                existence,
            ),
            f"The procedure of section 4.2 produced a schedule for {produced:,} of the {exist:,} random dags that "
            "admit an IC-optimal one. Where blocks are not bipartite, or must take turns with others that are not "
            "yet available, it gives up.",
        ],
    )
