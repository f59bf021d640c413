"""LIGO, MONTAGE and GENOME: workflows of 100 jobs as 004 generated them with the Pegasus generator.

004 has 20 of each. Few are public: two each of the memory papers' own graphs, and one each in the Pegasus gallery. The
shapes here are theirs, read off those; times and sizes are drawn, kind by kind, around the gallery's means.

* LIGO searches in *groups*: TmpltBank -> Inspiral (one to one) -> Thinca (one for the group) -> TrigBank (as many as
  Inspirals) -> Inspiral (one to one, here called Veto) -> Thinca (here Coinc). Groups go from the largest to the
  smallest. Each takes the Inspirals behind those of the group before, but where too few are left, the last ones: so
  Inspirals at the end belong to several groups. (``generate.inspiral`` ties groups otherwise, for 002.)
* MONTAGE compares pairs of images drawn at random, twice the same or an image with itself among them.
* GENOME is ``generate.epigenomics``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from eligo import generate
from eligo.dag import Dag, Data

__all__ = ["WORKFLOWS", "search", "workflow"]

WORKFLOWS = ("LIGO", "MONTAGE", "GENOME")

_TASKS = 100
_IMAGES = 16
_SINGLE = ("mConcatFit", "mBgModel", "mImgTbl", "mAdd", "mShrink", "mJPEG")


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


def workflow(name: str, number: int) -> Dag:
    """Return a workflow of 100 jobs with times, files and what jobs hold while they run; ``number`` is its seed.

    Examples
    --------
    >>> dag = workflow("MONTAGE", 0)
    >>> dag.n, int(dag.data.size_bytes.max()), int(dag.temp_bytes[0])
    (100, 163619129, 4210288)
    """
    rng = np.random.Generator(np.random.PCG64([number, WORKFLOWS.index(name)]))
    shape = {
        "LIGO": lambda: _random_search(number),
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


def search(banks: int, groups: Sequence[int]) -> Dag:
    """Return LIGO's search with so many TmpltBanks, and groups of these sizes, from the largest to the smallest.

    Examples
    --------
    The second group takes the third Inspiral, and the second once more:

    >>> dag = search(3, [2, 2])
    >>> dag.n, [[dag.names[job] for job in dag.parents(dag.index(f"Thinca_{group}"))] for group in (0, 1)]
    (18, [['Inspiral_0', 'Inspiral_1'], ['Inspiral_1', 'Inspiral_2']])
    """
    counts = {"TmpltBank": banks, "Inspiral": banks, "Thinca": len(groups)}
    counts |= {"TrigBank": sum(groups), "Veto": sum(groups), "Coinc": len(groups)}
    names = [f"{kind}_{one}" for kind, many in counts.items() for one in range(many)]
    starts = dict(zip(counts, np.cumsum([0, *counts.values()]).tolist(), strict=False))
    bank, first, thinca, trigger, veto, coinc = (range(at, at + counts[kind]) for kind, at in starts.items())
    edges = [*zip(bank, first, strict=True), *zip(trigger, veto, strict=True)]
    taken = begun = 0
    for group, size in enumerate(groups):
        taken = min(taken, banks - size)
        edges += [(one, thinca[group]) for one in first[taken : taken + size]]
        edges += [(thinca[group], one) for one in trigger[begun : begun + size]]
        edges += [(one, coinc[group]) for one in veto[begun : begun + size]]
        taken, begun = taken + size, begun + size
    tails, heads = zip(*edges, strict=True)
    return Dag.from_edges(names, tails, heads)


def _random_search(number: int) -> Dag:
    """Return a search of 100 jobs in two to four groups, of which up to one Inspiral a group is in several."""
    rng = np.random.Generator(np.random.PCG64([number, 7]))
    groups = int(rng.integers(2, 5))
    again = groups % 2 + 2 * int(rng.integers(0, groups // 2 + 1))  # even or odd, so that jobs add up to 100
    triggers = (_TASKS - 2 * groups + 2 * again) // 4
    cuts = 1 + np.sort(rng.permutation(triggers - 1)[: groups - 1])
    sizes = np.diff([0, *cuts, triggers])
    return search(triggers - again, sorted(sizes.tolist(), reverse=True))


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
