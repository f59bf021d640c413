"""Reads a DAG file with all it includes and splices into a :class:`Unit`.

The compiled scanner has taken the plain lines; here the others are read, in DAGMan's two passes, and every name gets
its node. Files inside files are read without recursion: each is a generator that yields the ones it needs. Cost:
O(bytes) in the scanner, plus some microseconds for each line that is not plain.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Generator
from typing import Any

import numpy as np

from eligo.formats._base import Notes
from eligo.formats._dagman.commands import (  # fmt: skip
    NodeLine,
    SpliceLine,
    read_connect,
    read_include,
    read_links,
    read_mark,
    read_maxjobs,
    read_node,
    read_pin,
    read_setting,
    read_splice,
    read_submit_description_name,
)
from eligo.formats._dagman.lines import Command, read_command
from eligo.formats._dagman.parsed_dag import (
    ALL_NODES,
    SPECIAL,
    DagFile,
    Instance,
    MarkRun,
    NodeRun,
    OddMark,
    Other,
    Scan,
    Unit,
    join_directory,
)
from eligo.formats._dagman.symbols import FileScope, Library, Scope, error_at
from eligo.formats._dagman.tokens import NODE_KEYWORDS, Keyword, Malformed, fold, nearest_command
from eligo.formats._source import Source
from eligo.formats._submit.submit_file import check_description

__all__ = ["MAX_EDGES", "MAX_JOBS", "read_unit"]

MAX_JOBS = 10_000_000
"""How many jobs splices may expand to; a few lines can ask for any number."""

MAX_EDGES = 200_000_000
"""How many edges PARENT lines may expand to; they multiply parents by children."""

_NO_DIRECTORY = "the directory of a node's DIR does not exist yet"
_FIRST_PASS = frozenset({*NODE_KEYWORDS, Keyword.SPLICE, Keyword.SUBMIT_DESCRIPTION})
_MARKS = frozenset(
    {
        Keyword.VARS, Keyword.PRIORITY, Keyword.RETRY, Keyword.CATEGORY, Keyword.SCRIPT, Keyword.PRE_SKIP,
        Keyword.ABORT_DAG_ON, Keyword.TOLERANCE, Keyword.DONE, Keyword.SAVE_POINT_FILE,
    }
)  # fmt: skip
_SETTINGS = frozenset(
    {
        Keyword.CONFIG, Keyword.DOT, Keyword.NODE_STATUS_FILE, Keyword.JOBSTATE_LOG, Keyword.SET_JOB_ATTR, Keyword.ENV,
    }
)  # fmt: skip
# Which nodes outside the graph a command refuses.
_REFUSES: dict[Keyword, frozenset[Keyword]] = {
    Keyword.RETRY: frozenset({Keyword.FINAL, Keyword.SERVICE}),
    Keyword.PRIORITY: frozenset({Keyword.FINAL, Keyword.SERVICE}),
    Keyword.CATEGORY: frozenset({Keyword.FINAL, Keyword.SERVICE}),
    Keyword.DONE: frozenset({Keyword.FINAL, Keyword.SERVICE}),
    Keyword.ABORT_DAG_ON: frozenset({Keyword.FINAL}),
    Keyword.SAVE_POINT_FILE: frozenset({Keyword.SERVICE, Keyword.PROVISIONER}),
}

Task = Generator["Task", Any, Any]


def read_unit(source: Source, notes: Notes, scan: Callable[[bytes], Scan]) -> Unit:
    """Read a DAG from its file; `scan` cuts a file into lines."""
    reader = _Reader(source, notes, scan)
    stack: list[Task] = [reader.read_main(source)]
    result: Any = None
    while stack:
        try:
            needed = stack[-1].send(result)
        except StopIteration as end:
            stack.pop()
            result = end.value
        else:
            stack.append(needed)
            result = None
    assert isinstance(result, Unit)
    return result


class _Reader:
    def __init__(self, source: Source, notes: Notes, scan: Callable[[bytes], Scan]) -> None:
        self.library = Library(source, notes, scan)
        self.files = self.library.files
        self.units: dict[tuple[str, str], Unit] = {}
        self.expanded = 0

    def read_main(self, source: Source) -> Task:
        path = os.path.realpath(source.path)
        return self.read_scope(self.library.add(path, source), path, "")

    # Passes

    def read_scope(self, number: int, path: str, directory: str) -> Task:
        scope = Scope(directory, self.files)
        yield self.read_file(scope, number, path)
        return scope.freeze()

    def read_file(self, scope: Scope, number: int, path: str) -> Task:
        self.library.active.append(path)
        file = self.files[number]
        missing = [not self.library.has_directory(scope.directory, path) for path in file.scan.directories]
        scope.enter(FileScope(number, file, missing))
        yield self.first_pass(scope)
        yield self.second_pass(scope)
        scope.leave()
        self.library.active.pop()

    def first_pass(self, scope: Scope) -> Task:
        here = scope.files[-1]
        scan = here.scan
        done = 0
        kinds, begins, before = scan.odd_kind.tolist(), scan.odd_begin.tolist(), scan.odd_jobs_before.tolist()
        for kind, at, jobs in zip(kinds, begins, before, strict=True):
            if kind not in _FIRST_PASS:
                continue
            self.add_plain(scope, here, done, jobs)
            done = jobs
            command = read_command(here.file.source.data, at)
            with _Where(here.file, at):
                if kind == Keyword.SPLICE:
                    splice = read_splice(command)
                elif kind == Keyword.SUBMIT_DESCRIPTION:
                    self.add_description(scope, here, command)
                else:
                    self.add_node(scope, here, command)
            if kind == Keyword.SPLICE:
                yield self.add_splice(scope, here, at, splice)
        self.add_plain(scope, here, done, len(scan.job_at))

    def add_plain(self, scope: Scope, here: FileScope, first: int, last: int) -> None:
        if first == last:
            return
        taken = np.flatnonzero(here.node_of[here.scan.job_symbol[first:last]] != -1)
        if len(taken):
            job = first + int(taken[0])
            name = here.scan.symbol_names(here.scan.job_symbol[job : job + 1])[0]
            raise error_at(here.file, int(here.scan.job_at[job]), *_taken(name))
        self.check_directories(here, first, last)
        scope.add_plain(first, last)

    def check_directories(self, here: FileScope, first: int, last: int) -> None:
        """Note which plain jobs have a DIR that is not there."""
        if here.lacks_directory is not None:
            lacking = np.flatnonzero(here.lacks_directory[here.scan.job_submit[first:last]])
            if len(lacking):
                at = int(here.scan.job_at[first + lacking[0]])
                self.library.note(here.file, at, _NO_DIRECTORY, len(lacking))

    def add_node(self, scope: Scope, here: FileScope, command: Command) -> None:
        line = read_node(command)
        if scope.lookup(line.name) != -1:
            raise Malformed(*_taken(line.name))
        if line.body is not None and command.text.find("@=") < 0 and line.kind in (Keyword.JOB, Keyword.FINAL):
            check_description(here.file.source, *line.body)
        if line.directory and not self.library.has_directory(scope.directory, line.directory):
            self.library.note(here.file, command.begin, _NO_DIRECTORY)
        if line.kind in (Keyword.JOB, Keyword.SUBDAG):
            scope.add_node(NodeRun(here.number, scope.count, 1, at=command.begin, odd=line))
            return
        self.check_once(scope, line)
        scope.add_other(Other(line, here.number, command.begin))

    def check_once(self, scope: Scope, line: NodeLine) -> None:
        if line.kind is Keyword.FINAL:
            if scope.has_final:
                raise Malformed(f"a second FINAL node, {line.name!r}", "a DAG has at most one")
            scope.has_final = True
        elif line.kind is Keyword.PROVISIONER:
            if scope.provisioned:
                raise Malformed(f"a second PROVISIONER node, {line.name!r}", "a DAG has at most one")
            scope.provisioned = scope.has_provisioner = True

    def add_description(self, scope: Scope, here: FileScope, command: Command) -> None:
        name = read_submit_description_name(command)
        assert command.body is not None
        if command.text.find("@=") < 0:
            check_description(here.file.source, *command.body)
        if name in scope.descriptions:
            self.library.note(here.file, command.begin, f"a second submit description {name!r} is ignored")
        scope.descriptions.setdefault(name, (here.number, *command.body))

    def add_splice(self, scope: Scope, here: FileScope, at: int, line: SpliceLine) -> Task:
        if scope.lookup(line.name) != -1:
            raise error_at(here.file, at, *_taken(line.name))
        directory = scope.directory
        if line.directory:
            directory = join_directory(directory, line.directory)
            if not self.library.has_directory("", directory):
                raise error_at(
                    here.file,
                    at,
                    f"the directory {line.directory!r} does not exist",
                    self.library.hint_of(scope.directory),
                )
        number, path = self.library.open(here.file, at, directory, line.file)
        key = (path, os.path.normpath(directory))
        if key not in self.units:
            self.units[key] = yield self.read_scope(number, path, directory)
        unit = self.units[key]
        if unit.has_final:
            raise error_at(
                here.file, at, f"the splice {line.name!r} has a FINAL node", "only the outermost DAG may have one"
            )
        self.expanded += unit.count
        if scope.count + unit.count > MAX_JOBS or self.expanded > 5 * MAX_JOBS:
            raise error_at(
                here.file, at, f"the splices expand to more than {MAX_JOBS:,} jobs", "use SUBDAG EXTERNAL for parts"
            )
        scope.add_instance(Instance(line.name, unit, scope.count, line.directory, here.number, at))

    def second_pass(self, scope: Scope) -> Task:
        here = scope.files[-1]
        scan = here.scan
        done = _Progress()
        columns = (scan.odd_kind, scan.odd_begin, scan.odd_links_before, scan.odd_marks_before)
        for kind, at, links, marks in zip(*(column.tolist() for column in columns), strict=True):
            if kind in _FIRST_PASS:
                continue
            if kind in (Keyword.INCLUDE, Keyword.CONNECT) or kind in _MARKS:
                self.resolve(scope, here, done, links, marks)
            command = read_command(here.file.source.data, at)
            if kind == Keyword.INCLUDE:
                with _Where(here.file, at):
                    name = read_include(command)
                number, path = self.library.open(here.file, at, scope.directory, name)
                yield self.read_file(scope, number, path)
            else:
                with _Where(here.file, at):
                    self.take(scope, here, command)
        self.resolve(scope, here, done, len(scan.link_at), len(scan.mark_at))

    def take(self, scope: Scope, here: FileScope, command: Command) -> None:
        kind = command.kind
        if kind in _MARKS:
            self.take_mark(scope, here, command)
        elif kind is Keyword.PARENT or kind is Keyword.WEAK:
            self.take_links(scope, command)
        elif kind is Keyword.CONNECT:
            self.connect(scope, *read_connect(command))
        elif kind is Keyword.PIN_IN or kind is Keyword.PIN_OUT:
            name, number = read_pin(command)
            pins = scope.pins_in if kind is Keyword.PIN_IN else scope.pins_out
            pins.setdefault(number, []).append(_node(scope, name))
        elif kind is Keyword.MAXJOBS:
            category, most = read_maxjobs(command)
            scope.maxjobs[category] = most
        elif kind in _SETTINGS:
            scope.settings.append((kind, read_setting(command), here.number, command.begin))
        elif kind is Keyword.REJECT:
            read_setting(command)
            raise Malformed(
                "the DAG is marked with REJECT", "DAGMan wrote this file after an error; correct the original"
            )
        else:
            raise _unknown_command(command.text)

    # Names

    def resolve(self, scope: Scope, here: FileScope, done: _Progress, links: int, marks: int) -> None:
        """Turn the plain lines up to here into edges and marks."""
        while done.links < links:
            most = MAX_EDGES - scope.edge_count
            tails, heads, line, symbol = here.scan.edges(done.links, links, here.node_of, *scope.groups(), most)
            scope.add_edges(tails, heads)
            if line < 0:
                break
            self.resolve_lifted(scope, here, int(here.scan.link_at[line]), symbol)
            done.links = line
        done.links = links
        self.resolve_marks(scope, here, done, marks)

    def resolve_lifted(self, scope: Scope, here: FileScope, at: int, symbol: int, edge: bool = True) -> None:
        if symbol < 0:
            raise error_at(
                here.file, at, f"more than {MAX_EDGES:,} edges", "join the groups through one NOOP job between them"
            )
        name = here.scan.symbol_names(np.array([symbol], np.int32))[0]
        meaning = int(here.node_of[symbol])
        node = scope.find_lifted(name) if meaning == -1 and "+" in name else -1
        if node < 0:
            raise error_at(here.file, at, *(_no_node(scope, name, meaning) if edge else _unknown_job(name)))
        here.node_of[symbol] = node

    def resolve_marks(self, scope: Scope, here: FileScope, done: _Progress, marks: int) -> None:
        while done.marks < marks:
            nodes = here.node_of[here.scan.mark_symbol[done.marks : marks]]
            for i in np.flatnonzero(nodes < 0).tolist():
                mark = done.marks + i
                at = int(here.scan.mark_at[mark])
                if nodes[i] > SPECIAL:
                    self.resolve_lifted(scope, here, at, int(here.scan.mark_symbol[mark]), edge=False)
                    break
                with _Where(here.file, at):
                    _check_special(scope, Keyword(int(here.scan.mark_kind[mark])), int(nodes[i]))
            else:
                scope.marks.append(MarkRun(here.number, done.marks, nodes))
                done.marks = marks

    def take_mark(self, scope: Scope, here: FileScope, command: Command) -> None:
        name, value = read_mark(command.kind, command.text)
        if fold(name) == "ALL_NODES" and command.kind is not Keyword.DONE:
            lifted = sum(use.unit.count for use in scope.instances[: scope.lifted])
            if scope.own_count + lifted + scope.provisioned == 0:
                raise Malformed("ALL_NODES, but no job is defined", "define jobs in this file or an earlier one")
            node = ALL_NODES
        else:
            node = _node(scope, name)
            _check_special(scope, command.kind, node)
        scope.marks.append(OddMark(here.number, command.begin, command.kind, node, value, scope.count, scope.lifted))

    def take_links(self, scope: Scope, command: Command) -> None:
        parents, children = (
            np.concatenate([_nodes(scope, name, side) for name in names])
            for side, names in enumerate(read_links(command))
        )
        if not len(parents) or not len(children):
            raise Malformed("a splice without jobs stands alone beside CHILD", "give it jobs or remove it here")
        if scope.edge_count + len(parents) * len(children) > MAX_EDGES:
            raise Malformed(f"more than {MAX_EDGES:,} edges", "join the groups through one NOOP job between them")
        tails, heads = np.repeat(parents, len(children)), np.tile(children, len(parents))
        scope.add_edges(tails, heads)
        if command.kind is Keyword.WEAK:
            scope.weak.append((tails, heads))

    def connect(self, scope: Scope, parent: str, child: str) -> None:
        for name in (parent, child):
            if name not in scope.splices:
                raise Malformed(f"there is no splice {name!r} to connect", "define it with SPLICE in this file")
        first, second = (scope.instances[scope.splices[name]] for name in (parent, child))
        outs, ins = first.unit.pins_out, second.unit.pins_in
        if not outs or not ins or max(outs) != max(ins):
            raise Malformed(
                f"{parent!r} has {max(outs, default=0)} PIN_OUTs but {child!r} has {max(ins, default=0)} PIN_INs",
                "both need the same number, at least one",
            )
        for number in range(1, max(outs) + 1):
            if number not in outs or number not in ins:
                raise Malformed(f"no job is at pin {number}", "pins are numbered from 1 without gaps")
            if min(outs[number]) < 0 or min(ins[number]) < 0:
                raise Malformed(f"pin {number} is a node that takes no edges", "pins are JOBs or SUBDAGs")
            tails = np.array(outs[number], np.int32) + np.int32(first.offset)
            heads = np.array(ins[number], np.int32) + np.int32(second.offset)
            if scope.edge_count + len(tails) * len(heads) > MAX_EDGES:
                raise Malformed(f"more than {MAX_EDGES:,} edges", "join the pins through one NOOP job")
            scope.add_edges(np.repeat(tails, len(heads)), np.tile(heads, len(tails)))
        if len(scope.orphans(second)) or second.unit.has_provisioner:
            raise Malformed(f"a job of {child!r} has no parent after CONNECT", "give each of its first jobs a PIN_IN")


class _Progress:
    """How many of a file's plain lines have been turned into edges and marks."""

    def __init__(self) -> None:
        self.links = 0
        self.marks = 0


class _Where:
    """Turns what is malformed into an error that says where."""

    def __init__(self, file: DagFile, at: int) -> None:
        self.file = file
        self.at = at

    def __enter__(self) -> None:
        pass

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        if isinstance(error, Malformed):
            raise error_at(self.file, self.at, error.text, error.hint) from None


def _taken(name: str) -> tuple[str, str]:
    return f"the name {name!r} is already taken", "jobs and splices of a DAG need different names"


def _no_node(scope: Scope, name: str, meaning: int) -> tuple[str, str]:
    if meaning == SPECIAL // 2:
        return f"the splice {name!r} has a PROVISIONER node, which takes no edges", "splice it without edges"
    if meaning <= SPECIAL:
        return (
            f"{name!r} is a {scope.others[SPECIAL - meaning].line.kind.name} node, which takes no edges",
            "remove it here",
        )
    if meaning < -1 and name in scope.splices:
        return f"the splice {name!r} has no jobs, and nothing stands beside it", "give it jobs or remove it here"
    return _unknown_job(name)


def _unknown_job(name: str) -> tuple[str, str]:
    if "+" in name:
        return (
            f"unknown job {name!r}",
            "jobs inside a splice cannot be named from outside; use pins or the splice itself",
        )
    return f"unknown job {name!r}", "declare it with JOB; names are case-sensitive"


def _node(scope: Scope, name: str) -> int:
    """Return the node of a name; splices are none."""
    meaning = scope.find(name)
    if SPECIAL < meaning < 0:
        raise Malformed(*_unknown_job(name))
    return meaning


def _nodes(scope: Scope, name: str, side: int) -> Any:
    meaning = scope.find(name)
    if meaning >= 0:
        return np.array([meaning], np.int32)
    if meaning == -1 or meaning <= SPECIAL // 2:
        raise Malformed(*_no_node(scope, name, meaning))
    use = scope.instances[-2 - meaning]
    return (use.unit.initial if side else use.unit.terminal) + np.int32(use.offset)


def _check_special(scope: Scope, kind: Keyword, meaning: int) -> None:
    if meaning <= SPECIAL:
        line = scope.others[SPECIAL - meaning].line
        if line.kind in _REFUSES.get(kind, ()):
            raise Malformed(f"the {line.kind.name} node {line.name!r} cannot have {kind.name}", "remove this line")


def _unknown_command(text: str) -> Malformed:
    word = text.split(maxsplit=1)[0] if text.split() else text
    if fold(word) in ("NODE", "DATA"):
        return Malformed(f"{word!r} is no DAGMan command", "write JOB")
    if word.startswith("\ufeff"):
        return Malformed("the file begins with a byte order mark", "save it without one; DAGMan does not know it")
    shown = word if len(word) <= 40 else word[:40] + "..."
    near = nearest_command(word)
    hint = f"did you mean {near}?" if near else "the commands are JOB, PARENT ... CHILD, VARS, and so on"
    return Malformed(f"{shown!r} is no DAGMan command", hint)
