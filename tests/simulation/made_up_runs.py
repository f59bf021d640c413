"""Stand-ins for ``run_block`` that do what no simulation should: die, raise, hang, print. Importable in any process.

A setup is here a path, or anything else that tells the stand-in what it needs.
"""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path
from typing import Any

import numpy as np

from eligo.errors import EligoError, ParseError
from eligo.simulation._executors import Block

BLOCKS = [Block(0, 4 * number, 4, 2) for number in range(12)]


def wanted(blocks: list[Block] = BLOCKS) -> dict[int, list[list[float]]]:
    return {number: plain(None, *block[1:]).tolist() for number, block in enumerate(blocks)}


def plain(setup: Any, first: int, count: int, group: int) -> np.ndarray:
    """Rows that tell which runs they are of."""
    return (first + np.arange(0, count, group, dtype=float))[:, None] + np.arange(8) / 10


def dies_once(setup: str, first: int, count: int, group: int) -> np.ndarray:
    """Kill the process at the block that begins with run 8, the first time only."""
    if first == 8 and _is_first(Path(setup) / "died"):
        os.kill(os.getpid(), signal.SIGKILL)
    return slow(setup, first, count, group)


def dies_always(setup: str, first: int, count: int, group: int) -> np.ndarray:
    if first == 8:
        os.kill(os.getpid(), signal.SIGKILL)
    return plain(setup, first, count, group)


def leaves_always(setup: str, first: int, count: int, group: int) -> np.ndarray:
    os.write(2, b"a last word\n")
    os._exit(3)


def raises(setup: str, first: int, count: int, group: int) -> np.ndarray:
    if first == 8:
        raise EligoError("this cannot be simulated", hint="try something else")
    return plain(setup, first, count, group)


def raises_what_cannot_be_sent(setup: str, first: int, count: int, group: int) -> np.ndarray:
    raise ParseError("a.dag", 3, "an error that pickle cannot make again")


def raises_os_error(setup: str, first: int, count: int, group: int) -> np.ndarray:
    raise EOFError("not of the pipe")


def slow(setup: Any, first: int, count: int, group: int) -> np.ndarray:
    time.sleep(0.02)
    return plain(setup, first, count, group)


def hangs(setup: Any, first: int, count: int, group: int) -> np.ndarray:
    """Take longer than anyone waits, but for the first block."""
    if first:
        time.sleep(1000)
    return plain(setup, first, count, group)


def tells_its_process(setup: Any, first: int, count: int, group: int) -> np.ndarray:
    time.sleep(0.02)
    return np.full((count // group, 8), float(os.getpid()))


def _is_first(path: Path) -> bool:
    try:
        path.touch(exist_ok=False)
    except FileExistsError:
        return False
    return True
