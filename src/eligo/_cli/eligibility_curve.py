"""The eligibility curve of an order against FIFO, drawn with the characters of a terminal.

Filled: what both keep ELIGIBLE. Chequered, with a line on top: what the order keeps beyond FIFO. A line alone, above
the filled part: what FIFO keeps beyond the order. So the picture needs no colour, which only helps. A Braille
character holds two by four dots; where the encoding has none, one plain character stands for one dot.

More steps than columns are drawn as means, so that areas stay in proportion; fewer are drawn as steps.
"""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING, NamedTuple, TextIO

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from eligo.dag import Int64

__all__ = ["Look", "draw_curve"]

_WIDEST, _NARROWEST = 72, 24  # columns, all in all
_ROWS = 8
_INDENT = "  "
_FULL = "⣿"
# The bits of the eight dots of a Braille character, by row from the bottom and by column.
_BITS = np.array([[0x40, 0x80], [0x04, 0x20], [0x02, 0x10], [0x01, 0x08]])
Dots = NDArray[np.bool_]

_GAIN, _LOSS, _RESET = "\x1b[32m", "\x1b[31m", "\x1b[0m"


class Look(NamedTuple):
    """What a stream can show."""

    width: int = _WIDEST
    braille: bool = True
    colour: bool = False

    @classmethod
    def of(cls, stream: TextIO) -> Look:
        """Ask a stream: colour is for terminals only, and not for those who set NO_COLOR."""
        try:
            _FULL.encode(stream.encoding or "ascii")
            braille = True
        except (UnicodeEncodeError, LookupError):
            braille = False
        terminal = stream.isatty() and os.environ.get("TERM") != "dumb"
        width = shutil.get_terminal_size((_WIDEST, 24)).columns
        return cls(max(_NARROWEST, min(width, _WIDEST)), braille, terminal and not os.environ.get("NO_COLOR"))


def draw_curve(ours: Int64, fifo: Int64, look: Look) -> list[str]:
    r"""Return the lines of a plot of two profiles E(0), ..., E(n); none for a dag without jobs.

    Examples
    --------
    >>> plain = Look(width=30, braille=False)
    >>> print("\n".join(draw_curve(np.array([2, 3, 2, 1, 0]), np.array([2, 1, 2, 1, 0]), plain)))
      ELIGIBLE jobs
      3 |    ++++
      2 |####++++####
      1 |################
      0 +--------------------
       0    4 jobs executed
       # both  + more than fifo
    """
    n = len(ours) - 1
    if n < 1:
        return []
    top = int(max(ours.max(), fifo.max()))
    label = len(f"{top:,}")
    cells = min(look.width - len(_INDENT) - label - 2, max(20, 2 * n))
    rows = min(_ROWS, top)
    across, up = (2, 4) if look.braille else (1, 1)
    high, low = (_heights(_sampled(profile, cells * across), top, rows * up) for profile in (ours, fifo))
    both, gain, loss = _dots(high, low, rows * up, chequered=look.braille)
    body = _braille(both, gain, loss, look) if look.braille else _plain(both, gain, loss, look)
    tick, wall, corner, floor = "┤│└─" if look.braille else "||+-"
    lines = [f"{_INDENT}ELIGIBLE jobs"]
    for row, text in enumerate(body):
        value = _row_value(row, rows, top)
        lines.append(f"{_INDENT}{value:>{label}} {tick if value else wall}{text}")
    lines.append(f"{_INDENT}{'0':>{label}} {corner}{floor * cells}")
    margin = f"{_INDENT}{'':{label}}  "
    steps = f"{n:,} jobs executed" if n > 1 else "1 job executed"
    lines.append(f"{margin}0{steps if len(steps) < cells - 1 else f'{n:,}':>{cells - 1}}")
    lines.append(margin + _legend(bool(gain.any()), bool(loss.any()), look))
    return [line.rstrip() for line in lines]


def _row_value(row: int, rows: int, top: int) -> str:
    """Return what the upper rim of a row stands for, where that is worth a label."""
    if rows == top or row == 0:
        return f"{top - row:,}"
    return f"{top // 2:,}" if 2 * row == rows and top % 2 == 0 else ""


def _sampled(profile: Int64, columns: int) -> NDArray[np.float64]:
    edges = np.arange(columns) * len(profile) // columns
    if len(profile) <= columns:
        return profile[edges].astype(np.float64)
    means: NDArray[np.float64] = np.add.reduceat(profile, edges) / np.diff(edges, append=len(profile))
    return means


def _heights(values: NDArray[np.float64], top: int, levels: int) -> Int64:
    """Return how many dots high each value is; only zero has none."""
    heights: Int64 = np.maximum(np.rint(values * levels / top), values > 0).astype(np.int64)
    return heights


def _dots(ours: Int64, fifo: Int64, levels: int, *, chequered: bool) -> tuple[Dots, Dots, Dots]:
    """Return which dots show both, a gain and a loss; rows from the bottom."""
    y, x = np.arange(levels)[:, None], np.arange(len(ours))[None, :]
    between = (y >= fifo) & (y < ours)
    gain = between & (((x + y) % 2 == 0) | (y == ours - 1)) if chequered else between
    loss = (y >= ours) & (y == fifo - 1) if chequered else (y >= ours) & (y < fifo)
    return y < np.minimum(ours, fifo), gain, loss


def _cells(dots: Dots) -> Int64:
    """Return the eight dots of every Braille character as its number; rows from the top."""
    high, wide = dots.shape
    blocks = dots.reshape(high // 4, 4, wide // 2, 2)
    numbers: Int64 = np.einsum("aibj,ij->ab", blocks.astype(np.int64), _BITS)[::-1]
    return numbers


def _braille(both: Dots, gain: Dots, loss: Dots, look: Look) -> list[str]:
    shown, gains, losses = _cells(both | gain | loss), _cells(gain), _cells(loss)
    return [
        "".join(
            _coloured(chr(0x2800 + cell) if cell else " ", more, less, look)
            for cell, more, less in zip(*(part[row].tolist() for part in (shown, gains, losses)), strict=True)
        )
        for row in range(len(shown))
    ]


def _plain(both: Dots, gain: Dots, loss: Dots, look: Look) -> list[str]:
    marks = np.select([both, gain, loss], ["#", "+", "-"], " ")[::-1]
    return ["".join(_coloured(mark, mark == "+", mark == "-", look) for mark in row) for row in marks.tolist()]


def _coloured(text: str, gain: bool, loss: bool, look: Look) -> str:
    if not look.colour or not (gain or loss):
        return text
    return f"{_LOSS if loss else _GAIN}{text}{_RESET}"


def _legend(gain: bool, loss: bool, look: Look) -> str:
    both, more, less = (_FULL, "⡪", "⠒") if look.braille else ("#", "+", "-")
    if not gain and not loss:
        return f"{both} as many as fifo"
    parts = [f"{both} both"]
    if gain:
        parts.append(f"{_coloured(more, True, False, look)} more than fifo")
    if loss:
        parts.append(f"{_coloured(less, False, True, look)} fewer than fifo")
    return "  ".join(parts)
