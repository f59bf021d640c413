"""Workflows on a Slurm cluster."""

from eligo.engines.slurm.engine import Slurm

__all__ = ["Slurm"]
