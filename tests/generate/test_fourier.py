import numpy as np
import pytest

from eligo.errors import EligoError
from eligo.generate import fft
from tests.reference import shapes


@pytest.mark.parametrize("dim", range(6))
def test_equals_the_definition(dim):
    dag = fft(dim)
    assert (dag.n, set(zip(dag.tails.tolist(), dag.heads.tolist(), strict=True))) == shapes.fft(dim)
    assert (dag.n, dag.m) == ((dim + 1) * 2**dim, dim * 2 ** (dim + 1))


def test_butterflies_share_their_children():
    """000 (2.1): the two nodes of level l that differ in symbol d - l have the same two children."""
    dim = 4
    dag = fft(dim)
    for row in range(dim):
        for place in range(2**dim):
            partner = place ^ (1 << (dim - 1 - row))
            mine, its = dag.children(row * 2**dim + place), dag.children(row * 2**dim + partner)
            assert np.array_equal(mine, its)


@pytest.mark.parametrize("dim", [-1, 40, 10**9, 10**400])
def test_refuses(dim):
    with pytest.raises(EligoError):
        fft(dim)
