"""One DAG while it is being read: which names mean what, and the nodes and edges so far.

DAGMan reads a file twice: first the commands that define nodes, then all others in order, so that a command may stand
before the job it names. INCLUDE belongs to the second pass: what it brings is known only to the lines after it. When an
included file ends, the splices so far are *lifted*: their names are forgotten, their nodes become known as
``splice+node``, and what is initial and terminal then stays so for whoever splices this DAG. All of that is DAGMan's
behaviour, and all of it decides which files it accepts.

The files of a DAG: found, checked and scanned, each once.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from eligo.dag import Int32, Int64
from eligo.errors import ParseError
from eligo.formats._base import Notes
from eligo.formats._dagman.parsed_dag import (
    SPECIAL,
    DagFile,
    Instance,
    MarkRun,
    NodeRun,
    OddMark,
    Other,
    Scan,
    Unit,
    directory_of,
    join_directory,
)
from eligo.formats._dagman.tokens import Keyword
from eligo.formats._source import Source, load

__all__ = [
    "MAX_DEPTH",
    "FileScope",
    "Library",
    "Scope",
    "error_at",
]

_NO_EDGES = np.empty(0, np.int32)


class FileScope:
    """What the names in one file mean: ``node_of[symbol]`` is a node, -1, a splice (from -2 down) or SPECIAL.

    Some of the directories in the DIRs of its plain jobs may be `missing`; ``lacks_directory`` says so by submit file.
    """

    def __init__(self, number: int, file: DagFile, missing: list[bool]) -> None:
        self.number = number
        self.file = file
        self.scan = file.scan
        self.node_of: Int32 = np.full(self.scan.symbols, -1, np.int32)
        self.lacks_directory: NDArray[np.bool_] | None = None
        if any(missing):
            self.lacks_directory = np.array([*missing, False])[self.scan.submit_directory]  # -1, the last, is none

    def get(self, name: str) -> int:
        """Return what a name means."""
        symbol = self.scan.find(_bytes(name))
        return int(self.node_of[symbol]) if 0 <= symbol < len(self.node_of) else -1

    def put(self, name: str, meaning: int) -> None:
        """Give a name a meaning."""
        symbol = self.scan.intern(_bytes(name))
        if symbol >= len(self.node_of):
            grown = np.full(max(symbol + 1, 2 * len(self.node_of)), -1, np.int32)
            grown[: len(self.node_of)] = self.node_of
            self.node_of = grown
        self.node_of[symbol] = meaning

    def put_if_used(self, name: str, meaning: int) -> None:
        """Give a name a meaning where this file mentions it."""
        symbol = self.scan.find(_bytes(name))
        if 0 <= symbol < len(self.node_of):
            self.node_of[symbol] = meaning


def _bytes(name: str) -> bytes:
    return name.encode("utf-8", "surrogateescape")


class Scope:
    """A DAG under construction."""

    def __init__(self, directory: str, texts: list[DagFile]) -> None:
        self.directory = directory
        self.texts = texts
        self.files: list[FileScope] = []
        self.parts: dict[int, None] = {}
        self.known: dict[str, int] | None = None
        self.count = 0
        self.own_count = 0
        self.edge_count = 0
        self.nodes: list[NodeRun] = []
        self.instances: list[Instance] = []
        self.splices: dict[str, int] = {}
        self.lifted = 0
        self.marks: list[MarkRun | OddMark] = []
        self.others: list[Other] = []
        self.descriptions: dict[str, tuple[int, int, int]] = {}
        self.maxjobs: dict[str, int] = {}
        self.settings: list[tuple[Keyword, str, int, int]] = []
        self.weak: list[tuple[Int32, Int32]] = []
        self.pins_in: dict[int, list[int]] = {}
        self.pins_out: dict[int, list[int]] = {}
        self.provisioned = False
        self.has_provisioner = False
        self.has_final = False
        self._tails: list[Int32] = []
        self._heads: list[Int32] = []
        self._has_parent: NDArray[np.bool_] = np.zeros(0, np.bool_)
        self._has_child: NDArray[np.bool_] = np.zeros(0, np.bool_)
        self._initial: list[Int32] = []
        self._terminal: list[Int32] = []
        self._groups: tuple[tuple[int, int], tuple[Int64, Int32, Int64, Int32]] | None = None

    # Names

    def enter(self, file: FileScope) -> None:
        """Begin a file; an included one sees what is known so far."""
        if self.files:
            if self.known is None:
                self.known = {}
                for outer in self.files:
                    defined = np.flatnonzero(outer.node_of != -1).astype(np.int32)
                    meanings = outer.node_of[defined].tolist()
                    self.known.update(zip(outer.scan.symbol_names(defined), meanings, strict=True))
            names = file.scan.symbol_names(np.arange(file.scan.symbols, dtype=np.int32))
            known = self.known
            file.node_of = np.fromiter((known.get(name, -1) for name in names), np.int32, len(names))
        self.files.append(file)
        self.parts[file.number] = None

    def define(self, name: str, meaning: int) -> None:
        """Give a name its meaning, in this file and in those that include it."""
        self.files[-1].put(name, meaning)
        if self.known is not None:
            self.known[name] = meaning
            for outer in self.files[:-1]:
                outer.put_if_used(name, meaning)

    def add_plain(self, first: int, last: int) -> None:
        """Define the plain jobs `first` to `last - 1` of the current file; their names must be free."""
        if first == last:
            return
        file = self.files[-1]
        symbols = file.scan.job_symbol[first:last]
        file.node_of[symbols] = np.arange(self.count, self.count + last - first, dtype=np.int32)
        if self.known is not None:
            for i, name in enumerate(file.scan.symbol_names(symbols)):
                self.known[name] = self.count + i
                for outer in self.files[:-1]:
                    outer.put_if_used(name, self.count + i)
        self._add_run(NodeRun(file.number, self.count, last - first, first))

    def add_node(self, run: NodeRun) -> None:
        """Define one job that is not plain; its name must be free."""
        assert run.odd is not None
        self.define(run.odd.name, self.count)
        self._add_run(run)

    def _add_run(self, run: NodeRun) -> None:
        self.nodes.append(run)
        self.own_count += run.count
        self._grow(run.count)

    def add_other(self, other: Other) -> None:
        """Define a node outside the graph; its name must be free."""
        self.define(other.line.name, SPECIAL - len(self.others))
        self.others.append(other)

    def add_instance(self, use: Instance) -> None:
        """Add the nodes of a splice; its name must be free."""
        unit = use.unit
        provisioned = SPECIAL // 2 if unit.has_provisioner else -2 - len(self.instances)
        self.define(use.name, provisioned)
        self.splices[use.name] = len(self.instances)
        self.instances.append(use)
        self.has_provisioner |= unit.has_provisioner
        self._grow(unit.count)
        for mine, without in ((self._has_parent, unit.without_parent), (self._has_child, unit.without_child)):
            mine[use.offset : use.offset + unit.count] = True
            mine[use.offset + without] = False

    def _grow(self, more: int) -> None:
        self.count += more
        if self.count > len(self._has_parent):
            size = max(self.count, 2 * len(self._has_parent))
            for name in ("_has_parent", "_has_child"):
                grown = np.zeros(size, np.bool_)
                old = getattr(self, name)
                grown[: len(old)] = old
                setattr(self, name, grown)

    def lookup(self, name: str) -> int:
        """Return what a name that was defined in a file means here and now."""
        meaning = self.files[-1].get(name)
        return self.known.get(name, -1) if meaning == -1 and self.known is not None else meaning

    def find(self, name: str) -> int:
        """Return what a name means here and now."""
        meaning = self.lookup(name)
        return self.find_lifted(name) if meaning == -1 and "+" in name else meaning

    def find_lifted(self, name: str) -> int:
        """Return the node ``splice+node`` of a splice that has been lifted, or -1."""
        stack: list[tuple[Iterable[Instance], str, int]] = [(self.instances[: self.lifted], name, 0)]
        while stack:
            uses, rest, offset = stack.pop()
            for use in uses:
                if rest.startswith(f"{use.name}+"):
                    inner = rest[len(use.name) + 1 :]
                    if inner in use.unit.own:
                        return offset + use.offset + use.unit.own[inner]
                    stack.append((use.unit.instances, inner, offset + use.offset))
        return -1

    # Edges

    def groups(self) -> tuple[Int64, Int32, Int64, Int32]:
        """Return what each splice is as a parent and as a child, as compressed rows."""
        key = (len(self.instances), self.lifted)
        if self._groups is None or self._groups[0] != key:
            uses = self.instances
            sides = (
                *_rows([use.unit.terminal + np.int32(use.offset) for use in uses]),
                *_rows([use.unit.initial + np.int32(use.offset) for use in uses]),
            )
            self._groups = (key, sides)
        return self._groups[1]

    def add_edges(self, tails: Int32, heads: Int32) -> None:
        """Add edges between nodes."""
        if len(tails):
            self.edge_count += len(tails)
            self._tails.append(tails)
            self._heads.append(heads)
            self._has_parent[heads] = True
            self._has_child[tails] = True

    def orphans(self, use: Instance) -> Int32:
        """Return the nodes of a splice that have no parent so far."""
        return np.flatnonzero(~self._has_parent[use.offset : use.offset + use.unit.count]).astype(np.int32)

    # Ends

    def leave(self) -> None:
        """End the current file: lift the splices and record which nodes are initial and terminal by now."""
        for name in list(self.splices):
            if self.known is not None:
                self.known.pop(name, None)
            for file in self.files:
                file.put_if_used(name, -1)
        self.splices.clear()
        self.lifted = len(self.instances)
        self._initial.append(np.flatnonzero(~self._has_parent[: self.count]).astype(np.int32))
        self._terminal.append(np.flatnonzero(~self._has_child[: self.count]).astype(np.int32))
        self.files.pop()

    def freeze(self) -> Unit:
        """Return the finished DAG."""
        return Unit(
            files=self.texts,
            parts=tuple(self.parts),
            count=self.count,
            directory=self.directory,
            nodes=tuple(self.nodes),
            instances=tuple(self.instances),
            tails=_flat(self._tails),
            heads=_flat(self._heads),
            marks=tuple(self.marks),
            others=tuple(self.others),
            descriptions=self.descriptions,
            maxjobs=self.maxjobs,
            settings=tuple(self.settings),
            weak=tuple(self.weak),
            initial=_union(self._initial),
            terminal=_union(self._terminal),
            without_parent=self._initial[-1],
            without_child=self._terminal[-1],
            pins_in=self.pins_in,
            pins_out=self.pins_out,
            has_provisioner=self.has_provisioner,
            has_final=self.has_final,
        )


def _rows(rows: list[Int32]) -> tuple[Int64, Int32]:
    ptr = np.zeros(len(rows) + 1, np.int64)
    np.cumsum([len(row) for row in rows], out=ptr[1:])
    return ptr, _flat(rows)


def _flat(parts: list[Int32]) -> Int32:
    if not parts:
        return _NO_EDGES
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


def _union(parts: list[Int32]) -> Int32:
    return parts[0] if len(parts) == 1 else np.unique(np.concatenate(parts))


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
