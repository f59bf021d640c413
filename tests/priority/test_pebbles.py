"""The pebble game, against a Server that recomputes every pebble from the moves made so far."""

from __future__ import annotations

from collections import Counter
from itertools import cycle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eligo.dag import Dag
from eligo.errors import EligoError
from eligo.generate import mesh
from eligo.priority._pebble_game import Move, Pebble, ServerGame, SimpleGame
from eligo.schedule import Schedule
from tests.strategies import dags

CLIENTS = ["ann", "bob", "cid", 3, (4,)]


def pebbles_from(dag: Dag, log: list[Move]) -> tuple[list[Pebble], dict[object, int]]:
    """Work out from the moves alone what must lie on every job, and what each Client owes."""
    executed = {move.job for move in log if move.kind == "return"}
    owed: dict[object, int] = {}
    given: Counter[int] = Counter()
    forgotten: set[object] = set()
    for kind, client, job in log:
        if kind == "allocate":
            owed[client] = job
            given[job] += 1
        elif kind == "forget":
            forgotten.add(client)
            given[job] -= 1
        elif kind in ("return", "late"):
            assert owed.pop(client) == job
            given[job] -= client not in forgotten
            forgotten.discard(client)
    found = []
    for job in range(dag.n):
        if job in executed:
            found.append(Pebble.XEQ)
        elif any(parent not in executed for parent in dag.parents(job).tolist()):
            found.append(Pebble.NONE)
        else:
            found.append(Pebble.EAA if given[job] else Pebble.EBU)
    return found, owed


def check_state(game: ServerGame) -> None:
    expected, owed = pebbles_from(game.dag, game.log)
    assert [game.pebble(job) for job in range(game.dag.n)] == expected
    assert {pebble: expected.count(pebble) for pebble in Pebble} == game.counts
    assert {client: game.owes(client) for client in CLIENTS if game.owes(client) is not None} == owed
    assert game.eligible == expected.count(Pebble.EBU)
    assert game.gridlock == (Pebble.EBU not in expected and Pebble.EAA in expected)
    assert game.finished == (expected.count(Pebble.XEQ) == game.dag.n)


def random_schedule(data: st.DataObject, dag: Dag) -> Schedule:
    game = SimpleGame(dag)
    while not game.finished:
        game.execute(data.draw(st.sampled_from([job for job in range(dag.n) if game.is_eligible(job)])))
    return Schedule.of(dag, game.order)


@settings(max_examples=150)
@given(dags(known=False), st.data())
def test_any_moves_keep_the_rules(dag: Dag, data: st.DataObject) -> None:
    schedule = random_schedule(data, dag) if data.draw(st.booleans()) else None
    copies = data.draw(st.integers(1, 3))
    game = ServerGame(dag, schedule, copies)
    check_state(game)
    for _ in range(data.draw(st.integers(0, 30))):
        client = data.draw(st.sampled_from(CLIENTS))
        before, owed = pebbles_from(dag, game.log)
        what = data.draw(st.sampled_from(["ask", "ask", "return", "return", "forget"]))
        if what == "ask":
            job = game.ask(client)
            if client in owed:
                assert job is None
                assert game.log[-1].kind == "ignore"
            elif Pebble.EBU in before:
                assert before[job] == Pebble.EBU
                if schedule is not None:
                    assert job == next(job for job in schedule.order.tolist() if before[job] == Pebble.EBU)
            elif copies == 1:
                assert job is None
                assert game.log[-1].kind == "withdraw"
            elif job is not None:
                assert before[job] == Pebble.EAA
        elif client not in owed:
            with pytest.raises(EligoError, match="no job to return"):
                game.give_back(client) if what == "return" else game.forget(client)
        elif what == "return":
            fresh = game.give_back(client)
            after, _ = pebbles_from(dag, game.log)
            assert fresh == [job for job in range(dag.n) if before[job] == Pebble.NONE and after[job] == Pebble.EBU]
        elif client not in {move.client for move in game.log if move.kind == "forget"}:
            assert game.forget(client) == owed[client]
        check_state(game)
        holders = Counter(game.owes(client) for client in CLIENTS)
        assert copies > 1 or "forget" in {m.kind for m in game.log} or all(holders[job] <= 1 for job in range(dag.n))


@given(dags(known=False), st.data())
def test_returns_in_order_of_allocation_make_the_simplified_game(dag: Dag, data: st.DataObject) -> None:
    """With one Client at a time EBU after t returns is E(t); with more, EBU is E(t) less what is allocated."""
    schedule = random_schedule(data, dag)
    one = ServerGame(dag, schedule)
    seen = [one.eligible]
    while one.ask("only") is not None:
        one.give_back("only")
        seen.append(one.eligible)
    assert one.finished
    order = [move.job for move in one.log if move.kind == "return"]
    assert seen == Schedule.of(dag, order).profile.tolist() == schedule.profile.tolist()
    assert order == schedule.order.tolist()
    many, line, seen = ServerGame(dag, schedule), [], []
    asks = cycle([*data.draw(st.lists(st.booleans(), min_size=1, max_size=30)), True, False])
    while not many.finished:
        if next(asks) and many.ask(len(many.log)) is not None:
            line.append(many.log[-1].client)
        elif line:
            many.give_back(line.pop(0))
        seen.append((many.counts[Pebble.XEQ], many.eligible + many.counts[Pebble.EAA]))
    played = Schedule.of(dag, [move.job for move in many.log if move.kind == "allocate"])
    assert all(played.profile[t] == eligible for t, eligible in seen)


@given(dags(known=False), st.data())
def test_simplified_game_counts_as_a_schedule_does(dag: Dag, data: st.DataObject) -> None:
    schedule = random_schedule(data, dag)
    game = SimpleGame(dag)
    for t, job in enumerate(schedule.order.tolist()):
        assert game.open_jobs == schedule.open_jobs[t]
        assert game.memory_cost == schedule.open_jobs[: t + 1].max()
        assert game.profile.tolist() == schedule.profile[: t + 1].tolist()
        fresh = game.execute(job)
        assert game.eligible == schedule.profile[t] - 1 + len(fresh)
        if data.draw(st.booleans()):
            assert game.undo() == job
            assert game.execute(job) == fresh
    assert game.finished
    assert game.memory_cost == schedule.memory_cost
    back = data.draw(st.integers(0, dag.n))
    for _ in range(back):
        game.undo()
    game.play(schedule)
    assert game.order == schedule.order.tolist()
    assert np.array_equal(game.profile, schedule.profile)


def test_first_in_first_out_without_a_schedule() -> None:
    """Jobs that a Client chose by name and lost go to the end of the line."""
    game = ServerGame(Dag.from_edges(4, [0], [3]))
    assert game.ask("ann", 1) == 1
    game.forget("ann")
    assert [game.ask(client) for client in ("bob", "cid", "dan")] == [0, 2, 1]


def test_gridlock_of_a_mesh() -> None:
    """Everybody waits for the one Client that never returns."""
    game = ServerGame(mesh(2))
    assert game.ask("slow") == 0
    assert game.ask("quick") == 1
    game.give_back("quick")
    assert game.gridlock
    assert game.ask("quick") is None
    game.forget("slow")
    assert game.ask("quick") == 0
    assert game.give_back("quick") == [2]
    assert game.give_back("slow") == []
    assert game.log[-1] == Move("late", "slow", 0)


def test_copies_go_round() -> None:
    game = ServerGame(Dag.from_edges(2), copies=2)
    assert [game.ask(client) for client in range(5)] == [0, 1, 0, 1, None]
    assert game.give_back(2) == []
    assert game.ask(2) is None
    assert game.counts[Pebble.XEQ] == 1


def test_illegal_moves_name_the_job() -> None:
    dag = Dag.from_names([("first", "second")])
    simple, full = SimpleGame(dag), ServerGame(dag)
    with pytest.raises(EligoError, match="'second' waits for 'first'"):
        simple.execute(1)
    with pytest.raises(EligoError, match="'second' cannot be allocated: it is not eligible"):
        full.ask("ann", 1)
    full.ask("ann", 0)
    with pytest.raises(EligoError, match="'first' cannot be allocated: as many clients"):
        full.ask("bob", 0)
    full.forget("ann")
    with pytest.raises(EligoError, match="'first' was taken back from client 'ann' before"):
        full.forget("ann")
    full.give_back("ann")
    with pytest.raises(EligoError, match="'first' cannot be allocated: it is executed"):
        full.ask("bob", 0)
    simple.execute(0)
    with pytest.raises(EligoError, match="'first' is executed already"):
        simple.execute(0)
    simple.undo()
    with pytest.raises(EligoError, match="no step to take back"):
        simple.undo()
    for bad in (-1, 2):
        with pytest.raises(EligoError, match="no job number"):
            simple.execute(bad)
        with pytest.raises(EligoError, match="no job number"):
            full.pebble(bad)
    with pytest.raises(EligoError, match="another dag"):
        ServerGame(dag, Schedule.of(mesh(2), [0, 1, 2]))
    with pytest.raises(EligoError, match="at least 1"):
        ServerGame(dag, copies=0)


def test_the_empty_game_is_finished() -> None:
    dag = Dag.from_edges(0)
    assert ServerGame(dag).finished
    assert not ServerGame(dag).gridlock
    assert SimpleGame(dag).profile.tolist() == [0]
