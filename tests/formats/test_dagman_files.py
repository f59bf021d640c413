"""DAGMan files that splice and include others: names, edges, directories, loops and bombs."""

from __future__ import annotations

from pathlib import Path

import pytest

from eligo.errors import CycleError, ParseError
from eligo.formats import open_document
from tests.guards import no_hang

JOBS = "JOB a a.sub\nJOB b b.sub\nJOB c c.sub\n"


def edges_of(dag) -> set[tuple[str, str]]:
    return {(dag.names[a], dag.names[b]) for a, b in zip(dag.tails.tolist(), dag.heads.tolist(), strict=True)}


def folder(path: Path, **files: str) -> Path:
    for name, text in files.items():
        file = path / name.replace("__", "/").replace("_dag", ".dag")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return path / "x.dag"


def read(path: Path):
    return open_document(path, format="dagman").dag


def test_a_cycle_inside_a_splice(tmp_path: Path) -> None:
    path = folder(
        tmp_path, x_dag="JOB z z\nSPLICE s s.dag\n", s_dag="\n" + JOBS + "PARENT a CHILD b\nPARENT b CHILD a\n"
    )
    with pytest.raises(CycleError) as caught:
        read(path)
    assert set(caught.value.cycle) == {"s+a", "s+b"}
    assert (Path(caught.value.path).name, caught.value.line) == ("s.dag", 5)


SPLICED = "JOB x x.sub\nJOB y y.sub\nPARENT x CHILD y\nPIN_IN x 1\nPIN_OUT y 1\n"


def test_splices(tmp_path: Path) -> None:
    r"""Two uses of one file, nested in one, are four jobs each::

    a -> s+x -> s+y -> t+i+x -> t+i+y
    """
    path = folder(
        tmp_path,
        x_dag="PARENT a CHILD s\nSPLICE s s.dag\nJOB a a\nSPLICE t t.dag\nPARENT s CHILD t\n",
        s_dag=SPLICED,
        t_dag="SPLICE i s.dag\n",
    )
    dag = read(path)
    assert dag.names == ("s+x", "s+y", "a", "t+i+x", "t+i+y")
    assert edges_of(dag) == {("a", "s+x"), ("s+x", "s+y"), ("s+y", "t+i+x"), ("t+i+x", "t+i+y")}


def test_connect(tmp_path: Path) -> None:
    path = folder(tmp_path, x_dag="SPLICE s s.dag\nSPLICE t s.dag\nCONNECT s t\n", s_dag=SPLICED)
    assert ("s+y", "t+x") in edges_of(read(path))
    for bad in (
        "PIN_IN y 1\nPIN_OUT y 1\n",
        "PIN_IN x 2\nPIN_OUT y 2\n",
        "PIN_IN x 1\n",
        "PIN_IN x 1\nPIN_OUT x 1\nPIN_OUT y 2\n",
    ):
        folder(tmp_path, s_dag=SPLICED.partition("PIN")[0] + bad)
        with pytest.raises(ParseError, match=r"x\.dag:3"):
            read(path)


def test_directories_of_splices(tmp_path: Path) -> None:
    """DIR changes where everything inside is looked for; without it paths go on from where they were."""
    path = folder(
        tmp_path,
        x_dag="SPLICE s s.dag DIR d\n",
        d__s_dag="SPLICE t t.dag DIR e\nJOB q q.sub DIR e\nINCLUDE i.dag\n",
        d__e__t_dag="JOB x x.sub\n",
        d__i_dag="JOB w w.sub\n",
    )
    document = open_document(path)
    assert document.dag.names == ("s+t+x", "s+q", "s+w")
    assert [document.details.job(i).directory for i in range(3)] == ["d/e", "d/e", "d"]
    with pytest.raises(ParseError, match="does not exist"):
        read(folder(tmp_path, x_dag="SPLICE s s.dag DIR nope\n"))
    with pytest.raises(ParseError, match="does not exist"):
        read(folder(tmp_path, x_dag="SPLICE s d/s.dag\n"))


def test_paths_may_begin_at_the_current_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """``condor_submit_dag sub/x.dag`` starts where it is called, so a file there is found too, after the DAG's own."""
    folder(tmp_path, sub__x_dag="SPLICE s s.dag\n", s_dag="JOB outer o.sub\n")
    monkeypatch.chdir(tmp_path)
    assert read(Path("sub/x.dag")).names == ("s+outer",)
    folder(tmp_path, sub__s_dag="JOB inner i.sub\n")
    assert read(Path("sub/x.dag")).names == ("s+inner",)


@pytest.mark.parametrize(
    ("files", "text"),
    [
        ({"x_dag": "SPLICE s s.dag\nSPLICE s s.dag\n"}, "already taken"),
        ({"x_dag": "JOB s s\nSPLICE s s.dag\n"}, "already taken"),
        ({"x_dag": "SPLICE s s.dag\nJOB s s\n"}, "already taken"),
        ({"x_dag": 'SPLICE s s.dag\nVARS s x="1"\n'}, "unknown job"),
        ({"x_dag": "SPLICE s s.dag\nJOB a a\nPARENT a CHILD s+x\n"}, "cannot be named from outside"),
        ({"x_dag": "JOB a a\nSPLICE s s.dag\nPARENT a CHILD s\n", "s_dag": "# e\n"}, "has no jobs"),
        ({"x_dag": "SPLICE s s.dag\n", "s_dag": "FINAL f f\n"}, "FINAL"),
        ({"x_dag": "SPLICE s s.dag x\n"}, "out of place"),
        (
            {"x_dag": "JOB a a\nSPLICE s s.dag\nPARENT a CHILD s\n", "s_dag": "PROVISIONER f f\nJOB x x\n"},
            "PROVISIONER",
        ),
        ({"x_dag": "SPLICE s s.dag DIR\n"}, "not followed by a directory"),
        ({"x_dag": "JOB a a\nPARENT a CHILD y\nINCLUDE s.dag\n"}, "unknown job"),
        ({"x_dag": "INCLUDE s.dag\nINCLUDE s.dag\n"}, "already taken"),
        ({"x_dag": "INCLUDE nope.dag\n"}, "does not exist"),
        ({"x_dag": "INCLUDE s.dag\r"}, "does not exist"),  # a last line without a newline is not trimmed
        ({"x_dag": "SPLICE s nope.dag\n"}, "does not exist"),
        ({"x_dag": "INCLUDE x.dag\n"}, "itself"),
        ({"x_dag": "SPLICE s x.dag\n"}, "itself"),
        ({"x_dag": "INCLUDE y.dag\n", "y_dag": "SPLICE s x.dag\n"}, "itself"),
        ({"x_dag": "INCLUDE /dev/zero\n"}, "not a regular file"),
        (
            {
                "x_dag": "SPLICE s s.dag\nSPLICE s+t t.dag\nINCLUDE y.dag\n",
                "s_dag": "SPLICE t t.dag\n",
                "t_dag": "JOB x x\n",
                "y_dag": "",
            },
            "two jobs",
        ),
        ({"x_dag": "SPLICE s s.dag\nINCLUDE y.dag\nJOB a a\nPARENT a CHILD s\n", "y_dag": "#\n"}, "unknown job"),
    ],
)
def test_refused_files(tmp_path: Path, files: dict[str, str], text: str) -> None:
    with pytest.raises(ParseError) as caught:
        read(folder(tmp_path, **{"s_dag": SPLICED, **files}))
    assert text in f"{caught.value.text} {caught.value.hint}"


def test_included_files_lift_splices(tmp_path: Path) -> None:
    """After an INCLUDE the splices before it are known by their jobs, not by their names."""
    path = folder(
        tmp_path,
        x_dag="JOB a a\nSPLICE s s.dag\nINCLUDE i.dag\nPARENT a CHILD s+y\nRETRY s+y 3\n",
        s_dag=SPLICED,
        i_dag="# none\n",
    )
    document = open_document(path)
    assert edges_of(document.dag) == {("a", "s+y"), ("s+x", "s+y")}
    assert document.details.job(2).retry is not None


def test_what_was_initial_at_an_include_stays_so(tmp_path: Path) -> None:
    """DAGMan records a splice's first and last jobs at each end of file, so this edge reaches both."""
    path = folder(
        tmp_path,
        x_dag="JOB a a\nSPLICE s s.dag\nPARENT a CHILD s\n",
        s_dag="JOB x x\nJOB y y\nINCLUDE i.dag\nPARENT x CHILD y\n",
        i_dag="#\n",
    )
    assert edges_of(read(path)) == {("a", "s+x"), ("a", "s+y"), ("s+x", "s+y")}


def test_included_names_are_known_to_the_lines_after(tmp_path: Path) -> None:
    path = folder(
        tmp_path, x_dag=JOBS + "INCLUDE i.dag\nPARENT a d CHILD b\nPRIORITY d 3\n", i_dag="JOB d d\nPARENT b CHILD c\n"
    )
    dag = read(path)
    assert dag.names == ("a", "b", "c", "d")
    assert edges_of(dag) == {("a", "b"), ("d", "b"), ("b", "c")}


def test_a_directory_reads_as_an_empty_dag(tmp_path: Path) -> None:
    (tmp_path / "d").mkdir()
    document = open_document(folder(tmp_path, x_dag="JOB a a\nINCLUDE d\nSPLICE s d\nINCLUDE /dev/null\n"))
    assert document.dag.names == ("a",)
    assert len(document.warnings) == 1
    assert "which DAGMan reads as an empty DAG" in document.warnings[0]


def test_deep_nesting(tmp_path: Path) -> None:
    for i in range(600):
        (tmp_path / f"{i}.dag").write_text(f"JOB j j.sub\nSPLICE s {i + 1}.dag\n")
    (tmp_path / "400.dag").write_text("JOB j j.sub\n")
    dag = read(tmp_path / "0.dag")
    assert dag.n == 401
    assert "s+" * 400 + "j" in dag
    (tmp_path / "400.dag").write_text("SPLICE s 401.dag\n")
    with pytest.raises(ParseError, match="nested more than"):
        read(tmp_path / "0.dag")


def test_deep_includes(tmp_path: Path) -> None:
    for i in range(400):
        (tmp_path / f"{i}.dag").write_text(f"JOB j{i} j.sub\nINCLUDE {i + 1}.dag\n")
    (tmp_path / "400.dag").write_text("JOB last j.sub\nPARENT j0 CHILD last\n")
    assert read(tmp_path / "0.dag").n == 401


def test_splice_bomb(tmp_path: Path) -> None:
    for i in range(40):
        (tmp_path / f"{i}.dag").write_text(f"SPLICE a {i + 1}.dag\nSPLICE b {i + 1}.dag\n")
    (tmp_path / "40.dag").write_text("JOB j j.sub\n")
    with no_hang(), pytest.raises(ParseError, match=r"expand to more than 10,000,000 jobs"):
        read(tmp_path / "0.dag")
