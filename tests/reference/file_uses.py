"""Plain-Python twin of eligo.formats._data_edges: the rules as loops over jobs and files, without arrays."""

from __future__ import annotations

from collections.abc import Iterable

Use = tuple[int, str, str, int | None]  # job, "r" or "w", file, stated size


def implied(uses: Iterable[Use]) -> set[tuple[int, int]]:
    """Every producer of a file with every reader of it, but not with itself."""
    uses = list(uses)
    return {
        (writer, reader)
        for writer, kind, file, _ in uses
        if kind == "w"
        for reader, other, same, _ in uses
        if other == "r" and same == file and reader != writer
    }


def descendants(n: int, edges: set[tuple[int, int]]) -> list[set[int]]:
    """For each job the jobs that come after it."""
    below: list[set[int]] = [set() for _ in range(n)]
    for _ in range(n):
        for tail, head in edges:
            below[tail] |= {head} | below[head]
    return below


def data(n: int, edges: set[tuple[int, int]], uses: list[Use]) -> tuple[list[tuple[int, str, int, list[int]]], int]:
    """Return (producer, name, size, readers) of each datum in order, and how many readings were left out."""
    below = descendants(n, edges)
    rows = []
    left_out = 0
    for file in {use[2] for use in uses}:
        mine = [use for use in uses if use[2] == file]
        writers = sorted({job for job, kind, _, _ in mine if kind == "w"})
        readers = sorted({job for job, kind, _, _ in mine if kind == "r"})
        stated = [size for _, _, _, size in mine if size is not None and size >= 0]
        first = stated[0] if stated else -1
        for writer in writers:
            own = [s for job, kind, _, s in mine if (job, kind) == (writer, "w") and s is not None and s >= 0]
            rows.append((writer, file, own[0] if own else first, [r for r in readers if r in below[writer]]))
        orphans = [r for r in readers if not any(r in below[w] for w in writers)]
        outside = [r for r in orphans if not writers or r in writers]
        left_out += len(orphans) - len(outside)
        if outside:
            rows.append((-1, file, first, outside))
    return sorted(rows), left_out
