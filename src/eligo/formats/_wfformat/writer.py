"""Writes WfFormat 1.5, valid against its schema and without loss.

The schema leaves room: what WfFormat has no place for stands under a key of our own, ``eligo`` (a name its ids do not
allow, temporary space, counts, memory of a job whose time is not known). A file of unknown size is left out of the
list of sizes, a task of unknown time out of the execution, because there both are required; the graph does not need
them. Nothing depends on the clock: the same dag gives the same bytes. One task or file stands on each line.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from eligo import _core
from eligo.dag import UNKNOWN, Dag
from eligo.formats._base import Notes
from eligo.formats._data_files import FileLists, keeps, plain_ids

__all__ = ["generate"]

_NOT_IN_IDS = re.compile(r"[^0-9a-zA-Z_.#-]")
_NOT_IN_FILES = re.compile(r"[^0-9a-zA-Z_./:#-]")
_NO_DATE = "1970-01-01T00:00:00+00:00"


def generate(dag: Dag, lost: Notes) -> Iterator[str]:
    """Yield the text of a WfFormat 1.5 file.

    Examples
    --------
    >>> print("".join(generate(Dag.from_names([("a", "b")], time_s=[1, 2.5]), Notes())))
    {
      "name": "workflow",
      "schemaVersion": "1.5",
      "workflow": {
        "specification": {
          "tasks": [
            {"name": "a", "id": "a", "parents": [], "children": ["b"]},
            {"name": "b", "id": "b", "parents": ["a"], "children": []}
          ]
        },
        "execution": {
          "makespanInSeconds": 3.5,
          "executedAt": "1970-01-01T00:00:00+00:00",
          "tasks": [
            {"id": "a", "runtimeInSeconds": 1.0},
            {"id": "b", "runtimeInSeconds": 2.5}
          ]
        }
      }
    }
    <BLANKLINE>
    """
    if dag.n == 0:
        lost.say("WfFormat asks for at least one task: the file is not valid")
    ids = plain_ids(dag.names, _NOT_IN_IDS)
    files = FileLists.build(dag, _NOT_IN_FILES, lost)
    yield '{\n  "name": "workflow",\n  "schemaVersion": "1.5",\n  "workflow": {\n'
    yield '    "specification": {\n      "tasks": ['
    yield from _lines(_task(dag, job, ids, files, lost) for job in range(dag.n))
    yield "]"
    if dag.data is not None:
        sizes = [(i, size) for i, size in enumerate(dag.data.size_bytes.tolist()) if size != UNKNOWN]
        if sizes:  # WfCommons asks for every file in a list that is there, but does not ask for the list
            yield ',\n      "files": ['
            yield from _lines({"id": files.ids[i], "sizeInBytes": size} for i, size in sizes)
            yield "]"
        own: dict[str, Any] = {"fileNames": files.original} if files.original else {}
        if not files.named:
            own["unnamedFiles"] = True
        if own:
            yield f',\n      "eligo": {json.dumps(own)}'
    yield "\n    }"
    if dag.time_s is not None:
        yield from _execution(dag, ids)
    yield "\n  }\n}\n"


def _lines(objects: Iterable[dict[str, Any]]) -> Iterator[str]:
    before = "\n        "
    for value in objects:
        yield before + json.dumps(value)
        before = ",\n        "
    if before.startswith(","):
        yield "\n      "


def _task(dag: Dag, job: int, ids: list[str], files: FileLists, lost: Notes) -> dict[str, Any]:
    name = dag.names[job]
    task: dict[str, Any] = {
        "name": name or ids[job],
        "id": ids[job],
        "parents": [ids[parent] for parent in dag.parents(job)],
        "children": [ids[child] for child in dag.children(job)],
    }
    if dag.data is not None:
        task["inputFiles"] = [files.ids[datum] for datum in files.inputs[job]]
        task["outputFiles"] = [files.ids[datum] for datum in files.outputs[job]]
    own: dict[str, Any] = {}
    if ids[job] != name and keeps(name, lost):
        own["name"] = name
    if dag.memory_bytes is not None and dag.memory_bytes[job] != UNKNOWN and not _timed(dag, job):
        own["memoryInBytes"] = int(dag.memory_bytes[job])
    if dag.temp_bytes is not None and dag.temp_bytes[job] != UNKNOWN:
        own["tempBytes"] = int(dag.temp_bytes[job])
    if dag.count is not None and dag.count[job] != 1:
        own["count"] = int(dag.count[job])
    if own:
        task["eligo"] = own
    return task


def _timed(dag: Dag, job: int) -> bool:
    return dag.time_s is not None and not np.isnan(dag.time_s[job])


def _execution(dag: Dag, ids: list[str]) -> Iterator[str]:
    assert dag.time_s is not None
    lengths = _core.longest_paths(dag.pred_ptr, dag.pred, dag.order, np.nan_to_num(dag.time_s))
    makespan = float(lengths.max(initial=0.0))  # of an execution that no lack of workers slows
    yield f',\n    "execution": {{\n      "makespanInSeconds": {json.dumps(makespan)},\n'
    yield f'      "executedAt": "{_NO_DATE}",\n      "tasks": ['
    yield from _lines(_measured(dag, job, ids[job]) for job in range(dag.n) if _timed(dag, job))
    yield "]\n    }"


def _measured(dag: Dag, job: int, identity: str) -> dict[str, Any]:
    assert dag.time_s is not None
    entry: dict[str, Any] = {"id": identity, "runtimeInSeconds": float(dag.time_s[job])}
    if dag.memory_bytes is not None and dag.memory_bytes[job] != UNKNOWN:
        entry["memoryInBytes"] = int(dag.memory_bytes[job])
    return entry
