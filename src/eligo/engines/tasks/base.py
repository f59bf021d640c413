"""What every module of this package offers: ``maker(document)``, which knows what the jobs of a file run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import final

from eligo.dag import UNKNOWN, Dag
from eligo.engines.plan import Categories, Task

__all__ = ["Maker", "memory_to_ask_for"]

_LEAST_MARGIN = 16 << 20


@final
@dataclass(frozen=True, slots=True, eq=False)
class Maker:
    """What a workflow file asks for beside its jobs and edges.

    Attributes
    ----------
    task
        Returns what a job does, by its index; raises ``ParseError`` where the file asks for what nobody can do.
    final
        What runs when all else is over.
    categories
        How many jobs of a kind may run at once.
    warnings
        What was taken otherwise than it is written, as sentences.
    """

    task: Callable[[int], Task]
    final: Task | None = None
    categories: Categories | None = None
    warnings: tuple[str, ...] = ()


def memory_to_ask_for(dag: Dag, job: int) -> int | None:
    """Return the memory to ask for where only the most that a job once used is known; ``None`` where nothing is.

    Batch systems end a job that uses more than it asked for, and no two runs use the same: so a fifth is added, and at
    least 16 MiB.

    Examples
    --------
    >>> from dataclasses import replace
    >>> import numpy as np
    >>> dag = replace(Dag.from_names([], jobs=["a"]), memory_bytes=np.array([10**9]))
    >>> memory_to_ask_for(dag, 0)
    1200000000
    """
    used = UNKNOWN if dag.memory_bytes is None else int(dag.memory_bytes[job])
    return None if used == UNKNOWN else used + max(used // 5, _LEAST_MARGIN)
