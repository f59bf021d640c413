"""The commands of the DAGMan language, numbered as the compiled scanner numbers them."""

from __future__ import annotations

from enum import IntEnum

__all__ = ["NODE_KEYWORDS", "Keyword", "keyword_of", "nearest_command"]


class Keyword(IntEnum):
    """A command; ``UNKNOWN`` is a first word that is none."""

    JOB = 0
    PARENT = 1
    VARS = 2
    PRIORITY = 3
    RETRY = 4
    CATEGORY = 5
    SCRIPT = 6
    PRE_SKIP = 7
    ABORT_DAG_ON = 8
    SUBDAG = 9
    FINAL = 10
    PROVISIONER = 11
    SERVICE = 12
    SPLICE = 13
    INCLUDE = 14
    SUBMIT_DESCRIPTION = 15
    WEAK = 16
    TOLERANCE = 17
    DONE = 18
    MAXJOBS = 19
    CONFIG = 20
    DOT = 21
    NODE_STATUS_FILE = 22
    JOBSTATE_LOG = 23
    SAVE_POINT_FILE = 24
    SET_JOB_ATTR = 25
    ENV = 26
    REJECT = 27
    CONNECT = 28
    PIN_IN = 29
    PIN_OUT = 30
    UNKNOWN = 255

    def __bool__(self) -> bool:
        """Every command is something, the one numbered 0 too."""
        return True


NODE_KEYWORDS = frozenset({Keyword.JOB, Keyword.SUBDAG, Keyword.FINAL, Keyword.PROVISIONER, Keyword.SERVICE})
"""The commands that define a node."""

_LONGEST = 40
_WRITTEN = {"ABORT_DAG_ON": "ABORT-DAG-ON", "SUBMIT_DESCRIPTION": "SUBMIT-DESCRIPTION"}
_BY_NAME = {keyword.name: keyword for keyword in Keyword if keyword is not Keyword.UNKNOWN}


def keyword_of(word: str) -> Keyword:
    """Return the command a word stands for, whatever its case; ``-`` and ``_`` are the same.

    Examples
    --------
    >>> keyword_of("abort-dag-on").name, keyword_of("Edge").name
    ('ABORT_DAG_ON', 'UNKNOWN')
    """
    if not word.isascii():
        return Keyword.UNKNOWN
    return _BY_NAME.get(word.upper().replace("-", "_"), Keyword.UNKNOWN)


def nearest_command(word: str) -> str:
    """Return the command that somebody may have meant by a word that is none; nothing where none is near.

    Examples
    --------
    >>> nearest_command("Priorty"), nearest_command("ABORTDAGON"), nearest_command("EDGE")
    ('PRIORITY', 'ABORT-DAG-ON', '')
    """
    import difflib

    asked = word[:_LONGEST].upper().replace("-", "_")
    near = [name for name in difflib.get_close_matches(asked, _BY_NAME, 1, 0.75) if name != asked]
    return _WRITTEN.get(near[0], near[0]) if near else ""
