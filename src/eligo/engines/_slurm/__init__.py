"""Workflows on a Slurm cluster."""

from eligo.engines._slurm.engine import Slurm

__all__ = ["Slurm"]
