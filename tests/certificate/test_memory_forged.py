"""Can a false claim about memory pass? Certificates are forged by the thousand, and brute force is the judge.

A forger knows the true numbers and states better ones; flows are solved anew on events with relations that do not hold.
"""

from __future__ import annotations

import copy
import random
from collections import Counter
from dataclasses import replace
from functools import cache

import pytest

from eligo.certificate import MemoryCertificate
from eligo.errors import CertificateError
from tests.certificate.memory_makers import Made, as_witness, judged, made
from tests.reference.memory_flow import event_graph, largest_closure
from tests.reference.memory_states import occupied


@cache
def stock(first: int = 0, count: int = 150) -> list[Made]:
    cases = [made(seed, 4 + seed % 2) for seed in range(first, first + count)]
    for case in cases:
        assert judged(case.certificate, case.truth) == "accepted"
    return cases


def better(case: Made, rng: random.Random) -> dict[str, int]:
    """Numbers that are as stated, true and sharp, or a little better than the truth."""
    numbers, truth = dict(case.numbers), case.truth
    kind = rng.choice(["stated", "worst", "worst", "least", "least", "attained", "sequential"])
    if kind == "worst":
        numbers["worst_peak"] = truth.worst - rng.choice([0, 1, 1, 2])
    elif kind == "least":
        numbers["lower_bound"] = truth.least + rng.choice([0, 1, 1, 2])
    elif kind == "attained":
        numbers["attained_peak"] = truth.worst + rng.choice([-1, 0, 1, 2])
    elif kind == "sequential":
        numbers["sequential_peak"] += rng.choice([-1, 1])
    return numbers


def places(value: object, path: tuple = ()) -> list[tuple]:
    """All places in a JSON value, as paths of keys."""
    found = [path]
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, one in inner:
        found += places(one, (*path, key))
    return found


def at(value, path):
    for key in path:
        value = value[key]
    return value


JUNK = [None, True, False, 0, -1, 1, 2, 5, 10**18, 2**62, "", "flow", "need", [], [[]], [[0, 0]], {}, {"by": "need"}]


def corrupted(witness: dict, rng: random.Random) -> dict:
    """Change one thing somewhere: a number, an entry moved, doubled or left out, junk."""
    witness = copy.deepcopy(witness)
    lists = [path for path in places(witness) if isinstance(at(witness, path), list)]
    numbers = [path for path in places(witness) if type(at(witness, path)) is int]
    kind = rng.choice(["number", "number", "number", "move", "double", "drop", "row", "junk", "send"])
    if kind == "number" and numbers:
        *where, last = rng.choice(numbers)
        at(witness, where)[last] += rng.choice([-2, -1, 1, 2])
    elif kind == "junk":
        *where, last = rng.choice([path for path in places(witness) if path])
        at(witness, where)[last] = copy.deepcopy(rng.choice(JUNK))
    elif kind in ("row", "send"):
        flow = witness.get(rng.choice(["worst", "least"]))
        columns = ("senders", "receivers", "amounts")
        if isinstance(flow, dict) and all(isinstance(flow.get(key), list) for key in columns):
            if kind == "send":
                flow["senders"].append(rng.randrange(14))
                flow["receivers"].append(rng.randrange(14))
                flow["amounts"].append(rng.randint(1, 9))
            elif flow["senders"]:
                row = rng.randrange(len(flow["senders"]))
                for key in columns:
                    flow[key][row : row + 1] = []
    elif lists:
        one, other = at(witness, rng.choice(lists)), at(witness, rng.choice(lists))
        if one:
            entry = rng.randrange(len(one))
            if kind == "double":
                other.append(copy.deepcopy(one[entry]))
            elif kind == "drop":
                one.pop(entry)
            else:
                other.insert(rng.randint(0, len(other)), one.pop(entry))
    return witness


def remade(case: Made, value: dict, **changes) -> str:
    """Certify what is given, without the help that makers of certificates get."""
    value = {**value, **changes}
    try:
        certificate = MemoryCertificate.from_json(value)
    except CertificateError:
        return "malformed"
    return judged(certificate, case.truth)


def test_corrupted_witnesses():
    rng, outcomes = random.Random(1), Counter()
    for case in stock():
        value = case.certificate.to_json()
        for _ in range(20):
            witness = value["witness"]
            for _ in range(rng.choice([0, 1, 1, 1, 2])):
                witness = corrupted(witness, rng)
            outcomes[remade(case, value, **better(case, rng), witness=witness)] += 1
    assert outcomes["rejected"] > 1500
    assert outcomes["accepted"] > 400  # or the test would show nothing


def forged_flow(case: Made, rng: random.Random) -> Made:
    """A largest flow through relations of which a few do not hold, with the bound that it would prove."""
    events = len(case.graph.weights)
    after = case.graph.after | {(rng.randrange(events), rng.randrange(events)) for _ in range(rng.randint(1, 3))}
    value, flow = largest_closure(dict(enumerate(case.graph.weights)), {(x, y) for x, y in after if x != y})
    numbers = {**case.numbers, "worst_peak": case.print_.base + value}
    return replace(case, numbers=numbers, witness={**case.witness, "worst": {"by": "flow", **as_witness(flow)}})


def forged_freeing(case: Made, rng: random.Random) -> Made:
    """Jobs that start after data are freed, though not all readers come before them; freeings after any job's end."""
    n, k = case.print_.dag.n, case.print_.k
    if case.print_.rules.one_event or k == 0:
        return forged_flow(case, rng)
    after = case.graph.after | {(rng.randrange(n), 2 * n + rng.randrange(k)) for _ in range(rng.choice([0, 4]))}
    after |= {(2 * n + rng.randrange(k), n + rng.randrange(n)) for _ in range(rng.choice([0, 4]))}
    value, flow = largest_closure(dict(enumerate(case.graph.weights)), after)
    numbers = {**case.numbers, "worst_peak": case.print_.base + value}
    return replace(case, numbers=numbers, witness={**case.witness, "worst": {"by": "flow", **as_witness(flow)}})


def forged_last_reader(case: Made, rng: random.Random) -> Made:
    """Some reader of a datum is said to be the last one, and the flow is right if it is."""
    shared = [datum for datum in range(case.print_.k) if len(case.print_.readers_of(datum)) > 1]
    if not shared:
        return forged_flow(case, rng)
    datum = rng.choice(shared)
    last = {**case.last, datum: int(rng.choice(case.print_.readers_of(datum)))}
    graph = event_graph(case.print_, case.order, last)
    value, flow = largest_closure(dict(enumerate(graph.weights)), graph.after)
    return replace(
        case,
        last=last,
        numbers={**case.numbers, "worst_peak": case.print_.base + value},
        witness={
            **case.witness,
            "worst": {"by": "flow", **as_witness(flow)},
            "last_reader": [[one, case.order.index(job)] for one, job in last.items()],
        },
    )


def forged_least(case: Made, rng: random.Random) -> Made:
    """A flow among more events than are free while a job runs, or through relations that do not hold."""
    events, n = range(len(case.graph.weights)), case.print_.dag.n
    after = set(case.graph.after)
    if rng.random() < 0.5:
        after |= {(rng.choice(events), rng.choice(events)) for _ in range(2)}
    free = {event for event in events if rng.random() < 0.7}
    job = rng.randrange(n)
    weights = {event: -case.graph.weights[event] for event in free}
    _, flow = largest_closure(weights, {(x, y) for x, y in after if x != y})
    least = {"by": "flow", "job": job, **as_witness(flow)}
    numbers = {**case.numbers, "lower_bound": case.truth.least + rng.choice([0, 1, 2])}
    return replace(case, numbers=numbers, witness={**case.witness, "least": least})


def forged_state(case: Made, rng: random.Random) -> Made:
    """Any jobs said to have started and ended, with what they would occupy then."""
    jobs = range(case.print_.dag.n)
    started = {job for job in jobs if rng.random() < 0.7}
    ended = started if case.print_.rules.one_event else {job for job in jobs if rng.random() < 0.2}
    sides = {"started": started, "ended": ended}
    attained = {side: [case.order.index(job) for job in some] for side, some in sides.items()}
    peak = occupied(case.print_, frozenset(started), frozenset(ended))
    return replace(
        case, numbers={**case.numbers, "attained_peak": peak}, witness={**case.witness, "attained": attained}
    )


FORGERIES = [forged_flow, forged_freeing, forged_last_reader, forged_least, forged_state]


def run_forgeries(kind, cases: list[Made], each: int) -> Counter[str]:
    rng, outcomes = random.Random(2), Counter()
    for case in cases:
        for _ in range(each):
            forged = kind(case, rng)
            numbers, truth = forged.numbers, case.truth
            false = numbers["worst_peak"] < truth.worst or numbers["lower_bound"] > truth.least
            false |= numbers["attained_peak"] > truth.worst
            outcome = judged(forged.certificate, case.truth)
            outcomes[f"{'false' if false else 'true'}, {outcome}"] += 1
    return outcomes


@pytest.mark.parametrize("kind", FORGERIES)
def test_forged(kind):
    outcomes = run_forgeries(kind, stock(), 5)
    assert outcomes["false, accepted"] == 0
    assert outcomes["false, rejected"] > 20, outcomes
    assert outcomes["true, accepted"] > 20, outcomes


@pytest.mark.long
@pytest.mark.parametrize("kind", FORGERIES)
def test_forged_at_length(kind):
    outcomes = run_forgeries(kind, stock(1000, 1500), 20)
    assert outcomes["false, accepted"] == 0
    assert outcomes["false, rejected"] > 500, outcomes


def test_corrupted_files():
    """Anything anywhere in the JSON replaced: still only the two errors, and no false claim."""
    rng, outcomes = random.Random(3), Counter()
    junk = [*JUNK, 1.0, float("nan"), "simple", "pebble", "leave", "0", -(10**5000)]
    for case in stock():
        good = case.certificate.to_json()
        for _ in range(15):
            value = copy.deepcopy(good)
            *where, last = rng.choice([path for path in places(value) if path])
            at(value, where)[last] = rng.choice(junk)
            outcomes[remade(case, value)] += 1
    assert min(outcomes["malformed"], outcomes["rejected"]) > 100
