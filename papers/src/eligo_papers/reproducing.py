"""The verb: do what the studies need, make chapters of it, and write them."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from eligo.errors import EligoError
from eligo.simulation._executors import cores
from eligo_papers.chapter import Chapter, Settings, Step
from eligo_papers.origin import find_origin
from eligo_papers.pages import FOLDER, refuse_foreign, write_pages
from eligo_papers.running import run_steps
from eligo_papers.studies import STUDIES, StudyModule, load_study

__all__ = ["Reproduction", "reproduce"]


@dataclass(frozen=True, slots=True)
class Reproduction:
    """What was reproduced.

    Attributes
    ----------
    chapters
        One for each study.
    pages
        The pages about all of them.
    work_s
        What all steps took, one after the other; also those that were done before.
    """

    chapters: tuple[Chapter, ...]
    pages: tuple[Path, ...]
    work_s: float


def reproduce(
    what: str | Sequence[str],
    folder: str | os.PathLike[str],
    *,
    settings: Settings | None = None,
    processes: int | None = None,
    on_progress: Callable[[float, str], None] | None = None,
) -> Reproduction:
    """Compute the tables and figures of papers, and write them beside what is printed.

    Parameters
    ----------
    what
        Names of ``STUDIES``, or ``all``.
    folder
        Where pages go. Results of the steps are kept in ``results/steps`` there: what is done is not done again.
    settings
        How much to do, and where real workflows are.
    processes
        How many steps at a time; by default one for each core.
    on_progress
        Is told the share that is done, and the name of a step that is done now.

    Raises
    ------
    EligoError
        There is no such study, a step failed, or the pages cannot be written.
    """
    names = names_of(what)
    settings = settings or Settings()
    data = settings.data
    if data is not None and not data.is_dir():
        raise EligoError(f"{data}: is not a directory", hint="name a folder with workflows, or leave it out")
    target = Path(folder)
    _make(target)
    refuse_foreign(names, target)
    begin = time.monotonic()
    studies = {name: load_study(name) for name in names}
    needed = {name: list(study.steps(settings)) for name, study in studies.items()}
    if data is not None:
        _refuse_useless(data, settings, studies, needed)
    steps = [step for of_study in needed.values() for step in of_study]
    kept = run_steps(steps, target / FOLDER / "steps", processes=processes or cores(), on_progress=on_progress)
    work_s = sum({kept.path_of(step): kept.get(step)[1] for step in steps}.values())
    chapters = tuple(
        study.chapter({step.name: kept.get(step)[0] for step in needed[name]}, settings)
        for name, study in studies.items()
    )
    words = ["all"] if names == list(STUDIES) else names
    words += ["--quick"] * (settings.scale == "quick") + ["--data FOLDER"] * (data is not None)
    how = f"`eligo-papers {' '.join(words)}` ({_minutes(work_s)} of work, all processes together)"
    pages = write_pages(chapters, target, find_origin(), how)
    return Reproduction(chapters, tuple(pages), max(work_s, time.monotonic() - begin))


def _make(folder: Path) -> None:
    """Make the folder for the pages, before hours of work."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError):
        raise EligoError(f"{folder}: is not a directory", hint="name a folder for the pages") from None
    except OSError as error:
        raise EligoError(f"{folder}: cannot be made: {error.strerror}", hint="name another folder") from None


def _refuse_useless(
    data: Path, settings: Settings, studies: Mapping[str, StudyModule], needed: Mapping[str, Sequence[Step]]
) -> None:
    """Refuse a folder of data that changes nothing: the pages would say that they were made with it."""
    without = replace(settings, data=None)
    if all(len(study.steps(without)) == len(needed[name]) for name, study in studies.items()):
        raise EligoError(
            f"{data}: holds nothing that {', '.join(studies)} could use",
            hint="002 and beyond take workflows, 004 the memory papers' own graphs; or leave it out",
        )


def names_of(what: str | Sequence[str]) -> list[str]:
    """Return the studies that are meant, in their order.

    Examples
    --------
    >>> names_of("all") == list(STUDIES), names_of(["beyond", "000"])
    (True, ['000', 'beyond'])
    """
    asked = [what] if isinstance(what, str) else list(what)
    for name in asked:
        if name != "all" and name not in STUDIES:
            raise EligoError(f"nothing is called {name!r}", hint=f"one of: {', '.join(STUDIES)}, all")
    return [name for name in STUDIES if name in asked or "all" in asked]


def _minutes(seconds: float) -> str:
    return f"{seconds / 60:.1f} minutes" if seconds < 7200 else f"{seconds / 3600:.1f} hours"
