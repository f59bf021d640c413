"""``memory --plot-order`` as a user meets it: what is drawn along which orders, and what is refused before the work."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eligo import Dag, Data, EligoError, footprint, prioritize, read, report, write
from eligo._cli import main
from eligo._cli.memory_options import MODELS
from eligo.memory._sequential import peak_of, sequential
from tests.cli.limiting import chains, facts, run
from tests.strategies import dags

ORDERS = ["prioritize", "fifo", "smallest peak"]


@pytest.fixture
def figures():
    """Without matplotlib there is nothing to look at."""
    pytest.importorskip("matplotlib", reason="figures need matplotlib")


@pytest.fixture
def drawn(figures, monkeypatch):
    """What was drawn: for each order its steps and values, and the options."""
    return _catch(monkeypatch)


def _catch(patch) -> dict:
    seen: dict = {}
    plot = report.plot_memory

    def catch(uses, **options):
        for names, (steps, sizes) in uses.items():
            seen.update(dict.fromkeys(names.split(", "), (list(steps), list(sizes))))
        seen.update(options, curves=list(uses))
        return plot(uses, **options)

    patch.setattr(report, "plot_memory", catch)
    return seen


def test_the_figure(file, capsys, drawn):
    """One chain after the other, the largest first, needs 4010; fifo has all four outputs of a at once, and b3's."""
    found = facts(capsys, "memory", file)
    run("memory", file, "--plot-order", "along.svg", "--curve", "0")
    told = capsys.readouterr().err
    assert "along.svg: disk along orders, one job at a time; " in told
    assert "smallest peak: up to 4.01 kB" in told
    assert (drawn["worst_peak"], drawn["across"], drawn["resource"]) == (10_040, "jobs executed", "disk")
    assert max(drawn["smallest peak"][1]) == found["sequential_peak"]
    assert drawn["fifo"] == (
        [0, *range(11)],
        [0, 0, 1_000, 3_000, 6_000, 10_000, 10_010, 9_020, 7_030, 4_040, 45, 5],
    )
    shown = Path("along.svg").read_text()
    for text in ("smallest peak", "fifo", "worst peak: 10 kB", "jobs executed", "disk (kB)", "x.json"):
        assert text in shown


@pytest.mark.parametrize(("name", "magic"), [("a.svg", b"<?xml"), ("a.png", b"\x89PNG"), ("a.PDF", b"%PDF")])
def test_kinds_of_pictures(file, figures, name, magic):
    run("memory", file, "--plot-order", name, "--plot", "limits.svg")
    assert Path(name).read_bytes().startswith(magic)
    assert Path("limits.svg").exists()


@settings(max_examples=40, deadline=None)
@given(
    dag=dags(7),
    model=st.sampled_from([None, *MODELS]),
    unread=st.sampled_from(["stay", "leave"]),
    inputs=st.sampled_from(["ignore", "count"]),
)
def test_the_largest_values_are_the_peaks(tmp_path_factory, dag, model, unread, inputs):
    """A curve has the peak of its order, also in the simple model, where a job may free more than it makes."""
    pytest.importorskip("matplotlib", reason="figures need matplotlib")
    folder = tmp_path_factory.mktemp("along")
    write(dag, folder / "x.json")
    words = ["memory", str(folder / "x.json"), "--unread", unread, "--inputs", inputs, "--curve", "0"]
    with pytest.MonkeyPatch.context() as patch:
        drawn = _catch(patch)
        patch.setattr(report, "save", lambda figure, path: None)
        status = main([*words, *(["--model", model] if model else []), "--plot-order", str(folder / "x.svg")])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        again = read(folder / "x.json")
    if status == 1:  # no sizes are known, or too large ones
        with pytest.raises(EligoError):
            footprint(again, model, unread=unread, inputs=inputs)
        return
    print_ = footprint(again, model, unread=unread, inputs=inputs)
    found = prioritize(again)
    lowest = sequential(print_)
    peaks = [peak_of(print_, order) for order in (found.schedule.order, found.fifo.order, lowest.order)]
    assert [max(drawn[name][1]) for name in ORDERS] == peaks
    assert peaks[-1] == lowest.peak == min(peaks)
    assert all(drawn[name][0] == [0, *range(again.n + 1)] for name in ORDERS)
    assert drawn["worst_peak"] >= max(peaks)
    assert len(drawn["curves"]) == len({tuple(drawn[name][1]) for name in ORDERS})


def test_what_is_there_before_is_drawn(tmp_path, capsys, drawn):
    """In the simple model the first job frees 100 from outside in the moment in which it makes 1."""
    dag = Dag.from_names([("a", "b")])
    data = Data.build([100, 1], [-1, 0], [[0], [1]], ["in", "x"])
    write(dag.with_known(data=data), tmp_path / "x.json")
    words = ["memory", tmp_path / "x.json", "--model", "simple", "--inputs", "count"]
    assert facts(capsys, *words)["sequential_peak"] == 100
    run(*words, "--plot-order", tmp_path / "x.svg")
    assert drawn["smallest peak"] == ([0, 0, 1, 2], [100, 1, 0, 0])


def test_equal_curves_are_one(tmp_path, capsys, drawn):
    """A chain has one order only."""
    (tmp_path / "chain.dag").write_text("JOB a x.sub\nJOB b x.sub\nPARENT a CHILD b\n")
    run("memory", tmp_path / "chain.dag", "--model", "pebble", "--plot-order", tmp_path / "x.svg")
    assert drawn["curves"] == ["prioritize, fifo, smallest peak"]
    assert "; prioritize, fifo, smallest peak: up to 2 pebbles" in capsys.readouterr().err


def test_no_jobs_at_all(tmp_path, drawn):
    (tmp_path / "none.dag").write_text("FINAL f x.sub\n")
    run("memory", tmp_path / "none.dag", "--model", "pebble", "--plot-order", tmp_path / "x.svg")
    assert drawn["fifo"] == ([0, 0], [0, 0])
    assert (tmp_path / "x.svg").exists()


def test_the_workflow_as_it_is_limited(file, capsys, drawn):
    """Dependencies that a limit added hold for the orders too."""
    run("limit", file, "--memory", "0%", "--in-place")
    worst = facts(capsys, "memory", file)["worst_peak"]
    run("memory", file, "--plot-order", "x.svg")
    assert all(max(drawn[name][1]) <= worst < 10_000 for name in ORDERS)


@pytest.mark.usefixtures("figures")
@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["--plot-order", "x.jpeg"], "x.jpeg: not a kind of picture that can be written"),
        (["--plot-order", "-"], "-: not a kind of picture that can be written"),
        (["--plot-order", "none/x.svg"], "none/x.svg: there is no directory none"),
        (["--plot-order", "folder.svg"], "folder.svg: is a directory"),
        (["--plot-order", "x.svg", "--plot", "./x.svg"], "x.svg: both --plot and --plot-order"),
        (["--plot-order", "x.svg", "--certificate", "x.svg"], "x.svg: both --certificate and --plot-order"),
        (["--plot-order", "x.json"], "x.json: both FILE and --plot-order"),
    ],
)
def test_what_cannot_be_written_is_refused_first(file, capsys, monkeypatch, words, text):
    from eligo._cli import memory_command as command

    monkeypatch.setattr(command, "_find", None)  # no work is done
    Path("folder.svg").mkdir()
    run("memory", file, *words, status=1)
    assert text in capsys.readouterr().err
    assert sorted(path.name for path in Path().iterdir()) == ["folder.svg", "x.json"]


@pytest.mark.parametrize("option", ["--plot", "--plot-order"])
def test_a_missing_extra_is_told_first(file, capsys, monkeypatch, option):
    from eligo._cli import memory_command as command

    monkeypatch.setattr(command, "_find", None)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    run("memory", file, option, "x.svg", status=1)
    assert "pip install 'eligo[figures]'" in capsys.readouterr().err


def test_no_sizes_no_figure(tmp_path, capsys, figures):
    write(chains(), tmp_path / "x.dag")
    run("memory", tmp_path / "x.dag", "--plot-order", tmp_path / "x.svg", status=1)
    assert "no sizes are known" in capsys.readouterr().err
    assert not (tmp_path / "x.svg").exists()
    run("memory", tmp_path / "x.dag", "--plot-order", tmp_path / "x.svg", "--model", "pebble")
    assert "memory (pebbles)" in (tmp_path / "x.svg").read_text()
