"""Directories of their own for processes, as HTCondor's file transfer makes them.

``prepare`` copies what a process needs into an empty directory, ``collect`` brings what it made to where it belongs and
removes the directory. Inputs are copied, not linked, since a process may change them in place, and only copies that
share their blocks until then (on file systems that can) cost nothing.

Both may be cut short at any moment and called again. What was put into a directory is noted *beside* it (out of the
process's way), so a preparation that was cut short is known and begun again. Outputs are put beside their places whole
and then renamed, and the directory keeps them until all are there; then it is renamed in one step, and only what was
renamed is removed. So either a second ``collect`` finds everything, or there is nothing left for it to do.

Nothing is written through a symbolic link: a place that is one is replaced. Nothing is taken through a link that leads
out of the directory, and names that lead out of it are refused. All errors are ``OSError``.

Whether the programs of tasks are there, asked before anything starts; each is looked at once.
"""

from __future__ import annotations

import errno
import fcntl
import json
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path

from eligo.engines._attempts import is_marked
from eligo.engines._plan import Process, Sandbox, Task

__all__ = [
    "Programs",
    "collect",
    "prepare",
]

_FICLONE = 0x40049409
_Facts = list[int]


def prepare(sandbox: Sandbox, folder: Path) -> None:
    """Make a directory with the inputs of a process; what an earlier try left in it goes away.

    Raises
    ------
    OSError
        An input is not there, or cannot be copied; or the directory holds what no preparation put there.

    Examples
    --------
    >>> with tempfile.TemporaryDirectory() as here:
    ...     _ = Path(here, "data").write_text("1")
    ...     prepare(Sandbox((("x", f"{here}/data"),)), Path(here, "box"))
    ...     _ = Path(here, "box", "y").write_text("2")
    ...     [path.removeprefix(here) for path in collect(Sandbox(), Path(here, "box"), here)]
    ['/y']
    """
    note, gone = _note(folder), _gone(folder)
    if gone.exists():
        shutil.rmtree(gone)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if any(folder.iterdir()) and not note.exists():
        raise FileExistsError(errno.EEXIST, "there is something else in the directory of a job", str(folder))
    _write_note(note, None)
    _empty(folder)
    for name, path in sandbox.inputs:
        source = Path(path)
        if name == ".":
            for entry in sorted(source.iterdir()):
                _copy(entry, folder / entry.name)
        else:
            place = folder / _checked(name)
            place.parent.mkdir(parents=True, exist_ok=True)
            _copy(source, place)
    _write_note(note, {entry.name: _facts(entry) for entry in sorted(folder.iterdir())})


def collect(sandbox: Sandbox, folder: Path, directory: str) -> list[str]:
    """Bring what a process made to its places, remove its directory, and return the places.

    Parameters
    ----------
    directory
        Where new files go that no place is named for.

    Raises
    ------
    OSError
        An output is missing, leads out of the directory, or cannot be brought to its place. The others were brought,
        and the directory stays.
    """
    note, gone = _note(folder), _gone(folder)
    brought: list[str] = []
    if not gone.exists():
        before = _read_note(note)
        if before is None:
            return []
        brought = _bring_all(sandbox, folder, directory, before)
        folder.rename(gone)
    with suppress(FileNotFoundError):
        note.unlink()  # before the rest: a note without a directory would be one whose outputs are missing
    shutil.rmtree(gone)
    return brought


def _bring_all(sandbox: Sandbox, folder: Path, directory: str, before: dict[str, _Facts]) -> list[str]:
    wanted = list(sandbox.outputs) if sandbox.outputs is not None else list(_new(sandbox, folder, directory, before))
    troubles: list[OSError] = []
    brought = []
    root = Path(os.path.realpath(folder))
    for name, place in wanted:
        try:
            _bring(folder / _checked(name), Path(place), root)
            brought.append(place)
        except OSError as error:
            troubles.append(error)
    if troubles:
        raise troubles[0]
    return brought


def _new(sandbox: Sandbox, folder: Path, directory: str, before: dict[str, _Facts]) -> Iterator[tuple[str, str]]:
    """Yield the files at the top that are new or changed, and where they go."""
    moved = dict(sandbox.remaps)
    for entry in sorted(folder.iterdir()):
        if entry.is_file() and before.get(entry.name) != _facts(entry):
            yield entry.name, moved.pop(entry.name, f"{directory}/{entry.name}")
    for name, place in moved.items():
        if "/" in name and (folder / name).is_file():
            yield name, place


def _bring(source: Path, place: Path, root: Path, above: tuple[Path, ...] = ()) -> None:
    """Put a file or a directory of a sandbox where it belongs; `above` are the directories that it was found in."""
    try:
        real = source.resolve(strict=True)
    except FileNotFoundError:
        raise FileNotFoundError(errno.ENOENT, "the job did not make its output", source.name) from None
    if root not in real.parents:
        raise OSError(errno.EPERM, "an output leads out of the job's own directory", source.name)
    if real in above:
        raise OSError(errno.ELOOP, "a link leads back to a directory that it is in", source.name)
    if real.is_dir():
        if place.is_symlink() or not place.is_dir():
            with suppress(FileNotFoundError):
                place.unlink()
            place.mkdir()
        for entry in sorted(real.iterdir()):
            if entry.is_symlink() and not entry.exists():
                continue  # a link to nothing
            _bring(entry, place / entry.name, root, (*above, real))
    elif real.is_file():
        _place(real, place)


def _place(source: Path, place: Path) -> None:
    """Put a file into its place in one step, leaving the source where it is."""
    if place.is_dir() and not place.is_symlink():
        raise IsADirectoryError(errno.EISDIR, "there is a directory where an output should go", str(place))
    handle, name = tempfile.mkstemp(prefix=".eligo-", dir=place.parent)
    os.close(handle)
    part = Path(name)
    try:
        part.unlink()
        try:
            os.link(source, part)
        except OSError:  # another file system, or one without links
            _copy(source, part)
            with part.open("rb") as stream:
                os.fsync(stream.fileno())
        if place.exists() and not place.is_symlink() and part.samefile(place):
            return  # renaming one name of a file to another of it does nothing
        part.replace(place)
    finally:
        with suppress(FileNotFoundError):
            part.unlink()


def _copy(source: Path, place: Path) -> None:
    """Copy a file or a directory with its permissions and times; links in directories stay links."""
    if source.is_dir():
        shutil.copytree(source, place, symlinks=True, dirs_exist_ok=True)
        return
    if not source.exists():
        raise FileNotFoundError(errno.ENOENT, "an input is not there", str(source))
    if not source.is_file():
        raise OSError(errno.EINVAL, "an input is neither a file nor a directory", str(source))
    with suppress(FileNotFoundError):
        place.unlink()  # two inputs of one name: the later one stays, as in HTCondor
    with source.open("rb") as reading, place.open("xb") as writing:
        try:
            fcntl.ioctl(writing.fileno(), _FICLONE, reading.fileno())
        except OSError:
            shutil.copyfileobj(reading, writing, 1 << 20)
    shutil.copystat(source, place)


def _checked(name: str) -> str:
    parts = name.split("/")
    if name.startswith("/") or ".." in parts or not name.strip("./"):
        raise OSError(errno.EPERM, "a name leads out of the job's own directory", name)
    return name


def _facts(path: Path) -> _Facts:
    found = path.lstat()
    return [found.st_ino, found.st_size, found.st_mtime_ns, stat.S_IFMT(found.st_mode)]


def _empty(folder: Path) -> None:
    for entry in folder.iterdir():
        if entry.is_dir() and not entry.is_symlink():
            shutil.rmtree(entry)
        else:
            entry.unlink()


def _note(folder: Path) -> Path:
    return folder.with_name(f"{folder.name}.inputs")


def _gone(folder: Path) -> Path:
    return folder.with_name(f"{folder.name}.gone")


def _write_note(note: Path, facts: dict[str, _Facts] | None) -> None:
    """Write a note in one step; no sync, since what a power cut ends is prepared afresh."""
    part = note.with_name(f"{note.name}.part")
    with open(os.open(part, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600), "wb") as stream:  # noqa: PTH123 - a handle
        stream.write(json.dumps(facts).encode())
    part.replace(note)


def _read_note(note: Path) -> dict[str, _Facts] | None:
    """Return what was put into a directory, or ``None`` if nothing or not all was."""
    try:
        found = json.loads(note.read_bytes())
    except (FileNotFoundError, ValueError):
        return None
    return found if isinstance(found, dict) else None


class Programs:
    """Looks at programs and directories.

    Examples
    --------
    >>> programs = Programs()
    >>> programs.missing(Task("a", (Process(("/no/such/program",), "/"),)))
    'the executable /no/such/program is not there'
    >>> programs.missing(Task("a", (Process(("sh",), "/"),)))
    ''
    """

    def __init__(self) -> None:
        self._program = cache(_trouble)
        self._is_directory = cache(_is_directory)

    def missing(self, task: Task) -> str:
        """Say which program of a task is missing or cannot be run; nothing where all are there."""
        for process in task.processes:
            if trouble := self._program(process.argv[0], _path(process)):
                return f"the executable {trouble}"
            if not self._is_directory(process.directory):
                return f"the directory {process.directory} is not there"
        for hook in (task.before, task.after):
            if hook is not None and (trouble := self._program(hook.argv[0], os.environ.get("PATH"))):
                return f"the script {trouble}"
        return ""


def _path(process: Process) -> str | None:
    return process.environment.get("PATH", os.environ.get("PATH") if process.inherit else None)


def _is_directory(path: str) -> bool:
    return is_marked(path) or Path(path).is_dir()


def _trouble(program: str, path: str | None) -> str:
    if is_marked(program):
        return ""
    if "/" not in program:
        return "" if shutil.which(program, path=path) else f"{program} is not in PATH"
    try:
        if Path(program).is_dir():
            return f"{program} is a directory"
        if not Path(program).exists():
            return f"{program} is not there"
    except (OSError, ValueError) as error:
        return f"{program} cannot be looked at ({getattr(error, 'strerror', None) or error})"
    return "" if os.access(program, os.X_OK) else f"{program} is not executable; chmod +x makes it so"
