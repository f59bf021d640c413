from __future__ import annotations

import html
import re

from hypothesis import given

from eligo.dag import Dag
from eligo.formats import _mermaid as mermaid
from eligo.formats._base import Notes
from tests.formats.random_dags import dags

NODE = re.compile(r' {4}n(\d+)\["([^"\[\]{}<>&\n]*)"\]')
EDGE = re.compile(r" {4}n(\d+) --> n(\d+)")


def written(dag: Dag) -> list[str]:
    text = "".join(mermaid.generate(dag, Notes()))
    assert text.endswith("\n")
    return text[:-1].split("\n")


@given(dags())
def test_every_line_is_a_node_or_an_edge_and_names_come_back(dag: Dag) -> None:
    first, *lines = written(dag)
    assert first == "flowchart TD"
    nodes = [NODE.fullmatch(line) for line in lines[: dag.n]]
    edges = [EDGE.fullmatch(line) for line in lines[dag.n :]]
    assert all(nodes)
    names = [re.sub(r"#(\d+);", lambda found: chr(int(found[1])), node[2]) for node in nodes if node]
    assert [name if name != " " else "" for name in names] == [name if name != " " else "" for name in dag.names]
    found = [(int(edge[1]), int(edge[2])) for edge in edges if edge]
    assert found == list(zip(dag.tails.tolist(), dag.heads.tolist(), strict=True))


def test_labels_cannot_break_out() -> None:
    lines = written(Dag.from_edges(['"] --> n9; click x "javascript:alert(1)', "<script>", "end", "a\nb", "#quot;"]))
    assert not re.search(r'["<>\[\]]', "".join(lines[1:]).replace('["', "").replace('"]', ""))
    assert html.unescape(lines[3]) == '    n2["end"]'


def test_what_is_lost_is_told() -> None:
    lost = Notes()
    list(mermaid.generate(Dag.from_edges(2, [0], [1], time_s=[1, 2]), lost))
    assert lost.texts() == ("Mermaid has no place for times, sizes and data",)
    large = Notes()
    list(mermaid.generate(Dag.from_edges(600, range(599), range(1, 600)), large))
    assert "500 edges" in large.texts()[0]


def test_is_never_taken_for_a_format_to_read() -> None:
    assert not mermaid.sniff("flowchart TD")
