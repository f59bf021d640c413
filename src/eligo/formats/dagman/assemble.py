"""From what was read to a dag: names in full, edges in one numbering, and what is known of the jobs."""

from __future__ import annotations

import numpy as np

from eligo.dag import Dag
from eligo.errors import CycleError
from eligo.formats.base import Notes
from eligo.formats.dagman.details import Details
from eligo.formats.dagman.resources import Columns, Shelf, columns_of
from eligo.formats.dagman.unit import Unit, directory_of, stated_edges, walk

__all__ = ["assemble"]


def assemble(unit: Unit, notes: Notes) -> Dag:
    """Return the dag of a unit, its splices expanded."""
    main = unit.files[0].source
    names = _names(unit)
    if any("+" in use.name for here, *_ in walk(unit) for use in here.instances) and len(set(names)) < len(names):
        seen: set[str] = set()
        twice = next(name for name in names if name in seen or seen.add(name))  # type: ignore[func-returns-value]
        raise main.error(None, f"two jobs are called {twice!r} once splices are expanded", hint="rename a splice")
    tails, heads = stated_edges(unit)
    shelf = Shelf(directory_of(main.path), notes)
    known = _known(unit, {}, shelf)
    try:
        return Dag.from_edges(
            names, tails, heads, time_s=known.time_s, temp_bytes=known.temp_bytes, memory_bytes=known.memory_bytes,
            count=known.count,
        )  # fmt: skip
    except CycleError as error:
        raise _located(unit, error) from None


def _names(unit: Unit) -> list[str]:
    if len(unit.nodes) == 1 and not unit.instances:
        return unit.names_of(unit.nodes[0])
    names = [""] * unit.count
    for here, offset, prefix, _ in walk(unit):
        for run in here.nodes:
            own = here.names_of(run)
            begin = offset + run.position
            names[begin : begin + run.count] = [prefix + name for name in own] if prefix else own
    return names


def _known(unit: Unit, made: dict[int, Columns], shelf: Shelf) -> Columns:
    """Gather the columns of all units; an inner one's own jobs overwrite the gap the outer one left."""
    if not unit.instances:
        return columns_of(unit, shelf)
    whole = Columns()
    for here, offset, *_ in walk(unit):
        if id(here) not in made:
            made[id(here)] = columns_of(here, shelf)
        for name in ("time_s", "memory_bytes", "temp_bytes", "count"):
            part = getattr(made[id(here)], name)
            if part is not None:
                if getattr(whole, name) is None:
                    unknown = np.nan if name == "time_s" else 1 if name == "count" else -1
                    setattr(whole, name, np.full(unit.count, unknown, part.dtype))
                getattr(whole, name)[offset : offset + here.count] = part
    return whole


def _located(unit: Unit, error: CycleError) -> CycleError:
    """Add the line of an edge of the cycle, where one line of one file states it."""
    details = Details(unit)
    ring = error.cycle
    names = _names(unit)
    number = {name: i for i, name in enumerate(names)}
    for parent, child in zip(ring, (*ring[1:], *ring[:1]), strict=True):
        found = details.edge_line(number[parent], number[child])
        if found is not None:
            return CycleError(ring, path=found[0], line=found[1])
    return CycleError(ring, path=unit.files[0].source.path)
