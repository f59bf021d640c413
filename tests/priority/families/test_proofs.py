"""What families claim, put before the independent checker and before exact search."""

from __future__ import annotations

import pytest

from eligo.certificate import Certificate, verify
from eligo.dag import Dag
from eligo.errors import CertificateError
from eligo.generate import fft, mesh, tree, tree_from_parents
from eligo.priority import _exact as exact
from eligo.priority._families import recognise, recognise_fft, recognise_mesh, recognise_mixed_tree, recognise_tree
from eligo.schedule import Schedule
from tests.priority.families.brute import shuffled

MEMBERS = {
    "single": Dag.from_edges(1),
    "arc": Dag.from_edges(2, [0], [1]),
    "chain": tree(5, 1),
    "star": tree(1, 7),
    "star-out": tree(1, 7, expansion=True),
    "tree": tree(5),
    "tree-out": tree(3, 3, expansion=True),
    "ragged": tree_from_parents([-1, 0, 0, 1, 1, 4, 4, 6, 6]),
    "ragged-out": tree_from_parents([-1, 0, 0, 1, 1, 4, 4, 6, 6], expansion=True),
    "mixed": tree_from_parents([-1, 0, 0, 0, 1, 1, 1, 2, 2, 4, 5, 5]),
    "mixed-out": tree_from_parents([-1, 0, 0, 0, 1, 1, 1, 2, 2, 4, 5, 5], expansion=True),
    "mesh": mesh(9),
    "mesh-out": mesh(9, 2, expansion=True),
    "butterfly": fft(1),
    "fft": fft(5),
}


@pytest.mark.parametrize("name", MEMBERS)
@pytest.mark.parametrize("recogniser", [recognise, recognise_tree, recognise_mesh, recognise_fft, recognise_mixed_tree])
def test_the_checker_accepts_every_witness(name: str, recogniser) -> None:
    dag = shuffled(MEMBERS[name], seed=7)
    found = recogniser(dag)
    if found is None:
        assert recogniser is not recognise
        return
    if not found.certifiable:
        assert found.parameters["dim"] in (1, 7)  # chains and stars taken as meshes
        return
    schedule = Schedule.of(dag, found.best_order())
    assert schedule.profile.tolist() == found.best_profile().tolist()
    verify(Certificate.of(schedule, "ic-optimal", found.witness(schedule.order)), dag)


def test_the_checker_refuses_what_is_not_optimal() -> None:
    for dag in (fft(3), tree(3), mesh(5)):
        found = recognise(shuffled(dag, seed=1))
        assert found is not None
        eager = Schedule.of(found.dag, found.eager_order())
        with pytest.raises(CertificateError):
            verify(Certificate.of(eager, "ic-optimal", found.witness(eager.order)), found.dag)


@pytest.mark.parametrize(("levels", "dim"), [(5, 3), (6, 3), (4, 4), (4, 5), (3, 6)])
@pytest.mark.parametrize("expansion", [False, True])
def test_exact_search_finds_nothing_better_on_meshes_of_more_dimensions(levels: int, dim: int, expansion: bool) -> None:
    """No certificate rests on it, but the across-level order is IC-optimal wherever we could look."""
    found = recognise_mesh(shuffled(mesh(levels, dim, expansion), seed=levels))
    assert found is not None
    schedule = Schedule.of(found.dag, found.best_order())
    assert schedule.profile.tolist() == exact.best_profile(found.dag).tolist() == found.best_profile().tolist()


def test_exact_search_agrees_on_larger_members() -> None:
    for dag in (tree(4), tree(3, 3), tree(4, 2, expansion=True), mesh(9), mesh(9, 2, True), fft(3)):
        found = recognise(shuffled(dag, seed=4))
        assert found is not None
        assert exact.best_profile(found.dag).tolist() == found.best_profile().tolist()
