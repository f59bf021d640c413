"""What attributes mean in the DOT of different programs."""

from __future__ import annotations

import pytest

from eligo.dag import UNKNOWN
from eligo.errors import CycleError, ParseError
from eligo.formats import _dot as dot
from eligo.formats._base import Document
from eligo.formats._source import Source
from tests.formats.dot_examples import NEXTFLOW, SNAKEMAKE
from tests.formats.random_dags import edge_names


def read(text: str | bytes) -> Document:
    return dot.parse(Source("x.dot", text if isinstance(text, bytes) else text.encode()))


def test_snakemake_names_jobs_by_their_labels() -> None:
    document = read(SNAKEMAKE)
    assert document.dag.names == ("all", "call", "map sample: A", "map sample: B")
    assert edge_names(document.dag) == {("call", "all"), ("map sample: A", "call"), ("map sample: B", "call")}
    assert document.warnings == ("x.dot:1: what stands before the graph is not DOT and was skipped (lines: 1)",)
    assert document.details.dialect == "snakemake"


def test_snakemake_adds_numbers_where_labels_repeat() -> None:
    document = read(SNAKEMAKE.replace("sample: B", "sample: A"))
    assert document.dag.names == ("all_0", "call_1", "map sample: A_2", "map sample: A_3")
    assert document.details.labels == ("all", "call", "map sample: A", "map sample: A")


def test_nextflow_operators_are_contracted() -> None:
    """INDEX -> map -> mix -> MULTIQC and FASTQC -> mix become INDEX -> MULTIQC <- FASTQC."""
    document = read(NEXTFLOW)
    assert document.dag.names == ("MAIN:INDEX", "MAIN:FASTQC", "MAIN:MULTIQC")
    assert edge_names(document.dag) == {("MAIN:INDEX", "MAIN:MULTIQC"), ("MAIN:FASTQC", "MAIN:MULTIQC")}
    assert "3 processes" in document.warnings[0]
    assert document.details.dialect == "nextflow"


def test_nextflow_without_processes_keeps_its_operators() -> None:
    document = read('digraph { p0 [shape=point] p1 [shape=circle, label=""] p0 -> p1 }')
    assert document.dag.n == 2
    assert "no process" in document.warnings[0]


def test_nextflow_is_known_by_its_operators_too() -> None:
    dag = read('digraph { ALIGN -> x [a=b] x [shape=circle, label="", fixedsize=true] x -> SORT }').dag
    assert edge_names(dag) == {("ALIGN", "SORT")}


def test_circles_with_names_are_jobs_though_called_like_those_of_nextflow() -> None:
    document = read("digraph { node [shape=circle]; v1 -> v2; v2 -> v3; v3 [shape=box] }")
    assert document.dag.names == ("v1", "v2", "v3")
    assert document.details.dialect == "graphviz"
    assert document.warnings == ()


def test_a_feedback_loop_of_nextflow_is_a_cycle() -> None:
    with pytest.raises(CycleError) as caught:
        read('digraph { v1 -> v2 -> v1; v2 [shape=circle, label=""] }')
    assert caught.value.path == "x.dot"


def test_html_labels_are_no_names() -> None:
    text = SNAKEMAKE.replace('"all"', "<<table><tr><td>all</td></tr></table>>")
    assert read(text).dag.names == ("0", "1", "2", "3")


def test_a_chain_of_operators_is_linear() -> None:
    chain = "".join(f'v{i} [shape=circle, label=""]; v{i} -> v{i + 1};' for i in range(1, 50_000))
    assert read(f"digraph {{ v0 -> v1; {chain} v50000 [label=end] }}").dag.m == 1


def test_many_processes_through_many_operators_are_refused() -> None:
    jobs = "".join(f"v{i} -> v100000;" for i in range(6000))
    chain = "".join(f'v{i} [shape=circle, label=""]; v{i} -> v{i + 1};' for i in range(100000, 104000))
    with pytest.raises(ParseError, match="operators"):
        read(f"digraph {{ {jobs} {chain} v104000 [shape=point] }}")


def test_repeated_edges_take_the_largest_size() -> None:
    document = read("digraph {\n a -> b [size=5];\n a -> b [size=9];\n a -> b;\n a -> c [size=none] }")
    assert document.dag.data is not None
    assert document.dag.data.size_bytes.tolist() == [9]
    assert document.warnings == ("x.dot:2: an edge is repeated with another size, the largest is taken: 1 times",)


def test_an_edge_without_size_among_others_is_unknown() -> None:
    data = read("digraph { a -> b [size=5]; b -> c }").dag.data
    assert data is not None
    assert data.size_bytes.tolist() == [5, UNKNOWN]


def test_size_of_nodes_alone_is_no_time() -> None:
    document = read('digraph { a [size="8,5"]; a -> b }')
    assert document.dag.time_s is None
    assert "size of nodes" in document.warnings[0]


def test_time_s_beats_flops() -> None:
    dag = read("digraph { a [flops=2000000000, time_s=7] b [flops=3e9, tmp_memory=5] }".replace("3e9", '"3e9"')).dag
    assert dag.time_s is not None
    assert dag.temp_bytes is not None
    assert dag.time_s.tolist() == [7, 3]
    assert dag.temp_bytes.tolist() == [UNKNOWN, 5]


def test_own_attributes_take_units() -> None:
    dag = read('digraph { a [time_s=1.5, temp_bytes="2GB", memory_bytes="1 MiB", count=3]; a -> b [size="5 kB"] }').dag
    assert dag.time_s is not None
    assert dag.temp_bytes is not None
    assert dag.memory_bytes is not None
    assert dag.count is not None
    assert dag.data is not None
    values = dag.time_s[0], dag.temp_bytes[0], dag.memory_bytes[0], dag.count[0], dag.data.size_bytes[0]
    assert values == (1.5, 2 * 10**9, 2**20, 3, 5000)
