r"""Rescue DAGs: what DAGMan reads beside a DAG to leave out what was done.

DAGMan writes ``flow.dag.rescue001`` when a run ends before all is done, then ``002`` and so on; given ``flow.dag``
again, it takes the one with the largest number and leaves out the nodes that have a ``DONE`` line there. All else still
comes from the DAG itself (a *partial* rescue DAG, the only kind since version 7.8). We write such files for runs that
DAGMan knew nothing of, so that it can go on where we stopped, and read those that it wrote.

Numbers: DAGMan looks at no more than ``DAGMAN_MAX_RESCUE_NUM`` files, 100 unless a site says otherwise, and then writes
the last one anew; so do we, since a file that it would not look at would make it run everything again.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

from eligo.errors import ParseError
from eligo.formats._base import Document
from eligo.formats._source import replace_file

__all__ = ["newest_rescue", "read_rescue", "rescue_text", "write_rescue"]

_LAST_NUMBER, _HIGHEST_LIMIT = 100, 999
_MADE_BY_DAGMAN = "_condor_join_node"
_ENDING = re.compile(r"rescue([0-9]{3})")


def write_rescue(
    document: Document, done: Sequence[bool], *, failed: Iterable[int] = (), path: Path | None = None
) -> Path:
    r"""Write the next rescue DAG of a workflow, and return where it is.

    Parameters
    ----------
    document
        The workflow: a DAGMan file.
    done
        Of each job, whether it succeeded.
    failed
        The jobs that failed, for people who read the file.
    path
        The DAG file beside which to write, where that is not the document's own.

    Examples
    --------
    >>> import tempfile
    >>> from eligo.formats import open_document
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     flow = Path(folder) / "flow.dag"
    ...     _ = flow.write_text("JOB a a.sub\nJOB b b.sub\nPARENT a CHILD b\n")
    ...     document = open_document(flow)
    ...     made = write_rescue(document, [True, False], failed=[1])
    ...     print(made.name, read_rescue(document))
    flow.dag.rescue001 [True, False]
    """
    dag = Path(document.source.path) if path is None else path
    newest = newest_rescue(dag)
    number = 0 if newest is None else int(newest.name[-3:])
    most = _LAST_NUMBER if number <= _LAST_NUMBER else _HIGHEST_LIMIT
    target = dag.with_name(f"{dag.name}.rescue{min(number + 1, most):03}")
    names = document.dag.names
    text = rescue_text(
        dag.name,
        len(names),
        [names[job] for job, is_done in enumerate(done) if is_done],
        [names[job] for job in failed],
    )
    replace_file(target, [text.encode("utf-8", "surrogateescape")])
    return target


def rescue_text(dag_name: str, nodes: int, done: Sequence[str], failed: Sequence[str] = ()) -> str:
    r"""Return the content of a rescue DAG.

    Examples
    --------
    >>> print(rescue_text("flow.dag", 2, ["a"]).splitlines()[-1])
    DONE a
    """
    head = [
        "# Rescue DAG file, created after running",
        f"#   the {_on_one_line(dag_name)} DAG file",
        f"# Created {time.strftime('%m/%d/%Y %H:%M:%S UTC', time.gmtime())} by eligo",
        "# Rescue DAG version: 2.0.1 (partial)",
        "#",
        f"# Total number of Nodes: {nodes}",
        f"# Nodes premarked DONE: {len(done)}",
        f"# Nodes that failed: {len(failed)}",
        f"#   {','.join([*map(_on_one_line, failed), '<ENDLIST>'])}",
        "",
    ]
    return "\n".join([*head, *(f"DONE {name}" for name in done), ""])


def _on_one_line(text: str) -> str:
    return re.sub(r"[\r\n\\]", "?", text)


def newest_rescue(dag: Path) -> Path | None:
    """Return the rescue DAG that DAGMan would take: the one with the largest number.

    Examples
    --------
    >>> newest_rescue(Path("/no/such/flow.dag")) is None
    True
    """
    start = f"{dag.name}."
    try:
        names = [name for name in os.listdir(dag.parent) if name.startswith(start)]  # noqa: PTH208 - names suffice
    except OSError:
        return None
    found = [name for name in names if (ending := _ENDING.fullmatch(name[len(start) :])) and int(ending[1])]
    return dag.with_name(max(found)) if found else None


def read_rescue(document: Document, path: Path | None = None) -> list[bool] | None:
    """Return of each job whether the newest rescue DAG of a workflow says that it was done; ``None`` without one.

    Parameters
    ----------
    path
        The DAG file beside which to look, where that is not the document's own.

    Raises
    ------
    ParseError
        The rescue DAG is of another workflow, or of the old kind that is a whole DAG.
    """
    rescue = newest_rescue(Path(document.source.path) if path is None else path)
    if rescue is None:
        return None
    numbers = {name: job for job, name in enumerate(document.dag.names)}
    done = [False] * document.dag.n
    text = rescue.read_bytes().decode("utf-8", "surrogateescape")
    for line, words in ((number, content.split()) for number, content in enumerate(text.split("\n"), 1)):
        if not words or words[0].startswith("#") or words[0].upper() in ("RETRY", "REJECT"):
            continue
        if words[0].upper() != "DONE" or len(words) != 2:
            raise ParseError(
                str(rescue),
                line,
                f"a rescue DAG has no {words[0]!r} lines",
                hint=f"run it as a DAG, or remove {rescue}",
            )
        job = numbers.get(words[1])
        if job is not None:
            done[job] = True
        elif not words[1].startswith(_MADE_BY_DAGMAN):
            raise ParseError(
                str(rescue),
                line,
                f"{words[1]!r} is no job of {document.source.path}",
                hint=f"if the rescue DAG is of an older workflow, remove {rescue}",
            )
    return done
