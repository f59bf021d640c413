"""Draw the pictures of theory.md with eligo.report, from the names that the page's own session makes.

    python docs/draw_pictures.py [DIRECTORY]

So a picture shows what the text speaks of, or the script fails. Files are equal for equal versions of matplotlib.
"""

from __future__ import annotations

import doctest
import os
import re
import sys
import tempfile
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from eligo import graph, report
from eligo.dag import Dag
from eligo.priority._bounds import cuts
from eligo.schedule import Schedule

HERE = Path(__file__).resolve().parent
OPTIONS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


def session(page: Path) -> doctest.DocTest:
    """Return what stands between the fences of a page as one session; lines keep their numbers."""
    lines, inside = [], False
    for line in page.read_text(encoding="utf-8").splitlines():
        fence = line.startswith("```")
        lines.append(line if inside and not fence else "")
        inside ^= fence
    text = "\n".join(lines) + "\n"
    return doctest.DocTestParser().get_doctest(text, {}, page.name, str(page), 0)


def run(test: doctest.DocTest) -> tuple[int, dict[str, Any]]:
    """Run a session in an empty directory; return the number of failures and the names it made."""
    runner, home = doctest.DocTestRunner(optionflags=OPTIONS), Path.cwd()
    with tempfile.TemporaryDirectory() as empty:
        os.chdir(empty)
        try:
            return runner.run(test, clear_globs=False).failed, test.globs
        finally:
            os.chdir(home)


def pictures(page: SimpleNamespace) -> Iterator[tuple[str, Any]]:
    """Yield the name and the figure of every picture."""
    yield "game", report.draw_game(page.fifo, [0, 4, 6], title="first in, first out", columns=3)
    yield "profiles", report.plot_profiles({"good": page.good, "fifo": page.fifo})
    dags = [page.generate.mesh(levels=page.mesh.levels), page.trees[1].dag, page.ffts[1].dag]
    yield "families", side_by_side({page.families.recognise(dag).describe(): dag for dag in dags})
    parts = {part.recognised.describe(): part.jobs for part in page.families.find_parts(page.pair)}
    yield "parts", report.draw_dag(page.pair, groups=parts)
    blocks = list(zip(page.named, page.planned, strict=True))
    for number, some in enumerate((blocks[:3], blocks[3:]), 1):
        yield f"blocks-{number}", side_by_side({plan.kind: dag for dag, plan in some}, [steps(*one) for one in some])
    yield "outdegree", outdegree(page)
    yield "decomposition", decomposition(page)
    for name, found, names in (
        ("sweep", page.turns, ("first dag, B1", "second dag, B2")),
        ("sweep-fails", page.stuck, ("a → b", "p, q → x, y")),
    ):
        yield name, report.plot_sweep(found.e1, found.e2, path(found.steps), names=names)
    yield "duality", duality(page.strand, page.dual)
    yield "series", in_series(page.airsn)


def side_by_side(dags: dict[str, Dag], labels: list[list[str]] | None = None) -> Any:
    """Draw several dags as one, each a group."""
    ends = np.cumsum([0, *(dag.n for dag in dags.values())])
    groups = {name: range(*ends_of) for name, ends_of in zip(dags, pairwise(ends), strict=True)}
    shown = "none" if labels is None else [label for some in labels for label in some]
    return report.draw_dag(graph.sum_of(list(dags.values())), groups=groups, labels=shown)


def steps(dag: Dag, plan: Any) -> list[str]:
    """Number the sources of a block by the order in which they are executed."""
    labels = [""] * dag.n
    for step, source in enumerate(graph.sources(dag)[plan.order], 1):
        labels[source] = str(step)
    return labels


def outdegree(page: SimpleNamespace) -> Any:
    """Draw the block after the first step by outdegree, and beside it after ours."""
    both = graph.sum_of([page.block, page.block])
    n = page.block.n
    executed = [page.by_outdegree[0], n + page.ours.order[0]]
    return report.draw_dag(both, executed=executed, labels=[*page.block.names, *page.block.names])


def decomposition(page: SimpleNamespace) -> Any:
    """Draw a dag with its blocks."""
    groups = {}
    for number in range(page.blocks.count):
        kind = page.schedule_block(page.blocks.bipartite_of(number)).kind
        groups[f"{number}: {kind}"] = np.union1d(page.blocks.nonsinks_of(number), page.blocks.heads_of(number))
    return report.draw_dag(page.whole, groups=groups, labels="none")


def path(turns: Any) -> list[tuple[int, int]] | None:
    """Return the fields that a path of steps down (0) and right (1) goes through."""
    if turns is None:
        return None
    right = np.concatenate(([0], np.cumsum(turns)))
    return [(t - int(j), int(j)) for t, j in enumerate(right)]


def duality(schedule: Schedule, dual: Schedule) -> Any:
    """Draw a dag and its dual, numbered by step, with the same colour for each packet in both."""
    dag, n = schedule.dag, schedule.dag.n
    place = n - schedule.priorities
    packets: dict[str, list[int]] = {}
    for job in np.argsort(place).tolist():
        ready = max((int(place[parent]) + 1 for parent in dag.parents(job)), default=0)
        packets.setdefault(f"packet of step {ready}" if ready else "sources", []).extend([job, n + job])
    numbers = [*(place + 1), *(n + 1 - dual.priorities)]
    groups = {name: packets[name] for name in sorted(packets, key=lambda name: (name != "sources", name))}
    return report.draw_dag(graph.sum_of([dag, dual.dag]), groups=groups, labels=[str(number) for number in numbers])


def in_series(dag: Dag) -> Any:
    """Draw a dag with the parts between its cuts."""
    ends = [0, *cuts(dag).tolist(), dag.n]
    groups = {f"part {i}": dag.order[a:b] for i, (a, b) in enumerate(pairwise(ends), 1)}
    return report.draw_dag(dag, groups=groups)


def main(directory: Path) -> int:
    """Draw all pictures into a directory; return the exit status."""
    failed, names = run(session(HERE / "theory.md"))
    if failed:
        return 1
    directory.mkdir(parents=True, exist_ok=True)
    for name, figure in pictures(SimpleNamespace(**names)):
        file = directory / f"{name}.svg"
        report.save(figure, file)
        # Hundredths of a point are enough, and halve the file.
        file.write_text(re.sub(r"(\.\d\d)\d+", r"\1", file.read_text(encoding="utf-8")), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE / "pictures"))
