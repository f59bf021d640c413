"""The DAGMan language: what is taken and how, what is refused and where.

Verdicts not marked otherwise are those of the real DAGMan 23.9, asked once for each line here.
"""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from eligo.errors import CycleError, ParseError
from eligo.formats import open_document
from eligo.formats.dagman import parse, sniff
from eligo.formats.storage import Source

JOBS = "JOB a a.sub\nJOB b b.sub\nJOB c c.sub\n"


def dag_of(text: str | bytes):
    return parse(Source("x.dag", text if isinstance(text, bytes) else text.encode())).dag


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


@pytest.mark.parametrize(
    "line",
    [
        "PARENT a CHILD b", "parent a b Child c", "PARENT a a CHILD b b", "PARENT a \\\n   CHILD b", "PARENT a \\\n# gone \\\n CHILD b",
        "RETRY a 3", "RETRY a 3abc", "RETRY a +3", "RETRY a 99999999999", "RETRY a 3 UNLESS-EXIT 2", "RETRY a 3 UNLESS-EXIT 1 more",
        "RETRY ALL_NODES 3", "retry All_Nodes 3", "PRIORITY a -7", "PRIORITY a 99999999999", "PRE_SKIP a 0", "PRE_SKIP a 255",
        "ABORT-DAG-ON a 3", "ABORT-DAG-ON a 3 RETURN 25 more", "CATEGORY a x", "MAXJOBS x 3", "SCRIPT PRE a x", "SCRIPT HOLD a x  y",
        "SCRIPT DEFER 1 0 POST a x", "SCRIPT DEBUG f ALL PRE a x", "SCRIPT DEFER 1 1 DEBUG f STDOUT POST a x", "SCRIPT PRE ALL_NODES x",
        'VARS a x="1"', 'VARS a x = "1" y="\\"\\\\"', 'VARS a x="1"y="2"', 'VARS a PREPEND x="1"', 'VARS a APPENDx="1"', 'VARS a x=""',
        'VARS a +x="1" My.y="2"', "DOT x anything", "DOT x INCLUDE y", "NODE_STATUS_FILE x 3 ALWAYS-UPDATE", "JOBSTATE_LOG x",
        "SAVE_POINT_FILE a", "SAVE_POINT_FILE a f", "CONFIG", "SET_JOB_ATTR", "ENV nonsense", "PIN_IN a 1x", "PIN_OUT b 2",
        "SUBDAG EXTERNAL d x.dag NOOP DONE", 'SUBDAG EXTERNAL d "x y"', "SUBDAG EXTERNAL d {", "FINAL f f.sub DONE", "SERVICE s s.sub",
        "PROVISIONER p p.sub\nRETRY p 2", "FINAL f f.sub\nSCRIPT PRE f x\nVARS f x=\"1\"\nPRE_SKIP f 1\nSAVE_POINT_FILE f",
        "SERVICE s s\nABORT-DAG-ON s 1\nVARS s x=\"1\"", "JOB d {\n}", "JOB d {\nexecutable = x\n+y = 2\n}anything", "JOB d {x\n  }",
        "JOB d { NOOP\n}", "JOB d {\nx @=end\nJOB q q\n@end\n}", "SUBMIT-DESCRIPTION e {\n}\nJOB d e", 'JOB d "{"\nx=1\n}',
        'JOB d "my file.sub" DIR "." NOOP DONE', 'JOB d "open', "JOB d\rd x", "JOB 7 x", "JOB d x\\\n.sub", "\vJOB d x\f",
    ],
)  # fmt: skip
def test_accepted(line: str) -> None:
    assert dag_of(JOBS + line + "\n").n >= 3


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("PARENT a CHILD", "no job stands after CHILD"), ("PARENT CHILD b", "no job stands before CHILD"), ("PARENT a b", "PARENT without CHILD"),
        ("PARENT a CHILD z", "unknown job 'z'"), ("PARENT A CHILD b", "unknown job 'A'"), ("PARENT a CHILD b CHILD c", "unknown job 'CHILD'"),
        ("PARENT a CHILD b\\\n c", "unknown job 'bc'"), ("PARENT a\vCHILD b", "PARENT without CHILD"), ("PARENT\ra CHILD b", "no DAGMan command"),
        ("RETRY a", "RETRY takes"), ("RETRY a x", "RETRY takes"), ("RETRY a -1", "RETRY takes"), ("RETRY a 2147483648", "RETRY takes"),
        ("RETRY a 3 FOO", "UNLESS-EXIT"), ("RETRY a 3 UNLESS-EXIT 3x", "UNLESS-EXIT"), ("RETRY z 3", "unknown job"), ("RETRY", "names no job"),
        ("PRIORITY a 3 4", "PRIORITY takes"), ("PRIORITY a x", "PRIORITY takes"), ("PRE_SKIP a 256", "0 to 255"), ("PRE_SKIP a -1", "0 to 255"),
        ("ABORT-DAG-ON a 3 RETURN 256", "RETURN"), ("ABORT-DAG-ON a 3 x", "RETURN"), ("CATEGORY a", "CATEGORY takes"),
        ("CATEGORY a x y", "CATEGORY takes"), ("MAXJOBS x -3", "MAXJOBS takes"), ("MAXJOBS x", "MAXJOBS takes"), ("SCRIPT PRE a", "needs a job"),
        ("SCRIPT FOO a x", "PRE, POST or HOLD"), ("SCRIPT DEFER 0 0 PRE a x", "DEFER"), ("SCRIPT DEBUG f FOO PRE a x", "DEBUG"),
        ("SCRIPT DEBUG f ALL DEFER 1 1 PRE a x", "PRE, POST or HOLD"), ("VARS a", "no value"), ("VARS a x=1", "double quotes"),
        ('VARS a x="\\n"', "escape"), ('VARS a x="1', "closing double quote"), ('VARS a +="3"', "cannot begin a name"),
        ('VARS a x+="1"', "+ inside"), ('VARS a Queue_x="1"', "begins with queue"), ('VARS a  PREPEND x="1"', "not followed by ="),
        ('VARS a x="1" APPEND y="2"', "not followed by ="), ("DOT", "DOT needs"), ("DOT x INCLUDE", "INCLUDE of DOT"),
        ("NODE_STATUS_FILE x y", "NODE_STATUS_FILE takes"), ("NODE_STATUS_FILE x 3 4", "NODE_STATUS_FILE takes"), ("JOBSTATE_LOG", "one file"),
        ("SAVE_POINT_FILE z", "unknown job"), ("SAVE_POINT_FILE ALL_NODES", "ALL_NODES"), ("SAVE_POINT_FILE a b c", "at most one"),
        ("REJECT", "REJECT"), ("REJECT x", "REJECT stands alone"), ("CONNECT a b", "no splice 'a'"), ("PIN_IN a 0", "number from 1"),
        ("PIN_IN z 1", "unknown job"), ("PIN_IN a 1 2", "number from 1"), ("JOB", "not followed by a name"), ("JOB d", "no submit description"),
        ("JOB d x y", "no option"), ("JOB d x DIR", "not followed by a directory"), ("JOB a x", "already taken"), ("FINAL a x", "already taken"),
        ("JOB PARENT x", "cannot be called"), ("JOB child x", "cannot be called"), ("JOB all_nodes x", "cannot be called"), ("JOB d+e x", "has a +"),
        ("JOB d x.condor.sub", "sub-DAG"), ("SUBDAG d x", "EXTERNAL"), ("SUBDAG EXTERNAL d", "no submit description"),
        ("FINAL f f\nFINAL g g", "second FINAL"), ("PROVISIONER f f\nPROVISIONER g g", "second PROVISIONER"),
        ("FINAL f f\nPARENT a CHILD f", "FINAL node"), ("SERVICE f f\nPARENT f CHILD a", "SERVICE node"), ("PROVISIONER f f\nPARENT f CHILD a", "takes no edges"),
        ("FINAL f f\nRETRY f 3", "cannot have RETRY"), ("SERVICE f f\nPRIORITY f 3", "cannot have PRIORITY"), ("FINAL f f\nCATEGORY f x", "cannot have"),
        ("FINAL f f\nABORT-DAG-ON f 1", "cannot have"), ("SERVICE f f\nSAVE_POINT_FILE f", "cannot have"), ("JOB d {\nexecutable = x", "not closed"),
        ("JOB d {\nfoo\n}", "not name = value"), ("JOB d {\nqueue\n}", "not name = value"), ("JOB d {\na b = c\n}", "not name = value"),
        ("JOB d {\nx : 3\n}", "not name = value"), ("JOB d {\nendif\n}", "without if"), ("JOB d {\n}= x\n", "not closed"),
        ("SUBMIT-DESCRIPTION d x", "needs a name"), ("SUBMIT-DESCRIPTION d", "needs a name"), ("EDGE a b", "no DAGMan command"),
        ("NODE d x", "no DAGMan command"), ("DATA d x", "no DAGMan command"), ("SPLICE s", "needs a name and a file"), ("INCLUDE", "one file"),
    ],
)  # fmt: skip
def test_refused(line: str, text: str) -> None:
    with pytest.raises(ParseError) as caught:
        dag_of(JOBS + line + "\n")
    assert text in caught.value.text
    assert caught.value.hint
    assert caught.value.line is not None
    assert caught.value.line > 3


@pytest.mark.parametrize(
    "text",
    [
        "JOB a x NOOP DIR . DONE\n", "JOB a x DONE NOOP\n", "JOB a @=END\nexecutable = x\nJOB q q\n@END\n", "JOB a @=E\n  @E NOOP\n",
        "SERVICE s {\nexecutable = x\n}\nJOB a x\n", "// a comment\nJOB a x\n", "JOB a x\nPRE-SKIP a 1\n", "JOB a x\nABORT_DAG_ON a 1\n",
        "SUBMIT_DESCRIPTION d {\n}\nJOB a d\n", "JOB a x\nDONE a\n", "JOB a x\nTOLERANCE a 10%\n", "JOB a {\nx = 1\n} NOOP DONE\n",
        "JOB a x DIR not-there\n",
    ],
)  # fmt: skip
def test_accepted_by_version_25_only(text: str) -> None:
    assert dag_of(text).names == ("a",)


@pytest.mark.parametrize("line", ["WEAK PARENT a CHILD b c", "WEAK a CHILD b c"])
def test_weak_edges_are_edges(line: str) -> None:
    document = parse(Source("x.dag", f"{JOBS}{line}\n".encode()))
    assert edges_of(document.dag) == {("a", "b"), ("a", "c")}
    assert [column.tolist() for column in document.details.weak_edges] == [[0, 0], [1, 2]]


@pytest.mark.parametrize("text", ["\n", "# nothing\n", "CONFIG x\n", "FINAL f f.sub\n", "SERVICE s s\n"])
def test_a_dag_may_have_no_jobs(text: str) -> None:
    assert dag_of(text).n == 0


def test_the_end_of_the_file() -> None:
    """A last line without a newline is neither trimmed nor continued."""
    assert edges_of(dag_of(JOBS + "  PARENT a CHILD b ")) == {("a", "b")}
    assert dag_of(JOBS + "# end").n == 3
    for end in ("PARENT a CHILD b\\", "PARENT a CHILD b\r", "  # indented"):
        with pytest.raises(ParseError):
            dag_of(JOBS + end)
    assert edges_of(dag_of(JOBS.replace("\n", "\r\n") + "PARENT a CHILD b\r\n")) == {("a", "b")}


def test_commands_may_precede_their_jobs() -> None:
    dag = dag_of('RETRY b 2\nPARENT a CHILD b\nVARS a x="1"\nJOB b b.sub\nJOB a a.sub\n')
    assert dag.names == ("b", "a")
    assert edges_of(dag) == {("a", "b")}


def test_bytes_that_are_no_utf8() -> None:
    dag = dag_of(b"JOB caf\xe9 x.sub\nJOB \xc3\xa9 y.sub\nPARENT caf\xe9 CHILD \xc3\xa9\n")
    assert dag.names == ("caf\udce9", "é")


def test_case_folding_is_ascii() -> None:
    """A dotless i is another letter: DAGMan compares with strcasecmp."""
    assert dag_of("JOB ch\u0131ld x\n").names == ("ch\u0131ld",)


def test_many_to_many_has_no_join_node() -> None:
    dag = dag_of(JOBS + "JOB d d\nPARENT a b CHILD c d\nPARENT a CHILD c\n")
    assert dag.n == 4
    assert edges_of(dag) == {("a", "c"), ("a", "d"), ("b", "c"), ("b", "d")}


@pytest.mark.parametrize(
    "text", ["PARENT a CHILD a\n", "PARENT a CHILD b\nPARENT b CHILD a\n", "PARENT a b CHILD b c\n"]
)
def test_cycles_name_a_line(text: str) -> None:
    with pytest.raises(CycleError) as caught:
        dag_of(JOBS + text)
    assert (caught.value.path, caught.value.line) == ("x.dag", 4)


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
        tmp_path, x_dag="SPLICE s s.dag DIR d\n", d__s_dag="SPLICE t t.dag DIR e\nJOB q q.sub DIR e\nINCLUDE i.dag\n",
        d__e__t_dag="JOB x x.sub\n", d__i_dag="JOB w w.sub\n",
    )  # fmt: skip
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
        ({"x_dag": "SPLICE s s.dag\nSPLICE s s.dag\n"}, "already taken"), ({"x_dag": "JOB s s\nSPLICE s s.dag\n"}, "already taken"),
        ({"x_dag": "SPLICE s s.dag\nJOB s s\n"}, "already taken"), ({"x_dag": "SPLICE s s.dag\nVARS s x=\"1\"\n"}, "unknown job"),
        ({"x_dag": "SPLICE s s.dag\nJOB a a\nPARENT a CHILD s+x\n"}, "cannot be named from outside"),
        ({"x_dag": "JOB a a\nSPLICE s s.dag\nPARENT a CHILD s\n", "s_dag": "# e\n"}, "has no jobs"),
        ({"x_dag": "SPLICE s s.dag\n", "s_dag": "FINAL f f\n"}, "FINAL"), ({"x_dag": "SPLICE s s.dag x\n"}, "out of place"),
        ({"x_dag": "JOB a a\nSPLICE s s.dag\nPARENT a CHILD s\n", "s_dag": "PROVISIONER f f\nJOB x x\n"}, "PROVISIONER"),
        ({"x_dag": "SPLICE s s.dag DIR\n"}, "not followed by a directory"), ({"x_dag": "JOB a a\nPARENT a CHILD y\nINCLUDE s.dag\n"}, "unknown job"),
        ({"x_dag": "INCLUDE s.dag\nINCLUDE s.dag\n"}, "already taken"), ({"x_dag": "INCLUDE nope.dag\n"}, "does not exist"),
        ({"x_dag": "SPLICE s nope.dag\n"}, "does not exist"), ({"x_dag": "INCLUDE x.dag\n"}, "itself"), ({"x_dag": "SPLICE s x.dag\n"}, "itself"),
        ({"x_dag": "INCLUDE y.dag\n", "y_dag": "SPLICE s x.dag\n"}, "itself"), ({"x_dag": "INCLUDE /dev/zero\n"}, "not a regular file"),
        ({"x_dag": "SPLICE s s.dag\nSPLICE s+t t.dag\nINCLUDE y.dag\n", "s_dag": "SPLICE t t.dag\n", "t_dag": "JOB x x\n", "y_dag": ""}, "two jobs"),
        ({"x_dag": "SPLICE s s.dag\nINCLUDE y.dag\nJOB a a\nPARENT a CHILD s\n", "y_dag": "#\n"}, "unknown job"),
    ],
)  # fmt: skip
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


def test_nul_bytes() -> None:
    with pytest.raises(ParseError, match="x.dag:2: a NUL byte"):
        dag_of(b"JOB a x\nJOB b \0\n")


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
    begin = time.monotonic()
    with pytest.raises(ParseError, match=r"expand to more than 10,000,000 jobs"):
        read(tmp_path / "0.dag")
    assert time.monotonic() - begin < 20


def test_edge_bomb() -> None:
    names = [f"j{i}" for i in range(20_000)]
    text = (
        "".join(f"JOB {name} x\n" for name in names)
        + f"PARENT {' '.join(names[:15_000])} CHILD {' '.join(names[5_000:])}\n"
    )
    with pytest.raises(ParseError, match="more than 200,000,000 edges"):
        dag_of(text)


@pytest.mark.parametrize(
    "text",
    [
        "JOB " + "x" * 10_000_000 + " y\n", "JOB a " + "y" * 10_000_000 + "\n", "JOB a x\nVARS a " + 'v="1" ' * 1_500_000 + "\n",
        "JOB a x\nPRIORITY a " + "9" * 10_000_000 + "\n", "#" * 10_000_000 + "\n", "JOB a x\nSCRIPT PRE a " + "z " * 5_000_000 + "\n",
        "JOB a {\n" + "x = 1\n" * 1_000_000 + "}\n", "JOB a x\n" + "\\\n" * 3_000_000, "JOB a x\nDOT f " + "y " * 3_000_000 + "\n",
        'JOB a x\nVARS a PREPEND v="' + "\\\\" * 4_000_000 + '"\n',
    ],
)  # fmt: skip
def test_huge_lines(text: str) -> None:
    begin = time.monotonic()
    assert dag_of(text).n in (0, 1)
    assert time.monotonic() - begin < 30


@pytest.mark.parametrize(
    "head",
    [
        "JOB a a.sub\n", "# only a comment\n", "CONFIG x\n", "FINAL f f.sub\n", "job a {\n executable = x\n", "PARENT a CHILD b\n",
        "SPLICE s s.dag\r\nPARENT s \\\r\n CHILD t\r\n", "JBO a a.sub\nJOB b b.sub\n", "JOB a @=X\nlorem = ipsum\n",
    ],
)  # fmt: skip
def test_sniffs_dagman(head: str) -> None:
    assert sniff(head)


@pytest.mark.parametrize(
    "head",
    [
        "", "\n", "FILE f 3\nTASK t x 1.0\nEDGE a b\n", "4\n0 0 0\n1 3 1 0\n", "parent,child\na,b\n", "parent\tchild\na\tb\n",
        "digraph g { a -> b }", "graph TD\n a --> b\n", '{"name": "x"}', "<adag/>", "pegasus: '5.0'\n", "a b\nb c\n", "job task\na b\n",
    ],
)  # fmt: skip
def test_sniffs_nothing_else(head: str) -> None:
    assert not sniff(head)


def test_found_by_content(tmp_path: Path) -> None:
    (tmp_path / "x.submit").write_text(JOBS)
    assert open_document(tmp_path / "x.submit").format == "dagman"
