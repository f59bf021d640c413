"""Small tables of facts, with one look."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from eligo._humanize import printable

__all__ = ["grid", "table"]


def table(title: str, rows: Iterable[tuple[str, str, str]]) -> str:
    """Return a title and rows of a name, a value and a remark.

    Examples
    --------
    >>> print(table("a.dag", [("jobs", "12", "3 sources"), ("levels", "4", "")]))
    a.dag
      jobs           12   3 sources
      levels          4
    """
    rows = list(rows)
    width = max(len(value) for _, value, _ in rows)
    lines = [f"  {name:<14} {value:>{width}}   {remark}".rstrip() for name, value, remark in rows]
    return "\n".join(map(printable, [title, *lines]))


def grid(titles: Sequence[str], rows: Iterable[Sequence[str]], words: int = 0) -> str:
    """Return rows under titles, in columns that end at one place; the last few, with words in them, begin at one.

    Examples
    --------
    >>> print(grid(("limit", "edges", "method"), [("9 kB", "12", "auto"), ("10.5 kB", "3", "none")], words=1))
        limit  edges  method
         9 kB     12  auto
      10.5 kB      3  none
    """
    lines = [tuple(titles), *map(tuple, rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    turned = [str.rjust] * (len(widths) - words) + [str.ljust] * words
    placed = [
        [turn(*cell) for turn, cell in zip(turned, zip(line, widths, strict=True), strict=True)] for line in lines
    ]
    return "\n".join(printable(f"  {'  '.join(cells)}".rstrip()) for cells in placed)
