"""What a DAGMan file says beside its jobs and edges, job by job, read when it is asked for.

A million jobs with retries, priorities and variables are some millions of lines. Keeping each as an object would cost
more than the dag; so only their places are kept, in columns, and the lines about a job are read when it is asked for.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeVar

import numpy as np

from eligo.dag import Int32
from eligo.formats._dagman.commands import AbortDagOn, Mark, NodeLine, Retry, Script, read_mark, read_node
from eligo.formats._dagman.lines import read_command
from eligo.formats._dagman.parsed_dag import SPECIAL, MarkRun, NodeRun, OddMark, Scan, Unit, join_directory, walk
from eligo.formats._dagman.tokens import Keyword, Var
from eligo.formats._source import Source

__all__ = ["Details", "NodeDetails", "Setting"]

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class NodeDetails:
    """One node as the file describes it.

    Attributes
    ----------
    kind
        ``job``, ``subdag``, ``final``, ``provisioner`` or ``service``.
    submit
        The submit file, the name of a SUBMIT-DESCRIPTION or, for a SUBDAG, the DAG file; nothing where `inline` is set.
    inline
        The submit description written into the file, or the SUBMIT-DESCRIPTION the node names.
    directory
        Where the node runs and its submit file is, splices' DIRs included; nothing for the DAG's own directory.
    category
        With the splice's name before it, unless it begins with ``+``, as DAGMan has it.
    path, line
        Where the node is defined.
    """

    name: str
    kind: Literal["job", "subdag", "final", "provisioner", "service"]
    submit: str
    inline: str | None
    directory: str
    noop: bool
    done: bool
    vars: tuple[Var, ...]
    priority: int | None
    retry: Retry | None
    scripts: tuple[Script, ...]
    category: str | None
    pre_skip: int | None
    abort_dag_on: AbortDagOn | None
    save_point_file: str | None
    tolerance: str | None
    path: str
    line: int


@dataclass(frozen=True, slots=True)
class Setting:
    """A command about the DAG as a whole, such as CONFIG or DOT, and what follows it."""

    kind: Keyword
    text: str
    path: str
    line: int


@dataclass(frozen=True, eq=False)
class Details:
    r"""What a DAG says beside its jobs and edges.

    Examples
    --------
    >>> from eligo.formats._dagman import parse
    >>> text = b'JOB a a.sub NOOP\nRETRY a 3\nVARS a x="1"\nFINAL end end.sub\nMAXJOBS few 2\n'
    >>> details = parse(Source("x.dag", text), None).details
    >>> job = details.job(0)
    >>> job.noop, job.retry, job.vars, job.line
    (True, Retry(times=3, unless_exit=None), (Var(name='x', value='1', prepend=None),), 1)
    >>> [node.name for node in details.others()], dict(details.maxjobs)
    (['end'], {'few': 2})
    """

    root: Unit

    @property
    def sources(self) -> tuple[Source, ...]:
        """Every DAG file that was read, the outermost first."""
        return tuple(file.source for file in self.root.files)

    def job(self, index: int) -> NodeDetails:
        """Return what is said of the job with this number."""
        if not 0 <= index < self.root.count:
            raise IndexError(f"job {index} of {self.root.count}")
        place = _locate(self.root, index)
        return _describe(place, _line_of(place), _marks_at(place))

    def where(self, index: int) -> tuple[str, int]:
        """Return the file and the line that define the job with this number."""
        place = _locate(self.root, index)
        file = self.root.files[place.run.file]
        return file.source.path, file.line_of(place.at)

    def mark_line(self, index: int, kind: Keyword, names: frozenset[str] = frozenset()) -> tuple[str, int]:
        r"""Return the file and the line that have the last word of a kind on a job; of VARS, on one of some `names`.

        Where there is no such line, it is that of the job.

        Examples
        --------
        >>> from eligo.formats._dagman import parse
        >>> text = b'JOB a a.sub\nPRIORITY a 1\nPRIORITY a 2\nVARS a x="1"\nVARS a y="1"\n'
        >>> details = parse(Source("x.dag", text), None).details
        >>> details.mark_line(0, Keyword.PRIORITY), details.mark_line(0, Keyword.VARS, frozenset({"x"}))
        (('x.dag', 3), ('x.dag', 4))
        """
        for said in reversed(_marks_at(_locate(self.root, index))):
            if said.kind is kind and (not names or _gives(said.value, names)):
                file = self.root.files[said.file]
                return file.source.path, file.line_of(said.at)
        return self.where(index)

    def description(self, index: int) -> tuple[Source, int] | None:
        """Return the DAG file that a job's submit description stands in and where it begins there, if it does."""
        place = _locate(self.root, index)
        body = _body(place, _line_of(place))
        return None if body is None else (self.root.files[body[0]].source, body[1])

    def edge_line(self, parent: int, child: int) -> tuple[str, int] | None:
        """Return the file and the line of a PARENT line that states an edge, or ``None`` where none does by itself."""
        unit = self.root
        while True:
            inside, other = _instance_at(unit, parent), _instance_at(unit, child)
            if inside < 0 or inside != other:
                break
            use = unit.instances[inside]
            unit, parent, child = use.unit, parent - use.offset, child - use.offset
        ends = [
            unit.instances[number].name if number >= 0 else _locate(unit, node).name
            for number, node in ((inside, parent), (other, child))
        ]
        for part in unit.parts:
            at = _link_of(unit.files[part].scan, *(end.encode("utf-8", "surrogateescape") for end in ends))
            if at is not None:
                return unit.files[part].source.path, unit.files[part].line_of(at)
        return None

    def others(self) -> Iterator[NodeDetails]:
        """Yield the FINAL, PROVISIONER and SERVICE nodes, those of splices too."""
        for unit, _, prefix, directory in walk(self.root):
            for number, other in enumerate(unit.others):
                run = NodeRun(other.file, 0, 1, at=other.at, odd=other.line)
                place = _Place(unit, run, other.at, prefix + other.line.name, directory, prefix, [])
                yield _describe(place, other.line, _marks_of(unit, SPECIAL - number))

    @property
    def settings(self) -> tuple[Setting, ...]:
        """CONFIG, DOT, NODE_STATUS_FILE, JOBSTATE_LOG, SET_JOB_ATTR and ENV commands of the outermost DAG."""
        files = self.root.files
        return tuple(
            Setting(kind, text, files[file].source.path, files[file].line_of(at))
            for kind, text, file, at in self.root.settings
        )

    @property
    def config(self) -> str | None:
        """The configuration file, where one is named."""
        return next((setting.text for setting in self.settings if setting.kind is Keyword.CONFIG), None)

    @property
    def maxjobs(self) -> dict[str, int]:
        """The most jobs of each category at a time; an outer DAG's word goes before a splice's."""
        most: dict[str, int] = {}
        for unit, _, prefix, _ in walk(self.root):
            for category, number in unit.maxjobs.items():
                most.setdefault(_scoped(category, prefix), number)
        return most

    @property
    def weak_edges(self) -> tuple[Int32, Int32]:
        """Tails and heads of the edges that WEAK lines state."""
        pairs = [
            (tails + np.int32(offset), heads + np.int32(offset))
            for unit, offset, _, _ in walk(self.root)
            for tails, heads in unit.weak
        ]
        none = np.empty(0, np.int32)
        return np.concatenate([none, *(pair[0] for pair in pairs)]), np.concatenate(
            [none, *(pair[1] for pair in pairs)]
        )


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a node comes from, and its numbers in the units around it, the outermost first."""

    unit: Unit
    run: NodeRun
    at: int
    name: str
    directory: str
    prefix: str
    path: list[tuple[Unit, int]]


class _Said(NamedTuple):
    """What a line says of a node, and where it stands."""

    kind: Keyword
    value: Mark
    file: int
    at: int


def _gives(value: Mark, names: frozenset[str]) -> bool:
    return isinstance(value, tuple) and any(var.name.lower() in names for var in value)


def _line_of(place: _Place) -> NodeLine:
    run = place.run
    return run.odd or read_node(read_command(place.unit.files[run.file].source.data, place.at))


def _marks_at(place: _Place) -> list[_Said]:
    """Return what all lines say of a job, those that win last: an outer DAG's after a splice's."""
    return [said for unit, local in reversed(place.path) for said in _marks_of(unit, local)]


def _locate(unit: Unit, index: int) -> _Place:
    path = [(unit, index)]
    prefix = directory = ""
    while (number := _instance_at(unit, index)) >= 0:
        use = unit.instances[number]
        unit, index = use.unit, index - use.offset
        prefix, directory = f"{prefix}{use.name}+", join_directory(directory, use.directory)
        path.append((unit, index))
    run = unit.nodes[bisect_right(unit.index.positions, index) - 1]
    if run.odd is not None:
        return _Place(unit, run, run.at, prefix + run.odd.name, directory, prefix, path)
    scan = unit.files[run.file].scan
    job = run.first + index - run.position
    name = scan.symbol_names(scan.job_symbol[job : job + 1])[0]
    return _Place(unit, run, int(scan.job_at[job]), prefix + name, directory, prefix, path)


def _link_of(scan: Scan, parent: bytes, child: bytes) -> int | None:
    """Return where the first PARENT line with this parent and this child begins."""
    lines = []
    for name, is_child in ((parent, False), (child, True)):
        words = np.flatnonzero(scan.link_symbol == scan.find(name))
        line = np.searchsorted(scan.link_ptr, words, "right") - 1
        lines.append(line[(words >= scan.link_split[line]) == is_child])
    both = np.intersect1d(*lines)
    return int(scan.link_at[both[0]]) if len(both) else None


def _instance_at(unit: Unit, index: int) -> int:
    """Return which of a unit's splices a node is in, or -1."""
    number = bisect_right(unit.instances, index, key=lambda use: use.offset) - 1
    while number >= 0 and unit.instances[number].unit.count == 0:
        number -= 1  # an empty splice shares its offset with what follows
    use = unit.instances[number] if number >= 0 else None
    return number if use is not None and index < use.offset + use.unit.count else -1


def _describe(place: _Place, line: NodeLine, marks: list[_Said]) -> NodeDetails:
    last = {said.kind: said.value for said in marks}
    variables: dict[str, Var] = {}
    scripts: dict[str, Script] = {}
    for said in marks:
        if isinstance(said.value, Script):
            scripts[said.value.when] = said.value
        elif isinstance(said.value, tuple):
            variables.update((var.name.lower(), var) for var in said.value)
    category = last.get(Keyword.CATEGORY)
    file = place.unit.files[place.run.file]
    return NodeDetails(
        name=place.name,
        kind=line.kind.name.lower(),  # type: ignore[arg-type]
        submit=line.submit,
        inline=_inline(place, line),
        directory=join_directory(place.directory, line.directory),
        noop=line.noop,
        done=line.done or Keyword.DONE in last,
        vars=tuple(variables.values()),
        priority=_typed(last.get(Keyword.PRIORITY), int),
        retry=_typed(last.get(Keyword.RETRY), Retry),
        scripts=tuple(scripts.values()),
        category=_scoped(category, place.prefix) if isinstance(category, str) else None,
        pre_skip=_typed(last.get(Keyword.PRE_SKIP), int),
        abort_dag_on=_typed(last.get(Keyword.ABORT_DAG_ON), AbortDagOn),
        save_point_file=_typed(last.get(Keyword.SAVE_POINT_FILE), str),
        tolerance=_typed(last.get(Keyword.TOLERANCE), str),
        path=file.source.path,
        line=file.line_of(place.at),
    )


def _typed(value: object, kind: type[_T]) -> _T | None:
    return value if isinstance(value, kind) else None


def _body(place: _Place, line: NodeLine) -> tuple[int, int, int] | None:
    """Return file, begin and end of the submit description that is written into a DAG file for a node."""
    if line.body is not None:
        return (place.run.file, *line.body)
    return place.unit.descriptions.get(line.submit) if line.kind is not Keyword.SUBDAG else None


def _inline(place: _Place, line: NodeLine) -> str | None:
    body = _body(place, line)
    if body is None:
        return None
    file, begin, end = body
    return place.unit.files[file].source.data[begin:end].decode("utf-8", "surrogateescape")


def _scoped(category: str, prefix: str) -> str:
    return category if category.startswith("+") else prefix + category


def _marks_of(unit: Unit, local: int) -> list[_Said]:
    """Return what the lines of one unit say of a node, in order."""
    index = unit.index
    found = [(int(index.order[i]), int(i)) for i in index.rows(local)]
    said: list[tuple[int, _Said]] = []
    for order, row in found:
        run = unit.marks[int(index.run[row])]
        if isinstance(run, OddMark):
            said.append((order, _odd_mark(run)))
        else:
            said.append((order, _plain_mark(unit, run, run.first + int(index.step[row]))))
    for order, run in index.for_all:
        if local >= 0 and _covers(unit, run, local):
            said.append((order, _odd_mark(run)))
    said.sort(key=lambda pair: pair[0])
    return [mark for _, mark in said]


def _covers(unit: Unit, mark: OddMark, local: int) -> bool:
    return local < mark.count and _instance_at(unit, local) < mark.lifted


def _odd_mark(mark: OddMark) -> _Said:
    return _Said(mark.kind, mark.value, mark.file, mark.at)


def _plain_mark(unit: Unit, run: MarkRun, mark: int) -> _Said:
    file = unit.files[run.file]
    kind, at = Keyword(int(file.scan.mark_kind[mark])), int(file.scan.mark_at[mark])
    return _Said(kind, read_mark(kind, read_command(file.source.data, at).text)[1], run.file, at)
