"""The graphs of 004, section 6: daggen's, and the workflows LIGO, MONTAGE and GENOME of 100 tasks.

DAGGEN is drawn anew from the parameters that 004 prints; each child has its own copy of what a task sends, the simple
model. Of the three workflows 004 generated 20 graphs each with the Pegasus generator. Some of them are public; where
the folder of data has none, shapes come from ``eligo.generate`` (but MONTAGE), and times and sizes from the gallery's
files.

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
from typing import NamedTuple

import numpy as np

from eligo import generate
from eligo.dag import Dag, Data, Int64
from eligo.formats import read

__all__ = ["DAGGEN", "SETS", "WORKFLOWS", "Reference", "daggen_dag", "emulated", "load", "own_graphs", "workflow"]

Reference = str | list[str | int]
"""A file, or the name of a set and the number of a graph in it: anything that JSON holds."""

DAGGEN = {"DAGGEN dense": 0.8, "DAGGEN sparse": 0.2}
"""The two halves of the set and their densities."""
WORKFLOWS = ("LIGO", "MONTAGE", "GENOME")
SETS = (*DAGGEN, *WORKFLOWS)

_PARAMETERS = list(product((25, 50, 100), (0.2, 0.5, 0.8), (0.2, 0.8), (1, 2, 4)))
_TASKS = 100
_IMAGES = 16
_SINGLE = ("mConcatFit", "mBgModel", "mImgTbl", "mAdd", "mShrink", "mJPEG")
_OWN = {"LIGO": "LIGO.n.100.*.dot", "MONTAGE": "MONTAGE.n.100.*.dot", "GENOME": "GENOME.n.100.*.dot"}
_OWN_DAGGEN = ("dag-25-*.dot", "dag-50-*.dot", "dag-100-*.dot")


class _Facts(NamedTuple):
    """Of a kind of jobs: means, and standard deviations over means.

    ``read_bytes`` is what others read of what it writes, ``rest_bytes`` what is there besides while it runs: what it
    reads from outside and what it writes that nobody reads.
    """

    time_s: float
    time_spread: float
    read_bytes: float
    read_spread: float
    rest_bytes: float
    rest_spread: float


# Measured on the Pegasus gallery's Inspiral_100, Montage_100 and Epigenomics_100 (DAX, public), kind by kind. The
# second stages of Inspiral are called Veto and Coinc, as eligo.generate.inspiral has them. mAdd's and mShrink's sizes
# are means over Montage_100 and the memory papers' two public graphs, since they differ from workflow to workflow.
_FACTS = {
    "TmpltBank": _Facts(18.3, 0.02, 9.85e5, 0.02, 4.05e7, 0.001),
    "Inspiral": _Facts(421, 0.28, 3.4e5, 0.23, 4.29e7, 0.001),
    "Thinca": _Facts(5.2, 0.09, 2.5e4, 0.22, 0, 0),
    "TrigBank": _Facts(5.0, 0.08, 1.25e4, 0.28, 0, 0),
    "Veto": _Facts(449, 0.24, 2.9e5, 0.27, 4.29e7, 0.001),
    "Coinc": _Facts(5.2, 0.04, 0, 0, 3.5e4, 0.23),
    "mProject": _Facts(13.5, 0.02, 8.32e6, 0.003, 4.22e6, 0.004),
    "mDiffFit": _Facts(10.6, 0.01, 2.9e3, 0.27, 2.9e5, 0.27),
    "mConcatFit": _Facts(5.0, 0, 1.3e4, 0, 1.7e3, 0),
    "mBgModel": _Facts(5.3, 0, 850, 0, 2.7e3, 0),
    "mBackground": _Facts(10.7, 0.01, 8.33e6, 0.003, 0, 0),
    "mImgTbl": _Facts(7.6, 0, 5.7e3, 0, 2.7e3, 0),
    "mAdd": _Facts(9.6, 0, 1.85e8, 0.13, 304, 0),
    "mShrink": _Facts(6.9, 0, 3.7e6, 0.13, 0, 0),
    "mJPEG": _Facts(0.8, 0, 0, 0, 4.2e5, 0),
    "fastqSplit": _Facts(34.8, 0, 0, 0.2, 0, 0),
    "filterContams": _Facts(1.1, 0.56, 4.93e6, 0.43, 4.86e6, 0.43),
    "sol2sanger": _Facts(0.4, 0.44, 4.04e6, 0.59, 0, 0),
    "fastq2bfq": _Facts(0.6, 0.64, 9.7e5, 0.64, 0, 0),
    "map": _Facts(16_544, 0.22, 1.05e6, 0.64, 0, 0),
    "mapMerge": _Facts(10.9, 0, 2.39e7, 0, 7e5, 0),
    "maqindex": _Facts(0.03, 0, 4.2e5, 0, 0, 0),
    "pileup": _Facts(6255, 0, 0, 0, 3.0e6, 0),
}
# Of a whole GENOME workflow: the sequences that are split, and the genome that every map reads. They differ much from
# one to the next: between these in three files of the gallery and the papers' four graphs.
_SEQUENCES = (2.35e8, 4.92e8)
_GENOME = (1.27e9, 5.30e9)


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


def workflow(name: str, number: int) -> Dag:
    """Return a workflow of 100 jobs with times, files and what jobs hold while they run; ``number`` is its seed.

    The groups of LIGO are two in even and three in odd workflows, as in the public ones. In MONTAGE 62 pairs of 16
    images are compared, drawn at random, as in the public ones of this size; ``generate.montage`` compares neighbours.

    Examples
    --------
    >>> dag = workflow("MONTAGE", 0)
    >>> dag.n, int(dag.data.size_bytes.max()), int(dag.temp_bytes[0])
    (100, 163619129, 4210288)
    """
    rng = np.random.Generator(np.random.PCG64([number, WORKFLOWS.index(name)]))
    shape = {
        "LIGO": lambda: generate.inspiral(_TASKS, group=50 - 17 * (number % 2), seed=number),
        "MONTAGE": lambda: _mosaic(number),
        "GENOME": lambda: generate.epigenomics(_TASKS, seed=number),
    }[name]()
    sequences, genome = rng.uniform(*_SEQUENCES), rng.uniform(*_GENOME)
    time_s, rest, size, producer, readers = [], [], [], [], []
    for job, job_name in enumerate(shape.names):
        kind = job_name.partition("_")[0]
        facts, children = _FACTS[kind], shape.children(job).tolist()
        time_s.append(round(_gamma(rng, facts.time_s, facts.time_spread), 2))
        outside = {"fastqSplit": sequences, "map": genome, "pileup": genome}.get(kind, 0)
        rest.append(round(outside + _gamma(rng, facts.rest_bytes, facts.rest_spread)))
        each = [[child] for child in children] if kind == "fastqSplit" else [children] if children else []
        mean = sequences / len(each) if kind == "fastqSplit" else facts.read_bytes
        for some in each:
            size.append(max(1, round(_gamma(rng, mean, facts.read_spread))))
            producer.append(job)
            readers.append(some)
    data = Data.build(size, producer, readers)
    return shape.with_known(time_s=time_s, temp_bytes=rest, data=data)


def _mosaic(number: int) -> Dag:
    """Return a Montage of 100 jobs, kind after kind; pairs may be drawn twice, or be one image, as in the gallery."""
    overlaps = _TASKS - 2 * _IMAGES - len(_SINGLE)
    pairs = np.random.Generator(np.random.PCG64([number, _IMAGES])).integers(0, _IMAGES, (overlaps, 2)).tolist()
    image, diff = range(_IMAGES), range(_IMAGES, _IMAGES + overlaps)
    concat, model = diff.stop, diff.stop + 1
    background = range(model + 1, model + 1 + _IMAGES)
    table = background.stop
    edges = [(one, diff[which]) for which, pair in enumerate(pairs) for one in sorted({*pair})]
    edges += [(one, concat) for one in diff] + [(concat, model)] + [(model, one) for one in background]
    edges += [*zip(image, background, strict=True), *((one, table) for one in background)]
    edges += [(table + step, table + step + 1) for step in range(3)]
    names = [f"mProject_{one}" for one in image] + [f"mDiffFit_{one}" for one in range(overlaps)] + [*_SINGLE[:2]]
    names += [f"mBackground_{one}" for one in image] + [*_SINGLE[2:]]
    tails, heads = zip(*edges, strict=True)
    return Dag.from_edges(names, tails, heads)


def _gamma(rng: np.random.Generator, mean: float, spread: float) -> float:
    return float(rng.gamma(1 / spread**2, mean * spread**2)) if mean and spread else mean


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
