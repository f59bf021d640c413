"""What is claimed of real workflows is certified, and far the most of them are settled."""

from __future__ import annotations

import warnings
from collections import Counter

from eligo import EligoError, read, settle, verify
from tests.corpus import DATA, needs_shared


@needs_shared
def test_real_workflows_are_settled_with_certificates_that_hold():
    claims: Counter[str] = Counter()
    for file in sorted(path for path in DATA.rglob("*") if path.is_file()):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                dag = read(file)
        except EligoError:
            continue
        settled = settle(dag, budget=100_000)
        claims[settled.claim] += 1
        if settled.certificate is not None:
            verdict = verify(settled.certificate, dag)
            assert verdict.claim == {"ic-optimal": "ic-optimal", "none-exists": "no-ic-optimal"}[settled.claim]
    assert claims["ic-optimal"] >= 60
    assert claims["none-exists"] >= 15
