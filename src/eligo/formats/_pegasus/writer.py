"""Writes Pegasus 5.0 YAML without loss.

Every job needs a transformation; a dag has none, so each job's is called like the job, to be declared in a
transformation catalogue before Pegasus can plan the workflow. Times go to the profile ``pegasus: runtime``, memory to
``pegasus: memory`` in MiB, sizes to ``metadata: size`` as text. What Pegasus has no place for stands under a key of our
own, ``x-eligo``, which its schema permits: names that its ids do not allow, memory to the byte, temporary space.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from eligo.dag import OUTSIDE, UNKNOWN, Dag
from eligo.formats._base import Notes
from eligo.formats._data_files import FileLists, keeps, plain_ids

__all__ = ["generate", "quoted_text"]

_NOT_IN_IDS = re.compile(r"[^0-9a-zA-Z_-]")
_NOT_IN_FILES = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff\ud800-\udfff]")
_PLAIN = re.compile(r"[A-Za-z_/][A-Za-z0-9_./-]*\Z")
_RESERVED = frozenset({"null", "true", "false", "yes", "no", "on", "off", "y", "n"})
_ESCAPED = re.compile('["\\\\\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]')
_MIB = 1024**2


def generate(dag: Dag, lost: Notes) -> Iterator[str]:
    """Yield the text of a Pegasus 5.0 workflow.

    Examples
    --------
    >>> print("".join(generate(Dag.from_names([("a", "b")], time_s=[1, 2.5]), Notes())))
    pegasus: "5.0"
    name: workflow
    jobs:
    - type: job
      name: a
      id: a
      arguments: []
      uses: []
      profiles:
        pegasus:
          runtime: "1.0"
    - type: job
      name: b
      id: b
      arguments: []
      uses: []
      profiles:
        pegasus:
          runtime: "2.5"
    jobDependencies:
    - id: a
      children:
      - b
    <BLANKLINE>
    """
    if dag.n == 0:
        lost.say("Pegasus asks for at least one job: the file is not valid")
    ids = plain_ids(dag.names, _NOT_IN_IDS)
    files = FileLists.build(dag, _NOT_IN_FILES, lost)
    yield 'pegasus: "5.0"\nname: workflow\n'
    yield from _file_names(files)
    yield "jobs:\n" if dag.n else "jobs: []\n"
    for job in range(dag.n):
        yield from _job(dag, job, ids[job], files, lost)
    if dag.m:
        yield "jobDependencies:\n"
    for job in range(dag.n):
        if len(dag.children(job)):
            yield f"- id: {quoted_text(ids[job])}\n  children:\n"
            yield "".join(f"  - {quoted_text(ids[child])}\n" for child in dag.children(job))


def _file_names(files: FileLists) -> Iterator[str]:
    if files.original or not files.named:
        yield "x-eligo:\n"
    if not files.named:
        yield "  unnamedFiles: true\n"
    if files.original:
        yield "  fileNames:\n"
    for file, name in files.original.items():
        yield f"  - lfn: {quoted_text(file)}\n    name: {quoted_text(name)}\n"


def _job(dag: Dag, job: int, identity: str, files: FileLists, lost: Notes) -> Iterator[str]:
    quoted = quoted_text(identity)
    yield f"- type: job\n  name: {quoted}\n  id: {quoted}\n  arguments: []\n"
    inputs, outputs = files.inputs[job], files.outputs[job]
    yield "  uses:\n" if inputs or outputs else "  uses: []\n"
    if dag.data is not None:
        for datum in inputs:
            yield f"  - lfn: {quoted_text(files.ids[datum])}\n    type: input\n"
            if dag.data.producer[datum] == OUTSIDE:
                yield from _size(int(dag.data.size_bytes[datum]))
        for datum in outputs:
            kept = "true" if len(dag.data.readers_of(datum)) == 0 else "false"
            yield f"  - lfn: {quoted_text(files.ids[datum])}\n    type: output\n"
            yield f"    stageOut: {kept}\n    registerReplica: false\n"
            yield from _size(int(dag.data.size_bytes[datum]))
    yield from _profiles(dag, job)
    yield from _own(dag, job, identity, lost)


def _size(size_bytes: int) -> Iterator[str]:
    if size_bytes != UNKNOWN:
        yield f'    metadata:\n      size: "{size_bytes}"\n'


def _profiles(dag: Dag, job: int) -> Iterator[str]:
    time_s = np.nan if dag.time_s is None else float(dag.time_s[job])
    memory = UNKNOWN if dag.memory_bytes is None else int(dag.memory_bytes[job])
    if not np.isnan(time_s) or memory != UNKNOWN:
        yield "  profiles:\n    pegasus:\n"
    if not np.isnan(time_s):
        yield f'      runtime: "{time_s!r}"\n'
    if memory != UNKNOWN:
        yield f'      memory: "{-(-memory // _MIB)}"\n'


def _own(dag: Dag, job: int, identity: str, lost: Notes) -> Iterator[str]:
    own: dict[str, str] = {}
    name = dag.names[job]
    if identity != name and keeps(name, lost):
        own["name"] = quoted_text(name)
    for key, column in (("memoryInBytes", dag.memory_bytes), ("tempBytes", dag.temp_bytes)):
        if column is not None and column[job] != UNKNOWN and (key == "tempBytes" or column[job] % _MIB):
            own[key] = f'"{column[job]}"'
    if dag.count is not None and dag.count[job] != 1:
        own["count"] = f'"{dag.count[job]}"'
    if own:
        yield "  x-eligo:\n" + "".join(f"    {key}: {value}\n" for key, value in own.items())


def quoted_text(text: str) -> str:
    """Return a YAML scalar that every reader takes as this text, never as a number or a truth value.

    Examples
    --------
    >>> print(quoted_text("a-1"), quoted_text("no"), quoted_text("1e3"))
    a-1 "no" "1e3"
    """
    if _PLAIN.match(text) and text.lower() not in _RESERVED:
        return text
    return '"' + _ESCAPED.sub(lambda found: _escape(found[0]), text) + '"'


def _escape(character: str) -> str:
    return f"\\{character}" if character in '"\\' else f"\\u{ord(character):04x}"
