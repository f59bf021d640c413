"""Style vars, and what submit files do to priorities of either style."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from eligo.errors import ParseError
from eligo.formats._dagman.priorities import instrument, uninstrument
from eligo.formats._editing import Instrumented, Wish
from eligo.formats._source import Source
from eligo.formats._submit import submit_edits
from eligo.formats._submit.submit_edits import own_priority, with_reference
from tests.formats.dagman_folders import contents, put, reread
from tests.formats.test_dagman_instrument import block_of

LINE = b"priority = $(jobpriority)"


def run(folder: Path, text: str, wish: Wish | None = None, **files: bytes) -> Instrumented:
    """Write a DAG and files (``j_sub`` is j.sub), and return what it becomes."""
    for name, data in files.items():
        (folder / name.replace("_", ".")).write_bytes(data)
    (folder / "x.dag").write_text(text)
    document = reread(folder / "x.dag")
    return instrument(document, np.arange(document.dag.n, 0, -1, dtype=np.int32), wish or Wish("vars"))


def changed(result: Instrumented) -> dict[str, bytes]:
    return {Path(change.path).name: change.data for change in result.others}


def test_paper_002_figure_3(tmp_path: Path) -> None:
    text = "JOB a j.sub\nJOB b j.sub\nJOB c k.sub\nPARENT a CHILD b\n"
    result = run(tmp_path, text, j_sub=b"executable = x\nqueue\n", k_sub=b"executable = y\nqueue\n")
    assert block_of(result.data) == ['VARS a jobpriority="3"', 'VARS b jobpriority="2"', 'VARS c jobpriority="1"']
    assert sorted(changed(result)) == ["j.sub", "k.sub"]
    lines = changed(result)["j.sub"].splitlines()
    assert lines[0] == b"executable = x"
    assert (lines[2], lines[-1]) == (LINE, b"queue")
    assert (result.written, result.kept, result.warnings) == (3, 0, ())
    assert not result.others_first  # a file that is not changed yet does no harm, one that is left changed does


@pytest.mark.parametrize(
    ("submit", "before"),
    [
        (b"queue\n", b""),
        (b"a = 1\n  Queue 5\nqueue\n", b"a = 1\n"),
        (b"a = \\\nqueue\nqueue", b"a = \\\nqueue\n"),
        (b"# queue\nx @=end\nqueue\n@end\nqueue from (\nqueue\n)\n", b"# queue\nx @=end\nqueue\n@end\n"),
        (b"a = 1\nif true\n if false\n  queue\n endif\nendif\n", b"a = 1\n"),
        (b"if true\na = 1\nendif\nqueue 2\n", b"if true\na = 1\nendif\n"),
        (b"a = 1\n", b"a = 1\n"),
        (b"a = 1", b"a = 1\n"),
        (b"a = \\\n", b"a = \\\n\n"),
        (b"", b""),
        (b"queues = 3\nqueue\n", b"queues = 3\n"),
        (b"\xff\xfe = \xe9\r\nqueue\r\n", b"\xff\xfe = \xe9\r\n"),
    ],
)
def test_where_the_line_goes(tmp_path: Path, submit: bytes, before: bytes) -> None:
    result = run(tmp_path, "JOB a j.sub\n", j_sub=submit)
    after = changed(result)["j.sub"]
    assert after.startswith(before + b"# >>> eligo priorities")
    assert after.count(LINE) == 1
    assert (b"\r\n" in submit) == (LINE + b"\r\n" in after)
    put(tmp_path / "x.dag", result)
    gone = uninstrument(reread(tmp_path / "x.dag"))
    assert gone.others_first
    put(tmp_path / "x.dag", gone)
    assert (tmp_path / "j.sub").read_bytes() == submit


def test_a_file_is_edited_once_by_whatever_name(tmp_path: Path) -> None:
    (tmp_path / "d").mkdir()
    (tmp_path / "link.sub").symlink_to("j.sub")
    (tmp_path / "d" / "up.sub").symlink_to("../link.sub")
    text = "JOB a j.sub\nJOB b ./j.sub\nJOB c link.sub\nJOB d up.sub DIR d\nJOB e d/../j.sub\nJOB f ../j.sub DIR d\n"
    result = run(tmp_path, text, j_sub=b"queue\n")
    assert [os.path.realpath(change.path) for change in result.others] == [str(tmp_path / "j.sub")]
    assert result.written == 6
    put(tmp_path / "x.dag", result)
    assert (tmp_path / "link.sub").is_symlink()
    assert run(tmp_path, (tmp_path / "x.dag").read_text()).others == ()


def test_hard_links_are_files_of_their_own(tmp_path: Path) -> None:
    """A file that is replaced leaves its other names behind."""
    (tmp_path / "j.sub").write_bytes(b"queue\n")
    (tmp_path / "k.sub").hardlink_to(tmp_path / "j.sub")
    assert sorted(changed(run(tmp_path, "JOB a j.sub\nJOB b k.sub\nJOB c ./k.sub\n"))) == ["j.sub", "k.sub"]


def test_descriptions_inside_the_dag(tmp_path: Path) -> None:
    text = (
        "SUBMIT-DESCRIPTION d {\n  executable = x\n}\nJOB a d\nJOB b {\n}\nJOB c d\nJOB e @=X\npriority = 4\n@X\n"
        "SUBMIT-DESCRIPTION unused {\n}\n"
    )
    result = run(tmp_path, text)
    assert result.data.count(LINE) == 2
    assert (result.written, result.kept, result.others) == (3, 1, ())
    assert "x.dag:9: this priority stays" in result.warnings[0]
    assert b"SUBMIT-DESCRIPTION d {\n# >>> eligo" in result.data
    assert b"JOB b {\n# >>> eligo" in result.data
    replaced = run(tmp_path, text, Wish("vars", replace=True))
    assert replaced.data.count(LINE) == 3
    assert b"# eligo keeps: priority = 4" in replaced.data
    put(tmp_path / "x.dag", replaced)
    assert uninstrument(reread(tmp_path / "x.dag")).data == text.encode()


def test_descriptions_in_included_files_are_left_alone(tmp_path: Path) -> None:
    included = b"JOB b {\nexecutable = x\n}\nJOB c {\npriority = $(jobpriority)\n}\nJOB d {\nprio = 3\n}\n"
    result = run(tmp_path, "JOB a j.sub\nINCLUDE i.dag\n", i_dag=included, j_sub=b"queue\n")
    assert sorted(changed(result)) == ["j.sub"]
    assert (result.written, result.kept) == (3, 1)
    assert "i.dag:8: this priority stays" in result.warnings[0]
    assert "i.dag:2: an included file is not changed" in result.warnings[1]
    assert LINE.decode() in result.warnings[1]


@pytest.mark.parametrize("own", ["priority = 3", "Prio=3", "JOBPRIO = 3", "+JobPrio = 3", "MY.jobprio = 3"])
def test_a_priority_of_the_file_stays(tmp_path: Path, own: str) -> None:
    submit = f"executable = x\n{own}\nqueue\n".encode()
    result = run(tmp_path, "JOB a j.sub\nJOB b j.sub\nJOB c k.sub\n", j_sub=submit, k_sub=b"queue\n")
    assert sorted(changed(result)) == ["k.sub"]
    assert block_of(result.data) == ['VARS c jobpriority="1"']
    assert (result.written, result.kept) == (1, 2)
    [warning] = result.warnings
    assert warning.startswith(f"{tmp_path}/j.sub:2: this priority stays")
    assert "(2 jobs)" in warning
    replaced = run(tmp_path, "JOB a j.sub\nJOB b j.sub\n", Wish("vars", replace=True))
    assert f"# eligo keeps: {own}\n".encode() in changed(replaced)["j.sub"]
    assert (replaced.written, replaced.kept, replaced.warnings) == (2, 0, ())
    put(tmp_path / "x.dag", replaced)
    put(tmp_path / "x.dag", uninstrument(reread(tmp_path / "x.dag")))
    assert (tmp_path / "j.sub").read_bytes() == submit


@pytest.mark.parametrize(
    "own", [b"priority = $(jobpriority)", b"Priority=$(JOBPRIORITY:0)", b"priority=\\\n $(jobPriority)"]
)
def test_a_file_that_refers_to_the_variable_needs_nothing(tmp_path: Path, own: bytes) -> None:
    result = run(tmp_path, "JOB a j.sub\n", j_sub=own + b"\nqueue\n")
    assert (result.others, result.warnings, result.written) == ((), (), 1)


def test_variables_and_priorities_of_the_user(tmp_path: Path) -> None:
    """His variable stays; his PRIORITY, which the submit file now overrides, is handed on to it."""
    text = 'JOB a j.sub\nJOB b j.sub\nJOB c j.sub\nVARS a x="1" JobPriority="50"\nPRIORITY b -60\n'
    result = run(tmp_path, text, j_sub=b"queue\n")
    assert block_of(result.data) == ['VARS b jobpriority="-60"', 'VARS c jobpriority="1"']
    assert (result.written, result.kept) == (1, 2)
    assert [warning.split(": ")[0] for warning in result.warnings] == [f"{tmp_path}/x.dag:5", f"{tmp_path}/x.dag:4"]
    result = run(tmp_path, text, Wish("vars", replace=True))
    assert block_of(result.data) == ['VARS a jobpriority="3"', 'VARS b jobpriority="2"', 'VARS c jobpriority="1"']
    assert b'\nVARS a x="1" JobPriority="50"\n# eligo keeps: PRIORITY b -60\n' in result.data
    put(tmp_path / "x.dag", result)
    assert [var.value for var in reread(tmp_path / "x.dag").details.job(0).vars] == ["1", "3"]


def test_a_block_without_lines_remembers_the_submit_files(tmp_path: Path) -> None:
    result = run(tmp_path, 'JOB a j.sub\nVARS a jobpriority="5"\n', j_sub=b"queue\n")
    assert block_of(result.data) == []
    assert LINE in changed(result)["j.sub"]
    put(tmp_path / "x.dag", result)
    assert changed(uninstrument(reread(tmp_path / "x.dag"))) == {"j.sub": b"queue\n"}


def test_vars_have_the_last_word_inside_the_dag(tmp_path: Path) -> None:
    """A description that sets the variable itself keeps it only where it is a file."""
    body = "jobpriority = 3\n"
    inside = run(tmp_path, f"JOB a {{\n{body}}}\n")
    assert (inside.written, inside.kept, inside.warnings) == (1, 0, ())
    outside = run(tmp_path, "JOB a j.sub\n", j_sub=f"{body}queue\n".encode())
    assert (outside.written, outside.kept, len(outside.warnings)) == (0, 1, 1)


def test_a_variable_alone_on_its_line_is_replaced(tmp_path: Path) -> None:
    result = run(
        tmp_path, 'JOB a j.sub\nVARS a jobpriority="5"\nVARS ALL_NODES APPEND jobpriority="6"\n', Wish("vars", True)
    )
    assert result.data.count(b"# eligo keeps: VARS") == 2


@pytest.mark.parametrize("own", ['priority="7"', '+JobPrio="7"', 'My.jobprio="7"', 'APPEND Priority="7"'])
def test_variables_that_set_the_priority_themselves(tmp_path: Path, own: str) -> None:
    text = f"JOB a j.sub\nVARS a {own}\n"
    result = run(tmp_path, text, Wish(), j_sub=b"queue\n")
    assert result.warnings == (
        f"{tmp_path}/x.dag:2: VARS set the priority of 1 job themselves, which overrides ours in the queue",
    )
    with pytest.raises(ParseError, match=r"x\.dag:2: VARS set the priority of 1 job themselves, and style vars cannot"):
        run(tmp_path, text)
    for style in ("priority", "vars"):
        replaced = run(tmp_path, text, Wish(style, replace=True))
        assert f"# eligo keeps: VARS a {own}\n".encode() in replaced.data
        assert replaced.warnings == ()
    with pytest.raises(ParseError, match="style vars cannot keep it"):
        run(tmp_path, text.rstrip() + ' x="1"\n', Wish("vars", replace=True))


def test_a_subdag_takes_priority(tmp_path: Path) -> None:
    result = run(tmp_path, 'SUBDAG EXTERNAL s s.dag\nJOB a j.sub\nVARS s jobpriority="7"\n', j_sub=b"queue\n")
    assert block_of(result.data) == ["PRIORITY s 2", 'VARS a jobpriority="1"']
    assert (result.written, result.kept) == (2, 0)


def test_files_that_are_not_there(tmp_path: Path) -> None:
    text = "JOB a no.sub\nJOB b no2.sub\nJOB c idle.sub NOOP\nJOB d idle.sub DONE\nJOB e d\n"
    (tmp_path / "d").mkdir()
    result = run(tmp_path, text)
    assert result.written == 5
    [warning] = result.warnings
    assert warning.startswith(f"{tmp_path}/no.sub: is not there; whoever makes it must put the line '{LINE.decode()}'")
    assert warning.endswith("(3 jobs; so in 2 more submit descriptions)")


def test_a_file_that_is_too_large(tmp_path: Path) -> None:
    with (tmp_path / "j.sub").open("wb") as stream:
        stream.truncate(2**24 + 1)
    result = run(tmp_path, "JOB a j.sub\n")
    assert "is larger than 16 MiB; whoever makes it" in result.warnings[0]


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "j.sub").symlink_to("j.sub")
    assert "j.sub: cannot be read (" in run(tmp_path, "JOB a j.sub\n").warnings[0]


def test_a_damaged_mark_in_a_submit_file(tmp_path: Path) -> None:
    put(tmp_path / "x.dag", run(tmp_path, "JOB a j.sub\n", j_sub=b"executable = x\nqueue\n"))
    path = tmp_path / "j.sub"
    path.write_bytes(path.read_bytes().replace(LINE, b"priority = 5"))
    for action in (uninstrument, lambda document: instrument(document, np.array([1], np.int32), Wish("vars"))):
        with pytest.raises(ParseError, match=r"j\.sub:3: this line stands between eligo's marks"):
            action(reread(tmp_path / "x.dag"))


def test_from_vars_to_priority_lines(tmp_path: Path) -> None:
    """Left in place, the line in the submit file would override PRIORITY with nothing, which is 0."""
    text = "JOB a j.sub\n"
    put(tmp_path / "x.dag", run(tmp_path, text, j_sub=b"queue\n"))
    result = instrument(reread(tmp_path / "x.dag"), np.array([1], np.int32), Wish())
    assert changed(result) == {"j.sub": b"queue\n"}
    assert result.others_first
    assert block_of(result.data) == ["PRIORITY a 1"]


def test_another_dag_that_shares_a_changed_file(tmp_path: Path) -> None:
    put(tmp_path / "x.dag", run(tmp_path, "JOB a j.sub\n", j_sub=b"queue\n"))
    (tmp_path / "y.dag").write_bytes(b"JOB b j.sub\n")
    for replace in (False, True):
        result = instrument(reread(tmp_path / "y.dag"), np.array([1], np.int32), Wish(replace=replace))
        assert result.others == ()
        assert f"{tmp_path}/j.sub:2: this line, which eligo wrote for a DAG in style vars" in result.warnings[0]
    assert uninstrument(reread(tmp_path / "y.dag")).others == ()


@pytest.mark.parametrize(
    ("submit", "told"),
    [
        (b"priority = 3\nqueue\n", "overrides ours"),
        (b"+JobPrio = 3\nqueue\n", "overrides ours"),
        (b"PRIO = 3\nqueue\n", "our PRIORITY lines override"),
        (b"jobprio = 3\nqueue\n", "our PRIORITY lines override"),
        (b"jobpriority = 3\n# priority = 3\nx @=end\npriority = 3\n@end\nqueue\n", None),
    ],
)
def test_style_priority_tells_of_submit_files(tmp_path: Path, submit: bytes, told: str | None) -> None:
    text = "JOB a j.sub\nJOB b j.sub\n"
    result = run(tmp_path, text, Wish(), j_sub=submit)
    assert (result.written, result.kept, result.others) == (2, 0, ())
    assert [told in warning and "j.sub:1" in warning for warning in result.warnings] == [True] * (told is not None)
    replaced = run(tmp_path, text, Wish(replace=True))
    assert len(replaced.others) == (told == "overrides ours")
    put(tmp_path / "x.dag", replaced)
    put(tmp_path / "x.dag", uninstrument(reread(tmp_path / "x.dag")))
    assert (tmp_path / "j.sub").read_bytes() == submit


def test_inside_the_dag_only_jobprio_wins(tmp_path: Path) -> None:
    text = "JOB a {\npriority = 3\n}\nJOB b {\n+JobPrio = 3\n}\n"
    first, second = run(tmp_path, text, Wish()).warnings
    assert "x.dag:5: this priority overrides ours" in first
    assert "x.dag:2: our PRIORITY lines override this priority" in second


def test_only_so_many_files_are_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where it is only for a warning, which says so; and jobs that share a file are one file."""
    monkeypatch.setattr(submit_edits, "MAX_LOOKED", 3)
    text = "".join(f"JOB j{i} {i % 4}.sub\n" for i in range(20))
    for i in range(4):
        (tmp_path / f"{i}.sub").write_bytes(b"priority = 1\nqueue\n")
    first, second = run(tmp_path, text, Wish()).warnings
    assert first.endswith("(15 jobs; so in 2 more submit descriptions)")
    assert second == "only the first 3 of 4 submit descriptions were looked at for priorities of their own"
    assert run(tmp_path, text).kept == 20


def test_many_files_most_of_them_missing(tmp_path: Path) -> None:
    (tmp_path / "s").mkdir()
    for i in range(0, 600, 100):
        (tmp_path / "s" / f"{i}.sub").write_bytes(b"queue\n")
    result = run(tmp_path, "".join(f"JOB j{i} s/{i}.sub\n" for i in range(600)) + "JOB k gone/k.sub\n")
    assert len(result.others) == 6
    assert "(595 jobs; so in 594 more submit descriptions)" in result.warnings[0]


def test_throttles_that_defeat_vars(tmp_path: Path) -> None:
    text = "JOB a j.sub\nCATEGORY a few\nMAXJOBS few 1\nCONFIG c.cfg\n"
    config = b"dagman_max_jobs_idle = 5\nDAGMAN_MAX_JOBS_IDLE=7\nDAGMAN_MAX_JOBS_SUBMITTED = 0\n"
    warnings = run(tmp_path, text, j_sub=b"queue\n", c_cfg=config).warnings
    assert ["MAXJOBS" in warnings[0], f"{tmp_path}/c.cfg:2: DAGMAN_MAX_JOBS_IDLE = 7" in warnings[1]] == [True, True]
    assert len(warnings) == 2
    assert run(tmp_path, text, Wish()).warnings == ()
    assert run(tmp_path, "JOB a j.sub\nMAXJOBS few 1\n").warnings == ()


def test_many_jobs_meet_the_default_throttle(tmp_path: Path) -> None:
    text = "".join(f"JOB j{i} j.sub\n" for i in range(1001))
    [warning] = run(tmp_path, text, j_sub=b"queue\n").warnings
    assert warning.startswith("1,001 jobs, but DAGMan by itself lets no more than 1,000 be idle")
    # condor_submit_dag passes its limit on whatever the file says (asked of 23.9).
    assert len(run(tmp_path, text + "CONFIG c.cfg\n", c_cfg=b"DAGMAN_MAX_JOBS_IDLE = 0\n").warnings) == 1
    assert run(tmp_path, text[: text.rindex("JOB")]).warnings == ()


def test_files_are_not_touched_by_looking(tmp_path: Path) -> None:
    run(tmp_path, "JOB a j.sub\n", j_sub=b"priority = 3\nqueue\n")
    before = contents(tmp_path)
    run(tmp_path, "JOB a j.sub\n", Wish("vars", replace=True))
    assert contents(tmp_path) == before


def test_a_line_that_continues_is_taken_as_one() -> None:
    text = b"priority = \\\n 3\nqueue\n"
    after = with_reference(Source("j.sub", text), b"\n", own_priority(text))
    assert after.startswith(b"# eligo keeps: priority = \\\n# eligo keeps:  3\n# >>> eligo")
