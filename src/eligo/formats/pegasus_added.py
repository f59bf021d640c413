r"""Tell the dependencies that we added to a Pegasus workflow from the user's.

They do not count as declared: where the user declares none, his files still imply them. The reader uses this, as does
:mod:`eligo.formats.pegasus_dependencies`; how ours are marked is in ``pegasus_yaml_dependencies`` and
``pegasus_json_dependencies``.
"""

from __future__ import annotations

import yaml

from eligo.formats import pegasus_json_dependencies, pegasus_yaml_dependencies
from eligo.formats.json_spans import is_object
from eligo.formats.pegasus_yaml_dependencies import Taken
from eligo.formats.storage import Source
from eligo.formats.text_edits import blanked, rewrite

__all__ = ["has_marks", "split", "take_out"]


def has_marks(text: str) -> bool:
    """Tell whether a text may hold dependencies of ours.

    Examples
    --------
    >>> has_marks("- {id: a, children: [b]} # eligo limit"), has_marks('{"jobs": []}')
    (True, False)
    """
    return pegasus_yaml_dependencies.MARK in text or pegasus_json_dependencies.MARK in text


def take_out(text: str) -> Taken:
    """Return the edits that take ours out, and the children that are ours; none where a text is not even YAML."""
    if not has_marks(text):
        return Taken([], {})
    if is_object(text):
        return Taken(*pegasus_json_dependencies.removed(text))
    try:
        return pegasus_yaml_dependencies.removed(text)
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
