"""Real workflows: what is said of their memory is certified, and limited ones keep their limit."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest

import eligo
from eligo.certificate import verify
from eligo.errors import EligoError
from eligo.memory._analyze import analyse, certify
from eligo.memory._footprint import Footprint
from eligo.memory._limit import limit
from eligo.memory._lower_bound import lower_bound
from eligo.memory._models import footprint
from eligo.memory._sequential import peak_of
from tests.corpus import DATA, needs_shared
from tests.memory.executions import random_executions

pytestmark = needs_shared

FOLDERS = ("cws-dag", "daggen-dot", "dax", "pegasus-yaml", "sdfm-dot", "trees-dot", "wfformat")
FILES = sorted(path for folder in FOLDERS for path in (DATA / folder).glob("*.*")) if DATA.is_dir() else []


def read(path: Path) -> Footprint:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return footprint(eligo.read(path))
        except EligoError as error:
            pytest.skip(f"no sizes in it, or no workflow: {error.text}")


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_limited_workflows_are_certified(path: Path) -> None:
    print_ = read(path)
    found = analyse(print_)
    assert found.least.value <= found.lowest.peak <= found.worst.bound
    verify(found.certificate, print_.dag)
    most = (found.lowest.peak + found.worst.bound) // 2
    limited = limit(print_, most, method="auto" if print_.dag.n <= 300 else "schedule")
    order = limited.dag.order
    least = lower_bound(limited.footprint, limited.worst.ends)
    certificate = certify(limited.worst, order, peak_of(limited.footprint, order), least)
    assert certificate.worst_peak <= most
    verify(certificate, limited.dag)
    runs = 5 if print_.dag.n > 300 else 20
    assert max(random_executions(limited.footprint, 1, runs)) <= limited.worst.bound


@pytest.mark.long
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_thousands_of_executions_keep_the_limit(path: Path) -> None:
    print_ = read(path)
    if print_.dag.n > 300:
        pytest.skip("too large for thousands of executions")
    found = analyse(print_)
    for part in (0, 3, 7):
        most = found.lowest.peak + (found.worst.bound - found.lowest.peak) * part // 10
        limited = limit(print_, most)
        assert max(random_executions(limited.footprint, part, 1000)) <= limited.worst.bound <= most
