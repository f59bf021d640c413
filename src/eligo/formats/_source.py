"""Bytes in, bytes out: compression, standard streams, encodings, and files that are replaced whole or not at all."""

from __future__ import annotations

import gzip
import io
import os
import sys
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from eligo._atomic_files import replace_whole
from eligo.errors import EligoError, ParseError

__all__ = ["MAX_FILE_BYTES", "STDIN", "Source", "is_packed", "load", "pack", "replace_file", "writing"]

MAX_FILE_BYTES = 4 * 2**30
"""What a file may unpack to; a compressed file that grows beyond it is taken for an attack or an accident."""

STDIN = "<stdin>"
"""The name of what was read from standard input."""

_GZIP_MAGIC = b"\x1f\x8b"


@dataclass(frozen=True, slots=True)
class Source:
    """The bytes of one file, unpacked, with the name under which the user knows it.

    Examples
    --------
    >>> source = Source("a.dag", b"JOB a a.sub")
    >>> print(source.error(1, "no such job", hint="declare it"))
    a.dag:1: no such job
    hint: declare it
    """

    path: str
    data: bytes

    def error(self, line: int | None, text: str, *, hint: str = "") -> ParseError:
        """Make the error that says what is wrong on a line of this file."""
        return ParseError(self.path, line, text, hint=hint)

    def text(self) -> str:
        r"""Return the file as strict UTF-8 without a byte order mark; UTF-16 is decoded when it is marked as such.

        Examples
        --------
        >>> Source("a.csv", b"a,b\xff").text()
        Traceback (most recent call last):
            ...
        eligo.errors.ParseError: a.csv:1: byte 0xff is not UTF-8
        hint: save the file as UTF-8, for example with: iconv -f LATIN1 -t UTF-8
        """
        data = self.data
        if data.startswith((b"\xff\xfe", b"\xfe\xff")):
            with suppress(UnicodeDecodeError):
                return data.decode("utf-16")
        try:
            return data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise self.error(
                data.count(b"\n", 0, error.start) + 1,
                f"byte 0x{data[error.start]:02x} is not UTF-8",
                hint="save the file as UTF-8, for example with: iconv -f LATIN1 -t UTF-8",
            ) from None

    def line_at(self, offset: int) -> int:
        """Return the number of the line that holds a byte offset."""
        return self.data.count(b"\n", 0, offset) + 1

    def line_of(self, *needles: str) -> int:
        r"""Return the line on which the last of `needles` stands, each looked for after the one before; 1 if nowhere.

        Readers of JSON, XML and YAML use it to say where something is that their parser gave without a position.

        Examples
        --------
        >>> Source("a", b"jobs:\n- id: x\n- id: y\n").line_of("jobs", "y")
        3
        """
        at = 0
        for needle in needles:
            found = self.data.find(needle.encode("utf-8", "surrogateescape"), at)
            if found < 0:
                break
            at = found
        return self.line_at(at)


def load(path: str | os.PathLike[str]) -> Source:
    """Read a file, or standard input for ``-``, unpacking gzip whatever the name.

    Examples
    --------
    >>> load("/no/such/file")
    Traceback (most recent call last):
        ...
    eligo.errors.ParseError: /no/such/file: no such file
    hint: check the name; paths are relative to the current directory
    """
    name = os.fspath(path)
    if name == "-":
        return Source(STDIN, _unpack(STDIN, sys.stdin.buffer.read()))
    try:
        data = Path(name).read_bytes()
    except FileNotFoundError:
        raise ParseError(
            name, None, "no such file", hint="check the name; paths are relative to the current directory"
        ) from None
    except IsADirectoryError:
        raise ParseError(name, None, "is a directory", hint="name the workflow file inside it") from None
    except PermissionError:
        raise ParseError(name, None, "may not be read", hint=f"check its permissions: ls -l {name}") from None
    except (OSError, ValueError) as error:
        raise ParseError(name, None, f"cannot be read: {getattr(error, 'strerror', None) or error}") from None
    return Source(name, _unpack(name, data))


def _unpack(name: str, data: bytes) -> bytes:
    if not is_packed(data):
        return data
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as stream:
            unpacked = stream.read(MAX_FILE_BYTES + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise ParseError(
            name, None, f"is damaged gzip: {error}", hint="the file may be cut short; fetch or pack it again"
        ) from None
    if len(unpacked) > MAX_FILE_BYTES:
        raise ParseError(name, None, f"unpacks to more than {MAX_FILE_BYTES >> 30} GiB", hint="this is not a workflow")
    return unpacked


def replace_file(path: str | os.PathLike[str], chunks: Iterable[bytes]) -> None:
    """Write a file so that at every moment the old one or the new one is there, whole; ``-`` is standard output.

    A name ending in ``.gz`` is packed. A symbolic link stays a link: what it points to is replaced. The permissions
    of the old file are kept.
    """
    name = os.fspath(path)
    if name == "-":
        binary = getattr(sys.stdout, "buffer", None)  # notebooks and doctests have only text
        for chunk in chunks:
            if binary is not None:
                binary.write(chunk)
            else:
                sys.stdout.write(chunk.decode("utf-8", "surrogateescape"))
        sys.stdout.flush()
        return
    if name.endswith(".gz"):
        chunks = pack(chunks)
    if Path(name).is_dir():
        raise EligoError(f"{name}: is a directory", hint="name a file to write")
    with writing(name):
        if Path(name).exists() and not Path(name).is_file():  # a device or a pipe: nothing to replace
            with Path(name).open("wb") as stream:
                stream.writelines(chunks)
        else:
            replace_whole(Path(os.path.realpath(name)), chunks)


@contextmanager
def writing(name: str) -> Iterator[None]:
    """Say in our words why a file cannot be written.

    Examples
    --------
    >>> with writing("x.dag"):
    ...     raise OSError(28, "No space left on device")
    Traceback (most recent call last):
        ...
    eligo.errors.EligoError: x.dag: cannot be written: No space left on device
    hint: check permissions and free space; nothing was changed
    """
    try:
        yield
    except FileNotFoundError:
        folder = Path(name).parent
        raise EligoError(f"{name}: there is no directory {folder}", hint=f"make it first: mkdir -p {folder}") from None
    except OSError as error:
        raise EligoError(
            f"{name}: cannot be written: {error.strerror}", hint="check permissions and free space; nothing was changed"
        ) from None


def is_packed(data: bytes) -> bool:
    r"""Tell whether bytes are packed with gzip.

    Examples
    --------
    >>> is_packed(b"".join(pack([b"JOB a a.sub"]))), is_packed(b"JOB a a.sub")
    (True, False)
    """
    return data.startswith(_GZIP_MAGIC)


def pack(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """Pack with gzip; equal bytes are packed to equal bytes."""
    packer = zlib.compressobj(6, zlib.DEFLATED, 31)  # 31: with a gzip header, whose zero time keeps results equal
    for chunk in chunks:
        yield packer.compress(chunk)
    yield packer.flush()
