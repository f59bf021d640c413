"""Several files that change together: all of them, or none.

A workflow whose priorities stand in submit files is useless when only half of the files have changed. So every new
file is first written beside the old one, where a full disk or a missing permission shows before anything has changed;
then each is put in its place by renaming, which takes no space. Should even that fail, those already in place give way
to the old ones, of which a second name was kept until then.

A file whose content stays the same is not touched. A packed file stays packed. A link stays a link. A file that is
marked read-only is refused, though its directory would let us replace it: someone has marked it so.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import NamedTuple

from eligo._atomic_files import write_beside
from eligo.errors import EligoError, ParseError
from eligo.formats._source import is_packed, load, pack, writing

__all__ = ["Rewrite", "Rewritten", "rewrite"]


class Rewrite(NamedTuple):
    """A file and its whole new content, not packed.

    Attributes
    ----------
    made_from
        The content that the new one was made from; if the file has another by now, it is refused.
    make_directory
        Whether its directory may be made.
    """

    path: str
    data: bytes
    made_from: bytes | None = None
    make_directory: bool = False


class Rewritten(NamedTuple):
    """What became of the files: those written, with the name under which the old one is kept, if it is."""

    written: dict[str, str | None]
    unchanged: tuple[str, ...] = ()


def rewrite(files: Sequence[Rewrite], *, backup: bool = False) -> Rewritten:
    r"""Replace files by new ones, in this order, all or none.

    Parameters
    ----------
    backup
        Whether each old file is kept, as ``FILE.bak``, or ``FILE.bak.2`` where that exists, and so on.

    Raises
    ------
    EligoError
        A file cannot be written, or is not what the new content was made from; nothing has changed.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder, "a.dag")
    ...     _ = file.write_bytes(b"JOB a a.sub\n")
    ...     _ = rewrite([Rewrite(str(file), b"JOB a a.sub\nPRIORITY a 1\n")], backup=True)
    ...     sorted((path.name, len(path.read_bytes())) for path in Path(folder).iterdir())
    [('a.dag', 25), ('a.dag.bak', 12)]
    """
    staged: list[_Staged] = []
    unchanged: list[str] = []
    try:
        for file in files:
            with writing(file.path):
                one = _stage(file, backup=backup)
            if one is None:
                unchanged.append(file.path)
            else:
                staged.append(one)
        for one in staged:
            with writing(one.path):
                one.place()
    except BaseException:
        for one in reversed(staged):
            one.undo()
        raise
    for one in staged:
        one.forget()
    kept = {one.path: None if one.old is None or not backup else str(one.old) for one in staged}
    return Rewritten(kept, tuple(unchanged))


@dataclass(slots=True)
class _Staged:
    """A new file that lies ready: `old` is a second name of the old one, the backup where one is wanted."""

    path: str
    target: Path
    backup: bool
    made: list[Path] = field(default_factory=list)
    new: Path | None = None
    old: Path | None = None
    placed: bool = False

    def make_directory(self) -> None:
        for folder in reversed([folder for folder in self.target.parents if not folder.exists()]):
            folder.mkdir()
            self.made.append(folder)

    def place(self) -> None:
        assert self.new is not None
        self.placed = True  # before it is true: undoing what did not happen is harmless, the other way round is not
        self.new.replace(self.target)

    def undo(self) -> None:
        """Put everything back; nothing here may raise, since an error is already under way."""
        if not self.placed:
            _remove(self.old)
        elif self.old is None:
            _remove(self.target)
        else:
            with suppress(OSError):
                self.old.replace(self.target)
                _remove(self.old)  # which stays where both are names of one file
        _remove(self.new)
        for folder in reversed(self.made):
            with suppress(OSError):
                folder.rmdir()

    def forget(self) -> None:
        """Give up the old file, unless it is wanted as a backup."""
        if not self.backup:
            _remove(self.old)


def _remove(path: Path | None) -> None:
    if path is not None:
        with suppress(OSError):
            path.unlink()


def _stage(file: Rewrite, *, backup: bool) -> _Staged | None:
    """Write the new file beside the old one; nothing where the content stays the same."""
    target = Path(os.path.realpath(file.path))
    if target.is_dir():
        raise EligoError(f"{file.path}: is a directory", hint="name a file to write")
    exists = target.exists()
    if exists:
        now = _content(file.path)
        if now == file.data:
            return None
        if file.made_from is not None and now != file.made_from:
            raise EligoError(f"{file.path}: has changed since it was read", hint="run the command again")
        _refuse_read_only(file.path, target)
    staged = _Staged(file.path, target, backup)
    try:
        if file.make_directory:
            staged.make_directory()
        packed = _begins_packed(target) if exists else file.path.endswith(".gz")
        staged.new = write_beside(target, pack([file.data]) if packed else [file.data])
        if exists:
            staged.old = _second_name(target, _backup_names(file.path) if backup else _hidden_names(staged.new))
    except BaseException:
        staged.undo()
        raise
    return staged


def _content(path: str) -> bytes | None:
    """Return what a file holds, unpacked; nothing where it is damaged: it may be replaced all the same."""
    try:
        return load(path).data
    except ParseError:
        return None


def _begins_packed(target: Path) -> bool:
    with target.open("rb") as stream:
        return is_packed(stream.read(2))


def _refuse_read_only(path: str, target: Path) -> None:
    effective = os.access in os.supports_effective_ids
    if not target.stat().st_mode & 0o222 or not os.access(target, os.W_OK, effective_ids=effective):
        raise EligoError(f"{path}: is read-only", hint=f"let it be written: chmod u+w {path}")


def _backup_names(path: str) -> Iterator[str]:
    yield f"{path}.bak"
    yield from (f"{path}.bak.{number}" for number in count(2))


def _hidden_names(new: Path) -> Iterator[str]:
    yield from (f"{new}.old{number or ''}" for number in count())


def _second_name(target: Path, names: Iterator[str]) -> Path:
    """Give a file a second name that nothing has yet; where the file system has no second names, a copy."""
    for name in names:
        try:
            os.link(target, name)
        except FileExistsError:
            continue
        except OSError:
            try:
                _copy(target, Path(name))
            except FileExistsError:
                continue
        return Path(name)
    raise AssertionError("names never end")


def _copy(target: Path, copy: Path) -> None:
    """Copy a file with its times and permissions to a name that must be new."""
    import shutil

    with copy.open("xb") as stream:
        try:
            stream.write(target.read_bytes())
            stream.flush()
            os.fsync(stream.fileno())
            shutil.copystat(target, copy)
        except BaseException:
            copy.unlink()
            raise
