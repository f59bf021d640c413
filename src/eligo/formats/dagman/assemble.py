"""From units to a dag."""

from __future__ import annotations

from typing import Any

import numpy as np

from eligo.dag import Dag
from eligo.formats.base import Notes
from eligo.formats.dagman.unit import Unit, walk


def assemble(unit: Unit, notes: Notes) -> tuple[Dag, Any]:
    tails = []
    heads = []
    names: list[str] = [""] * unit.count if unit.instances or len(unit.nodes) > 1 else []
    for here, offset, prefix, _ in walk(unit):
        tails.append(here.tails + np.int32(offset) if offset else here.tails)
        heads.append(here.heads + np.int32(offset) if offset else here.heads)
        for run in here.nodes:
            own = here.names_of(run)
            if prefix:
                own = [prefix + name for name in own]
            if names:
                names[offset + run.position : offset + run.position + run.count] = own
            else:
                names = own
    dag = Dag.from_edges(names, np.concatenate(tails), np.concatenate(heads))
    return dag, unit
