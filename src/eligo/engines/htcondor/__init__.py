"""Workflows on HTCondor, by DAGMan."""

from eligo.engines.htcondor.engine import HTCondor

__all__ = ["HTCondor"]
