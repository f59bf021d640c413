r"""What DAGMan knows of each node when it ends: its file of node states.

``NODE_STATUS_FILE`` makes DAGMan write, as its last act, a list of records::

    [
      Type = "NodeStatus";
      Node = "fetch";
      NodeStatus = 6; /* "STATUS_ERROR" */
      StatusDetails = "PRE Script failed with status 1";
      ...
    ]

The file is replaced whole. A node that was in the queue when DAGMan was removed counts as failed there, with details
that say what it was.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path
from typing import final

__all__ = ["NodeState", "NodeStatus", "read_node_states"]

_RECORD = re.compile(
    r'^  Node = "((?:[^"\\]|\\.)*)";\n  NodeStatus = (\d+);[^\n]*\n  StatusDetails = "((?:[^"\\]|\\.)*)";', re.MULTILINE
)
_HEAD_CHARACTERS = 10_000
_INTERRUPTED = "Was STATUS_"


class NodeStatus(IntEnum):
    """Those of DAGMan's states that are an end."""

    OPEN = 0
    DONE = 5
    ERROR = 6


@final
@dataclass(frozen=True, slots=True)
class NodeState:
    """The state of a node and, where it failed, why."""

    status: NodeStatus
    details: str = ""


def read_node_states(path: Path, dag: str) -> dict[str, NodeState]:
    r"""Return the state of each node by its name; nothing where there is no such file, or it is of another DAG.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "status"
    ...     record = '  DagFiles = {\n    "x.dag"\n  };\n  Node = "a";\n'
    ...     record += '  NodeStatus = 6; /* "STATUS_ERROR" */\n  StatusDetails = "why";\n'
    ...     _ = path.write_text(record)
    ...     read_node_states(path, "x.dag")
    {'a': NodeState(status=<NodeStatus.ERROR: 6>, details='why')}
    """
    try:
        text = path.read_bytes().decode("utf-8", "surrogateescape")
    except OSError:
        return {}
    if f'"{dag}"' not in text[:_HEAD_CHARACTERS]:
        return {}
    return {name: _state(int(status), details) for name, status, details in _RECORD.findall(text)}


def _state(status: int, details: str) -> NodeState:
    if status == NodeStatus.DONE:
        return NodeState(NodeStatus.DONE)
    if status == NodeStatus.ERROR and not details.startswith(_INTERRUPTED):
        return NodeState(NodeStatus.ERROR, details)
    return NodeState(NodeStatus.OPEN)
