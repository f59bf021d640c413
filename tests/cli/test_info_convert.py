"""``info`` and ``convert`` as a user meets them."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from eligo import read
from eligo._cli import main
from tests.corpus import DATA, needs_shared, statistics

# Pieces that other files include. Read alone DAGMan refuses them: what they connect or pin is defined elsewhere.
FRAGMENTS = [f"dagman/valid/splice_connect-A/job_dagman_splice_connect-A-inc{i}.dag" for i in (1, 2)]
WHOLE = sorted(set(statistics()) - set(FRAGMENTS))


@needs_shared
@pytest.mark.parametrize("file", WHOLE)
def test_info_gives_the_counts_of_the_corpus(file, capsys):
    row = statistics()[file]
    assert main(["info", "--json", "--edges", "declared", str(DATA / file)]) == 0
    facts = json.loads(capsys.readouterr().out)
    expected = {
        "jobs": "nodes",
        "edges": "declared_edges",
        "sources": "sources",
        "sinks": "sinks",
        "levels": "levels",
        "width": "widest_level",
        "components": "components",
        "shortcuts": "transitive_edges",
    }
    assert {key: facts[key] for key in expected} == {key: int(row[column]) for key, column in expected.items()}
    assert len(facts["critical_path_jobs"]) <= facts["levels"]


DIAMOND = "JOB a x.sub\nJOB b x.sub\nJOB c x.sub\nJOB d x.sub\nPARENT a CHILD b c\nPARENT b c CHILD d\n"


@pytest.fixture
def diamond(tmp_path, monkeypatch):
    (tmp_path / "diamond.dag").write_text(DIAMOND)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_info_as_text(diamond, capsys):
    assert main(["info", "diamond.dag"]) == 0
    shown = capsys.readouterr().out
    assert "diamond.dag: HTCondor DAGMan" in shown
    assert "3 jobs" in shown
    assert "1 source, 1 sink" in shown


def test_info_counts_what_stands_outside_the_graph(diamond, capsys):
    (diamond / "final.dag").write_text("JOB a x.sub\nFINAL end x.sub\n")
    assert main(["info", "--json", "final.dag"]) == 0
    assert json.loads(capsys.readouterr().out)["nodes_outside"] == {"FINAL": 1}
    assert main(["info", "final.dag"]) == 0
    assert "outside the graph" in capsys.readouterr().out


def test_info_does_not_take_unknown_for_zero(diamond, capsys):
    (diamond / "times.csv").write_text("job,time_s\na,10\nb,20\n")
    assert main(["info", "--json", "--job-data", "times.csv", "diamond.dag"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert (facts["critical_path"], facts["critical_path_exact"]) == (30, False)
    assert main(["info", "--job-data", "times.csv", "diamond.dag"]) == 0
    assert "at least" in capsys.readouterr().out


def test_info_counts_inputs_that_several_jobs_read(diamond, capsys):
    uses = '<uses file="db" link="input" size="5"/>'
    jobs = "".join(f'<job id="{name}" name="x" runtime="1">{uses}</job>' for name in "ab")
    (diamond / "w.dax").write_text(f'<adag xmlns="http://pegasus.isi.edu/schema/DAX">{jobs}</adag>')
    assert main(["info", "--json", "w.dax"]) == 0
    assert json.loads(capsys.readouterr().out)["data"]["shared"] == 1


def test_info_with_job_data(diamond, capsys):
    (diamond / "times.csv").write_text("job,time_s,output_bytes\na,10,1kB\nb,20,2kB\nc,5,1kB\nd,1,0\n")
    assert main(["info", "--json", "--job-data", "times.csv", "diamond.dag"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["critical_path"] == 31
    assert facts["critical_path_unit"] == "s"
    assert facts["critical_path_jobs"] == ["a", "b", "d"]
    assert facts["data"]["bytes"] == 4000


def test_info_reads_standard_input():
    run = subprocess.run(
        [sys.executable, "-m", "eligo", "info", "--json", "-"],
        input=DIAMOND, capture_output=True, text=True, timeout=60, check=True,
    )  # fmt: skip
    assert json.loads(run.stdout)["jobs"] == 4


def test_dagman_to_dagman_is_lossless(diamond):
    text = '# mine\nJob  a x.sub\r\nVARS a k="v"\n\n  PRIORITY a 3'
    (diamond / "odd.dag").write_bytes(text.encode())
    assert main(["convert", "odd.dag", "copy.dag"]) == 0
    assert (diamond / "copy.dag").read_bytes() == text.encode()


def test_flatten_expands_splices(diamond):
    (diamond / "outer.dag").write_text("SPLICE s diamond.dag\nJOB z x.sub\nPARENT s CHILD z\n")
    assert main(["convert", "--flatten", "outer.dag", "flat.dag"]) == 0
    flat = read("flat.dag")
    assert (flat.n, flat.m) == (5, 5)


def test_a_dag_file_elsewhere_no_longer_finds_its_files(diamond, capsys):
    (diamond / "sub").mkdir()
    assert main(["convert", "diamond.dag", "sub/copy.dag"]) == 0
    assert "relative to the directory of diamond.dag" in capsys.readouterr().err
    assert main(["convert", "diamond.dag", "copy.dag"]) == 0
    assert "relative" not in capsys.readouterr().err


def test_flatten_that_changes_nothing_is_said(diamond, capsys):
    assert main(["convert", "--flatten", "diamond.dag", "out.csv"]) == 0
    assert "--flatten changes nothing" in capsys.readouterr().err


def test_reduce_leaves_out_shortcuts(diamond):
    (diamond / "tri.csv").write_text("parent,child\na,b\nb,c\na,c\n")
    assert main(["convert", "--reduce", "tri.csv", "out.csv"]) == 0
    assert read("out.csv").m == 2


def test_reducing_dagman_keeps_what_the_file_says(diamond):
    """Only the shortcuts go, the WEAK one too; a splice is expanded since its file cannot lose edges alone."""
    (diamond / "s.dag").write_text("JOB p p.sub DIR d\nJOB q q.sub\nPARENT p CHILD q\n")
    (diamond / "big.dag").write_text(
        DIAMOND + 'SPLICE s s.dag\nVARS a k="v"\nSCRIPT POST b s.sh\nPRIORITY c 3\nPARENT d CHILD s\n'
        "PARENT a CHILD d s\nWEAK PARENT a CHILD d\nWEAK PARENT d CHILD s\n"
    )
    assert main(["convert", "--reduce", "big.dag", "reduced.dag"]) == 0
    assert (diamond / "reduced.dag").read_text() == (
        "# s+p is called s.p here\n# s+q is called s.q here\n"
        'JOB a x.sub\nVARS a k="v"\nJOB b x.sub\nSCRIPT POST b s.sh\nJOB c x.sub\nPRIORITY c 3\nJOB d x.sub\n'
        "JOB s.p p.sub DIR d\nJOB s.q q.sub\n"
        "PARENT a CHILD b c\nPARENT b CHILD d\nPARENT c CHILD d\nPARENT d CHILD s.p\nPARENT s.p CHILD s.q\n"
        "WEAK PARENT d CHILD s.p\n"
    )


LOST = "what the jobs run (programs, arguments, scripts) is not carried over, only names, dependencies, times and data"


@pytest.mark.parametrize(
    ("source", "target", "lost"),
    [
        ("x.dag", "y.json", True),
        ("x.dag", "y.yml", True),
        ("x.dag", "y.dot", False),
        ("x.dag", "y.dag", False),
        ("x.json", "y.dag", True),
        ("x.json", "y.json", True),
        ("x.yml", "y.json", True),
        ("x.xml", "y.dag", True),
        ("x.csv", "y.dag", False),
    ],
)
def test_lost_programs_are_said_once(diamond, capsys, source, target, lost):
    for name in ("x.json", "x.yml", "x.csv"):
        assert main(["convert", "diamond.dag", name]) == 0
    (diamond / "x.dag").write_text(DIAMOND)
    (diamond / "x.xml").write_text('<adag version="3.6"><job id="a" name="p"/></adag>')
    capsys.readouterr()
    assert main(["convert", "--reduce", source, target]) == 0
    assert capsys.readouterr().err.count(f"warning: {target}: {LOST}\n") == lost


def test_a_table_is_no_part_of_a_copy(diamond, capsys):
    (diamond / "times.csv").write_text("job,time_s\na,10\n")
    assert main(["convert", "--job-data", "times.csv", "diamond.dag", "copy.dag"]) == 0
    assert "--job-data are not written" in capsys.readouterr().err
    assert (diamond / "copy.dag").read_text() == DIAMOND


@needs_shared
def test_fragments_are_refused(capsys):
    for file in FRAGMENTS:
        assert main(["info", str(DATA / file)]) == 1
    assert "there is no splice 'SpliceA'" in capsys.readouterr().err


@needs_shared
@pytest.mark.parametrize("file", [file for file in WHOLE if statistics()[file]["nodes"] != "0"][::6])
@pytest.mark.parametrize("suffix", [".dag", ".json", ".yml", ".dot", ".csv", ".json.gz"])
def test_every_format_to_every_other_keeps_jobs_and_edges(file, suffix, tmp_path, capsys):
    before = read_quietly(DATA / file)
    out = tmp_path / f"out{suffix}"
    assert main(["convert", "--flatten", str(DATA / file), str(out)]) == 0
    after = read_quietly(out)
    assert (after.n, after.m) == (before.n, before.m)
    assert after.tails.tolist() == before.tails.tolist()
    assert after.heads.tolist() == before.heads.tolist()


def read_quietly(path):
    from eligo.formats import open_document

    return open_document(path).dag


def test_mermaid_on_standard_output(diamond, capsysbinary):
    assert main(["convert", "--to", "mermaid", "diamond.dag", "-"]) == 0
    captured = capsysbinary.readouterr()
    assert captured.out.startswith(b"flowchart")
    assert captured.err == b""


def test_what_is_lost_is_said(diamond, capsys):
    (diamond / "w.csv").write_text("parent,child,size_bytes\na,b,5\n")
    assert main(["convert", "w.csv", "w.mmd"]) == 0
    assert "has no place for" in capsys.readouterr().err


def test_the_output_name_must_tell_a_format(diamond, capsys):
    assert main(["convert", "diamond.dag", "out.unknown"]) == 1
    assert "does not tell which format" in capsys.readouterr().err


def test_sums_that_64_bits_do_not_hold(diamond, capsys):
    most = 2**62 - 1
    (diamond / "much.csv").write_text("job,count,output_bytes\n" + "".join(f"{job},{most},{most}\n" for job in "abcd"))
    assert main(["info", "--json", "--job-data", "much.csv", "diamond.dag"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["tasks"] == facts["data"]["bytes"] == 4 * most


def test_times_whose_sum_would_be_infinite_are_refused(diamond, capsys):
    (diamond / "long.csv").write_text("job,time_s\na,1e308\nb,1e308\nd,1e308\n")
    assert main(["info", "--json", "--job-data", "long.csv", "diamond.dag"]) == 1
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("long.csv:2: ")
    assert "too large" in captured.err


def test_a_certificate_is_written_over_nothing_but_a_certificate(tmp_path, capsys):
    workflow, other, proof = tmp_path / "a.csv", tmp_path / "notes.txt", tmp_path / "proof.json"
    workflow.write_text("a,b\na,c\n")
    other.write_text("mine")
    for target, text in ((workflow, "is the workflow itself"), (other, "exists and is no certificate")):
        before = target.read_bytes()
        assert main(["info", str(workflow), "--certificate", str(target)]) == 1
        assert text in capsys.readouterr().err
        assert target.read_bytes() == before
    assert main(["info", str(workflow), "--certificate", "-"]) == 1
    for _ in range(2):
        assert main(["info", str(workflow), "--certificate", str(proof)]) == 0
        assert main(["verify", str(proof), str(workflow)]) == 0
