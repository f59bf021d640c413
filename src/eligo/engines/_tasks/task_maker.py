"""What every module of this package offers: ``maker(document)``, which knows what the jobs of a file run.

Where a workflow is, and which program a word of it means.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import final

from eligo.dag import UNKNOWN, Dag
from eligo.engines._plan import Categories, Task
from eligo.formats._base import Document
from eligo.formats._source import STDIN

__all__ = [
    "Maker",
    "home_of",
    "memory_to_ask_for",
    "program_in",
]

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


def home_of(document: Document) -> str:
    """Return the directory of a workflow as an absolute path: that of its file, or the current one for standard input.

    Examples
    --------
    >>> from eligo.dag import Dag
    >>> from eligo.formats._source import Source
    >>> home_of(Document(Dag.from_names([("a", "b")]), "dot", Source("/some/where/x.dot", b"")))
    '/some/where'
    """
    path = document.source.path
    return os.path.abspath("" if path == STDIN else os.path.dirname(path))  # noqa: PTH100, PTH120 - links stay


@lru_cache(4096)
def program_in(home: str, word: str) -> str:
    """Return the program that a word means for jobs that run in `home`.

    With a slash it is a path, relative to `home`; without one it is looked for in ``PATH``, as a shell would, and where
    it is not there in `home`, since workflow systems put programs beside the data of a job.

    Examples
    --------
    >>> program_in("/h", "bin/x"), program_in("/h", "/bin/x"), program_in("/h", "no-such-program")
    ('/h/bin/x', '/bin/x', 'no-such-program')
    """
    path = os.path.normpath(os.path.join(home, word))  # noqa: PTH118 - an absolute word stays as it is
    if "/" in word:
        return path
    if shutil.which(word) is None and os.path.isfile(path) and os.access(path, os.X_OK):  # noqa: PTH113
        return path
    return word
