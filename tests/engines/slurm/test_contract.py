"""The Slurm engine passes the contract that every engine passes."""

from __future__ import annotations

import pytest

from eligo.engines._slurm import Slurm
from eligo.testing import EngineContract
from tests.reference.slurm_cluster import need_cluster


@pytest.mark.engine
class TestSlurm(EngineContract):
    @pytest.fixture(autouse=True)
    def _cluster(self, monkeypatch):
        self.use = lambda cluster: monkeypatch.setenv("SLURM_CONF", cluster.conf)
        self.use(need_cluster())

    def make(self, plan, state):
        return Slurm(plan, state)

    def make_single(self, plan, state):
        self.use(need_cluster(cpus=1, priority="multifactor"))
        return Slurm(plan, state)
