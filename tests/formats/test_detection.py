"""A format is found by content, whatever the file is called; every real file of the corpus is found as what it is."""

from __future__ import annotations

import gzip
import shutil
import subprocess
import sys

import pytest

from eligo import EligoError, ParseError, formats
from eligo.formats._source import Source, load
from tests.corpus import DATA, needs_shared, statistics

KIND = {
    "cws-dag": "cws",
    "daggen-dot": "dot",
    "dagman": "dagman",
    "dax": "dax",
    "pegasus-yaml": "pegasus",
    "sdfm-dot": "dot",
    "stg": "stg",
    "trees-dot": "dot",
    "wfformat": "wfformat",
}


@needs_shared
@pytest.mark.parametrize("file", statistics())
@pytest.mark.parametrize("name", ["no-suffix", "wrong.json", "wrong.dag", "wrong.csv", "wrong.xml"])
def test_the_corpus_is_told_by_content(file, name):
    source = load(DATA / file)
    assert formats.find_format(Source(name, source.data)).NAME == KIND[file.split("/", maxsplit=1)[0]]


@needs_shared
@pytest.mark.parametrize("file", ["dagman/valid/diamond.dag", "cws-dag/Sipht_1000.dag", "stg/stg50-rand0000.stg"])
def test_a_packed_copy_reads_the_same(file, tmp_path):
    packed = tmp_path / "copy"
    packed.write_bytes(gzip.compress((DATA / file).read_bytes()))
    plain = tmp_path / "plain"
    shutil.copy(DATA / file, plain)
    assert formats.open_document(packed).dag == formats.open_document(plain).dag


@pytest.mark.parametrize("data", [b"", b"   \n\n\t\n", b"\xef\xbb\xbf"])
def test_empty(data, tmp_path):
    (tmp_path / "x.dag").write_bytes(data)
    with pytest.raises(ParseError, match=r"x.dag:1: the file is empty"):
        formats.open_document(tmp_path / "x.dag")


def test_prose_is_no_workflow(tmp_path):
    (tmp_path / "README").write_text("Dear reader,\n\nthis is a letter, and nothing but a letter.\nYours, E.\n")
    with pytest.raises(ParseError, match=r"README:1: .*no workflow format"):
        formats.open_document(tmp_path / "README")


def test_the_name_decides_who_complains(tmp_path):
    """Content that fits nothing is given to the reader of the suffix, which says best what is wrong."""
    (tmp_path / "x.dot").write_text("Dear reader,\n\nthis is a letter.\n")
    with pytest.raises(ParseError, match=r"x.dot:1: "):
        formats.open_document(tmp_path / "x.dot")


def test_unknown_and_one_way_formats(tmp_path):
    (tmp_path / "x").write_text("a,b\n")
    with pytest.raises(EligoError, match="unknown format 'nothing'"):
        formats.read(tmp_path / "x", format="nothing")
    with pytest.raises(EligoError, match="can be written but not read"):
        formats.read(tmp_path / "x", format="mermaid")
    dag = formats.read(tmp_path / "x", format="edgelist")
    with pytest.raises(EligoError, match="does not tell which format"):
        formats.write(dag, tmp_path / "y.unknown")
    with pytest.raises(EligoError, match="can be read but not written"):
        formats.write(dag, tmp_path / "y.stg", format="stg")


def test_a_file_is_found_without_the_readers_of_other_formats(tmp_path):
    """Starting fast matters most for small files: a name that is right costs one module, any other name no parsers."""
    (tmp_path / "x.dag").write_text("JOB a a.sub\nJOB b b.sub\nPARENT a CHILD b\n")
    (tmp_path / "nameless").write_text("JOB a a.sub\n")
    code = """if True:
        import sys
        from eligo import formats
        formats.open_document("x.dag")
        print(sorted(name for name in formats._SUFFIXES if f"eligo.formats._{name}" in sys.modules))
        formats.open_document("nameless")
        print(sorted({"yaml", "eligo.formats._dot.grammar"} & set(sys.modules)))
    """
    run = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert run.stdout.splitlines() == ["['dagman']", "[]"]
