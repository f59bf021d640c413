"""The real DAGMan on files with our priorities: it takes them, says the same of the jobs, and hands the numbers on."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from eligo.formats._base import Document
from eligo.formats._dagman.priorities import flattened, instrument, uninstrument
from eligo.formats._editing import Wish
from tests.formats.dagman_folders import put, random_folder, reread, some_priorities
from tests.formats.test_dagman_instrument import attempt, prio, user_text
from tests.formats.test_dagman_oracle import no_verdict, same
from tests.reference.condor_pool import need_pool, run_dag, run_in_pool
from tests.reference.dagman_oracle import Verdict, ask, need_oracle

pytestmark = pytest.mark.engine


def random_documents(folder: Path, count: int, first: int) -> list[tuple[Path, Document]]:
    found = []
    seed = first
    while len(found) < count:
        seed += 1
        (folder / str(seed)).mkdir(parents=True)
        document = random_folder(folder / str(seed), seed, newer=False)
        if document is not None and document.dag.n:
            found.append((folder / str(seed) / "x.dag", document))
    return found


def told(verdict: Verdict, keyword: bytes) -> dict[bytes, bytes]:
    """The last word of each line with this keyword, by job."""
    words = [line.split() for line in verdict.lines]
    return {line[1]: line[-1] for line in words if line[0] == keyword}


@pytest.mark.parametrize("wish", [Wish(), Wish("vars"), Wish(replace=True), Wish("vars", replace=True)])
def test_random_files(tmp_path: Path, wish: Wish) -> None:
    """Taken where the original was taken, with the same jobs and edges and with our numbers."""
    need_oracle()
    cases = random_documents(tmp_path, 25, 5000)
    cases = [
        (path, flattened(document) if "+" in "".join(document.dag.names) else document) for path, document in cases
    ]
    results = [attempt(document, wish) for _, document in cases]
    pairs = [(path, document, result) for (path, document), result in zip(cases, results, strict=True) if result]
    paths = []
    for path, document, result in pairs:
        path.with_name("before.dag").write_bytes(document.source.data)
        put(path, result)
        paths += [path.with_name("before.dag"), path]
    verdicts = ask(paths)
    judged = 0
    for (path, document, _), before, after in zip(pairs, verdicts[::2], verdicts[1::2], strict=True):
        if no_verdict(before, {"x.dag": document.source.data}):
            continue
        judged += 1
        assert after.accepted, (path.read_bytes(), after.log[-2000:])
        assert (after.jobs, after.edges, after.others) == (before.jobs, before.edges, before.others)
        assert same(after, reread(path))
        again = reread(path)
        numbers = told(after, b"PRIORITY")
        for job in range(again.dag.n):
            node = again.details.job(job)
            name = node.name.encode("utf-8", "surrogateescape")
            assert int(numbers.get(name, 0)) == (node.priority or 0)
            if wish.style == "priority" and wish.replace:
                assert int(numbers[name]) == some_priorities(document)[job]
    assert judged >= 15


def test_two_lines_for_one_job(tmp_path: Path) -> None:
    """The last word counts: this is why our block may stand behind lines of the user's in included files."""
    need_oracle()
    path = tmp_path / "x.dag"
    path.write_text('JOB a s\nPRIORITY a 3\nPRIORITY ALL_NODES 4\nPRIORITY a 5\nVARS a j="3"\nVARS a APPEND j="4"\n')
    [verdict] = ask([path])
    assert told(verdict, b"PRIORITY") == {b"a": b"5"}
    assert b'j="4"' in told(verdict, b"VARS")[b"a"]


def test_unusual_last_lines(tmp_path: Path) -> None:
    need_oracle()
    paths = []
    for i, end in enumerate([b"", b"\\\n", b" \\\n  \\\n", b" \\\r\n", b"\n# a comment", b"\n# b \\", b"\r\n\\\r\n"]):
        path = tmp_path / f"{i}.dag"
        path.write_bytes(b"JOB a a.sub\nPARENT a CHILD b\nJOB b b.sub" + end)
        put(path, instrument(reread(path), np.array([2, 1], np.int32), Wish()))
        paths.append(path)
    for verdict in ask(paths):
        assert verdict.accepted, verdict.log[-2000:]
        assert told(verdict, b"PRIORITY") == {b"a": b"2", b"b": b"1"}


SUBMITS = {
    "none": "",
    "own": "priority = 77",
    "prio": "prio = 77",
    "plus": "+JobPrio = 77",
    "refers": "priority = $(jobpriority)",
    "both": "prio = 77\npriority = $(jobpriority)",
    "sets": "jobpriority = 66\npriority = $(jobpriority)",
}
MARKS = {"P": "PRIORITY {0} 5\n", "V": 'VARS {0} jobpriority="6"\n', "0": ""}
DIRECT = {
    "D": 'PRIORITY {0} 5\nVARS {0} priority="9"\n',
    "J": 'VARS {0} jobpriority="6"\nVARS {0} +JobPrio="9"\n',
    "A": 'VARS {0} APPEND priority="9"\n',
}


def write_real_jobs(folder: Path, marks: dict[str, str]) -> Path:
    """Every kind of submit description, as a file and inside, with every kind of line in the DAG."""
    lines = []
    for name, text in SUBMITS.items():
        body = f"executable = /bin/true\nlog = x.log\n{text}\n"
        (folder / f"{name}.sub").write_text(f"{body}queue\n")
        for mark, line in marks.items():
            lines.append(f"JOB {name}_{mark} {name}.sub\n" + line.format(f"{name}_{mark}"))
            lines.append(f"JOB {name}_{mark}_in {{\n{body}}}\n" + line.format(f"{name}_{mark}_in"))
    path = folder / "x.dag"
    path.write_text("".join(lines))
    return path


@pytest.mark.long
@pytest.mark.parametrize("wish", [None, Wish(), Wish("vars"), Wish(replace=True), Wish("vars", replace=True)])
def test_numbers_arrive_in_the_queue(tmp_path: Path, wish: Wish | None) -> None:
    """JobPrio is what ``reference/job_priority.py`` says, of the user's files and of ours."""
    need_pool()
    path = write_real_jobs(tmp_path, MARKS if wish == Wish("vars") else MARKS | DIRECT)
    before = path.read_bytes()
    numbers = some_priorities(reread(path)) + 100
    if wish is not None:
        put(path, instrument(reread(path), numbers, wish))
    run_dag(path)
    mine = f'Iwd=="{tmp_path}" && JobUniverse == 5'
    history = run_in_pool(["condor_history", "-constraint", mine, "-af", "DAGNodeName", "JobPrio"], tmp_path)
    found = {name: int(number) for name, number in (line.split() for line in history.splitlines())}
    document = reread(path)
    nodes = [document.details.job(job) for job in range(document.dag.n)]
    assert found == {node.name: prio(node, user_text(document, node) or "") for node in nodes}
    if wish is not None and wish.replace:
        assert [found[node.name] for node in nodes] == numbers.tolist()
    put(path, uninstrument(document))
    assert path.read_bytes() == before
