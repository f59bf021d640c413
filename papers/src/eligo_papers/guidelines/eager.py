"""The eager schedule of Rosenberg and Yurkewych 2005: always execute the newest ELIGIBLE job.

The paper leaves two things open, and its figures fix them. All sources become ELIGIBLE at once, so an order of the
sources is needed; and one step may render several jobs ELIGIBLE. Both go by a *rank* for each job, low ranks first.

======  ==============================================================================================================
meshes  by number from the last on: node <l - 1, 0> first, then along each diagonal towards <x, 0> (Fig. 4a)
trees   by number: leaves from left to right, so that subtrees are complete one after the other (Fig. 6a)
FFTs    by the string read from the right, so that small sub-FFTs are complete first (Fig. 8a)
======  ==============================================================================================================

In a mesh or a tree no step of this schedule renders two jobs ELIGIBLE. In an FFT dag some do; which of the two goes
first changes nothing in the states that the paper speaks of.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from eligo.dag import Dag
from eligo.graph import sources
from eligo.priority._pebble_game import SimpleGame

__all__ = ["backwards", "forwards", "play", "play_eagerly"]


def play(dag: Dag, order: Iterable[int]) -> SimpleGame:
    """Play the game in an order.

    Examples
    --------
    >>> play(Dag.from_edges(3, [0, 0], [1, 2]), [0, 1, 2]).profile.tolist()
    [1, 2, 1, 0]
    """
    game = SimpleGame(dag)
    for job in order:
        game.execute(job)
    return game


def play_eagerly(dag: Dag, rank: Callable[[int], int]) -> SimpleGame:
    """Play the game by always executing the newest ELIGIBLE job; of equally new ones the one of lowest rank.

    Examples
    --------
    >>> tree = Dag.from_edges(7, [0, 1, 2, 3, 4, 5], [4, 4, 5, 5, 6, 6])
    >>> play_eagerly(tree, forwards).order
    [0, 1, 4, 2, 3, 5, 6]
    """
    game = SimpleGame(dag)
    newest = sorted(sources(dag).tolist(), key=rank, reverse=True)
    while newest:
        fresh = game.execute(newest.pop())
        newest += sorted(fresh, key=rank, reverse=True)
    return game


def forwards(job: int) -> int:
    """Rank jobs by number.

    Examples
    --------
    >>> forwards(3)
    3
    """
    return job


def backwards(job: int) -> int:
    """Rank jobs by number, the last first.

    Examples
    --------
    >>> backwards(3)
    -3
    """
    return -job
