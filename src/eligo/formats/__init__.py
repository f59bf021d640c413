"""Files to dags and back. One module a format; adding one means a module and a line in ``_SUFFIXES``.

A format is found by content first and by name second, since three unrelated languages use the suffix ``.dag``. The
content is held against the formats that the name speaks for before all others: a module is imported when its turn
comes, so that reading one format does not wait for the grammars of the rest.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import replace
from importlib import import_module
from itertools import islice
from typing import cast

from eligo.dag import Dag
from eligo.errors import CycleError, EligoError, ParseError, warn_of
from eligo.formats._base import Document, EdgeRule, FormatModule, Notes
from eligo.formats._source import Source, load, replace_file

__all__ = ["Document", "EdgeRule", "find_format", "format_by_name", "format_for_writing", "formats"]
__all__ += ["open_document", "read", "write"]

# The modules in the order in which content and names are tried: an edge list is nearly anything, so it comes last.
_SUFFIXES = {
    "wfformat": (".json",),
    "dax": (".dax", ".xml"),
    "pegasus": (".yml", ".yaml"),
    "dot": (".dot", ".gv"),
    "dagman": (".dag",),
    "cws": (".cws", ".dag"),
    "stg": (".stg",),
    "edgelist": (".csv", ".tsv", ".edges", ".edgelist"),
    "mermaid": (".mmd", ".mermaid"),
}

_ALIASES = {"json": "wfformat", "xml": "dax", "yaml": "pegasus", "yml": "pegasus", "csv": "edgelist", "tsv": "edgelist"}

_HEAD_BYTES = 65_536
_PIECES = 10_000


def formats() -> dict[str, FormatModule]:
    """Return every format by name."""
    return {name: format_by_name(name) for name in _SUFFIXES}


def format_by_name(name: str) -> FormatModule:
    """Return the format of a name, or of a suffix that people use as one.

    Examples
    --------
    >>> format_by_name("dagman").TITLE, format_by_name("json").TITLE
    ('HTCondor DAGMan', 'WfFormat (JSON)')
    """
    name = _ALIASES.get(name, name)
    if name not in _SUFFIXES:
        raise EligoError(f"unknown format {name!r}", hint=f"one of: {', '.join(_SUFFIXES)}")
    return cast(FormatModule, import_module(f"eligo.formats._{name}"))


def _named(path: str) -> list[str]:
    """Return the formats that a file's name speaks for."""
    name = path.lower().removesuffix(".gz")
    return [one for one, suffixes in _SUFFIXES.items() if name.endswith(suffixes)]


def read(
    path: str | os.PathLike[str],
    *,
    format: str | None = None,
    edges: EdgeRule | None = None,
    job_data: str | os.PathLike[str] | None = None,
) -> Dag:
    r"""Read a workflow from a file of any known format, ``.gz`` or not; ``-`` is standard input.

    Parameters
    ----------
    format
        Name of the format, for files whose content does not tell.
    edges
        Which dependencies count, where a file both declares some and implies some by the data files its jobs read
        and write. The default takes the declared ones, or the implied ones where none is declared.
    job_data
        Times and sizes for formats that have none: a table (CSV or JSON), the folder of a run, an event log of
        HTCondor or a trace of Nextflow.

    Raises
    ------
    ParseError
        The file is malformed or cannot be read.
    CycleError
        Its jobs form a cycle.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder, "two.dag")
    ...     _ = file.write_text("JOB a a.sub\nJOB b b.sub\nPARENT a CHILD b\n")
    ...     read(file)
    Dag(2 jobs, 1 edge)
    """
    document = open_document(path, format=format, edges=edges, job_data=job_data)
    warn_of(document.warnings)
    return document.dag


def open_document(
    path: str | os.PathLike[str],
    *,
    format: str | None = None,
    edges: EdgeRule | None = None,
    job_data: str | os.PathLike[str] | None = None,
    original: bool = False,
    limited: bool = True,
) -> Document:
    """Read a file like :func:`read`, and keep what it said beside the dag.

    With `original`, priorities that :mod:`eligo.formats._editing` wrote into it are passed over, since they may be
    about jobs that are no longer there; without `limited`, so are dependencies that :mod:`eligo.formats._editing`
    wrote. The document's source is the file as it is all the same.
    """
    source = load(path)
    module = format_by_name(format) if format else find_format(source)
    guess = "" if format or module.sniff(_head(source)) else f"its name says {module.TITLE}, its content does not"
    if not hasattr(module, "parse"):
        raise EligoError(f"{source.path}: {module.TITLE} can be written but not read")
    try:
        document = module.parse(_as_wanted(source, module.NAME, original, limited), edges)
    except CycleError as error:
        raise CycleError(error.cycle, path=error.path or source.path, line=error.line) from None
    except ParseError as error:
        if not guess:
            raise
        hint = f"{error.hint}; {guess}" if error.hint else guess
        raise ParseError(error.path, error.line, error.text, hint=hint) from None
    if guess:
        document = replace(document, warnings=(f"{source.path}: {guess}", *document.warnings))
    if original or not limited:
        document = replace(document, source=source)
    if job_data is not None:
        from eligo.formats._job_data import attach, open_table

        document = attach(document, open_table(job_data))
    return document


def _as_wanted(source: Source, format: str, original: bool, limited: bool) -> Source:
    """Return a file without those of our additions that are to be passed over."""
    if not limited:
        from eligo.formats._editing import without_dependencies

        source = without_dependencies(source, format)
    if original:
        from eligo.formats._editing import without_priorities

        source = without_priorities(source, format)
    return source


def write(dag: Dag, path: str | os.PathLike[str], *, format: str | None = None) -> tuple[str, ...]:
    """Write a dag to a file, whole or not at all; ``-`` is standard output.

    Parameters
    ----------
    format
        Name of the format; by default the one the file's name ends in.

    Returns
    -------
    tuple of str
        What the format has no place for and was therefore left out.

    Examples
    --------
    >>> write(Dag.from_edges(2, [0], [1]), "-", format="edgelist")
    parent,child
    0,1
    ()
    """
    module = format_for_writing(path, format)
    lost = Notes()
    replace_file(path, _encoded(module.generate(dag, lost)))
    return lost.texts()


def _encoded(pieces: Iterator[str]) -> Iterator[bytes]:
    """Join the lines that writers yield, since encoding and writing cost more by the piece than by the byte."""
    while some := "".join(islice(pieces, _PIECES)):
        yield some.encode("utf-8", "surrogateescape")


def _listed(ability: str) -> str:
    return ", ".join(name for name, module in formats().items() if hasattr(module, ability))


def format_for_writing(path: str | os.PathLike[str], format: str | None = None) -> FormatModule:
    """Return the format to write: the one named, else the one that the file's name ends in."""
    if format:
        module = format_by_name(format)
        if not hasattr(module, "generate"):
            raise EligoError(f"{module.TITLE} can be read but not written", hint=f"write one of: {_listed('generate')}")
        return module
    for name in _named(os.fspath(path)):
        module = format_by_name(name)
        if hasattr(module, "generate"):
            return module
    raise EligoError(
        f"{os.fspath(path)}: the name does not tell which format to write",
        hint=f"name the format with --to, one of: {_listed('generate')}",
    )


def _head(source: Source) -> str:
    marked_utf16 = source.data.startswith((b"\xff\xfe", b"\xfe\xff"))
    return source.data[:_HEAD_BYTES].decode("utf-16" if marked_utf16 else "utf-8-sig", "replace")


def find_format(source: Source) -> FormatModule:
    """Return the format of a file: by content first, by name where the content fits several formats or none."""
    if not re.search(rb"[^\s\xef\xbb\xbf]", source.data):
        raise source.error(1, "the file is empty", hint="a workflow needs at least one job")
    head = _head(source)
    named = _named(source.path)
    for name in (*named, *(other for other in _SUFFIXES if other not in named)):
        module = format_by_name(name)
        if hasattr(module, "parse") and module.sniff(head):
            return module
    for name in named:  # content that fits nothing: the named format's reader says best what is wrong
        module = format_by_name(name)
        if hasattr(module, "parse"):
            return module
    raise source.error(1, "this is no workflow format I know", hint=_hint(source))


def _hint(source: Source) -> str:
    """Say what to give instead of something that looks like no workflow."""
    name = source.path.lower().removesuffix(".gz")
    if b"\0" in source.data[:_HEAD_BYTES]:
        return f"a binary file; workflows are text: {_listed('parse')}"
    if name.endswith((".sub", ".submit")) or re.search(rb"(?mi)^\s*queue\b", source.data):
        return "an HTCondor submit file describes one job; name the DAG file that refers to it"
    if name.endswith(("snakefile", ".smk")):
        return "let Snakemake print the graph: snakemake --dag > workflow.dot"
    if name.endswith(".nf"):
        return "let Nextflow print the graph: nextflow run FILE -preview -with-dag workflow.dot"
    if re.search(rb"(?mi)^\s*flowchart\b|<html", source.data[:_HEAD_BYTES]):
        return "a page or a Mermaid chart is for people; Nextflow writes graphs to be read with -with-dag workflow.dot"
    return f"name the format with --from, one of: {_listed('parse')}"
