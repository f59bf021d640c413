"""Algorithm 1 of 004: against brute force, what it says of its start flow, and the facts of ERRATA (g)."""

from __future__ import annotations

import numpy as np
import pytest

from eligo.dag import Dag, Data
from eligo.memory._algorithm1 import EventNetwork, event_network, maximum_cut, start_flow, worst_peak_by_algorithm1
from eligo.memory._footprint import Footprint
from eligo.memory._models import footprint
from tests.memory.footprints import random_dag, random_data, random_footprint
from tests.memory.toy import A, B, C, D, S, toy
from tests.reference.memory_states import all_states, occupied, true_worst_peak

EXACT = ("simple", "classical")


@pytest.mark.parametrize("block", range(10))
def test_it_is_the_worst_peak_and_with_shared_data_never_below(block: int) -> None:
    for seed in range(block * 200, block * 200 + 200):
        print_ = random_footprint(seed)
        peak, state = worst_peak_by_algorithm1(print_)
        started, ended = (frozenset(np.flatnonzero(flags).tolist()) for flags in state)
        worst = true_worst_peak(print_)
        assert (started, ended) in all_states(print_)
        assert occupied(print_, started, ended) <= worst <= peak
        if print_.rules.model in EXACT:
            assert occupied(print_, started, ended) == peak == worst


@pytest.mark.parametrize("model", EXACT)
def test_the_cut_is_the_smallest_of_all_worst_ones(model: str) -> None:
    for seed in range(300):
        print_ = random_footprint(seed, model=model)
        peak, state = worst_peak_by_algorithm1(print_)
        worst = [states for states in all_states(print_) if occupied(print_, *states) == peak]
        assert set(np.flatnonzero(state.started)) == frozenset.intersection(*(started for started, _ in worst))
        if model == "classical":
            assert set(np.flatnonzero(state.ended)) == frozenset.intersection(*(ended for _, ended in worst))


def test_the_start_flow_is_a_flow_that_carries_f_max_everywhere() -> None:
    for seed in range(200):
        network = event_network(random_footprint(seed, 12))
        flow = start_flow(network)
        assert min(flow) >= 1 + sum(network.weights)
        surplus = np.zeros(network.count, np.int64)
        np.add.at(surplus, network.tails, flow)
        np.subtract.at(surplus, network.heads, flow)
        assert set(np.flatnonzero(surplus)) == {network.first, network.last}


def test_a_start_flow_that_only_meets_the_demands_goes_wrong() -> None:
    """004 demands f >= f_max on every arc; ERRATA (g) says why that is essential."""
    wrong = 0
    for seed in range(400):
        network = event_network(random_footprint(seed, 8, "simple"))
        happened = maximum_cut(network, start_flow(network, network.weights))
        wrong += any(happened[head] and not happened[tail] for tail, head in arcs(network))
    assert wrong > 0


def arcs(network: EventNetwork) -> list[tuple[int, int]]:
    return list(zip(network.tails, network.heads, strict=True))


def test_the_toy_of_figure_1() -> None:
    peak, state = worst_peak_by_algorithm1(toy())
    assert peak == 11
    assert np.flatnonzero(state.started).tolist() == [S, A, B]


def test_the_toy_of_figure_1_with_an_edge_more() -> None:
    peak, state = worst_peak_by_algorithm1(toy((D, A)))
    assert peak == 9
    assert np.flatnonzero(state.started).tolist() == [S, A, B, D]
    assert worst_peak_by_algorithm1(toy((C, B)))[0] == 9


def shared_chain(length: int, width: int) -> Footprint:
    """Stages of `width` jobs, joined by a job each; each such job makes one datum of size 1 for the next stage.

    ::

             1        4
           /   \\    /   \\
         0       3       6 ...
           \\   /    \\   /
             2        5
    """
    edges, readers, producers = [], [], []
    for stage in range(length - 1):
        hub = stage * (width + 1)
        members = list(range(hub + 1, hub + 1 + width))
        following = hub + 1 + width
        edges += [(hub, member) for member in members] + [(member, following) for member in members]
        producers.append(hub)
        readers.append(members or [following])
        edges += [] if members else [(hub, following)]
    tails, heads = zip(*edges, strict=True)
    n = (length - 1) * (width + 1) + 1
    dag = Dag.from_edges(n, tails, heads, data=Data.build([1] * len(producers), producers, readers))
    return footprint(dag, "shared")


def cut_as_printed(print_: Footprint) -> int:
    """The worst cut of 004's own emulation of shared data, in which nothing comes after a freeing."""
    n = print_.dag.n
    network = EventNetwork(list(range(n)), list(range(n)), n, n + 1, n + 2)
    for tail, head in zip(print_.dag.tails.tolist(), print_.dag.heads.tolist(), strict=True):
        network.add_arc(tail, head)
    for datum in range(print_.k):
        event = network.add_event()
        network.add_arc(int(print_.producer[datum]), event, int(print_.size[datum]))
        for reader in print_.readers_of(datum).tolist():
            network.add_arc(reader, event)
    for event in set(range(network.count)) - {n, n + 1}:
        network.add_arc(network.first, event)
        network.add_arc(event, network.last)
    return network.cut(maximum_cut(network, start_flow(network)))


def test_a_chain_of_four_with_shared_outputs() -> None:
    """ERRATA (g): the emulation as printed has 3, every execution at most 2."""
    chain = shared_chain(4, 0)
    assert cut_as_printed(chain) == 3
    assert worst_peak_by_algorithm1(chain)[0] == true_worst_peak(chain) == 2


def test_data_with_several_readers_are_freed_before_what_follows_them_all() -> None:
    fork_joins = shared_chain(4, 2)
    assert cut_as_printed(fork_joins) == 3
    assert worst_peak_by_algorithm1(fork_joins)[0] == true_worst_peak(fork_joins) == 1


def test_sizes_near_the_largest_are_exact() -> None:
    sizes = [2**60 + 1, 2**60 + 3, 2**60 + 7]
    dag = Dag.from_edges(4, [0, 0, 0], [1, 2, 3], data=Data.build(sizes, [0, 0, 0], [[1], [2], [3]]))
    assert worst_peak_by_algorithm1(footprint(dag, "simple"))[0] == sum(sizes)


def test_relabelling_changes_nothing() -> None:
    rng = np.random.default_rng(3)
    dag = random_dag(rng, 30, 0.15)
    data = random_data(rng, dag)
    new = rng.permutation(dag.n)
    makers = np.where(data.producer >= 0, new[data.producer], data.producer)
    readers = [new[data.readers[a:b]] for a, b in zip(data.reader_ptr, data.reader_ptr[1:], strict=False)]
    moved = Dag.from_edges(
        30, new[dag.tails], new[dag.heads], data=Data.build(data.size_bytes, makers, readers, data.names)
    )
    for model in ("simple", "shared"):
        peaks = [worst_peak_by_algorithm1(footprint(one, model))[0] for one in (dag.with_known(data=data), moved)]
        assert peaks[0] == peaks[1]


def test_without_jobs_and_without_data() -> None:
    assert worst_peak_by_algorithm1(footprint(Dag.from_edges(0), "pebble"))[0] == 0
    assert worst_peak_by_algorithm1(footprint(Dag.from_edges(1), "pebble"))[0] == 1
