"""Small workflows, and what tests of ``simulate`` do with them."""

from __future__ import annotations

from pathlib import Path

from eligo import Dag, generate, write
from tests.cli.limiting import facts, run

QUICK = ("--samples", 40, "--runs", 2, "--on", "here")

__all__ = ["QUICK", "airsn", "facts", "fork", "run"]


def fork() -> Dag:
    """Jobs that lead nowhere stand before the one that leads to many::

    x0 x1 ... x7      hub -+-> y0
                           +-> ...
                           '-> y7
    """
    names = [f"x{i}" for i in range(8)] + ["hub"] + [f"y{i}" for i in range(8)]
    return Dag.from_edges(names, [8] * 8, list(range(9, 17)))


def airsn(folder: Path, width: int = 250) -> Path:
    """Write the workflow of paper 002."""
    write(generate.airsn(width), folder / "airsn.dag")
    return folder / "airsn.dag"
