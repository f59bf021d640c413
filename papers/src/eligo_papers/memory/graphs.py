"""The graphs of 004, section 6: daggen's, and the workflows LIGO, MONTAGE and GENOME of 100 tasks.

DAGGEN is drawn anew from the parameters that 004 prints; each child has its own copy of what a task sends, the simple
model. The three workflows are those of ``gallery.py``; with a folder of data, the memory papers' own graphs that are
public are tried beside them.

**What the memory papers' own graphs hold**, read off those that are public (see also ``emulated``):

* a task is two nodes, its start and its end; the edge between them is what it holds while it runs: what it writes,
  what it reads from outside the workflow (a LIGO TmpltBank some 40.5 MB, against 1 MB that it writes), and its inputs
  that others read too. Inputs that nobody else reads are *not* in it, though 004, section 3.2.1 has them there;
* an input that others read too is held by every task that reads it while that runs, and once more by the edge to the
  node that frees it: counted several times;
* that edge has the same size for all shared files of a graph, which is the size of some other file (in MONTAGE what
  mShrink writes): a slip of the program that made them, it seems. Here they have their own sizes;
* what no task reads does not stay.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from pathlib import Path

import numpy as np

from eligo import generate
from eligo.dag import Dag, Data, Int64
from eligo.formats import read
from eligo_papers.memory.gallery import WORKFLOWS, workflow

__all__ = ["DAGGEN", "SETS", "Reference", "daggen_dag", "emulated", "load", "own_graphs"]

Reference = str | list[str | int]
"""A file, or the name of a set and the number of a graph in it: anything that JSON holds."""

DAGGEN = {"DAGGEN dense": 0.8, "DAGGEN sparse": 0.2}
"""The two halves of the set and their densities."""
SETS = (*DAGGEN, *WORKFLOWS)

_PARAMETERS = list(product((25, 50, 100), (0.2, 0.5, 0.8), (0.2, 0.8), (1, 2, 4)))
_OWN = {"LIGO": "LIGO.n.100.*.dot", "MONTAGE": "MONTAGE.n.100.*.dot", "GENOME": "GENOME.n.100.*.dot"}
_OWN_DAGGEN = ("dag-25-*.dot", "dag-50-*.dot", "dag-100-*.dot")


def load(reference: Reference) -> Dag:
    """Return a graph as 004 has it: in the simple model.

    Examples
    --------
    >>> load(["DAGGEN sparse", 0]).n, load(["GENOME", 3]).n
    (25, 200)
    """
    if isinstance(reference, str):
        return read(reference)
    name, number = str(reference[0]), int(reference[1])
    return daggen_dag(DAGGEN[name], number) if name in DAGGEN else emulated(workflow(name, number))


def own_graphs(folder: Path | None) -> dict[str, list[str]]:
    """Return the memory papers' own graphs and daggen's own files in a folder, where there are any, by set.

    Only those of 100 tasks are part of 004's three sets of workflows, and only daggen's sizes of 25, 50 and 100.

    Examples
    --------
    >>> own_graphs(None)
    {}
    """
    if folder is None:
        return {}
    patterns = {f"{name}, own": [pattern] for name, pattern in _OWN.items()} | {"daggen's own": list(_OWN_DAGGEN)}
    found = {name: sorted(str(path) for one in some for path in folder.rglob(one)) for name, some in patterns.items()}
    return {name: paths for name, paths in found.items() if paths}


def daggen_dag(density: float, number: int, draw: int = 0) -> Dag:
    """Return one of the 54 dags of a density, numbered by 004's other parameters.

    Parameters
    ----------
    draw
        The set is drawn once more for each number: for how much chance does.

    Examples
    --------
    >>> daggen_dag(0.8, 53).n, daggen_dag(0.2, 0) == daggen_dag(0.2, 0)
    (100, True)
    """
    jobs, fat, regular, jump = _PARAMETERS[number]
    seed = number + len(_PARAMETERS) * draw
    return generate.daggen(jobs, fat=fat, regular=regular, density=density, jump=jump, seed=seed)


def emulated(dag: Dag, *, all_inputs: bool = False) -> Dag:
    """Return a workflow with files as the memory papers' graphs have it: weights on edges, in the simple model.

    Each job is two nodes, ``job`` and ``job'``; a file with several readers has a node that frees it. These nodes come
    first, so that a depth-first order frees what it can at once.

    Parameters
    ----------
    all_inputs
        Whether a job holds all its inputs while it runs, as 004 writes, or only those that others read too, as in the
        papers' graphs.

    Examples
    --------
    A file that two jobs read:

    >>> dag = Dag.from_names([("a", "b"), ("a", "c")], time_s=[5, 6, 7], temp_bytes=[10, 20, 30])
    >>> both = emulated(dag.with_known(data=Data.build([100], [0], [[1, 2]])))
    >>> both.names
    ('free a', 'a', "a'", 'b', "b'", 'c', "c'")
    >>> {both.names[int(p)]: int(size) for p, size in zip(both.data.producer, both.data.size_bytes) if size > 100}
    {'a': 110, 'b': 120, 'c': 130}
    """
    data = dag.data if dag.data is not None else Data.build([], [], [])
    counts = np.diff(data.reader_ptr)
    shared = np.flatnonzero(counts > 1)
    start = len(shared) + 2 * np.arange(dag.n)
    reader_of = np.repeat(np.arange(data.k), counts)
    held = _held(dag, data, counts, all_inputs=all_inputs)
    alone = np.flatnonzero(counts == 1)
    size = np.concatenate([held, data.size_bytes[alone], data.size_bytes[shared]])
    tails = [start, start[data.producer[alone]] + 1, start[data.producer[shared]]]
    heads = [start + 1, start[data.readers[data.reader_ptr[alone]]], np.arange(len(shared))]
    freeing = np.full(data.k, -1)
    freeing[shared] = np.arange(len(shared))
    reads_shared = counts[reader_of] > 1
    plain_tails = np.concatenate([start[dag.tails] + 1, start[data.readers[reads_shared]]])
    plain_heads = np.concatenate([start[dag.heads], freeing[reader_of[reads_shared]]])
    names = [f"free {dag.names[job]}" for job in data.producer[shared].tolist()]
    names = _different(names) + [node for name in dag.names for node in (name, f"{name}'")]
    time_s = np.zeros(len(names))
    time_s[start] = np.ones(dag.n) if dag.time_s is None else dag.time_s
    weighted = Data.build(size.tolist(), np.concatenate(tails), [[head] for head in np.concatenate(heads).tolist()])
    edges = np.unique(np.stack([np.concatenate([*tails, plain_tails]), np.concatenate([*heads, plain_heads])]), axis=1)
    return Dag.from_edges(names, edges[0], edges[1], time_s=time_s, data=weighted)


def _held(dag: Dag, data: Data, counts: Int64, *, all_inputs: bool) -> Int64:
    """Return what each job holds while it runs."""
    held = np.zeros(dag.n, np.int64) if dag.temp_bytes is None else dag.temp_bytes.copy()
    np.add.at(held, data.producer, data.size_bytes)
    reads = np.repeat(data.size_bytes, counts)
    counted = np.repeat(counts, counts) > (0 if all_inputs else 1)
    np.add.at(held, data.readers[counted], reads[counted])
    return held


def _different(names: Sequence[str]) -> list[str]:
    """Return names with numbers where they repeat."""
    seen: dict[str, int] = {}
    found = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        found.append(name if seen[name] == 1 else f"{name} {seen[name]}")
    return found
