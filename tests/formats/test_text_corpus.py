"""Whatever format a workflow came in, it survives DOT, edge lists and the graphs of other packages."""

from __future__ import annotations

import pytest

from eligo.errors import ParseError
from eligo.formats import _dot as dot
from eligo.formats import _edgelist as edgelist
from eligo.formats import open_document
from eligo.formats._base import Notes
from eligo.formats._interop import from_networkx, from_rustworkx, to_networkx, to_rustworkx
from eligo.formats._source import Source
from tests.corpus import DATA, needs_shared, statistics
from tests.formats.random_dags import edge_names


@needs_shared
@pytest.mark.parametrize("file", sorted(statistics()))
def test_round_trips(file: str) -> None:
    try:
        dag = open_document(DATA / file).dag
    except ParseError:
        pytest.skip("a part of a workflow, not one of its own")
    written = "".join(dot.generate(dag, Notes()))
    assert dot.parse(Source("x.dot", written.encode())).dag == dag
    listed = edgelist.parse(Source("x.csv", "".join(edgelist.generate(dag, Notes())).encode())).dag
    assert listed.names == dag.names
    assert edge_names(listed) == edge_names(dag)
    if pytest.importorskip("networkx"):
        assert from_networkx(to_networkx(dag)) == dag
    if pytest.importorskip("rustworkx"):
        assert from_rustworkx(to_rustworkx(dag)) == dag
