"""Pictures of strands: numbered by step, and beside their duals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from eligo import graph, report
from eligo.dag import Dag

__all__ = ["draw_dual", "draw_numbered"]


def draw_numbered(dag: Dag, order: Sequence[int]) -> Any:
    """Draw a bipartite dag whose sources bear the step at which they are executed.

    Examples
    --------
    >>> figure = draw_numbered(Dag.from_edges(3, [0, 1], [2, 2]), [1, 0])
    >>> [text.get_text() for text in figure.axes[0].texts if text.get_text()]
    ['2', '1']
    """
    labels = [""] * dag.n
    for step, source in enumerate(order, 1):
        labels[int(graph.sources(dag)[source])] = str(step)
    return report.draw_dag(dag, labels=labels)


def draw_dual(dag: Dag, order: Sequence[int], dual_order: Sequence[int]) -> Any:
    """Draw a bipartite dag and its dual, both numbered by step, a packet in the same colour in both.

    Parameters
    ----------
    order
        The sources of the dag, as job numbers.
    dual_order
        The sources of the dual, which are the sinks of the dag, as job numbers.
    """
    place = {source: step for step, source in enumerate(order, 1)}
    packets: dict[str, list[int]] = {f"packet {step}": [] for step in place.values()}
    for sink in graph.sinks(dag).tolist():
        step = max(place[parent] for parent in dag.parents(sink).tolist())
        packets[f"packet {step}"] += [sink, dag.n + sink]
    labels = [""] * (2 * dag.n)
    for step, source in enumerate(order, 1):
        labels[source] = str(step)
    for step, sink in enumerate(dual_order, 1):
        labels[dag.n + sink] = str(step)
    both = graph.sum_of([dag, graph.dual(dag)])
    return report.draw_dag(both, groups=packets, labels=labels)
