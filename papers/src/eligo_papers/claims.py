"""Statements about many cases at once: in how many of them they hold."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from eligo_papers.chapter import Check, check

__all__ = ["Tally", "holds", "many"]

_LARGEST_WRITTEN = 10**12


class Tally:
    """Counts for each of several statements in how many cases it holds, and in how many it was looked at.

    Examples
    --------
    >>> tally = Tally()
    >>> for number in (2, 3, 4):
    ...     tally.note("even", number % 2 == 0)
    >>> tally.counts
    {'even': [2, 3]}
    """

    def __init__(self) -> None:
        self.counts: dict[str, list[int]] = {}

    def note(self, statement: str, holds_here: bool) -> None:
        """Count one case of a statement."""
        count = self.counts.setdefault(statement, [0, 0])
        count[0] += bool(holds_here)
        count[1] += 1

    def note_largest(self, statement: str, groups: Iterable[Sequence[tuple[int, bool]]]) -> None:
        """Count for each value that is marked whether it is the largest of its group."""
        for values in groups:
            largest = max(value for value, _ in values)
            for value in (value for value, marked in values if marked):
                self.note(statement, value == largest)

    def add(self, counts: Mapping[str, Sequence[int]]) -> None:
        """Add the counts of another tally."""
        for statement, (good, total) in counts.items():
            count = self.counts.setdefault(statement, [0, 0])
            count[0] += good
            count[1] += total

    @classmethod
    def of(cls, several: Iterable[Mapping[str, Sequence[int]]]) -> Tally:
        """Return the counts of several tallies, added up."""
        tally = cls()
        for counts in several:
            tally.add(counts)
        return tally


def holds(where: str, what: str, count: Sequence[int], *, erratum: str = "", because: str = "") -> Check:
    """Return the check of a statement that is printed as true of all cases.

    Parameters
    ----------
    count
        In how many cases it holds here, and how many there are.

    Examples
    --------
    >>> one = holds("Theorem 4.1", "IC-optimal if siblings follow each other", [7, 7])
    >>> one.printed, one.here, one.verdict
    ('all 7', 'all 7', 'agrees')
    >>> holds("Theorem 5.1", "paired schedules are IC-optimal", [0, 4], erratum="sinks must come last").here
    'none of 4'
    """
    good, total = count
    here = f"all {total:,}" if good == total else f"{many(good)} of {total:,}" if good else f"none of {total:,}"
    return check(where, what, f"all {total:,}", here, erratum=erratum, because=because)


def many(number: int) -> str:
    """Return a number as text, a very large one by its order of magnitude.

    Examples
    --------
    >>> many(1_536), many(273035280663535522487992320)
    ('1,536', '2.73e26')
    """
    if number < _LARGEST_WRITTEN:
        return f"{number:,}"
    digits, power = f"{number:.2e}".split("e+")
    return f"{digits}e{int(power)}"
