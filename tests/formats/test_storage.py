"""Files come in whatever their packing and go out whole or not at all."""

from __future__ import annotations

import gzip
import io
import os
import stat
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eligo import EligoError, ParseError
from eligo.formats import _source as storage
from eligo.formats._source import Source, load, replace_file


@given(st.lists(st.binary(), max_size=5))
def test_what_is_written_is_read_back(tmp_path_factory, chunks):
    folder = tmp_path_factory.mktemp("storage")
    for name in ("plain", "packed.gz"):
        replace_file(folder / name, chunks)
    assert (folder / "plain").read_bytes() == b"".join(chunks)
    assert gzip.decompress((folder / "packed.gz").read_bytes()) == b"".join(chunks)
    assert load(folder / "packed.gz").data == b"".join(chunks)


def test_gzip_is_known_by_content(tmp_path):
    (tmp_path / "no-suffix").write_bytes(gzip.compress(b"JOB a b"))
    assert load(tmp_path / "no-suffix").data == b"JOB a b"


@pytest.mark.parametrize("cut", [5, 12, -4])
def test_damaged_gzip(tmp_path, cut):
    (tmp_path / "x.gz").write_bytes(gzip.compress(b"some text" * 100)[:cut])
    with pytest.raises(ParseError, match="damaged gzip"):
        load(tmp_path / "x.gz")


def test_a_gzip_bomb_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(storage, "MAX_FILE_BYTES", 1000)
    (tmp_path / "x.gz").write_bytes(gzip.compress(b"0" * 100_000))
    with pytest.raises(ParseError, match="unpacks to more than"):
        load(tmp_path / "x.gz")


def test_standard_streams(monkeypatch, capsysbinary):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"JOB a b")))
    source = load("-")
    assert (source.path, source.data) == ("<stdin>", b"JOB a b")
    replace_file("-", [b"x", b"y"])
    assert capsysbinary.readouterr().out == b"xy"


def test_what_cannot_be_read(tmp_path):
    for path, text in [(tmp_path, "is a directory"), (tmp_path / "none", "no such file"), ("a\0b", "cannot be read")]:
        with pytest.raises(ParseError, match=text):
            load(path)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read every file")
def test_no_permission(tmp_path):
    (tmp_path / "x").write_text("JOB a b")
    (tmp_path / "x").chmod(0)
    with pytest.raises(ParseError, match="may not be read"):
        load(tmp_path / "x")


def failing():
    yield b"half"
    raise RuntimeError("in the middle")


def test_a_failure_leaves_the_old_file_and_nothing_else(tmp_path):
    target = tmp_path / "x"
    target.write_bytes(b"old")
    with pytest.raises(RuntimeError):
        replace_file(target, failing())
    assert target.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["x"]
    with pytest.raises(RuntimeError):
        replace_file(tmp_path / "new", failing())
    assert os.listdir(tmp_path) == ["x"]


def test_links_and_permissions_stay(tmp_path):
    target, link = tmp_path / "real", tmp_path / "link"
    target.write_bytes(b"old")
    target.chmod(0o640)
    link.symlink_to(target)
    replace_file(link, [b"new"])
    assert link.is_symlink()
    assert target.read_bytes() == b"new"
    assert stat.S_IMODE(target.stat().st_mode) == 0o640


def test_new_files_obey_the_umask(tmp_path):
    old = os.umask(0o027)
    try:
        replace_file(tmp_path / "x", [b""])
    finally:
        os.umask(old)
    assert stat.S_IMODE((tmp_path / "x").stat().st_mode) == 0o640


def test_what_cannot_be_written(tmp_path):
    with pytest.raises(EligoError, match="is a directory"):
        replace_file(tmp_path, [b""])
    with pytest.raises(EligoError, match=r"there is no directory .*no\n.*mkdir -p"):
        replace_file(tmp_path / "no" / "such", [b""])
    with pytest.raises(EligoError, match="cannot be written: No space left"):
        replace_file("/dev/full", [b"x" * 100_000])


def test_the_name_of_standard_output():
    """``eligo convert x.dag /dev/stdout | ...``: a pipe behind links that lead to no file."""
    code = "from eligo.formats._source import replace_file; replace_file('/dev/stdout', [b'text'])"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, timeout=60, check=True)
    assert run.stdout == b"text"


def test_devices_are_written_not_replaced():
    replace_file("/dev/null", [b"x"])
    assert not os.path.isfile("/dev/null")


@pytest.mark.parametrize("data", ["\ufeffaé".encode(), "aé".encode("utf-16")])
def test_marked_encodings(data):
    assert Source("x", data).text() == "aé"


def test_wrong_encoding_names_the_line():
    with pytest.raises(ParseError, match=r"^x:2: byte 0xe9 is not UTF-8"):
        Source("x", b"a\n\xe9\n").text()
