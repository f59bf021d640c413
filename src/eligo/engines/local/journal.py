r"""The journal in which ``eligo-job`` records what started and what ended; see ``native/eligo_job.c`` for its lines.

A line counts only if it is whole and its check sum is right: a power cut may leave half of one, a full disk too.
"""

from __future__ import annotations

import os
import zlib
from pathlib import Path
from typing import NamedTuple

__all__ = ["Journal", "Key", "Record", "parse_record"]

_AT_ONCE = 1 << 20


class Key(NamedTuple):
    """Which step of which attempt of which job; a script that asked for another turn has several."""

    job: int
    attempt: int
    step: int
    turn: int = 0

    def __str__(self) -> str:
        return ".".join(map(str, self))


class Record(NamedTuple):
    """One line: the start (``S``), the end (``E``) or the failure to start (``X``) of a step.

    Attributes
    ----------
    pid, ticks
        Of a start: the process, and when it was made.
    code, signal, text
        Of an end: exit status, or 128 + the signal that ended it; of a failure to start also why.
    begin_s, end_s
        Of an end, by the monotonic clock.
    """

    kind: str
    key: Key
    code: int = 0
    signal: int = 0
    pid: int = 0
    ticks: int = 0
    begin_s: float = 0.0
    end_s: float = 0.0
    cpu_s: float = 0.0
    peak_bytes: int = 0
    text: str = ""


def parse_record(line: bytes) -> Record | None:
    r"""Read one line; ``None`` where it is damaged.

    Examples
    --------
    >>> text = b"E 7.1.0.0 3 1000000000 2500000000 40000 1024"
    >>> record = parse_record(b"%s %08x" % (text, zlib.crc32(text)))
    >>> record.key, record.code, record.end_s - record.begin_s, record.cpu_s, record.peak_bytes
    (Key(job=7, attempt=1, step=0, turn=0), 3, 1.5, 0.04, 1048576)
    >>> parse_record(text) is None
    True
    """
    text, _, seal = line.rpartition(b" ")
    if not text or seal != b"%08x" % zlib.crc32(text):
        return None
    kind, name, rest = text.decode("utf-8", "replace").split(" ", 2)
    key = Key(*map(int, name.split(".")))
    if kind == "X":
        code, why = rest.split(" ", 1)
        return Record(kind, key, int(code), text=why)
    numbers = [int(word) for word in rest.split()]
    if kind == "S":
        return Record(kind, key, pid=numbers[0], ticks=numbers[1])
    raw, begin, end, cpu, peak = numbers
    return Record(
        kind,
        key,
        code=raw if raw >= 0 else 128 - raw,
        signal=max(-raw, 0),
        begin_s=begin / 1e9,
        end_s=end / 1e9,
        cpu_s=cpu / 1e6,
        peak_bytes=peak * 1024,
    )


class Journal:
    """A journal as it is read while others write to it."""

    def __init__(self, path: Path, *, create: bool = False) -> None:
        flags = os.O_RDWR | os.O_APPEND | (os.O_CREAT | os.O_EXCL if create else 0)
        self.path = path
        self.fd = os.open(path, flags, 0o600)
        self._rest = b""
        self.position = 0

    def read(self) -> list[Record]:
        """Return the records that were added since the last call."""
        records: list[Record] = []
        while data := os.pread(self.fd, _AT_ONCE, self.position):
            self.position += len(data)
            *lines, self._rest = (self._rest + data).split(b"\n")
            records += [record for line in lines if (record := parse_record(line)) is not None]
        return records

    def close(self) -> None:
        """Close it; a lock that others still hold through the same opening stays."""
        os.close(self.fd)
