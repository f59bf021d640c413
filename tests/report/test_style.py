"""Saving figures: kinds of files, whole or not at all, equal bytes; and a clear word where matplotlib is missing."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import matplotlib as mpl
import pytest

from eligo import generate
from eligo.errors import EligoError, MissingExtraError
from eligo.report import draw_dag, draw_game, plot_profiles, plot_sweep, save
from eligo.report._style import plain, shorten
from eligo.schedule import Schedule

MESH = generate.mesh(4)

DRAW_ALL = """
import sys
from eligo import generate
from eligo.report import draw_dag, draw_game, plot_profiles, plot_sweep, save
from eligo.schedule import Schedule
mesh = generate.mesh(4)
schedule = Schedule.of(mesh, mesh.order)
groups = {f"group {i}": [i, i + 1] for i in range(5)}
figures = [draw_dag(generate.uniform(20, 0.1), groups=groups, executed=[0]), draw_game(schedule, [0, 3]),
           plot_profiles({"one": schedule, "two": schedule}), plot_sweep([0, 4, 6], [0, 3, 5], [(0, 0), (1, 0)])]
for i, figure in enumerate(figures):
    for kind in ("svg", "png", "pdf"):
        save(figure, f"{sys.argv[1]}/{i}.{kind}")
"""


def draw_all(folder: Path, seed: str) -> dict[str, bytes]:
    folder.mkdir()
    environment = {**os.environ, "PYTHONHASHSEED": seed}
    subprocess.run([sys.executable, "-c", DRAW_ALL, str(folder)], check=True, env=environment)
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


@pytest.mark.long
def test_the_same_input_gives_the_same_bytes(tmp_path: Path) -> None:
    one, two = draw_all(tmp_path / "one", "1"), draw_all(tmp_path / "two", "2")
    assert len(one) == 12
    assert one == two
    assert one["0.svg"] != one["1.svg"]


def test_saving_twice_gives_the_same_bytes(tmp_path: Path) -> None:
    figure = draw_dag(MESH)
    for kind in ("svg", "png", "pdf"):
        save(figure, tmp_path / f"one.{kind}")
        save(figure, tmp_path / f"two.{kind}")
        save(draw_dag(MESH), tmp_path / f"three.{kind}")
        assert len({(tmp_path / f"{name}.{kind}").read_bytes() for name in ("one", "two", "three")}) == 1


def test_kinds_by_suffix(tmp_path: Path) -> None:
    heads = {"svg": b"<?xml", "SVG": b"<?xml", "png": b"\x89PNG", "pdf": b"%PDF"}
    for kind, head in heads.items():
        save(draw_dag(MESH), tmp_path / f"mesh.{kind}")
        assert (tmp_path / f"mesh.{kind}").read_bytes().startswith(head)


def test_small_files(tmp_path: Path) -> None:
    """No fonts and no random ids in an SVG file: a mesh of 15 jobs and 20 arrows takes some ten kilobytes."""
    save(draw_dag(generate.mesh(5)), tmp_path / "mesh.svg")
    text = (tmp_path / "mesh.svg").read_text()
    assert len(text) < 14_000
    assert "<dc:date>" not in text
    assert "font-family: 'DejaVu Sans', sans-serif" in text


@pytest.mark.parametrize("name", ["picture", "picture.jpeg", "-", "picture.svg.gz"])
def test_other_kinds_are_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(EligoError, match=r"not a kind of picture") as caught:
        save(draw_dag(MESH), name if name == "-" else tmp_path / name)
    assert caught.value.hint == "end the name in .svg, .png or .pdf"


def test_a_file_is_replaced_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "mesh.svg"
    target.write_text("old")
    figure = draw_dag(MESH)

    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("while drawing")

    monkeypatch.setattr(figure, "savefig", fail)
    with pytest.raises(RuntimeError):
        save(figure, target)
    assert target.read_text() == "old"
    save(draw_dag(MESH), target)
    assert target.read_text().startswith("<?xml")
    assert list(tmp_path.iterdir()) == [target]


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(EligoError, match=r"there is no directory"):
        save(draw_dag(MESH), tmp_path / "none" / "mesh.svg")


def test_without_matplotlib_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    schedule = Schedule.of(MESH, MESH.order)
    for draw in (
        lambda: draw_dag(MESH),
        lambda: draw_game(schedule, [0]),
        lambda: plot_profiles({"": schedule}),
        lambda: plot_sweep([0, 1], [0, 1]),
    ):
        with pytest.raises(MissingExtraError) as caught:
            draw()
        assert str(caught.value).splitlines() == [
            "this needs the package matplotlib, which is not installed",
            "hint: pip install 'eligo[figures]'",
        ]


def test_matplotlib_is_imported_late_and_pyplot_never() -> None:
    script = (
        "import sys; import eligo.report as r; assert 'matplotlib' not in sys.modules\n"
        "from eligo.dag import Dag; r.draw_dag(Dag.from_names([('a', 'b')])); r.plot_profiles({'a': [1, 0]})\n"
        "assert 'matplotlib' in sys.modules and 'matplotlib.pyplot' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", script], check=True)


def test_the_users_settings_do_not_matter_and_come_back(tmp_path: Path) -> None:
    save(draw_dag(MESH, title="x"), tmp_path / "one.svg")
    mine = {"font.size": 30.0, "svg.fonttype": "path", "text.usetex": True, "savefig.dpi": 7.0}
    with mpl.rc_context(mine):
        save(draw_dag(MESH, title="x"), tmp_path / "two.svg")
        assert {key: mpl.rcParams[key] for key in mine} == mine
    assert (tmp_path / "one.svg").read_bytes() == (tmp_path / "two.svg").read_bytes()


def test_plain_and_short() -> None:
    assert plain("a\tb\u2028c\ud800\ufffe") == "a b c\ufffd\ufffd"
    assert plain("naïve 工作 $x^2$") == "naïve 工作 $x^2$"
    assert shorten("abcdefghij", 5) == "ab…ij"
    assert shorten("abcde", 5) == "abcde"
