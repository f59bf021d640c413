"""The lines that give jobs their priorities, a million of them in a tenth of a second.

A kernel writes them; names that are no UTF-8, which it does not take, are joined here, stray bytes as they were.
"""

from __future__ import annotations

from collections.abc import Sequence

from eligo import _core
from eligo.dag import Int32

__all__ = ["priority_lines", "vars_lines"]


def priority_lines(names: Sequence[str], numbers: Int32, end: bytes) -> bytes:
    r"""Return a PRIORITY line for each job.

    Examples
    --------
    >>> import numpy as np
    >>> priority_lines(["a", "b"], np.array([2, 1], np.int32), b"\n")
    b'PRIORITY a 2\nPRIORITY b 1\n'
    """
    return _lines("PRIORITY ", names, " ", numbers, end.decode())


def vars_lines(names: Sequence[str], numbers: Int32, end: bytes) -> bytes:
    r"""Return a VARS line for each job.

    Examples
    --------
    >>> import numpy as np
    >>> vars_lines(["a", "b"], np.array([2, 1], np.int32), b"\n")
    b'VARS a jobpriority="2"\nVARS b jobpriority="1"\n'
    """
    return _lines("VARS ", names, ' jobpriority="', numbers, '"' + end.decode())


def _lines(before: str, names: Sequence[str], between: str, numbers: Int32, after: str) -> bytes:
    if len(names) != len(numbers):
        raise ValueError(f"{len(names)} names for {len(numbers)} numbers")
    made = _core.named_lines(before, tuple(names), between, numbers, after)
    if made is not None:
        return made
    lines = (f"{before}{name}{between}{number}{after}" for name, number in zip(names, numbers.tolist(), strict=True))
    return "".join(lines).encode("utf-8", "surrogateescape")
