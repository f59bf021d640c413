"""Draw the house of architecture.md: the layers of the import contract in pyproject.toml, as storeys.

    python docs/draw_house.py [FILE]

What a room is for stands here; which rooms there are, and on which storey, is read from the contract. So the script
fails when a layer comes that it has no words for.
"""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path
from typing import Any

from eligo.report._style import BLACK, FONT_PT, GREEN, GREY, ORANGE, SKY, new_figure, save, styled, text_width

HERE = Path(__file__).resolve().parent
HOUSE = HERE / "architecture" / "house.svg"

WORDS = {
    "_cli": "one module a command; nothing else prints",
    "engines": "runs on this machine, HTCondor, Slurm, Dask",
    "report": "figures, and the page to look at",
    "_humanize": "numbers, sizes and names, as a terminal and a page say them",
    "simulation": "executions as they could be: grids, sweeps, advice",
    "formats": "files to dags\nand back",
    "generate": "families\nof dags",
    "priority": "orders, bounds\nand their proofs",
    "memory": "worst peaks,\nlimits",
    "certificate": "a claim and its witness, with checkers of their own",
    "testing": "the test that every engine passes",
    "schedule": "an order and its profile",
    "trace": "what ran when and where",
    "graph": "shape, shortcuts, dags from dags",
    "dag": "jobs, dependencies, what is known of them",
    "data": "what jobs pass on",
    "errors": "what can go wrong",
    "_atomic_files": "files, whole or not at all",
}
NOUNS = ("dag", "schedule", "certificate", "trace")
NOTES = [
    "In yellow, with thick walls: the four nouns, each at home in the module of its name.",
    "Whatever is above may import what is below, never the other way; rooms of one storey do not know each other.",
]
CELLAR = ("_core", "the compiled kernels: C++20 without Python, in native/")

# Inches. Rooms have a light ground of their own, so that they can be read on a light and on a dark page.
WIDTH, WALL, ROOF, STOREY, TALL, GAP = 8.6, 0.45, 0.8, 0.4, 0.72, 0.06
PLAIN, STONE = "#f3f3f3", "#dcdcdc"


def storeys(project: Path) -> list[list[str]]:
    """Return the layers of the import contract, the uppermost first, each with its modules."""
    contracts = tomllib.loads(project.read_text(encoding="utf-8"))["tool"]["importlinter"]["contracts"]
    (contract,) = (one for one in contracts if one["type"] == "layers")
    return [[name.strip().removeprefix("eligo.") for name in layer.split("|")] for layer in contract["layers"]]


def light(colour: str, share: float = 0.3) -> str:
    """Return a colour mixed with white."""
    parts = [int(colour[at : at + 2], 16) for at in (1, 3, 5)]
    return "#" + "".join(f"{round(255 - share * (255 - part)):02x}" for part in parts)


def draw(layers: list[list[str]]) -> Any:
    """Return the house as a figure."""
    roof, *walls, foundation = layers
    heights = [TALL if any("\n" in WORDS[name] for name in some) else STOREY for some in walls]
    whole = ROOF + sum(heights) + 2 * STOREY + (len(walls) + 4) * GAP + 0.5
    figure = new_figure(WIDTH, whole)
    figure.patch.set_alpha(0)
    with styled():
        axes = figure.add_axes((0, 0, 1, 1))
        axes.set_axis_off()
        axes.set(xlim=(0, WIDTH), ylim=(0, whole))
        top = whole - GAP
        (name,) = roof
        corners = [(0.1, top - ROOF), (WIDTH / 2, top), (WIDTH - 0.1, top - ROOF)]
        axes.fill(*zip(*corners, strict=True), facecolor=light(SKY), edgecolor=GREY, linewidth=1)
        _say(axes, (WIDTH / 2, top - ROOF * 0.7), name, WORDS[name])
        top -= ROOF + GAP
        for some, height in zip(walls, heights, strict=True):
            _storey(axes, some, (WALL, top - height, WIDTH - 2 * WALL, height))
            top -= height + GAP
        _storey(axes, foundation, (WALL / 2, top - STOREY, WIDTH - WALL, STOREY), STONE)
        top -= STOREY + 2 * GAP
        axes.plot([0, WIDTH], [top, top], color=GREY, linewidth=1.5)
        _room(axes, (WALL, top - GAP - STOREY, WIDTH - 2 * WALL, STOREY), light(GREEN, 0.22), "dashed")
        _say(axes, (WIDTH / 2, top - GAP - STOREY / 2), *CELLAR)
        axes.text(WIDTH / 2, 0.2, "\n".join(NOTES), ha="center", va="center", color=GREY, size=FONT_PT - 0.5)
    return figure


def _storey(axes: Any, names: list[str], box: tuple[float, float, float, float], ground: str = PLAIN) -> None:
    """Draw the rooms of a storey side by side; a noun has another ground, a thicker wall, and its name."""
    left, bottom, whole, height = box
    width = (whole - (len(names) - 1) * GAP) / len(names)
    for number, name in enumerate(names):
        at = left + number * (width + GAP)
        noun = name in NOUNS
        _room(axes, (at, bottom, width, height), light(ORANGE, 0.35) if noun else ground, "thick" if noun else "thin")
        _say(axes, (at + width / 2, bottom + height / 2), name.title() if noun else name, WORDS[name])


def _room(axes: Any, box: tuple[float, float, float, float], ground: str, wall: str) -> None:
    from matplotlib.patches import Rectangle

    walls = {
        "thin": {"edgecolor": GREY, "linewidth": 1},
        "thick": {"edgecolor": ORANGE, "linewidth": 2},
        "dashed": {"edgecolor": GREY, "linewidth": 1, "linestyle": "dashed"},
    }
    axes.add_patch(Rectangle(box[:2], *box[2:], facecolor=ground, **walls[wall]))


def _say(axes: Any, centre: tuple[float, float], title: str, words: str) -> None:
    """Write a title and what it is for: beside each other, or below where the words take two lines."""
    x, y = centre
    if "\n" in words:
        axes.text(x, y + 0.22, title, ha="center", va="center", weight="bold", color=BLACK)
        axes.text(x, y - 0.1, words, ha="center", va="center", color=BLACK, size=FONT_PT - 0.5)
        return
    first = text_width(title, FONT_PT, bold=True)
    left = x - (first + 0.15 + text_width(words)) / 2
    axes.text(left, y, title, ha="left", va="center", weight="bold", color=BLACK)
    axes.text(left + first + 0.15, y, words, ha="left", va="center", color=BLACK)


def main(file: Path) -> None:
    """Draw it into a file."""
    file.parent.mkdir(parents=True, exist_ok=True)
    save(draw(storeys(HERE.parent / "pyproject.toml")), file)
    file.write_text(re.sub(r"(\.\d\d)\d+", r"\1", file.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else HOUSE)
