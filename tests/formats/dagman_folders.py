"""DAG files with all that belongs to them, in a directory, on their way to priorities and back."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np

from eligo.dag import Int32
from eligo.errors import EligoError
from eligo.formats import open_document
from eligo.formats._base import Document
from eligo.formats._editing import Instrumented
from tests.reference.dagman_random import random_case

_SUBMIT_LINES = [
    "executable = x",
    "priority = 7",
    "Priority=-3",
    "prio = 5",
    "JobPrio = 6",
    "+JobPrio = 8",
    "MY.jobprio = 9",
    "priority = $(jobpriority)",
    "PRIORITY = $(JobPriority:4)",
    "jobpriority = 11",
    "# priority = 12",
    "arguments = \u00e9",
]
_SUBMITS = ["j.sub", "a.sub", "b.sub", "dir/j.sub", "my job.sub", "i.sub", "d/j.sub", "7.sub"]


def random_folder(folder: Path, seed: int, *, newer: bool = True) -> Document | None:
    """Write a random DAG with its submit files, and read it; ``None`` where DAGMan would not take it."""
    rng = random.Random(seed)
    files = random_case(rng, newer=newer)
    for name in rng.sample(_SUBMITS, rng.randint(0, len(_SUBMITS))):
        files[name] = _random_submit(rng)
    files["x.dag"] = _with_priorities(files["x.dag"], rng)
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return read(folder / "x.dag")


def _random_submit(rng: random.Random) -> bytes:
    lines = rng.sample(_SUBMIT_LINES, rng.choice([1, 1, 2, 3]))
    lines += rng.choice([["queue"], ["queue"], ["Queue 1"], [], ["queue", "executable = y", "queue"]])
    text = "\n".join(lines) + rng.choice(["\n", "\n", ""])
    return text.replace("\n", rng.choice(["\n", "\n", "\r\n"])).encode("utf-8" if rng.random() < 0.7 else "latin-1")


def _with_priorities(data: bytes, rng: random.Random) -> bytes:
    """Add a few lines about priorities where the file ends, as one that has jobs may have them."""
    end = b"\r\n" if b"\r\n" in data else b"\n"
    more = [
        b"PRIORITY a 3",
        b"priority  b\t-4",
        b"PRIORITY ALL_NODES 2",
        b"PRIORITY c \\" + end + b" 5",
        b'VARS a jobpriority="13"',
        b'VARS b x="1" jobpriority="14"',
        b'VARS ALL_NODES JobPriority="15"',
        b'VARS a priority="16"',
        b'VARS b +JobPrio="17"',
        b"# a comment",
        *(_inline(b"JOB in%d {" % number, rng, end) for number in range(3)),
        _inline(b"SUBMIT-DESCRIPTION j.sub {", rng, end),
        _inline(b"JOB in3 @=END", rng, end),
    ]
    known = [line for line in more if b"ALL_NODES" in line or b"# " in line or _known(data, line)]
    lines = rng.sample(known, min(len(known), rng.choice([0, 0, 1, 2, 3])))
    if not lines or not data.endswith(b"\n") or data.rstrip().endswith(b"\\"):
        return data
    return data + end.join(lines) + rng.choice([end, end, b""])


def _inline(opening: bytes, rng: random.Random, end: bytes) -> bytes:
    lines = [line.encode() for line in rng.sample(_SUBMIT_LINES, rng.choice([0, 1, 1, 2]))]
    return end.join([opening, *lines, b"@END" if b"@" in opening else b"}"])


def _known(data: bytes, line: bytes) -> bool:
    """Tell whether a line defines something or is about a job that a file defines."""
    keyword, name = line.split()[:2]
    return keyword in (b"JOB", b"SUBMIT-DESCRIPTION") or any(
        words.split()[:2] == [b"JOB", name] for words in data.split(b"\n")
    )


def read(path: Path, **options: bool) -> Document | None:
    try:
        return open_document(path, format="dagman", **options)
    except EligoError:
        return None


def reread(path: Path, **options: bool) -> Document:
    return open_document(path, format="dagman", **options)


def some_priorities(document: Document, seed: int = 0) -> Int32:
    return np.random.default_rng(seed).permutation(document.dag.n).astype(np.int32) + np.int32(1)


def put(path: Path, result: Instrumented) -> None:
    """Write a result to where it belongs."""
    path.write_bytes(result.data)
    for change in result.others:
        Path(change.path).write_bytes(change.data)


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}
