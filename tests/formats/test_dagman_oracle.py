"""Our reader against the real DAGMan: the same verdict, the same jobs, the same edges, on random files.

Three differences are meant and left out: what only HTCondor 25 takes, directories of a JOB's DIR that do not exist
(23.9 looks, 25 does not), and files of which 23.9 dies of an assertion instead of judging them (any DONE command, and
some repeated edges).
"""

from __future__ import annotations

import random
from collections.abc import Collection
from pathlib import Path

import pytest

from eligo.dag import Dag
from eligo.errors import EligoError
from eligo.formats import _dagman as dagman
from eligo.formats import open_document
from eligo.formats._base import Document, Notes
from eligo.graph import remove_shortcuts
from tests.reference.dagman_oracle import Verdict, ask, need_oracle
from tests.reference.dagman_random import Files, is_newer, random_case

pytestmark = pytest.mark.engine


def _bytes(name: str) -> bytes:
    return name.encode("utf-8", "surrogateescape")


def edges_of(dag: Dag) -> set[tuple[bytes, bytes]]:
    names = [_bytes(name) for name in dag.names]
    return {(names[a], names[b]) for a, b in zip(dag.tails.tolist(), dag.heads.tolist(), strict=True)}


def write_case(folder: Path, files: Files) -> Path:
    folder.mkdir()
    for name, data in files.items():
        (folder / name).write_bytes(data)
    return folder / "x.dag"


def read(path: Path) -> Document | None:
    try:
        return open_document(path, format="dagman")
    except EligoError:
        return None


def same(verdict: Verdict, document: Document | None) -> bool:
    if document is None or not verdict.accepted:
        return (document is None) == (not verdict.accepted)
    provisioners = {_bytes(node.name) for node in document.details.others() if node.kind == "provisioner"}
    jobs = set(verdict.jobs) - provisioners  # a rescue DAG lists them as jobs
    return jobs == set(map(_bytes, document.dag.names)) and verdict.edges == edges_of(document.dag)


def no_verdict(verdict: Verdict, files: Files) -> bool:
    died = "Assertion ERROR" in verdict.log or "can't change to directory" in verdict.log
    return not verdict.accepted and (died or is_newer(files))


def compare(tmp_path: Path, first: int, count: int) -> None:
    need_oracle()
    cases = [random_case(random.Random(seed)) for seed in range(first, first + count)]
    paths = [write_case(tmp_path / str(i), files) for i, files in enumerate(cases)]
    accepted = 0
    for seed, (files, path, verdict) in enumerate(zip(cases, paths, ask(paths), strict=True), first):
        document = read(path)
        accepted += verdict.accepted
        assert same(verdict, document) or no_verdict(verdict, files), f"seed {seed}: {verdict} {document} {files}"
    assert count / 5 < accepted < count * 4 / 5, "the cases should neither all pass nor all fail"


def test_random_files(tmp_path: Path) -> None:
    compare(tmp_path, 0, 150)


@pytest.mark.long
def test_more_random_files(tmp_path: Path) -> None:
    compare(tmp_path, 1_000_000, 5_000)


def test_flattened_files_say_the_same(tmp_path: Path) -> None:
    """A flattened DAG has the same jobs, by their new names, the same edges and the same words about each job."""
    need_oracle()
    documents = []
    seed = 0
    while len(documents) < 60:
        seed += 1
        files = random_case(random.Random(seed))
        path = write_case(tmp_path / str(seed), files)
        document = read(path)
        if document is not None and (len(files) > 1 or seed % 4 == 0):
            documents.append((path, document))
    flats = []
    for path, document in documents:
        flat = path.with_name("flat.dag")
        flat.write_bytes(dagman.flatten(document).encode("utf-8", "surrogateescape"))
        flats.append(flat)
    for (path, document), flat, verdict in zip(documents, flats, ask(flats), strict=True):
        again = read(flat)
        assert again is not None, (path, flat.read_text(errors="replace"))
        assert verdict.accepted or "Assertion ERROR" in verdict.log, (flat.read_bytes(), verdict.log[-3000:])
        assert same(verdict, again) or not verdict.accepted
        assert again.dag.names == tuple(dagman.flat_names(document))
        assert (again.dag.succ == document.dag.succ).all()
        for index in range(document.dag.n):
            assert described(document, index) == described(again, index)


def test_reduced_files_keep_the_order(tmp_path: Path) -> None:
    """DAGMan reads fewer edges from a reduced file, and the same job comes before the same job."""
    need_oracle()
    documents = []
    seed = 0
    while len(documents) < 40:
        seed += 1
        path = write_case(tmp_path / str(seed), random_case(random.Random(seed)))
        document = read(path)
        if document is not None and remove_shortcuts(document.dag).m < document.dag.m:
            path.write_bytes(
                dagman.flatten(document, remove_shortcuts(document.dag)).encode("utf-8", "surrogateescape")
            )
            documents.append((path, document))
    judged = 0
    for (path, document), verdict in zip(documents, ask([path for path, _ in documents]), strict=True):
        if "Assertion ERROR" in verdict.log:
            continue
        judged += 1
        assert verdict.accepted, (path.read_bytes(), verdict.log[-3000:])
        names = [_bytes(name) for name in dagman.flat_names(document)]
        edges = {
            (names[a], names[b]) for a, b in zip(document.dag.tails.tolist(), document.dag.heads.tolist(), strict=True)
        }
        assert verdict.edges < edges
        assert closure(verdict.edges) == closure(edges)
    assert judged > len(documents) / 2


def closure(edges: Collection[tuple[bytes, bytes]]) -> set[tuple[bytes, bytes]]:
    reached = set(edges)
    while more := {(a, c) for a, b in reached for b2, c in edges if b == b2} - reached:
        reached |= more
    return reached


def described(document: Document, index: int) -> tuple[object, ...]:
    node = document.details.job(index)
    inline = node.inline if node.inline is None else node.inline.strip()
    return (
        node.kind,
        inline if node.inline is not None else node.submit,
        node.directory,
        node.noop,
        node.done,
        set(node.vars),
        node.priority,
        node.retry,
        set(node.scripts),
        node.category,
        node.pre_skip,
        node.abort_dag_on,
        node.tolerance,
    )


def test_written_files_are_read_by_dagman(tmp_path: Path) -> None:
    need_oracle()
    rng = random.Random(5)
    alphabet = [
        "a",
        "b c",
        "S+x",
        "PARENT",
        "child",
        "",
        'q"',
        "\\",
        "é",
        "\t",
        "x=y",
        "'",
        "{",
        "@=z",
        "#",
        "//",
        "a.b",
        "-",
        "\r",
    ]
    dags, paths = [], []
    for i in range(40):
        names = rng.sample(alphabet, rng.randint(0, len(alphabet)))
        pairs = [(a, b) for b in range(len(names)) for a in range(b) if rng.random() < 0.3]
        times = [rng.choice([float("nan"), 0.5, 3.0]) for _ in names]
        dags.append(Dag.from_edges(names, [a for a, _ in pairs], [b for _, b in pairs], time_s=times))
        path = tmp_path / f"{i}.dag"
        path.write_text("".join(dagman.generate(dags[-1], Notes())), newline="")
        paths.append(path)
    for dag, path, verdict in zip(dags, paths, ask(paths), strict=True):
        document = read(path)
        assert document is not None
        assert verdict.accepted, verdict.log[-2000:]
        assert same(verdict, document)
        assert (document.dag.succ == dag.succ).all()
        assert (document.dag.succ_ptr == dag.succ_ptr).all()
