"""Can a false claim pass? Certificates are corrupted, or made up, by the thousand, and brute force is the judge.

Whoever forges a certificate can also compute digests and profiles; so after most corruptions everything but the
witness is made right again, and only the reasoning of the checkers stands between the claim and its acceptance.
"""

from __future__ import annotations

import copy
import random
from collections import Counter
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import pytest

from eligo import graph
from eligo.certificate import Certificate, verify
from eligo.dag import Dag
from eligo.errors import CertificateError, InfeasibleError
from tests.certificate.makers import (
    BUDGET,
    admits,
    any_order,
    best_order,
    certified,
    composition_witness,
    exact_witness,
    finest_blocks,
    is_ic_optimal,
    random_composition,
    random_dag,
    some_witness,
    sweep_witness,
)


class Case(NamedTuple):
    """What a certificate is made of; the rest is computed, as a forger would."""

    dag: Dag
    order: list[int]
    claim: str
    witness: Any

    def judged(self) -> str:
        """Certify, verify and judge. No errors but these two may come out."""
        try:
            certificate = certified(self.dag, self.order, self.claim, self.witness)
        except CertificateError:
            return "malformed"
        return judged(self.dag, certificate)


def judged(dag: Dag, certificate: Certificate) -> str:
    """Verify; if it is accepted, brute force must agree."""
    try:
        verify(certificate, dag, BUDGET)
    except CertificateError:
        return "rejected"
    except InfeasibleError:
        return "undecided"
    order = [dag.index(name) for name in certificate.order]
    arcs = list(zip(dag.tails.tolist(), dag.heads.tolist(), strict=True))
    if certificate.claim == "ic-optimal":
        assert is_ic_optimal(dag, order), (certificate, arcs)
    elif certificate.claim == "no-ic-optimal":
        assert not admits(dag), (certificate, arcs)
    assert certificate.profile == certified(dag, order, "profile", None).profile
    return "accepted"


def valid(rng: random.Random) -> Case:
    """A certificate that is accepted, of any kind."""
    while True:
        case = rng.choice([composed, composed, composed, plain, in_series, impossible, impossible])(rng)
        if case is not None and case.judged() == "accepted":
            return case


def composed(rng: random.Random) -> Case | None:
    dag, blocks = random_composition(rng, 9)
    if rng.random() < 0.3:
        dag = random_dag(rng)
        blocks = finest_blocks(dag)
    order = best_order(dag, rng)
    witness = None if order is None else composition_witness(dag, order, blocks, rng)
    return None if order is None or witness is None else Case(dag, order, "ic-optimal", witness)


def plain(rng: random.Random) -> Case | None:
    dag = random_dag(rng)
    order = best_order(dag, rng)
    return None if order is None else Case(dag, order, "ic-optimal", some_witness(graph.relabel(dag, order), rng))


def in_series(rng: random.Random) -> Case | None:
    """Parts one after the other; the whole is refuted by one part that has no best order, or proved by all."""
    parts = [rng.choice([SMALLEST, random_dag(rng, 4), random_dag(rng, 4)]) for _ in range(2)]
    dag = serial(parts)
    orders = [best_order(part, rng) for part in parts]
    start = [0, parts[0].n]
    order = [start[i] + job for i in (0, 1) for job in orders[i] or any_order(parts[i], rng)]
    if None in orders:
        bad = orders.index(None)
        witness = {"by": "series", "before": start[bad], "jobs": parts[bad].n, "witness": exact_witness(parts[bad])}
        return Case(dag, order, "no-ic-optimal", witness)
    own = [
        {"jobs": part.n, "witness": some_witness(graph.relabel(part, its), rng)}
        for part, its in zip(parts, orders, strict=True)
    ]
    return Case(dag, order, "ic-optimal", {"by": "series", "parts": own})


def serial(parts: list[Dag]) -> Dag:
    one, other = parts
    ends, starts = graph.sinks(one).tolist(), graph.sources(other).tolist()
    joined = [(u, one.n + v) for u in ends for v in starts]
    return Dag.from_edges(
        one.n + other.n,
        [*one.tails.tolist(), *(one.n + other.tails).tolist(), *(u for u, _ in joined)],
        [*one.heads.tolist(), *(one.n + other.heads).tolist(), *(v for _, v in joined)],
    )


SMALLEST = Dag.from_edges(6, [0, 2, 2, 3, 3], [1, 4, 5, 4, 5])


def impossible(rng: random.Random) -> Case | None:
    """A sum that has no best order; perhaps with a part that has none, perhaps after a prefix."""
    dag = graph.sum_of([SMALLEST, random_dag(rng, 3)]) if rng.random() < 0.5 else random_dag(rng, 9)
    if rng.random() < 0.3:
        dag = serial([Dag.from_edges(1), dag])
    order = any_order(dag, rng)
    place = {job: position for position, job in enumerate(order)}
    kind = rng.choice(["exact", "frontier", "sweep", "part"])
    if kind == "frontier":
        jobs = [position for position, job in enumerate(order) if len(dag.children(job))]
        return Case(dag, order, "no-ic-optimal", {"by": "frontier", "sequence": jobs})
    if kind == "exact":
        return Case(dag, order, "no-ic-optimal", exact_witness(dag))
    if kind == "sweep":
        return Case(dag, order, "no-ic-optimal", sweep_witness(dag, order, rng))
    component = graph.components(dag)
    whole = np.flatnonzero(component == rng.randint(0, int(component.max()))).tolist()
    part = graph.induced_subdag(dag, sorted(whole, key=place.__getitem__))
    jobs = sorted(place[job] for job in whole if len(dag.children(job)))
    return Case(dag, order, "no-ic-optimal", {"by": "part", "jobs": jobs, "witness": exact_witness(part)})


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


JUNK = [None, True, False, 0, -1, 1, 2, 3, 10**25, "", "concave", [], [[]], {}, {"by": "concave"}, {"by": "exact"}]


def corrupt_witness(witness: dict, rng: random.Random) -> dict:  # noqa: PLR0912
    """Change one thing somewhere: a number, an entry moved, doubled or left out, a witness swapped, junk."""
    witness = copy.deepcopy(witness)
    lists = [path for path in places(witness) if isinstance(at(witness, path), list)]
    numbers = [path for path in places(witness) if type(at(witness, path)) is int]
    witnesses = [path for path in places(witness) if isinstance(at(witness, path), dict) and "by" in at(witness, path)]
    kind = rng.choice(["number", "swap", "move", "double", "drop", "method", "exchange", "junk", "regroup"])
    if kind == "number" and numbers:
        *where, last = rng.choice(numbers)
        at(witness, where)[last] += rng.choice([-2, -1, 1, 2])
    elif kind in ("swap", "move", "double", "drop") and lists:
        one, other = at(witness, rng.choice(lists)), at(witness, rng.choice(lists))
        if one:
            i, j = rng.randrange(len(one)), rng.randrange(len(one))
            if kind == "swap":
                one[i], one[j] = one[j], one[i]
            elif kind == "double":
                other.append(copy.deepcopy(one[i]))
            elif kind == "drop":
                one.pop(i)
            else:
                other.insert(rng.randint(0, len(other)), one.pop(i))
    elif kind == "method":
        path = rng.choice(witnesses)
        new = rng.choice([{"by": "concave"}, {"by": "dual-concave"}, {"by": "bipartite-tree"}, *FAMILY])
        if path:
            at(witness, path[:-1])[path[-1]] = dict(new)
        else:
            witness = dict(new)
    elif kind == "exchange" and len(witnesses) > 2:
        one, other = rng.sample([path for path in witnesses if path], 2)
        if one[: len(other)] != other and other[: len(one)] != one:
            a, b = at(witness, one), at(witness, other)
            at(witness, one[:-1])[one[-1]], at(witness, other[:-1])[other[-1]] = b, a
    elif kind == "regroup" and isinstance(witness.get("blocks"), list) and witness["blocks"]:
        blocks = rng.sample(range(len(witness["blocks"])), len(witness["blocks"]))
        cuts = sorted(rng.sample(range(1, len(blocks)), rng.randint(0, len(blocks) - 1)))
        witness["groups"] = [blocks[i:j] for i, j in zip([0, *cuts], [*cuts, len(blocks)], strict=True)]
    elif kind == "junk":
        *where, last = rng.choice([path for path in places(witness) if path])
        at(witness, where)[last] = copy.deepcopy(rng.choice(JUNK))
    return witness


FAMILY = [
    {"by": "family", "family": "complete"},
    {"by": "family", "family": "cycle"},
    *({"by": "family", "family": "tree", "arity": k, "expansion": up} for k in (1, 2, 3) for up in (False, True)),
    *({"by": "exact", "ideals": k} for k in range(2, 12)),
]


def other_dag(dag: Dag, rng: random.Random) -> Dag:
    """One arc more, one less, or one moved."""
    arcs = list(zip(dag.tails.tolist(), dag.heads.tolist(), strict=True))
    rank = {job: position for position, job in enumerate(any_order(dag, rng))}
    if arcs and rng.random() < 0.7:
        arcs.pop(rng.randrange(len(arcs)))
    if dag.n > 1 and rng.random() < 0.7:
        arcs.append(tuple(sorted(rng.sample(range(dag.n), 2), key=rank.__getitem__)))
    return Dag.from_edges(dag.names, [u for u, _ in arcs], [v for _, v in arcs])


def corrupt(case: Case, rng: random.Random) -> Case:
    dag, order, claim, witness = case
    kind = rng.choice(["order", "swap", "dag", "witness", "witness", "witness", "both", "claim"])
    if kind in ("dag", "both"):
        dag = other_dag(dag, rng)
    if kind == "order" or (kind in ("dag", "both") and not is_order(dag, order)):
        order = any_order(dag, rng)
    if kind == "swap" and dag.n > 1:
        i = rng.randrange(dag.n - 1)
        swapped = [*order[:i], order[i + 1], order[i], *order[i + 2 :]]
        order = swapped if is_order(dag, swapped) else order
    if kind in ("witness", "both"):
        for _ in range(rng.randint(1, 2)):
            witness = corrupt_witness(witness, rng) if isinstance(witness, dict) else witness
    if kind == "claim":
        claim = rng.choice(["ic-optimal", "no-ic-optimal"])
    return Case(dag, order, claim, witness)


def is_order(dag: Dag, order: list[int]) -> bool:
    place = {job: position for position, job in enumerate(order)}
    return all(place[u] < place[v] for u, v in zip(dag.tails.tolist(), dag.heads.tolist(), strict=True))


def run_corruptions(seed: int, certificates: int, each: int) -> Counter[str]:
    rng, outcomes = random.Random(seed), Counter()
    for _ in range(certificates):
        case = valid(rng)
        for _ in range(each):
            forged = corrupt(case, rng)
            outcomes[forged.judged()] += 1
            if rng.random() < 0.3:  # and once more, on top
                outcomes[corrupt(forged, rng).judged()] += 1
    return outcomes


def test_corrupted_certificates():
    outcomes = run_corruptions(11, 60, 40)
    assert outcomes["rejected"] > 1000
    assert outcomes["accepted"] > 100  # or the test would show nothing


@pytest.mark.long
@pytest.mark.parametrize("seed", range(6))
def test_corrupted_certificates_at_length(seed):
    assert run_corruptions(1000 + seed, 200, 100)["accepted"] > 500


def made_up_witness(n: int, nonsinks: list[list[int]], rng: random.Random, depth: int = 0) -> dict:
    """A witness out of thin air: of the right form mostly, true only by luck."""
    kind = rng.choice(["plain", "family", "exact", "composition", "series"][: 3 if depth >= 2 else 5])
    if kind == "plain":
        return {"by": rng.choice(["concave", "dual-concave", "bipartite-tree"])}
    if kind == "family":
        return dict(rng.choice(FAMILY))
    if kind == "exact" and rng.random() < 0.5:
        return {"by": "frontier", "sequence": sorted(rng.sample(range(n), rng.randint(0, n)))}
    if kind == "exact":
        return {"by": "exact", "ideals": rng.randint(1, 20)}
    if kind == "series":
        cut = rng.randint(1, max(n - 1, 1))
        sizes = rng.choice([[cut, n - cut], [n], [1] * n])
        return {
            "by": "series",
            "parts": [{"jobs": size, "witness": made_up_witness(size, [], rng, 2)} for size in sizes],
        }
    blocks = [list(block) for block in nonsinks]
    for _ in range(rng.choice([0, 0, 1, 2])):
        if len(blocks) > 1:
            blocks.append(blocks.pop(rng.randrange(len(blocks))) + blocks.pop(rng.randrange(len(blocks))))
    if rng.random() < 0.2 and blocks:
        rng.choice(blocks).append(rng.randrange(n))
    written = []
    for block in blocks:
        listed = sorted(block) if rng.random() < 0.7 else rng.sample(block, len(block))
        inside = [[one] for one in range(len(listed))]
        written.append({"jobs": listed, "witness": made_up_witness(len(listed) + 2, inside, rng, depth + 1)})
    numbers = rng.sample(range(len(blocks)), len(blocks))
    cuts = sorted(rng.sample(range(1, len(blocks)), rng.randint(0, len(blocks) - 1))) if blocks else []
    groups = [numbers[i:j] for i, j in zip([0, *cuts], [*cuts, len(blocks)], strict=True)] if blocks else []
    dropped = [rng.sample(range(n), 2) for _ in range(rng.choice([0, 0, 0, 1]))] if n > 1 else []
    return {"by": "composition", "dropped": dropped, "blocks": written, "groups": groups}


def made_up(rng: random.Random) -> Case:
    dag = random_dag(rng, 7)
    order = (best_order(dag, rng) if rng.random() < 0.5 else None) or any_order(dag, rng)
    own = graph.relabel(dag, order)
    if rng.random() < 0.7:
        return Case(dag, order, "ic-optimal", made_up_witness(dag.n, finest_blocks(own), rng))
    component = graph.components(own)
    parts = [
        [job for job in range(own.n) if component[job] == number and len(own.children(job))]
        for number in range(int(component.max()) + 1)
    ]
    parts = [part for part in parts if part]
    rng.shuffle(parts)
    witness = {
        "by": "sweep",
        "prefix": list(range(rng.choice([0, 0, 0, 1, 2]))),
        "parts": [{"jobs": part, "witness": made_up_witness(len(part) + 1, [], rng, 2)} for part in parts],
    }
    return Case(dag, order, "no-ic-optimal", rng.choice([witness, {"by": "exact", "ideals": rng.randint(1, 20)}]))


def test_made_up_certificates():
    rng = random.Random(12)
    outcomes = Counter(made_up(rng).judged() for _ in range(3000))
    assert outcomes["accepted"] > 200
    assert outcomes["rejected"] > 1000


@pytest.mark.long
@pytest.mark.parametrize("seed", range(6))
def test_made_up_certificates_at_length(seed):
    rng = random.Random(2000 + seed)
    assert Counter(made_up(rng).judged() for _ in range(20_000))["accepted"] > 1000


@cache
def stock() -> list[tuple[Dag, Certificate]]:
    rng = random.Random(13)
    return [(case.dag, certified(*case)) for case in (valid(rng) for _ in range(60))]


def test_corrupted_files():
    """Anything anywhere in the JSON replaced: still only the two errors, and no false claim."""
    rng, outcomes = random.Random(14), Counter()
    for _ in range(2000):
        dag, certificate = rng.choice(stock())
        value = copy.deepcopy(certificate.to_json())
        *where, last = rng.choice([path for path in places(value) if path])
        at(value, where)[last] = rng.choice([*JUNK, 1.0, float("nan"), float("inf"), "no-ic-optimal", "0", -(10**5000)])
        try:
            changed = Certificate.from_json(value)
        except CertificateError:
            outcomes["malformed"] += 1
            continue
        outcomes[judged(dag, changed)] += 1
    assert min(outcomes["malformed"], outcomes["rejected"]) > 100


def test_another_dag_is_noticed():
    rng = random.Random(15)
    for dag, certificate in stock():
        other = other_dag(dag, rng)
        if other != dag:
            with pytest.raises(CertificateError, match="about another workflow"):
                verify(certificate, other)
        renamed = graph.rename(dag, [f"{name}'" for name in dag.names])
        with pytest.raises(CertificateError, match="about another workflow"):
            verify(certificate, renamed)
        assert verify(certificate, graph.relabel(dag, rng.sample(range(dag.n), dag.n))).claim == certificate.claim
