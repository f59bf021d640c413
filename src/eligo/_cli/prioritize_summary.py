"""What is said of an order: as facts for programs, and as a few lines with a curve for people.

What shows how good an order is, beside the summary: plots, graphs and certificates.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from eligo._cli.eligibility_curve import Look, draw_curve
from eligo._cli.messages import say
from eligo._cli.output_files import bound_path, check_target, write_certificates
from eligo._cli.terminal import table
from eligo._cli.workflow_output import check_distinct, write_graphs
from eligo._humanize import number, per_cent, plural

if TYPE_CHECKING:
    from eligo.formats._base import Document
    from eligo.priority._prioritize import Prioritized

__all__ = [
    "json_lines",
    "order_facts",
    "order_text",
    "write_pictures",
]

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
        "area_is_largest": found.area_is_largest,
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


def order_text(path: str, found: Prioritized, look: Look, kept: int = 0) -> str:
    """Return the summary of an order of the jobs of a file, `kept` of which do not follow it, with its curve."""
    dag = found.schedule.dag
    text = table(f"{path}: {plural(dag.n, 'job')}, {plural(dag.m, 'edge')}", _rows(found))
    if kept:
        keep = "keeps" if kept == 1 else "keep"
        text += f"\n  {plural(kept, 'job')} {keep} a priority of yours: what is said above holds with --replace only"
    curve = draw_curve(found.schedule.profile, found.fifo.profile, look)
    return "\n".join([text, "", *curve] if curve else [text])


def _rows(found: Prioritized) -> list[tuple[str, str, str]]:
    return [
        ("blocks", number(found.blocks), f"of {plural(found.classes, 'class')}" if found.blocks else ""),
        ("IC-optimal", *_CLAIMS[found.claim]),
        ("AREA", number(found.schedule.area), _against_fifo(found)),
        ("gap", *_gap(found)),
        ("strategy", found.strategy, _tried(found)),
    ]


def _against_fifo(found: Prioritized) -> str:
    area, fifo, steps = found.schedule.area, found.fifo.area, found.schedule.dag.n + 1
    ready = f"{area / steps:,.1f} jobs ready on average"
    if area == fifo:
        return f"as much as fifo: {ready}"
    more = f"{per_cent(abs(area - fifo) / fifo)} {'more' if area > fifo else 'less'} than fifo"
    return f"{more}: {ready} instead of {fifo / steps:,.1f}"


def _gap(found: Prioritized) -> tuple[str, str]:
    if not found.gap:
        return "0 %", "no order has a larger AREA"
    if found.area_is_largest:
        return "0 %", f"exact search finds no larger AREA (certified: {per_cent(found.gap)})"
    return per_cent(found.gap), "at most so far below the best AREA"


def _tried(found: Prioritized) -> str:
    others = [f"{name} {area:,}" for name, area in found.areas.items() if name != found.strategy]
    return f"others: {', '.join(others)}" if others else ""


def write_pictures(document: Document, found: Prioritized, args: argparse.Namespace) -> int:
    """Write the plot, the graphs and the certificates that are wanted; return the exit status."""
    if args.certificate and found.claim == "none-exists":
        _check_bound_target(args)
    if args.plot:
        from eligo.report import plot_gain, save

        title = document.source.path
        save(plot_gain(found.schedule, found.fifo, found.bound, name=found.strategy, title=title), args.plot)
        say(f"{args.plot}: ELIGIBLE jobs of {found.strategy} and fifo")
    if args.dot:
        write_graphs(args.dot, found.schedule)
        say(f"{args.dot}: dag.dot, blocks.dot, superdag.dot")
    return write_certificates(found, args.certificate) if args.certificate else 0


def _check_bound_target(args: argparse.Namespace) -> None:
    """Refuse to write the second certificate over something else."""
    path = bound_path(args.certificate)
    check_distinct({"FILE": args.file, "-o": args.out, "--plot": args.plot, "the certificate of the bound": path})
    check_target(path, args.file)
