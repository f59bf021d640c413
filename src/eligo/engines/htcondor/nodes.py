"""What DAGMan is given: a DAG file of ours, whatever the workflow was written in.

Two modules make one: ``annotated.py`` from a DAG of the user's, ``described.py`` from anything else. Either way the
file lies in the folder of the run, DAGMan runs in the directory of the workflow, from which relative paths count, and
the file asks for two logs by which the run is followed.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, final

from eligo.engines.htcondor.courses import Rule

__all__ = ["DAG_NAME", "Logs", "Nodes", "Place"]

DAG_NAME = "flow.dag"


@final
@dataclass(frozen=True, slots=True)
class Place:
    """A folder for one submission.

    Attributes
    ----------
    folder
        Where it is.
    home
        Where DAGMan runs.
    name
        The folder as DAGMan is told of it: a path from `home`, or an absolute one, without blanks.
    """

    folder: Path
    home: Path
    name: str

    @property
    def dag(self) -> str:
        """The DAG file as DAGMan is told of it."""
        return f"{self.name}/{DAG_NAME}"

    def file(self, ending: str) -> Path:
        """Return a file that bears the DAG's name and an ending."""
        return self.folder / f"{DAG_NAME}{ending}"


@final
@dataclass(frozen=True, slots=True)
class Logs:
    """The files by which a submission is followed, as paths from where DAGMan runs.

    Attributes
    ----------
    job_states
        A line for every step of every node.
    node_states
        What DAGMan knows of each node when it ends.
    """

    job_states: str
    node_states: str


class Nodes(Protocol):
    """The nodes of a DAG for DAGMan.

    Attributes
    ----------
    names
        Of each job's node.
    final
        The name of the FINAL node.
    warnings
        What the user should know, as sentences.
    """

    names: list[str]
    final: str | None
    warnings: tuple[str, ...]

    def rule(self, job: int) -> Rule:
        """Return what DAGMan does when a step of a node ends."""

    def write(self, place: Place) -> Logs:
        """Write the DAG and what belongs to it."""
