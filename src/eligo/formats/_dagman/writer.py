"""Writes any dag as a DAG file that DAGMan runs as it is.

All jobs share one submit description inside the file, which sleeps for the job's time; who has real work replaces it.
What is known of a job goes into its VARS, from where it is read again. The children of a parent go on one line, so that
no join node comes into being.

Names that every DAGMan takes for a node, as close as can be to those that were given.

One file without splices and includes that DAGMan reads to the same jobs and edges.

A splice file used twice cannot carry two sets of priorities, and the outer file cannot name a splice's jobs: whoever
has something to say of every single job needs this. Since ``+`` is refused in node names, ``S+a`` becomes ``S.a``, and
the file says so in comments. Every path stays relative to the directory of the original, where the new file belongs.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence

import numpy as np

from eligo.dag import UNKNOWN, Dag
from eligo.errors import ParseError
from eligo.formats._base import Document, Notes
from eligo.formats._dagman.commands import Script
from eligo.formats._dagman.details import Details, NodeDetails
from eligo.formats._dagman.lines import read_command
from eligo.formats._dagman.parsed_dag import stated_edges
from eligo.formats._dagman.tokens import Malformed, Var
from eligo.formats._source import Source
from eligo.formats._submit.submit_file import check_description

__all__ = [
    "flat_names",
    "flatten",
    "is_legal",
    "legal_names",
    "links",
    "write_lines",
]

# 23.9 refuses only + and the reserved words, but cuts at blanks; 25 also unquotes and reads key=value pairs. A
# backslash could continue a line.
_ILLEGAL = re.compile(r"[\x00-\x20\x7f\u0085\u2028\u2029+\"'=\\]")
_RESERVED = frozenset({"PARENT", "CHILD", "ALL_NODES"})


def is_legal(name: str) -> bool:
    """Tell whether DAGMan takes a name for a node.

    Examples
    --------
    >>> is_legal("a.b-1"), is_legal("a b"), is_legal("child"), is_legal("")
    (True, False, False, False)
    """
    return bool(name) and _ILLEGAL.search(name) is None and not (name.isascii() and name.upper() in _RESERVED)


def legal_names(names: Sequence[str]) -> list[str]:
    """Return a legal name for each, all different; legal ones stay.

    The ``+`` between a splice and its node becomes a dot, any other illegal character ``_``.

    Examples
    --------
    >>> legal_names(["S+a", "S.a", "my job", "child"])
    ['S.a_2', 'S.a', 'my_job', 'child_']
    """
    if all(map(is_legal, names)):
        return list(names)
    taken = {name for name in names if is_legal(name)}
    made = []
    nexts: dict[str, int] = {}
    for name in names:
        if is_legal(name):
            made.append(name)
            continue
        base = _ILLEGAL.sub("_", name.replace("+", ".")) or "_"
        if not is_legal(base):
            base += "_"
        new, number = base, nexts.get(base, 2)
        while new in taken:
            new, number = f"{base}_{number}", number + 1
        nexts[base] = number
        taken.add(new)
        made.append(new)
    return made


_DESCRIPTION = "eligo"
_HEADER = f"""\
# Written by eligo. Every job sleeps for its time_s; to run real work, replace the description below, or the word
# {_DESCRIPTION} in each JOB line by a submit file.
SUBMIT-DESCRIPTION {_DESCRIPTION} {{
    executable = /bin/sleep
    arguments = $(time_s:1)
    transfer_executable = false
    should_transfer_files = no
}}
"""


def write_lines(dag: Dag, lost: Notes) -> Iterator[str]:
    """Yield the lines of a DAG file."""
    names = legal_names(dag.names)
    changed = [(old, new) for old, new in zip(dag.names, names, strict=True) if old != new]
    if changed:
        old, new = changed[0]
        more = f"; {len(changed) - 1:,} more names were changed" if len(changed) > 1 else ""
        lost.say(f"DAGMan does not take the name {old!r}: the job is called {new!r}{more}")
    if dag.data is not None and dag.data.k:
        lost.say("DAGMan has no place for data files and their sizes")
    if dag.count is not None:
        lost.say("DAGMan has no place for how many tasks a job stands for")
    yield _HEADER
    yield from (f"JOB {name} {_DESCRIPTION}\n" for name in names)
    yield from _vars(dag, names)
    yield from links(dag, names)


def _vars(dag: Dag, names: Sequence[str]) -> Iterator[str]:
    times = None if dag.time_s is None else dag.time_s.tolist()
    memory = None if dag.memory_bytes is None else dag.memory_bytes.tolist()
    temp = None if dag.temp_bytes is None else dag.temp_bytes.tolist()
    if times is memory is temp is None:
        return
    for i, name in enumerate(names):
        known = []
        if times is not None and not math.isnan(times[i]):
            known.append(f'time_s="{times[i]!r}"')
        if memory is not None and memory[i] != UNKNOWN:
            known.append(f'memory_bytes="{memory[i]}" request_memory="{-(-memory[i] // 1024)}K"')
        if temp is not None and temp[i] != UNKNOWN:
            known.append(f'temp_bytes="{temp[i]}" request_disk="{-(-temp[i] // 1024)}K"')
        if known:
            yield f"VARS {name} {' '.join(known)}\n"


def links(dag: Dag, names: Sequence[str]) -> Iterator[str]:
    """Yield a PARENT line for each job with children."""
    bounds, children = dag.succ_ptr.tolist(), dag.succ.tolist()
    for job, name in enumerate(names):
        if bounds[job] < bounds[job + 1]:
            row = " ".join([names[child] for child in children[bounds[job] : bounds[job + 1]]])
            yield f"PARENT {name} CHILD {row}\n"


def flat_names(document: Document) -> list[str]:
    """Return the name of each job in the flattened file, in the order of the dag's jobs."""
    return legal_names(document.dag.names)


def flatten(document: Document, dag: Dag | None = None) -> str:
    r"""Return one DAG file with all splices and includes expanded.

    With `dag`, which must have the document's jobs, the edges are those of `dag`; all else is the document's. Of its
    WEAK edges those remain that are edges of `dag`.

    Examples
    --------
    >>> from eligo.formats._dagman import parse
    >>> from eligo.formats._source import Source
    >>> print(flatten(parse(Source("x.dag", b"job a a.sub\nretry a 3\njob b b.sub\nparent a child b\n"))), end="")
    JOB a a.sub
    RETRY a 3
    JOB b b.sub
    PARENT a CHILD b
    """
    dag = document.dag if dag is None else dag
    if dag.names != document.dag.names:
        raise ValueError("the dag has other jobs than the document")
    return "".join(_lines(document, dag))


def _lines(document: Document, dag: Dag) -> Iterator[str]:
    details = document.details
    assert isinstance(details, Details)
    names = flat_names(document)
    for old, new in zip(document.dag.names, names, strict=True):
        if old != new:
            yield f"# {old} is called {new} here\n"
    for setting in details.settings:
        yield f"{setting.kind.name} {setting.text}\n"
    shared: dict[str, str] = {}
    for index, name in enumerate(names):
        yield from _node(details.job(index), name, shared)
    others = list(details.others())
    provisioners = [node for node in others if node.kind == "provisioner"]
    if len(provisioners) > 1:
        raise ParseError(
            document.source.path,
            None,
            f"{len(provisioners)} splices or DAGs have a PROVISIONER node each, and one DAG file has room for one",
            hint=f"remove all but one: {', '.join(node.name for node in provisioners)}",
        )
    for node, name in zip(others, legal_names([*names, *(node.name for node in others)])[len(names) :], strict=True):
        yield from _node(node, name, shared)
    for category, most in details.maxjobs.items():
        yield f"MAXJOBS {category} {most}\n"
    yield from _links(details, dag, names)


def _links(details: Details, dag: Dag, names: Sequence[str]) -> Iterator[str]:
    """Yield the edges; those that only WEAK lines state remain weak."""
    tails, heads = details.weak_edges
    if not len(tails):
        yield from links(dag, names)
        return
    ours, stated, weak = (
        pair[0].astype(np.int64) * dag.n + pair[1]
        for pair in ((dag.tails, dag.heads), stated_edges(details.root), (tails, heads))
    )
    (stated, times), (weak, weak_times) = (np.unique(keys, return_counts=True) for keys in (stated, weak))
    only_weak = weak[times[np.searchsorted(stated, weak)] == weak_times]
    strong = ~np.isin(ours, only_weak)
    yield from links(Dag.from_edges(names, dag.tails[strong], dag.heads[strong]), names)
    for edge in weak[np.isin(weak, ours)].tolist():
        yield f"WEAK PARENT {names[edge // dag.n]} CHILD {names[edge % dag.n]}\n"


def _node(node: NodeDetails, name: str, shared: dict[str, str]) -> Iterator[str]:
    submit = _quoted(node.submit)
    if node.inline is not None:
        if node.inline not in shared:
            shared[node.inline] = f"eligo-description-{len(shared) + 1}"
            yield _description(shared[node.inline], node.inline)
        submit = shared[node.inline]
    keyword = "SUBDAG EXTERNAL" if node.kind == "subdag" else node.kind.upper()
    directory = f" DIR {_quoted(node.directory)}" if node.directory else ""
    yield f"{keyword} {name} {submit}{directory}{' NOOP' * node.noop}{' DONE' * node.done}\n"
    for when in (None, True, False):
        group = [var for var in node.vars if var.prepend is when]
        if group:
            yield f"VARS {name} {_PLACES[when]}{' '.join(map(_var, group))}\n"
    for script in node.scripts:
        yield _script(script, name)
    yield from _marks(node, name)


def _description(name: str, body: str) -> str:
    if body and not body.endswith("\n"):
        body += "\n"
    braced = Source("", f"SUBMIT-DESCRIPTION d {{\n{body}}}\n".encode("utf-8", "surrogateescape"))
    command = read_command(braced.data, 0)
    try:
        if command.end != len(braced.data) or command.body is None:
            raise Malformed("a line of it begins with }")
        check_description(braced, *command.body)
    except (Malformed, ParseError):
        tag = "END"
        while f"@{tag}" in body:
            tag += "_"
        return f"SUBMIT-DESCRIPTION {name} @={tag}\n{body}@{tag}\n"
    return f"SUBMIT-DESCRIPTION {name} {{\n{body}}}\n"


def _marks(node: NodeDetails, name: str) -> Iterator[str]:
    if node.priority is not None:
        yield f"PRIORITY {name} {node.priority}\n"
    if node.retry is not None:
        unless = "" if node.retry.unless_exit is None else f" UNLESS-EXIT {node.retry.unless_exit}"
        yield f"RETRY {name} {node.retry.times}{unless}\n"
    if node.category is not None:
        yield f"CATEGORY {name} {node.category}\n"
    if node.pre_skip is not None:
        yield f"PRE_SKIP {name} {node.pre_skip}\n"
    if node.abort_dag_on is not None:
        returns = "" if node.abort_dag_on.returns is None else f" RETURN {node.abort_dag_on.returns}"
        yield f"ABORT-DAG-ON {name} {node.abort_dag_on.exit_code}{returns}\n"
    if node.save_point_file is not None:
        yield f"SAVE_POINT_FILE {name} {node.save_point_file}".rstrip() + "\n"
    if node.tolerance is not None:
        yield f"TOLERANCE {name} {node.tolerance}\n"


_PLACES = {None: "", True: "PREPEND ", False: "APPEND "}


def _quoted(path: str) -> str:
    return f'"{path}"' if " " in path or "\t" in path else path


def _var(var: Var) -> str:
    name = f"+{var.name[3:]}" if var.name.startswith("My.") else var.name
    value = var.value.replace("\\", "\\\\").replace('"', '\\"')
    return f'{name}="{value}"'


def _script(script: Script, name: str) -> str:
    defer = "" if script.defer_status is None else f"DEFER {script.defer_status} {script.defer_s} "
    debug = f"DEBUG {script.debug_file} {script.debug_stream} " if script.debug_file else ""
    return f"SCRIPT {defer}{debug}{script.when} {name} {script.command}\n"
