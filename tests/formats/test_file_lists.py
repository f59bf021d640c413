"""Ids for names: different, allowed, and the names themselves wherever possible."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from eligo.dag import OUTSIDE, Dag, Data
from eligo.formats._base import Notes
from eligo.formats._data_files import FileLists, plain_ids
from tests.guards import no_hang

FORBIDDEN = re.compile(r"[^ab_0-9]")


@given(st.lists(st.text("ab_2 ?", max_size=4)))
def test_ids_are_unique_allowed_and_faithful(names):
    ids = plain_ids(names, FORBIDDEN)
    assert len(set(ids)) == len(ids) == len(names)
    assert all(identity and not FORBIDDEN.search(identity) for identity in ids)
    for name in set(names):
        if name and not FORBIDDEN.search(name):
            assert ids[names.index(name)] == name


def test_many_equal_names_cost_linear_time():
    with no_hang():
        assert len(set(plain_ids(["?"] * 200_000, FORBIDDEN))) == 200_000


def test_inputs_that_nobody_reads_are_said_to_be_lost():
    dag = Dag.from_edges(1, data=Data.build([1], [OUTSIDE], [[]], ["idle"]))
    lost = Notes()
    FileLists.build(dag, FORBIDDEN, lost)
    assert lost.texts() == ("a datum from outside the workflow is read by no job: left out",)
