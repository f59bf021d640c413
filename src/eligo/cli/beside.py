"""What goes along with a DAG that is written into another directory: the submit files that change with it.

A DAG names its submit files by paths from its own directory, and may have several names for one file. So a file that
changes, or has changed before, is written under every name that the new DAG has for it. What does not change is the
user's to copy: it is told of, once.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from eligo.errors import EligoError
from eligo.formats.rewriting import Rewrite

if TYPE_CHECKING:
    from eligo.formats.base import Document
    from eligo.formats.dagman.submits import SubmitFile
    from eligo.formats.instrumenting import Instrumented

__all__ = ["others_refused", "plan_beside"]

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
    from eligo.formats.dagman.marked import has_marks

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
    from eligo.formats.dagman.submits import Inside, SubmitFiles, Submits

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
