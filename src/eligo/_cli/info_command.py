"""``eligo info``: what a workflow is, before anything is done with it."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING, Any

from eligo._cli.arguments import add_input, add_json, open_input
from eligo._cli.output_files import check_target, write_certificate
from eligo._cli.terminal import table
from eligo._humanize import number, plural, seconds

if TYPE_CHECKING:
    from eligo.dag import Dag
    from eligo.formats._base import Document
    from eligo.priority._settle import Settled

__all__ = ["DESCRIPTION", "EXAMPLE", "add_arguments", "nodes_outside", "run"]

DESCRIPTION = """
Show the size and shape of a workflow, its critical path, what the file tells of times, memory and data, and what the
theory of scheduling says of it.

A shortcut is an edge beside which a longer path leads: without it the same orders are possible. The critical path
is the longest chain of jobs, in seconds where times are known, else in jobs; no number of workers runs the workflow
faster.

An order of the jobs is IC-optimal if no other keeps more jobs ready to run, after any number of jobs. Not every
workflow has such an order. Where one is found, or it is proved that there is none, --certificate writes the proof,
which `eligo verify` checks. Workflows of more than 20,000 jobs are looked at only when a certificate is asked for.
"""
EXAMPLE = """
eligo info workflow.dag
eligo info --json montage.dax | jq .critical_path
eligo info workflow.dag --certificate proof.json && eligo verify proof.json workflow.dag
"""

_LARGEST = 20_000
_SEARCH = 100_000  # states
_MOST_DESCRIBED = 1_000  # parts that are looked at one by one


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the arguments."""
    add_input(parser)
    add_json(parser)
    parser.add_argument(
        "--certificate", metavar="OUT", help="write the proof that an order is IC-optimal, or that there is none"
    )


def run(args: argparse.Namespace) -> int:
    """Print the facts as a table or as JSON."""
    if args.certificate:
        check_target(args.certificate, args.file)
    document = open_input(args)
    facts = _facts(document)
    status = 0
    if document.dag.n <= _LARGEST or args.certificate:
        from eligo.priority._settle import settle

        settled = settle(document.dag, _SEARCH)
        facts |= _theory_facts(document.dag, settled)
        if args.certificate:
            status = write_certificate(settled.certificate, args.certificate, reason=facts["claim_missing"])
    print(json.dumps(facts, indent=2) if args.json else _table(facts))
    return status


def _reason(settled: Settled) -> str:
    """Return why the theory says nothing: the most telling of its failures."""
    steps = {failure.step: failure.text for failure in settled.failures}
    return next(
        steps[step] for step in ("blocks", "linearization", "exact", "sum", "series", "family") if step in steps
    )


def _theory_facts(dag: Dag, settled: Settled) -> dict[str, Any]:
    from collections import Counter

    from eligo import graph
    from eligo.priority._decompose import decompose
    from eligo.priority._families import find_parts

    reduced = graph.remove_shortcuts(dag)
    parts = find_parts(reduced)
    few = len(parts) <= _MOST_DESCRIBED
    return {
        "blocks": decompose(reduced).count,
        "families": dict(Counter(part.recognised.describe() if few else part.family for part in parts).most_common()),
        "claim": settled.claim,
        "claim_by": settled.method,
        "claim_missing": None if settled.certificate is not None else _reason(settled),
    }


def _facts(document: Document) -> dict[str, Any]:
    import numpy as np

    from eligo import graph
    from eligo.formats import format_by_name

    dag = document.dag
    path = graph.critical_path(dag)
    level = graph.levels(dag)
    return {
        "file": document.source.path,
        "format": document.format,
        "format_title": format_by_name(document.format).TITLE,
        "jobs": dag.n,
        "edges": dag.m,
        "sources": len(graph.sources(dag)),
        "sinks": len(graph.sinks(dag)),
        "levels": int(level.max()) + 1 if dag.n else 0,
        "width": graph.width(dag),
        "components": int(graph.components(dag).max()) + 1 if dag.n else 0,
        "shortcuts": len(graph.shortcuts(dag)[0]),
        "critical_path": path.length if path.in_seconds else int(path.length),
        "critical_path_unit": "s" if path.in_seconds else "jobs",
        "critical_path_exact": dag.time_s is None or bool(np.isfinite(dag.time_s).all()),
        "critical_path_jobs": [dag.names[job] for job in path.jobs],
        **_known_facts(dag),
        "nodes_outside": nodes_outside(document),
    }


def nodes_outside(document: Document) -> dict[str, int]:
    """Count the nodes that stand outside the graph: DAGMan's FINAL, PROVISIONER and SERVICE."""
    kinds = [node.kind.upper() for node in document.details.others()] if document.format == "dagman" else []
    return {kind: kinds.count(kind) for kind in dict.fromkeys(kinds)}


def _known_facts(dag: Dag) -> dict[str, Any]:
    """What the file tells of times, memory and data; ``None`` where it tells nothing.

    Sums are of Python integers, since they may exceed 64 bits.
    """
    import numpy as np

    from eligo.dag import OUTSIDE, UNKNOWN

    facts: dict[str, Any] = dict.fromkeys(("total_time_s", "largest_memory_bytes", "temp_bytes", "tasks", "data"))
    if dag.time_s is not None:
        facts["total_time_s"] = float(np.nansum(dag.time_s))
        facts["jobs_without_time"] = int(np.isnan(dag.time_s).sum())
    if dag.memory_bytes is not None:
        facts["largest_memory_bytes"] = int(dag.memory_bytes.max())
    if dag.temp_bytes is not None:
        facts["temp_bytes"] = int(dag.temp_bytes.max())
    if dag.count is not None:
        facts["tasks"] = sum(dag.count.tolist())
    if dag.data is not None:
        sizes, readers, outside = dag.data.size_bytes, dag.data.reader_counts, dag.data.producer == OUTSIDE
        facts["data"] = {
            "count": dag.data.k,
            "named": dag.data.names is not None,
            "bytes": sum(sizes[sizes != UNKNOWN].tolist()) if np.any(sizes != UNKNOWN) else None,
            "unknown_sizes": int((sizes == UNKNOWN).sum()),
            "inputs": int(outside.sum()),
            "shared": int((readers > 1).sum()),
            "unread": int((readers[~outside] == 0).sum()),
        }
    return facts


def _table(facts: dict[str, Any]) -> str:
    rows = [
        ("jobs", number(facts["jobs"]), f"{plural(facts['sources'], 'source')}, {plural(facts['sinks'], 'sink')}"),
        ("edges", number(facts["edges"]), _shortcuts(facts["shortcuts"])),
        ("levels", number(facts["levels"]), f"the widest has {plural(facts['width'], 'job')}"),
        ("components", number(facts["components"]), ""),
        ("critical path", *_critical_path(facts)),
        *_theory_rows(facts),
        *_known_rows(facts),
    ]
    return table(f"{facts['file']}: {facts['format_title']}", rows)


def _theory_rows(facts: dict[str, Any]) -> list[tuple[str, str, str]]:
    if "claim" not in facts:
        return [("IC-optimal", "not asked", "--certificate OUT looks for an order that no other beats, and proves it")]
    families = [f"{count:,} x {name}" if count > 1 else name for name, count in facts["families"].items()]
    shown = ", ".join(families[:2]) + (", ..." if len(families) > 2 else "")
    claims = {
        "ic-optimal": ("exists", f"proved by {facts['claim_by']}: no order keeps more jobs ready, at any step"),
        "none-exists": ("none exists", f"proved by {facts['claim_by']}: no order is the best at every step"),
        "unknown": ("unknown", str(facts["claim_missing"])),
    }
    return [
        ("blocks", number(facts["blocks"]), f"with {shown}" if families else ""),
        ("IC-optimal", *claims[facts["claim"]]),
    ]


def _known_rows(facts: dict[str, Any]) -> list[tuple[str, str, str]]:
    from eligo.formats._numbers import format_size

    rows = []
    if facts["total_time_s"] is None:
        rows.append(("times", "unknown", "--job-data TABLE supplies them"))
    else:
        missing = facts["jobs_without_time"]
        rows.append(
            ("total time", seconds(facts["total_time_s"]), f"unknown of {plural(missing, 'job')}" if missing else "")
        )
    if facts["tasks"] is not None:
        rows.append(("tasks", number(facts["tasks"]), "some jobs stand for several"))
    if facts["largest_memory_bytes"] is not None:
        rows.append(("memory", format_size(facts["largest_memory_bytes"]), "the most that one job states"))
    if facts["temp_bytes"] is not None:
        rows.append(("scratch space", format_size(facts["temp_bytes"]), "the most that one job needs while it runs"))
    rows.append(_data_row(facts["data"]))
    for kind, count in facts["nodes_outside"].items():
        rows.append((kind, number(count), "outside the graph"))
    return rows


def _data_row(data: dict[str, Any] | None) -> tuple[str, str, str]:
    from eligo.formats._numbers import format_size

    if data is None:
        return "data sizes", "unknown", "--job-data TABLE supplies them"
    remarks = [plural(data["count"], "file" if data["named"] else "datum")]
    if data["inputs"]:
        remarks.append(plural(data["inputs"], "input"))
    if data["shared"]:
        remarks.append(f"{number(data['shared'])} read by several jobs")
    if data["unread"]:
        remarks.append(f"{number(data['unread'])} read by none")
    if data["unknown_sizes"] and data["bytes"] is not None:
        remarks.append(f"{number(data['unknown_sizes'])} of unknown size")
    size = "unknown" if data["bytes"] is None else format_size(data["bytes"])
    return "data", size, ", ".join(remarks)


def _critical_path(facts: dict[str, Any]) -> tuple[str, str]:
    jobs = [name if len(name) <= 24 else f"{name[:11]}…{name[-12:]}" for name in facts["critical_path_jobs"]]
    shown = " > ".join(jobs if len(jobs) <= 3 else [jobs[0], "…", jobs[-1]])
    length = plural(len(jobs), "job")
    if facts["critical_path_unit"] == "jobs":
        return length, shown
    remark = "" if facts["critical_path_exact"] else "at least, since some times are unknown; "
    return seconds(facts["critical_path"]), f"{remark}{length}: {shown}"


def _shortcuts(count: int) -> str:
    return f"{plural(count, 'shortcut')} among them" if count else "no shortcuts"
