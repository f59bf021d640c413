"""One row per release: what counts as worse, what the table may hold, and that it holds what is measured."""

from __future__ import annotations

import numpy as np
import pytest

import eligo
from benchmarks.quality import release_figures, release_speeds, releases
from benchmarks.quality.release_figures import FIGURES, Figure, Measured
from benchmarks.quality.releases import Release, compare, read_releases, with_release, write_releases
from eligo import Schedule, generate, write
from eligo.errors import ParseError

MADE_UP = {
    "area": Figure("per cent", larger_is_better=True),
    "path": Figure("times", larger_is_better=False),
    "time": Figure("times", larger_is_better=False, of_python=True),
}
HEADER = "version\tcommit\tdate\tpython\tarea"


def release(version: str = "1.0", python: str = "3.11", **figures: tuple[float, float]) -> Release:
    return Release(version, "abc", "2026-01-01", python, {name: Measured(*figure) for name, figure in figures.items()})


def worse(now: Release, *before: Release) -> list[str]:
    return compare(before, now, MADE_UP)


@pytest.mark.parametrize(
    ("name", "now", "is_worse"),
    [
        ("area", 89.0, True),
        ("area", 89.6, False),  # within its noise
        ("area", 90.0, False),
        ("area", 99.0, False),
        ("path", 90.6, True),
        ("path", 90.4, False),
        ("path", 1.0, False),
    ],
)
def test_worse_is_beyond_noise_and_in_the_bad_direction(name, now, is_worse):
    told = worse(release("2.0", **{name: (now, 0)}), release(**{name: (90.0, 0.5)}))
    assert len(told) == is_worse
    if is_worse:
        assert told[0].startswith(f"{name} is {now:g} (")
        assert "worse than 90±0.5 of 1.0 by" in told[0]


def test_each_figure_that_is_worse_is_named():
    told = worse(release("2.0", area=(1, 0), path=(9, 0)), release(area=(2, 0), path=(8, 0)))
    assert [line.split()[0] for line in told] == ["area", "path"]


def test_the_noise_of_today_does_not_excuse():
    assert worse(release("2.0", area=(80, 50)), release(area=(90, 1)))


def test_missing_figures_are_not_compared():
    assert not worse(release("2.0", area=(1, 0)), release(path=(1, 0)))
    assert not worse(release("2.0"), release(area=(1, 0)))
    assert not worse(release("2.0", area=(1, 0)))
    assert not worse(release("2.0", other=(1, 0)), release(other=(2, 0)))


def test_the_last_that_was_recorded_counts_even_if_the_last_row_lacks_it():
    old, middle, last = release("1.0", area=(50, 0)), release("1.1", area=(60, 0)), release("1.2")
    assert worse(release("2.0", area=(55, 0)), old, middle, last)
    assert not worse(release("2.0", area=(55, 0)), middle, old, last)


def test_speed_is_compared_with_the_same_python_only():
    before = [release("1.0", "3.11", time=(2, 0)), release("1.1", "3.13", time=(1, 0))]
    assert not worse(release("2.0", "3.11", time=(1.5, 0)), *before)
    assert worse(release("2.0", "3.13", time=(1.5, 0)), *before)
    assert not worse(release("2.0", "3.14", time=(9, 0)), *before)


def test_there_and_back_again(tmp_path):
    file = tmp_path / "table.tsv"
    rows = [release("0.9", gone=(1.25, 0)), release("1.0", simulated=(0.83975, 0.0035), settled=(100.0, 0))]
    write_releases(rows, file)
    assert read_releases(file) == rows
    assert "0.83975±0.0035" in file.read_text()


def test_what_rounding_takes_is_no_loss(tmp_path):
    """A value that is recorded and measured again must pass, whatever the table keeps of its digits."""
    for value in (0.123456789, 97.0771554, 123456.7):
        exact = release(area=(value, 0), path=(value, 0))
        write_releases([exact], tmp_path / "table.tsv")
        assert not worse(exact, *read_releases(tmp_path / "table.tsv"))


def test_a_version_has_one_row():
    old, new = release("1.0", area=(1, 0)), release("1.0", area=(2, 0))
    other = release("1.1")
    assert with_release([old, other], new) == [new, other]
    assert with_release([old], other) == [old, other]


def test_no_table_has_no_rows(tmp_path):
    assert read_releases(tmp_path / "none.tsv") == []


@pytest.mark.parametrize(
    ("text", "line", "told"),
    [
        ("", 1, "the first columns must be version, commit, date, python"),
        ("version\tdate\n", 1, "the first columns must be"),
        (f"{HEADER}\tarea\n", 1, "two columns have the same name"),
        (f"{HEADER}\n1\tc\td\t3.11\t5\n2\tc\td\t3.11\n", 3, "4 cells for 5 columns"),
        (f"{HEADER}\n1\tc\td\t3.11\tmuch\n", 2, "area is 'much'"),
        (f"{HEADER}\n1\tc\td\t3.11\t5±\n", 2, "area is '5±'"),
        (f"{HEADER}\n1\tc\td\t3.11\tnan\n", 2, "area is 'nan'"),
        (f"{HEADER}\n1\tc\td\t3.11\t5±-1\n", 2, "area is '5±-1'"),
        (f"{HEADER}\n1\tc\td\t3.11\t5\n1\tc\td\t3.11\t6\n", 3, "version 1 has a row already"),
    ],
)
def test_a_malformed_table_is_refused_with_its_line(tmp_path, text, line, told):
    file = tmp_path / "table.tsv"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(ParseError) as raised:
        read_releases(file)
    assert str(raised.value).startswith(f"{file}:{line}: {told}")


def test_the_recorded_table_has_what_is_measured():
    rows = read_releases()
    assert eligo.__version__ in [row.version for row in rows], "python -m benchmarks.quality.releases --record"
    for row in rows:
        assert row.commit
        assert row.date
    assert set(rows[-1].figures) == set(FIGURES), "recorded where the real workflows are there"


def test_measuring_a_little_gives_every_figure(tmp_path, monkeypatch):
    """Figures of speed come from processes of their own; here one is enough."""

    class OneProcess(release_speeds.Speeds):
        def go_on(self) -> None:
            if not np.isfinite(self.times).all():
                super().go_on()

    monkeypatch.setattr(release_figures, "Speeds", OneProcess)
    write(generate.daggen(12, seed=1), tmp_path / "real.dot")
    found = release_figures.measure(tmp_path, graphs=1, jobs=500)
    assert list(found) == list(FIGURES)
    assert all(measured.value >= 0 and measured.noise >= 0 for measured in found.values())
    assert 0 < found["area-prio-2006"].value <= found["area-best"].value <= 100
    assert found["path-auto"].value <= found["path-schedule"].value
    assert 0.7 < found["simulated"].value < 0.95


def test_without_real_workflows_their_figures_are_missing(tmp_path):
    assert release_figures._real(tmp_path) == {}


def test_the_plain_sort_sorts():
    dag = generate.sdss(200)
    children = [dag.children(job).tolist() for job in range(dag.n)]
    order = release_speeds.plain_sort(children, [len(dag.parents(job)) for job in range(dag.n)])
    assert Schedule.of(dag, order).order.tolist() == dag.order.tolist()


@pytest.mark.parametrize(("value", "status"), [(97.0, 0), (96.0, 1)])
def test_the_command_says_what_is_worse(tmp_path, monkeypatch, capsys, value, status):
    file = tmp_path / "table.tsv"
    write_releases([release("0.0.1", **{"area-best": (97.0, 0.01)})], file)
    monkeypatch.setattr(releases, "measure", lambda: {"area-best": Measured(value, 0.01)})
    before = file.read_text()
    assert releases.main([], file) == status
    assert file.read_text() == before
    told = capsys.readouterr().out
    assert "| 0.0.1 " in told
    assert f"| {eligo.__version__}, today " in told
    assert ("worse: area-best is 96 (" in told) == bool(status)


def test_recording_writes_the_row_and_is_the_measure_from_then_on(tmp_path, monkeypatch, capsys):
    file = tmp_path / "table.tsv"
    write_releases([release("0.0.1", **{"area-best": (97.0, 0.01)})], file)
    monkeypatch.setattr(releases, "measure", lambda: {"area-best": Measured(96.0, 0.01)})
    assert releases.main(["--record"], file) == 1, "a loss that is taken is told all the same"
    assert [row.version for row in read_releases(file)] == ["0.0.1", eligo.__version__]
    assert releases.main(["--record"], file) == 0
    assert len(read_releases(file)) == 2
    assert "has a row for" in capsys.readouterr().out
