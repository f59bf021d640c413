"""Limits: kept by every execution, never missed where they can be kept, and with critical paths as short as claimed."""

from __future__ import annotations

import numpy as np
import pytest

from eligo.certificate import verify
from eligo.dag import Dag, Data
from eligo.errors import EligoError, InfeasibleError
from eligo.graph import critical_path
from eligo.memory._analyze import analyse, certify
from eligo.memory._footprint import Footprint
from eligo.memory._limit import METHODS, Limited, limit
from eligo.memory._lower_bound import lower_bound
from eligo.memory._models import MODELS, footprint
from eligo.memory._sequential import peak_of
from eligo.memory._serialization import work_of
from tests.memory.executions import random_executions
from tests.memory.footprints import random_footprint
from tests.memory.toy import toy
from tests.reference.memory_states import least_peak, true_worst_peak
from tests.reference.serialisations import all_serialisations, as_dag
from tests.reference.serialisations import critical_path as path_of

NEVER_FAIL = ("auto", "schedule", "respect-order")
MAY_FAIL = ("min-levels", "max-size", "max-min-size")


def best_critical_path(print_: Footprint, most: int) -> float:
    """Return the shortest critical path of any serialisation whose true worst peak is within a limit."""
    work = work_of(print_.dag).tolist()
    kept = (o for o in all_serialisations(print_.dag) if true_worst_peak(print_.on(as_dag(o))) <= most)
    return min(path_of(order, work) for order in kept)


def check(found: Limited, before: Footprint) -> None:
    assert found.worst.bound <= found.limit
    assert true_worst_peak(found.footprint) <= found.limit
    old = set(zip(before.dag.tails.tolist(), before.dag.heads.tolist(), strict=True))
    new = set(zip(found.dag.tails.tolist(), found.dag.heads.tolist(), strict=True))
    added = set(zip(found.tails.tolist(), found.heads.tolist(), strict=True))
    assert new == old | added
    assert not old & added
    assert found.critical_path_before == critical_path(before.dag).length
    assert found.critical_path_after == critical_path(found.dag).length
    assert found.critical_path_bound <= found.critical_path_after + 1e-9


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("method", [*NEVER_FAIL, *MAY_FAIL])
def test_every_execution_keeps_the_limit(model: str, method: str) -> None:
    for seed in range(80):
        print_ = random_footprint(seed, 6, model)
        low, high = least_peak(print_), analyse(print_).worst.bound
        for most in {low, (low + high) // 2}:
            try:
                found = limit(print_, most, method=method)
            except InfeasibleError as error:
                assert method in MAY_FAIL, (seed, str(error))
                continue
            check(found, print_)
            if model != "pebble":
                order = found.dag.order
                least = lower_bound(found.footprint, found.worst.ends)
                verify(certify(found.worst, order, peak_of(found.footprint, order), least), found.dag)


@pytest.mark.parametrize("seed", range(25))
def test_auto_beside_the_best_of_all_serialisations(seed: int) -> None:
    print_ = random_footprint(seed, 5)
    low, high = least_peak(print_), analyse(print_).worst.bound
    for most in {low, (low + high) // 2}:
        found = limit(print_, most)
        best = best_critical_path(print_, most)
        assert found.critical_path_bound - 1e-9 <= best <= found.critical_path_after + 1e-9


def test_the_toy_of_004() -> None:
    found = limit(toy(), 10)
    assert found.worst.bound <= 10
    assert len(found.tails) == 1
    with pytest.raises(InfeasibleError):
        limit(toy(), 5)


def test_nothing_is_added_where_nothing_is_needed() -> None:
    found = limit(toy(), 11)
    assert (found.method, found.tails.tolist(), found.critical_path_after) == ("none", [], found.critical_path_before)


@pytest.mark.parametrize("method", METHODS[:-1])
def test_a_limit_below_the_largest_job_names_it(method: str) -> None:
    dag = Dag.from_names([("a", "b"), ("a", "c")]).with_known(temp_bytes=[3, 100, 5])
    with pytest.raises(InfeasibleError, match="job 'b' alone occupies 100 bytes") as caught:
        limit(footprint(dag, "files", "disk"), 99, method=method)
    assert caught.value.reachable == 100
    assert "smallest limit known to be reachable is 100 bytes" in caught.value.hint


def test_a_limit_that_no_order_keeps_says_how_low_one_can_go() -> None:
    for seed in range(100):
        print_ = random_footprint(seed, 6)
        low = least_peak(print_)
        if low == 0:
            continue
        with pytest.raises(InfeasibleError) as caught:
            limit(print_, low - 1)
        assert caught.value.reachable == low


def test_a_given_order_is_respected_or_refused() -> None:
    dag = Dag.from_names([("a", "b"), ("c", "d")])
    print_ = footprint(dag.with_known(data=Data.per_edge(dag.tails, dag.heads, [5, 5])))
    order = np.array([2, 3, 0, 1], np.int32)
    for method in ("respect-order", "schedule", "auto"):
        found = limit(print_, 5, method=method, order=order)
        assert [(dag.names[u], dag.names[v]) for u, v in zip(found.tails, found.heads, strict=True)] == [("d", "a")]
    with pytest.raises(InfeasibleError, match="the order given occupies 10 bytes"):
        limit(print_, 5, method="respect-order", order=np.array([0, 2, 1, 3], np.int32))


def test_unknown_methods_are_refused() -> None:
    with pytest.raises(EligoError, match="unknown method"):
        limit(toy(), 10, method="luck")


def test_ilp_is_never_worse_than_auto() -> None:
    for seed in range(8):
        print_ = random_footprint(seed, 5, "simple" if seed % 2 else "classical")
        low, high = least_peak(print_), analyse(print_).worst.bound
        most = (low + high) // 2
        auto, ilp = limit(print_, most), limit(print_, most, method="ilp")
        check(ilp, print_)
        assert ilp.critical_path_after <= auto.critical_path_after
        assert ilp.critical_path_after == best_critical_path(print_, most)


@pytest.mark.parametrize("model", MODELS)
def test_executions_of_limited_dags_never_exceed_the_limit(model: str) -> None:
    for seed in range(12):
        print_ = random_footprint(200 + seed, 25, model)
        found = analyse(print_)
        most = (found.lowest.peak + found.worst.bound) // 2
        limited = limit(print_, most)
        assert max(random_executions(limited.footprint, seed, 60), default=0) <= limited.worst.bound <= most


@pytest.mark.parametrize("width", [5, 60, 400])
def test_a_hub_that_all_read_does_not_make_an_edge_for_every_pair(width: int) -> None:
    r"""hub -> readers 1..w share one datum; w other jobs need as much as it takes: none may run beside the readers."""
    tails, heads = np.zeros(width, np.int32), np.arange(1, width + 1, dtype=np.int32)
    readers = [list(range(1, width + 1)), *[[] for _ in range(width)]]
    data = Data.build([width, *[1] * width], [0, *range(width + 1, 2 * width + 1)], readers, None)
    dag = Dag.from_edges(2 * width + 1, tails, heads, data=data)
    print_ = footprint(dag, "files", "disk", unread="leave")
    found = limit(print_, width, method="schedule")
    assert found.worst.bound <= width
    assert len(found.tails) <= 4 * (dag.n + dag.m + print_.k) + 2 * width
    assert max(random_executions(found.footprint, 1, 20)) <= width


def test_limits_and_orders_that_are_none() -> None:
    with pytest.raises(EligoError, match="whole number of bytes"):
        limit(toy(), 7.5)  # type: ignore[arg-type]
    with pytest.raises(InfeasibleError, match="alone occupies"):
        limit(toy(), -(2**70))
    with pytest.raises(EligoError, match="stands before"):
        limit(toy(), 10, method="respect-order", order=np.arange(5, -1, -1, dtype=np.int32))
    assert limit(toy(), 10, method="schedule", order=[0, 1, 3, 2, 4, 5]).worst.bound <= 10  # type: ignore[arg-type]


def test_no_jobs_but_data_from_outside() -> None:
    print_ = footprint(Dag.from_edges(0, data=Data.build([5], [-1], [[]], ["f"])), inputs="count")
    assert analyse(print_).worst.bound == 5
    assert limit(print_, 5).method == "none"
    with pytest.raises(InfeasibleError):
        limit(print_, 4)


def test_progress_is_told() -> None:
    said: list[str] = []
    limit(toy(), 10, on_progress=said.append)
    assert said[0] == "worst peak"
    assert "schedule 1" in said
