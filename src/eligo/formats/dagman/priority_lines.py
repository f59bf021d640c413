"""The lines that give jobs their priorities, a million of them in a fraction of a second.

One join over names and numbers, with the words between them shared: no line is an object of its own.
"""

from __future__ import annotations

from collections.abc import Sequence

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
    if not names:
        return b""
    pieces = [after + before] * (4 * len(names))
    pieces[0] = before
    pieces[1::4] = names
    pieces[2::4] = [between] * len(names)
    pieces[3::4] = map(str, numbers.tolist())
    pieces.append(after)
    return "".join(pieces).encode("utf-8", "surrogateescape")
