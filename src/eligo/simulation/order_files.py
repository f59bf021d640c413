"""Orders from files, to be simulated beside our own: one job a line, or what ``eligo prioritize --json`` prints.

The first line is the job to go first. Blank lines and lines that begin with ``#`` are passed over. An order of a
strategy may be any, but it must have every job of the workflow once.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator

import numpy as np

from eligo.dag import Dag, Int32
from eligo.errors import EligoError, ParseError
from eligo.formats.storage import load

__all__ = ["read_order"]


def read_order(path: str | os.PathLike[str], dag: Dag) -> Int32:
    r"""Read an order of the jobs of a dag.

    Raises
    ------
    ParseError
        A job that the workflow does not have, or that is there twice, with its line.
    EligoError
        Jobs are missing.

    Examples
    --------
    >>> import tempfile
    >>> dag = Dag.from_names([("a", "b"), ("a", "c")])
    >>> with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
    ...     _ = file.write("c\na\nb\n")
    ...     file.flush()
    ...     read_order(file.name, dag).tolist()
    [2, 0, 1]
    """
    source = load(path)
    text = source.data.decode("utf-8", "replace")
    number = {name: job for job, name in enumerate(dag.names)}
    first_line: dict[str, int] = {}
    order = []
    for line, name in _from_json(source.path, text) if text.lstrip().startswith("{") else _from_lines(text):
        if name not in number:
            raise ParseError(source.path, line, f"the workflow has no job {name!r}", hint="write one job name a line")
        if name in first_line:
            raise ParseError(source.path, line, f"job {name!r} is there already, in line {first_line[name]}")
        first_line[name] = line
        order.append(number[name])
    if len(order) < dag.n:
        missing = [name for name in dag.names if name not in first_line]
        raise EligoError(
            f"{source.path}: {len(missing):,} of {dag.n:,} jobs are missing, such as {missing[0]!r}",
            hint="an order must have every job once",
        )
    return np.array(order, np.int32)


def _from_lines(text: str) -> Iterator[tuple[int, str]]:
    for line, name in enumerate(text.splitlines(), 1):
        if name.strip() and not name.startswith("#"):
            yield line, name.strip()


def _from_json(path: str, text: str) -> Iterator[tuple[int, str]]:
    try:
        order = json.loads(text)["order"]
    except json.JSONDecodeError as error:
        raise ParseError(path, error.lineno, f"this is not JSON: {error.msg}") from None
    except KeyError:
        raise ParseError(path, 1, "the JSON has no order", hint="eligo prioritize --json prints one") from None
    if not isinstance(order, list) or not all(isinstance(name, str) for name in order):
        raise ParseError(path, 1, "the order is not a list of job names")
    line = 1 + text[: text.index('"order"')].count("\n")
    return ((line, name) for name in order)
