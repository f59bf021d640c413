"""Where a workflow is, and which program a word of it means."""

from __future__ import annotations

import os
import shutil
from functools import lru_cache

from eligo.formats.base import Document
from eligo.formats.storage import STDIN

__all__ = ["home_of", "program_in"]


def home_of(document: Document) -> str:
    """Return the directory of a workflow as an absolute path: that of its file, or the current one for standard input.

    Examples
    --------
    >>> from eligo.dag import Dag
    >>> from eligo.formats.storage import Source
    >>> home_of(Document(Dag.from_names([("a", "b")]), "dot", Source("/some/where/x.dot", b"")))
    '/some/where'
    """
    path = document.source.path
    return os.path.abspath("" if path == STDIN else os.path.dirname(path))  # noqa: PTH100, PTH120 - links stay


@lru_cache(4096)
def program_in(home: str, word: str) -> str:
    """Return the program that a word means for jobs that run in `home`.

    With a slash it is a path, relative to `home`; without one it is looked for in ``PATH``, as a shell would, and where
    it is not there in `home`, since workflow systems put programs beside the data of a job.

    Examples
    --------
    >>> program_in("/h", "bin/x"), program_in("/h", "/bin/x"), program_in("/h", "no-such-program")
    ('/h/bin/x', '/bin/x', 'no-such-program')
    """
    path = os.path.normpath(os.path.join(home, word))  # noqa: PTH118 - an absolute word stays as it is
    if "/" in word:
        return path
    if shutil.which(word) is None and os.path.isfile(path) and os.access(path, os.X_OK):  # noqa: PTH113
        return path
    return word
