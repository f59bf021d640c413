"""Familiar computations: those of Cordasco et al. 2010, Fig. 1, that are not a mesh or an FFT dag alone.

The figure is missing in the text; each function says which dag it takes for it. The figure's wavefront is
:func:`eligo.generate.wavefront` and its FFT :func:`eligo.generate.fft`. Cost: O(n), in arrays.
"""

from __future__ import annotations

import numpy as np

from eligo.dag import Dag
from eligo.generate.compose import compose
from eligo.generate.family import Family, register
from eligo.generate.limits import at_least, fits, within
from eligo.generate.trees import tree

__all__ = ["divide_and_conquer", "laplace_transform", "matrix_multiplication", "parallel_prefix"]


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
