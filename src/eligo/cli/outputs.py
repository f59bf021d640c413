"""Where a changed workflow goes: what may be written there, and what goes along with it.

A plan is made first, with every reason to refuse; it is carried out later, all of it or nothing.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from eligo.cli.convert import elsewhere
from eligo.cli.messages import warn
from eligo.errors import EligoError
from eligo.formats.rewriting import Rewrite, Rewritten, rewrite

if TYPE_CHECKING:
    from eligo.formats.base import Document
    from eligo.formats.instrumenting import Change, Instrumented
    from eligo.schedule import Schedule

__all__ = ["Plan", "check_distinct", "plan_file", "plan_in_place", "write_graphs"]


class Plan(NamedTuple):
    """Files to write, or, for standard output and devices, what to write there."""

    files: Sequence[Rewrite] = ()
    stream: tuple[str, bytes] | None = None

    def carry_out(self, *, backup: bool) -> Rewritten:
        """Write, all or nothing."""
        from eligo.formats.storage import replace_file

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


def plan_in_place(cases: Iterable[tuple[Document, Instrumented]]) -> Plan:
    """Plan to change workflows where they are, the last of them first."""
    files: dict[str, Rewrite] = {}
    for document, changed in reversed(list(cases)):
        _refuse_if_running(document, document.source.path)
        whole = Rewrite(document.source.path, changed.data, made_from=document.source.data)
        others = [Rewrite(change.path, change.data) for change in changed.others]
        for file in [*others, whole] if changed.others_first else [whole, *others]:
            first = files.setdefault(os.path.realpath(file.path), file)
            if first.data != file.data:
                raise EligoError(
                    f"{file.path}: two DAGs that share this file would change it in two ways",
                    hint="prioritise them one by one, or give each a submit file of its own",
                )
    return Plan(tuple(files.values()))


def plan_file(file: str, out: str, document: Document, changed: Instrumented, *, backup: bool) -> Plan:
    """Plan to write a changed workflow to another file; `file` is what the user called the old one."""
    _refuse_other_format(out, document)
    if document.format == "dagman":
        _refuse_parts(out, document)
        _refuse_if_running(document, out)
    if out == "-" or (Path(out).exists() and not Path(out).is_file() and not Path(out).is_dir()):
        if changed.others:
            raise _others_refused(document, changed.others, "which standard output has no place for")
        return Plan(stream=(out, changed.data))
    if not backup:
        _refuse_foreign(out, document)
    if document.format == "dagman":
        warn(f"{out}: {text}" for text in elsewhere(file, out))
    others = [_beside(out, document, change, backup=backup) for change in changed.others]
    whole = Rewrite(out, changed.data)
    return Plan((*others, whole) if changed.others_first else (whole, *others))


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
    from eligo.formats.storage import load

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
        from eligo.formats.dagman.instrument import refuse_if_running

        refuse_if_running(path)


def _others_refused(document: Document, others: Sequence[Change], why: str) -> EligoError:
    count = f"{others[0].path} and {len(others) - 1:,} more" if len(others) > 1 else others[0].path
    return EligoError(
        f"{document.source.path}: its submit files change too, {why}: {count}",
        hint="--in-place changes them together; -o into another directory writes changed copies there",
    )


def _beside(out: str, document: Document, change: Change, *, backup: bool) -> Rewrite:
    """Plan to write a file that changes with a workflow, where the new workflow will look for it."""
    stated = os.path.normpath(change.stated)
    if Path(stated).is_absolute() or Path(stated).parts[0] == os.pardir:
        raise _others_refused(document, [change], "which the new DAG would share, by its path")
    target = Path(out).parent / stated
    if target.exists():
        if target.samefile(change.path):
            raise _others_refused(document, [change], "which it would share with the new DAG")
        if not backup and target.read_bytes() != change.data:
            raise EligoError(
                f"{target}: is there already, and is not the copy of {change.path} that is to be written",
                hint="remove it, or keep it with --backup",
            )
    return Rewrite(str(target), change.data, make_directory=True)


def write_graphs(folder: str, schedule: Schedule) -> None:
    """Write a dag in order, its blocks and its super-dag into a directory, as DOT."""
    from eligo import graph
    from eligo.formats.storage import replace_file, writing
    from eligo.priority.decompose import decompose
    from eligo.report.dot_text import blocks_as_dot, order_as_dot, superdag_as_dot

    with writing(folder):
        Path(folder).mkdir(parents=True, exist_ok=True)
    blocks = decompose(graph.remove_shortcuts(schedule.dag))
    for name, lines in (
        ("dag.dot", order_as_dot(schedule)),
        ("blocks.dot", blocks_as_dot(blocks, schedule)),
        ("superdag.dot", superdag_as_dot(blocks, schedule)),
    ):
        replace_file(Path(folder) / name, ["".join(lines).encode()])
