"""What is said of memory: true certificates of all models are accepted, and say what brute force says."""

from __future__ import annotations

import copy
import random
from dataclasses import replace

import numpy as np
import pytest

from eligo.certificate import MemoryCertificate, load, verify
from eligo.certificate._memory_certificate import numbered
from eligo.certificate._methods.occupancy import RULES, occupancy
from eligo.dag import OUTSIDE, Dag, Data
from eligo.errors import CertificateError, EligoError, InfeasibleError, ParseError
from eligo.memory._models import MODELS, footprint
from tests.certificate.memory_makers import judged, made, rules_of
from tests.memory.footprints import random_footprint

#   a -> b -> d      a makes 4 that b and c read, b makes 2 and c 3 for d; b holds 1 while it runs
#     -> c ->
DIAMOND = Dag.from_names(
    [("a", "b"), ("a", "c"), ("b", "d"), ("c", "d")],
    data=Data.build([4, 2, 3], [0, 1, 2], [[1, 2], [3], [3]]),
    temp_bytes=[0, 1, 0, 0],
)
FILES = {"model": "files", "resource": "disk", "unread": "stay", "inputs": "ignore"}
# Events: starts 0..3, ends 4..7, the freeing of what a makes 8 (or 9, 10 for the others); d starts after it is free.
GOOD = MemoryCertificate.of(
    DIAMOND,
    FILES,
    [0, 1, 2, 3],
    worst_peak=10,
    attained_peak=10,
    sequential_peak=9,
    lower_bound=7,
    witness={
        "worst": {"by": "flow", "senders": [], "receivers": [], "amounts": []},
        "attained": {"started": [0, 1, 2], "ended": [0]},
        "last_reader": [],
        "least": {"by": "need", "job": 1},
    },
)


def changed(where: str = "", **changes) -> MemoryCertificate:
    value = copy.deepcopy(GOOD.to_json())
    inner = value
    for key in where.split():
        inner = inner[key]
    inner.update(changes)
    return MemoryCertificate.from_json(value)


class TestTrue:
    @pytest.mark.parametrize("model", MODELS)
    def test_accepted_and_true(self, model):
        own_events = exact = 0
        for seed in range(400):
            case = made(seed, model=model)
            assert judged(case.certificate, case.truth) == "accepted", seed
            n = case.print_.dag.n
            if not any(case.graph.weights[2 * n :]):  # no datum with an event of its own: nothing is lost
                assert case.certificate.exact, seed
            else:
                own_events += 1
                exact += case.certificate.exact
        assert model in ("simple", "classical") or 0 < exact <= own_events

    def test_every_number_is_as_sharp_as_its_witness(self):
        for seed in range(500):
            case = made(seed)
            for name, step in (("worst_peak", -1), ("attained_peak", 1), ("attained_peak", -1), ("sequential_peak", 1)):
                stated = {**case.numbers, name: case.numbers[name] + step}
                assert judged(replace(case, numbers=stated).certificate, case.truth) == "rejected", (seed, name)
            least = case.witness["least"]
            if least is not None and least["by"] == "flow":
                trivial = max(case.print_.base, occupied_at_the_end(case.print_))
                above = max(case.numbers["lower_bound"], trivial) + 1
                stated = {**case.numbers, "lower_bound": above}
                assert judged(replace(case, numbers=stated).certificate, case.truth) == "rejected", seed

    def test_neither_job_numbers_nor_the_order_of_data_matter(self):
        for seed in range(300):
            case, rng = made(seed), random.Random(seed)
            other = shuffled(case.print_.dag, rng)
            assert verify(case.certificate, other).claim == "memory"

    def test_equal_data_may_be_told_apart_in_the_witness(self):
        """Three equal data, two of which the witness treats differently."""
        dag = Dag.from_names([("a", "b"), ("a", "c"), ("b", "c")], data=Data.build([5, 5, 5], [0, 0, 0], [[1, 2]] * 3))
        flow = {"by": "flow", "senders": [], "receivers": [], "amounts": []}
        for data in ([], [0], [1], [0, 2], [0, 1, 2]):
            witness = {
                "worst": flow,
                "attained": {"started": [0], "ended": []},
                "last_reader": [[datum, 2] for datum in data],
                "least": None,
            }
            peaks = dict.fromkeys(("worst_peak", "attained_peak", "sequential_peak"), 15)
            certificate = MemoryCertificate.of(dag, FILES, [0, 1, 2], **peaks, lower_bound=0, witness=witness)
            assert verify(certificate, dag).claim == "memory"

    def test_no_jobs(self):
        dag = Dag.from_edges(0)
        witness = {
            "worst": {"by": "flow", "senders": [], "receivers": [], "amounts": []},
            "attained": {"started": [], "ended": []},
            "last_reader": [],
            "least": None,
        }
        numbers = dict.fromkeys(("worst_peak", "attained_peak", "sequential_peak", "lower_bound"), 0)
        for model in MODELS:
            rules = {**FILES, "model": model}
            certificate = MemoryCertificate.of(dag, rules, [], **numbers, witness=witness)
            assert verify(certificate, dag).claim == "memory"
            need = {**witness, "least": {"by": "need", "job": 0}}
            with pytest.raises(CertificateError):
                verify(MemoryCertificate.of(dag, rules, [], **numbers, witness=need), dag)


def occupied_at_the_end(print_) -> int:
    return int(print_.size[np.diff(print_.reader_ptr) == 0].sum())


def shuffled(dag: Dag, rng: random.Random) -> Dag:
    """The same jobs and data in another order."""
    jobs = rng.sample(range(dag.n), dag.n)
    place = np.argsort(jobs)
    data = dag.data
    if data is not None:
        turn = rng.sample(range(data.k), data.k)
        makers = [OUTSIDE if data.producer[one] == OUTSIDE else int(place[data.producer[one]]) for one in turn]
        rows = [place[data.readers_of(one)].tolist() for one in turn]
        data = Data.build(data.size_bytes[turn], makers, rows, [data.names[one] for one in turn])
    return Dag.from_edges(
        [dag.names[job] for job in jobs],
        place[dag.tails],
        place[dag.heads],
        data=data,
        temp_bytes=None if dag.temp_bytes is None else dag.temp_bytes[jobs],
        count=None if dag.count is None else dag.count[jobs],
    )


class TestOccupancy:
    def test_it_is_what_the_models_say(self):
        for seed in range(1500):
            print_ = random_footprint(seed, 7)
            found = occupancy(print_.dag, rules_of(print_))
            for name in ("running", "size", "producer", "reader_ptr", "readers"):
                assert np.array_equal(getattr(found, name), getattr(print_, name)), (seed, name)
            assert (found.base, found.one_event) == (print_.base, print_.rules.one_event)

    @pytest.mark.parametrize("model", MODELS)
    @pytest.mark.parametrize("resource", RULES["resource"])
    def test_unknown_sizes_and_stated_memory(self, model, resource):
        dag = DIAMOND.with_known(
            memory_bytes=[1, -1, 2, 3], temp_bytes=[-1, 5, 0, 1], data=Data.build([-1, 2], [0, OUTSIDE], [[1, 2], [3]])
        )
        for unread in RULES["unread"]:
            for inputs in RULES["inputs"]:
                print_ = footprint(dag, model, resource, unread=unread, inputs=inputs)
                found = occupancy(dag, rules_of(print_))
                for name in ("running", "size", "producer", "reader_ptr", "readers"):
                    assert np.array_equal(getattr(found, name), getattr(print_, name)), name

    def test_the_digest_covers_what_counts_and_nothing_else(self):
        def data_digest(dag: Dag, **rules: str) -> str:
            return numbered(dag, {**FILES, **rules})[0].digest()

        base = data_digest(DIAMOND)
        data = DIAMOND.data
        rows = [data.readers_of(datum).tolist() for datum in range(3)]
        others = [
            DIAMOND.with_known(temp_bytes=[0, 2, 0, 0]),
            DIAMOND.with_known(temp_bytes=[0, 0, 1, 0]),
            DIAMOND.with_known(data=Data.build([4, 2, 4], data.producer, rows)),
            DIAMOND.with_known(data=Data.build([4, 2, 3], [0, 0, 2], rows)),
            DIAMOND.with_known(data=Data.build([4, 2, 3], data.producer, [[1], [3], [3]])),
            DIAMOND.with_known(data=Data.build([4, 2, 3], data.producer, [[1, 2], [3], []])),
        ]
        assert len({base, *map(data_digest, others)}) == 1 + len(others)
        assert data_digest(DIAMOND.with_known(time_s=[1, 2, 3, 4])) == base
        more = Data.build([4, 2, 3, 9, 0], [0, 1, 2, OUTSIDE, 1], [*rows, [2], [3]], list("abcde"))
        assert data_digest(DIAMOND.with_known(data=more)) == base
        assert data_digest(DIAMOND.with_known(data=more), inputs="count") != base
        assert data_digest(DIAMOND.with_known(temp_bytes=[0, 2, 0, 0]), model="shared") == data_digest(
            DIAMOND, model="shared"
        )

    def test_data_that_differ_in_inner_readers_only_have_an_order(self):
        tails, heads = [0] * 5, [1, 2, 3, 4, 5]
        rows = [[1, 2, 4, 5], [1, 3, 4, 5], [1, 2, 3, 5], [1, 2, 3, 5]]
        digests = set()
        for turn in ([0, 1, 2, 3], [3, 2, 1, 0], [2, 0, 3, 1]):
            data = Data.build([7] * 4, [0] * 4, [rows[datum] for datum in turn])
            found, which = numbered(Dag.from_edges(6, tails, heads, data=data), FILES)
            digests.add(found.digest())
            assert [turn[datum] for datum in which.tolist()][-2:] == [0, 1]
        assert len(digests) == 1

    def test_too_much(self):
        """Sizes whose sum 64 bits would wrap to something small."""
        for sizes in ([2**61] * 2, [2**62 - 1] * 4, [2**61] * 8):
            data = Data.build(sizes, [0] * len(sizes), [[]] * len(sizes))
            dag = DIAMOND.with_known(data=data)
            for unread in RULES["unread"]:
                with pytest.raises(CertificateError, match=r"add up to 2\^62"):
                    occupancy(dag, {**FILES, "unread": unread})
        dag = DIAMOND.with_known(memory_bytes=[2**62 - 1] * 4)
        with pytest.raises(CertificateError, match=r"add up to 2\^62"):
            occupancy(dag, {**FILES, "resource": "memory"})


class TestLargeNumbers:
    @pytest.mark.parametrize("amount", [1, 2**61 - 1, 2**61, 2**62])
    def test_amounts_that_overflow_prove_nothing(self, amount):
        """Sent round about and back as often as it takes to wrap 64 bits: what is kept is the truth still."""
        for times in (1, 2, 4, 8):
            flow = {"senders": [1] * times, "receivers": [4] * times, "amounts": [amount] * times}
            certificate = replace(changed("witness worst", **flow), worst_peak=9)
            with pytest.raises(CertificateError, match="the flow shows"):
                verify(certificate, DIAMOND)
            flow = {"senders": [6] * times, "receivers": [2] * times, "amounts": [amount] * times}
            certificate = replace(changed("witness", least={"by": "flow", "job": 1, **flow}), lower_bound=8)
            with pytest.raises(CertificateError, match="the witness shows"):
                verify(certificate, DIAMOND)

    def test_peaks_near_the_limit_are_exact(self):
        for seed in range(100):
            small = made(seed, model="files")
            dag, k = small.print_.dag, small.print_.k
            unit = 2**62 // (1 + sum(small.print_.size.tolist()) + sum(small.print_.running.tolist()))
            data = dag.data
            large = dag.with_known(
                temp_bytes=dag.temp_bytes * unit if dag.temp_bytes is not None else None,
                data=None if data is None else replace(data, size_bytes=data.size_bytes * counted(small.print_, unit)),
            )
            witness = {**small.witness}
            for part in ("worst", "least"):
                if witness[part] and "amounts" in witness[part]:
                    amounts = [one * unit for one in witness[part]["amounts"]]
                    witness[part] = {**witness[part], "amounts": amounts}
            numbers = {name: number * unit for name, number in small.numbers.items()}
            rules = rules_of(small.print_)
            certificate = MemoryCertificate.of(large, rules, small.order, **numbers, witness=witness)
            assert verify(certificate, large).claim == "memory", (seed, k)
            below = {**numbers, "worst_peak": numbers["worst_peak"] - 1}
            with pytest.raises(CertificateError):
                verify(MemoryCertificate.of(large, rules, small.order, **below, witness=witness), large)


def counted(print_, unit: int) -> np.ndarray:
    """What to multiply the data of a dag with: those that do not count stay small."""
    factors = np.ones(print_.dag.data.k, np.int64)
    factors[(print_.dag.data.producer != OUTSIDE) | (print_.rules.inputs == "count")] = unit
    return factors


class TestNoun:
    def test_there_and_back(self, tmp_path):
        for name in ("c.cert", "c.cert.gz"):
            GOOD.save(tmp_path / name)
            assert load(tmp_path / name) == MemoryCertificate.load(tmp_path / name) == GOOD

    def test_certificates_of_other_kinds(self, tmp_path):
        from eligo.certificate import Certificate
        from eligo.schedule import Schedule

        other = Certificate.of(Schedule.of(DIAMOND, [0, 1, 2, 3]), "profile")
        other.save(tmp_path / "other")
        GOOD.save(tmp_path / "good")
        assert load(tmp_path / "other") == other
        with pytest.raises(ParseError, match="the claim is 'profile', not 'memory'"):
            MemoryCertificate.load(tmp_path / "other")
        with pytest.raises(ParseError, match=r"about memory\nhint: eligo\.certificate\.load"):
            Certificate.load(tmp_path / "good")
        (tmp_path / "none").write_text("{}")
        with pytest.raises(ParseError, match="none: this is no certificate"):
            load(tmp_path / "none")

    @pytest.mark.parametrize(
        ("changes", "reason"),
        [
            ({"version": 2}, "version 2"),
            ({"more": 1}, "unknown key 'more'"),
            ({"profile": []}, "unknown key 'profile'"),
            ({"digest": 1}, "must be text"),
            ({"data_digest": None}, "must be text"),
            ({"jobs": 4.0}, "jobs must be a whole number"),
            ({"worst_peak": True}, "worst_peak must be a whole number"),
            ({"lower_bound": 10**30}, "64 bits"),
            ({"rules": []}, "rules must be a mapping"),
            ({"rules": {"model": "files"}}, "rules must be a mapping"),
            ({"rules": {**FILES, "model": "Files"}}, "unknown model 'Files'"),
            ({"rules": {**FILES, "inputs": 1}}, "unknown inputs 1"),
            ({"rules": {**FILES, "unread": ["stay"]}}, "unknown unread"),
            ({"order": "abcd"}, "order must be a list"),
            ({"order": ["a", 1]}, "order must be a list of job names"),
            ({"witness": None}, "witness must be a mapping"),
            ({"witness": {"worst": 1.5}}, "no place for 1.5"),
            ({"assumptions": [None]}, "assumptions must be a list of texts"),
        ],
    )
    def test_malformed(self, changes, reason):
        with pytest.raises(CertificateError, match=reason):
            changed(**changes)

    def test_a_key_is_missing(self):
        for name in GOOD.to_json():
            value = GOOD.to_json()
            del value[name]
            if name == "assumptions":
                assert MemoryCertificate.from_json(value) == GOOD
            else:
                with pytest.raises(CertificateError):
                    MemoryCertificate.from_json(value)

    def test_what_is_no_rule_cannot_be_made(self):
        with pytest.raises(EligoError, match="unknown model"):
            MemoryCertificate.of(
                DIAMOND,
                {**FILES, "model": "x"},
                [0, 1, 2, 3],
                worst_peak=1,
                attained_peak=1,
                sequential_peak=1,
                lower_bound=1,
                witness=GOOD.witness,
            )


class TestVerify:
    def test_accepted(self):
        verdict = verify(GOOD, DIAMOND)
        assert verdict.summary.startswith("memory: no execution occupies more")
        assert verdict.checks == (
            "the workflow is the one certified: 4 jobs, 4 edges, same digest",
            "what occupies disk is what was certified: 3 data, same digest "
            "(model files, unread outputs stay, inputs ignore)",
            "no execution occupies more than 10 bytes, by a flow",
            "an execution occupies 10 bytes: the worst peak is exact",
            "the order can be executed, and one job at a time occupies 9 bytes at most",
            "every execution occupies 7 bytes at some time, by what job 1 of the order needs",
        )

    @pytest.mark.parametrize(
        ("where", "changes", "reason"),
        [
            ("", {"jobs": 5}, "another workflow"),
            ("", {"digest": "sha256:0"}, "another workflow"),
            ("", {"data_digest": "sha256:0"}, "about other data"),
            ("rules", {"model": "shared"}, "about other data"),
            ("", {"order": ["a", "b", "d", "c"]}, "stands before"),
            ("", {"worst_peak": 9}, "worst peak of 9 is claimed, the flow shows 10"),
            ("", {"worst_peak": -1}, "the flow shows 10"),
            ("", {"attained_peak": 9}, "occupied in the state is stated as 9, and is 10"),
            ("", {"sequential_peak": 8}, "stated as 8, and is 9"),
            ("", {"lower_bound": 8}, "a lower bound of 8 is claimed, the witness shows 7"),
            ("witness", {"more": 1}, "unknown key 'more'"),
            ("witness worst", {"by": "need"}, "by a flow and by nothing else"),
            ("witness worst", {"senders": [1]}, "not as many senders"),
            ("witness worst", {"senders": [1], "receivers": [4], "amounts": [0]}, "from 1 to"),
            ("witness worst", {"senders": [1], "receivers": [4], "amounts": [-1]}, "from 1 to"),
            ("witness worst", {"senders": [1], "receivers": [4], "amounts": [True]}, "whole numbers"),
            ("witness worst", {"senders": [11], "receivers": [4], "amounts": [1]}, "from 0 to 10"),
            ("witness worst", {"senders": [1], "receivers": [0], "amounts": [1]}, "need not have come before"),
            ("witness worst", {"senders": [4], "receivers": [1], "amounts": [1]}, "need not have come before"),
            ("witness worst", {"senders": [4], "receivers": [4], "amounts": [1]}, "need not have come before"),
            ("witness worst", {"senders": [2], "receivers": [5], "amounts": [1]}, "need not have come before"),
            ("witness worst", {"senders": [8], "receivers": [4], "amounts": [1]}, "need not have come before"),
            ("witness worst", {"senders": [9], "receivers": [7], "amounts": [1]}, "need not have come before"),
            ("witness worst", {"senders": [3], "receivers": [9], "amounts": [1]}, "need not have come before"),
            ("witness worst", {"senders": [2], "receivers": [8], "amounts": [1]}, "of it, job 2, is no ancestor"),
            ("witness attained", {"started": [0, 0]}, "name 0 twice"),
            ("witness attained", {"ended": None}, "ended must be a list"),
            ("witness attained", {"ended": [0, 3]}, "has ended, but not started"),
            ("witness attained", {"started": [0, 1, 2, 3], "ended": [0, 1]}, "which it waits for, has not ended"),
            ("witness", {"last_reader": [[0, 2]]}, "is not the last reader"),
            ("witness", {"last_reader": [[0, 3]]}, "that does not read it"),
            ("witness", {"last_reader": [[3, 0]]}, "does not exist"),
            ("witness", {"last_reader": [[1, 3], [1, 3]]}, "names datum 1 twice"),
            ("witness", {"last_reader": [1, 3]}, "list of pairs"),
            ("witness", {"least": {"by": "luck"}}, "unknown kind of lower bound 'luck'"),
            ("witness", {"least": []}, "unknown kind of lower bound None"),
            ("witness", {"least": None}, "the witness shows 0"),
            ("witness", {"least": {"by": "need", "job": 4}}, "job must be a whole number from 0 to 3"),
            (
                "witness",
                {"least": {"by": "flow", "job": 3, "senders": [5], "receivers": [1], "amounts": [1]}},
                "while job 3 runs it always or never",
            ),
            (
                "witness",
                {"least": {"by": "flow", "job": 0, "senders": [5], "receivers": [1], "amounts": [1]}},
                "while job 0 runs it always or never",
            ),
        ],
    )
    def test_rejected(self, where, changes, reason):
        with pytest.raises(CertificateError, match=reason):
            verify(changed(where, **changes), DIAMOND)

    def test_sizes_have_changed(self):
        other = DIAMOND.with_known(temp_bytes=[0, 1, 1, 0])
        with pytest.raises(CertificateError, match=r"about other data(.|\n)*--job-data"):
            verify(GOOD, other)

    def test_data_that_nobody_reads_have_no_freeing(self):
        """No reader is missing among the ancestors, and yet nothing of it is ever free."""
        dag = Dag.from_names([("a", "b")], data=Data.build([5, 5], [0, 1], [[], []]))
        witness = {
            "worst": {"by": "flow", "senders": [1], "receivers": [4], "amounts": [5]},
            "attained": {"started": [0], "ended": []},
            "last_reader": [],
            "least": None,
        }
        numbers = {"worst_peak": 5, "attained_peak": 5, "sequential_peak": 10, "lower_bound": 10}
        certificate = MemoryCertificate.of(dag, FILES, [0, 1], **numbers, witness=witness)
        with pytest.raises(CertificateError, match="need not have come before"):
            verify(certificate, dag)

    def test_arcs_need_no_budget(self):
        witness = {"senders": [3, 8], "receivers": [8, 5], "amounts": [4, 1]}
        certificate = changed("witness worst", **witness)
        with pytest.raises(InfeasibleError):
            verify(certificate, DIAMOND, budget=0)
        assert verify(replace(certificate, worst_peak=14), DIAMOND, budget=100).claim == "memory"
        assert verify(GOOD, DIAMOND, budget=0).claim == "memory"

    def test_far_ancestors_cost_budget(self):
        """A long line; its first job's datum is read by the second and the last, which is the last reader."""
        n = 300
        data = Data.build([5], [0], [[1, n - 1]])
        dag = Dag.from_edges(n, range(n - 1), range(1, n), data=data)
        witness = {
            "worst": {"by": "flow", "senders": [], "receivers": [], "amounts": []},
            "attained": {"started": [0], "ended": []},
            "last_reader": [[0, n - 1]],
            "least": None,
        }
        peaks = dict.fromkeys(("worst_peak", "attained_peak", "sequential_peak"), 5)
        certificate = MemoryCertificate.of(dag, FILES, range(n), **peaks, lower_bound=0, witness=witness)
        assert verify(certificate, dag).claim == "memory"
        with pytest.raises(InfeasibleError, match="would take more than the 5,000 steps"):
            verify(certificate, dag, budget=5000)
