"""One row per release: ``python -m benchmarks.quality.releases [--record]``.

Today's figures beside those of every release, which stand in ``releases.tsv``. Where one is worse than the last that
was recorded, by more than the noise that was recorded with it, the exit status is 1. ``--record`` writes today's row
for the present version, in the place of an older one of the same version; it says what is worse all the same, so that
nobody takes a loss without noticing.

The table: a row a release with version, commit, date and Python, then a column for each figure of
``release_figures.py``. A cell is a value, or a value and its noise: ``0.8398±0.0035``. An empty cell was not measured,
such as those of real workflows where these are not there, and is not compared. The commit is the one that was checked
out, and it is said where Eligo's files had been changed since.
"""

from __future__ import annotations

import argparse
import datetime
import math
import platform
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import eligo
from benchmarks.measure import print_table
from benchmarks.quality.release_figures import FIGURES, Figure, Measured, measure
from eligo._atomic_files import replace_whole
from eligo.errors import ParseError
from eligo_papers.origin import find_origin

__all__ = ["FILE", "Release", "compare", "main", "read_releases", "today", "with_release", "write_releases"]

FILE = Path(__file__).with_suffix(".tsv")
_ABOUT = ("version", "commit", "date", "python")
_DIGITS = 5


@dataclass(frozen=True, slots=True)
class Release:
    """What was measured of one version.

    Attributes
    ----------
    version, commit, date, python
        Of what, when, and by which Python (``3.11``).
    figures
        By name; those that were not measured are not there.
    """

    version: str
    commit: str
    date: str
    python: str
    figures: Mapping[str, Measured]


def read_releases(file: Path = FILE) -> list[Release]:
    """Return the releases of a table, the oldest first; none where there is no table yet.

    Raises
    ------
    ParseError
        The table is malformed.
    """
    if not file.exists():
        return []
    lines = file.read_text(encoding="utf-8").splitlines()
    header = lines[0].split("\t") if lines else []
    if tuple(header[: len(_ABOUT)]) != _ABOUT:
        raise ParseError(str(file), 1, f"the first columns must be {', '.join(_ABOUT)}")
    if len(set(header)) < len(header):
        raise ParseError(str(file), 1, "two columns have the same name")
    found: dict[str, Release] = {}
    for number, line in enumerate(lines[1:], 2):
        cells = line.split("\t")
        if len(cells) != len(header):
            raise ParseError(str(file), number, f"{len(cells)} cells for {len(header)} columns")
        version, commit, date, python = cells[: len(_ABOUT)]
        if version in found:
            raise ParseError(str(file), number, f"version {version} has a row already")
        columns = zip(header[len(_ABOUT) :], cells[len(_ABOUT) :], strict=True)
        figures = {name: _parsed(cell, name, file, number) for name, cell in columns if cell}
        found[version] = Release(version, commit, date, python, figures)
    return list(found.values())


def _parsed(cell: str, name: str, file: Path, line: int) -> Measured:
    value, _, noise = cell.partition("±")
    try:
        measured = Measured(float(value), float(noise) if "±" in cell else 0.0)
    except ValueError:
        raise ParseError(str(file), line, f"{name} is {cell!r}", hint="a number, or two with ± between them") from None
    if not all(map(math.isfinite, measured)) or measured.noise < 0:
        raise ParseError(str(file), line, f"{name} is {cell!r}", hint="numbers must be finite, noise not negative")
    return measured


def write_releases(releases: Sequence[Release], file: Path = FILE) -> None:
    """Write the table."""
    columns = _columns(releases)
    rows = [[*_ABOUT, *columns], *(_cells(release, columns) for release in releases)]
    replace_whole(file, ["\t".join(row).encode() + b"\n" for row in rows])


def _columns(releases: Sequence[Release]) -> list[str]:
    """Return the names of all figures: those of today, then those that only older rows have."""
    return list(dict.fromkeys([*FIGURES, *(name for release in releases for name in release.figures)]))


def _cells(release: Release, columns: Sequence[str]) -> list[str]:
    about = [release.version, release.commit, release.date, release.python]
    return about + [_cell(release.figures[name]) if name in release.figures else "" for name in columns]


def _cell(measured: Measured) -> str:
    told = f"{measured.value:.{_DIGITS}g}"
    return f"{told}±{measured.noise:.2g}" if measured.noise else told


def with_release(releases: Sequence[Release], new: Release) -> list[Release]:
    """Return the releases with one more, in the place of one with the same version."""
    if new.version in [release.version for release in releases]:
        return [new if release.version == new.version else release for release in releases]
    return [*releases, new]


def compare(releases: Sequence[Release], new: Release, figures: Mapping[str, Figure] = FIGURES) -> list[str]:
    """Return what is worse than when it was last recorded, by more than the noise recorded with it: a line each.

    Figures that were never recorded, or not measured now, are not compared, and those of speed only with the same
    Python's.
    """
    worse = []
    for name, figure in figures.items():
        if name not in new.figures:
            continue
        last = _last(releases, name, new.python if figure.of_python else None)
        if last is None:
            continue
        before, now = last.figures[name], new.figures[name].value
        loss = before.value - now if figure.larger_is_better else now - before.value
        if loss > before.noise + _half_a_digit(before.value):
            better = "larger" if figure.larger_is_better else "smaller"
            worse.append(
                f"{name} is {now:.{_DIGITS}g} ({figure.unit}; {better} is better), worse than {_cell(before)}"
                f" of {last.version} by {loss:.2g}"
            )
    return worse


def _last(releases: Sequence[Release], name: str, python: str | None) -> Release | None:
    """Return the last release that has a figure, and has it by this Python."""
    for release in reversed(releases):
        if name in release.figures and python in (None, release.python):
            return release
    return None


def _half_a_digit(value: float) -> float:
    """Return what a value may lose when it is written into the table."""
    return 0.5 * 10.0 ** (math.floor(math.log10(abs(value))) - _DIGITS + 1) if value else 0.0


def today(figures: Mapping[str, Measured]) -> Release:
    """Return the row of what is checked out here, now."""
    python = ".".join(platform.python_version_tuple()[:2])
    return Release(eligo.__version__, find_origin().commit or "-", datetime.date.today().isoformat(), python, figures)


def _print(releases: Sequence[Release], new: Release) -> None:
    """Print all rows and today's; below, the noise of today's, and which way is better."""
    columns = _columns([*releases, new])
    rows = [[cell.partition("±")[0] for cell in _cells(release, columns)] for release in (*releases, new)]
    rows[-1][0] += ", today"
    noise = [f"{new.figures[name].noise:.2g}" if name in new.figures else "" for name in columns]
    better = [
        "" if name not in FIGURES else "larger" if FIGURES[name].larger_is_better else "smaller" for name in columns
    ]
    nothing = [""] * (len(_ABOUT) - 1)
    below = [["noise", *nothing, *noise], ["better is", *nothing, *better]]
    print_table("One row per release, and today", [*_ABOUT, *columns], [*rows, *below])


def main(words: Sequence[str] = (), file: Path = FILE) -> int:
    """Measure, print and compare; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.quality.releases", description="One row per release.")
    parser.add_argument("--record", action="store_true", help="write today's row for the present version")
    record: bool = parser.parse_args(list(words)).record
    releases = read_releases(file)
    new = today(measure())
    _print(releases, new)
    worse = compare(releases, new)
    for line in worse:
        print(f"\nworse: {line}")
    if not worse:
        print("\nNothing is worse than when it was last recorded, by more than its noise.")
    if record:
        write_releases(with_release(releases, new), file)
        print(f"\n{file.name} has a row for {new.version}.")
    return 1 if worse else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
