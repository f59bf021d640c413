"""The dags shaped like well-known workflows: AIRSN, Montage, Inspiral, SDSS, CyberShake, Epigenomics."""

from collections import Counter
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eligo import graph
from eligo.dag import UNKNOWN
from eligo.errors import EligoError
from eligo.generate import airsn, cybershake, epigenomics, inspiral, montage, sdss
from tests.corpus import SHARED, needs_shared
from tests.reference.decomposition import decompose

FEWEST = {montage: 18, inspiral: 6, sdss: 9, cybershake: 7, epigenomics: 8}
makers = st.sampled_from(list(FEWEST))


def kind(name):
    return name.partition("_")[0]


def kinds(dag):
    return Counter(kind(name) for name in dag.names)


def edge_kinds(dag):
    return Counter((kind(dag.names[a]), kind(dag.names[b])) for a, b in zip(dag.tails, dag.heads, strict=True))


@pytest.mark.parametrize("make", FEWEST)
def test_every_number_of_jobs_from_the_fewest_on(make):
    for jobs in range(FEWEST[make], 260):
        dag = make(jobs, seed=jobs % 3)
        assert dag.n == jobs
        assert (np.diff(dag.succ_ptr) + np.diff(dag.pred_ptr) > 0).all()  # no job is isolated
    with pytest.raises(EligoError, match=f"jobs must be at least {FEWEST[make]}"):
        make(FEWEST[make] - 1)


@settings(deadline=None)
@given(make=makers, jobs=st.integers(18, 3000), seed=st.integers(0, 5), costs=st.booleans())
def test_exact_and_repeatable(make, jobs, seed, costs):
    dag = make(jobs, seed=seed, costs=costs)
    assert dag.n == jobs
    assert dag == make(jobs, seed=seed, costs=costs)
    if make is not inspiral:
        assert graph.components(dag).max() == 0


@settings(deadline=None)
@given(make=makers, jobs=st.integers(18, 400), seed=st.integers(0, 5))
def test_costs(make, jobs, seed):
    dag = make(jobs, seed=seed, costs=True)
    assert (dag.time_s > 0).mean() > 0.99
    assert (dag.data.size_bytes > 0).all()
    assert (dag.data.size_bytes != UNKNOWN).all()
    assert set(dag.data.producer) == set(range(jobs))
    makers = np.repeat(dag.data.producer, dag.data.reader_counts)
    readers = Counter(zip(makers.tolist(), dag.data.readers.tolist(), strict=True))
    assert readers == Counter(zip(dag.tails.tolist(), dag.heads.tolist(), strict=True))  # every edge is one reading
    bare = make(jobs, seed=seed)
    assert (bare.names, bare.succ.tolist(), bare.time_s) == (dag.names, dag.succ.tolist(), None)


def test_a_file_of_several_readers_is_one_datum():
    dag = montage(300, costs=True)
    assert dag.data.k == dag.n
    assert dag.data.reader_counts.max() == len(dag.children(dag.index("mBgModel")))
    lanes = epigenomics(300, costs=True)  # fastqSplit writes one file for each child
    assert lanes.data.reader_counts.max() == 1


@settings(deadline=None)
@given(width=st.integers(1, 60), handle=st.integers(1, 30))
def test_airsn(width, handle):
    dag = airsn(width, handle)
    assert dag.n == 3 * width + handle + 2
    assert len(graph.sources(dag)) == width + 1
    assert graph.sinks(dag).tolist() == [dag.n - 1]
    assert graph.levels(dag).max() == handle + 3
    bottleneck = dag.index(f"handle_{handle - 1}")
    for job in range(width):  # every fringe is the second parent of a child of the handle's last job
        (cover,) = dag.children(job)
        assert set(dag.parents(cover)) == {job, bottleneck}
    assert dag.index("fringe_0") == 0


def test_airsn_of_the_paper():
    dag = airsn(250)
    assert dag.n == 773
    assert kinds(dag) == {"fringe": 250, "handle": 21, "first": 250, "join": 1, "second": 250, "last": 1}
    assert decompose(dag, repaired=True)[0].bipartite


def components_at(dag):
    reduced = graph.remove_shortcuts(dag)
    return reduced, [decompose(reduced, repaired=repaired) for repaired in (False, True)]


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.long) for seed in (1, 2))])
def test_inspiral_of_the_paper(seed):
    """002 section 3.3: a non-bipartite component with over 1,000 of the 2,988 jobs; the others bipartite."""
    _, both = components_at(inspiral(2988, seed=seed))
    for found in both:
        large = [component for component in found if not component.bipartite]
        assert [len(component.jobs) > 1000 for component in large] == [True]
        assert len(large[0].jobs) < 2000


@pytest.mark.parametrize("seed", range(3))
def test_montage_of_the_paper(seed):
    """002 section 3.3: over 1,000 jobs in a bipartite component whose sources have a few to about ten children."""
    dag, both = components_at(montage(7881, seed=seed))
    for found in both:
        assert all(component.bipartite for component in found)
        large = max(found, key=lambda component: len(component.jobs))
        assert len(large.jobs) > 1000
        degrees = Counter(len(dag.children(job)) for job in large.nonsinks)
        assert min(degrees) == 3
        assert 9 <= max(degrees) <= 10
        assert {len(dag.parents(job)) for job in large.jobs - large.nonsinks} == {2}


def test_sdss_of_the_paper():
    """002 section 3.3: over 1,500 of 48,013 jobs in a bipartite component whose sources have three children each."""
    dag, both = components_at(sdss(48_013))
    for found in both:
        assert all(component.bipartite for component in found)
        large = max(found, key=lambda component: len(component.jobs))
        assert len(large.jobs) > 1500
        assert {len(dag.children(job)) for job in large.nonsinks} == {3}
        assert max(len(dag.parents(job)) for job in large.jobs) == 3  # shared


def gallery(name):
    """Return the kinds of jobs and of edges of a DAX file."""
    root = ET.parse(SHARED / "data" / "dax" / name).getroot()
    local = {"_chr21": "", "mProjectPP": "mProject", "PeakValCalcOkaya": "PeakValCalc"}
    names = {}
    for job in root.findall("{*}job"):
        text = job.get("name")
        for old, new in local.items():
            text = text.replace(old, new)
        names[job.get("id")] = text
    edges = [(p.get("ref"), c.get("ref")) for c in root.findall("{*}child") for p in c.findall("{*}parent")]
    return Counter(names.values()), Counter((names[a], names[b]) for a, b in edges)


@needs_shared
def test_cybershake_is_the_gallerys():
    dag = cybershake(1000)
    assert (kinds(dag), edge_kinds(dag)) == gallery("CyberShake_1000.xml")


@needs_shared
def test_epigenomics_is_the_gallerys():
    one = epigenomics(100)
    assert (kinds(one), edge_kinds(one)) == gallery("Epigenomics_100.xml")
    jobs, edges = gallery("Epigenomics_997.xml")
    seven = epigenomics(997)
    rename = {"mapMergeAll": "mapMerge"}
    mine = Counter()
    for (tail, head), count in edge_kinds(seven).items():
        mine[rename.get(tail, tail), rename.get(head, head)] += count
    assert mine == edges
    assert sum(jobs.values()) == seven.n


@needs_shared
@pytest.mark.parametrize("size", [100, 1000])
def test_montage_is_near_the_gallerys(size):
    jobs, edges = gallery(f"Montage_{size}.xml")
    dag = montage(size)
    assert kinds(dag).keys() == jobs.keys()
    assert edge_kinds(dag).keys() == edges.keys()
    for one, count in jobs.items():
        assert kinds(dag)[one] == pytest.approx(count, rel=0.15)


@needs_shared
def test_inspiral_is_near_the_gallerys():
    """The gallery calls Veto and Coinc by the names of the first stage, Inspiral and Thinca."""
    jobs, _ = gallery("Inspiral_1000.xml")
    mine = kinds(inspiral(1000))
    assert mine["TmpltBank"] == pytest.approx(jobs["TmpltBank"], rel=0.15)
    assert mine["Inspiral"] + mine["Veto"] == pytest.approx(jobs["Inspiral"], rel=0.1)
    assert mine["Thinca"] + mine["Coinc"] == jobs["Thinca"]


@pytest.mark.parametrize("make", FEWEST)
def test_refuses(make):
    for bad in ({"jobs": 10**9}, {"jobs": 10**30}, {"jobs": 50.5}, {"jobs": 100, "seed": -1}):
        with pytest.raises(EligoError):
            make(**bad)


@pytest.mark.parametrize(
    ("make", "about"),
    [(inspiral, {"group": 5}), (sdss, {"stripe": 0}), (cybershake, {"variations": 0}), (epigenomics, {"chunks": 0})],
)
def test_refuses_sizes_of_parts(make, about):
    with pytest.raises(EligoError):
        make(100, **about)


@settings(deadline=None)
@given(jobs=st.integers(40, 300), size=st.integers(1, 40))
def test_sizes_of_parts(jobs, size):
    assert sdss(jobs, stripe=size).n == jobs
    assert cybershake(jobs, variations=size).n == jobs
    assert epigenomics(jobs, chunks=size).n == jobs
    assert inspiral(jobs, group=size + 5).n == jobs
