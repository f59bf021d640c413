"""Every model against its definition in 004, worked out here job by job."""

from __future__ import annotations

import numpy as np
import pytest

from eligo.dag import OUTSIDE, UNKNOWN, Dag, Data
from eligo.errors import EligoError
from eligo.memory._footprint import Footprint
from eligo.memory._models import footprint
from eligo.schedule import Schedule
from tests.memory.footprints import random_dag, random_data
from tests.reference.memory_states import all_states, least_peak, occupied, sequential_peak, true_worst_peak


def named(seed: int, n: int = 5) -> Dag:
    rng = np.random.default_rng(seed)
    dag = random_dag(rng, n, 0.4)
    return dag.with_known(data=random_data(rng, dag), temp_bytes=rng.integers(0, 6, n))


def rows(dag: Dag) -> list[tuple[int, int, list[int]]]:
    data = dag.data
    if data is None:
        return []
    return [(int(data.size_bytes[d]), int(data.producer[d]), data.readers_of(d).tolist()) for d in range(data.k)]


def simple_memory(dag: Dag, started: frozenset[int]) -> int:
    """004 section 3.1: every job that starts frees a copy of its inputs and allocates a copy for each reader."""
    total = 0
    for job in started:
        for size, producer, readers in rows(dag):
            total += size * max(len(readers), 1) if producer == job else 0
            total -= size if producer != OUTSIDE and job in readers else 0
    return total


def classical_memory(dag: Dag, started: frozenset[int], ended: frozenset[int]) -> int:
    """004 section 3.2.1: running jobs hold inputs, temporary space and outputs; copies wait between jobs."""
    total = 0
    temp = dag.temp_bytes
    for size, producer, readers in rows(dag):
        for reader in readers:
            if producer != OUTSIDE and producer in started and reader not in ended:
                total += size
        if producer in started and not readers:
            total += size  # unread: stays
    return total + sum(int(temp[job]) for job in started - ended if temp is not None)


@pytest.mark.parametrize("seed", range(60))
def test_simple_and_classical_are_as_defined(seed: int) -> None:
    dag = named(seed)
    if dag.data is None:
        return
    simple = footprint(dag, "simple")
    for started, _ in all_states(simple):
        assert occupied(simple, started, started) == simple_memory(dag, started)
    classical = footprint(dag, "classical")
    for started, ended in all_states(classical):
        assert occupied(classical, started, ended) == classical_memory(dag, started, ended)


@pytest.mark.parametrize("seed", range(60))
def test_pebble_number_is_one_more_than_the_memory_cost_of_000(seed: int) -> None:
    """Errata (g): the least number of pebbles is 1 + the least memory cost of any schedule."""
    dag = random_dag(np.random.default_rng(seed), 5, 0.4)
    print_ = footprint(dag, "pebble", unread="leave")
    from tests.reference.memory_states import all_orders

    orders = all_orders(print_)
    costs = [Schedule.of(dag, order).memory_cost for order in orders]
    # A sink's pebble may be taken away at once; here it stays, so sinks are left out of the count.
    inner = [job for job in range(dag.n) if len(dag.children(job))]
    if not inner:
        return
    peaks = []
    for order in orders:
        done: set[int] = set()
        peak = 0
        for job in order:
            held = {u for u in done if len(dag.children(u)) and not set(dag.children(u).tolist()) <= done}
            peak = max(peak, len(held) + 1)
            done.add(job)
        peaks.append(peak)
    assert min(peaks) == 1 + min(costs)


def test_rules_for_inputs_and_unread_outputs() -> None:
    """in(7) -> a -> out(3) unread, mid(5) -> b."""
    data = Data.build([7, 3, 5], [OUTSIDE, 0, 0], [[0, 1], [], [1]], ["in", "out", "mid"])
    dag = Dag.from_edges(2, [0], [1], data=data)
    peaks = {
        (unread, inputs): true_worst_peak(footprint(dag, "files", unread=unread, inputs=inputs))
        for unread in ("stay", "leave")
        for inputs in ("ignore", "count")
    }
    assert peaks == {("stay", "ignore"): 8, ("leave", "ignore"): 8, ("stay", "count"): 15, ("leave", "count"): 15}
    stay, leave = (footprint(dag, "files", unread=rule) for rule in ("stay", "leave"))
    assert occupied(stay, frozenset({0, 1}), frozenset({0, 1})) == 3
    assert occupied(leave, frozenset({0, 1}), frozenset({0, 1})) == 0
    assert least_peak(leave) == 8
    assert sequential_peak(footprint(dag, "files", inputs="count"), [0, 1]) == 15


def test_what_the_dag_holds_chooses_the_model() -> None:
    bare = Dag.from_edges(3, [0, 0], [1, 2])
    weights = bare.with_known(data=Data.per_edge([0, 0], [1, 2], [4, 5]))
    assert footprint(weights).rules.model == "simple"
    assert footprint(weights.with_known(temp_bytes=[1, 1, 1])).rules.model == "classical"
    shared = bare.with_known(data=Data.build([4], [0], [[1, 2]]))
    assert (footprint(shared).rules.model, footprint(shared).rules.resource) == ("shared", "memory")
    files = bare.with_known(data=Data.build([4], [0], [[1, 2]], ["f"]))
    assert (footprint(files).rules.model, footprint(files).rules.resource) == ("files", "disk")
    with_memory = footprint(files.with_known(memory_bytes=[10, 20, 40]))
    assert (with_memory.rules.resource, with_memory.k, with_memory.running.tolist()) == ("memory", 0, [10, 20, 40])
    on_disk = footprint(files.with_known(memory_bytes=[10, 20, 40]), resource="disk")
    assert (on_disk.k, on_disk.running.tolist()) == (1, [0, 0, 0])


def test_unknown_sizes_count_as_nothing_and_are_counted() -> None:
    data = Data.build([4, UNKNOWN, UNKNOWN], [0, 0, 0], [[1], [1], [2]], list("fgh"))
    print_ = footprint(Dag.from_edges(3, [0, 0], [1, 2], data=data))
    assert print_.k == 1
    assert print_.assumptions[0] == "2 data have no known size: taken as 0"


def test_jobs_of_several_tasks_hold_as_much_for_each() -> None:
    dag = Dag.from_edges(2, [0], [1], memory_bytes=[10, 20], count=[3, 1])
    assert footprint(dag).running.tolist() == [30, 20]
    scratch = Dag.from_edges(2, [0], [1], temp_bytes=[10, 20], count=[3, 0])
    assert footprint(scratch, "files", "disk").running.tolist() == [30, 0]
    with pytest.raises(EligoError, match="2\\^62"):
        footprint(Dag.from_edges(1, memory_bytes=[2**61], count=[8]))


def test_scratch_is_not_dropped_in_silence() -> None:
    shared = Dag.from_edges(3, [0, 0], [1, 2], temp_bytes=[7, 0, 0], data=Data.build([4], [0], [[1, 2]]))
    assert footprint(shared).rules.model == "files"
    assert footprint(shared).running.tolist() == [7, 0, 0]
    assert footprint(shared, "shared").assumptions == ("temporary space of jobs does not count in the model shared",)


@pytest.mark.parametrize("dag", [Dag.from_edges(2, [0], [1]), Dag.from_edges(1, data=Data.build([UNKNOWN], [0], [[]]))])
def test_no_sizes_at_all_are_refused_but_pebbles_need_none(dag: Dag) -> None:
    with pytest.raises(EligoError, match="no sizes are known") as caught:
        footprint(dag)
    assert "--job-data" in caught.value.hint
    assert "--model pebble" in caught.value.hint
    assert footprint(dag, "pebble").k == dag.n


@pytest.mark.parametrize(
    ("word", "value"), [("model", "x"), ("resource", "cpu"), ("unread", "go"), ("inputs", "perhaps")]
)
def test_unknown_words_are_refused(word: str, value: str) -> None:
    with pytest.raises(EligoError, match="unknown"):
        footprint(Dag.from_edges(1, temp_bytes=[1]), **{word: value})


def test_sums_beyond_64_bits_are_refused() -> None:
    huge = 2**61
    data = Data.build([huge, huge], [0, 0], [[], []], ["f", "g"])
    for unread in ("stay", "leave"):
        with pytest.raises(EligoError, match="2\\^62"):
            footprint(Dag.from_edges(1, data=data), unread=unread)
    most = Dag.from_edges(2, [0], [1], data=Data.build([2**62 - 1], [0], [[1]]))
    assert true_worst_peak(footprint(most)) == 2**62 - 1


def test_an_empty_dag_occupies_nothing() -> None:
    print_: Footprint = footprint(Dag.from_edges(0), "pebble")
    assert (print_.base, print_.k, print_.needs.tolist()) == (0, 0, [])


def test_data_that_do_not_count_raise_no_doubts():
    dag = Dag.from_names([("a", "b")])
    dag = dag.with_known(data=Data.build([UNKNOWN, 0, 5], producer=[OUTSIDE, OUTSIDE, 0], readers=[[0], [1], [1]]))
    assert footprint(dag, "shared").doubts == ()
    assert footprint(dag, "shared", inputs="count").doubts == (
        "1 datum has no known size: taken as 0",
        "1 datum is stated to have size 0",
    )
