"""Memory certificates made without the producers: numbers by brute force, flows by plain augmenting paths."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from eligo.certificate import MemoryCertificate, verify
from eligo.errors import CertificateError, InfeasibleError
from eligo.memory._footprint import Footprint
from tests.memory.footprints import random_footprint
from tests.reference.memory_flow import EventGraph, ancestors, event_graph, largest_closure, last_readers
from tests.reference.memory_states import all_states, least_peak, occupied, sequential_peak, true_worst_peak

BUDGET = 10**7


def rules_of(print_: Footprint) -> dict[str, str]:
    rules = print_.rules
    return {"model": rules.model, "resource": rules.resource, "unread": rules.unread, "inputs": rules.inputs}


@dataclass
class Made:
    """A footprint, an order, and all that a certificate of it needs; everything can be changed before it is made."""

    print_: Footprint
    order: list[int]
    last: dict[int, int]
    numbers: dict[str, int] = field(default_factory=dict)
    witness: dict[str, Any] = field(default_factory=dict)

    @property
    def certificate(self) -> MemoryCertificate:
        return MemoryCertificate.of(
            self.print_.dag, rules_of(self.print_), self.order, **self.numbers, witness=self.witness, assumptions=["x"]
        )

    @cached_property
    def graph(self) -> EventGraph:
        return event_graph(self.print_, self.order, self.last)

    @cached_property
    def truth(self) -> Truth:
        return Truth(self.print_)


class Truth:
    """What brute force says."""

    def __init__(self, print_: Footprint) -> None:
        self.print_ = print_
        self.worst = true_worst_peak(print_)
        self.least = least_peak(print_)

    def check(self, certificate: MemoryCertificate) -> None:
        """All that an accepted certificate states must be true."""
        order = [self.print_.dag.index(name) for name in certificate.order]
        assert certificate.worst_peak >= self.worst
        assert certificate.attained_peak <= self.worst
        assert certificate.sequential_peak == sequential_peak(self.print_, order)
        assert certificate.lower_bound <= self.least


def any_order(print_: Footprint, rng: random.Random) -> list[int]:
    left, order = set(range(print_.dag.n)), []
    while left:
        order.append(rng.choice([job for job in sorted(left) if not set(print_.dag.parents(job).tolist()) & left]))
        left.remove(order[-1])
    return order


def as_witness(flow: dict[tuple[int, int], int]) -> dict[str, Any]:
    return {
        "senders": [x for x, _ in flow],
        "receivers": [y for _, y in flow],
        "amounts": list(flow.values()),
    }


def made(seed: int, most_jobs: int = 5, model: str | None = None) -> Made:
    """A true certificate, as sharp as this kind of witness can be; a function of the seed."""
    rng = random.Random(seed)
    print_ = random_footprint(seed, most_jobs, model)
    last = {datum: job for datum, job in last_readers(print_).items() if rng.random() < 0.7}
    case = Made(print_, any_order(print_, rng), last)
    place = {job: number for number, job in enumerate(case.order)}
    value, flow = largest_closure(dict(enumerate(case.graph.weights)), case.graph.after)
    states = all_states(print_)
    if print_.rules.one_event:
        states = {state for state in states if state[0] == state[1]}
    started, ended = max(sorted(states, key=repr), key=lambda state: occupied(print_, *state))
    lower, least = some_least(case, rng)
    case.numbers = {
        "worst_peak": print_.base + value,
        "attained_peak": occupied(print_, started, ended),
        "sequential_peak": sequential_peak(print_, case.order),
        "lower_bound": lower,
    }
    case.witness = {
        "worst": {"by": "flow", **as_witness(flow)},
        "attained": {"started": [place[job] for job in started], "ended": [place[job] for job in ended]},
        "last_reader": [[datum, place[job]] for datum, job in last.items()],
        "least": least,
    }
    return case


def some_least(case: Made, rng: random.Random) -> tuple[int, dict[str, Any] | None]:
    kind = rng.choice(["flow", "flow", "need", "none"])
    if kind == "none":
        return case.print_.base, None
    job = rng.randrange(case.print_.dag.n)
    if kind == "need":
        return int(case.print_.needs[case.order[job]]), {"by": "need", "job": job}
    lower, flow = least_around(case, job)
    return lower, {"by": "flow", "job": job, **as_witness(flow)}


def least_around(case: Made, job: int) -> tuple[int, dict[tuple[int, int], int]]:
    """Return what is occupied at least while a job runs, and the flow that shows it."""
    print_, n = case.print_, case.print_.dag.n
    before = [{case.order.index(one) for one in ancestors(print_)[other]} for other in case.order]
    behind = {other for other in range(n) if job in before[other]}
    if print_.rules.one_event:
        forced, never = before[job] | {job}, behind
    else:
        forced = before[job] | {job} | {n + other for other in before[job]}
        never = behind | {n + other for other in behind | {job}}
        never |= {
            2 * n + datum
            for datum in range(print_.k)
            if {case.order.index(reader) for reader in print_.readers_of(datum).tolist()} & (behind | {job})
        }
    weights = {
        event: -weight for event, weight in enumerate(case.graph.weights) if event not in forced and event not in never
    }
    value, flow = largest_closure(weights, case.graph.after)
    return print_.base + sum(case.graph.weights[event] for event in forced) - value, flow


def judged(certificate: MemoryCertificate, truth: Truth) -> str:
    """Verify; if it is accepted, brute force must agree. No errors but these two may come out."""
    try:
        verify(certificate, truth.print_.dag, BUDGET)
    except CertificateError:
        return "rejected"
    except InfeasibleError:
        return "undecided"
    truth.check(certificate)
    return "accepted"
