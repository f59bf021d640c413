"""Pages of Markdown: which blocks they have, where their links lead.

Every block of a page is of one of these kinds, by the language that stands behind its fence:

====================  =================================================================================================
``console``           commands and what they print: run and compared; a block of commands alone is run and must succeed
``python``            a session (``>>>``) with what it prints, or a script: run
``dot``, ``csv`` ...  the content of a file: must be readable, see ``tests/contents.py``
``{toctree}`` ...     a directive of Sphinx, which `make docs` runs
====================  =================================================================================================

A remark on the line before a block says more of it; readers do not see it:

* ``<!-- file: name -->``: what is shown is also put into this file, for the blocks after it;
* ``<!-- not run: why -->``: cannot be run here;
* ``<!-- needs: htcondor -->`` or ``slurm``: is run only where there is one.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.token import Token

ROOT = Path(__file__).resolve().parents[1]
PAGES = [ROOT / "README.md", ROOT / "papers" / "README.md", *sorted(ROOT.glob("docs/**/*.md"))]
REMARKS = ("file", "not run", "needs")
ENGINES = ("htcondor", "slurm")

_REMARK = re.compile(r"<!-- *([^:>]+?) *: *(.*?) *-->", re.DOTALL)


@dataclass(frozen=True)
class Block:
    """A block of a page."""

    page: Path
    line: int
    """Of its first line inside the fence, counted from 1."""
    language: str
    """Empty where none is named, and for blocks that are only indented."""
    text: str
    remarks: dict[str, str] = field(default_factory=dict)

    @property
    def where(self) -> str:
        """The page and the line, for messages."""
        return place(self.page, self.line)

    @property
    def is_directive(self) -> bool:
        """Whether it is for Sphinx."""
        return self.language.startswith("{")


def place(page: Path, line: int) -> str:
    """Return how messages name a line of a page."""
    return f"{page.relative_to(ROOT) if page.is_relative_to(ROOT) else page}:{line}"


@cache
def _tokens(page: Path) -> list[Token]:
    return MarkdownIt("commonmark").enable("table").parse(page.read_text(encoding="utf-8"))


def blocks_of(page: Path) -> list[Block]:
    """Return the blocks of a page, in order."""
    found, before = [], None
    for token in _tokens(page):
        if token.type in ("fence", "code_block") and token.map is not None:
            remarks = _remarks(before, token.map[0])
            line = token.map[0] + (2 if token.type == "fence" else 1)
            found.append(Block(page, line, token.info.strip(), token.content, remarks))
        before = token
    return found


def _remarks(before: Token | None, line: int) -> dict[str, str]:
    """Return what a comment that ends on the line before a block says of it."""
    if before is None or before.type != "html_block" or before.map is None or before.map[1] != line:
        return {}
    return dict(_REMARK.findall(before.content))


def links_of(page: Path) -> Iterator[tuple[int, str]]:
    """Yield the links and pictures of a page, each with the line where its paragraph begins."""
    for token in _tokens(page):
        for child in token.children or []:
            target = child.attrGet("href") if child.type == "link_open" else child.attrGet("src")
            if child.type in ("link_open", "image") and token.map is not None:
                yield token.map[0] + 1, str(target)


def anchors_of(page: Path) -> set[str]:
    """Return the names that forges give the headings of a page."""
    names: list[str] = []
    for heading, inside in zip(_tokens(page), _tokens(page)[1:], strict=False):
        if heading.type == "heading_open":
            text = "".join(part.content for part in inside.children or [])
            name = re.sub(r"[^\w\- ]", "", text.strip().lower()).replace(" ", "-")
            names.append(name if name not in names else f"{name}-{names.count(name)}")
    return set(names)


def lost_links(page: Path) -> list[str]:
    """Return which links of a page lead nowhere; what lies on other machines is not looked at."""
    found = []
    for line, link in links_of(page):
        target, _, anchor = link.partition("#")
        there = (page.parent / target).resolve() if target else page
        if link.startswith(("http:", "https:")):
            continue
        if not there.exists() or (anchor and anchor not in anchors_of(there)):
            found.append(f"{place(page, line)}: {link} leads nowhere")
    return found


def misfits(page: Path, contents: Collection[str]) -> list[str]:
    """Return what is wrong with the blocks of a page before any is run; `contents` are the kinds of files."""
    return [f"{block.where}: {text}" for block in blocks_of(page) for text in _misfits(block, contents)]


def _misfits(block: Block, contents: Collection[str]) -> Iterator[str]:
    if block.language not in ("console", "python", *contents) and not block.is_directive:
        kind = f"the unknown kind {block.language!r}" if block.language else "no kind"
        yield f"a block of {kind}; use one of console, python, {', '.join(contents)}"
    if block.language == "console" and not block.text.startswith("$ "):
        yield "a console block begins with a command, $ ..."
    if block.language == "sh" and "file" not in block.remarks:
        yield "commands belong into a console block, a script into a file"
    yield from (
        f"unknown remark {key!r}; use one of {', '.join(REMARKS)}" for key in block.remarks if key not in REMARKS
    )
    if block.remarks.get("needs", ENGINES[0]) not in ENGINES:
        yield f"needs one of {', '.join(ENGINES)}"
    if block.remarks.get("not run") == "":
        yield "not run, but why?"
