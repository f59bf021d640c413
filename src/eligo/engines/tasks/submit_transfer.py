"""What HTCondor's file transfer would do for a job, and whether it takes a directory of its own to do the same.

With file transfer a job runs in an empty directory into which its inputs are put under their last names, and what it
leaves there goes back to where it was submitted. On one machine, or with a shared file system, most jobs can run in
that place itself: it holds the same files under the same names. A :class:`~eligo.engines.plan.Sandbox` is needed where

* an input has another name there (``data/x.txt`` becomes ``x.txt``) or is the contents of a directory (``data/``);
* an output is remapped, or comes back under another name;
* transfer is demanded and the outputs are listed: whatever else the job leaves is to vanish.

``should_transfer_files = no`` never makes one. Addresses such as ``https://...`` are for HTCondor's plugins.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from posixpath import normpath

from eligo.engines.plan import Sandbox
from eligo.engines.tasks.submit_words import Unreadable

__all__ = ["make_sandbox"]

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
    put = [(_inside(name, keep), _at(directory, name)) for name in inputs]
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
    taken = [(name, moved.get(name, moved.get(_last(name), _at(directory, _inside(name, keep))))) for name in outputs]
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


def _at(directory: str, name: str) -> str:
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
        found.append((name, _at(directory, place)))
    return tuple(found)
