"""The formats that are plain text tell their own files from everybody else's, by content alone."""

from __future__ import annotations

import gzip

import pytest

from eligo.formats import _dot as dot
from eligo.formats import _edgelist as edgelist
from eligo.formats import _stg as stg
from tests.corpus import DATA, needs_shared, statistics

FILES = [file for file in statistics() if (DATA / file).is_file()]
MODULES = {"dot": dot, "stg": stg, "edgelist": edgelist}


@needs_shared
@pytest.mark.parametrize("file", FILES)
def test_corpus(file: str) -> None:
    data = (DATA / file).read_bytes()
    head = (gzip.decompress(data) if file.endswith(".gz") else data)[:65_536].decode("utf-8", "replace")
    told = [name for name, module in MODULES.items() if module.sniff(head)]
    wanted = statistics()[file]["format"]
    assert told == ([wanted] if wanted in MODULES else [])
