"""Numbers, sizes, lengths of paths and names as people read them, in a terminal or on a page."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["amount", "duration", "growth", "length", "named", "number", "per_cent", "plural", "printable", "seconds"]
__all__ += ["short"]

_LONGEST_NAME = 40


def amount(value: int, unit: str) -> str:
    """Return what is occupied, in bytes or in something else.

    Examples
    --------
    >>> amount(1_234_567, "bytes"), amount(3, "pebbles"), amount(1, "pebbles")
    ('1.23 MB', '3 pebbles', '1 pebble')
    """
    from eligo.formats._numbers import format_size

    if unit == "bytes":
        return format_size(value)
    return f"{value:,} {unit.removesuffix('s') if value == 1 else unit}"


def seconds(value: float) -> str:
    """Return seconds, with the number of hours or days that people think in.

    Examples
    --------
    >>> seconds(1062.76), seconds(10_000)
    ('1,062.76 s', '10,000 s (2.8 h)')
    """
    for unit, size in (("d", 86_400), ("h", 3_600)):
        if value >= 2 * size:
            return f"{value:,.0f} s ({value / size:,.1f} {unit})"
    return f"{value:,.6g} s"


def duration(value: float) -> str:
    """Return how long something took, as exactly as people want to know.

    Examples
    --------
    >>> duration(0.0001), duration(0.0456), duration(1.2345), duration(75.5), duration(1062.76), duration(10_000)
    ('under 1 ms', '46 ms', '1.23 s', '75.5 s', '1,063 s', '10,000 s (2.8 h)')
    """
    thousandths = round(1000 * value)
    if thousandths < 1000:
        return f"{thousandths} ms" if thousandths else "under 1 ms"
    return f"{value:.3g} s" if value < 100 else seconds(round(value))


def length(value: float, in_seconds: bool) -> str:
    """Return the length of a path.

    Examples
    --------
    >>> length(12.5, True), length(3.0, False), length(1.0, False)
    ('12.5 s', '3 jobs', '1 job')
    """
    if in_seconds:
        return seconds(value)
    return "1 job" if value == 1 else f"{value:,.6g} jobs"


def growth(before: float, after: float) -> str:
    """Return by how much something grew or shrank.

    Examples
    --------
    >>> growth(100, 103.04), growth(100, 100), growth(0, 0), growth(100, 100.0001), growth(100, 98)
    ('+3.0 %', '+0 %', '+0 %', 'under +0.1 %', '-2.0 %')
    """
    more = 100 * (after / before - 1) if before > 0 else 0.0
    if more == 0:
        return "+0 %"
    if abs(more) < 0.1:
        return "under +0.1 %" if more > 0 else "under -0.1 %"
    return f"{more:+,.1f} %"


def short(name: str) -> str:
    """Return a name that fits a line.

    Examples
    --------
    >>> short("align"), len(short(100 * "x"))
    ('align', 40)
    """
    return name if len(name) <= _LONGEST_NAME else f"{name[:19]}…{name[-20:]}"


def named(names: Sequence[str], count: int, most: int) -> str:
    """Return the first of some names, and how many more there are.

    Examples
    --------
    >>> named(["a", "b", "c"], 7, 2)
    'a, b and 5 more'
    """
    shown = ", ".join(names[:most])
    return f"{shown} and {count - most:,} more" if count > most else shown


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


def printable(text: str, kept: str = "") -> str:
    r"""Show control characters, which could steer a terminal or break a line, as escapes; `kept` are left as they are.

    Examples
    --------
    >>> print(printable("a\x1b[31mb\n"))
    a\x1b[31mb\n
    """
    if text.isprintable():
        return text
    return "".join(
        c if c.isprintable() or c in kept else c.encode("unicode_escape", "surrogatepass").decode() for c in text
    )
