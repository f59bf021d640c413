"""Eligo beside its peers, on a few small workflows: results agree, and wrong, missing and dying peers are told.

Each peer runs in a process of its own. To spoil one, a module of its name is put where Python looks first.
"""

from __future__ import annotations

import importlib.metadata
import textwrap
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from benchmarks.peers import __main__ as command
from benchmarks.peers.apart import Findings, Settings, ask
from benchmarks.peers.cases import cases
from benchmarks.peers.closures import compare_closures, in_doubles, sized
from benchmarks.peers.libraries import compare_reductions, compare_sorts
from benchmarks.peers.registry import PEERS, Disagreement, LeftOut
from benchmarks.peers.tables import print_all
from benchmarks.peers.timing import alternately
from benchmarks.speed.closure_graphs import closure_graph
from eligo import Data, Schedule, generate, write
from eligo.dag import Dag
from eligo.memory._models import footprint
from eligo.memory._sequential import peak_of
from eligo.schedule import sinks_last

QUICK = Settings(largest=60, seconds=0.0, deadline_s=60.0, memory_bytes=4 * 2**30)
BY_TITLE = {peer.title: peer for peer in PEERS}
WORKFLOWS = {"some/shortcut.dag", "some/airsn.dag", "more/sized.dot"}

SHORTCUT = Dag.from_names([("a", "b"), ("b", "c"), ("a", "c"), ("c", "d"), ("c", "e")])
"""::

    a -> b -> c -> d
     \\______^  \\-> e
"""


def make_folder(place: Path) -> Path:
    """Three small workflows in two folders: with a shortcut, without, and with sizes."""
    for name in ("some", "more"):
        (place / name).mkdir(parents=True)
    write(SHORTCUT, place / "some" / "shortcut.dag")
    write(generate.airsn(5), place / "some" / "airsn.dag")
    write(generate.daggen(12, seed=3), place / "more" / "sized.dot")
    return place


def has(distribution: str) -> bool:
    try:
        return bool(importlib.metadata.version(distribution))
    except importlib.metadata.PackageNotFoundError:
        return False


needs_igraph = pytest.mark.skipif(not has("igraph"), reason="igraph is not installed")


@pytest.fixture(scope="module")
def asked(tmp_path_factory) -> dict[str, Findings]:
    """What all peers say of the three workflows."""
    folder = make_folder(tmp_path_factory.mktemp("asked") / "workflows")
    return {peer.title: ask(peer, folder, QUICK) for peer in PEERS}


@pytest.fixture
def ask_spoilt(tmp_path, monkeypatch):
    """Ask igraph on the one workflow with a shortcut, or on all, when something else has its name."""

    def ask_it(text: str, everything: bool = False, **settings: float) -> Findings:
        (tmp_path / "first").mkdir()
        (tmp_path / "first" / "igraph.py").write_text(textwrap.dedent(text))
        monkeypatch.setenv("PYTHONPATH", str(tmp_path / "first"))
        folder = make_folder(tmp_path / "workflows")
        return ask(BY_TITLE["igraph"], folder if everything else folder / "more", Settings(60, 0.0, **settings))

    return ask_it


# What peers say


@pytest.mark.parametrize("peer", PEERS, ids=lambda peer: peer.title)
def test_a_peer_agrees_on_every_workflow(peer, asked):
    if not has(peer.distribution):
        assert f"eligo[{peer.extra}]" in asked[peer.title].missing
        pytest.skip(f"{peer.title} is not installed")
    found = asked[peer.title]
    assert found.failures == {}
    assert found.left_out == {}
    assert found.missing == ""
    assert found.version[0].isdigit()
    assert set(found.rows.values()) == {"real workflows, some", "real workflows, more"}
    assert set(found.values) == {(question, name) for question in peer.questions for name in WORKFLOWS}
    for values in found.values.values():
        assert all(value >= 0 for value in values.values())


def test_the_tables_have_a_row_for_each(asked, capsys):
    print_all(asked)
    told = capsys.readouterr().out
    for peer in PEERS:
        assert f"\n| {peer.title} " in told
    there = [peer for peer in PEERS if has(peer.distribution)]
    for table in told.split("\n### ")[2:]:
        assert "\n| real workflows " in table, "one for all of them"
    assert told.count("\n| real workflows, some ") == 2 * ("dask.order" in [peer.title for peer in there])
    for header in ("| workflows      | ours | rustworkx |", "| OR-Tools | igraph | HiGHS |"):
        assert header.replace(" ", "") in told.replace(" ", "")


def test_the_command_fails_where_results_differ(asked, monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(command, "ask", lambda peer, *_: asked[peer.title])
    assert command.main(tmp_path) == 0
    assert "No real workflows" in capsys.readouterr().out
    wrong = Findings("1.0", rows={"x.dag": "x"}, failures={("sort", "x.dag"): "3 is not 4"})
    monkeypatch.setattr(command, "ask", lambda peer, *_: wrong if peer.title == "networkx" else asked[peer.title])
    assert command.main(tmp_path) == 1
    told = capsys.readouterr().out
    assert "FAILED: 3 is not 4" in told
    assert "differ, or could not be compared: networkx, sort of x.dag." in told


# Peers that are not as they should be


def test_a_missing_peer_is_skipped_with_a_reason(ask_spoilt, asked, capsys):
    found = ask_spoilt("raise ImportError('igraph is kept away')")
    assert found.missing == "igraph is kept away (pip install 'eligo[bench]')"
    assert not found.done
    print_all(asked | {"igraph": found})
    told = capsys.readouterr().out
    row = next(line for line in told.splitlines() if line.startswith("| igraph "))
    assert "skipped: igraph is kept away" in row
    if has("ortools"):
        worst = told[told.index("### Worst peak") :].splitlines()
        columns = [cell.strip() for cell in worst[2].split("|")]
        cells = next(line for line in worst if line.startswith("| real workflows ")).split("|")
        assert cells[columns.index("igraph")].strip() == "-"
        assert float(cells[columns.index("OR-Tools")].replace(",", "")) > 0


def test_a_peer_that_crashes_when_imported_is_skipped(ask_spoilt):
    found = ask_spoilt("import os; os._exit(3)")
    assert found.missing == "its process ended with exit status 3 before the first question"


@needs_igraph
def test_a_wrong_answer_is_a_failure_and_a_crash_takes_no_other_along(ask_spoilt):
    """On 5 jobs it dies; on others it gives a wrong flow."""
    found = ask_spoilt(
        """
        import os, signal
        from types import SimpleNamespace

        class Graph:
            def __init__(self, n, edges, directed):
                self.n = n

            def maxflow(self, source, target, capacity):
                if self.n == 5 + 2:
                    os.kill(os.getpid(), signal.SIGKILL)
                return SimpleNamespace(value=-1.0, partition=[[source], [target]])
        """,
        everything=True,
    )
    assert set(found.left_out) == {("closure", "some/shortcut.dag")}
    assert "ended by SIGKILL" in found.left_out["closure", "some/shortcut.dag"]
    assert set(found.failures) == {("closure", "some/airsn.dag"), ("closure", "more/sized.dot")}
    assert all(told.startswith("Disagreement: worst peaks") for told in found.failures.values())


@needs_igraph
def test_a_peer_that_never_ends_is_given_up(ask_spoilt):
    found = ask_spoilt("class Graph:\n    def __init__(self, *_, **__):\n        while True: pass", deadline_s=0.5)
    assert found.left_out == {("closure", "sized.dot"): "not done after 0.5 s"}


@needs_igraph
def test_a_peer_that_wants_too_much_memory_is_given_up(ask_spoilt):
    found = ask_spoilt("class Graph:\n    def __init__(self, *_, **__):\n        raise MemoryError")
    assert found.left_out == {("closure", "sized.dot"): "8 GiB of memory do not suffice"}


# That comparisons notice what is wrong


def library(**spoilt):
    """A graph library that is right, but for what is spoilt."""
    right = {
        "build": lambda n, pairs: (n, pairs),
        "sort": lambda built: [0, 1, 2, 3, 4],
        "reduce": lambda built: [(0, 1), (1, 2), (2, 3), (2, 4)],
        "edges": lambda reduced: reduced,
    }
    return SimpleNamespace(**(right | spoilt))


def test_a_right_library_passes():
    assert set(compare_sorts(library(), SHORTCUT, 0)) == {"ours", "theirs", "ours_built", "theirs_built"}
    assert set(compare_reductions(library(), SHORTCUT, 0)) == {"ours", "theirs"}


@pytest.mark.parametrize("order", [[4, 3, 2, 1, 0], [0, 1, 2, 3], [0, 1, 2, 3, 3], [0, 2, 1, 3, 4]])
def test_a_wrong_order_is_noticed(order):
    with pytest.raises(Disagreement):
        compare_sorts(library(sort=lambda built: order), SHORTCUT, 0)


@pytest.mark.parametrize(
    ("edges", "told"),
    [
        ([(0, 1), (1, 2), (0, 2), (2, 3), (2, 4)], "0 edges are kept only by us, 1 only by the peer"),
        ([(0, 1), (1, 2), (2, 3)], "1 edges are kept only by us, 0 only by the peer"),
    ],
)
def test_a_wrong_reduction_is_noticed(edges, told):
    with pytest.raises(Disagreement, match=told):
        compare_reductions(library(reduce=lambda built: edges), SHORTCUT, 0)


@pytest.mark.parametrize(
    ("value", "members"),
    [(31, [0, 1, 2]), (30, [0, 1]), (30, [1, 2]), (30.5, [0, 1, 2])],
)
def test_a_wrong_worst_peak_is_noticed(value, members):
    """Jobs 1 and 2 follow 0 and hold 10 and 20."""
    dag = Dag.from_edges(4, [0, 0, 1, 2], [1, 2, 3, 3])
    dag = dag.with_known(data=Data.per_edge(dag.tails, dag.heads, [1, 2, 10, 20]))
    compare_closures(lambda graph: SimpleNamespace(solve=lambda: (30, [0, 1, 2, 99])), dag, 0)
    with pytest.raises(Disagreement):
        compare_closures(lambda graph: SimpleNamespace(solve=lambda: (value, members)), dag, 0)


def test_doubles_are_refused_where_they_are_not_exact():
    def graph_of(size: int):
        data = Data.build([size], producer=[0], readers=[[1]])
        return closure_graph(footprint(Dag.from_edges(2, [0], [1], data=data), "simple"))

    in_doubles(graph_of(2**51))
    with pytest.raises(LeftOut, match="computes in doubles"):
        in_doubles(graph_of(2**53))


def test_sizes_are_real_where_they_are_known():
    dag = Dag.from_edges(2, [0], [1])
    assert sized(dag.with_known(data=Data.build([7], producer=[0], readers=[[1]]))).size.tolist() == [7]
    assert sized(dag).size[0] > 0
    assert sized(dag.with_known(data=Data.build([0], producer=[0], readers=[[1]]))).size[0] > 0


def test_what_dask_calls_pressure_is_what_we_call_open_jobs():
    with_dask = pytest.importorskip("benchmarks.peers.with_dask")
    dag = generate.daggen(40, seed=2)
    tasks = with_dask.tasks_of(dag)
    theirs = with_dask.order_of(dag, tasks)
    for order in (dag.order, theirs.order, sinks_last(dag, theirs.order)):
        schedule = Schedule.of(dag, order)
        peak, mean = with_dask.pressure(schedule, tasks)
        assert peak == schedule.memory_cost
        assert mean == pytest.approx(schedule.open_jobs[: dag.n].mean())
        assert 0 <= peak_of(with_dask.pebbles(dag), order) - peak <= 1


# Workflows and clocks


def test_workflows_are_as_large_as_they_say(tmp_path):
    write(Dag.from_edges(3), tmp_path / "no-edges.dag")
    write(SHORTCUT, tmp_path / "edges.dag")
    found = cases(tmp_path, 8_000)
    assert [case.name for case in found][:2] == ["edges.dag", "AIRSN, 773 jobs"]
    assert [case.make().n for case in found] == [case.jobs for case in found]
    assert max(case.jobs for case in found) == 7_881


def test_each_action_has_a_turn_however_little_time_there_is():
    turns: list[str] = []
    assert np.isfinite(alternately([lambda: turns.append("a"), lambda: turns.append("b")], 0)).all()
    assert turns == ["a", "b"]
