"""Real workflows to judge by: those of the corpus beside the project, or of any directory."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from pathlib import Path

from eligo import EligoError, read
from eligo.dag import Dag

CORPUS = Path(__file__).resolve().parents[3] / "shared" / "data"


def workflows(directory: Path, pattern: str = "*") -> Iterator[tuple[Path, Dag]]:
    """Yield the workflows of two jobs or more under a directory, with their files; what cannot be read is left out."""
    for file in sorted(path for path in directory.rglob(pattern) if path.is_file()):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                dag = read(file)
        except EligoError:
            continue  # not a workflow, or one that is to be refused
        if dag.n > 1:
            yield file, dag
