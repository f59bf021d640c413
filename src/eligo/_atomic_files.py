"""Files that are replaced whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

__all__ = ["replace_whole", "write_beside"]


def replace_whole(target: Path, chunks: Iterable[bytes]) -> None:
    """Write a file beside the target and put it in its place: at every moment the old one or the new one is there.

    Whatever goes wrong, nothing is changed and nothing is left behind.

    Examples
    --------
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     replace_whole(Path(folder) / "a", [b"one ", b"two"])
    ...     (Path(folder) / "a").read_bytes()
    b'one two'
    """
    new = write_beside(target, chunks)
    try:
        new.replace(target)
    except BaseException:
        with suppress(OSError):
            new.unlink()
        raise


def write_beside(target: Path, chunks: Iterable[bytes]) -> Path:
    """Write what is to replace a file into a new file beside it, and return that one, safe on the disk.

    It has the permissions of the old file and, where we may give them, its owner and group. Whatever goes wrong,
    nothing is left behind.

    Examples
    --------
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     new = write_beside(Path(folder) / "a", [b"one ", b"two"])
    ...     new.parent == Path(folder), new.name == "a", new.read_bytes()
    (True, False, b'one two')
    """
    handle, name = tempfile.mkstemp(prefix=f".{target.name[:100]}.", suffix=".tmp", dir=target.parent)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.writelines(chunks)
            stream.flush()
            os.fsync(stream.fileno())
        _dress(name, target)
    except BaseException:
        with suppress(OSError):
            Path(name).unlink()
        raise
    return Path(name)


def _dress(name: str, target: Path) -> None:
    """Give a new file what belongs to the one it replaces; the owner first, since changing it clears permissions."""
    try:
        old = target.stat()
    except FileNotFoundError:
        Path(name).chmod(0o666 & ~_umask())
        return
    with suppress(OSError):
        os.chown(name, old.st_uid, old.st_gid)
    Path(name).chmod(old.st_mode & 0o7777)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
