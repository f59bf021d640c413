"""``memory`` as a user meets it: the summary, the facts, the curve, the certificate, bad input."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eligo import Dag, Data, MemoryCertificate, footprint, memory, read, verify, write
from eligo._cli import main
from eligo._cli.memory_options import MODELS
from eligo.memory import _models as models
from eligo.memory._footprint import occupied
from eligo.memory._sequential import peak_of
from tests.cli.limiting import FORMATS, TABLE, chains, facts, make, run, with_files
from tests.strategies import dags


def test_words_are_those_there_are():
    assert MODELS == models.MODELS


@pytest.mark.parametrize("suffix", FORMATS)
def test_the_facts_of_the_chains(tmp_path, capsys, suffix):
    """At worst all outputs are there at once, while all b run; one chain at a time, the largest first, needs 4010."""
    found = facts(capsys, "memory", *make(tmp_path, suffix), "--model", "shared")
    assert (found["worst_peak"], found["exact"], found["attained_peak"]) == (10_040, True, 10_040)
    assert found["sequential_peak"] == 4_010
    assert found["sequential_proved"]
    assert found["lower_bound"] == found["sequential_peak"]
    assert (found["critical_path"], found["critical_path_unit"]) == (9.0, "s")
    assert found["unit"] == "bytes"
    assert len(found["curve"]) == 7
    assert found["curve"][-1] == {
        "limit": 10_040, "critical_path": 9.0, "method": "none", "added_edges": 0, "worst_peak": 10_040
    }  # fmt: skip
    limits = [point["limit"] for point in found["curve"]]
    paths = [point["critical_path"] for point in found["curve"]]
    assert limits == sorted(limits)
    assert paths == sorted(paths, reverse=True)
    assert all(point["worst_peak"] <= point["limit"] for point in found["curve"])


COUNTING = (
    ("memory", "flow.dot"),
    ("limit", "flow.dot", "--memory", "9"),
    ("prioritize", "flow.dot", "--memory", "9"),
    ("run", "flow.dot", "--memory", "9", "--command", "true", "--restart"),
    ("report", "flow.dot", "-o", "page.html"),
)


@pytest.mark.parametrize("words", COUNTING, ids=lambda words: words[0])
def test_where_memory_and_disk_are_known_it_is_said_which_was_taken(tmp_path, monkeypatch, capsys, words):
    """The folder of a run has what jobs used and what they made; only who names the resource is told nothing."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "flow.dot").write_text("digraph { a -> b; c -> d }")
    (tmp_path / "seen.eligo").mkdir()
    table, both = tmp_path / "seen.eligo" / "job-data.csv", "job,memory_bytes,output_bytes\na,3,5\nb,3,\nc,3,7\nd,3,\n"
    told = (
        "flow.dot: memory is counted, since jobs state it; sizes on disk are known, too: --resource disk counts those"
    )
    for content, more, expected in (
        (both, (), 1),
        (both, ("--resource", "memory"), 0),
        (both, ("--resource", "disk"), 0),
        (both.replace("5", "").replace("7", ""), (), 0),
        (both.replace("3", ""), (), 0),
    ):
        table.write_text(content)
        assert main([*words, "--job-data", "seen.eligo", *more]) == 0
        assert capsys.readouterr().err.splitlines().count(told) == expected, (content, more)


@settings(max_examples=60)
@given(dag=dags(7), model=st.sampled_from([None, *MODELS]), unread=st.sampled_from(["stay", "leave"]))
def test_the_facts_agree_with_each_other(tmp_path_factory, dag, model, unread):
    """The state and the order that are told have the peaks that are told."""
    folder = tmp_path_factory.mktemp("facts")
    write(dag, folder / "x.json")
    out = folder / "facts"
    words = ["memory", "--json", "--unread", unread, *(["--model", model] if model else []), "--curve", "2"]
    with out.open("w") as stream, pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stdout", stream)
        status = main([*words, str(folder / "x.json")])
    if status == 1:
        return  # no sizes are known, or too large ones
    found = json.loads(out.read_text())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        again = read(folder / "x.json")
    print_ = footprint(again, model, unread=unread)
    started, ended = (np.isin(again.names, found[key]) for key in ("cut", "ended"))
    assert occupied(print_, started, ended) == found["attained_peak"] <= found["worst_peak"]
    assert found["exact"] == (found["attained_peak"] == found["worst_peak"])
    assert peak_of(print_, [again.index(name) for name in found["order"]]) == found["sequential_peak"]
    assert found["lower_bound"] <= found["sequential_peak"] <= found["worst_peak"]
    assert found["lower_bound"] <= found["least_within_critical_path"]
    assert sum(datum["size"] for datum in found["present"]) <= found["attained_peak"]


def test_the_summary(file, capsys):
    run("memory", file)
    shown = capsys.readouterr().out.splitlines()
    assert shown[0] == "x.json: 10 jobs, 12 edges"
    row = {line[2:16].strip(): line for line in shown[1:] if line.startswith("  ")}
    assert "disk   model files: a file counts once" in row["counted"]
    assert any("outputs that no job reads stay to the end; data from outside do not count" in line for line in shown)
    assert "a file is deleted as soon as its last reader has ended" in row["assumed"]
    assert "10 kB   no execution exceeds it, and one reaches it" in row["worst peak"]
    assert "no order needs less" in row["one at a time"]
    assert "while job b3 runs" in row["lower bound"]
    assert "to finish within the critical path's 9 s" in row["at full speed"]
    assert "b3 (4.01 kB), b2 (3.01 kB)" in row["running"]
    assert row["running"].endswith(", each with all that it reads and makes")
    assert "a3.out" in row["occupied by"]
    assert "added edges" in "".join(shown)
    assert any(line.startswith("  advice: limit to ") and "eligo limit FILE --memory" in line for line in shown)


def test_the_advice_can_be_followed(file, capsys):
    run("memory", file)
    advice = capsys.readouterr().out.splitlines()[-1]
    limit = advice.split("--memory ")[1]
    found = facts(capsys, "limit", file, "--memory", limit)
    assert found["worst_peak"] <= found["limit"]
    assert found["critical_path_after"] <= 1.05 * found["critical_path_before"]


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["--model", "simple"], "a copy for each reader; a job frees its inputs"),
        (["--model", "classical"], "a copy for each reader; inputs, scratch space and outputs"),
        (["--model", "shared", "--unread", "leave"], "outputs that no job reads leave when their job ends"),
        (["--model", "pebble"], "10 jobs"),
        (["--resource", "memory", "--inputs", "count"], "data from outside count from the beginning"),
    ],
)
def test_what_counts_is_said(file, capsys, words, text):
    run("memory", file, *words)
    assert text in capsys.readouterr().out


def test_pebbles_have_no_bytes(file, capsys):
    run("memory", file, "--model", "pebble")
    shown = capsys.readouterr().out
    assert "pebbles" in shown
    assert " B " not in shown
    assert facts(capsys, "memory", file, "--model", "pebble")["unit"] == "pebbles"


def test_memory_that_jobs_state(tmp_path, capsys):
    dag = chains().with_known(memory_bytes=[100] * 10)
    write(dag, tmp_path / "m.json")
    found = facts(capsys, "memory", tmp_path / "m.json")
    assert (found["resource"], found["worst_peak"], found["sequential_peak"]) == ("memory", 400, 100)
    run("memory", tmp_path / "m.json")
    assert "what running jobs use" in capsys.readouterr().out


def test_shared_data_may_leave_a_gap(tmp_path, capsys):
    """Two readers each of two data: the bound keeps what is gone in truth, and search tells."""
    jobs = ["a", "b", "r0", "r1", "z"]
    dag = Dag.from_edges(jobs, [0, 0, 2, 3, 4], [2, 3, 4, 4, 1])
    data = Data.build([100, 90], [0, 1], [[2, 3], []], ["x", "y"])
    write(dag.with_known(data=data), tmp_path / "gap.json")
    found = facts(capsys, "memory", tmp_path / "gap.json")
    assert found["attained_is_worst"]
    assert found["attained_peak"] <= found["worst_peak"]


def test_no_sizes_at_all(tmp_path, capsys):
    write(chains(), tmp_path / "x.dag")
    run("memory", tmp_path / "x.dag", status=1)
    err = capsys.readouterr().err.splitlines()
    assert err[-2].endswith("x.dag: no sizes are known: neither of files, nor what jobs use while they run")
    assert err[-1].startswith("hint: give --job-data TABLE")
    run("memory", tmp_path / "x.dag", "--model", "pebble")


def test_missing_sizes_are_counted(tmp_path, capsys):
    (tmp_path / "some.csv").write_text("\n".join(TABLE.splitlines()[:4]))
    dag = with_files()
    sizes = [-1, -1, *dag.data.size_bytes[2:].tolist()]
    unknown = Data.build(sizes, dag.data.producer, [dag.data.readers_of(i) for i in range(dag.data.k)], dag.data.names)
    write(dag.with_known(data=unknown), tmp_path / "x.json")
    run("memory", tmp_path / "x.json")
    assert "x.json: 2 data have no known size: taken as 0" in capsys.readouterr().err


def test_the_smallest_workflows(tmp_path, capsys):
    (tmp_path / "t.csv").write_text("job,output_bytes\n")
    (tmp_path / "none.dag").write_text("FINAL f x.sub\n")
    run("memory", tmp_path / "none.dag", "--model", "pebble")
    assert facts(capsys, "memory", tmp_path / "none.dag", "--model", "pebble")["worst_peak"] == 0
    (tmp_path / "one.dag").write_text("JOB a x.sub\n")
    found = facts(capsys, "memory", tmp_path / "one.dag", "--model", "pebble")
    assert (found["worst_peak"], found["sequential_peak"], found["cut"]) == (1, 1, ["a"])
    run("memory", tmp_path / "one.dag", "--model", "pebble")
    assert "no smaller limit can be kept: even one job at a time reaches the worst peak" in capsys.readouterr().out


def test_peaks_that_are_close_leave_no_limit_to_try(tmp_path, capsys):
    dag = Dag.from_names([("a", "b"), ("c", "d")])
    data = Data.build([10_001, 1], [dag.index("a"), dag.index("c")], [[dag.index("b")], [dag.index("d")]])
    write(dag.with_known(data=data), tmp_path / "x.dot")
    run("memory", tmp_path / "x.dot", "--model", "simple")
    assert "the smallest limit known to be reachable is 10,001 bytes, so close to" in capsys.readouterr().out


def test_a_name_never_breaks_a_line(tmp_path, capsys):
    dag = with_files()
    names = [f"{name}\n\r\tx" for name in dag.names]
    write(Dag.from_edges(names, dag.tails, dag.heads, data=dag.data, time_s=dag.time_s), tmp_path / "x.json")
    lines = []
    for strange in (False, True):
        if not strange:
            write(dag, tmp_path / "plain.json")
        file = tmp_path / ("x.json" if strange else "plain.json")
        run("memory", file)
        run("limit", file, "--memory", "5kB")
        run("info", file)
        lines.append(capsys.readouterr().out.splitlines())
    assert len(lines[0]) == len(lines[1])
    assert r"b3\n\r\tx (4.01 kB)" in "".join(lines[1])


@pytest.mark.parametrize("suffix", FORMATS)
@pytest.mark.parametrize("model", [None, "pebble", "classical", "simple"])
def test_the_certificate_is_accepted(tmp_path, capsys, suffix, model):
    words = make(tmp_path, suffix)
    proof = tmp_path / "proof.json"
    run("memory", *words, "--certificate", proof, *(["--model", model] if model else []))
    assert "certificate of the worst peak" in capsys.readouterr().err
    run("verify", proof, *words)
    assert "ok: memory" in capsys.readouterr().out


def test_the_certificate_goes_over_nothing_else(file, capsys):
    for out in (file, "-"):
        run("memory", file, "--certificate", out, status=1)
    with open("other.json", "w") as stream:
        stream.write("{}")
    run("memory", file, "--certificate", "other.json", status=1)
    assert "is no certificate" in capsys.readouterr().err
    run("memory", file, "--certificate", "same.svg", "--plot", "same.svg", status=1)


def test_the_curve_is_as_long_as_wanted(file, capsys):
    assert facts(capsys, "memory", file, "--curve", "0")["curve"] == []
    assert len(facts(capsys, "memory", file, "--curve", "3")["curve"]) == 4
    for wrong in ("-1", "x", "1e9", "²"):
        with pytest.raises(SystemExit):
            main(["memory", file, f"--curve={wrong}"])


def test_large_workflows_have_short_curves(file, capsys, monkeypatch):
    from eligo.memory import _analyze as analyze

    monkeypatch.setattr(analyze, "_FEW_JOBS", 5)
    assert len(facts(capsys, "memory", file)["curve"]) == 4
    monkeypatch.setattr(analyze, "_SOME_JOBS", 5)
    assert facts(capsys, "memory", file)["curve"] == []
    assert len(facts(capsys, "memory", file, "--curve", "2")["curve"]) == 3


def test_the_plot(file, capsys):
    pytest.importorskip("matplotlib", reason="figures need matplotlib")
    run("memory", file, "--plot", "limits.svg")
    assert "limits.svg: critical path against limit" in capsys.readouterr().err
    with open("limits.svg") as stream:
        assert "<svg" in stream.read()
    run("memory", file, "--plot", "limits.txt", status=1)
    with pytest.raises(SystemExit):
        main(["memory", file, "--plot", "limits.svg", "--curve", "0"])


def test_names_cannot_steer_the_terminal(tmp_path, capsys):
    dag = Dag.from_names([("a\x1b[31m", "b\x1b[31m")])
    data = Data.build([7], [0], [[1]], ["f\x1b[31m"])
    write(dag.with_known(data=data), tmp_path / "x.json")
    run("memory", tmp_path / "x.json")
    assert "\x1b" not in capsys.readouterr().out


def test_a_narrow_encoding_gets_plain_bars(file):
    run_ = subprocess.run(
        [sys.executable, "-m", "eligo", "memory", file],
        env={**os.environ, "PYTHONIOENCODING": "ascii"}, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert (run_.returncode, run_.stderr) == (0, "warning: x.json: 1 datum is stated to have size 0\n")
    assert "####" in run_.stdout


def test_limits_that_were_added_are_told(file, capsys):
    run("limit", file, "--memory", "0%", "--in-place")
    found = facts(capsys, "memory", file)
    assert found["added_edges"] > 0
    assert found["worst_peak"] < 10_000
    run("memory", file)
    assert "of them added by eligo limit" in capsys.readouterr().out


def test_pebbles_of_a_limited_file(file, capsys):
    """Whoever waits only because of a limit holds no pebble of the other."""
    before = facts(capsys, "memory", file, "--model", "pebble")
    assert before["worst_peak"] > before["sequential_peak"]
    run("limit", file, "--memory", "0%", "--in-place", "--model", "pebble")
    assert facts(capsys, "memory", file, "--model", "pebble")["worst_peak"] == before["sequential_peak"]
    run("limit", file, "--memory", "0%", "--model", "pebble", "--certificate", "p.json", status=1)
    assert "no certificate of a limit in the pebble game" in capsys.readouterr().err


def test_progress_is_for_terminals():
    """`working` tells what the work is at, on a terminal."""
    code = (
        "import time; from eligo._cli.progress import working\n"
        "with working('limiting', 0.01) as tell:\n    tell('schedule 1'); time.sleep(0.3)\n"
    )
    primary, secondary = pty.openpty()
    subprocess.run([sys.executable, "-c", code], stderr=secondary, check=True, timeout=60)
    os.close(secondary)
    assert b"limiting: schedule 1 ... 0 s" in os.read(primary, 4096)
    os.close(primary)


def test_in_python():
    import eligo

    dag = with_files()
    assert eligo.worst_peak(dag).bound == 10_040
    print_ = eligo.footprint(dag)
    assert eligo.worst_peak(print_).bound == 10_040
    limited = eligo.limit(print_, 6_000)
    assert limited.worst.bound <= 6_000
    assert eligo.limit(dag, 6_000).dag == limited.dag
    with pytest.raises(eligo.EligoError, match="has its model already"):
        eligo.worst_peak(print_, "simple")
    with pytest.raises(eligo.InfeasibleError) as refused:
        eligo.limit(dag, 10)
    assert refused.value.reachable == 4_010
    from eligo.memory._analyze import analyse

    certificate = analyse(print_).certificate
    assert isinstance(certificate, MemoryCertificate)
    assert verify(certificate, dag)
    assert memory.__name__ == "eligo.memory"
