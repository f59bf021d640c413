"""Dask passes the contract: on a cluster that is there, and on one of our own."""

from __future__ import annotations

import pytest

from eligo.engines._dask import Dask
from eligo.testing import EngineContract
from tests.simulation.dask_clusters import Cluster

pytest.importorskip("distributed")
pytestmark = pytest.mark.engine


@pytest.fixture(scope="module")
def addresses(tmp_path_factory):
    """The schedulers of a cluster with three workers, and of one with one."""
    made = []
    try:
        for workers in (3, 1):
            made.append(Cluster(tmp_path_factory.mktemp("dask")))
            for _ in range(workers):
                made[-1].add_worker()
        yield [cluster.address for cluster in made]
    finally:
        for cluster in made:
            cluster.close()


class TestDask(EngineContract):
    @pytest.fixture(autouse=True)
    def know(self, addresses):
        self.several, self.single = addresses

    def make(self, plan, state):
        return Dask(plan, state, address=self.several)

    def make_single(self, plan, state):
        return Dask(plan, state, address=self.single)


@pytest.mark.long
class TestLocalDask(EngineContract):
    def make(self, plan, state):
        return Dask(plan, state, slots=2)

    def make_single(self, plan, state):
        return Dask(plan, state, slots=1)
