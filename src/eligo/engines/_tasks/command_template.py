"""One command for all jobs, with places to fill in: ``--command 'sleep {time_s}'``.

Problem: a job's name is whatever a file says: blanks, quotes, ``$(reboot)``. Put into a command line and given to a
shell, it would be part of the program.

Idea: the command is split into words first, by the rules of a shell but without one, and each word is filled in after
that. What is filled in can never become a second word, and no shell sees it. Three doors are left, and closed here: the
program itself may not be a job's name; a name that begins with ``-`` may not stand where an option could; and where the
user runs a shell or another interpreter with a text of its own (``sh -c '...'``), that text may hold numbers but no
name, which belongs in an argument after it: ``sh -c 'echo "$1"' sh {name}``.

All that can be wrong is found before the first job starts.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from eligo.dag import OUTSIDE, UNKNOWN, Dag, Int64
from eligo.engines._plan import Process, Task
from eligo.engines._run_folder import safe_name
from eligo.engines._tasks.task_maker import Maker, home_of, memory_to_ask_for, program_in
from eligo.errors import EligoError, ParseError
from eligo.formats._base import Document

__all__ = ["PLACES", "maker"]

PLACES = {
    "name": "the job's name",
    "safe_name": "its number and name, fit for the name of a file",
    "index": "its number, from 0",
    "time_s": "how long it is said to take",
    "memory_bytes": "the memory it is said to use",
    "temp_bytes": "the temporary space it is said to need",
    "output_bytes": "the size of all it makes",
    "count": "how many tasks it stands for",
}
"""What can be filled in."""

_HINT = f"known are {', '.join('{' + place + '}' for place in PLACES)}; a brace itself is written {{{{ or }}}}"
_PIECE = re.compile(r"\{\{|\}\}|\{([^{}]*)\}|[{}]|[^{}]+")
_TEXTS = frozenset({"name"})
_INTERPRETERS = re.compile(
    r"(?P<shell>(?:ba|da|z|k|mk|a|c|tc|fi|r|rba|ya)?sh|su|runuser|script|flock)|(?P<python>(?:python|pypy)[0-9.]*)"
    r"|(?P<other>perl[0-9.]*|ruby[0-9.]*|node|nodejs|php[0-9.]*|Rscript|lua[0-9.]*|osascript)"
)
_FLAGS = {"shell": "c", "python": "c", "other": "eErp"}
_LONG_FLAG = re.compile(r"--(?:command|eval|execute|print|run|session-command)\b")
_REMOTE = frozenset({"ssh", "rsh", "watch", "eval"})  # they put their words together again for a shell


@dataclass(frozen=True, slots=True)
class _Word:
    """A word in pieces: text as it is, and at the odd places what to fill in."""

    pieces: tuple[str, ...]

    @property
    def places(self) -> tuple[str, ...]:
        return self.pieces[1::2]

    @property
    def plain(self) -> str:
        return "".join(self.pieces[::2])

    @property
    def has_text(self) -> bool:
        return not _TEXTS.isdisjoint(self.places)


def maker(document: Document, command: str) -> Maker:
    """Return what the jobs do: each the same command, filled in.

    Raises
    ------
    EligoError
        The command has no words, an unknown place to fill in, or one where a job's name could do harm; or a job lacks
        what is to be filled in.

    Examples
    --------
    >>> from eligo.formats._source import Source
    >>> dag = Dag.from_names([("a; b", "c")]).with_known(time_s=[0.5, 12])
    >>> task = maker(Document(dag, "dot", Source("/w/x.dot", b"")), "run --for={time_s} '{name} {{}}'").task
    >>> task(0).processes[0].argv, task(1).processes[0].argv
    (('run', '--for=0.5', 'a; b {}'), ('run', '--for=12', 'c {}'))
    """
    words = _words(command)
    _check_harmless(words)
    dag = document.dag
    values = {place: _values(document, place) for place in dict.fromkeys(p for word in words for p in word.places)}
    _check_names(document, words)
    home = home_of(document)
    program = program_in(home, words[0].plain) if not words[0].places else None

    def task(job: int) -> Task:
        argv = tuple(
            "".join(values[piece](job) if i % 2 else piece for i, piece in enumerate(word.pieces)) for word in words
        )
        return Task(
            dag.names[job],
            (Process((program if program is not None else program_in(home, argv[0]), *argv[1:]), home),),
            memory_bytes=memory_to_ask_for(dag, job),
            path=document.source.path,
        )

    return Maker(task)


def _words(command: str) -> list[_Word]:
    if "\0" in command:
        raise EligoError("--command holds a NUL character", hint="no program can be given one")
    try:
        words = [_word(text) for text in shlex.split(command)]
    except ValueError as error:
        raise EligoError(f"--command: {str(error).lower()}", hint="close the quotes, or write \\' for one") from None
    if not words or not (words[0].plain or words[0].places):
        raise EligoError("--command names no program", hint="for example: --command 'sleep {time_s}'")
    return words


def _word(text: str) -> _Word:
    pieces = [""]
    for match in _PIECE.finditer(text):
        if match[1] is not None:
            if match[1] not in PLACES:
                raise EligoError(f"--command: {{{match[1][:40]}}} is not known", hint=_HINT)
            pieces += [match[1], ""]
        elif match[0] in ("{", "}"):
            raise EligoError(f"--command: a single {match[0]} in {text[:60]!r}", hint=_HINT)
        else:
            pieces[-1] += match[0][0] if match[0] in ("{{", "}}") else match[0]
    return _Word(tuple(pieces))


def _check_harmless(words: list[_Word]) -> None:
    """Refuse a job's name as the program, or in a text that an interpreter runs."""
    if words[0].has_text:
        raise EligoError("--command: {name} stands where the program should", hint="name the program; jobs are data")
    for at in _texts_to_run(words):
        if words[at].has_text:
            raise EligoError(
                f"--command: {{name}} stands in a text that {words[0].plain[:40]!r} runs: a job's name would be "
                "part of the program",
                hint="pass it as an argument: sh -c 'echo \"$1\"' sh {name}",
            )


def _texts_to_run(words: list[_Word]) -> Iterator[int]:
    """Yield the places of words that an interpreter takes for a program; rather one too many."""
    for at, word in enumerate(words):
        name = word.plain.rpartition("/")[2]
        if name in _REMOTE:
            yield from range(at + 1, len(words))
        found = _INTERPRETERS.fullmatch(name)
        if found is not None and found.lastgroup is not None:
            yield from _after_flag(words, at + 1, _FLAGS[found.lastgroup])


def _after_flag(words: list[_Word], begin: int, letters: str) -> Iterator[int]:
    """Yield the words that are, or may hold, the text of a flag such as ``-c``; the flag itself may."""
    left = 0
    for at in range(begin, len(words)):
        text = words[at].plain
        long = text.startswith("--")
        if text[:1] in ("-", "+"):
            if (not long and any(letter in text for letter in letters)) or _LONG_FLAG.match(text):
                left = left or 1
            if left:
                left += not long and letters == "c" and "o" in text.lower()  # bash -euoc pipefail TEXT
                yield at
        elif left:
            yield at
            left -= 1
            if not left:
                return


def _check_names(document: Document, words: list[_Word]) -> None:
    """Refuse names that would be taken for an option, and those that no program can be given."""
    if not any(word.has_text for word in words):
        return
    for name in document.dag.names:
        if "\0" in name:
            raise ParseError(
                document.source.path,
                None,
                f"job {name[:60]!r} holds a NUL character",
                hint="use {safe_name} or {index}",
            )
    free = next((at for at, word in enumerate(words) if word.plain == "--" and not word.places), len(words))
    risky = [word for word in words[1:free] if not word.pieces[0] and word.places[:1] == ("name",)]
    bad = next((name for name in document.dag.names if name.startswith("-")), None) if risky else None
    if bad is not None:
        raise ParseError(
            document.source.path,
            None,
            f"job {bad[:60]!r} would be taken for an option of {words[0].plain[:40]!r}",
            hint="write -- before {name}, or --option={name}, or use {safe_name}",
        )


def _values(document: Document, place: str) -> Callable[[int], str]:
    """Return how to fill in a place, having seen that it is known for every job."""
    dag = document.dag
    if place == "name":
        return lambda job: dag.names[job]
    if place == "safe_name":
        return lambda job: safe_name(job, dag.names[job])
    if place == "index":
        return str
    if place == "time_s":
        times = np.full(dag.n, np.nan) if dag.time_s is None else dag.time_s
        _check_known(document, place, np.isnan(times))
        return lambda job: np.format_float_positional(times[job], trim="-")
    if place == "count":
        return lambda job: "1" if dag.count is None else str(int(dag.count[job]))
    sizes = _outputs(dag) if place == "output_bytes" else getattr(dag, place)
    sizes = np.full(dag.n, UNKNOWN, np.int64) if sizes is None else sizes
    _check_known(document, place, sizes == UNKNOWN)
    return lambda job: str(int(sizes[job]))


def _outputs(dag: Dag) -> Int64 | None:
    """Return the size of all that each job makes, unknown where a part is."""
    data = dag.data
    if data is None:
        return None
    sizes = np.zeros(dag.n, np.int64)
    made = data.producer != OUTSIDE
    np.add.at(sizes, data.producer[made], np.maximum(data.size_bytes[made], 0))
    sizes[data.producer[made & (data.size_bytes == UNKNOWN)]] = UNKNOWN
    return sizes


def _check_known(document: Document, place: str, unknown: np.ndarray) -> None:
    jobs = np.flatnonzero(unknown)
    if jobs.size:
        others = f" (and of {jobs.size - 1:,} more)" if jobs.size > 1 else ""
        raise ParseError(
            document.source.path,
            None,
            f"--command wants {{{place}}}, and that of job {document.dag.names[jobs[0]][:60]!r} is not known{others}",
            hint=f"supply it: --job-data TABLE, with a column {place}",
        )
