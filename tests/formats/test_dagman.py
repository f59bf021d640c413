"""The DAGMan language: what is taken and how, what is refused and where.

Verdicts not marked otherwise are those of the real DAGMan 23.9, asked once for each line here.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from eligo.errors import CycleError, ParseError
from eligo.formats import open_document
from eligo.formats._dagman import parse, sniff
from eligo.formats._source import Source
from tests.guards import no_hang

JOBS = "JOB a a.sub\nJOB b b.sub\nJOB c c.sub\n"


# Each row is a line to add to JOBS; ¶ is a new line, ␍ ␋ ␌ are the control characters.
ACCEPTED = r"""
PARENT a CHILD b
parent a b Child c
PARENT a a CHILD b b
PARENT a \¶   CHILD b
PARENT a \¶# gone \¶ CHILD b
RETRY a 3
RETRY a 3abc
RETRY a +3
RETRY a 99999999999
RETRY a 3 UNLESS-EXIT 2
RETRY a 3 UNLESS-EXIT 1 more
RETRY ALL_NODES 3
retry All_Nodes 3
PRIORITY a -7
PRIORITY a 99999999999
PRE_SKIP a 0
PRE_SKIP a 255
ABORT-DAG-ON a 3
ABORT-DAG-ON a 3 RETURN 25 more
CATEGORY a x
MAXJOBS x 3
SCRIPT PRE a x
SCRIPT HOLD a x  y
SCRIPT DEFER 1 0 POST a x
SCRIPT DEBUG f ALL PRE a x
SCRIPT DEFER 1 1 DEBUG f STDOUT POST a x
SCRIPT PRE ALL_NODES x
VARS a x="1"
VARS a x = "1" y="\"\\"
VARS a x="1"y="2"
VARS a PREPEND x="1"
VARS a APPENDx="1"
VARS a x=""
VARS a +x="1" My.y="2"
DOT x anything
DOT x INCLUDE y
NODE_STATUS_FILE x 3 ALWAYS-UPDATE
JOBSTATE_LOG x
SAVE_POINT_FILE a
SAVE_POINT_FILE a f
CONFIG
SET_JOB_ATTR
ENV nonsense
PIN_IN a 1x
PIN_OUT b 2
SUBDAG EXTERNAL d x.dag NOOP DONE
SUBDAG EXTERNAL d "x y"
SUBDAG EXTERNAL d {
FINAL f f.sub DONE
SERVICE s s.sub
PROVISIONER p p.sub¶RETRY p 2
FINAL f f.sub¶SCRIPT PRE f x¶VARS f x="1"¶PRE_SKIP f 1¶SAVE_POINT_FILE f
SERVICE s s¶ABORT-DAG-ON s 1¶VARS s x="1"
JOB d {¶}
JOB d {¶executable = x¶+y = 2¶}anything
JOB d {x¶  }
JOB d { NOOP¶}
JOB d {¶x @=end¶JOB q q¶@end¶}
SUBMIT-DESCRIPTION e {¶}¶JOB d e
JOB d "{"¶x=1¶}
JOB d "my file.sub" DIR "." NOOP DONE
JOB d "open
JOB d␍d x
JOB 7 x
JOB d x\¶.sub
␋JOB d x␌
"""

REFUSED = r"""
PARENT a CHILD  =>  no job stands after CHILD
PARENT CHILD b  =>  no job stands before CHILD
PARENT a b  =>  PARENT without CHILD
PARENT a CHILD z  =>  unknown job 'z'
PARENT A CHILD b  =>  unknown job 'A'
PARENT a CHILD b CHILD c  =>  unknown job 'CHILD'
PARENT a CHILD b\¶ c  =>  unknown job 'bc'
PARENT a␋CHILD b  =>  PARENT without CHILD
PARENT␍a CHILD b  =>  no DAGMan command
RETRY a  =>  RETRY takes
RETRY a x  =>  RETRY takes
RETRY a -1  =>  RETRY takes
RETRY a 2147483648  =>  RETRY takes
RETRY a 3 FOO  =>  UNLESS-EXIT
RETRY a 3 UNLESS-EXIT 3x  =>  UNLESS-EXIT
RETRY z 3  =>  unknown job
RETRY  =>  names no job
PRIORITY a 3 4  =>  PRIORITY takes
PRIORITY a x  =>  PRIORITY takes
PRE_SKIP a 256  =>  0 to 255
PRE_SKIP a -1  =>  0 to 255
ABORT-DAG-ON a 3 RETURN 256  =>  RETURN
ABORT-DAG-ON a 3 x  =>  RETURN
CATEGORY a  =>  CATEGORY takes
CATEGORY a x y  =>  CATEGORY takes
MAXJOBS x -3  =>  MAXJOBS takes
MAXJOBS x  =>  MAXJOBS takes
SCRIPT PRE a  =>  needs a job
SCRIPT FOO a x  =>  PRE, POST or HOLD
SCRIPT DEFER 0 0 PRE a x  =>  DEFER
SCRIPT DEBUG f FOO PRE a x  =>  DEBUG
SCRIPT DEBUG f ALL DEFER 1 1 PRE a x  =>  PRE, POST or HOLD
VARS a  =>  no value
VARS a x=1  =>  double quotes
VARS a x="\n"  =>  escape
VARS a x="1  =>  closing double quote
VARS a +="3"  =>  cannot begin a name
VARS a x+="1"  =>  + inside
VARS a Queue_x="1"  =>  begins with queue
VARS a  PREPEND x="1"  =>  not followed by =
VARS a x="1" APPEND y="2"  =>  not followed by =
DOT  =>  DOT needs
DOT x INCLUDE  =>  INCLUDE of DOT
NODE_STATUS_FILE x y  =>  NODE_STATUS_FILE takes
NODE_STATUS_FILE x 3 4  =>  NODE_STATUS_FILE takes
JOBSTATE_LOG  =>  one file
SAVE_POINT_FILE z  =>  unknown job
SAVE_POINT_FILE ALL_NODES  =>  ALL_NODES
SAVE_POINT_FILE a b c  =>  at most one
NODE_STATUS_FILE f 3 ALWAYS-UPDATE x  =>  perhaps seconds
REJECT  =>  REJECT
REJECT x  =>  REJECT stands alone
CONNECT a b  =>  no splice 'a'
PIN_IN a 0  =>  number from 1
PIN_IN z 1  =>  unknown job
PIN_IN a 1 2  =>  number from 1
JOB  =>  not followed by a name
JOB d  =>  no submit description
JOB d x y  =>  no option
JOB d x DIR  =>  not followed by a directory
JOB a x  =>  already taken
FINAL a x  =>  already taken
JOB PARENT x  =>  cannot be called
JOB child x  =>  cannot be called
JOB all_nodes x  =>  cannot be called
JOB d+e x  =>  has a +
JOB d x.condor.sub  =>  sub-DAG
SUBDAG d x  =>  EXTERNAL
SUBDAG EXTERNAL d  =>  no submit description
FINAL f f¶FINAL g g  =>  second FINAL
PROVISIONER f f¶PROVISIONER g g  =>  second PROVISIONER
FINAL f f¶PARENT a CHILD f  =>  FINAL node
SERVICE f f¶PARENT f CHILD a  =>  SERVICE node
PROVISIONER f f¶PARENT f CHILD a  =>  takes no edges
FINAL f f¶RETRY f 3  =>  cannot have RETRY
SERVICE f f¶PRIORITY f 3  =>  cannot have PRIORITY
FINAL f f¶CATEGORY f x  =>  cannot have
FINAL f f¶ABORT-DAG-ON f 1  =>  cannot have
SERVICE f f¶SAVE_POINT_FILE f  =>  cannot have
JOB d {¶executable = x  =>  not closed
JOB d {¶foo¶}  =>  not name = value
JOB d {¶queue¶}  =>  not name = value
JOB d {¶a b = c¶}  =>  not name = value
JOB d {¶x : 3¶}  =>  not name = value
JOB d {¶endif¶}  =>  without if
JOB d {¶}= x¶  =>  not closed
SUBMIT-DESCRIPTION d x  =>  needs a name
SUBMIT-DESCRIPTION d  =>  needs a name
EDGE a b  =>  no DAGMan command
NODE d x  =>  no DAGMan command
DATA d x  =>  no DAGMan command
SPLICE s  =>  needs a name and a file
INCLUDE  =>  one file
"""

# Whole files of one job.
NEWER = r"""
JOB a x NOOP DIR . DONE
JOB a x DONE NOOP
JOB a @=END¶executable = x¶JOB q q¶@END
JOB a @=E¶  @E NOOP
SERVICE s {¶executable = x¶}¶JOB a x
// a comment¶JOB a x
JOB a x¶PRE-SKIP a 1
JOB a x¶ABORT_DAG_ON a 1
SUBMIT_DESCRIPTION d {¶}¶JOB a d
JOB a x¶DONE a
JOB a x¶TOLERANCE a 10%
JOB a {¶x = 1¶} NOOP DONE
JOB a x DIR not-there
"""


def table(text: str) -> list[str]:
    """Return the rows of a table above."""
    return [row.translate(str.maketrans("¶␍␋␌", "\n\r\v\f")) for row in text.strip("\n").split("\n")]


def dag_of(text: str | bytes):
    return parse(Source("x.dag", text if isinstance(text, bytes) else text.encode())).dag


def edges_of(dag) -> set[tuple[str, str]]:
    return {(dag.names[a], dag.names[b]) for a, b in zip(dag.tails.tolist(), dag.heads.tolist(), strict=True)}


@pytest.mark.parametrize("line", table(ACCEPTED))
def test_accepted(line: str) -> None:
    assert dag_of(JOBS + line + "\n").n >= 3


def test_what_may_have_been_meant() -> None:
    for word, meant in (
        ("PRIORTY", "did you mean PRIORITY?"),
        ("EDGE", "the commands are"),
        ("x" * 9999, "the commands"),
    ):
        with pytest.raises(ParseError) as caught:
            dag_of(f"{JOBS}{word} a 3\n")
        assert caught.value.hint.startswith(meant)


@pytest.mark.parametrize(("line", "text"), [row.split("  =>  ") for row in table(REFUSED)])
def test_refused(line: str, text: str) -> None:
    with pytest.raises(ParseError) as caught:
        dag_of(JOBS + line + "\n")
    assert text in caught.value.text
    assert caught.value.hint
    assert caught.value.line is not None
    assert caught.value.line > 3


@pytest.mark.parametrize("text", table(NEWER))
def test_accepted_by_version_25_only(text: str) -> None:
    assert dag_of(f"{text}\n").names == ("a",)


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


def test_nul_bytes() -> None:
    with pytest.raises(ParseError, match=r"x\.dag:2: a NUL byte"):
        dag_of(b"JOB a x\nJOB b \0\n")


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
        "JOB " + "x" * 10_000_000 + " y\n",
        "JOB a " + "y" * 10_000_000 + "\n",
        "JOB a x\nVARS a " + 'v="1" ' * 1_500_000 + "\n",
        "JOB a x\nPRIORITY a " + "9" * 10_000_000 + "\n",
        "#" * 10_000_000 + "\n",
        "JOB a x\nSCRIPT PRE a " + "z " * 5_000_000 + "\n",
        "JOB a {\n" + "x = 1\n" * 1_000_000 + "}\n",
        "JOB a x\n" + "\\\n" * 3_000_000,
        "JOB a x\nDOT f " + "y " * 3_000_000 + "\n",
        'JOB a x\nVARS a PREPEND v="' + "\\\\" * 4_000_000 + '"\n',
    ],
)
def test_huge_lines(text: str) -> None:
    with no_hang():
        assert dag_of(text).n in (0, 1)


@pytest.mark.parametrize(
    "head",
    [
        "JOB a a.sub\n",
        "# only a comment\n",
        "CONFIG x\n",
        "FINAL f f.sub\n",
        "job a {\n executable = x\n",
        "PARENT a CHILD b\n",
        "SPLICE s s.dag\r\nPARENT s \\\r\n CHILD t\r\n",
        "JBO a a.sub\nJOB b b.sub\n",
        "JOB a @=X\nlorem = ipsum\n",
    ],
)
def test_sniffs_dagman(head: str) -> None:
    assert sniff(head)


@pytest.mark.parametrize(
    "head",
    [
        "",
        "\n",
        "FILE f 3\nTASK t x 1.0\nEDGE a b\n",
        "4\n0 0 0\n1 3 1 0\n",
        "parent,child\na,b\n",
        "parent\tchild\na\tb\n",
        "digraph g { a -> b }",
        "graph TD\n a --> b\n",
        '{"name": "x"}',
        "<adag/>",
        "pegasus: '5.0'\n",
        "a b\nb c\n",
        "job task\na b\n",
    ],
)
def test_sniffs_nothing_else(head: str) -> None:
    assert not sniff(head)


def test_found_by_content(tmp_path: Path) -> None:
    (tmp_path / "x.submit").write_text(JOBS)
    assert open_document(tmp_path / "x.submit").format == "dagman"
