"""Where a changed workflow goes: what may be written there, and what goes along with it.

A plan is made first, with every reason to refuse; it is carried out later, all of it or nothing.

What goes along with a DAG that is written into another directory: the submit files that change with it.

A DAG names its submit files by paths from its own directory, and may have several names for one file. So a file that
changes, or has changed before, is written under every name that the new DAG has for it. What does not change is the
user's to copy: it is told of, once.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from eligo._cli.convert_command import elsewhere
from eligo._cli.messages import warn
from eligo.errors import EligoError
from eligo.formats._rewrite_files import Rewrite, Rewritten, rewrite
from eligo.formats._source import writing

if TYPE_CHECKING:
    from eligo.formats._base import Document
    from eligo.formats._editing import Instrumented
    from eligo.formats._submit.submit_file import SubmitFile
    from eligo.schedule import Schedule

__all__ = [
    "Plan",
    "Wanted",
    "check_distinct",
    "check_graphs",
    "graph_paths",
    "others_refused",
    "plan_beside",
    "plan_file",
    "plan_in_place",
    "refuse_to_flatten",
    "write_graphs",
]

_MOST_NAMED = 5


def plan_beside(
    out: str, document: Document, changed: Instrumented, *, backup: bool
) -> tuple[list[Rewrite], list[str]]:
    """Plan the files that a DAG needs beside OUT; also return what to say of those that are not copied.

    Parameters
    ----------
    document
        The DAG that the new content was made from, without splices.
    """
    from eligo.formats._dagman.marked_block import has_marks

    new = {os.path.realpath(change.path): change.data for change in changed.others}
    files: list[Rewrite] = []
    left: dict[str, None] = {}
    for stated, file in _submit_files(document):
        data = new.get(os.path.realpath(file.path))
        if data is not None:
            _refuse_shared(out, document, stated, file)
        elif has_marks(file.data) and not _leads_away(stated):
            data = file.data  # it has changed before
        target = Path(out).parent / stated
        if data is None:
            left |= {} if target.exists() else {stated: None}
        elif not _is_same(target, file.path):
            files.append(_copy(target, file, data, backup=backup))
    for part in document.details.sources[1:]:
        stated = os.path.relpath(part.path, Path(document.source.path).parent)
        left |= {} if (Path(out).parent / stated).exists() else {stated: None}
    return files, _told(out, list(left))


def others_refused(document: Document, paths: Sequence[str], why: str) -> EligoError:
    """Return the error that submit files cannot change with their DAG."""
    count = f"{paths[0]} and {len(paths) - 1:,} more" if len(paths) > 1 else paths[0]
    return EligoError(
        f"{document.source.path}: its submit files change too, {why}: {count}",
        hint="--in-place changes them together; -o into another directory writes changed copies there",
    )


def _submit_files(document: Document) -> Iterator[tuple[str, SubmitFile]]:
    """Yield every submit file that is there, under each name that the DAG has for it."""
    from eligo.formats._submit.submit_file import Inside, SubmitFiles, Submits

    submits = Submits(document.details.root)
    opener = SubmitFiles(many=submits.total > 256)
    for submit in submits.each():
        if not isinstance(submit.place, Inside):
            file = opener.open(submit.place)
            if not isinstance(file, str):
                yield os.path.normpath(submit.place[-1]), file


def _leads_away(stated: str) -> bool:
    return Path(stated).is_absolute() or Path(stated).parts[0] == os.pardir


def _is_same(target: Path, path: str) -> bool:
    return target.exists() and target.samefile(path)


def _refuse_shared(out: str, document: Document, stated: str, file: SubmitFile) -> None:
    """Refuse to change a file that the old DAG would go on to use."""
    if _leads_away(stated):
        raise others_refused(document, [file.path], "which the new DAG would share, by its path")
    if _is_same(Path(out).parent / stated, file.path):
        raise others_refused(document, [file.path], "which it would share with the new DAG")


def _copy(target: Path, file: SubmitFile, data: bytes, *, backup: bool) -> Rewrite:
    if not backup and target.is_file() and target.read_bytes() != data:
        raise EligoError(
            f"{target}: is there already, and is not the copy of {file.path} that is to be written",
            hint="remove it, or keep it with --backup",
        )
    return Rewrite(str(target), data, make_directory=True)


def _told(out: str, left: Sequence[str]) -> list[str]:
    if not left:
        return []
    more = f" and {len(left) - _MOST_NAMED:,} more" if len(left) > _MOST_NAMED else ""
    return [f"not copied: {', '.join(left[:_MOST_NAMED])}{more}; put {'it' if len(left) == 1 else 'them'} beside {out}"]


_GRAPHS = ("dag.dot", "blocks.dot", "superdag.dot")
_OURS = b"// written by eligo prioritize --dot\n"


class Plan(NamedTuple):
    """Files to write, or, for standard output and devices, what to write there."""

    files: Sequence[Rewrite] = ()
    stream: tuple[str, bytes] | None = None

    def carry_out(self, *, backup: bool) -> Rewritten:
        """Write, all or nothing."""
        from eligo.formats._source import replace_file

        if self.stream is not None:
            replace_file(self.stream[0], [self.stream[1]])
            return Rewritten({self.stream[0]: None})
        return rewrite(self.files, backup=backup)


def check_distinct(paths: Mapping[str, str | None]) -> None:
    """Refuse to write two things into one file, or something over the workflow.

    Parameters
    ----------
    paths
        By what the user calls them: the workflow as FILE, all others are written.
    """
    seen: dict[str, str] = {}
    for option, path in paths.items():
        if path is None or path == "-" or (Path(path).exists() and not Path(path).is_file()):
            continue
        first = seen.setdefault(os.path.realpath(path), option)
        if (first, option) == ("FILE", "-o"):
            raise EligoError(f"{path} is the workflow itself", hint="--in-place changes it; or choose another name")
        if first != option:
            raise EligoError(f"{path}: both {first} and {option}", hint=f"choose another name for {option}")


def graph_paths(folder: str | None) -> dict[str, str]:
    """Return what the graphs of --dot are called, by what the user calls them."""
    return {} if folder is None else {f"--dot ({name})": str(Path(folder) / name) for name in _GRAPHS}


def check_graphs(folder: str) -> None:
    """Refuse a directory for graphs that is something else, or that has files of these names that are none of ours."""
    if Path(folder).exists() and not Path(folder).is_dir():
        raise EligoError(f"{folder}: is not a directory", hint="choose another name")
    for path in graph_paths(folder).values():
        if Path(path).exists():
            with writing(path), Path(path).open("rb") as stream:
                ours = stream.read(len(_OURS)) == _OURS
            if not ours:
                raise EligoError(f"{path}: is there already, and not written by us", hint="name another directory")


def refuse_to_flatten(path: str, *, backup: bool) -> None:
    """Refuse to put a flat DAG in the place of one with splices or includes where something would be lost."""
    hint = "add --backup, or write to another file with -o"
    if not backup:
        raise EligoError(f"{path}: --flatten takes comments, SPLICE and INCLUDE lines out of it for good", hint=hint)
    for dag in dict.fromkeys((path, os.path.realpath(path))):
        begins = re.compile(re.escape(Path(dag).name) + r"(_multi)?\.rescue[0-9]{3}")
        with writing(path):
            rescues = sorted(file.name for file in Path(dag).parent.iterdir() if begins.fullmatch(file.name))
        if rescues:
            raise EligoError(
                f"{path}: its rescue files name the jobs as they are called now: {rescues[-1]}",
                hint="write to another file with -o, or let DAGMan finish first",
            )


def plan_in_place(cases: Iterable[tuple[Document, Instrumented]]) -> Plan:
    """Plan to change workflows where they are, the last of them first."""
    files: list[Rewrite] = []
    for document, changed in reversed(list(cases)):
        _refuse_if_running(document, document.source.path)
        whole = Rewrite(document.source.path, changed.data, made_from=document.source.data)
        files += _in_turn(
            whole, [Rewrite(change.path, change.data, made_from=change.made_from) for change in changed.others], changed
        )
    return Plan(
        _each_once(
            files,
            "two DAGs that share this file would change it in two ways",
            hint="prioritise them one by one, or give each a submit file of its own",
        )
    )


class Wanted(NamedTuple):
    """Where a changed workflow is to go.

    Attributes
    ----------
    file, out
        What the user calls the old file and the new one.
    backup
        Whether what is replaced is kept.
    refers
        Whether submit files refer to the DAG's VARS, now or from before.
    """

    file: str
    out: str
    backup: bool
    refers: bool


def plan_file(wanted: Wanted, document: Document, made_from: Document, changed: Instrumented) -> Plan:
    """Plan to write a changed workflow to another file; `made_from` is the document, or the same without splices."""
    out = wanted.out
    _refuse_other_format(out, document)
    if document.format == "dagman":
        _refuse_parts(out, document)
        _refuse_if_running(document, out)
    if out == "-" or (Path(out).exists() and not Path(out).is_file() and not Path(out).is_dir()):
        if changed.others:
            paths = [change.path for change in changed.others]
            raise others_refused(document, paths, "which standard output has no place for")
        return Plan(stream=(out, changed.data))
    if not wanted.backup:
        _refuse_foreign(out, document)
    others: list[Rewrite] = []
    if changed.others or wanted.refers:
        others, told = plan_beside(out, made_from, changed, backup=wanted.backup)
        warn(told)
    elif document.format == "dagman":
        warn(f"{out}: {text}" for text in elsewhere(wanted.file, out))
    whole = Rewrite(out, changed.data)
    return Plan(
        _each_once(
            _in_turn(whole, others, changed),
            "two files of the DAG would be written here",
            hint="choose another directory for OUT",
        )
    )


def _in_turn(whole: Rewrite, others: list[Rewrite], changed: Instrumented) -> list[Rewrite]:
    return [*others, whole] if changed.others_first else [whole, *others]


def _each_once(files: Iterable[Rewrite], text: str, *, hint: str) -> tuple[Rewrite, ...]:
    """Return files each once, whatever its names; refuse, with this text, to write two things into one."""
    once: dict[str, Rewrite] = {}
    for file in files:
        first = once.setdefault(os.path.realpath(file.path), file)
        if first.data != file.data:
            raise EligoError(f"{file.path}: {text}", hint=hint)
    return tuple(once.values())


def _refuse_other_format(out: str, document: Document) -> None:
    from eligo.formats import format_by_name, format_for_writing

    try:
        named = format_for_writing(out)
    except EligoError:
        return  # a name that says nothing
    if document.format != named.NAME:
        raise EligoError(
            f"{out}: the name says {named.TITLE}, but the format stays {format_by_name(document.format).TITLE}",
            hint="choose another name; eligo convert changes formats",
        )


def _refuse_foreign(out: str, document: Document) -> None:
    """Refuse to write over a file that is no such workflow, such as a submit file: it is there by mistake."""
    from eligo.formats import find_format, format_by_name
    from eligo.formats._source import load

    if not Path(out).is_file() or Path(out).stat().st_size == 0:
        return
    try:
        alike = document.format == find_format(load(out)).NAME
    except EligoError:
        alike = False
    if not alike:
        raise EligoError(
            f"{out}: is there already, and is no {format_by_name(document.format).TITLE} file",
            hint="choose another name, or keep it with --backup",
        )


def _refuse_parts(out: str, document: Document) -> None:
    """Refuse to write over a file that the DAG includes or splices."""
    target = os.path.realpath(out)
    if any(target == os.path.realpath(part.path) for part in document.details.sources[1:]):
        raise EligoError(f"{out}: {document.source.path} is made of this file", hint="choose another name")


def _refuse_if_running(document: Document, path: str) -> None:
    if document.format == "dagman":
        from eligo.formats._dagman.priorities import refuse_if_running

        refuse_if_running(path)


def write_graphs(folder: str, schedule: Schedule) -> None:
    """Write a dag in order, its blocks and its super-dag into a directory, as DOT."""
    from eligo import graph
    from eligo.formats._source import replace_file
    from eligo.priority._decompose import decompose
    from eligo.report._dot_text import blocks_as_dot, order_as_dot, superdag_as_dot

    with writing(folder):
        Path(folder).mkdir(parents=True, exist_ok=True)
    blocks = decompose(graph.remove_shortcuts(schedule.dag))
    for name, lines in (
        ("dag.dot", order_as_dot(schedule)),
        ("blocks.dot", blocks_as_dot(blocks, schedule)),
        ("superdag.dot", superdag_as_dot(blocks, schedule)),
    ):
        replace_file(Path(folder) / name, [_OURS + "".join(lines).encode()])
