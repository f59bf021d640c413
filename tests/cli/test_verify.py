"""``verify`` as a user meets it."""

from __future__ import annotations

import json

import pytest

from eligo import read
from eligo._cli import main
from eligo._cli.verify_command import _DEFAULT_STEPS
from eligo.certificate import DEFAULT_BUDGET, Certificate, MemoryCertificate
from eligo.priority._settle import settle
from eligo.schedule import Schedule


@pytest.fixture
def fork(tmp_path, monkeypatch):
    """A fork with a good certificate, good.cert, and one whose claim does not follow, bad.cert."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "fork.csv").write_text("parent,child\na,b\na,c\nx,y\n")
    dag = read("fork.csv")
    Certificate.of(Schedule.of(dag, [0, 3, 1, 2, 4]), "ic-optimal", {"by": "concave"}, ["\x1b[31mred"]).save(
        "good.cert"
    )
    Certificate.of(Schedule.of(dag, [3, 0, 1, 2, 4]), "ic-optimal", {"by": "concave"}).save("bad.cert")
    return tmp_path


def test_accepted(fork, capsys):
    assert main(["verify", "good.cert", "fork.csv"]) == 0
    captured = capsys.readouterr()
    assert captured.err == ""
    assert captured.out.splitlines() == [
        "ok: ic-optimal: no execution has more ELIGIBLE jobs than this order, at any step",
        "  checked: the workflow is the one certified: 5 jobs, 3 edges, same digest",
        "  checked: the order can be executed; its profile, AREA 11 and memory cost 2 are as stated",
        "  checked: the order is the best at every step, by concave",
        "  assumes: \\x1b[31mred",
    ]


def test_rejected(fork, capsys):
    assert main(["verify", "bad.cert", "fork.csv"]) == 1
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err == (
        "bad.cert: rejected: not concave: non-sink 1 of the order makes 1 jobs ELIGIBLE, the next one 2\n"
    )


def test_another_workflow(fork, capsys):
    (fork / "other.csv").write_text("parent,child\na,b\na,c\nx,b\n")
    assert main(["verify", "good.cert", "other.csv"]) == 1
    assert "good.cert: rejected: the certificate is about another workflow" in capsys.readouterr().err


def test_undecided(fork, capsys):
    value = json.loads((fork / "good.cert").read_text())
    value["witness"] = {"by": "exact", "ideals": 4}
    (fork / "exact.cert").write_text(json.dumps(value))
    assert main(["verify", "exact.cert", "fork.csv"]) == 0
    assert main(["verify", "exact.cert", "fork.csv", "--budget", "1e2"]) == 1
    captured = capsys.readouterr()
    assert captured.err.startswith("exact.cert: undecided: looking at 4 ideals would take more than the 100 steps")
    assert "hint: allow more, with --budget" in captured.err


def test_json(fork, capsys):
    assert main(["verify", "--json", "good.cert", "fork.csv"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["valid"] is True
    assert facts["claim"] == "ic-optimal"
    assert facts["reason"] is None
    assert len(facts["checks"]) == 3
    assert main(["verify", "--json", "bad.cert", "fork.csv"]) == 1
    captured = capsys.readouterr()
    facts = json.loads(captured.out)
    assert (facts["valid"], facts["checks"]) == (False, [])
    assert facts["reason"] in captured.err
    value = json.loads((fork / "good.cert").read_text())
    (fork / "exact.cert").write_text(json.dumps({**value, "witness": {"by": "exact", "ideals": 4}}))
    assert main(["verify", "--json", "exact.cert", "fork.csv", "--budget", "0"]) == 1
    assert json.loads(capsys.readouterr().out)["valid"] is None


def test_malformed(fork, capsys):
    (fork / "text.cert").write_text("no JSON")
    assert main(["verify", "text.cert", "fork.csv"]) == 1
    assert capsys.readouterr().err.startswith("text.cert:1: not JSON")
    assert main(["verify", "none.cert", "fork.csv"]) == 1
    assert capsys.readouterr().err.startswith("none.cert: no such file")


@pytest.mark.parametrize("steps", ["-1", "inf", "nan", "many", "1e30"])
def test_bad_budgets(fork, steps, capsys):
    with pytest.raises(SystemExit) as stopped:
        main(["verify", "good.cert", "fork.csv", f"--budget={steps}"])
    assert stopped.value.code == 2
    assert "--budget" in capsys.readouterr().err


def test_the_default_is_that_of_the_library():
    assert _DEFAULT_STEPS == DEFAULT_BUDGET


@pytest.mark.parametrize(
    "family", ["airsn --width 20", "montage --jobs 100", "sdss --jobs 300", "grid --rows 4 --columns 5"]
)
def test_what_the_theory_settles(family, tmp_path, monkeypatch, capsys):
    """From a file, through the producers, into a certificate, and back through the checkers."""
    monkeypatch.chdir(tmp_path)
    assert main(["generate", *family.split(), "-o", "x.dag"]) == 0
    settled = settle(read("x.dag"))
    assert settled.claim != "unknown"
    settled.certificate.save("x.cert.gz")
    assert main(["verify", "x.cert.gz", "x.dag"]) == 0
    assert capsys.readouterr().out.startswith("ok: ")


@pytest.fixture
def sized(tmp_path, monkeypatch):
    """A line of two jobs with 10 bytes between them, with a certificate of what they occupy, memory.cert."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "line.csv").write_text("parent,child,size_bytes\na,b,10\n")
    (tmp_path / "jobs.csv").write_text("job,temp_bytes\nb,3\n")
    witness = {
        "worst": {"by": "flow", "senders": [], "receivers": [], "amounts": []},
        "attained": {"started": [0, 1], "ended": [0]},
        "last_reader": [],
        "least": {"by": "need", "job": 1},
    }
    MemoryCertificate.of(
        read("line.csv", job_data="jobs.csv"),
        {"model": "classical", "resource": "memory", "unread": "stay", "inputs": "ignore"},
        [0, 1],
        worst_peak=13,
        attained_peak=13,
        sequential_peak=13,
        lower_bound=13,
        witness=witness,
        assumptions=["1 job states no temporary space: taken as 0"],
    ).save("memory.cert")
    return tmp_path


def test_memory(sized, capsys):
    assert main(["verify", "memory.cert", "line.csv", "--job-data", "jobs.csv"]) == 0
    captured = capsys.readouterr()
    assert captured.err == ""
    assert captured.out.splitlines() == [
        "ok: memory: no execution occupies more than the worst peak stated, "
        "and none has a smaller peak than the lower bound",
        "  checked: the workflow is the one certified: 2 jobs, 1 edges, same digest",
        "  checked: what occupies memory is what was certified: 1 data, same digest "
        "(model classical, unread outputs stay, inputs ignore)",
        "  checked: no execution occupies more than 13 bytes, by a flow",
        "  checked: an execution occupies 13 bytes: the worst peak is exact",
        "  checked: the order can be executed, and one job at a time occupies 13 bytes at most",
        "  checked: every execution occupies 13 bytes at some time, by what job 1 of the order needs",
        "  assumes: 1 job states no temporary space: taken as 0",
    ]


def test_memory_with_other_sizes(sized, capsys):
    assert main(["verify", "memory.cert", "line.csv"]) == 1
    captured = capsys.readouterr()
    assert captured.err.startswith("memory.cert: rejected: the certificate is about other data")
    assert "--job-data" in captured.err


def test_memory_json(sized, capsys):
    assert main(["verify", "--json", "memory.cert", "line.csv", "--job-data", "jobs.csv"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert (facts["valid"], facts["claim"], facts["exact"]) == (True, "memory", True)
    assert facts["worst_peak"] == facts["attained_peak"] == facts["sequential_peak"] == facts["lower_bound"] == 13
    assert facts["rules"]["model"] == "classical"
    assert "area" not in facts
    value = json.loads((sized / "memory.cert").read_text())
    (sized / "low.cert").write_text(json.dumps({**value, "worst_peak": 12}))
    assert main(["verify", "--json", "low.cert", "line.csv", "--job-data", "jobs.csv"]) == 1
    captured = capsys.readouterr()
    assert json.loads(captured.out)["valid"] is False
    assert "a worst peak of 12 is claimed, the flow shows 13" in captured.err


def test_a_memory_certificate_may_be_replaced_by_another(sized, capsys):
    """What `--certificate` refuses to overwrite are files that are none."""
    assert main(["prioritize", "line.csv", "--certificate", "memory.cert"]) == 0
    assert main(["verify", "memory.cert", "line.csv"]) == 0
