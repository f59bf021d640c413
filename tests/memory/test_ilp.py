"""The integer program for limits: against brute force over all partial serialisations, and its promises."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from eligo.dag import Dag, Data
from eligo.errors import EligoError, InfeasibleError, MissingExtraError
from eligo.generate._random_dags import daggen
from eligo.memory import _ilp as ilp
from eligo.memory._algorithm1 import worst_peak_by_algorithm1
from eligo.memory._footprint import Footprint
from eligo.memory._ilp import IlpAnswer, IlpProgram, solve_ilp, with_pairs
from eligo.memory._lower_bound import finish_times
from eligo.memory._models import footprint
from tests.memory.footprints import random_footprint
from tests.memory.toy import A, B, C, D, toy
from tests.reference.memory_states import least_peak, true_worst_peak
from tests.reference.serialisations import all_serialisations, as_dag, critical_path


def peak_of(print_: Footprint) -> int:
    """The true worst peak by brute force; with shared data the bound, whose own tests hold it against brute force."""
    exact = print_.rules.model in ("simple", "classical")
    return true_worst_peak(print_) if exact else worst_peak_by_algorithm1(print_)[0]


def best_critical_path(print_: Footprint, limit: int, work: np.ndarray) -> float | None:
    orders = sorted((critical_path(order, work.tolist()), order) for order in all_serialisations(print_.dag))
    return next((length for length, order in orders if peak_of(print_.on(as_dag(order))) <= limit), None)


def random_question(seed: int, most_jobs: int) -> tuple[Footprint, int, np.ndarray]:
    """A footprint, a limit between hopeless and idle, and times: whole, broken, or none at all."""
    print_ = random_footprint(seed, most_jobs)
    rng = np.random.default_rng([seed, 1])
    low = int(print_.needs.max(initial=0))
    high = max(worst_peak_by_algorithm1(print_)[0], low)
    work = rng.integers(0, 4, print_.dag.n) * float(rng.choice([0, 0.37, 1, 1]))
    return print_, int(rng.integers(max(low - 1, 0), high + 1)), work


def pairs_of(answer: IlpAnswer) -> list[tuple[int, int]]:
    assert answer.tails is not None
    assert answer.heads is not None
    return list(zip(answer.tails.tolist(), answer.heads.tolist(), strict=True))


def assert_best(print_: Footprint, limit: int, work: np.ndarray) -> bool:
    """Hold an answer against brute force; say whether there was one."""
    best = best_critical_path(print_, limit, work)
    if best is None:
        with pytest.raises(InfeasibleError):
            solve_ilp(print_, limit, work)
        return False
    answer = solve_ilp(print_, limit, work)
    limited = with_pairs(print_.dag, pairs_of(answer))
    assert answer.optimal
    assert answer.critical_path == pytest.approx(best, abs=1e-6)
    assert answer.bound == pytest.approx(best, abs=1e-5)
    assert finish_times(limited, work).max(initial=0) == answer.critical_path
    assert true_worst_peak(print_.on(limited)) <= worst_peak_by_algorithm1(print_.on(limited))[0] <= limit
    return True


@pytest.mark.parametrize("block", range(4))
def test_no_partial_serialisation_is_better_with_up_to_four_jobs(block: int) -> None:
    solved = [assert_best(*random_question(seed, 4)) for seed in range(block * 100, block * 100 + 100)]
    assert 20 < sum(solved) < 95


@pytest.mark.parametrize("block", range(3))
def test_no_partial_serialisation_is_better_with_five_jobs(block: int) -> None:
    for seed in range(1000 + block * 12, 1000 + block * 12 + 12):
        assert_best(*random_question(seed, 5))


@pytest.mark.long
@pytest.mark.parametrize("block", range(10))
def test_no_partial_serialisation_is_better_on_many_more(block: int) -> None:
    for seed in range(2000 + block * 200, 2000 + block * 200 + 200):
        assert_best(*random_question(seed, 5))


def test_nothing_is_called_impossible_that_one_job_at_a_time_can_do() -> None:
    for seed in range(40):
        print_ = random_footprint(seed, 6, "classical")
        least = least_peak(print_)
        answer = solve_ilp(print_, least, np.ones(print_.dag.n))
        assert worst_peak_by_algorithm1(print_.on(with_pairs(print_.dag, pairs_of(answer))))[0] <= least
        with pytest.raises(InfeasibleError):
            solve_ilp(print_, least - 1, np.ones(print_.dag.n))


def test_rows_that_exclude_a_state_alone_lead_to_the_best(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the rows of the memory everything rests on those that are added after each check."""
    monkeypatch.setattr(IlpProgram, "_add_space", lambda _: None)
    monkeypatch.setattr(IlpProgram, "_add_conflicts", lambda _: None)
    monkeypatch.setattr(ilp, "_ROUNDS", 10_000)
    for seed in range(120):
        assert_best(*random_question(seed, 4))


def test_rows_that_exclude_a_cycle_alone_lead_to_the_best(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(IlpProgram, "_number", lambda *_: None)
    monkeypatch.setattr(ilp, "_ROUNDS", 10_000)
    for seed in range(60):
        print_, limit, work = random_question(seed, 4)
        assert_best(print_, limit, 0 * work)


@pytest.mark.parametrize("seed", range(4))
def test_sizes_beyond_what_doubles_tell_apart(seed: int) -> None:
    """Sizes of 2^50 that differ by single bytes, and a limit that is reached to the byte."""
    rng = np.random.default_rng(seed)
    sizes = (rng.integers(1, 4, 6) * 2**50 + rng.integers(-3, 4, 6)).tolist()
    data = Data.build(sizes, list(range(6)), [[3 + job] if job < 3 else [] for job in range(6)])
    print_ = footprint(Dag.from_edges(6, range(3), range(3, 6), data=data), "classical", unread="leave")
    least = least_peak(print_)
    for limit in (least, least + 1):
        answer = solve_ilp(print_, limit, np.ones(6))
        assert worst_peak_by_algorithm1(print_.on(with_pairs(print_.dag, pairs_of(answer))))[0] <= limit
    with pytest.raises(InfeasibleError):
        solve_ilp(print_, int(print_.needs.max()) - 1, np.ones(6))


def test_the_toy_of_figure_1() -> None:
    """004: with M = 10 one may add (d, a); the dag is then a line. The other way is (c, b)."""
    answer = solve_ilp(toy(), 10, np.ones(6))
    assert pairs_of(answer) in ([(D, A)], [(C, B)])
    assert (answer.critical_path, answer.bound, answer.optimal) == (6, 6, True)


@pytest.mark.parametrize(("parts", "rounds"), [((4, 5, 6, 4, 5, 6), 2), ((4, 4, 4, 6, 6, 6), 3)])
def test_three_partition(parts: tuple[int, ...], rounds: int) -> None:
    """The reduction of 004 Theorem 8: two rounds where parts of sum 15 exist, three where they do not."""
    k = len(parts)
    data = Data.build(parts, range(k), [[k + job] for job in range(k)])
    print_ = footprint(Dag.from_edges(2 * k, range(k), range(k, 2 * k), data=data), "simple")
    answer = solve_ilp(print_, 15, np.array([1.0] * k + [0.0] * k))
    assert (answer.critical_path, answer.optimal) == (rounds, True)


@pytest.mark.parametrize(("jobs", "together"), [(8, 2), (15, 5), (20, 4)])
def test_equal_jobs_between_two_others_run_in_rounds(jobs: int, together: int) -> None:
    """s -> equal jobs -> t: time x memory proves at once what a search among equals would not."""
    middle = range(1, jobs + 1)
    dag = Dag.from_edges(
        jobs + 2, [0] * jobs + [*middle], [*middle] + [jobs + 1] * jobs, temp_bytes=[0] + [10] * jobs + [0]
    )
    answer = solve_ilp(footprint(dag, "files", "disk"), 10 * together, np.ones(jobs + 2))
    assert (answer.critical_path, answer.optimal) == (2 + jobs // together, True)


def one_by_one(dag: Dag) -> list[tuple[int, int]]:
    order = dag.order.tolist()
    return list(pairwise(order))


def test_the_answer_is_never_worse_than_the_start() -> None:
    for seed in range(60):
        print_, _, work = random_question(seed, 7)
        start = one_by_one(print_.dag)
        limit = worst_peak_by_algorithm1(print_.on(with_pairs(print_.dag, start)))[0]
        best, helped = solve_ilp(print_, limit, work), solve_ilp(print_, limit, work, start=start)
        assert helped.optimal
        assert helped.critical_path == pytest.approx(best.critical_path, abs=1e-6)


def test_a_start_that_breaks_the_limit_is_refused() -> None:
    with pytest.raises(EligoError, match="do not keep the limit"):
        solve_ilp(toy(), 10, np.ones(6), start=[(A, B)])


def test_what_may_be_spent_is_kept() -> None:
    print_, limit, work = daggen_question(30, "simple", 0.0)
    nothing = solve_ilp(print_, limit, work, max_nodes=0, time_limit_s=0.0)
    assert (nothing.tails, nothing.heads, nothing.critical_path, nothing.optimal) == (None, None, np.inf, False)
    start = one_by_one(print_.dag)
    limit = worst_peak_by_algorithm1(print_.on(with_pairs(print_.dag, start)))[0]
    kept = solve_ilp(print_, limit, work, max_nodes=0, time_limit_s=0.0, start=start)
    assert kept.tails is not None
    assert finish_times(print_.dag, work).max() <= kept.bound <= kept.critical_path <= work.sum()


def daggen_question(n: int, model: str, part: float) -> tuple[Footprint, int, np.ndarray]:
    """A limit that lies that part of the way from a sequential order's peak to the worst one."""
    dag = daggen(n, fat=0.6, density=0.3, jump=2, seed=n, shared=model == "shared")
    print_ = footprint(dag, model)
    low = worst_peak_by_algorithm1(print_.on(with_pairs(dag, one_by_one(dag))))[0]
    high = worst_peak_by_algorithm1(print_)[0]
    assert dag.time_s is not None
    return print_, int(low + part * (high - low)), dag.time_s


@pytest.mark.parametrize("model", ["simple", "classical", "shared"])
@pytest.mark.parametrize("n", [10, 20, 30])
def test_daggen(n: int, model: str) -> None:
    print_, limit, work = daggen_question(n, model, 0.5)
    answer = solve_ilp(print_, limit, work, max_nodes=200)
    assert answer.bound <= answer.critical_path
    if answer.tails is not None:
        assert worst_peak_by_algorithm1(print_.on(with_pairs(print_.dag, pairs_of(answer))))[0] <= limit


def test_the_same_question_has_the_same_answer() -> None:
    print_, limit, work = daggen_question(20, "classical", 0.2)
    first, second = (solve_ilp(print_, limit, work, max_nodes=50) for _ in range(2))
    assert pairs_of(first) == pairs_of(second)
    assert (first.critical_path, first.bound) == (second.critical_path, second.bound)


def test_no_added_pair_can_be_left_out() -> None:
    print_, limit, work = daggen_question(20, "simple", 0.3)
    pairs = pairs_of(solve_ilp(print_, limit, work, max_nodes=50))
    assert pairs
    for pair in pairs:
        fewer = with_pairs(print_.dag, [other for other in pairs if other != pair])
        assert worst_peak_by_algorithm1(print_.on(fewer))[0] > limit


def test_a_job_that_is_too_large_alone_is_named() -> None:
    with pytest.raises(InfeasibleError, match="job 't' alone needs 7 bytes"):
        solve_ilp(toy(), 5, np.ones(6))


def test_times_must_be_known() -> None:
    with pytest.raises(ValueError, match="finite"):
        solve_ilp(toy(), 10, np.full(6, np.nan))
    with pytest.raises(ValueError, match="finite"):
        solve_ilp(toy(), 10, np.ones(5))


def test_without_highspy_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "highspy", None)
    with pytest.raises(MissingExtraError, match="highspy"):
        solve_ilp(toy(), 10, np.ones(6))
