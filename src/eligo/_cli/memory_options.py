"""What commands about memory share: the words for the model, what the jobs of a file occupy, and both in words."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from eligo._cli.messages import say, warn
from eligo.errors import EligoError

if TYPE_CHECKING:
    from eligo.dag import Dag
    from eligo.formats._base import Document
    from eligo.memory._footprint import Footprint

__all__ = ["MODELS", "MODEL_WORDS", "add_model", "footprint_of", "model_again", "rules_rows", "without_ours"]

MODELS = ("simple", "classical", "shared", "pebble", "files")
"""Stated here as well, so that --help need not load numpy; a test keeps them equal."""

MODEL_WORDS = ("model", "resource", "unread", "inputs")
"""The options that say what counts."""

_MEMORY_TAKEN = "memory is counted, since jobs state it; sizes on disk are known, too: --resource disk counts those"

_WORDS = {
    "simple": "a copy for each reader; a job frees its inputs as it makes its outputs",
    "classical": "a copy for each reader; inputs, scratch space and outputs while a job runs",
    "shared": "a datum counts once, from its job's start until its last reader's end",
    "pebble": "a job makes one pebble, which stays until all its children have ended",
    "files": "a file counts once, from its job's start until its last reader's end; scratch space while a job runs",
}


def model_again(args: argparse.Namespace) -> str:
    """Return the words that say what counts, as they were given: for a further command."""
    return "".join(f" --{name} {value}" for name in MODEL_WORDS if (value := getattr(args, name)) is not None)


def add_model(parser: argparse.ArgumentParser) -> None:
    """Add what says how data occupy memory."""
    counting = parser.add_argument_group("what counts")
    counting.add_argument(
        "--model",
        choices=MODELS,
        metavar="M",
        help="files: files shared by their readers, and scratch space; shared: data shared by their readers; "
        "classical: a copy for each reader; inputs, scratch space and outputs while a job runs; simple: a copy for "
        "each reader, inputs make room for outputs; pebble: one for each job (default: what suits the file)",
    )
    counting.add_argument(
        "--resource",
        choices=["memory", "disk"],
        help="what it is that data occupy (default: memory where jobs state it or data have no names, else disk)",
    )
    counting.add_argument(
        "--unread",
        choices=["stay", "leave"],
        help="whether outputs that no job reads stay to the end (default) or leave when their job ends",
    )
    counting.add_argument(
        "--inputs",
        choices=["ignore", "count"],
        help="whether data from outside are somewhere else (default) or count from the beginning",
    )


def footprint_of(document: Document, args: argparse.Namespace) -> Footprint:
    """Return what the jobs of a workflow occupy, with warnings of what had to be assumed.

    Where memory and disk are both known, and nobody said which is meant, it is said which was taken.
    """
    from eligo.memory._models import footprint, leaves_disk_out

    dag = document.dag
    words = {"unread": args.unread or "stay", "inputs": args.inputs or "ignore"}
    try:
        if args.model == "pebble":  # where every dependency stands for a reader, but those that a limit added
            return footprint(without_ours(document), "pebble", args.resource, **words).on(dag)
        found = footprint(dag, args.model, args.resource, **words)
    except EligoError as error:
        raise EligoError(f"{document.source.path}: {error.text}", hint=error.hint) from None
    warn(f"{document.source.path}: {text}" for text in found.doubts)
    if args.resource is None and leaves_disk_out(found):
        say(f"{document.source.path}: {_MEMORY_TAKEN}")
    return found


def without_ours(document: Document) -> Dag:
    """Return the dag without the edges that only our dependencies state."""
    from eligo.dag import Dag
    from eligo.formats._editing import dependencies_of_ours
    from eligo.graph import joined

    dag = document.dag
    tails, heads = dependencies_of_ours(document)
    if not len(tails):
        return dag
    kept = ~joined(Dag.from_edges(dag.n, tails, heads), dag.tails, dag.heads)
    known = {name: getattr(dag, name) for name in ("time_s", "temp_bytes", "memory_bytes", "count", "data")}
    return Dag.from_edges(dag.names, dag.tails[kept], dag.heads[kept], **known)


def rules_rows(footprint: Footprint) -> list[tuple[str, str, str]]:
    """Return what counts, as rows of a table."""
    from eligo.memory._models import JOBS_ALONE

    rules = footprint.rules
    alone = JOBS_ALONE in footprint.premises
    words = "what jobs state to use, while they run; files are not in memory" if alone else _WORDS[rules.model]
    rows = [("counted", rules.resource, f"model {rules.model}: {words}")]
    if rules.model != "pebble" and not alone:
        unread = "stay to the end" if rules.unread == "stay" else "leave when their job ends"
        inputs = "do not count" if rules.inputs == "ignore" else "count from the beginning"
        rows.append(("", "", f"outputs that no job reads {unread}; data from outside {inputs}"))
    return rows + [("assumed", "", text) for text in footprint.premises if not alone]
