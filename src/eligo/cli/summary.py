"""What is said of an order: as facts for programs, and as a few lines with a curve for people."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from eligo.cli.curve import Look, draw_curve
from eligo.cli.table import number, per_cent, plural, table

if TYPE_CHECKING:
    from eligo.priority.prioritizing import Prioritized

__all__ = ["json_lines", "order_facts", "order_text"]

_CLAIMS = {
    "ic-optimal": ("yes", "proved: no order keeps more jobs ELIGIBLE, at any step"),
    "none-exists": ("none exists", "proved: no order is the best at every step"),
    "best-effort": ("not proved", "the order is a best effort"),
}


def order_facts(found: Prioritized) -> dict[str, Any]:
    """Return all that is known of an order, as plain values."""
    schedule, dag = found.schedule, found.schedule.dag
    return {
        "jobs": dag.n,
        "edges": dag.m,
        "blocks": found.blocks,
        "classes": found.classes,
        "strategy": found.strategy,
        "claim": found.claim,
        "area": schedule.area,
        "bound": found.area_bound,
        "gap": found.gap,
        "fifo_area": found.fifo.area,
        "areas": dict(found.areas),
        "order": schedule.names,
        "priorities": dict(zip(dag.names, schedule.priorities.tolist(), strict=True)),
        "profile": schedule.profile.tolist(),
    }


def json_lines(facts: dict[str, Any]) -> Iterator[str]:
    """Yield JSON with one line a key: readable, and made as fast as on one line, which counts for a million jobs.

    Examples
    --------
    >>> print("".join(json_lines({"jobs": 2, "order": ["a", "b"]})))
    {
      "jobs": 2,
      "order": ["a", "b"]
    }
    """
    between = "{\n"
    for key, value in facts.items():
        yield f"{between}  {json.dumps(key)}: {json.dumps(value)}"
        between = ",\n"
    yield "\n}"


def order_text(path: str, found: Prioritized, look: Look) -> str:
    """Return the summary of an order of the jobs of a file, with its curve."""
    dag = found.schedule.dag
    text = table(f"{path}: {plural(dag.n, 'job')}, {plural(dag.m, 'edge')}", _rows(found))
    curve = draw_curve(found.schedule.profile, found.fifo.profile, look)
    return "\n".join([text, "", *curve] if curve else [text])


def _rows(found: Prioritized) -> list[tuple[str, str, str]]:
    return [
        ("blocks", number(found.blocks), f"of {plural(found.classes, 'class')}" if found.blocks else ""),
        ("IC-optimal", *_CLAIMS[found.claim]),
        ("AREA", number(found.schedule.area), _against_fifo(found.schedule.area, found.fifo.area)),
        (
            "gap",
            per_cent(found.gap),
            "at most so far below the best AREA" if found.gap else "no order has a larger AREA",
        ),
        ("strategy", found.strategy, _tried(found)),
    ]


def _against_fifo(area: int, fifo: int) -> str:
    if area == fifo:
        return "as much as fifo"
    return f"{per_cent(abs(area - fifo) / fifo)} {'more' if area > fifo else 'less'} than fifo"


def _tried(found: Prioritized) -> str:
    others = [f"{name} {area:,}" for name, area in found.areas.items() if name != found.strategy]
    return f"others: {', '.join(others)}" if others else ""
