import shlex
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Literal

import pytest

from eligo import generate
from eligo.dag import Dag
from eligo.errors import EligoError
from eligo.generate import FAMILIES, Family
from eligo.generate._family import REQUIRED, at_least, at_least_each, fits, markdown_table, register, within
from tests.guards import no_hang


@pytest.mark.parametrize("family", FAMILIES.values(), ids=list(FAMILIES))
def test_every_record_is_whole(family):
    parameters = family.parameters()
    assert {parameter.name for parameter in parameters} == set(family.help), "a line of help for each parameter"
    assert set(family.positional) <= set(family.help)
    assert all(parameter.help for parameter in parameters)
    assert shlex.split(family.example)[0] == family.name
    assert family.summary
    assert "\n" not in family.summary
    home = import_module(family.make.__module__)
    assert "Numbering" in f"{family.make.__doc__} {home.__doc__}"
    assert getattr(generate, family.make.__name__) is family.make, "public in eligo.generate"


@pytest.mark.parametrize("family", FAMILIES.values(), ids=list(FAMILIES))
def test_defaults_make_a_dag(family):
    if all(parameter.default is not REQUIRED for parameter in family.parameters()):
        assert family.make().n > 0


def test_parameters_are_read_off_the_signature():
    def make(
        kind: Literal["a", "b"], sizes: Sequence[int], jobs: int = 3, share: float | None = None, costs: bool = False
    ) -> Dag:
        raise NotImplementedError

    words = dict.fromkeys(["kind", "sizes", "jobs", "share", "costs"], "help")
    kind, sizes, jobs, share, costs = Family("x", make, "", words, "", ("kind", "sizes")).parameters()
    assert (kind.choices, kind.positional, kind.default) == (("a", "b"), True, REQUIRED)
    assert (sizes.kind, sizes.many) == (int, True)
    assert (jobs.kind, jobs.default, jobs.many, jobs.positional) == (int, 3, False, False)
    assert (share.kind, share.default) == (float, None)
    assert (costs.kind, costs.flag) == (bool, "--costs")


def test_the_documentation_lists_every_family_as_it_is():
    text = Path(__file__, "../../../docs/generators.md").resolve().read_text()
    assert "\n".join(markdown_table(FAMILIES.values())) in text, "run: python -m eligo.generate"


def test_two_families_of_one_name_are_refused():
    with pytest.raises(ValueError, match="two families"):
        register(FAMILIES["mesh"])


def test_limits():
    at_least(2, jobs=2)
    within(0, 1, share=1)
    fits(50_000_000, 400_000_000)
    for call in (
        lambda: at_least(2, jobs=1),
        lambda: at_least(2, jobs=2.0),
        lambda: at_least(2, jobs="3"),
        lambda: at_least_each(2, "degrees", []),
        lambda: at_least_each(2, "degrees", [3, 1]),
        lambda: at_least_each(2, "degrees", [3, "x"]),
        lambda: within(0, 1, share=float("nan")),
        lambda: within(0, 1, share="x"),
        lambda: fits(50_000_001),
        lambda: fits(1, 10**400),
    ):
        with pytest.raises(EligoError) as caught:
            call()
        assert caught.value.hint


@pytest.mark.long
@pytest.mark.parametrize(
    "make",
    [
        lambda n: generate.mesh(1413),
        lambda n: generate.tree(19),
        lambda n: generate.airsn((n - 23) // 3),
        lambda n: generate.w_dag(n // 2, 2),
        lambda n: generate.layered(n, 1000, 0.003),
        lambda n: generate.uniform(n, 6e-6),
        generate.series_parallel,
        generate.random_tree,
        *(lambda n, make=make: make(n, costs=True) for make in (
            generate.sdss, generate.montage, generate.inspiral, generate.cybershake, generate.epigenomics
        )),
    ],
)  # fmt: skip
def test_a_million_jobs_in_seconds(make):
    with no_hang():
        dag = make(1_000_000)
    assert abs(dag.n - 1_000_000) < 60_000
