"""What shows how good an order is, beside the summary: plots, graphs and certificates."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from eligo.cli.certificates import bound_path, check_target, write_certificates
from eligo.cli.messages import say
from eligo.cli.outputs import check_distinct, write_graphs

if TYPE_CHECKING:
    from eligo.formats.base import Document
    from eligo.priority.prioritizing import Prioritized

__all__ = ["write_pictures"]


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
