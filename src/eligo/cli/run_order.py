"""The order to run a workflow by, as the options wish it; a file that gives some priorities is warned of."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from eligo.cli.messages import warn
from eligo.cli.progress import working
from eligo.words import plural

if TYPE_CHECKING:
    from eligo.dag import Dag
    from eligo.engines.ordering import Order
    from eligo.formats.base import Document

__all__ = ["order_for"]


def order_for(document: Document, dag: Dag, args: argparse.Namespace) -> Order:
    """Return the priorities to run a workflow by; `dag` has the dependencies that a limit added."""
    from eligo.engines.ordering import order_of

    with working(f"ordering {dag.n:,} jobs"):
        order = order_of(document, dag, args.strategy, keep=args.keep_priorities)
    if order.kept:
        those = f"{'have' if order.kept > 1 else 'has'} a priority in the file, which stays"
        warn([f"{document.source.path}: {plural(order.kept, 'job')} {those}; --strategy best orders all jobs"])
    return order
