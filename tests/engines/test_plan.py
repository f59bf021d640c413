"""What a plan derives from what it was given."""

from __future__ import annotations

from pathlib import Path

import hypothesis.strategies as st
import numpy as np
from hypothesis import given

from eligo.dag import Dag
from eligo.engines._plan import Plan, Task
from eligo.formats._base import Document
from eligo.formats._source import Source


@given(st.lists(st.integers(-50, 50) | st.integers(-(2**31), 2**31 - 1), max_size=30))
def test_ranks_go_by_priority_and_then_by_index(values):
    dag = Dag.from_edges(len(values))
    plan = Plan(Document(dag, "dot", Source("x.dot", b"")), dag, np.array(values, np.int32), Task, Path("/"))
    order = sorted(range(len(values)), key=lambda job: (-values[job], job))
    assert [int(plan.ranks()[job]) for job in order] == list(range(len(values)))
