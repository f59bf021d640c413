"""Plain-loop twins of the generators: each follows its definition word for word, in sets and dictionaries."""

from __future__ import annotations

from itertools import product

Edges = set[tuple[int, int]]


def mesh(levels: int, dim: int) -> tuple[int, Edges]:
    """000 section 2.1.1 in any dimension, numbered by level from the sources, then by coordinates."""
    points = [point for point in product(range(levels), repeat=dim) if sum(point) < levels]
    points.sort(key=lambda point: (-sum(point), point))
    number = {point: place for place, point in enumerate(points)}
    edges = set()
    for point in points:
        for axis in range(dim):
            if point[axis] > 0:
                lower = (*point[:axis], point[axis] - 1, *point[axis + 1 :])
                edges.add((number[point], number[lower]))
    return len(points), edges


def tree(height: int, arity: int) -> tuple[int, Edges]:
    """000 section 2.1.2: strings over `arity` symbols, each feeding its prefix; long strings first, then by letters."""
    strings = [string for length in range(height, -1, -1) for string in product(range(arity), repeat=length)]
    number = {string: place for place, string in enumerate(strings)}
    return len(strings), {(number[string], number[string[:-1]]) for string in strings if string}


def fft(dim: int) -> tuple[int, Edges]:
    """000 section 2.1.3: <l, x b y> feeds <l-1, x 0 y> and <l-1, x 1 y>, where b is symbol d - l."""
    nodes = [(level, "".join(bits)) for level in range(dim, -1, -1) for bits in product("01", repeat=dim)]
    number = {node: place for place, node in enumerate(nodes)}
    edges = set()
    for level, bits in nodes:
        if level > 0:
            place = dim - level
            for bit in "01":
                edges.add((number[level, bits], number[level - 1, bits[:place] + bit + bits[place + 1 :]]))
    return len(nodes), edges


def t_strand(degrees: list[int]) -> tuple[int, Edges]:
    """003 section 3, inductively: an odd prefix is extended by T[1, d], an even one by T[d], merging an arc."""
    sources, sinks = ["s0"], [f"t{place}" for place in range(degrees[0])]
    edges = {("s0", sink) for sink in sinks}
    for length, degree in enumerate(degrees[1:], start=1):
        for _ in range(degree - 1):
            if length % 2:
                sources.append(f"s{len(sources)}")
                edges.add((sources[-1], sinks[-1]))
            else:
                sinks.append(f"t{len(sinks)}")
                edges.add((sources[-1], sinks[-1]))
    number = {name: place for place, name in enumerate([*sources, *sinks])}
    return len(number), {(number[tail], number[head]) for tail, head in edges}


def w_strand(degrees: list[int]) -> tuple[int, Edges]:
    """003 section 3: single-source dags side by side, the rightmost sink of each merged with the next's leftmost."""
    edges, sink = [], 0
    for source, degree in enumerate(degrees):
        edges += [(source, sink + place) for place in range(degree)]
        sink += degree - 1
    return len(degrees) + sink + 1, {(tail, len(degrees) + head) for tail, head in edges}
