"""DAX, one quirk of real files a test."""

from __future__ import annotations

import numpy as np
import pytest

from eligo.dag import OUTSIDE
from eligo.errors import CycleError, ParseError
from eligo.formats import _dax as dax
from eligo.formats._source import Source
from tests.guards import no_hang


def read(text: str | bytes, edges=None):
    data = text.encode() if isinstance(text, str) else text
    return dax.parse(Source("w.dax", data), edges)


def edges_of(dag):
    return [(dag.names[u], dag.names[v]) for u, v in zip(dag.tails, dag.heads, strict=True)]


SYNTHETIC = """<?xml version="1.0" encoding="UTF-8"?>
<!-- generated -->
<adag xmlns="http://pegasus.isi.edu/schema/DAX" version="2.1" jobCount="25">
  <job id="ID0" namespace="M" name="project" version="1.0" runtime="13.59">
    <uses file="in.fits" link="input" size="4222080"/>
    <uses file="p.fits" link="output" size="4167312"/>
  </job>
  <job id="ID1" name="add" runtime="0">
    <uses file="p.fits" link="input" size="999"/>
    <uses file="out" link="output" size="0"/>
  </job>
  <child ref="ID1"><parent ref="ID0"/></child>
</adag>
"""


def test_synthetic_workflow_has_times_and_sizes():
    document = read(SYNTHETIC)
    dag = document.dag
    assert dag.names == ("ID0", "ID1")
    assert edges_of(dag) == [("ID0", "ID1")]
    assert dag.time_s.tolist() == [13.59, 0]
    assert dag.data.names == ("in.fits", "p.fits", "out")
    assert dag.data.size_bytes.tolist() == [4222080, 4167312, 0]
    assert dag.data.producer.tolist() == [OUTSIDE, 0, 1]
    assert document.warnings == ("w.dax: 1 file with several sizes: the producer's counts, else the first stated",)
    assert document.details.version == "2.1"
    assert document.details.jobs[0] == dax.DaxJob("job", "M::project:1.0")


@pytest.mark.parametrize(
    "opening",
    [
        '<adag xmlns="http://www.griphyn.org/chimera/DAX" version="1.8">',
        '<adag xmlns="http://pegasus.isi.edu/schema/DAX" version="3.6">',
        "<adag>",
    ],
)
def test_namespaces_do_not_matter(opening):
    assert read(f'{opening}<job id="a"/><job id="b"/><child ref="b"><parent ref="a"/></child></adag>').dag.m == 1


def test_prefixed_elements_and_non_ascii_text():
    jobs = '<d:job id="ä"/><d:job id="b"/><d:child ref="b"><d:parent ref="ä"/></d:child>'
    text = f'<d:adag xmlns:d="urn:dax">{jobs}</d:adag>'
    assert edges_of(read(text).dag) == [("ä", "b")]
    latin = b'<?xml version="1.0" encoding="ISO-8859-1"?><adag><job id="\xe4"/></adag>'
    assert read(latin).dag.names == ("ä",)
    assert read("<adag><job id='x'/></adag>".encode("utf-16")).dag.names == ("x",)


def test_version_3_names_files_by_name_and_real_ones_lack_times():
    dag = read(
        '<adag version="3.6"><job id="a"><uses name="f" link="output"/></job>'
        '<job id="b"><uses name="f" link="input"/></job></adag>'
    ).dag
    assert dag.time_s is None
    assert edges_of(dag) == [("a", "b")]  # no child element at all: the files imply the edge
    assert dag.data.size_bytes.tolist() == [-1]


def test_dax_and_dag_elements_are_jobs():
    document = read(
        '<adag><job id="j"/><dax id="x" file="inner.dax"/><dag id="y" name="inner.dag"/>'
        '<child ref="x"><parent ref="j"/></child><child ref="y"><parent ref="x"/></child></adag>'
    )
    assert document.dag.names == ("j", "x", "y")
    assert [job.kind for job in document.details.jobs] == ["job", "dax", "dag"]
    assert document.details.jobs[2].transformation == "inner.dag"


def test_declared_edges_are_the_truth_where_there_are_any():
    text = (
        '<adag><job id="a"><uses file="f" link="output"/></job><job id="b"><uses file="f" link="input"/></job>'
        '<job id="c"/><child ref="c"><parent ref="a"/></child></adag>'
    )
    declared = read(text)
    assert edges_of(declared.dag) == [("a", "c")]
    assert any("1 dependency implied by files but not declared: --edges both" in text for text in declared.warnings)
    assert any("1 reading of a file by a job" in text for text in declared.warnings)
    assert edges_of(read(text, "files").dag) == [("a", "b")]
    assert "1 dependency declared but not implied by files" in read(text, "files").warnings[0]
    assert edges_of(read(text, "both").dag) == [("a", "b"), ("a", "c")]
    assert read(text, "both").warnings == ()


def test_uses_without_link_and_of_transformations_do_not_count():
    document = read(
        '<adag><transformation name="t"><uses name="exe" executable="true"/></transformation>'
        '<executable name="t"/><job id="a"><uses name="exe"/><uses name="c" link="checkpoint"/></job></adag>'
    )
    assert document.dag.data is None
    assert document.warnings == ("w.dax:1: a <uses> without link is taken as neither read nor written",)


def test_the_same_file_twice_in_a_job_counts_once():
    dag = read(
        '<adag><job id="a"><uses file="f" link="output"/></job>'
        '<job id="b"><uses file="f" link="input"/><uses file="f" link="input"/></job></adag>'
    ).dag
    assert dag.data.readers.tolist() == [1]


def test_inout_reads_the_copy_before_and_writes_one_of_its_own():
    dag = read(
        '<adag><job id="a"><uses file="f" link="output"/></job><job id="b"><uses file="f" link="inout"/></job>'
        '<job id="c"><uses file="f" link="INPUT"/></job>'
        '<child ref="b"><parent ref="a"/></child><child ref="c"><parent ref="b"/></child></adag>'
    ).dag
    assert dag.data.producer.tolist() == [0, 1]
    assert [dag.data.readers_of(d).tolist() for d in (0, 1)] == [[1, 2], [2]]


def test_sizes_and_times_of_version_36():
    dag = read(
        '<adag version="3.6"><file name="in"><metadata key="size">7</metadata></file><job id="a">'
        '<metadata key="size">99</metadata><profile namespace="pegasus" key="runtime"> 60 </profile>'
        '<profile namespace="env" key="runtime">no</profile><uses name="in" link="input"/>'
        '<uses name="out" link="output"><metadata key="size">2048</metadata></uses></job></adag>'
    ).dag
    assert dag.time_s.tolist() == [60]
    assert dag.data.size_bytes.tolist() == [7, 2048]


def test_negative_sizes_and_times_are_noted():
    document = read('<adag>\n<job id="a" runtime="-3"><uses file="f" link="output" size="-114"/></job></adag>')
    assert document.dag.time_s is None
    assert document.dag.data.size_bytes.tolist() == [-1]
    assert document.warnings == (
        "w.dax: 1 file of negative size: taken as unknown",
        "w.dax:2: 1 negative time taken as unknown",
    )


def job(attributes: str = "", inside: str = "") -> str:
    return f'<adag>\n<job id="a" {attributes}>{inside}</job></adag>'


@pytest.mark.parametrize(
    ("text", "line", "what"),
    [
        ("<adag>\n<job id='a'/>\n<job id='a'/></adag>", 3, "a second job is called 'a'"),
        ("<adag>\n<job/></adag>", 2, "the id of a <job> is missing"),
        ("<adag>\n<job id=''/></adag>", 2, "the id of a <job> is empty"),
        ("<adag><job id='a'/>\n<child ref='a'><parent ref='b'/></child></adag>", 2, "there is no job called 'b'"),
        ("<adag><job id='a'/>\n<child ref='b'><parent ref='a'/></child></adag>", 2, "there is no job called 'b'"),
        ("<adag><job id='a'/>\n<child><parent ref='a'/></child></adag>", 2, "the ref of a <child> is missing"),
        ("<adag>\n<parent ref='a'/></adag>", 2, "outside any <child>"),
        ("<adag>\n<job id='a'><job id='b'/></job></adag>", 2, "inside another job"),
        ("<adag>\n<job id='a'>", 2, "not well-formed XML: no element found"),
        ("<adag>\n<job id='a'></adag>", 2, "mismatched tag"),
        ("<adag>\n<job id='a\x00'/></adag>", 2, "not well-formed"),
        ("\n\n<html/>", 3, "the root element is <html>"),
        (job('runtime="abc"'), 2, "time 'abc' is not a number"),
        (job('runtime="1e400"'), 2, "too large"),
        (job('runtime="nan"'), 2, "not a number"),
        (job("", '<uses link="input"/>'), 2, "names no file"),
        (job("", '<uses file="f" link="sideways"/>'), 2, "unknown link 'sideways'"),
        (job("", '<uses file="f" link="input" size="lots"/>'), 2, "'lots' is not a number"),
        (job("", '<uses file="f" link="input" size="1.5"/>'), 2, "not a whole number"),
        (job("", f'<uses file="f" link="input" size="{2**62}"/>'), 2, "2^62"),
        (job("", f'<uses file="f" link="input" size="{"9" * 5000}"/>'), 2, "is not a number"),
        (job("", '<uses file="f" link="input" size="inf"/>'), 2, "is not a number"),
        ("<!DOCTYPE adag>\n<adag/>", 1, "document type"),
        ('<?xml version="1.0" encoding="nonsense"?><adag/>', 1, "encoding"),
        ('<?xml version="1.0" encoding="UTF-8"?>\n<adag>\xff</adag>'.encode("latin-1"), 2, "invalid token"),
        ("", 1, "no element found"),
    ],
)
def test_bad_files_are_refused_with_a_line(text, line, what):
    with pytest.raises(ParseError) as caught:
        read(text)
    assert what in caught.value.text
    assert caught.value.line == line
    assert caught.value.hint


@pytest.mark.parametrize(
    "text",
    [
        "<adag><job id='a'/>\n<child ref='a'><parent ref='a'/></child></adag>",
        "<adag><job id='a'/><job id='b'/><child ref='b'><parent ref='a'/></child>\n"
        "<child ref='a'>\n<parent ref='b'/></child></adag>",
    ],
)
def test_cycles_are_refused(text):
    with pytest.raises(CycleError) as caught:
        read(text)
    assert caught.value.path == "w.dax"
    assert caught.value.line in (1, 2, 3)


def test_bombs_and_depths_fail_fast():
    laughs = "".join(f'<!ENTITY l{i} "{f"&l{i - 1};" * 10}">' for i in range(1, 30))
    with no_hang():
        with pytest.raises(ParseError, match="document type"):
            read(f'<?xml version="1.0"?>\n<!DOCTYPE adag [<!ENTITY l0 "ha">{laughs}]><adag>&l29;</adag>')
        with pytest.raises(ParseError, match="not well-formed"):
            read("<adag>" + "<x>" * 100_000)
        assert read("<adag>" + "<x>" * 100_000 + "</x>" * 100_000 + "</adag>").dag.n == 0
        assert read(f'<adag><job id="{"x" * 10_000_000}"/></adag>').dag.n == 1


@pytest.mark.parametrize(
    ("head", "fits"),
    [
        ("<adag>", True),
        ("\ufeff\n <?xml version='1.0'?>\n<!-- <html> -->\n<!-- -->\n<p:adag xmlns:p='x'>", True),
        ("<!DOCTYPE adag [<!ENTITY a 'b'>]>\n<adag/>", True),  # so that its refusal is the reader's
        ("<adagio>", False),
        ("<html><adag>", False),
        ("digraph { adag }", False),
        ("<" * 60_000, False),
        ("<!--" * 15_000, False),
        ("<??>" * 15_000, False),
    ],
)
def test_sniffing(head, fits):
    assert dax.sniff(head) is fits


def test_reading_is_linear():
    """60,000 jobs in a chain with a file each, 12 MB: seconds, not minutes."""
    n = 60_000
    jobs = "".join(
        f'<job id="ID{i}" name="n" runtime="1"><uses file="f{i}" link="input" size="1"/>'
        f'<uses file="f{i + 1}" link="output" size="1"/></job>\n'
        for i in range(n)
    )
    children = "".join(f'<child ref="ID{i}"><parent ref="ID{i - 1}"/></child>\n' for i in range(1, n))
    with no_hang():
        dag = read(f"<adag>{jobs}{children}</adag>").dag
    assert (dag.n, dag.m, dag.data.k) == (n, n - 1, n + 1)
    assert np.array_equal(dag.order, np.arange(n))
