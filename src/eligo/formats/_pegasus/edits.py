r"""Priorities in Pegasus workflows: two profiles of each job, ``condor: priority`` and ``dagman: PRIORITY``.

The planner copies the first into the job's submit file and the second into the DAG. It would derive the second from the
first; both are written, so that neither depends on its version. A job that states either keeps what it has, unless
ours are to replace it: half of each would be nobody's wish.

How it is written, and how ours can be told from the user's: :mod:`eligo.formats._pegasus.yaml_edits`, and for workflows
in JSON :mod:`eligo.formats._pegasus.json_edits`.

Dependencies in Pegasus workflows: entries of ``jobDependencies``, which may name a parent more than once.

How they are written, and how ours can be told from the user's: :mod:`eligo.formats._pegasus.yaml_edits`, and for
workflows in JSON :mod:`eligo.formats._pegasus.json_edits`.

Tell the dependencies that we added to a Pegasus workflow from the user's.

They do not count as declared: where the user declares none, his files still imply them. The reader uses this, as does
:mod:`eligo.formats._pegasus.edits`; how ours are marked is in ``pegasus_yaml_dependencies`` and
``pegasus_json_dependencies``.
"""

from __future__ import annotations

from typing import Any

import yaml

from eligo.dag import Int32
from eligo.errors import EligoError
from eligo.formats._base import Document, Notes, YamlMapping
from eligo.formats._editing import KEPT, Instrumented, Wish
from eligo.formats._json_text import is_object
from eligo.formats._pegasus import json_edits, yaml_edits
from eligo.formats._pegasus.yaml_edits import NoListError, NoPlaceError, Taken
from eligo.formats._source import Source
from eligo.formats._text_edits import Edit, blanked, rewrite

__all__ = [
    "add",
    "has_marks",
    "instrument",
    "split",
    "take_out",
    "uninstrument",
    "without_dependencies",
]

_NO_PLACE = "a job is written in a way that has no place for a priority of its own, and gets none"
_OVERRULES = "a priority in the catalogue overrules those of the jobs that it applies to"


def instrument(document: Document, priorities: Int32, wish: Wish) -> Instrumented:
    r"""Return the file with both profiles for each job.

    Examples
    --------
    >>> from eligo.formats._pegasus.reader import parse
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
    jobs = (json_edits if is_object(text) else yaml_edits).jobs(text)
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
    >>> from eligo.formats._pegasus.reader import parse
    >>> text = b"pegasus: 5.0\njobs:\n- id: a\n  profiles: # eligo\n    condor: # eligo\n      priority: '2' # eligo\n"
    >>> text = text.replace(b"'", b'"')
    >>> uninstrument(parse(Source("w.yml", text), None)).data
    b'pegasus: 5.0\njobs:\n- id: a\n'
    """
    source = document.source
    text = source.text()
    taken: list[Edit] = []
    if json_edits.PRIORITY_MARK in text and is_object(text):
        taken = json_edits.removed_priorities(text)
    elif yaml_edits.PRIORITY_MARK in text:
        taken = yaml_edits.removed_priorities(text)
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


def has_marks(text: str) -> bool:
    """Tell whether a text may hold dependencies of ours.

    Examples
    --------
    >>> has_marks("- {id: a, children: [b]} # eligo limit"), has_marks('{"jobs": []}')
    (True, False)
    """
    return yaml_edits.DEPENDENCY_MARK in text or json_edits.DEPENDENCY_MARK in text


def take_out(text: str) -> Taken:
    """Return the edits that take ours out, and the children that are ours; none where a text is not even YAML."""
    if not has_marks(text):
        return Taken([], {})
    if is_object(text):
        return Taken(*json_edits.removed_dependencies(text))
    try:
        return yaml_edits.removed_dependencies(text)
    except yaml.YAMLError:
        return Taken([], {})


def split(source: Source) -> tuple[Source, dict[str, list[str]]]:
    r"""Return a file without our dependencies, its lines where they were, and the children that are ours, by parent.

    Examples
    --------
    >>> text = b"jobs: [{id: a}, {id: b}]\njobDependencies: # eligo limit\n- {id: a, children: [b]} # eligo limit\n"
    >>> split(Source("w.yml", text))
    (Source(path='w.yml', data=b'jobs: [{id: a}, {id: b}]\n\n\n'), {'a': ['b']})
    """
    text = source.text()
    taken = take_out(text)
    return Source(source.path, rewrite(source, blanked(text, taken.edits))), taken.children


def add(document: Document, tails: Int32, heads: Int32) -> Instrumented:
    r"""Return the file, which has none of ours, with dependencies.

    Raises
    ------
    ParseError
        ``jobDependencies`` is written in a way that has no place for them.

    Examples
    --------
    >>> import numpy as np
    >>> from eligo.formats._pegasus.reader import parse
    >>> text = b"pegasus: '5.0'\njobs: [{id: a}, {id: b}, {id: c}]\njobDependencies:\n- id: a\n  children: [b]\n"
    >>> document = parse(Source("w.yml", text), None)
    >>> print(add(document, np.array([0, 1], np.int32), np.array([2, 2], np.int32)).data.decode()[49:], end="")
    jobDependencies:
    - {id: a, children: [c]} # eligo limit
    - {id: b, children: [c]} # eligo limit
    - id: a
      children: [b]
    """
    source, ids = document.source, document.details.ids
    text = source.text()
    children: dict[str, list[str]] = {}
    for tail, head in zip(tails.tolist(), heads.tolist(), strict=True):
        children.setdefault(ids[tail], []).append(ids[head])
    try:
        edits = (json_edits if is_object(text) else yaml_edits).added_dependencies(text, children)
    except NoListError as error:
        raise source.error(
            text.count("\n", 0, error.at) + 1,
            "jobDependencies is written in a way that has no place for dependencies of ours",
            hint="make it a plain list, each entry on lines of its own, and end the file with a line end",
        ) from None
    return Instrumented(rewrite(source, edits), written=len(tails))


def without_dependencies(source: Source) -> tuple[Source, tuple[str, ...]]:
    r"""Return the file without our dependencies.

    Examples
    --------
    >>> text = b"jobs: [{id: a}, {id: b}]\njobDependencies: # eligo limit\n- {id: a, children: [b]} # eligo limit\n"
    >>> without_dependencies(Source("w.yml", text))[0].data
    b'jobs: [{id: a}, {id: b}]\n'
    """
    return Source(source.path, rewrite(source, take_out(source.text()).edits)), ()
