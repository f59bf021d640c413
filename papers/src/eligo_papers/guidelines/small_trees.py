"""All rooted trees of a size, each once however its branches are ordered, some numbers of branches allowed."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

__all__ = ["rooted_trees"]


def rooted_trees(nodes: int, arities: Collection[int]) -> list[list[int]]:
    """Return every tree of so many nodes whose inner nodes have such numbers of branches, as the parent of each node.

    The root is node 0 and has parent -1.

    Examples
    --------
    >>> rooted_trees(4, {1, 2})
    [[-1, 0, 1, 1], [-1, 0, 1, 2], [-1, 0, 0, 1]]
    >>> [len(rooted_trees(nodes, range(1, 9))) for nodes in range(1, 10)]
    [1, 1, 2, 4, 9, 20, 48, 115, 286]
    """
    shapes: list[list[Any]] = [[], [()]]
    for size in range(2, nodes + 1):
        shapes.append([forest for forest in _forests(size - 1, size - 1, None, shapes) if len(forest) in arities])
    return [_parents(shape) for shape in shapes[nodes]]


def _forests(total: int, largest: int, last: int | None, shapes: list[list[Any]]) -> Iterator[tuple[Any, ...]]:
    """Yield forests of `total` nodes in descending order: no tree is larger than `largest`, or `last` of that size."""
    if total == 0:
        yield ()
        return
    for size in range(min(total, largest), 0, -1):
        most = last if size == largest and last is not None else len(shapes[size]) - 1
        for number in range(most, -1, -1):
            for rest in _forests(total - size, size, number, shapes):
                yield (shapes[size][number], *rest)


def _parents(shape: tuple[Any, ...]) -> list[int]:
    parents: list[int] = []
    waiting: list[tuple[tuple[Any, ...], int]] = [(shape, -1)]
    while waiting:
        node, parent = waiting.pop(0)
        parents.append(parent)
        waiting += [(branch, len(parents) - 1) for branch in node]
    return parents
