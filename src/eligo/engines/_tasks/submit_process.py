"""From a submit description and a job's variables to the processes that run.

What condor_submit was asked and answered:

* ``executable`` begins where the job is submitted, not at ``initialdir``, unless ``transfer_executable`` is false;
  all other paths begin at ``initialdir``, which begins where the job is submitted;
* ``queue N`` makes N processes, told apart by ``$(Process)``;
* of several names for one thing, the first of those below counts.

A job's own cost is that of filling in its macros: what is the same for all jobs of a description is settled once.

What HTCondor's file transfer would do for a job, and whether it takes a directory of its own to do the same.

With file transfer a job runs in an empty directory into which its inputs are put under their last names, and what it
leaves there goes back to where it was submitted. On one machine, or with a shared file system, most jobs can run in
that place itself: it holds the same files under the same names. A :class:`~eligo.engines._plan.Sandbox` is needed where

* an input has another name there (``data/x.txt`` becomes ``x.txt``) or is the contents of a directory (``data/``);
* an output is remapped, or comes back under another name;
* transfer is demanded and the outputs are listed: whatever else the job leaves is to vanish.

``should_transfer_files = no`` never makes one. Addresses such as ``https://...`` are for HTCondor's plugins.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from posixpath import normpath
from typing import final

from eligo.engines._attempts import is_marked
from eligo.engines._plan import Process, Sandbox
from eligo.engines._tasks.submit_commands import (
    CLOSELY,
    Unreadable,
    meant,
    read_arguments,
    read_environment,
    refusal,
    remark,
)
from eligo.engines._tasks.submit_description import HINT, Description, Expander, Said
from eligo.errors import ParseError
from eligo.formats._submit.submit_file import read_size

__all__ = [
    "Job",
    "Made",
    "make",
    "make_sandbox",
]

_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")
_TRUE = frozenset({"true", "yes", "t", "y", "1"})
_YES = frozenset({*_TRUE, "always"})
_NO = frozenset({"no", "never", "false", "f", "n", "0"})


def make_sandbox(get: Callable[[str], str], directory: str, program: str | None) -> Sandbox | None:
    """Return the sandbox of a job, or ``None`` where it can run in its own directory.

    Parameters
    ----------
    get
        Returns a command's value, macros expanded; nothing where it is not given.
    directory
        Where the job would run: an absolute path.
    program
        The executable, where it is transferred.

    Examples
    --------
    >>> values = {"transfer_input_files": "data/x.txt, y.txt"}
    >>> make_sandbox(lambda name: values.get(name, ""), "/home", None).inputs
    (('x.txt', '/home/data/x.txt'), ('y.txt', '/home/y.txt'))
    >>> make_sandbox(lambda name: "", "/home", None)
    """
    wish = get("should_transfer_files").lower()
    if wish in _NO:
        return None
    listed = get("transfer_output_files")
    inputs, outputs = _names(get("transfer_input_files")), _names(listed.strip('"'))
    remaps = _remaps(get("transfer_output_remaps"), directory)
    keep = get("preserve_relative_paths").lower() in _TRUE
    put = [(_inside(name, keep), _inside_sandbox(directory, name)) for name in inputs]
    in_place = all(normpath(path) == normpath(f"{directory}/{name}") for name, path in put)
    same_names = all(_inside(name, keep) == normpath(name) for name in outputs)
    demanded = wish in _YES and bool(listed)
    if in_place and same_names and not remaps and not demanded:
        return None
    if program is not None:
        put.append((_inside(program, False), program))
    if not listed:
        return Sandbox(tuple(dict(put).items()), None, remaps)
    moved = dict(remaps)
    taken = [
        (name, moved.get(name, moved.get(_last(name), _inside_sandbox(directory, _inside(name, keep)))))
        for name in outputs
    ]
    return Sandbox(tuple(dict(put).items()), tuple(dict(taken).items()))


def _names(text: str) -> list[str]:
    names = [name.strip() for name in text.split(",") if name.strip()]
    for name in names:
        if _ADDRESS.match(name):
            raise Unreadable(f"{name!r} is fetched by HTCondor's file transfer")
    return names


def _last(name: str) -> str:
    return name.rsplit("/", 1)[-1]


def _inside(name: str, keep: bool) -> str:
    """Return the name a file has in the sandbox; ``.`` for the contents of a directory."""
    if name.endswith("/"):
        return "."
    found = name if keep and not name.startswith("/") else _last(name)
    if ".." in found.split("/") or found in (".", ""):
        raise Unreadable(f"{name!r} has no name of its own in a sandbox")
    return found


def _inside_sandbox(directory: str, name: str) -> str:
    return name if name.startswith("/") else f"{directory}/{name}"


def _remaps(text: str, directory: str) -> tuple[tuple[str, str], ...]:
    text = text.strip()
    if not text:
        return ()
    if len(text) < 2 or text[0] != '"' or text[-1] != '"':
        raise Unreadable("transfer_output_remaps is not in double quotes")
    found = []
    for pair in text[1:-1].split(";"):
        name, equals, place = (part.strip() for part in pair.partition("="))
        if not name and not equals:
            continue
        if not name or not place:
            raise Unreadable(f"{pair.strip()!r} is not name = path")
        if _ADDRESS.match(place):
            raise Unreadable(f"{place!r} is sent by HTCondor's file transfer")
        if place.endswith("/"):
            place += _last(name)
        found.append((name, _inside_sandbox(directory, place)))
    return tuple(found)


MOST_PROCESSES = 100_000

_FALSE = frozenset({"false", "no", "f", "n", "0"})
_ITEMS = re.compile(r"\b(in|from|matching)\b", re.IGNORECASE)
_NAMES = {
    "executable": ("executable", "cmd"),
    "arguments": ("arguments2", "arguments", "args"),
    "environment": ("environment2", "environment", "env"),
    "directory": ("initialdir", "initial_dir", "iwd", "job_iwd"),
    "stdin": ("input", "stdin"),
    "stdout": ("output", "stdout"),
    "stderr": ("error", "stderr"),
}
_NEW_ONLY = frozenset({"arguments2", "environment2"})
_ASKED = ("request_cpus", "request_memory", "request_disk", "max_retries")
_MOVED = ("should_transfer_files", "transfer_input_files", "transfer_output_files", "transfer_output_remaps")
_COMMANDS = frozenset(
    {
        *(name for names in _NAMES.values() for name in names), *_ASKED, *_MOVED, *CLOSELY, "getenv",
        "transfer_executable", "preserve_relative_paths",
    }
)  # fmt: skip
_LIVE = {"process": "0", "procid": "0", "step": "0", "row": "0", "itemindex": "0", "item": "", "node": ""}


@final
@dataclass(frozen=True, slots=True)
class Job:
    """What a description does not say: where the job is submitted, its variables, and how it sees the world.

    Attributes
    ----------
    directory
        Where it is submitted, absolute.
    before, after
        Variables that are set before the description and after it, by name in lower case.
    number
        What ``$(ClusterId)`` stands for.
    environment, surroundings
        What the DAG itself sets, for jobs that ask for it by ``getenv``, and all that ``$ENV`` looks into.
    place
        The file and the line of the job itself.
    tell
        Told what is taken otherwise than it is written: file, line, text.
    """

    directory: str
    before: Mapping[str, str]
    after: Mapping[str, str]
    number: int
    environment: Mapping[str, str]
    surroundings: Mapping[str, str]
    place: tuple[str, int]
    tell: Callable[[str, int | None, str], None]


@final
@dataclass(frozen=True, slots=True)
class Made:
    """What a job runs and asks for."""

    processes: tuple[Process, ...]
    cpus: int = 1
    memory_bytes: int | None = None
    disk_bytes: int | None = None
    max_retries: tuple[int, str, int] | None = None
    """How often HTCondor itself would try again, and where that is said."""


def make(description: Description, job: Job) -> Made:
    r"""Return what a job runs.

    Examples
    --------
    >>> from eligo.engines._tasks.submit_description import read_description
    >>> text = b"executable = run\narguments = $(x)\noutput = out.$(Process)\nqueue 2\n"
    >>> job = Job("/home", {"x": "1 2"}, {}, 7, {}, {}, ("x.dag", 1), lambda *_: None)
    >>> [(p.argv, p.stdout) for p in make(read_description("x.sub", text), job).processes]
    [(('/home/run', '1', '2'), '/home/out.0'), (('/home/run', '1', '2'), '/home/out.1')]
    """
    said = description.said(job.before, job.directory)
    alike = said is description.straight and _COMMANDS.isdisjoint(job.before) and _COMMANDS.isdisjoint(job.after)
    form = _Form(description, said, job, alike)
    asked = description.memo.get("asked") if alike else None
    if asked is None:
        form.check()
        asked = form.asked()
        if alike and form.is_constant((*_ASKED, *CLOSELY)):
            description.memo["asked"] = asked
    count, made = asked
    return replace(made, processes=tuple([form.process(number) for number in range(count)]))


class _Form:
    """One description filled in for one job; jobs that are `alike` set no command by their variables."""

    def __init__(self, description: Description, said: Said, job: Job, alike: bool) -> None:
        self._description, self._said, self._job = description, said, job
        self._values = {**job.before, **said.values, **job.after, **_LIVE}
        self._values["cluster"] = self._values["clusterid"] = str(job.number)
        self._values["submit_file"] = description.path
        self._expander = Expander(self._values, job.surroundings, self._where_it_runs, self._undefined)
        self._directory = job.directory
        self._filling = ""
        names = description.memo.get("names") if alike else None
        if names is None:
            names = {what: next((name for name in some if self._values.get(name)), "") for what, some in _NAMES.items()}
            names["moved"] = next((name for name in _MOVED if self._values.get(name)), "")
            if alike:
                description.memo["names"] = names
        self._names: dict[str, str] = names

    def is_constant(self, names: Iterable[str]) -> bool:
        """Tell whether no macro has a say in some commands, nor in how many processes there are."""
        texts = [self._values.get(name, "") for name in names]
        return not any("$" in text for text in (*texts, self._said.queue[0] if self._said.queue else ""))

    def asked(self) -> tuple[int, Made]:
        """Return how many processes there are, and what they ask for."""
        memory, disk = self._size("request_memory", "M"), self._size("request_disk", "K")
        return self._count(), Made((), self._number("request_cpus", 1), memory, disk, self._max_retries())

    def _where_it_runs(self) -> str:
        return self._directory

    def _undefined(self, name: str) -> None:
        path, line = self._where(self._filling) if self._filling else (self._description.path, None)
        self._job.tell(path, line, f"$({name}) is not defined: taken as nothing, as HTCondor does")

    def error(self, name: str, text: str, hint: str = HINT) -> ParseError:
        return ParseError(*self._where(name), text, hint=hint)

    def _where(self, name: str) -> tuple[str, int]:
        job = self._job
        if name in job.after or (name in job.before and name not in self._said.places):
            return job.place
        return self._description.where(self._said, name)

    def get(self, name: str) -> str:
        """Return a command's value, macros expanded; nothing where it is not given."""
        text = self._values.get(name)
        if not text:
            return ""
        self._filling = name
        try:
            return self._expander.expand(text).strip()
        except Unreadable as error:
            raise self.error(name, f"{name}: {error}") from None

    def first(self, what: str) -> tuple[str, str]:
        """Return the name that is used for something, and its value."""
        name = self._names[what]
        return (name, self.get(name)) if name else (_NAMES[what][0], "")

    def check(self) -> None:
        """Refuse what cannot be done, and tell of what is done otherwise."""
        job = self._job
        for text in self._said.warnings:
            job.tell("", None, text)
        for name in sorted(CLOSELY & self._values.keys()):
            value = self.get(name) if name != "requirements" else self._values[name]
            if reason := refusal(name, value):
                raise self.error(name, f"{reason} cannot be run by this engine", meant(name, value) or HINT)
            if told := remark(name, value):
                job.tell(*self._where(name), told)

    def _count(self) -> int:
        """Return how many processes there are."""
        if self._said.queue is None:
            return 1
        text, line = self._said.queue
        path, self._filling = self._description.path, ""
        if _ITEMS.search(text):
            raise ParseError(
                path, line, "queue over a list of items", hint="give each item a job of its own, or " + HINT
            )
        try:
            text = self._expander.expand(text).strip()
        except Unreadable as error:
            raise ParseError(path, line, str(error), hint=HINT) from None
        if not re.fullmatch(r"[0-9]{1,9}", text or "1"):
            raise ParseError(path, line, f"queue {text} is no number", hint="write queue 3")
        count = int(text or "1")
        if not 1 <= count <= MOST_PROCESSES:
            raise ParseError(path, line, f"queue {count} is none or too many", hint=f"from 1 to {MOST_PROCESSES:,}")
        return count

    def process(self, number: int) -> Process:
        """Return one of the processes."""
        job = self._job
        if number:
            self._values["process"] = self._values["procid"] = self._values["step"] = str(number)
        self._directory = directory = _at(job.directory, self.first("directory")[1])
        program, transferred = self._program()
        name, text = self.first("arguments")
        try:
            argv = (program, *read_arguments(text, new_only=name in _NEW_ONLY)) if text else (program,)
            name, environment = self._environment()
            name = self._names["moved"]
            sandbox = make_sandbox(self.get, directory, program if transferred else None) if name else None
        except Unreadable as error:
            raise self.error(name, f"{name}: {error}", "see the manual of condor_submit on this command") from None
        stdin, stdout, stderr = (self._stream(stream) for stream in ("stdin", "stdout", "stderr"))
        return Process(argv, directory, environment, True, stdin, stdout, stderr, sandbox)

    def _program(self) -> tuple[str, bool]:
        name, program = self.first("executable")
        if not program:
            raise self.error(name, "there is no executable", "write executable = program")
        if "://" in program:
            raise self.error(name, f"the executable {program!r} is fetched by HTCondor")
        stays = self.get("transfer_executable").lower() in _FALSE
        return _at(self._directory if stays else self._job.directory, program), not stays

    def _environment(self) -> tuple[str, dict[str, str]]:
        job = self._job
        found: dict[str, str] = {}
        if job.environment and (wish := self.get("getenv")):
            found = {name: value for name, value in job.environment.items() if _wanted(wish, name)}
        name, text = self.first("environment")
        if text:
            try:
                found |= read_environment(text, new_only=name in _NEW_ONLY)
            except Unreadable as error:
                raise self.error(name, f"{name}: {error}", "write \"A=1 B='two words'\"") from None
        return name, found

    def _stream(self, what: str) -> str | None:
        if not self._names[what]:
            return None
        name, path = self.first(what)
        if not path:
            return None
        if "://" in path:
            raise self.error(name, f"{path!r} is moved by HTCondor's file transfer")
        return _at(self._directory, path)

    def _number(self, name: str, default: int) -> int:
        text = self.get(name)
        if not text:
            return default
        if re.fullmatch(r"[0-9]{1,6}", text):
            return max(1, int(text))
        self._job.tell(*self._where(name), f"{name} is an expression, taken as {default}")
        return default

    def _size(self, name: str, unit: str) -> int | None:
        text = self.get(name)
        if not text:
            return None
        size = read_size(text, unit)
        if size is None:
            self._job.tell(*self._where(name), f"{name} is an expression, taken as unknown")
        return size

    def _max_retries(self) -> tuple[int, str, int] | None:
        text = self.get("max_retries")
        if not text or text == "0":
            return None
        if is_marked(text) or not re.fullmatch(r"[0-9]{1,6}", text):
            raise self.error("max_retries", f"max_retries = {text!r} is no number", "write max_retries = 3")
        return int(text), *self._where("max_retries")


def _at(directory: str, path: str) -> str:
    return path if path.startswith("/") else f"{directory}/{path}" if path else directory


def _wanted(wish: str, name: str) -> bool:
    """Tell whether ``getenv`` asks for a variable."""
    word = wish.lower()
    if word in _TRUE or word in _FALSE:
        return word in _TRUE
    chosen = False
    for pattern in re.split(r"[,\s]+", wish):
        if pattern.startswith("!") and fnmatchcase(name, pattern[1:]):
            return False
        chosen = chosen or fnmatchcase(name, pattern)
    return chosen
