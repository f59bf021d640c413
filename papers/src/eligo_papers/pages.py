"""Chapters as files: a page of Markdown each, with pictures and tables beside it, and one page that sums up.

::

    DIR/results.md            what agrees, what does not and why
    DIR/results.html          all of it as one page, for a browser
    DIR/results/000.md        a chapter
    DIR/results/000.json      its checks
    DIR/results/000-x.svg     a picture of it
    DIR/results/000-x.csv     a table of it

The page that sums up, and the one for browsers, are about all chapters that are there, whenever they were made. Every
file is replaced whole.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from eligo.errors import EligoError
from eligo.formats._delimited_text import quote_field
from eligo.formats._source import replace_file, writing
from eligo_papers.browser_page import browser_page
from eligo_papers.chapter import AGREES, VERDICTS, Chapter, Check, Picture, Section, Table
from eligo_papers.origin import Origin

__all__ = ["FOLDER", "refuse_foreign", "write_pages"]

FOLDER = "results"
_OURS = "<!-- written by eligo-papers -->"
_LONGEST, _BEGINNING = 40, 8  # rows of a table that is shown whole, and of the beginning of a longer one


def refuse_foreign(names: Sequence[str], folder: Path) -> None:
    """Refuse, before hours of work, to write over pages that are none of ours."""
    for page in (f"{FOLDER}.md", f"{FOLDER}.html", *(f"{FOLDER}/{name}.md" for name in names)):
        path = folder / page
        if path.is_file() and _OURS.encode() not in path.read_bytes()[:200]:
            raise EligoError(f"{path}: is there already, and not written by us", hint="name another folder")


def write_pages(chapters: Sequence[Chapter], folder: Path, origin: Origin, how: str) -> list[Path]:
    """Write the pages of chapters, and the pages about all chapters in the folder; return the latter.

    Parameters
    ----------
    how
        The command, and how long it took.
    """
    beside = folder / FOLDER
    with writing(str(beside)):
        beside.mkdir(parents=True, exist_ok=True)
    for chapter in chapters:
        _write_beside(chapter, beside)
        facts = {
            "name": chapter.name,
            "title": chapter.title,
            "paper": chapter.paper,
            "about": chapter.about,
            "origin": origin._asdict(),
            "how": how,
            "checks": [asdict(one) for one in chapter.checks],
            "sections": [_plain(section) for section in chapter.sections],
        }
        _write(beside / f"{chapter.name}.json", json.dumps(facts, indent=1))
        _write(beside / f"{chapter.name}.md", "\n".join(_chapter_lines(facts)))
    there = [facts for path in sorted(beside.glob("*.json")) if (facts := _read_facts(path))]
    pages = [folder / f"{FOLDER}.md", folder / f"{FOLDER}.html"]
    _write(pages[0], "\n".join(_summary_lines(there)))
    _write(pages[1], browser_page(there, FOLDER, _OURS, VERDICTS))
    return pages


def _write(path: Path, text: str) -> None:
    replace_file(path, [text.encode() if text.endswith("\n") else f"{text}\n".encode()])


def _read_facts(path: Path) -> dict[str, Any]:
    try:
        facts: dict[str, Any] = json.loads(path.read_bytes())
        return facts if "checks" in facts else {}
    except (OSError, ValueError) as error:
        raise EligoError(f"{path}: cannot be read: {error}", hint="remove it, or reproduce its chapter again") from None


def _write_beside(chapter: Chapter, folder: Path) -> None:
    """Write the pictures and tables of a chapter."""
    from eligo.report import save

    for section in chapter.sections:
        for part in section.parts:
            if isinstance(part, Picture):
                save(part.draw(), folder / f"{chapter.name}-{part.name}.svg")
            elif isinstance(part, Table):
                rows = (",".join(quote_field(cell) for cell in row) for row in (part.header, *part.rows))
                _write(folder / f"{chapter.name}-{part.name}.csv", "\n".join(rows))


def _plain(section: Section) -> dict[str, Any]:
    """Return a section as JSON holds it."""

    def plain(part: str | Table | Picture) -> Any:
        if isinstance(part, str):
            return part
        if isinstance(part, Picture):
            return {"picture": part.name, "caption": part.caption}
        content = {"header": [*part.header], "rows": [[*row] for row in part.rows]}
        return {"table": part.name, "title": part.title, "note": part.note, **content}

    return {"title": section.title, "parts": [plain(part) for part in section.parts]}


def _chapter_lines(facts: dict[str, Any]) -> Iterator[str]:
    name = facts["name"]
    yield f"{_OURS}\n"
    yield f"# {_heading(facts)}\n"
    if facts["paper"]:
        yield f"*{facts['paper']}*\n"
    yield f"{facts['about']}\n"
    yield f"{_made(facts)}\n"
    checks = [Check(**one) for one in facts["checks"]]
    for title, some in (
        ("What does not agree", [one for one in checks if one.verdict != AGREES]),
        ("What agrees", [one for one in checks if one.verdict == AGREES]),
    ):
        if some:
            yield f"## {title}\n"
            yield from _check_lines(facts, some)
    for section in facts["sections"]:
        yield f"## {section['title']}\n"
        for part in section["parts"]:
            if isinstance(part, str):
                yield f"{part}\n"
            elif "picture" in part:
                yield f"![{part['caption']}]({name}-{part['picture']}.svg)\n"
                yield f"*{part['caption']}*\n"
            else:
                yield f"**{part['title']}** ([CSV]({name}-{part['table']}.csv))\n"
                shown = part["rows"] if len(part["rows"]) <= _LONGEST else part["rows"][:_BEGINNING]
                yield from _table_lines(part["header"], shown)
                if len(shown) < len(part["rows"]):
                    yield f"The other {len(part['rows']) - len(shown):,} rows are in the CSV file.\n"
                if part["note"]:
                    yield f"{part['note']}\n"


def _summary_lines(there: Sequence[dict[str, Any]]) -> Iterator[str]:
    yield f"{_OURS}\n"
    yield "# Results\n"
    yield (
        "The tables and figures of the papers, computed here, beside what is printed. An *erratum* is a printed "
        "statement that is false, and the chapter shows it; what *differs* otherwise has a sentence that says why; "
        "where that was not found out, it is *open*, and the sentence says what was tried. "
        "Where a paper states something of all dags of a kind, *all 300* means the 300 that were tried here.\n"
    )
    rows = []
    for facts in there:
        counts = [sum(one["verdict"] == verdict for one in facts["checks"]) for verdict in VERDICTS]
        link = f"[{_escape(_heading(facts))}]({FOLDER}/{facts['name']}.md)"
        rows.append([link, _escape(facts["paper"]), *(str(count) for count in counts)])
    yield from _table_lines(["chapter", "paper", *VERDICTS.values()], rows, raw=True)
    made = {_made(facts): None for facts in there}
    if len(made) == 1:
        yield f"{next(iter(made))}\n"
    for facts in there:
        yield f"## {_heading(facts)}\n"
        page = f"{FOLDER}/{facts['name']}.md"
        yield f"{facts['about']} ([all of it]({page}))\n"
        if len(made) > 1:
            yield f"{_made(facts)}\n"
        odd = [Check(**one) for one in facts["checks"] if one["verdict"] != AGREES]
        if odd:
            yield f"What does not agree; tables and drawings that are named are in [its chapter]({page}):\n"
            yield from _check_lines(facts, odd)


def _heading(facts: dict[str, Any]) -> str:
    """Return what a chapter is called: by the number of its paper, if it has one."""
    return f"{facts['name']}: {facts['title']}" if facts["paper"] else str(facts["title"])


def _check_lines(facts: dict[str, Any], checks: Sequence[Check]) -> Iterator[str]:
    """Yield a table of checks, with verdicts and reasons if there are any."""
    titles = ["where", "what", "printed" if facts["paper"] else "claimed", "here"]
    rows = [[one.where, one.what, one.printed, one.here] for one in checks]
    if any(one.why for one in checks):
        titles += ["verdict", "why"]
        rows = [[*row, one.verdict, one.why] for row, one in zip(rows, checks, strict=True)]
    yield from _table_lines(titles, rows)


def _made(facts: dict[str, Any]) -> str:
    origin = Origin(**facts["origin"])
    commit = f", commit {origin.commit}" if origin.commit else ""
    return (
        f"Made on {origin.date} by {facts['how']}, eligo {origin.version}{commit}; {origin.machine}; {origin.software}."
    )


def _table_lines(header: Sequence[str], rows: Any, *, raw: bool = False) -> Iterator[str]:
    """Yield a table; what is in its cells is text, unless it is `raw` Markdown."""
    escape = str if raw else _escape
    yield f"| {' | '.join(map(escape, header))} |"
    yield f"|{'---|' * len(header)}"
    for row in rows:
        yield f"| {' | '.join(map(escape, row))} |"
    yield ""


def _escape(text: str) -> str:
    r"""Return text that Markdown takes as text, also in a table.

    Examples
    --------
    >>> _escape("a|b <k> *x*")
    'a\\|b &lt;k> \\*x\\*'
    """
    for mark in "\\|*`[":
        text = text.replace(mark, f"\\{mark}")
    return " ".join(text.replace("<", "&lt;").split())
