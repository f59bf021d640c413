"""Eligo: order the jobs of a workflow so that workers always find one to run.

>>> import eligo
>>> dag = eligo.Dag.from_names([("a", "b"), ("a", "c")])
>>> dag.n
3

Names are loaded on first use, so that importing the package (and ``eligo --help``) stays fast.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from eligo.dag import Dag as Dag
    from eligo.dag import Data as Data
    from eligo.errors import CycleError as CycleError
    from eligo.errors import EligoError as EligoError
    from eligo.errors import EligoWarning as EligoWarning
    from eligo.errors import EngineError as EngineError
    from eligo.errors import InfeasibleError as InfeasibleError
    from eligo.errors import MissingExtraError as MissingExtraError
    from eligo.errors import ParseError as ParseError
    from eligo.formats import read as read
    from eligo.formats import write as write

__version__ = "0.1.0"

_HOME = {
    **dict.fromkeys(["Dag", "Data"], "eligo.dag"),
    **dict.fromkeys(
        ["CycleError", "EligoError", "EligoWarning", "EngineError", "InfeasibleError", "MissingExtraError", "ParseError"],
        "eligo.errors",
    ),
    **dict.fromkeys(["read", "write"], "eligo.formats"),
}
__all__ = sorted(_HOME)


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'eligo' has no attribute {name!r}")
    value = getattr(import_module(_HOME[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
