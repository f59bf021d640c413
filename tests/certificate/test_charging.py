"""Certificates by charging: what they must say, and that no corrupted flow proves a false bound."""

from __future__ import annotations

import copy
import random

import pytest

from eligo import Certificate, CertificateError, Schedule, verify
from eligo.dag import Dag
from eligo.errors import InfeasibleError
from eligo.priority._bounds import bound_of
from tests.certificate.makers import random_dag
from tests.reference.ideals import best_profile

JOIN = Dag.from_edges(3, [0, 1], [2, 2])


def claim(witness: object, area_bound: int | None = 5, claimed: str = "bound") -> Certificate:
    return Certificate.of(Schedule.of(JOIN, [0, 1, 2]), claimed, {"by": "charging"} | witness, (), area_bound)


def test_a_join():
    r"""Each of two sources bears half of the job they share: 2, 1, 1, 0 ELIGIBLE jobs and no more."""
    verify(claim({"scale": 2, "flow": [1, 1], "windows": False}, 4), JOIN)
    verify(claim({"scale": 1, "flow": [0, 1], "windows": True}, 5), JOIN)


@pytest.mark.parametrize(
    ("witness", "message"),
    [
        ({"scale": 2, "flow": [1, 1]}, "windows"),
        ({"scale": 0, "flow": [1, 1], "windows": False}, "scale must be a whole number from 1"),
        ({"scale": 2, "flow": [1], "windows": False}, "flow has 1 entries for 2 edges"),
        ({"scale": 2, "flow": [1, 0], "windows": False}, "job 2 sends less than its unit"),
        ({"scale": 2, "flow": [2, 1], "windows": False}, "job 2 sends more to its parents than it has"),
        ({"scale": 2, "flow": [3, -1], "windows": False}, "flow must be whole numbers from 0"),
        ({"scale": 2, "flow": [2**62, 2**62], "windows": False}, "64 bits"),
        ({"scale": 2, "flow": [1, 1], "windows": 1}, "windows must be true or false"),
    ],
)
def test_what_is_refused(witness, message):
    with pytest.raises(CertificateError, match=message):
        verify(claim(witness), JOIN)


def test_a_bound_needs_a_number_and_only_a_bound_has_one():
    with pytest.raises(CertificateError, match="area_bound must be a whole number"):
        claim({"scale": 2, "flow": [1, 1], "windows": False}, None)
    with pytest.raises(CertificateError, match="belongs to the claim 'bound'"):
        claim({"scale": 2, "flow": [1, 1], "windows": False}, 4, "ic-optimal")


def test_a_bound_that_is_attained_proves_an_order_optimal():
    verify(claim({"scale": 2, "flow": [1, 1], "windows": False}, None, "ic-optimal"), JOIN)
    with pytest.raises(CertificateError, match="charging allows 1"):
        verify(claim({"scale": 1, "flow": [1, 0], "windows": False}, None, "ic-optimal"), JOIN)


def _corrupted(witness: object, rng: random.Random) -> object:
    """Change some number somewhere in a witness."""
    witness = copy.deepcopy(witness)
    places = []

    def walk(value: object) -> None:
        items = value.items() if isinstance(value, dict) else enumerate(value)
        for key, inner in items:
            if isinstance(inner, int):
                places.append((value, key))
            elif isinstance(inner, (dict, list)):
                walk(inner)

    walk(witness)
    if places:
        for holder, key in rng.sample(places, min(len(places), rng.randint(1, 3))):
            old = holder[key]
            holder[key] = not old if isinstance(old, bool) else max(0, old + rng.choice([-(1 << 20), -1, 1, 1 << 19]))
    return witness


@pytest.mark.parametrize("seed", range(4))
def test_no_corrupted_witness_proves_a_false_bound(seed):
    rng = random.Random(seed)
    accepted = 0
    for _ in range(250):
        dag = random_dag(rng)
        schedule = Schedule.of(dag, dag.order)
        bound = bound_of(dag, rng.choice([0, 0, 5]))
        honest = Certificate.of(schedule, "bound", bound.witness(dag.order), area_bound=bound.area).witness
        truth = sum(best_profile(dag, sources=True))
        try:
            forged = Certificate.of(
                schedule, "bound", _corrupted(honest, rng), area_bound=rng.randint(truth - 3, truth + 3)
            )
            verify(forged, dag)
        except (CertificateError, InfeasibleError):
            continue
        accepted += 1
        assert forged.area_bound >= truth
    assert accepted > 10
