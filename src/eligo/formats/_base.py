"""What every format shares: the document it reads and the description by which it is found.

The collections of a YAML file, which know their lines; apart from the loader, for those who do not load YAML.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from eligo.dag import Dag
from eligo.formats._source import Source

__all__ = [
    "Document",
    "EdgeRule",
    "FormatModule",
    "Notes",
    "YamlList",
    "YamlMapping",
]

EdgeRule = Literal["declared", "files", "both"]
"""Which dependencies count: those the file declares, those its data files imply, or both."""


class Notes:
    """Collects what was odd in a file but could be read; repeated oddities are counted, not repeated.

    Examples
    --------
    >>> notes = Notes()
    >>> for line in (4, 7, 9):
    ...     notes.add("f.xml", line, "a negative size is taken as unknown")
    >>> notes.texts()
    ('f.xml:4: a negative size is taken as unknown (and 2 more)',)
    """

    def __init__(self) -> None:
        self._seen: dict[tuple[str, str], tuple[int | None, int]] = {}

    def add(self, path: str, line: int | None, text: str, times: int = 1) -> None:
        """Note an oddity, or several of one kind; only the first line of each kind is kept."""
        first, seen = self._seen.get((path, text), (line, 0))
        self._seen[path, text] = (first, seen + times)

    def say(self, text: str) -> None:
        """Note something that belongs to no file, as writers do."""
        self.add("", None, text)

    def texts(self) -> tuple[str, ...]:
        """Return one sentence for each kind of oddity."""
        return tuple(
            _where(path, line) + text + (f" (and {times - 1:,} more)" if times > 1 else "")
            for (path, text), (line, times) in self._seen.items()
        )


def _where(path: str, line: int | None) -> str:
    if not path:
        return ""
    return f"{path}: " if line is None else f"{path}:{line}: "


@dataclass(frozen=True, slots=True)
class Document:
    """A file as it was read: the dag, and what else the file said.

    Attributes
    ----------
    dag
        The workflow.
    format
        Name of the format, such as ``dagman``.
    source
        The bytes, so that writers can change only the lines they own.
    warnings
        What was odd, as sentences that begin with ``file:line:``.
    details
        The format's own view of the file, for those who know the format.
    edges
        Which dependencies were asked for, where the format leaves a choice.
    origin
        What the user has, where this was made of it and nobody has seen its lines: jobs have the same numbers there.
    """

    dag: Dag
    format: str
    source: Source
    warnings: tuple[str, ...] = ()
    details: Any = field(default=None, repr=False)
    edges: EdgeRule | None = None
    origin: Document | None = field(default=None, repr=False)


class FormatModule(Protocol):
    """What a module of this package offers; those that only read or only write lack the other function."""

    NAME: str
    TITLE: str

    def sniff(self, head: str) -> bool:
        """Tell whether the first few thousand characters look like this format."""
        ...

    def parse(self, source: Source, edges: EdgeRule | None) -> Document:
        """Read a file. `edges` is ``None`` for the default: declared, or implied by files where none is declared."""
        ...

    def generate(self, dag: Dag, lost: Notes) -> Iterator[str]:
        """Yield the text of a file; what the format has no place for is added to `lost`."""
        ...


class YamlMapping(dict[str, Any]):
    """A mapping and the line on which it begins."""

    __slots__ = ("line",)

    def __init__(self, line: int) -> None:
        super().__init__()
        self.line = line


class YamlList(list[Any]):
    """A sequence and the line on which it begins."""

    __slots__ = ("line",)

    def __init__(self, line: int) -> None:
        super().__init__()
        self.line = line
