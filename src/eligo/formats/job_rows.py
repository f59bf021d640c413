"""What a table or a log says of one job, before it is held against the workflow."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import final

__all__ = ["Row"]


@final
@dataclass(frozen=True, slots=True)
class Row:
    """What is said of one job, or of one file; the line may have to be looked for, so it is a function.

    Attributes
    ----------
    name
        Of the job, or of the file.
    cells
        Columns of the job-data table and their text.
    is_file
        Whether it is about a file.
    """

    name: str
    cells: dict[str, str]
    line: Callable[[], int]
    is_file: bool = False
