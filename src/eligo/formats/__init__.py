"""Files to dags and back. One module a format; adding one means a module and a line in ``_MODULES``.

A format is found by content first and by name second, since three unrelated languages use the suffix ``.dag``.
"""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from importlib import import_module
from itertools import islice
from typing import cast

from eligo.dag import Dag
from eligo.errors import CycleError, EligoError, EligoWarning, ParseError
from eligo.formats.base import Document, EdgeRule, FormatModule, Notes
from eligo.formats.storage import Source, load, replace_file

__all__ = ["Document", "EdgeRule", "find_format", "format_for_writing", "formats", "open_document", "read", "write"]

# In the order in which content and names are tried: an edge list is nearly anything, so it comes last.
_MODULES = ("wfformat", "dax", "pegasus", "dot", "dagman", "cws", "stg", "edgelist", "mermaid")

_ALIASES = {"json": "wfformat", "xml": "dax", "yaml": "pegasus", "yml": "pegasus", "csv": "edgelist", "tsv": "edgelist"}

_HEAD_BYTES = 65_536
_PIECES = 10_000


@cache
def formats() -> dict[str, FormatModule]:
    """Return every format by name."""
    modules = [cast(FormatModule, import_module(f"eligo.formats.{name}")) for name in _MODULES]
    return {module.NAME: module for module in modules}


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
        A table of times and sizes (CSV or JSON) for formats that have none.

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
    for text in document.warnings:
        warnings.warn(text, EligoWarning, stacklevel=2)
    return document.dag


def open_document(
    path: str | os.PathLike[str],
    *,
    format: str | None = None,
    edges: EdgeRule | None = None,
    job_data: str | os.PathLike[str] | None = None,
) -> Document:
    """Read a file like :func:`read`, and keep what it said beside the dag."""
    source = load(path)
    module = _by_name(format) if format else find_format(source)
    guess = "" if format or module.sniff(_head(source)) else f"its name says {module.TITLE}, its content does not"
    if not hasattr(module, "parse"):
        raise EligoError(f"{source.path}: {module.TITLE} can be written but not read")
    try:
        document = module.parse(source, edges)
    except CycleError as error:
        raise CycleError(error.cycle, path=error.path or source.path, line=error.line) from None
    except ParseError as error:
        if not guess:
            raise
        hint = f"{error.hint}; {guess}" if error.hint else guess
        raise ParseError(error.path, error.line, error.text, hint=hint) from None
    if guess:
        document = replace(document, warnings=(f"{source.path}: {guess}", *document.warnings))
    if job_data is not None:
        from eligo.formats.job_data import attach

        document = attach(document, load(job_data))
    return document


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


def _by_name(name: str) -> FormatModule:
    try:
        return formats()[_ALIASES.get(name, name)]
    except KeyError:
        raise EligoError(f"unknown format {name!r}", hint=f"one of: {', '.join(formats())}") from None


def format_for_writing(path: str | os.PathLike[str], format: str | None = None) -> FormatModule:
    """Return the format to write: the one named, else the one that the file's name ends in."""
    if format:
        module = _by_name(format)
        if not hasattr(module, "generate"):
            raise EligoError(f"{module.TITLE} can be read but not written", hint=f"write one of: {_listed('generate')}")
        return module
    name = os.fspath(path).lower().removesuffix(".gz")
    for module in formats().values():
        if name.endswith(module.SUFFIXES) and hasattr(module, "generate"):
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
    fitting = [module for module in formats().values() if hasattr(module, "parse") and module.sniff(head)]
    name = source.path.lower().removesuffix(".gz")
    for module in fitting:
        if name.endswith(module.SUFFIXES):
            return module
    if fitting:
        return fitting[0]
    for module in formats().values():  # content that fits nothing: the named format's reader says best what is wrong
        if name.endswith(module.SUFFIXES) and hasattr(module, "parse"):
            return module
    raise source.error(1, "this is no workflow format I know", hint=_hint(source, name))


def _hint(source: Source, name: str) -> str:
    """Say what to give instead of something that looks like no workflow."""
    if b"\0" in source.data[:_HEAD_BYTES]:
        return f"a binary file; workflows are text: {_listed('parse')}"
    if name.endswith((".sub", ".submit")) or re.search(rb"(?mi)^\s*queue\b", source.data):
        return "an HTCondor submit file describes one job; name the DAG file that refers to it"
    if name.endswith(("snakefile", ".smk")):
        return "let Snakemake print the graph: snakemake --dag > workflow.dot"
    if name.endswith(".nf"):
        return "let Nextflow print the graph: nextflow run FILE -preview -with-dag workflow.dot"
    return f"name the format with --from, one of: {_listed('parse')}"
