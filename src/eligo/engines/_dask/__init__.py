"""Dask as the engine: on somebody's cluster, or on one that is started for the run."""

from eligo.engines._dask.engine import Dask

__all__ = ["Dask"]
