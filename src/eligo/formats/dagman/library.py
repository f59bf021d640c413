"""The files of a DAG: found, checked and scanned, each once."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path

from eligo.errors import ParseError
from eligo.formats.base import Notes
from eligo.formats.dagman.unit import DagFile, Scan, directory_of, join_directory
from eligo.formats.storage import Source, load

__all__ = ["MAX_DEPTH", "Library", "error_at"]

MAX_DEPTH = 500
"""How deep files may splice and include each other; DAGMan keeps all of them open."""


def error_at(file: DagFile, at: int, text: str, hint: str) -> ParseError:
    """Make the error that says what is wrong at a byte offset."""
    return file.source.error(file.line_of(at), text, hint=hint)


class Library:
    """The files read so far, by real path; `active` are those being read, the outermost first."""

    def __init__(self, source: Source, notes: Notes, scan: Callable[[bytes], Scan]) -> None:
        self.base = directory_of(source.path)
        self.notes = notes
        self.scan = scan
        self.files: list[DagFile] = []
        self.numbers: dict[str, int] = {}
        self.active: list[str] = []
        self._directories: dict[tuple[str, str], bool] = {}

    def add(self, path: str, source: Source) -> int:
        """Scan a file and return its number."""
        if path not in self.numbers:
            at = source.data.find(b"\0")
            if at >= 0:
                raise source.error(source.line_at(at), "a NUL byte", hint="this is no text; a DAG file has none")
            self.numbers[path] = len(self.files)
            self.files.append(DagFile(source, self.scan(source.data)))
        return self.numbers[path]

    def open(self, here: DagFile, at: int, directory: str, path: str) -> tuple[int, str]:
        """Return the number and the real path of a file that another one names."""
        found = self.locate(directory, path, os.path.exists)
        if found is None:
            raise error_at(here, at, f"the file {path!r} does not exist", self.hint_of(directory))
        real = os.path.realpath(found)
        if real in self.active:
            raise error_at(here, at, f"the file {path!r} includes or splices itself", "break the loop")
        if len(self.active) >= MAX_DEPTH:
            raise error_at(
                here, at, f"files are nested more than {MAX_DEPTH} deep", "DAGMan keeps every one of them open"
            )
        if real in self.numbers:
            return self.numbers[real], real
        return self.add(real, self._load(here, at, found)), real

    def _load(self, here: DagFile, at: int, path: str) -> Source:
        mode = Path(path).stat().st_mode
        if stat.S_ISREG(mode):
            try:
                return load(path)
            except ParseError as error:
                raise error_at(here, at, f"the file {path!r} {error.text}", error.hint) from None
        if stat.S_ISDIR(mode) or Path(path).samefile(os.devnull):
            self.note(here, at, "names a directory or an empty device, which DAGMan reads as an empty DAG")
            return Source(path, b"")
        raise error_at(here, at, f"{path!r} is not a regular file", "name a DAG file")

    def locate(self, directory: str, path: str, exists: Callable[[str], bool]) -> str | None:
        """Find a path as DAGMan would from the DAG's own directory or, failing that, from the current one."""
        inside = join_directory(directory, path)
        tried = join_directory(self.base, inside), inside
        return next((name for name in tried if "\0" not in name and exists(name)), None)

    def has_directory(self, directory: str, path: str) -> bool:
        """Tell whether a path is a directory; each is looked for once."""
        key = (directory, path)
        if key not in self._directories:
            self._directories[key] = self.locate(directory, path, os.path.isdir) is not None
        return self._directories[key]

    def hint_of(self, directory: str) -> str:
        """Say where relative paths begin."""
        return f"relative paths begin at {join_directory(self.base, directory) or 'the current directory'}"

    def note(self, here: DagFile, at: int, text: str, times: int = 1) -> None:
        """Note an oddity at a byte offset, or as many as there are from there on."""
        self.notes.add(here.source.path, here.line_of(at), text, times)
