"""What single commands say: one function a kind, from the text of a line to a value, or :class:`Malformed`.

The grammar is that of HTCondor 23.9, asked case by case, and of version 25 where 23.9 knows nothing: DIR, NOOP and DONE
in any order, descriptions between ``@=TAG`` and ``@TAG`` and for PROVISIONER and SERVICE, WEAK, TOLERANCE.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from eligo.formats._dagman.lines import Command
from eligo.formats._dagman.tokens import Keyword, Malformed, Var, Words, fold, is_whole_number, read_integer, read_vars

__all__ = [
    "AbortDagOn", "Mark", "NodeLine", "Retry", "Script", "SpliceLine", "read_connect", "read_include", "read_links",
    "read_mark", "read_maxjobs", "read_node", "read_pin", "read_setting", "read_splice", "read_submit_description_name",
]  # fmt: skip

_RESERVED = frozenset({"PARENT", "CHILD", "ALL_NODES"})


@dataclass(frozen=True, slots=True)
class NodeLine:
    """A JOB, SUBDAG, FINAL, PROVISIONER or SERVICE line.

    Attributes
    ----------
    submit
        The submit file, the name of a SUBMIT-DESCRIPTION or, for a SUBDAG, the DAG file; nothing where `body` is set.
    body
        The bytes of a description written into the file.
    """

    kind: Keyword
    name: str
    submit: str
    body: tuple[int, int] | None = None
    directory: str = ""
    noop: bool = False
    done: bool = False


def read_node(command: Command) -> NodeLine:
    """Read a line that defines a node.

    Examples
    --------
    >>> read_node(Command(0, 0, Keyword.JOB, "JOB a a.sub NOOP DIR there")).directory
    'there'
    """
    words = Words(command.text)
    word = words.next()
    if command.kind is Keyword.SUBDAG and fold(words.next()) != "EXTERNAL":
        raise Malformed("SUBDAG is not followed by EXTERNAL", "write SUBDAG EXTERNAL name file.dag")
    name = words.next()
    submit = words.next_maybe_quoted()
    _check_name(name, word)
    if not submit:
        raise Malformed(f"node {name!r} has no submit description", f"write {word} {name} file.sub")
    if submit.startswith("@=") and command.body is None and command.kind is not Keyword.SUBDAG:
        raise Malformed(f"the description of {name!r} begins with @= but names no closing word", "write @=END ... @END")
    _check_closed(command, f"of {name!r}", submit)
    if command.body is None and command.kind is not Keyword.SUBDAG and ".condor.sub" in submit:
        raise Malformed(
            f"node {name!r} runs a sub-DAG through its generated submit file", "write SUBDAG EXTERNAL name file.dag"
        )
    directory, noop, done = _options(words, name)
    if command.closing and command.closing[0] in " \t":
        after = _options(Words(command.closing), name, strict=False)
        directory, noop, done = after[0] or directory, after[1] or noop, after[2] or done
    return NodeLine(command.kind, name, "" if command.body else submit, command.body, directory, noop, done)


_NO_CLOSE = re.compile(r"[^\s=:]*\s*@?=")


def _check_closed(command: Command, which: str, mark: str) -> None:
    """Refuse a description that has no end, or one that HTCondor takes for an assignment."""
    braced = mark.startswith("{")
    if command.body is not None and (command.closing is None or (braced and _NO_CLOSE.match(command.closing))):
        close = "a line that begins with }" if braced else f"a line @{mark[2:]}"
        raise Malformed(f"the submit description {which} is not closed", f"close it with {close}")


def _check_name(name: str, word: str) -> None:
    if not name:
        raise Malformed(f"{word} is not followed by a name", f"write {word} name file.sub")
    if fold(name) in _RESERVED:
        raise Malformed(f"a node cannot be called {name!r}", "PARENT, CHILD and ALL_NODES are reserved in any case")
    if "+" in name:
        raise Malformed(
            f"the node name {name!r} has a +", "+ separates a splice's name from its nodes; use another character"
        )


def _options(words: Words, name: str, strict: bool = True) -> tuple[str, bool, bool]:
    directory, noop, done = "", False, False
    while word := words.next():
        option = fold(word)
        if option == "NOOP":
            noop = True
        elif option == "DONE":
            done = True
        elif option == "DIR":
            directory = words.next_maybe_quoted()
            if not directory:
                raise Malformed(f"DIR of node {name!r} is not followed by a directory", "write DIR directory")
        elif strict:
            raise Malformed(f"{word!r} is no option of node {name!r}", "the options are DIR directory, NOOP and DONE")
        else:
            break  # HTCondor 23 ignores what follows the closing brace
    return directory, noop, done


@dataclass(frozen=True, slots=True)
class SpliceLine:
    """A SPLICE line; `directory` is nothing where it gives no DIR."""

    name: str
    file: str
    directory: str


def read_splice(command: Command) -> SpliceLine:
    """Read ``SPLICE name file [DIR directory]``."""
    words = Words(command.text)
    words.next()
    name, file, option, directory, more = (words.next() for _ in range(5))
    if not file:
        raise Malformed("SPLICE needs a name and a file", "write SPLICE name file.dag")
    if option and (fold(option) != "DIR" or more):
        raise Malformed(
            f"{more or option!r} is out of place on a SPLICE line", "write SPLICE name file.dag [DIR directory]"
        )
    if option and not directory:
        raise Malformed("DIR is not followed by a directory", "write DIR directory")
    return SpliceLine(name, file, directory)


def read_submit_description_name(command: Command) -> str:
    """Read the name of a SUBMIT-DESCRIPTION."""
    words = Words(command.text)
    words.next()
    name, mark = words.next(), words.next_maybe_quoted()
    if not name or command.body is None:
        raise Malformed("SUBMIT-DESCRIPTION needs a name and a description", "write SUBMIT-DESCRIPTION name { ... }")
    _check_closed(command, repr(name), mark)
    return name


def read_links(command: Command) -> tuple[list[str], list[str]]:
    """Read the parents and the children of a PARENT or WEAK line.

    Examples
    --------
    >>> read_links(Command(0, 0, Keyword.PARENT, "PARENT a b CHILD c"))
    (['a', 'b'], ['c'])
    """
    words = Words(command.text).left()[1:]
    if command.kind is Keyword.WEAK and words and fold(words[0]) == "PARENT":
        words = words[1:]
    middle = next((i for i, word in enumerate(words) if fold(word) == "CHILD"), None)
    if middle is None:
        raise Malformed("PARENT without CHILD", "write PARENT a b CHILD c d")
    if middle == 0 or middle == len(words) - 1:
        side = "before" if middle == 0 else "after"
        raise Malformed(f"no job stands {side} CHILD", "write PARENT a b CHILD c d")
    return words[:middle], words[middle + 1 :]


def read_connect(command: Command) -> tuple[str, str]:
    """Read ``CONNECT splice splice``."""
    words = Words(command.text).left()[1:]
    if len(words) != 2:
        raise Malformed("CONNECT takes two splices", "write CONNECT splice1 splice2")
    return words[0], words[1]


def read_pin(command: Command) -> tuple[str, int]:
    """Read ``PIN_IN job number`` or ``PIN_OUT job number``."""
    words = Words(command.text).left()[1:]
    number = read_integer(words[1]) if len(words) == 2 else None
    if number is None or number < 1:
        raise Malformed(f"{command.kind.name} takes a job and a number from 1", f"write {command.kind.name} job 1")
    return words[0], number


def read_maxjobs(command: Command) -> tuple[str, int]:
    """Read ``MAXJOBS category number``."""
    words = Words(command.text).left()[1:]
    number = read_integer(words[1]) if len(words) == 2 else None
    if number is None or number < 0:
        raise Malformed("MAXJOBS takes a category and a number from 0", "write MAXJOBS category 10")
    return words[0], number


def read_include(command: Command) -> str:
    """Read ``INCLUDE file``."""
    words = Words(command.text).left()[1:]
    if len(words) != 1:
        raise Malformed("INCLUDE takes one file", "write INCLUDE file")
    return words[0]


def read_setting(command: Command) -> str:
    """Check a command about the DAG as a whole and return what follows its keyword."""
    words = Words(command.text)
    words.next()
    rest = words.rest_trimmed()
    parts = Words(rest).left()
    match command.kind:
        case Keyword.DOT:
            _check_dot(parts)
        case Keyword.NODE_STATUS_FILE:
            _check_node_status_file(parts)
        case Keyword.JOBSTATE_LOG:
            if len(parts) != 1:
                raise Malformed("JOBSTATE_LOG takes one file", "write JOBSTATE_LOG file")
        case Keyword.REJECT:
            if parts:
                raise Malformed("REJECT stands alone", "remove what follows it")
        case _:
            pass  # CONFIG, SET_JOB_ATTR and ENV are condor_submit_dag's; DAGMan takes anything
    return rest.rstrip("\r\v\f")


def _check_dot(parts: list[str]) -> None:
    if not parts:
        raise Malformed("DOT needs a file", "write DOT file.dot")
    options = iter(parts[1:])
    for option in options:  # DAGMan skips what it does not know
        if fold(option) == "INCLUDE" and next(options, None) is None:
            raise Malformed("INCLUDE of DOT needs a file", "write DOT file.dot INCLUDE header.dot")


def _check_node_status_file(parts: list[str]) -> None:
    wrong = (
        not 1 <= len(parts) <= 3
        or (len(parts) > 1 and read_integer(parts[1]) is None)
        or (len(parts) > 2 and fold(parts[2]) != "ALWAYS-UPDATE")
    )
    if wrong:
        raise Malformed(
            "NODE_STATUS_FILE takes a file, perhaps seconds, perhaps ALWAYS-UPDATE",
            "write NODE_STATUS_FILE file [seconds [ALWAYS-UPDATE]]",
        )


@dataclass(frozen=True, slots=True)
class Retry:
    """How often a failed job is tried again, and the exit code after which it is not."""

    times: int
    unless_exit: int | None = None


@dataclass(frozen=True, slots=True)
class AbortDagOn:
    """The exit code of a job that ends the whole DAG, and the code DAGMan then returns, where given."""

    exit_code: int
    returns: int | None = None


@dataclass(frozen=True, slots=True)
class Script:
    """A script that runs where DAGMan runs, before or after the job or when it is held."""

    when: Literal["PRE", "POST", "HOLD"]
    command: str
    defer_status: int | None = None
    defer_s: int | None = None
    debug_file: str = ""
    debug_stream: str = ""


Mark = Retry | AbortDagOn | Script | tuple[Var, ...] | int | str | bool
"""What a line says of a job; its keyword tells which it is."""


def read_mark(kind: Keyword, text: str) -> tuple[str, Mark]:
    """Read a line that says something of one job (or of ALL_NODES): the job's name and what is said.

    Examples
    --------
    >>> read_mark(Keyword.RETRY, "RETRY a 3 UNLESS-EXIT 2")
    ('a', Retry(times=3, unless_exit=2))
    """
    words = Words(text)
    keyword = words.next()
    if kind is Keyword.SCRIPT:
        return _script(words)
    name = words.next()
    if not name:
        raise Malformed(f"{keyword} names no job", f"write {keyword} job ...")
    return name, _READERS[kind](words, keyword, name)


def _number(words: Words, keyword: str, _name: str) -> int:
    word, more = words.next(), words.next()
    number = read_integer(word)
    if number is None or more:
        raise Malformed(f"{keyword} takes a job and a whole number", f"write {keyword} job 3")
    return number


def _exit_code(words: Words, keyword: str, name: str) -> int:
    number = _number(words, keyword, name)
    if not 0 <= number <= 255:
        raise Malformed(f"{keyword} takes an exit code from 0 to 255, not {number}", f"write {keyword} job 1")
    return number


def _category(words: Words, keyword: str, _name: str) -> str:
    word, more = words.next(), words.next()
    if not word or more:
        raise Malformed(f"{keyword} takes a job and one category", f"write {keyword} job category")
    return word


def _done(words: Words, keyword: str, _name: str) -> bool:
    if words.next():
        raise Malformed(f"{keyword} takes one job", f"write {keyword} job")
    return True


def _vars(words: Words, _keyword: str, _name: str) -> tuple[Var, ...]:
    return read_vars(words.rest())


def _retry(words: Words, _keyword: str, _name: str) -> Retry:
    times = read_integer(words.next())
    if times is None or times < 0:
        raise Malformed("RETRY takes a job and a number from 0", "write RETRY job 3")
    option = words.next()
    if not option:
        return Retry(times)
    word = words.next()
    code = read_integer(word)
    if fold(option) != "UNLESS-EXIT" or code is None or not is_whole_number(word):
        raise Malformed("only UNLESS-EXIT and an exit code may follow a RETRY", "write RETRY job 3 UNLESS-EXIT 2")
    return Retry(times, code)


def _abort_dag_on(words: Words, _keyword: str, _name: str) -> AbortDagOn:
    code = read_integer(words.next())
    if code is None:
        raise Malformed("ABORT-DAG-ON takes a job and an exit code", "write ABORT-DAG-ON job 3 [RETURN 1]")
    option = words.next()
    if not option:
        return AbortDagOn(code)
    returns = read_integer(words.next())
    if fold(option) != "RETURN" or returns is None or not 0 <= returns <= 255:
        raise Malformed("only RETURN and a code from 0 to 255 may follow", "write ABORT-DAG-ON job 3 RETURN 1")
    return AbortDagOn(code, returns)


def _tolerance(words: Words, _keyword: str, _name: str) -> str:
    value = words.rest_trimmed()
    if not value[:1].isdigit():
        raise Malformed("TOLERANCE takes a job and a number or a percentage", "write TOLERANCE job 10%")
    return value


def _save_point_file(words: Words, _keyword: str, name: str) -> str:
    file, more = words.next(), words.next()
    if more:
        raise Malformed("SAVE_POINT_FILE takes a job and at most one file", "write SAVE_POINT_FILE job [file]")
    if fold(name) == "ALL_NODES":
        raise Malformed("SAVE_POINT_FILE does not take ALL_NODES", "name one job")
    return file


_READERS: dict[Keyword, Callable[[Words, str, str], Mark]] = {
    Keyword.VARS: _vars,
    Keyword.RETRY: _retry,
    Keyword.ABORT_DAG_ON: _abort_dag_on,
    Keyword.PRIORITY: _number,
    Keyword.PRE_SKIP: _exit_code,
    Keyword.CATEGORY: _category,
    Keyword.TOLERANCE: _tolerance,
    Keyword.SAVE_POINT_FILE: _save_point_file,
    Keyword.DONE: _done,
}

_SCRIPT_HINT = "write SCRIPT [DEFER status seconds] [DEBUG file STDOUT|STDERR|ALL] PRE|POST|HOLD job command"


def _script(words: Words) -> tuple[str, Script]:
    when = fold(words.next())
    status = seconds = None
    file = stream = ""
    if when == "DEFER":
        status, seconds = read_integer(words.next()), read_integer(words.next())
        if status is None or seconds is None or status <= 0 or seconds < 0:
            raise Malformed("DEFER of a SCRIPT takes a status from 1 and seconds from 0", _SCRIPT_HINT)
        when = fold(words.next())
    if when == "DEBUG":
        file, stream = words.next(), fold(words.next())
        if stream not in ("STDOUT", "STDERR", "ALL"):
            raise Malformed("DEBUG of a SCRIPT takes a file and STDOUT, STDERR or ALL", _SCRIPT_HINT)
        when = fold(words.next())
    if when not in ("PRE", "POST", "HOLD"):
        raise Malformed("a SCRIPT is PRE, POST or HOLD", _SCRIPT_HINT)
    name = words.next()
    command = words.rest_trimmed()
    if not name or not command:
        raise Malformed("a SCRIPT needs a job and a command", _SCRIPT_HINT)
    return name, Script(when, command, status, seconds, file, stream)  # type: ignore[arg-type]
