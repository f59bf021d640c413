"""Workflows on HTCondor, by DAGMan."""

from eligo.engines._htcondor.engine import HTCondor

__all__ = ["HTCondor"]
