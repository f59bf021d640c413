"""Files that others append to, read as they grow."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

__all__ = ["GrowingFile"]

_CHUNK_BYTES = 1 << 24


class GrowingFile:
    r"""A text file that another program appends records to; a record that is not complete yet is left for later.

    Attributes
    ----------
    offset
        Where the first record begins that was not returned yet.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "log"
    ...     file = GrowingFile(path, "\n")
    ...     first = list(file.records())
    ...     _ = path.write_text("one\ntwo\nthr")
    ...     first, list(file.records()), file.offset
    ([], [('one', 4), ('two', 8)], 8)
    """

    def __init__(self, path: Path, end: str, offset: int = 0) -> None:
        self.path = path
        self.end = end.encode()
        self.offset = offset

    def records(self) -> Iterator[tuple[str, int]]:
        """Yield each new record, without its end, and where the next one begins."""
        while chunk := self._read():
            *complete, _ = chunk.split(self.end)
            for record in complete:
                self.offset += len(record) + len(self.end)
                yield record.decode("utf-8", "surrogateescape"), self.offset

    def text(self) -> str:
        """Return all new records, with their ends, as one text."""
        parts = []
        while chunk := self._read():
            self.offset += len(chunk)
            parts.append(chunk)
        return b"".join(parts).decode("utf-8", "replace")

    def _read(self) -> bytes:
        """Return what there is from `offset` to the last end of a record, at most some megabytes of it."""
        size = _CHUNK_BYTES
        try:
            with self.path.open("rb") as stream:
                while True:
                    stream.seek(self.offset)
                    data = stream.read(size)
                    last = data.rfind(self.end)
                    if last >= 0:
                        return data[: last + len(self.end)]
                    if len(data) < size:
                        return b""
                    size *= 2
        except FileNotFoundError:
            return b""
