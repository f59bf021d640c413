"""Two things at once, on the two cores that nearly every machine has; the kernels release the interpreter lock."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

__all__ = ["LARGE", "all_in_turn", "side_by_side"]

LARGE = 20_000
"""Jobs and edges from which a second thread is worth its start."""

_T = TypeVar("_T")
_U = TypeVar("_U")


def side_by_side(one: Callable[[], _T], other: Callable[[], _U]) -> tuple[_T, _U]:
    """Return the results of both; an exception of either is raised.

    Examples
    --------
    >>> side_by_side(lambda: 1, lambda: 2)
    (1, 2)
    """
    from concurrent.futures import ThreadPoolExecutor  # takes 10 ms to import, and small dags do without

    with ThreadPoolExecutor(1) as pool:
        beside = pool.submit(other)
        return one(), beside.result()


def all_in_turn(*first: Callable[[], object], beside: Callable[[], object], after: Callable[[], object]) -> None:
    """Do the first things and one beside them on two cores, in turn, and another after the first.

    Examples
    --------
    >>> done = []
    >>> all_in_turn(lambda: done.append(1), lambda: done.append(2), beside=list, after=lambda: done.append(3))
    >>> sorted(done[:2]), done[2]
    ([1, 2], 3)
    """
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(2) as pool:
        started = [pool.submit(action) for action in first]
        last = pool.submit(beside)
        for one in started:
            one.result()
        after()
        last.result()
