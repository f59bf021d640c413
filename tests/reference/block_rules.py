"""The rules for bipartite blocks, each step computed from scratch: what the compiled ones must agree with."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from eligo.priority._blocks.bipartite import Bipartite
from tests.reference.blocks import block_of, children_of

CAP = 16


def _parents(block: Bipartite) -> list[set[int]]:
    parents: list[set[int]] = [set() for _ in range(block.sinks)]
    for source, row in enumerate(children_of(block)):
        for sink in row:
            parents[sink].add(source)
    return parents


class _State:
    def __init__(self, block: Bipartite) -> None:
        self.lacking = dict(enumerate(_parents(block)))
        self.left = set(range(block.sources))
        self.order: list[int] = []

    def execute(self, source: int) -> None:
        self.order.append(source)
        self.left.remove(source)
        self.lacking = {sink: lacks - {source} for sink, lacks in self.lacking.items() if lacks != {source}}

    def potential(self, source: int) -> Fraction:
        return sum(
            (Fraction(1, 4 ** len(lacks)) for lacks in self.lacking.values() if source in lacks and len(lacks) <= CAP),
            Fraction(0),
        )

    def gain(self, source: int) -> int:
        return sum(lacks == {source} for lacks in self.lacking.values())


def _forward(block: Bipartite, key: Callable[[_State, int], tuple[object, ...]]) -> list[int]:
    state = _State(block)
    while state.left:
        best = max(state.left, key=lambda u: (*key(state, u), -u))
        if state.potential(best) == 0:
            nearest = min(state.lacking, key=lambda sink: (len(state.lacking[sink]), sink))
            best = min(state.lacking[nearest])
        state.execute(best)
    return state.order


def potential(block: Bipartite) -> list[int]:
    return _forward(block, lambda state, u: (state.potential(u),))


def by_yield(block: Bipartite) -> list[int]:
    return _forward(block, lambda state, u: (state.gain(u), state.potential(u)))


def packet(block: Bipartite) -> list[int]:
    """Only for blocks whose sinks have at most CAP parents."""
    state = _State(block)
    while state.left:

        def merit(sink: int) -> tuple[object, ...]:
            lacks = state.lacking[sink]
            completed = sum(other <= lacks for other in state.lacking.values())
            return Fraction(completed, len(lacks)), -len(lacks), sum(map(state.potential, lacks)), -sink

        members = set(state.lacking[max(state.lacking, key=merit)])
        while members:
            source = max(members, key=lambda u: (state.gain(u), state.potential(u), -u))
            members.remove(source)
            state.execute(source)
    return state.order


def backward(block: Bipartite) -> list[int]:
    kept = _parents(block)
    left, order = set(range(block.sources)), []
    while left:
        shared = {u: [len(parents) for parents in kept if u in parents] for u in left}
        last = max(left, key=lambda u: (-len(shared[u]), sum(shared[u]), u))
        order.append(last)
        left.remove(last)
        kept = [parents for parents in kept if last not in parents]
    return order[::-1]


def outdegree(block: Bipartite) -> list[int]:
    degree = [len(row) for row in children_of(block)]
    return sorted(range(block.sources), key=lambda u: (-degree[u], u))


def dual(rule: Callable[[Bipartite], list[int]], block: Bipartite) -> list[int]:
    """Run a rule on the dual and execute what gets ready there last to first, packet by packet."""
    place = {sink: i for i, sink in enumerate(rule(block_of([sorted(row) for row in _parents(block)])))}
    ready = [max(place[sink] for sink in row) for row in children_of(block)]
    return sorted(range(block.sources), key=lambda u: (-ready[u], u))


RULES: dict[str, Callable[[Bipartite], list[int]]] = {
    "potential": potential,
    "yield": by_yield,
    "packet": packet,
    "backward": backward,
    "dual-potential": lambda block: dual(potential, block),
    "dual-yield": lambda block: dual(by_yield, block),
    "dual-packet": lambda block: dual(packet, block),
    "dual-backward": lambda block: dual(backward, block),
    "outdegree": outdegree,
}
