"""Models of memory, each turned into the one form that all algorithms work on: the Footprint.

==============  ======================================================================================================
model           what it means
==============  ======================================================================================================
``simple``      004's simple data-flow model. Each reader has a copy of its own; when a job starts, its inputs are freed
                and its outputs allocated in the same moment.
``classical``   004 section 3.2.1. Each reader has a copy of its own; inputs, temporary space and outputs are all there
                while a job runs.
``shared``      004 section 3.2.2. A datum exists once, from the start of its producer until its last reader has ended.
``pebble``      The pebble game: every job makes one datum of size 1 that all its children read; sizes are not needed.
``files``       The honest one for workflows with files: ``shared`` with the job's temporary space while it runs. With
                the resource *memory*, where jobs state how much they use: that alone, since files are not in memory.
==============  ======================================================================================================

Two rules for what the models leave open. Outputs that no job reads *stay* to the end, or *leave* when their job ends
(in ``simple``, where nothing lies between start and end, they then never count). Data from outside are *ignored*, or
*count* from the beginning until their last reader has ended.

A job that counts several tasks (``queue 10``) holds so many times what it states while it runs; its data are those of
all its tasks together.

The same machinery serves memory and disk: a file on disk that is deleted after its last reader is a datum like any
other. Unknown sizes are taken as 0; these and sizes that are stated as 0 are counted among the doubts.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from eligo.dag import OUTSIDE, UNKNOWN, Dag, Data, Int32, Int64
from eligo.errors import EligoError
from eligo.memory._footprint import MOST_BYTES, Footprint, Rules

__all__ = ["JOBS_ALONE", "MODELS", "RESOURCES", "footprint", "leaves_disk_out"]

MODELS = ("simple", "classical", "shared", "pebble", "files")
RESOURCES = ("memory", "disk")
JOBS_ALONE = "files are not in memory: only what jobs state to use while they run counts"

_Rows = tuple[Int64, Int32, Int64, Int32, Int32]


def footprint(
    dag: Dag, model: str | None = None, resource: str | None = None, *, unread: str = "stay", inputs: str = "ignore"
) -> Footprint:
    """Return what the jobs of a dag occupy.

    Parameters
    ----------
    model
        One of ``MODELS``; by default ``files`` where data have names or jobs state their memory; else, for data that
        are weights of edges, ``simple``; ``classical`` where temporary space is known; ``shared``, or ``files`` where
        temporary space is known, if one has several readers.
    resource
        ``memory`` or ``disk``; by default memory where jobs state it or data are weights of edges, else disk.
    unread
        ``stay`` or ``leave``.
    inputs
        ``ignore`` or ``count``.

    Raises
    ------
    EligoError
        No size is known at all, or the sizes add up to 2^62 or more.

    Examples
    --------
    >>> dag = Dag.from_names([("a", "b"), ("a", "c")])
    >>> dag = dag.with_known(data=Data.build([10], producer=[0], readers=[[1, 2]]))
    >>> footprint(dag).rules.model, footprint(dag, "classical").size
    ('shared', array([10, 10]))
    """
    _check_words(model, resource, unread, inputs)
    rules = _rules(dag, model, resource, unread, inputs)
    running, data, premises, doubts = _contents(dag, rules)
    size, producer, reader_ptr, _, _ = data
    if sum(size.tolist()) + sum(running.tolist()) >= MOST_BYTES:
        raise _too_much()
    held = (size > 0) & ((producer != OUTSIDE) | (rules.inputs == "count"))
    unread_data = np.diff(reader_ptr) == 0
    if rules.unread == "leave" and rules.model != "pebble":
        leaving = held & unread_data & (producer != OUTSIDE)
        if not rules.one_event:
            running = running.copy()
            np.add.at(running, producer[leaving], size[leaving])
        held &= ~leaving
    return Footprint(dag, rules, running, *_only(held, data), premises, doubts)


def leaves_disk_out(held: Footprint) -> bool:
    """Tell whether only the memory counts that jobs state, though sizes are known that the resource disk would count.

    Examples
    --------
    >>> dag = Dag.from_names([("a", "b")], memory_bytes=[3, 4])
    >>> leaves_disk_out(footprint(dag))
    False
    >>> dag = dag.with_known(data=Data.build([10], producer=[0], readers=[[1]]))
    >>> leaves_disk_out(footprint(dag)), leaves_disk_out(footprint(dag, resource="disk"))
    (True, False)
    """
    dag = held.dag
    if JOBS_ALONE not in held.premises:
        return False
    made = dag.data is not None and bool(np.any(dag.data.size_bytes[dag.data.producer != OUTSIDE] > 0))
    return made or (dag.temp_bytes is not None and bool(np.any(dag.temp_bytes > 0)))


def _check_words(model: str | None, resource: str | None, unread: str, inputs: str) -> None:
    for what, word, words in (
        ("model", model, (None, *MODELS)),
        ("resource", resource, (None, *RESOURCES)),
        ("rule for unread outputs", unread, ("stay", "leave")),
        ("rule for inputs", inputs, ("ignore", "count")),
    ):
        if word not in words:
            raise EligoError(f"unknown {what} {word!r}", hint=f"one of: {', '.join(one for one in words if one)}")


def _rules(dag: Dag, model: str | None, resource: str | None, unread: str, inputs: str) -> Rules:
    named = dag.data is not None and dag.data.names is not None
    weights = dag.data is not None and not named
    states_memory = _is_known(dag.memory_bytes)
    if resource is None:
        resource = "memory" if states_memory or weights or model == "pebble" else "disk"
    if model is None:
        if named or (resource == "memory" and states_memory) or dag.data is None:
            model = "files"
        elif np.any(dag.data.reader_counts > 1):
            model = "files" if _is_known(dag.temp_bytes) else "shared"
        else:
            model = "classical" if _is_known(dag.temp_bytes) else "simple"
    return Rules(model, resource, unread, inputs)


def _contents(dag: Dag, rules: Rules) -> tuple[Int64, _Rows, tuple[str, ...], tuple[str, ...]]:
    """Return what jobs hold while they run, the data of the model, its premises and doubts."""
    nothing = np.zeros(dag.n, np.int64)
    if rules.model == "pebble":
        return nothing, _pebbles(dag), (), ()
    if rules.model == "files" and rules.resource == "memory" and _is_known(dag.memory_bytes):
        memory, missing = _known(dag.memory_bytes, dag.n)
        memory = _for_all_tasks(memory, dag)
        return memory, _no_data(), (JOBS_ALONE,), _counted(missing, "job states", "jobs state", "no memory: taken as 0")
    if not _has_sizes(dag, rules):
        raise EligoError(
            "no sizes are known: neither of files, nor what jobs use while they run",
            hint="give --job-data TABLE with columns job and output_bytes (or temp_bytes, memory_bytes), or file and "
            "size_bytes; or the folder of a run, FILE.eligo; or --model pebble",
        )
    data = dag.data if dag.data is not None else Data.build([], [], [])
    size, _ = _known(data.size_bytes, data.k)
    counts = (data.producer != OUTSIDE) | (rules.inputs == "count")  # what does not count raises no doubts
    missing = int((data.size_bytes[counts] == UNKNOWN).sum())
    doubts = _counted(missing, "datum has", "data have", "no known size: taken as 0")
    doubts += _counted(int((data.size_bytes[counts] == 0).sum()), "datum is", "data are", "stated to have size 0")
    if rules.model in ("classical", "files"):
        running, missing = _known(dag.temp_bytes, dag.n)
        running = _for_all_tasks(running, dag)
        if dag.temp_bytes is not None:
            doubts += _counted(missing, "job states", "jobs state", "no temporary space: taken as 0")
    else:
        running = nothing
        if _is_known(dag.temp_bytes):
            doubts += (f"temporary space of jobs does not count in the model {rules.model}",)
    premises = ("a file is deleted as soon as its last reader has ended",) if rules.resource == "disk" else ()
    number = np.arange(data.k, dtype=np.int32)
    rows = (size, data.producer, data.reader_ptr, data.readers, number)
    return running, _copies(rows) if rules.model in ("simple", "classical") else rows, premises, doubts


def _has_sizes(dag: Dag, rules: Rules) -> bool:
    data_known = dag.data is not None and bool(np.any(dag.data.size_bytes != UNKNOWN))
    return data_known or (rules.model in ("classical", "files") and _is_known(dag.temp_bytes))


def _is_known(sizes: Int64 | None) -> bool:
    return sizes is not None and bool(np.any(sizes != UNKNOWN))


def _known(sizes: Int64 | None, length: int) -> tuple[Int64, int]:
    """Return sizes with 0 for the unknown, and how many those were."""
    if sizes is None:
        return np.zeros(length, np.int64), length
    unknown = sizes == UNKNOWN
    return np.where(unknown, 0, sizes), int(unknown.sum())


def _for_all_tasks(sizes: Int64, dag: Dag) -> Int64:
    """Return what jobs hold that stand for several tasks, each of which states as much."""
    if dag.count is None:
        return sizes
    if sum(size * count for size, count in zip(sizes.tolist(), dag.count.tolist(), strict=True)) >= MOST_BYTES:
        raise _too_much()
    return sizes * dag.count


def _too_much() -> EligoError:
    return EligoError(
        "the sizes add up to 2^62 bytes or more", hint="check their units: no machine has so much memory or disk"
    )


def _counted(number: int, one: str, several: str, what: str) -> tuple[str, ...]:
    return (f"{number:,} {one if number == 1 else several} {what}",) if number else ()


def _no_data() -> _Rows:
    return (
        np.empty(0, np.int64),
        np.empty(0, np.int32),
        np.zeros(1, np.int64),
        np.empty(0, np.int32),
        np.empty(0, np.int32),
    )


def _pebbles(dag: Dag) -> _Rows:
    jobs = np.arange(dag.n, dtype=np.int32)
    return np.ones(dag.n, np.int64), jobs, dag.succ_ptr, dag.succ, np.full(dag.n, -1, np.int32)


def _copies(rows: _Rows) -> _Rows:
    """Return one datum for each reader, and those that nobody reads as they are."""
    size, producer, reader_ptr, readers, datum = rows
    counts = np.diff(reader_ptr)
    which = np.repeat(np.arange(len(size)), np.maximum(counts, 1))
    ends = np.concatenate(([0], np.cumsum(np.minimum(counts, 1)[which])))
    return size[which], producer[which], ends, readers, datum[which]


def _only(held: NDArray[np.bool_], rows: _Rows) -> _Rows:
    size, producer, reader_ptr, readers, datum = rows
    counts = np.diff(reader_ptr)
    ends = np.concatenate(([0], np.cumsum(counts[held])))
    return (
        size[held],
        producer[held].copy(),
        ends.astype(np.int64),
        readers[np.repeat(held, counts)].copy(),
        datum[held].copy(),
    )
