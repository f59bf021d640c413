"""The real DAGMan as an oracle: what it makes of a DAG file, many files in one entry into the pool.

``pool check`` enters the pool afresh for every file; here one shell inside the pool runs DAGMan on a list of files,
which takes about 60 ms a file. DAGMan is asked to parse, to look for cycles, to write what it understood as a rescue
DAG, and to exit; nothing is submitted. Join nodes are off, so the edges are those the file states.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests.reference.condor_pool import need_pool, run_in_pool

_SHARED_WITH_POOL = Path(tempfile.gettempdir())

_BATCH = r"""
version=$(condor_version | head -n 1)
export _CONDOR_MAX_DAGMAN_LOG=0 _CONDOR_DAGMAN_USE_JOIN_NODES=False _CONDOR_DAGMAN_STARTUP_CYCLE_DETECT=True
i=0
while IFS= read -r file; do
    out=$2/$i
    mkdir "$out"
    ln -s "$file" "$out/dag"
    cd "$(dirname "$file")"
    _CONDOR_DAGMAN_LOG=$out/log timeout 20 condor_dagman -p 0 -f -l . -Lockfile "$out/lock" -AutoRescue 0 \
        -DoRescueFrom 0 -Dag "$out/dag" -CsdVersion "$version" -DumpRescue -dagman /usr/bin/condor_dagman \
        >/dev/null 2>&1
    echo $? >"$out/rc"
    i=$((i + 1))
done <"$1"
"""


@dataclass(frozen=True)
class Verdict:
    """What DAGMan said of one file."""

    accepted: bool
    jobs: tuple[bytes, ...] = ()
    """Names as flattened, in DAGMan's order; FINAL, PROVISIONER and SERVICE nodes are not among them."""
    edges: frozenset[tuple[bytes, bytes]] = frozenset()
    others: tuple[tuple[bytes, bytes], ...] = ()
    """(kind, name) of the nodes outside the graph."""
    lines: tuple[bytes, ...] = field(default=(), repr=False)
    log: str = field(default="", repr=False)


def need_oracle() -> None:
    """Skip the calling test where there is no real DAGMan."""
    need_pool()


def ask(files: Sequence[Path]) -> list[Verdict]:
    """Return what DAGMan makes of each file, run in the file's own directory."""
    work = Path(tempfile.mkdtemp(prefix="eligo-oracle-", dir=_SHARED_WITH_POOL))
    try:
        (work / "out").mkdir()
        (work / "batch.sh").write_text(_BATCH)
        (work / "list").write_bytes(b"".join(os.fsencode(file) + b"\n" for file in files))
        batch = ["bash", work / "batch.sh", work / "list", work / "out"]
        run_in_pool(batch, work, timeout_s=30 + 2 * len(files))
        return [_verdict(work / "out" / str(i)) for i in range(len(files))]
    finally:
        shutil.rmtree(work, ignore_errors=True)


def _verdict(out: Path) -> Verdict:
    log = (out / "log").read_text(errors="replace") if (out / "log").exists() else ""
    rescue = out / "dag.rescue001"
    if int((out / "rc").read_text()) != 0 or not rescue.exists():
        return Verdict(False, log=log)
    lines = [line for line in rescue.read_bytes().split(b"\n") if line and not line.startswith(b"#")]
    jobs, others, edges = [], [], set()
    for line in lines:
        words = [word for word in line.split(b" ") if word]
        if words[0] == b"JOB":
            jobs.append(words[1])
        elif words[0] == b"SUBDAG":
            jobs.append(words[2])
        elif words[0] in (b"FINAL", b"PROVISIONER", b"SERVICE"):
            others.append((words[0], words[1]))
        elif words[0] == b"PARENT":
            middle = words.index(b"CHILD", 2)
            edges |= {(parent, child) for parent in words[1:middle] for child in words[middle + 1 :]}
    return Verdict(True, tuple(jobs), frozenset(edges), tuple(others), tuple(lines), log)
