"""The noun: what it is made of, files of it, and files that anyone may have written."""

from __future__ import annotations

import gzip
import json
import os
import random
import stat

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eligo import _atomic_files as atomic_files
from eligo import graph
from eligo.certificate import DEFAULT_BUDGET, Certificate, digest, verify
from eligo.certificate import _schema as schema
from eligo.dag import Dag
from eligo.errors import CertificateError, EligoError, InfeasibleError, ParseError
from eligo.schedule import Schedule
from tests.guards import no_hang
from tests.strategies import NAMES, dags

FORK = Dag.from_names([("a", "b"), ("a", "c")])
GOOD = Certificate.of(Schedule.of(FORK, [0, 1, 2]), "ic-optimal", {"by": "concave"}, ["all jobs succeed"])


def changed(**changes) -> dict:
    return {**GOOD.to_json(), **changes}


class TestDigest:
    @given(dags(names=NAMES), st.randoms(use_true_random=False))
    def test_it_does_not_depend_on_the_order_of_jobs_and_edges(self, dag: Dag, rng: random.Random):
        arcs = list(zip(dag.tails.tolist(), dag.heads.tolist(), strict=True))
        rng.shuffle(arcs)
        order = rng.sample(range(dag.n), dag.n)
        place = np.argsort(order)
        other = Dag.from_edges(
            [dag.names[job] for job in order], [place[u] for u, _ in arcs], [place[v] for _, v in arcs]
        )
        assert digest(other) == digest(dag)

    @given(dags(6, names=NAMES), dags(6, names=NAMES))
    def test_different_dags_differ(self, one: Dag, other: Dag):
        def meant(dag: Dag) -> tuple:
            return set(dag.names), {
                (dag.names[u], dag.names[v]) for u, v in zip(dag.tails.tolist(), dag.heads.tolist(), strict=True)
            }

        assert (digest(one) == digest(other)) == (meant(one) == meant(other))

    def test_names_that_look_like_the_text_around_them(self):
        dags = [
            Dag.from_edges(["a", "b"]),
            Dag.from_edges(["a,b"]),
            Dag.from_edges(['a","b']),
            Dag.from_edges(["a", "b"], [0], [1]),
            Dag.from_edges(["a", "b"], [1], [0]),
            Dag.from_edges(["a\nb"]),
            Dag.from_edges(["\ud800"]),
            Dag.from_edges(["\ufffd"]),
            Dag.from_edges(0),
            Dag.from_edges([""]),
        ]
        assert len({digest(dag) for dag in dags}) == len(dags)

    def test_times_and_data_do_not_count(self):
        assert digest(FORK.with_known(time_s=[1, 2, 3])) == digest(FORK)


class TestNoun:
    def test_arrays_and_tuples_become_lists(self):
        witness = {"jobs": np.array([1, 2]), "place": ((np.int64(1), 2),), "flag": np.bool_(True), "none": None}
        certificate = Certificate.of(Schedule.of(FORK, [0, 1, 2]), "ic-optimal", witness)
        assert certificate.witness == {"jobs": [1, 2], "place": [[1, 2]], "flag": True, "none": None}

    @pytest.mark.parametrize(
        "witness", [{"x": 1.0}, {"x": {1: 2}}, {"x": {1}}, {"x": b""}, {"x": 2**63}, {"x": [-(2**64)]}, {"x": 1j}]
    )
    def test_what_json_has_no_place_for(self, witness):
        with pytest.raises(CertificateError):
            Certificate.of(Schedule.of(FORK, [0, 1, 2]), "ic-optimal", witness)

    def test_a_witness_that_contains_itself(self):
        witness: dict = {}
        witness["witness"] = [witness]
        with pytest.raises(CertificateError, match="nested too deeply"):
            Certificate.of(Schedule.of(FORK, [0, 1, 2]), "ic-optimal", witness)

    @pytest.mark.parametrize(
        ("value", "reason"),
        [
            ([], "no certificate"),
            (None, "no certificate"),
            ({}, "no certificate"),
            (changed(eligo="x"), "no certificate"),
            (changed(version=2), "version 2"),
            (changed(version=True), "version True"),
            (changed(version=1.0), "version 1.0"),
            ({k: v for k, v in changed().items() if k != "order"}, "no 'order'"),
            (changed(more=1), "unknown key 'more'"),
            (changed(claim="optimal"), "unknown claim 'optimal'"),
            (changed(claim=["ic-optimal"]), "unknown claim"),
            (changed(claim=None), "unknown claim"),
            (changed(digest=1), "digest must be text"),
            (changed(jobs=3.0), "jobs must be a whole number"),
            (changed(jobs=True), "jobs must be a whole number"),
            (changed(edges="2"), "edges must be a whole number"),
            (changed(area=None), "area must be a whole number"),
            (changed(area=10**5000), "64 bits"),
            (changed(order="abc"), "order must be a list"),
            (changed(order=["a", 1, "c"]), "order must be a list of job names"),
            (changed(profile=[1, 2.0, 1, 0]), "profile must be"),
            (changed(profile=[True, 2, 1, 0]), "profile must be"),
            (changed(profile={"0": 1}), "profile must be a list"),
            (changed(witness=[]), "witness must be a mapping"),
            (changed(witness="concave"), "witness must be a mapping"),
            (changed(assumptions="none"), "assumptions must be a list"),
            (changed(assumptions=[1]), "assumptions must be a list of texts"),
        ],
    )
    def test_malformed(self, value, reason):
        with pytest.raises(CertificateError, match=reason):
            Certificate.from_json(value)


class TestFiles:
    @pytest.mark.parametrize("name", ["a.cert", "a.cert.gz"])
    def test_there_and_back(self, name, tmp_path):
        path = tmp_path / name
        GOOD.save(path)
        assert Certificate.load(path) == GOOD
        assert path.read_bytes().startswith(b"\x1f\x8b") == name.endswith(".gz")
        before = path.read_bytes()
        GOOD.save(str(path))
        assert path.read_bytes() == before
        assert os.listdir(tmp_path) == [name]
        assert stat.S_IMODE(path.stat().st_mode) == 0o666 & ~atomic_files._umask()

    def test_strange_names(self, tmp_path):
        dag = Dag.from_edges(["é", "日", "\ud800", '"\n', ""], [0], [1])
        certificate = Certificate.of(Schedule.of(dag, [0, 1, 2, 3, 4]), "profile")
        certificate.save(tmp_path / "c")
        assert Certificate.load(tmp_path / "c") == certificate
        assert verify(certificate, dag).summary == "profile: the numbers are those of the order"

    def test_a_link_stays_a_link(self, tmp_path):
        (tmp_path / "link").symlink_to(tmp_path / "c")
        GOOD.save(tmp_path / "link")
        assert (tmp_path / "link").is_symlink()
        assert Certificate.load(tmp_path / "c") == GOOD

    def test_where_nothing_can_be_written(self, tmp_path):
        for path in (tmp_path, tmp_path / "no" / "c"):
            with pytest.raises(EligoError, match="cannot be written"):
                GOOD.save(path)
        assert os.listdir(tmp_path) == []

    @pytest.mark.parametrize(
        ("data", "reason"),
        [
            (b"", "not JSON"),
            (b"{", "not JSON"),
            (b"\xff", "not UTF-8"),
            (b"[" * 100_000, "nested too deeply"),
            (b'{"a":' * 100_000, "nested too deeply"),
            (b"[" * 5_000 + b"]" * 5_000, "nested too deeply"),
            (b"[[]" + b",[]" * 10_000_000 + b"]", "lists and mappings"),
            (b"1" * 5000, "thousands of digits"),
            (b"1.5", "1.5 is no whole number"),
            (b"1e999999999", "is no whole number"),
            (b"[NaN]", "NaN is no whole number"),
            (b"-Infinity", "is no whole number"),
            (b'{"a": 1, "a": 2}', "a key stands twice"),
            (b"null", "this is no certificate"),
            (json.dumps(changed(jobs="3")).encode(), "jobs must be a whole number"),
            (b"\x1f\x8bnonsense", "damaged gzip"),
            (gzip.compress(b"{}" * 1000, mtime=0)[:-10], "damaged gzip"),
            (b"\x1f\x8b", "damaged gzip"),
        ],
    )
    def test_bad_files(self, data, reason, tmp_path):
        path = tmp_path / "bad"
        path.write_bytes(data)
        with no_hang(), pytest.raises(ParseError, match=reason) as caught:
            Certificate.load(path)
        assert str(caught.value).startswith(f"{path}:")

    def test_a_file_that_unpacks_without_end(self, tmp_path, monkeypatch):
        monkeypatch.setattr(schema, "MAX_BYTES", 2**20)
        path = tmp_path / "bomb.gz"
        path.write_bytes(gzip.compress(b" " * 2**24))
        with pytest.raises(ParseError, match="larger than 1 MiB"):
            Certificate.load(path)

    def test_no_file(self, tmp_path):
        for path in (tmp_path / "none", tmp_path, "a\0b"):
            with pytest.raises(ParseError, match=r"no such file|cannot be read"):
                Certificate.load(path)


class TestVerify:
    @pytest.mark.parametrize(
        ("changes", "reason"),
        [
            ({"jobs": 4}, "another workflow: one of 4 jobs"),
            ({"edges": 1}, "another workflow: one of 1 edges"),
            ({"digest": "sha256:0"}, "another workflow: its digest is 'sha256:0'"),
            ({"order": ["a", "b"]}, "names 2 jobs of 3"),
            ({"order": ["a", "b", "b"]}, "job 'b' twice"),
            ({"order": ["a", "b", "d"]}, "'d', which is no job"),
            ({"order": ["b", "a", "c"]}, "'b' stands before 'a'"),
            ({"profile": [1, 2, 1]}, "3 entries, not 4"),
            ({"profile": [1, 2, 2, 0]}, r"E\(2\) is stated as 2, and is 1"),
            ({"area": 5}, "AREA is stated as 5, and is 4"),
            ({"memory_cost": 2}, "memory cost is stated as 2, and is 1"),
            ({"witness": None}, "unknown kind of witness None"),
            ({"witness": {}}, "unknown kind of witness None"),
            ({"witness": {"by": ["concave"]}}, "unknown kind of witness"),
            ({"witness": {"by": "concave", "more": 1}}, "unknown key 'more'"),
            ({"claim": "no-ic-optimal"}, "unknown kind of witness 'concave'"),
            ({"claim": "no-ic-optimal", "witness": {"by": "exact", "ideals": 2}}, "an order exists"),
            ({"claim": "profile"}, "needs no witness"),
        ],
    )
    def test_rejected(self, changes, reason):
        with pytest.raises(CertificateError, match=reason):
            verify(Certificate.from_json(changed(**changes)), FORK)

    def test_accepted(self):
        verdict = verify(GOOD, graph.relabel(FORK, [2, 0, 1]))
        assert verdict.claim == "ic-optimal"
        assert verdict.assumptions == ("all jobs succeed",)
        assert verify(Certificate.from_json(changed(claim="profile", witness=None)), FORK).claim == "profile"

    def test_budget(self):
        certificate = Certificate.from_json(changed(witness={"by": "exact", "ideals": 2}))
        verify(certificate, FORK)
        with pytest.raises(InfeasibleError, match="more than the 10 steps allowed"):
            verify(certificate, FORK, budget=10)
        assert DEFAULT_BUDGET == 10**10

    def test_no_jobs(self):
        dag = Dag.from_edges(0)
        for witness in (
            {"by": "concave"},
            {"by": "dual-concave"},
            {"by": "bipartite-tree"},
            {"by": "exact", "ideals": 1},
        ):
            verify(Certificate.of(Schedule.of(dag, []), "ic-optimal", witness), dag)
        for witness in ({"by": "exact", "ideals": 1}, {"by": "sweep", "parts": []}):
            with pytest.raises(CertificateError):
                verify(Certificate.of(Schedule.of(dag, []), "no-ic-optimal", witness), dag)
        for name in ("complete", "cycle"):
            with pytest.raises(CertificateError):
                verify(Certificate.of(Schedule.of(dag, []), "ic-optimal", {"by": "family", "family": name}), dag)
