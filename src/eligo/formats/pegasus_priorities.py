r"""Priorities in Pegasus workflows: two profiles of each job, ``condor: priority`` and ``dagman: PRIORITY``.

The planner copies the first into the job's submit file and the second into the DAG. It would derive the second from the
first; both are written, so that neither depends on its version. A job that states either keeps what it has, unless
ours are to replace it: half of each would be nobody's wish.

How it is written, and how ours can be told from the user's: :mod:`eligo.formats.pegasus_yaml_edits`, and for workflows
in JSON :mod:`eligo.formats.pegasus_json_edits`.
"""

from __future__ import annotations

from typing import Any

from eligo.dag import Int32
from eligo.errors import EligoError
from eligo.formats import pegasus_json_edits, pegasus_yaml_edits
from eligo.formats.base import Document, Notes
from eligo.formats.instrumenting import KEPT, Instrumented, Wish
from eligo.formats.json_spans import is_object
from eligo.formats.pegasus_yaml_edits import NoPlaceError
from eligo.formats.storage import Source
from eligo.formats.text_edits import Edit, rewrite
from eligo.formats.yaml_tree import YamlMapping

__all__ = ["instrument", "uninstrument"]

_NO_PLACE = "a job is written in a way that has no place for a priority of its own, and gets none"
_OVERRULES = "a priority in the catalogue overrules those of the jobs that it applies to"


def instrument(document: Document, priorities: Int32, wish: Wish) -> Instrumented:
    r"""Return the file with both profiles for each job.

    Examples
    --------
    >>> from eligo.formats.pegasus import parse
    >>> text = b"pegasus: 5.0\njobs:\n- id: a\n- id: b\n  profiles: {condor: {priority: 7}}\n"
    >>> document = parse(Source("w.yml", text), None)
    >>> result = instrument(document, document.dag.order + 1, Wish())
    >>> print(result.data.decode(), end="")
    pegasus: 5.0
    jobs:
    - id: a
      profiles: # eligo
        condor: # eligo
          priority: "1" # eligo
        dagman: # eligo
          PRIORITY: "1" # eligo
    - id: b
      profiles: {condor: {priority: 7}}
    >>> result.warnings
    ('w.yml:5: a priority that the file gives is kept: --replace puts ours in its place',)
    """
    source = Source(document.source.path, uninstrument(document).data)
    text = source.text()
    notes, edits = Notes(), list[Edit]()
    _note_catalogues(document, notes)
    jobs = (pegasus_json_edits if is_object(text) else pegasus_yaml_edits).jobs(text)
    outcomes = {KEPT: 0, _NO_PLACE: 0}
    written = 0
    for priority, job in zip(priorities.tolist(), jobs, strict=False):
        outcome, at = "", 0
        if job.given is not None and not wish.replace:
            outcome, at = KEPT, job.given
        else:
            try:
                edits += job.added(priority)
                written += 1
            except NoPlaceError as error:
                outcome, at = _NO_PLACE, error.at
        if outcome:
            outcomes[outcome] += 1
            notes.add(source.path, text.count("\n", 0, at) + 1 if outcomes[outcome] == 1 else None, outcome)
    if written + sum(outcomes.values()) < document.dag.n:
        raise EligoError(f"{source.path}: the list of jobs is not written out", hint="replace the alias by the jobs")
    return Instrumented(rewrite(source, edits), written=written, kept=outcomes[KEPT], warnings=notes.texts())


def uninstrument(document: Document) -> Instrumented:
    r"""Return the file without our profiles, those back that they replaced.

    Examples
    --------
    >>> from eligo.formats.pegasus import parse
    >>> text = b"pegasus: 5.0\njobs:\n- id: a\n  profiles: # eligo\n    condor: # eligo\n      priority: '2' # eligo\n"
    >>> text = text.replace(b"'", b'"')
    >>> uninstrument(parse(Source("w.yml", text), None)).data
    b'pegasus: 5.0\njobs:\n- id: a\n'
    """
    source = document.source
    text = source.text()
    taken: list[Edit] = []
    if pegasus_json_edits.MARK in text and is_object(text):
        taken = pegasus_json_edits.removed(text)
    elif pegasus_yaml_edits.MARK in text:
        taken = pegasus_yaml_edits.removed(text)
    return Instrumented(rewrite(source, taken))


def _note_catalogues(document: Document, notes: Notes) -> None:
    """Warn of priorities in the file's own catalogues: to Pegasus they count more than those of jobs."""
    tree: dict[str, Any] = document.details.tree
    waiting: list[tuple[str, Any]] = [(key, tree.get(key)) for key in ("siteCatalog", "transformationCatalog")]
    while waiting:
        key, value = waiting.pop()
        if isinstance(value, YamlMapping):
            if key in ("condor", "dagman") and any(name.lower() == "priority" for name in value):
                notes.add(document.source.path, value.line, _OVERRULES)
            waiting += value.items()
        elif isinstance(value, list):
            waiting += ((key, item) for item in value)
