"""Executions of the memory papers' own graphs: never above the worst peak, and as near to it as the paper reports."""

from __future__ import annotations

from pathlib import Path

import pytest

from eligo import read
from eligo.graph import critical_path
from eligo.memory._models import MODELS, footprint
from eligo.memory._worst_peak import worst_peak
from eligo.simulation import list_schedule, peak_of_trace
from tests.corpus import DATA, needs_shared
from tests.memory.executions import random_executions
from tests.memory.footprints import random_footprint

GRAPHS = sorted([*DATA.glob("sdfm-dot/*.dot"), *DATA.glob("daggen-dot/*.dot")])


@pytest.mark.parametrize("model", MODELS)
def test_no_execution_exceeds_the_bound_of_a_flow(model):
    for seed in range(25):
        print_ = random_footprint(5000 + seed, 40, model)
        assert max(random_executions(print_, seed, 25)) <= worst_peak(print_).bound


@needs_shared
@pytest.mark.parametrize("path", GRAPHS, ids=lambda path: path.name)
def test_no_execution_of_the_papers_graphs_exceeds_the_bound(path: Path):
    """Table 3 of paper 004: on GENOME and LIGO, list scheduling occupies as much as any execution can."""
    print_ = footprint(read(path))
    bound = worst_peak(print_).bound
    assert max(random_executions(print_, 1, 20)) <= bound
    for processors in (1, 2, 5, None):
        trace = list_schedule(print_.dag, processors)
        peak = peak_of_trace(print_, trace)
        assert peak <= bound
        if path.name.startswith(("GENOME", "LIGO")):
            assert peak > 0.95 * bound
    assert trace.makespan_s == pytest.approx(critical_path(print_.dag).length)
