"""The user's own DAG, with our priorities and with the dependencies that a limit added.

The user's file is never changed: ours is a copy of it. Where the DAG has splices, whose jobs a DAG file has no name
for, it is one file without them (``formats/dagman/flat.py``). The priorities of the plan are the truth: whoever made it
knew what the user's file says, so in the copy they take the place of those there. Submit files are not copied: one that
refers to a variable of ours (``eligo prioritize --style vars``) gets it, and one with a priority of its own has its
way, with a warning.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import numpy as np

from eligo.engines.htcondor.courses import Rule
from eligo.engines.htcondor.nodes import DAG_NAME, Logs, Place
from eligo.engines.plan import Abort, Plan
from eligo.formats.base import Document
from eligo.formats.dagman.details import Details
from eligo.formats.dagman.given import given_priorities
from eligo.formats.dagman.instrument import flattened
from eligo.formats.dagman.keywords import Keyword
from eligo.formats.dagman.marked import take_out
from eligo.formats.dependencies import add_dependencies, reread
from eligo.formats.instrumenting import Wish, instrument
from eligo.formats.storage import load, replace_file

__all__ = ["Annotated"]

_SELDOM_S = 86_400
"""DAGMan writes the states of all nodes at its end anyway; on the way nobody looks."""


class Annotated:
    """A DAG of the user's for DAGMan.

    Raises
    ------
    ParseError
        The file has marks of ours that were changed by hand.
    """

    def __init__(self, plan: Plan) -> None:
        base = plan.document
        root = _details(base).root
        if any(use.unit.count for use in root.instances) or given_priorities(root).included:
            base = flattened(base)
        warnings: tuple[str, ...] = ()
        if not _same_edges(base, plan):
            limited = add_dependencies(base, plan.dag.tails, plan.dag.heads)
            base, warnings = reread(base, limited.data), limited.warnings
        style: Literal["priority", "vars"] = "vars" if _submit_files_refer(plan.document) else "priority"
        made = instrument(base, plan.priorities, Wish(style, replace=True))
        self._data = made.data
        self._details = _details(base)
        self.names = list(base.dag.names)
        self.final = next((node.name for node in self._details.others() if node.kind == "final"), None)
        own = [f"{change.path}: a priority that it gives overrides ours in the queue" for change in made.others]
        self.warnings = (*warnings, *made.warnings, *own)

    def rule(self, job: int) -> Rule:
        """Return what DAGMan does when a step of a node ends."""
        node = self._details.job(job) if job >= 0 else next(n for n in self._details.others() if n.kind == "final")
        retry, abort = node.retry, node.abort_dag_on
        return Rule(
            retries=retry.times if retry else 0,
            unless_exit=retry.unless_exit if retry else None,
            after=any(script.when.upper() == "POST" for script in node.scripts),
            may_skip=node.pre_skip is not None,
            abort=Abort(abort.exit_code, abort.returns) if abort else None,
        )

    def write(self, place: Place) -> Logs:
        """Write the copy, which asks for the logs that the user's file does not ask for."""
        given = {setting.kind: setting.text.split()[0] for setting in reversed(self._details.settings) if setting.text}
        logs = Logs(
            given.get(Keyword.JOBSTATE_LOG, f"{place.dag}.jobstate.log"),
            given.get(Keyword.NODE_STATUS_FILE, f"{place.dag}.node-states"),
        )
        head = "# A copy that eligo made for one run, with these lines for its logs.\n"
        if Keyword.JOBSTATE_LOG not in given:
            head += f"JOBSTATE_LOG {logs.job_states}\n"
        if Keyword.NODE_STATUS_FILE not in given:
            head += f"NODE_STATUS_FILE {logs.node_states} {_SELDOM_S}\n"
        replace_file(place.folder / DAG_NAME, [head.encode(), self._data])
        return logs


def _details(document: Document) -> Details:
    assert isinstance(document.details, Details)
    return document.details


def _submit_files_refer(document: Document) -> bool:
    """Tell whether priorities of ours are in the submit files; a document may have been read without ours."""
    path = document.source.path
    return take_out(document.source).beyond or (Path(path).is_file() and take_out(load(path)).beyond)


def _same_edges(document: Document, plan: Plan) -> bool:
    ours, theirs = plan.dag, document.dag
    return np.array_equal(ours.succ_ptr, theirs.succ_ptr) and np.array_equal(ours.succ, theirs.succ)
