"""The frame of the command line: help, version, errors as messages, exit statuses, imports only when needed."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys

import pytest

from eligo import __version__
from eligo._cli import COMMANDS, command_parser, main
from eligo._cli.arguments import READABLE, WRITABLE
from eligo._cli.messages import guarded
from eligo._humanize import printable
from eligo.errors import EligoError
from eligo.formats import formats


def eligo(*words: str, **options) -> subprocess.CompletedProcess:
    return subprocess.run(
        [sys.executable, "-m", "eligo", *words], capture_output=True, text=True, timeout=60, check=False, **options
    )


def test_help_names_every_command(capsys):
    assert main(["--help"]) == 0
    shown = capsys.readouterr().out
    assert all(f"  {name} " in shown for name in COMMANDS)
    assert main([]) == 2


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_explains_itself_with_an_example(name, capsys):
    with pytest.raises(SystemExit) as stopped:
        main([name, "--help"])
    assert stopped.value.code == 0
    assert f"eligo {name}" in capsys.readouterr().out.split("example:")[1]
    with pytest.raises(SystemExit):
        main(["help", name])


def test_help_loads_neither_numpy_nor_argparse():
    code = "import sys; from eligo._cli import main; main(['--help']); print(sorted(sys.modules), file=sys.stderr)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    loaded = eval(run.stderr)
    assert not {"numpy", "argparse", "typing"} & set(loaded)


def test_version():
    assert eligo("--version").stdout == f"eligo {__version__}\n"


def test_unknown_command_suggests_the_near_one(capsys):
    assert main(["inof"]) == 2
    assert "did you mean info?" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        ("generate montag", "did you mean montage?"),
        ("generate mesh --levls 4", "did you mean --levels?"),
        ("generate sum tree 'mesh --levls 4'", "did you mean --levels?"),
        ("info --edges file x", "did you mean files?"),
        ("convert --to dogman x y", "did you mean dagman?"),
        ("info --qqqq x", "eligo info --help explains the arguments"),
        ("--verison", "did you mean --version?"),
    ],
)
def test_wrong_usage_gets_a_hint(words, hint, capsys):
    try:
        status = main(shlex.split(words))
    except SystemExit as stopped:
        status = stopped.code
    captured = capsys.readouterr()
    assert (status, captured.out) == (2, "")
    assert captured.err.splitlines()[-1] == f"hint: {hint}"


def test_wrong_usage_is_status_2():
    assert eligo("info").returncode == 2
    assert eligo("info", "--no-such-flag", "x").returncode == 2


def test_errors_are_messages_and_tracebacks_need_debug():
    plain = eligo("info", "/no/such/file")
    assert (plain.returncode, plain.stdout) == (1, "")
    assert plain.stderr.splitlines() == [
        "/no/such/file: no such file",
        "hint: check the name; paths are relative to the current directory",
    ]
    for words in (("--debug", "info"), ("info", "--debug")):
        debug = eligo(*words, "/no/such/file")
        assert debug.returncode == 1
        assert "Traceback" in debug.stderr


def test_a_command_that_has_moved_is_unknown_and_the_hint_says_where_it_is(capsys):
    assert main(["reproduce", "all"]) == 2
    assert capsys.readouterr().err == (
        "eligo: unknown command 'reproduce'\nhint: install eligo-papers and use the command eligo-papers\n"
    )


def raising(error: BaseException):
    def action() -> int:
        raise error

    return action


@pytest.mark.parametrize(
    ("error", "status", "text"),
    [
        (EligoError("bad", hint="mend"), 1, "bad\nhint: mend\n"),
        (KeyboardInterrupt(), 130, "interrupted\n"),
        (MemoryError(), 1, "not enough memory"),
        (ZeroDivisionError("x"), 1, "internal error: ZeroDivisionError: x"),
    ],
)
def test_guard(error, status, text, capsys):
    assert guarded(raising(error), debug=False) == status
    assert text in capsys.readouterr().err
    with pytest.raises(type(error)):
        guarded(raising(error), debug=True)


def test_a_reader_that_goes_away_is_no_error(tmp_path):
    """``eligo convert ... - | head -1``"""
    (tmp_path / "x.csv").write_text("parent,child\n" + "\n".join(f"a,b{i}" for i in range(50_000)))
    command = f"{sys.executable} -m eligo convert --to edgelist {tmp_path / 'x.csv'} - | head -1"
    run = subprocess.run(
        ["bash", "-c", f"set -o pipefail; {command}"], capture_output=True, text=True, timeout=60, check=False
    )
    assert (run.returncode, run.stdout, run.stderr) == (0, "parent,child\n", "")


def test_text_from_files_cannot_steer_the_terminal(tmp_path):
    (tmp_path / "x.csv").write_text("parent,child\na\x1b[31m,b\nb,a\x1b[31m\n")
    run = eligo("info", str(tmp_path / "x.csv"))
    assert run.returncode == 1
    assert "\x1b" not in run.stderr
    assert printable("a\u202eb\udcff") == "a\\u202eb\\udcff"


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish", "tcsh"])
def test_completion_scripts_know_commands_and_options(shell, capsys):
    assert main(["completion", shell]) == 0
    script = capsys.readouterr().out
    assert "convert" in script
    assert "job-data" in script


def test_the_bash_script_is_valid_bash():
    script = eligo("completion", "bash").stdout
    assert subprocess.run(["bash", "-n"], input=script, text=True, timeout=60, check=False).returncode == 0


def test_command_modules_offer_what_the_frame_needs():
    for name in COMMANDS:
        assert command_parser(name).prog == f"eligo {name}"


def test_help_lists_the_formats_there_are():
    have = formats()
    assert set(READABLE) == {name for name, module in have.items() if hasattr(module, "parse")}
    assert set(WRITABLE) == {name for name, module in have.items() if hasattr(module, "generate")}


FULL = "/dev/full"
needs_full_device = pytest.mark.skipif(not os.path.exists(FULL), reason=f"this system has no {FULL}")


@needs_full_device
@pytest.mark.parametrize(
    "words", [["--help"], ["--version"], ["info", "x.csv"], ["completion", "bash"], ["generate", "chain"]], ids=" ".join
)
def test_a_full_disk_is_said(words, tmp_path):
    (tmp_path / "x.csv").write_text("parent,child\na,b\n")
    with open(FULL, "w") as full:
        run = subprocess.run(
            [sys.executable, "-m", "eligo", *words],
            stdout=full, stderr=subprocess.PIPE, cwd=tmp_path, text=True, timeout=60, check=False,
        )  # fmt: skip
    assert run.returncode == 1
    assert run.stderr.splitlines() == [
        "cannot write the output: No space left on device",
        "hint: check the disk that standard output leads to",
    ]


@pytest.mark.parametrize("words", ["--help", "generate --help", "completion bash", "generate --list"])
def test_help_may_go_unread(words):
    run = subprocess.run(
        ["bash", "-c", f"{sys.executable} -m eligo {words} | true; exit ${{PIPESTATUS[0]}}"],
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert (run.returncode, run.stderr) == (0, "")


def test_closed_standard_output(tmp_path):
    (tmp_path / "x.csv").write_text("parent,child\na,b\n")
    for words in ("info x.csv", "convert x.csv y.dot", "--help"):
        run = subprocess.run(
            ["bash", "-c", f"{sys.executable} -m eligo {words} >&-"],
            cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False,
        )  # fmt: skip
        assert run.returncode == 0
        assert "error" not in run.stderr


def test_names_need_not_fit_the_encoding_of_the_terminal(tmp_path):
    (tmp_path / "x.csv").write_text("parent,child\né,日\n", encoding="utf-8")
    run = eligo("info", str(tmp_path / "x.csv"), env={**os.environ, "PYTHONIOENCODING": "ascii"})
    assert (run.returncode, run.stderr) == (0, "")
    assert r"\xe9 > \u65e5" in run.stdout
