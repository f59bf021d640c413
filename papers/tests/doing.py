"""Steps done without the runner: here, one after the other."""

from __future__ import annotations

import json
from collections.abc import Iterable
from importlib import import_module
from typing import Any

from eligo_papers import Step


def do(steps: Iterable[Step]) -> dict[str, Any]:
    """Return what steps find; functions are found by name, and arguments and results go through JSON, as for real."""
    found = {}
    for step in steps:
        run = getattr(import_module(step.run.__module__), step.run.__name__)
        found[step.name] = json.loads(json.dumps(run(**json.loads(json.dumps(dict(step.arguments))))))
    return found
