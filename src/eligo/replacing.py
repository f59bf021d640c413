"""Files that are replaced whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

__all__ = ["replace_whole"]


def replace_whole(target: Path, chunks: Iterable[bytes]) -> None:
    """Write a file beside the target and put it in its place: at every moment the old one or the new one is there.

    The permissions of the old file are kept. Whatever goes wrong, nothing is changed and nothing is left behind.

    Examples
    --------
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     replace_whole(Path(folder) / "a", [b"one ", b"two"])
    ...     (Path(folder) / "a").read_bytes()
    b'one two'
    """
    handle, temporary = tempfile.mkstemp(prefix=f".{target.name[:100]}.", suffix=".tmp", dir=target.parent)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.writelines(chunks)
            stream.flush()
            os.fsync(stream.fileno())
        Path(temporary).chmod(target.stat().st_mode & 0o7777 if target.exists() else 0o666 & ~_umask())
        Path(temporary).replace(target)
    except BaseException:
        with suppress(OSError):
            Path(temporary).unlink()
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
