"""What the attributes of a DOT file mean, which depends on the program that wrote it.

====================  =====================================  =========================================================
dialect               known by                               read as
====================  =====================================  =========================================================
``eligo``             graph attribute ``eligo``              our own writer's; equal to the dag that was written
``snakemake``         the graph's name                       edges from producer to consumer; labels name the jobs
``nextflow``          nodes ``v3`` or ``p3`` of which some   jobs are the processes; operators and channels are
                      are points or circles labelled "",     contracted, so dependencies through them stay
                      or such ones of fixed size
``tree``              ``tmp_memory`` or ``edge_memory``      temporary space of a job, data of an edge; ``flops`` is
                                                             work at 10^9 flop/s
``daggen``            nodes with ``size`` and ``alpha``      ``size`` of a node is work at 10^9 flop/s, of an edge bytes
``dataflow``          ``size`` on nodes and on edges         ``size`` of a node is seconds, of an edge bytes
``graphviz``          anything else                          ``time_s``, ``temp_bytes``, ``memory_bytes``, ``count`` of
                                                             nodes and ``size`` of edges, where given
====================  =====================================  =========================================================

Sizes of edges are read as ``eligo.formats._data_files`` says.

Leave out nodes that are no jobs, but keep the dependencies that lead through them.

A walk from each job stops at the jobs it meets and passes through the rest. That is as many steps as there are (job,
passed edge) pairs, so it is bounded: a graph drawn for people is far below the bound.

What our own writer encodes: names, and shared data, listed once where they are made and by number where read.

A node's ``outputs`` is a list of ``number:name=size``, its ``inputs`` a list of numbers; what exists before the
workflow starts stands in the graph's own ``inputs``. Names are encoded, so that a list is split by blanks; they are
left out where the data have none. ``?`` is an unknown size.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from eligo.dag import OUTSIDE, UNKNOWN, Dag, Data, Int32
from eligo.errors import CycleError, EligoError, ParseError
from eligo.formats._base import Notes
from eligo.formats._data_files import merge_weights, parse_weight
from eligo.formats._dot.syntax import MAX_PAIRS, Attributes, Graph
from eligo.formats._numbers import parse_count, parse_seconds, parse_size
from eligo.formats._source import Source
from eligo.formats._text_edits import decode_name, encode_name

__all__ = [
    "DotDetails",
    "SharedLists",
    "contract",
    "decode_id",
    "encode_id",
    "job_nodes",
    "list_shared",
    "read_shared",
    "to_dag",
]


def contract(graph: Graph, left_out: NDArray[np.bool_], source: Source) -> tuple[list[int], list[int]]:
    """Return the edges between kept nodes, numbered among themselves, where nodes `left_out` are passed through.

    Examples
    --------
    >>> from eligo.formats._dot.grammar import parse_graph
    >>> source = Source("a.dot", b"digraph { a -> x -> y -> b; x -> c }")
    >>> graph = parse_graph(source)
    >>> graph.names
    ['a', 'x', 'y', 'b', 'c']
    >>> contract(graph, np.array([False, True, True, False, False]), source)
    ([0, 0], [2, 1])
    """
    number = np.cumsum(~left_out) - 1
    children: list[list[int]] = [[] for _ in graph.names]
    for tail, head in zip(graph.tails, graph.heads, strict=True):
        children[tail].append(head)
    tails: list[int] = []
    heads: list[int] = []
    seen_from = [-1] * len(children)
    steps = 0
    for job in np.flatnonzero(~left_out).tolist():
        waiting = [job]
        while waiting:
            at = waiting.pop()
            steps += 1 + len(children[at])
            for child in children[at]:
                if not left_out[child]:
                    tails.append(int(number[job]))
                    heads.append(int(number[child]))
                elif seen_from[child] != job:
                    seen_from[child] = job
                    waiting.append(child)
        if steps > MAX_PAIRS:
            raise source.error(
                None, "too many processes are joined through operators", hint="draw fewer, or give an edge list instead"
            )
    return tails, heads


_ENTRY = re.compile(r"([0-9]{1,9}):([^:=\s]*)=(\?|[0-9]{1,19})")
_HINT = "an entry of outputs reads number:name=size, one of inputs is a number"


def encode_id(name: str) -> str:
    r"""Return a node's ID for any job's name; one that needs ``%XX`` begins with ``_``.

    Graphviz takes an ID that begins with a per cent sign for one of its own and prints another in its place.

    Examples
    --------
    >>> encode_id("a b"), encode_id("\\n"), decode_id(encode_id("\\n"))
    ('a b', '_%5Cn', '\\n')
    """
    encoded = encode_name(name)
    return encoded if encoded == name else "_" + encoded


def decode_id(text: str) -> str:
    """Return the job's name for which :func:`encode_id` made this ID."""
    return decode_name(text.removeprefix("_"))


@dataclass(slots=True)
class SharedLists:
    """The texts of the attributes, for the jobs that have any."""

    outside: str
    outputs: dict[int, str] = field(default_factory=dict)
    inputs: dict[int, str] = field(default_factory=dict)


def list_shared(data: Data) -> SharedLists:
    """Return the attributes that state `data`.

    Examples
    --------
    >>> lists = list_shared(Data.build([100, -1], producer=[0, -1], readers=[[1, 2], [0]], names=["a b", "c"]))
    >>> lists.outside, lists.outputs, lists.inputs
    ('1:c=?', {0: '0:a%20b=100'}, {1: '0', 2: '0', 0: '1'})
    """
    outputs: dict[int, list[str]] = defaultdict(list)
    inputs: dict[int, list[str]] = defaultdict(list)
    for datum, (size, producer) in enumerate(zip(data.size_bytes.tolist(), data.producer.tolist(), strict=True)):
        name = encode_name(data.names[datum], in_list=True) if data.names is not None else ""
        outputs[producer].append(f"{datum}:{name}={'?' if size == UNKNOWN else size}")
        for reader in data.readers_of(datum).tolist():
            inputs[reader].append(str(datum))
    outside = " ".join(outputs.pop(OUTSIDE, []))
    return SharedLists(
        outside,
        {job: " ".join(entries) for job, entries in outputs.items()},
        {job: " ".join(entries) for job, entries in inputs.items()},
    )


def read_shared(graph: Graph, source: Source) -> Data:
    """Return the data that a graph of our own writer states."""
    made: dict[int, tuple[int, str, int]] = {}
    for entry in graph.attributes.get("inputs", "").split():
        _add_entry(made, entry, OUTSIDE, graph, source)
    for job, node in enumerate(graph.nodes):
        for entry in node.get("outputs", "").split():
            _add_entry(made, entry, job, graph, source)
    k = len(made)
    if made and max(made) >= k:
        raise source.error(None, f"data are numbered up to {max(made)}, but there are only {k}", hint=_HINT)
    readers: list[list[int]] = [[] for _ in range(k)]
    for job, node in enumerate(graph.nodes):
        for entry in node.get("inputs", "").split():
            if not entry.isdecimal() or not entry.isascii() or len(entry) > 9 or int(entry) >= k:
                raise _bad(entry, source, graph.line(graph.node_at[job], entry))
            readers[int(entry)].append(job)
    rows = [made[datum] for datum in range(k)]
    names = [name for _, name, _ in rows] if graph.attributes.get("eligo") == "files" else None
    return Data.build([size for _, _, size in rows], [producer for producer, _, _ in rows], readers, names)


def _add_entry(made: dict[int, tuple[int, str, int]], entry: str, producer: int, graph: Graph, source: Source) -> None:
    match = _ENTRY.fullmatch(entry)
    if match is None or int(match[1]) in made:
        raise _bad(entry, source, _line(graph, producer, entry))
    try:
        made[int(match[1])] = (producer, decode_name(match[2]), UNKNOWN if match[3] == "?" else parse_size(match[3]))
    except EligoError as error:
        raise source.error(_line(graph, producer, entry), error.text, hint=error.hint) from None


def _line(graph: Graph, producer: int, entry: str) -> int | None:
    """Return the line of an entry; asked only for an error, since it takes as long as the file is."""
    return None if producer == OUTSIDE else graph.line(graph.node_at[producer], entry)


def _bad(entry: str, source: Source, line: int | None) -> ParseError:
    return source.error(line, f"{entry[:40]!r} is no datum, or one that is listed twice or nowhere", hint=_HINT)


FLOP_PER_S = 1e9
_PLAIN_DIGITS = 18  # so many digits stay below 2^62
_NEXTFLOW_ID = re.compile(r"[pv][0-9]+")
_LABEL_ESCAPE = re.compile(r"\\([nlr\\])")

_Value = TypeVar("_Value", int, float)


@dataclass(frozen=True, slots=True)
class DotDetails:
    """What a DOT file says beside the dag.

    Attributes
    ----------
    dialect
        How its attributes were understood; see the module's table.
    graph_name
        The name after ``digraph``.
    labels
        The label of each job, empty where it has none.
    """

    dialect: str
    graph_name: str
    labels: tuple[str, ...]


def to_dag(graph: Graph, source: Source, notes: Notes) -> tuple[Dag, DotDetails]:
    """Give a graph its meaning."""
    keys = _node_keys(graph)
    dialect = _dialect(graph, keys)
    labels = [_label(node.get("label", "")) for node in graph.nodes] if "label" in keys else [""] * len(graph.nodes)
    if dialect == "nextflow":
        return _processes(graph, labels, source, notes)
    meaning = _Meaning(graph, source, notes, dialect, keys)
    names = meaning.names(labels)
    known: dict[str, Any] = {
        "time_s": meaning.times(),
        "temp_bytes": meaning.column(("temp_bytes", "tmp_memory"), parse_size, UNKNOWN),
        "memory_bytes": meaning.column(("memory_bytes",), parse_size, UNKNOWN),
        "count": meaning.column(("count",), parse_count, 1),
    }
    tails, heads = np.frombuffer(graph.tails, np.int32), np.frombuffer(graph.heads, np.int32)
    known["data"] = meaning.data(tails, heads)
    if graph.hidden_edges:
        notes.add(source.path, None, f"invisible edges are read as dependencies, {graph.hidden_edges:,} of them")
    try:
        dag = Dag.from_edges(names, tails, heads, **known)
    except CycleError as error:
        raise CycleError(error.cycle, path=source.path, line=meaning.line_of_edge(names, error.cycle)) from None
    except ValueError as error:
        raise source.error(None, str(error), hint="check the inputs and outputs attributes") from None
    return dag, DotDetails(dialect, graph.name, tuple(labels))


def _node_keys(graph: Graph) -> set[str]:
    """Return which attributes any node has; nodes without their own share one mapping, which is looked at once."""
    return {key for node in {id(node): node for node in graph.nodes}.values() for key in node}


def _dialect(graph: Graph, keys: set[str]) -> str:
    if "eligo" in graph.attributes:
        return "eligo"
    if graph.name.lower().startswith("snakemake"):
        return "snakemake"
    if _is_nextflow(graph):
        return "nextflow"
    if "tmp_memory" in keys or "edge_memory" in graph.weight_keys:
        return "tree"
    if "size" in keys and "alpha" in keys:
        return "daggen"
    return "dataflow" if "size" in keys and "size" in graph.weight_keys else "graphviz"


def _is_nextflow(graph: Graph) -> bool:
    """Tell Nextflow's graphs by its IDs, or, where another program changed these, by its tiny round operators."""
    operators = list(filter(_is_operator, graph.nodes))
    tiny = any(node.get("fixedsize") == "true" and node.get("label") == "" for node in operators)
    return bool(operators) and (tiny or all(map(_NEXTFLOW_ID.fullmatch, graph.names)))


def _is_operator(node: Attributes) -> bool:
    """Tell an operator or a channel of Nextflow, which shows no name, from a node that someone drew as a circle."""
    return node.get("shape") == "point" or (node.get("shape") == "circle" and node.get("label") == "")


def _operators(graph: Graph) -> NDArray[np.bool_]:
    """Tell which nodes of a Nextflow graph are no jobs; none of them where it has nothing but operators."""
    operator = np.array([_is_operator(node) for node in graph.nodes], np.bool_)
    return operator & (not operator.all())


def job_nodes(graph: Graph) -> list[int]:
    """Return of each job of the dag the number of the node that stands for it.

    Examples
    --------
    >>> from eligo.formats._dot.grammar import parse_graph
    >>> job_nodes(parse_graph(Source("a.dot", b"digraph { v1 -> v2 -> v3; v2 [shape=point] }")))
    [0, 2]
    """
    if _dialect(graph, _node_keys(graph)) == "nextflow":
        return np.flatnonzero(~_operators(graph)).tolist()
    return list(range(len(graph.names)))


def _label(text: str) -> str:
    r"""Return a label on one line; ``\N`` stands for the node's own name, and HTML is a drawing: both say nothing."""
    if text == r"\N" or text.lstrip().startswith("<"):
        return ""
    return " ".join(_LABEL_ESCAPE.sub(lambda escape: "\\" if escape[1] == "\\" else " ", text).split())


def _processes(graph: Graph, labels: list[str], source: Source, notes: Notes) -> tuple[Dag, DotDetails]:
    operator = _operators(graph)
    if not operator.any():
        notes.add(source.path, None, "this Nextflow graph has no process; its operators are read as jobs")
    kept = np.flatnonzero(~operator)
    tails, heads = contract(graph, operator, source)
    if len(kept) < len(graph.names):
        notes.add(
            source.path,
            None,
            f"jobs are the {len(kept):,} processes of Nextflow; {len(graph.names) - len(kept):,} operators and"
            " channels between them are left out, dependencies through them kept",
        )
    shown = [labels[node] for node in kept]
    names = shown if all(shown) and len(set(shown)) == len(shown) else [graph.names[node] for node in kept]
    try:
        dag = Dag.from_edges(names, tails, heads)
    except CycleError as error:
        raise CycleError(error.cycle, path=source.path) from None
    return dag, DotDetails("nextflow", graph.name, tuple(shown))


class _Meaning:
    """Turns the texts of one graph's attributes into columns; errors name the line of the value."""

    def __init__(self, graph: Graph, source: Source, notes: Notes, dialect: str, keys: set[str]) -> None:
        self.graph = graph
        self.source = source
        self.notes = notes
        self.dialect = dialect
        self.keys = keys

    def names(self, labels: list[str]) -> list[str]:
        """Return the jobs' names: the nodes' IDs, except where a program numbers them and labels tell them apart."""
        names = self.graph.names
        if self.dialect == "snakemake" and all(labels):
            # Wildcards that a job shares with its inputs are not repeated in its label, so labels need not differ.
            unique = len(set(labels)) == len(labels)
            return labels if unique else [f"{label}_{name}" for label, name in zip(labels, names, strict=True)]
        if self.dialect == "eligo":
            try:
                names = [decode_id(name) if "%" in name else name for name in names]
            except EligoError as error:
                raise self.source.error(None, error.text, hint=error.hint) from None
            if len(set(names)) < len(names):
                raise self.source.error(None, "two nodes have the same name after %XX is decoded")
        return names

    def times(self) -> list[float] | None:
        flops = self.column(("flops",), parse_seconds, np.nan)
        stated = self.column(("time_s",), parse_seconds, np.nan)
        sizes = None
        if self.dialect in ("daggen", "dataflow"):
            sizes = self.column(("size",), parse_seconds, np.nan)
        elif self.dialect == "graphviz" and "size" in self.keys:
            self.notes.add(self.source.path, None, "size of nodes is not read, since no edge has a size")
        if self.dialect == "daggen":
            flops, sizes = sizes, None
        for column in (sizes, flops and [value / FLOP_PER_S for value in flops]):
            if column is not None:
                stated = column if stated is None else [b if a != a else a for a, b in zip(stated, column, strict=True)]  # noqa: PLR0124
        return stated

    def column(self, keys: tuple[str, ...], parse: Callable[[str], _Value], missing: _Value) -> list[_Value] | None:
        """Return one number for each node, from the first of `keys` it has; ``None`` where no node has any."""
        keys = tuple(key for key in keys if key in self.keys)
        if not keys:
            return None
        values: list[_Value] = []
        for number, node in enumerate(self.graph.nodes):
            text = next((node[key] for key in keys if key in node), None)
            values.append(missing if text is None else self._number(text, parse, self.graph.node_at[number]))
        return values

    def _number(self, text: str, parse: Callable[[str], _Value], at: int) -> _Value:
        try:
            return parse(text)
        except EligoError as error:
            raise self.source.error(self.graph.line(at, text), error.text, hint=error.hint) from None

    def data(self, tails: Int32, heads: Int32) -> Data | None:
        """Return what jobs pass to each other: the weights of edges, or what our own writer lists at nodes."""
        graph = self.graph
        if graph.attributes.get("eligo") in ("data", "files"):
            return read_shared(graph, self.source)
        if not graph.weight_keys and graph.attributes.get("eligo") != "edges":
            return None
        sizes = [
            int(text)  # nearly all are plain digits
            if text is not None and text.isdecimal() and text.isascii() and len(text) <= _PLAIN_DIGITS
            else self._number("unknown" if text is None else text, parse_weight, graph.edge_at[edge])
            for edge, text in enumerate(graph.weights)
        ]
        data, overruled = merge_weights(len(graph.names), tails, heads, np.array(sizes, np.int64))
        if overruled.size:
            self.notes.add(
                self.source.path,
                graph.line(graph.edge_at[int(overruled[0])]),
                f"an edge is repeated with another size, the largest is taken: {len(overruled):,} times",
            )
        return data

    def line_of_edge(self, names: list[str], cycle: tuple[str, ...]) -> int | None:
        """Return the line of the edge that leads from a cycle's first job to its second."""
        graph, number = self.graph, {name: node for node, name in enumerate(names)}
        tail, head = number[cycle[0]], number[cycle[1 % len(cycle)]]
        ends = (np.frombuffer(graph.tails, np.int32) == tail) & (np.frombuffer(graph.heads, np.int32) == head)
        found = np.flatnonzero(ends)
        return graph.line(graph.edge_at[int(found[0])]) if found.size else None
