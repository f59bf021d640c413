"""What a reproduction is made of: a chapter for each paper, with checks, tables and pictures.

A *check* holds one printed statement against what comes out here. Where both differ, a sentence says why, and whose
fault it is: an *erratum* is a statement that is false, which the chapter shows; all else that differs (a graph that is
not public, a choice that the paper leaves open) is a *difference*. Where nothing that was tried explains it, it is
*open*, and the sentence says what was tried. A check that differs and has no sentence is *unexplained*: nobody has
looked at it yet, and the pages say so.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["AGREES", "DIFFERS", "ERRATUM", "OPEN", "UNEXPLAINED", "VERDICTS", "Chapter", "Check", "Picture", "Section"]
__all__ += ["Settings", "Step", "Table", "check"]

AGREES, ERRATUM, DIFFERS, OPEN, UNEXPLAINED = "agrees", "erratum", "differs", "open", "unexplained"
VERDICTS = {AGREES: "agree", ERRATUM: "errata", DIFFERS: "differ", OPEN: "open", UNEXPLAINED: "unexplained"}
"""What a check can come to, and how that is called of several."""
Scale = Literal["tiny", "quick", "full"]


@dataclass(frozen=True, slots=True)
class Settings:
    """What was asked for.

    Attributes
    ----------
    scale
        ``full`` is what the papers did, hours for some; ``quick`` takes minutes; ``tiny`` is for tests.
    data
        A folder with real workflows, or the papers' own graphs; ``None`` where only generated ones are used.
    """

    scale: Scale = "full"
    data: Path | None = None

    def pick(self, *, tiny: Any, quick: Any, full: Any) -> Any:
        """Return what fits the scale.

        Examples
        --------
        >>> Settings("quick").pick(tiny=1, quick=20, full=300)
        20
        """
        return {"tiny": tiny, "quick": quick, "full": full}[self.scale]


@dataclass(frozen=True, slots=True)
class Step:
    """A piece of work whose result is kept in a file, so that an interrupted reproduction goes on behind it.

    Attributes
    ----------
    name
        By which the chapter finds its result; unique within a chapter.
    run
        A function at the top of a module; what it returns is anything that JSON holds, and depends on `arguments` only.
    arguments
        Of `run`, by name; anything that JSON holds. Steps of several chapters that agree in both are done once.
    weight
        About how many seconds it takes, for the progress bar.
    alone
        Whether it measures time, so that nothing may run beside it.
    """

    name: str
    run: Callable[..., Any]
    arguments: Mapping[str, Any]
    weight: float = 1.0
    alone: bool = False


@dataclass(frozen=True, slots=True)
class Check:
    """A printed statement and what comes out here."""

    where: str
    what: str
    printed: str
    here: str
    verdict: str
    why: str = ""


def check(
    where: str,
    what: str,
    printed: object,
    here: object,
    *,
    erratum: str = "",
    because: str = "",
    tried: str = "",
    within: float = 0.0,
    shown: Callable[[Any], str] | None = None,
) -> Check:
    """Hold a printed value against one from here.

    Parameters
    ----------
    where, what
        The place in the paper, such as ``Table 2``, and what is stated there, in a few words.
    printed, here
        Numbers, or anything that can be compared and written.
    erratum, because, tried
        Why they differ if they do: the print is false, or something else is; or what was tried and does not explain it.
    within
        By what share of the printed number both may differ and yet agree.
    shown
        How both are written; by default numbers with commas, up to four digits behind the point.

    Examples
    --------
    >>> check("Table 2", "median of MONTAGE", 6.2, 6.14, within=0.05).verdict
    'agrees'
    >>> check("5.4", "E of F_3", 1, 5, erratum="the exponent is one too large").verdict
    'erratum'
    >>> check("Fig. 5", "priority of the bottleneck", 753, 752).verdict
    'unexplained'
    """
    write = shown or _written
    if _agree(printed, here, within):
        return Check(where, what, write(printed), write(here), AGREES)
    verdict = ERRATUM if erratum else DIFFERS if because else OPEN if tried else UNEXPLAINED
    return Check(where, what, write(printed), write(here), verdict, erratum or because or tried)


def _agree(printed: object, here: object, within: float) -> bool:
    if isinstance(printed, int | float) and isinstance(here, int | float):
        return math.isclose(printed, here, rel_tol=max(within, 1e-9), abs_tol=1e-12)
    if isinstance(printed, list | tuple) and isinstance(here, list | tuple):
        return len(printed) == len(here) and all(map(lambda a, b: _agree(a, b, within), printed, here))
    return printed == here


def _written(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:,.4f}".rstrip("0").rstrip(".") if math.isfinite(value) else "∞"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, list | tuple):
        return ", ".join(map(_written, value))
    return str(value)


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of text under titles; also written as CSV under its name."""

    name: str
    title: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    note: str = ""


@dataclass(frozen=True, slots=True)
class Picture:
    """A figure, drawn when it is written; the caption says what is to be seen on it."""

    name: str
    caption: str
    draw: Callable[[], Figure]


@dataclass(frozen=True, slots=True)
class Section:
    """A heading, and paragraphs, tables and pictures below it."""

    title: str
    parts: Sequence[str | Table | Picture]


@dataclass(frozen=True, slots=True)
class Chapter:
    """All that is shown of one paper.

    Attributes
    ----------
    name
        ``000`` and so on; the name of its page.
    title
        What it is about, in a few words.
    paper
        Authors, year and title; nothing where it is about no paper.
    about
        A paragraph on what is computed and what it comes to.
    """

    name: str
    title: str
    paper: str
    about: str
    checks: Sequence[Check]
    sections: Sequence[Section]

    def count(self, verdict: str) -> int:
        """Return how many checks came to that."""
        return sum(one.verdict == verdict for one in self.checks)
