import shlex

import pytest

import eligo
from eligo import _cli as cli
from eligo import generate, graph
from eligo._cli.generate_command import _COMBINATIONS
from eligo.generate import FAMILIES

EXAMPLES = [family.example for family in FAMILIES.values()] + [example for _, example in _COMBINATIONS.values()]


def run(words, capsys):
    status = cli.main(["generate", *(shlex.split(words) if isinstance(words, str) else words)])
    captured = capsys.readouterr()
    return status, captured.out, captured.err


def edges(text):
    """Read what goes to standard output: a header, then one edge a line."""
    header, *lines = text.splitlines()
    assert header.startswith("parent,child")
    pairs = {tuple(line.split(",")[:2]) for line in lines}
    return {(parent, child) for parent, child in pairs if child}  # a job may have a line of its own


def names(dag):
    return {(dag.names[tail], dag.names[head]) for tail, head in zip(dag.tails, dag.heads, strict=True)}


@pytest.mark.parametrize("words", EXAMPLES)
def test_every_example_works(words, capsys):
    status, out, err = run(words, capsys)
    assert status == 0
    assert len(edges(out)) > 0
    assert "error" not in err


@pytest.mark.parametrize(
    ("words", "dag"),
    [
        ("airsn --width 30", generate.airsn(30)),
        ("sdss --jobs 500", generate.sdss(500)),
        ("montage --jobs 321 --seed 4", generate.montage(321, seed=4)),
        ("mesh --levels 5 --dim 3", generate.mesh(5, 3)),
        ("mesh --levels 5 --expansion", generate.mesh(5, expansion=True)),
        ("mesh --levels 5 --dual", graph.dual(generate.mesh(5))),
        ("tree --height 4 --arity 3", generate.tree(4, 3)),
        ("fft --dim 3", generate.fft(3)),
        ("strand T 1 4 4 3", generate.strand("T", [1, 4, 4, 3])),
        ("pbt 1/4 3 1/3", generate.planar_bipartite_tree(["1/4", "3", "1/3"])),
        ("tree-from-parents -1 0 0 1 --expansion", generate.tree_from_parents([-1, 0, 0, 1], expansion=True)),
        ("tree-from-parents -- -1 0 0 1", generate.tree_from_parents([-1, 0, 0, 1])),
        ("daggen --jobs 60 --fat 0.7 --jump 2 --seed 3", generate.daggen(60, fat=0.7, jump=2, seed=3)),
        ("paper001 fig5-g3", generate.paper001("fig5-g3")),
    ],
)
def test_flags_are_the_parameters(words, dag, capsys):
    status, out, _ = run(words, capsys)
    assert status == 0
    assert edges(out) == names(dag)


def test_the_same_words_give_the_same_file(capsys):
    assert run("layered --seed 3", capsys) == run("layered --seed 3", capsys)
    assert run("layered --seed 3", capsys) != run("layered --seed 4", capsys)


def test_to_a_file_and_back(tmp_path, capsys):
    path = tmp_path / "airsn.dag"
    status, out, err = run(["airsn", "--width", "5", "-o", str(path)], capsys)
    assert (status, out) == (0, "")
    assert "38 jobs, 45 edges" in err
    assert names(eligo.read(path)) == names(generate.airsn(5))


def test_what_a_format_has_no_place_for_is_said(tmp_path, capsys):
    status, _, err = run(["montage", "--jobs", "30", "--costs", "-o", str(tmp_path / "m.dag")], capsys)
    assert status == 0
    assert "has no place for" in err


def test_costs_survive_where_they_can(tmp_path, capsys):
    path = tmp_path / "montage.json"
    assert run(["montage", "--jobs", "40", "--costs", "-o", str(path)], capsys)[0] == 0
    read, made = eligo.read(path), generate.montage(40, costs=True)
    assert read.time_s == pytest.approx(made.time_s)
    assert sorted(read.data.size_bytes) == sorted(made.data.size_bytes)


def test_sum_and_composition(capsys):
    _, out, _ = run(["sum", "chain --length 3", "chain --length 2 --dual"], capsys)
    assert len(edges(out)) == 3
    _, out, _ = run(["compose", "tree --height 2 --expansion", "tree --height 2"], capsys)
    assert edges(out) == names(generate.divide_and_conquer(2))
    _, out, _ = run(["compose", "strand M 2 2 2", "strand M 2 2", "strand M 2"], capsys)
    assert edges(out) == names(generate.mesh(4))
    _, out, _ = run(["compose", "chain --length 2"], capsys)
    assert edges(out) == {("0", "1")}


@pytest.mark.parametrize("words", ["", "--list"])
def test_list(words, capsys):
    status, out, err = run(words, capsys)
    assert (status, err) == (0, "")
    assert [line.split()[0] for line in out.splitlines()] == [*FAMILIES, *_COMBINATIONS]


@pytest.mark.parametrize("name", [*FAMILIES, *_COMBINATIONS])
def test_help_has_an_example(name, capsys):
    with pytest.raises(SystemExit) as stopped:
        cli.main(["generate", name, "--help"])
    assert stopped.value.code == 0
    text = capsys.readouterr().out
    assert f"eligo generate {name}" in text.split("example:")[1]
    assert "``" not in text


@pytest.mark.parametrize(
    "words",
    [
        ["mesh", "--levels", "0"],
        ["montage", "--jobs", "5"],
        ["airsn", "--width", "1000000000"],
        ["layered", "--probability", "nan"],
        ["strand", "W", "1"],
        ["pbt", "3", "3"],
        ["tree-from-parents", "1", "0"],
        ["tree-from-parents", "7"],
        ["chain", "-o", "name-without-a-known-suffix"],
        ["sum", ""],
        ["sum", "mesh 'open"],
        ["sum", "mesh -o x.dag"],
        ["sum", "--", "--list"],
    ],
)
def test_bad_values_exit_1_with_a_hint(words, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    status, out, err = run(words, capsys)
    assert (status, out) == (1, "")
    assert "hint: " in err
    assert "internal error" not in err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "words",
    [["no-such-family"], ["mesh", "--levels", "x"], ["strand", "T"], ["paper001", "fig99"], ["mesh", "--lev", "3"]],
)
def test_bad_usage_exits_2(words, capsys):
    with pytest.raises(SystemExit) as stopped:
        cli.main(["generate", *words])
    assert stopped.value.code == 2
    assert "usage: eligo generate" in capsys.readouterr().err


def test_debug_after_the_family(capsys):
    assert run("chain --length 2 --debug", capsys)[0] == 0
    with pytest.raises(eligo.EligoError):
        run("chain --length 0 --debug", capsys)
