"""Small workflows with sizes, and what tests of ``memory`` and ``limit`` do with them."""

from __future__ import annotations

import json
from pathlib import Path

from eligo import Dag, Data, write
from eligo._cli import main

# Four chains of two jobs, between a first and a last one:
#
#            .-> a0 -> b0 -.
#     first -+-> a1 -> b1 -+-> last
#            +-> a2 -> b2 -+
#            '-> a3 -> b3 -'
CHAINS = 4
TAILS = ["first"] * CHAINS + [f"a{i}" for i in range(CHAINS)] + [f"b{i}" for i in range(CHAINS)]
HEADS = [f"a{i}" for i in range(CHAINS)] + [f"b{i}" for i in range(CHAINS)] + ["last"] * CHAINS
TABLE = "job,time_s,output_bytes\n" + "".join(
    f"{name},{time},{size}\n"
    for name, time, size in [
        ("first", 1, 0),
        *((f"a{i}", 6 if i == 3 else 1, 1000 * (1 + i)) for i in range(CHAINS)),
        *((f"b{i}", 1, 10) for i in range(CHAINS)),
        ("last", 1, 5),
    ]
)
FORMATS = ("dag", "json", "yml", "dot")


def chains() -> Dag:
    """The dag above without sizes."""
    return Dag.from_names(list(zip(TAILS, HEADS, strict=True)))


def with_files() -> Dag:
    """The dag above with files of the table's sizes and times."""
    dag = chains()
    rows = [line.split(",") for line in TABLE.splitlines()[1:]]
    producers = [dag.index(name) for name, _, _ in rows]
    readers = [dag.children(job).tolist() for job in producers]
    data = Data.build([int(size) for *_, size in rows], producers, readers, [f"{name}.out" for name, *_ in rows])
    time = [0.0] * dag.n
    for name, seconds, _ in rows:
        time[dag.index(name)] = float(seconds)
    return dag.with_known(data=data, time_s=time)


def make(folder: Path, suffix: str) -> list[str]:
    """Write the workflow in a format; return the words that name it, with a table of sizes where it needs one."""
    file = folder / f"chains.{suffix}"
    if suffix in ("json", "yml"):
        write(with_files(), file)
        return [str(file)]
    write(chains(), file)
    (folder / "sizes.csv").write_text(TABLE)
    return [str(file), "--job-data", str(folder / "sizes.csv")]


def run(*words: object, status: int = 0) -> None:
    assert main([str(word) for word in words]) == status


def facts(capsys, *words: object) -> dict:
    capsys.readouterr()
    run(*words, "--json")
    found = json.loads(capsys.readouterr().out)
    assert isinstance(found, dict)
    return found
