"""Chains and fork-joins: the two shapes that every workflow language has a word for.

The dag of the fast Fourier transform, in arrays, O(n).

Familiar computations: those of Cordasco et al. 2010, Fig. 1, that are not a mesh or an FFT dag alone.

The figure is missing in the text; each function says which dag it takes for it. The figure's wavefront is
:func:`eligo.generate.wavefront` and its FFT :func:`eligo.generate.fft`. Cost: O(n), in arrays.

Dags made from dags: the dual numbered from its own sources, and composition by merging sinks with sources.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from eligo.dag import Dag, Int64
from eligo.errors import EligoError
from eligo.generate._family import Family, at_least, fits, register, within
from eligo.generate._meshes_and_trees import tree

__all__ = [
    "chain",
    "compose",
    "divide_and_conquer",
    "fft",
    "fork_join",
    "laplace_transform",
    "matrix_multiplication",
    "parallel_prefix",
    "reverse",
]


def chain(length: int = 10) -> Dag:
    """Return jobs in a row, each the only parent of the next.

    Numbering: from the source to the sink.

    Examples
    --------
    >>> chain(3)
    Dag(3 jobs, 2 edges)
    """
    at_least(1, length=length)
    fits(length)
    jobs = np.arange(length, dtype=np.int32)
    return Dag.from_edges(length, jobs[:-1], jobs[1:])


def fork_join(width: int = 4, stages: int = 1) -> Dag:
    """Return a fork of `width` parallel jobs followed by a join; the join is the fork of the next stage.

    ``stages * (width + 1) + 1`` jobs. Numbering: the first fork, then for each stage its parallel jobs and its join.

    Examples
    --------
    >>> dag = fork_join(3, stages=2)
    >>> dag, dag.children(4).tolist()
    (Dag(9 jobs, 12 edges), [5, 6, 7])
    """
    at_least(1, width=width, stages=stages)
    fits(stages * (width + 1) + 1, 2 * stages * width)
    forks = (width + 1) * np.arange(stages)[:, None]
    parallel = forks + np.arange(1, width + 1)
    ends = np.broadcast_to(forks, parallel.shape)
    return Dag.from_edges(
        stages * (width + 1) + 1,
        np.concatenate([ends, parallel], axis=None),
        np.concatenate([parallel, ends + width + 1], axis=None),
    )


register(
    Family("chain", chain, "jobs in a row", {"length": "number of jobs"}, "chain --length 20"),
    Family(
        "fork-join",
        fork_join,
        "one or more forks of equal width, each followed by a join",
        {"width": "parallel jobs of each fork", "stages": "number of forks, one after another"},
        "fork-join --width 50 --stages 3",
    ),
)


def fft(dim: int = 3) -> Dag:
    """Return the FFT dag of 2^d inputs (Rosenberg and Yurkewych 2005, section 2.1.3).

    It has (d + 1) 2^d jobs and d 2^(d+1) edges. Node <l, x> of level l > 0 feeds the two nodes of level l - 1 whose
    strings equal x or differ from it in symbol d - l, counted from 0. Numbering: level d, the sources, first, down to
    level 0; within a level by x read as a binary number. So <l, x> is job (d - l) 2^d + x.

    Examples
    --------
    >>> butterfly = fft(1)
    >>> butterfly, butterfly.children(0).tolist(), butterfly.children(1).tolist()
    (Dag(4 jobs, 4 edges), [2, 3], [2, 3])
    """
    at_least(0, dim=dim)
    within(0, 64, dim=dim)
    fits((dim + 1) << dim, dim << (dim + 1))
    width = 1 << dim
    row = np.arange(dim, dtype=np.int64)[:, None]  # row r is level d - r
    position = np.arange(width, dtype=np.int64)
    partner = position ^ (1 << (dim - 1 - row))
    tails = row * width + position
    below = (row + 1) * width
    return Dag.from_edges(
        (dim + 1) * width,
        np.concatenate([tails, tails], axis=None),
        np.concatenate([below + position, below + partner], axis=None),
    )


register(
    Family("fft", fft, "the fast Fourier transform", {"dim": "2^DIM inputs"}, "fft --dim 3"),
)


def reverse(dag: Dag) -> Dag:
    """Return the dual with the numbering reversed: job v becomes job n - 1 - v, and every edge is turned round.

    A dag whose numbering runs from sources to sinks has a reverse whose numbering does so too. Jobs are named by
    their numbers, times and data are left out.

    Examples
    --------
    >>> fork = Dag.from_edges(3, [0, 0], [1, 2])
    >>> reverse(fork).parents(2)
    array([0, 1], dtype=int32)
    """
    last = np.int32(dag.n - 1)
    return Dag.from_edges(dag.n, last - dag.heads, last - dag.tails)


def compose(upper: Dag, lower: Dag, pairs: Iterable[tuple[int, int]]) -> Dag:
    """Merge sinks of one dag with sources of another (Cordasco et al. 2010, section 2.2).

    Parameters
    ----------
    pairs
        For each merged job its number as a sink of `upper` and its number as a source of `lower`. A job occurs once
        at most; sinks and sources that no pair names stay sinks and sources.

    Returns
    -------
    Dag
        The jobs of `upper` keep their numbers; those of `lower` that are not merged follow in their order. Jobs are
        named by their numbers, times and data are left out.

    Examples
    --------
    A fork and a join make a diamond:

    >>> fork, join = Dag.from_edges(3, [0, 0], [1, 2]), Dag.from_edges(3, [0, 1], [2, 2])
    >>> diamond = compose(fork, join, [(1, 0), (2, 1)])
    >>> list(zip(diamond.tails.tolist(), diamond.heads.tolist()))
    [(0, 1), (0, 2), (1, 3), (2, 3)]
    """
    chosen = np.array(list(pairs), np.int64).reshape(-1, 2)
    sinks, sources = chosen[:, 0], chosen[:, 1]
    _check(upper, sinks, np.diff(upper.succ_ptr), "a sink of the upper dag")
    _check(lower, sources, np.diff(lower.pred_ptr), "a source of the lower dag")
    number = np.full(lower.n, -1, np.int64)
    number[sources] = sinks
    rest = np.flatnonzero(number < 0)
    number[rest] = upper.n + np.arange(len(rest))
    return Dag.from_edges(
        upper.n + len(rest),
        np.concatenate([upper.tails, number[lower.tails]]),
        np.concatenate([upper.heads, number[lower.heads]]),
    )


def _check(dag: Dag, jobs: Int64, degree: Int64, role: str) -> None:
    for job in jobs:
        if not 0 <= job < dag.n or degree[job] != 0:
            raise EligoError(f"job number {job} is not {role}", hint="merge only sinks of the upper with sources below")
    if len(np.unique(jobs)) < len(jobs):
        raise EligoError(f"a job is named twice as {role}", hint="name each job in one pair at most")


def matrix_multiplication() -> Dag:
    """Return one step of recursive matrix multiplication: two 4-cycles, then four two-to-one sums.

    The product of (A B; C D) and (E F; G H) is (AE+BG AF+BH; CE+DG CF+DH). The eight products fall into two
    4-cycles of four blocks and their four products each: A, C with E, F, and B, D with G, H. Numbering: the eight
    blocks, the eight products, the four sums; names say what each computes.

    Examples
    --------
    >>> dag = matrix_multiplication()
    >>> dag, [dag.names[job] for job in dag.parents(dag.index("CF+DH"))]
    (Dag(20 jobs, 24 edges), ['CF', 'DH'])
    """
    products = ["AE", "AF", "CE", "CF", "BG", "BH", "DG", "DH"]
    sums = [f"{one}+{other}" for one, other in zip(products[:4], products[4:], strict=True)]
    edges = [(block, product) for product in products for block in product]
    edges += [(product, total) for total in sums for product in total.split("+")]
    return Dag.from_names(edges, jobs=[*"ABCDEFGH", *products, *sums])


def parallel_prefix(inputs: int = 8) -> Dag:
    """Return the parallel-prefix dag of any number of inputs.

    Row r + 1 has job i fed by jobs i and i - 2^r of row r, the second only where it exists; there are
    ceil(log2 inputs) such rows below the inputs. Numbering: row by row, from the inputs on.

    Examples
    --------
    >>> dag = parallel_prefix(4)
    >>> dag, dag.parents(6).tolist(), dag.parents(11).tolist()
    (Dag(12 jobs, 13 edges), [1, 2], [5, 7])
    """
    at_least(1, inputs=inputs)
    rows = (inputs - 1).bit_length()
    fits((rows + 1) * inputs, 2 * rows * inputs)
    place = np.arange(inputs, dtype=np.int64)
    tails, heads = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
    for row in range(rows):
        here, shift = row * inputs + place, 1 << row
        tails += [here, here[: inputs - shift]]
        heads += [here + inputs, here[shift:] + inputs]
    return Dag.from_edges((rows + 1) * inputs, np.concatenate(tails), np.concatenate(heads))


def laplace_transform(height: int = 3) -> Dag:
    """Return the discrete Laplace transform of 2^h inputs: a parallel-prefix dag, then a binary reduction-tree.

    The sinks of the first, from left to right, are the leaves of the second. Numbering: the parallel-prefix dag row
    by row, then the tree's inner jobs level by level to the root.

    Examples
    --------
    >>> laplace_transform(2)
    Dag(15 jobs, 19 edges)
    """
    at_least(0, height=height)
    within(0, 64, height=height)
    fits((height + 2) << height, (height + 1) << (height + 1))
    inputs = 1 << height
    upper = parallel_prefix(inputs)
    leaves = np.arange(inputs, dtype=np.int64)
    return compose(upper, tree(height), np.stack([upper.n - inputs + leaves, leaves], axis=1).tolist())


def divide_and_conquer(height: int = 3, arity: int = 2) -> Dag:
    """Return an expansion-tree followed by the reduction-tree of the same shape, their leaves merged.

    Numbering: the expansion-tree level by level from its root, then the inner jobs of the reduction-tree level by
    level to its root.

    Examples
    --------
    >>> divide_and_conquer(height=2)
    Dag(10 jobs, 12 edges)
    """
    at_least(0, height=height)
    at_least(1, arity=arity)
    upper = tree(height, arity, expansion=True)
    leaves = np.arange(arity**height, dtype=np.int64)
    return compose(upper, tree(height, arity), np.stack([upper.n - len(leaves) + leaves, leaves], axis=1).tolist())


register(
    Family(
        "matrix-multiplication",
        matrix_multiplication,
        "one step of recursive matrix multiplication",
        {},
        "matrix-multiplication",
    ),
    Family(
        "parallel-prefix",
        parallel_prefix,
        "parallel prefix",
        {"inputs": "number of inputs"},
        "parallel-prefix --inputs 8",
    ),
    Family(
        "laplace-transform",
        laplace_transform,
        "discrete Laplace transform: parallel prefix, then a reduction-tree",
        {"height": "2^HEIGHT inputs"},
        "laplace-transform --height 3",
    ),
    Family(
        "divide-and-conquer",
        divide_and_conquer,
        "an expansion-tree, then a reduction-tree of the same shape",
        {"height": "height of each tree", "arity": "children of each inner node of the trees"},
        "divide-and-conquer --height 3",
    ),
)
