"""Small tables of facts, with one look."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from eligo.cli.messages import printable

__all__ = ["grid", "number", "per_cent", "plural", "table"]


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


def number(value: int) -> str:
    """Return a number with thousands commas."""
    return f"{value:,}"


def plural(count: int, noun: str) -> str:
    """Return a number and what it counts.

    Examples
    --------
    >>> plural(1, "job"), plural(1_000, "job"), plural(2, "datum"), plural(2, "class"), plural(3, "dependency")
    ('1 job', '1,000 jobs', '2 data', '2 classes', '3 dependencies')
    """
    if count != 1:
        noun = "data" if noun == "datum" else _several(noun)
    return f"{count:,} {noun}"


def _several(noun: str) -> str:
    if noun.endswith("y"):
        return f"{noun[:-1]}ies"
    return f"{noun}es" if noun.endswith("s") else f"{noun}s"


def per_cent(fraction: float) -> str:
    """Return a fraction in per cent; only nothing is shown as nothing.

    Examples
    --------
    >>> per_cent(0.1234), per_cent(1e-6), per_cent(0.0), per_cent(2.5)
    ('12.3 %', 'under 0.1 %', '0 %', '250.0 %')
    """
    if fraction == 0:
        return "0 %"
    return f"{100 * fraction:.1f} %" if fraction >= 0.001 else "under 0.1 %"
