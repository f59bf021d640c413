"""Eligo: order the jobs of a workflow so that workers always find one to run.

>>> import eligo
>>> dag = eligo.Dag.from_names([("a", "b"), ("a", "c")])
>>> dag.n
3

Names are loaded on first use, so that importing the package (and ``eligo --help``) stays fast.
"""

from __future__ import annotations

TYPE_CHECKING = False  # importing typing would cost a third of the time of `eligo --help`
if TYPE_CHECKING:
    from typing import Any

    from eligo.certificate import Certificate, MemoryCertificate, verify
    from eligo.dag import Dag
    from eligo.data import Data
    from eligo.engines._run import run
    from eligo.errors import (
        CertificateError,
        CycleError,
        EligoError,
        EligoWarning,
        EngineError,
        InfeasibleError,
        MissingExtraError,
        ParseError,
    )
    from eligo.formats import read, write
    from eligo.formats._interop import from_dask, from_networkx, from_rustworkx, to_networkx, to_rustworkx
    from eligo.memory._api import limit, worst_peak
    from eligo.memory._models import footprint
    from eligo.priority._prioritize import Prioritized, prioritize
    from eligo.priority._settle import settle
    from eligo.schedule import Schedule
    from eligo.simulation._grid import Grid
    from eligo.simulation._simulate import simulate
    from eligo.trace import Trace

__version__ = "0.1.0"

__all__ = [
    "Certificate",
    "CertificateError",
    "CycleError",
    "Dag",
    "Data",
    "EligoError",
    "EligoWarning",
    "EngineError",
    "Grid",
    "InfeasibleError",
    "MemoryCertificate",
    "MissingExtraError",
    "ParseError",
    "Prioritized",
    "Schedule",
    "Trace",
    "footprint",
    "from_dask",
    "from_networkx",
    "from_rustworkx",
    "limit",
    "prioritize",
    "read",
    "run",
    "settle",
    "simulate",
    "to_networkx",
    "to_rustworkx",
    "verify",
    "worst_peak",
    "write",
]

_HOME = {
    "Certificate": "eligo.certificate",
    "Dag": "eligo.dag",
    "Data": "eligo.data",
    "Grid": "eligo.simulation._grid",
    "MemoryCertificate": "eligo.certificate",
    "footprint": "eligo.memory._models",
    "from_dask": "eligo.formats._interop",
    "from_networkx": "eligo.formats._interop",
    "from_rustworkx": "eligo.formats._interop",
    "to_networkx": "eligo.formats._interop",
    "to_rustworkx": "eligo.formats._interop",
    "limit": "eligo.memory._api",
    "worst_peak": "eligo.memory._api",
    "Prioritized": "eligo.priority._prioritize",
    "Schedule": "eligo.schedule",
    "Trace": "eligo.trace",
    "prioritize": "eligo.priority._prioritize",
    "read": "eligo.formats",
    "run": "eligo.engines._run",
    "settle": "eligo.priority._settle",
    "simulate": "eligo.simulation._simulate",
    "verify": "eligo.certificate",
    "write": "eligo.formats",
}


_MODULES = ("certificate", "engines", "formats", "generate", "graph", "memory", "priority", "report", "simulation")


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name in _MODULES:
        return import_module(f"eligo.{name}")
    if name not in __all__:
        raise AttributeError(f"module 'eligo' has no attribute {name!r}")
    value = getattr(import_module(_HOME.get(name, "eligo.errors")), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*__all__, *_MODULES, "__version__"]
