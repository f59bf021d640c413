"""What must be true of dependencies added to any workflow, in any format, checked in one place."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from eligo.dag import Dag, Int32
from eligo.formats import format_by_name
from eligo.formats._base import Document, EdgeRule
from eligo.formats._editing import (
    Instrumented,
    Wish,
    add_dependencies,
    dependencies_of_ours,
    instrument,
    remove_dependencies,
    reread,
    uninstrument,
    without_dependencies,
    without_priorities,
)
from eligo.formats._source import Source

Pairs = tuple[Int32, Int32]


def pairs_of(*pairs: tuple[int, int]) -> Pairs:
    tails, heads = zip(*pairs, strict=True) if pairs else ((), ())
    return np.array(tails, np.int32), np.array(heads, np.int32)


@st.composite
def added_to(draw: st.DrawFn, dag: Dag) -> Pairs:
    """Pairs that leave a dag acyclic: some of its edges, shortcuts among them, some repeated, in any order."""
    position = np.empty(dag.n, np.int64)
    position[dag.order] = np.arange(dag.n)
    jobs = st.integers(0, dag.n - 1)
    drawn = draw(st.lists(st.tuples(jobs, jobs), max_size=10))
    ordered = [pair if position[pair[0]] < position[pair[1]] else pair[::-1] for pair in drawn if pair[0] != pair[1]]
    return pairs_of(*ordered)


def edges_of(dag: Dag) -> set[tuple[int, int]]:
    return set(zip(dag.tails.tolist(), dag.heads.tolist(), strict=True))


def parse(data: bytes, format: str, edges: EdgeRule | None = None, path: str = "w") -> Document:
    return format_by_name(format).parse(Source(path, data), edges)


def check(
    data: bytes, format: str, pairs: Pairs, edges: EdgeRule | None = None, *, path: str = "w", priorities: bool = True
) -> Instrumented:
    """Add dependencies to a file and hold everything against what must be true of any result."""
    document = parse(data, format, edges, path)
    done = add_dependencies(document, *pairs)
    wanted = set(zip(*(ends.tolist() for ends in pairs), strict=True))
    new = wanted - edges_of(document.dag)
    assert (done.written, done.kept) == (len(new), len(wanted) - len(new))
    if not new:
        assert done.data == data
        return done
    again = parse(done.data, format, edges, path)
    assert_only_edges_differ(document.dag, again.dag, new)
    assert set(zip(*(ends.tolist() for ends in dependencies_of_ours(again)), strict=True)) == new
    assert add_dependencies(again, *pairs) == done  # doing it again changes nothing
    assert remove_dependencies(again).data == data
    assert without_dependencies(Source(path, done.data), format).data == data
    others = pairs[0][:1], pairs[1][:1]
    assert add_dependencies(again, *others).data == add_dependencies(document, *others).data  # others replace ours
    if priorities:
        check_with_priorities(document, done, pairs)
    return done


def assert_only_edges_differ(old: Dag, new: Dag, added: set[tuple[int, int]]) -> None:
    tails, heads = pairs_of(*sorted(edges_of(old) | added))
    known = {key: getattr(old, key) for key in ("time_s", "temp_bytes", "memory_bytes", "count", "data")}
    assert new == Dag.from_edges(old.names, tails, heads, **known)


def check_with_priorities(document: Document, done: Instrumented, pairs: Pairs) -> None:
    """Priorities and dependencies may come and go in any order, and none touches the other."""
    name, wish, path = document.format, Wish(replace=True), document.source.path
    priorities = np.arange(document.dag.n, 0, -1, dtype=np.int32)
    prioritized = instrument(document, priorities, wish).data
    limited = parse(done.data, name, document.edges, path)
    both = instrument(limited, priorities, wish).data
    with_priorities = parse(prioritized, name, document.edges, path)
    assert add_dependencies(with_priorities, *pairs).data == both
    for sight in (parse(both, name, document.edges, path), reread(document, both)):
        assert sight.dag == limited.dag
        assert uninstrument(sight).data == done.data
        assert remove_dependencies(sight).data == prioritized
        assert instrument(sight, priorities, wish).data == both
        assert add_dependencies(sight, *pairs).data == both
    bare = without_priorities(without_dependencies(Source(path, both), name), name)
    assert bare.data == (document.source.data if name in ("dagman", "dot") else prioritized)
