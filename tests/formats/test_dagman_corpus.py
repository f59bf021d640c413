"""The DAGMan files of the corpus: the counts that it states, and the verdicts of HTCondor's tests and of DAGMan."""

from __future__ import annotations

from pathlib import Path

import pytest

from eligo import graph
from eligo.errors import CycleError, EligoError, ParseError
from eligo.formats import _dagman as dagman
from eligo.formats import open_document
from tests.corpus import DATA, needs_shared, statistics
from tests.reference.dagman_oracle import ask, need_oracle

FILES = {name: row for name, row in statistics().items() if name.startswith("dagman/")}
COMPANIONS = {"job_dagman_splice_connect-A-inc1.dag", "job_dagman_splice_connect-A-inc2.dag"}
ENTRIES = [name for name in FILES if Path(name).name not in COMPANIONS]

pytestmark = needs_shared


@pytest.mark.parametrize("name", ENTRIES)
def test_counts(name: str) -> None:
    dag = open_document(DATA / name).dag
    row = FILES[name]
    sizes = graph.level_sizes(dag) if hasattr(graph, "level_sizes") else None
    levels = graph.levels(dag)
    widths = [int((levels == level).sum()) for level in range(int(levels.max()) + 1)] if dag.n else []
    assert sizes is None or [int(size) for size in sizes] == widths
    assert {
        "nodes": dag.n,
        "declared_edges": dag.m,
        "sources": sum(len(dag.parents(job)) == 0 for job in range(dag.n)),
        "sinks": sum(len(dag.children(job)) == 0 for job in range(dag.n)),
        "levels": len(widths),
        "widest_level": max(widths, default=0),
        "components": _components(dag),
    } == {
        key: int(row[key])
        for key in ("nodes", "declared_edges", "sources", "sinks", "levels", "widest_level", "components")
    }


def _components(dag) -> int:
    parent = list(range(dag.n))

    def root(job: int) -> int:
        while parent[job] != job:
            parent[job] = parent[parent[job]]
            job = parent[job]
        return job

    for tail, head in zip(dag.tails.tolist(), dag.heads.tolist(), strict=True):
        parent[root(tail)] = root(head)
    return sum(root(job) == job for job in range(dag.n))


@pytest.mark.parametrize("name", sorted(COMPANIONS))
def test_included_files_do_not_stand_alone(name: str) -> None:
    with pytest.raises(ParseError, match=r"inc\d\.dag:1: (unknown job|there is no splice)"):
        open_document(DATA / "dagman/valid/splice_connect-A" / name)


@pytest.mark.parametrize(
    ("name", "error", "text"),
    [
        ("job_dagman_cycle-A.dag", CycleError, r"job_dagman_cycle-A\.dag:\d+: the jobs form a cycle: B -> C -> B"),
        ("job_dagman_node_name_illegal_chars.dag", ParseError, r":1: the node name 'IllegalNodeName\+\+' has a \+"),
        ("reject/job_dagman_reject-0.dag", ParseError, r"job_dagman_reject-1\.dag:6: the DAG is marked with REJECT"),
        ("splice_connect-D/job_dagman_splice_connect-D.dag", ParseError, r":6: 'Splice1' has 0 PIN_OUTs"),
    ],
)
def test_refused(name: str, error: type[EligoError], text: str) -> None:
    with pytest.raises(error, match=text):
        open_document(DATA / "dagman/invalid" / name)


def test_details_of_a_real_workflow() -> None:
    document = open_document(DATA / "dagman/valid/pegasus-blast-210.dag")
    details = document.details
    jobs = [details.job(index) for index in range(document.dag.n)]
    assert [job.name for job in jobs] == list(document.dag.names)
    assert all(job.priority is not None for job in jobs)
    assert sum(job.category is not None for job in jobs) == sum(
        line.kind is not None and line.kind.name == "CATEGORY" for line in dagman.logical_lines(document.source)
    )
    data = document.source.data.splitlines()
    for index, job in enumerate(jobs):
        assert details.where(index) == (job.path, job.line)
        assert data[job.line - 1].split()[:2] == [b"JOB", job.name.encode()]


@pytest.mark.engine
def test_dagman_agrees(tmp_path: Path) -> None:
    """Every corpus file, companions too; the one whose DIR is missing is the documented difference."""
    need_oracle()
    for file in (DATA / "dagman").rglob(
        "*.dag"
    ):  # not copytree: DAGMan writes beside its files, which are read-only there
        copy = tmp_path / file.relative_to(DATA)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(file.read_bytes())
    (tmp_path / "dagman" / "valid" / "job_dagman_noop_node-subdir").mkdir()
    files = sorted(tmp_path.rglob("*.dag"))
    for file, verdict in zip(files, ask(files), strict=True):
        try:
            dag = open_document(file, format="dagman").dag
        except EligoError:
            assert not verdict.accepted, file
        else:
            assert verdict.accepted, (file, verdict.log[-2000:])
            assert sorted(dag.names) == sorted(name.decode() for name in verdict.jobs)
            edges = {(dag.names[a], dag.names[b]) for a, b in zip(dag.tails.tolist(), dag.heads.tolist(), strict=True)}
            assert edges == {(a.decode(), b.decode()) for a, b in verdict.edges}
