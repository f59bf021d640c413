"""The curve in the terminal shows the numbers it is given, on any terminal."""

from __future__ import annotations

import io
import re
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eligo._cli.eligibility_curve import Look, draw_curve

COLOUR = re.compile("\x1b\\[[0-9;]*m")


@st.composite
def profiles(draw, most=60, highest=300):
    """Two profiles of one dag, as far as a drawing cares: as long as each other, ending in 0, E(0) not 0."""
    n = draw(st.integers(1, most))
    values = st.lists(st.integers(0, highest), min_size=n - 1, max_size=n - 1)
    first = draw(st.integers(1, highest))
    return tuple(np.array([first, *draw(values), 0]) for _ in range(2))


LOOKS = st.builds(Look, st.integers(24, 72), st.booleans(), st.booleans())


@given(profiles(), LOOKS)
def test_any_profile_fits_any_terminal(pair, look):
    lines = draw_curve(*pair, look)
    shown = [COLOUR.sub("", line) for line in lines]
    legend = shown.pop()
    assert len(lines) <= 12
    assert all(len(line) <= look.width for line in shown)
    assert look.braille or "\n".join([*shown, legend]).isascii()
    assert look.colour or shown == lines[:-1]
    assert f"{max(map(max, pair)):,} " in shown[1]
    assert shown[-1].split()[:2] == ["0", f"{len(pair[0]) - 1:,}"]


def levels(lines: list[str], label: int, columns: int) -> list[list[bool]]:
    """Return the dots of a drawing, column by column, from the bottom: decoded by the Unicode table of Braille."""
    places = {0: (0, 3), 1: (0, 2), 2: (0, 1), 3: (1, 3), 4: (1, 2), 5: (1, 1), 6: (0, 0), 7: (1, 0)}
    columns_of_dots = [[] for _ in range(2 * columns)]
    for line in reversed(lines):
        dots = [[False] * 4 for _ in range(2 * columns)]
        for cell, char in enumerate(line[label:].ljust(columns)):
            bits = 0 if char == " " else ord(char) - 0x2800
            for bit, (right, row) in places.items():
                dots[2 * cell + right][row] = bool(bits >> bit & 1)
        for column, more in zip(columns_of_dots, dots, strict=True):
            column.extend(more)
    return columns_of_dots


@given(profiles(most=30, highest=8))
def test_small_profiles_can_be_read_off(pair):
    """Each of up to 8 jobs has a row: of every step both numbers are seen, the larger as the highest dot."""
    ours, fifo = (profile.tolist() for profile in pair)
    rows = draw_curve(*pair, Look(72))[1:-3]
    cells = max(20, 2 * (len(ours) - 1))
    dots = levels(rows, 5, cells)
    assert len(rows) == max(ours + fifo)
    for x, column in enumerate(dots):
        t = x * len(ours) // len(dots)
        low, high = sorted((4 * ours[t], 4 * fifo[t]))
        assert all(column[:low])
        assert not any(column[high:])
        assert low == high or column[high - 1]
        if fifo[t] > ours[t]:
            assert not any(column[low : high - 1])


@given(profiles(most=30, highest=8))
def test_plain_characters_say_the_same(pair):
    ours, fifo = (profile.tolist() for profile in pair)
    rows = [line[5:].ljust(60) for line in draw_curve(*pair, Look(72, braille=False))[1:-3]]
    cells = max(20, 2 * (len(ours) - 1))
    for x in range(cells):
        t = x * len(ours) // cells
        column = "".join(row[x] for row in reversed(rows))
        low, high = sorted((ours[t], fifo[t]))
        assert column.rstrip() == "#" * low + ("+" if ours[t] > fifo[t] else "-") * (high - low)


def test_no_job_no_curve():
    assert draw_curve(np.array([0]), np.array([0]), Look()) == []


@pytest.mark.parametrize("n", [999, 1_000_000])
def test_many_steps_are_drawn_as_means(n):
    """A triangle that rises to n/2 and falls again: the middle column is full, the outer ones nearly empty."""
    ours = np.minimum(np.arange(1, n + 2), np.arange(n, -1, -1))
    lines = draw_curve(ours, ours // 2, Look(72))
    assert len(lines) == 12
    assert f"{n:,} jobs executed" in lines[-2]
    body = [line[2 + len(f"{ours.max():,}") + 2 :] for line in lines[1:9]]
    assert body[0].strip() != ""
    assert abs((len(body[0]) - len(body[0].lstrip()) + len(body[0].rstrip())) / 2 - 32.5) <= 2
    assert body[-1][0] not in " ⣿"


def test_only_what_is_drawn_is_explained():
    more, same = np.array([2, 3, 2, 1, 0]), np.array([2, 1, 2, 1, 0])
    assert "fewer" not in draw_curve(more, same, Look())[-1]
    assert "more" not in draw_curve(same, more, Look())[-1]
    assert draw_curve(same, same, Look())[-1].strip() == "⣿ as many as fifo"


class Terminal(io.TextIOWrapper):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("kind", "encoding", "environment", "braille", "colour"),
    [
        (Terminal, "utf-8", {}, True, True),
        (Terminal, "utf-8", {"NO_COLOR": "1"}, True, False),
        (Terminal, "utf-8", {"TERM": "dumb"}, True, False),
        (Terminal, "latin-1", {}, False, True),
        (Terminal, "ascii", {}, False, True),
        (io.TextIOWrapper, "utf-8", {}, True, False),
    ],
)
def test_streams_are_asked_what_they_can_show(kind, encoding, environment, braille, colour, monkeypatch):  # noqa: PLR0917
    for name in ("NO_COLOR", "TERM"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    stream = kind(io.BytesIO(), encoding=encoding)
    look = Look.of(stream)
    assert (look.braille, look.colour) == (braille, colour)
    print("\n".join(draw_curve(np.array([2, 3, 2, 1, 0]), np.array([2, 1, 2, 1, 0]), look)), file=stream, flush=True)
    assert (b"\x1b" in stream.buffer.getvalue()) == colour


def test_the_width_is_that_of_the_terminal(monkeypatch):
    for columns, width in (("40", 40), ("200", 72), ("5", 24)):
        monkeypatch.setenv("COLUMNS", columns)
        assert Look.of(sys.stdout).width == width
