"""What one DAG is once it is read: its nodes, its edges and the splices in it, in numbers of its own.

A splice file is read once for each directory it is read from, however often it is used; a use of it is an
:class:`Instance`, which only says where its nodes begin. Nodes are numbered as DAGMan makes them: those of the file in
order, a splice's at the place of its SPLICE line, an included file's after those of the file that includes it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from eligo.dag import Int32, Int64
from eligo.formats._dagman.commands import Mark, NodeLine
from eligo.formats._dagman.tokens import Keyword
from eligo.formats._source import Source

__all__ = [
    "ALL_NODES",
    "SPECIAL",
    "DagFile",
    "Instance",
    "MarkRun",
    "NodeRun",
    "OddMark",
    "Other",
    "Scan",
    "Unit",
    "directory_of",
    "join_directory",
    "stated_edges",
    "walk",
]

ALL_NODES = -1
"""The node of a mark that holds for every job."""

SPECIAL = -(2**30)
"""Numbers from here down are nodes outside the graph: FINAL, PROVISIONER, SERVICE."""


class Scan(Protocol):
    """A scanned file: plain lines as columns, the others by their byte ranges. See ``native/core/dagman_scan.hpp``."""

    symbols: int
    submits: int
    submit_directory: Int32
    directories: list[str]
    job_symbol: Int32
    job_submit: Int32
    job_at: NDArray[np.uint32]
    link_at: NDArray[np.uint32]
    link_ptr: Int64
    link_split: Int64
    link_symbol: Int32
    mark_kind: NDArray[np.uint8]
    mark_symbol: Int32
    mark_at: NDArray[np.uint32]
    odd_kind: NDArray[np.uint8]
    odd_begin: Int64
    odd_end: Int64
    odd_jobs_before: Int64
    odd_links_before: Int64
    odd_marks_before: Int64
    var_names: list[str]

    def find(self, name: bytes) -> int:
        """Return the symbol of a name, or -1."""
        ...

    def intern(self, name: bytes) -> int:
        """Return the symbol of a name, a new one where there is none."""
        ...

    def symbol_names(self, which: Int32) -> list[str]:
        """Return the names of symbols."""
        ...

    def submit_names(self, which: Int32) -> list[str]:
        """Return the submit files by their numbers in ``job_submit``.

        Each goes with a directory: ``directories[submit_directory[number]]``, or none for -1.
        """
        ...

    def numbers(self, name: str) -> tuple[Int64, NDArray[np.float64]]:
        """Return which marks give a variable (in upper case), and its values; ``nan`` for what is no number from 0."""
        ...

    def texts(self, name: str) -> tuple[Int64, list[str]]:
        """Return which marks give a variable (in upper case), and its values."""
        ...

    def edges(  # noqa: PLR0917 - the arrays of a kernel
        self,
        first: int,
        last: int,
        node_of: Int32,
        terminal_ptr: Int64,
        terminal: Int32,
        initial_ptr: Int64,
        initial: Int32,
        most: int,
    ) -> tuple[Int32, Int32, int, int]:
        """Return tails and heads of the PARENT lines from `first` on, and the line and symbol where it had to stop."""
        ...


@dataclass(frozen=True, eq=False)
class DagFile:
    """A DAG file that was read, with its scan."""

    source: Source
    scan: Scan

    @cached_property
    def directories(self) -> list[str]:
        """The directories that DIRs of plain jobs name, by number, and last, for number -1, none."""
        return [*self.scan.directories, ""]

    @cached_property
    def _newlines(self) -> Int64:
        return np.flatnonzero(np.frombuffer(self.source.data, np.uint8) == ord("\n"))

    def line_of(self, offset: int) -> int:
        """Return the number of the line that begins at a byte offset."""
        return int(np.searchsorted(self._newlines, offset)) + 1


@dataclass(frozen=True, slots=True)
class NodeRun:
    """Jobs that follow one another in a file and are numbered in that order.

    Either `count` plain JOB lines, from the scan's job `first` on, or one node whose line was `odd`.
    """

    file: int
    position: int
    count: int
    first: int = 0
    at: int = 0
    odd: NodeLine | None = None


@dataclass(frozen=True, slots=True)
class MarkRun:
    """Plain lines about jobs that follow one another: the scan's marks from `first` on, and whom they are about."""

    file: int
    first: int
    nodes: Int32


@dataclass(frozen=True, slots=True)
class OddMark:
    """Another line about a job, or about ``ALL_NODES`` of the `count` nodes and `lifted` splices there were by then."""

    file: int
    at: int
    kind: Keyword
    node: int
    value: Mark
    count: int = 0
    lifted: int = 0


@dataclass(frozen=True, slots=True)
class Instance:
    """One use of a splice: its nodes are numbered from `offset` on and named ``name+node``."""

    name: str
    unit: Unit
    offset: int
    directory: str
    file: int
    at: int


@dataclass(frozen=True, slots=True)
class Other:
    """A node outside the graph."""

    line: NodeLine
    file: int
    at: int


@dataclass(frozen=True, eq=False)
class Unit:
    """One DAG as read: a file with all it includes and splices.

    Attributes
    ----------
    files
        Every file of the whole reading, shared.
    parts
        The numbers of the files it is made of, splices left out.
    count
        How many jobs it has, those of its splices included.
    directory
        Where its relative paths begin.
    initial, terminal
        What a splice of it is as a child and as a parent.
    pins_in, pins_out
        The nodes of each pin, by number.
    """

    files: Sequence[DagFile]
    parts: tuple[int, ...]
    count: int
    directory: str
    nodes: tuple[NodeRun, ...]
    instances: tuple[Instance, ...]
    tails: Int32
    heads: Int32
    marks: tuple[MarkRun | OddMark, ...]
    others: tuple[Other, ...]
    descriptions: dict[str, tuple[int, int, int]]
    """SUBMIT-DESCRIPTIONs: file, begin and end of the body."""
    maxjobs: dict[str, int]
    settings: tuple[tuple[Keyword, str, int, int], ...]
    """Commands about the DAG as a whole: keyword, what follows it, file, offset."""
    weak: tuple[tuple[Int32, Int32], ...]
    """Which of the edges are weak, as further tails and heads."""
    initial: Int32
    terminal: Int32
    without_parent: Int32
    without_child: Int32
    pins_in: dict[int, list[int]]
    pins_out: dict[int, list[int]]
    has_provisioner: bool
    has_final: bool

    def names_of(self, run: NodeRun) -> list[str]:
        """Return the names of a run of its own nodes."""
        if run.odd is not None:
            return [run.odd.name]
        scan = self.files[run.file].scan
        return scan.symbol_names(scan.job_symbol[run.first : run.first + run.count])

    @cached_property
    def index(self) -> MarkIndex:
        """Where the lines about each node are."""
        return MarkIndex.of(self)

    @cached_property
    def own(self) -> dict[str, int]:
        """The numbers of its own nodes by name."""
        return {name: run.position + i for run in self.nodes for i, name in enumerate(self.names_of(run))}


@dataclass(frozen=True, eq=False)
class MarkIndex:
    """The lines about nodes, sorted by node and then as they stand; ``for_all`` are those about ALL_NODES."""

    positions: list[int]
    node: Int32
    order: Int64
    run: Int64
    step: Int64
    for_all: list[tuple[int, OddMark]]

    @classmethod
    def of(cls, unit: Unit) -> MarkIndex:
        """Sort the marks of a unit; O(k log k) for k marks."""
        runs = [
            mark.nodes if isinstance(mark, MarkRun) else np.array([mark.node], np.int32) for mark in unit.marks
        ]  # fmt: skip
        node = np.concatenate([np.empty(0, np.int32), *runs])
        lengths = np.array([len(run) for run in runs], np.int64)
        run = np.repeat(np.arange(len(runs), dtype=np.int64), lengths)
        starts = np.cumsum(lengths) - lengths
        step = np.arange(len(node), dtype=np.int64) - np.repeat(starts, lengths)
        by_node = np.argsort(node, kind="stable")
        for_all = [
            (int(start), mark)
            for start, mark in zip(starts, unit.marks, strict=True)
            if isinstance(mark, OddMark) and mark.node == ALL_NODES
        ]
        positions = [nodes.position for nodes in unit.nodes]
        return cls(positions, node[by_node], by_node, run[by_node], step[by_node], for_all)

    def rows(self, node: int) -> range:
        """Return where the lines about one node are in the columns."""
        # A plain int would make NumPy convert the whole column for every search.
        first, last = self.node.searchsorted(np.array([node, node + 1], self.node.dtype)).tolist()
        return range(first, last)


def walk(unit: Unit) -> Iterator[tuple[Unit, int, str, str]]:
    """Yield each unit in use with the number its nodes begin at, the prefix of their names and their directory.

    An instance comes after the unit it stands in; depth costs no recursion.
    """
    stack = [(unit, 0, "", "")]
    while stack:
        here, offset, prefix, directory = stack.pop()
        yield here, offset, prefix, directory
        stack.extend(
            (use.unit, offset + use.offset, f"{prefix}{use.name}+", join_directory(directory, use.directory))
            for use in reversed(here.instances)
        )


def stated_edges(unit: Unit) -> tuple[Int32, Int32]:
    """Return tails and heads of all edges, splices expanded, as often as they are stated."""
    if not unit.instances:
        return unit.tails, unit.heads
    parts = [(here.tails + np.int32(offset), here.heads + np.int32(offset)) for here, offset, *_ in walk(unit)]
    return np.concatenate([part[0] for part in parts]), np.concatenate([part[1] for part in parts])


def directory_of(path: str) -> str:
    """Return the directory a file is in; nothing for the current one."""
    parent = str(Path(path).parent)
    return "" if parent == "." else parent


def join_directory(outer: str, inner: str) -> str:
    """Return the path `inner` seen from outside `outer`; nothing where both are nothing."""
    if not outer or inner.startswith("/"):
        return inner
    return f"{outer.rstrip('/')}/{inner}" if inner else outer
