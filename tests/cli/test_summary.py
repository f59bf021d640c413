"""What is said of an order, in words."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eligo._cli.eligibility_curve import Look
from eligo._cli.prioritize_summary import json_lines, order_facts, order_text
from eligo._humanize import per_cent
from eligo.dag import Dag
from eligo.priority._prioritize import Prioritized
from eligo.schedule import Schedule

FORK = Dag.from_edges(["a", "b", "c", "alone"], [0, 0], [1, 2])
GOOD, BAD = Schedule.of(FORK, [0, 1, 2, 3]), Schedule.of(FORK, [3, 0, 1, 2])
FOUND = Prioritized(
    schedule=GOOD, strategy="prio", claim="ic-optimal", bound=GOOD.profile, fifo=BAD,
    areas={"prio": 8, "area": 7, "fifo": 6}, blocks=2, classes=1, area_is_largest=False,
    _certify=None, _certify_bound=None,
)  # fmt: skip


def rows(found: Prioritized) -> dict[str, str]:
    lines = order_text("x.dag", found, Look()).splitlines()[1:6]
    return {line.split()[0]: " ".join(line.split()[1:]) for line in lines}


def test_a_proved_order():
    assert rows(FOUND) == {
        "blocks": "2 of 1 class",
        "IC-optimal": "yes proved: no order keeps more jobs ELIGIBLE, at any step",
        "AREA": "8 33.3 % more than fifo: 1.6 jobs ready on average instead of 1.2",
        "gap": "0 % no order has a larger AREA",
        "strategy": "prio others: area 7, fifo 6",
    }


@pytest.mark.parametrize(
    ("claim", "text"),
    [
        ("none-exists", "none exists proved: no order is the best at every step"),
        ("best-effort", "not proved the order is a best effort"),
    ],
)
def test_other_claims(claim, text):
    found = replace(FOUND, claim=claim, bound=np.array([2, 3, 3, 2, 0]))
    assert rows(found)["IC-optimal"] == text
    assert rows(found)["gap"] == "20.0 % at most so far below the best AREA"
    found = replace(found, area_is_largest=True)
    assert rows(found)["gap"] == "0 % exact search finds no larger AREA (certified: 20.0 %)"
    assert order_facts(found)["area_is_largest"] is True


def test_orders_that_gain_nothing():
    assert rows(replace(FOUND, fifo=GOOD))["AREA"] == "8 as much as fifo: 1.6 jobs ready on average"
    less = rows(replace(FOUND, schedule=BAD, fifo=GOOD))["AREA"]
    assert less == "6 25.0 % less than fifo: 1.2 jobs ready on average instead of 1.6"
    alone = replace(FOUND, strategy="fifo", areas={"fifo": 6})
    assert rows(alone)["strategy"] == "fifo"


def test_jobs_that_do_not_follow_the_order():
    assert "of yours" not in order_text("x.dag", FOUND, Look())
    for kept, text in ((1, "1 job keeps"), (2, "2 jobs keep")):
        line = order_text("x.dag", FOUND, Look(), kept).splitlines()[6]
        assert line == f"  {text} a priority of yours: what is said above holds with --replace only"


def test_a_dag_without_jobs_has_no_curve():
    nothing = Schedule.of(Dag.from_edges(0), [])
    text = order_text("x.dag", replace(FOUND, schedule=nothing, fifo=nothing, bound=nothing.profile), Look())
    assert len(text.splitlines()) == 6


@given(st.floats(0, 10))
def test_per_cent_says_nothing_only_of_nothing(fraction):
    text = per_cent(fraction)
    assert (text == "0 %") == (fraction == 0)
    if fraction >= 0.001:
        assert float(text.removesuffix(" %")) == pytest.approx(100 * fraction, abs=0.051)


@given(st.dictionaries(st.text(), st.recursive(st.none() | st.integers() | st.text(), st.lists), min_size=1))
def test_facts_are_json(facts):
    text = "".join(json_lines(facts))
    assert json.loads(text) == facts
    assert text.count("\n") == len(facts) + 1
