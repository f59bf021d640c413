"""``limit`` and the user's files: dependencies in and out, certificates of what was written, nothing lost."""

from __future__ import annotations

import os
import shlex
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eligo import Dag, Data, read, write
from eligo._cli import main
from tests.cli.dag_folder import SUBMIT, tree
from tests.cli.limiting import FORMATS, TABLE, facts, make, run
from tests.corpus import SHARED, needs_shared
from tests.strategies import edge_sets


@pytest.mark.parametrize("suffix", FORMATS)
@pytest.mark.parametrize("limit", ["0%", "40%", "6kB"])
def test_from_the_file_to_the_proof_and_back(tmp_path, capsys, suffix, limit):
    """What is written is what was proved; doing it twice changes nothing; out again is the same to the byte."""
    words = make(tmp_path, suffix)
    sizes = words[1:]
    out, proof = tmp_path / f"out.{suffix}", tmp_path / "proof.json"
    found = facts(capsys, "limit", *words, "--memory", limit, "-o", out, "--certificate", proof)
    run("verify", proof, out, *sizes)
    run("verify", proof, words[0], *sizes, status=1)
    seen = facts(capsys, "memory", out, *sizes)
    assert (seen["worst_peak"], seen["added_edges"]) == (found["worst_peak"], len(found["added_edges"]))
    assert seen["critical_path"] == found["critical_path_after"]
    once = out.read_bytes()
    run("limit", out, *sizes, "--memory", limit, "--in-place")
    assert out.read_bytes() == once
    run("limit", out, "--remove", "--in-place")
    assert out.read_bytes() == Path(words[0]).read_bytes()


@st.composite
def workflows(draw: st.DrawFn) -> Dag:
    """A dag with files of a few bytes, all sizes known, and perhaps times."""
    n, edges = draw(edge_sets(7))
    dag = Dag.from_edges([f"j{i}" for i in range(n)], [u for u, _ in edges], [v for _, v in edges])
    k = draw(st.integers(1, 6)) if n else 0
    producers = draw(st.lists(st.integers(0, max(n - 1, 0)), min_size=k, max_size=k))
    readers = [draw(st.lists(st.sampled_from(kids), unique=True)) if (kids := dag.children(p).tolist()) else []
               for p in producers]  # fmt: skip
    sizes = draw(st.lists(st.integers(0, 9), min_size=k, max_size=k))
    time = draw(st.none() | st.lists(st.integers(0, 5).map(float), min_size=n, max_size=n))
    return dag.with_known(time_s=time, data=Data.build(sizes, producers, readers, [f"f{i}" for i in range(k)]))


@settings(max_examples=80)
@given(
    dag=workflows(),
    suffix=st.sampled_from(["json", "yml"]),
    words=st.tuples(st.sampled_from([None, "simple", "classical", "shared"]), st.integers(0, 100)),
    edges=st.sampled_from([None, "declared", "files", "both"]),
)
def test_any_workflow(tmp_path_factory, dag, suffix, words, edges):
    folder = tmp_path_factory.mktemp("any")
    file, out, proof = folder / f"x.{suffix}", folder / f"y.{suffix}", folder / "proof.json"
    write(dag, file)
    reading = ["--edges", edges] if edges else []
    model, share = words
    words = [*reading, "--memory", f"{share}%", *(["--model", model] if model else [])]
    status = main(["limit", str(file), *words, "-o", str(out), "--certificate", str(proof)])
    if status == 1:
        assert not out.exists()
        return  # nothing has a size
    run("verify", proof, out, *reading)
    once = out.read_bytes()
    run("limit", out, *words, "--in-place")
    assert out.read_bytes() == once
    run("limit", out, "--remove", "--in-place")
    assert out.read_bytes() == file.read_bytes()


@settings(max_examples=40)
@given(
    edges=edge_sets(7),
    sizes=st.binary(min_size=7, max_size=7),
    suffix=st.sampled_from(FORMATS),
    share=st.integers(0, 99),
)
def test_any_sizes_from_a_table(tmp_path_factory, edges, sizes, suffix, share):
    n, pairs = edges
    if n == 0:
        return
    folder = tmp_path_factory.mktemp("table")
    file, out, proof = folder / f"x.{suffix}", folder / f"y.{suffix}", folder / "proof.json"
    write(Dag.from_edges([f"j{i}" for i in range(n)], [u for u, _ in pairs], [v for _, v in pairs]), file)
    (folder / "t.csv").write_text("job,output_bytes,temp_bytes\n" + "".join(
        f"j{i},{sizes[i] % 16},{sizes[i] // 16}\n" for i in range(n)))  # fmt: skip
    table = ["--job-data", str(folder / "t.csv"), "--model", "files"]
    run("limit", file, *table, "--memory", f"{share}%", "-o", out, "--certificate", proof)
    run("verify", proof, out, *table[:2])
    assert read(out, job_data=table[1]).data == read(file, job_data=table[1]).data


def test_what_does_not_change_is_not_touched(tmp_path, capsys):
    words = make(tmp_path, "json")
    run("limit", *words, "--memory", "5kB", "--in-place", "--backup")
    assert (tmp_path / "chains.json.bak").exists()
    os.utime(words[0], ns=(1, 1))
    capsys.readouterr()
    run("limit", *words, "--memory", "5kB", "--in-place", "--backup")
    assert Path(words[0]).stat().st_mtime_ns == 1
    assert "dependencies of ours; nothing to change" in capsys.readouterr().err
    assert not (tmp_path / "chains.json.bak.2").exists()


@pytest.mark.parametrize("suffix", FORMATS)
@pytest.mark.parametrize("edges", [[], ["--edges", "declared"], ["--edges", "both"]])
def test_commands_that_are_suggested_can_be_pasted(tmp_path, capsys, suffix, edges):
    file, *table = make(tmp_path, suffix)
    if table:
        table[1] = str(Path(table[1]).rename(tmp_path / "it's größe.csv"))
    out, proof = tmp_path / f"der 'zweite' Lauf.{suffix}", tmp_path / "a proof.json"
    form = [] if edges else ["--from", {"dag": "dagman", "json": "wfformat", "yml": "pegasus", "dot": "dot"}[suffix]]
    run("limit", file, *table, *edges, *form, "--memory", "5kB", "-o", out, "--certificate", proof)
    told = capsys.readouterr().err.splitlines()
    commands = [shlex.split(line.partition(": ")[2]) for line in told if line.startswith(("go on with", "check with"))]
    assert commands == [
        ["eligo", "prioritize", str(out), *form, *edges, *table],
        ["eligo", "verify", str(proof), str(out), *form, *edges, *table],
    ]
    for _, *words in commands:
        run(*words)


def test_a_flat_file_needs_a_table_of_its_own(tmp_path, capsys):
    (tmp_path / "inner.dag").write_text("JOB a x.sub\nJOB b x.sub\nPARENT a CHILD b\n")
    (tmp_path / "x.dag").write_text("SPLICE s inner.dag\nSPLICE t inner.dag\n")
    (tmp_path / "t.csv").write_text("job,output_bytes\ns+a,5\nt+a,5\ns+b,0\nt+b,0\n")
    words = ["--job-data", tmp_path / "t.csv", "--memory", "5", "--flatten", "-o", tmp_path / "flat.dag"]
    run("limit", tmp_path / "x.dag", *words)
    assert "the flat file needs a table with the names that its jobs have now" in capsys.readouterr().err


def test_another_limit_replaces_the_first(tmp_path):
    words = make(tmp_path, "dag")
    run("limit", *words, "--memory", "5kB", "-o", tmp_path / "five.dag")
    run("limit", *words, "--memory", "8kB", "-o", tmp_path / "eight.dag")
    run("limit", tmp_path / "five.dag", *words[1:], "--memory", "8kB", "--in-place")
    assert (tmp_path / "five.dag").read_bytes() == (tmp_path / "eight.dag").read_bytes()


def test_what_would_be_removed(tmp_path, capsys):
    words = make(tmp_path, "dag")
    run("limit", *words, "--memory", "5kB", "-o", tmp_path / "out.dag")
    for file, changes in ((tmp_path / "out.dag", True), (words[0], False)):
        assert facts(capsys, "limit", file, "--remove")["changes"] is changes
        run("limit", file, "--remove")
        captured = capsys.readouterr()
        assert captured.out == ""
        assert f"{file}: has {'' if changes else 'no '}dependencies of ours\nnothing was written" in captured.err


def test_running_workflows_are_left_alone(tmp_path, capsys):
    words = make(tmp_path, "dag")
    before = Path(words[0]).read_bytes()
    Path(f"{words[0]}.lock").write_text(f"PID = {os.getpid()}\n")
    run("limit", *words, "--memory", "5kB", "--in-place", status=1)
    assert "DAGMan is running" in capsys.readouterr().err
    assert Path(words[0]).read_bytes() == before
    run("limit", *words, "--memory", "5kB")
    assert "warning: writing would be refused" in capsys.readouterr().err


def test_a_file_that_changes_meanwhile_is_refused(tmp_path, capsys, monkeypatch):
    from eligo._cli import changes as changing

    words = make(tmp_path, "json")

    def and_someone_saves(*given, **more):
        Path(words[0]).write_bytes(Path(words[0]).read_bytes() + b"\n")
        return plan(*given, **more)

    plan = changing.plan_changes
    monkeypatch.setattr(changing, "plan_changes", and_someone_saves)
    run("limit", *words, "--memory", "5kB", "--in-place", status=1)
    assert "has changed since it was read" in capsys.readouterr().err


def splice(folder: Path) -> tuple[list[str], list[str]]:
    """Put the chains into a splice; return the tables of sizes by the names that jobs have with it and without it."""
    make(folder, "dag")
    (folder / "outer.dag").write_text("SPLICE S chains.dag\nJOB start x.sub\nPARENT start CHILD S\n")
    (folder / "x.sub").write_text(SUBMIT)
    for name, prefix in (("sizes.csv", "S+"), ("flat.csv", "S.")):
        (folder / name).write_text(TABLE.replace("\n", f"\n{prefix}")[:-2] + "start,1,0\n")
    return ["--job-data", str(folder / "sizes.csv")], ["--job-data", str(folder / "flat.csv")]


def test_splices_need_flattening(tmp_path, capsys):
    sizes, flat_sizes = splice(tmp_path)
    before = tree(tmp_path)
    run("limit", tmp_path / "outer.dag", *sizes, "--memory", "5kB")
    assert "writing would be refused" in capsys.readouterr().err
    run("limit", tmp_path / "outer.dag", *sizes, "--memory", "5kB", "--in-place", status=1)
    assert "--flatten" in capsys.readouterr().err
    assert tree(tmp_path) == before
    out, proof = tmp_path / "flat.dag", tmp_path / "proof.json"
    run("limit", tmp_path / "outer.dag", *sizes, "--memory", "5kB", "--flatten", "-o", out, "--certificate", proof)
    run("verify", proof, out, *flat_sizes)
    assert facts(capsys, "memory", out, *flat_sizes)["worst_peak"] <= 5_000
    run("limit", make(tmp_path, "json")[0], "--memory", "5kB", "--flatten", status=1)
    assert "--flatten is for DAGMan files" in capsys.readouterr().err


def test_standard_input_and_output(tmp_path, capsysbinary, monkeypatch):
    import io
    import sys

    words = make(tmp_path, "json")
    run("limit", *words, "--memory", "5kB", "-o", tmp_path / "out.json")
    capsysbinary.readouterr()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(Path(words[0]).read_bytes())))
    run("limit", "-", "--memory", "5kB", "-o", "-")
    captured = capsysbinary.readouterr()
    assert captured.out == (tmp_path / "out.json").read_bytes()
    assert b"critical path" in captured.err
    with pytest.raises(SystemExit):
        main(["limit", "-", "--memory", "5kB", "--in-place"])


def test_packed_files_stay_packed(tmp_path, capsys):
    words = make(tmp_path, "json")
    packed = tmp_path / "x.json.gz"
    run("convert", words[0], packed)
    run("limit", packed, "--memory", "5kB", "--in-place")
    assert packed.read_bytes()[:2] == b"\x1f\x8b"
    assert facts(capsys, "memory", packed)["worst_peak"] <= 5_000


def test_damaged_marks(tmp_path, capsys):
    words = make(tmp_path, "dag")
    out = tmp_path / "out.dag"
    run("limit", *words, "--memory", "5kB", "-o", out)
    lines = out.read_text().splitlines(keepends=True)
    out.write_text("".join(line for line in lines if "<<< eligo dependencies" not in line))
    capsys.readouterr()
    run("limit", out, *words[1:], "--memory", "5kB", "--in-place", status=1)
    assert "out.dag:" in capsys.readouterr().err


# With priorities


@pytest.mark.parametrize("suffix", FORMATS)
def test_priorities_under_a_limit(tmp_path, capsys, suffix):
    """Both are written, the order is one of the limited dag, and each is taken out without the other."""
    words = make(tmp_path, suffix)
    sizes = words[1:]
    out, proof = tmp_path / f"out.{suffix}", tmp_path / "proof.json"
    found = facts(capsys, "prioritize", *words, "--memory", "5kB", "-o", out, "--certificate", proof)
    limited = tmp_path / f"limited.{suffix}"
    run("limit", *words, "--memory", "5kB", "-o", limited)
    assert found["memory"]["added_edges"] == facts(capsys, "limit", *words, "--memory", "5kB")["added_edges"]
    assert found["edges"] == 12 + len(found["memory"]["added_edges"])
    run("verify", proof, out, *sizes)
    dag = read(limited)
    place = {name: i for i, name in enumerate(found["order"])}
    assert all(place[dag.names[u]] < place[dag.names[v]] for u, v in zip(dag.tails, dag.heads, strict=True))
    once = out.read_bytes()
    run("prioritize", out, *sizes, "--memory", "5kB", "--in-place")
    assert out.read_bytes() == once
    run("prioritize", out, "--remove", "--in-place")
    assert out.read_bytes() == limited.read_bytes()
    run("prioritize", limited, *sizes, "--in-place")
    assert limited.read_bytes() == once
    run("limit", limited, "--remove", "--in-place")
    run("prioritize", limited, "--remove", "--in-place")
    assert limited.read_bytes() == Path(words[0]).read_bytes()


def test_the_summary_tells_both(tmp_path, capsys):
    words = make(tmp_path, "json")
    run("prioritize", *words, "--memory", "5kB")
    captured = capsys.readouterr()
    assert "worst peak" in captured.out
    assert "AREA" in captured.out
    assert captured.out.index("worst peak") < captured.out.index("AREA")
    run("prioritize", *words, "--memory", "5kB", "-o", tmp_path / "out.json")
    assert "10 jobs with a priority of ours, 3 added dependencies" in capsys.readouterr().err
    run("prioritize", *words, "--memory", "1GB", "-o", tmp_path / "free.json", "--certificate", tmp_path / "proof.json")
    told = capsys.readouterr().err
    assert "10 jobs with a priority of ours, no dependencies needed to keep the limit" in told
    assert "about the order only; eligo limit --certificate proves that the limit is kept" in told


def test_priorities_stay_when_a_limit_is_added(tmp_path):
    words = make(tmp_path, "dag")
    run("prioritize", *words, "--in-place")
    run("limit", *words, "--memory", "5kB", "--in-place")
    text = Path(words[0]).read_text()
    assert text.count("\nPRIORITY ") == 10
    assert "eligo dependencies" in text


def test_splices_under_a_limit(tmp_path, capsys):
    sizes, flat_sizes = splice(tmp_path)
    run("prioritize", tmp_path / "outer.dag", *sizes, "--memory", "5kB")
    assert "writing would be refused" in capsys.readouterr().err
    out = tmp_path / "flat.dag"
    run("prioritize", tmp_path / "outer.dag", *sizes, "--memory", "5kB", "--flatten", "-o", out)
    assert facts(capsys, "memory", out, *flat_sizes)["worst_peak"] <= 5_000
    assert out.read_text().count("\nPRIORITY ") == 11


def test_formats_without_a_place(tmp_path, capsys):
    words = make(tmp_path, "dag")
    run("convert", words[0], tmp_path / "x.csv")
    found = facts(capsys, "prioritize", tmp_path / "x.csv", *words[1:], "--memory", "5kB")
    assert found["edges"] > 12
    run("prioritize", tmp_path / "x.csv", *words[1:], "--memory", "5kB", "--in-place", status=1)


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["--model", "simple"], "it needs --memory SIZE"),
        (["--method", "auto"], "it needs --memory SIZE"),
        (["--memory", "5kB", "--recursive"], "leave --recursive out"),
        (["--memory", "5kB", "--remove"], "--memory has no meaning with it"),
        (["--unread", "stay", "--remove"], "--unread has no meaning with it"),
    ],
)
def test_wrong_usage_of_prioritize(tmp_path, capsys, words, text):
    with pytest.raises(SystemExit) as stopped:
        main(["prioritize", make(tmp_path, "dag")[0], *words])
    assert stopped.value.code == 2
    assert text in capsys.readouterr().err


@needs_shared
@pytest.mark.parametrize(
    "name",
    [
        "wfformat/1000genome-chameleon-2ch-100k-001.json",
        "wfformat/montage-chameleon-2mass-005d-001.json",
        "pegasus-yaml/blast-benchmark-198.yml",
        "sdfm-dot/LIGO.n.50.0.dot",
    ],
)
def test_real_workflows(tmp_path, capsys, name):
    file = SHARED / "data" / name
    out, proof = tmp_path / file.name, tmp_path / "proof.json"
    sizes: list[str] = []
    if file.suffix == ".yml":  # which has none
        table = "".join(f"{job},{number % 7}kB\n" for number, job in enumerate(read(file).names))
        (tmp_path / "t.csv").write_text(f"job,output_bytes\n{table}")
        sizes = ["--job-data", str(tmp_path / "t.csv")]
    found = facts(capsys, "limit", file, *sizes, "--memory", "40%", "-o", out, "--certificate", proof)
    assert found["worst_peak"] <= found["limit"]
    run("verify", proof, out, *sizes)
    run("limit", out, "--remove", "--in-place")
    assert out.read_bytes() == file.read_bytes()
