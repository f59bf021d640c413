"""Graphviz itself judges our reader: random graphs of the whole grammar must have the same nodes and edges."""

from __future__ import annotations

import random
import shutil
import subprocess

import pytest

from eligo.formats._dot.grammar import parse_graph
from eligo.formats._source import Source

GVPR = shutil.which("gvpr")
PROGRAM = r'E{print("edge\x01", tail.name, "\x01", head.name)} N{print("node\x01", $.name)}'
NAMES = ["a", "b", '"c d"', "e1", "-3", ".5", "<h<i>>", "é", '"node"', r'"x\"y"', '"p" + "q"', r'"k\\"', '"l\\\nm"']
DEEPEST = 3


class Writer:
    """Writes random statements of every form, with comments and blanks in between."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def graph(self) -> str:
        head = self.random.choice(["digraph", "strict digraph G", 'DiGraph "x y"', "STRICT digraph -1.5"])
        return f"{head} {{{self.body(0)}}}"

    def body(self, depth: int) -> str:
        count = self.random.randrange(4)
        return "".join(self.statement(depth) + self.random.choice([";", " ;\n", "\n", " "]) for _ in range(count))

    def statement(self, depth: int) -> str:
        if self.random.random() < 0.1:
            return self.random.choice(["x=y", "node [shape=box]", "EDGE[color=red]", "graph [a=b]", '"k" = "v w"'])
        operands = [self.operand(depth) for _ in range(self.random.choice([1, 1, 2, 2, 3]))]
        attributes = self.random.choice(["", "", "[x=1]", '[label="l",y=2;z=3]', "[a=b][c=<d>]", "[]"])
        return f"{self.gap()}->{self.gap()}".join(operands) + self.gap() + attributes

    def operand(self, depth: int) -> str:
        kind = self.random.random()
        if kind < 0.6 or depth > DEEPEST:
            return self.node()
        if kind < 0.7:
            return f"{self.node()},{self.node()}"
        head = self.random.choice(["", "subgraph ", "subgraph s1 ", "subgraph cluster_x ", 'SUBGRAPH "s 2" '])
        return f"{head}{{{self.body(depth + 1)}}}"

    def node(self) -> str:
        return self.random.choice(NAMES) + self.random.choice(["", "", "", ":p", ":n:sw", ':"x y"'])

    def gap(self) -> str:
        return self.random.choice([" ", "\n", "", " /*c*/ ", " // x\n", "\t", "\n# x\n"])


@pytest.mark.skipif(GVPR is None, reason="graphviz is not installed")
@pytest.mark.parametrize("seed", range(60))
def test_graphviz_sees_the_same_nodes_and_edges(seed: int) -> None:
    assert GVPR
    text = Writer(seed).graph()
    run = subprocess.run([GVPR, PROGRAM], input=text.encode(), capture_output=True, timeout=60, check=False)
    assert run.returncode == 0
    assert not run.stderr
    lines = [tuple(line.split("\x01")) for line in run.stdout.decode().split("\n") if line]
    for fast in (True, False):
        graph = parse_graph(Source("x.dot", text.encode()), fast=fast)
        nodes = {("node", name) for name in graph.names}
        pairs = zip(graph.tails, graph.heads, strict=True)
        assert set(lines) == nodes | {("edge", graph.names[tail], graph.names[head]) for tail, head in pairs}
